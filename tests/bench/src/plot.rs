//! Curves as SVG, x logarithmic, y from 0, so that what is flat looks flat.

use plotters::prelude::*;
use serde::Serialize;
use std::path::Path;

/// One curve.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Series {
    /// What it is of.
    pub name: String,
    /// x and y, both above 0.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Chart {
    /// The file without its ending.
    pub file: &'static str,
    pub title: &'static str,
    pub x: &'static str,
    pub y: &'static str,
    pub series: Vec<Series>,
}

/// Least and greatest of some numbers.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), x| (f64::min(low, x), f64::max(high, x)))
}

/// A number on an axis, without the noise of its last digits.
fn mark(x: &f64) -> String {
    let rounded = (x * 1e3).round() / 1e3;
    if rounded < 1e5 { rounded.to_string() } else { format!("{rounded:e}") }
}

impl Chart {
    /// Draws it into `folder`.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn draw(&self, folder: &Path) -> Result<(), String> {
        let file = folder.join(self.file).with_extension("svg");
        self.paint(&file).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn paint(&self, file: &Path) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::new(file, (720, 420)).into_drawing_area();
        root.fill(&WHITE)?;
        let all = || self.series.iter().flat_map(|series| &series.points);
        let ((least, most), (_, highest)) = (ends(all().map(|p| p.0)), ends(all().map(|p| p.1)));
        let (x, y) = ((least / 1.2..most * 1.2).log_scale(), 0.0..highest * 1.2);
        let mut chart = ChartBuilder::on(&root)
            .caption(self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&mark)
            .y_label_formatter(&mark)
            .draw()?;
        for (i, series) in self.series.iter().enumerate() {
            let color = Palette99::pick(i).to_rgba();
            let points = series.points.iter().copied();
            chart
                .draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?
                .label(series.name.as_str())
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2))
                });
            chart.draw_series(points.map(|point| Circle::new(point, 3, color.filled())))?;
        }
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        root.present()?;
        Ok(())
    }
}
