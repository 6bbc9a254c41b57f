//! The names of columns: computed ones, and those of the input.

use bulkdoku::output::{Column, ColumnSource};

use super::super::WITH_COLUMNS;
use super::super::row_args::{RowRules, similar};

/// Returns the input names that a column may refer to; none if it is a computed column.
pub fn input_names(name: &str, rules: &RowRules) -> Vec<String> {
    if offered(name, rules).is_some() {
        return Vec::new();
    }
    let own = name.strip_prefix("input_");
    let mut names = [Some(name), own];
    if own.is_some_and(|own| own.parse::<Column>().is_ok()) {
        names.reverse();
    }
    names.into_iter().flatten().map(String::from).collect()
}

/// Returns a name that would be ambiguous if an input had such a column: that of a column which any
/// subcommand with inputs computes, without the prefix `computed_`. The puzzle is always that of the
/// record.
pub fn shared_name(name: &str) -> Option<String> {
    let column = name.parse::<Column>().ok()?;
    let is_computed =
        |rules: &&RowRules| rules.name != "generate" && rules.columns.contains(&column);
    let is_shared = column != Column::Puzzle && WITH_COLUMNS.iter().any(is_computed);
    is_shared.then(|| name.into())
}

/// Returns the computed column `x`, which is also `computed_x`, if a subcommand offers it.
pub fn offered(name: &str, rules: &RowRules) -> Option<Column> {
    let name = name.strip_prefix("computed_").unwrap_or(name);
    name.parse().ok().filter(|column: &Column| rules.columns.contains(column))
}

/// Finds a column by name: the computed `x`, which is also `computed_x`, or `x` of the input,
/// which is also `input_x`. An input that shares the name `x` was refused before.
pub fn find_column(name: &str, rules: &RowRules, read: &[String]) -> Result<ColumnSource, String> {
    match offered(name, rules) {
        Some(Column::Copy) => {
            return Err(
                "copy is an index among the rows of a record, so it cannot select records".into()
            );
        }
        Some(column) => return Ok(ColumnSource::Computed(column)),
        None => {}
    }
    let find =
        |is: fn(&str, &str) -> bool, name: &str| read.iter().position(|known| is(known, name));
    let names = input_names(name, rules);
    let found = names.iter().find_map(|name| {
        find(|a, b| a == b, name).or_else(|| find(str::eq_ignore_ascii_case, name))
    });
    found.map(ColumnSource::Input).ok_or_else(|| {
        let all = rules.columns.iter().filter(|column| **column != Column::Copy);
        let all: Vec<_> = all.map(|column| column.name()).collect();
        let names = all.iter().copied().chain(read.iter().map(String::as_str));
        let hint = match similar(name, names) {
            Some(column) => format!("did you mean {column}?"),
            None => format!("{} has {}", rules.name, all.join(", ")),
        };
        format!("the input has no column {name:?}; {hint}")
    })
}
