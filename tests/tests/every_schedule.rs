//! The explorer of every schedule: it finds what a plain search over whole configurations finds, the worst cases that are
//! proved, and the runs that break a protocol.

use conformance::interleavings;
use conformance::{orders, orders_up_to_rotation, ring};
use ringleader::model::{
    Action, AtMost, Event, Faults, Inspect, Links, Monitor, Preset, Protocol, Reading, Scenario, Settings, Share,
    Timing, Workload,
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
use ringleader::sim::Resolved;
use ringleader_check::{Answer, CheckVerdict, Effort, MaxMessages, Schedule, SearchLimit, Wakers};

/// More configurations than any of these has.
const MOST: u64 = 10_000_000;

fn unit() -> Timing {
    Preset::Unit.timing(Reading::Immediate)
}

/// All schedules of a scenario, in which anybody may wake at any moment.
fn checked<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario, states: u64) -> Answer<P::Processor> {
    checked_in::<P>(settings, scenario, Effort { states, bytes: 1 << 32, threads: 1, reduce: false })
}

/// The same, with so much effort.
fn checked_in<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario, effort: Effort) -> Answer<P::Processor> {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
    let protocol = P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit it");
    let scenario = &Scenario { untimed: true, ..scenario.clone() };
    ringleader_check::check(protocol, scenario, &Wakers::Anybody, &effort, &mut |_| true).expect("it can be explored")
}

/// Compares with a search that keeps whole configurations.
#[track_caller]
fn same<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) {
    let plain = interleavings::explore::<P>(settings, scenario);
    let found = checked::<P>(settings, scenario, MOST);
    let name = P::DESCRIPTION.name;
    assert_eq!(found.progress.states, plain.states as u64, "{name} in {scenario:?}");
    let holds = plain.violated.is_empty() && plain.unfinished == 0;
    assert_eq!(found.verdict() == CheckVerdict::Holds, holds, "{name} in {scenario:?}");
    if plain.violated.is_empty() {
        assert_eq!(found.quiescent, plain.silent as u64, "{name} in {scenario:?}");
    }
    if let Some(most) = plain.most_messages {
        // Neither search goes on after a violation of safety.
        let expected =
            if plain.violated.is_empty() { MaxMessages::Exactly(most) } else { MaxMessages::UpToViolation(most) };
        assert_eq!(found.most_messages, expected, "{name} in {scenario:?}");
    }
}

/// Compares with the same search that leaves out what cannot matter; how many configurations each has.
#[track_caller]
fn same_of_fewer<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> (u64, u64) {
    let effort = Effort { states: MOST, bytes: 1 << 32, threads: 1, reduce: false };
    let all = checked_in::<P>(settings, scenario, effort);
    let few = checked_in::<P>(settings, scenario, Effort { reduce: true, ..effort });
    let verdicts = |answer: &Answer<_>| answer.judgements.iter().map(|judgement| judgement.verdict).collect::<Vec<_>>();
    let name = P::DESCRIPTION.name;
    assert_eq!(verdicts(&few), verdicts(&all), "{name} in {scenario:?}: {:?}", few.judgements);
    assert_eq!(few.most_messages, all.most_messages, "{name} in {scenario:?}");
    assert_eq!(few.quiescent > 0, all.quiescent > 0, "{name} in {scenario:?}");
    let steps = |answer: &Answer<_>| answer.counterexample.as_ref().map(|found| (found.property, found.steps));
    assert_eq!(steps(&few), steps(&all), "{name} in {scenario:?}");
    assert!(few.progress.states <= all.progress.states, "{name} in {scenario:?}");
    if P::DESCRIPTION.assumptions.identities {
        assert_eq!(few.quiescent, all.quiescent, "{name} in {scenario:?}");
    }
    (few.progress.states, all.progress.states)
}

