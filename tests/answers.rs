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
    let quoted = |text: &String| format!("{CLASSIC},\"{}\"\n", text.replace('"', "\"\""));
    let table: String = forms.iter().map(quoted).collect();
    let right = vec!["ok,51,0,0,30,0,true,".to_owned(); forms.len()];
    let digits: Vec<u8> = SOLVED.bytes().map(|byte| byte - b'0').collect();
    let arrays = [json!(digits), json!(digits.chunks(9).collect::<Vec<_>>())];
    let texts: Vec<_> = forms.iter().map(|form| json!(form)).chain(arrays).collect();
    for name in ["solution", "Response", "completion", "prediction", "label", "output"] {
        assert_eq!(check(&format!("puzzle,{name}\n{table}")), right, "{name}");
        let object = |text: &Value| format!("{}\n", json!({"puzzle": CLASSIC, name: text}));
        let found = check(&texts.iter().map(object).collect::<String>());
        assert_eq!(found, vec![&*right[0]; texts.len()], "{name}");
    }
    for (form, separator) in forms.iter().zip([",", "\t", " "].iter().cycle()) {
        folder.file("answers", form);
        folder.file("puzzle", CLASSIC);
        let mut lines = vec![vec!["puzzle", "--solutions", "answers"]];
        let line = format!("{CLASSIC}{separator}{form}\n");
        if !form.contains('\n') {
            folder.file("line", line);
            lines.push(vec!["line", "--input-format", "lines"]);
        }
        for args in lines {
            let ran = folder.run("check", &[&args[..], &columns].concat(), "");
            assert_eq!(ran.rows.lines().nth(1), Some(&*right[0]), "{form}: {ran:?}");
        }
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
