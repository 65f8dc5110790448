//! Every rule of every protocol fires somewhere: random untimed runs of small instances, with faults, with printed and repaired
//! rules, with further elections and with a leader's tasks.

use std::collections::BTreeSet;

use conformance::{Draw, owned};
use ringleader::check::{CheckOptions, CheckSetup, CheckVerdict};
use ringleader::model::{
    AtMost, Departure, Faults, Place, Ports, Protocol, Scenario, Task, Topology, Values, Workload,
};
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::tasks::After;
use ringleader::sim::{Choices, Step, StepEffect};
use ringleader::{Effort, Entry, Execution, Options, Setup, catalogue};

/// Runs of each protocol, at most; they end as soon as every rule has fired.
const RUNS: u32 = 40_000;
/// Actions of a run, at most.
const ACTIONS: u64 = 300;

type GivenSettings = Vec<(String, String)>;

/// Values of parameters that are no plain choice.
const FORMS: &[(&str, &[&str])] = &[
    ("law", &["2^i", "min-time", "constant:3/2"]),
    ("ids", &["n", "2"]),
    ("k", &["1", "2"]),
    ("draw", &["random"]),
    ("numbers", &["unbounded"]),
    ("c1", &["0", "1", "round"]),
    ("c", &["0", "2"]),
    ("crash", &["none", "timeout:3", "probe"]),
    ("digits", &["1", "2"]),
    ("base", &["2"]),
    ("words", &["1", "2"]),
    ("read-time", &["20", "40"]),
    ("write-time", &["20", "40"]),
    ("tokens", &["0", "1", "n"]),
    ("jitter", &["0", "L"]),
    ("timer", &["1", "L"]),
];

/// Some of the departures, as users write them.
fn some_of(departures: &[Departure], draw: &mut Draw) -> String {
    let names: Vec<_> = departures.iter().filter(|_| draw.once_in(3)).map(|departure| departure.name).collect();
    if names.is_empty() { "none".into() } else { names.join(",") }
}

fn drawn_settings(entry: &dyn Entry, draw: &mut Draw) -> GivenSettings {
    let value = |parameter: &ringleader::model::Parameter, draw: &mut Draw| match parameter.values {
        _ if draw.once_in(2) => parameter.default.to_string(),
        Values::Choice(words) => draw.one_of(words).to_string(),
        Values::Departures(all) => some_of(all, draw),
        Values::Number(..) | Values::Form(_) => {
            let known = FORMS.iter().find(|(name, _)| *name == parameter.name);
            let (_, values) = known.unwrap_or_else(|| panic!("no values are listed for {}", parameter.name));
            draw.one_of(values).to_string()
        }
    };
    let parameters = entry.description().parameters.iter();
    parameters.map(|parameter| (parameter.name.to_string(), value(parameter, draw))).collect()
}

fn drawn_scenario(entry: &dyn Entry, settings: &[(String, String)], draw: &mut Draw) -> Scenario {
    let assumptions = &entry.description().assumptions;
    let implied = entry.implied(settings).expect("the settings are listed");
    let sites = draw.between(1, 5) as usize;
    let cells = implied.cells;
    let shared = entry.problem() == "readers-writers";
    let readers = if shared { draw.below(sites as u64) as usize } else { 0 };
    let writers = if cells > 0 {
        1
    } else if shared {
        sites - readers
    } else {
        0
    };
    let sites = if cells > 0 { readers + writers } else { sites };
    let n = sites + cells;
    let workload = implied.visited.then(|| Workload { entries: 2, readers, writers, cells, ..Workload::new(sites) });
    let reading = if assumptions.compulsory { assumptions.preset.reading() } else { draw.one_of(assumptions.readings) };
    let complete = assumptions.topology == Topology::Complete && cells == 0;
    let further = if assumptions.again { 0..n as Place } else { 0..0 };
    let mut limit = || if draw.once_in(2) { 0 } else { draw.between(1, 4) as u32 };
    let at_most = AtMost { losses: limit(), duplicates: limit(), ..AtMost::default() };
    Scenario {
        n,
        ids: if assumptions.identities { draw.ids(n, n as u64) } else { Vec::new() },
        again: further.flat_map(|place| [(place, 0), (place, 1)]).collect(),
        workload,
        timing: assumptions.preset.timing(reading),
        links: implied.links,
        ports: if complete { draw.one_of(&[Ports::Plain, Ports::Shuffled(7)]) } else { Ports::Plain },
        faults: Faults { at_most, ..Faults::default() },
        untimed: true,
        seed: draw.below(1 << 40),
        ..Scenario::default()
    }
}

