//! Vitányi's election, held against his paper.

use std::collections::VecDeque;

use conformance::vitanyi_bounds::{bound_2, bound_4, extremes, headline};
use conformance::{Draw, Played, assert_elected, finished, passes, prepared, ring, set_up};
use ringleader::Execution;
use ringleader::model::{
    BoundKind, Clocks, Delays, Event, Id, Offsets, Outcome, Preset, Protocol, Quantity, Range, Reading, Scenario,
    Timing, Value,
};
use ringleader::protocols::election::vitanyi::{Call, Vitanyi};
use ringleader::sim::{Choices, Effect, Resolved, Run, Simulation, StopReason, Verdict};

pub(crate) const LAWS: [&str; 13] = [
    "constant:1",
    "constant:3",
    "constant:5/2",
    "power:1",
    "power:2",
    "power:3",
    "power:3/2",
    "power:1/2",
    "power:5/3",
    "2^i",
    "u/m",
    "walk",
    "min-time",
];

/// A ring read per tick, with one of these clocks, ticks that differ by up to sixteen times, and everything else drawn.
pub(crate) fn drawn(draw: &mut Draw, clocks: &[Clocks]) -> Scenario {
    let n = if draw.once_in(10) { draw.between(10, 30) } else { draw.between(1, 9) } as usize;
    let shortest = draw.between(1, 4);
    let r = if draw.once_in(5) { Range::new(1, 1) } else { Range::new(shortest, shortest * draw.between(1, 16)) };
    let longest = if draw.once_in(4) { 0 } else { draw.between(0, 40) };
    let d = Range::new(draw.between(0, longest), longest);
    let clocks = match draw.one_of(clocks) {
        Clocks::List(_) => Clocks::List(draw.list(n, r)),
        others => others,
    };
    let delays = match draw.below(4) {
        0 => Delays::Uniform,
        1 => Delays::Min,
        2 => Delays::Max,
        _ => Delays::List(draw.list(n, d)),
    };
    let greatest = n as u64 + draw.between(0, 5);
    let ids = draw.ids(n, greatest);
    let timing =
        Timing { r, d, reading: Reading::PerTick, clocks, delays, offsets: Offsets::Zero, changes: Vec::new() };
    let latest = draw.one_of(&[0, 10, 1000]);
    Scenario { wakes: draw.wakes(n, latest), seed: draw.below(u64::MAX), ..ring(&ids, timing) }
}

fn prepared_vitanyi(law: &str, first: &str, scenario: &Scenario) -> Simulation<Vitanyi> {
    prepared::<Vitanyi>(&[("law", law), ("first", first)], scenario).expect("the scenario suits the protocol")
}

/// One run, and everything that the paper says of it: its least identity is elected and known to all; all are woken and
/// put to sleep once; M_l passes every processor once, every other message is stopped by l at the latest.
pub(crate) fn demand_what_the_paper_says(law: &str, first: &str, scenario: &Scenario) {
    let context = || format!("law={law} first={first} in {scenario:?}");
    let mut run = prepared_vitanyi(law, first, scenario);
    run.log();
    let summary = finished(&mut run);
    let n = scenario.n;
    let least = scenario.ids.iter().copied().min();
    assert_elected(&summary, scenario, least);
    assert_eq!(passes(&summary, "wakeup"), n as u64, "{}", context());
    assert_eq!(passes(&summary, "sleepwell"), n as u64, "{}", context());

    let mut passed = vec![0; n];
    let mut end = 0;
    for record in run.records() {
        if matches!(record.event, Event::Receive(..)) {
            end = record.time;
        }
        for effect in &record.effects {
            if let Effect::Send(_, Call::Election { id, .. }) = effect {
                let origin = scenario.ids.iter().position(|&own| own == id.get()).expect("it is somebody's");
                passed[origin] += 1;
            }
        }
    }
    let winner = scenario.ids.iter().position(|&id| Some(id) == least).expect("it is there");
    for (place, &count) in passed.iter().enumerate() {
        let distance = (winner + n - place - 1) % n + 1;
        if place == winner {
            assert_eq!(count, n, "{}", context());
        } else {
            assert!(count <= distance, "M_{} made {count} passes, {}", scenario.ids[place], context());
        }
    }

    let resolved = Resolved::new(scenario);
    let instance = resolved.instance(scenario);
    for bound in Vitanyi::IDENTITY_BOUNDS {
        for (&id, &count) in scenario.ids.iter().zip(&passed) {
            let Some(value) = (bound.value)(run.protocol(), &instance, id) else { continue };
            let held = Value::int(count as u128) <= value;
            assert!(held, "M_{id} made {count} passes, {} is {value}; {}", bound.formula, context());
        }
    }
    for bound in Vitanyi::BOUNDS {
        let Some(value) = (bound.value)(run.protocol(), &instance) else { continue };
        // A wake time that is void is no part of the election.
        let measured = if bound.quantity == Quantity::Time {
            Some(Value::int(end.into()))
        } else {
            summary.cost.of(bound.quantity)
        };
        // Printed claims that fail with first=1 are listed nevertheless.
        let can_fail = first == "1" && bound.counts.contains("it can fail with first=1");
        // One run says nothing about a mean.
        if !can_fail && bound.kind != BoundKind::Mean {
            let held = measured.and_then(|measured| bound.kind.holds(measured, value));
            assert_eq!(held, Some(true), "{} is {value}, measured {measured:?}; {}", bound.formula, context());
        }
    }
}