#[test]
fn it_finds_as_many_configurations_as_a_plain_search() {
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

/// What a user does at any moment, and requests for further elections.
#[test]
fn users_and_further_elections_come_at_any_moment() {
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
fn what_may_fail_may_fail_at_any_moment() {
    let faults =
        |crashes, losses, duplicates| Faults { at_most: AtMost { crashes, losses, duplicates }, ..Faults::default() };
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
        same::<VanLeeuwenTan>(&[("duplex", "half")], &Scenario { faults, links: Links::Half, ..ring(&[1, 2], unit()) });
    }
    let shares = [
        Faults { crashes: vec![(0, 3)], ..Faults::default() },
        Faults { loss: Share::new(1, 2).ok(), ..Faults::default() },
        Faults { duplicate: Share::new(1, 2).ok(), at_most: faults(1, 0, 0).at_most, ..Faults::default() },
    ];
    for faults in shares {
        let effort = Effort { states: MOST, bytes: 1 << 32, threads: 1, reduce: false };
        let scenario = Scenario { faults, untimed: true, ..ring(&[1, 2], unit()) };
        let refused = ringleader_check::check(ChangRoberts, &scenario, &Wakers::Anybody, &effort, &mut |_| true);
        assert_eq!(refused.expect_err("it says when or how often").field, "faults");
    }
}

/// What is left out changes no verdict, no dead end, no worst case and no shortest run.
#[test]
fn fewer_configurations_say_the_same() {
    let mut sums = (0, 0);
    let mut add = |(few, all): (u64, u64)| sums = (sums.0 + few, sums.1 + all);
    for ids in orders_up_to_rotation(4) {
        let scenario = ring(&ids, unit());
        add(same_of_fewer::<LeLann>(&[], &scenario));
        add(same_of_fewer::<ChangRoberts>(&[], &scenario));
        add(same_of_fewer::<Peterson>(&[], &scenario));
        add(same_of_fewer::<Peterson>(&[("elected", "holder")], &scenario));
        add(same_of_fewer::<PetersonAlternating>(&[], &scenario));
        add(same_of_fewer::<DolevKlaweRodeh>(&[("variant", "a")], &scenario));
        add(same_of_fewer::<DolevKlaweRodeh>(&[("variant", "b")], &scenario));
        add(same_of_fewer::<VanLeeuwenTan>(&[], &scenario));
        add(same_of_fewer::<Peterson>(&[], &Scenario { links: Links::Any, ..scenario.clone() }));
        let faults = Faults { at_most: AtMost { losses: 1, ..AtMost::default() }, ..Faults::default() };
        add(same_of_fewer::<ChangRoberts>(&[], &Scenario { faults, ..scenario }));
    }
    for ids in orders_up_to_rotation(3) {
        let scenario = ring(&ids, unit());
        add(same_of_fewer::<Franklin>(&[], &scenario));
        add(same_of_fewer::<HirschbergSinclair>(&[], &scenario));
        add(same_of_fewer::<AllToAll>(&[], &scenario));
        add(same_of_fewer::<VanLeeuwenTan>(&[("rules", "printed")], &scenario));
        add(same_of_fewer::<VanLeeuwenTan>(
            &[("duplex", "half")],
            &Scenario { links: Links::Half, ..scenario.clone() },
        ));
        let crash = Faults { at_most: AtMost { crashes: 1, ..AtMost::default() }, ..Faults::default() };
        add(same_of_fewer::<ChangRoberts>(&[], &Scenario { faults: crash, ..scenario.clone() }));
        let lockstep = Preset::Lockstep.timing(Reading::PerTick);
        add(same_of_fewer::<Vitanyi>(&[], &Scenario { again: vec![(0, 1)], timing: lockstep, ..scenario.clone() }));
        let workload = Some(Workload { entries: 1, ..Workload::new(3) });
        add(same_of_fewer::<RicartAgrawala>(&[], &Scenario { workload, ..scenario }));
    }
    add(same_of_fewer::<AfekGafniAsync>(&[], &ring(&[2, 1], unit())));
    assert!(sums.0 < sums.1, "{sums:?}");
}

/// Anonymous processors on a ring, where rotations are not told apart. What goes wrong is still found, by a shortest run that
/// can be followed: the places that it names are real, and so are the rounds of its messages.
#[test]
fn rotations_of_anonymous_processors_are_one() {
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
            let (few, all) = same_of_fewer::<ItaiRodeh>(&settings, &scenario);
            // One stands for n at most.
            assert!(few < all && all <= few * n as u64, "{few} {all} {scenario:?}");
            let effort = Effort { states: MOST, bytes: 1 << 32, threads: 1, reduce: true };
            let found = checked_in::<ItaiRodeh>(&settings, &scenario, effort);
            assert_eq!(found.verdict(), verdict, "{scenario:?}");
            let Some(Schedule::Untimed(happenings)) = found.counterexample.map(|found| found.schedule) else {
                continue;
            };
            let end = interleavings::follow::<ItaiRodeh>(&settings, &scenario, &happenings).expect("it can happen");
            assert!(!end.finished() && end.violations().is_empty(), "{end:?}");
        }
    }
    // Without rounds two of a synchronous election may be elected; the run that shows it names both.
    let scenario = Scenario { n: 3, timing: Preset::Rounds.timing(Reading::Immediate), ..Scenario::default() };
    let effort = Effort { states: 20_000, bytes: 1 << 32, threads: 1, reduce: true };
    let found = checked_in::<ItaiRodehSync>(&[], &scenario, effort);
    let Some(Schedule::Untimed(happenings)) = found.counterexample.map(|found| found.schedule) else {
        panic!("two lead")
    };
    let end = interleavings::follow::<ItaiRodehSync>(&[], &scenario, &happenings).expect("it can happen");
    assert_eq!(end.violations()[0].property, "at most one leader");
    assert_eq!(found.judgements[0].detail, format!("at most one leader: {}", end.violations()[0].detail));
}

