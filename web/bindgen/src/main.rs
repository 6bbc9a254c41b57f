//! Writes the JavaScript around a module: `bulkdoku-bindgen MODULE.wasm FOLDER page|npm`.

use std::env;

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let args: Vec<_> = env::args().skip(1).collect();
    let [module, folder, kind] = &args[..] else {
        bail!("usage: bulkdoku-bindgen MODULE.wasm FOLDER page|npm");
    };
    let mut bindgen = Bindgen::new();
    match kind.as_str() {
        // A script, because workers of a page without a server cannot import modules.
        "page" => bindgen.no_modules(true)?.typescript(false),
        _ => bindgen.web(true)?.typescript(true),
    };
    bindgen.input_path(module).out_name("bulkdoku").generate(folder)
}
