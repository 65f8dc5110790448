//! A picture of a run: its space-time diagram, as SVG.
//!
//! Places go across, time goes down, and every message is a line from its sending to its handling. On a ring the first
//! column stands once more at the right end, so that no line crosses the picture to get from the last place to the first.
//! Lengths are counted in tenths of a pixel: whole numbers, so that the same run has the same picture everywhere.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ringleader_model::{BadSetting, BoundKind, Kind, Leader, Outcome, Place, Quantity, Time, Topology, Value};
use ringleader_sim::{Step, Summary};

use crate::execution::{EvaluatedBound, Execution};
use crate::plan::Plan;
use crate::text::grouped;

/// More columns than this do not fit on a screen.
const MOST_PLACES: usize = 64;
/// More lines than this are a blot.
const MOST_MESSAGES: u64 = 5_000;

/// Whether a run of this size can be drawn.
pub(crate) fn check(n: usize, messages: u64) -> Result<(), BadSetting> {
    if n <= MOST_PLACES && messages <= MOST_MESSAGES {
        return Ok(());
    }
    let wrong = match n {
        _ if n > MOST_PLACES => format!("cannot show {} processors", grouped(n)),
        _ => format!("cannot show {} messages", grouped(messages)),
    };
    let most = format!("runs of at most {MOST_PLACES} processors and {} messages", grouped(MOST_MESSAGES));
    Err(BadSetting::new("picture", wrong, most))
}

/// The picture of a run that is over, all its steps logged. `rerun` is the line that repeats it.
pub(crate) fn draw(plan: &Plan, execution: &Execution, summary: &Summary, steps: &[Step], rerun: &str) -> String {
    let scenario = &plan.scenario;
    let topology = plan.description.assumptions.topology;
    let elected = match &summary.outcome {
        Outcome::Election { leaders, .. } => match leaders.as_slice() {
            [] => ": nobody is elected".to_string(),
            [Leader { id: Some(id), .. }] => format!(": id {id} is elected"),
            [Leader { place, id: None }] => format!(": place {place} is elected"),
            many => format!(": {} leaders", many.len()),
        },
        Outcome::Work => String::new(),
    };
    let scene = Scene {
        n: scenario.n,
        ids: &scenario.ids,
        ring: topology != Topology::Complete,
        crashes: &scenario.faults.crashes,
        title: format!("{} on a {topology} of {}{elected}", plan.description.name, scenario.n),
        subtitle: measured(execution, summary),
        rerun,
    };
    Picture::new(&scene, steps).svg()
}

/// The messages of a run beside the sharpest bound on them.
fn measured(execution: &Execution, summary: &Summary) -> String {
    let on_messages = |bound: &&EvaluatedBound| {
        matches!(bound.quantity, Quantity::Messages | Quantity::Work)
            && matches!(bound.kind, BoundKind::Worst | BoundKind::Exact)
    };
    // Of two that look the same, the simpler one.
    let sharpness = |bound: &&EvaluatedBound| (tenths(bound.value), bound.formula.len());
    let total = summary.cost.messages();
    let plain = format!("{} messages", grouped(total));
    let Some(bound) = execution.bounds.iter().filter(on_messages).min_by_key(sharpness) else { return plain };
    let (Some(measured), holds) = bound.judge(summary) else { return plain };
    let relation = match (bound.kind, holds) {
        (_, None) => "so far; proved:",
        (BoundKind::Exact, Some(true)) => "=",
        (BoundKind::Exact, Some(false)) => "≠",
        (_, Some(true)) => "≤",
        (_, Some(false)) => ">",
    };
    let work = if bound.quantity == Quantity::Work { format!("{} ", execution.work) } else { String::new() };
    let value = if relation == "=" { String::new() } else { format!("{} = ", grouped(bound.value)) };
    let all = if measured == total { String::new() } else { format!("; {} in all", grouped(total)) };
    format!("{} {work}messages {relation} {value}{} [{}]{all}", grouped(measured), bound.formula, bound.source)
}

