//! Every planted bug is found by the check that the list names, which `ringleader info` suggests and which holds without it.

use std::collections::BTreeMap;

use planted::election::chang_roberts::ChangRoberts;
use planted::election::itai_rodeh::ItaiRodeh;
use planted::election::itai_rodeh_sync::ItaiRodehSync;
use planted::election::spirakis_tampakas::SpirakisTampakas;
use planted::election::tasks::After;
use planted::election::vitanyi::Vitanyi;
use planted::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use planted::retransmission::{Retransmitting, TwoWay};
use planted::{Bug, EQUIVALENT, ERROR, MESSAGES, all_bugs};

use ringleader::check::{
    CheckSetup, JudgedBound, ProbabilityReport, Proved, Survey, Total, extreme_name, judge_bounds, survey,
};
use ringleader::{Entry, EvaluatedBound, Of, find};
use ringleader_check::{CheckVerdict, Effort, MaxMessages, Reductions};
use ringleader_cli::check_of;
use ringleader_model::{Clocks, Delays, Instance, Problem, Processor, Protocol, Quantity, Settings, Value};
use ringleader_sim::Resolved;

const PROBABILITY: &str = " --probability";
const LAYER: &str = " --retransmit ";

/// A suggested check, set up for the catalogue without bugs.
struct Suggested {
    setup: CheckSetup,
    /// What is proved about messages, by instance.
    proved: Vec<Option<Proved>>,
    /// What is proved about all costs, by instance.
    bounds: Vec<Vec<EvaluatedBound>>,
    /// The number of states without a bug, by instance.
    states: Vec<u64>,
}

fn set_up(command: &str, entry: &'static dyn Entry) -> CheckSetup {
    let words = command.strip_suffix(PROBABILITY).unwrap_or(command);
    let (_, mut options) = check_of(words.split(' ')).unwrap_or_else(|error| panic!("{command}: {error}"));
    options.effort = Effort { states: 1_000_000, bytes: 1 << 31, threads: 1, reductions: Reductions::ALL };
    CheckSetup::new(entry, &options).unwrap_or_else(|bad| panic!("{command}: {bad}"))
}

impl Suggested {
    /// Explores it; all is well.
    fn new(protocol: &str, command: &str) -> Self {
        let entry = find(protocol).expect("it is in the catalogue");
        let line = format!("ringleader check {command}");
        assert!(entry.about().suggested.contains(&line), "`ringleader info {protocol}` does not suggest {line}");
        let setup = set_up(command, entry);
        let Survey { found, .. } = survey(&setup, &()).expect("it can be explored");
        for one in &found {
            let violated = one.bounds.iter().any(|judged| judged.holds == Some(false));
            assert!(
                one.verdict() == CheckVerdict::Holds && one.exceeds() != Some(true) && !violated,
                "{line}: {:?} {:?}",
                one.judgements,
                one.bounds
            );
        }
        let states = found.iter().map(|one| one.progress.states).collect();
        let proved = found.iter().map(|one| one.proved.clone()).collect();
        let bound = |judged: JudgedBound| judged.bound;
        let bounds = found.into_iter().map(|one| one.bounds.into_iter().map(bound).collect()).collect();
        Self { setup, proved, bounds, states }
    }
}

