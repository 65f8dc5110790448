//! Cases small enough to be counted by hand.

use std::collections::BTreeSet;

use ringleader_model::{
    BadSetting, Clocks, Complete, Effects, Election, ElectionReport, EntryReport, EntryRequest, Event, Links,
    MutualExclusion, NoTimer, Offsets, Port, Preset, Processor, Protocol, Range, Reading, Ring, Scenario, Ticks, Ties,
    Timing, Workload,
};
use serde::Serialize;

use super::TimedSystem;
use super::send_order::SendOrder;
use crate::answer::{Effort, Wakers};
use crate::program::TypedProgram;
use crate::reductions::Reductions;
use crate::search::search;
use crate::test_protocols::{DESCRIPTION, ToyMessage, toy_protocol};
use crate::transition_system::{Monitored, Successors, TransitionSystem, fingerprint};

/// A processor that wakes up sends a message; its receiver decides.
#[derive(Clone)]
struct Postman;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Addressee {
    got: bool,
}

toy_protocol!(Postman: Addressee, Ring, DESCRIPTION, |self| Addressee { got: false });

impl Processor for Addressee {
    type Problem = Election;
    type Message = ToyMessage;
    type Timer = NoTimer;
    type Rules = Postman;

    fn step(&mut self, _: &Postman, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Receive(..) => {
                self.got = true;
                fx.report(ElectionReport::Follows(None));
            }
            _ => fx.send(Port(0), ToyMessage(0)),
        }
    }
}

/// A user that requests to enter does so at once; one that requests to leave does so at once or after some ticks.
#[derive(Clone)]
struct Door {
    exit: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Guest;

toy_protocol!(Door: Guest, Complete, DESCRIPTION, |self| Guest);

impl Processor for Guest {
    type Problem = MutualExclusion;
    type Message = ToyMessage;
    type Timer = u32;
    type Rules = Door;

    fn step(&mut self, door: &Door, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Call(EntryRequest::Acquire) => {
                fx.report(EntryReport::Requested);
                fx.report(EntryReport::Entered { negatives: None });
            }
            Event::Call(EntryRequest::Release) if door.exit > 0 => fx.set_timer(0, Ticks::new(door.exit)),
            Event::Call(EntryRequest::Release) | Event::Timeout(_) => fx.report(EntryReport::Left),
            _ => {}
        }
    }
}

const EFFORT: Effort = Effort { states: 1000, bytes: 1 << 30, threads: 1, reductions: Reductions::NONE };

fn timing(r: (u64, u64), d: (u64, u64), reading: Reading, clocks: Clocks) -> Timing {
    let (r, d) = (Range::new(r.0, r.1), Range::new(d.0, d.1));
    Timing { r, d, reading, clocks, ..Preset::Unit.timing(reading) }
}

fn system<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    reductions: Reductions,
) -> Result<TimedSystem, BadSetting> {
    TimedSystem::new(TypedProgram::new(protocol).initial_state(scenario)?, scenario, wakers, reductions)
}

fn states<P: Protocol>(protocol: P, scenario: &Scenario, reductions: Reductions) -> u64 {
    let mut system = system(protocol, scenario, &Wakers::These(vec![0]), reductions).expect("it can be explored");
    search(&mut system, &EFFORT, &mut |_| true).progress.states
}

fn post(timing: Timing, ties: Ties) -> Scenario {
    Scenario { n: 2, timing, ties, ..Scenario::default() }
}

/// d = 1..2, r = 1..2, ticks of varying length. The sender's clock is stopped; when it has woken up it has ticked (0)
/// or will at the next instant (f); then it ticks or not at every instant (0 or 1 unit since). The message is 0 or 1
/// units old; or it has arrived and its receiver's clock has started without a tick (f, unread), or with one (read),
/// and goes on (0 or 1).
///
/// Initial state; {0, f} with the message at 0; then {0, 1} with the message at 1, with f and unread, with 0 and read,
/// with 1 and read: 1 + 2 + 2·4.
#[test]
fn one_message_to_a_receiver_with_varying_ticks() {
    let timing = timing((1, 2), (1, 2), Reading::PerStep, Clocks::Varying);
    assert_eq!(states(Postman, &post(timing.clone(), Ties::Ruled), Reductions::NONE), 11);
    // The message may also arrive just after a tick: then it is unread with 0 or 1 units since: two more of the last
    // sort.
    assert_eq!(states(Postman, &post(timing.clone(), Ties::Either), Reductions::NONE), 15);
    // Eager ticks: the sender is at 0 once it has ticked, and so is the receiver once it has read: 1 + 2 + 3, and with
    // ties 0 and 1 with the message unread.
    assert_eq!(states(Postman, &post(timing.clone(), Ties::Ruled), Reductions::ALL), 6);
    assert_eq!(states(Postman, &post(timing, Ties::Either), Reductions::ALL), 8);
}

