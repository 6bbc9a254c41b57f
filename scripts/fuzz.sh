#!/usr/bin/env bash
# Coverage-guided fuzzing of the code that reads inputs. Run in the repository:
#
#   scripts/fuzz.sh TARGET          until it finds something, or Ctrl-C
#   scripts/fuzz.sh TARGET RUNS     that many executions, for breadth: comparisons are not traced,
#                                   inputs have at most 400 bytes, and all are kept and chosen
#                                   alike, which is ten times faster
#
# The targets; the head of each file describes its checks:
#
#   puzzle   fuzz/targets/puzzle.rs   bytes to a puzzle or to pencil marks
#   blocks   fuzz/targets/blocks.rs   bytes to records: lines, grids, tables, cut into blocks
#   detect   fuzz/targets/detect.rs   bytes to a layout, and to its records
#   arrival  fuzz/targets/arrival.rs  bytes to rows, for every way of arrival, with overlong lines
#   fields   fuzz/targets/fields.rs   the text of a record, as a field and as a JSON string
#   documents fuzz/targets/documents.rs  JSON arrays, JSON lines, and puzzles in any text
#   parquet  fuzz/targets/parquet.rs  a Parquet file with changed bytes to text
#
# It needs a nightly toolchain (rustup toolchain install nightly) and cargo-fuzz (cargo install
# cargo-fuzz). The first inputs are made from datasets/; interesting inputs are kept in
# fuzz/corpus/TARGET, failing ones in fuzz/artifacts/TARGET. This command runs a failing input
# again:
#
#   cargo +nightly fuzz run --sanitizer none TARGET fuzz/artifacts/TARGET/crash-...
set -euo pipefail
[ "${1:-}" != --help ] || exec sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
export LC_ALL=C

usage="usage: scripts/fuzz.sh puzzle|blocks|detect|arrival|fields|documents|parquet [RUNS]"
target=${1:?$usage}
runs=${2:--1}
cd "$(dirname "$0")/.."

cargo +nightly --version > /dev/null 2>&1 ||
    { echo "no nightly toolchain: rustup toolchain install nightly" >&2; exit 2; }
cargo fuzz --version > /dev/null 2>&1 ||
    { echo "no cargo-fuzz: cargo install cargo-fuzz" >&2; exit 2; }

corpus=fuzz/corpus/$target

# Creates an input from standard input. Its first bytes are options of the target: see there, and
# Cuts::take.
seed() {
    { printf '%s' "$1"; cat; } > "$corpus/seed-$2"
}

# Prints the n-th puzzle of a set as nine rows.
grid() {
    sed -n "$2p" "datasets/$1.txt" | fold -w 9
}

# Prints it with bars and borders.
drawn() {
    grid "$@" | sed -E -e 's/(...)(...)(...)/\1|\2|\3/; s/./& /g' -e '3a---+---+---' -e '6a------+-------+------'
}

# Prints the first n puzzles of a set as a table with a header.
table() {
    echo 'id,puzzle,note'
    head -n "$2" "datasets/$1.txt" | sed 's/.*/7,&,x/'
}

# Creates inputs of every type, each after its first bytes and four bytes for the cuts.
inputs() {
    local lines=$1 grids=$2 tables=$3 rest=$4 labels=$5 tabs=$6
    head -n 12 datasets/easy.txt | seed "${lines}0000" easy
    seed "${lines}zPz!" malformed < datasets/malformed.txt
    head -n 5 datasets/several.txt | sed 's/$/\t,text\r/; 2s/^/  /; 3s/^/#/' | seed "$rest~Az " odd
    { grid easy 1; echo; grid hard 2; } | seed "${grids}0000" plain
    { echo 'Grid 01'; grid easy 3; echo 'Grid 02'; grid easy 4 | tr . 0; } | seed "${labels}z!P0" labels
    { drawn minimal 1; drawn minimal 2; } | seed "$grids ~A0" drawn
    { echo '#AMe'; echo '[Puzzle]'; grid easy 5; echo '[State]'; grid easy 5; } | seed "${labels}zzzz" sections
    grid several 1 | sed -e '3a\\' -e '6a\\' -e 's/$/\r/' | seed "$grids!!!!" bands
    { grid easy 6; sed -n 7,9p datasets/malformed.txt; grid easy 7 | sed 4d; } | seed "${grids}0A0A" bad
    table easy 4 | seed "${tables}0000" table
    table hard 3 | sed 's/x$/"two\nlines, ""quoted"""/' | seed "${tables}!z!z" quoted
    table minimal 3 | tr ',' '\t' | sed 's/$/\r/' | seed "${tabs}PPPP" tabs
    table easy 2 | sed '2s/x/"open/' | seed "${tables}A~A~" open
    sed -n 1,3p datasets/hard.txt | sed 's/.*/0000183b305c & 1.2/' | seed "${tables}zz!!" bank
    sed -n 1,3p datasets/hard.txt | sed 's/.*/{"id":1,"puzzle":"&","n":null}/' | seed "${lines}zA!0" objects
    { grid easy 8 | sed 's/./&,/g; s/,$//'; sed -n 1p datasets/easy.txt | sed 's/./& /g'; } | seed "${lines}0z0z" lists
    { echo '| 12 3 4 | 5 6 78 | 9 1 2 |'; grid easy 9 | sed 's/./& /g'; } | seed "${grids}AzzA" pencil
    { sed -n 1p datasets/easy.txt; printf '\001x\377\n'; grid easy 1; printf '\001-\377\n'; } | seed "${grids}zzzz" long
}

