"use strict";
const $ = id => document.getElementById(id);
const EXAMPLE = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";
const workerUrl = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
const bytes = Uint8Array.from(atob($("module").textContent), char => char.charCodeAt(0));
const compiled = WebAssembly.compile(bytes);
// The maximum number of buffers that a worker gets back with a task.
const MAX_BUFFERS = 16;
const count = new Intl.NumberFormat("en");
let run = null;

$("workers").value = navigator.hardwareConcurrency || 1;

/** One input, from its division to its rows. */
class Run {
  constructor(file, workers, limit) {
    Object.assign(this, { file, workers: [], limit, header: "", began: performance.now(), ended: null });
    // A piece has its start, its task once it is read, its rows, the bytes and records so far, and at the end a report.
    this.pieces = [newPiece({ offset: 0, line: 1 })];
    // The indices of the pieces that are solved and read next.
    this.next = this.nextRead = 0;
    this.divided = false;
    this.pieceBytes = Math.max(1 << 18, Math.min(1 << 22, file.size / (8 * workers)));
    this.workerCount = workers;
  }

  async start() {
    const module = await compiled;
    for (let number = 0; number < this.workerCount; number++) {
      const worker = newWorker(data => this.receive(worker, data), error => this.end(error));
      worker.postMessage({ task: "open", module, file: this.file, name: this.file.name, limit: this.limit });
      this.workers.push(worker);
      Object.assign(worker, { idle: number > 0, buffers: [] });
    }
    this.workers[0].postMessage({ task: "divide", pieceBytes: this.pieceBytes });
  }

  receive(worker, { start, divided, header, index, rows, records, bytes, report, error }) {
    if (this.ended) return;
    if (error) return this.end(error);
    if (start) this.pieces.push(newPiece(start));
    if (divided) Object.assign(this, { divided, header });
    if (rows) {
      this.pieces[index].rows.push(new Blob([rows]));
      Object.assign(this.pieces[index], { records, bytes });
      // Fresh memory costs a worker more than the copy.
      if (worker.buffers.length < MAX_BUFFERS) worker.buffers.push(rows.buffer);
    }
    if (report) this.pieces[index].report = report;
    worker.idle ||= divided || Boolean(report);
    this.assign();
    update();
    if (this.divided && this.pieces.every(piece => piece.report)) this.end();
  }

  /** Gives idle workers the pieces that are read, and reads the next ones. */
  assign() {
    const idle = this.workers.filter(worker => worker.idle);
    while (idle.length && this.pieces[this.next]?.task) {
      const worker = idle.pop(), { task } = this.pieces[this.next++];
      const buffers = worker.buffers.splice(0);
      worker.idle = false;
      worker.postMessage({ ...task, buffers }, [...buffers, ...task.bytes ? [task.bytes] : []]);
    }
    const ready = this.divided ? this.pieces.length : this.pieces.length - 1;
    const last = Math.min(ready, this.next + this.workerCount);
    for (; this.nextRead < last; this.nextRead++) this.read(this.nextRead);
  }

  /** Reads a piece whose end is known. Workers would wait for the browser at each reading. */
  async read(index) {
    const { start } = this.pieces[index], end = this.pieces[index + 1]?.start.offset ?? this.file.size;
    const task = { task: "solve", index, start, end };
    try {
      // A file that cannot be divided is one piece of any size, which its worker reads.
      if (end - start.offset <= 2 * this.pieceBytes) task.bytes = await this.file.slice(start.offset, end).arrayBuffer();
    } catch (error) {
      return this.end(error.message);
    }
    this.pieces[index].task = task;
    if (!this.ended) this.assign();
  }

  end(error = "") {
    if (this.ended) return;
    this.ended = performance.now();
    this.error = error;
    this.workers.forEach(worker => worker.terminate());
    finish();
  }

  reports() { return this.pieces.flatMap(piece => piece.report ?? []); }
  sum(field) { return this.pieces.reduce((sum, piece) => sum + piece[field], 0); }
  seconds() { return ((this.ended ?? performance.now()) - this.began) / 1000; }
  /** All rows up to the first piece that is not complete. */
  rows() {
    const open = this.pieces.findIndex(piece => !piece.report);
    const complete = open < 0 ? this.pieces : this.pieces.slice(0, open + 1);
    return new Blob([this.header, ...complete.flatMap(piece => piece.rows)], { type: "text/csv" });
  }
}

function newPiece(start) { return { start, task: null, rows: [], records: 0, bytes: 0, report: null }; }

function newWorker(receive, fail) {
  const worker = new Worker(workerUrl);
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = event => fail(event.message || "a worker failed");
  return worker;
}

let frame = 0;
function update() {
  frame ||= requestAnimationFrame(() => { frame = 0; render(); });
}

