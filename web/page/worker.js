// Divides an input or solves pieces of it. The script of the module comes before this one.
"use strict";
const files = new FileReaderSync();
// A request to the browser costs more than its bytes, so this reads up to 8 MiB ahead of it, to `last`.
const AHEAD = 1 << 23;
let file, input, limit, position, last = 0, ahead = new Uint8Array(), aheadAt = 0;

function read(offset, length) {
  position = offset + length;
  if (offset < aheadAt || position > aheadAt + ahead.length) {
    const end = Math.max(position, Math.min(last, offset + AHEAD));
    ahead = new Uint8Array(files.readAsArrayBuffer(file.slice(offset, end)));
    aheadAt = offset;
  }
  return ahead.subarray(offset - aheadAt, position - aheadAt);
}

const tasks = {
  open(data) {
    ({ file, limit } = data);
    wasm_bindgen.initSync({ module: data.module });
    input = new wasm_bindgen.Input(data.name, file.size, read);
  },
  divide({ pieceBytes }) {
    last = file.size;
    if (input.canBeDivided) input.divide(pieceBytes, read, start => postMessage({ start }));
    postMessage({ divided: true, header: wasm_bindgen.header() });
  },
  solve({ index, start, end }) {
    last = end;
    const write = (rows, records) =>
      postMessage({ index, rows: new Blob([rows]), records, bytes: Math.min(position, end) - start.offset });
    postMessage({ index, report: input.solve(start, end, limit, read, write) });
  },
  explain({ module, text }) {
    wasm_bindgen.initSync({ module });
    postMessage({ explanation: wasm_bindgen.explain(text) });
  },
};

onmessage = ({ data }) => {
  try {
    tasks[data.task](data);
  } catch (error) {
    postMessage({ error: String(error.message ?? error) });
  }
};