/// Tick lengths are fixed: four initial states. By lengths of sender and receiver, immediate reading, d = 1..2: 1, 1:
/// initial state, message at 0, message at 1, received: 4. 1, 2: the receiver's clock is at f, 0 or 1 when it has
/// received the message: 6. 2, 1: the sender's is at 0 or f with the message at 0, and then at 0 or 1: 1 + 2 + 2 + 2.
/// 2, 2: 1 + 2 + 2 + 2·3.
#[test]
fn one_message_with_fixed_tick_lengths() {
    let timing = timing((1, 2), (1, 2), Reading::Immediate, Clocks::Fixed);
    assert_eq!(states(Postman, &post(timing, Ties::Ruled), Reductions::NONE), 4 + 6 + 7 + 11);
}

/// A message that arrives at a tick is read at the next one: initial state; message at 0; arrived at the receiver's
/// first tick, unread; read. If either may come first, it is also read at that first tick, which is no further state.
#[test]
fn one_message_read_at_the_next_tick() {
    let timing = timing((1, 1), (1, 1), Reading::PerTick, Clocks::Fixed);
    assert_eq!(states(Postman, &post(timing.clone(), Ties::Ruled), Reductions::NONE), 4);
    assert_eq!(states(Postman, &post(timing, Ties::Either), Reductions::NONE), 4);
}

/// With d = 0..1 the message arrives in the instant in which it is sent, or in the next: initial state; message at 0;
/// received. Per step likewise, since the receiver's clock starts with the message, and its first tick follows; per
/// tick it is unread first.
#[test]
fn one_message_that_may_take_no_time() {
    for (reading, expected) in [(Reading::Immediate, 3), (Reading::PerStep, 3), (Reading::PerTick, 4)] {
        let timing = timing((1, 1), (0, 1), reading, Clocks::Fixed);
        assert_eq!(states(Postman, &post(timing, Ties::Ruled), Reductions::NONE), expected, "{reading:?}");
    }
}

/// A user that requests at any tick, stays for any time, and may request again in the step in which it leaves: initial
/// state; remainder with 2 entries left; critical with 1; remainder with 1; critical with none; remainder with none.
#[test]
fn a_user_that_enters_twice() {
    let workload = Some(Workload { entries: 2, ..Workload::new(1) });
    let timing = timing((1, 1), (1, 1), Reading::PerStep, Clocks::Fixed);
    let scenario = Scenario { n: 1, workload, timing, ..Scenario::default() };
    assert_eq!(states(Door { exit: 0 }, &scenario, Reductions::NONE), 6);
    let mut system =
        system(Door { exit: 0 }, &scenario, &Wakers::Anybody, Reductions::NONE).expect("it can be explored");
    let mut state = system.initial_states().remove(0);
    let (mut successors, mut pending) = (Successors::default(), Vec::new());
    let mut follow = |state: &mut Vec<u32>, optional: bool, discharges: &[u32]| {
        system.successors(state, fingerprint(state), &mut successors);
        let fits = |transition: &usize| {
            successors.transitions[*transition].optional == optional && successors.discharged(*transition) == discharges
        };
        let transition = (0..successors.transitions.len()).find(fits).expect("there is such a transition");
        successors.apply(transition, state);
        system.pending(state, &mut pending);
        (pending.clone(), system.monitor_status(state).waiting)
    };
    assert_eq!(follow(&mut state, false, &[]), (vec![], false), "it need not request");
    assert_eq!(follow(&mut state, true, &[]), (vec![0], true), "it requests, and must leave eventually");
    assert_eq!(follow(&mut state, false, &[]), (vec![0], true), "it stays");
    assert_eq!(follow(&mut state, true, &[0]), (vec![0], true), "it leaves and requests again");
    assert_eq!(follow(&mut state, false, &[0]), (vec![], false), "it leaves");
    assert_eq!(follow(&mut state, false, &[]), (vec![], false), "nothing more happens");
}

/// Initial state; remainder; critical; exit with 2 ticks left, with 1; remainder without entries. A second request to
/// leave would set the timer again.
#[test]
fn a_user_requests_to_leave_once() {
    let workload = Some(Workload { entries: 1, ..Workload::new(1) });
    let timing = timing((1, 1), (1, 1), Reading::PerStep, Clocks::Fixed);
    let scenario = Scenario { n: 1, workload, timing, ..Scenario::default() };
    assert_eq!(states(Door { exit: 2 }, &scenario, Reductions::NONE), 6);
    let mut system =
        system(Door { exit: 2 }, &scenario, &Wakers::Anybody, Reductions::NONE).expect("it can be explored");
    assert!(search(&mut system, &EFFORT, &mut |_| true).violations.is_empty());
}

