//! Tests `bulkdoku check` with answers of models, in the forms that puzzles may have.

use serde_json::{Value, json};

use crate::common::command::{CLASSIC, Folder, SOLVED};

#[test]
fn answers_are_read_in_all_forms_of_a_puzzle() {
    let cells: Vec<_> = SOLVED.chars().map(String::from).collect();
    let rows: Vec<_> = cells.chunks(9).map(<[String]>::concat).collect();
    let lists: Vec<_> = cells.chunks(9).map(|row| format!("[{}]", row.join(", "))).collect();
    let forms = [
        SOLVED.to_owned(),
        rows.join("\n"),
        rows.join("\r\n"),
        cells.join(" "),
        cells.join(","),
        format!("[{}]", cells.join(", ")),
        format!("[{}]", lists.join(",")),
        format!("[\"{}\"]", cells.join("\", \"")),
    ];
    let folder = Folder::new();
    let columns = [
        "-q",
        "--columns",
        "status,correct_cells,wrong_cells,blank_cells,clues_kept,broken_units,solved,reason",
    ];
    let check = |text: &str| {
        let ran = folder.run("check", &columns, text);
        ran.rows.lines().skip(1).map(String::from).collect::<Vec<_>>()
    };
    for name in ["solution", "Response", "completion", "prediction", "label", "output"] {
        let quoted = |text: &String| format!("{CLASSIC},\"{}\"\n", text.replace('"', "\"\""));
        let table: String = forms.iter().map(quoted).collect();
        let right = vec!["ok,51,0,0,30,0,true,".to_owned(); forms.len()];
        assert_eq!(check(&format!("puzzle,{name}\n{table}")), right, "{name}");
        let object = |text: &String| format!("{}\n", json!({"puzzle": CLASSIC, name: text}));
        assert_eq!(check(&forms.iter().map(object).collect::<String>()), right, "{name}");
        let digits: Vec<u8> = SOLVED.bytes().map(|byte| byte - b'0').collect();
        let arrays = [json!(digits), json!(digits.chunks(9).collect::<Vec<_>>())];
        let object = |array| format!("{}\n", json!({"puzzle": CLASSIC, name: array}));
        assert_eq!(check(&arrays.into_iter().map(object).collect::<String>()), right[..2]);
    }
    for form in forms.iter().filter(|form| !form.contains('\n')) {
        for separator in [",", "\t", " "] {
            let line = format!("{CLASSIC}{separator}{form}\n");
            let ran =
                folder.run("check", &[&columns[..], &["--input-format", "lines"]].concat(), line);
            assert_eq!(ran.rows.lines().nth(1), Some("ok,51,0,0,30,0,true,"), "{form}: {ran:?}");
        }
    }
    for form in &forms {
        folder.file("answers", form);
        folder.file("puzzle", CLASSIC);
        let args = [&["puzzle", "--solutions", "answers"][..], &columns].concat();
        let ran = folder.run("check", &args, "");
        assert_eq!(ran.rows.lines().nth(1), Some("ok,51,0,0,30,0,true,"), "{form}: {ran:?}");
    }
    // An answer that is not readable has no counts.
    let object = |answer: Value| format!("{}\n", json!({"puzzle": CLASSIC, "response": answer}));
    let unreadable =
        [json!(vec![1; 80]), json!("I cannot solve it."), json!(rows[..8].join("\n")), Value::Null];
    let found = check(&unreadable.into_iter().map(object).collect::<String>());
    assert!(found.iter().all(|row| row.starts_with("mismatch,,,,,,false,")), "{found:?}");
    assert!(found[0].ends_with("the solution is not a grid: 80 cells, 81 expected\""), "{found:?}");
    assert!(found[3].ends_with("the solution is missing"), "{found:?}");
    // Wrong and blank cells.
    let wrong = SOLVED.replacen('5', "3", 1).replacen('4', ".", 1);
    let found = check(&format!("puzzle,solution\n{CLASSIC},{wrong}\n"));
    assert!(
        found[0].starts_with("mismatch,50,0,1,29,3,false,the solution is not complete"),
        "{found:?}"
    );
}
