//! The engine's part in a workload: when requests come, and what a horizon, a loss and a crash mean. Expected times are
//! worked out by hand from the definitions: a site's first request comes at its first step, after that step's messages
//! and timers; who enters at step k leaves at step k + hold and asks again at step k + hold + think.

use crate::common::toy;
use ringleader_model::EntryRequest::{Acquire, Release};
use ringleader_model::*;
use ringleader_sim::{Choices, Full, Run, Simulation, StopReason, Verdict};
use serde::Serialize;

/// A site that enters a number of own steps after it was asked to, or once it is told to, and tells everybody when it
/// leaves.
#[derive(Clone, Debug)]
struct Turnstile {
    /// Own steps from asking to entering; 0: at once.
    after: u64,
    n: u32,
    /// Nothing is asked for any more after this.
    horizon: Option<Time>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Site {
    inside: bool,
    role: u32,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Bell;

impl Protocol for Turnstile {
    type Processor = Site;
    type Network = Complete;
    const DESCRIPTION: Description = toy(Topology::Complete, false);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { after: 0, n: instance.n as u32, horizon: None })
    }

    fn role(&self, place: Place) -> u32 {
        place * 7
    }

    fn horizon(&self, _: &Instance<'_>) -> Option<Time> {
        self.horizon
    }

    fn processor(&self, seat: Seat) -> Site {
        Site { inside: false, role: seat.role }
    }
}

impl Processor for Site {
    type Problem = MutualExclusion;
    type Message = Bell;
    type Timer = char;
    type Rules = Turnstile;

    fn step(&mut self, rules: &Turnstile, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => fx.set_timer('w', Ticks::new(0)),
            Event::Call(Acquire) => {
                fx.report(EntryReport::Requested);
                if rules.after == 0 {
                    self.inside = true;
                    fx.report(EntryReport::Entered { negatives: None });
                } else {
                    fx.set_timer('e', Ticks::new(rules.after));
                }
            }
            Event::Timeout('e') => {
                self.inside = true;
                fx.report(EntryReport::Entered { negatives: None });
            }
            Event::Call(Release) => {
                self.inside = false;
                fx.report(EntryReport::Left);
                for port in 0..rules.n - 1 {
                    fx.send(Port(port), Bell);
                }
            }
            Event::Timeout(_) | Event::Receive(..) => {}
        }
    }
}

impl Inspect for Site {}

fn scenario(n: usize, r: u64, load: Workload) -> Scenario {
    let timing = Timing {
        changes: Vec::new(),
        r: Range::new(r, r),
        d: Range::new(1, 1),
        reading: Reading::PerStep,
        clocks: Clocks::Fixed,
        delays: Delays::Uniform,
        offsets: Offsets::Zero,
    };
    Scenario { n, timing, workload: Some(load), ..Scenario::default() }
}

fn load(n: usize, entries: u64, hold: u64, think: u64) -> Workload {
    Workload { entries, hold: Range::new(hold, hold), think: Range::new(think, think), ..Workload::new(n) }
}

fn prepared(scenario: &Scenario, after: u64, horizon: Option<Time>) -> Simulation<Turnstile, Full> {
    let protocol = Turnstile { after, n: scenario.n as u32, horizon };
    let mut run = Simulation::new(protocol, scenario, Choices::Drawn).expect("the scenario makes sense");
    run.log();
    while !run.advance(1000) {}
    run
}

/// When a place was asked for what.
fn calls(run: &Simulation<Turnstile, Full>, place: Place) -> Vec<(Time, EntryRequest)> {
    let of = run.records().iter().filter(|record| record.place == place);
    of.filter_map(|record| match record.event {
        Event::Call(request) => Some((record.time, request)),
        _ => None,
    })
    .collect()
}

#[test]
fn requests_come_at_own_steps() {
    // Ticks of 10: in at once at 0, out 3 steps later, back 2 steps after that.
    let run = prepared(&scenario(1, 10, load(1, 2, 3, 2)), 0, None);
    assert_eq!(calls(&run, 0), [(0, Acquire), (30, Release), (50, Acquire), (80, Release)]);
    assert_eq!(run.summary().verdict, Verdict::Held);
    // It enters 4 steps after it has asked: the stay begins then.
    let run = prepared(&scenario(1, 10, load(1, 2, 3, 2)), 4, None);
    assert_eq!(calls(&run, 0), [(0, Acquire), (70, Release), (90, Acquire), (160, Release)]);
}

