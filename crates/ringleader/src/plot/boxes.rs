//! Box plots, one below the other: long names have room.

use super::canvas::{Canvas, MARGIN, PlotArea, WIDTH, label_width};
use super::scale::PlotScale;
use super::{ChartAxis, Spacing, look};
use crate::picture::svg::{Px, wrapped};
use crate::picture::theme::{self, Style};

/// The distance from one box to the next.
const ROW: i64 = 330;

/// The distributions of many samples.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BoxPlot {
    /// The quantity.
    pub x: ChartAxis,
    /// A box for each sample, from the top down.
    pub boxes: Vec<BoxSummary>,
}

/// The order statistics of a sample.
#[derive(Clone, PartialEq, Debug)]
pub struct BoxSummary {
    /// Its name.
    pub name: String,
    /// The series that it belongs to, which gives it its colour.
    pub series: usize,
    /// Minimum, first quartile, median, third quartile, maximum.
    pub five: [f64; 5],
}

impl BoxSummary {
    /// The five numbers of a sample: quartiles interpolate between neighbours (type 7 of Hyndman and Fan), as R and NumPy do.
    pub fn of(name: String, series: usize, sample: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = sample.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let five = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| {
            let place = share * last as f64;
            let (below, part) = (place.floor() as usize, place.fract());
            let above = sorted[(below + 1).min(last)];
            sorted[below] + (above - sorted[below]) * part
        });
        Some(Self { name, series, five })
    }
}

impl BoxPlot {
    /// The scale of the axis.
    pub(super) fn scale(&self) -> PlotScale {
        PlotScale::covering(self.boxes.iter().flat_map(|summary| summary.five), self.x.spacing)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        const SIZE: i64 = 120;
        let scale = self.scale();
        let widest = self.boxes.iter().map(|summary| label_width(&summary.name, SIZE)).max().unwrap_or(0);
        let left = MARGIN + widest.min((WIDTH - 2 * MARGIN) * 2 / 5) + 100;
        let top = canvas.y + 220;
        let lines: Vec<_> =
            (self.boxes.iter()).map(|summary| wrapped(&summary.name, SIZE * 23 / 20, left - MARGIN - 100)).collect();
        let height: i64 = lines.iter().map(|lines| row_height(lines.len())).sum();
        let area = PlotArea { left, top, right: WIDTH - MARGIN, bottom: top + height };
        canvas.horizontal_axis((&self.x, &scale), area);
        let mut y = top;
        for (summary, lines) in self.boxes.iter().zip(&lines) {
            let middle = y + row_height(lines.len()) / 2;
            let first = middle + 42 - (lines.len() as i64 - 1) * 80;
            for (number, line) in lines.iter().enumerate() {
                canvas.text((left - 100, first + 160 * number as i64), "end", SIZE, theme::INK, line);
            }
            if summary.five.iter().all(|&value| scale.shows(value)) {
                draw_box(canvas, summary, summary.five.map(|value| area.x(&scale, value)), middle);
            }
            y += row_height(lines.len());
        }
    }
}

fn row_height(lines: usize) -> i64 {
    ROW + (lines.max(1) as i64 - 1) * 160
}

fn draw_box(canvas: &mut Canvas<'_>, summary: &BoxSummary, [min, low, median, high, max]: [i64; 5], y: i64) {
    const HALF: i64 = 95;
    let style = Style { dashes: "", ..look::style(summary.series) };
    let cap = |x: i64| format!("M{} {}V{}", Px(x), Px(y - 50), Px(y + 50));
    let whiskers = format!("M{} {}H{}M{} {}H{}", Px(min), Px(y), Px(low), Px(high), Px(y), Px(max));
    canvas.stroke(&format!("{whiskers}{}{}", cap(min), cap(max)), style, 14);
    let outline = format!("M{} {}H{}V{}H{}Z", Px(low), Px(y - HALF), Px(high), Px(y + HALF), Px(low));
    canvas.fill(&outline, style.colour, "0.28");
    canvas.stroke(&outline, style, 14);
    let ink = Style { colour: theme::INK, dashes: "" };
    canvas.stroke(&format!("M{} {}V{}", Px(median), Px(y - HALF), Px(y + HALF)), ink, 24);
}

impl BoxPlot {
    /// The sentence that explains a box.
    pub const LEGEND: &'static str = "Box: first to third quartile; thick line: median; whiskers: minimum and maximum.";

    /// Boxes on an axis that suits them.
    pub fn new(label: &str, boxes: Vec<BoxSummary>) -> Self {
        let spacing = super::LineChart::usual_spacing(boxes.iter().flat_map(|summary| summary.five));
        let x = ChartAxis::new(label, if boxes.len() > 1 { spacing } else { Spacing::Linear });
        Self { x, boxes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_numpy() {
        // numpy.percentile([1, 2, 3, 4], [0, 25, 50, 75, 100]) = 1, 1.75, 2.5, 3.25, 4
        let of = |sample: &[f64]| BoxSummary::of(String::new(), 0, sample).map(|summary| summary.five);
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0]), Some([1.0, 1.75, 2.5, 3.25, 4.0]));
        assert_eq!(of(&[7.0]), Some([7.0; 5]));
        assert_eq!(of(&[]), None);
    }
}
