//! The picture's text. Everything it needs is in it: no font, no style and no script from elsewhere.

use std::fmt::Write;

use super::graph::{Kind, Way};
use super::layout::{End, Layout, Line, Placed, ROW, STUB, TAG, TITLE};

/// Colours of a box: its head and its frame.
fn colours(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Clients => ("#e7e9ee", "#5b6472"),
        Kind::Router => ("#fdeac0", "#a06a00"),
        Kind::Prefill => ("#cfeee6", "#0f766e"),
        Kind::Decode => ("#dbe2fe", "#3b4cb8"),
        Kind::Engine => ("#dbe2fe", "#3b4cb8"),
        Kind::Pool => ("#ddf2d5", "#3f7a28"),
        Kind::Stage => ("#eee6fb", "#6d3fb0"),
    }
}

/// Colour, width and dashes of a line.
fn stroke(way: Way) -> (&'static str, f64, &'static str) {
    match way {
        Way::Path => ("#3a4250", 1.5, ""),
        Way::Transfer => ("#c2410c", 3.5, ""),
        Way::Spill => ("#3f7a28", 1.8, " stroke-dasharray=\"6 4\""),
    }
}

const WAYS: [(Way, &str, &str); 3] = [
    (Way::Path, "path", "a session goes"),
    (Way::Transfer, "transfer", "KV is transferred"),
    (Way::Spill, "spill", "evicted blocks go"),
];

/// The whole text.
pub(super) fn text(name: &str, layout: &Layout) -> String {
    let mut out = String::new();
    let key: f64 = 24.0 + 150.0 * used(layout).count() as f64;
    let (width, height) = (layout.width.max(key).round(), layout.height.round());
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{}\">",
        escaped(name)
    );
    out += "<style>text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11px;\
            fill:#1d2430}.title{font-size:13px;font-weight:700}.tag{font-size:9.5px;fill:#5b6472}\
            .label{font-size:10.5px;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}\
            </style>\n<defs>\n";
    for (way, id, _) in used(layout) {
        let (colour, ..) = stroke(way);
        let _ = writeln!(
            out,
            "<marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"10\" markerHeight=\"10\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"{colour}\"/></marker>"
        );
    }
    let _ = writeln!(
        out,
        "</defs>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text class=\"title\" x=\"20\" y=\"28\">{}</text>",
        escaped(name)
    );
    layout.lines.iter().for_each(|line| path(&mut out, line));
    layout.boxes.iter().for_each(|placed| boxed(&mut out, placed));
    // Above the boxes, as a line may pass behind one.
    layout.lines.iter().for_each(|line| label(&mut out, line));
    for (place, (way, id, said)) in used(layout).enumerate() {
        let (colour, wide, dashes) = stroke(way);
        let (x, y) = (20.0 + 150.0 * place as f64, height - 16.0);
        let _ = writeln!(
            out,
            "<path d=\"M{x} {y}h28\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide}\"{dashes} \
             marker-end=\"url(#{id})\"/>\n<text class=\"tag\" x=\"{}\" y=\"{}\">{said}</text>",
            x + 34.0,
            y + 3.5
        );
    }
    out + "</svg>\n"
}

/// The kinds of line that there are, and what each says.
fn used(layout: &Layout) -> impl Iterator<Item = (Way, &'static str, &'static str)> + '_ {
    WAYS.into_iter().filter(|(way, ..)| layout.lines.iter().any(|l| l.edge.way == *way))
}

fn path(out: &mut String, line: &Line) {
    let (colour, wide, dashes) = stroke(line.edge.way);
    let id = WAYS.iter().find(|(way, ..)| *way == line.edge.way).map_or("path", |w| w.1);
    let d = if line.back { cornered(&line.points) } else { curved(&line.points) };
    let _ = writeln!(
        out,
        "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide}\"{dashes} \
         marker-end=\"url(#{id})\"/>"
    );
}

/// Leaves and enters every point sideways.
fn curved(points: &[(f64, f64)]) -> String {
    let mut d = format!("M{} {}", points[0].0, points[0].1);
    for two in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (two[0], two[1]);
        match y0 == y1 {
            true => _ = write!(d, "L{x1} {y1}"),
            false => {
                let middle = (x0 + x1) / 2.0;
                let _ = write!(d, "C{middle} {y0} {middle} {y1} {x1} {y1}");
            }
        }
    }
    d
}

