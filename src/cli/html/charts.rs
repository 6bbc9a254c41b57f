//! The charts of a page, as SVG.

use std::fmt::Write as _;
use std::time::Duration;

use bulkdoku::stats::{Latencies, Timeline};
use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, MeshStyle};
use plotters::coord::ranged1d::{IntoSegmentedCoord, Ranged, SegmentValue, ValueFormatter};
use plotters::drawing::IntoDrawingArea;
use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::prelude::IntoLogRange;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, TextStyle};

use super::{short, short_time};

const WIDTH: u32 = 880;
const HEIGHT: u32 = 280;
const FONT: &str = "sans-serif";
const FONT_SIZE: u32 = 14;

const TEXT: RGBColor = RGBColor(0x5b, 0x64, 0x70);
const GRID: RGBColor = RGBColor(0xdf, 0xe3, 0xe8);
const BAR: RGBColor = RGBColor(0x2f, 0x6f, 0xde);
const MARK: RGBColor = RGBColor(0xb4, 0x4a, 0x12);
/// Colours of compared engines, after [`BAR`] and [`MARK`].
const OTHERS: [RGBColor; 4] = [
    RGBColor(0x1f, 0x8a, 0x5b),
    RGBColor(0x8a, 0x4f, 0xc4),
    RGBColor(0xa8, 0x7b, 0x00),
    RGBColor(0x0f, 0x86, 0x9c),
];

/// Each colour on a dark page.
const DARK: [(RGBColor, &str); 8] = [
    (TEXT, "#a3adb8"),
    (GRID, "#333a43"),
    (BAR, "#6ea1ff"),
    (MARK, "#ff9d66"),
    (OTHERS[0], "#4cc38f"),
    (OTHERS[1], "#c095f2"),
    (OTHERS[2], "#e0b43c"),
    (OTHERS[3], "#4fc3d9"),
];

/// The colour of the `i`th engine.
pub fn colour(i: usize) -> RGBColor {
    let all = [BAR, MARK, OTHERS[0], OTHERS[1], OTHERS[2], OTHERS[3]];
    all[i % all.len()]
}

/// A colour in the notation of HTML.
pub fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The style sheet of charts on a dark page.
pub fn dark_style() -> String {
    let mut rules = String::from("@media (prefers-color-scheme: dark) {\n");
    for (light, dark) in DARK {
        let light = hex(light);
        let _ = writeln!(
            rules,
            "  [fill=\"{light}\"] {{ fill: {dark}; }}\n  [stroke=\"{light}\"] {{ stroke: {dark}; }}"
        );
    }
    rules + "}\n"
}

fn text_style() -> TextStyle<'static> {
    (FONT, FONT_SIZE).into_font().color(&TEXT)
}

fn line(colour: RGBColor, width: u32) -> ShapeStyle {
    ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: width }
}

/// Drawing on a string cannot fail.
const DRAWN: &str = "a string takes every drawing";

/// Draws a chart. Its builder has margins for axes and labels.
fn drawn(height: u32, draw: impl FnOnce(&mut ChartBuilder<'_, '_, SVGBackend<'_>>)) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let mut chart = ChartBuilder::on(&area);
        chart.margin(4).margin_right(24).x_label_area_size(34).y_label_area_size(58);
        draw(&mut chart);
        area.present().expect(DRAWN);
    }
    svg
}

/// Sets the common style of lines, axes and labels.
fn styled<'m, 'a, 'b, 's, X, Y>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'s>>,
) -> &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'s>>
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged + ValueFormatter<Y::ValueType>,
{
    mesh.light_line_style(GRID.mix(0.0))
        .bold_line_style(GRID)
        .axis_style(GRID)
        .label_style(text_style())
}

/// Bars of a latency histogram in each power of ten.
const BARS_PER_DECADE: f64 = 20.0;