/// A value to the tenth, as it is shown.
fn tenths(value: Value) -> u128 {
    let (whole, fraction) = value.parts();
    whole.saturating_mul(10) + u128::from((u64::from(fraction) * 10 + (1 << 31)) >> 32)
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

/// A message on its way. Steps are named by their index.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line<'a> {
    kind: Kind,
    words: &'a str,
    from: Place,
    to: Place,
    sent: usize,
    handled: Option<usize>,
}

/// What became of a message that was handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// It led to something at once.
    Acted,
    /// A timer runs for it until that step, or to the end.
    Waits(Option<usize>),
    /// Nothing came of it.
    Swallowed,
}

/// Whether nothing that can be seen came of a step: no message, no report, no timer.
fn is_idle(step: &Step) -> bool {
    step.sent.is_empty() && !step.reported && !sets_timer(step)
}

fn sets_timer(step: &Step) -> bool {
    step.effects.iter().any(|effect| effect.starts_with("sets timer"))
}

fn declares(step: &Step) -> bool {
    step.effects.iter().any(|effect| effect.starts_with("reports Elected"))
}

fn fate(steps: &[Step], handled: usize) -> Fate {
    let step = &steps[handled];
    if is_idle(step) {
        Fate::Swallowed
    } else if step.sent.is_empty() && !step.reported {
        let later = |&index: &usize| steps[index].place == step.place && !is_idle(&steps[index]);
        Fate::Waits((handled + 1..steps.len()).find(later))
    } else {
        Fate::Acted
    }
}

/// Joins sendings to handlings: first in, first out among the same words from one place to another. Something handled
/// that nobody has sent is the copy of what was sent last.
fn lines(steps: &[Step]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if let Some((from, _)) = step.received {
            let words = message(&step.event, "receives ");
            let same = |line: &Line<'_>| (line.from, line.to, line.words) == (from, step.place, words);
            if let Some(line) = lines.iter_mut().find(|line| line.handled.is_none() && same(line)) {
                line.handled = Some(index);
            } else if let Some(line) = lines.iter().rev().find(|line| same(line)).cloned() {
                lines.push(Line { handled: Some(index), ..line });
            }
        }
        let spoken = step.effects.iter().filter(|effect| effect.starts_with("sends "));
        for (&(to, kind), effect) in step.sent.iter().zip(spoken) {
            let words = message(effect, "sends ");
            lines.push(Line { kind, words, from: step.place, to, sent: index, handled: None });
        }
    }
    lines
}

/// The message in "receives M by port 0" or "sends M by port 0".
fn message<'a>(text: &'a str, verb: &str) -> &'a str {
    let rest = text.strip_prefix(verb).unwrap_or(text);
    rest.rsplit_once(" by port ").map_or(rest, |(words, _)| words)
}