#[test]
fn without_a_pause_the_next_request_comes_in_the_step_of_leaving() {
    let run = prepared(&scenario(1, 10, load(1, 3, 1, 0)), 0, None);
    let all = [(0, Acquire), (10, Release), (10, Acquire), (20, Release), (20, Acquire), (30, Release)];
    assert_eq!(calls(&run, 0), all);
}

#[test]
fn the_first_request_waits_for_the_first_step_and_its_timers() {
    let mut late = scenario(1, 10, load(1, 1, 1, 0));
    late.timing.offsets = Offsets::List(vec![7]);
    late.wakes = Wakes::At(vec![Some(100)]);
    // Woken at 100, its first tick is at 107, the next at 117.
    assert_eq!(calls(&prepared(&late, 0, None), 0), [(107, Acquire), (117, Release)]);
    let run = prepared(&scenario(1, 10, load(1, 1, 1, 0)), 0, None);
    let steps: Vec<_> = run.records().iter().filter(|record| record.time == 0).collect();
    let order: Vec<_> = steps.iter().map(|record| &record.event).collect();
    assert!(matches!(order[..], [Event::Wake, Event::Timeout('w'), Event::Call(Acquire)]), "{order:?}");
}

#[test]
fn a_site_that_is_reached_before_it_wakes_asks_from_then_on() {
    let mut two = scenario(2, 10, load(2, 1, 1, 0));
    two.wakes = Wakes::At(vec![Some(0), Some(500)]);
    let run = prepared(&two, 0, None);
    // The bell leaves at 10 and arrives at 11: that is its first event, and its first tick.
    assert_eq!(calls(&run, 1), [(11, Acquire), (21, Release)]);
}

#[test]
fn who_does_not_compete_is_not_asked_and_still_reads() {
    let run = prepared(&scenario(3, 10, Workload { compete: 1, ..load(3, 2, 1, 0) }), 0, None);
    assert_eq!((calls(&run, 1).len(), calls(&run, 2).len()), (0, 0));
    let read = run.records().iter().filter(|record| matches!(record.event, Event::Receive(..))).count();
    assert_eq!(read, 2 * 2, "both hear of both stays");
    assert_eq!(run.summary().verdict, Verdict::Held);
}

/// The load of places below 1 until 25, of all three until 60, of the first until 95, and then of all again.
fn changing(mut load: Workload) -> Workload {
    load.changes = [(1, 0), (3, 25), (1, 60), (3, 95)].map(|(sites, from)| LoadChange { sites, from }).to_vec();
    load
}

#[test]
fn a_request_is_put_off_until_the_load_reaches_its_place() {
    // Ticks of 10. Place 1 asks at its first tick from 25 on, leaves 3 steps later, and would ask again at 60.
    let run = prepared(&scenario(3, 10, changing(load(3, 2, 3, 0))), 0, None);
    assert_eq!(calls(&run, 0), [(0, Acquire), (30, Release), (30, Acquire), (60, Release)]);
    for place in [1, 2] {
        assert_eq!(calls(&run, place), [(30, Acquire), (60, Release), (100, Acquire), (130, Release)]);
    }
    // A step earlier it may.
    let run = prepared(&scenario(3, 10, changing(load(3, 2, 2, 0))), 0, None);
    assert_eq!(calls(&run, 2), [(30, Acquire), (50, Release), (50, Acquire), (70, Release)]);
}

#[test]
fn with_varying_steps_a_request_comes_at_the_first_step_that_it_may() {
    let mut varying = scenario(3, 10, changing(load(3, 2, 3, 0)));
    (varying.timing.r, varying.timing.clocks) = (Range::new(5, 9), Clocks::Varying);
    for (seed, reading) in (1..200).zip([Reading::PerStep, Reading::Immediate].into_iter().cycle()) {
        (varying.seed, varying.timing.reading) = (seed, reading);
        let run = prepared(&varying, 0, None);
        let [(asks, Acquire), (left, Release), (again, Acquire), (_, Release)] = calls(&run, 1)[..] else {
            panic!("{:?}", calls(&run, 1))
        };
        assert!((25..25 + 9).contains(&asks), "{asks}");
        assert!(if left < 60 { again == left } else { (95..95 + 9).contains(&again) }, "{left}, {again}");
    }
}

