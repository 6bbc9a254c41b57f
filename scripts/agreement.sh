#!/usr/bin/env bash
# Checks that all engines agree, at every vector level of this machine, on random inputs of all
# kinds: scripts/agreement.sh [INPUTS] [SEED]. The default is a million inputs.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --release --example agreement -- "$@"
