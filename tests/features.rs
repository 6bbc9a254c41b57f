//! Files that require a feature missing from this build.

use crate::common::command::{CLASSIC, Folder};

const INSTALL: &str = "install all of them: cargo install --path . --features full";

fn lacks(feature: &str) -> String {
    format!("this build lacks the feature {feature}; {INSTALL}")
}

#[test]
fn inputs_that_need_a_feature_are_recognized() {
    for (name, feature, bytes) in [
        ("zst stream", "zstd", b"\x28\xB5\x2F\xFD\x00\x80\0\0".to_vec()),
        ("Parquet file", "parquet", b"PAR1\x15\x04\x15\xF0\n".to_vec()),
    ] {
        let folder = Folder::new();
        folder.file("in", bytes.clone());
        for (ran, input) in
            [(folder.solve(&["in", "-q"], ""), "in"), (folder.solve(&["-q"], bytes), "<stdin>")]
        {
            let messages = ran.messages.as_str();
            assert_eq!(ran.status, 3, "{name}: {ran:?}");
            assert!(messages.contains(&lacks(feature)), "{name}: {messages}");
            assert!(messages.contains(name) && messages.contains(input), "{name}: {messages}");
        }
    }
}

#[test]
fn outputs_that_need_a_feature_are_refused() {
    let folder = Folder::new();
    folder.file("in", CLASSIC);
    for (line, feature) in [
        ("solve in -o x.csv.zst", "zstd"),
        ("solve in -o x.ZST", "zstd"),
        ("solve in --format csv -o x.csv.zst", "zstd"),
        ("solve in -o x.parquet", "parquet"),
        ("solve in --format parquet -o x", "parquet"),
        ("split in -o a.csv,b.csv.zst --shares 90,10 --seed 1", "zstd"),
        ("generate -n 1 -o x.parquet", "parquet"),
        ("completions bash", "completions"),
    ] {
        folder.assert_refused(&[(line, &lacks(feature))]);
        assert_eq!(folder.names(), ["in"], "{line}");
    }
}
