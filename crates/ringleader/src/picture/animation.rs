//! A run as a moving picture: the network itself, its messages in flight, its clocks turning.
//!
//! Everything moves by CSS, so that the picture moves wherever it is shown as an image, without a script. Readers who prefer
//! reduced motion see the last moment. Time is to scale, unless messages take none of it or waits are long; where it is to
//! scale, the dot around a processor is the hand of its clock: once around is one tick.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write;

use ringleader_model::{Milestone, Place, Time, Topology};
use ringleader_sim::Cause;

use super::diagram::{KindInfo, kinds};
use super::flow::{Fate, Flow, Line, elects};
use super::intervals::{Activity, intervals};
use super::legend::{Symbol, Symbols};
use super::page::{MARGIN, Page};
use super::svg::{Attribute, Px, Svg, text_width};
use super::theme::{self, Colour, Theme};
use super::window::Window;
use super::{RunInfo, grouped};

/// The width of a picture.
const WIDTH: i64 = 6_400;
/// From the border of the network to what is around it.
const AROUND: i64 = 620;
/// The radius of a processor where there is room for it, and the least one.
const RADIUS: i64 = 230;
const LEAST_RADIUS: i64 = 55;
/// The radius of a message.
const MESSAGE: i64 = 75;
/// More links of a complete network are not drawn.
const MOST_LINKS: usize = 200;
/// A wait is shown no longer than this number of message delays where not all of the run can be to scale.
const LONGEST_WAIT: u64 = 4;
/// A run of more message delays than this is not to scale.
const MOST_DELAYS: u64 = 150;
/// A message takes about this long, in milliseconds, as long as all of the run takes neither less nor more than this.
const DELAY: u64 = 550;
const SHORTEST: u64 = 5_000;
const LONGEST: u64 = 60_000;
/// A turn of the hand of a clock takes at least as many milliseconds.
const SHORTEST_TURN: u64 = 80;
/// The present begins and ends with a moment of rest: where the run begins and ends, in hundredths of a percent.
const BEGIN: u64 = 300;
const END: u64 = 9_000;
const ABOUT: &str = "A moving picture: the network, its messages on their way and its clocks. Where motion is reduced, the \
                     last moment.";
const STAR: &str = "M0-15 3.6-5 14.3-4.6 5.9 1.9 8.8 12.1 0 6.2-8.8 12.1-5.9 1.9-14.3-4.6-3.6-5Z";

/// Instants of the picture, in hundredths of a percent of it.
type Instant = u64;

/// A run with its layout and its timetable.
pub(super) struct Animation<'a> {
    info: &'a RunInfo<'a>,
    flow: Flow<'a>,
    kinds: Vec<KindInfo<'a>>,
    window: &'a Window,
    timetable: Timetable,
    theme: Theme,
    page: Page<'a>,
    /// The number of animated elements.
    animated: usize,
    css: String,
    body: Svg,
}

/// The way of a message.
struct Journey {
    /// The rank of its kind.
    rank: usize,
    from: Place,
    to: Place,
    leaves: Instant,
    arrives: Instant,
    fate: Fate,
    /// What was done to it.
    marks: Vec<Symbol>,
}

/// When the steps of a run are shown.
struct Timetable {
    /// By step.
    instants: Vec<Instant>,
    /// All of the picture, in milliseconds.
    duration: u64,
    /// Time is to scale: this is how long the run takes.
    scale: Option<Time>,
    /// Waits that are longer are shown as if they took this time.
    longest_wait: Option<u64>,
}

impl Timetable {
    fn new(flow: &Flow<'_>) -> Self {
        let time = |step: usize| flow.steps[step].time;
        let delays = flow.lines.iter().filter_map(|line| Some(time(line.handled?) - time(line.sent)));
        let mut delays: Vec<u64> = delays.filter(|&delay| delay > 0).collect();
        delays.sort_unstable();
        let delay = delays.get(delays.len() / 2).copied().unwrap_or(1);
        let (first, last) = match flow.steps {
            [] => (0, 0),
            [first, .., last] => (first.time, last.time),
            [only] => (only.time, only.time),
        };
        let levels = flow.levels();
        let within_instants = levels.iter().any(|&level| level > 0);
        let to_scale = !within_instants && (last - first) / delay <= MOST_DELAYS;
        let longest_wait = if to_scale { u64::MAX } else { delay.saturating_mul(LONGEST_WAIT) };
        let (mut shown, mut cut, mut at) = (Vec::new(), false, 0);
        let mut instant = 0;
        for (index, level) in levels.iter().enumerate() {
            if index > 0 && time(index) != time(index - 1) {
                let wait = time(index) - time(index - 1);
                cut |= wait > longest_wait;
                // The next instant begins when the last message of this one has arrived.
                instant = at + wait.min(longest_wait);
            }
            at = at.max(instant + level * delay);
            shown.push(instant + level * delay);
        }
        let all = at.max(1);
        let instants = shown.into_iter().map(|at| BEGIN + at.saturating_mul(END - BEGIN) / all).collect();
        let duration = (all.saturating_mul(DELAY) / delay).clamp(SHORTEST, LONGEST);
        Self { instants, duration, scale: to_scale.then_some(all), longest_wait: cut.then_some(longest_wait) }
    }