/// The histogram of latencies on a logarithmic axis, with percentiles.
pub fn latency(latencies: &Latencies) -> String {
    let place = |ns: u64| (ns.max(1) as f64).log10();
    let bar_of = |ns: u64| (place(ns) * BARS_PER_DECADE).floor() as usize;
    let mut counts = vec![0; bar_of(latencies.max()) + 1];
    for bucket in latencies.buckets() {
        counts[bar_of(bucket.lowest_ns)] += bucket.count;
    }
    let all = latencies.count() as f64;
    let bars: Vec<_> = (counts.iter().enumerate())
        .filter(|&(_, &count)| count > 0)
        .map(|(i, &count)| {
            let edge = |i: usize| 10_f64.powf(i as f64 / BARS_PER_DECADE);
            (edge(i), edge(i + 1), 100.0 * count as f64 / all)
        })
        .collect();
    // At least one decade, and whole ones, as the axis has labels only there.
    let first = place(latencies.min()).floor();
    let last = place(latencies.max()).max(first + 0.5).ceil();
    let top = 1.28 * bars.iter().map(|&(_, _, share)| share).fold(0.0, f64::max);
    drawn(HEIGHT, |chart| {
        let range = (10_f64.powf(first)..10_f64.powf(last)).log_scale();
        let mut chart = chart.build_cartesian_2d(range, 0.0..top).expect(DRAWN);
        styled(&mut chart.configure_mesh())
            .disable_x_mesh()
            .x_labels(12)
            .y_labels(5)
            .x_label_formatter(&|ns| short_time(*ns))
            .y_label_formatter(&|share| format!("{}%", short(*share)))
            .draw()
            .expect(DRAWN);
        let bars = bars
            .iter()
            .map(|&(low, high, share)| Rectangle::new([(low, 0.0), (high, share)], BAR.filled()));
        chart.draw_series(bars).expect(DRAWN);
        // Labels are one below the other, as percentiles may be close together.
        for (i, (name, quantile)) in PERCENTILES.into_iter().enumerate() {
            let ns = latencies.quantile(quantile).max(1) as f64;
            let height = top * (0.99 - 0.065 * i as f64);
            chart
                .draw_series([PathElement::new([(ns, 0.0), (ns, height)], line(MARK, 1))])
                .expect(DRAWN);
            let is_right = ns.log10() > first + 0.8 * (last - first);
            let (anchor, gap) = if is_right { (HPos::Right, 0.985) } else { (HPos::Left, 1.015) };
            let style = (FONT, 13).into_font().color(&MARK).pos(Pos::new(anchor, VPos::Top));
            let gap = gap_in_pixels(gap, last - first);
            let label = Text::new(format!("{name} {}", short_time(ns)), (ns * gap, height), style);
            chart.draw_series([label]).expect(DRAWN);
        }
    })
}

/// A factor that moves by the same length on an axis of any number of decades.
fn gap_in_pixels(factor: f64, decades: f64) -> f64 {
    factor.powf(decades)
}

/// The percentiles that pages show.
pub const PERCENTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

/// Records per second over the time of a run.
pub fn throughput(timeline: &Timeline, wall: Duration) -> String {
    let rates: Vec<_> = timeline
        .rates(wall)
        .map(|(begin, end, rate)| (begin.as_secs_f64(), end.as_secs_f64(), rate))
        .collect();
    let top = 1.1 * rates.iter().map(|&(_, _, rate)| rate).fold(0.0, f64::max).max(1e-9);
    drawn(HEIGHT, |chart| {
        let end = wall.as_secs_f64().max(1e-9);
        let mut chart = chart.build_cartesian_2d(0.0..end, 0.0..top).expect(DRAWN);
        styled(&mut chart.configure_mesh())
            .disable_x_mesh()
            .x_labels(8)
            .y_labels(5)
            .x_label_formatter(&|&seconds| {
                if seconds > 0.0 { short_time(seconds * 1e9) } else { "0".into() }
            })
            .y_label_formatter(&|rate| short(*rate))
            .draw()
            .expect(DRAWN);
        let steps: Vec<_> =
            rates.iter().flat_map(|&(begin, end, rate)| [(begin, rate), (end, rate)]).collect();
        let mut area = vec![(0.0, 0.0)];
        area.extend(&steps);
        area.push((steps.last().map_or(0.0, |&(end, _)| end), 0.0));
        chart.draw_series([Polygon::new(area, BAR.mix(0.2).filled())]).expect(DRAWN);
        chart.draw_series([PathElement::new(steps, line(BAR, 2))]).expect(DRAWN);
    })
}

