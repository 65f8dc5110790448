//! Every planted bug is found by the checker, on an instance of which it says that all is well without it.

use planted::election::itai_rodeh::ItaiRodeh;
use planted::election::itai_rodeh_sync::ItaiRodehSync;
use planted::election::spirakis_tampakas::SpirakisTampakas;
use planted::{BUGS, Bug, BugClocks, ERROR, MEAN_PHASES};
use ringleader::Of;
use ringleader::check::{CheckOptions, CheckSetup, ProbabilityReport};
use ringleader_check::{CheckVerdict, Effort, Wakers};
use ringleader_model::{
    Clocks, Preset, Problem, Processor, Protocol, Range, Reading, Scenario, Settings, Ties, Timing, Workload,
};
use ringleader_sim::Resolved;

/// What the checker says of the instance of a bug, with whatever is planted now: by property.
fn check<P: Protocol>(bug: &Bug, reduce: bool) -> Vec<(&'static str, CheckVerdict)> {
    let settings: Vec<_> = bug.settings.iter().map(|&(key, value)| (key.into(), value.into())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
    let scenario = scenario::<P>(bug, &settings);
    let protocol = P::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).expect("they suit it");
    let wakers = if bug.together { Wakers::Together } else { Wakers::Anybody };
    let effort = Effort { states: 1_000_000, bytes: 1 << 31, threads: 1, reduce };
    let answer = ringleader_check::check(protocol, &scenario, &wakers, &effort, &mut |_| true);
    let judgements = answer.unwrap_or_else(|bad| panic!("{}: {bad}", bug.name)).judgements;
    judgements.iter().map(|judgement| (judgement.property.name(), judgement.verdict)).collect()
}

macro_rules! check_by_name {
    (elections: [$($election:ty),* $(,)?], others: [$($other:ty),* $(,)?] $(,)?) => {
        /// The check for the protocol of a bug.
        fn check_of(bug: &Bug) -> fn(&Bug, bool) -> Vec<(&'static str, CheckVerdict)> {
            $(if bug.protocol == <$election as Protocol>::DESCRIPTION.name { return check::<$election>; })*
            $(if bug.protocol == <$other as Protocol>::DESCRIPTION.name { return check::<$other>; })*
            panic!("{} is not in the catalogue", bug.protocol);
        }
    };
}

planted::each_protocol!(check_by_name);

fn scenario<P: Protocol>(bug: &Bug, settings: &Settings) -> Scenario {
    let (sites, cells) = (bug.ids.len(), P::cells(settings));
    let timing = match bug.time {
        BugClocks::None | BugClocks::Rounds => Preset::Rounds.timing(Reading::Immediate),
        BugClocks::Steps { r, d } => {
            let (r, d) = (Range::new(r.0, r.1), Range::new(d.0, d.1));
            Timing { r, d, clocks: Clocks::Varying, ..Preset::Archimedean.timing(Reading::PerStep) }
        }
    };
    let workload = <P::Processor as Processor>::Problem::WORKLOAD_REQUESTS.map(|_| Workload {
        entries: bug.entries,
        hold: Range::new(1, 1),
        readers: bug.readers,
        writers: if bug.readers > 0 { sites - bug.readers } else { 0 },
        cells,
        ..Workload::new(sites)
    });
    Scenario {
        n: sites + cells,
        ids: if P::DESCRIPTION.assumptions.identities { bug.ids.to_vec() } else { Vec::new() },
        workload,
        timing,
        links: P::links(settings),
        untimed: matches!(bug.time, BugClocks::None),
        ties: if matches!(bug.time, BugClocks::Steps { .. }) { Ties::Either } else { Ties::Ruled },
        ..Scenario::default()
    }
}

/// One test, for what is planted is planted everywhere.
#[test]
fn every_planted_bug_is_found() {
    for (number, bug) in BUGS.iter().enumerate() {
        for reduce in [false, true] {
            let what = format!("{}: {}, reduce: {reduce}", bug.protocol, bug.name);
            let check = || check_of(bug)(bug, reduce);
            planted::plant(None);
            let without = check();
            assert!(without.iter().all(|(_, verdict)| *verdict == CheckVerdict::Holds), "without {what}: {without:?}");
            planted::plant(Some(number));
            let with = check();
            let violated = with.iter().find(|(_, verdict)| *verdict == CheckVerdict::Violated);
            // No schedule is wrong if only a probability is.
            let breaks = Some(bug.breaks).filter(|breaks| !JUDGED_BY_PROBABILITY.contains(breaks));
            assert_eq!(violated.map(|(property, _)| *property), breaks, "{what}: {with:?}");
        }
        if JUDGED_BY_PROBABILITY.contains(&bug.breaks) {
            planted::plant(None);
            assert_eq!(exceeded_of(bug)(bug), Vec::<String>::new(), "without {}: {}", bug.protocol, bug.name);
            planted::plant(Some(number));
            let exceeded = exceeded_of(bug)(bug);
            assert!(exceeded.iter().any(|what| what == bug.breaks), "{}: {}: {exceeded:?}", bug.protocol, bug.name);
        }
    }
}

/// What no schedule breaks, only its probability.
const JUDGED_BY_PROBABILITY: [&str; 2] = [MEAN_PHASES, ERROR];

/// The protocol of a bug, of those that draw at random.
fn exceeded_of(bug: &Bug) -> fn(&Bug) -> Vec<String> {
    match bug.protocol {
        "itai-rodeh" => exceeded::<ItaiRodeh>,
        "itai-rodeh-sync" => exceeded::<ItaiRodehSync>,
        "spirakis-tampakas-symmetry" => exceeded::<SpirakisTampakas>,
        other => panic!("nothing is proved about means of {other}"),
    }
}

/// The bounds on means that `check --probability` finds exceeded.
fn exceeded<P: Protocol>(bug: &Bug) -> Vec<String> {
    let mut options = CheckOptions::default();
    options.options.n = Some(bug.ids.len() as u64);
    options.options.set = bug.settings.iter().map(|&(key, value)| (key.into(), value.into())).collect();
    if let BugClocks::Steps { r, d } = bug.time {
        options.options.r = Some(Range::new(r.0, r.1));
        options.options.d = Some(Range::new(d.0, d.1));
    }
    let check = CheckSetup::new(&Of::<P>::NEW, &options).expect("it can be checked");
    let report = ProbabilityReport::new(&check, None, String::new(), &()).expect("it can be explored");
    let judged = report.means.iter().map(|mean| (mean.of.as_str(), mean.proved.as_ref()));
    let judged = judged.chain(report.error.as_ref().map(|error| (ERROR, error.proved.as_ref())));
    let exceeded = judged.filter(|(_, proved)| proved.is_some_and(|proved| proved.holds == Some(false)));
    let exceeded: Vec<_> = exceeded.map(|(what, _)| what.to_string()).collect();
    assert_eq!(report.is_exceeded(), !exceeded.is_empty(), "{}", bug.name);
    exceeded
}

/// The bugs are spread over all of the catalogue.
#[test]
fn every_protocol_has_a_planted_bug() {
    for description in planted::catalogue::DESCRIPTIONS {
        assert!(BUGS.iter().any(|bug| bug.protocol == description.name), "{} has none", description.name);
    }
}
