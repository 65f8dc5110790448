//! One moment of a run as a picture: the network, what each processor is, and the messages on their way.

use std::f64::consts::TAU;
use std::fmt::Write;

use ringleader_model::{Kind, Part, Place, ProcessorState, Topology};
use ringleader_sim::{InspectableRun, MessageStage, MessageView, ProcessorStatus};

use super::page::{MARGIN, Page};
use super::svg::{Attribute, Px, Svg, text_width};
use super::theme::{self, ANNOUNCEMENTS, Colour, Style, Theme, WORK};
use super::{RunInfo, grouped};
use crate::picture::legend::Symbols;

/// The width of a picture.
const WIDTH: i64 = 6_400;
/// From the border of the network to what is around it.
const AROUND: i64 = 500;
/// The radius of a processor where there is room for it, and the least one.
const RADIUS: i64 = 230;
const LEAST_RADIUS: i64 = 12;
/// The radius of a message.
const MESSAGE: i64 = 75;
/// Processors that are smaller have no names.
const NAMED_RADIUS: i64 = 70;
/// More links of a complete network, and more messages, are not drawn.
const MOST_LINKS: usize = 200;
const MOST_MESSAGES: usize = 500;
const ABOUT: &str = "A moment of a run: the network, its processors and the messages on their way.";
const STAR: &str = "M0-15 3.6-5 14.3-4.6 5.9 1.9 8.8 12.1 0 6.2-8.8 12.1-5.9 1.9-14.3-4.6-3.6-5Z";

/// More processors than this cannot be told apart in a picture.
pub const MOST_PLACES: usize = 1_000;

/// The picture of a run as it stands; `None` if it has too many processors.
pub fn moment(info: &RunInfo<'_>, run: &dyn InspectableRun, theme: Theme) -> Option<String> {
    if info.n > MOST_PLACES {
        return None;
    }
    let mut page = Page::new(info, theme, WIDTH, ABOUT);
    let (name, now) = (if info.untimed { "Step" } else { "Time" }, run.run_position().time);
    page.note(&format!("{name} {}", grouped(now)));
    let messages = run.in_flight();
    if messages.len() > MOST_MESSAGES {
        page.note(&format!("{MOST_MESSAGES} of {} messages are shown.", grouped(messages.len())));
    }
    for violation in info.violations {
        page.add_violation(&format!("Violated: {} ({})", violation.property, violation.detail));
    }
    let centre = (page.width / 2, page.top() + AROUND + HALF);
    let mut picture = Moment { info, theme, now, centre, body: Svg::default() };
    picture.draw_links();
    let mut statuses = Vec::new();
    run.statuses(&mut statuses);
    for (place, (status, _)) in (0..).zip(&statuses) {
        picture.draw_processor(place, *status);
    }
    for message in messages.iter().take(MOST_MESSAGES) {
        picture.draw_message(message);
    }
    let bottom = centre.1 + HALF + AROUND;
    Some(page.finish(&picture.body, bottom, &[], &Symbols::new(theme, Vec::new())))
}

/// Half of the network's width.
const HALF: i64 = WIDTH / 2 - AROUND - MARGIN;

/// A picture in the making.
struct Moment<'a> {
    info: &'a RunInfo<'a>,
    theme: Theme,
    now: u64,
    centre: (i64, i64),
    body: Svg,
}