/// Columns of counts with their names.
pub fn columns(counts: &[(String, u64)]) -> String {
    let top = 1.1 * counts.iter().map(|&(_, count)| count).max().unwrap_or(1).max(1) as f64;
    drawn(HEIGHT - 40, |chart| {
        let range = (0..counts.len().max(1) - 1).into_segmented();
        let mut chart = chart.build_cartesian_2d(range, 0.0..top).expect(DRAWN);
        styled(&mut chart.configure_mesh())
            .disable_x_mesh()
            .x_labels(counts.len())
            .y_labels(5)
            .x_label_formatter(&|place| match place {
                SegmentValue::CenterOf(i) | SegmentValue::Exact(i) => {
                    counts.get(*i).map_or(String::new(), |(name, _)| name.clone())
                }
                SegmentValue::Last => String::new(),
            })
            .y_label_formatter(&|count| short(*count))
            .draw()
            .expect(DRAWN);
        let columns = (0..).zip(counts).map(|(i, &(_, count))| {
            let corners =
                [(SegmentValue::Exact(i), 0.0), (SegmentValue::Exact(i + 1), count as f64)];
            let mut column = Rectangle::new(corners, BAR.filled());
            column.set_margin(0, 0, 2, 2);
            column
        });
        chart.draw_series(columns).expect(DRAWN);
    })
}

/// A bar of a comparison, with the median, least and largest time of the rounds.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Decides the colour.
    pub kind: usize,
    /// The text beside it.
    pub label: String,
    /// Nanoseconds.
    pub median: f64,
    /// Nanoseconds.
    pub least: f64,
    /// Nanoseconds.
    pub largest: f64,
}

/// The height of a bar and its gap.
const ROW: u32 = 26;

/// Bars on a logarithmic axis of time, between two powers of ten.
pub fn comparison(bars: &[Compared], [first, last]: [f64; 2]) -> String {
    let rows = bars.len() as f64;
    drawn(ROW * bars.len() as u32 + 42, |chart| {
        chart.y_label_area_size(0).margin_left(30);
        let range = (10_f64.powf(first)..10_f64.powf(last)).log_scale();
        let mut chart = chart.build_cartesian_2d(range, 0.0..rows).expect(DRAWN);
        styled(&mut chart.configure_mesh())
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels(12)
            .x_label_formatter(&|ns| short_time(*ns))
            .draw()
            .expect(DRAWN);
        let begin = 10_f64.powf(first);
        for (i, bar) in bars.iter().enumerate() {
            let middle = rows - i as f64 - 0.5;
            let colour = colour(bar.kind);
            let corners = [(begin, middle - 0.36), (bar.median, middle + 0.36)];
            chart.draw_series([Rectangle::new(corners, colour.mix(0.35).filled())]).expect(DRAWN);
            let spread = [(bar.least, middle), (bar.largest, middle)];
            chart.draw_series([PathElement::new(spread, line(colour, 3))]).expect(DRAWN);
            let style = text_style().pos(Pos::new(HPos::Left, VPos::Center));
            let gap = gap_in_pixels(1.02, last - first);
            let text = format!("{} {}", bar.label, short_time(bar.median));
            let at = (bar.largest.max(bar.median) * gap, middle);
            chart.draw_series([Text::new(text, at, style)]).expect(DRAWN);
        }
    })
}
