// Tests the page target/web/bulkdoku.html (web/build) in headless Chromium: its rows equal those of the
// command, except the latencies, for files of several formats, divided among workers. With --set,
// prints the speed of a worker relative to the command at AVX2 on one thread.
//
// Usage: node web/page-test.mjs [--bulkdoku COMMAND] [--screenshots FOLDER] [--set FILE]...
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { open } from "./browser.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({ options: {
  bulkdoku: { type: "string", default: join(root, "target/release/bulkdoku") },
  screenshots: { type: "string" },
  set: { type: "string", multiple: true, default: [] },
} });
const bulkdoku = resolve(values.bulkdoku);
const page = join(root, "target/web/bulkdoku.html");
if (!existsSync(page)) throw new Error(`${page} is missing: run web/build`);
const folder = mkdtempSync(join(tmpdir(), "bulkdoku-web-test-"));
let failed = 0;

function check(name, condition, details = "") {
  console.log(`${condition ? "ok" : "FAILED"}: ${name}${condition ? "" : ` ${details}`}`);
  if (!condition) failed++;
}

/** The digits of the drawn board, without candidates. */
const DIGITS = `(() => {
  const cells = Array(81).fill("");
  for (const text of $("grid").querySelectorAll(".clues, .digits, .placed")) {
    const [x, y] = ["x", "y"].map(name => text.getAttribute(name).split(" ").map(Math.floor));
    [...text.textContent].forEach((digit, i) => { cells[9 * y[i] + x[i]] = digit; });
  }
  return cells.join("");
})()`;

const withoutLatency = rows => rows.replace(/,\d*$/gm, ",");

function nativeRows(file, ...options) {
  const command = ["solve", "--quiet", "--fail-on", "none", ...options, file];
  return execFileSync(bulkdoku, command, { maxBuffer: 1 << 30 }).toString();
}

const { send, evaluate, close } = await open(pathToFileURL(page).href);

async function until(expression) {
  for (const start = Date.now(); Date.now() - start < 300_000;) {
    if (await evaluate(expression)) return;
    await new Promise(done => setTimeout(done, 50));
  }
  throw new Error(`after five minutes, not yet: ${expression}`);
}

/** Solves a file on the page, as a user would. Returns the rows and what the page shows. */
async function solve(file, workers) {
  await evaluate(`document.body.dataset.state = "", $("workers").value = ${workers}`);
  const { root: { nodeId } } = await send("DOM.getDocument");
  const input = await send("DOM.querySelector", { nodeId, selector: "#file" });
  await send("DOM.setFileInputFiles", { files: [file], nodeId: input.nodeId });
  await evaluate(`$("solve").click()`);
  await until(`document.body.dataset.state === "done"`);
  return evaluate(`(async () => ({
    rows: await run.rows().text(),
    status: $("status").textContent,
    pieces: run.pieces.length,
    messages: [...$("messages").rows].map(row => [...row.cells].map(cell => cell.textContent).join("|")),
    workerMs: run.reports().reduce((sum, report) => sum + report.wallMs, 0),
    records: run.sum("records"),
  }))()`);
}

async function screenshot(name) {
  if (!values.screenshots) return;
  mkdirSync(values.screenshots, { recursive: true });
  const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true });
  writeFileSync(join(values.screenshots, `${name}.png`), Buffer.from(data, "base64"));
}

const setsOf = names => names.map(name => readFileSync(join(root, "datasets", name), "utf8"));
const lines = setsOf(["easy.txt", "minimal.txt", "hard.txt", "several.txt", "unsolvable.txt", "malformed.txt"])
  .join("\n").split("\n");
const many = [];
while (many.length < 100_000) many.push(...lines.slice(0, 100_000 - many.length));
const grid = puzzle => puzzle.match(/.{9}/g).join("\n");
const puzzles = setsOf(["easy.txt", "minimal.txt"]).join("\n").split("\n").filter(line => /^[.\d]{81}/.test(line))
  .map(line => line.slice(0, 81));
const inputs = {
  "puzzles.txt": many.join("\n"),
  "table.csv": "id,note,puzzle\n" + Array.from({ length: 20_000 }, (_, i) =>
    `${i},"${i % 7 ? "" : "two\nlines, "}""quoted""",${puzzles[i % puzzles.length]}`).join("\n"),
  "grids.txt": Array.from({ length: 9_000 }, (_, i) => `Grid ${i}\n${grid(puzzles[i % puzzles.length])}`).join("\n"),
  "lines.jsonl": Array.from({ length: 9_000 }, (_, i) =>
    JSON.stringify({ id: i, puzzle: puzzles[i % puzzles.length] })).join("\n"),
  "puzzles.txt.gz": gzipSync(many.slice(0, 20_000).join("\r\n")),
};

