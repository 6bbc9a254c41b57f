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
    let counts = "correct_cells,wrong_cells,blank_cells,clues_kept,broken_units,solved";
    let line = format!("check -q --columns status,{counts},reason");
    let check = |text: &str| -> Vec<String> {
        folder.with_input(&line, text).records().into_iter().map(String::from).collect()
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
    let row = "mismatch,50,0,1,29,3,false,the solution is not complete";
    assert!(found[0].starts_with(row), "{found:?}");
    // The fifth cell is 13 characters after the quote at column 83.
    let spaced: Vec<_> = SOLVED.replacen("78", "18", 1).chars().map(String::from).collect();
    let input = format!("puzzle,solution\n{CLASSIC},\"{}\"\n", spaced.join(", "));
    folder.with_input("check", &input).expect(1, "<stdin>:2:96: mismatch");
    // In an array as well, and at the start of a text with escapes.
    let wrong: Vec<_> = SOLVED.replacen("78", "18", 1).bytes().map(|byte| byte - b'0').collect();
    let input = json!({"puzzle": CLASSIC, "solution": wrong}).to_string();
    folder.with_input("check", &input).expect(1, "<stdin>:1:115: mismatch");
    let wrong = SOLVED.replacen("78", "18", 1) + "\n";
    let input = json!({"puzzle": CLASSIC, "solution": wrong}).to_string();
    folder.with_input("check", &input).expect(1, "<stdin>:1:107: mismatch");
    // A solution may be at a key of its column.
    let input = json!({"puzzle": CLASSIC, "answer": {"grid": SOLVED}}).to_string();
    assert_eq!(folder.with_input("check", &input).status, 0);
    // Texts of language models are searched for a grid on request.
    let texts = [
        format!("The solution is \\boxed{{{SOLVED}}}."),
        format!("<answer>{}</answer>", SOLVED.replacen('5', "6", 1)),
        "I apologize, but I cannot solve this.".into(),
    ];
    let objects = texts.map(|text| object(text.into())).concat();
    for (option, statuses) in
        [("--answers text", ["ok", "mismatch", "mismatch"]), ("", ["mismatch"; 3])]
    {
        let ran = folder.with_input(&format!("check --columns status,reason {option}"), &objects);
        let found = ran.records().into_iter().map(|row| row.split(',').next().unwrap());
        assert!(found.eq(statuses) && ran.rows.contains("text instead of 81 cells"), "{ran:?}");
    }
}
