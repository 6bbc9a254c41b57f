//! Boards as SVG, with the parts of a step. Nothing is told by color alone: outlines, weights, and
//! strokes differ as well, and each step has its sentence.

use std::collections::BTreeMap;
use std::fmt::Write;

use bulkdoku_core::board::{Bits, Board, Cells};
use bulkdoku_core::puzzle::Unit;
use bulkdoku_logic::{Contradiction, Evidence, Node, Step, Technique};

/// The fill and the outline of each part of a pattern.
const PARTS: [[&str; 2]; 5] = [
    ["#cfe2ff", "none"],
    ["#ffe3b8", ".14 .08"],
    ["#d6f2d0", ".05 .07"],
    ["#efdcf7", ".2 .06 .05 .06"],
    ["#f2edb0", ".3 .1"],
];

const GRID: &str = "<g fill=\"none\" stroke=\"#000\" stroke-linecap=\"square\">\
    <path stroke-width=\".015\" d=\"M1 0v9M2 0v9M4 0v9M5 0v9M7 0v9M8 0v9M0 1h9M0 2h9M0 4h9M0 5h9M0 7h9M0 8h9\"/>\
    <path stroke-width=\".06\" d=\"M0 0v9M3 0v9M6 0v9M9 0v9M0 0h9M0 3h9M0 6h9M0 9h9\"/></g>";

/// Returns a board as SVG of any size, on white, with numbered rows and columns.
///
/// `clues` are the cells (bits) with bold digits. Open cells have their candidates, except in
/// singles. Of the `step`, the cells of each part have a color and an outline of their own, and their
/// digits are bold; strong links are solid, weak ones dashed; base units have a solid outline, cover
/// units a dashed one; eliminated candidates are struck out, and a placed digit is framed.
pub fn board_svg(board: &Board, clues: Cells, step: Option<&Step>) -> String {
    let label =
        step.map_or_else(|| "Sudoku".into(), |step| format!("{}: {step}", step.technique.title()));
    let mut svg = format!(
        "<svg class=\"board\" viewBox=\"-.6 -.6 9.7 9.7\" role=\"img\" aria-label=\"{label}\" \
         font-family=\"Helvetica,Arial,sans-serif\" text-anchor=\"middle\">\
         <path fill=\"#fff\" d=\"M-.6-.6h9.7v9.7h-9.7z\"/>"
    );
    if let Some(step) = step {
        draw_parts(&step.evidence, &mut svg);
    }
    svg += GRID;
    if let Some(step) = step {
        draw_units(&step.evidence, &mut svg);
        draw_links(&step.evidence, &mut svg);
    }
    let mut texts = Texts::default();
    let placed = step.and_then(|step| step.placed);
    for cell in Bits(board.placed) {
        let digit = board.mask(cell).trailing_zeros() as usize;
        let style = if clues >> cell & 1 != 0 { CLUE } else { DIGIT };
        texts.digit(style, cell, digit);
    }
    if let Some(placed) = placed {
        texts.digit(PLACED, placed.cell, usize::from(placed.digit) - 1);
        let (x, y) = (placed.cell % 9, placed.cell / 9);
        let _ = write!(
            svg,
            "<path fill=\"none\" stroke=\"#000\" stroke-width=\".1\" d=\"M{x}.12 {y}.12h.76v.76h-.76z\"/>"
        );
    }
    if step.is_none_or(|step| step.technique > Technique::NakedSingle) {
        let important = step.map_or([0; 9], |step| important(&step.evidence));
        let eliminated = step.map_or(&[][..], |step| &step.eliminated);
        let mut lost = [0; 9];
        for it in eliminated {
            lost[usize::from(it.digit) - 1] |= 1 << it.cell;
            let (x, y) = place(it.cell, usize::from(it.digit) - 1);
            let _ = write!(
                svg,
                "<path stroke=\"#b3261e\" stroke-width=\".05\" d=\"M{:.2} {:.2}l.28-.28\"/>",
                x - 0.14,
                y + 0.14
            );
        }
        let filled = board.placed | placed.map_or(0, |it| 1 << it.cell);
        for digit in 0..9 {
            for cell in Bits((board.digits[digit] | lost[digit]) & !filled) {
                let is_in = |cells: &[Cells; 9]| cells[digit] >> cell & 1 != 0;
                let style = match () {
                    () if is_in(&lost) => ELIMINATED,
                    () if is_in(&important) => IMPORTANT,
                    () => CANDIDATE,
                };
                let (x, y) = place(cell, digit);
                texts.add(style, x, y + 0.11, digit);
            }
        }
    }
    texts.draw(&mut svg);
    svg += "</svg>";
    svg
}

/// Returns the center of a candidate.
fn place(cell: usize, digit: usize) -> (f64, f64) {
    let at = |cell: usize, digit: usize| cell as f64 + (2 * digit + 1) as f64 / 6.0;
    (at(cell % 9, digit % 3), at(cell / 9, digit / 3))
}

/// Returns the candidates of the pattern, except where all candidates of a cell belong to it.
fn important(evidence: &Evidence) -> [Cells; 9] {
    let mut cells = [0; 9];
    for part in &evidence.parts {
        let of_part = part.cells.iter().fold(0, |all: Cells, cell| all | 1 << cell);
        part.digits.iter().for_each(|digit| cells[usize::from(*digit) - 1] |= of_part);
    }
    for node in evidence.links.iter().flat_map(|link| [&link.from, &link.to]) {
        node.cells.iter().for_each(|cell| cells[usize::from(node.digit) - 1] |= 1 << cell);
    }
    cells
}

