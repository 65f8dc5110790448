//! Complete networks with too many links for a record of each: what the fast path does there, full runs do as well.

use std::marker::PhantomData;

use crate::common::*;
use ringleader_model::*;
use ringleader_sim::{Choices, Full, Instrumentation, Lean, Run, Simulation, Summary};
use serde::Serialize;

/// There are more than 2^24 links.
const N: usize = 4500;

// ---------------------------------------------------------------------------------------------------------------------
// Equal messages, whose port nobody looks at.

#[derive(Clone)]
struct Juggling<S>(PhantomData<S>);

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Juggler<S> {
    thrown: u8,
    coins: u64,
    shape: PhantomData<S>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Pellet;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum OnPortBlind {}

impl Shape for OnPortBlind {
    type Network = PortBlind<Complete>;
}

impl<S: Shape> Protocol for Juggling<S> {
    type Processor = Juggler<S>;
    type Network = S::Network;
    const DESCRIPTION: Description = toy(Topology::Complete, false);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        unreachable!("made by hand")
    }

    fn processor(&self, _: Seat) -> Juggler<S> {
        Juggler { thrown: 0, coins: 0, shape: PhantomData }
    }
}

impl<S: Shape> Processor for Juggler<S> {
    type Problem = Election;
    type Message = Pellet;
    type Timer = NoTimer;
    type Rules = Juggling<S>;

    /// Catches a ball, and throws it to somebody else, up to six times.
    fn step(&mut self, _: &Juggling<S>, _: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.thrown < 6 {
            self.thrown += 1;
            let port = fx.choose(N as u32 - 1);
            self.coins = self.coins.wrapping_mul(31).wrapping_add(u64::from(port));
            fx.send(Port(port), Pellet);
        }
    }
}

impl<S: Shape> Inspect for Juggler<S> {}

// ---------------------------------------------------------------------------------------------------------------------
// Messages whose order and port matter.

#[derive(Clone)]
struct Tossing;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Tosser {
    seen: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Toss {
    left: u8,
}

impl Protocol for Tossing {
    type Processor = Tosser;
    type Network = Complete;
    const DESCRIPTION: Description = toy(Topology::Complete, false);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        unreachable!("made by hand")
    }

    fn processor(&self, _: Seat) -> Tosser {
        Tosser { seen: 0 }
    }
}

impl Processor for Tosser {
    type Problem = Election;
    type Message = Toss;
    type Timer = NoTimer;
    type Rules = Tossing;

    /// Whatever comes is answered, and passed on to one of a few others, so that links have several messages in flight.
    fn step(&mut self, _: &Tossing, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let (port, left) = match event {
            Event::Receive(port, toss) => (port, toss.left),
            _ => (Port(0), 4),
        };
        self.seen = self.seen.wrapping_mul(31).wrapping_add(u64::from(port.0) * 8 + u64::from(left));
        if left > 0 {
            fx.send(port, Toss { left: left - 1 });
            for _ in 0..2 {
                let other = Port(fx.choose(7) * 11);
                fx.send(other, Toss { left: left / 2 });
            }
        }
    }
}

impl Inspect for Tosser {}

// ---------------------------------------------------------------------------------------------------------------------

/// The states at the end, and what a lean run has to say too. `slice`: deliveries at a time.
fn end<P: Protocol, D: Instrumentation>(
    protocol: P,
    scenario: &Scenario,
    slice: u64,
) -> (Summary, Vec<String>, (u64, u64, Time)) {
    let mut run = Simulation::<P, D>::new(protocol, scenario, Choices::Drawn).expect("it makes sense");
    while !run.advance(slice) {}
    let summary = run.summary();
    let state = |place| serde_json::to_string(run.processor(place)).expect("it is data");
    let states = (0..scenario.n as Place).map(state).collect();
    let cost = (summary.cost.messages(), summary.cost.deliveries, summary.cost.time);
    (summary, states, cost)
}

/// All wake at once, or one after the other: then the fast path begins late.
fn scenarios(links: Links) -> impl Iterator<Item = Scenario> {
    (0..4).map(move |seed| {
        let d = [(1, 3), (1, 40), (2, 700), (1, 2000)][seed as usize];
        let scenario = Scenario { ids: Vec::new(), seed, links, ..ranged(N, (1, 1), d, Reading::Immediate) };
        let wakes: Vec<_> = (0..900).map(|place| (place * 5, Time::from(place) / 4)).collect();
        if seed % 2 == 0 { scenario } else { waking(scenario, &wakes) }
    })
}

const SLICES: [u64; 3] = [7, 999, u64::MAX];

#[test]
fn nothing_depends_on_ports_that_nobody_looks_at() {
    for scenario in scenarios(Links::Fifo) {
        let (blind, seeing) = (Juggling::<OnPortBlind>(PhantomData), Juggling::<OnComplete>(PhantomData));
        let full = end::<_, Full>(seeing.clone(), &scenario, u64::MAX);
        let blind_full = end::<_, Full>(blind.clone(), &scenario, u64::MAX);
        assert_eq!(blind_full, full, "also the digest, which contains the ports");
        for slice in SLICES {
            let (_, states, cost) = end::<_, Lean>(blind.clone(), &scenario, slice);
            assert_eq!((&states, cost), (&full.1, full.2), "{scenario:?}");
            let (_, states, cost) = end::<_, Lean>(seeing.clone(), &scenario, slice);
            assert_eq!((&states, cost), (&full.1, full.2), "{scenario:?}");
        }
    }
}

#[test]
fn lean_gives_the_same_as_full_where_there_are_too_many_links() {
    for scenario in scenarios(Links::Fifo).chain(scenarios(Links::Any)) {
        let full = end::<_, Full>(Tossing, &scenario, u64::MAX);
        for slice in SLICES {
            let (_, states, cost) = end::<_, Lean>(Tossing, &scenario, slice);
            assert_eq!((&states, cost), (&full.1, full.2), "{scenario:?}");
        }
    }
}