/// Straight, with round corners.
fn cornered(points: &[(f64, f64)]) -> String {
    const ROUND: f64 = 7.0;
    let toward = |(x0, y0): (f64, f64), (x1, y1): (f64, f64)| {
        let length = (x1 - x0).abs() + (y1 - y0).abs();
        let part = (ROUND / length.max(1.0)).min(0.5);
        (x0 + (x1 - x0) * part, y0 + (y1 - y0) * part)
    };
    let mut d = format!("M{} {}", points[0].0, points[0].1);
    for three in points.windows(3) {
        let (a, b) = (toward(three[1], three[0]), toward(three[1], three[2]));
        let _ =
            write!(d, "L{:.1} {:.1}Q{} {} {:.1} {:.1}", a.0, a.1, three[1].0, three[1].1, b.0, b.1);
    }
    let end = points[points.len() - 1];
    let _ = write!(d, "L{} {}", end.0, end.1);
    d
}

fn label(out: &mut String, line: &Line) {
    let (x, y) = line.label;
    let lines = &line.edge.labels;
    let first = y - 4.0 - 12.0 * (lines.len().saturating_sub(1)) as f64;
    for (i, text) in lines.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"label\" text-anchor=\"middle\" x=\"{x}\" y=\"{}\">{}</text>",
            first + 12.0 * i as f64,
            escaped(text)
        );
    }
}

/// A short way to a point where sessions end.
fn ended(out: &mut String, (x, y): (f64, f64), (right, down): (f64, f64), labels: &[String]) {
    let (colour, wide, _) = stroke(Way::Path);
    let length = if down > 0.0 { STUB - 13.0 } else { 26.0 };
    let (ex, ey) = (x + right * length, y + down * length);
    let (cx, cy) = (ex + right * 6.0, ey + down * 6.0);
    let _ = writeln!(
        out,
        "<path d=\"M{x} {y}L{ex} {ey}\" stroke=\"{colour}\" stroke-width=\"{wide}\"/>\
         <circle cx=\"{cx}\" cy=\"{cy}\" r=\"6.5\" fill=\"#fff\" stroke=\"{colour}\" stroke-width=\"1.3\"/>\
         <circle cx=\"{cx}\" cy=\"{cy}\" r=\"3.5\" fill=\"{colour}\"/>"
    );
    let first = cy + 3.5 - 6.0 * labels.len().saturating_sub(1) as f64;
    for (i, text) in labels.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>",
            cx + 11.0,
            first + 12.0 * i as f64,
            escaped(text)
        );
    }
}

fn boxed(out: &mut String, b: &Placed) {
    let (fill, frame) = colours(b.node.kind);
    let Placed { x, y, width, height, .. } = *b;
    if let Some(end) = b.end {
        let labels = b.node.ends.as_deref().unwrap_or_default();
        match end {
            End::Right(at) => ended(out, (x + width, at), (1.0, 0.0), labels),
            End::Below(at) => ended(out, (at, y + height), (0.0, 1.0), labels),
        }
    }
    // A family looks like a pile of its members.
    if b.node.title.contains('×') {
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#fff\" \
             stroke=\"{frame}\"/>",
            x + 5.0,
            y + 5.0
        );
    }
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#fff\" \
         stroke=\"{frame}\" stroke-width=\"1.3\"/>"
    );
    let round = match b.node.rows.is_empty() {
        true => format!(
            "M{x} {y}m6 0h{0}a6 6 0 0 1 6 6v{1}a6 6 0 0 1 -6 6h-{0}a6 6 0 0 1 -6 -6v-{1}a6 6 0 0 1 6 -6z",
            width - 12.0,
            height - 12.0
        ),
        false => format!(
            "M{x} {}v-{2}a6 6 0 0 1 6 -6h{1}a6 6 0 0 1 6 6v{2}z",
            y + TITLE,
            width - 12.0,
            TITLE - 6.0
        ),
    };
    let _ = writeln!(
        out,
        "<path d=\"{round}\" fill=\"{fill}\" stroke=\"{frame}\" stroke-width=\"1.3\"/>"
    );
    let _ = writeln!(
        out,
        "<text class=\"title\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
        x + width / 2.0,
        y + 17.5,
        escaped(&b.node.title)
    );
    for (i, row) in b.node.rows.iter().enumerate() {
        let base = y + TITLE + 4.0 + ROW * i as f64 + 12.5;
        let _ = writeln!(
            out,
            "<text class=\"tag\" x=\"{}\" y=\"{base}\">{}</text><text x=\"{}\" y=\"{base}\">{}</text>",
            x + 10.0,
            row.tag,
            x + 6.0 + TAG,
            escaped(&row.text)
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
