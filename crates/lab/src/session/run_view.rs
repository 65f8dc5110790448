//! What does not change while a run goes on: its protocol, network, timing, kinds of messages, rules and bounds.

use ringleader::picture::theme::{ANNOUNCEMENTS, Colour, Style, WORK};
use ringleader::report::{Number, grouped};
use ringleader::{EvaluatedBound, RunReport};
use ringleader_model::{Kind, Links, Part, Topology};
use ringleader_sim::Resolved;
use serde::{Serialize, Serializer};

use super::Session;

/// Lists by place are left out beyond this number of processors.
const LISTED: usize = 100_000;

/// What does not change while a run goes on.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunView {
    /// The protocol.
    protocol: &'static str,
    /// Its title.
    title: &'static str,
    /// The problem that it solves.
    problem: &'static str,
    /// The problem in words.
    problem_words: &'static str,
    /// The idea in a few sentences.
    idea: &'static str,
    /// The network.
    topology: &'static str,
    /// The number of processors, shared cells included.
    n: usize,
    /// The number of them that are no shared cells.
    sites: usize,
    /// The number of readers, at the first places.
    readers: usize,
    /// The number of writers, at the places behind.
    writers: usize,
    /// The number of shared cells, at the last places.
    cells: usize,
    /// Identities by place; null where there are none, or too many.
    ids: Option<Vec<u64>>,
    /// The kinds of messages, with how they look.
    kinds: Vec<KindView>,
    /// The order that links keep.
    links: &'static str,
    /// Whether links are half-duplex.
    half_duplex: bool,
    /// Whether messages go both ways.
    bidirectional: bool,
    /// By place, whose left and right are exchanged; empty if nobody's are.
    exchanged: Vec<bool>,
    /// Whether there are no clocks.
    untimed: bool,
    /// Ticks and delays.
    timing: TimingView,
    /// The length of ticks by place, where it is fixed; empty otherwise.
    ticks: Vec<u64>,
    /// Whether processors go through phases.
    phased: bool,
    /// The rules of the protocol, numbered from 1.
    rules: Vec<&'static str>,
    /// Whether printed or repaired rules are followed.
    rules_followed: String,
    /// The departures from the printed rules.
    departures: Vec<DepartureView>,
    /// The protocol's parameters in this run.
    parameters: Vec<(&'static str, String)>,
    /// What is proved or claimed.
    bounds: Vec<BoundView>,
    /// The properties that are judged.
    properties: Vec<&'static str>,
    /// The command line that repeats the run.
    line: String,
    /// The interventions.
    interventions: Vec<String>,
    /// What users should know about the run.
    notes: Vec<String>,
}

/// Ticks and delays.
#[derive(Debug, Serialize)]
struct TimingView {
    /// The shortest and the longest tick.
    r: [u64; 2],
    /// The shortest and the longest delay.
    d: [u64; 2],
    /// When an arrived message is handled.
    reading: &'static str,
}

/// A kind of messages.
#[derive(Debug, Serialize)]
struct KindView {
    name: &'static str,
    part: &'static str,
    /// The index of its style: those for work come first.
    style: usize,
    #[serde(serialize_with = "both")]
    colour: Colour,
    dashes: &'static str,
}

/// A departure from a printed rule.
#[derive(Debug, Serialize)]
struct DepartureView {
    name: &'static str,
    place: &'static str,
    printed: &'static str,
    repaired: &'static str,
}

/// A bound for this scenario.
#[derive(Debug, Serialize)]
pub(super) struct BoundView {
    pub(super) quantity: String,
    pub(super) kind: &'static str,
    pub(super) formula: &'static str,
    pub(super) value: Number,
    /// The value with its thousands apart.
    pub(super) text: String,
    pub(super) source: &'static str,
    pub(super) counts: &'static str,
}

/// A colour in both themes.
fn both<S: Serializer>(colour: &Colour, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Both {
        light: &'static str,
        dark: &'static str,
    }
    Both { light: colour.light, dark: colour.dark }.serialize(serializer)
}

impl BoundView {
    pub(super) fn new(bound: &EvaluatedBound, work: &str) -> Self {
        let value = Number::from(bound.value);
        Self {
            quantity: bound.path(work),
            kind: bound.kind.name(),
            formula: bound.formula,
            value,
            text: grouped(value),
            source: bound.source,
            counts: bound.counts,
        }
    }
}