/// The steps of a random run with these settings; `None` if they do not suit the scenario that is drawn.
fn steps(entry: &'static dyn Entry, settings: GivenSettings, task: Option<Task>, draw: &mut Draw) -> Option<Vec<Step>> {
    let mut scenario = drawn_scenario(entry, &settings, draw);
    if task.is_some() {
        scenario.again.clear();
        if task.is_some_and(|task| task.input().is_some()) {
            scenario.values = (0..scenario.n).map(|_| draw.below(3)).collect();
        }
    }
    let setup = Setup::of_scenario(entry, scenario, settings, task, [None, Some(ACTIONS)]).ok()?;
    let mut run = Execution::new(&setup, Choices::Drawn).ok()?.run;
    run.log();
    while !run.advance(1000) {}
    Some(run.take_log())
}

/// Demands texts without the syntax of a program.
fn assert_for_people(step: &Step) {
    for effect in &step.effects {
        let text = match effect {
            StepEffect::Send { content, .. } => &content.text,
            StepEffect::SetTimer { timer, .. } => timer,
            StepEffect::Report { report, .. } => report,
            StepEffect::CancelTimer { .. } | StepEffect::Choose { .. } => continue,
        };
        let plain = |letter: char| letter.is_alphanumeric() || " -,".contains(letter);
        assert!(!text.is_empty() && text.chars().all(plain), "{text}");
    }
}

/// The numbers of the rules that fire in random runs, of which there are this many.
fn fired(entry: &'static dyn Entry, task: Option<Task>, all: usize) -> BTreeSet<u8> {
    let (mut draw, mut rules) = (Draw::new(1), BTreeSet::new());
    for _ in 0..RUNS {
        if rules.len() >= all {
            break;
        }
        let settings = drawn_settings(entry, &mut draw);
        // Some combinations are refused.
        for step in steps(entry, settings, task, &mut draw).unwrap_or_default() {
            assert_for_people(&step);
            rules.extend(step.rules);
        }
    }
    rules
}

/// The rules that never fire, and the numbers that no rule has.
fn faults(rules: &[&str], fired: &BTreeSet<u8>, wanted: impl Fn(usize) -> bool) -> Vec<String> {
    let silent = (1..=rules.len()).filter(|number| wanted(*number) && !fired.contains(&(*number as u8)));
    let unknown = fired.iter().filter(|number| !(1..=rules.len()).contains(&usize::from(**number)));
    let silent = silent.map(|number| format!("rule {number} never fires: {}", rules[number - 1]));
    silent.chain(unknown.map(|number| format!("there is no rule {number}"))).collect()
}

