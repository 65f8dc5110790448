//! Line charts: measured series with intervals, and the curves of bounds.

use ringleader_model::BoundKind;

use super::canvas::{Canvas, HEIGHT, LegendSample, PlotArea};
use super::scale::PlotScale;
use super::{ChartAxis, Spacing, look};
use crate::picture::svg::Px;
use crate::picture::theme::Style;

/// Measured series with intervals, and the curves of bounds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LineChart {
    /// The horizontal axis.
    pub x: ChartAxis,
    /// The vertical axis; where it is linear it begins at 0.
    pub y: ChartAxis,
    /// The measured series.
    pub series: Vec<DataSeries>,
    /// The bounds.
    pub curves: Vec<BoundCurve>,
}

/// A measured series.
#[derive(Clone, PartialEq, Debug)]
pub struct DataSeries {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<DataPoint>,
}

/// A measured point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DataPoint {
    /// Where it was measured.
    pub x: f64,
    /// The mean.
    pub y: f64,
    /// The ends of its confidence interval.
    pub interval: Option<(f64, f64)>,
}

/// The curve of a bound.
#[derive(Clone, PartialEq, Debug)]
pub struct BoundCurve {
    /// The number of the series that it bounds, whose colour it has.
    pub series: usize,
    /// Its formula, and where it is from.
    pub name: String,
    /// In what sense it is a bound.
    pub kind: BoundKind,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

impl LineChart {
    /// Logarithmic axes for data that span at least three doublings and are positive everywhere; linear ones otherwise.
    pub fn usual_spacing(values: impl Iterator<Item = f64>) -> Spacing {
        let (mut least, mut most) = (f64::INFINITY, 0f64);
        for value in values {
            (least, most) = (least.min(value), most.max(value));
        }
        if least > 0.0 && most >= 8.0 * least { Spacing::Logarithmic } else { Spacing::Linear }
    }

    /// The scales of both axes.
    pub(super) fn scales(&self) -> (PlotScale, PlotScale) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let curves = || self.curves.iter().flat_map(|curve| &curve.points);
        let x = points().map(|point| point.x).chain(curves().map(|&(x, _)| x));
        let ends = points().filter_map(|point| point.interval).flat_map(|(low, high)| [low, high]);
        let y = points().map(|point| point.y).chain(ends).chain(curves().map(|&(_, y)| y));
        let y = match self.y.spacing {
            Spacing::Linear => PlotScale::from_zero(y),
            Spacing::Logarithmic => PlotScale::covering(y, Spacing::Logarithmic),
        };
        (PlotScale::covering(x, self.x.spacing), y)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let (x, y) = self.scales();
        let area = canvas.axes((&self.x, &x), (&self.y, &y), HEIGHT);
        let place = |(at, value): (f64, f64)| (area.x(&x, at), area.y(&y, value));
        let shown = |&(at, value): &(f64, f64)| x.shows(at) && y.shows(value);
        for curve in &self.curves {
            let points = curve.points.iter().copied().filter(shown).map(place);
            let style = Style { dashes: look::dashes(curve.kind), ..look::style(curve.series) };
            canvas.stroke(&polyline(points), style, 18);
        }
        for (number, series) in self.series.iter().enumerate() {
            let style = Style { dashes: "", ..look::style(number) };
            let means: Vec<_> = series.points.iter().map(|point| (point.x, point.y)).filter(shown).map(place).collect();
            let ends = |point: &DataPoint| point.interval.map(|(low, high)| [(point.x, low), (point.x, high)]);
            let intervals = series.points.iter().filter_map(ends).filter(|ends| ends.iter().all(shown));
            let intervals: Vec<_> = intervals.map(|ends| ends.map(place)).collect();
            let band = intervals.iter().map(|ends| ends[1]).chain(intervals.iter().rev().map(|ends| ends[0]));
            canvas.fill(&polyline(band), style.colour, "0.18");
            let whiskers: String = intervals.iter().map(|&[low, high]| whisker(low, high, area)).collect();
            canvas.stroke(&whiskers, style, 12);
            canvas.stroke(&polyline(means.iter().copied()), style, 20);
            for (at, value) in means {
                canvas.marker(number, at, value);
            }
        }
        canvas.legend(&self.legend());
    }

    /// Every series, followed by its bounds.
    fn legend(&self) -> Vec<(LegendSample, String)> {
        let mut entries = Vec::new();
        for (number, series) in self.series.iter().enumerate() {
            entries.push((LegendSample::Series(number), series.name.clone()));
            for curve in self.curves.iter().filter(|curve| curve.series == number) {
                entries.push((LegendSample::Curve(number, look::dashes(curve.kind)), curve.name.clone()));
            }
        }
        entries
    }
}

fn polyline(points: impl Iterator<Item = (i64, i64)>) -> String {
    let step =
        |(index, (x, y)): (usize, (i64, i64))| format!("{}{} {}", if index == 0 { 'M' } else { 'L' }, Px(x), Px(y));
    points.enumerate().map(step).collect()
}

/// A vertical line with caps, within the area.
fn whisker((x, low): (i64, i64), (_, high): (i64, i64), area: PlotArea) -> String {
    let cap = 35;
    let bar = |y: i64| format!("M{} {}H{}", Px(x - cap), Px(y), Px(x + cap));
    let (low, high) = (low.min(area.bottom), high.max(area.top));
    format!("M{} {}V{}{}{}", Px(x), Px(low), Px(high), bar(low), bar(high))
}