/// The kinds of messages, each with the style that pictures give it.
fn kinds(kinds: &[Kind]) -> Vec<KindView> {
    let (mut work, mut others) = ((0..WORK.len()).cycle(), (0..ANNOUNCEMENTS.len()).cycle());
    let view = |kind: &Kind| {
        let (index, style): (usize, &Style) = match kind.part {
            Part::Work => work.next().map(|index| (index, &WORK[index]))?,
            _ => others.next().map(|index| (WORK.len() + index, &ANNOUNCEMENTS[index]))?,
        };
        let part = match kind.part {
            Part::Work => "work",
            Part::Announcement => "announcement",
            Part::Task => "task",
            Part::Link => "link",
        };
        Some(KindView { name: kind.name, part, style: index, colour: style.colour, dashes: style.dashes })
    };
    kinds.iter().filter_map(view).collect()
}

/// A problem in words.
pub(super) fn problem_words(problem: &str) -> &'static str {
    match problem {
        "election" => "leader election",
        "mutual-exclusion" => "mutual exclusion",
        "readers-writers" => "readers and writers",
        "token-ring" => "a token on a ring",
        _ => "a problem of one's own",
    }
}

impl RunView {
    /// What users should know about the run.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Session {
    /// What does not change while the run goes on.
    pub fn run_view(&self) -> RunView {
        let (setup, scenario) = (&self.setup, &self.setup.scenario);
        let description = setup.description();
        let topology = description.assumptions.topology;
        let load = scenario.workload.as_ref();
        let cells = load.map_or(0, |load| load.cells);
        let timing = &scenario.timing;
        let report = RunReport::new(setup, &self.timeline.cursor().summary());
        let listed = scenario.n <= LISTED;
        let ticks = (!scenario.untimed && listed).then(|| Resolved::new(scenario).tick_lengths(scenario.n)).flatten();
        let mut notes = self.notes.clone();
        notes.extend(report.notes);
        RunView {
            protocol: description.name,
            title: description.title,
            problem: setup.entry.problem(),
            problem_words: problem_words(setup.entry.problem()),
            idea: description.idea,
            topology: topology.name(),
            n: scenario.n,
            sites: scenario.n - cells,
            readers: load.map_or(0, |load| load.readers),
            writers: load.map_or(0, |load| load.writers),
            cells,
            ids: (listed && !scenario.ids.is_empty()).then(|| scenario.ids.clone()),
            kinds: kinds(&setup.facts.kinds),
            links: scenario.links.name(),
            half_duplex: matches!(scenario.links, Links::Half | Links::HalfPhase),
            bidirectional: topology != Topology::Ring || scenario.retransmit.is_some(),
            exchanged: if listed { scenario.orientation.clone() } else { Vec::new() },
            untimed: scenario.untimed,
            timing: TimingView {
                r: [timing.r.min, timing.r.max],
                d: [timing.d.min, timing.d.max],
                reading: timing.reading.name(),
            },
            ticks: ticks.unwrap_or_default(),
            phased: setup.facts.phased,
            rules: self.rules(),
            rules_followed: report.rules,
            departures: description
                .departures
                .iter()
                .map(|d| DepartureView { name: d.name, place: d.place, printed: d.printed, repaired: d.repaired })
                .collect(),
            parameters: setup.facts.parameters.clone(),
            bounds: setup.facts.bounds.iter().map(|bound| BoundView::new(bound, setup.facts.work)).collect(),
            properties: self.properties(),
            line: self.command_line(),
            interventions: scenario.interventions.iter().map(ToString::to_string).collect(),
            notes,
        }
    }

    /// The rules that steps of this run may name: those of the protocol, and of what is composed with it.
    fn rules(&self) -> Vec<&'static str> {
        let setup = &self.setup;
        let composed = setup.task.is_some() || setup.scenario.retransmit.is_some();
        let own = setup.description().rules.len();
        let last = if composed { u8::MAX } else { own as u8 };
        (1..=last).map_while(|number| setup.entry.rule(number)).collect()
    }
}
