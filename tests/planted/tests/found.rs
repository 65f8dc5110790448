//! Every planted bug is found by the checker, on an instance of which it says that all is well without it.

use planted::catalogue::{Visitor, visit};
use planted::{BUGS, Bug, Time};
use ringleader_check::{Effort, Judgement, RanOut, Verdict, Wakers};
use ringleader_model::{
    Clocks, Links, Preset, Problem, Processor, Protocol, Range, Reading, Scenario, Settings, Ties, Timing, Topology,
    Workload,
};
use ringleader_sim::Resolved;

/// What the checker says of the instance of a bug, with whatever is planted.
struct Check<'a>(&'a Bug);

impl Visitor for Check<'_> {
    type Output = (Vec<Judgement>, Option<RanOut>, u64);

    fn visit<P: Protocol>(self) -> Self::Output {
        let bug = self.0;
        let settings: Vec<_> = bug.settings.iter().map(|&(key, value)| (key.into(), value.into())).collect();
        let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
        let scenario = scenario::<P>(bug, &settings);
        let protocol = P::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).expect("they suit it");
        let effort = Effort { states: 2_000_000, bytes: 1 << 31, threads: 1, reduce: false };
        let answer = ringleader_check::check(protocol, &scenario, &Wakers::Anybody, &effort, &mut |_| true);
        let answer = answer.unwrap_or_else(|bad| panic!("{}: {bad}", bug.name));
        (answer.judgements, answer.ran_out, answer.progress.states)
    }
}

fn scenario<P: Protocol>(bug: &Bug, settings: &Settings) -> Scenario {
    let assumptions = P::DESCRIPTION.assumptions;
    let cells = P::cells(settings);
    let (n, sites) = (bug.ids.len() + cells, bug.ids.len());
    let timing = match bug.time {
        Time::None | Time::Rounds => Preset::Rounds.timing(Reading::Immediate),
        Time::Steps { r, d } => {
            let (r, d) = (Range::new(r.0, r.1), Range::new(d.0, d.1));
            Timing { r, d, clocks: Clocks::Varying, ..Preset::Archimedean.timing(Reading::PerStep) }
        }
    };
    let workload = <P::Processor as Processor>::Problem::VISIT.map(|_| Workload {
        entries: bug.entries,
        hold: Range::new(1, 1),
        readers: bug.readers,
        writers: if bug.readers > 0 { sites - bug.readers } else { 0 },
        cells,
        ..Workload::new(sites)
    });
    Scenario {
        n,
        ids: if assumptions.identities { bug.ids.to_vec() } else { Vec::new() },
        workload,
        timing,
        links: P::links(settings),
        untimed: matches!(bug.time, Time::None),
        ties: if matches!(bug.time, Time::Steps { .. }) { Ties::Either } else { Ties::Ruled },
        ..Scenario::default()
    }
}

/// One test: what is planted is planted everywhere.
#[test]
fn every_planted_bug_is_found() {
    let only = std::env::var("BUG").ok();
    let mut wrong = Vec::new();
    for (number, bug) in
        BUGS.iter().enumerate().filter(|(_, bug)| only.as_ref().is_none_or(|only| bug.name.contains(only.as_str())))
    {
        let start = std::time::Instant::now();
        let check = || visit(bug.protocol, Check(bug)).unwrap_or_else(|| panic!("there is no {}", bug.protocol));
        planted::plant(None);
        let without = check();
        planted::plant(Some(number));
        let with = check();
        let violated: Vec<_> = with
            .0
            .iter()
            .filter(|judgement| judgement.verdict == Verdict::Violated)
            .map(|judgement| judgement.property.name())
            .collect();
        let fine = without.0.iter().all(|judgement| judgement.verdict == Verdict::Holds);
        let ok = fine && violated.first() == Some(&bug.breaks);
        let line = format!(
            "{} {} {:?} {:?} {:?} {:?} {} {} {:?}",
            if ok { "ok" } else { "WRONG" },
            bug.name,
            if fine { "" } else { "not fine before" },
            without.1,
            violated,
            with.1,
            without.2,
            with.2,
            start.elapsed()
        );
        eprintln!("{line}");
        if !ok {
            eprintln!("   {:?}\n   {:?}", without.0, with.0);
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