case $target in
puzzle) first_inputs=puzzles ;;
blocks) first_inputs=(inputs 00 10 2X 01 11 2Y) ;;
detect) first_inputs=(inputs 0 0 0 p p 0) ;;
# Four more bytes determine how bytes arrive.
arrival) first_inputs=(inputs 0z 0z 0z 8z 8z 0z) ;;
fields) first_inputs=forms ;;
documents) first_inputs=documents ;;
parquet) first_inputs=files ;;
*)
    echo "no target $target; $usage" >&2
    exit 2
    ;;
esac

puzzles() {
    sed -n 1,3p datasets/malformed.txt | split -l 1 - "$corpus/seed-bad-"
    head -c 81 datasets/easy.txt > "$corpus/seed-easy"
}

# Creates the text of a record in each form.
forms() {
    local form
    local -a forms=("$(sed -n 1p datasets/easy.txt)" "$(grid easy 1)" "$(drawn minimal 1)")
    forms+=("$(sed -n 1p datasets/easy.txt | tr . ' ')" "$(sed -n 1p datasets/easy.txt | sed 's/./&, /g')")
    forms+=("[$(grid easy 2 | tr . 0 | sed -E 's/(.)/\\1, /g; s/, $//; s/.*/[&],/' | tr -d '\n')]")
    forms+=("$(drawn minimal 2 | tr . ' ')" ":0300:2:$(sed -n 1p datasets/hard.txt):114:::")
    for form in "${!forms[@]}"; do
        printf '%s' "${forms[form]}" > "$corpus/seed-$form"
    done
}

# Creates JSON arrays and text with puzzles.
documents() {
    head -n 3 datasets/easy.txt | sed 's/.*/{"id": 1, "puzzle": "&", "n": NaN},/; 1s/^/[/; $s/,$/]/' | seed 0000 array
    head -n 3 datasets/easy.txt | tr . 0 | sed -E 's/(.)/\1,/g; s/,$//; s/.*/[&],/; 1s/^/[/; $s/,$/]/' | seed zPz! arrays
    sed -n 1,2p datasets/hard.txt | sed 's/.*/<game data="&"\/> bd=&/' | seed 0A0A text
}

# Creates files of other programs, and damaged ones.
files() {
    local file
    for file in tests/packed/*.parquet; do
        cp "$file" "$corpus/seed-$(basename "$file" .parquet)"
    done
}

mkdir -p "$corpus"
"${first_inputs[@]}"

# A sanitizer would double the time, and there is no unsafe code.
build=(--sanitizer none)
length=2048
choice=()
if [ "$runs" != -1 ]; then
    build+=(--no-trace-compares)
    length=400
    # Both take most of the time of short executions.
    choice=(-entropic=0 -reduce_inputs=0)
fi
# The target parquet writes a file in each execution.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
# Each execution uses large buffers, which the allocator must not return to the operating system.
export MALLOC_MMAP_THRESHOLD_=200000000 MALLOC_TRIM_THRESHOLD_=400000000
exec cargo +nightly fuzz run "${build[@]}" "$target" -- \
    "${choice[@]}" -runs="$runs" -max_len="$length" -len_control=20 -timeout=60 -reload=0 -print_final_stats=1