try {
  await until(`document.readyState === "complete" && typeof $ === "function"`);
  for (const [name, content] of Object.entries(inputs)) {
    const file = join(folder, name);
    writeFileSync(file, content);
    const shown = await solve(file, 3);
    const expected = nativeRows(file);
    const [actual, wanted] = [shown.rows, expected].map(rows => withoutLatency(rows).split("\n"));
    const different = wanted.findIndex((row, i) => row !== actual[i]);
    check(`${name}: ${shown.records} records in ${shown.pieces} pieces, rows equal the command's`,
      different < 0 && actual.length === wanted.length && shown.records > 0,
      `${actual[different]} instead of ${wanted[different]}; ${shown.status}`);
    if (name === "puzzles.txt") {
      check("invalid records are listed with line, column, and reason",
        shown.messages.length === Math.min(1000, expected.match(/,(malformed|contradictory),/g).length) && shown.messages.every(row => /^[\d,]+\|\d+\|\w+\|.+/.test(row)), shown.messages[0]);
      await send("Emulation.setDeviceMetricsOverride", { width: 800, height: 900, deviceScaleFactor: 1, mobile: false });
      await screenshot("many-light");
    }
  }

  const drawn = text => until(`document.body.dataset.puzzle === ${JSON.stringify(text)}`);
  const example = await evaluate(`EXAMPLE`);
  check("a board is hidden while many puzzles are solved", await evaluate(`$("puzzle").hidden`));
  const type = async text => {
    await evaluate(`$("text").value = ${JSON.stringify(text)}, $("text").dispatchEvent(new Event("input"))`);
    await drawn(text);
  };
  const single = puzzles.at(-1);
  await type(single);
  const digits = await evaluate(DIGITS);
  check("a typed puzzle is drawn without a click", digits === single.replace(/[.0]/g, ""), digits);
  await screenshot("single-light");
  await evaluate(`$("hint").click()`);
  const hint = (await evaluate(DIGITS)).length;
  check("a hint places a digit or removes candidates", hint === digits.length + 1 || hint === digits.length,
    `${hint} digits of ${digits.length}`);
  await evaluate(`$("show").click()`);
  const [, row] = nativeRows(join(folder, (writeFileSync(join(folder, "one.txt"), single), "one.txt"))).split("\n");
  const solution = await evaluate(DIGITS);
  check("the solution is the command's", solution === row.split(",")[2], solution);
  await type(puzzles[0]);
  await solve(join(folder, "one.txt"), 1);
  await drawn(single);
  check("the puzzle of a file is drawn", await evaluate(DIGITS) === digits);
  await evaluate(`$("generate").click()`);
  await until(`document.body.dataset.puzzle === $("text").value && $("text").value !== ${JSON.stringify(single)}`);
  const made = await evaluate(`$("verdict").textContent`);
  check("a new puzzle has the chosen difficulty", made.startsWith("One solution. Difficulty: hard, "), made);
  await evaluate(`window.print = () => { window.printed = ${DIGITS}.length; }, $("hint").click(), $("print").click()`);
  const printed = await evaluate(`printed === $("text").value.replace(/[.0]/g, "").length`);
  check("what is printed has only the clues", printed);
  await send("Emulation.setEmulatedMedia", { media: "print" });
  check("and nothing but the board and its rating", await evaluate(
    `["text", "hint", "status", "explanation"].every(id => !$(id).checkVisibility()) && $("grid").checkVisibility()`));
  await screenshot("printed");
  await send("Emulation.setEmulatedMedia", { media: "" });
  await type("no puzzle");
  check("other text has no board, and a new puzzle is offered",
    await evaluate(`$("puzzle").hidden && $("grid").hidden && $("generate").checkVisibility()`));
  // The path of a puzzle that needs more than singles, to the first step with candidates.
  const hard = setsOf(["hard.txt"])[0].split("\n").find(line => /^[.\d]{81}$/.test(line));
  await type(hard);
  const rating = await evaluate(`$("verdict").textContent`);
  check("it has a rating", /^One solution\. Difficulty: \w+, [- \w]+; Sudoku Explainer: \d+\.\d\.$/.test(rating), rating);
  const steps = await evaluate(`[...$("steps").children].map(step => step.textContent)`);
  check("and a path in words", steps.length > 20 && steps.every(step => /, so r\dc\d.*\.$/.test(step)), steps[0]);
  await evaluate(`$("hint").click()`);
  for (let i = 0; i < 60 && !await evaluate(`Boolean($("grid").querySelector(".eliminated"))`); i++) await evaluate(`$("hint").click()`);
  check("hints mark eliminated candidates", await evaluate(`Boolean($("grid").querySelector(".eliminated"))`));
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  await screenshot("single-dark");
  await send("Emulation.setDeviceMetricsOverride", { width: 360, height: 740, deviceScaleFactor: 2, mobile: true });
  const overflow = await evaluate(`document.documentElement.scrollWidth`);
  check("the page fits a phone of 360 pixels", overflow <= 360, `it is ${overflow} wide`);
  await screenshot("single-phone");
  await evaluate(`$("path").open = true`);
  const path = await evaluate(`document.documentElement.scrollWidth`);
  check("the path fits a phone as well", path <= 360, `it is ${path} wide`);
  await screenshot("path-phone");
  const shown = await evaluate(`$("steps").querySelector("button").click(), $("explanation").textContent`);
  check("a click on a step draws it", shown !== "" && steps[0].startsWith(shown), shown);
  await send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });
  await screenshot("path-wide");
  await send("Emulation.setDeviceMetricsOverride", { width: 360, height: 740, deviceScaleFactor: 2, mobile: true });
  const requests = await evaluate(`performance.getEntriesByType("resource").filter(entry => !/^(blob|data):/.test(entry.name)).length`);
  check("nothing is requested", requests === 0, requests);

  // By keyboard alone, in the order of reading, and each stop has a name for screen readers.
  const press = async (key, code = key, text = undefined) => {
    const event = { key, code, windowsVirtualKeyCode: { Tab: 9, Enter: 13, " ": 32 }[key], text };
    await send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
    await send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  };
  const stops = async count => {
    const stops = [];
    for (let i = 0; i < count; i++) {
      await press("Tab");
      stops.push(await evaluate(`document.activeElement.id || document.activeElement.className || document.activeElement.tagName`));
    }
    return stops.join(" ");
  };
  await send("Page.reload");
  await until(`document.readyState === "complete" && typeof $ === "function" && document.body.dataset.puzzle === ${JSON.stringify(example)}`);
  const first = await stops(1);
  await press(" ", "Space", " ");
  const isFull = `${DIGITS}.length === 81`;
  const isFullAfterHint = await evaluate(isFull);
  const second = await stops(1);
  await press(" ", "Space", " ");
  check("space works on the first buttons: a hint, then the solution",
    `${first} ${second}` === "hint show" && !isFullAfterHint && await evaluate(isFull), `${first} ${second}`);
  const form = await stops(9);
  check("tab goes on in order", form === "print path-title difficulty generate text file limit workers solve", form);
  await press("Enter", "Enter", "\r");
  await until(`document.body.dataset.state === "done"`);
  const results = await stops(1);
  check("and to the results", results === "download", results);
  const { nodes } = await send("Accessibility.getFullAXTree");
  const nameless = nodes.filter(({ ignored, role, name, properties }) => !ignored && !name?.value &&
    role.value !== "RootWebArea" && properties?.some(({ name, value }) => name === "focusable" && value.value));
  const roles = ["status", "progressbar", "main", "banner", "region", "image"]
    .filter(role => !nodes.some(node => !node.ignored && node.role.value === role));
  check("everything in focus order has a name, and the page its landmarks",
    nameless.length === 0 && roles.length === 0, `${nameless.map(node => node.role.value)}; missing: ${roles}`);

  // Interleaved minima.
  for (const set of values.set.map(file => resolve(file))) {
    const rows = readFileSync(set, "utf8").trimEnd().split("\n");
    const file = join(folder, basename(set));
    const repeated = [];
    while (repeated.length < 100_000) repeated.push(...rows.slice(0, 100_000 - repeated.length));
    writeFileSync(file, repeated.join("\n"));
    let [browser, command] = [Infinity, Infinity];
    for (let round = 0; round < 3; round++) {
      browser = Math.min(browser, (await solve(file, 1)).workerMs);
      const summary = join(folder, "summary.json");
      nativeRows(file, "--simd", "avx2", "--threads", "1", "--summary-json", summary, "-o", join(folder, "rows.csv"), "--force");
      command = Math.min(command, JSON.parse(readFileSync(summary, "utf8")).wall_seconds * 1000);
    }
    const rate = ms => `${Math.round(repeated.length / ms * 1000)} rows/s`;
    console.log(`speed: ${basename(set)}: ${rate(browser)} per worker, ${rate(command)} natively at AVX2: ` +
      `${(command / browser).toFixed(2)}`);
  }
} finally {
  await close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${failed ? failed : "no"} failures`);
process.exit(failed ? 1 : 0);