fn draw_parts(evidence: &Evidence, svg: &mut String) {
    for (part, [fill, dashes]) in evidence.parts.iter().zip(PARTS.into_iter().cycle()) {
        let cells = part.cells.iter().map(|cell| (cell % 9, cell / 9));
        let path: String = cells.map(|(x, y)| format!("M{x}.05 {y}.05h.9v.9h-.9z")).collect();
        let _ = write!(
            svg,
            "<path fill=\"{fill}\" fill-opacity=\".85\" stroke=\"#444\" stroke-width=\".04\" \
             stroke-dasharray=\"{dashes}\" d=\"{path}\"/>"
        );
    }
}

/// Outlines base and cover units, and what a contradiction leaves without a candidate or a place.
fn draw_units(evidence: &Evidence, svg: &mut String) {
    let mut outline = |cells: Cells, color: &str, dashes: &str| {
        let (first, last) = (cells.trailing_zeros(), cells.ilog2());
        let (x, y) = (first % 9, first / 9);
        let (width, height) = (last % 9 + 1 - x, last / 9 + 1 - y);
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"{color}\" stroke-width=\".1\" stroke-dasharray=\"{dashes}\"/>"
        );
    };
    let cells = |unit: &Unit| unit.cells().iter().fold(0, |all: Cells, cell| all | 1 << cell);
    evidence.base.iter().for_each(|unit| outline(cells(unit), "#2459bd", "none"));
    evidence.cover.iter().for_each(|unit| outline(cells(unit), "#2459bd", ".25 .15"));
    match &evidence.contradiction {
        Some(Contradiction::NoCandidate { cell }) => outline(1 << cell, "#b3261e", ".1 .1"),
        Some(Contradiction::NoPlace { unit, .. }) => outline(cells(unit), "#b3261e", ".1 .1"),
        None => {}
    }
}

/// Draws the links of a chain, and circles around its candidates: filled if the candidate is on.
fn draw_links(evidence: &Evidence, svg: &mut String) {
    let center = |node: &Node| {
        let places = node.cells.iter().map(|&cell| place(cell, usize::from(node.digit) - 1));
        let sum = places.fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
        let count = node.cells.len() as f64;
        (sum.0 / count, sum.1 / count)
    };
    for link in &evidence.links {
        let (from, to) = (center(&link.from), center(&link.to));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (x, y) = (from.0 + dx / 2.0 - dy / 8.0, from.1 + dy / 2.0 + dx / 8.0);
        let dashes = if link.to.on { "none" } else { ".12 .1" };
        let _ = write!(
            svg,
            "<path fill=\"none\" stroke=\"#7a1fa2\" stroke-width=\".05\" stroke-dasharray=\"{dashes}\" \
             d=\"M{:.2} {:.2}Q{x:.2} {y:.2} {:.2} {:.2}\"/>",
            from.0, from.1, to.0, to.1
        );
    }
    for node in evidence.links.iter().flat_map(|link| [&link.from, &link.to]) {
        let fill = if node.on { "#bfe8b5" } else { "#fff" };
        for &cell in &node.cells {
            let (x, y) = place(cell, usize::from(node.digit) - 1);
            let _ = write!(
                svg,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\".16\" fill=\"{fill}\" stroke=\"#7a1fa2\" \
                 stroke-width=\".02\"/>"
            );
        }
    }
}

/// How a digit is written: the order in which digits are drawn, and their attributes.
type Style = (u8, &'static str);

const CLUE: Style = (0, "class=\"clues\" font-size=\".7\" font-weight=\"700\"");
const DIGIT: Style = (1, "class=\"digits\" font-size=\".7\" fill=\"#2459bd\"");
const PLACED: Style = (2, "class=\"placed\" font-size=\".7\" font-weight=\"700\" fill=\"#1b6e1b\"");
const CANDIDATE: Style = (3, "class=\"candidates\" font-size=\".29\" fill=\"#555\"");
const IMPORTANT: Style = (4, "class=\"candidates\" font-size=\".31\" font-weight=\"700\"");
const ELIMINATED: Style =
    (5, "class=\"eliminated\" font-size=\".31\" font-weight=\"700\" fill=\"#b3261e\"");

/// Digits by style. Those of a style are one element: the places `x` and `y` of each digit, and all
/// digits.
#[derive(Default)]
struct Texts(BTreeMap<Style, [String; 3]>);

impl Texts {
    fn digit(&mut self, style: Style, cell: usize, digit: usize) {
        self.add(style, (cell % 9) as f64 + 0.5, (cell / 9) as f64 + 0.75, digit);
    }

    fn add(&mut self, style: Style, x: f64, y: f64, digit: usize) {
        let [xs, ys, digits] = self.0.entry(style).or_default();
        let _ = write!(xs, "{x:.2} ");
        let _ = write!(ys, "{y:.2} ");
        digits.push((b'1' + digit as u8).into());
    }

    fn draw(self, svg: &mut String) {
        *svg += "<g font-size=\".35\" fill=\"#555\">";
        for i in 0..9 {
            let number = i + 1;
            let _ = write!(
                svg,
                "<text x=\"{i}.5\" y=\"-.17\">{number}</text><text x=\"-.3\" y=\"{i}.62\">{number}</text>"
            );
        }
        *svg += "</g>";
        for ((_, attributes), [xs, ys, digits]) in self.0 {
            let (xs, ys) = (xs.trim_end(), ys.trim_end());
            let _ = write!(svg, "<text {attributes} x=\"{xs}\" y=\"{ys}\">{digits}</text>");
        }
    }
}

/// Returns a board without the candidates of its open cells.
pub fn without_candidates(board: &Board) -> Board {
    Board { digits: board.digits.map(|cells| cells & board.placed), ..*board }
}
