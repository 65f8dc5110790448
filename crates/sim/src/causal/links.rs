//! The links behind the places of a segment.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ringleader_model::{Delays, Place, Scenario, Time};

use crate::delay_model::DelayRange;

/// The delays of the links behind the places of a segment, and what keeps their order.
pub(super) enum SegmentLinks {
    /// Of every message.
    Constant(u64),
    /// By link.
    Listed(ListedLinks),
    /// Drawn for every message.
    Drawn(DrawnLinks),
}

/// Links with a delay each.
pub(super) struct ListedLinks {
    delays: Vec<u64>,
    shortest: u64,
    longest: Time,
}

/// Links whose delays are drawn.
pub(super) struct DrawnLinks {
    drawn: DelayRange,
    /// The first place, counted from the multiple of 2^32 before it.
    first: Place,
    shortest: u64,
    longest: Time,
    links: Vec<DrawnLink>,
}

/// A link: the last arrival, and the number of messages sent.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
struct DrawnLink {
    last_arrival: Time,
    sent: u32,
}

/// The delays of links, their kind being known to the compiler.
pub(super) trait LinkDelays {
    /// The arrival of a message that a place sends now, not before those sent earlier.
    fn arrival(&mut self, now: Time, place: usize) -> Time;
    /// No delay is longer.
    fn longest(&self) -> Time;
}

impl SegmentLinks {
    /// Those of these places, all before or all behind any multiple of 2^32. Their delays do not change with time, and are chosen
    /// by nobody.
    pub(super) fn new(scenario: &Scenario, places: &Range<u64>) -> Self {
        let (d, length) = (scenario.timing.delay_ranges().first(), (places.end - places.start) as usize);
        match &scenario.timing.delays {
            Delays::List(list) => {
                let delays = list[places.start as usize..places.end as usize].to_vec();
                let (shortest, longest) = (delays.iter().copied().min(), delays.iter().copied().max());
                Self::Listed(ListedLinks { shortest: shortest.unwrap_or(0), longest: longest.unwrap_or(0), delays })
            }
            Delays::Max => Self::Constant(d.max),
            Delays::Min => Self::Constant(d.min),
            _ if d.min == d.max => Self::Constant(d.min),
            _ => Self::Drawn(DrawnLinks {
                drawn: DelayRange::new(d.min, d.max - d.min + 1, scenario.seed).of_places((places.start >> 32) as u32),
                first: places.start as Place,
                shortest: d.min,
                longest: d.max,
                links: vec![DrawnLink { last_arrival: 0, sent: 0 }; length],
            }),
        }
    }

    /// The memory that a link takes, in bytes.
    pub(super) fn bytes_per_link(scenario: &Scenario) -> usize {
        let d = scenario.timing.delay_ranges().first();
        match &scenario.timing.delays {
            Delays::List(_) => 8,
            Delays::Max | Delays::Min => 0,
            _ if d.min == d.max => 0,
            _ => size_of::<DrawnLink>(),
        }
    }

    /// The least delay.
    pub(super) fn shortest(&self) -> u64 {
        match self {
            Self::Constant(delay) => *delay,
            Self::Listed(links) => links.shortest,
            Self::Drawn(links) => links.shortest,
        }
    }

    /// Before this time nothing arrives of what a place sends from `now` on.
    #[inline]
    pub(super) fn earliest(&self, now: Time, place: usize) -> Time {
        match self {
            Self::Constant(delay) => now.saturating_add(*delay),
            Self::Listed(links) => now.saturating_add(links.delays[place]),
            Self::Drawn(links) => now.saturating_add(links.shortest).max(links.links[place].last_arrival),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Listed(links) => links.delays.capacity() * 8,
            Self::Drawn(drawn) => drawn.links.capacity() * size_of::<DrawnLink>(),
        }
    }
}

impl LinkDelays for u64 {
    #[inline(always)]
    fn arrival(&mut self, now: Time, _: usize) -> Time {
        now + *self
    }

    #[inline(always)]
    fn longest(&self) -> Time {
        *self
    }
}

impl LinkDelays for ListedLinks {
    #[inline(always)]
    fn arrival(&mut self, now: Time, place: usize) -> Time {
        now + self.delays[place]
    }

    #[inline(always)]
    fn longest(&self) -> Time {
        self.longest
    }
}

impl LinkDelays for DrawnLinks {
    #[inline(always)]
    fn arrival(&mut self, now: Time, place: usize) -> Time {
        let link = &mut self.links[place];
        let mut sent = link.sent;
        let at = now + self.drawn.delay(self.first + place as Place, &mut sent);
        link.sent = sent;
        link.last_arrival = at.max(link.last_arrival);
        link.last_arrival
    }

    #[inline(always)]
    fn longest(&self) -> Time {
        self.longest
    }
}

/// Where their kind is not known to the compiler.
impl LinkDelays for SegmentLinks {
    #[inline]
    fn arrival(&mut self, now: Time, place: usize) -> Time {
        match self {
            Self::Constant(delay) => delay.arrival(now, place),
            Self::Listed(links) => links.arrival(now, place),
            Self::Drawn(links) => links.arrival(now, place),
        }
    }

    fn longest(&self) -> Time {
        match self {
            Self::Constant(delay) => *delay,
            Self::Listed(links) => links.longest,
            Self::Drawn(links) => links.longest,
        }
    }
}
