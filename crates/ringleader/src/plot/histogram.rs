//! Histograms.

use super::canvas::{Canvas, LegendSample};
use super::scale::{PlotScale, number_text};
use super::{ChartAxis, Spacing, look};
use crate::picture::svg::Px;

/// The height of the bars.
const HEIGHT: i64 = 2_800;
/// The number of bars, at most.
const MOST_BARS: usize = 60;

/// The distribution of one sample.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HistogramChart {
    /// The quantity.
    pub x: ChartAxis,
    /// The bars: from, to and how many values are at least the first and less than the second.
    pub bars: Vec<(f64, f64, u64)>,
    /// Values to compare with.
    pub marks: Vec<VerticalMark>,
}

/// A value to compare a distribution with.
#[derive(Clone, PartialEq, Debug)]
pub struct VerticalMark {
    /// The value.
    pub value: f64,
    /// Its name in the legend.
    pub name: String,
}

impl HistogramChart {
    /// The histogram of a sample. Whole numbers that lie close together get a bar each; otherwise bars are as wide as
    /// Freedman and Diaconis's rule says, rounded to a round number.
    pub fn of(label: &str, sample: &[f64]) -> Self {
        let mut sorted: Vec<f64> = sample.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let x = ChartAxis::new(label, Spacing::Linear);
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
            return Self { x, ..Self::default() };
        };
        let whole = sorted.iter().all(|value| value.fract() == 0.0);
        let width = bar_width(&sorted, whole);
        let first = (least / width).floor();
        let count = ((most / width).floor() - first) as usize + 1;
        let mut bars: Vec<_> =
            (0..count).map(|bar| ((first + bar as f64) * width, (first + bar as f64 + 1.0) * width, 0)).collect();
        for value in sorted {
            bars[((value / width).floor() - first) as usize].2 += 1;
        }
        Self { x, bars, marks: Vec::new() }
    }

    /// The scales of both axes.
    pub(super) fn scales(&self) -> (PlotScale, PlotScale) {
        let ends = self.bars.iter().flat_map(|&(from, to, _)| [from, to]);
        let x = PlotScale::covering(ends.chain(self.marks.iter().map(|mark| mark.value)), Spacing::Linear);
        (x, PlotScale::from_zero(self.bars.iter().map(|&(.., count)| count as f64)).whole())
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let (x, y) = self.scales();
        let area = canvas.axes((&self.x, &x), (&ChartAxis::new("runs", Spacing::Linear), &y), HEIGHT);
        let bars: String = (self.bars.iter())
            .filter(|&&(.., count)| count > 0)
            .map(|&(from, to, count)| {
                let (left, right) = (area.x(&x, from), area.x(&x, to));
                let gap = if right - left > 60 { 10 } else { 0 };
                let top = area.y(&y, count as f64);
                format!("M{} {}V{}H{}V{}Z", Px(left + gap), Px(area.bottom), Px(top), Px(right - gap), Px(area.bottom))
            })
            .collect();
        canvas.fill(&bars, look::style(0).colour, "0.85");
        canvas.base_line(area);
        let mut legend = Vec::new();
        for (number, mark) in self.marks.iter().enumerate() {
            let at = area.x(&x, mark.value);
            canvas.stroke(&format!("M{} {}V{}", Px(at), Px(area.bottom), Px(area.top)), look::mark(number), 18);
            legend.push((LegendSample::Mark(number), format!("{} = {}", mark.name, number_text(mark.value))));
        }
        canvas.legend(&legend);
    }
}

/// The width of the bars of a sorted sample that is not empty.
fn bar_width(sorted: &[f64], whole: bool) -> f64 {
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    let span = most - least;
    if whole && span < MOST_BARS as f64 {
        return 1.0;
    }
    let quartile = |quarter: usize| sorted[(sorted.len() - 1) * quarter / 4];
    let wanted = 2.0 * (quartile(3) - quartile(1)) / (sorted.len() as f64).cbrt();
    let wanted = wanted.max(span / MOST_BARS as f64 * 1.05).max(f64::MIN_POSITIVE);
    let power = 10f64.powi(wanted.log10().floor() as i32);
    let round = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|&width| width >= wanted);
    let width = round.unwrap_or(wanted);
    if whole { width.max(1.0).round() } else { width }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_close_together_get_a_bar_each() {
        let chart = HistogramChart::of("messages", &[5.0, 3.0, 5.0, 7.0]);
        assert_eq!(chart.bars, [(3.0, 4.0, 1), (4.0, 5.0, 0), (5.0, 6.0, 2), (6.0, 7.0, 0), (7.0, 8.0, 1)]);
    }

    #[test]
    fn every_value_is_in_one_bar_and_bars_are_few() {
        let sample: Vec<f64> = (0..1000u32).map(|index| f64::from(index * index % 7919) / 3.0).collect();
        let chart = HistogramChart::of("time", &sample);
        assert!(chart.bars.len() <= MOST_BARS + 1, "{}", chart.bars.len());
        for &(from, to, count) in &chart.bars {
            assert_eq!(sample.iter().filter(|&&value| from <= value && value < to).count() as u64, count);
        }
        assert_eq!(chart.bars.iter().map(|&(.., count)| count).sum::<u64>(), 1000);
        assert!(HistogramChart::of("time", &[]).bars.is_empty());
        assert_eq!(HistogramChart::of("time", &[2.5]).bars.iter().map(|&(.., count)| count).sum::<u64>(), 1);
    }
}