#[test]
fn with_varying_steps_a_stay_lasts_as_many_steps_as_it_should() {
    let mut varying = scenario(1, 10, load(1, 2, 3, 2));
    (varying.timing.r, varying.timing.clocks) = (Range::new(5, 9), Clocks::Varying);
    for seed in 1..200 {
        varying.seed = seed;
        let run = prepared(&varying, 0, None);
        let [(0, Acquire), (left, Release), (back, Acquire), (gone, Release)] = calls(&run, 0)[..] else {
            panic!("{:?}", calls(&run, 0))
        };
        assert!((15..=27).contains(&left) && (10..=18).contains(&(back - left)), "{left}, {back}");
        assert!((15..=27).contains(&(gone - back)), "{back}, {gone}");
    }
}

#[test]
fn drawn_lengths_lie_in_their_ranges_and_are_recorded() {
    let load = Workload { hold: Range::new(2, 4), think: Range::new(1, 3), ..load(1, 50, 1, 0) };
    let drawn = scenario(1, 10, load);
    let protocol = Turnstile { after: 0, n: 1, horizon: None };
    let mut run = Simulation::<_, Full>::new(protocol, &drawn, Choices::Drawn).expect("the scenario makes sense");
    run.record();
    run.log();
    while !run.advance(1000) {}
    let times: Vec<_> = calls(&run, 0).iter().map(|(time, _)| *time / 10).collect();
    let lengths: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (stays, pauses): (Vec<_>, Vec<_>) = lengths.chunks(2).map(|pair| (pair[0], pair.get(1).copied())).unzip();
    for wanted in 2..=4 {
        assert!(stays.contains(&wanted), "{stays:?}");
    }
    assert!(stays.iter().all(|stay| (2..=4).contains(stay)));
    assert!(pauses.iter().flatten().all(|pause| (1..=3).contains(pause)), "{pauses:?}");
    assert_eq!(run.choices().map(<[u64]>::len), Some(50 + 49));
}

#[test]
fn two_that_do_not_wait_for_each_other_overlap_and_one_leaves_before_the_other_enters() {
    let together = prepared(&scenario(2, 10, load(2, 1, 3, 0)), 0, None).summary();
    assert_eq!(together.verdict, Verdict::Violated);
    assert_eq!(together.outcome, Outcome::Entries { entries: 2, overlap_max: 2 });
    // The first leaves at 30, at which the second enters.
    let mut apart = scenario(2, 10, load(2, 1, 3, 0));
    apart.wakes = Wakes::At(vec![Some(30), Some(0)]);
    let apart = prepared(&apart, 0, None).summary();
    assert_eq!((apart.verdict, apart.outcome), (Verdict::Held, Outcome::Entries { entries: 2, overlap_max: 1 }));
}

#[test]
fn who_crashes_inside_has_left_and_is_not_asked_again() {
    let mut crash = scenario(2, 10, load(2, 2, 5, 0));
    crash.faults.crashes = vec![(0, 20)];
    crash.wakes = Wakes::At(vec![Some(0), Some(20)]);
    let run = prepared(&crash, 0, None);
    assert_eq!(calls(&run, 0), [(0, Acquire)]);
    let summary = run.summary();
    assert_eq!((summary.verdict, summary.finished), (Verdict::Held, true), "{:?}", summary.violations);
}

#[test]
fn at_its_horizon_a_run_is_over_and_judged() {
    // 0 to 30, 30 to 60, 60 to 90: nothing after 60 is done.
    let cut = prepared(&scenario(1, 10, load(1, 3, 3, 0)), 0, Some(60)).summary();
    assert_eq!((cut.verdict, cut.reason, cut.cost.time), (Verdict::Violated, Some(StopReason::Horizon), 60));
    assert_eq!(cut.violations[0].property, "termination");
    let whole = prepared(&scenario(1, 10, load(1, 3, 3, 0)), 0, Some(90)).summary();
    assert_eq!((whole.verdict, whole.reason), (Verdict::Held, None));
}

#[test]
fn a_role_is_all_that_a_place_is_to_a_processor() {
    let run = prepared(&scenario(3, 10, load(3, 1, 1, 0)), 0, None);
    assert_eq!([0, 1, 2].map(|place| run.processor(place).role), [0, 7, 14]);
}

