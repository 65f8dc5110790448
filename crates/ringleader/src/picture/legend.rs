//! The symbols of a picture, and the legend that explains those that were drawn.

use std::collections::BTreeSet;

use super::intervals::Activity;
use super::svg::{Px, Svg, text_width};
use super::theme::{self, Colour, Style, Theme};

/// A symbol that a picture may contain, in the order of the legend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Symbol {
    /// A message, by the rank of its kind.
    Message(usize),
    /// A message that led to the leader.
    Leading(usize),
    Waits,
    Discarded,
    Pending,
    Lost,
    /// The arrival of a message is decided.
    Delayed,
    /// The copy of a message.
    Copied,
    Star,
    Follows,
    Task,
    Requested,
    Numbered,
    Other,
    Interval(Activity),
    TokenInserted,
    TokenRemoved,
    Crash,
    Restart,
    Pause,
    Cut,
    Heal,
    Overlap,
    Violation,
    Break,
    /// Timing changes.
    Change,
    /// An instant that is drawn as if it took time.
    Instant,
    /// A cell of an overview, by its shade.
    Density(usize),
    /// A cell of an overview with more announcements than other messages.
    Announcements,
    /// A cell of an overview in which somebody is inside.
    Inside(Activity),
    /// The path of the messages that led to the leader, in an overview.
    Path,
}

const STAR: &str = "M0-11 2.7-3.7 10.5-3.4 4.4 1.4 6.5 8.9 0 4.6-6.5 8.9-4.4 1.4-10.5-3.4-2.7-3.7Z";
/// From one entry of the legend to the next.
const SPACE: i64 = 240;
/// From one line of the legend to the next.
pub(super) const LINE: i64 = 240;

/// The symbols that were drawn, and what they look like.
pub(super) struct Symbols {
    pub(super) theme: Theme,
    /// By rank, the look of each kind of messages.
    pub(super) styles: Vec<Style>,
    drawn: BTreeSet<Symbol>,
}

/// An entry of a legend: where it is, its symbol and its text.
pub(super) type LegendEntry = (i64, i64, Symbol, String);

impl Symbols {
    pub(super) const fn new(theme: Theme, styles: Vec<Style>) -> Self {
        Self { theme, styles, drawn: BTreeSet::new() }
    }

    /// Notes that a symbol was drawn.
    pub(super) fn note(&mut self, symbol: Symbol) {
        self.drawn.insert(symbol);
    }

    /// Draws a symbol whose middle is here.
    pub(super) fn draw(&mut self, symbol: Symbol, x: i64, y: i64, opacity: &str, svg: &mut Svg) {
        self.note(symbol);
        let place = format!("translate({} {})", Px(x - 130), Px(y + 40));
        svg.open("g", &[("transform", &place), ("opacity", &opacity)]);
        self.shape(symbol, svg);
        svg.close();
    }

    /// The legend of everything that was drawn, from this line down.
    pub(super) fn legend(&self, left: i64, right: i64, y: i64, name: impl Fn(Symbol) -> String) -> Vec<LegendEntry> {
        let (mut x, mut y) = (left, y);
        let placed = self.drawn.iter().map(|&symbol| {
            let text = name(symbol);
            let wide = 340 + text_width(&text, 132);
            if x > left && x + wide > right {
                (x, y) = (left, y + LINE);
            }
            x += wide + SPACE;
            (x - wide - SPACE, y, symbol, text)
        });
        placed.collect()
    }

