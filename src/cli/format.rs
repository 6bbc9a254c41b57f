//! How rows are written: what `--format`, `--columns` and the output's name say.

use std::path::Path;

use bulkdoku::Compression;
use bulkdoku::input::InputOptions;
#[cfg(feature = "parquet")]
use bulkdoku::output::ParquetRows;
use bulkdoku::output::{
    Column, CsvRows, JsonRows, JudgeGrids, LabelledGrids, NpyRows, PuzzleLines, RowFormat,
    SolutionLines, TsvRows,
};
use clap::ValueEnum;

use super::out::Target;
use super::{Failure, endings};

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
    /// An array for numpy.load, uint8 of shape (n, 81): the solutions, or the column that is chosen
    Npy,
    /// A Parquet file: columns as csv has them, in groups of rows
    #[cfg(feature = "parquet")]
    Parquet,
    /// Nine lines a solution under a label, to look at
    Grid,
    /// BOJ 2580: nine lines a solution, spaces between the digits, and nothing else
    Boj2580,
    /// BOJ 2239: nine lines a solution, and nothing else
    Boj2239,
}

impl Format {
    /// The endings of names that ask for a format.
    const ENDINGS: &[&str] = &[
        "csv",
        "tsv",
        "jsonl",
        "ndjson",
        "lines",
        "npy",
        #[cfg(feature = "parquet")]
        "parquet",
        "grid",
    ];

    /// The one that was asked for, or that the output's name asks for, or the usual one. A name
    /// that asks for another format is refused, unless one was asked for.
    pub fn chosen(asked: Option<Self>, output: Option<&Path>) -> Result<Self, Failure> {
        let format = match (asked, output) {
            (Some(asked), _) => asked,
            (None, Some(path)) => Self::of_name(path)?.unwrap_or_default(),
            (None, None) => Self::default(),
        };
        format.check_output(output)?;
        Ok(format)
    }

    /// Refuses outputs that cannot have it.
    pub fn check_output(self, output: Option<&Path>) -> Result<(), Failure> {
        let target = output.map(Target::of);
        let is_plain_file = target.and_then(Target::regular).is_some()
            && output.and_then(Compression::of_name).is_none();
        if self == Self::Npy && !is_plain_file {
            let hint = "npy goes to a file that is not compressed, with -o: its header has the number of rows";
            return Err(Failure::Usage(hint.into()));
        }
        if self.is_parquet() && output.and_then(Compression::of_name).is_some() {
            let hint = "parquet is compressed within; leave out the .gz or .zst of the output";
            return Err(Failure::Usage(hint.into()));
        }
        Ok(())
    }

    /// Refuses to resume what cannot be: such a run has to start over.
    pub fn check_resume(self, resume: bool) -> Result<(), Failure> {
        if resume && self.is_parquet() {
            let hint = "a parquet file has its directory at the end, so that a run which was ended cannot be \
                        resumed; --force starts over";
            return Err(Failure::Usage(hint.into()));
        }
        Ok(())
    }

    /// The one that a file's name asks for; a `.gz` or `.zst` behind it is looked through.
    pub fn of_name(path: &Path) -> Result<Option<Self>, Failure> {
        let Some(ending) = endings::of(path) else { return Ok(None) };
        match ending.as_str() {
            "csv" => Ok(Some(Self::Csv)),
            "tsv" => Ok(Some(Self::Tsv)),
            "jsonl" | "ndjson" => Ok(Some(Self::Jsonl)),
            "lines" => Ok(Some(Self::Lines)),
            "npy" => Ok(Some(Self::Npy)),
            #[cfg(feature = "parquet")]
            "parquet" => Ok(Some(Self::Parquet)),
            "grid" => Ok(Some(Self::Grid)),
            other => {
                let hint = format!("{}; --format decides for any name", endings::COMPRESSED);
                Err(endings::refused(path, other, "rows", Self::ENDINGS, &hint))
            }
        }
    }

    /// Whether it is that of a judge: any solution will do, and nothing else is to be said.
    pub fn is_judges(self) -> bool {
        matches!(self, Self::Boj2580 | Self::Boj2239)
    }

    /// Whether its rows have columns.
    pub fn has_columns(self) -> bool {
        self.is_parquet() || matches!(self, Self::Csv | Self::Tsv | Self::Jsonl)
    }

    /// Whether its rows become columns of a file with a directory at its end.
    #[cfg_attr(not(feature = "parquet"), allow(clippy::unused_self))]
    pub fn is_parquet(self) -> bool {
        #[cfg(feature = "parquet")]
        return self == Self::Parquet;
        #[cfg(not(feature = "parquet"))]
        false
    }

