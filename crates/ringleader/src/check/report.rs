//! The report of a check: the object that `check --json` prints and `ringleader schema check` describes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ringleader_check::{CheckVerdict, Judgement, MaxMessages, Property, RuleSet, SearchLimit, Wakers};
use ringleader_model::{Clocks, Settings, Topology, digits};
use ringleader_protocols::election::tasks::task_rules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checked::{Checked, Proved, Violated};
use super::extremes::{ExtremeReport, TotalExtremes};
use super::instances::{Arrangement, Orientations, PortCoverage};
use super::setup::CheckSetup;
use super::simulate::RandomSchedulesReport;
use super::survey::Survey;
use crate::about::About;
use crate::report::{Number, rules_of};
use crate::step_report::StepReport;

/// A check: what was asked, what holds, how much was explored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// The protocol.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// The protocol's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The leader's task after the election; missing if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The scenario.
    pub scenario: CheckScenario,
    /// holds (in every schedule), violated or unknown.
    pub verdict: String,
    /// By property.
    pub properties: Vec<PropertyReport>,
    /// The number of instances: orders of identities and orientations, up to symmetry.
    pub instances: usize,
    /// The number of instances explored completely.
    pub explored: usize,
    /// Distinct states, in all instances together.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
    /// The greatest distance of a state from the initial state, in transitions.
    pub depth: u64,
    /// Quiescent states: those in which no step of a processor is enabled.
    pub quiet: u64,
    /// The most message passes of any schedule of any instance.
    pub most_messages: MostReport,
    /// The least and the greatest values of all quantities over all schedules, beside what is proved.
    pub extremes: Vec<ExtremeReport>,
    /// The leaders of every possible outcome of a complete run: their identities, or their places where there are none. Null if
    /// they are not known, or none is to be elected.
    pub leaders: Option<Vec<Vec<u64>>>,
    /// Which of the protocol's rules fired; null if it has no numbered rules.
    pub coverage: Option<CoverageReport>,
    /// The limit that was reached before the state space was explored: states, memory, time (--timeout), interrupted, or choices
    /// (too much nondeterminism in one instant); null if it was explored.
    pub ran_out: Option<String>,
    /// The shortest counterexample; null if there is none.
    pub counterexample: Option<CounterexampleReport>,
    /// Random schedules, where such were made instead of exploring all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_schedules: Option<RandomSchedulesReport>,
    /// The sizes that were checked one after the other, where no number of processors was given; this report is about the
    /// largest that was decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeReport>,
    /// Seconds.
    pub seconds: f64,
    /// Distinct states per second.
    pub states_per_second: f64,
    /// Bytes per state, in the largest instance.
    pub bytes_per_state: f64,
    /// Expected hash collisions: pairs of states with the same 64-bit fingerprint, of which one would be missed.
    pub collisions: f64,
    /// Worker threads.
    pub threads: usize,
    /// The line that repeats it.
    pub rerun: String,
    /// The line that goes on from the last checkpoint, where there are checkpoints and a limit was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
}

/// The scenario of a check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckScenario {
    /// The number of processors.
    pub n: usize,
    /// Their identities, clockwise, where one order was asked for; null where all were, or there are none.
    pub ids: Option<Vec<u64>>,
    /// The network.
    pub topology: String,
    /// On a bidirectional ring, whose left and right are exchanged: all, same or digits; null elsewhere.
    pub orientation: Option<String>,
    /// On a complete network, the numberings of ports explored: all, plain, shuffled:SEED or lists; null elsewhere.
    pub ports: Option<String>,
    /// The order that links keep.
    pub links: String,
    /// Initiators: anybody (any set, at any time), all or places (each at any time), or together (all at the first instant).
    pub wake: String,
    /// Clocks, delays and reading; null where there are no clocks.
    pub timing: Option<CheckTiming>,
    /// Faults, at any time.
    pub faults: FaultsReport,
    /// Own ticks after which a message that is not acknowledged is sent again; left out where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmit: Option<u64>,
    /// Places at which a further election is requested, at any time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<u32>,
    /// The input of the leader's task, by place; left out where none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<u64>>,
    /// The workload, if there is one.
    pub workload: Option<CheckWorkload>,
}

