//! Pages to print: puzzles on pages of one size, and their solutions at the end.
//!
//! Pages fit on A4 and Letter: each is a drawing in a document of HTML, and the browser starts a new
//! sheet for each. The solutions are in memory until the end, 81 bytes each, because they come last.

use std::fmt::Write;
use std::io;
use std::str::FromStr;

use super::{Assembler, Emit, Encoder, Format, FormatError, Needs, Row, each_row};
use crate::pipeline::visible;
use bulkdoku_core::named::named_enum;
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Grid, Status};
use bulkdoku_logic::{Path, SeRating, Technique};

/// The width and height of a page in millimeters, within the margins of both sizes of paper.
const PAGE: [u64; 2] = [190, 250];
/// The columns and rows of the solutions of a page.
const SOLUTIONS: (usize, usize) = (3, 4);

named_enum! {
    /// What is written above each puzzle.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Heading {
        /// Nothing.
        #[default]
        None = "none",
        /// The name of the input, and the line.
        Input = "input",
        /// The hardest technique.
        Technique = "technique",
    }

    /// There is no heading with this name.
    UnknownHeading = "unknown heading {0:?}; expected {names}"
}

named_enum! {
    /// What follows the number of each puzzle.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Caption {
        /// Nothing.
        #[default]
        Number = "number",
        /// The rating of Sudoku Explainer.
        Rating = "rating",
        /// The difficulty.
        Difficulty = "difficulty",
        /// The hardest technique.
        Technique = "technique",
        /// The number of clues.
        Clues = "clues",
    }

    /// There is no caption with this name.
    UnknownCaption = "unknown caption {0:?}; expected {names}"
}

/// The format of a document of pages, and their looks. It is parsed from a list such as
/// `title=Sunday,caption=rating,per-page=4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedPages {
    /// The title, above the puzzles of each page.
    pub title: String,
    /// What is written above each puzzle.
    pub heading: Heading,
    /// What follows the number of each puzzle.
    pub caption: Caption,
    /// The columns and rows of the puzzles of a page.
    sheet: (usize, usize),
}

impl Default for PrintedPages {
    fn default() -> Self {
        let (heading, caption) = (Heading::default(), Caption::default());
        Self { title: String::new(), heading, caption, sheet: (2, 3) }
    }
}

impl FromStr for PrintedPages {
    type Err = FormatError;

    fn from_str(list: &str) -> Result<Self, FormatError> {
        let mut pages = Self::default();
        let invalid = |error: &dyn std::fmt::Display| FormatError(error.to_string());
        let mut key = "";
        for item in list.split(',') {
            // A comma without a key after it belongs to the title.
            let Some((next, value)) = item.split_once('=') else {
                if key != "title" {
                    return Err(FormatError(format!("{item:?}: expected KEY=VALUE")));
                }
                pages.title.extend([",", item]);
                continue;
            };
            key = next;
            match key {
                "title" => pages.title = value.into(),
                "heading" => pages.heading = value.parse().map_err(|error| invalid(&error))?,
                "caption" => pages.caption = value.parse().map_err(|error| invalid(&error))?,
                "per-page" => {
                    let sheets = [("6", (2, 3)), ("4", (2, 2)), ("1", (1, 1))];
                    let sheet = sheets.into_iter().find(|(name, _)| *name == value);
                    let error = || FormatError(format!("per-page={value}: expected 6, 4, or 1"));
                    pages.sheet = sheet.ok_or_else(error)?.1;
                }
                _ => {
                    let keys = "title, heading, caption, or per-page";
                    return Err(FormatError(format!("unknown key {key:?}; expected {keys}")));
                }
            }
        }
        Ok(pages)
    }
}

/// The lines of a grid, 9 units wide, and the style of all pages.
const DEFINITIONS: &str = "<defs>\
    <style>text{font-family:Helvetica,Arial,sans-serif;text-anchor:middle}</style>\
    <g id=\"grid\" fill=\"none\" stroke=\"#000\" stroke-linecap=\"square\">\
    <path stroke-width=\".015\" d=\"M1 0v9M2 0v9M4 0v9M5 0v9M7 0v9M8 0v9M0 1h9M0 2h9M0 4h9M0 5h9M0 7h9M0 8h9\"/>\
    <path stroke-width=\".09\" d=\"M0 0v9M3 0v9M6 0v9M9 0v9M0 0h9M0 3h9M0 6h9M0 9h9\"/>\
    </g></defs>\n";