fn explore(seed: u64, runs: u32, clocks: &[Clocks]) {
    let mut draw = Draw::new(seed);
    for _ in 0..runs {
        let scenario = drawn(&mut draw, clocks);
        let law = draw.one_of(&LAWS);
        let first = draw.one_of(&["1", "f"]);
        demand_what_the_paper_says(law, first, &scenario);
    }
}

#[test]
fn the_bounds_of_the_paper_hold_with_fixed_clocks() {
    explore(20, 40_000, &[Clocks::Fixed]);
}

#[test]
fn the_bounds_of_the_paper_hold_with_listed_clocks() {
    explore(21, 40_000, &[Clocks::List(Vec::new())]);
}

#[test]
fn the_bounds_of_the_paper_hold_with_equal_clocks() {
    explore(22, 20_000, &[Clocks::Slowest, Clocks::Fastest]);
}

#[test]
fn the_bounds_of_the_paper_hold_with_varying_clocks() {
    explore(23, 40_000, &[Clocks::Varying]);
}

/// Section 2: delays are bounded, whatever the time of day; here it is far beyond 2^32.
#[test]
fn links_are_fifo_and_delays_bounded_in_long_runs() {
    let mut draw = Draw::new(26);
    let mut longest = 0;
    for _ in 0..5000 {
        let mut scenario = drawn(&mut draw, &[Clocks::Fixed, Clocks::Varying]);
        scenario.timing.reading = Reading::Immediate;
        scenario.timing.delays = Delays::Uniform;
        let mut run = prepared_vitanyi("u/m", draw.one_of(&["1", "f"]), &scenario);
        run.log();
        longest = longest.max(finished(&mut run).cost.time);
        let mut under_way = vec![VecDeque::new(); scenario.n];
        for record in run.records() {
            let place = record.place as usize;
            if let Event::Receive(_, message) = &record.event {
                let sent = under_way[(place + scenario.n - 1) % scenario.n].pop_front();
                let (time, first) = sent.expect("what arrives was sent");
                assert_eq!(&first, message, "{scenario:?}");
                assert!(scenario.timing.d.contains(record.time - time), "{time} to {} in {scenario:?}", record.time);
            }
            for effect in &record.effects {
                if let Effect::Send(_, message) = effect {
                    under_way[place].push_back((record.time, *message));
                }
            }
        }
        assert!(under_way.iter().all(VecDeque::is_empty), "{scenario:?}");
    }
    assert!(longest > 1 << 40, "{longest} is not long");
}

