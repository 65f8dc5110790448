//! The sheet that charts are drawn on: frame, axes, legend and caption.
//!
//! Lengths are tenths of a pixel, whole numbers, so that equal data have equal figures everywhere.

use super::scale::{PlotScale, number_text};
use super::{Chart, ChartAxis, look};
use crate::picture::svg::{PageHead, Px, Svg, text_width, wrapped};
use crate::picture::theme::{self, Colour, Style, Theme};

/// The width of a figure.
pub(super) const WIDTH: i64 = 7_600;
/// The height of the area in which data are drawn.
pub(super) const HEIGHT: i64 = 3_600;
/// Around everything.
pub(super) const MARGIN: i64 = 280;
/// The size of labels.
const SIZE: i64 = 120;
/// From one line of text to the next.
const LINE: i64 = 180;

/// The area in which data are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotArea {
    pub(super) left: i64,
    pub(super) top: i64,
    pub(super) right: i64,
    pub(super) bottom: i64,
}

impl PlotArea {
    /// Where a value is across.
    pub(super) fn x(&self, scale: &PlotScale, value: f64) -> i64 {
        self.left + (scale.part(value) * (self.right - self.left) as f64).round() as i64
    }

    /// Where a value is upwards.
    pub(super) fn y(&self, scale: &PlotScale, value: f64) -> i64 {
        self.bottom - (scale.part(value) * (self.bottom - self.top) as f64).round() as i64
    }
}

/// A sample in a legend.
#[derive(Clone, Copy, Debug)]
pub(super) enum LegendSample {
    /// A measured series, by its number.
    Series(usize),
    /// A curve in the colour of a series, with these dashes.
    Curve(usize, &'static str),
    /// A vertical line, by its number.
    Mark(usize),
    /// A coloured area.
    Swatch(Colour),
    /// Nothing.
    Blank,
}

/// A figure in the making, from the top down.
pub(super) struct Canvas<'a> {
    chart: &'a Chart,
    pub(super) theme: Theme,
    pub(super) svg: Svg,
    /// The end of what was drawn.
    pub(super) y: i64,
}

/// The width of a text, estimated for wide fonts, so that nothing overlaps.
pub(super) fn label_width(text: &str, size: i64) -> i64 {
    text_width(text, size) * 23 / 20
}

impl<'a> Canvas<'a> {
    /// A sheet with the title of a chart.
    pub(super) fn new(chart: &'a Chart, theme: Theme) -> Self {
        let mut canvas = Self { chart, theme, svg: Svg::default(), y: 420 };
        let room = WIDTH - 2 * MARGIN;
        for (index, line) in wrapped(&chart.title, 195, room).iter().enumerate() {
            canvas.y += if index > 0 { 240 } else { 0 };
            let y = Px(canvas.y);
            canvas.svg.text("text", &[("x", &Px(MARGIN)), ("y", &y), ("font-size", &17), ("font-weight", &600)], line);
        }
        for line in wrapped(&chart.subtitle, 140, room) {
            canvas.y += 200;
            canvas.text((MARGIN, canvas.y), "", 125, theme::PALE, &line);
        }
        canvas
    }

    /// A text; anchored at its start, its middle or its end.
    pub(super) fn text(&mut self, (x, y): (i64, i64), anchor: &str, size: i64, colour: Colour, text: &str) {
        let colour = self.theme.of(colour);
        self.svg.text(
            "text",
            &[("x", &Px(x)), ("y", &Px(y)), ("text-anchor", &anchor), ("font-size", &Px(size)), ("fill", &colour)],
            text,
        );
    }

