import init, { Input, explain, generate, header, simdLevel } from "./bulkdoku.js";

const url = new URL("./bulkdoku_bg.wasm", import.meta.url);
const module = url.protocol === "file:" ? (await import("node:fs")).readFileSync(url) : url;
await init({ module_or_path: module });

export { Input, explain, generate, simdLevel };

const START = { offset: 0, line: 1 };

export function solve(input, { name = "input", limit = 2 } = {}) {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  const read = (offset, length) => bytes.subarray(offset, offset + length);
  const opened = new Input(name, bytes.length, read);
  const decoder = new TextDecoder();
  let rows = header();
  try {
    const report = opened.solve(START, bytes.length, limit, read, part => { rows += decoder.decode(part); });
    return { rows, report };
  } finally {
    opened.free();
  }
}