#[test]
fn first_f_obeys_the_bounds_as_exact_fractions() {
    type Law = (&'static str, fn(u64) -> u64, bool);
    let laws: [Law; 3] = [("2^i", |i| 1 << i, true), ("power:1", |i| i, false), ("power:2", |i| i * i, false)];
    let mut draw = Draw::new(24);
    for _ in 0..20_000 {
        let n = draw.between(1, 8) as usize;
        let (ids, ticks, delays) = (draw.ids(n, 12), draw.list(n, Range::new(1, 16)), draw.list(n, Range::new(0, 12)));
        let timing = Timing {
            r: Range::new(1, 16),
            d: Range::new(0, 12),
            reading: Reading::PerTick,
            clocks: Clocks::List(ticks.clone()),
            delays: Delays::List(delays.clone()),
            offsets: Offsets::Zero,
            changes: Vec::new(),
        };
        let scenario = Scenario { wakes: draw.wakes(n, 20), ..ring(&ids, timing) };
        let (law, f, steep) = draw.one_of(&laws);
        let total = finished(&mut prepared_vitanyi(law, "f", &scenario)).cost.messages();
        let (u, m) = extremes(&ticks, &delays);
        assert!(!bound_2(&ids, u, m, f).below(total), "(2): {total} messages, law={law}, {scenario:?}");
        assert!(!bound_4(&ids, u, m, f).below(total), "(4): {total} messages, law={law}, {scenario:?}");
        assert!(!steep || !headline(n, u, m).below(total), "2N + 3Nu/m: {total} messages, {scenario:?}");
    }
}

/// Section 4, "The Worst-Case Performance under adversary scheduling": ascending clockwise, the tick of i is 2^(N-i+1).
/// M_i makes N-i+1 passes, as the paper says, which is N(N+1)/2 together and not its N(N+2)/2.
#[test]
fn the_adversary_of_section_4_makes_n_times_n_plus_1_over_2_passes() {
    for n in 2..=10u64 {
        let ids: Vec<u64> = (1..=n).collect();
        let ticks: Vec<u64> = ids.iter().map(|i| 1 << (n - i + 1)).collect();
        let timing = Timing {
            r: Range::around(&ticks).expect("there are some"),
            clocks: Clocks::List(ticks),
            ..Preset::Lockstep.timing(Reading::PerTick)
        };
        let scenario = ring(&ids, timing);
        for rules in ["repaired", "printed"] {
            let mut run = prepared::<Vitanyi>(&[("rules", rules)], &scenario).expect("it suits the protocol");
            run.log();
            let summary = finished(&mut run);
            assert_elected(&summary, &scenario, Some(1));
            assert_eq!(passes(&summary, "election"), n * (n + 1) / 2);
            for i in 1..=n {
                let sends = run.records().iter().flat_map(|record| &record.effects);
                let own =
                    |effect: &&Effect<_>| matches!(effect, Effect::Send(_, Call::Election { id, .. }) if id.get() == i);
                assert_eq!(sends.filter(own).count() as u64, n - i + 1, "passes of M_{i} of {n}");
            }
        }
    }
}

/// Section 4, "Synchronous case": "by counting time … the network can determine the unknown ring size N".
#[test]
fn in_lockstep_the_leader_derives_the_size_of_the_ring() {
    let mut draw = Draw::new(25);
    for n in 1..=50 {
        for law in ["2^i", "power:2", "min-time"] {
            for first in ["1", "f"] {
                let mut ids = draw.ids(n, n as u64);
                let shift = draw.below(8);
                ids.iter_mut().for_each(|id| *id += shift);
                let scenario = ring(&ids, Preset::Lockstep.timing(Reading::PerTick));
                let summary = finished(&mut prepared_vitanyi(law, first, &scenario));
                assert_elected(&summary, &scenario, Some(shift + 1));
                let Outcome::Election { ring_size, .. } = summary.outcome else { panic!("it was an election") };
                assert_eq!(ring_size, Some(n as u64), "law={law} first={first} {scenario:?}");
            }
        }
    }
}

#[test]
fn in_lockstep_the_least_message_is_back_when_section_4_says() {
    for n in 1..=20 {
        for least in 1..=6u64 {
            let ids: Vec<u64> = (least..least + n).collect();
            let scenario = ring(&ids, Preset::Lockstep.timing(Reading::PerTick));
            let summary = finished(&mut prepared_vitanyi("2^i", "1", &scenario));
            let back = (n - 1) * ((1 << least) + 1) + 1;
            assert_eq!(summary.cost.time_elected, Some(back + 1), "it is read one unit later");
            assert_eq!(
                summary.cost.time,
                back + n,
                "sleepwell takes one unit to each of the others, and none to be absorbed"
            );
        }
    }
}

#[test]
fn printed_with_a_timer_that_is_no_positive_integer_deadlocks_and_says_why() {
    let cases = [
        // f(3, 1) = ⌊2^-2⌋ = 0
        "--ids 3,1,2 --set law=min-time",
        "--ids 3,1,2 --set law=constant:3/2",
        // 2^(3/2) = 2.83
        "--ids 3,4,2 --set law=power:3/2",
        "--ids 3,4,2 --set law=power:1/2",
        // 2u/m = 10/4, w/w_p = 15/12
        "--ids 3,1,2 --set law=u/m --clocks list:4,4,4 --delays list:1,1,1",
        "--ids 3,1,2 --set law=walk --clocks list:4,4,4 --delays list:1,1,1",
    ];
    for case in cases {
        for first in ["1", "f"] {
            let line = format!("vitanyi {case} --set first={first}");
            let summary = Played::of(&format!("{line} --set rules=printed")).summary;
            assert_eq!((summary.verdict, summary.finished), (Verdict::Violated, false), "{line}");
            assert_eq!(summary.reason, Some(StopReason::Silent), "{line}");
            assert_eq!(summary.violations.len(), 1, "{line}");
            assert_eq!(summary.violations[0].property, "termination", "{line}");
            let detail = &summary.violations[0].detail;
            assert!(detail.contains("know no leader"), "{line}: {detail}");
            assert!(detail.contains("its timer was set to what is no positive integer"), "{line}: {detail}");
            assert_eq!(Played::of(&line).summary.verdict, Verdict::Held, "{line}");
        }
    }
}

#[test]
fn printed_with_integers_elects_like_repaired() {
    for law in ["2^i", "power:2", "constant:4/2", "power:1/1"] {
        let played = Played::of(&format!("vitanyi --ids 3,1,4,2 --set law={law} --set rules=printed"));
        assert_elected(&played.summary, &played.setup.scenario, Some(1));
    }
}

#[test]
fn a_deadlock_is_dated() {
    // M_4 is annihilated at 2, which never sends M_2, at time 19; 9 set its timer to 27 and took it back.
    let summary = Played::of("vitanyi --ids 4,9,2 --set law=power:3/2 --set rules=printed --set first=f").summary;
    assert_eq!(summary.cost.time, 19);
    assert!(summary.violations[0].detail.starts_with("quiescent since time 19"), "{}", summary.violations[0].detail);
}

#[test]
fn a_wake_time_that_comes_after_the_election_takes_no_time() {
    let timely = Played::of("vitanyi --ids 1,2 --wake-at 0,-");
    let late = Played::of("vitanyi --ids 1,2 --wake-at 0,100000");
    assert_eq!(late.summary.cost.time, timely.summary.cost.time, "it is void");
    assert_eq!(late.held("Nu(2^l + 2)"), Some(true));
}

/// The elected one wakes again while its sleepwell is under way. As printed the sleepwell then circulates forever, with
/// the wakeup behind it, and those who have not yet met M_1 again take another for elected.
#[test]
fn elections_that_overlap_fail_as_printed_and_agree_when_repaired() {
    for line in ["vitanyi --ids 1,2,3 --again 0@10", "vitanyi --ids 1,2,3 --again 0@19 --r 2"] {
        let setup = set_up(&format!("{line} --set rules=printed"));
        let mut execution = Execution::new(&setup, Choices::Drawn).expect("likewise");
        while execution.run.steps() < 100_000 {
            assert!(!execution.run.advance(1000), "it is a livelock");
        }
        let summary = execution.run.summary();
        assert_eq!(summary.verdict, Verdict::Violated, "{line}");
        let properties: Vec<_> = summary.violations.iter().map(|violation| violation.property).collect();
        assert_eq!(properties, ["everybody agrees", "the smallest identity wins"], "{line}");

        let repaired = Played::of(line);
        assert_eq!((repaired.summary.verdict, repaired.summary.finished), (Verdict::Held, true), "{line}");
        assert_eq!(repaired.passes("sleepwell"), 6, "two elections");
        let Outcome::Election { agreed, .. } = repaired.summary.outcome else { panic!("it was an election") };
        assert_eq!(agreed.map(Id::get), Some(1));
    }
}

#[test]
fn identities_too_great_for_any_timer_end_the_run_at_once() {
    let most = u64::MAX;
    // The winner cannot be passed on: nobody lives to see 2^64 ticks.
    for ids in [format!("{},{most}", most - 1), format!("{most},{},{}", most - 1, most - 2), "64,65,70".to_string()] {
        for law in ["2^i", "u/m", "walk", "power:64"] {
            for first in ["1", "f"] {
                let line = format!("vitanyi --ids {ids} --set law={law} --set first={first}");
                let summary = Played::of(&line).summary;
                assert_eq!((summary.verdict, summary.finished), (Verdict::Unknown, false), "{line}");
                assert_eq!(summary.reason, Some(StopReason::NeverTimer), "{line}");
                assert!(summary.cost.steps < 20, "{line}");
            }
        }
    }
    // Alone it need not wait, and a small one passes whoever cannot move.
    let (alone, with_one, two) = (format!("{most}"), format!("{most},1,{}", most - 1), format!("{most},{}", most - 1));
    for (ids, settings) in [
        (&alone, "law=2^i"),
        (&alone, "law=power:64"),
        (&with_one, "law=2^i"),
        (&with_one, "law=2^i --set first=f"),
        (&two, "law=min-time"),
        (&two, "law=constant:7"),
        // 2^32: the root of nearly 2^64, rounded up.
        (&two, "law=power:1/2"),
        (&two, "law=power:1/64"),
    ] {
        let played = Played::of(&format!("vitanyi --ids {ids} --set {settings}"));
        let least = played.setup.scenario.ids.iter().copied().min();
        assert_elected(&played.summary, &played.setup.scenario, least);
    }
}