/// By step, the line that it handled.
fn arrivals(lines: &[Line<'_>], steps: usize) -> Vec<Option<usize>> {
    let mut arrivals = vec![None; steps];
    for (index, line) in lines.iter().enumerate() {
        if let Some(handled) = line.handled {
            arrivals[handled] = Some(index);
        }
    }
    arrivals
}

/// The lines that led to a leader: each back from its declaration, through what was handled and the timers that ran.
fn ways(steps: &[Step], lines: &[Line<'_>], arrivals: &[Option<usize>]) -> BTreeSet<usize> {
    let mut ways = BTreeSet::new();
    for (index, _) in steps.iter().enumerate().filter(|(_, step)| declares(step)) {
        let mut next = Some(index);
        while let Some(index) = next {
            next = match arrivals[index] {
                Some(line) if !ways.insert(line) => None,
                Some(line) => Some(lines[line].sent),
                None if steps[index].event.starts_with("timer") => {
                    (0..index).rev().find(|&i| steps[i].place == steps[index].place && !is_idle(&steps[i]))
                }
                None => None,
            };
        }
    }
    ways
}

/// Where times are. An instant in which messages are sent and handled is as high as they are deep.
struct Axis {
    /// Every instant, its greatest pass and the passes of all instants before it.
    instants: Vec<(Time, u64, u64)>,
    /// The pass of every step in its instant.
    passes: Vec<u64>,
    /// How many units of time a pass is high.
    stretch: u64,
    height: i64,
}

impl Axis {
    fn new(steps: &[Step], lines: &[Line<'_>], arrivals: &[Option<usize>]) -> Self {
        let mut passes: Vec<u64> = Vec::new();
        let mut latest: BTreeMap<Place, (Time, u64)> = BTreeMap::new();
        let mut deepest: BTreeMap<Time, u64> = BTreeMap::new();
        for (step, arrival) in steps.iter().zip(arrivals) {
            let sent = arrival.map(|line| lines[line].sent).filter(|&sent| steps[sent].time == step.time);
            let before = latest.get(&step.place).filter(|(time, _)| *time == step.time);
            let pass = sent.map_or(0, |sent| passes[sent] + 1).max(before.map_or(0, |&(_, pass)| pass));
            latest.insert(step.place, (step.time, pass));
            let depth = deepest.entry(step.time).or_default();
            *depth = pass.max(*depth);
            passes.push(pass);
        }
        let mut total = 0;
        let instants = deepest.into_iter().map(|(time, depth)| {
            total += depth;
            (time, depth, total - depth)
        });
        let instants: Vec<_> = instants.collect();
        let mut axis = Self { instants, passes, stretch: 1, height: 0 };
        axis.stretch = ((axis.end() - axis.begin()) / 40).max(1);
        axis
    }

    fn begin(&self) -> Time {
        self.instants.first().map_or(0, |&(time, ..)| time)
    }

    fn end(&self) -> Time {
        self.instants.last().map_or(0, |&(time, ..)| time)
    }

    fn units(&self, time: Time, pass: u64) -> u128 {
        let reached = self.instants.partition_point(|&(instant, ..)| instant < time);
        let before = self.instants.get(reached).map(|&(.., before)| before);
        let before = before.or(self.instants.last().map(|&(_, depth, before)| before + depth)).unwrap_or(0);
        u128::from(time - self.begin()) + u128::from(self.stretch) * u128::from(before + pass)
    }

    fn total(&self) -> u128 {
        self.units(self.end(), self.instants.last().map_or(0, |&(_, depth, _)| depth)).max(1)
    }

    fn at(&self, time: Time, pass: u64) -> i64 {
        (self.units(time, pass) * self.height as u128 / self.total()) as i64
    }

    /// Times to label: 1, 2 or 5 times a power of ten apart, and at least 40 pixels.
    fn ticks(&self) -> Vec<Time> {
        let apart = |step: &u128| step * self.height as u128 >= 400 * self.total();
        let steps = (0..20).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u128.pow(power)));
        let step = steps.into_iter().find(apart).and_then(|step| Time::try_from(step).ok()).unwrap_or(Time::MAX);
        let first = self.begin().div_ceil(step);
        (first..=self.end() / step).map(|tick| tick * step).collect()
    }
}

/// Tenths of a pixel.
#[derive(Clone, Copy)]
struct Px(i64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, tenth) = (self.0.abs() / 10, self.0.abs() % 10);
        write!(f, "{}{whole}", if self.0 < 0 { "-" } else { "" })?;
        if tenth == 0 { Ok(()) } else { write!(f, ".{tenth}") }
    }
}

/// Colour and dashes: the colours of Okabe and Ito, which the colour-blind tell apart.
type Style = (&'static str, &'static str);
/// For messages that do the work, the commonest kind first.
const WORK: [Style; 5] =
    [("#0072b2", "none"), ("#cc79a7", "1 4"), ("#d55e00", "8 3"), ("#56b4e9", "8 3 2 3"), ("#7a6200", "3 3")];