impl Moment<'_> {
    fn colour(&self, colour: Colour) -> &'static str {
        self.theme.of(colour)
    }

    /// The middle of a processor, or of a point that many tenths of a pixel farther out.
    fn point(&self, place: Place, out: i64) -> (i64, i64) {
        let angle = TAU * f64::from(place) / self.info.n as f64;
        let ((x, y), far) = (self.centre, (HALF + out) as f64);
        (x + (far * angle.sin()).round() as i64, y - (far * angle.cos()).round() as i64)
    }

    fn radius(&self) -> i64 {
        (HALF * 2 / self.info.n.max(1) as i64).clamp(LEAST_RADIUS, RADIUS)
    }

    fn draw_links(&mut self) {
        let (mut path, n) = (String::new(), self.info.n as Place);
        let complete = self.info.topology == Topology::Complete;
        let links: Vec<(Place, Place)> = match complete {
            true => (0..n).flat_map(|one| (0..one).map(move |other| (one, other))).collect(),
            false => (0..n).map(|one| (one, (one + 1) % n)).collect(),
        };
        if !complete || links.len() <= MOST_LINKS {
            for (one, other) in links {
                let ((x1, y1), (x2, y2)) = (self.point(one, 0), self.point(other, 0));
                let _ = write!(path, "M{} {}L{} {}", Px(x1), Px(y1), Px(x2), Px(y2));
            }
        }
        let colour = self.colour(if complete { theme::GRID } else { theme::COLUMN });
        self.body.empty("path", &[("d", &path), ("fill", &"none"), ("stroke", &colour), ("stroke-width", &"1.6")]);
    }

    fn draw_processor(&mut self, place: Place, status: ProcessorStatus) {
        let ((x, y), r) = (self.point(place, 0), self.radius());
        let (fill, edge, dashes) = look(status.state);
        let (fill, edge) = (self.colour(fill), self.colour(edge));
        let (left, top, size) = (Px(x - r), Px(y - r), Px(2 * r));
        let look: [Attribute<'_>; 4] =
            [("fill", &fill), ("stroke", &edge), ("stroke-width", &"1.8"), ("stroke-dasharray", &dashes)];
        let square = matches!(status.state, ProcessorState::Remainder | ProcessorState::Critical);
        if square || status.state == ProcessorState::Cell {
            let shape: [Attribute<'_>; 4] = [("x", &left), ("y", &top), ("width", &size), ("height", &size)];
            self.body.empty("rect", &[shape.as_slice(), look.as_slice()].concat());
        } else {
            let shape: [Attribute<'_>; 3] = [("cx", &Px(x)), ("cy", &Px(y)), ("r", &Px(r))];
            self.body.empty("circle", &[shape.as_slice(), look.as_slice()].concat());
        }
        if status.state == ProcessorState::Leader {
            let (x, y) = self.point(place, r + 200);
            let transform = format!("translate({} {})", Px(x), Px(y));
            let (gold, paper) = (self.colour(theme::GOLD), self.colour(theme::PAPER));
            let look: [Attribute<'_>; 4] =
                [("d", &STAR), ("transform", &transform), ("fill", &gold), ("stroke", &paper)];
            self.body.empty("path", &look);
        }
        let red = self.colour(theme::RED);
        let mark = match status {
            ProcessorStatus { crashed: true, .. } => {
                format!("M{0} {1}l{2} {2}m0-{2}l-{2} {2}", Px(x - r), Px(y - r), Px(2 * r))
            }
            ProcessorStatus { paused: true, .. } => {
                format!("M{0} {1}v{2}m{3}-{2}v{2}", Px(x - r / 3), Px(y - r), Px(2 * r), Px(2 * r / 3))
            }
            _ => String::new(),
        };
        if !mark.is_empty() {
            self.body.empty("path", &[("d", &mark), ("stroke", &red), ("stroke-width", &3), ("fill", &"none")]);
        }
        self.draw_name(place);
    }

    /// The identity of a processor, or its place where there are none.
    fn draw_name(&mut self, place: Place) {
        let r = self.radius();
        if r < NAMED_RADIUS {
            return;
        }
        let size = (r * 9 / 10).clamp(80, 150);
        let label = self.info.ids.get(place as usize).map_or_else(|| place.to_string(), u64::to_string);
        let inside = text_width(&label, size) <= 2 * r;
        let (x, y) = if inside { self.point(place, 0) } else { self.point(place, r + 150) };
        let look: [Attribute<'_>; 5] = [
            ("x", &Px(x)),
            ("y", &Px(y + size / 3)),
            ("text-anchor", &"middle"),
            ("font-size", &Px(size)),
            ("font-weight", &600),
        ];
        self.body.text("text", &look, &label);
    }

    /// A message, as far on its way as its time says; one whose arrival is not known, in the middle.
    fn draw_message(&mut self, message: &MessageView) {
        let ((x1, y1), (x2, y2)) = (self.point(message.from, 0), self.point(message.to, 0));
        let (part, whole) = match (message.stage, message.arrives) {
            (MessageStage::Queued | MessageStage::Held, _) => (4, 5),
            (MessageStage::Behind, _) => (1, 3),
            (MessageStage::WaitingForLink, _) => (1, 5),
            (MessageStage::Travelling, Some(arrives)) if arrives <= self.now => (3, 4),
            (MessageStage::Travelling, _) => (1, 2),
        };
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = (dx * dx + dy * dy).isqrt().max(1);
        let side = if self.info.topology != Topology::Ring || self.info.n == 2 { 70 } else { 0 };
        let (x, y) = (x1 + dx * part / whole - dy * side / length, y1 + dy * part / whole + dx * side / length);
        let (fill, paper) =
            (self.colour(style(message.content.kind, &self.info.kinds).colour), self.colour(theme::PAPER));
        let r = Px(MESSAGE.min(self.radius()));
        let look: [Attribute<'_>; 6] =
            [("cx", &Px(x)), ("cy", &Px(y)), ("r", &r), ("fill", &fill), ("stroke", &paper), ("stroke-width", &"1.2")];
        self.body.open("g", &[]);
        self.body.text("title", &[], &format!("{}: {}", message.number, message.content.text));
        self.body.empty("circle", &look);
        self.body.close();
    }
}

/// How a processor looks: its fill, its edge, and the dashes of that.
const fn look(state: ProcessorState) -> (Colour, Colour, &'static str) {
    match state {
        ProcessorState::Asleep => (theme::PAPER, theme::COLUMN, "3 3"),
        ProcessorState::Active => (theme::GRID, theme::INK, ""),
        ProcessorState::Passive => (theme::PAPER, theme::COLUMN, ""),
        ProcessorState::Leader => (theme::GOLD, theme::LEADER, ""),
        ProcessorState::Decided | ProcessorState::Remainder => (theme::PAPER, theme::INK, ""),
        ProcessorState::Trying => (theme::TRYING, theme::INK, ""),
        ProcessorState::Critical => (theme::GOLD, theme::INK, ""),
        ProcessorState::Reading => (theme::READER, theme::INK, ""),
        ProcessorState::Writing => (theme::WRITER, theme::INK, ""),
        ProcessorState::Cell => (theme::GRID, theme::COLUMN, ""),
    }
}

/// The style of a kind of messages among those of its protocol.
fn style(kind: Kind, kinds: &[Kind]) -> Style {
    let alike = |other: &&Kind| (other.part == Part::Work) == (kind.part == Part::Work);
    let rank = kinds.iter().filter(alike).position(|other| other.name == kind.name).unwrap_or(0);
    if kind.part == Part::Work { WORK[rank % WORK.len()] } else { ANNOUNCEMENTS[rank % ANNOUNCEMENTS.len()] }
}
