//! The overview of a run that is too large for a diagram: numbers of messages, or critical sections, by place and time.

use std::collections::BTreeMap;

use ringleader_model::{Milestone, Part, Place, Time};
use ringleader_sim::{Cause, MessageNumber, Step};

use super::diagram::fault_at;
use super::intervals::Activity;
use super::legend::{Symbol, Symbols, inside};
use super::page::{MARGIN, Page};
use super::svg::{Px, Svg};
use super::theme::{self, Theme};
use super::{PlaceRole, RunInfo, Subject, grouped};

const ABOUT: &str = "An overview: places across, time downwards, and how much happens in each part of both.";
/// No more cells than this across.
const COLUMNS: usize = 200;
/// And down.
const ROWS: usize = 150;
/// The number of messages whose causes are kept, for the path to the leader.
pub(super) const TRACED: usize = 4_000_000;
/// The number of leaders to whom paths are drawn.
const LEADERS: usize = 4;
/// The number of laps after the last change of the number of tokens at which an overview of a token ring ends.
const LAPS: u64 = 5;
const WIDE: i64 = 7_600;
const HIGH: i64 = 6_000;
const LEFT: i64 = 880;

/// Counts by place and time. The time of a row doubles whenever the rows are not enough.
struct Density {
    n: usize,
    columns: usize,
    /// The time of a row.
    step: Time,
    /// Row by row.
    cells: Vec<u64>,
}

impl Density {
    fn new(n: usize) -> Self {
        Self { n, columns: n.clamp(1, COLUMNS), step: 1, cells: Vec::new() }
    }

    fn add(&mut self, place: Place, time: Time, amount: u64) {
        self.reach(time);
        let (row, column) = ((time / self.step) as usize, self.column(place));
        let end = (row + 1) * self.columns;
        if self.cells.len() < end {
            self.cells.resize(end, 0);
        }
        self.cells[row * self.columns + column] += amount;
    }

    /// Adds the time that a place spends in something.
    fn add_span(&mut self, place: Place, from: Time, to: Time) {
        self.reach(to);
        let mut time = from;
        loop {
            let next = ((time / self.step + 1) * self.step).min(to.max(time + 1));
            self.add(place, time, next - time);
            if next >= to {
                return;
            }
            time = next;
        }
    }

    /// Makes rows longer until they reach a time.
    fn reach(&mut self, time: Time) {
        while time / self.step >= ROWS as u64 {
            self.step *= 2;
            let old = std::mem::take(&mut self.cells);
            for pair in old.chunks(2 * self.columns) {
                let (first, second) = pair.split_at(self.columns.min(pair.len()));
                let other = |column: usize| second.get(column).copied().unwrap_or(0);
                self.cells.extend(first.iter().enumerate().map(|(column, &count)| count + other(column)));
            }
        }
    }

    fn column(&self, place: Place) -> usize {
        place as usize * self.columns / self.n
    }

    fn total(&self) -> u64 {
        self.cells.iter().sum()
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }
}

/// The statistics of a run for its overview.
pub(super) struct Overview {
    /// Messages, by sender and time of sending.
    messages: Density,
    /// Those of them that do not belong to the work itself.
    announcements: Density,
    /// Time inside a critical section, or reading or writing.
    inside: Density,
    /// By place, since when it is inside.
    since: BTreeMap<Place, Time>,
    /// By place that has requested something, since when it sends messages for it.
    asked: BTreeMap<Place, Option<Time>>,
    /// In a token ring, the messages since the number of tokens changed.
    steady: Option<u64>,
    /// By message, the message that caused it (0 for none), and where and when it was sent.
    sent: Vec<(u32, Place, Time)>,
    /// By place, the message that its last step with an effect handled.
    causes: Vec<u32>,
    /// By leader, the messages that led to its election: where and when they were sent; at last, its election.
    leaders: Vec<Vec<(Place, Time)>>,
    faults: Vec<(Place, Time, Symbol)>,
    end: Time,
}

impl Overview {
    pub(super) fn new(n: usize) -> Self {
        Self {
            messages: Density::new(n),
            announcements: Density::new(n),
            inside: Density::new(n),
            since: BTreeMap::new(),
            asked: BTreeMap::new(),
            steady: None,
            sent: Vec::new(),
            causes: vec![0; n],
            leaders: Vec::new(),
            faults: Vec::new(),
            end: 0,
        }
    }

