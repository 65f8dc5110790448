//! Charts of measurements: pure functions from data to SVG and to text for a terminal.
//!
//! A [`Chart`] is a title, a body and the [command that made it](Origin). Colours are those of the
//! [pictures](crate::picture::theme), in both themes; shapes and dashes tell the same apart without colour. Measured series
//! have markers and solid lines, bounds have dashed lines without markers.
//!
//! ```
//! use ringleader::picture::Theme;
//! use ringleader::plot::{Chart, ChartAxis, ChartBody, DataPoint, DataSeries, LineChart, Origin, Spacing};
//!
//! let points = [(4.0, 8.3), (8.0, 21.7), (16.0, 54.1)].map(|(x, y)| DataPoint { x, y, interval: None });
//! let chart = Chart {
//!     title: "Messages of an election".to_string(),
//!     origin: Origin { command: "my-experiment".to_string(), version: "1.0".to_string() },
//!     body: ChartBody::Lines(LineChart {
//!         x: ChartAxis::new("N", Spacing::Logarithmic),
//!         y: ChartAxis::new("messages", Spacing::Logarithmic),
//!         series: vec![DataSeries { name: "chang-roberts".to_string(), points: points.to_vec() }],
//!         curves: Vec::new(),
//!     }),
//!     ..Chart::default()
//! };
//! assert!(chart.svg(Theme::Auto).contains("chang-roberts"));
//! println!("{}", chart.terminal(80));
//! ```

mod boxes;
mod canvas;
pub mod fit;
mod heat_map;
mod histogram;
mod lines;
mod look;
mod scale;
mod terminal;
#[cfg(test)]
mod tests;

pub use boxes::{BoxPlot, BoxSummary};
pub use heat_map::HeatMap;
pub use histogram::{HistogramChart, VerticalMark};
pub use lines::{BoundCurve, DataPoint, DataSeries, LineChart};
pub(crate) use scale::percent;
pub use scale::{Spacing, number_text};

use crate::picture::Theme;
use canvas::Canvas;

/// A figure.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chart {
    /// The subject.
    pub title: String,
    /// The conditions.
    pub subtitle: String,
    /// Sentences below the figure.
    pub notes: Vec<String>,
    /// The command and the version that made it.
    pub origin: Origin,
    /// The data.
    pub body: ChartBody,
}

/// The command and the version that made a figure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The command.
    pub command: String,
    /// The program with its version.
    pub version: String,
}

impl Origin {
    /// The caption that every figure carries.
    fn lines(&self) -> [String; 2] {
        [format!("Made by: {}", self.command), self.version.clone()]
    }
}

/// Whether a text is a figure drawn here: its description has the command that made it.
pub fn is_chart(text: &str) -> bool {
    let description = text.split_once("<desc").and_then(|(_, rest)| rest.split_once("</desc>"));
    text.contains("<svg") && description.is_some_and(|(description, _)| description.contains("Made by: "))
}

/// An axis.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChartAxis {
    /// The name of its quantity.
    pub label: String,
    /// Its spacing.
    pub spacing: Spacing,
}

impl ChartAxis {
    /// One of this name and spacing.
    pub fn new(label: &str, spacing: Spacing) -> Self {
        Self { label: label.to_string(), spacing }
    }
}

/// The data of a figure.
#[derive(Clone, PartialEq, Debug)]
pub enum ChartBody {
    /// Series with intervals, and curves of bounds.
    Lines(LineChart),
    /// The distribution of one sample.
    Histogram(HistogramChart),
    /// The distributions of many samples.
    Boxes(BoxPlot),
    /// A value for every pair.
    Heat(HeatMap),
}

impl Default for ChartBody {
    fn default() -> Self {
        Self::Lines(LineChart::default())
    }
}

impl Chart {
    /// The figure as a document.
    pub fn svg(&self, theme: Theme) -> String {
        self.svg_with_id("", theme)
    }

    /// The same with identifiers that begin with this, so that many figures can stand in one page.
    pub fn svg_with_id(&self, id: &str, theme: Theme) -> String {
        let mut canvas = Canvas::new(self, theme);
        match &self.body {
            ChartBody::Lines(lines) => lines.draw(&mut canvas),
            ChartBody::Histogram(histogram) => histogram.draw(&mut canvas),
            ChartBody::Boxes(boxes) => boxes.draw(&mut canvas),
            ChartBody::Heat(heat) => heat.draw(&mut canvas),
        }
        canvas.finish(id)
    }

    /// The figure for a terminal with so many columns.
    pub fn terminal(&self, columns: usize) -> String {
        terminal::text(self, columns)
    }
}
