//! The space-time diagram of a run.

use std::collections::BTreeSet;

use ringleader_model::{Kind, Milestone, Part, Place, Time};
use ringleader_sim::{Cause, Step};

use super::axis::{Axis, Scale};
use super::conflicts::{Conflict, Location, conflicts};
use super::flow::{Flow, elects};
use super::intervals::{Activity, Interval, intervals};
use super::legend::{Symbol, Symbols};
use super::page::{MARGIN, Page};
use super::svg::{Px, Svg, text_width};
use super::theme::{self, ANNOUNCEMENTS, Style, Theme, WORK};
use super::window::Window;
use super::{RunInfo, Subject, grouped};

const ABOUT: &str = "A space-time diagram: processors across, time downwards, every message a line from its sending to \
                     its handling.";
/// The least margins beside the first and the last column.
const LEFT: i64 = 720;
const RIGHT: i64 = 480;
/// From the labels of the time axis to the first column.
const AXIS: i64 = 200;
/// The least height of a bar.
const SHORTEST: i64 = 60;
/// The least distance between two labels of the time axis.
const LABEL: i64 = 130;
/// So many violations are numbered.
const NUMBERED: usize = 9;

/// A run with its layout.
pub(super) struct Diagram<'a> {
    pub(super) info: &'a RunInfo<'a>,
    pub(super) flow: Flow<'a>,
    /// The places that are elected.
    leaders: BTreeSet<Place>,
    /// The lines that led to a leader.
    pub(super) paths: BTreeSet<usize>,
    pub(super) axis: Axis,
    /// The kinds of messages, in the order in which the protocol declares them.
    pub(super) kinds: Vec<KindInfo<'a>>,
    intervals: Vec<Interval>,
    conflicts: Vec<Conflict>,
    page: Page<'a>,
    /// Whether the run goes on below.
    pub(super) cut: bool,
    /// From column to column.
    pub(super) pitch: i64,
    left: i64,
    /// From the labels of the header to the first column.
    header: i64,
    pub(super) top: i64,
    /// The size of identities.
    id_size: i64,
    /// Whether they are rotated for want of room.
    upright: bool,
}

/// A kind of messages as a diagram shows it.
pub(super) struct KindInfo<'a> {
    pub(super) kind: Kind,
    pub(super) style: Style,
    /// How many messages of it there are.
    pub(super) count: usize,
    /// The words with which all of them begin.
    pub(super) common: Vec<&'a str>,
    /// Whether some of them have more words.
    varies: bool,
}

impl KindInfo<'_> {
    /// The text in the legend: the name of the kind, and the fields that are the same in all messages and therefore not
    /// in their labels.
    fn name(&self, labelled: &[Kind]) -> String {
        let text = match (self.common.len(), self.varies) {
            (0 | 1, _) => self.kind.name.to_string(),
            (_, false) => self.common.join(" "),
            (_, true) if labelled.contains(&self.kind) => format!("{} …", self.common.join(" ")),
            (_, true) => self.kind.name.to_string(),
        };
        format!("{text} ({}×)", grouped(self.count))
    }
}

impl<'a> Diagram<'a> {
    pub(super) fn new(info: &'a RunInfo<'a>, window: &'a Window, theme: Theme) -> Self {
        let flow = Flow::new(&window.steps);
        let intervals = intervals(info, &window.steps, window.resumed);
        let conflicts = conflicts(info, &window.steps, &intervals);
        let gaps = (info.n as i64 - i64::from(!info.is_ring())).max(1);
        let pitch = (7_600 / gaps).clamp(220, if info.is_ring() { 1_200 } else { 1_600 });
        let plot = gaps * pitch;
        let id_size = if pitch < 300 { 110 } else { 140 };
        let longest = info.ids.iter().map(|id| text_width(&id.to_string(), id_size * 6 / 5)).max().unwrap_or(0);
        let upright = longest > pitch;
        let overhang = if upright { 0 } else { longest / 2 + 100 };
        let (left, right) = (LEFT + (overhang - AXIS).max(0), RIGHT.max(overhang));
        let page = page(info, window, &conflicts, theme, left + plot + right);
        let roles = if info.readers + info.writers > 0 { 140 } else { 0 };
        Self {
            leaders: flow.steps.iter().filter(|step| elects(step)).map(|step| step.place).collect(),
            paths: flow.paths_to_leaders(),
            axis: Axis::new(&flow, scale(info, &flow, &intervals, plot), window.left_out),
            kinds: kinds(info, &flow),
            left: left + (page.width - left - plot - right) / 2,
            header: AXIS.max(overhang),
            top: page.top()
                + 600
                + roles
                + if info.ids.is_empty() { 0 } else { 160 }
                + if upright { longest - 100 } else { 0 },
            cut: window.cut,
            info,
            flow,
            intervals,
            conflicts,
            page,
            pitch,
            id_size,
            upright,
        }
    }

