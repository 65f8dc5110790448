//! Descriptions of protocols as data, for `list` and `info`.

use std::collections::BTreeSet;

use ringleader_model::{
    BadSetting, Bound, Departure, Description, Election, Kind, Lemma, Message, Parameter, PortUse, Problem, Processor,
    Promise, Protocol, Scenario, Starts, Task, Topology,
};
use ringleader_protocols::election::chang_roberts::ChangRoberts;
use ringleader_protocols::election::tasks::{After, TASKS, task_kinds};
use ringleader_sim::Resolved;
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalogue::{Catalogue, UnknownProtocol};
use crate::check::{Row, suggested_checks};
use crate::entry::Entry;
use crate::report::quantity_name;

/// A line of `list`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// As users write it.
    pub name: &'static str,
    /// The problem that it solves.
    pub problem: &'static str,
    /// One line.
    pub title: &'static str,
    /// The network.
    pub topology: &'static str,
    /// Keys of the bibliography.
    pub sources: &'static [&'static str],
}

/// Every protocol that solves a problem, or all, and the tasks that may follow an election.
pub fn listed(catalogue: &Catalogue, problem: Option<&str>) -> Result<Vec<Listed>, BadSetting> {
    let one = |d: &Description, problem: &'static str| Listed {
        name: d.name,
        problem,
        title: d.title,
        topology: d.assumptions.topology.name(),
        sources: d.sources,
    };
    let task = |(_, d): &(Task, Description)| Listed { topology: "any ring", ..one(d, Election::NAME) };
    // Each once, under the first of its problems that is asked for.
    let asked = |solved: &&&'static str| problem.is_none_or(|problem| solved.starts_with(problem));
    let protocol =
        |entry: &'static dyn Entry| entry.problems().iter().find(asked).map(|solved| one(entry.description(), solved));
    let tasks = TASKS.iter().filter(|_| asked(&&Election::NAME)).map(task);
    let listed: Vec<_> = catalogue.iter().filter_map(protocol).chain(tasks).collect();
    if let Some(problem) = problem
        && (listed.is_empty() || problem.is_empty())
    {
        let problems: BTreeSet<_> = catalogue.iter().flat_map(Entry::problems).copied().collect();
        return Err(BadSetting::new("problem", format!("is '{problem}'"), Vec::from_iter(problems).join(", ")));
    }
    Ok(listed)
}

/// All that `info` shows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct About {
    /// As users write it.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// The problem that it solves.
    pub problem: &'static str,
    /// Keys of the bibliography.
    pub sources: &'static [&'static str],
    /// A few sentences.
    pub idea: &'static str,
    /// The rules in words.
    pub rules: &'static [&'static str],
    /// Its assumptions.
    pub assumptions: Vec<String>,
    /// Its parameters.
    pub parameters: Vec<AboutParameter>,
    /// Kinds of messages.
    pub messages: Vec<&'static str>,
    /// The protocol's own invariants, which every run and every check judges besides the properties of its problem.
    pub invariants: Vec<&'static str>,
    /// The promises of its paper beyond the properties of its problem, which every run and every check judges besides.
    pub promises: Vec<AboutPromise>,
    /// The lemmas of its paper about what its processors have done so far, judged likewise.
    pub lemmas: Vec<AboutPromise>,
    /// Its bounds, proved or claimed.
    pub bounds: Vec<AboutBound>,
    /// The printed rules that are not followed.
    #[schemars(with = "Vec<DepartureSchema>")]
    pub departures: &'static [Departure],
    /// Errata of the sources.
    pub errata: Vec<AboutErratum>,
    /// Checks over all schedules on record.
    pub checked: Vec<Row>,
    /// Checks to try: command lines, each decided in seconds.
    pub suggested: Vec<String>,
    /// The state of a processor.
    pub bytes_per_processor: usize,
}

