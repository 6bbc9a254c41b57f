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
  // The bytes of the piece, if it was read, and the buffers of earlier rows come with the task.
  solve({ index, start, end, bytes, buffers }) {
    last = end;
    if (bytes) [ahead, aheadAt] = [new Uint8Array(bytes), start.offset];
    const write = (rows, records) => {
      let buffer = buffers.pop();
      // With space for the next rows, which may be longer.
      if (!buffer || buffer.byteLength < rows.length) buffer = new ArrayBuffer(rows.length * 1.25);
      const copy = new Uint8Array(buffer, 0, rows.length);
      copy.set(rows);
      postMessage({ index, rows: copy, records, bytes: Math.min(position, end) - start.offset }, [buffer]);
    };
    postMessage({ index, report: input.solve(start, end, limit, read, write) });
  },
  explain({ module, text }) {
    wasm_bindgen.initSync({ module });
    postMessage({ explanation: wasm_bindgen.explain(text) });
  },
  generate({ module, difficulty, seed }) {
    wasm_bindgen.initSync({ module });
    postMessage({ puzzle: wasm_bindgen.generate(difficulty, seed) });
  },
};

onmessage = ({ data }) => {
  try {
    tasks[data.task](data);
  } catch (error) {
    postMessage({ error: String(error.message ?? error) });
  }
};