/// A4 has margins of 10 mm at the sides and 23.5 mm above and below, Letter of 13 and 14.5 mm.
const STYLE: &str = "<style>\n\
    @page { margin: 10mm; }\n\
    body { margin: 0; }\n\
    svg.page { display: block; margin: 0 auto; break-inside: avoid; }\n\
    svg.page + svg.page { break-before: page; }\n\
    @media screen { svg.page { max-width: 100%; height: auto; margin-block: 1rem; } }\n\
    </style>\n</head>\n<body>\n<svg width=\"0\" height=\"0\" style=\"position:absolute\">";

pub(super) fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;")
}

/// Returns what a puzzle has instead of one solution.
fn lack(status: Status) -> Option<&'static str> {
    match status {
        Status::Multiple => Some("several solutions"),
        Status::Unsolvable | Status::Contradictory => Some("no solution"),
        Status::GaveUp => Some("not solved"),
        _ => None,
    }
}

/// Returns the difficulty, the hardest technique, and the ratings of a puzzle, or what it has instead
/// of one solution, and its number of clues.
pub fn facts(
    clues: usize,
    status: Status,
    path: Option<&Path>,
    rating: Option<SeRating>,
) -> String {
    let mut facts: Vec<_> = lack(status).into_iter().map(String::from).collect();
    if let Some((path, hardest)) = path.and_then(|path| path.hardest.map(|it| (path, it))) {
        let (difficulty, title) = (hardest.difficulty(), hardest.title());
        facts.push(format!("{difficulty}: {title}"));
        facts.push(format!("score {}", path.score));
    }
    facts.extend(rating.filter(|rating| rating.er > 0).map(sudoku_explainer));
    facts.push(format!("{clues} clues"));
    facts.join(" · ")
}

fn sudoku_explainer(SeRating { er, .. }: SeRating) -> String {
    format!("SE {}.{}", er / 10, er % 10)
}

impl PrintedPages {
    /// Returns what is written above a puzzle, and after its number.
    fn texts(&self, row: &Row<'_>) -> [String; 2] {
        let properties = row.properties();
        let hardest = properties.path.as_deref().and_then(|path| path.hardest);
        let heading = match self.heading {
            Heading::None => None,
            Heading::Input => Some(escaped(&format!("{}:{}", row.file(), row.line()))),
            Heading::Technique => hardest.map(|it| it.title().into()),
        };
        let caption = match self.caption {
            Caption::Number => None,
            Caption::Rating => properties.se_rating.map(sudoku_explainer),
            Caption::Difficulty => hardest.map(|it| it.difficulty().to_string()),
            Caption::Technique => hardest.map(Technique::title).map(String::from),
            Caption::Clues => row.clues().map(|clues| format!("{clues} clues")),
        };
        let caption: Vec<_> =
            [lack(row.status()).map(String::from), caption].into_iter().flatten().collect();
        [heading.unwrap_or_default(), caption.join(" · ")]
    }
}

impl Format for PrintedPages {
    fn needs(&self) -> Needs {
        let path = self.heading == Heading::Technique
            || matches!(self.caption, Caption::Technique | Caption::Difficulty);
        let needs = if path { Needs::PATH } else { Needs::NONE };
        if self.caption == Caption::Rating { needs.union(Needs::SE) } else { needs }
    }

    fn header(&self) -> Vec<u8> {
        let title = if self.title.is_empty() { "Sudoku" } else { &self.title };
        let title = escaped(title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n{STYLE}{DEFINITIONS}</svg>\n"
        )
        .into_bytes()
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        each_row(|row, out| {
            let Some(puzzle) = row.puzzle() else { return };
            let solution = row.solution().filter(|_| row.status() == Status::Unique);
            out.append(puzzle.cells());
            out.append(solution.map_or(&[0; CELLS], Grid::cells).as_slice());
            for text in self.texts(row) {
                out.append(&(text.len() as u32).to_le_bytes());
                out.append(text.as_bytes());
            }
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(Pages { looks: self.clone(), ..Pages::default() })))
    }
}

/// Arranges puzzles on pages, and collects their solutions.
#[derive(Default)]
struct Pages {
    looks: PrintedPages,
    count: u64,
    puzzles: u64,
    /// The drawing of the unfinished page, and the number of its grids.
    page: (String, usize),
    /// The solutions, all 0 for puzzles without one.
    solutions: Vec<[u8; CELLS]>,
}