/// A printed rule that is not followed.
#[allow(dead_code, reason = "a schema, never a value")]
#[derive(JsonSchema)]
#[schemars(rename = "Departure")]
struct DepartureSchema {
    /// As users write it: `printed=NAME`.
    name: String,
    /// The place in the paper.
    place: String,
    /// The printed rule.
    printed: String,
    /// The rule followed instead.
    repaired: String,
    /// The departure of which this is another reading; null if there is none.
    instead_of: Option<String>,
}

/// A parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AboutParameter {
    /// As users write it.
    pub name: &'static str,
    /// What is allowed.
    pub values: String,
    /// Unless it is set.
    pub default: &'static str,
    /// Its effect.
    pub doc: &'static str,
}

/// A promise or a lemma of the protocol's paper.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AboutPromise {
    /// The property, as a check names it.
    pub name: &'static str,
    /// The condition under which it is made, beside the assumptions; empty if there is none.
    pub when: &'static str,
    /// The source.
    pub source: &'static str,
}

/// A bound, proved or claimed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AboutBound {
    /// The quantity that is bounded.
    pub quantity: String,
    /// In what sense.
    pub kind: &'static str,
    /// As people write it.
    pub formula: &'static str,
    /// The source.
    pub source: &'static str,
    /// What is counted.
    pub counts: &'static str,
}

/// An erratum.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AboutErratum {
    /// Where.
    pub place: &'static str,
    /// What is wrong.
    pub wrong: &'static str,
    /// The repair.
    pub repair: &'static str,
}

impl AboutBound {
    pub(crate) fn new<P>(bound: &Bound<P>, work: &'static str) -> Self {
        Self {
            quantity: quantity_name(bound.quantity, work),
            kind: bound.kind.name(),
            formula: bound.formula,
            source: bound.source,
            counts: bound.counts,
        }
    }
}

impl About {
    pub(crate) fn new<P: Protocol>() -> Self {
        let work = <P::Processor as Processor>::Problem::WORK;
        let (mut invariants, mut bounds) = (Vec::new(), Vec::new());
        for invariant in P::INVARIANTS {
            invariants.push(invariant.name);
        }
        for bound in P::BOUNDS {
            bounds.push(AboutBound::new(bound, work));
        }
        let kinds = <P::Processor as Processor>::Message::KINDS;
        let about = Self::described(const { &P::DESCRIPTION }, <P::Processor as Processor>::Problem::NAME, kinds);
        Self {
            invariants,
            promises: about_promises(P::PROMISES),
            lemmas: about_lemmas(P::LEMMAS),
            bounds,
            bytes_per_processor: size_of::<P::Processor>(),
            ..about
        }
    }

    /// What does not depend on a protocol's types.
    fn described(d: &'static Description, problem: &'static str, kinds: &[Kind]) -> Self {
        Self {
            name: d.name,
            title: d.title,
            problem,
            sources: d.sources,
            idea: d.idea,
            rules: d.rules,
            assumptions: assumptions(d),
            parameters: about_parameters(d),
            messages: kinds.iter().map(|kind| kind.name).collect(),
            invariants: Vec::new(),
            promises: Vec::new(),
            lemmas: Vec::new(),
            bounds: Vec::new(),
            departures: d.departures,
            errata: d
                .errata
                .iter()
                .map(|e| AboutErratum { place: e.place, wrong: e.wrong, repair: e.repair })
                .collect(),
            checked: checked_rows(d.name),
            suggested: suggested_checks(d.name),
            bytes_per_processor: 0,
        }
    }
}

/// The checks of a protocol on record. A page does not show them, and loads faster without.
fn checked_rows(protocol: &str) -> Vec<Row> {
    if cfg!(target_family = "wasm") {
        return Vec::new();
    }
    Row::all().into_iter().filter(|row| row.protocol() == protocol).collect()
}