    /// Counts a step.
    pub(super) fn observe(&mut self, step: &Step) {
        let (place, time) = (step.place, step.time);
        if self.is_cut() {
            return;
        }
        self.end = time;
        let cause = match &step.cause {
            Cause::Receive { message, .. } => u32::try_from(message.0).unwrap_or(0),
            Cause::Timeout { .. } | Cause::Call { .. } => self.causes[place as usize],
            Cause::Duplicate { message, copy, .. } => {
                let original = self.sent.get(message.0 as usize).copied().unwrap_or_default();
                return self.trace(*copy, original);
            }
            Cause::Crash | Cause::Restart | Cause::Pause { .. } | Cause::Cut { .. } | Cause::Heal { .. } => {
                let other = if let Cause::Cut { other } | Cause::Heal { other } = step.cause { other } else { place };
                for end in [place, other].into_iter().take(if other == place { 1 } else { 2 }) {
                    self.faults.extend(fault_at(step, end).map(|symbol| (end, time, symbol)));
                }
                if step.cause.goes_down() {
                    self.leave(place, time);
                }
                return;
            }
            Cause::Wake | Cause::Loss { .. } | Cause::Delay { .. } | Cause::Hold { .. } => 0,
        };
        for (number, _, content) in step.sends() {
            self.trace(number, (cause, place, time));
            self.asked.entry(place).and_modify(|since| *since = since.or(Some(time)));
            self.steady = self.steady.map(|messages| messages + 1);
            self.messages.add(place, time, 1);
            // Both grids have the same rows.
            self.announcements.add(place, time, u64::from(content.kind.part != Part::Work));
        }
        if !step.effects.is_empty() {
            self.causes[place as usize] = cause;
        }
        for milestone in step.milestones() {
            self.reached(milestone, place, time, cause);
        }
    }

    fn reached(&mut self, milestone: Milestone, place: Place, time: Time, cause: u32) {
        match milestone {
            Milestone::Elected { .. } if self.leaders.len() < LEADERS => {
                let path = self.path(cause, (place, time));
                self.leaders.push(path);
            }
            Milestone::Entered { .. } | Milestone::Attempt => {
                self.since.insert(place, time);
            }
            Milestone::Left | Milestone::Read { .. } => self.leave(place, time),
            Milestone::Requested => {
                self.asked.insert(place, None);
            }
            // Whoever writes without a lock is inside from its first message on.
            Milestone::Written { .. } => {
                if let Some(since) = self.asked.remove(&place).flatten() {
                    self.inside.add_span(place, since, time);
                }
            }
            Milestone::TokenBegins | Milestone::TokenInserted | Milestone::TokenRemoved => self.steady = Some(0),
            _ => {}
        }
    }

    /// Whether the tokens of a ring have made enough laps: the rest looks the same.
    fn is_cut(&self) -> bool {
        self.steady.is_some_and(|messages| messages > LAPS * self.messages.n as u64)
    }

    fn leave(&mut self, place: Place, time: Time) {
        if let Some(since) = self.since.remove(&place) {
            self.inside.add_span(place, since, time);
        }
    }

    /// Keeps the cause of a message.
    fn trace(&mut self, number: MessageNumber, sent: (u32, Place, Time)) {
        let index = number.0 as usize;
        if index < TRACED {
            if self.sent.len() <= index {
                self.sent.resize(index + 1, (0, 0, 0));
            }
            self.sent[index] = sent;
        }
    }

    /// The messages that led to an event, the first one first; none if they are not all known.
    fn path(&self, cause: u32, event: (Place, Time)) -> Vec<(Place, Time)> {
        let mut path = vec![event];
        let mut next = cause as usize;
        while next > 0 {
            let Some(&(cause, place, time)) = self.sent.get(next) else { return vec![event] };
            path.push((place, time));
            next = cause as usize;
        }
        path.reverse();
        path
    }

    /// The picture of a run with these numbers of messages and of entries, reads or writes.
    pub(super) fn draw(&self, info: &RunInfo<'_>, theme: Theme, messages: u64, entries: u64) -> String {
        let shared = matches!(info.subject, Subject::Sharing | Subject::Data);
        let grid = if shared { &self.inside } else { &self.messages };
        let mut page = Page::new(info, theme, LEFT + WIDE + 480, ABOUT);
        page.note(&self.note(info, grid, messages, entries));
        for violation in info.violations {
            page.add_violation(&format!("Violated: {} ({})", violation.property, violation.detail));
        }
        let plot = Plot {
            info,
            grid,
            left: LEFT + (page.width - LEFT - WIDE - 480) / 2,
            top: page.top() + 560,
            end: self.end,
        };
        let mut symbols = Symbols::new(theme, Vec::new());
        let mut svg = Svg::default();
        plot.draw_axes(&symbols, &mut svg);
        if shared {
            plot.draw_inside(&mut symbols, &mut svg);
        } else {
            plot.draw_density(&self.announcements, &mut symbols, &mut svg);
        }
        for path in &self.leaders {
            plot.draw_path(path, &mut symbols, &mut svg);
        }
        for &(place, time, symbol) in &self.faults {
            symbols.draw(symbol, plot.x(place), plot.y(time), "", &mut svg);
        }
        let legend = symbols.legend(MARGIN, page.width - MARGIN, plot.bottom() + 560, |symbol| plot.name(symbol));
        page.finish(&svg, plot.bottom() + 300, &legend, &symbols)
    }

