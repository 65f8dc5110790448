//! The untimed model checker: it finds what a plain search over whole states finds, the worst cases that are proved, and
//! counterexamples.

use conformance::interleavings;
use conformance::{checked, configured, entry, orders, orders_up_to_rotation, ring, thorough};
use ringleader::check::Checked;
use ringleader::model::{
    AtMost, Faults, Inspect, Links, Monitor, Preset, Protocol, Reading, Scenario, Share, Timing, Workload,
};
use ringleader::protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader::protocols::election::all_to_all::AllToAll;
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader::protocols::election::franklin::Franklin;
use ringleader::protocols::election::hirschberg_sinclair::HirschbergSinclair;
use ringleader::protocols::election::itai_rodeh::ItaiRodeh;
use ringleader::protocols::election::itai_rodeh_sync::ItaiRodehSync;
use ringleader::protocols::election::lelann::LeLann;
use ringleader::protocols::election::peterson::Peterson;
use ringleader::protocols::election::peterson_alternating::PetersonAlternating;
use ringleader::protocols::election::van_leeuwen_tan::VanLeeuwenTan;
use ringleader::protocols::election::vitanyi::Vitanyi;
use ringleader::protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader::protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader::protocols::readers_writers::lamport::Lamport;
use ringleader::sim::Cause;
use ringleader::{Case, Catalogue};
use ringleader_check::{Answer, CheckVerdict, Effort, MaxMessages, Reductions, Schedule, SearchLimit, Wakers};

/// More states than any of these has.
const MOST: u64 = 10_000_000;

fn unit() -> Timing {
    Preset::Unit.timing(Reading::Immediate)
}

/// One thread, without reduction.
const PLENTY: Effort = Effort { states: MOST, bytes: 1 << 32, threads: 1, reductions: Reductions::NONE };

/// All schedules of a scenario, without clocks.
fn untimed<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario, effort: &Effort) -> Checked {
    checked(entry(P::DESCRIPTION.name), settings, &Scenario { untimed: true, ..scenario.clone() }, effort)
}

/// Compares with a plain search that keeps whole states.
#[track_caller]
fn same<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) {
    let plain = interleavings::explore::<P>(settings, scenario);
    let found = untimed::<P>(settings, scenario, &PLENTY);
    let name = P::DESCRIPTION.name;
    assert_eq!(found.progress.states, plain.states as u64, "{name} in {scenario:?}");
    let holds = plain.violated.is_empty() && plain.deadlocks == 0;
    assert_eq!(found.verdict() == CheckVerdict::Holds, holds, "{name} in {scenario:?}");
    if plain.violated.is_empty() {
        assert_eq!(found.quiet, plain.quiescent as u64, "{name} in {scenario:?}");
    }
    if let Some(most) = plain.most_messages {
        // Neither search goes on after a violation of safety.
        let expected =
            if plain.violated.is_empty() { MaxMessages::Exactly(most) } else { MaxMessages::UpToViolation(most) };
        assert_eq!(found.most, expected, "{name} in {scenario:?}");
    }
}

/// Compares with the same search under partial-order and symmetry reduction; gives the number of states of each.
#[track_caller]
fn same_reduced<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> (u64, u64) {
    let all = untimed::<P>(settings, scenario, &PLENTY);
    let few = untimed::<P>(settings, scenario, &Effort { reductions: Reductions::ALL, ..PLENTY });
    let verdicts = |answer: &Checked| answer.judgements.iter().map(|judgement| judgement.verdict).collect::<Vec<_>>();
    let name = P::DESCRIPTION.name;
    assert_eq!(verdicts(&few), verdicts(&all), "{name} in {scenario:?}: {:?}", few.judgements);
    assert_eq!(few.most, all.most, "{name} in {scenario:?}");
    assert_eq!(few.quiet > 0, all.quiet > 0, "{name} in {scenario:?}");
    let steps = |answer: &Checked| answer.counterexample.as_ref().map(|found| (found.property, found.steps));
    assert_eq!(steps(&few), steps(&all), "{name} in {scenario:?}");
    assert!(few.progress.states <= all.progress.states, "{name} in {scenario:?}");
    if P::DESCRIPTION.assumptions.identities {
        assert_eq!(few.quiet, all.quiet, "{name} in {scenario:?}");
    }
    (few.progress.states, all.progress.states)
}