    /// Lines and shapes in one stroke.
    pub(super) fn stroke(&mut self, path: &str, style: Style, width: i64) {
        if !path.is_empty() {
            let colour = self.theme.of(style.colour);
            let attributes: [(&'static str, &dyn std::fmt::Display); 6] = [
                ("d", &path),
                ("fill", &"none"),
                ("stroke", &colour),
                ("stroke-width", &Px(width)),
                ("stroke-dasharray", &style.dashes),
                ("stroke-linejoin", &"round"),
            ];
            self.svg.empty("path", &attributes);
        }
    }

    /// An area of one colour.
    pub(super) fn fill(&mut self, path: &str, colour: Colour, opacity: &str) {
        let colour = self.theme.of(colour);
        self.svg.empty("path", &[("d", &path), ("fill", &colour), ("fill-opacity", &opacity)]);
    }

    /// The marker of a series, on the paper so that lines behind it do not disturb it.
    pub(super) fn marker(&mut self, series: usize, x: i64, y: i64) {
        let (colour, paper) = (self.theme.of(look::style(series).colour), self.theme.of(theme::PAPER));
        let (path, open) = look::shape(series);
        let place = format!("translate({} {})", Px(x), Px(y));
        let fill = if open { paper } else { colour };
        self.svg.empty(
            "path",
            &[
                ("d", &path),
                ("transform", &place),
                ("fill", &fill),
                ("stroke", if open { &colour } else { &paper }),
                ("stroke-width", if open { &"1.8" } else { &"1" }),
            ],
        );
    }

    /// Axes with ticks around the data: the area that is left. The name of the vertical axis stands above it.
    pub(super) fn axes(&mut self, x: (&ChartAxis, &PlotScale), y: (&ChartAxis, &PlotScale), height: i64) -> PlotArea {
        let labels: Vec<(f64, String)> = y.1.ticks(7).into_iter().map(|tick| (tick, number_text(tick))).collect();
        let widest = labels.iter().map(|(_, label)| label_width(label, SIZE)).max().unwrap_or(0);
        let top = self.y + 480;
        let area = PlotArea { left: MARGIN + widest + 80, top, right: WIDTH - MARGIN, bottom: top + height };
        self.text((MARGIN, top - 150), "", SIZE, theme::INK, &y.0.label);
        for (tick, label) in labels {
            let at = area.y(y.1, tick);
            self.rule(&format!("M{} {}H{}", Px(area.left), Px(at), Px(area.right)));
            self.text((area.left - 80, at + 42), "end", SIZE, theme::PALE, &label);
        }
        self.horizontal_axis(x, area);
        area
    }

    /// The horizontal axis below an area, with the lines of its ticks through the area.
    pub(super) fn horizontal_axis(&mut self, (axis, scale): (&ChartAxis, &PlotScale), area: PlotArea) {
        for tick in fitting(scale, area) {
            let at = area.x(scale, tick);
            self.rule(&format!("M{} {}V{}", Px(at), Px(area.top), Px(area.bottom)));
            self.text((at, area.bottom + 180), "middle", SIZE, theme::PALE, &number_text(tick));
        }
        self.base_line(area);
        self.text(((area.left + area.right) / 2, area.bottom + 390), "middle", SIZE, theme::INK, &axis.label);
        self.y = area.bottom + 420;
    }

    /// The line at the foot of an area.
    pub(super) fn base_line(&mut self, area: PlotArea) {
        let style = Style { colour: theme::COLUMN, dashes: "" };
        self.stroke(&format!("M{} {}H{}", Px(area.left), Px(area.bottom), Px(area.right)), style, 12);
    }

    fn rule(&mut self, path: &str) {
        self.stroke(path, Style { colour: theme::GRID, dashes: "" }, 10);
    }

    /// The legend, in as many lines as it needs.
    pub(super) fn legend(&mut self, entries: &[(LegendSample, String)]) {
        const SAMPLE: i64 = 400;
        let mut x = MARGIN;
        // A series stands in front of its bounds.
        let apart = entries.iter().any(|(sample, _)| matches!(sample, LegendSample::Curve(..)));
        self.y += 120;
        for (index, (sample, text)) in entries.iter().enumerate() {
            let blank = matches!(sample, LegendSample::Blank);
            let shift = if blank { 0 } else { SAMPLE };
            let lines = wrapped(text, 130, WIDTH - 2 * MARGIN - shift);
            let width = shift + lines.iter().map(|line| label_width(line, SIZE)).max().unwrap_or(0);
            let begins = apart && matches!(sample, LegendSample::Series(_));
            if index == 0 || begins || x + width > WIDTH - MARGIN {
                (x, self.y) = (MARGIN, self.y + 210);
            }
            self.sample(*sample, x, self.y - 42);
            for (number, line) in lines.iter().enumerate() {
                self.y += if number > 0 { LINE } else { 0 };
                self.text((x + shift, self.y), "", SIZE, theme::INK, line);
            }
            x = if lines.len() > 1 { WIDTH } else { x + width + 260 };
        }
    }

    fn sample(&mut self, sample: LegendSample, x: i64, y: i64) {
        let line = |y: i64| format!("M{} {}h30", Px(x), Px(y));
        match sample {
            LegendSample::Series(series) => {
                self.stroke(&line(y), Style { dashes: "", ..look::style(series) }, 20);
                self.marker(series, x + 150, y);
            }
            LegendSample::Curve(series, dashes) => {
                self.stroke(&line(y), Style { dashes, ..look::style(series) }, 18);
            }
            LegendSample::Mark(number) => {
                self.stroke(&format!("M{} {}v14", Px(x + 150), Px(y - 70)), look::mark(number), 20);
            }
            LegendSample::Swatch(colour) => {
                self.fill(&format!("M{} {}h26v14h-26Z", Px(x), Px(y - 70)), colour, "");
            }
            LegendSample::Blank => {}
        }
    }

    /// The document: notes and the caption below, the head around.
    pub(super) fn finish(mut self, id: &str) -> String {
        let chart = self.chart;
        let room = WIDTH - 2 * MARGIN;
        if !chart.notes.is_empty() {
            self.y += 120;
        }
        for line in chart.notes.iter().flat_map(|note| wrapped(note, 126, room)) {
            self.y += LINE + 10;
            self.text((MARGIN, self.y), "", SIZE, theme::PALE, &line);
        }
        self.y += 140;
        for line in chart.origin.lines().iter().flat_map(|line| wrapped(line, 111, room)) {
            self.y += 165;
            self.text((MARGIN, self.y), "", 105, theme::PALE, &line);
        }
        let mut svg = Svg::default();
        let title = format!("{}. {}", chart.title, chart.subtitle);
        let description = format!("{} {}", chart.origin.lines().join(" "), chart.notes.join(" "));
        let height = self.y + MARGIN;
        svg.begin(&PageHead { width: WIDTH, height, title: &title, description: &description, id }, self.theme);
        svg.append(&self.svg);
        svg.finish()
    }
}

/// As many ticks as there is room for.
fn fitting(scale: &PlotScale, area: PlotArea) -> Vec<f64> {
    let fits = |ticks: &Vec<f64>| {
        let labels = ticks.iter().map(|&tick| (area.x(scale, tick), label_width(&number_text(tick), SIZE) / 2));
        let labels: Vec<_> = labels.collect();
        labels.windows(2).all(|pair| pair[1].0 - pair[1].1 - (pair[0].0 + pair[0].1) >= 100)
            && labels.iter().all(|(at, half)| at + half <= WIDTH - 100)
    };
    (2..=12).rev().map(|most| scale.ticks(most)).find(fits).unwrap_or_default()
}
