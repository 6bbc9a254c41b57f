//! The charts of a page, as SVG in the colors of a light page; see `style.css` for those of a dark
//! page.

use std::ops::Range;
use std::time::Duration;

use bulkdoku::measure::Measurement;
use bulkdoku::stats::{Latencies, Timeline, short_number, short_time};
use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::IntoDrawingArea;
use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, TextStyle};

const WIDTH: u32 = 880;
const HEIGHT: u32 = 280;

const TEXT: RGBColor = RGBColor(0x5b, 0x64, 0x70);
const GRID: RGBColor = RGBColor(0xdf, 0xe3, 0xe8);
const BAR: RGBColor = RGBColor(0x2f, 0x6f, 0xde);
const MARK: RGBColor = RGBColor(0xb4, 0x4a, 0x12);
/// The colors of compared engines.
const ENGINES: [RGBColor; 6] = [
    BAR,
    MARK,
    RGBColor(0x1f, 0x8a, 0x5b),
    RGBColor(0x8a, 0x4f, 0xc4),
    RGBColor(0xa8, 0x7b, 0x00),
    RGBColor(0x0f, 0x86, 0x9c),
];

/// Drawing on a string cannot fail.
const DRAWN: &str = "a string takes every drawing";

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// An axis: its range, the maximum number of labels, and their text.
struct Axis<'a> {
    range: Range<f64>,
    labels: usize,
    text: &'a dyn Fn(f64) -> String,
}

/// An axis of decimal logarithms of nanoseconds, with labels at powers of ten.
fn logarithmic(range: Range<f64>) -> Axis<'static> {
    let labels = (range.end - range.start) as usize + 1;
    Axis { range, labels, text: &|exponent| short_time(10_f64.powf(exponent)) }
}

/// Draws a chart with lines across the vertical axis, or across the horizontal one if the vertical
/// one has no labels.
fn drawn(height: u32, x: Axis<'_>, y: Axis<'_>, draw: impl FnOnce(&mut Chart<'_, '_>)) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let mut builder = ChartBuilder::on(&area);
        builder.margin(4).margin_right(24).x_label_area_size(34);
        if y.labels > 0 {
            builder.y_label_area_size(58);
        } else {
            builder.margin_left(30);
        }
        let mut chart = builder.build_cartesian_2d(x.range, y.range).expect(DRAWN);
        let mut mesh = chart.configure_mesh();
        if y.labels > 0 {
            mesh.disable_x_mesh();
        } else {
            mesh.disable_y_mesh().disable_y_axis();
        }
        mesh.light_line_style(GRID.mix(0.0))
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(style(TEXT))
            .x_labels(x.labels)
            .y_labels(y.labels)
            .x_label_formatter(&|at| (x.text)(*at))
            .y_label_formatter(&|at| (y.text)(*at))
            .draw()
            .expect(DRAWN);
        draw(&mut chart);
        area.present().expect(DRAWN);
    }
    svg
}

fn style(color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", 14).into_font().color(&color)
}

fn draw_line(chart: &mut Chart<'_, '_>, ends: [(f64, f64); 2], color: RGBColor, width: u32) {
    let style = ShapeStyle { color: color.to_rgba(), filled: false, stroke_width: width };
    chart.draw_series([PathElement::new(ends, style)]).expect(DRAWN);
}

/// A vertical bar: its sides and its height.
type Bar = (f64, f64, f64);

/// Draws vertical bars with marks on the horizontal axis.
fn histogram(
    height: u32,
    x: Axis<'_>,
    unit: &str,
    bars: &[Bar],
    marks: &[(f64, String)],
) -> String {
    let room = if marks.is_empty() { 1.1 } else { 1.28 };
    let top = room * bars.iter().map(|&(_, _, height)| height).fold(1e-9, f64::max);
    let text = |number| format!("{}{unit}", short_number(number));
    let mostly_left = 0.2 * x.range.start + 0.8 * x.range.end;
    let gap = 0.0065 * (x.range.end - x.range.start);
    drawn(height, x, Axis { range: 0.0..top, labels: 5, text: &text }, |chart| {
        let rectangles = (bars.iter())
            .map(|&(left, right, top)| Rectangle::new([(left, 0.0), (right, top)], BAR.filled()));
        chart.draw_series(rectangles).expect(DRAWN);
        // Labels are one below the other, as marks may be close together.
        for (i, (place, label)) in marks.iter().enumerate() {
            let height = top * (0.99 - 0.065 * i as f64);
            draw_line(chart, [(*place, 0.0), (*place, height)], MARK, 1);
            let is_right = *place > mostly_left;
            let (anchor, gap) = if is_right { (HPos::Right, -gap) } else { (HPos::Left, gap) };
            let style = style(MARK).pos(Pos::new(anchor, VPos::Top));
            let text = Text::new(label.clone(), (place + gap, height), style);
            chart.draw_series([text]).expect(DRAWN);
        }
    })
}