#[test]
fn a_plain_search_finds_the_same_states() {
    for ids in orders_up_to_rotation(4) {
        let scenario = ring(&ids, unit());
        same::<LeLann>(&[], &scenario);
        same::<ChangRoberts>(&[], &scenario);
        same::<Peterson>(&[], &scenario);
        same::<DolevKlaweRodeh>(&[("variant", "b")], &scenario);
        // Messages that overtake each other break some of them; both searches must see the same.
        let any = Scenario { links: Links::Any, ..scenario };
        same::<ChangRoberts>(&[], &any);
        same::<Peterson>(&[], &any);
    }
    for ids in orders(3) {
        let scenario = ring(&ids, unit());
        same::<Franklin>(&[], &scenario);
        same::<HirschbergSinclair>(&[], &scenario);
        same::<AllToAll>(&[], &scenario);
    }
    same::<AfekGafniAsync>(&[], &ring(&[2, 1], unit()));
}

/// What a user does at any time, and requests for further elections.
#[test]
fn users_and_further_elections_come_at_any_time() {
    let load = |n, entries| Some(Workload { entries, ..Workload::new(n) });
    for (ids, entries) in [(&[1, 2][..], 1), (&[2, 1], 3), (&[3, 1, 2], 1)] {
        let scenario = Scenario { workload: load(ids.len(), entries), ..ring(ids, unit()) };
        same::<RicartAgrawala>(&[], &scenario);
    }
    let two = ring(&[1, 2], Preset::Archimedean.timing(Reading::PerStep));
    for links in [Links::Fifo, Links::Any] {
        let scenario = Scenario { workload: load(2, 1), links, ..two.clone() };
        same::<SpirakisTampakasMutex>(&[], &scenario);
        same::<SpirakisTampakasMutex>(&[("rules", "printed")], &scenario);
    }
    // A reader and a writer of one version digit each and two words: two sites and four cells.
    let settings = [("digits", "1"), ("waits", "none")];
    let workload = Workload { entries: 2, readers: 1, writers: 1, cells: 4, ..Workload::new(2) };
    let scenario = Scenario { n: 6, workload: Some(workload), timing: unit(), ..Scenario::default() };
    same::<Lamport>(&settings, &scenario);
    let lockstep = Preset::Lockstep.timing(Reading::PerTick);
    same::<Vitanyi>(&[], &Scenario { again: vec![(0, 1), (1, 1), (0, 2)], ..ring(&[2, 1], lockstep.clone()) });
    same::<Vitanyi>(&[], &Scenario { again: vec![(2, 1)], ..ring(&[3, 1, 2], lockstep) });
}

#[test]
fn half_duplex_links_carry_one_message_at_a_time() {
    for ids in [vec![1], vec![1, 2]].iter().chain(&orders_up_to_rotation(3)) {
        let half = Scenario { links: Links::Half, ..ring(ids, unit()) };
        for settings in [&[("duplex", "half")][..], &[("duplex", "half"), ("rules", "printed")]] {
            same::<VanLeeuwenTan>(settings, &half);
        }
        same::<ChangRoberts>(&[], &half);
        same::<Franklin>(&[], &half);
        same::<AllToAll>(&[], &half);
    }
}

#[test]
fn half_duplex_links_may_carry_messages_of_different_phases_in_both_directions() {
    for ids in [vec![1], vec![1, 2]].iter().chain(&orders_up_to_rotation(3)) {
        let half = Scenario { links: Links::HalfPhase, ..ring(ids, unit()) };
        for settings in [&[("duplex", "half")][..], &[("duplex", "half"), ("rules", "printed")], &[]] {
            same::<VanLeeuwenTan>(settings, &half);
        }
        same::<HirschbergSinclair>(&[], &half);
        // Their messages have no phases: all of them may pass each other.
        same::<ChangRoberts>(&[], &half);
        same::<AllToAll>(&[], &half);
    }
}

