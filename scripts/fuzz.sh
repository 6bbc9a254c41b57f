#!/usr/bin/env bash
# Coverage-guided fuzzing. Run in the repository:
#
#   scripts/fuzz.sh TARGET          until it finds something
#   scripts/fuzz.sh TARGET RUNS     so many executions
#
# The targets are in fuzz/targets, what they check in fuzz/README.md. It needs a nightly toolchain
# and cargo-fuzz (cargo install cargo-fuzz). The first inputs are made from datasets/; all that
# were interesting are kept in fuzz/corpus/TARGET, those that failed in fuzz/artifacts/TARGET.
set -euo pipefail
export LC_ALL=C

target=${1:?usage: scripts/fuzz.sh TARGET [RUNS]}
runs=${2:--1}
cd "$(dirname "$0")/.."

corpus=fuzz/corpus/$target
mkdir -p "$corpus"

# Standard input becomes an input; its first four bytes say how it is cut (see Cuts::take).
seed() {
    { printf '%s' "$1"; cat; } > "$corpus/seed-$2"
}

# The nine rows of the n-th puzzle of a set.
grid() {
    sed -n "$2p" "datasets/$1.txt" | fold -w 9
}

# Those with bars and borders.
drawn() {
    grid "$@" | sed -E -e 's/(...)(...)(...)/\1|\2|\3/; s/./& /g' -e '3a---+---+---' -e '6a------+-------+------'
}

case $target in
puzzle)
    sed -n 1,3p datasets/malformed.txt | split -l 1 - "$corpus/seed-bad-"
    head -c 81 datasets/easy.txt > "$corpus/seed-easy"
    ;;
lines)
    head -n 12 datasets/easy.txt | seed '0000' easy
    seed 'zPz!' malformed < datasets/malformed.txt
    head -n 5 datasets/several.txt | sed 's/$/\t,text\r/; 2s/^/  /; 3s/^/#/' | seed '~Az ' odd
    ;;
grids)
    { grid easy 1; echo; grid hard 2; } | seed '0000' plain
    { echo 'Grid 01'; grid easy 3; echo 'Grid 02'; grid easy 4 | tr . 0; } | seed 'z!P0' labels
    { drawn minimal 1; drawn minimal 2; } | seed ' ~A0' drawn
    { echo '#AMe'; echo '[Puzzle]'; grid easy 5; echo '[State]'; grid easy 5; } | seed 'zzzz' sections
    grid several 1 | sed -e '3a\\' -e '6a\\' -e 's/$/\r/' | seed '!!!!' bands
    { grid easy 6; sed -n 7,9p datasets/malformed.txt; grid easy 7 | sed 4d; } | seed '0A0A' bad
    ;;
*)
    echo "no target $target; there are $(ls fuzz/targets)" >&2
    exit 2
    ;;
esac

# Without a sanitizer: there is no unsafe code to be watched, and it takes half of the time.
exec cargo +nightly fuzz run --sanitizer none "$target" -- \
    -runs="$runs" -max_len=2048 -len_control=20 -timeout=10 -print_final_stats=1