    /// The note that says what a cell shows.
    fn note(&self, info: &RunInfo<'_>, grid: &Density, messages: u64, entries: u64) -> String {
        let unit = if info.untimed { "steps" } else { "units of time" };
        let places = match info.n.div_ceil(grid.columns) {
            1 => "one place".to_string(),
            places => format!("up to {} places", grouped(places)),
        };
        let time = format!("{} {unit}", grouped(grid.step));
        let all = grouped(messages);
        let what = match info.subject {
            Subject::Sharing => {
                format!("{} entries and {all} messages: a cell is filled where a site is inside", grouped(entries))
            }
            Subject::Data => {
                format!(
                    "{} reads and writes and {all} messages: a cell is filled where one of them is under way",
                    grouped(entries)
                )
            }
            Subject::Tokens if self.is_cut() => {
                format!(
                    "the first {} of {all} messages: the stronger the colour, the more are sent",
                    grouped(grid.total())
                )
            }
            Subject::Messages | Subject::Tokens => {
                format!("{all} messages: the stronger the colour, the more are sent")
            }
        };
        let elected = match self.leaders.as_slice() {
            [path] => path.last().map_or(String::new(), |&(place, time)| {
                format!(" Elected at time {}: place {}.", grouped(time), grouped(place))
            }),
            _ => String::new(),
        };
        format!("Overview of {what}. A cell is {places} × {time}.{elected}")
    }
}

/// A grid with its layout.
struct Plot<'a> {
    info: &'a RunInfo<'a>,
    grid: &'a Density,
    left: i64,
    top: i64,
    end: Time,
}