    /// Whether the hands of clocks with these ticks can be seen: where time is to scale, and they are not too fast.
    fn shows_ticks(&self, ticks: &[u64]) -> bool {
        let run = self.duration * (END - BEGIN) / 10_000;
        let slow = |(tick, all): (u64, u64)| run.saturating_mul(tick) / all >= SHORTEST_TURN;
        ticks.iter().copied().min().zip(self.scale).is_some_and(slow)
    }
}

impl<'a> Animation<'a> {
    pub(super) fn new(info: &'a RunInfo<'a>, window: &'a Window, theme: Theme) -> Self {
        let flow = Flow::new(&window.steps);
        let timetable = Timetable::new(&flow);
        let mut page = Page::new(info, theme, WIDTH, ABOUT);
        if let Some(note) = &window.note {
            page.note(note);
        }
        if let Some(longest) = timetable.longest_wait {
            page.note(&format!("Not to scale: waits longer than {} are shortened.", grouped(longest)));
        }
        if timetable.shows_ticks(&info.ticks) {
            page.note("The dot around a processor is the hand of its clock: once around is one tick.");
        }
        for violation in info.violations {
            page.add_violation(&format!("Violated: {} ({})", violation.property, violation.detail));
        }
        let (css, body) = (String::new(), Svg::default());
        Self { kinds: kinds(info, &flow), info, flow, window, timetable, theme, page, animated: 0, css, body }
    }

    pub(super) fn draw(mut self) -> String {
        self.draw_links();
        self.draw_clocks();
        self.draw_processors();
        self.draw_states();
        self.draw_messages();
        self.draw_labels();
        self.draw_time();
        let mut svg = Svg::default();
        let seconds = self.timetable.duration;
        let css = format!(
            ".t{{animation:{seconds}ms linear infinite}}\n{}@media (prefers-reduced-motion:reduce){{.t{{animation:none!important}}}}",
            self.css
        );
        svg.text("style", &[], &css);
        svg.append(&self.body);
        let symbols = self.symbols();
        let (left, right) = (MARGIN, self.page.width - MARGIN);
        let legend = symbols.legend(left, right, self.bottom() + 560, |symbol| self.name(symbol));
        self.page.finish(&svg, self.bottom() + 340, &legend, &symbols)
    }

    /// The kinds of messages that are sent, and what processors become.
    fn symbols(&self) -> Symbols {
        let mut symbols = Symbols::new(self.theme, self.kinds.iter().map(|kind| kind.style).collect());
        for (rank, _) in self.kinds.iter().enumerate().filter(|(_, kind)| kind.count > 0) {
            symbols.note(Symbol::Message(rank));
        }
        for line in &self.flow.lines {
            let lost = self.flow.fate(line) == Fate::Lost;
            for (symbol, is) in [(Symbol::Lost, lost), (Symbol::Delayed, line.decided), (Symbol::Copied, line.copy)] {
                if is {
                    symbols.note(symbol);
                }
            }
        }
        if self.flow.steps.iter().any(elects) {
            symbols.note(Symbol::Star);
        }
        for interval in intervals(self.info, self.flow.steps, self.window.resumed) {
            if !matches!(interval.activity, Activity::Token | Activity::Trying) {
                symbols.note(Symbol::Interval(interval.activity));
            }
        }
        symbols
    }