#[test]
fn faults_happen_at_any_time() {
    let faults = |crashes, losses, duplicates| {
        let at_most = AtMost { crashes, losses, duplicates, ..AtMost::default() };
        Faults { at_most, ..Faults::default() }
    };
    for budget in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)] {
        let faults = faults(budget.0, budget.1, budget.2);
        for links in Links::ALL {
            for ids in [&[2, 1][..], &[1, 3, 2]] {
                let scenario = Scenario { faults: faults.clone(), links, ..ring(ids, unit()) };
                same::<ChangRoberts>(&[], &scenario);
                same::<AllToAll>(&[], &scenario);
            }
            let workload = Some(Workload { entries: 1, ..Workload::new(2) });
            same::<RicartAgrawala>(&[], &Scenario { faults: faults.clone(), links, workload, ..ring(&[1, 2], unit()) });
        }
        for links in [Links::Half, Links::HalfPhase] {
            let scenario = Scenario { faults: faults.clone(), links, ..ring(&[1, 2], unit()) };
            same::<VanLeeuwenTan>(&[("duplex", "half")], &scenario);
            same::<HirschbergSinclair>(&[], &scenario);
        }
    }
    let shares = [
        Faults { crashes: vec![(0, 3)], ..Faults::default() },
        Faults { loss: Share::new(1, 2).ok(), ..Faults::default() },
        Faults { duplicate: Share::new(1, 2).ok(), at_most: faults(1, 0, 0).at_most, ..Faults::default() },
    ];
    for faults in shares {
        let scenario = &Scenario { faults, untimed: true, ..ring(&[1, 2], unit()) };
        let case = Case { entry: entry("chang-roberts"), scenario, settings: &[], task: None };
        let refused = case.entry.check(&case, &Wakers::Anybody, &PLENTY, &mut |_| true);
        assert_eq!(refused.expect_err("it says when or how often").field, "faults");
    }
}

/// Restarts, with and without crashes before, cuts, and both together with other faults.
#[test]
fn restarts_and_cuts_happen_at_any_time() {
    for faults in
        ["restart:1", "crash:1,restart:1", "restart:2", "cut:1", "cut:2", "crash:1,restart:1,cut:1,loss:1,duplicate:1"]
    {
        let faults: Faults = faults.parse().expect("they are faults");
        let most = &faults.at_most;
        // Two outages among three take a minute.
        let many = most.losses > 0 || (most.restarts.max(most.cuts) > 1 && !thorough());
        for links in Links::ALL {
            for ids in [&[2, 1][..], &[1, 3, 2]].into_iter().take(if many { 1 } else { 2 }) {
                let scenario = Scenario { faults: faults.clone(), links, ..ring(ids, unit()) };
                same::<ChangRoberts>(&[], &scenario);
                same::<AllToAll>(&[], &scenario);
            }
            let workload = Some(Workload { entries: 1, ..Workload::new(2) });
            same::<RicartAgrawala>(&[], &Scenario { faults: faults.clone(), links, workload, ..ring(&[1, 2], unit()) });
        }
        let again = vec![(0, 1)];
        let lockstep = Preset::Lockstep.timing(Reading::PerTick);
        same::<Vitanyi>(&[], &Scenario { faults: faults.clone(), again, ..ring(&[2, 1], lockstep) });
        let half = Scenario { faults, links: Links::Half, ..ring(&[1, 2], unit()) };
        same::<VanLeeuwenTan>(&[("duplex", "half")], &half);
    }
}

/// A pause changes nothing without clocks: the same states, transitions and verdicts.
#[test]
fn pauses_are_invisible_without_clocks() {
    let pause: Faults = "pause:2".parse().expect("they are faults");
    for ids in orders_up_to_rotation(3) {
        let scenario = ring(&ids, unit());
        let [found, paused] = [scenario.clone(), Scenario { faults: pause.clone(), ..scenario }]
            .map(|scenario| untimed::<Vitanyi>(&[], &scenario, &PLENTY));
        assert_eq!(
            (paused.progress.states, paused.progress.transitions),
            (found.progress.states, found.progress.transitions)
        );
        assert_eq!(paused.verdict(), found.verdict());
    }
}