/// The clocks of a check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckTiming {
    /// The shortest tick.
    pub r_min: u64,
    /// The longest tick.
    pub r_max: u64,
    /// The shortest delay.
    pub d_min: u64,
    /// The longest delay.
    pub d_max: u64,
    /// When an arrived message is handled.
    pub reading: String,
    /// Whether each processor has one tick length or one for every step.
    pub clocks: String,
    /// Order of a message and a step of its receiver at the same instant.
    pub ties: String,
}

/// Faults.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FaultsReport {
    /// Processors that may stop for good.
    pub crashes: u32,
    /// Messages that may be lost.
    pub losses: u32,
    /// Messages that may arrive twice.
    pub duplicates: u32,
    /// Processors that may restart.
    #[serde(default)]
    pub restarts: u32,
    /// Links that may be cut.
    #[serde(default)]
    pub cuts: u32,
    /// Processors that may pause.
    #[serde(default)]
    pub pauses: u32,
}

/// A workload.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckWorkload {
    /// Entries, reads or writes per competing site, at most; 0 if there is no limit.
    pub entries: u64,
    /// Whether there is no limit on them.
    pub forever: bool,
    /// The number of competing sites.
    pub compete: usize,
    /// The number of readers, where there are readers and writers.
    pub readers: Option<usize>,
    /// The number of writers.
    pub writers: Option<usize>,
}

/// A property and what was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PropertyReport {
    /// safety, termination, the name of an invariant, a promise or a lemma, or a formula.
    pub name: String,
    /// safety, termination, invariant, promise, lemma or formula.
    pub kind: String,
    /// Where a promise or a lemma stands; null for others.
    pub source: Option<String>,
    /// holds, violated or unknown.
    pub verdict: String,
    /// The contradiction, in words, or, where it holds, a caveat; null if there is nothing to say.
    pub detail: Option<String>,
}

/// The most message passes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MostReport {
    /// exactly, up-to-violation (what comes after a violation of safety is not explored), unlimited (they can go on forever)
    /// or unknown.
    pub known: String,
    /// The exact maximum; null if it is unknown or unbounded.
    pub passes: Option<u64>,
    /// In this order of identities; null where there are none.
    pub ids: Option<Vec<u64>>,
    /// On a complete network, the numberings of ports that it is the maximum over: all (explored), alike (all, since the
    /// protocol treats its ports alike), given (there is one) or one (of many); null elsewhere.
    pub numberings: Option<PortCoverage>,
    /// The proved bound; null if no bound covers all messages of all schedules.
    pub proved: Option<ProvedReport>,
}

/// A proved upper bound.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProvedReport {
    /// Its value for this instance.
    pub value: Number,
    /// As people write it.
    pub formula: String,
    /// The source.
    pub source: String,
    /// Whether no schedule exceeds it; null if that is not known.
    pub holds: Option<bool>,
}

impl ProvedReport {
    pub(super) fn new(proved: &Proved, holds: Option<bool>) -> Self {
        Self { value: proved.value.into(), formula: proved.formula.clone(), source: proved.source.clone(), holds }
    }
}

/// Which numbered rules of a protocol fired in the explored schedules of all instances.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CoverageReport {
    /// The rules that fired in some schedule.
    pub fired: Vec<u8>,
    /// The rules that fired in none: the instances were too small for them, or the settings exclude them.
    pub never: Vec<u8>,
}

/// One size of a check of growing sizes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SizeReport {
    /// The number of processors.
    pub n: usize,
    /// holds, violated or unknown.
    pub verdict: String,
    /// The number of instances.
    pub instances: usize,
    /// The number of instances explored completely.
    pub explored: usize,
    /// Distinct states, in all instances together.
    pub states: u64,
    /// The most message passes of any schedule; null if they are unknown or unbounded.
    pub most_messages: Option<u64>,
    /// The rules that fired in no explored schedule.
    pub never: Vec<u8>,
    /// The limit that was reached before the state space was explored; null if it was explored.
    pub ran_out: Option<String>,
    /// Seconds.
    pub seconds: f64,
}

impl SizeReport {
    /// From the report of that size alone.
    pub fn new(report: &CheckReport) -> Self {
        Self {
            n: report.scenario.n,
            verdict: report.verdict.clone(),
            instances: report.instances,
            explored: report.explored,
            states: report.states,
            most_messages: report.most_messages.passes,
            never: report.coverage.as_ref().map_or_else(Vec::new, |coverage| coverage.never.clone()),
            ran_out: report.ran_out.clone(),
            seconds: report.seconds,
        }
    }
}