/// For messages that spread the result.
const NEWS: [Style; 2] = [("#009e73", "6 4"), ("#004d38", "2 2")];
const INK: &str = "#24292f";
const PALE: &str = "#6e7781";
const GOLD: &str = "#e69f00";
const STAR: &str = "M0-11 2.7-3.7 10.5-3.4 4.4 1.4 6.5 8.9 0 4.6-6.5 8.9-4.4 1.4-10.5-3.4-2.7-3.7Z";

const MARGIN: i64 = 280;
const LEFT: i64 = 720;
const RIGHT: i64 = 480;

/// A run with its layout.
struct Picture<'a> {
    scene: &'a Scene<'a>,
    steps: &'a [Step],
    lines: Vec<Line<'a>>,
    ways: BTreeSet<usize>,
    axis: Axis,
    /// The kinds of messages, as in the legend, with how many there are.
    kinds: Vec<(Kind, usize)>,
    pitch: i64,
    left: i64,
    top: i64,
    width: i64,
    id_size: i64,
    /// Whether identities are written upwards for want of room.
    upright: bool,
}

impl<'a> Picture<'a> {
    fn new(scene: &'a Scene<'a>, steps: &'a [Step]) -> Self {
        let lines = lines(steps);
        let arrivals = arrivals(&lines, steps.len());
        let ways = ways(steps, &lines, &arrivals);
        let mut axis = Axis::new(steps, &lines, &arrivals);
        let mut kinds: Vec<(Kind, usize)> = Vec::new();
        for line in &lines {
            match kinds.iter_mut().find(|(kind, _)| *kind == line.kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((line.kind, 1)),
            }
        }
        kinds.sort_by_key(|&(kind, count)| (kind.announcement, Reverse(count)));
        let gaps = (scene.n as i64 - i64::from(!scene.ring)).max(1);
        let pitch = (7_600 / gaps).clamp(220, 1_200);
        let plot = gaps * pitch;
        let words = text_width(&scene.title, 180).max(text_width(&scene.subtitle, 130)) + 2 * MARGIN;
        let width = (LEFT + plot + RIGHT).max(words).max(5_600);
        let id_size = if pitch < 300 { 110 } else { 140 };
        let longest = scene.ids.iter().map(|id| text_width(&id.to_string(), id_size * 6 / 5)).max().unwrap_or(0);
        let upright = longest > pitch;
        let top = 1_400 + if upright { longest - 100 } else { 0 };
        axis.height = (axis.total() * 260).clamp(1_200, (plot * 7 / 10).max(3_600) as u128) as i64;
        let left = LEFT + (width - LEFT - plot - RIGHT) / 2;
        Self { scene, steps, lines, ways, axis, kinds, pitch, left, top, width, id_size, upright }
    }

