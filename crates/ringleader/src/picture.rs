//! A picture of a run: its space-time diagram, as SVG.
//!
//! Places go across, time goes down, and every message is a line from its sending to its handling. On a ring the first
//! column stands once more at the right end, so that no line crosses the picture to get from the last place to the first.
//! Lengths are counted in tenths of a pixel: whole numbers, so that the same run has the same picture everywhere.

use std::collections::BTreeSet;

use ringleader_model::{BadSetting, BoundKind, Kind, Leader, Outcome, Part, Place, Quantity, Time, Value};
use ringleader_sim::{Cause, Step, Summary};

use crate::execution::MESSAGES;
use crate::report::grouped;
use crate::setup::Setup;

mod axis;
mod flow;
mod svg;

use axis::Axis;
use flow::{Fate, Flow, Line, asks, declares, follows, moves};
use svg::{Px, Svg, text_width};

/// More columns than this do not fit on a screen.
const MOST_PLACES: usize = 64;
/// More lines than this are a blot.
const MOST_MESSAGES: u64 = 5_000;

/// Whether a run of this size can be drawn.
pub fn check(n: usize, messages: u64) -> Result<(), BadSetting> {
    let wrong = if n > MOST_PLACES {
        format!("cannot show {} processors", grouped(n))
    } else if messages > MOST_MESSAGES {
        format!("cannot show {} messages or more", grouped(messages))
    } else {
        return Ok(());
    };
    let allowed = format!("runs of at most {MOST_PLACES} processors and {} messages", grouped(MOST_MESSAGES));
    Err(BadSetting::new("picture", wrong, allowed))
}

/// The picture of a run, all its steps logged. `rerun` is the line that repeats it.
pub fn draw(setup: &Setup, summary: &Summary, steps: &[Step], rerun: &str) -> String {
    let scenario = &setup.scenario;
    let topology = setup.description().assumptions.topology;
    let came_of_it = match &summary.outcome {
        Outcome::Election { leaders, .. } => match leaders.as_slice() {
            [] => ": nobody is elected".to_string(),
            [Leader { id: Some(id), .. }] => format!(": id {id} is elected"),
            [Leader { place, id: None }] => format!(": place {place} is elected"),
            many => format!(": {} leaders", many.len()),
        },
        Outcome::Entries { entries, overlap_max } => {
            let together = if *overlap_max > 1 { format!(", {overlap_max} at once") } else { String::new() };
            format!(": {entries} entries{together}")
        }
        Outcome::Data { reads, writes, attempts, .. } => {
            format!(": {reads} reads in {attempts} attempts, {writes} writes")
        }
        Outcome::Tokens { tokens } => format!(": {tokens} tokens at the end"),
        Outcome::Work => String::new(),
    };
    let scene = Scene {
        n: scenario.n,
        ids: &scenario.ids,
        ring: topology.is_ring(),
        crashes: &scenario.faults.crashes,
        title: format!("{} on a {topology} of {}{came_of_it}", setup.entry.name(), scenario.n),
        subtitle: measured(setup, summary),
        rerun,
    };
    Picture::new(&scene, steps).draw()
}

/// The messages of a run beside the sharpest bound on them.
fn measured(setup: &Setup, summary: &Summary) -> String {
    let total = summary.cost.messages();
    let plain = format!("{} messages", grouped(total));
    let Some(bound) = setup.sharpest(&MESSAGES, &[BoundKind::Worst, BoundKind::Exact]) else { return plain };
    let (Some(measured), holds) = bound.judge(summary) else { return plain };
    let relation = match (bound.kind, holds) {
        (_, None) => "so far; proved:",
        (BoundKind::Exact, Some(true)) => "=",
        (BoundKind::Exact, Some(false)) => "≠",
        (_, Some(true)) => "≤",
        (_, Some(false)) => ">",
    };
    let work = if bound.quantity == Quantity::Work { format!("{} ", setup.facts.work) } else { String::new() };
    let value = if relation == "=" { String::new() } else { format!("{} = ", grouped(bound.value)) };
    let all =
        if measured == Value::int(u128::from(total)) { String::new() } else { format!("; {} in all", grouped(total)) };
    format!("{} {work}messages {relation} {value}{} [{}]{all}", grouped(measured), bound.formula, bound.source)
}

