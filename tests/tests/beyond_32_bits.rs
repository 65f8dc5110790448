//! Places beyond 2^32, which only rings have that are divided among processes: segments around that border against a simple
//! reference.

use std::collections::VecDeque;
use std::ops::Range;

use conformance::configured;
use ringleader::model::{
    Effects, Event, Id, Message, Operand, Permutation, Port, Problem, Processor, Protocol, Report, Scenario, Seat,
    Ticks, Time, TraceHash, mix, run_digest_of,
};
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::itai_rodeh::ItaiRodeh;
use ringleader::sim::{Batch, CausalSimulation, Full};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The border.
const BORDER: u64 = 1 << 32;
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A message that arrives, and its causal depth.
type Incoming<P> = (Time, u64, <<P as Protocol>::Processor as Processor>::Message);

/// A draw, written down again: output number place · 2^32 + count of SplitMix64; each 2^32 places have a key.
fn drawn(seed: u64, stream: u64, place: u64, count: u64, bound: u64) -> u64 {
    let key = mix(seed.wrapping_add(stream.wrapping_mul(GOLDEN)));
    let key = if place < BORDER { key } else { mix(key ^ mix(place / BORDER)) };
    let index = (place % BORDER) * BORDER + count + 1;
    let bits = mix(key.wrapping_add(index.wrapping_mul(GOLDEN)));
    ((u128::from(bits) * u128::from(bound)) >> 64) as u64
}

/// One place: all of its steps, one after the other.
struct NaivePlace<'a, P: Protocol> {
    scenario: &'a Scenario,
    place: u64,
    now: Time,
    depth: u64,
    coins: u64,
    last_arrival: Time,
    sent: Vec<Incoming<P>>,
    bits: u64,
    steps: u64,
}

impl<P: Protocol> Effects<P::Processor> for NaivePlace<'_, P> {
    fn send(&mut self, port: Port, message: <P::Processor as Processor>::Message) {
        assert_eq!(port, Port(0));
        let d = self.scenario.timing.d;
        let delay = d.min + drawn(self.scenario.seed, 1, self.place, self.sent.len() as u64, d.max - d.min + 1);
        self.last_arrival = self.last_arrival.max(self.now + delay);
        self.bits += message.bits();
        self.sent.push((self.last_arrival, self.depth + 1, message));
    }

    fn set_timer(&mut self, _: <P::Processor as Processor>::Timer, _: Ticks) {}

    fn cancel_timer(&mut self, _: <P::Processor as Processor>::Timer) {}

    fn choose(&mut self, bound: u32) -> u32 {
        self.coins += 1;
        drawn(self.scenario.seed, 2, self.place, self.coins - 1, bound.into()) as u32
    }

    fn report(&mut self, _: Report<P::Processor>) {}

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }

    fn compare(&mut self, _: impl Into<Operand>, _: impl Into<Operand>) {}
}

/// What comes of places that wake at 0, receive a batch and have no successor: what leaves behind the last one, and the bits,
/// steps, time and digest of all.
fn naive<P: Protocol>(
    protocol: &P,
    scenario: &Scenario,
    places: Range<u64>,
    entering: Vec<Incoming<P>>,
) -> (Vec<Incoming<P>>, Value) {
    let mut batch = entering;
    let (mut bits, mut steps, mut time, mut digest) = (0, 0, 0, 0u64);
    for place in places {
        let mut here = NaivePlace::<P> {
            scenario,
            place,
            now: 0,
            depth: 0,
            coins: 0,
            last_arrival: 0,
            sent: Vec::new(),
            bits: 0,
            steps: 0,
        };
        let mut chain = TraceHash::new();
        let id = scenario.computed.then(|| Id::new(Permutation::new(scenario.n as u64, scenario.seed).at(place) + 1));
        let mut state = protocol.processor(Seat { id, role: 0, ports: 1 });
        let mut events = VecDeque::from([(0, 0, None)]);
        events.extend(batch.into_iter().map(|(at, depth, message)| (at, depth, Some(message))));
        for (at, depth, message) in events {
            (here.now, here.depth, here.steps) = (at, here.depth.max(depth), here.steps + 1);
            chain.add(&at);
            let event = match message {
                None => {
                    chain.add(&0u8);
                    Event::Wake
                }
                Some(message) => {
                    chain.add(&(1u8, Port(0), &message));
                    Event::Receive(Port(0), message)
                }
            };
            state.step(protocol, event, &mut here);
        }
        (bits, steps, time) = (bits + here.bits, steps + here.steps, time.max(here.now));
        digest = digest.wrapping_add(run_digest_of([(place, chain)]));
        batch = here.sent;
    }
    (batch, json!({ "bits": bits, "steps": steps, "time": time, "digest": digest }))
}