    pub(super) fn draw(&self, theme: Theme) -> String {
        let styles = self.kinds.iter().map(|kind| kind.style).collect();
        let mut symbols = Symbols::new(theme, styles);
        let mut svg = Svg::default();
        self.draw_times(&mut symbols, &mut svg);
        self.draw_overlaps(&mut symbols, &mut svg);
        for column in 0..=self.last_column() {
            self.draw_column(column, &mut symbols, &mut svg);
        }
        self.draw_stays(&mut symbols, &mut svg);
        let labelled = self.draw_messages(&mut symbols, &mut svg);
        self.draw_milestones(&mut symbols, &mut svg);
        self.draw_badges(&mut symbols, &mut svg);
        let (left, right) = (MARGIN, self.page.width - MARGIN);
        let legend = symbols.legend(left, right, self.bottom() + 560, |symbol| self.name(symbol, &labelled));
        self.page.finish(&svg, self.bottom() + 300, &legend, &symbols)
    }

    fn draw_times(&self, symbols: &mut Symbols, svg: &mut Svg) {
        let (from, to) = (self.left - 140, self.x(self.last_column()) + 140);
        let (label, header) = (Px(self.left - AXIS), Px(self.left - self.header));
        let (pale, grid) = (symbols.theme.of(theme::PALE), symbols.theme.of(theme::GRID));
        self.draw_instants(from, to, symbols, svg);
        let (begin, end) = (self.axis.begin(), self.axis.end());
        for change in self.info.changes.iter().filter(|change| begin < change.from && change.from <= end) {
            symbols.note(Symbol::Change);
            let path = format!("M{} {}H{}", Px(from), Px(self.top + self.axis.time(change.from)), Px(to));
            symbols.stroke(&path, theme::INK, "1", "6 3", svg);
        }
        svg.open("g", &[("text-anchor", &"end"), ("fill", &pale), ("font-size", &11)]);
        let mut labels: Vec<(Time, i64)> = self.axis.ticks().into_iter().map(|t| (t, self.axis.time(t))).collect();
        for &(_, y) in &labels {
            let path = format!("M{} {}H{}", Px(from), Px(self.top + y), Px(to));
            svg.empty("path", &[("d", &path), ("stroke", &grid)]);
        }
        for (time, start, end) in self.axis.stretched().filter(|(_, start, end)| end - start >= LABEL / 2) {
            let middle = (start + end) / 2;
            if labels.iter().all(|&(other, y)| other != time && (middle - y).abs() >= LABEL) {
                labels.push((time, middle));
            }
        }
        for (time, y) in labels {
            svg.text("text", &[("x", &label), ("y", &Px(self.top + y + 40))], &grouped(time));
        }
        if !self.info.ids.is_empty() {
            svg.text("text", &[("x", &header), ("y", &Px(self.top - 310 - self.role_height()))], "id");
        }
        svg.text("text", &[("x", &header), ("y", &Px(self.top - 150))], "place");
        let unit = if self.info.untimed { "step ↓" } else { "time ↓" };
        svg.text("text", &[("x", &label), ("y", &Px(self.bottom() + 260))], unit);
        svg.close();
        for (cut, start, end) in self.axis.breaks() {
            symbols.note(Symbol::Break);
            let middle = self.top + (start + end) / 2;
            let teeth = "l2-4 4 8 2-4";
            let count = (to - from) / 80;
            let path = format!("M{} {}{}", Px(from), Px(middle), teeth.repeat(count as usize));
            symbols.stroke(&path, theme::PALE, "0.8", "", svg);
            let text = format!("{} to {}", grouped(cut.from), grouped(cut.to));
            let attributes: [(&'static str, &dyn std::fmt::Display); 5] =
                [("x", &label), ("y", &Px(middle + 40)), ("text-anchor", &"end"), ("fill", &pale), ("font-size", &9)];
            svg.text("text", &attributes, &text);
        }
    }

    /// The instants that are stretched, so that causes are above their effects.
    fn draw_instants(&self, from: i64, to: i64, symbols: &mut Symbols, svg: &mut Svg) {
        for (_, start, end) in self.axis.stretched() {
            symbols.note(Symbol::Instant);
            symbols.rectangle(from, self.top + start, to - from, end - start, theme::INSTANT, svg);
        }
    }

    fn role_height(&self) -> i64 {
        if self.info.readers + self.info.writers > 0 { 140 } else { 0 }
    }

    /// The line of a processor, where it is up and does not pause.
    fn lifeline(&self, column: usize) -> String {
        let place = (column % self.info.n) as Place;
        let x = Px(self.x(column));
        let (mut line, mut from) = (String::new(), Some(self.top - 80));
        for (index, step) in self.flow.steps.iter().enumerate().filter(|(_, step)| step.place == place) {
            let y = self.y(index);
            let next = match step.cause {
                Cause::Crash => None,
                Cause::Restart => from.or(Some(y)),
                Cause::Pause { until } => {
                    let goes_on = self.flow.steps.iter().position(|step| step.time >= until);
                    goes_on.map(|index| self.y(index))
                }
                _ => continue,
            };
            if let Some(from) = from.filter(|_| next != from) {
                line += &format!("M{x} {}V{}", Px(from), Px(y));
            }
            from = next;
        }
        if let Some(from) = from {
            line += &format!("M{x} {}V{}", Px(from), Px(self.bottom() + 100));
        }
        line
    }

    fn draw_column(&self, column: usize, symbols: &mut Symbols, svg: &mut Svg) {
        let place = column % self.info.n;
        let again = column == self.info.n;
        let x = Px(self.x(column));
        let (dashes, opacity) = if again { ("2 4", "0.45") } else { ("", "") };
        let colour = symbols.theme.of(theme::COLUMN);
        let line = self.lifeline(column);
        svg.empty("path", &[("d", &line), ("stroke", &colour), ("stroke-dasharray", &dashes)]);
        for (index, step) in self.flow.steps.iter().enumerate() {
            if let Some(symbol) = fault_at(step, place as Place) {
                symbols.draw(symbol, self.x(column), self.y(index), opacity, svg);
            }
        }
        svg.open("g", &[("text-anchor", &"middle"), ("opacity", &opacity)]);
        let pale = symbols.theme.of(theme::PALE);
        if let Some(id) = self.info.ids.get(place) {
            let leads = self.leads(place as Place);
            let y = Px(self.top - 310 - self.role_height());
            let turn = if self.upright { format!("rotate(-90 {x} {y})") } else { String::new() };
            svg.text(
                "text",
                &[
                    ("x", &x),
                    ("y", &y),
                    ("dy", &if self.upright { "4" } else { "" }),
                    ("text-anchor", &if self.upright { "start" } else { "" }),
                    ("transform", &turn),
                    ("font-size", &Px(self.id_size)),
                    ("font-weight", &600),
                    ("fill", &symbols.theme.of(if leads { theme::LEADER } else { theme::INK })),
                ],
                &id.to_string(),
            );
        }
        let role = self.info.role(place as Place).name();
        if !role.is_empty() {
            let role = if text_width(role, 110) > self.pitch { &role[..1] } else { role };
            svg.text("text", &[("x", &x), ("y", &Px(self.top - 290)), ("font-size", &10), ("fill", &pale)], role);
        }
        let y = Px(self.top - 150);
        svg.text("text", &[("x", &x), ("y", &y), ("font-size", &10), ("fill", &pale)], &place.to_string());
        svg.close();
    }

    /// A bar for each interval of an activity.
    fn draw_stays(&self, symbols: &mut Symbols, svg: &mut Svg) {
        for interval in &self.intervals {
            let (mut y, end) = (self.y(interval.from), interval.to.map_or(self.bottom(), |to| self.y(to)));
            if end == y && interval.activity == Activity::Trying {
                continue;
            }
            let mut height = end - y;
            if height < SHORTEST && interval.activity != Activity::Trying {
                (y, height) =
                    if interval.activity == Activity::Token { (y - SHORTEST / 2, SHORTEST) } else { (y, SHORTEST) };
            }
            symbols.note(Symbol::Interval(interval.activity));
            for column in self.columns_of(interval.place) {
                let opacity = if column == self.info.n { "0.45" } else { "" };
                svg.open("g", &[("opacity", &opacity)]);
                symbols.bar(interval.activity, self.x(column), y, height, svg);
                svg.close();
            }
        }
    }

    fn draw_milestones(&self, symbols: &mut Symbols, svg: &mut Svg) {
        for (index, step) in self.flow.steps.iter().enumerate() {
            let Some(symbol) = milestone_symbol(step) else { continue };
            for column in self.columns_of(step.place) {
                let opacity = if column == self.info.n { "0.4" } else { "" };
                symbols.draw(symbol, self.x(column), self.y(index), opacity, svg);
            }
        }
    }

    /// The background of conflicting sites that are inside together.
    fn draw_overlaps(&self, symbols: &mut Symbols, svg: &mut Svg) {
        for conflict in &self.conflicts {
            let Location::Overlap([one, other], from, to) = conflict.location else {
                if conflict.location == Location::End {
                    let (from, to) = (Px(self.left - 140), Px(self.x(self.last_column()) + 140));
                    let end = format!("M{from} {}H{to}", Px(self.bottom()));
                    symbols.stroke(&end, theme::RED, "1", "3 2", svg);
                }
                continue;
            };
            symbols.note(Symbol::Overlap);
            let (y, end) = (self.y(from), to.map_or(self.bottom(), |to| self.y(to)));
            let (left, right) = (self.x(one as usize) - 120, self.x(other as usize) + 120);
            symbols.rectangle(left, y, right - left, (end - y).max(SHORTEST), theme::VIOLATION_BACKGROUND, svg);
            let edges = format!(
                "M{} {}H{}M{} {}H{}",
                Px(left),
                Px(y),
                Px(right),
                Px(left),
                Px(end.max(y + SHORTEST)),
                Px(right)
            );
            symbols.stroke(&edges, theme::RED, "1", "3 2", svg);
        }
    }

    /// The numbers of violations, which the text above repeats.
    fn draw_badges(&self, symbols: &mut Symbols, svg: &mut Svg) {
        for (index, conflict) in self.conflicts.iter().take(NUMBERED).enumerate() {
            let (x, y) = match conflict.location {
                Location::Overlap([one, other], from, _) => {
                    ((self.x(one as usize) + self.x(other as usize)) / 2, self.y(from) + SHORTEST / 2)
                }
                Location::Step(step) => (self.x(self.flow.steps[step].place as usize) - 170, self.y(step)),
                Location::End => (self.x(self.last_column()) + 200, self.bottom()),
            };
            symbols.note(Symbol::Violation);
            symbols.badge(x, y, &(index + 1).to_string(), svg);
        }
    }

    /// The text of a symbol in the legend.
    fn name(&self, symbol: Symbol, labelled: &[Kind]) -> String {
        let shared = self.info.subject == Subject::Sharing;
        let name = match symbol {
            Symbol::Message(rank) => return self.kinds[rank].name(labelled),
            Symbol::Leading(_) => "led to the leader",
            Symbol::Waits => "waits",
            Symbol::Discarded => "discarded",
            Symbol::Pending if self.cut => "in flight",
            Symbol::Pending => "never handled",
            Symbol::Lost => "lost",
            Symbol::Delayed => "delayed or held",
            Symbol::Copied => "duplicated",
            Symbol::Star => "elected",
            Symbol::Follows => "learns the leader",
            Symbol::Task => "the leader's task",
            Symbol::Requested => "requests",
            Symbol::Numbered => "draws its number",
            Symbol::Other => "reports",
            Symbol::Interval(Activity::Trying) => "trying",
            Symbol::Interval(Activity::Critical) => "in its critical section",
            Symbol::Interval(Activity::Reading) => {
                if shared {
                    "reader inside"
                } else {
                    "reads"
                }
            }
            Symbol::Interval(Activity::Writing) => {
                if shared {
                    "writer inside"
                } else {
                    "writes"
                }
            }
            Symbol::Interval(Activity::Abandoned) => "attempt to read given up",
            Symbol::Interval(Activity::Token) => "has a token",
            Symbol::TokenInserted => "inserts a token",
            Symbol::TokenRemoved => "removes a token",
            Symbol::Crash => "crashes",
            Symbol::Restart => "restarts",
            Symbol::Pause => "pauses",
            Symbol::Cut => "a link of it is cut",
            Symbol::Heal => "the link is cut no more",
            Symbol::Overlap => "inside together",
            Symbol::Violation => "violation",
            Symbol::Break => "time left out",
            Symbol::Change => "timing changes",
            Symbol::Instant => "a single instant, stretched",
            Symbol::Density(_) | Symbol::Announcements | Symbol::Path | Symbol::Inside(_) => "",
        };
        name.to_string()
    }

    /// Whether a place is elected.
    pub(super) fn leads(&self, place: Place) -> bool {
        self.leaders.contains(&place)
    }

    pub(super) fn last_column(&self) -> usize {
        if self.info.is_ring() { self.info.n } else { self.info.n - 1 }
    }

    /// The columns of a place: its own, and for the first of a ring the one at the end.
    pub(super) fn columns_of(&self, place: Place) -> Vec<usize> {
        let end = Some(self.info.n).filter(|_| self.info.is_ring() && place == 0);
        std::iter::once(place as usize).chain(end).collect()
    }

    /// The columns between which a message is drawn. Between the last place of a ring and the first, past the end.
    pub(super) fn columns_between(&self, from: Place, to: Place) -> (usize, usize) {
        let (from, to, n) = (from as usize, to as usize, self.info.n);
        match (self.info.is_ring(), from, to) {
            (true, from, 0) if from + 1 == n => (from, n),
            (true, 0, to) if to + 1 == n && n > 2 => (n, to),
            _ => (from, to),
        }
    }

    pub(super) fn x(&self, column: usize) -> i64 {
        self.left + column as i64 * self.pitch
    }

    pub(super) fn y(&self, step: usize) -> i64 {
        self.top + self.axis.step(&self.flow, step)
    }

    pub(super) fn bottom(&self) -> i64 {
        self.top + self.axis.height
    }
}

/// The kinds that a protocol declares, each with its messages in this run.
pub(super) fn kinds<'a>(info: &RunInfo<'_>, flow: &Flow<'a>) -> Vec<KindInfo<'a>> {
    let (mut work, mut others) = (WORK.iter().cycle(), ANNOUNCEMENTS.iter().cycle());
    let style = |kind: Kind| if kind.part == Part::Work { work.next() } else { others.next() };
    let styles: Vec<Style> = info.kinds.iter().copied().filter_map(style).copied().collect();
    let shown = |(&kind, style)| {
        let common = flow.common_words(kind);
        let varies = flow.of_kind(kind).any(|line| line.text.split(' ').count() > common.len());
        KindInfo { kind, style, count: flow.of_kind(kind).count(), common, varies }
    };
    info.kinds.iter().zip(styles).map(shown).collect()
}

/// The page of a diagram, with its note and the violations.
fn page<'a>(info: &'a RunInfo<'a>, window: &Window, conflicts: &[Conflict], theme: Theme, width: i64) -> Page<'a> {
    let mut page = Page::new(info, theme, width.max(5_600), ABOUT);
    if let Some(note) = &window.note {
        page.note(note);
    }
    for violation in info.violations {
        page.add_violation(&format!("Violated: {} ({})", violation.property, violation.detail));
    }
    for (index, conflict) in conflicts.iter().take(NUMBERED).enumerate() {
        page.add_violation(&format!("[{}] {}", index + 1, conflict.text));
    }
    if conflicts.len() > NUMBERED {
        page.add_violation(&format!("and {} more", conflicts.len() - NUMBERED));
    }
    page
}

/// The scale of the time axis: messages are to slope, and those inside to be seen.
fn scale(info: &RunInfo<'_>, flow: &Flow<'_>, intervals: &[Interval], plot: i64) -> Scale {
    if info.subject == Subject::Messages {
        let least = if info.is_ring() { 1_200 } else { (plot * 3 / 10).max(1_200) };
        return Scale { height: 260, time: 1, least, most: (plot * 7 / 10).max(3_600), linear: false };
    }
    let time = |step: usize| flow.steps[step].time;
    let mut delays: Vec<u64> =
        flow.lines.iter().filter_map(|line| Some(time(line.handled?) - time(line.sent))).collect();
    delays.sort_unstable();
    let delay = delays.get(delays.len() / 2).copied().unwrap_or(1).max(1);
    let inside = intervals.iter().filter(|interval| !matches!(interval.activity, Activity::Trying | Activity::Token));
    let shortest =
        inside.filter_map(|interval| Some(time(interval.to?) - time(interval.from))).filter(|&time| time > 0).min();
    // A message drops by 20 pixels, or somebody is inside for 16: whichever is more.
    let (height, time) = match shortest {
        Some(shortest) if 160 * delay > 200 * shortest => (160, shortest),
        _ => (200, delay),
    };
    let most = (flow.lines.len() as i64 * 110).clamp(3_600, 12_000);
    Scale { height, time, least: 3_000, most, linear: true }
}

/// The symbol for what is reported in a step, unless a bar shows it.
fn milestone_symbol(step: &Step) -> Option<Symbol> {
    let mut symbols: Vec<Symbol> = step
        .milestones()
        .filter_map(|milestone| match milestone {
            Milestone::Elected { .. } => Some(Symbol::Star),
            Milestone::Follows { .. } => Some(Symbol::Follows),
            Milestone::TaskBegun
            | Milestone::Size { .. }
            | Milestone::Sorted { .. }
            | Milestone::Learned { .. }
            | Milestone::Succeeded { .. }
            | Milestone::TokenReturned => Some(Symbol::Task),
            Milestone::Requested => Some(Symbol::Requested),
            Milestone::Numbered => Some(Symbol::Numbered),
            Milestone::TokenInserted => Some(Symbol::TokenInserted),
            Milestone::TokenRemoved => Some(Symbol::TokenRemoved),
            Milestone::Inaugurates | Milestone::Reopened => Some(Symbol::Other),
            Milestone::Entered { .. }
            | Milestone::Left
            | Milestone::Attempt
            | Milestone::Read { .. }
            | Milestone::Written { .. }
            | Milestone::TokenBegins => None,
        })
        .collect();
    if symbols.is_empty() && step.reports() && step.milestones().next().is_none() {
        return Some(Symbol::Other);
    }
    symbols.sort_unstable();
    symbols.first().copied()
}

/// The symbol of a fault at a place; a cut is one at both ends.
pub(super) fn fault_at(step: &Step, place: Place) -> Option<Symbol> {
    let symbol = match step.cause {
        Cause::Crash => Symbol::Crash,
        Cause::Restart => Symbol::Restart,
        Cause::Pause { .. } => Symbol::Pause,
        Cause::Cut { .. } => Symbol::Cut,
        Cause::Heal { .. } => Symbol::Heal,
        _ => return None,
    };
    let there = match step.cause {
        Cause::Cut { other } | Cause::Heal { other } => [step.place, other].contains(&place),
        _ => step.place == place,
    };
    there.then_some(symbol)
}
