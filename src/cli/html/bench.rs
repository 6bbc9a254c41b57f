//! The page of a measurement.

use std::ops::Range;

use bulkdoku::measure::Measurement;

use super::super::bench::{COLUMNS, TEXTS};
use super::{Cell, Fact, Page, charts};

/// The page of measurements. Those of a set follow each other, with the same engines in each.
pub fn of_bench(measurements: &[Measurement], date: String) -> Page {
    let mut page = Page::new("bulkdoku bench");
    page.note(
        "Time per puzzle, from its 81 characters to those of its solution, on a logarithmic axis: a \
         bar to the median of the rounds, a line from the fastest to the slowest. Less is better.",
    );
    let axis = axis(measurements);
    for of_set in measurements.chunk_by(|one, next| one.set == next.set) {
        let set = &of_set[0].set;
        page.heading(set);
        page.drawing(
            &charts::comparison(of_set, axis.clone()),
            &format!("time per puzzle of {set} by engine"),
        );
        let numbers = &COLUMNS[TEXTS..];
        let headings: Vec<_> =
            ["engine"].into_iter().chain(numbers.iter().map(|(heading, _)| *heading)).collect();
        let row = |one: &Measurement| {
            let numbers = numbers.iter().map(|(_, cell)| Cell::Number(cell(one)));
            [Cell::Text(one.contender())].into_iter().chain(numbers).collect()
        };
        page.table(&headings, &of_set.iter().map(row).collect::<Vec<_>>());
    }
    let one = measurements.first();
    let rounds = one.map_or(String::new(), |one| {
        let permuted = if one.permuted { "permuted" } else { "as they are" };
        format!("{}, {} rounds, puzzles {permuted}", one.mode, one.rounds)
    });
    let facts: Vec<Fact> = vec![("Measured", rounds), ("Date", date)];
    page.origin(&facts);
    page
}

/// The powers of ten that include all times, and room for labels.
fn axis(measurements: &[Measurement]) -> Range<f64> {
    let least = measurements.iter().map(|one| one.ns_min).fold(f64::INFINITY, f64::min);
    let largest = measurements.iter().map(|one| one.ns_max).fold(1.0, f64::max);
    let first = least.min(largest).max(1.0).log10().floor();
    let needed = largest.log10() - first;
    // A label takes about two fifths of the width.
    first..first + (needed / 0.62).max(1.0)
}