/// What a picture says besides the steps.
struct Scene<'a> {
    n: usize,
    ids: &'a [u64],
    ring: bool,
    crashes: &'a [(Place, Time)],
    title: String,
    subtitle: String,
    rerun: &'a str,
}

/// Colour and dashes. The colours are Okabe and Ito's, which the colour-blind can tell apart; the dashes do without any.
type Style = (&'static str, &'static str);
/// For messages that do the work, the commonest kind first.
const WORK: [Style; 5] =
    [("#0072b2", ""), ("#cc79a7", "1 4"), ("#d55e00", "8 3"), ("#56b4e9", "8 3 2 3"), ("#7a6200", "3 3")];
/// For messages that spread the result.
const NEWS: [Style; 2] = [("#009e73", "6 4"), ("#004d38", "2 2")];

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const ABOUT: &str = "A space-time diagram: processors across, time downwards, every message a line from its sending to \
                     its handling. Repeat the run:";
const PAPER: &str = "#fdfdfc";
const INK: &str = "#24292f";
const PALE: &str = "#6e7781";
const GOLD: &str = "#e69f00";
const STAR: &str = "M0-11 2.7-3.7 10.5-3.4 4.4 1.4 6.5 8.9 0 4.6-6.5 8.9-4.4 1.4-10.5-3.4-2.7-3.7Z";

/// Around everything.
const MARGIN: i64 = 280;
/// Beside the first and the last column.
const LEFT: i64 = 720;
const RIGHT: i64 = 480;

/// What the legend explains.
#[derive(Clone, Copy)]
enum Sign {
    Line(Style, &'static str),
    Bar,
    Wait,
    Stub,
    Star,
    Stay,
    Dot(&'static str),
}

/// A run with its layout.
struct Picture<'a> {
    scene: &'a Scene<'a>,
    flow: Flow<'a>,
    /// The lines that led to a leader.
    ways: BTreeSet<usize>,
    axis: Axis,
    /// The kinds of messages and how many there are, as in the legend.
    kinds: Vec<(Kind, usize)>,
    /// From column to column.
    pitch: i64,
    left: i64,
    top: i64,
    width: i64,
    /// How high identities are written.
    id_size: i64,
    /// Whether they are written upwards for want of room.
    upright: bool,
}

impl<'a> Picture<'a> {
    fn new(scene: &'a Scene<'a>, steps: &'a [Step]) -> Self {
        let flow = Flow::new(steps);
        let gaps = (scene.n as i64 - i64::from(!scene.ring)).max(1);
        let pitch = (7_600 / gaps).clamp(220, 1_200);
        let plot = gaps * pitch;
        let words = text_width(&scene.title, 200).max(text_width(&scene.subtitle, 140)) + 2 * MARGIN;
        let width = (LEFT + plot + RIGHT).max(words).max(5_600);
        let id_size = if pitch < 300 { 110 } else { 140 };
        let longest = scene.ids.iter().map(|id| text_width(&id.to_string(), id_size * 6 / 5)).max().unwrap_or(0);
        let upright = longest > pitch;
        Self {
            ways: flow.ways(),
            axis: Axis::new(&flow, 1_200, (plot * 7 / 10).max(3_600)),
            kinds: flow.kinds(),
            left: LEFT + (width - LEFT - plot - RIGHT) / 2,
            top: 1_400 + if upright { longest - 100 } else { 0 },
            scene,
            flow,
            pitch,
            width,
            id_size,
            upright,
        }
    }

