//! One independent reference per election: its cost, worked out from the definition by plain functions on a list of
//! identities, clockwise, that keep no queues and deliver no messages wherever the definition can do without.
//!
//! All start together unless said, and times are those of the protocol's usual timing: one unit per message pass, or
//! rounds. In unit time every message is sent in reaction to one that has just arrived, so that time and depth are the
//! same; a reference whose time is that of the unit preset therefore gives one figure for both.
//!
//! On a unidirectional ring the figures hold under every schedule. A processor has one input, which is first in, first
//! out, and what it sends is a function of what it has read: the ring is a network of Kahn's, whose streams do not
//! depend on the order of execution. Nor do they depend on who wakes by itself, as one who is reached starts first.

use std::collections::BTreeMap;

use ringleader::model::{Id, Outcome};
use ringleader::sim::{Summary, Verdict};

mod bidirectional;
mod complete;
mod streams;
mod synchronous;
#[cfg(test)]
mod tests;
mod unidirectional;

pub use bidirectional::{Blocked, HopTest, franklin, hirschberg_sinclair};
pub use complete::{afek_gafni_sync, afek_gafni_sync_flat, all_to_all, plain_links};
pub use streams::dolev_klawe_rodeh_b;
pub use synchronous::{frederickson_lynch, time_slice};
pub use unidirectional::{
    Active, alternating_phases, chang_roberts, dolev_klawe_rodeh_a, lelann, peterson_alternating, peterson_holder,
    peterson_owner, peterson_rounds,
};

/// The name that the announcement of every protocol has.
const ANNOUNCEMENT: &str = "announcement";

/// What an election cost and whom it elected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// Message passes by kind; kinds that never occurred are left out.
    pub passes: BTreeMap<&'static str, u64>,
    /// Bits of all of them.
    pub bits: u64,
    /// The highest phase or round that anybody reached.
    pub phases: Option<u64>,
    /// Where the processor is that declares itself.
    pub place: usize,
    /// The identity under which it does.
    pub id: u64,
    /// When it declares itself.
    pub time_elected: u64,
    /// When the last step is taken.
    pub time: u64,
    /// The longest causal chain of messages up to the declaration.
    pub depth_elected: u64,
    /// The longest causal chain of all.
    pub depth: u64,
}

impl Account {
    /// What a run came to, if it was as it should be: one leader, on whom all agree.
    #[track_caller]
    pub fn of(summary: &Summary) -> Self {
        assert_eq!(summary.verdict, Verdict::Held, "{:?}", summary.violations);
        assert!(summary.finished, "everybody decides");
        let Outcome::Election { leaders, agreed, .. } = &summary.outcome else { panic!("it was an election") };
        assert_eq!(leaders.len(), 1, "{leaders:?}");
        assert_eq!(*agreed, leaders[0].id);
        let cost = &summary.cost;
        Self {
            passes: cost.kinds.iter().map(|(kind, passes)| (kind.name, *passes)).filter(|(_, p)| *p > 0).collect(),
            bits: cost.bits,
            phases: cost.phases.map(u64::from),
            place: leaders[0].place as usize,
            id: leaders[0].id.map(Id::get).expect("it has an identity"),
            time_elected: cost.time_elected.expect("somebody was elected"),
            time: cost.time,
            depth_elected: cost.depth_elected.expect("somebody was elected"),
            depth: cost.depth,
        }
    }

    /// Message passes without the announcement.
    pub fn election(&self) -> u64 {
        self.passes.iter().filter(|(kind, _)| **kind != ANNOUNCEMENT).map(|(_, passes)| passes).sum()
    }

    /// Message passes of one kind.
    pub fn of_kind(&self, kind: &str) -> u64 {
        self.passes.get(kind).copied().unwrap_or(0)
    }

    /// The same without times and depths, which depend on the schedule.
    pub fn without_times(&self) -> Self {
        Self { time_elected: 0, time: 0, depth_elected: 0, depth: 0, ..self.clone() }
    }
}

/// Messages as they are counted.
struct PassTally {
    tag: u64,
    passes: BTreeMap<&'static str, u64>,
    bits: u64,
}

impl PassTally {
    /// For a protocol with this number of kinds of messages.
    fn of_kinds(kinds: u64) -> Self {
        Self { tag: kinds.next_power_of_two().ilog2().into(), passes: BTreeMap::new(), bits: 0 }
    }

    /// A message with these fields crosses this number of links.
    fn pass(&mut self, kind: &'static str, links: u64, fields: &[u64]) {
        if links > 0 {
            *self.passes.entry(kind).or_default() += links;
            self.bits += links * (self.tag + fields.iter().copied().map(bit_length).sum::<u64>());
        }
    }

    /// An election without phases: who leads, the times of its declaration and of the last step, and their depths.
    fn account(self, (place, id): (usize, u64), [time_elected, time]: [u64; 2], depths: [u64; 2]) -> Account {
        let ([depth_elected, depth], Self { passes, bits, .. }) = (depths, self);
        Account { passes, bits, phases: None, place, id, time_elected, time, depth_elected, depth }
    }

    /// An election on a ring in unit time that is over but for the announcement, which traverses the ring.
    fn announced_round_the_ring(mut self, n: usize, place: usize, id: u64, phases: u64, elected: u64) -> Account {
        self.pass(ANNOUNCEMENT, n as u64, &[id]);
        let times = [elected, elected + n as u64];
        Account { phases: Some(phases), ..self.account((place, id), times, times) }
    }
}

/// The length of an integer field: one bit at least.
fn bit_length(value: u64) -> u64 {
    (u64::BITS - value.leading_zeros()).max(1).into()
}

/// The number of links clockwise between two places; all of them from a place to itself.
fn clockwise(from: usize, to: usize, n: usize) -> u64 {
    (if to > from { to - from } else { to + n - from }) as u64
}

/// The place and the identity that are greatest.
fn greatest(ids: &[u64]) -> (usize, u64) {
    let (place, id) = ids.iter().enumerate().max_by_key(|(_, id)| **id).expect("somebody is there");
    (place, *id)
}

/// The place and the identity that are least.
fn least(ids: &[u64]) -> (usize, u64) {
    let (place, id) = ids.iter().enumerate().min_by_key(|(_, id)| **id).expect("somebody is there");
    (place, *id)
}