/// A schedule in which a property does not hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CounterexampleReport {
    /// The property.
    pub property: String,
    /// Its length in steps; in instants where there are clocks.
    pub steps: usize,
    /// From which step on, counted from 1, it repeats forever, from which time on where there are clocks; null if it
    /// does not.
    pub repeats_from: Option<usize>,
    /// The identities, clockwise; null where there are none.
    pub ids: Option<Vec<u64>>,
    /// Whose left and right are exchanged; null where nobody's are.
    pub orientation: Option<String>,
    /// By place and port, the place to which it leads, where all numberings of ports are explored; null elsewhere.
    pub ports: Option<String>,
    /// The recorded run; null if it could not be written.
    pub file: Option<PathBuf>,
    /// The number of instances in which a property is violated.
    pub instances: usize,
    /// The steps of the recorded run, where it was replayed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<StepReport>,
}

/// The figures of a survey taken together, before anything is shown or written.
pub struct Total<'a> {
    /// The worst by property.
    pub judgements: Vec<Judgement>,
    /// The instance with the maximum number of messages.
    pub most: Option<(&'a Arrangement, &'a Checked)>,
    /// The shortest counterexample.
    pub shortest: Option<(&'a Arrangement, &'a Violated)>,
    /// Why not everything was explored.
    pub ran_out: Option<SearchLimit>,
    /// The number of instances in which a property is violated.
    pub violated: usize,
    /// The extremes of all quantities.
    pub extremes: TotalExtremes<'a>,
}

impl<'a> Total<'a> {
    /// Of a survey of all instances.
    pub fn new(check: &'a CheckSetup, survey: &'a Survey) -> Self {
        let each = || check.instances.iter().zip(&survey.found);
        let complete = survey.found.len() == check.instances.len();
        let ran_out = each().find_map(|(_, found)| found.ran_out).or((!complete).then_some(SearchLimit::Interrupted));
        let mut properties = if survey.found.is_empty() { Property::ALL.to_vec() } else { Vec::new() };
        for property in each().flat_map(|(_, found)| &found.judgements).map(|judgement| judgement.property) {
            if !properties.contains(&property) {
                properties.push(property);
            }
        }
        let worst = |property: Property| {
            let said = each().flat_map(|(_, found)| found.judgements.iter().filter(|j| j.property == property));
            // Of those that are equally bad, the first.
            let worst = said.rev().max_by_key(|judgement| judgement.verdict);
            let unknown = Judgement { property, verdict: CheckVerdict::Unknown, detail: String::new() };
            match worst {
                Some(worst) if worst.verdict == CheckVerdict::Violated || ran_out.is_none() => worst.clone(),
                _ => unknown,
            }
        };
        let wrong = || each().filter_map(|(instance, found)| Some((instance, found.counterexample.as_ref()?)));
        // Of those with as many messages, one that exceeds what is proved, and the first.
        let key = |found: &Checked| {
            let passes = match found.most {
                MaxMessages::Unbounded => u64::MAX,
                MaxMessages::Exactly(passes) | MaxMessages::UpToViolation(passes) => passes,
                MaxMessages::Unknown => 0,
            };
            (found.exceeds() == Some(true), passes)
        };
        Self {
            judgements: properties.into_iter().map(worst).collect(),
            most: each().rev().max_by_key(|(_, found)| key(found)),
            shortest: wrong().min_by_key(|(_, wrong)| (wrong.property.preference(), wrong.steps)),
            ran_out,
            violated: wrong().count(),
            extremes: TotalExtremes::new(check, survey, ran_out.is_none()),
        }
    }

    /// The worst that is said of any property.
    pub fn verdict(&self) -> CheckVerdict {
        self.judgements.iter().map(|judgement| judgement.verdict).max().unwrap_or(CheckVerdict::Unknown)
    }

    /// Whether some schedule needs more messages than is proved, or exceeds or undercuts another proved bound.
    pub fn is_exceeded(&self) -> bool {
        self.most.is_some_and(|(_, found)| found.exceeds() == Some(true)) || self.extremes.is_exceeded()
    }
}

impl CheckReport {
    /// True if a limit was reached, in its own size or in another.
    pub fn is_incomplete(&self) -> bool {
        self.ran_out.is_some() || self.sizes.iter().any(|size| size.ran_out.is_some())
    }