    fn draw(&self) -> String {
        let legend = self.legend();
        let bottom = legend.last().map_or(self.bottom(), |&(_, y, ..)| y) + MARGIN;
        let (width, height) = (Px(self.width), Px(bottom));
        let Scene { title, subtitle, rerun, .. } = self.scene;
        let mut svg = Svg::default();
        svg.open(
            "svg",
            &[
                ("xmlns", &"http://www.w3.org/2000/svg"),
                ("viewBox", &format!("0 0 {width} {height}")),
                ("width", &width),
                ("height", &height),
                ("role", &"img"),
                ("aria-labelledby", &"title desc"),
                ("font-family", &FONTS),
                ("font-size", &12),
                ("fill", &INK),
            ],
        );
        svg.text("title", &[("id", &"title")], &format!("{title}. {subtitle}"));
        svg.text("desc", &[("id", &"desc")], &format!("{ABOUT} {rerun}"));
        svg.empty(
            "rect",
            &[
                ("x", &"0.5"),
                ("y", &"0.5"),
                ("width", &Px(self.width - 10)),
                ("height", &Px(bottom - 10)),
                ("rx", &12),
                ("fill", &PAPER),
                ("stroke", &"#d8dee4"),
            ],
        );
        let x = Px(MARGIN);
        svg.text("text", &[("x", &x), ("y", &42), ("font-size", &18), ("font-weight", &600)], title);
        svg.text("text", &[("x", &x), ("y", &64), ("font-size", &13), ("fill", &PALE)], subtitle);
        self.draw_times(&mut svg);
        for column in 0..=self.last_column() {
            self.draw_column(column, &mut svg);
        }
        self.draw_stays(&mut svg);
        // Those that led to a leader last, and bold.
        for bold in [false, true] {
            for &(kind, _) in &self.kinds {
                self.draw_messages(kind, bold, &mut svg);
            }
        }
        self.draw_reports(&mut svg);
        for (x, y, sign, name) in legend {
            svg.open("g", &[("transform", &format!("translate({} {})", Px(x), Px(y)))]);
            draw_sign(sign, &mut svg);
            svg.text("text", &[("x", &34)], &name);
            svg.close();
        }
        svg.finish()
    }

    fn draw_times(&self, svg: &mut Svg) {
        let (from, to) = (self.left - 140, self.x(self.last_column()) + 140);
        let label = Px(from - 60);
        svg.open("g", &[("text-anchor", &"end"), ("fill", &PALE), ("font-size", &11)]);
        for tick in self.axis.ticks() {
            let y = self.top + self.axis.time(tick);
            let path = format!("M{} {}H{}", Px(from), Px(y), Px(to));
            svg.empty("path", &[("d", &path), ("stroke", &"#eaeef2")]);
            svg.text("text", &[("x", &label), ("y", &Px(y + 40))], &grouped(tick));
        }
        if !self.scene.ids.is_empty() {
            svg.text("text", &[("x", &label), ("y", &Px(self.top - 310))], "id");
        }
        svg.text("text", &[("x", &label), ("y", &Px(self.top - 150))], "place");
        svg.text("text", &[("x", &label), ("y", &Px(self.bottom() + 260))], "time ↓");
        svg.close();
    }