/// No reduction changes a verdict, a deadlock, a worst case or the length of a shortest counterexample.
#[test]
fn reductions_change_no_answer() {
    let mut sums = (0, 0);
    let mut add = |(few, all): (u64, u64)| sums = (sums.0 + few, sums.1 + all);
    for ids in orders_up_to_rotation(4) {
        let scenario = ring(&ids, unit());
        add(same_reduced::<LeLann>(&[], &scenario));
        add(same_reduced::<ChangRoberts>(&[], &scenario));
        add(same_reduced::<Peterson>(&[], &scenario));
        add(same_reduced::<Peterson>(&[("elected", "holder")], &scenario));
        add(same_reduced::<PetersonAlternating>(&[], &scenario));
        add(same_reduced::<DolevKlaweRodeh>(&[("variant", "a")], &scenario));
        add(same_reduced::<DolevKlaweRodeh>(&[("variant", "b")], &scenario));
        add(same_reduced::<VanLeeuwenTan>(&[], &scenario));
        add(same_reduced::<Peterson>(&[], &Scenario { links: Links::Any, ..scenario.clone() }));
        let faults = Faults { at_most: AtMost { losses: 1, ..AtMost::default() }, ..Faults::default() };
        add(same_reduced::<ChangRoberts>(&[], &Scenario { faults, ..scenario }));
    }
    for ids in orders_up_to_rotation(3) {
        let scenario = ring(&ids, unit());
        add(same_reduced::<Franklin>(&[], &scenario));
        add(same_reduced::<HirschbergSinclair>(&[], &scenario));
        add(same_reduced::<AllToAll>(&[], &scenario));
        add(same_reduced::<VanLeeuwenTan>(&[("rules", "printed")], &scenario));
        add(same_reduced::<VanLeeuwenTan>(&[("duplex", "half")], &Scenario { links: Links::Half, ..scenario.clone() }));
        for faults in ["crash:1", "restart:1", "crash:1,restart:1", "cut:1"] {
            let faults = faults.parse().expect("they are faults");
            add(same_reduced::<ChangRoberts>(&[], &Scenario { faults, ..scenario.clone() }));
        }
        let lockstep = Preset::Lockstep.timing(Reading::PerTick);
        add(same_reduced::<Vitanyi>(&[], &Scenario { again: vec![(0, 1)], timing: lockstep, ..scenario.clone() }));
        let workload = Some(Workload { entries: 1, ..Workload::new(3) });
        add(same_reduced::<RicartAgrawala>(&[], &Scenario { workload, ..scenario }));
    }
    add(same_reduced::<AfekGafniAsync>(&[], &ring(&[2, 1], unit())));
    assert!(sums.0 < sums.1, "{sums:?}");
}

/// All schedules of a scenario under symmetry reduction, with the schedule of a counterexample.
fn answer<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario, states: u64) -> Answer<P::Processor> {
    let scenario = &Scenario { untimed: true, ..scenario.clone() };
    let protocol = configured::<P>(settings, scenario).expect("the settings suit it");
    let effort = Effort { states, reductions: Reductions::ALL, ..PLENTY };
    ringleader_check::check(protocol, scenario, &Wakers::Anybody, &effort, &mut |_| true).expect("it can be explored")
}

/// Symmetry reduction by rotation, on a ring of anonymous processors. A violation is still found, with a shortest schedule that
/// can be followed: its places are concrete, and so are the rounds of its messages.
#[test]
fn symmetry_reduction_by_rotation_finds_concrete_counterexamples() {
    let cases = [
        (Links::Fifo, "on", "2", CheckVerdict::Holds),
        (Links::Fifo, "off", "3", CheckVerdict::Holds),
        (Links::Half, "on", "2", CheckVerdict::Holds),
        (Links::Any, "on", "2", CheckVerdict::Holds),
        (Links::Any, "off", "2", CheckVerdict::Holds),
        (Links::Any, "off", "3", CheckVerdict::Violated),
    ];
    for n in 2..=3 {
        for (links, rounds, ids, verdict) in cases {
            let scenario = Scenario { n, timing: unit(), links, ..Scenario::default() };
            let settings = [("ids", ids), ("rounds", rounds)];
            let (few, all) = same_reduced::<ItaiRodeh>(&settings, &scenario);
            // One stands for n at most.
            assert!(few < all && all <= few * n as u64, "{few} {all} {scenario:?}");
            let found = answer::<ItaiRodeh>(&settings, &scenario, MOST);
            assert_eq!(found.verdict(), verdict, "{scenario:?}");
            let Some(Schedule::Untimed(actions)) = found.counterexample.map(|found| found.schedule) else {
                continue;
            };
            let end = interleavings::follow::<ItaiRodeh>(&settings, &scenario, &actions).expect("it can happen");
            assert!(!end.finished() && end.violations().is_empty(), "{end:?}");
        }
    }
    // Without rounds two of a synchronous election may be elected; the run that shows it names both.
    let scenario = Scenario { n: 3, timing: Preset::Rounds.timing(Reading::Immediate), ..Scenario::default() };
    let found = answer::<ItaiRodehSync>(&[], &scenario, 20_000);
    let Some(Schedule::Untimed(actions)) = found.counterexample.map(|found| found.schedule) else { panic!("two lead") };
    let end = interleavings::follow::<ItaiRodehSync>(&[], &scenario, &actions).expect("it can happen");
    assert_eq!(end.violations()[0].property, "at most one leader");
    assert_eq!(found.judgements[0].detail, format!("at most one leader: {}", end.violations()[0].detail));
}