    /// The report of a check. `rerun` is the command line that repeats it.
    pub fn new(check: &CheckSetup, survey: &Survey, total: &Total<'_>, file: Option<PathBuf>, rerun: String) -> Self {
        let description = check.entry.description();
        let settings = Settings::new(description.parameters, &check.settings).expect("they were validated before");
        let parameters: BTreeMap<String, String> =
            settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let sum = |of: fn(&Checked) -> u64| survey.found.iter().map(of).sum::<u64>();
        let states = sum(|found| found.progress.states);
        let largest = survey.found.iter().max_by_key(|found| found.progress.states);
        let squares: f64 = survey.found.iter().map(|found| (found.progress.states as f64).powi(2)).sum();
        Self {
            protocol: description.name.to_string(),
            rules: rules_of(settings.iter()).to_string(),
            parameters,
            then: check.task.map(|task| task.name().to_string()),
            scenario: CheckScenario::new(check),
            verdict: total.verdict().name().to_string(),
            properties: properties(&total.judgements, check),
            instances: check.instances.len(),
            explored: survey.found.iter().filter(|found| found.ran_out.is_none()).count(),
            states,
            transitions: sum(|found| found.progress.transitions),
            depth: survey.found.iter().map(|found| found.progress.depth).max().unwrap_or(0),
            quiet: sum(|found| found.quiet),
            most_messages: MostReport::new(total, check.family.numberings),
            extremes: ExtremeReport::all(&total.extremes, check.entry.work()),
            leaders: total.extremes.leaders.clone(),
            coverage: CoverageReport::new(survey, description.rules.len(), check),
            ran_out: total.ran_out.map(|what| ran_out_name(what).to_string()),
            counterexample: total.shortest.map(|found| CounterexampleReport::new(found, check, total.violated, file)),
            random_schedules: None,
            sizes: Vec::new(),
            seconds: survey.seconds,
            states_per_second: if survey.seconds > 0.0 { states as f64 / survey.seconds } else { 0.0 },
            bytes_per_state: largest
                .map_or(0.0, |found| found.progress.bytes as f64 / (found.progress.states as f64).max(1.0)),
            // Pairs, each with a chance of one in 2^64.
            collisions: squares / 2.0 / 2.0f64.powi(64),
            threads: check.effort.threads,
            rerun,
            resume: None,
        }
    }
}

pub(crate) const fn ran_out_name(what: SearchLimit) -> &'static str {
    match what {
        SearchLimit::States => "states",
        SearchLimit::Memory => "memory",
        SearchLimit::Interrupted => "interrupted",
        SearchLimit::Branching => "choices",
    }
}

/// Identities, where there are some.
fn some(ids: &[u64]) -> Option<Vec<u64>> {
    (!ids.is_empty()).then(|| ids.to_vec())
}

fn properties(judgements: &[Judgement], check: &CheckSetup) -> Vec<PropertyReport> {
    let about = check.entry.about();
    judgements.iter().map(|judgement| PropertyReport::new(judgement, check, &about)).collect()
}

impl PropertyReport {
    /// `about`: of its protocol.
    fn new(judgement: &Judgement, check: &CheckSetup, about: &About) -> Self {
        let stated = match judgement.property {
            Property::Promise(_) => about.promises.as_slice(),
            Property::Lemma(_) => &about.lemmas,
            _ => &[],
        };
        let stated = stated.iter().find(|stated| stated.name == judgement.property.name());
        Self {
            name: check.property_name(judgement.property),
            kind: judgement.property.kind().to_string(),
            source: stated.map(|stated| stated.source.to_string()),
            verdict: judgement.verdict.name().to_string(),
            detail: Some(judgement.detail.clone()).filter(|detail| !detail.is_empty()),
        }
    }
}

impl MostReport {
    fn new(total: &Total<'_>, numberings: Option<PortCoverage>) -> Self {
        let Some((instance, found)) = total.most.filter(|(_, found)| {
            // More may be needed where not everything was seen, unless there is no limit already.
            total.ran_out.is_none() || found.most == MaxMessages::Unbounded
        }) else {
            return Self { known: "unknown".to_string(), passes: None, ids: None, numberings, proved: None };
        };
        let is_unsafe =
            |judgement: &Judgement| judgement.property.cuts_off() && judgement.verdict == CheckVerdict::Violated;
        let unsafe_somewhere = total.judgements.iter().any(is_unsafe);
        let (known, passes) = match found.most {
            MaxMessages::Exactly(passes) if !unsafe_somewhere => ("exactly", Some(passes)),
            MaxMessages::Exactly(passes) | MaxMessages::UpToViolation(passes) => ("up-to-violation", Some(passes)),
            MaxMessages::Unbounded => ("unlimited", None),
            MaxMessages::Unknown => ("unknown", None),
        };
        let holds = found.exceeds().map(|exceeds| !exceeds);
        let proved = found.proved.as_ref().map(|proved| ProvedReport::new(proved, holds));
        Self { known: known.to_string(), passes, ids: some(&instance.ids), numberings, proved }
    }
}