    fn draw_column(&self, column: usize, svg: &mut Svg) {
        let place = column % self.scene.n;
        let again = column == self.scene.n;
        let x = Px(self.x(column));
        let crashes = self.scene.crashes.iter().filter(|&&(at, time)| at as usize == place && time <= self.axis.end());
        let crash = crashes.map(|&(_, time)| time).min();
        let end = crash.map_or(self.bottom() + 100, |time| self.top + self.axis.time(time.max(self.axis.begin())));
        let line = format!("M{x} {}V{}", Px(self.top - 80), Px(end));
        let (dashes, opacity) = if again { ("2 4", "0.45") } else { ("", "") };
        svg.empty("path", &[("d", &line), ("stroke", &"#c4ccd4"), ("stroke-dasharray", &dashes)]);
        if crash.is_some() {
            let cross = format!("M{x} {}m-5-5 10 10m0-10-10 10", Px(end));
            svg.empty("path", &[("d", &cross), ("stroke", &"#cf222e"), ("stroke-width", &2)]);
        }
        svg.open("g", &[("text-anchor", &"middle"), ("opacity", &opacity)]);
        if let Some(id) = self.scene.ids.get(place) {
            let leads = self.flow.steps.iter().any(|step| step.place as usize == place && declares(step));
            let y = Px(self.top - 310);
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
                    ("fill", &if leads { "#b35900" } else { INK }),
                ],
                &id.to_string(),
            );
        }
        let y = Px(self.top - 150);
        svg.text("text", &[("x", &x), ("y", &y), ("font-size", &10), ("fill", &PALE)], &place.to_string());
        svg.close();
    }

    fn draw_messages(&self, kind: Kind, bold: bool, svg: &mut Svg) {
        let lines = self.flow.lines.iter().enumerate();
        let chosen = lines.filter(|(index, line)| line.kind == kind && self.ways.contains(index) == bold);
        let chosen: Vec<_> = chosen.map(|(_, line)| line).collect();
        if chosen.is_empty() {
            return;
        }
        let (colour, dashes) = self.style(kind);
        let (width, opacity) = if bold { ("3", "") } else { ("1.4", "0.85") };
        svg.open(
            "g",
            &[
                ("fill", &"none"),
                ("stroke", &colour),
                ("stroke-width", &width),
                ("stroke-opacity", &opacity),
                ("stroke-linecap", &"round"),
                ("stroke-linejoin", &"round"),
            ],
        );
        svg.open("g", &[("stroke-dasharray", &dashes)]);
        for line in &chosen {
            svg.titled_path(&self.path(line), line.text);
        }
        svg.close();
        let bars: String = chosen.iter().map(|line| self.bars(line)).collect();
        if !bars.is_empty() {
            svg.empty("path", &[("d", &bars), ("stroke-width", &2)]);
        }
        svg.close();
    }

    /// From where a message was sent to where it was handled, and down for as long as it waits there.
    fn path(&self, line: &Line<'_>) -> String {
        let (from, to) = self.columns_between(line.from, line.to);
        let (x, y) = (self.x(from), self.y(line.sent));
        let Some(handled) = line.handled else {
            // Three dashes towards where it should have gone.
            let (dx, dy) = ((self.x(to) - x).signum() * 35, 35);
            let (dash, gap) = (format!("l{} {}", Px(dx), Px(dy)), format!("m{} {}", Px(dx), Px(dy)));
            return format!("M{} {}{dash}{gap}{dash}{gap}{dash}", Px(x), Px(y));
        };
        let mut path = format!("M{} {}L{} {}", Px(x), Px(y), Px(self.x(to)), Px(self.y(handled)));
        if let Fate::Waits(until) = self.flow.fate(line) {
            let end = Px(until.map_or(self.bottom(), |until| self.y(until)));
            path.push_str(&format!("V{end}"));
            for other in self.columns_of(line.to).into_iter().filter(|&other| other != to) {
                path.push_str(&format!("M{} {}V{end}", Px(self.x(other)), Px(self.y(handled))));
            }
        }
        path
    }

    /// The bar across the end of a message that goes no further, whether at once or after it has waited.
    fn bars(&self, line: &Line<'_>) -> String {
        let (from, to) = self.columns_between(line.from, line.to);
        match (self.flow.fate(line), line.handled) {
            (Fate::Swallowed, Some(handled)) => {
                let (x, y) = (self.x(to), self.y(handled));
                self.bar(x, y, x - self.x(from), y - self.y(line.sent))
            }
            (Fate::Waits(Some(until)), _) if matches!(self.flow.steps[until].cause, Cause::Receive { .. }) => {
                let bar = |column| self.bar(self.x(column), self.y(until), 0, 1);
                self.columns_of(line.to).into_iter().map(bar).collect()
            }
            _ => String::new(),
        }
    }

    /// A bar across a line that comes to this point in this direction, a little before it.
    fn bar(&self, x: i64, y: i64, dx: i64, dy: i64) -> String {
        let half = (self.pitch / 9).clamp(28, 45);
        let length = (dx * dx + dy * dy).isqrt().max(1);
        let (x, y) = (x - dx * 25 / length, y - dy * 25 / length);
        let (across, down) = (dy * half / length, -dx * half / length);
        format!("M{} {}L{} {}", Px(x + across), Px(y + down), Px(x - across), Px(y - down))
    }

    /// Who is inside, and how long.
    fn draw_stays(&self, svg: &mut Svg) {
        let stays = self.flow.stays();
        if stays.is_empty() {
            return;
        }
        svg.open("g", &[("stroke", &GOLD), ("stroke-width", &9), ("stroke-opacity", &"0.75")]);
        for (place, entered, left) in stays {
            let end = left.map_or(self.bottom(), |left| self.y(left));
            for column in self.columns_of(place) {
                let line = format!("M{} {}V{}", Px(self.x(column)), Px(self.y(entered)), Px(end));
                svg.empty("path", &[("d", &line)]);
            }
        }
        svg.close();
    }

    fn draw_reports(&self, svg: &mut Svg) {
        let drawn = |step: &Step| step.reports() && (asks(step) || !moves(step));
        for (index, step) in self.flow.steps.iter().enumerate().filter(|(_, step)| drawn(step)) {
            for column in self.columns_of(step.place) {
                let opacity = if column == self.scene.n { "0.4" } else { "" };
                let place = format!("translate({} {})", Px(self.x(column) - 130), Px(self.y(index) + 40));
                svg.open("g", &[("transform", &place), ("opacity", &opacity)]);
                draw_sign(sign(step), svg);
                svg.close();
            }
        }
    }

    /// What is explained, and where.
    fn legend(&self) -> Vec<(i64, i64, Sign, String)> {
        let lines = self
            .kinds
            .iter()
            .map(|&(kind, count)| (Sign::Line(self.style(kind), "1.8"), format!("{} ({})", kind.name, grouped(count))));
        let mut entries: Vec<_> = lines.collect();
        if let Some(&last) = self.ways.last() {
            entries.push((Sign::Line(self.style(self.flow.lines[last].kind), "3"), "led to the leader".to_string()));
        }
        let fates: Vec<Fate> = self.flow.lines.iter().map(|line| self.flow.fate(line)).collect();
        let reports: Vec<&Step> = self.flow.steps.iter().filter(|step| step.reports()).collect();
        let others = [
            (fates.iter().any(|fate| matches!(fate, Fate::Waits(_))), Sign::Wait, "waits"),
            (fates.contains(&Fate::Swallowed), Sign::Bar, "goes no further"),
            (fates.contains(&Fate::Lost), Sign::Stub, "never handled"),
            (reports.iter().any(|step| declares(step)), Sign::Star, "leader declares"),
            (reports.iter().any(|step| !declares(step) && follows(step)), Sign::Dot(INK), "follower learns"),
            (reports.iter().any(|step| moves(step)), Sign::Stay, "inside"),
            (reports.iter().any(|step| asks(step)), Sign::Dot(PAPER), "asks"),
            (reports.iter().any(|step| is_other(step)), Sign::Dot(PALE), "reports otherwise"),
        ];
        let present = others.into_iter().filter(|(present, ..)| *present);
        entries.extend(present.map(|(_, sign, name)| (sign, name.to_string())));
        let (mut x, mut y) = (MARGIN, self.bottom() + 560);
        let placed = entries.into_iter().map(|(sign, name)| {
            let wide = 340 + text_width(&name, 120);
            if x > MARGIN && x + wide > self.width - MARGIN {
                (x, y) = (MARGIN, y + 240);
            }
            x += wide + 240;
            (x - wide - 240, y, sign, name)
        });
        placed.collect()
    }

    fn style(&self, kind: Kind) -> Style {
        let mut alike = self.kinds.iter().filter(|(other, _)| (other.part == Part::Work) == (kind.part == Part::Work));
        let rank = alike.position(|(other, _)| *other == kind).expect("every kind was counted");
        if kind.part == Part::Work { WORK[rank % WORK.len()] } else { NEWS[rank % NEWS.len()] }
    }

    fn last_column(&self) -> usize {
        if self.scene.ring { self.scene.n } else { self.scene.n - 1 }
    }

    /// The columns of a place: its own, and for the first of a ring the one at the end.
    fn columns_of(&self, place: Place) -> Vec<usize> {
        let end = Some(self.scene.n).filter(|_| self.scene.ring && place == 0);
        std::iter::once(place as usize).chain(end).collect()
    }

    /// The columns between which a message is drawn. Between the last place of a ring and the first, past the end.
    fn columns_between(&self, from: Place, to: Place) -> (usize, usize) {
        let (from, to, n) = (from as usize, to as usize, self.scene.n);
        match (self.scene.ring, from, to) {
            (true, from, 0) if from + 1 == n => (from, n),
            (true, 0, to) if to + 1 == n && n > 2 => (n, to),
            _ => (from, to),
        }
    }

    fn x(&self, column: usize) -> i64 {
        self.left + column as i64 * self.pitch
    }

    fn y(&self, step: usize) -> i64 {
        self.top + self.axis.step(&self.flow, step)
    }

    fn bottom(&self) -> i64 {
        self.top + self.axis.height
    }
}

