//! Random locks that count what they hear until a timer fires, explored with and without early reading.

use ringleader_model::{
    Clocks, Complete, Effects, EntryReport, EntryRequest, Event, Links, MutualExclusion, Port, Preset, Processor,
    Range, Reading, Scenario, Ticks, Ties, Timing, Workload,
};
use serde::Serialize;

use super::TimedSystem;
use super::reduction_tests::{LOCK, PER_STEP, follow_counterexample};
use crate::answer::{Effort, Wakers};
use crate::compared_reductions::{ReductionComparison, compare};
use crate::program::TypedProgram;
use crate::reductions::Reductions;
use crate::search::search;
use crate::test_protocols::{ToyMessage, rolls, toy_protocol};

/// A message that is counted, and has no effect.
const COUNT: u32 = 0;
/// A message that is answered.
const ASK: u32 = 1;
/// A message whose rule is drawn.
const OTHER: u32 = 2;

/// A lock whose site asks all others, counts until a timer fires, and then enters or goes on waiting.
#[derive(Clone, Copy, Debug)]
struct CountingLock {
    /// Others beside a site.
    ports: u32,
    /// What is sent with a request, in answer to [`ASK`], and after leaving.
    sent: [u32; 3],
    /// Ticks until it first decides, and from then on.
    ticks: [u64; 2],
    /// The rule for [`OTHER`].
    other: OtherRule,
    /// It enters if it has counted at least this many messages.
    enough: u32,
    /// It answers only if it has counted this many.
    answers: Option<u32>,
    /// It enters in the end, even if it has not counted enough.
    dares: bool,
    /// The timer also runs from the beginning; a site that is not trying tells all others then if it has counted
    /// enough.
    starts: bool,
}

/// The rule for messages that are neither counted nor answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OtherRule {
    /// It is ignored.
    Ignore,
    /// It is noted by port: counting and noting commute.
    Note,
    /// What was counted is forgotten: counting and forgetting do not commute.
    Forget,
    /// It sets the timer.
    Hurry,
    /// It cancels the timer.
    Stop,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct CountingSite {
    counted: u32,
    noted: u32,
    /// Decisions that may still be put off.
    patience: u32,
    trying: bool,
}

toy_protocol!(CountingLock: CountingSite, Complete, LOCK, |self| CountingSite {
    counted: 0,
    noted: 0,
    patience: 1,
    trying: false,
});

impl Processor for CountingSite {
    type Problem = MutualExclusion;
    type Message = ToyMessage;
    type Timer = u32;
    type Rules = CountingLock;

    fn step(&mut self, lock: &CountingLock, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let send_to_all = |message: u32, fx: &mut dyn FnMut(Port, ToyMessage)| {
            (0..lock.ports).for_each(|port| fx(Port(port), ToyMessage(message)));
        };
        match event {
            Event::Wake => {
                if lock.starts {
                    fx.set_timer(0, Ticks::new(lock.ticks[0]));
                }
            }
            Event::Call(EntryRequest::Acquire) => {
                fx.report(EntryReport::Requested);
                self.trying = true;
                send_to_all(lock.sent[0], &mut |port, message| fx.send(port, message));
                fx.set_timer(0, Ticks::new(lock.ticks[0]));
            }
            Event::Call(EntryRequest::Release) => {
                fx.report(EntryReport::Left);
                send_to_all(lock.sent[2], &mut |port, message| fx.send(port, message));
            }
            Event::Timeout(_) => {
                let enough = self.counted >= lock.enough || self.noted > 0;
                if self.trying && (enough || lock.dares && self.patience == 0) {
                    self.trying = false;
                    fx.report(EntryReport::Entered { negatives: None });
                } else if self.trying && self.patience > 0 {
                    self.patience -= 1;
                    fx.set_timer(0, Ticks::new(lock.ticks[1]));
                } else if !self.trying && enough && self.patience > 0 {
                    self.patience -= 1;
                    send_to_all(lock.sent[2], &mut |port, message| fx.send(port, message));
                }
            }
            Event::Receive(port, ToyMessage(message)) => match (message, lock.other) {
                (COUNT, _) => self.counted = (self.counted + 1).min(3),
                (ASK, _) => {
                    if lock.answers.is_none_or(|counted| self.counted == counted) {
                        fx.send(port, ToyMessage(lock.sent[1]));
                    }
                }
                (_, OtherRule::Ignore) => {}
                (_, OtherRule::Note) => self.noted |= 1 << port.0,
                (_, OtherRule::Forget) => self.counted = 0,
                (_, OtherRule::Hurry) => fx.set_timer(0, Ticks::ONE),
                (_, OtherRule::Stop) => fx.cancel_timer(0),
            },
        }
    }
}