/// Rounds that grow without bound are counted from the least live round. There are as many states as if rounds were explored up
/// to one later than any live round, and rebased afterwards.
#[test]
fn rounds_are_counted_from_the_least_live_round() {
    for (n, links, most) in [(2, Links::Fifo, 4), (2, Links::Any, 5), (3, Links::Fifo, 3)] {
        let scenario = Scenario { n, timing: unit(), links, ..Scenario::default() };
        let settings = [("ids", "2")];
        let found = untimed::<ItaiRodeh>(&settings, &scenario, &PLENTY);
        let within = |most| {
            interleavings::explore_while::<ItaiRodeh>(&settings, &scenario, |processor| processor.phase() <= most)
        };
        let (some, more) = (within(most), within(most + 1));
        assert_eq!(some.apart_from_rounds, more.apart_from_rounds, "{n} {links:?}");
        assert_eq!(found.progress.states, more.apart_from_rounds as u64, "{n} {links:?}");
        assert_eq!(found.verdict() == CheckVerdict::Holds, more.violated.is_empty() && more.deadlocks == 0);
    }
}

/// Chang and Roberts: N(N+1)/2 election messages and N for the announcement, and no schedule has more.
#[test]
fn the_worst_schedule_of_chang_and_roberts_is_the_one_that_is_proved() {
    for n in 1..=6u64 {
        let most = |ids: &Vec<u64>| {
            let found = untimed::<ChangRoberts>(&[], &ring(ids, unit()), &PLENTY);
            assert_eq!(found.verdict(), CheckVerdict::Holds, "{ids:?}: {:?}", found.judgements);
            let MaxMessages::Exactly(most) = found.most else { panic!("it ends") };
            most
        };
        let most = orders_up_to_rotation(n).iter().map(most).max();
        assert_eq!(most, Some(n * (n + 1) / 2 + n), "{n}");
    }
}

/// Whatever clocks do: a timer may expire at any time.
#[test]
fn vitanyi_elects_one_under_all_clocks() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        let found = untimed::<Vitanyi>(&[], &ring(ids, Preset::Lockstep.timing(Reading::PerTick)), &PLENTY);
        assert_eq!(found.verdict(), CheckVerdict::Holds, "{ids:?}: {:?}", found.judgements);
        assert!(matches!(found.most, MaxMessages::Exactly(_)), "{ids:?}");
    }
}

#[test]
fn van_leeuwen_and_tan_elect_one_in_all_schedules() {
    for ids in orders_up_to_rotation(4) {
        let found = untimed::<VanLeeuwenTan>(&[], &ring(&ids, unit()), &PLENTY);
        assert_eq!(found.verdict(), CheckVerdict::Holds, "{ids:?}: {:?}", found.judgements);
    }
}

/// The search stops at its limit, and says so.
#[test]
fn a_search_that_reaches_its_limit_is_inconclusive() {
    let found = untimed::<ChangRoberts>(&[], &ring(&[6, 1, 2, 3, 4, 5], unit()), &Effort { states: 1_000, ..PLENTY });
    assert_eq!(
        (found.verdict(), found.most, found.ran_out),
        (CheckVerdict::Unknown, MaxMessages::Unknown, Some(SearchLimit::States))
    );
    assert!(found.progress.states >= 1_000);
}

/// Where links do not keep the order, Peterson's first and second are mistaken for each other; a shortest counterexample is
/// found, the same every time.
#[test]
fn a_shortest_counterexample_breaks_peterson_on_links_that_reorder() {
    let broken = orders_up_to_rotation(3).into_iter().chain(orders_up_to_rotation(4)).find_map(|ids| {
        let scenario = Scenario { links: Links::Any, ..ring(&ids, unit()) };
        let found = || untimed::<Peterson>(&[], &scenario, &PLENTY).counterexample;
        Some((found()?, found()?))
    });
    let (once, again) = broken.expect("it needs links that keep the order");
    assert!(once.steps > 3, "{once:?}");
    let [once, again] = [once, again].map(|found| found.run.expect("it is a run"));
    assert_eq!(once, again);
    let (_, mut execution, _) = once.replay(&Catalogue::default(), &(), |run| run.log()).expect("it replays");
    assert_eq!(execution.run.take_log()[0].cause, Cause::Wake);
}
