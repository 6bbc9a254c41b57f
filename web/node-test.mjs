// Tests a package that web/build has made: `node web/node-test.mjs FOLDER LEVEL`. The rows of
// datasets/ are the expected ones, also when inputs are divided, and the README's example runs.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [folder, level] = [resolve(process.argv[2]), process.argv[3]];
const { Input, explain, generate, simdLevel, solve } = await import(pathToFileURL(join(folder, "index.js")));
const datasets = join(dirname(fileURLToPath(import.meta.url)), "../datasets");
const SETS = ["easy", "minimal", "hard", "several", "unsolvable", "malformed"];
const withoutLatency = rows => rows.replace(/,\d*$/gm, ",");

test("the vector level", () => assert.equal(simdLevel(), level));

for (const set of SETS) {
  const bytes = readFileSync(join(datasets, `${set}.txt`));
  const { rows, report } = solve(bytes, { name: set, limit: 1000 });

  test(`${set}: rows are the expected ones`, () => {
    const [header, ...expected] = readFileSync(join(datasets, `${set}.expected`), "utf8").trimEnd().split("\n");
    const columns = new Map(report.messages.map(({ line, column, status }) =>
      [String(line), status === "malformed" ? column : ""]));
    const found = rows.trimEnd().split("\n").slice(1).map(row => {
      const [, line, solution, status, solutions] = row.match(/^(\d+),[^]*,(\d*),(\w+),(\d*),\d*,\d*$/);
      return header === "line,status,column" ? `${line},${status},${columns.get(line) ?? ""}`
        : `${solutions},${solutions === "1" ? solution : ""}`;
    });
    assert.deepEqual(found, expected);
    assert.equal(report.records, expected.length);
  });

  test(`${set}: the rows of pieces are those of the whole`, () => {
    const read = (offset, length) => bytes.subarray(offset, offset + length);
    const input = new Input(set, bytes.length, read);
    const starts = [{ offset: 0, line: 1 }];
    input.divide(1000, read, start => starts.push(start));
    const parts = [];
    for (const [i, start] of starts.entries()) {
      input.solve(start, starts[i + 1]?.offset ?? bytes.length, 1000, read, part => parts.push(Buffer.from(part)));
    }
    const joined = rows.split("\n", 1)[0] + "\n" + Buffer.concat(parts);
    assert.equal(withoutLatency(joined), withoutLatency(rows));
  });

  test(`${set}: compressed bytes have the same rows`, () => {
    const compressed = solve(gzipSync(bytes), { name: set, limit: 1000 });
    assert.equal(withoutLatency(compressed.rows), withoutLatency(rows));
  });
}

test("latencies pass", () => {
  const { report } = solve(readFileSync(join(datasets, "hard.txt")));
  assert.ok(report.latencies.some(([ns]) => ns > 0) && report.wallMs > 0);
});

test("a puzzle is explained", () => {
  const puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
  const { status, difficulty, steps, solution, clues } = explain(puzzle);
  assert.deepEqual([status, difficulty], ["unique", "easy"]);
  const cells = [...clues];
  for (const { placed } of steps) if (placed) cells[placed[0]] = placed[1];
  assert.deepEqual(cells, solution);
  assert.match(steps[0].sentence, /, so r\dc\d is \d$/);
  assert.match(explain("55" + ".".repeat(79)).contradiction, /^5 occurs twice in row 1/);
  assert.throws(() => explain("12"), /81/);
});

test("generated puzzles have the difficulty, and depend on the seed alone", () => {
  for (const difficulty of ["easy", "medium", "hard", "unfair", "extreme"]) {
    const puzzle = generate(difficulty, 7);
    assert.equal(puzzle, generate(difficulty, 7));
    const made = explain(puzzle);
    assert.deepEqual([made.status, made.difficulty], ["unique", difficulty]);
  }
  assert.notEqual(generate("easy", 1), generate("easy", 2));
  assert.throws(() => generate("fiendish", 1), /fiendish.*easy/);
});

test("the README's example prints what it says", async () => {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, code] = readme.match(/```js\n([^]*?)```/);
  const file = join(folder, "example.mjs");
  writeFileSync(file, code.replace('from "bulkdoku"', 'from "./index.js"'));
  const printed = [];
  const { log } = console;
  console.log = (...values) => printed.push(values);
  try { await import(pathToFileURL(file)); } finally { console.log = log; }
  assert.match(printed[0][0], /^[1-9]{81}$/);
  assert.deepEqual(printed[1][0], { unique: 2, contradictory: 1 });
  assert.match(printed[2][0], /^5 occurs twice/);
  assert.equal(printed[3][0], "unique");
  assert.equal(explain(printed[4][0]).difficulty, "hard");
});
