//! HTML reports of runs and measurements: a single file without scripts.

mod bench;
mod charts;
mod run;

use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};

use indicatif::HumanCount;

pub use bench::of_bench;
pub use run::of_run;

use super::version;

const STYLE: &str = include_str!("style.css");

/// A row of the last table: a name and a text.
pub type Fact = (&'static str, String);

#[derive(Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// Creates a page with a heading and the command line.
    fn new(title: &str) -> Self {
        let mut page = Self { title: title.into(), body: String::new() };
        page.add(format_args!("<h1>{}</h1>", Escaped(title)));
        let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
        let words: Vec<_> = ["bulkdoku".to_owned()].into_iter().chain(words).collect();
        let words = words.join(" ");
        page.add(format_args!("<p><code>{}</code></p>", Escaped(&words)));
        page
    }

    /// Adds large figures with their names.
    fn figures(&mut self, figures: &[(&str, String)]) {
        self.add("<div class=\"figures\">");
        for (name, figure) in figures {
            self.add(format_args!(
                "<div><b>{}</b><span>{}</span></div>",
                Escaped(figure),
                Escaped(name)
            ));
        }
        self.add("</div>");
    }

    fn heading(&mut self, text: &str) {
        self.add(format_args!("<h2>{}</h2>", Escaped(text)));
    }

    fn note(&mut self, text: &str) {
        self.add(format_args!("<p class=\"note\">{}</p>", Escaped(text)));
    }

    /// Adds a table of counts by name, with bars.
    fn counts(&mut self, name: &str, counted: &str, counts: &[(String, u64)]) {
        let all = counts.iter().map(|(_, count)| count).sum::<u64>().max(1) as f64;
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1) as f64;
        let row = |(of, count): &(String, u64)| {
            let (share, percent) = (*count as f64 / most, 100.0 * *count as f64 / all);
            let (count, percent) = (HumanCount(*count).to_string(), format!("{percent:.2}%"));
            let values = format!("{name} {of}: {count}, {percent}");
            let bar = Cell::Bar { share, spread: None, values };
            vec![Cell::Text(of.clone()), Cell::Number(count), Cell::Number(percent), bar]
        };
        let rows: Vec<_> = counts.iter().map(row).collect();
        self.table(&[name, counted, "share", ""], &rows);
    }

    /// Adds a table. All columns except the first are numbers.
    fn table(&mut self, headings: &[&str], rows: &[Vec<Cell>]) {
        self.table_with_axis(headings, &[], rows);
    }

    /// Adds a table whose bars, in the second column, have an axis with these labels at equal
    /// distances. On narrow screens, each row of many columns is a list of names and values.
    fn table_with_axis(&mut self, headings: &[&str], axis: &[String], rows: &[Vec<Cell>]) {
        let steps = axis.len().max(2) - 1;
        let has_names = headings.len() >= 5;
        self.add(match headings.len() {
            0..5 => "<table><tr>".to_owned(),
            5..8 => "<table class=\"cards\"><tr>".into(),
            _ => format!("<table class=\"cards wide\" style=\"--steps:{steps}\"><tr>"),
        });
        for (i, heading) in headings.iter().enumerate() {
            if i == 1 && !axis.is_empty() {
                self.add("<th class=\"axis\"><div>");
                for (step, label) in axis.iter().enumerate() {
                    let left = 100.0 * step as f64 / steps as f64;
                    self.add(format_args!("<span style=\"left:{left:.2}%\">{label}</span>"));
                }
                self.add("</div></th>");
                continue;
            }
            let class = if i == 0 { "" } else { " class=\"n\"" };
            self.add(format_args!("<th{class}>{}</th>", Escaped(heading)));
        }
        self.add("</tr>");
        for row in rows {
            self.add("<tr>");
            for (i, cell) in row.iter().enumerate() {
                self.add(cell.named(headings.get(i).copied().filter(|_| has_names)));
            }
            self.add("</tr>");
        }
        self.add("</table>");
    }

    /// Adds the details of the run and the machine, at the end of the page.
    fn origin(&mut self, facts: &[Fact]) {
        let machine = version::machine();
        let cpu = machine.cpu.unwrap_or_else(|| "unnamed processor".into());
        let machine = format!("{cpu}, {} cores, {}", machine.cores, machine.simd.join(" "));
        let own = [("Program", format!("bulkdoku {}", version::VERSION)), ("Machine", machine)];
        self.heading("How");
        let facts = facts.iter().cloned().chain(own).filter(|(_, fact)| !fact.is_empty());
        let rows: Vec<_> =
            facts.map(|(name, fact)| vec![Cell::Text(name.into()), Cell::Text(fact)]).collect();
        self.table(&[], &rows);
    }

    fn add(&mut self, html: impl Display) {
        writeln!(self.body, "{html}").expect("a string takes every write");
    }

    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let Self { title, body } = self;
        let title = Escaped(title);
        let text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
        );
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}

#[derive(Debug)]
enum Cell {
    Text(String),
    Number(String),
    /// A bar of this share of the width, 0 to 1, with an error line, and the text of its tooltip.
    Bar {
        share: f64,
        spread: Option<[f64; 2]>,
        values: String,
    },
}

impl Cell {
    /// Returns the cell, with its heading if it may be shown next to it.
    fn named(&self, heading: Option<&str>) -> String {
        let name =
            heading.map_or(String::new(), |name| format!(" data-name=\"{}\"", Escaped(name)));
        match self {
            Self::Text(text) => format!("<td{name}>{}</td>", Escaped(text)),
            // A list of numbers may be broken between them.
            Self::Number(text) => {
                let text = Escaped(text).to_string().replace(", ", ", <wbr>");
                format!("<td class=\"n\"{name}>{text}</td>")
            }
            Self::Bar { share, spread, values } => {
                let (values, width) = (Escaped(values), 100.0 * share);
                let spread = spread.map_or(String::new(), |ends| {
                    let [from, to] = ends.map(|end| 100.0 * end);
                    format!("<b style=\"left:{from:.2}%;width:{:.2}%\"></b>", to - from)
                });
                format!(
                    "<td class=\"bar\" title=\"{values}\"><i style=\"width:{width:.2}%\"></i>{spread}</td>"
                )
            }
        }
    }
}

struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // Invalid in HTML, and invisible.
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_texts_are_escaped() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("--report=x.html"), "--report=x.html");
        assert_eq!(Escaped("<a & \"b\">\u{7}").to_string(), "&lt;a &amp; &quot;b&quot;&gt; ");
    }
}