    /// A symbol in a box 26 pixels wide, as high as a line of text.
    pub(super) fn shape(&self, symbol: Symbol, svg: &mut Svg) {
        let pale = theme::PALE;
        match symbol {
            Symbol::Message(rank) => self.arrow(self.styles[rank], "1.8", svg),
            Symbol::Leading(rank) => self.arrow(self.styles[rank], "3", svg),
            Symbol::Waits => self.stroke("M5-11 13-8V0l8 3", pale, "1.8", "", svg),
            Symbol::Discarded => self.stroke("M4-4h16m0-5v10", pale, "1.8", "", svg),
            Symbol::Pending => self.stroke("M5-12l3.5 3.5m3.5 3.5l3.5 3.5m3.5 3.5l3.5 3.5", pale, "1.8", "", svg),
            Symbol::Lost => self.stroke("M8-9l10 10m0-10-10 10", theme::RED, "1.8", "", svg),
            Symbol::Delayed => self.stroke("M8-11h10L8 3h10Z", theme::RED, "1.8", "", svg),
            Symbol::Copied => self.stroke("M7-10h7v7H7ZM14-6h4v7h-7v-4", theme::RED, "1.6", "", svg),
            Symbol::Crash => self.stroke("M8-9l10 10m0-10-10 10", theme::RED, "3", "", svg),
            Symbol::Restart => self.stroke("M8-4a5 5 0 1 0 5-5H9m3-3-3 3 3 3", theme::INK, "1.6", "", svg),
            Symbol::Pause => self.stroke("M10-9v10m6-10v10", theme::RED, "2.4", "", svg),
            Symbol::Cut => self.stroke("M6-7h14M6-1h14", theme::RED, "2.4", "", svg),
            Symbol::Heal => self.stroke("M6-7h14M6-1h14", theme::INK, "1.2", "", svg),
            Symbol::Star => self.filled(STAR, "translate(13 -4)", theme::GOLD, theme::PAPER, svg),
            Symbol::Follows => self.dot(theme::INK, theme::PAPER, svg),
            Symbol::Requested => self.dot(theme::PAPER, theme::INK, svg),
            Symbol::Numbered | Symbol::Other => self.dot(theme::PALE, theme::INK, svg),
            Symbol::Task => {
                self.filled("M0-5 5 0 0 5-5 0Z", "translate(13 -4)", theme::ANNOUNCEMENTS[0].colour, theme::PAPER, svg);
            }
            Symbol::TokenInserted => {
                self.dot(theme::PAPER, theme::INK, svg);
                self.stroke("M13-9.5v11M7.5-4h11", theme::INK, "1.6", "", svg);
            }
            Symbol::TokenRemoved => {
                self.dot(theme::PAPER, theme::INK, svg);
                self.stroke("M9-8l8 8m0-8-8 8", theme::INK, "1.6", "", svg);
            }
            Symbol::Interval(activity) => self.bar(activity, 130, -100, 120, svg),
            Symbol::Overlap => {
                self.rectangle(20, -110, 220, 140, theme::VIOLATION_BACKGROUND, svg);
                self.stroke("M2-11h22M2 3h22", theme::RED, "1", "3 2", svg);
            }
            Symbol::Violation => self.badge(130, -40, "1", svg),
            Symbol::Break => self.stroke("M2-4l3-4 4 8 4-8 4 8 4-8 3 4", pale, "1.2", "", svg),
            Symbol::Change => self.stroke("M2-4h22", theme::INK, "1", "6 3", svg),
            Symbol::Instant => self.rectangle(20, -90, 220, 100, theme::INSTANT, svg),
            Symbol::Density(shade) => self.rectangle(60, -110, 140, 140, theme::DENSITY[shade], svg),
            Symbol::Announcements => self.rectangle(60, -110, 140, 140, theme::ANNOUNCEMENTS[0].colour, svg),
            Symbol::Inside(activity) => {
                let (inset, colour) = inside(activity);
                self.rectangle(60, -110 + 140 * inset / 100, 140, 140 - 280 * inset / 100, colour, svg);
            }
            Symbol::Path => self.stroke("M2-10l22 12", theme::WRITER, "2.4", "", svg),
        }
    }

