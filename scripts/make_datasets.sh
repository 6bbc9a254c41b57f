#!/usr/bin/env bash
# Creates everything in datasets/ except SOURCES.md. Run in the repository:
#
#   scripts/make_datasets.sh          writes datasets/
#   scripts/make_datasets.sh DIR      writes DIR, to compare: diff -r DIR datasets
#
# The files are reproducible. BULKDOKU names a command that is already built.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$here/datasets}
mkdir -p "$out"
if [ -z "${BULKDOKU:-}" ]; then
    cargo build --release --manifest-path "$here/Cargo.toml"
    BULKDOKU=$here/target/release/bulkdoku
fi

# name, kind, count, seed
make_set() {
    echo "$1: $3 puzzles" >&2
    "$BULKDOKU" generate --kind "$2" --count "$3" --seed "$4" --force -o "$out/$1.txt"
    # One row per puzzle: the number of solutions up to 1000, and the solution if it is unique. Exit
    # status 1 means that some are not unique.
    {
        "$BULKDOKU" solve -q --engine scalar --limit 1000 --columns solutions,solution \
            "$out/$1.txt" || [ $? -eq 1 ]
    } | awk -F, -v OFS=, 'NR > 1 && $1 != 1 { $2 = "" } { print }' \
        > "$out/$1.expected"
}

make_set easy easy 2000 1
make_set minimal minimal 2000 1
make_set hard hard 250 1
make_set several several 500 1
make_set unsolvable unsolvable 500 1

# --- malformed.txt: every kind of bad line, with good ones between them ----------------------

bad=$out/malformed.txt
expected=$out/malformed.expected
line=0
: > "$bad"
echo "line,status,column" > "$expected"

# Adds a line as printf writes it (with its end), and its expected result: nothing for a line that
# is not a record, otherwise a status and, for malformed lines, a column.
row() {
    printf -- "$1" >> "$bad"
    line=$((line + 1))
    if [ $# -gt 1 ]; then echo "$line,$2,${3:-}" >> "$expected"; fi
}

# A puzzle with one solution, and its parts.
p=$(sed -n 1p "$out/minimal.txt")
easy=$(sed -n 1p "$out/easy.txt")
full=$(sed -n 2p "$out/easy.expected" | cut -d, -f2)
times() { local text=; for _ in $(seq "$2"); do text+=$1; done; printf '%s' "$text"; }
# Replaces the character of p at column $1 (from 1) with $2.
put() { printf '%s' "${p:0:$1-1}$2${p:$1}"; }

# Prints the pencil marks of a complete grid.
marks() {
    local at digit
    for at in $(seq 0 80); do
        digit=${1:$at:1}
        times . $((digit - 1)); printf '%s' "$digit"; times . $((9 - digit))
    done
}

# Valid lines that look unusual. The byte order mark is not counted as a column.
row "\xEF\xBB\xBF$p\n" unique
row "# a comment\n"
row "$(times '#' 81)\n"
row "  # an indented comment with \xFF, which is no UTF-8\n"
row "\n"
row "  \t \n"
row "\r\n"
row "$p\r\n" unique
row " \t$p \t\n" unique
row "$p 12\n" unique
row "$p\t12\n" unique
row "$p,$full\n" unique
row "$p;12;\xFF\n" unique
row "$easy\n" unique
row "${p//./0}\n" unique
row "${p//./_}\n" unique
row "${p//./\*}\n" unique
row "${p//./-}\n" unique
row "${p//./x}\n" unique
row "${p//./X}\n" unique
row "${p//./?}\n" unique
row "$full\n" unique
row "$(times . 81)\n" multiple
row "$(times 0_*-xX?. 10).\n" multiple
row "$(sed -n 1p "$out/several.txt")\n" multiple
row "$(sed -n 1p "$out/unsolvable.txt")\n" unsolvable
# Pencil marks: of the empty grid, of a complete one, with a cell without candidates.
row "$(times 123456789 81)\n" multiple
row "$(marks "$full")\n" unique
row "$(marks "$full") 12\n" unique
row ".........$(times 123456789 80)\n" unsolvable
row "1........1........$(times 123456789 79)\n" contradictory
# Two equal clues in a row, in a column, in a box, and all ones.
row "5.......5$(times . 72)\n" contradictory
row "5$(times . 71)5........\n" contradictory
row "5.........5$(times . 70)\n" contradictory
row "$(times 1 81)\n" contradictory
# A complete grid with its first digit repeated.
row "${full:1:1}${full:1}\n" contradictory
# The wrong number of cells.
row "${p:0:80}\n" malformed 81
row "${p:0:80} 12\n" malformed 81
row "$p.\n" malformed 82
row "$p$p\n" malformed 82
row "1\n" malformed 2
row "1234341221434321\n" malformed 17
row "$(times . 256)\n" malformed 82
row "$(times . 625)\n" malformed 82
row "$(times . 36)\n" malformed 37
row "$p$p$p\n" malformed 82
row ",$p\n" malformed 1
row "${p:0:40} ${p:40}\n" malformed 41
row "  ${p:0:80}\n" malformed 83
# Pencil marks in the wrong place, too few, too many.
row "2$(times 123456789 81 | cut -c2-)\n" malformed 1
row "$(times 123456789 80)12345678\n" malformed 82
row "$(times 123456789 81).\n" malformed 82
# Characters that are not cells.
row "$(put 10 O)\n" malformed 10
row "$(put 11 o)\n" malformed 11
row "$(put 12 l)\n" malformed 12
row "$(put 13 I)\n" malformed 13
row "$(put 14 A)\n" malformed 14
row "$(put 15 '|')\n" malformed 15
row "$(put 16 '"')\n" malformed 16
row "$(put 17 '\xEF\xBC\x95')\n" malformed 17
row "$(put 18 '\xD9\xA5')\n" malformed 18
row "$(put 19 '\xC2\xA0')\n" malformed 19
row "$(put 20 '\x00')\n" malformed 20
row "$(put 21 '\xFF')\n" malformed 21
row "$(put 22 '\xE2\x82')\n" malformed 22
row "$(put 23 '\r')\n" malformed 23
row "$p\r\r\n" unique
row "$p\r$p\r\n" malformed 82
row "$p,12\r$p,12\n" malformed 85
row "# a comment\r$p\n" malformed 12
row "\xEF\xBB\xBF$p\n" malformed 1
# Remnants of spreadsheets and other programs.
row "4.3E+80\n" malformed 4
row "$(times 0 2)${full:0:77}\n" malformed 80
row "10${full:0:77}\n" malformed 80
row "quizzes,solutions\n" malformed 1
row "id,puzzle,solution\n" malformed 1
row "\"$p\"\n" malformed 1
row "+-------+-------+-------+\n" malformed 1
row "| 5 3 . | . 7 . | . . . |\n" malformed 1
# The last line is unterminated.
row "$p" unique

echo "malformed: $line lines" >&2