    fn name(&self, symbol: Symbol) -> String {
        match symbol {
            Symbol::Message(rank) => {
                let kind = &self.kinds[rank];
                format!("{} ({}×)", kind.kind.name, grouped(kind.count))
            }
            Symbol::Star => "elected".to_string(),
            Symbol::Lost => "lost".to_string(),
            Symbol::Delayed => "delayed or held".to_string(),
            Symbol::Copied => "duplicated".to_string(),
            Symbol::Interval(Activity::Reading | Activity::Abandoned) => "reads".to_string(),
            Symbol::Interval(Activity::Writing) => "writes".to_string(),
            _ => "in its critical section".to_string(),
        }
    }

    /// Half of the network's width.
    const fn half() -> i64 {
        WIDTH / 2 - AROUND - MARGIN
    }

    fn centre(&self) -> (i64, i64) {
        (self.page.width / 2, self.page.top() + 260 + AROUND + Self::half())
    }

    fn bottom(&self) -> i64 {
        self.centre().1 + Self::half() + AROUND
    }

    /// The middle of a processor, or of a point that many tenths of a pixel farther out.
    fn point(&self, place: Place, out: i64) -> (i64, i64) {
        let angle = TAU * f64::from(place) / self.info.n as f64;
        let ((x, y), far) = (self.centre(), (Self::half() + out) as f64);
        (x + (far * angle.sin()).round() as i64, y - (far * angle.cos()).round() as i64)
    }

    /// The radius of a processor.
    fn radius(&self) -> i64 {
        (Self::half() * 2 / self.info.n.max(1) as i64).clamp(LEAST_RADIUS, RADIUS)
    }

