//! Tells a release build which commit it is made from.

#[path = "build/commit.rs"]
mod commit;

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/commit.rs");
    // Other builds would be made anew after each commit.
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let Some(root) = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) else { return };
    if let Some(commit) = commit::find(&root) {
        println!("cargo::rustc-env=BULKDOKU_COMMIT={}", commit.hash);
        for file in commit.files {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
}
