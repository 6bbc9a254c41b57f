//! The report of a measurement.

use std::ops::Range;

use bulkdoku::measure::Measurement;
use bulkdoku::stats::short_time;

use super::super::bench::{TEXTS, columns};
use super::{Cell, Fact, Page};

/// Builds the report. The measurements of a set are adjacent.
pub fn of_bench(measurements: &[Measurement], date: String) -> Page {
    let mut page = Page::new("bulkdoku bench");
    page.note(
        "Time per puzzle, from its 81 characters to those of its solution, on a logarithmic axis. Bars \
         show the median of the rounds, lines the range from the fastest to the slowest. Less is \
         better.",
    );
    let axis = axis(measurements);
    let place = |ns: f64| ((ns.log10() - axis.start) / (axis.end - axis.start)).clamp(0.0, 1.0);
    let bar = |one: &Measurement| {
        let Measurement { ns_min, ns_per_puzzle, ns_max, .. } = *one;
        let [least, median, largest] = [ns_min, ns_per_puzzle, ns_max].map(short_time);
        let values = format!("median {median}, from {least} to {largest}");
        let spread = Some([place(ns_min), place(ns_max)]);
        match &one.invalid {
            None => Cell::Bar { share: place(ns_per_puzzle), spread, values },
            Some(reason) => Cell::Text(format!("invalid: {reason}")),
        }
    };
    let decades = axis.start as i32..=axis.end as i32;
    let labels: Vec<_> = decades.map(|exponent| short_time(10_f64.powi(exponent))).collect();
    for of_set in measurements.chunk_by(|one, next| one.set == next.set) {
        page.heading(&of_set[0].set);
        let columns = columns(measurements);
        let numbers = &columns[TEXTS..];
        let headings = numbers.iter().map(|(heading, _)| *heading);
        let headings: Vec<_> = ["engine", "time"].into_iter().chain(headings).collect();
        let row = |one: &Measurement| {
            let bar = bar(one);
            let numbers = numbers.iter().map(|(_, cell)| Cell::Number(cell(one)));
            [Cell::Text(one.contender()), bar].into_iter().chain(numbers).collect()
        };
        page.table_with_axis(&headings, &labels, &of_set.iter().map(row).collect::<Vec<_>>());
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

/// Returns the powers of ten that enclose all times.
fn axis(measurements: &[Measurement]) -> Range<f64> {
    let least = measurements.iter().map(|one| one.ns_min).fold(f64::INFINITY, f64::min);
    let largest = measurements.iter().map(|one| one.ns_max).fold(1.0, f64::max);
    let first = least.min(largest).max(1.0).log10().floor();
    first..largest.log10().ceil().max(first + 1.0)
}