function render() {
  $("progress").value = run.file.size ? run.sum("bytes") / run.file.size : 1;
  $("records").textContent = count.format(run.sum("records"));
  $("rate").textContent = count.format(Math.round(run.sum("records") / run.seconds()));
  $("elapsed").textContent = `${run.seconds().toFixed(1)} s`;
  const counts = {};
  for (const report of run.reports()) {
    for (const [status, records] of Object.entries(report.counts)) counts[status] = (counts[status] ?? 0) + records;
  }
  $("statuses").tBodies[0].replaceChildren(...Object.entries(counts).map(([status, records]) => row(status, records)));
}

function row(...cells) {
  const tr = document.createElement("tr");
  for (const cell of cells) {
    const td = tr.insertCell();
    td.textContent = typeof cell === "number" ? count.format(cell) : cell;
    td.classList.toggle("n", typeof cell === "number");
  }
  return tr;
}

async function finish() {
  cancelAnimationFrame(frame);
  frame = 0;
  render();
  $("solve").disabled = false;
  $("stop").disabled = true;
  const records = run.sum("records");
  const failures = run.reports().flatMap(report => report.failures);
  const problem = [run.error, ...failures].filter(Boolean).join("; ");
  $("status").textContent = `${problem ? `Ended early: ${problem}. ` : ""}${count.format(records)} ` +
    `${records === 1 ? "record" : "records"} in ${run.seconds().toFixed(2)} s on ${run.workerCount} ` +
    `${run.workerCount === 1 ? "worker" : "workers"}.`;
  if (!problem) $("progress").value = 1;
  const rows = run.rows();
  $("download").href = URL.createObjectURL(rows);
  $("download").textContent = `Download the rows (CSV, ${size(rows.size)})`;
  $("download").hidden = records === 0;
  drawLatencies();
  listMessages();
  drawPuzzle(records === 1 ? (await rows.text()).split("\n")[1].split(",")[1] : "");
  document.body.dataset.state = "done";
}

function size(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function listMessages() {
  const reports = run.reports();
  const total = reports.reduce((sum, report) => sum + report.messageCount, 0);
  const listed = reports.flatMap(report => report.messages).slice(0, 1000);
  $("invalid").hidden = total === 0;
  $("invalid-count").textContent = total > listed.length
    ? `The first ${count.format(listed.length)} of ${count.format(total)}.` : `${count.format(total)} in total.`;
  $("messages").replaceChildren(...listed.map(({ line, column, status, reason }) => row(line, column, status, reason)));
}

/** Draws the histogram, with logarithmic bins (eight per factor of ten). */
function drawLatencies() {
  const BINS = 8;
  const all = run.reports().flatMap(report => report.latencies).sort((a, b) => a[0] - b[0]);
  const total = all.reduce((sum, [, puzzles]) => sum + puzzles, 0);
  $("latency").hidden = total < 2;
  if (total < 2) return;
  const tick = clockTick();
  const bins = new Map();
  for (const [ns, puzzles] of all) {
    const bin = Math.floor(BINS * Math.log10(Math.max(ns, 100)));
    bins.set(bin, (bins.get(bin) ?? 0) + puzzles);
  }
  const first = BINS * Math.floor(Math.min(...bins.keys()) / BINS);
  const last = BINS * Math.ceil((Math.max(...bins.keys()) + 1) / BINS);
  const most = Math.max(...bins.values());
  const width = 620 / (last - first);
  const parts = [];
  for (const [bin, puzzles] of bins) {
    const height = Math.max(1, 160 * puzzles / most);
    parts.push(`<rect x="${10 + (bin - first) * width}" y="${170 - height}" width="${Math.max(1, width - 1)}" height="${height}"><title>${duration(10 ** (bin / BINS))}: ${count.format(puzzles)}</title></rect>`);
  }
  for (let bin = first; bin <= last; bin += BINS) {
    const x = 10 + (bin - first) * width;
    const anchor = bin === first ? "start" : bin === last ? "end" : "middle";
    parts.push(`<line x1="${x}" x2="${x}" y1="170" y2="176"/><text x="${x}" y="192" text-anchor="${anchor}">${duration(10 ** (bin / BINS))}</text>`);
  }
  $("chart").innerHTML = `<line x1="10" x2="630" y1="170" y2="170"/>${parts.join("")}`;
  const quantile = share => {
    let before = 0;
    return all.find(([, puzzles]) => (before += puzzles) >= share * total)[0];
  };
  const median = quantile(0.5);
  const relative = ns => duration(ns) + (median ? ` (${Number((ns / median).toPrecision(3))} × the median)` : "");
  const figures = `Median ${duration(median)}, 99% within ${relative(quantile(0.99))}, at most ${relative(quantile(1))}.`;
  $("chart").setAttribute("aria-label", `Histogram of latencies. ${figures}`);
  $("quantiles").textContent = `${figures} The axis is logarithmic. The clock of this browser ticks every ${duration(tick)}; shorter times are 0.`;
}

/** Returns the resolution of the clock in nanoseconds. */
function clockTick() {
  let tick = Infinity;
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    tick = Math.min(tick, now - start);
  }
  return tick * 1e6;
}

