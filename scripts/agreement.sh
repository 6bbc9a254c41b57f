#!/usr/bin/env bash
# Checks that all engines agree on random inputs of all types, at every SIMD level of this CPU:
# scripts/agreement.sh [INPUTS] [SEED]. The default is a million inputs.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --release --package bulkdoku-core --example agreement -- "$@"