#[test]
fn messages_fail_until_they_no_longer_do() {
    let mut faulty = scenario(2, 10, Workload { compete: 1, ..load(2, 6, 1, 0) });
    faulty.faults.loss = Some(Share::new(1, 1).expect("all of them"));
    faulty.faults.until = Some(35);
    // Bells leave at 10, 20, …, 60; those of 10, 20 and 30 are lost.
    let run = prepared(&faulty, 0, None);
    let heard: Vec<_> = run.records().iter().filter(|record| record.place == 1).map(|record| record.time).collect();
    assert_eq!(heard, [0, 0, 50, 60, 70]);
    assert_eq!(run.summary().cost.messages(), 6, "a message that is lost was sent");
}

#[test]
fn the_first_request_may_come_some_steps_later() {
    let first = |first: Range, phases: Offsets| {
        let mut scenario = scenario(1, 10, Workload { first, ..load(1, 1, 3, 2) });
        scenario.timing.offsets = phases;
        scenario
    };
    let two = Range::new(2, 2);
    let run = prepared(&first(two, Offsets::Zero), 0, None);
    assert_eq!(calls(&run, 0), [(20, Acquire), (50, Release)]);
    // The first tick falls at 4.
    let run = prepared(&first(two, Offsets::List(vec![4])), 0, None);
    assert_eq!(calls(&run, 0), [(24, Acquire), (54, Release)]);
    // Drawn where there is more than one number, and nothing is drawn where there is not.
    let asked = |seed| {
        let mut scenario = first(Range::new(2, 5), Offsets::Zero);
        scenario.seed = seed;
        calls(&prepared(&scenario, 0, None), 0)[0].0
    };
    let seen: std::collections::BTreeSet<_> = (0..100).map(asked).collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [20, 30, 40, 50]);
}

/// Under varying steps the request waits for a number of them, whose lengths are scripted.
#[test]
fn the_first_request_counts_steps_that_vary() {
    let mut scenario = scenario(1, 1, Workload { first: Range::new(0, 9), ..load(1, 1, 1, 0) });
    scenario.timing.r = Range::new(1, 4);
    scenario.timing.clocks = Clocks::Varying;
    scenario.timing.offsets = Offsets::List(vec![2]);
    let mut script = ScheduledChoices::default();
    script.add(ChoicePoint::Workload, 0, 2);
    // The steps fall at 2, 2 + 4, 6 + 2, 8 + 3.
    for length in [3, 1, 2] {
        script.add(ChoicePoint::StepLength, 0, length);
    }
    let protocol = Turnstile { after: 0, n: 1, horizon: None };
    let choices = Choices::Scheduled(script);
    let mut run: Simulation<_, Full> = Simulation::new(protocol, &scenario, choices).expect("it makes sense");
    run.log();
    while !run.advance(1000) {}
    assert_eq!(calls(&run, 0), [(8, Acquire), (11, Release)]);
}

/// Without clocks a user asks and leaves whenever it likes; how long it thinks and stays means nothing.
#[test]
fn without_clocks_users_come_and_go_at_any_moment() {
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let scenario = Scenario { untimed: true, seed, ..scenario(2, 10, load(2, 2, 3, 2)) };
        let run = prepared(&scenario, 1, None);
        for place in 0..2 {
            let asked: Vec<_> = calls(&run, place).into_iter().map(|(_, request)| request).collect();
            assert_eq!(asked, [Acquire, Release, Acquire, Release]);
        }
        let summary = run.summary();
        assert!(summary.finished && summary.reason.is_none());
        orders.insert(run.records().iter().map(|record| record.place).collect::<Vec<_>>());
    }
    assert!(orders.len() > 100, "{}", orders.len());
}

/// A request is outstanding forever if nothing is enabled but optional requests of others.
#[test]
fn nobody_must_ask_without_clocks() {
    let scenario = Scenario { untimed: true, ..scenario(2, 10, load(2, 1, 3, 2)) };
    let protocol = Turnstile { after: u64::MAX, n: 2, horizon: None };
    let mut run: Simulation<_, Full> = Simulation::new(protocol, &scenario, Choices::Drawn).expect("it makes sense");
    let step = |place, event| Action::Step { place, event, chosen: Vec::new() };
    run.follow(&[step(0, Event::Wake), step(0, Event::Timeout('w'))]).expect("it can happen");
    assert_eq!(run.summary().reason, Some(StopReason::Interrupted), "nobody waits");
    run.follow(&[step(0, Event::Call(Acquire))]).expect("it can happen");
    assert_eq!(run.summary().reason, Some(StopReason::NeverTimer), "it waits, for a timer that never comes");
}