impl Plot<'_> {
    fn draw_axes(&self, symbols: &Symbols, svg: &mut Svg) {
        let (pale, line) = (symbols.theme.of(theme::PALE), symbols.theme.of(theme::GRID));
        let (from, to) = (self.left - 60, self.left + WIDE + 60);
        svg.open("g", &[("text-anchor", &"end"), ("fill", &pale), ("font-size", &11)]);
        for time in multiples(self.end, self.room() / 400) {
            let y = self.y(time);
            svg.empty("path", &[("d", &format!("M{} {}H{}", Px(from), Px(y), Px(to))), ("stroke", &line)]);
            svg.text("text", &[("x", &Px(from - 60)), ("y", &Px(y + 40))], &grouped(time));
        }
        svg.text("text", &[("x", &Px(from - 60)), ("y", &Px(self.top - 180))], "place");
        let unit = if self.info.untimed { "step ↓" } else { "time ↓" };
        svg.text("text", &[("x", &Px(from - 60)), ("y", &Px(self.bottom() + 260))], unit);
        svg.close();
        svg.open("g", &[("text-anchor", &"middle"), ("fill", &pale), ("font-size", &10)]);
        for place in multiples(self.info.n as u64 - 1, 12) {
            let x = self.x(place as Place);
            let tick = format!("M{} {}V{}", Px(x), Px(self.top - 130), Px(self.top - 60));
            svg.empty("path", &[("d", &tick), ("stroke", &pale)]);
            svg.text("text", &[("x", &Px(x)), ("y", &Px(self.top - 180))], &grouped(place));
        }
        svg.close();
    }

    /// The cells, the stronger in colour the more messages.
    fn draw_density(&self, announcements: &Density, symbols: &mut Symbols, svg: &mut Svg) {
        let most = bits(self.grid.cells.iter().copied().max().unwrap_or(0));
        for shade in 0..theme::DENSITY.len() {
            let cells = self.cells(0, |_, count| count > 0 && shade_of(count, most) == shade);
            if !cells.is_empty() {
                symbols.note(Symbol::Density(shade));
                svg.empty("path", &[("d", &cells), ("fill", &symbols.theme.of(theme::DENSITY[shade]))]);
            }
        }
        let cells = self.cells(0, |cell, count| count > 0 && 2 * announcements.cells[cell] > count);
        if !cells.is_empty() {
            symbols.note(Symbol::Announcements);
            svg.empty("path", &[("d", &cells), ("fill", &symbols.theme.of(theme::ANNOUNCEMENTS[0].colour))]);
        }
    }

    /// The cells in which somebody is inside, by role.
    fn draw_inside(&self, symbols: &mut Symbols, svg: &mut Svg) {
        let activities = [
            (PlaceRole::Site, Activity::Critical),
            (PlaceRole::Reader, Activity::Reading),
            (PlaceRole::Writer, Activity::Writing),
        ];
        for (role, activity) in activities {
            let (inset, colour) = inside(activity);
            let cells = self.cells(inset, |cell, count| count > 0 && self.role(cell % self.grid.columns) == role);
            if !cells.is_empty() {
                symbols.note(Symbol::Inside(activity));
                svg.empty("path", &[("d", &cells), ("fill", &symbols.theme.of(colour))]);
            }
        }
    }

    /// The outlines of the chosen cells, neighbours in a row together, with `inset` percent of the row free above and below.
    fn cells(&self, inset: i64, chosen: impl Fn(usize, u64) -> bool) -> String {
        let (mut path, columns) = (String::new(), self.grid.columns);
        for (row, cells) in self.grid.cells.chunks(columns).enumerate() {
            let (top, bottom) = (self.row(row), self.row(row + 1));
            let free = (bottom - top) * inset / 100;
            let (top, bottom) = (top + free, bottom - free);
            let mut column = 0;
            while column < columns {
                let run = (column..columns).take_while(|&at| chosen(row * columns + at, cells[at])).count();
                if run > 0 {
                    let (left, right) = (self.column(column), self.column(column + run));
                    let (left, top, right, bottom) = (Px(left), Px(top), Px(right), Px(bottom));
                    path.push_str(&format!("M{left} {top}H{right}V{bottom}H{left}Z"));
                }
                column += run.max(1);
            }
        }
        path
    }

    /// The messages that led to a leader, and the star of its election.
    fn draw_path(&self, path: &[(Place, Time)], symbols: &mut Symbols, svg: &mut Svg) {
        let Some(&(place, time)) = path.last() else { return };
        let mut points = String::new();
        let mut before: Option<(i64, i64, i64)> = None;
        for &(place, time) in path {
            let (x, y) = (self.x(place), self.y(time));
            let jump = |&(other, ..): &(i64, i64, i64)| self.info.is_ring() && (x - other).abs() > WIDE / 2;
            let verb = if before.as_ref().is_none_or(jump) { 'M' } else { 'L' };
            // Steps of less than two pixels cannot be seen.
            let close = before.is_some_and(|(other, row, _)| (x - other).abs() < 20 && (y - row).abs() < 20);
            if verb == 'M' || !close {
                points.push_str(&format!("{verb}{} {}", Px(x), Px(y)));
                before = Some((x, y, 0));
            }
        }
        let (x, y) = (self.x(place), self.y(time));
        if path.len() > 1 {
            points.push_str(&format!("L{} {}", Px(x), Px(y)));
            symbols.note(Symbol::Path);
            symbols.stroke(&points, theme::WRITER, "1.8", "", svg);
        }
        symbols.draw(Symbol::Star, x, y, "", svg);
    }

    fn name(&self, symbol: Symbol) -> String {
        let most = bits(self.grid.cells.iter().copied().max().unwrap_or(0));
        match symbol {
            Symbol::Density(shade) => {
                let of_shade = |count: &u64| *count > 0 && shade_of(*count, most) == shade;
                let counts = || self.grid.cells.iter().copied().filter(|count| of_shade(count));
                match (counts().min(), counts().max()) {
                    (Some(1), Some(1)) => "1 message".to_string(),
                    (Some(least), Some(most)) if least == most => format!("{} messages", grouped(least)),
                    (Some(least), Some(most)) => format!("{} to {} messages", grouped(least), grouped(most)),
                    _ => String::new(),
                }
            }
            Symbol::Path => "led to the leader".to_string(),
            Symbol::Star => "elected".to_string(),
            Symbol::Crash => "crashes".to_string(),
            Symbol::Restart => "restarts".to_string(),
            Symbol::Pause => "pauses".to_string(),
            Symbol::Cut => "a link is cut".to_string(),
            Symbol::Heal => "it is cut no more".to_string(),
            Symbol::Announcements => "mostly announcements, or a task".to_string(),
            Symbol::Inside(Activity::Reading) => "a reader inside".to_string(),
            Symbol::Inside(Activity::Writing) => "a writer inside".to_string(),
            Symbol::Inside(_) => "a site inside".to_string(),
            _ => String::new(),
        }
    }

    /// The role of the first place of a column.
    fn role(&self, column: usize) -> PlaceRole {
        self.info.role((column * self.info.n).div_ceil(self.grid.columns) as Place)
    }

    fn x(&self, place: Place) -> i64 {
        self.left + (i64::from(place) * 2 + 1) * WIDE / (2 * self.info.n as i64)
    }

    fn y(&self, time: Time) -> i64 {
        let (time, all) = (u128::from(time), u128::from(self.grid.step) * self.grid.rows().max(1) as u128);
        self.top + (time * self.room() as u128 / all) as i64
    }

    /// The left edge of a column.
    fn column(&self, column: usize) -> i64 {
        self.left + column as i64 * WIDE / self.grid.columns as i64
    }

    /// The top edge of a row.
    fn row(&self, row: usize) -> i64 {
        self.top + row as i64 * self.room() / self.grid.rows().max(1) as i64
    }

    /// The height of all rows.
    fn room(&self) -> i64 {
        (self.grid.rows() as i64 * 120).clamp(1_200, HIGH)
    }

    fn bottom(&self) -> i64 {
        self.top + self.room()
    }
}

