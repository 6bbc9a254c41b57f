// Headless Chromium, driven over a pipe.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Opens a page. Returns functions that send a command of the DevTools protocol, evaluate, and close. */
export async function open(url) {
  const profile = mkdtempSync(join(tmpdir(), "bulkdoku-web-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--remote-debugging-pipe", `--user-data-dir=${profile}`];
  const chromium = spawn(CHROMIUM, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map();
  let parts = [], last = 0, sessionId;
  chromium.stdio[4].setEncoding("utf8").on("data", data => {
    parts.push(data);
    if (!data.includes("\0")) return;
    const messages = parts.join("").split("\0");
    parts = [messages.pop()];
    for (const { id, result, error } of messages.map(message => JSON.parse(message))) {
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error) reject?.(new Error(error.message)); else resolve?.(result);
    }
  });
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    chromium.stdio[3].write(JSON.stringify({ id: last, sessionId, method, params }) + "\0");
  });
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  ({ sessionId } = await send("Target.attachToTarget", { targetId, flatten: true }));
  // An evaluation that a navigation interrupts may never end, so this waits for the new page.
  await send("Page.navigate", { url });
  const evaluate = async expression => {
    const { result, exceptionDetails } = await send("Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const close = async () => {
    const ended = new Promise(resolve => chromium.on("exit", resolve));
    sessionId = undefined;
    await send("Browser.close").catch(() => {});
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { send, evaluate, close };
}
