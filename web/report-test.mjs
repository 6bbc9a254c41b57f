// Tests the pages of --report in headless Chromium: they draw what the JSON has, fit the window, and
// request nothing.
//
// Usage: node web/report-test.mjs [--bulkdoku COMMAND] [--screenshots FOLDER]
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { open } from "./browser.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({ options: {
  bulkdoku: { type: "string", default: join(root, "target/release/bulkdoku") },
  screenshots: { type: "string" },
} });
const bulkdoku = resolve(values.bulkdoku);
const folder = mkdtempSync(join(tmpdir(), "bulkdoku-report-test-"));
let failed = 0;

function check(name, condition, details = "") {
  console.log(`${condition ? "ok" : "FAILED"}: ${name}${condition ? "" : ` ${details}`}`);
  if (!condition) failed++;
}

const sets = ["minimal", "hard", "several", "malformed"].map(name => readFileSync(join(root, "datasets", `${name}.txt`)));
writeFileSync(join(folder, "<script><b>.txt"), Buffer.concat(sets));
writeFileSync(join(folder, "empty.txt"), "");
const rate = ["--columns", "puzzle,solution,technique,se121,guess_rating", "-o", "rows.csv", "--force"];
const quick = ["--rounds", "3", "--rows", "200"];
const pages = {
  solve: ["solve", "-q", "--fail-on", "none", "<script><b>.txt", ...rate],
  generate: ["generate", "-q", "-n", "300", "-s", "1", "-o", "puzzles.txt", "--force"],
  check: ["check", "-q", "--fail-on", "none", "rows.csv", "-o", "checked.csv", "--force"],
  empty: ["solve", "-q", "empty.txt", "-o", "none.csv", "--force"],
  bench: ["bench", join(root, "datasets/hard.txt"), join(root, "datasets/easy.txt"), "--engine", "lanes,scalar", ...quick,
    "-o", "bench.json", "--solver", "broken=echo no", "--force"],
  invalid: ["bench", join(root, "datasets/hard.txt"), ...quick, "--max-nodes", "1", "-o", "b.json", "--force"],
};

const { send, evaluate, close } = await open("about:blank");
try {
  for (const [name, args] of Object.entries(pages)) {
    const file = join(folder, `${name}.html`);
    try {
      execFileSync(bulkdoku, [...args, "--report", file], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      if (error.status !== 1) throw error;
    }
    await send("Page.navigate", { url: pathToFileURL(file).href });
    const ready = `document.readyState === "complete" && location.pathname.endsWith("/${name}.html")`;
    while (!await evaluate(ready)) await new Promise(done => setTimeout(done, 20));
    const text = await evaluate(`document.querySelector("main").innerText`);
    const headings = await evaluate(`[...document.querySelectorAll("h2")].map(heading => heading.textContent).join(", ")`);
    check(`${name}: the page is drawn to its end`, headings.endsWith("Run") && text.includes("Machine"), headings);
    check(`${name}: no value is missing`, !/undefined|NaN|\[object|null|Infinity/.test(text), text);
    if (name === "solve") {
      check("names are text", text.includes("<script><b>.txt") && !await evaluate(`document.querySelector("main b b")`));
      const lines = `[...document.querySelectorAll("table.counts td:first-child")].filter(cell => cell.getClientRects()[0].height > 40)`;
      check("techniques are on one line", await evaluate(`${lines}.length`) === 0);
    }
    if (name === "bench") check("a rejected command has its reason", text.includes("invalid: line 1 is without a solution"), text);
    for (const [width, theme] of [[360, "light"], [360, "dark"], [1000, "light"], [1280, "dark"]]) {
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: theme }] });
      await send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 });
      const needed = await evaluate(`document.documentElement.scrollWidth`);
      check(`${name}: it fits ${width} pixels, ${theme}`, needed <= width, `it is ${needed} wide`);
      if (values.screenshots) {
        mkdirSync(values.screenshots, { recursive: true });
        const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true });
        writeFileSync(join(values.screenshots, `${name}-${width}-${theme}.png`), Buffer.from(data, "base64"));
      }
    }
    const requests = await evaluate(`performance.getEntriesByType("resource").length`);
    check(`${name}: nothing is requested`, requests === 0, requests);
  }
} finally {
  await close();
  rmSync(folder, { recursive: true });
}
process.exit(failed ? 1 : 0);
