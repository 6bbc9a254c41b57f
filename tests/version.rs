//! `--version`.

use bulkdoku::SimdLevel;

use crate::common::command::Folder;

#[test]
fn the_long_version_lists_the_vector_levels() {
    let folder = Folder::new();
    let name = format!("bulkdoku {}\n", env!("CARGO_PKG_VERSION"));
    let short = folder.run("-V", &[], "");
    assert_eq!((short.rows, short.status), (name.clone(), 0));
    let long = folder.run("--version", &[], "").rows;
    let levels: Vec<_> = SimdLevel::available().iter().map(|level| level.name()).collect();
    assert_eq!(long, format!("{name}vector levels: {}\n", levels.join(", ")));
}