/// Bars of a latency histogram in each power of ten.
const BARS_PER_DECADE: f64 = 20.0;

/// The percentiles that pages show.
pub const PERCENTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

/// The histogram of latencies on a logarithmic axis, with percentiles.
pub fn latency(latencies: &Latencies) -> String {
    let place = |ns: u64| (ns.max(1) as f64).log10();
    let bar_of = |ns: u64| (place(ns) * BARS_PER_DECADE).floor() as usize;
    let mut counts = vec![0; bar_of(latencies.max()) + 1];
    for bucket in latencies.buckets() {
        counts[bar_of(bucket.lowest_ns)] += bucket.count;
    }
    let bar = |(i, &count): (usize, &u64)| {
        let edge = |i: usize| i as f64 / BARS_PER_DECADE;
        (edge(i), edge(i + 1), 100.0 * count as f64 / latencies.count() as f64)
    };
    let bars: Vec<_> =
        counts.iter().enumerate().filter(|(_, count)| **count > 0).map(bar).collect();
    // At least one decade, and whole ones, as the axis has labels only there.
    let first = place(latencies.min()).floor();
    let last = place(latencies.max()).max(first + 0.5).ceil();
    let marks = PERCENTILES.map(|(name, quantile)| {
        let ns = latencies.quantile(quantile);
        (place(ns), format!("{name} {}", short_time(ns as f64)))
    });
    histogram(HEIGHT, logarithmic(first..last), "%", &bars, &marks)
}

/// Records per second over the time of a run.
pub fn throughput(timeline: &Timeline, wall: Duration) -> String {
    let bars: Vec<_> = timeline
        .rates(wall)
        .map(|(begin, end, rate)| (begin.as_secs_f64(), end.as_secs_f64(), rate))
        .collect();
    let text = |seconds| if seconds > 0.0 { short_time(seconds * 1e9) } else { String::from("0") };
    let x = Axis { range: 0.0..wall.as_secs_f64().max(1e-9), labels: 8, text: &text };
    histogram(HEIGHT, x, "", &bars, &[])
}

/// Columns of counts with their names.
pub fn columns(counts: &[(String, u64)]) -> String {
    let bars: Vec<_> = (0..)
        .zip(counts)
        .map(|(i, &(_, count))| (f64::from(i) - 0.45, f64::from(i) + 0.45, count as f64))
        .collect();
    let text = |place: f64| counts.get(place.round() as usize).map_or("", |(name, _)| name).into();
    let range = -0.5..counts.len() as f64 - 0.5;
    let x = Axis { range, labels: counts.len() + 1, text: &text };
    histogram(HEIGHT - 40, x, "", &bars, &[])
}

/// The height of a bar of a comparison, with its gap.
const ROW: u32 = 26;

/// A bar for each measurement of a set, to its median, with a line from the fastest to the slowest
/// round, on a logarithmic axis from one exponent of ten to another.
pub fn comparison(of_set: &[Measurement], exponents: Range<f64>) -> String {
    let rows = of_set.len();
    let (begin, gap) = (exponents.start, 0.0086 * (exponents.end - exponents.start));
    let y = Axis { range: 0.0..rows as f64, labels: 0, text: &|_| String::new() };
    drawn(ROW * rows as u32 + 42, logarithmic(exponents), y, |chart| {
        for (i, one) in of_set.iter().enumerate() {
            let middle = (rows - i) as f64 - 0.5;
            let color = ENGINES[i % ENGINES.len()];
            let [least, median, largest] =
                [one.ns_min, one.ns_per_puzzle, one.ns_max].map(f64::log10);
            let corners = [(begin, middle - 0.36), (median, middle + 0.36)];
            chart.draw_series([Rectangle::new(corners, color.mix(0.35).filled())]).expect(DRAWN);
            draw_line(chart, [(least, middle), (largest, middle)], color, 3);
            let style = style(TEXT).pos(Pos::new(HPos::Left, VPos::Center));
            let text = format!("{} {}", one.contender(), short_time(one.ns_per_puzzle));
            let at = (largest.max(median) + gap, middle);
            chart.draw_series([Text::new(text, at, style)]).expect(DRAWN);
        }
    })
}
