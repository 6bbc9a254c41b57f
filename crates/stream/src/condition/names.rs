//! The names of columns: computed ones, and those of the input.

use crate::output::{Column, ColumnSource};

/// Returns the input names that a column may refer to; none if it is one of the computed columns.
pub(crate) fn input_names(name: &str, computed: &[Column]) -> Vec<String> {
    if computed_column(name, computed).is_some() {
        return Vec::new();
    }
    let own = name.strip_prefix("input_");
    let mut names = [Some(name), own];
    if own.is_some_and(|own| own.parse::<Column>().is_ok()) {
        names.reverse();
    }
    names.into_iter().flatten().map(String::from).collect()
}

/// Returns a name that would be ambiguous if an input had such a column: that of a column that is
/// computed for records, without the prefix `computed_`. The puzzle is always that of the record.
pub fn shared_name(name: &str) -> Option<String> {
    let column = name.parse::<Column>().ok()?;
    (column != Column::Puzzle && column.is_of_records()).then(|| name.into())
}

/// Returns the computed column `x`, which is also `computed_x`, if it is among these.
pub fn computed_column(name: &str, computed: &[Column]) -> Option<Column> {
    let name = name.strip_prefix("computed_").unwrap_or(name);
    name.parse().ok().filter(|column: &Column| computed.contains(column))
}

/// Finds a column by name: the computed `x`, which is also `computed_x`, or `x` of the input,
/// which is also `input_x`. An input that shares the name `x` was refused before.
pub(super) fn find_column(
    name: &str,
    computed: &[Column],
    read: &[String],
) -> Result<ColumnSource, String> {
    match computed_column(name, computed) {
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
    let names = input_names(name, computed);
    let found = names.iter().find_map(|name| {
        find(|a, b| a == b, name).or_else(|| find(str::eq_ignore_ascii_case, name))
    });
    found.map(ColumnSource::Input).ok_or_else(|| {
        let hint = column_hint(name, computed, read.iter().map(String::as_str));
        let quotes = if hint.ends_with('?') { "" } else { "; a text needs quotes" };
        format!("no column {name:?}; {hint}{quotes}")
    })
}

/// Returns a hint about a column that is neither one of the computed ones nor of the input.
pub fn column_hint<'a>(
    name: &str,
    computed: &[Column],
    read: impl IntoIterator<Item = &'a str>,
) -> String {
    let all = computed.iter().filter(|column| **column != Column::Copy);
    let all: Vec<_> = all.map(|column| column.name()).collect();
    match similar(name, all.iter().copied().chain(read)) {
        Some(column) => format!("did you mean {column}?"),
        None => format!("computed columns are {}", all.join(", ")),
    }
}

/// Returns the name that is most similar to a misspelled one, if any is.
pub fn similar<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let score = |other: &str| strsim::jaro(&name, &other.to_lowercase());
    let scores = names.into_iter().map(|other| (score(other), other));
    let best = scores.filter(|(score, _)| *score > 0.8).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map(|(_, other)| other)
}