/// Rounds that grow without end are counted from the earliest that matters. As many configurations are met as if all of them
/// were met up to a later round than any that matters, and then looked at without that.
#[test]
fn rounds_are_counted_from_the_earliest_that_matters() {
    for (n, links, most) in [(2, Links::Fifo, 4), (2, Links::Any, 5), (3, Links::Fifo, 3)] {
        let scenario = Scenario { n, timing: unit(), links, ..Scenario::default() };
        let settings = [("ids", "2")];
        let found = checked::<ItaiRodeh>(&settings, &scenario, MOST);
        let within = |most| {
            interleavings::explore_while::<ItaiRodeh>(&settings, &scenario, |processor| processor.phase() <= most)
        };
        let (some, more) = (within(most), within(most + 1));
        assert_eq!(some.apart_from_rounds, more.apart_from_rounds, "{n} {links:?}");
        assert_eq!(found.progress.states, more.apart_from_rounds as u64, "{n} {links:?}");
        assert_eq!(found.verdict() == CheckVerdict::Holds, more.violated.is_empty() && more.unfinished == 0);
    }
}

/// Chang and Roberts: N(N+1)/2 election messages and N for the announcement, and no schedule has more.
#[test]
fn the_worst_schedule_of_chang_and_roberts_is_the_one_that_is_proved() {
    for n in 1..=6u64 {
        let most = |ids: &Vec<u64>| {
            let found = checked::<ChangRoberts>(&[], &ring(ids, unit()), MOST);
            assert_eq!(found.verdict(), CheckVerdict::Holds, "{ids:?}: {:?}", found.judgements);
            let MaxMessages::Exactly(most) = found.most_messages else { panic!("it ends") };
            most
        };
        let most = orders_up_to_rotation(n).iter().map(most).max();
        assert_eq!(most, Some(n * (n + 1) / 2 + n), "{n}");
    }
}

/// Whatever clocks do: a timer may run off at any moment.
#[test]
fn vitanyi_elects_one_whatever_clocks_do() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        let found = checked::<Vitanyi>(&[], &ring(ids, Preset::Lockstep.timing(Reading::PerTick)), MOST);
        assert_eq!(found.verdict(), CheckVerdict::Holds, "{ids:?}: {:?}", found.judgements);
        assert!(matches!(found.most_messages, MaxMessages::Exactly(_)), "{ids:?}");
    }
}

#[test]
fn van_leeuwen_and_tan_elect_one_whether_messages_meet_or_not() {
    for ids in orders_up_to_rotation(4) {
        let found = checked::<VanLeeuwenTan>(&[], &ring(&ids, unit()), MOST);
        assert_eq!(found.verdict(), CheckVerdict::Holds, "{ids:?}: {:?}", found.judgements);
    }
}

/// The search stops where it is told to, and says so.
#[test]
fn what_was_not_looked_at_is_not_said_to_hold() {
    let found = checked::<ChangRoberts>(&[], &ring(&[6, 1, 2, 3, 4, 5], unit()), 1_000);
    assert_eq!(
        (found.verdict(), found.most_messages, found.ran_out),
        (CheckVerdict::Unknown, MaxMessages::Unknown, Some(SearchLimit::States))
    );
    assert!(found.progress.states >= 1_000);
}

/// Where links do not keep the order, Peterson's first and second are mistaken for each other; the shortest such run is
/// found, and repeats.
#[test]
fn the_shortest_run_that_breaks_peterson_on_links_that_reorder_is_found() {
    let broken = orders_up_to_rotation(3).into_iter().chain(orders_up_to_rotation(4)).find_map(|ids| {
        let scenario = Scenario { links: Links::Any, ..ring(&ids, unit()) };
        let found = checked::<Peterson>(&[], &scenario, MOST);
        let again = checked::<Peterson>(&[], &scenario, MOST);
        Some((found.counterexample?, again.counterexample?))
    });
    let (once, again) = broken.expect("it needs links that keep the order");
    assert_eq!(once, again);
    assert!(once.steps > 3, "{once:?}");
    let Schedule::Untimed(happenings) = &once.schedule else { panic!("there are no clocks") };
    assert!(matches!(happenings[0], Action::Step { event: Event::Wake, .. }));
}