#[test]
fn scenarios_that_cannot_be_explored_are_refused() {
    let fixed = timing((1, 2), (0, 1), Reading::Immediate, Clocks::Fixed);
    let refused =
        |scenario: &Scenario| system(Postman, scenario, &Wakers::Anybody, Reductions::NONE).err().map(|bad| bad.field);
    assert_eq!(refused(&post(fixed.clone(), Ties::Either)), Some("ties"));
    let varying = Timing { clocks: Clocks::Varying, ..fixed.clone() };
    assert_eq!(refused(&post(varying, Ties::Ruled)), Some("clocks"));
    let offsets = Timing { offsets: Offsets::List(vec![0, 0]), ..fixed.clone() };
    assert_eq!(refused(&post(offsets, Ties::Ruled)), Some("offsets"));
    let wide = Timing { r: Range::new(1, 257), ..fixed.clone() };
    assert_eq!(refused(&post(wide, Ties::Ruled)), Some("r"), "more than 2^16 pairs of lengths");
    assert_eq!(refused(&Scenario { links: Links::Half, ..post(fixed, Ties::Ruled) }), Some("links"));
}

/// A processor that wakes up sends several messages at once; their receiver combines them.
#[derive(Clone)]
struct Combiner {
    sent: Vec<u32>,
    combine: fn(u64, u32) -> u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Combined(u64);

toy_protocol!(Combiner: Combined, Ring, DESCRIPTION, |self| Combined(0));

impl Processor for Combined {
    type Problem = Election;
    type Message = ToyMessage;
    type Timer = NoTimer;
    type Rules = Combiner;

    fn step(&mut self, combiner: &Combiner, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Receive(_, message) => self.0 = (combiner.combine)(self.0, message.0),
            _ => combiner.sent.iter().for_each(|&message| fx.send(Port(0), ToyMessage(message))),
        }
    }
}

/// The results of all orders, by brute force.
fn combinations(combiner: &Combiner, result: u64, left: &[u32], results: &mut BTreeSet<u64>) {
    if left.is_empty() {
        results.insert(result);
    }
    for (index, &message) in left.iter().enumerate() {
        let others = [&left[..index], &left[index + 1..]].concat();
        combinations(combiner, (combiner.combine)(result, message), &others, results);
    }
}

/// Messages of one link that arrive together are handled in the order of sending. That is said if and only if another
/// order has another result, and only where links do not keep the order.
#[test]
fn the_order_of_messages_that_arrive_together_is_examined() {
    let operations: [fn(u64, u32) -> u64; 3] = [
        |sum, message| sum + u64::from(message),
        |_, last| u64::from(last),
        |digits, message| 10 * digits + u64::from(message),
    ];
    let mut mattered = [0; 2];
    for (combine, code) in operations.into_iter().flat_map(|combine| (0..27).map(move |code| (combine, code))) {
        let combiner = Combiner { sent: vec![1 + code % 3, 1 + code / 3 % 3, 1 + code / 9], combine };
        let mut results = BTreeSet::new();
        combinations(&combiner, 0, &combiner.sent, &mut results);
        mattered[usize::from(results.len() > 1)] += 1;
        for (reading, wakers) in [(Reading::Immediate, Wakers::These(vec![0])), (Reading::PerStep, Wakers::Together)] {
            for links in [Links::Any, Links::Fifo] {
                let timing = timing((1, 1), (1, 1), reading, Clocks::Fixed);
                let scenario = Scenario { links, ..post(timing, Ties::Either) };
                let mut system =
                    system(combiner.clone(), &scenario, &wakers, Reductions::ALL).expect("it can be explored");
                search(&mut system, &EFFORT, &mut |_| true);
                let said = system.caveat() == SendOrder::CAVEAT;
                assert_eq!(said, links == Links::Any && results.len() > 1, "{:?} {reading:?}", combiner.sent);
            }
        }
    }
    // Sums never differ; the others do unless all three messages are equal.
    assert_eq!(mattered, [27 + 2 * 3, 2 * 24]);
}

/// The values that a search of a system interns, in order.
fn interned(mut system: TimedSystem) -> BTreeSet<(usize, u64)> {
    search(&mut system, &EFFORT, &mut |_| true);
    let tables = system.value_tables();
    tables
        .iter()
        .enumerate()
        .flat_map(|(table, values)| values.keys().into_iter().map(move |key| (table, key)))
        .collect()
}

/// A search that is repeated finds out earlier, or later, that the order of messages matters.
#[test]
fn an_order_that_is_known_to_matter_is_examined_again() {
    let combiner = Combiner { sent: vec![1, 2, 3], combine: |digits, message| 10 * digits + u64::from(message) };
    let timing = timing((1, 1), (1, 2), Reading::Immediate, Clocks::Fixed);
    let scenario = Scenario { links: Links::Any, ..post(timing, Ties::Either) };
    let new =
        || system(combiner.clone(), &scenario, &Wakers::These(vec![0]), Reductions::ALL).expect("it can be explored");
    let first = interned(new());
    let (known, mut again) = (new(), new());
    for system in [&known, &again] {
        system.send_order.as_ref().expect("links keep no order").note();
    }
    assert!(!interned(known).is_superset(&first), "the order is not examined");
    again.reexamine(true);
    assert!(interned(again).is_superset(&first));
}