    fn colour(&self, colour: Colour) -> &'static str {
        self.theme.of(colour)
    }

    fn draw_links(&mut self) {
        let mut path = String::new();
        let n = self.info.n;
        let (x, y) = self.centre();
        let complete = self.info.topology == Topology::Complete;
        if complete && n * n.saturating_sub(1) / 2 <= MOST_LINKS {
            for (one, other) in (0..n as Place).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let ((x1, y1), (x2, y2)) = (self.point(one, 0), self.point(other, 0));
                let _ = write!(path, "M{} {}L{} {}", Px(x1), Px(y1), Px(x2), Px(y2));
            }
        } else if !complete {
            let r = Self::half();
            for one in 0..n as Place {
                let other = (one + 1) % n as Place;
                let ((x1, y1), (x2, y2)) = (self.point(one, 0), self.point(other, 0));
                let _ = write!(path, "M{} {}L{} {}", Px(x1), Px(y1), Px(x2), Px(y2));
            }
            if n == 1 {
                let _ = write!(path, "M{} {}a{} {} 0 1 1 1 0", Px(x), Px(y - r), Px(r / 3), Px(r / 3));
            }
        }
        let colour = self.colour(if complete { theme::GRID } else { theme::COLUMN });
        let width = if complete { "1" } else { "1.6" };
        self.body.empty("path", &[("d", &path), ("fill", &"none"), ("stroke", &colour), ("stroke-width", &width)]);
    }

    /// The clock of each processor, from its first event on.
    fn draw_clocks(&mut self) {
        let Some(all) = self.timetable.scale.filter(|_| self.timetable.shows_ticks(&self.info.ticks)) else { return };
        let first = self.first_steps();
        for (place, tick) in (0..).zip(self.info.ticks.clone()) {
            let Some(&step) = first.get(&place) else { continue };
            let from = self.timetable.instants[step];
            let share = (END - from) as f64 / (END - BEGIN) as f64;
            let turns = share * all as f64 / tick.max(1) as f64;
            let (x, y) = self.point(place, 0);
            let far = self.radius() + 75;
            self.body.open("g", &[("transform", &format!("translate({} {})", Px(x), Px(y)))]);
            let (ring, hand) = (self.colour(theme::FRAME), self.colour(theme::PALE));
            let width = "1.2";
            self.body
                .empty("circle", &[("r", &Px(far)), ("fill", &"none"), ("stroke", &ring), ("stroke-width", &width)]);
            let degrees = (360.0 * turns).round() as i64;
            let frames = format!(
                "0%,{}{{transform:none}}{},100%{{transform:rotate({degrees}deg)}}",
                Percent(from),
                Percent(END)
            );
            let id = self.animate(&frames);
            let cy = Px(-far);
            self.body.empty("circle", &[("class", &"t"), ("id", &id), ("cy", &cy), ("r", &"3.4"), ("fill", &hand)]);
            self.body.close();
        }
    }

    /// By place, its first step.
    fn first_steps(&self) -> BTreeMap<Place, usize> {
        let mut first = BTreeMap::new();
        for (index, step) in self.flow.steps.iter().enumerate().filter(|(_, step)| !step.cause.is_fault()) {
            first.entry(step.place).or_insert(index);
        }
        first
    }

    /// Processors that have not woken; what they become is drawn over them.
    fn draw_processors(&mut self) {
        let (paper, edge) = (self.colour(theme::PAPER), self.colour(theme::COLUMN));
        for place in 0..self.info.n as Place {
            let ((x, y), r) = (self.point(place, 0), Px(self.radius()));
            let at = [("cx", &Px(x) as &dyn std::fmt::Display), ("cy", &Px(y)), ("r", &r)];
            let look: [(&str, &dyn std::fmt::Display); 4] =
                [("fill", &paper), ("stroke", &edge), ("stroke-width", &"1.6"), ("stroke-dasharray", &"3 3")];
            self.body.empty("circle", &[at.as_slice(), look.as_slice()].concat());
        }
    }

    /// What processors are and do: awake, inside, elected, down.
    fn draw_states(&mut self) {
        for (place, step) in self.first_steps() {
            self.disc(place, theme::GRID, theme::INK, &[(self.timetable.instants[step], None)]);
        }
        let mut stays: BTreeMap<(Place, Activity), Vec<Stay>> = BTreeMap::new();
        for interval in intervals(self.info, self.flow.steps, self.window.resumed) {
            if interval.activity != Activity::Token {
                let stay = (self.at(interval.from), interval.to.map(|to| self.at(to)));
                stays.entry((interval.place, interval.activity)).or_default().push(stay);
            }
        }
        for ((place, activity), stays) in stays {
            let (fill, edge) = match activity {
                Activity::Trying | Activity::Token => (theme::GRID, theme::TRYING),
                Activity::Critical => (theme::GOLD, theme::INK),
                Activity::Reading | Activity::Abandoned => (theme::READER, theme::INK),
                Activity::Writing => (theme::WRITER, theme::INK),
            };
            self.disc(place, fill, edge, &stays);
        }
        self.draw_results();
    }

    /// Who is elected, who follows, and who is down.
    fn draw_results(&mut self) {
        let (mut elected, mut follows, mut down) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for (index, step) in self.flow.steps.iter().enumerate() {
            for milestone in step.milestones() {
                match milestone {
                    Milestone::Elected { .. } => elected.push((step.place, index)),
                    Milestone::Follows { .. } => drop(follows.entry(step.place).or_insert(index)),
                    _ => {}
                }
            }
            match step.cause {
                Cause::Crash => down.entry(step.place).or_insert_with(Vec::new).push((self.at(index), None)),
                Cause::Restart => {
                    if let Some((_, until @ None)) = down.entry(step.place).or_default().last_mut() {
                        *until = Some(self.at(index));
                    }
                }
                _ => {}
            }
        }
        for (place, step) in follows {
            if !elected.iter().any(|&(leader, _)| leader == place) {
                self.disc(place, theme::PAPER, theme::INK, &[(self.at(step), None)]);
            }
        }
        for (place, step) in elected {
            self.disc(place, theme::GOLD, theme::LEADER, &[(self.at(step), None)]);
            let path = STAR;
            let (x, y) = self.point(place, self.radius() + 330);
            self.appear(&[(self.at(step), None)], |animation, id, opacity| {
                let transform = format!("translate({} {})", Px(x), Px(y));
                let (fill, edge) = (animation.colour(theme::GOLD), animation.colour(theme::PAPER));
                animation.body.open("g", &[("class", &"t"), ("id", &id), ("opacity", &opacity)]);
                animation
                    .body
                    .empty("path", &[("d", &path), ("transform", &transform), ("fill", &fill), ("stroke", &edge)]);
                animation.body.close();
            });
        }
        for (place, stays) in down {
            let ((x, y), r) = (self.point(place, 0), self.radius());
            let cross = format!("M{0} {1}l{2} {2}m0-{2}l-{2} {2}", Px(x - r), Px(y - r), Px(2 * r));
            self.appear(&stays, |animation, id, opacity| {
                let red = animation.colour(theme::RED);
                let look: [Attribute<'_>; 6] = [
                    ("class", &"t"),
                    ("id", &id),
                    ("opacity", &opacity),
                    ("d", &cross),
                    ("stroke", &red),
                    ("stroke-width", &3),
                ];
                animation.body.empty("path", &look);
            });
        }
    }

    /// The instant of a step.
    fn at(&self, step: usize) -> Instant {
        self.timetable.instants[step]
    }

    /// A processor of this look, at these times.
    fn disc(&mut self, place: Place, fill: Colour, edge: Colour, stays: &[Stay]) {
        let ((x, y), r) = (self.point(place, 0), Px(self.radius()));
        self.appear(stays, |animation, id, opacity| {
            let (fill, edge) = (animation.colour(fill), animation.colour(edge));
            let look: [Attribute<'_>; 9] = [
                ("class", &"t"),
                ("id", &id),
                ("opacity", &opacity),
                ("cx", &Px(x)),
                ("cy", &Px(y)),
                ("r", &r),
                ("fill", &fill),
                ("stroke", &edge),
                ("stroke-width", &"1.8"),
            ];
            animation.body.empty("circle", &look);
        });
    }

    /// Draws something that is there at these times; it is given its identifier, and its opacity at the end of the run.
    fn appear(&mut self, stays: &[Stay], draw: impl FnOnce(&mut Self, String, u8)) {
        let mut frames = String::from("0%{opacity:0}");
        for &(from, to) in stays {
            let to = to.unwrap_or(9_999).max(from + 1);
            let (before, after) = (from.saturating_sub(1), to + 1);
            let [before, from, to, after] = [before, from, to, after].map(Percent);
            let _ = write!(frames, "{before}{{opacity:0}}{from},{to}{{opacity:1}}");
            if after.0 < 10_000 {
                let _ = write!(frames, "{after}{{opacity:0}}");
            }
        }
        let stays_on = stays.last().is_some_and(|stay| stay.1.is_none());
        let _ = write!(frames, "100%{{opacity:{}}}", u8::from(stays_on));
        let id = self.animate(&frames);
        draw(self, id, u8::from(stays_on));
    }

    /// The identifier of an element that moves as these keyframes say.
    fn animate(&mut self, frames: &str) -> String {
        self.animated += 1;
        let id = format!("a{}", self.animated);
        let _ = writeln!(self.css, "#{id}{{animation-name:{id}}}@keyframes {id}{{{frames}}}");
        id
    }

    fn draw_messages(&mut self) {
        let lines: Vec<Journey> = self.flow.lines.iter().map(|line| self.journey(line)).collect();
        let labels: Vec<String> = self.flow.lines.iter().map(|line| self.label(line)).collect();
        for (journey, label) in lines.into_iter().zip(labels) {
            let Journey { rank, from, to, leaves, arrives, fate, marks } = journey;
            let (start, end) = self.ends(from, to);
            let middle = ((start.0 + end.0) / 2, (start.1 + end.1) / 2);
            let end = if matches!(fate, Fate::Lost | Fate::Pending) { middle } else { end };
            let place = |(x, y): (i64, i64)| format!("transform:translate({}px,{}px)", Px(x), Px(y));
            let (hidden, gone) = (leaves.saturating_sub(1), (arrives + 1).min(9_999));
            let frames = format!(
                "0%,{}{{opacity:0;{start}}}{}{{opacity:1;{start}}}{}{{opacity:1;{end}}}{},100%{{opacity:0;{end}}}",
                Percent(hidden),
                Percent(leaves),
                Percent(arrives),
                Percent(gone),
                start = place(start),
                end = place(end),
            );
            let id = self.animate(&frames);
            self.draw_message(&id, rank, &label, &marks);
            if fate == Fate::Lost {
                self.draw_loss(middle, arrives);
            }
        }
    }

    /// The cross where a message is lost, for a moment.
    fn draw_loss(&mut self, (x, y): (i64, i64), at: Instant) {
        self.appear(&[(at, Some((at + 300).min(9_998)))], |animation, id, opacity| {
            let place = format!("translate({} {})", Px(x - 130), Px(y + 40));
            animation.body.open("g", &[("class", &"t"), ("id", &id), ("opacity", &opacity)]);
            animation.body.open("g", &[("transform", &place)]);
            Symbols::new(animation.theme, Vec::new()).shape(Symbol::Lost, &mut animation.body);
            animation.body.close();
            animation.body.close();
        });
    }

    /// A message, and the symbols of what was done to it above it.
    fn draw_message(&mut self, id: &str, rank: usize, label: &str, marks: &[Symbol]) {
        let (colour, paper) = (self.colour(self.kinds[rank].style.colour), self.colour(theme::PAPER));
        self.body.open("g", &[("class", &"t"), ("id", &id), ("opacity", &0)]);
        let half = (text_width(label, 120) / 2 + 30).max(MESSAGE);
        let (x, y, width, height) = (Px(-half), Px(-MESSAGE), Px(2 * half), Px(2 * MESSAGE));
        let shape: [Attribute<'_>; 8] = [
            ("x", &x),
            ("y", &y),
            ("width", &width),
            ("height", &height),
            ("rx", &Px(MESSAGE)),
            ("fill", &colour),
            ("stroke", &paper),
            ("stroke-width", &"1.2"),
        ];
        self.body.empty("rect", &shape);
        if !label.is_empty() {
            let look: [Attribute<'_>; 5] =
                [("y", &4), ("text-anchor", &"middle"), ("font-size", &11), ("font-weight", &700), ("fill", &paper)];
            self.body.text("text", &look, label);
        }
        let mut symbols = Symbols::new(self.theme, Vec::new());
        for (mark, y) in marks.iter().zip([-2 * MESSAGE, 2 * MESSAGE + 80]) {
            symbols.draw(*mark, 0, y, "", &mut self.body);
        }
        self.body.close();
    }

    fn journey(&self, line: &Line<'_>) -> Journey {
        let rank = self.kinds.iter().position(|kind| kind.kind == line.kind).expect("its kind is declared");
        let leaves = self.at(line.sent);
        let arrives = match line.handled {
            Some(handled) => self.at(handled).max(leaves + 1),
            None => (leaves + 300).min(END),
        };
        let marks = [(Symbol::Delayed, line.decided), (Symbol::Copied, line.copy)];
        let marks = marks.into_iter().filter_map(|(symbol, is)| is.then_some(symbol)).collect();
        Journey { rank, from: line.from, to: line.to, leaves, arrives, fate: self.flow.fate(line), marks }
    }

    /// The short text of a message: what is not the same in all messages of its kind.
    fn label(&self, line: &Line<'_>) -> String {
        let kind = self.kinds.iter().find(|kind| kind.kind == line.kind);
        let common = kind.map_or(0, |kind| kind.common.len());
        let text = line.text.split(' ').skip(common).collect::<Vec<_>>().join(" ");
        if text.chars().count() > 6 { String::new() } else { text }
    }

    /// Where a message leaves and arrives: on the right side of its link, at the border of its processors.
    fn ends(&self, from: Place, to: Place) -> ((i64, i64), (i64, i64)) {
        let ((x1, y1), (x2, y2)) = (self.point(from, 0), self.point(to, 0));
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = (dx * dx + dy * dy).isqrt();
        if length == 0 {
            return (self.point(from, self.radius()), self.point(from, self.radius() + 400));
        }
        let two_way = self.info.topology != Topology::Ring || self.info.n == 2;
        let side = if two_way { 70 } else { 0 };
        let gap = self.radius().min(length / 3);
        let shift = |(x, y): (i64, i64), along: i64| {
            (x + (dx * along - dy * side) / length, y + (dy * along + dx * side) / length)
        };
        (shift((x1, y1), gap), shift((x2, y2), -gap))
    }

    /// The identity of each processor, or its place where there are none.
    fn draw_labels(&mut self) {
        let size = (self.radius() * 9 / 10).clamp(80, 150);
        self.body.open("g", &[("text-anchor", &"middle"), ("font-size", &Px(size)), ("font-weight", &600)]);
        for place in 0..self.info.n as Place {
            let (x, y) = self.point(place, 0);
            let label = self.info.ids.get(place as usize).map_or_else(|| place.to_string(), u64::to_string);
            let fits = text_width(&label, size) <= 2 * self.radius();
            let (x, y) = if fits { (x, y) } else { self.point(place, self.radius() + 150) };
            self.body.text("text", &[("x", &Px(x)), ("y", &Px(y + size / 3))], &label);
        }
        self.body.close();
    }

    /// A line on which the present moves.
    fn draw_time(&mut self) {
        let (y, left, right) = (self.bottom() + 120, MARGIN + 700, self.page.width - MARGIN - 700);
        let (rail, ink, pale) = (self.colour(theme::FRAME), self.colour(theme::INK), self.colour(theme::PALE));
        let track = format!("M{} {}H{}", Px(left), Px(y), Px(right));
        let look: [Attribute<'_>; 4] =
            [("d", &track), ("stroke", &rail), ("stroke-width", &3), ("stroke-linecap", &"round")];
        self.body.empty("path", &look);
        let name = if self.info.untimed { "step" } else { "time" };
        let times = [self.flow.steps.first(), self.flow.steps.last()].map(|step| step.map_or(0, |step| step.time));
        for ((x, anchor), time) in [(left - 100, "end"), (right + 100, "start")].into_iter().zip(times) {
            let text = format!("{name} {}", grouped(time));
            let look: [Attribute<'_>; 4] =
                [("x", &Px(x)), ("y", &Px(y + 40)), ("text-anchor", &anchor), ("fill", &pale)];
            self.body.text("text", &look, &text);
        }
        let frames = format!(
            "0%,{}{{transform:none}}{},100%{{transform:translate({}px)}}",
            Percent(BEGIN),
            Percent(END),
            Px(right - left)
        );
        let id = self.animate(&frames);
        let look: [Attribute<'_>; 6] =
            [("class", &"t"), ("id", &id), ("cx", &Px(left)), ("cy", &Px(y)), ("r", &5), ("fill", &ink)];
        self.body.empty("circle", &look);
    }
}

/// From when something is there, and until when, unless it stays.
type Stay = (Instant, Option<Instant>);

/// An instant as CSS writes it.
#[derive(Clone, Copy)]
struct Percent(Instant);

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.0 / 100, self.0 % 100) {
            (whole, 0) => write!(f, "{whole}%"),
            (whole, part) => write!(f, "{whole}.{part:02}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use ringleader_sim::Step;

    use super::super::Subject;
    use super::super::samples::{info, receive, reports, send, step};
    use super::*;

    fn window(steps: &[Step]) -> Window {
        Window { steps: steps.to_vec(), left_out: None, resumed: None, cut: false, note: None }
    }

    #[test]
    fn time_is_to_scale_where_messages_take_some() {
        let steps = [
            step(10, 0, Cause::Wake, &[send(1, 1)]),
            step(12, 1, receive(1, 0), &[send(2, 2)]),
            step(20, 2, receive(2, 1), &[]),
        ];
        let timetable = Timetable::new(&Flow::new(&steps));
        // From 3 % to 90 %: 2 of 10 units are 17.4 %.
        assert_eq!(timetable.instants, [300, 300 + 8_700 / 5, 9_000]);
        assert_eq!((timetable.scale, timetable.longest_wait), (Some(10), None));
        // Ten units take 87 % of 5 seconds.
        assert!(timetable.shows_ticks(&[1, 5]) && !Timetable { duration: 900, ..timetable }.shows_ticks(&[1, 5]));
    }

    #[test]
    fn what_happens_in_one_instant_is_shown_one_after_the_other() {
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1)]),
            step(0, 1, receive(1, 0), &[send(2, 2)]),
            step(0, 2, receive(2, 1), &[]),
            step(100, 2, Cause::Wake, &[]),
        ];
        let timetable = Timetable::new(&Flow::new(&steps));
        // Two messages take a unit each; the wait of 100 is shown as 4.
        assert_eq!(timetable.instants, [300, 300 + 8_700 / 6, 300 + 2 * 8_700 / 6, 9_000]);
        assert_eq!((timetable.scale, timetable.longest_wait), (None, Some(4)));
    }

    #[test]
    fn a_message_is_on_its_link_from_its_sending_to_its_arrival_and_a_leader_stays() {
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1)]),
            step(10, 1, receive(1, 0), &[]),
            reports(10, 1, Milestone::Elected { id: None }),
        ];
        let (info, window) = (info(2, Subject::Messages), window(&steps));
        let svg = Animation::new(&info, &window, Theme::Light).draw();
        // The two processors are at the top and at the bottom of the ring; the message keeps to the left of its way down.
        let moved = "3%{opacity:1;transform:translate(313px,";
        assert!(svg.contains(moved) && svg.contains("90%{opacity:1;transform:translate(313px,"), "{svg}");
        assert!(svg.contains("{0%{opacity:0}89.99%{opacity:0}90%,99.99%{opacity:1}100%{opacity:1}}"), "{svg}");
        assert!(svg.contains("elected") && !svg.contains("hand of its clock"), "{svg}");
    }
}