fn assumptions(d: &Description) -> Vec<String> {
    let a = &d.assumptions;
    let mut assumptions = vec![
        format!("network: {}", a.topology),
        format!("identities: {}", if a.identities { "distinct positive integers" } else { "none" }),
        format!("size of the network: {}", if a.known_size { "known" } else { "unknown" }),
        match a.starts {
            Starts::Any => "starts: any set of processors, at any times".to_string(),
            Starts::Together => "starts: everybody in the same round".to_string(),
        },
        format!("timing: {}{}", a.preset.name(), if a.compulsory { ", no other" } else { " by default" }),
        format!("links: {} by default", a.links.name()),
    ];
    if a.topology != Topology::Ring {
        assumptions.push(match a.port_use {
            PortUse::Numbered => "ports: numbered in any order; check explores all of them".to_string(),
            PortUse::Alike(reason) => format!("ports: treated alike: {reason}"),
            PortUse::Given(reason) => format!("ports: numbered in the order of the places: {reason}"),
        });
    }
    assumptions
}

/// The description of a protocol, or of a leader's task.
pub fn about(catalogue: &Catalogue, name: &str) -> Result<About, UnknownProtocol> {
    if let Some((task, d)) = TASKS.into_iter().find(|(task, _)| task.name() == name) {
        return Ok(about_task(task, &d));
    }
    Ok(catalogue.find(name)?.about())
}

fn about_task(task: Task, d: &Description) -> About {
    let about = About::new::<After<ChangRoberts>>();
    let scenario = Scenario { ids: vec![1], ..Scenario::default() };
    let resolved = Resolved::new(&scenario);
    let rules = After::new(ChangRoberts, task);
    let says = |bound: &Bound<_>| (bound.value)(&rules, &resolved.instance(&scenario)).is_some();
    let bounds = about.bounds.into_iter().zip(After::BOUNDS).filter(|(_, bound)| says(bound));
    About {
        name: d.name,
        title: d.title,
        sources: d.sources,
        idea: d.idea,
        rules: d.rules,
        assumptions: assumptions(d)
            .into_iter()
            .map(|text| match text.split_once(": ") {
                Some(("network", _)) => "network: any ring, one way or both".to_string(),
                Some(("timing", _)) => "timing: the election's".to_string(),
                _ => text,
            })
            .collect(),
        parameters: about_parameters(d),
        messages: task_kinds(task).iter().map(|kind| kind.name).collect(),
        bounds: bounds.map(|(about, _)| about).collect(),
        departures: &[],
        errata: Vec::new(),
        checked: Vec::new(),
        suggested: suggested_checks(d.name),
        bytes_per_processor: about.bytes_per_processor - size_of::<<ChangRoberts as Protocol>::Processor>(),
        ..about
    }
}

fn about_promises(promises: &[Promise]) -> Vec<AboutPromise> {
    let one = |p: &Promise| AboutPromise { name: p.property.name(), when: p.when, source: p.source };
    promises.iter().map(one).collect()
}

fn about_lemmas(lemmas: &[Lemma]) -> Vec<AboutPromise> {
    let one = |lemma: &Lemma| AboutPromise { name: lemma.name, when: lemma.when, source: lemma.source };
    lemmas.iter().map(one).collect()
}

/// The parameters of a protocol.
pub fn about_parameters(d: &Description) -> Vec<AboutParameter> {
    let one =
        |p: &Parameter| AboutParameter { name: p.name, values: p.values.to_string(), default: p.default, doc: p.doc };
    d.parameters.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use crate::catalogue::catalogue;

    /// The number of states that a check explores in seconds.
    const FEW_STATES: u64 = 100_000;

    /// Whoever follows a suggestion has an answer soon: that all is well.
    #[test]
    fn suggested_checks_end_soon_and_hold() {
        for entry in catalogue() {
            let about = entry.about();
            assert!(!about.suggested.is_empty(), "{}", entry.name());
            for command in about.suggested.iter().filter(|command| !command.ends_with(" --probability")) {
                let row = about.checked.iter().find(|row| row.command_line() == *command);
                let figures = row.and_then(|row| row.figures.as_ref());
                let figures = figures.unwrap_or_else(|| panic!("{command} is not on record"));
                assert!(figures.verdict == "holds" && figures.states <= FEW_STATES, "{command}");
            }
        }
    }
}
