//! Lines over numbers, as SVG text by `plotters`.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::RGBColor;

/// Width and height (px), which a page scales to its column.
const SIZE: (u32, u32) = (560, 260);

/// Colours that can be told apart, also in grey.
pub(super) const COLOURS: [(u8, u8, u8); 8] = [
    (0x1f, 0x4e, 0x9c),
    (0xc2, 0x41, 0x0c),
    (0x0f, 0x76, 0x6e),
    (0x7c, 0x3a, 0xed),
    (0xa1, 0x62, 0x07),
    (0xbe, 0x18, 0x5d),
    (0x4d, 0x7c, 0x0f),
    (0x47, 0x55, 0x69),
];

/// A colour by number, as CSS has it.
pub(super) fn css(number: usize) -> String {
    let (r, g, b) = COLOURS[number % COLOURS.len()];
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// One line.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Which colour.
    pub colour: usize,
    /// One of many alike, drawn thin.
    pub faint: bool,
    pub points: Vec<(f64, f64)>,
    /// At each x, from where to where it may be.
    pub band: Vec<(f64, f64, f64)>,
    /// Its points are marked.
    pub marked: bool,
}

/// What a chart shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Chart {
    pub x: String,
    pub y: String,
    pub lines: Vec<Line>,
    /// The y axis begins at 0.
    pub from_zero: bool,
}

/// The chart as SVG; `None` when nothing finite is to be shown.
pub(super) fn svg(chart: &Chart) -> Option<String> {
    let finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    let mut all: Vec<(f64, f64)> =
        chart.lines.iter().flat_map(|l| l.points.iter().copied()).filter(finite).collect();
    let bands = chart.lines.iter().flat_map(|l| &l.band);
    all.extend(bands.flat_map(|(x, low, high)| [(*x, *low), (*x, *high)]).filter(finite));
    if all.is_empty() {
        return None;
    }
    let x = range(all.iter().map(|p| p.0), false);
    let y = range(all.iter().map(|p| p.1), chart.from_zero);
    let mut text = String::new();
    // Drawing into a string has nothing that can fail but what is drawn.
    draw(&mut text, chart, x, y).ok()?;
    Some(scaling(&text))
}

fn range(values: impl Iterator<Item = f64>, from_zero: bool) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    let low = if from_zero { low.min(0.0) } else { low };
    let room = if high > low { 0.04 * (high - low) } else { 0.5 * high.abs().max(1e-9) };
    let below = if from_zero && low == 0.0 { 0.0 } else { room };
    (low - below, high + room)
}

fn draw(
    text: &mut String,
    chart: &Chart,
    x: (f64, f64),
    y: (f64, f64),
) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    let mut area = ChartBuilder::on(&root)
        .margin(8)
        .margin_right(14)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    let ink = RGBColor(0x1d, 0x24, 0x30);
    area.configure_mesh()
        .x_desc(chart.x.as_str())
        .y_desc(chart.y.as_str())
        .x_labels(7)
        .y_labels(6)
        .x_label_formatter(&|v| number(*v))
        .y_label_formatter(&|v| number(*v))
        .label_style(("sans-serif", 12, &ink))
        .axis_desc_style(("sans-serif", 12, &ink))
        .bold_line_style(RGBColor(0xe3, 0xe6, 0xec))
        .light_line_style(TRANSPARENT)
        .axis_style(RGBColor(0x8a, 0x93, 0xa3))
        .draw()?;
    for line in &chart.lines {
        let (r, g, b) = COLOURS[line.colour % COLOURS.len()];
        let colour = RGBColor(r, g, b);
        if line.band.len() > 1 {
            let upper = line.band.iter().map(|(x, _, high)| (*x, *high));
            let lower = line.band.iter().rev().map(|(x, low, _)| (*x, *low));
            let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
            area.draw_series([Polygon::new(outline, colour.mix(0.16).filled())])?;
        }
        let style = match line.faint {
            true => colour.mix(0.35).stroke_width(1),
            false => colour.stroke_width(2),
        };
        let mut pieces = line.points.split(|(x, y)| !(x.is_finite() && y.is_finite()));
        pieces.try_for_each(|piece| {
            area.draw_series(LineSeries::new(piece.iter().copied(), style)).map(drop)
        })?;
        if line.marked {
            let marks = line.points.iter().filter(|p| p.1.is_finite());
            area.draw_series(marks.map(|p| Circle::new(*p, 3, colour.filled())))?;
        }
    }
    root.present()?;
    Ok(())
}

/// A number beside an axis.
fn number(x: f64) -> String {
    let size = x.abs();
    if size < 1e-12 {
        return "0".into();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{x:.1e}");
    }
    let text = format!("{x:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// As wide as its column.
fn scaling(svg: &str) -> String {
    let (width, height) = SIZE;
    let fixed = format!("width=\"{width}\" height=\"{height}\" viewBox");
    svg.replacen(&fixed, "viewBox", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_drawn_and_nothing_is_not() {
        let line =
            Line { points: vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)], ..Line::default() };
        let chart = Chart { lines: vec![line], ..Chart::default() };
        let text = svg(&chart).unwrap();
        assert!(
            text.starts_with("<svg viewBox=\"0 0 560 260\"") && !text.contains("NaN"),
            "{text}"
        );
        assert!(svg(&Chart::default()).is_none());
        let flat = Line { points: vec![(0.0, 0.0); 3], ..Line::default() };
        assert!(svg(&Chart { lines: vec![flat], ..Chart::default() }).is_some());
    }

    #[test]
    fn numbers_beside_an_axis_are_short() {
        assert_eq!(
            ["0.25", "12", "2.5e7", "0"].map(String::from),
            [0.25, 12.0, 2.5e7, 0.0].map(number)
        );
    }
}