/// What stands for a report.
fn sign(step: &Step) -> Sign {
    match (declares(step), follows(step)) {
        (true, _) => Sign::Star,
        (false, true) => Sign::Dot(INK),
        (false, false) => Sign::Dot(if is_other(step) { PALE } else { PAPER }),
    }
}

/// Whether a report is none of those that have a sign of their own.
fn is_other(step: &Step) -> bool {
    !declares(step) && !follows(step) && !moves(step) && !asks(step)
}

/// A sign in a box 26 pixels wide, as high as a line of text.
fn draw_sign(sign: Sign, svg: &mut Svg) {
    let mut stroke = |path: &str, colour: &str, width: &str, dashes: &str| {
        svg.empty(
            "path",
            &[
                ("d", &path),
                ("fill", &"none"),
                ("stroke", &colour),
                ("stroke-width", &width),
                ("stroke-dasharray", &dashes),
                ("stroke-linecap", &"round"),
            ],
        );
    };
    match sign {
        Sign::Line((colour, dashes), width) => stroke("M0-4h26", colour, width, dashes),
        Sign::Bar => stroke("M4-4h16m0-5v10", PALE, "1.8", ""),
        Sign::Wait => stroke("M5-11 13-8V0l8 3", PALE, "1.8", ""),
        Sign::Stub => stroke("M5-12l3.5 3.5m3.5 3.5l3.5 3.5m3.5 3.5l3.5 3.5", PALE, "1.8", ""),
        Sign::Stay => stroke("M13-9V1", GOLD, "9", ""),
        Sign::Star => {
            let place = "translate(13 -4)";
            svg.empty("path", &[("d", &STAR), ("transform", &place), ("fill", &GOLD), ("stroke", &PAPER)]);
        }
        Sign::Dot(fill) => {
            let edge = if fill == INK { PAPER } else { INK };
            svg.empty("circle", &[("cx", &13), ("cy", &-4), ("r", &"3.2"), ("fill", &fill), ("stroke", &edge)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use ringleader_sim::Choices;

    use super::flow::tests::{receive, report, send, set_timer, step, timeout};
    use super::*;
    use crate::execution::Execution;
    use crate::options::ring;

    /// Three places in a ring: columns 120 pixels apart, the first at 112.
    fn scene(ring: bool) -> Scene<'static> {
        let (title, subtitle) = (String::new(), String::new());
        Scene { n: 3, ids: &[], ring, crashes: &[], title, subtitle, rerun: "" }
    }

    fn paths(scene: &Scene<'_>, steps: &[Step]) -> Vec<(String, String)> {
        let picture = Picture::new(scene, steps);
        assert_eq!((picture.x(0), picture.x(3), picture.top), (1_120, 4_720, 1_400), "as the numbers below expect");
        picture.flow.lines.iter().map(|line| (picture.path(line), picture.bars(line))).collect()
    }

    #[test]
    fn on_a_ring_the_last_sends_to_the_first_past_the_end() {
        let steps = [
            step(0, 2, Cause::Wake, &[send(1, 0)]),
            step(4, 0, receive(1, 2), &[send(2, 2)]),
            step(8, 2, receive(2, 0), &[report(None)]),
        ];
        let past = [("M352 140L472 244".to_string(), String::new()), ("M472 244L352 348".to_string(), String::new())];
        assert_eq!(paths(&scene(true), &steps), past);
        let everywhere = scene(false);
        let across = Picture::new(&everywhere, &steps);
        assert_eq!(
            across.path(&across.flow.lines[0]),
            "M412 140L172 244",
            "where there are all links, straight across"
        );
    }

    #[test]
    fn what_is_swallowed_ends_in_a_bar_across_its_line() {
        let steps = [step(0, 0, Cause::Wake, &[send(1, 1)]), step(6, 1, receive(1, 0), &[])];
        let bar = "M234 291.4L227 296.8";
        assert_eq!(paths(&scene(true), &steps), [("M112 140L232 296".to_string(), bar.to_string())]);
    }

    #[test]
    fn what_waits_goes_down_until_it_is_sent_on_or_overtaken() {
        let steps = [
            step(0, 2, Cause::Wake, &[send(1, 0)]),
            step(1, 2, timeout(), &[send(2, 0)]),
            step(2, 0, receive(1, 2), &[set_timer(9)]),
            step(4, 0, receive(2, 2), &[set_timer(4)]),
            step(8, 0, timeout(), &[send(3, 1)]),
        ];
        let expected = [
            ("M352 140L472 192V244M112 192V244", "M116.5 241.5L107.5 241.5M476.5 241.5L467.5 241.5"),
            ("M352 166L472 244V348M112 244V348", ""),
            ("M112 348l3.5 3.5m3.5 3.5l3.5 3.5m3.5 3.5l3.5 3.5", ""),
        ];
        assert_eq!(paths(&scene(true), &steps), expected.map(|(path, bars)| (path.to_string(), bars.to_string())));
    }

    #[test]
    fn what_is_too_large_is_refused_with_what_is_allowed() {
        let allowed = "runs of at most 64 processors and 5,000 messages";
        assert_eq!(check(64, 5_000), Ok(()));
        assert_eq!(check(65, 0), Err(BadSetting::new("picture", "cannot show 65 processors", allowed)));
        assert_eq!(check(64, 5_001), Err(BadSetting::new("picture", "cannot show 5,001 messages or more", allowed)));
    }

    #[test]
    fn chang_and_roberts_on_four() {
        let setup = crate::find("chang-roberts").expect("it is there").set_up(ring([3, 1, 4, 2]), &[]);
        let setup = setup.expect("the options are right");
        let mut execution = Execution::new(&setup, Choices::Drawn).expect("the set-up is right");
        execution.run.log();
        execution.finish(&());
        let (summary, steps) = (execution.run.summary(), execution.run.take_log());
        insta::assert_snapshot!(draw(&setup, &summary, &steps, &setup.command_line()));
    }
}