/// What leaves a part of the ring behind its last place, once this has entered it, as data.
fn through<P: Protocol>(part: &mut CausalSimulation<P, Full>, entering: Batch<P, Full>) -> Vec<Value> {
    let (mut leaving, mut entering) = (Vec::new(), Some(entering));
    loop {
        while !part.advance_segments(100) {}
        let batch = serde_json::to_value(part.pass_on()).expect("it is data");
        leaving.extend(batch.as_array().expect("it is a list").iter().cloned());
        part.enter(entering.take().unwrap_or_default());
        if part.is_empty() {
            return leaving;
        }
    }
}

/// Compares segments around the border with the reference, and returns how often.
fn compare<P: Protocol>(protocol: &P, scenario: &Scenario, length: u64) -> usize
where
    P::Processor: Processor<Message: DeserializeOwned, Problem: Problem<Monitor: Serialize>>,
{
    let before = BORDER - length - 700..BORDER - length;
    let around = before.end..BORDER + length;
    let (batch, _) = naive(protocol, scenario, before.clone(), Vec::new());
    assert!(batch.len() > 3, "something enters");
    let entering = as_data(&batch);
    let (expected, sums) = naive(protocol, scenario, around.clone(), batch);
    for segments in [1, 2, 3] {
        let part =
            |places: &Range<u64>| CausalSimulation::of_places(protocol.clone(), scenario, places.clone(), segments);
        assert_eq!(through(&mut part(&before), Batch::default()), entering);
        let mut part = part(&around);
        let batch = serde_json::from_value(Value::Array(entering.clone())).expect("it was a batch");
        assert_eq!(through(&mut part, batch), as_data(&expected), "{segments} segments of {scenario:?}");
        let account = serde_json::to_value(part.account()).expect("it is data");
        for (name, sum) in sums.as_object().expect("it has names") {
            assert_eq!(&account["sums"][name], sum, "{name}, {segments} segments of {scenario:?}");
        }
    }
    3
}

#[test]
fn segments_around_the_border_are_those_of_a_simple_reference() {
    let mut compared = 0;
    for (seed, d, length) in [(1, [1, 1], 500), (2, [1, 8], 500), (3, [0, 399], 500), (4, [3, 49], 1500)] {
        let small = Scenario { n: 1000, seed, ..Scenario::default() };
        let mut scenario = Scenario { n: (BORDER + 2000) as usize, ..small.clone() };
        scenario.timing.d = ringleader::model::Range::new(d[0], d[1]);
        for rounds in ["on", "off"] {
            let set = [("ids", "1000"), ("rounds", rounds)];
            let protocol = configured::<ItaiRodeh>(&set, &small).expect("it makes sense");
            compared += compare(&protocol, &scenario, length);
        }
        scenario.computed = true;
        let protocol = configured::<ChangRoberts>(&[], &scenario).expect("it has no parameters");
        compared += compare(&protocol, &scenario, length);
    }
    assert_eq!(compared, 36);
}

fn as_data<M: Message>(batch: &[(Time, u64, M)]) -> Vec<Value> {
    batch.iter().map(|(at, depth, message)| json!({ "at": at, "depth": depth, "message": message })).collect()
}