    /// The bar of an activity along the line of a processor.
    pub(super) fn bar(&self, activity: Activity, x: i64, y: i64, height: i64, svg: &mut Svg) {
        let (half, colour) = match activity {
            Activity::Trying => (15, theme::TRYING),
            Activity::Critical | Activity::Token => (45, theme::GOLD),
            Activity::Reading | Activity::Abandoned => (45, theme::READER),
            Activity::Writing => (45, theme::WRITER),
        };
        match activity {
            Activity::Trying | Activity::Critical | Activity::Token | Activity::Writing => {
                self.rectangle(x - half, y, 2 * half, height, colour, svg);
            }
            Activity::Reading => {
                self.rectangle(x - half, y, 2 * half, height, colour, svg);
                self.stroke(&hatching(x - half, y, 2 * half, height), theme::PAPER, "1.3", "", svg);
            }
            Activity::Abandoned => {
                let outline = format!("M{} {}h{}v{}h-{}Z", Px(x - half), Px(y), Px(90), Px(height), Px(90));
                self.stroke(&outline, colour, "1.2", "", svg);
            }
        }
    }

    /// A number that the text of a violation repeats.
    pub(super) fn badge(&self, x: i64, y: i64, number: &str, svg: &mut Svg) {
        let (red, paper) = (self.theme.of(theme::RED), self.theme.of(theme::PAPER));
        svg.empty("circle", &[("cx", &Px(x)), ("cy", &Px(y)), ("r", &7), ("fill", &red), ("stroke", &paper)]);
        svg.text(
            "text",
            &[
                ("x", &Px(x)),
                ("y", &Px(y + 35)),
                ("text-anchor", &"middle"),
                ("font-size", &10),
                ("font-weight", &700),
                ("fill", &paper),
            ],
            number,
        );
    }

    pub(super) fn stroke(&self, path: &str, colour: Colour, width: &str, dashes: &str, svg: &mut Svg) {
        svg.empty(
            "path",
            &[
                ("d", &path),
                ("fill", &"none"),
                ("stroke", &self.theme.of(colour)),
                ("stroke-width", &width),
                ("stroke-dasharray", &dashes),
                ("stroke-linecap", &"round"),
            ],
        );
    }

    pub(super) fn rectangle(&self, x: i64, y: i64, width: i64, height: i64, colour: Colour, svg: &mut Svg) {
        svg.empty(
            "rect",
            &[
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("width", &Px(width)),
                ("height", &Px(height)),
                ("fill", &self.theme.of(colour)),
            ],
        );
    }

    fn arrow(&self, style: Style, width: &str, svg: &mut Svg) {
        self.stroke("M0-4h22", style.colour, width, style.dashes, svg);
        svg.empty("path", &[("d", &"M27-4l-7 3.5v-7Z"), ("fill", &self.theme.of(style.colour))]);
    }

    fn filled(&self, path: &str, place: &str, fill: Colour, edge: Colour, svg: &mut Svg) {
        let (fill, edge) = (self.theme.of(fill), self.theme.of(edge));
        svg.empty("path", &[("d", &path), ("transform", &place), ("fill", &fill), ("stroke", &edge)]);
    }

    fn dot(&self, fill: Colour, edge: Colour, svg: &mut Svg) {
        let (fill, edge) = (self.theme.of(fill), self.theme.of(edge));
        svg.empty("circle", &[("cx", &13), ("cy", &-4), ("r", &"3.2"), ("fill", &fill), ("stroke", &edge)]);
    }
}

/// The look of somebody inside in an overview: how much of a row is left free above and below, in percent, and the colour.
pub(super) const fn inside(activity: Activity) -> (i64, Colour) {
    match activity {
        Activity::Reading | Activity::Abandoned => (25, theme::READER),
        Activity::Writing => (0, theme::WRITER),
        Activity::Critical | Activity::Token | Activity::Trying => (0, theme::GOLD),
    }
}

/// Lines across a bar, rising to the right, five pixels apart.
fn hatching(x: i64, y: i64, width: i64, height: i64) -> String {
    let rise = width.min(height);
    let lines = (0..).map(|line| y + height - line * 50).take_while(|&low| low - rise >= y);
    lines.map(|low| format!("M{} {}l{} -{}", Px(x), Px(low), Px(width), Px(rise))).collect()
}
