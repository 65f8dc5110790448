//! The messages that arrive at a place in an instant.

use core::ops::Range;

use ringleader_model::{Place, Port};

use super::TimedSystem;
use super::deferred::DeferredArrival;
use super::in_flight::Arrivals;
use crate::interner::Interned;
use crate::links::InPort;

/// The messages that arrive at a place in an instant, or that are read there.
pub(super) struct LocalCase {
    /// By in-link: the contents that stay in flight.
    pub(super) rest: Vec<Interned>,
    /// The messages that arrive, by the ranks of their senders and in order; with [deferred arrivals](super::deferred) those
    /// that are read, in order.
    pub(super) messages: Vec<(Port, Interned)>,
    /// The number of messages that are lost on arrival.
    pub(super) lost: u32,
    /// The links over which they are.
    pub(super) lossy: Vec<usize>,
    /// The links, and the indices of the messages that arrive.
    pub(super) arrived: Vec<(usize, Vec<usize>)>,
    pub(super) deferred: Vec<DeferredArrival>,
    /// With deferred arrivals: whether the clock ticks.
    pub(super) ticks: Option<bool>,
    /// The ranges of messages of one link that arrive at one instant.
    pub(super) together: Vec<Range<usize>>,
    /// With deferred arrivals: the last message that is read could as well be the first of the next tick.
    pub(super) postponable: bool,
}

impl TimedSystem {
    /// The cases of a place in an instant. `is_deaf`: no message reaches it.
    pub(super) fn cases(&mut self, state: &[Interned], place: usize, is_deaf: bool) -> Vec<LocalCase> {
        if self.deferred.is_some() {
            return self.deferred_cases(state, place);
        }
        let mut cases = vec![LocalCase {
            rest: Vec::new(),
            messages: Vec::new(),
            lost: 0,
            lossy: Vec::new(),
            arrived: Vec::new(),
            deferred: Vec::new(),
            ticks: None,
            together: Vec::new(),
            postponable: false,
        }];
        for in_port in self.links.in_ports(place as Place) {
            let InPort { at, port: rank, .. } = self.links.in_port(in_port);
            let loses = is_deaf || self.cut != 0 && self.is_cut(at);
            let arrivals = self.in_flight.arrivals(state[at as usize]);
            let received = |arrivals: &Arrivals| if loses { 0 } else { arrivals.messages.len() };
            let longer = |case: &LocalCase, arrivals: &Arrivals| LocalCase {
                rest: [&case.rest[..], &[arrivals.rest]].concat(),
                messages: case
                    .messages
                    .iter()
                    .copied()
                    .chain(arrivals.messages[..received(arrivals)].iter().map(|&message| (Port(rank), message)))
                    .collect(),
                lost: case.lost + (arrivals.messages.len() - received(arrivals)) as u32,
                lossy: case.lossy.iter().copied().chain(loses.then_some(at as usize - self.n)).collect(),
                arrived: [&case.arrived[..], &[(at as usize - self.n, arrivals.which.clone())]].concat(),
                deferred: Vec::new(),
                ticks: None,
                together: longer_ranges(&case.together, case.messages.len(), received(arrivals)),
                postponable: false,
            };
            cases = cases.iter().flat_map(|case| arrivals.iter().map(move |arrivals| longer(case, arrivals))).collect();
        }
        cases
    }
}

/// The ranges with another one from `from` on, if it has several members.
fn longer_ranges(ranges: &[Range<usize>], from: usize, len: usize) -> Vec<Range<usize>> {
    ranges.iter().cloned().chain((len > 1).then_some(from..from + len)).collect()
}