/// The shade of a count, given the number of bits of the maximum: each shade covers about the same ratio, and the strongest
/// is used.
fn shade_of(count: u64, most: u32) -> usize {
    let strongest = theme::DENSITY.len() - 1;
    if most <= 1 { strongest - 1 } else { (bits(count) - 1) as usize * strongest / (most - 1) as usize }
}

fn bits(count: u64) -> u32 {
    u64::BITS - count.leading_zeros()
}

/// Multiples of 1, 2 or 5 times a power of ten, from 0 to `last`, `most` of them at most.
fn multiples(last: u64, most: i64) -> impl Iterator<Item = u64> {
    let steps = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power).min(u64::MAX / 5)));
    let step = steps.into_iter().find(|step| last / step < most.max(1) as u64).unwrap_or(u64::MAX);
    (0..=last / step).map(move |tick| tick * step)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{receive, report, reports, send, step, timeout};
    use super::*;

    #[test]
    fn rows_grow_longer_and_nothing_is_lost() {
        let mut density = Density::new(400);
        for time in 0..1_000 {
            density.add((time % 400) as Place, time, 1);
        }
        assert_eq!((density.columns, density.step, density.total()), (200, 8, 1_000));
        assert_eq!(density.rows(), 125);
        assert_eq!(density.cells[0], 2, "places 0 and 1, times 0 and 1");
        let mut spans = Density::new(3);
        spans.add_span(1, 10, 700);
        assert_eq!((spans.total(), spans.step), (690, 8));
    }

    #[test]
    fn the_path_to_a_leader_leads_back_to_the_first_message() {
        let mut overview = Overview::new(3);
        let elected = report(Some(Milestone::Elected { id: None }));
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1)]),
            step(1, 2, Cause::Wake, &[send(2, 0)]),
            step(2, 1, receive(1, 0), &[]),
            step(5, 1, timeout(), &[send(3, 2)]),
            step(6, 2, receive(3, 1), &[elected]),
        ];
        steps.iter().for_each(|step| overview.observe(step));
        // A message received without an effect is not the cause of the timer of place 1.
        assert_eq!(overview.leaders, [vec![(1, 5), (2, 6)]]);
        assert_eq!(overview.messages.total(), 3);
    }

    #[test]
    fn a_writer_without_a_lock_is_inside_while_it_sends() {
        let mut overview = Overview::new(2);
        let steps = [
            reports(0, 0, Milestone::Requested),
            step(10, 0, timeout(), &[send(1, 1)]),
            reports(14, 0, Milestone::Written { write: 1 }),
            reports(20, 1, Milestone::Entered { negatives: None }),
            reports(23, 1, Milestone::Left),
        ];
        steps.iter().for_each(|step| overview.observe(step));
        assert_eq!(overview.inside.total(), 4 + 3);
    }

    #[test]
    fn shades_cover_equal_ratios() {
        assert_eq!([1, 2, 3, 4, 63].map(|count| shade_of(count, bits(63))), [0, 1, 1, 2, 5]);
        assert_eq!([1, 7].map(|count| shade_of(count, bits(7))), [0, 5]);
        assert_eq!(shade_of(1, bits(1)), 4, "the palest alone would hardly be seen");
    }
}