function duration(ns) {
  if (ns === 0) return "0";
  const [unit, scale] = ns < 999.5 ? ["ns", 1] : ns < 999.5e3 ? ["µs", 1e3] : ns < 999.5e6 ? ["ms", 1e6] : ["s", 1e9];
  return `${Number((ns / scale).toPrecision(3))} ${unit}`;
}

let explainer = null;
/** Passes a task for a single puzzle to a worker, instead of the last one. */
async function ask(task, receive) {
  const module = await compiled;
  explainer?.terminate();
  explainer = newWorker(receive, error => { $("verdict").textContent = error; });
  explainer.postMessage({ ...task, module });
}

/** Rates and draws a single puzzle. Any other text has no drawing. */
function drawPuzzle(text) {
  ask({ task: "explain", text }, ({ explanation }) => {
    $("puzzle").hidden = $("grid").hidden = !explanation;
    if (explanation) draw(explanation);
    else $("verdict").textContent = text.trim() && "Not a single puzzle. Solve lists what it has, and invalid records.";
    document.body.dataset.puzzle = text;
  });
}

/** Draws a puzzle; hints start at its clues, or after the step of the path that was clicked. */
function draw({ status, difficulty, title, se121, contradiction, steps, start, drawing, last }) {
  $("verdict").textContent = contradiction ? `No solution: ${contradiction}.`
    : status === "multiple" ? "More than one solution." : status !== "unique" ? `Status: ${status}.`
    : `One solution. ${title ? `Difficulty: ${difficulty}, ${title}` : "No step is needed"}` +
      `${se121 === null ? "" : `; Sudoku Explainer: ${se121.toFixed(1)}`}.`;
  let next = 0;
  const show = (board, explanation = "") => {
    $("grid").innerHTML = board;
    $("explanation").textContent = explanation;
  };
  const showStep = index => {
    next = index + 1;
    show(steps[index].drawing, `${steps[index].title}: ${steps[index].sentence}.`);
  };
  $("show").onclick = () => { next = 0; show(drawing); };
  $("hint").onclick = () => {
    if (next < steps.length) showStep(next);
    else show(last, status === "unique" ? "Solved." : "No technique applies.");
  };
  $("print").onclick = () => { next = 0; show(start); print(); };
  $("steps").replaceChildren(...steps.map(({ title, sentence, alternatives }, index) => {
    const [li, name] = [document.createElement("li"), document.createElement("button")];
    Object.assign(name, { type: "button", textContent: title, title: "Show this step" });
    name.onclick = () => {
      showStep(index);
      $("grid").scrollIntoView({ block: "nearest" });
    };
    li.append(name, `: ${sentence}.`);
    if (alternatives.length) {
      const list = document.createElement("ul");
      list.append(...alternatives.map(text => Object.assign(document.createElement("li"), { textContent: `${text}.` })));
      li.append(list);
    }
    return li;
  }));
  $("path").hidden = steps.length === 0;
  $("path").open = false;
  $("path-title").textContent = `Path (${steps.length} ${steps.length === 1 ? "step" : "steps"})`;
  show(start, steps.length ? "Hint shows the next step, and why it follows." : "");
}

function pasteAndDraw(text) {
  [$("text").value, $("file").value] = [text, ""];
  drawPuzzle(text);
}

$("generate").addEventListener("click", () => {
  $("verdict").textContent = "Making a puzzle.";
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  ask({ task: "generate", difficulty: $("difficulty").value, seed }, ({ puzzle }) => pasteAndDraw(puzzle));
});

function solve(file) {
  run?.workers.forEach(worker => worker.terminate());
  URL.revokeObjectURL($("download").href);
  for (const id of ["download", "latency", "invalid"]) $(id).hidden = true;
  $("results").hidden = false;
  $("solve").disabled = true;
  $("stop").disabled = false;
  $("status").textContent = `Solving ${file.name}.`;
  document.body.dataset.state = "running";
  run = new Run(file, $("workers").valueAsNumber || 1, Number($("limit").value));
  render();
  run.start();
}

$("form").addEventListener("submit", event => {
  event.preventDefault();
  const [file] = $("file").files;
  solve(file ?? new File([$("text").value], "pasted"));
});
let typed = 0;
$("text").addEventListener("input", () => {
  $("file").value = "";
  clearTimeout(typed);
  typed = setTimeout(() => drawPuzzle($("text").value), 200);
});
$("stop").addEventListener("click", () => run.end("stopped"));
addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("dragging"); });
addEventListener("dragleave", event => { if (!event.relatedTarget) document.body.classList.remove("dragging"); });
addEventListener("drop", event => {
  event.preventDefault();
  document.body.classList.remove("dragging");
  const [file] = event.dataTransfer.files;
  if (file) {
    $("file").files = event.dataTransfer.files;
    solve(file);
  }
});
pasteAndDraw(EXAMPLE);
