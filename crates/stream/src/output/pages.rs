//! Pages to print: six puzzles per page, with their rating, and their solutions at the end.
//!
//! Pages fit on A4 and Letter: each is a drawing in a document of HTML, and the browser starts a new
//! sheet for each. The solutions are in memory until the end, 81 bytes each, because they come last.

use std::fmt::Write;
use std::io;

use super::{Assembler, Emit, Encoder, Format, Needs, each_row};
use bulkdoku_core::puzzle::{CELLS, Grid, Puzzle};
use bulkdoku_core::status::Status;
use bulkdoku_logic::{Path, SeRating};

/// The width and height of a page in millimeters, within the margins of both sizes of paper.
const PAGE: [u64; 2] = [190, 250];
/// The grids of a page: columns, rows, and the width of a grid in millimeters.
type Sheet = (usize, usize, f64);
const PUZZLES: Sheet = (2, 3, 70.0);
const SOLUTIONS: Sheet = (3, 4, 50.0);

/// A document of pages.
#[derive(Clone, Copy, Debug)]
pub struct PrintedPages;

/// The lines of a grid, 9 units wide, and the style of all pages.
const DEFINITIONS: &str = "<defs>\
    <style>text{font-family:Helvetica,Arial,sans-serif;text-anchor:middle}</style>\
    <g id=\"grid\" fill=\"none\" stroke=\"#000\" stroke-linecap=\"square\">\
    <path stroke-width=\".015\" d=\"M1 0v9M2 0v9M4 0v9M5 0v9M7 0v9M8 0v9M0 1h9M0 2h9M0 4h9M0 5h9M0 7h9M0 8h9\"/>\
    <path stroke-width=\".09\" d=\"M0 0v9M3 0v9M6 0v9M9 0v9M0 0h9M0 3h9M0 6h9M0 9h9\"/>\
    </g></defs>\n";

/// A4 has margins of 10 mm at the sides and 23.5 mm above and below, Letter of 13 and 14.5 mm.
const HTML: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <title>Sudoku</title>\n<style>\n\
    @page { margin: 10mm; }\n\
    body { margin: 0; }\n\
    svg.page { display: block; margin: 0 auto; break-inside: avoid; }\n\
    svg.page + svg.page { break-before: page; }\n\
    @media screen { svg.page { max-width: 100%; height: auto; margin-block: 1rem; } }\n\
    </style>\n</head>\n<body>\n<svg width=\"0\" height=\"0\" style=\"position:absolute\">";

impl PrintedPages {
    /// Returns a document with these puzzles.
    pub fn document<'a>(
        puzzles: impl IntoIterator<Item = (&'a Puzzle, Option<&'a Grid>, &'a str)>,
    ) -> Vec<u8> {
        let (mut encoded, mut body) = (Vec::new(), Vec::new());
        for (puzzle, solution, caption) in puzzles {
            push_record(puzzle, solution, caption, &mut encoded);
        }
        let mut pages = Pages::default();
        let mut emit = |bytes: &[u8]| {
            body.extend_from_slice(bytes);
            Ok(())
        };
        let added = pages.add(&encoded, &mut emit).and_then(|()| pages.finish(&mut emit));
        added.expect("a buffer takes every write");
        [Self.header(), body].concat()
    }
}

/// Returns the caption of a puzzle: its hardest technique and rating, or what it has instead of one
/// solution, and its number of clues.
pub fn caption(
    clues: usize,
    status: Status,
    path: Option<&Path>,
    rating: Option<SeRating>,
) -> String {
    let mut caption = match (status, path.and_then(|path| path.hardest)) {
        (Status::Multiple, _) => "several solutions · ".into(),
        (Status::Unsolvable | Status::Contradictory, _) => "no solution · ".into(),
        (_, Some(hardest)) => format!("{hardest} · "),
        (_, None) => String::new(),
    };
    if let Some(SeRating { er, .. }) = rating {
        let _ = write!(caption, "SE {}.{} · ", er / 10, er % 10);
    }
    let _ = write!(caption, "{clues} clues");
    caption
}

/// Appends the cells of a puzzle and its solution, if there is one, and its caption.
fn push_record(puzzle: &Puzzle, solution: Option<&Grid>, caption: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(puzzle.cells());
    bytes.extend_from_slice(solution.map_or(&[0; CELLS], Grid::cells).as_slice());
    bytes.push(caption.len() as u8);
    bytes.extend_from_slice(caption.as_bytes());
}

impl Format for PrintedPages {
    fn needs(&self) -> Needs {
        Needs::PATH.union(Needs::SE)
    }

    fn header(&self) -> Vec<u8> {
        format!("{HTML}{DEFINITIONS}</svg>\n").into_bytes()
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        let mut bytes = Vec::new();
        each_row(move |row, out| {
            let Some(puzzle) = row.puzzle() else { return };
            let properties = row.properties();
            let caption =
                caption(puzzle.clues(), row.status(), properties.path(), properties.se_rating);
            bytes.clear();
            let solution = row.solution().filter(|_| properties.path.is_some());
            push_record(&puzzle, solution, &caption, &mut bytes);
            out.append(&bytes);
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(Pages::default())))
    }
}

/// Arranges puzzles on pages, and collects their solutions.
#[derive(Default)]
struct Pages {
    /// The number of finished pages.
    count: u64,
    /// The number of puzzles.
    puzzles: u64,
    /// The drawing of the unfinished page, and the number of its grids.
    page: (String, usize),
    /// The solutions, all 0 for puzzles without one.
    solutions: Vec<[u8; CELLS]>,
}

impl Pages {
    /// Adds a grid to the page, and emits the page if it is full.
    fn draw(
        &mut self,
        sheet: Sheet,
        cells: &[u8],
        caption: &str,
        emit: &mut Emit<'_>,
    ) -> io::Result<()> {
        let (columns, rows, width) = sheet;
        let (page, grids) = &mut self.page;
        let step = [PAGE[0] as f64 / columns as f64, (PAGE[1] as f64 - 10.0) / rows as f64];
        let x = step[0] * (*grids % columns) as f64 + (step[0] - width) / 2.0;
        let y = step[1] * (*grids / columns) as f64 + 7.0;
        let _ = writeln!(
            page,
            "<g transform=\"translate({x:.2} {y:.2})\"><text x=\"{:.2}\" y=\"-1.5\" \
             font-size=\"3.5\">{caption}</text><g transform=\"scale({:.4})\"><use href=\"#grid\"/>",
            width / 2.0,
            width / 9.0
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
        let drawing = format!(
            "<svg class=\"page\" width=\"{width}mm\" height=\"{height}mm\" \
             viewBox=\"0 0 {width} {height}\">\n{page}<text x=\"{}\" y=\"{}\" font-size=\"3.5\">{}\
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
        while let Some((cells, rest)) = encoded.split_first_chunk::<{ 2 * CELLS + 1 }>() {
            let (caption, others) = rest.split_at(usize::from(cells[2 * CELLS]));
            encoded = others;
            self.puzzles += 1;
            let caption = format!("{}. {}", self.puzzles, String::from_utf8_lossy(caption));
            self.draw(PUZZLES, &cells[..CELLS], &caption, emit)?;
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
