//! The page around a picture: frame, title, notes, violations and legend.

use ringleader_model::TimingChange;

use super::legend::{LegendEntry, Symbols};
use super::svg::{PageHead, Px, Svg, text_width, wrapped};
use super::theme::{self, Theme};
use super::{RunInfo, grouped};

/// Around everything.
pub(super) const MARGIN: i64 = 280;
/// From one line of notes to the next.
const LINE: i64 = 190;

/// The text of a page.
pub(super) struct Page<'a> {
    info: &'a RunInfo<'a>,
    theme: Theme,
    pub(super) width: i64,
    /// Notes on the picture: the part of the run that it shows.
    notes: Vec<String>,
    /// The violations, and where they are.
    violations: Vec<String>,
    /// For those who cannot see it.
    about: &'static str,
}

impl<'a> Page<'a> {
    /// A page for a picture of this width, or wider if its title needs that.
    pub(super) fn new(info: &'a RunInfo<'a>, theme: Theme, width: i64, about: &'static str) -> Self {
        let words = text_width(&info.title, 200).max(text_width(&info.subtitle, 140)) + 2 * MARGIN;
        let mut page = Self { info, theme, width: width.max(words), notes: Vec::new(), violations: Vec::new(), about };
        for TimingChange { from, r, d } in info.changes {
            page.note(&format!("From {} on: r {r}, d {d}", grouped(from)));
        }
        page
    }

    /// Adds a note.
    pub(super) fn note(&mut self, note: &str) {
        self.notes.extend(self.wrapped(note));
    }

    /// Adds a violation, or where it is.
    pub(super) fn add_violation(&mut self, text: &str) {
        self.violations.extend(self.wrapped(text));
    }

    /// The height of the title and the notes.
    pub(super) fn top(&self) -> i64 {
        640 + LINE * (self.notes.len() + self.violations.len()) as i64
    }

    /// The document with this picture, which ends at this height, and its legend below.
    pub(super) fn finish(&self, body: &Svg, bottom: i64, legend: &[LegendEntry], symbols: &Symbols) -> String {
        let height = legend.last().map_or(bottom, |&(_, y, ..)| y) + MARGIN;
        let mut svg = Svg::default();
        self.begin(height, &mut svg);
        svg.append(body);
        for (x, y, symbol, text) in legend {
            svg.open("g", &[("transform", &format!("translate({} {})", Px(*x), Px(*y)))]);
            symbols.shape(*symbol, &mut svg);
            svg.text("text", &[("x", &34)], text);
            svg.close();
        }
        svg.finish()
    }

    fn begin(&self, height: i64, svg: &mut Svg) {
        let (width, theme) = (self.width, self.theme);
        let RunInfo { title, subtitle, rerun, .. } = self.info;
        let (head, description) = (format!("{title}. {subtitle}"), format!("{} Repeat the run: {rerun}", self.about));
        svg.begin(&PageHead { width, height, title: &head, description: &description, id: "" }, theme);
        let x = Px(MARGIN);
        svg.text("text", &[("x", &x), ("y", &42), ("font-size", &18), ("font-weight", &600)], title);
        let pale = theme.of(theme::PALE);
        svg.text("text", &[("x", &x), ("y", &64), ("font-size", &13), ("fill", &pale)], subtitle);
        let mut y = 640;
        for (lines, colour) in [(&self.notes, theme::PALE), (&self.violations, theme::RED)] {
            for line in lines {
                y += LINE;
                let colour = theme.of(colour);
                svg.text("text", &[("x", &x), ("y", &Px(y)), ("font-size", &13), ("fill", &colour)], line);
            }
        }
    }

    /// A text in lines that fit.
    fn wrapped(&self, text: &str) -> Vec<String> {
        wrapped(text, 130, self.width - 2 * MARGIN)
    }
}