impl Pages {
    /// Adds a grid to the page, as large as it fits, and emits the page if it is full.
    fn draw(
        &mut self,
        (columns, rows): (usize, usize),
        cells: &[u8],
        [heading, caption]: [&str; 2],
        emit: &mut Emit<'_>,
    ) -> io::Result<()> {
        let top = if self.looks.title.is_empty() { 0.0 } else { 10.0 };
        let (page, grids) = &mut self.page;
        let step = [PAGE[0] as f64 / columns as f64, (PAGE[1] as f64 - 6.0 - top) / rows as f64];
        let above = if self.looks.heading == Heading::None { 6.0 } else { 11.0 };
        let width = (step[0] - 4.0).min(step[1] - above - 3.0);
        let x = step[0] * (*grids % columns) as f64 + (step[0] - width) / 2.0;
        let y = step[1] * (*grids / columns) as f64 + top + above;
        let middle = width / 2.0;
        let _ = write!(page, "<g transform=\"translate({x:.2} {y:.2})\">");
        for (text, y, weight) in [(heading, -6.5, 700), (caption, -1.5, 400)] {
            if !text.is_empty() {
                let _ = write!(
                    page,
                    "<text x=\"{middle:.2}\" y=\"{y}\" font-size=\"3.5\" font-weight=\"{weight}\">{text}</text>"
                );
            }
        }
        let _ = writeln!(page, "<g transform=\"scale({:.4})\"><use href=\"#grid\"/>", width / 9.0);
        for (row, cells) in cells.chunks(9).enumerate() {
            let filled = cells.iter().enumerate().filter(|(_, digit)| **digit != 0);
            let (places, digits): (Vec<_>, String) = filled
                .map(|(column, digit)| (format!("{column}.5"), char::from(b'0' + digit)))
                .unzip();
            if !digits.is_empty() {
                let places = places.join(" ");
                let _ = write!(
                    page,
                    "<text x=\"{places}\" y=\"{row}.75\" font-size=\".7\">{digits}</text>"
                );
            }
        }
        page.push_str("</g></g>\n");
        *grids += 1;
        if *grids == columns * rows { self.end_page(emit) } else { Ok(()) }
    }

    /// Emits the page, if it has any grid.
    fn end_page(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        let (page, grids) = std::mem::take(&mut self.page);
        if grids == 0 {
            return Ok(());
        }
        let [width, height] = PAGE;
        self.count += 1;
        let title = escaped(&self.looks.title);
        let title = match &*title {
            "" => String::new(),
            title => format!(
                "<text x=\"{}\" y=\"6\" font-size=\"6\" font-weight=\"700\">{title}</text>\n",
                width / 2
            ),
        };
        let drawing = format!(
            "<svg class=\"page\" width=\"{width}mm\" height=\"{height}mm\" \
             viewBox=\"0 0 {width} {height}\">\n{title}{page}<text x=\"{}\" y=\"{}\" font-size=\"3.5\">{}\
             </text></svg>\n",
            width / 2,
            height - 1,
            self.count
        );
        emit(drawing.as_bytes())
    }

    /// Draws the solutions on pages of their own.
    fn draw_solutions(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        for (number, solution) in (1..).zip(std::mem::take(&mut self.solutions)) {
            if solution[0] != 0 {
                self.draw(SOLUTIONS, &solution, ["", &format!("Solution {number}")], emit)?;
            }
        }
        self.end_page(emit)
    }
}

impl Assembler for Pages {
    fn add(&mut self, mut encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        let text = |encoded: &mut &[u8]| {
            let (length, rest) = encoded.split_first_chunk::<4>().expect("it is a whole record");
            let (text, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
            *encoded = rest;
            String::from_utf8_lossy(text).into_owned()
        };
        while let Some((cells, rest)) = encoded.split_first_chunk::<{ 2 * CELLS }>() {
            encoded = rest;
            let [heading, caption] = [text(&mut encoded), text(&mut encoded)];
            self.puzzles += 1;
            let dot = if caption.is_empty() { "" } else { " · " };
            let caption = format!("{}{dot}{caption}", self.puzzles);
            self.draw(self.looks.sheet, &cells[..CELLS], [&heading, &caption], emit)?;
            self.solutions.extend(cells[CELLS..].first_chunk::<CELLS>());
        }
        Ok(())
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<Option<Vec<u8>>> {
        self.end_page(emit)?;
        self.draw_solutions(emit)?;
        emit(b"</body>\n</html>\n").map(|()| None)
    }
}