    /// One that shows puzzles: columns, or lines of nothing else.
    pub fn of_puzzles(asked: Option<Self>, output: Option<&Path>) -> Result<Self, Failure> {
        let format = Self::chosen(asked, output)?;
        if !format.has_columns() && !matches!(format, Self::Lines | Self::Npy) {
            let hint = "shows solutions; puzzles are written as csv, tsv, jsonl, lines or npy";
            return Err(Failure::Usage(format!("the format {} {hint}", format.setting())));
        }
        Ok(format)
    }

    /// The same rows as [`Format::rows`], but lines hold puzzles.
    pub fn rows_of_puzzles(
        self,
        columns: Option<&[Column]>,
        usual: &[Column],
        kept: &[String],
    ) -> Result<Box<dyn RowFormat + Send>, Failure> {
        let usual = if self == Self::Npy { &[Column::Puzzle] } else { usual };
        let rows = self.rows(columns, usual, false, kept)?;
        Ok(if self == Self::Lines { Box::new(PuzzleLines) } else { rows })
    }

    /// What `--format` says for it.
    pub fn setting(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Refuses to carry columns of the input into rows that have none.
    pub fn check_kept(self, expected: &InputOptions) -> Result<(), Failure> {
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
        if self == Self::Npy {
            return npy(columns, usual);
        }
        if columns.is_some() && !self.has_columns() {
            let hint = "--columns goes with --format csv, tsv and jsonl; the others have none";
            return Err(Failure::Usage(hint.into()));
        }
        let columns: Vec<_> = columns.map_or_else(
            || several_inputs.then_some(Column::File).iter().chain(usual).copied().collect(),
            <[_]>::to_vec,
        );
        if self == Self::Jsonl || self.is_parquet() {
            let own = names(&columns);
            let kept = bulkdoku::output::names_of_kept(&columns, kept);
            for (option, names) in [("--columns", own), ("--keep", kept)] {
                if let Some(twice) = twice(&names) {
                    let once = match self {
                        Self::Jsonl => "a JSON object has a key once",
                        _ => "a Parquet file has a column once",
                    };
                    return Err(Failure::Usage(format!("{option} has {twice} twice; {once}")));
                }
            }
        }
        Ok(match self {
            Self::Csv => Box::new(CsvRows::new(columns).keeping(kept)),
            Self::Tsv => Box::new(TsvRows::new(columns).keeping(kept)),
            Self::Jsonl => Box::new(JsonRows::new(&columns).keeping(kept)),
            #[cfg(feature = "parquet")]
            Self::Parquet => Box::new(ParquetRows::new(&columns, kept)),
            Self::Lines | Self::Npy => Box::new(SolutionLines),
            Self::Grid => Box::new(LabelledGrids { with_file: several_inputs }),
            Self::Boj2580 => Box::new(JudgeGrids::Spaced),
            Self::Boj2239 => Box::new(JudgeGrids::Plain),
        })
    }
}

/// The array of the column that was chosen, or of the usual one.
fn npy(columns: Option<&[Column]>, usual: &[Column]) -> Result<Box<dyn RowFormat + Send>, Failure> {
    let rows = match columns {
        Some([column]) => NpyRows::of(*column),
        Some(_) => None,
        None => [Column::Solution, Column::Canonical, Column::Puzzle]
            .into_iter()
            .find(|column| usual.contains(column))
            .and_then(NpyRows::of),
    };
    let hint = "--columns of npy is one of puzzle, solution and canonical: an array has no others";
    let rows = rows.ok_or_else(|| Failure::Usage(hint.into()))?;
    Ok(Box::new(rows))
}

/// What `--columns` says for these.
pub fn columns_setting(columns: &[Column]) -> String {
    names(columns).join(",")
}

fn names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| column.name().to_owned()).collect()
}

/// The first name that is there once more.
fn twice(names: &[String]) -> Option<&str> {
    let again = |i: &usize| names[..*i].contains(&names[*i]);
    (0..names.len()).find(again).map(|i| names[i].as_str())
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
            ("a.npy", Some(Format::Npy)),
            ("a.grid.gz", Some(Format::Grid)),
            ("a.txt", None),
            ("a.gz", None),
            ("csv", None),
            ("/dev/null", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)).unwrap(), format, "{name}");
        }
        for ending in Format::ENDINGS {
            assert!(Format::of_name(Path::new(&format!("a.{ending}"))).unwrap().is_some());
        }
        for name in ["a.orc", "a.csv.xz", "a.json", "a.gz.gz"] {
            let refused = Format::of_name(Path::new(name)).unwrap_err().to_string();
            assert!(refused.contains(".jsonl") && refused.contains(".zst"), "{refused}");
        }
    }
}
