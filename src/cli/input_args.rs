//! The options for inputs.

use bulkdoku::condition::computed_column;
use bulkdoku::input::csv::Delimiter;
use bulkdoku::input::{Answers, DetectError, InputFormat, InputOptions};
use bulkdoku::output::Column;

use super::row_args::{column_hint, owner};
use super::{Failure, help, numbers};

/// The options for reading inputs.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Format of the inputs
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "auto",
        value_parser = help::one_of(FORMATS)
    )]
    input_format: InputFormat,

    /// Column of the puzzles: a name, or a number from 1
    ///
    /// In a table, or in JSON lines, where it is a key. If not given, it is found by its name or
    /// its contents, and reported.
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,

    /// Field separator: a character, tab, space, or a byte such as \x01
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    delimiter: Option<Delimiter>,

    /// The first row of a table names no columns
    #[arg(long)]
    no_header: bool,

    /// Longest line or row
    ///
    /// Including columns that are not read. A longer one is malformed. Rows of more than 112 KiB are
    /// in memory one at a time.
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = parse_max_line)]
    pub max_line: usize,
}

#[rustfmt::skip]
const FORMATS: &[(&str, InputFormat, &str)] = &[
    ("auto", InputFormat::Auto, "Detected for each input, and reported unless it is lines"),
    ("lines", InputFormat::Lines, "One puzzle per line"),
    ("csv", InputFormat::Csv, "A table: fields between commas, semicolons, tabs, bars or blanks"),
    ("tsv", InputFormat::Tsv, "A table with tabs between the fields"),
    ("jsonl", InputFormat::Jsonl,
        "A JSON value per line, or one array of them: objects with a key for the puzzle, strings or arrays"),
    ("ndjson", InputFormat::Jsonl, "Another name of jsonl"),
    ("grid", InputFormat::Grid, "Nine lines per puzzle, with or without spaces, borders and labels"),
    ("boj2580", InputFormat::Grid, "BOJ 2580: nine lines of nine numbers, read as grid is"),
    ("boj2239", InputFormat::Grid, "BOJ 2239: nine lines of nine digits, read as grid is"),
];

impl InputArgs {
    pub fn options(&self, answers: Answers) -> Result<InputOptions, Failure> {
        let is_table =
            matches!(self.input_format, InputFormat::Auto | InputFormat::Csv | InputFormat::Tsv);
        let has_columns = is_table || self.input_format == InputFormat::Jsonl;
        let flags = [
            ("--column", self.column.is_some(), has_columns),
            ("--delimiter", self.delimiter.is_some(), is_table),
            ("--no-header", self.no_header, is_table),
            ("--solution-column", matches!(answers, Answers::Column(_)), has_columns),
        ];
        if let Some((flag, ..)) = flags.iter().find(|(_, is_given, goes)| *is_given && !goes) {
            refuse!("{flag} needs a table; --input-format csv, tsv or auto reads one");
        }
        if self.input_format == InputFormat::Tsv
            && self.delimiter.is_some_and(|delimiter| delimiter != Delimiter::Byte(b'\t'))
        {
            refuse!("--delimiter is not the tab of --input-format tsv; csv takes any");
        }
        Ok(InputOptions {
            format: self.input_format,
            column: self.column.clone(),
            delimiter: self.delimiter,
            no_header: self.no_header,
            keep: None,
            also_read: Vec::new(),
            computed: Vec::new(),
            needs_puzzles: false,
            answers,
            max_record: self.max_line,
        })
    }
}

fn parse_max_line(text: &str) -> Result<usize, String> {
    let bytes = numbers::size(text)?;
    match usize::try_from(bytes) {
        Ok(bytes) if bytes <= MAX_MAX_LINE => Ok(bytes),
        _ => Err("at most 1G".into()),
    }
}

/// The largest `--max-line`: offsets in a block have 32 bits.
const MAX_MAX_LINE: usize = 1 << 30;

fn parse_delimiter(text: &str) -> Result<Delimiter, String> {
    let delimiter = match text {
        "tab" | "\\t" => Some(Delimiter::Byte(b'\t')),
        "space" | " " => Some(Delimiter::Blanks),
        _ => match text.as_bytes() {
            [byte] => Delimiter::new(*byte),
            [b'\\', b'x', digits @ ..] if digits.len() == 2 => {
                let byte = u8::from_str_radix(&text[2..], 16).ok();
                byte.and_then(Delimiter::new)
            }
            _ => None,
        },
    };
    delimiter.ok_or_else(|| {
        "expected tab, space, or a character other than a cell of a puzzle, a quote, or #".into()
    })
}

/// Returns the error for an input that cannot be detected, with a hint about the option that selects
/// its column, if there is one, and about the columns that the subcommand computes.
pub fn refused(
    name: &str,
    error: &DetectError,
    option: Option<&str>,
    (options, computed): (&InputOptions, &[Column]),
) -> Failure {
    let hint = match (error, option) {
        (DetectError::NoColumn { name, columns }, _) => {
            let of_input = match &options.answers {
                Answers::Column(answers) => [Some(answers), options.column.as_ref()],
                _ => [None, options.column.as_ref()],
            };
            let computed = if of_input.contains(&Some(name)) { &[] } else { computed };
            &column_hint(name, columns, computed)
        }
        (DetectError::Ambiguous(column), _) if computed_column(column, computed).is_none() => {
            let owner = column.parse().map_or("", owner);
            return Failure::Usage(format!(
                "{name}: the input has a column {column:?}, and bulkdoku {owner} computes one: \
                 input_{column} is that of the input"
            ));
        }
        (DetectError::NoPuzzles(_), Some(option)) => {
            &format!("; {option} NAME or NUMBER overrides this")
        }
        (DetectError::Several { .. }, Some(option)) => {
            &format!("; {option} NAME or NUMBER selects one")
        }
        (DetectError::NoPuzzles(_) | DetectError::Several { .. }, None) => {
            "; name a file with one column of puzzles"
        }
        (DetectError::BareLines, _) => "; --solutions FILE reads them from a file",
        (DetectError::SeveralSolutions(_), _) => "; --solution-column NAME or NUMBER selects one",
        (DetectError::NoSolutions(_), _) => "; --solution-column NAME or NUMBER overrides this",
        _ => "",
    };
    let message = format!("{name}: {error}{hint}");
    match error {
        DetectError::Foreign(_) => Failure::Io(message),
        _ => Failure::Usage(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_have_names_or_are_characters() {
        assert_eq!(parse_delimiter("tab"), Ok(Delimiter::Byte(b'\t')));
        assert_eq!(parse_delimiter("\t"), Ok(Delimiter::Byte(b'\t')));
        assert_eq!(parse_delimiter(" "), Ok(Delimiter::Blanks));
        assert_eq!(parse_delimiter(":"), Ok(Delimiter::Byte(b':')));
        assert_eq!(parse_delimiter("\\x01"), Ok(Delimiter::Byte(1)));
        for bad in ["", ",,", "0", ".", "\"", "\n", "é", "\\x0a", "\\xé"] {
            assert!(parse_delimiter(bad).is_err(), "{bad:?}");
        }
    }
}