    fn svg(&self) -> String {
        let bottom = self.top + self.axis.height;
        let legend = self.legend(bottom + 560);
        let (width, height) = (Px(self.width), Px(legend.1 + MARGIN));
        let Scene { title, subtitle, rerun, .. } = self.scene;
        let (title, subtitle, rerun) = (escaped(title), escaped(subtitle), escaped(rerun));
        let mut parts = vec![
            format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"{INK}\">"),
            format!("<title id=\"title\">{title}: {subtitle}</title>"),
            format!("<desc id=\"desc\">A space-time diagram: processors across, time downwards, every message a line from its sending to its handling. Repeat the run: {rerun}</desc>"),
            format!("<rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"12\" fill=\"#fdfdfc\" stroke=\"#d8dee4\"/>", Px(self.width - 10), Px(legend.1 + MARGIN - 10)),
            format!("<text x=\"{}\" y=\"42\" font-size=\"18\" font-weight=\"600\">{title}</text>", Px(MARGIN)),
            format!("<text x=\"{}\" y=\"64\" font-size=\"13\" fill=\"{PALE}\">{subtitle}</text>", Px(MARGIN)),
        ];
        self.grid(&mut parts);
        self.columns(&mut parts);
        self.messages(&mut parts);
        self.marks(&mut parts);
        parts.push(legend.0);
        parts.push("</svg>\n".to_string());
        parts.join("\n")
    }

    fn x(&self, column: usize) -> i64 {
        self.left + column as i64 * self.pitch
    }

    fn y(&self, step: usize) -> i64 {
        self.top + self.axis.at(self.steps[step].time, self.axis.passes[step])
    }

    /// The columns of a place: its own, and for the first of a ring the one at the end.
    fn columns_of(&self, place: Place) -> Vec<usize> {
        let own = place as usize;
        if self.scene.ring && own == 0 { vec![0, self.scene.n] } else { vec![own] }
    }

    /// The columns between which a message is drawn: between the last and the first place, past the end.
    fn columns_between(&self, from: Place, to: Place) -> (usize, usize) {
        let (from, to, n) = (from as usize, to as usize, self.scene.n);
        match self.scene.ring {
            true if from + 1 == n && to == 0 => (from, n),
            true if from == 0 && to + 1 == n && n > 2 => (n, to),
            _ => (from, to),
        }
    }

    fn style(&self, kind: Kind) -> Style {
        let mut alike = self.kinds.iter().filter(|(other, _)| other.announcement == kind.announcement);
        let rank = alike.position(|(other, _)| *other == kind).expect("every kind was counted");
        if kind.announcement { NEWS[rank % NEWS.len()] } else { WORK[rank % WORK.len()] }
    }

    fn grid(&self, parts: &mut Vec<String>) {
        let (from, to) = (self.left - 140, self.x(self.scene.n - usize::from(!self.scene.ring)) + 140);
        parts.push(format!("<g text-anchor=\"end\" fill=\"{PALE}\" stroke-width=\"0\" font-size=\"11\">"));
        for tick in self.axis.ticks() {
            let y = self.top + self.axis.at(tick, 0);
            let (x, label) = (Px(from), Px(from - 60));
            parts.push(format!("<path d=\"M{x} {}H{}\" stroke=\"#eaeef2\" stroke-width=\"1\"/>", Px(y), Px(to)));
            parts.push(format!("<text x=\"{label}\" y=\"{}\">{}</text>", Px(y + 40), grouped(tick)));
        }
        let y = self.top - 150;
        if !self.scene.ids.is_empty() {
            parts.push(format!("<text x=\"{}\" y=\"{}\">id</text>", Px(from - 60), Px(y - 160)));
        }
        parts.push(format!("<text x=\"{}\" y=\"{}\">place</text>", Px(from - 60), Px(y)));
        parts.push(format!("<text x=\"{}\" y=\"{}\">time ↓</text>", Px(from - 60), Px(self.top + self.axis.height + 260)));
        parts.push("</g>".to_string());
    }

    fn columns(&self, parts: &mut Vec<String>) {
        let leaders: BTreeSet<Place> = self.steps.iter().filter(|step| declares(step)).map(|step| step.place).collect();
        parts.push("<g text-anchor=\"middle\">".to_string());
        for column in 0..self.scene.n + usize::from(self.scene.ring) {
            let (place, again) = (column % self.scene.n, column == self.scene.n);
            let x = Px(self.x(column));
            let crash = self.scene.crashes.iter().filter(|(at, _)| *at as usize == place).map(|(_, time)| *time).min();
            let crash = crash.filter(|time| (self.axis.begin()..=self.axis.end()).contains(time));
            let end = self.top + crash.map_or(self.axis.height + 100, |time| self.axis.at(time, 0));
            let dashes = if again { " stroke-dasharray=\"2 4\"" } else { "" };
            parts.push(format!("<path d=\"M{x} {}V{}\" stroke=\"#c4ccd4\"{dashes}/>", Px(self.top - 80), Px(end)));
            if crash.is_some() {
                parts.push(format!("<path d=\"M{x} {}m-5-5 10 10m0-10-10 10\" stroke=\"#cf222e\" stroke-width=\"2\"/>", Px(end)));
            }
            let faint = if again { " opacity=\"0.45\"" } else { "" };
            let y = self.top - 150;
            if let Some(id) = self.scene.ids.get(place) {
                let colour = if leaders.contains(&(place as Place)) { "#b35900" } else { INK };
                let y = Px(y - 160);
                let turned = if self.upright { format!(" text-anchor=\"start\" transform=\"rotate(-90 {x} {y})\" dy=\"4\"") } else { String::new() };
                parts.push(format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" font-weight=\"600\" fill=\"{colour}\"{turned}{faint}>{id}</text>", Px(self.id_size)));
            }
            parts.push(format!("<text x=\"{x}\" y=\"{}\" font-size=\"10\" fill=\"{PALE}\"{faint}>{place}</text>", Px(y)));
        }
        parts.push("</g>".to_string());
    }

    /// Kind by kind, those that led to a leader last and bold.
    fn messages(&self, parts: &mut Vec<String>) {
        for bold in [false, true] {
            for &(kind, _) in &self.kinds {
                let (colour, dashes) = self.style(kind);
                let (width, opacity) = if bold { ("3", "1") } else { ("1.4", "0.85") };
                let chosen = self.lines.iter().enumerate().filter(|(_, line)| line.kind == kind);
                let chosen: Vec<_> = chosen.filter(|(index, _)| self.ways.contains(index) == bold).collect();
                if chosen.is_empty() {
                    continue;
                }
                parts.push(format!("<g fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-opacity=\"{opacity}\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-dasharray=\"{dashes}\">"));
                parts.extend(chosen.into_iter().map(|(_, line)| self.message(line)));
                parts.push("</g>".to_string());
            }
        }
    }

    fn message(&self, line: &Line<'_>) -> String {
        let (from, to) = self.columns_between(line.from, line.to);
        let (x1, y1, x2) = (self.x(from), self.y(line.sent), self.x(to));
        let words = escaped(line.words);
        let Some(handled) = line.handled else {
            let (dx, dy) = ((x2 - x1).clamp(-170, 170), 170);
            let (x, y) = (Px(x1), Px(y1));
            return format!("<path d=\"M{x} {y}l{} {}\" stroke-dasharray=\"2 2\"><title>{words}, never handled</title></path>", Px(dx), Px(dy));
        };
        let y2 = self.y(handled);
        let mut path = format!("M{} {}L{} {}", Px(x1), Px(y1), Px(x2), Px(y2));
        let mut stop = String::new();
        match fate(self.steps, handled) {
            Fate::Acted => {}
            Fate::Swallowed => stop = self.bar(x2, y2, x2 - x1, y2 - y1),
            Fate::Waits(until) => {
                let end = until.map_or(self.top + self.axis.height, |until| self.y(until));
                path.push_str(&format!("V{}", Px(end)));
                let own = self.x(line.to as usize);
                if own != x2 {
                    path.push_str(&format!("M{} {}V{}", Px(own), Px(y2), Px(end)));
                }
                if until.is_some_and(|until| self.steps[until].received.is_some()) {
                    stop = self.bar(own, end, 0, 1);
                }
            }
        }
        let stop = if stop.is_empty() { stop } else { format!("<path d=\"{stop}\" stroke-dasharray=\"none\" stroke-width=\"2.2\"/>") };
        format!("<path d=\"{path}\"><title>{words}</title></path>{stop}")
    }

    /// A bar across the end of a line that comes in this direction, a little before it.
    fn bar(&self, x: i64, y: i64, dx: i64, dy: i64) -> String {
        let half = (self.pitch / 9).clamp(28, 45);
        let length = (dx * dx + dy * dy).isqrt().max(1);
        let (back_x, back_y) = (dx * 25 / length, dy * 25 / length);
        let (across_x, across_y) = (dy * half / length, dx * half / length);
        let (x, y) = (x - back_x, y - back_y);
        format!("M{} {}L{} {}", Px(x + across_x), Px(y - across_y), Px(x - across_x), Px(y + across_y))
    }

    fn marks(&self, parts: &mut Vec<String>) {
        for (index, step) in self.steps.iter().enumerate().filter(|(_, step)| step.reported) {
            for column in self.columns_of(step.place) {
                let (x, y) = (Px(self.x(column)), Px(self.y(index)));
                let faint = if column == step.place as usize { "" } else { " opacity=\"0.4\"" };
                parts.push(if declares(step) {
                    format!("<path d=\"{STAR}\" transform=\"translate({x} {y})\" fill=\"{GOLD}\" stroke=\"#fff\" stroke-width=\"1.5\" paint-order=\"stroke\"{faint}/>")
                } else {
                    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3.2\" fill=\"{INK}\" stroke=\"#fff\"{faint}/>")
                });
            }
        }
    }

    /// The legend from this height on, and how far down it goes.
    fn legend(&self, top: i64) -> (String, i64) {
        let fates: Vec<Option<Fate>> = self.lines.iter().map(|line| line.handled.map(|at| fate(self.steps, at))).collect();
        let mut entries: Vec<(String, String)> = Vec::new();
        let line = |style: Style, width: &str| format!("<path d=\"M0-4h26\" stroke=\"{}\" stroke-width=\"{width}\" stroke-dasharray=\"{}\" stroke-linecap=\"round\"/>", style.0, style.1);
        for &(kind, count) in &self.kinds {
            entries.push((line(self.style(kind), "1.8"), format!("{} ({})", kind.name, grouped(count))));
        }
        if let Some(&first) = self.ways.first() {
            entries.push((line(self.style(self.lines[first].kind), "3"), "led to the leader".to_string()));
        }
        if fates.contains(&Some(Fate::Swallowed)) {
            entries.push((format!("<path d=\"M4-4h16m0-5v10\" stroke=\"{PALE}\" stroke-width=\"1.8\" fill=\"none\"/>"), "goes no further".to_string()));
        }
        if fates.iter().any(|fate| matches!(fate, Some(Fate::Waits(_)))) {
            entries.push((format!("<path d=\"M1-11 9-8V0l8 3\" stroke=\"{PALE}\" stroke-width=\"1.8\" fill=\"none\"/>"), "waits".to_string()));
        }
        if fates.contains(&None) {
            entries.push((format!("<path d=\"M6-10l12 12\" stroke=\"{PALE}\" stroke-width=\"1.8\" stroke-dasharray=\"2 2\"/>"), "never handled".to_string()));
        }
        if self.steps.iter().any(declares) {
            entries.push((format!("<path d=\"{STAR}\" transform=\"translate(13 -4)\" fill=\"{GOLD}\"/>"), "leader declares".to_string()));
        }
        if self.steps.iter().any(|step| step.reported && !declares(step)) {
            entries.push((format!("<circle cx=\"13\" cy=\"-4\" r=\"3.2\" fill=\"{INK}\"/>"), "follower learns".to_string()));
        }
        let (mut x, mut y) = (MARGIN, top);
        let mut parts = Vec::new();
        for (sample, name) in entries {
            let wide = 340 + text_width(&name, 120);
            if x > MARGIN && x + wide > self.width - MARGIN {
                (x, y) = (MARGIN, y + 240);
            }
            parts.push(format!("<g transform=\"translate({} {})\">{sample}<text x=\"34\">{}</text></g>", Px(x), Px(y), escaped(&name)));
            x += wide + 240;
        }
        (parts.join("\n"), y)
    }
}

/// About how wide a text is.
fn text_width(text: &str, size: i64) -> i64 {
    text.chars().count() as i64 * size * 11 / 20
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
