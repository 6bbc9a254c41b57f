// Divides an input or solves pieces of it. The script of the module comes before this one.
"use strict";
const files = new FileReaderSync();
let file, input, limit, position;

function read(offset, length) {
  position = offset + length;
  return new Uint8Array(files.readAsArrayBuffer(file.slice(offset, offset + length)));
}

const tasks = {
  open(data) {
    ({ file, limit } = data);
    wasm_bindgen.initSync({ module: data.module });
    input = new wasm_bindgen.Input(data.name, file.size, read);
  },
  divide({ pieceBytes }) {
    if (input.canBeDivided) input.divide(pieceBytes, read, start => postMessage({ start }));
    postMessage({ divided: true, header: wasm_bindgen.header() });
  },
  solve({ index, start, end }) {
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
