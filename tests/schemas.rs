//! Files for other programs conform to `docs/schemas/`, which list all fields.

use std::fs;

use serde_json::Value;

use crate::common::HARDEST;
use crate::common::command::{CLASSIC, Folder};

/// Returns why a value does not conform to a schema of the types used here. Unlike in JSON Schema,
/// every field must be listed.
fn difference(schema: &Value, value: &Value, path: &str) -> Option<String> {
    let at = |what: String| Some(format!("{path}: {what}: {value}"));
    if let Some(choices) = schema["anyOf"].as_array() {
        let differences: Vec<_> =
            choices.iter().map(|choice| difference(choice, value, path)).collect();
        return differences.iter().all(Option::is_some).then(|| format!("{differences:?}"));
    }
    if schema == &Value::Bool(true) {
        return None;
    }
    if let Some(constant) = schema.get("const") {
        return if constant == value { None } else { at(format!("not {constant}")) };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allows = |allowed: &Value| allowed == kind || allowed == "number" && kind == "integer";
    let is_allowed = match &schema["type"] {
        Value::Array(all) => all.iter().any(allows),
        one => allows(one),
    };
    if !is_allowed {
        return at(format!("not {}", schema["type"]));
    }
    let required = schema["required"].as_array().into_iter().flatten();
    for field in required.filter_map(Value::as_str) {
        if value.get(field).is_none() {
            return at(format!("{field} is missing"));
        }
    }
    let fields = value.as_object().into_iter().flatten().find_map(|(name, field)| {
        let listed = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        match listed {
            Some(listed) => difference(listed, field, &format!("{path}.{name}")),
            None => at(format!("{name} is not documented")),
        }
    });
    let items = || {
        let items = schema.get("items")?;
        value.as_array()?.iter().find_map(|item| difference(items, item, &format!("{path}[]")))
    };
    fields.or_else(items)
}

fn assert_conforms(name: &str, value: &Value) {
    let path = format!("{}/docs/schemas/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(difference(&schema, value, name), None);
}

#[test]
fn summaries_conform() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\nbad\n# comment\n"));
    folder.file("solved", folder.solve(&["in", "-q", "--columns", "puzzle,solution"], "").rows);
    for line in [
        "solve in",
        "solve in --report page.html",
        "solve in --first --engine scalar --max-nodes 9",
        "check solved",
        "canon in --dedup",
        "canon in --against in",
        "split in --shares 1,1 --seed 1",
        "augment in --times 2 --seed 1",
        "generate -n 3 --seed 1",
        "generate -n 3 --kind solved",
    ] {
        let output = if line.starts_with("split") { "a.csv,b.csv" } else { "out.csv" };
        let ran = folder.line(&format!("{line} -q --force --summary-json s.json -o {output}"));
        assert!(ran.status <= 1, "{line}: {ran:?}");
        assert_conforms("summary", &folder.json("s.json"));
    }
}

#[test]
fn traces_conform() {
    let folder = Folder::new();
    let hard = include_str!("../datasets/hard.txt").lines().find(|line| line.len() == 81);
    folder.file("in", format!("{CLASSIC}\nbad\n{}\n{}\n", ".".repeat(81), hard.unwrap()));
    let ran = folder.line("trace in -q --sentences --implications");
    assert_eq!(ran.objects().len(), 4, "{ran:?}");
    ran.objects().iter().for_each(|trace| assert_conforms("trace", trace));
}

#[test]
fn measurements_conform() {
    let folder = Folder::new();
    folder.file("in", HARDEST);
    let quick = "--rounds 1 --rows 2 --engine scalar,lanes";
    let ran = folder.line(&format!("bench in {quick} -o b.json"));
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_conforms("bench", &folder.json("b.json"));
    #[cfg(unix)]
    {
        let line = "bench in --rounds 1 --rows 2 --solver none=true -o c.json";
        assert_eq!(folder.line(line).status, 1);
        assert_conforms("bench", &folder.json("c.json"));
    }
}