#[test]
fn every_rule_of_every_protocol_fires() {
    let mut found = Vec::new();
    for &entry in catalogue() {
        let rules = entry.description().rules;
        let faults = faults(rules, &fired(entry, None, rules.len()), |_| true);
        found.extend(faults.into_iter().map(|fault| format!("{}: {fault}", entry.name())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The rules of the tasks follow those of the election, which are looked for above.
#[test]
fn every_rule_of_a_task_fires() {
    let (rules, of_election) = (After::<ChangRoberts>::DESCRIPTION.rules, ChangRoberts::DESCRIPTION.rules.len());
    let entry = conformance::entry("chang-roberts");
    let all = Task::ALL.into_iter().flat_map(|task| fired(entry, Some(task), rules.len())).collect();
    let found = faults(rules, &all, |number| number > of_election);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The rules that fire in some schedule by the model checker are those that fire in many random runs of the simulator.
#[test]
fn coverage_is_that_of_random_runs() {
    let asynchronous = catalogue().iter().filter(|entry| !entry.description().assumptions.timed);
    let mut compared = 0;
    for &entry in asynchronous {
        // A leader, sites and links enough for most rules, few enough for all schedules.
        let options = Options { n: Some(3), ..Options::default() };
        let Ok(setup) = CheckSetup::new(entry, &CheckOptions { options, ..CheckOptions::default() }) else { continue };
        let instance = &setup.instances[0];
        let effort = Effort { states: 300_000, ..Effort::default() };
        let checked = setup.explore(instance, &effort, &mut |_| true).expect("it can be checked");
        if checked.ran_out.is_some() || checked.verdict() != CheckVerdict::Holds {
            continue;
        }
        let mut fired = BTreeSet::new();
        for seed in 0..3_000 {
            let mut scenario = Scenario { seed, ..setup.scenario_of(instance) };
            if scenario.ports == Ports::All {
                scenario.ports = Ports::Shuffled(seed);
            }
            let drawn = Setup::of_scenario(entry, scenario, setup.settings.clone(), None, [None, Some(ACTIONS)]);
            let mut run = Execution::new(&drawn.expect("it was checked"), Choices::Drawn).expect("it is small").run;
            run.log();
            while !run.advance(1000) {}
            fired.extend(run.take_log().into_iter().flat_map(|step| step.rules));
        }
        assert_eq!(checked.fired.iter().collect::<BTreeSet<_>>(), fired, "{}", entry.name());
        compared += 1;
    }
    assert!(compared >= 10, "only {compared} protocols were compared");
}

/// The steps of a random run with this setting and others that are drawn.
fn with_setting(entry: &'static dyn Entry, setting: (&str, &str), seed: u64) -> Option<Vec<Step>> {
    let mut draw = Draw::new(seed);
    let mut given = drawn_settings(entry, &mut draw);
    given.retain(|(key, _)| !["rules", "printed"].contains(&key.as_str()));
    given.extend(owned(&[setting]));
    steps(entry, given, None, &mut draw)
}

const REPAIRED: (&str, &str) = ("rules", "repaired");

/// Tests the meaning of the departures of a protocol.
fn demand_one_meaning(entry: &'static dyn Entry) {
    let (name, departures) = (entry.name(), entry.description().departures);
    let parameters = entry.description().parameters;
    let listed = parameters.iter().find_map(|parameter| match parameter.values {
        Values::Departures(all) => Some(all),
        _ => None,
    });
    assert_eq!(listed.unwrap_or_default(), departures, "{name}");
    if departures.is_empty() {
        assert!(parameters.iter().all(|parameter| !["rules", "printed"].contains(&parameter.name)), "{name}");
        return;
    }
    let primary = departures.iter().filter(|departure| departure.instead_of.is_none());
    let all = primary.map(|departure| departure.name).collect::<Vec<_>>().join(",");
    let mut differ = false;
    for seed in 0..200 {
        let printed = with_setting(entry, ("rules", "printed"), seed);
        assert_eq!(printed, with_setting(entry, ("printed", &all), seed), "{name}, printed={all}");
        differ |= printed != with_setting(entry, REPAIRED, seed);
    }
    assert!(differ, "{name}: printed rules make no difference");
    for departure in departures {
        let both = owned(&[("rules", "printed"), ("printed", departure.name)]);
        let scenario = drawn_scenario(entry, &both, &mut Draw::new(1));
        let Err(bad) = Setup::of_scenario(entry, scenario, both, None, [None; 2]) else {
            panic!("{name}: rules=printed and printed={} are taken together", departure.name)
        };
        assert_eq!(bad.wrong, format!("rules=printed and printed={} are both given", departure.name), "{name}");
    }
}

#[test]
fn printed_rules_mean_the_same_in_every_protocol() {
    catalogue().iter().for_each(|entry| demand_one_meaning(*entry));
    let departing = catalogue().iter().filter(|entry| !entry.description().departures.is_empty());
    assert!(departing.count() > 5, "several protocols depart from their papers");
}

#[test]
fn every_departure_makes_a_difference() {
    let mut idle = Vec::new();
    for &entry in catalogue() {
        let same = |departure: &&Departure| {
            (0..80_000).all(|seed| {
                let printed = with_setting(entry, ("printed", departure.name), seed);
                printed.is_none() || printed == with_setting(entry, REPAIRED, seed)
            })
        };
        let departures = entry.description().departures.iter().filter(same);
        idle.extend(departures.map(|departure| format!("{}: printed={}", entry.name(), departure.name)));
    }
    assert_eq!(idle, [""; 0]);
}