impl CoverageReport {
    /// Of a protocol with this number of rules, after which those of the tasks are numbered.
    fn new(survey: &Survey, rules: usize, check: &CheckSetup) -> Option<Self> {
        let fired = survey.found.iter().fold(RuleSet::default(), |all, found| all.union(&found.fired));
        let below = check.scenario.retransmit.map_or(0..0, |_| check.entry.link_rules());
        let of_task = check.task.map_or(0..0, task_rules).chain(below).map(|rule| rules + rule);
        let numbers = (1..=rules).chain(of_task).map(|rule| rule as u8);
        let (fired, never): (Vec<_>, Vec<_>) = numbers.partition(|&rule| fired.contains(rule));
        (rules > 0).then_some(Self { fired, never })
    }
}

impl CounterexampleReport {
    fn new(
        (instance, wrong): (&Arrangement, &Violated),
        check: &CheckSetup,
        instances: usize,
        file: Option<PathBuf>,
    ) -> Self {
        let exchanged = instance.orientation.contains(&true);
        Self {
            property: check.property_name(wrong.property),
            steps: wrong.steps,
            // The first step is 1, the first instant 0.
            repeats_from: wrong.repeats_from.map(|from| from + usize::from(check.untimed())),
            ids: some(&instance.ids),
            orientation: exchanged.then(|| digits(&instance.orientation)),
            ports: wrong.ports.as_ref().map(ToString::to_string),
            file,
            instances,
            trace: Vec::new(),
        }
    }
}

impl CheckScenario {
    pub(crate) fn new(check: &CheckSetup) -> Self {
        let scenario = &check.scenario;
        let (timing, family) = (&scenario.timing, &check.family);
        let two_ways = family.topology == Topology::BidirectionalRing;
        let orientation = match &family.orientations {
            Orientations::All => "all".to_string(),
            Orientations::One(one) if one.contains(&true) => digits(one),
            Orientations::One(_) => "same".to_string(),
        };
        let at_most = scenario.faults.at_most;
        Self {
            n: family.n,
            ids: some(&family.ids).filter(|_| family.ordered),
            topology: family.topology.name().to_string(),
            orientation: two_ways.then_some(orientation),
            ports: family.numberings.map(|_| scenario.ports.to_string()),
            links: scenario.links.name().to_string(),
            wake: match &check.wakers {
                Wakers::Anybody => "anybody".to_string(),
                // Without clocks no two wake-ups are together.
                Wakers::Together if scenario.untimed => "all".to_string(),
                Wakers::Together => "together".to_string(),
                Wakers::These(places) if places.len() == family.n => "all".to_string(),
                Wakers::These(places) => places.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
            },
            timing: (!scenario.untimed).then(|| CheckTiming {
                r_min: timing.r.min,
                r_max: timing.r.max,
                d_min: timing.d.min,
                d_max: timing.d.max,
                reading: timing.reading.name().to_string(),
                clocks: if timing.clocks == Clocks::Varying { "varying" } else { "fixed" }.to_string(),
                ties: scenario.ties.name().to_string(),
            }),
            faults: FaultsReport {
                crashes: at_most.crashes,
                losses: at_most.losses,
                duplicates: at_most.duplicates,
                restarts: at_most.restarts,
                cuts: at_most.cuts,
                pauses: at_most.pauses,
            },
            retransmit: scenario.retransmit,
            again: scenario.again.iter().map(|&(place, _)| place).collect(),
            values: some(&scenario.values),
            workload: scenario.workload.as_ref().map(|load| {
                let shared = load.readers + load.writers > 0;
                CheckWorkload {
                    entries: if load.is_unbounded() { 0 } else { load.entries },
                    forever: load.is_unbounded(),
                    compete: load.compete,
                    readers: shared.then_some(load.readers),
                    writers: shared.then_some(load.writers),
                }
            }),
        }
    }
}
