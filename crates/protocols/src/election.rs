//! Leader election.

pub mod afek_gafni_async;
pub mod afek_gafni_sync;
pub mod all_to_all;
pub mod chang_roberts;
pub mod dolev_klawe_rodeh;
pub mod franklin;
pub mod frederickson_lynch;
pub mod hirschberg_sinclair;
pub mod itai_rodeh;
pub mod itai_rodeh_sync;
pub mod lelann;
pub mod peterson;
pub mod peterson_alternating;
pub mod spirakis_tampakas;
pub mod tasks;
pub mod time_slice;
pub mod van_leeuwen_tan;
pub mod vitanyi;

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Effects, Field, Id, Instance, Links, Message, Operand, Port, PortUse,
    Preset, Processor, Promise, Promised, Quantity, Starts, Topology, Value,
};
use serde::{Deserialize, Serialize, Serializer};

use crate::logarithm::n_log2_n;

/// The assumptions of most elections on unidirectional rings.
pub(crate) const RING: Assumptions = Assumptions::RING;

/// The assumptions of elections on synchronous rings: rounds, and a common first round.
const SYNCHRONOUS_RING: Assumptions =
    Assumptions { starts: Starts::Together, preset: Preset::Rounds, compulsory: true, timed: true, ..RING };

/// The assumptions of elections on bidirectional rings.
const BIDIRECTIONAL: Assumptions = Assumptions {
    topology: Topology::BidirectionalRing,
    port_use: PortUse::Alike("sends by both, passes on by the opposite one or answers by the same; compares no ports"),
    ..RING
};

/// Refuses a ring on which messages would count further than they can.
fn beyond_32_bits(instance: &Instance<'_>) -> BadSetting {
    BadSetting::new("n", format!("is {}", instance.n), format!("1 to {}: messages count in 32 bits", u32::MAX))
}

/// The promises of every election: one processor is elected, all know it, and nobody decides twice.
const fn somebody_wins(source: &'static str) -> [Promise; 3] {
    [
        Promise::new(Promised::WinnerKnown, source),
        Promise::new(Promised::DecidesOnce, source),
        Promise::new(Promised::OneElected, source),
    ]
}

/// The promises of an election that finds the greatest identity of all: whoever does not start by itself joins.
const fn greatest_wins(source: &'static str) -> [Promise; 4] {
    let [known, once, one] = somebody_wins(source);
    [Promise::new(Promised::GreatestWins, source), known, once, one]
}

/// The promises of an election that finds the smallest identity of all.
const fn smallest_wins(source: &'static str) -> [Promise; 4] {
    let [known, once, one] = somebody_wins(source);
    [Promise::new(Promised::SmallestWins, source), known, once, one]
}

/// The two ports of a bidirectional ring. Which of them is clockwise differs from processor to processor.
const BOTH: [Port; 2] = [Port(0), Port(1)];

/// On a bidirectional ring, the port opposite to this one.
pub(crate) const fn onward(port: Port) -> Port {
    Port(port.0 ^ 1)
}

/// The assumptions of elections on complete networks: a processor that counts its links knows the number of processors.
/// Most use one link after the other, in the order of their ports.
const COMPLETE: Assumptions = Assumptions { topology: Topology::Complete, known_size: true, ..RING };

/// The assumptions of proofs that need links that are first in, first out, hold.
fn orderly(instance: &Instance<'_>) -> bool {
    instance.undisturbed && instance.links != Links::Any
}

/// A billion times e, rounded up.
const E_BY_A_BILLION: u128 = 2_718_281_829;

/// The most terms that are added up: larger rings are divided among processes, none of which shall take minutes for a bound.
const MOST_TERMS: u64 = 1 << 31;

/// N·H_N, where H_N = 1 + 1/2 + … + 1/N.
fn n_times_harmonic(n: u64) -> Value {
    if n > MOST_TERMS { n_times_harmonic_of_many(n) } else { n_times_sum(n) }
}

/// N ln N + γ N + 1/2, too large by less than a part in a billion.
fn n_times_harmonic_of_many(n: u64) -> Value {
    let gamma = Value::ratio(577_215_665 * u128::from(n), 1_000_000_000);
    n_log2_n(n, 693_147_181, 1_000_000_000) + gamma + Value::ratio(1, 2)
}

fn n_times_sum(n: u64) -> Value {
    (1..=n).map(|k| Value::ratio(u128::from(n), u128::from(k))).fold(Value::ZERO, |sum, term| sum + term)
}

/// A message of protocols in which values compete and the winner is announced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Ballot {
    /// The value that an active processor holds.
    Value(Id),
    /// The identity that has won.
    #[message(announcement)]
    Announcement(Id),
}