fn draw(seed: u64) -> (CountingLock, Scenario) {
    let mut roll = rolls(seed ^ 0xEA51);
    let n = if roll(4) == 0 { 3 } else { 2 };
    let rules = [OtherRule::Ignore, OtherRule::Note, OtherRule::Forget, OtherRule::Hurry, OtherRule::Stop];
    let lock = CountingLock {
        ports: n as u32 - 1,
        // Asks that are answered by asks would go on forever.
        sent: [[COUNT, ASK, ASK, OTHER][roll(4) as usize], [COUNT, OTHER][roll(2) as usize], roll(3) as u32],
        ticks: [1 + roll(6), 1 + roll(4)],
        other: rules[roll(5) as usize],
        enough: 1 + roll(2) as u32,
        answers: (roll(4) == 0).then_some(1),
        dares: roll(4) > 0,
        starts: roll(2) == 0,
    };
    let (r, d) = (1 + roll(2), 1 + roll(3));
    let (r, d) = (Range::new(roll(r) + 1, r), Range::new(roll(d) + 1, d));
    let clocks = if roll(4) == 0 { Clocks::Fixed } else { Clocks::Varying };
    let timing = Timing { r, d, clocks, reading: Reading::PerStep, ..Preset::Unit.timing(Reading::PerStep) };
    let ties = if roll(3) == 0 { Ties::Ruled } else { Ties::Either };
    let workload = Some(Workload { entries: 1, compete: 1 + roll(2) as usize, ..Workload::new(n) });
    (lock, Scenario { n, timing, ties, links: Links::Any, workload, ..Scenario::default() })
}

#[test]
fn random_locks_that_count_have_the_same_answers_with_and_without_early_reading() {
    let compared = compare(600, &PER_STEP, draw, follow_counterexample);
    let reading: Vec<_> = (0..200).map(|seed| reads_early(draw(seed))).collect();
    let [commuting, not] = [(true, false), (true, true)].map(|kind| reading.iter().filter(|&&one| one == kind).count());
    let ReductionComparison { complete, smaller, verdicts, effective } = &compared;
    assert!(
        *complete > 500 && *smaller > 300 && verdicts.iter().chain(effective).all(|&count| count > 50),
        "{compared:?}"
    );
    assert!(commuting > 50 && not > 30, "{commuting} {not}");
}

/// Whether messages are read early, and whether the condition for that is found not to hold.
fn reads_early((lock, scenario): (CountingLock, Scenario)) -> (bool, bool) {
    let initial = TypedProgram::new(lock).initial_state(&scenario).expect("it has an initial state");
    let mut system =
        TimedSystem::new(initial, &scenario, &Wakers::Anybody, Reductions::ALL).expect("it can be explored");
    let effort = Effort { states: 20_000, bytes: 1 << 30, threads: 1, reductions: Reductions::ALL };
    search(&mut system, &effort, &mut |_| true);
    let early = system.early.as_ref().expect("links do not keep the order");
    (early.has_pairs(), early.is_exceeded())
}

#[test]
fn events_that_do_not_commute_are_found() {
    // Two sites; a tick each unit; messages take one unit, and are read at the second tick at the latest.
    let (r, d) = (Range::new(1, 1), Range::new(1, 1));
    let timing = Timing { r, d, reading: Reading::PerStep, ..Preset::Unit.timing(Reading::PerStep) };
    let workload = Some(Workload { entries: 1, compete: 2, ..Workload::new(2) });
    let scenario = Scenario { n: 2, timing, ties: Ties::Either, links: Links::Any, workload, ..Scenario::default() };
    let lock = CountingLock {
        ports: 1,
        sent: [ASK, COUNT, OTHER],
        ticks: [2, 2],
        other: OtherRule::Note,
        enough: 1,
        answers: None,
        dares: true,
        starts: false,
    };
    let with = |lock: CountingLock| reads_early((lock, scenario.clone()));
    assert_eq!(with(lock), (true, false), "counting, noting and answering commute");
    assert_eq!(with(CountingLock { ticks: [1, 1], ..lock }), (false, false), "the timer may fire first");
    let forgets = CountingLock { other: OtherRule::Forget, sent: [COUNT, COUNT, OTHER], ..lock };
    assert_eq!(with(forgets), (true, true), "a count is forgotten or not");
    let counts = CountingLock { answers: Some(1), sent: [COUNT, COUNT, ASK], ..lock };
    assert_eq!(with(counts), (true, true), "an answer depends on the count");
    let hurries = CountingLock { other: OtherRule::Hurry, sent: [COUNT, COUNT, OTHER], ..lock };
    assert_eq!(with(hurries), (true, true), "a timer is set before the message is read");
    let stops = CountingLock { other: OtherRule::Stop, ..hurries };
    assert_eq!(with(stops), (true, true), "a timer is cancelled before the message is read");
}
