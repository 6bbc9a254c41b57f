//! The output formats, and those implied by an output's name.

use std::path::Path;

use bulkdoku::Compression;
use bulkdoku::features::missing;
use clap::ValueEnum;

use super::row_args::RowRules;
use super::{Failure, extensions, out};

/// The formats by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Columns with commas between them, and a header
    Csv,
    /// Columns with tabs between them, and a header
    Tsv,
    /// A JSON object per line
    #[value(alias = "ndjson")]
    Jsonl,
    /// Just the solution, an empty line where there is none
    // Other programs name a file of lines .sdm or .txt.
    #[value(aliases = ["sdm", "txt"])]
    Lines,
    /// An array for numpy.load, uint8 of shape (n, 81): the solutions, or the column that is chosen
    Npy,
    /// A Parquet file: columns as csv has them, in groups of rows
    Parquet,
    /// Nine lines per solution under a label, for people
    Grid,
    /// Pages to print: puzzles and the solutions at the end, or the steps of trace
    Html,
    /// A solving path in words, with the board after each step
    Text,
    /// The boards of a solving path, a line of 81 characters each
    Boards,
    /// BOJ 2580: nine lines per solution, spaces between the digits, and nothing else
    Boj2580,
    /// BOJ 2239: nine lines per solution, and nothing else
    Boj2239,
}

impl RowFormat {
    #[rustfmt::skip]
    const EXTENSIONS: &[&str] = &[
        "csv", "tsv", "jsonl", "ndjson", "lines", "sdm", "npy", "parquet", "grid", "html",
    ];

    /// Returns the format of a subcommand's rows: as requested, by the output's name, or the
    /// default; and whether it is the default. Rejects formats that the subcommand does not write.
    pub fn choose(
        requested: Option<Self>,
        output: Option<&Path>,
        rules: &RowRules,
    ) -> Result<(Self, bool), Failure> {
        output.map_or(Ok(()), extensions::check)?;
        let implied = match output {
            Some(path) if requested.is_none() => Self::of_name(path, rules)?,
            _ => None,
        };
        // Any text can have the name of lines.
        let implied = implied.filter(|it| *it != Self::Lines || (rules.is_written)(*it));
        let chosen = requested.or(implied);
        let format = chosen.unwrap_or(rules.default_format);
        if !(rules.is_written)(format) {
            let all = Self::value_variants().iter().copied();
            let written: Vec<_> =
                all.filter(|it| (rules.is_written)(*it)).map(Self::name).collect();
            let (subcommand, written) = (rules.name, written.join(", "));
            refuse!("{subcommand} writes {written}, but not {}", format.name());
        }
        format.check_output(output)?;
        Ok((format, chosen.is_none()))
    }

    fn check_output(self, output: Option<&Path>) -> Result<(), Failure> {
        let is_plain_file =
            output.is_some_and(out::is_regular) && output.and_then(Compression::of_name).is_none();
        if self == Self::Npy && !is_plain_file {
            refuse!(
                "npy goes to a file that is not compressed, with -o: its header has the number of \
                 rows"
            );
        }
        if output.and_then(Compression::of_name).is_some() {
            if self.is_parquet() {
                refuse!("parquet is compressed internally; omit the .gz or .zst of the output");
            }
            if self == Self::Html {
                refuse!("html is not compressed; gzip FILE does it");
            }
        }
        Ok(())
    }

    /// Returns the format implied by a file's name, before a `.gz` or `.zst`.
    fn of_name(path: &Path, rules: &RowRules) -> Result<Option<Self>, Failure> {
        let Some(extension) = extensions::of(path) else {
            return Ok(extensions::is_txt(path).then_some(Self::Lines));
        };
        if !Self::EXTENSIONS.contains(&&*extension) {
            let hint = format!("{}; --format decides for any name", extensions::COMPRESSED);
            let is_written =
                |name: &&str| Self::from_str(name, true).is_ok_and(|it| (rules.is_written)(it));
            let written = Self::EXTENSIONS.iter().copied();
            let written = written.filter(|name| is_written(name) && missing(name).is_none());
            let written: Vec<_> = written.collect();
            return Err(extensions::refused(path, &extension, "rows", &written, &hint));
        }
        Ok(Self::from_str(&extension, true).ok())
    }

    /// Returns whether rows are solving paths, in a format that only trace writes.
    pub fn is_path(self) -> bool {
        matches!(self, Self::Boards | Self::Text)
    }

    /// Returns whether the format is for an online judge, which accepts only solutions.
    pub fn is_judges(self) -> bool {
        matches!(self, Self::Boj2580 | Self::Boj2239)
    }

    pub fn has_columns(self) -> bool {
        self.is_parquet() || matches!(self, Self::Csv | Self::Tsv | Self::Jsonl)
    }

    pub fn is_parquet(self) -> bool {
        self == Self::Parquet
    }

    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}