/// A ring's announcement, where order on links is needed.
const fn full_turn<P>(source: &'static str) -> Bound<P> {
    Bound {
        quantity: Quantity::Announcement,
        kind: BoundKind::Exact,
        formula: "N",
        value: |_, instance| orderly(instance).then(|| Value::int(u128::from(instance.n))),
        source,
        counts: "the announcement's full turn",
    }
}

/// More identities are not listed where they are computed: whoever computes them has no memory for a list.
const MOST_LISTED: u64 = 1 << 26;

/// The order of the identities; `None` where it is computed, and long.
fn order<'a>(instance: &Instance<'a>) -> Option<Cow<'a, [u64]>> {
    let ids = instance.ids;
    (ids.is_listed() || instance.n <= MOST_LISTED).then(|| ids.list())
}

/// R: the number of times that local maxima are taken until one is left, and one for the round in which it finds out.
fn rounds_of_maxima(ids: &[u64]) -> u32 {
    let mut active = Cow::Borrowed(ids);
    let mut rounds = 1;
    while active.len() > 1 {
        let count = active.len();
        let survives = |&index: &usize| {
            let neighbours = [active[(index + count - 1) % count], active[(index + 1) % count]];
            neighbours.iter().all(|&other| other < active[index])
        };
        active = (0..count).filter(survives).map(|index| active[index]).collect::<Vec<_>>().into();
        rounds += 1;
    }
    rounds
}

/// Serialises a set of ports, a bit each, as the list of their numbers.
pub(crate) fn ports<S: Serializer>(bits: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq((0..u8::BITS).filter(|port| bits >> port & 1 == 1))
}

/// The number of links of a processor of a complete network of `n`.
pub(crate) fn links_of(n: u64) -> u32 {
    u32::try_from(n - 1).expect("a scenario is checked before a protocol is made for it")
}

/// Sends a message over all links, in the order of the ports.
pub(crate) fn send_to_all<P: Processor>(links: u32, message: &P::Message, fx: &mut impl Effects<P>) {
    for port in (0..links).map(Port) {
        fx.send(port, message.clone());
    }
}

/// The level and the identity of a candidate, ordered lexicographically, as in the lecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Standing {
    /// level
    pub level: u32,
    /// id; 0 is nobody's.
    pub id: Id,
}

impl Field for Standing {
    fn bits(&self) -> u64 {
        self.level.bits() + self.id.bits()
    }

    fn show(&self, _: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " level {} id {}", self.level, self.id)
    }

    fn identity(&self) -> Option<Id> {
        Some(self.id)
    }
}

impl From<Standing> for Operand {
    #[inline]
    fn from(standing: Standing) -> Self {
        (standing.level, standing.id).into()
    }
}

impl fmt::Debug for Standing {
    /// As the lecture's messages have it: level, id.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.level, self.id)
    }
}

/// For unit tests: the effects of a step.
#[cfg(test)]
pub(crate) struct Did<P: Processor> {
    pub(crate) sent: Vec<(u32, P::Message)>,
    pub(crate) reported: Vec<ringleader_model::Report<P>>,
    pub(crate) timers: u32,
    /// The comparisons that decided it, in words.
    pub(crate) comparisons: Vec<alloc::string::String>,
}

#[cfg(test)]
impl<P: Processor> Did<P> {
    /// The effects of one step of a processor.
    pub(crate) fn step(processor: &mut P, rules: &P::Rules, event: ringleader_model::Event<P>) -> Self {
        let mut did = Self { sent: Vec::new(), reported: Vec::new(), timers: 0, comparisons: Vec::new() };
        processor.step(rules, event, &mut did);
        did
    }
}

#[cfg(test)]
impl<P: Processor> Effects<P> for Did<P> {
    fn send(&mut self, port: Port, message: P::Message) {
        self.sent.push((port.0, message));
    }

    fn set_timer(&mut self, _: P::Timer, _: ringleader_model::Ticks) {
        self.timers += 1;
    }

    fn cancel_timer(&mut self, _: P::Timer) {}

    fn choose(&mut self, _: u32) -> u32 {
        0
    }

    fn report(&mut self, report: ringleader_model::Report<P>) {
        self.reported.push(report);
    }

    fn elapsed(&mut self) -> Option<ringleader_model::Ticks> {
        None
    }

    fn compare(&mut self, left: impl Into<Operand>, right: impl Into<Operand>) {
        self.comparisons.push(alloc::format!("{}", ringleader_model::StepComparison::new(left, right)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmonic_numbers_of_many_are_those_that_are_added_up() {
        for n in [1000, 12_345, 1_000_000] {
            let [exact, near] = [n_times_sum(n), n_times_harmonic_of_many(n)].map(|value| value.parts().0);
            assert!(near.abs_diff(exact) * 100_000_000 <= exact + 100_000_000, "{n}: {exact} and {near}");
        }
    }
}