/// The property or the bound that finds whatever is planted now, empty if none does, and the states of all instances.
fn found_by<P: Protocol>(suggested: &Suggested, reductions: Reductions) -> (String, Vec<u64>) {
    let settings = Settings::new(P::DESCRIPTION.parameters, &suggested.setup.settings).expect("they are allowed");
    explored(suggested, reductions, &|instance: &Instance<'_>| P::configure(&settings, instance).expect("they suit it"))
}

/// The same, with the layer below it that sends messages again.
fn found_in_links<P: Protocol<Network: TwoWay>>(suggested: &Suggested, reductions: Reductions) -> (String, Vec<u64>) {
    let settings = Settings::new(P::DESCRIPTION.parameters, &suggested.setup.settings).expect("they are allowed");
    let scenario = &suggested.setup.scenario;
    let ticks = scenario.retransmit.expect("there is a layer");
    let alone = |instance: &Instance<'_>| P::configure(&settings, instance).expect("they suit it");
    explored(suggested, reductions, &|instance: &Instance<'_>| Retransmitting::new(alone(instance), ticks, scenario))
}

/// The same, after an election whose leader has a task.
fn found_in_task(suggested: &Suggested, reductions: Reductions) -> (String, Vec<u64>) {
    let task = suggested.setup.task.expect("it has one");
    let settings = Settings::new(Vitanyi::DESCRIPTION.parameters, &[]).expect("there are none");
    let election = |instance: &Instance<'_>| Vitanyi::configure(&settings, instance).expect("they suit it");
    let values = &suggested.setup.scenario;
    explored(suggested, reductions, &|instance: &Instance<'_>| After::new(election(instance), task).with_values(values))
}

fn explored<P: Protocol>(
    Suggested { setup, proved, bounds, .. }: &Suggested,
    reductions: Reductions,
    configure: &dyn Fn(&Instance<'_>) -> P,
) -> (String, Vec<u64>) {
    let effort = Effort { reductions, ..setup.effort };
    let (mut violated, mut exceeded, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for ((instance, proved), bounds) in setup.instances.iter().zip(proved).zip(bounds) {
        let scenario = setup.scenario_of(instance);
        let mut open = scenario.clone();
        (open.timing.clocks, open.timing.delays) = (Clocks::Varying, Delays::Uniform);
        let protocol = configure(&Resolved::new(&open).instance(&open));
        let answer = ringleader_check::check(protocol, &scenario, &setup.wakers, &effort, &mut |_| true);
        let answer = answer.expect("it can be explored");
        assert!(answer.ran_out.is_none(), "a bug makes it too large to explore");
        states.push(answer.progress.states);
        let wrong = answer.judgements.iter().filter(|judgement| judgement.verdict == CheckVerdict::Violated);
        violated.extend(wrong.map(|judgement| (judgement.property.preference(), judgement.property.name())));
        let too_many = match (answer.most_messages, proved) {
            (MaxMessages::Exactly(most) | MaxMessages::UpToViolation(most), Some(proved)) => {
                Value::int(u128::from(most)) > proved.value
            }
            (MaxMessages::Unbounded, Some(_)) => true,
            (MaxMessages::Unknown, _) | (_, None) => false,
        };
        exceeded.extend(too_many.then(|| MESSAGES.to_string()));
        let judged = judge_bounds(bounds.clone(), &answer.extremes, &scenario);
        let broken = judged.into_iter().filter(|judged| judged.holds == Some(false));
        exceeded.extend(broken.map(|judged| bound_on::<P>(judged.bound.quantity)));
    }
    let first =
        violated.into_iter().min_by_key(|(preference, _)| *preference).map(|(_, property)| property.to_string());
    // The messages first, which are judged in all.
    let bound = || exceeded.iter().find(|bound| *bound == MESSAGES).or(exceeded.first()).cloned();
    (first.or_else(bound).unwrap_or_default(), states)
}

/// The name of a bound on a quantity.
fn bound_on<P: Protocol>(quantity: Quantity) -> String {
    match quantity {
        Quantity::MessagesPerEntry => MESSAGES.to_string(),
        quantity => {
            format!("bound on {}", extreme_name(quantity, <<P::Processor as Processor>::Problem as Problem>::WORK))
        }
    }
}

macro_rules! found_by_name {
    ($($list:ident: [$($protocol:ty),* $(,)?]),* $(,)?) => {
        /// The check of a protocol with bugs.
        fn found_by_of(protocol: &str) -> fn(&Suggested, Reductions) -> (String, Vec<u64>) {
            $($(if protocol == <$protocol as Protocol>::DESCRIPTION.name { return found_by::<$protocol>; })*)*
            panic!("{protocol} is not in the catalogue");
        }
    };
}

planted::each_protocol!(found_by_name);

/// One test, for what is planted is planted everywhere.
#[test]
fn every_planted_bug_is_found() {
    let mut suggested: BTreeMap<&str, Suggested> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, bug) in all_bugs().enumerate() {
        let command = bug.target.command;
        let found = match command.strip_suffix(PROBABILITY) {
            Some(_) => exceeded_by(number, bug),
            None => {
                let check: fn(&Suggested, Reductions) -> _ = match bug.protocol() {
                    _ if command.contains(" --then ") => found_in_task,
                    "chang-roberts" if command.contains(LAYER) => found_in_links::<ChangRoberts>,
                    "ricart-agrawala" if command.contains(LAYER) => found_in_links::<RicartAgrawala>,
                    protocol => found_by_of(protocol),
                };
                let suggested = suggested.entry(command).or_insert_with(|| {
                    let new = Suggested::new(bug.protocol(), command);
                    planted::plant(None);
                    let (found, states) = check(&new, Reductions::ALL);
                    assert!(found.is_empty() && states == new.states, "{command} without a bug: {found}");
                    new
                });
                planted::plant(Some(number));
                let [(found, _), (also, _)] =
                    [Reductions::ALL, Reductions::NONE].map(|reductions| check(suggested, reductions));
                assert_eq!(found, also, "{}: {} with and without reduction", bug.protocol(), bug.name);
                found
            }
        };
        if found != bug.found_by {
            wrong.push(format!("{}: {}: found by '{found}', not by '{}'", bug.protocol(), bug.name, bug.found_by));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The bound on a mean or on the probability of error that `check --probability` finds exceeded, empty if there is none.
fn exceeded_by(number: usize, bug: &Bug) -> String {
    let line = format!("ringleader check {}", bug.target.command);
    let entry = find(bug.protocol()).expect("it is in the catalogue");
    assert!(entry.about().suggested.contains(&line), "`ringleader info` does not suggest {line}");
    planted::plant(None);
    let setup = set_up(bug.target.command, with_bugs(bug.protocol()));
    assert_eq!(exceeded(&setup), Vec::<String>::new(), "without {}", bug.name);
    planted::plant(Some(number));
    let exceeded = exceeded(&setup);
    exceeded.iter().find(|what| *what == bug.found_by).or(exceeded.first()).cloned().unwrap_or_default()
}

/// The protocol with bugs, of those that draw at random.
fn with_bugs(protocol: &str) -> &'static dyn Entry {
    match protocol {
        "itai-rodeh" => &Of::<ItaiRodeh>::NEW,
        "itai-rodeh-sync" => &Of::<ItaiRodehSync>::NEW,
        "spirakis-tampakas-symmetry" => &Of::<SpirakisTampakas>::NEW,
        other => panic!("nothing is proved about means of {other}"),
    }
}

/// The bounds on means that `check --probability` finds exceeded; no property is violated.
fn exceeded(setup: &CheckSetup) -> Vec<String> {
    let survey = survey(setup, &()).expect("it can be explored");
    assert_eq!(Total::new(setup, &survey).verdict(), CheckVerdict::Holds, "no schedule is wrong, only its probability");
    let report = ProbabilityReport::new(setup, None, String::new(), &()).expect("it can be explored");
    let judged = report.means.iter().map(|mean| (mean.of.as_str(), mean.proved.as_ref()));
    let judged = judged.chain(report.error.as_ref().map(|error| (ERROR, error.proved.as_ref())));
    let exceeded = judged.filter(|(_, proved)| proved.is_some_and(|proved| proved.holds == Some(false)));
    let exceeded: Vec<_> = exceeded.map(|(what, _)| what.to_string()).collect();
    assert_eq!(report.is_exceeded(), !exceeded.is_empty());
    exceeded
}

/// The bugs are spread over all of the catalogue.
#[test]
fn every_protocol_has_three_planted_bugs() {
    for description in planted::catalogue::DESCRIPTIONS {
        let bugs = all_bugs().filter(|bug| bug.protocol() == description.name && !bug.found_by.is_empty());
        assert!(bugs.count() >= 3, "{} has fewer", description.name);
    }
    let found = all_bugs().filter(|bug| !bug.found_by.is_empty()).count();
    assert!(found >= 100, "{found} bugs are found");
    assert!(EQUIVALENT.iter().all(|one| one.bug.found_by.is_empty() && !one.proof.is_empty()));
}
