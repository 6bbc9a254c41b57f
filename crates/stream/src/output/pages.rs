//! Pages to print: puzzles on pages of one size, and their solutions at the end.
//!
//! Pages fit on A4 and Letter: each is a drawing in a document of HTML, and the browser starts a new
//! sheet for each. The solutions are in memory until the end, 81 bytes each, because they come last.

use std::fmt::Write;
use std::io;

use memchr::memchr;

use super::{Assembler, Emit, Encoder, Format, Needs, Row, each_row};
use crate::pipeline::visible;
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Grid, Status};
use bulkdoku_logic::{Path, SeRating};

/// The width and height of a page in millimeters, within the margins of both sizes of paper.
const PAGE: [u64; 2] = [190, 250];
/// The columns and rows of the puzzles of a page, and of the solutions of a page.
const PUZZLES: (usize, usize) = (2, 3);
const SOLUTIONS: (usize, usize) = (3, 4);

/// The format of a document of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedPages {
    /// The title, above the puzzles of each page.
    pub title: String,
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

/// Returns what follows the number of a puzzle: its difficulty, or what it has instead of one
/// solution.
fn caption(row: &Row<'_>) -> Option<String> {
    let hardest = row.properties().path.as_deref().and_then(|path| path.hardest);
    let difficulty = hardest.map(|hardest| hardest.difficulty().to_string());
    lack(row.status()).map(String::from).or(difficulty)
}

impl Format for PrintedPages {
    fn needs(&self) -> Needs {
        Needs::PATH
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
            let caption = caption(row).map_or_else(String::new, |text| format!(" · {text}"));
            out.append(format!("{caption}\n").as_bytes());
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(Pages { title: escaped(&self.title), ..Pages::default() })))
    }
}

/// Arranges puzzles on pages, and collects their solutions.
#[derive(Default)]
struct Pages {
    /// The title as HTML.
    title: String,
    count: u64,
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
        caption: &str,
        emit: &mut Emit<'_>,
    ) -> io::Result<()> {
        let top = if self.title.is_empty() { 0.0 } else { 10.0 };
        let (page, grids) = &mut self.page;
        let step = [PAGE[0] as f64 / columns as f64, (PAGE[1] as f64 - 6.0 - top) / rows as f64];
        let width = (step[0] - 4.0).min(step[1] - 9.0);
        let x = step[0] * (*grids % columns) as f64 + (step[0] - width) / 2.0;
        let y = step[1] * (*grids / columns) as f64 + top + 6.0;
        let (middle, scale) = (width / 2.0, width / 9.0);
        let _ = writeln!(
            page,
            "<g transform=\"translate({x:.2} {y:.2})\">\
             <text x=\"{middle:.2}\" y=\"-1.5\" font-size=\"3.5\">{caption}</text>\
             <g transform=\"scale({scale:.4})\"><use href=\"#grid\"/>"
        );
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
        let title = match &*self.title {
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
                self.draw(SOLUTIONS, &solution, &format!("Solution {number}"), emit)?;
            }
        }
        self.end_page(emit)
    }
}

impl Assembler for Pages {
    fn add(&mut self, mut encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        while let Some((cells, rest)) = encoded.split_first_chunk::<{ 2 * CELLS }>() {
            let (caption, rest) = rest.split_at(memchr(b'\n', rest).unwrap_or(rest.len()));
            encoded = rest.get(1..).unwrap_or_default();
            self.solutions.extend(cells[CELLS..].first_chunk::<CELLS>());
            let caption = format!("{}{}", self.solutions.len(), String::from_utf8_lossy(caption));
            self.draw(PUZZLES, &cells[..CELLS], &caption, emit)?;
        }
        Ok(())
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<Option<Vec<u8>>> {
        self.end_page(emit)?;
        self.draw_solutions(emit)?;
        emit(b"</body>\n</html>\n").map(|()| None)
    }
}
