//! How rows are written: what `--format`, `--columns` and the output's name say.

use std::ffi::OsStr;
use std::path::Path;

use bulkdoku::Compression;
use bulkdoku::input::Expected;
use bulkdoku::output::{
    Column, CsvRows, JsonRows, JudgeGrids, LabelledGrids, RowFormat, SolutionLines, TsvRows,
};
use clap::ValueEnum;

use super::Failure;

/// The formats, by the names that they have on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns with commas between them, and a header
    #[default]
    Csv,
    /// Columns with tabs between them, and a header
    Tsv,
    /// A JSON object a line
    #[value(alias = "ndjson")]
    Jsonl,
    /// Just the solution, an empty line where there is none
    Lines,
    /// Nine lines a solution under a label, to look at
    Grid,
    /// BOJ 2580: nine lines a solution, spaces between the digits, and nothing else
    Boj2580,
    /// BOJ 2239: nine lines a solution, and nothing else
    Boj2239,
}

impl Format {
    /// The one that was asked for, or that the output's name asks for, or the usual one.
    pub fn chosen(asked: Option<Self>, output: Option<&Path>) -> Self {
        asked.or_else(|| output.and_then(Self::of_name)).unwrap_or_default()
    }

    /// The one that a file's name asks for; a `.gz` or `.zst` behind it is looked through.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = match Compression::of_name(path) {
            Some(_) => path.file_stem().map(Path::new)?,
            None => path,
        };
        match name.extension().and_then(OsStr::to_str)? {
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "lines" => Some(Self::Lines),
            "grid" => Some(Self::Grid),
            _ => None,
        }
    }

    /// Whether it is that of a judge: any solution will do, and nothing else is to be said.
    pub fn is_judges(self) -> bool {
        matches!(self, Self::Boj2580 | Self::Boj2239)
    }

    /// Whether its rows have columns.
    pub fn has_columns(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::Jsonl)
    }

    /// What `--format` says for it.
    pub fn setting(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Refuses to carry columns of the input into rows that have none.
    pub fn check_kept(self, expected: &Expected) -> Result<(), Failure> {
        if expected.keep.is_some() && !self.has_columns() {
            let hint = "--keep goes with --format csv, tsv and jsonl; the others have no columns";
            return Err(Failure::Usage(hint.into()));
        }
        Ok(())
    }

    /// Rows of this format, with these columns or those that are `usual`, and behind them those of
    /// the input that are `kept`; several inputs are named in them.
    pub fn rows(
        self,
        columns: Option<&[Column]>,
        usual: &[Column],
        several_inputs: bool,
        kept: &[String],
    ) -> Result<Box<dyn RowFormat + Send>, Failure> {
        if columns.is_some() && !self.has_columns() {
            let hint = "--columns goes with --format csv, tsv and jsonl; the others have none";
            return Err(Failure::Usage(hint.into()));
        }
        let columns: Vec<_> = columns.map_or_else(
            || several_inputs.then_some(Column::File).iter().chain(usual).copied().collect(),
            <[_]>::to_vec,
        );
        if self == Self::Jsonl
            && let Some(twice) = twice(&columns)
        {
            let hint = format!("--columns names {twice} twice; a JSON object has it once");
            return Err(Failure::Usage(hint));
        }
        Ok(match self {
            Self::Csv => Box::new(CsvRows::new(columns).keeping(kept)),
            Self::Tsv => Box::new(TsvRows::new(columns).keeping(kept)),
            Self::Jsonl => Box::new(JsonRows::new(&columns).keeping(kept)),
            Self::Lines => Box::new(SolutionLines),
            Self::Grid => Box::new(LabelledGrids { with_file: several_inputs }),
            Self::Boj2580 => Box::new(JudgeGrids::Spaced),
            Self::Boj2239 => Box::new(JudgeGrids::Plain),
        })
    }
}

/// What `--columns` says for these.
pub fn columns_setting(columns: &[Column]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
    names.join(",")
}

fn twice(columns: &[Column]) -> Option<Column> {
    let again = |i: &usize| columns[..*i].contains(&columns[*i]);
    (0..columns.len()).find(again).map(|i| columns[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ask_for_formats() {
        for (name, format) in [
            ("a.csv", Some(Format::Csv)),
            ("a.tsv.gz", Some(Format::Tsv)),
            ("x/a.b.jsonl.zst", Some(Format::Jsonl)),
            ("a.ndjson", Some(Format::Jsonl)),
            ("a.lines", Some(Format::Lines)),
            ("a.grid.gz", Some(Format::Grid)),
            ("a.txt", None),
            ("a.gz", None),
            ("a.gz.gz", None),
            ("csv", None),
            ("/dev/null", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), format, "{name}");
        }
    }
}
