//! What a search may choose: the order of identities, who wakes, orientations, ports, clocks and delays.

use std::fmt;
use std::str::FromStr;

use ringleader_exact::{MOST, RunValues};
use ringleader_model::{
    BadSetting, BadText, ChangingRange, Clocks, Delays, Place, Ports, Range, Scenario, Starts, Topology, Wakes, word,
};
use ringleader_sim::Random;

use crate::error::Error;
use crate::exact::Evaluator;
use crate::setup::Setup;

/// Something that a search may choose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dimension {
    /// The order of the identities.
    Orders,
    /// The initiators, which wake at time 0.
    Wakes,
    /// On a bidirectional ring, whose left and right are exchanged.
    Orientations,
    /// The numbering of the ports of a complete network.
    Ports,
    /// The tick length of each processor, within r.
    Clocks,
    /// The delay of each link, within d.
    Delays,
    /// Every schedule without clocks: a model checker explores all.
    Schedules,
}

impl Dimension {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Orders, Self::Wakes, Self::Orientations, Self::Ports, Self::Clocks, Self::Delays, Self::Schedules];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Wakes => "wakes",
            Self::Orientations => "orientations",
            Self::Ports => "ports",
            Self::Clocks => "clocks",
            Self::Delays => "delays",
            Self::Schedules => "schedules",
        }
    }
}

impl FromStr for Dimension {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        word(text, &Self::ALL, Self::name)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// All scenarios that a search may choose from.
pub(crate) struct SearchSpace<'a> {
    base: &'a Setup,
    dimensions: Vec<Dimension>,
    /// The identities in increasing order.
    identities: Vec<u64>,
    /// Whether the greatest identity stays at place 0, since rotations change nothing.
    anchored: bool,
    r: Range,
    d: Range,
}

/// One of them: what is not searched for is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SearchPoint {
    ids: Vec<u64>,
    woken: Vec<bool>,
    exchanged: Vec<bool>,
    ports: Vec<Vec<Place>>,
    clocks: Vec<u64>,
    delays: Vec<u64>,
}

impl<'a> SearchSpace<'a> {
    /// Around a set-up. Without dimensions: orders, and clocks and delays where they are left open within a range.
    pub(crate) fn new(base: &'a Setup, asked: &[Dimension]) -> Result<Self, BadSetting> {
        let Scenario { timing, ids, .. } = &*base.scenario;
        let topology = base.description().assumptions.topology;
        let mut dimensions = asked.to_vec();
        if dimensions.is_empty() {
            dimensions.push(Dimension::Orders);
            let given = &base.given;
            let open =
                |range: Option<&ChangingRange>| range.is_some_and(|r| !r.changes() && r.first().min < r.first().max);
            if given.clocks.is_none() && open(given.r.as_ref()) {
                dimensions.push(Dimension::Clocks);
            }
            if given.delays.is_none() && open(given.d.as_ref()) && topology.is_ring() {
                dimensions.push(Dimension::Delays);
            }
        }
        dimensions.sort_unstable();
        dimensions.dedup();
        for &dimension in &dimensions {
            refuse(base, dimension)?;
        }
        let mut identities = ids.clone();
        identities.sort_unstable();
        // A rotation changes nothing where all that depends on places is searched for, or the same everywhere.
        let given = &base.given;
        let listed = given.clocks.is_some() || given.delays.is_some() || given.offsets.is_some();
        let woken = given.wake.is_some() || given.wake_at.is_some() || !given.again.is_empty();
        let drawn = |range: Range, searched| range.min < range.max && !dimensions.contains(&searched);
        let by_place =
            listed || woken || given.orientation.is_some() || given.faults.is_some() || given.values.is_some();
        let uneven = by_place || drawn(timing.r, Dimension::Clocks) || drawn(timing.d, Dimension::Delays);
        let anchored = topology.is_ring() && !uneven;
        Ok(Self { base, dimensions, identities, anchored, r: timing.r, d: timing.d })
    }

    pub(crate) fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    fn has(&self, dimension: Dimension) -> bool {
        self.dimensions.contains(&dimension)
    }

    fn n(&self) -> usize {
        self.identities.len()
    }

    /// The places whose identities may change.
    fn free_places(&self) -> usize {
        if self.anchored { self.n() - 1 } else { self.n() }
    }

    /// How many there are, if that is less than 2^127.
    pub(crate) fn count(&self) -> Option<u128> {
        let n = self.n();
        let mut count = Some(1u128);
        let mut multiply = |factor: Option<u128>| {
            count =
                count.zip(factor).and_then(|(count, factor)| count.checked_mul(factor)).filter(|all| all >> 127 == 0);
        };
        for dimension in &self.dimensions {
            let lists = |range: Range, length: usize| {
                u128::from(range.max - range.min + 1).checked_pow(u32::try_from(length).ok()?)
            };
            multiply(match dimension {
                Dimension::Orders => factorial(self.free_places()),
                Dimension::Wakes => 1u128.checked_shl(n as u32).filter(|_| n < 127).map(|all| all - 1),
                Dimension::Orientations => 1u128.checked_shl(n as u32).filter(|_| n < 127),
                Dimension::Ports => factorial(n.saturating_sub(1)).and_then(|one| one.checked_pow(n as u32)),
                Dimension::Clocks => lists(self.r, n),
                Dimension::Delays => lists(self.d, n),
                Dimension::Schedules => Some(1),
            });
        }
        count
    }

    /// The one of this number, below [`count`](Self::count).
    pub(crate) fn nth(&self, index: u128) -> SearchPoint {
        let mut rest = index;
        self.choose(&mut |bound| {
            let digit = rest % u128::from(bound);
            rest /= u128::from(bound);
            digit as u64
        })
    }

    /// One at random.
    pub(crate) fn random(&self, random: &mut Random) -> SearchPoint {
        self.choose(&mut |bound| random.below(bound))
    }

    /// Makes one, choice by choice, each below a bound: the choices of all points, in order, are a number system.
    fn choose(&self, choice: &mut dyn FnMut(u64) -> u64) -> SearchPoint {
        let n = self.n();
        let mut point = SearchPoint { ids: self.identities.clone(), ..SearchPoint::default() };
        if self.anchored {
            point.ids.rotate_right(1);
        }
        if self.has(Dimension::Orders) {
            arrange(&mut point.ids[n - self.free_places()..], choice);
        } else {
            point.ids.clone_from(&self.base.scenario.ids);
        }
        if self.has(Dimension::Wakes) {
            // Not the empty set; the first is that of all.
            point.woken = match n {
                0..63 => {
                    let set = choice((1 << n) - 1);
                    (0..n).map(|place| set >> place & 1 == 0).collect()
                }
                _ => (0..n).map(|place| place == 0 || choice(2) == 0).collect(),
            };
        }
        if self.has(Dimension::Orientations) {
            point.exchanged = (0..n).map(|_| choice(2) == 1).collect();
        }
        if self.has(Dimension::Ports) {
            for place in 0..n as Place {
                let mut others: Vec<Place> = (0..n as Place).filter(|&other| other != place).collect();
                arrange(&mut others, choice);
                point.ports.push(others);
            }
        }
        let mut list = |range: Range| (0..n).map(|_| range.min + choice(range.max - range.min + 1)).collect();
        if self.has(Dimension::Clocks) {
            point.clocks = list(self.r);
        }
        if self.has(Dimension::Delays) {
            point.delays = list(self.d);
        }
        point
    }

    /// Changes something at random.
    pub(crate) fn change(&self, point: &mut SearchPoint, random: &mut Random) {
        let n = self.n() as u64;
        let dimension = self.dimensions[random.below(self.dimensions.len() as u64) as usize];
        let place = random.below(n) as usize;
        match dimension {
            Dimension::Orders => rearrange(&mut point.ids[self.n() - self.free_places()..], random),
            Dimension::Wakes => {
                point.woken[place] ^= true;
                // Somebody wakes.
                if !point.woken.contains(&true) {
                    point.woken[place] = true;
                }
            }
            Dimension::Orientations => point.exchanged[place] ^= true,
            Dimension::Ports => rearrange(&mut point.ports[place], random),
            Dimension::Clocks => point.clocks[place] = self.r.min + random.below(self.r.max - self.r.min + 1),
            Dimension::Delays => point.delays[place] = self.d.min + random.below(self.d.max - self.d.min + 1),
            Dimension::Schedules => {}
        }
    }

    /// Its scenario.
    pub(crate) fn scenario(&self, point: &SearchPoint) -> Scenario {
        let mut scenario = Scenario::clone(&self.base.scenario);
        scenario.ids.clone_from(&point.ids);
        if !point.woken.is_empty() {
            let all = point.woken.iter().all(|&woken| woken);
            let at = point.woken.iter().map(|&woken| woken.then_some(0)).collect();
            scenario.wakes = if all { Wakes::All } else { Wakes::At(at) };
        }
        if !point.exchanged.is_empty() {
            scenario.orientation = if point.exchanged.contains(&true) { point.exchanged.clone() } else { Vec::new() };
        }
        if !point.ports.is_empty() {
            scenario.ports = Ports::Listed(point.ports.clone());
        }
        if !point.clocks.is_empty() {
            scenario.timing.clocks = Clocks::List(point.clocks.clone());
        }
        if !point.delays.is_empty() {
            scenario.timing.delays = Delays::List(point.delays.clone());
        }
        scenario
    }

    /// Runs it.
    pub(crate) fn evaluate(&self, evaluator: &mut Evaluator<'_>, point: &SearchPoint) -> Result<RunValues, Error> {
        let n = self.n();
        let elsewhere = !point.ports.is_empty() || !point.clocks.is_empty() || !point.delays.is_empty();
        let fixed = self.base.scenario.wakes != Wakes::All || !self.base.scenario.orientation.is_empty();
        let small = n <= MOST && self.identities.last().is_none_or(|&id| id <= u64::from(u8::MAX));
        if !evaluator.has_kernel() || elsewhere || fixed || !small {
            return evaluator.simulate(self.scenario(point));
        }
        let mut ids = [0; MOST];
        for (id, &given) in ids.iter_mut().zip(&point.ids) {
            *id = given as u8;
        }
        let set = |places: &[bool]| (0..).zip(places).map(|(place, &is_in)| u32::from(is_in) << place).sum::<u32>();
        let wakes = if point.woken.is_empty() { u32::MAX } else { set(&point.woken) };
        evaluator.evaluate(&ids[..n], wakes, set(&point.exchanged))
    }
}

/// Refuses a dimension that a protocol or scenario does not have.
fn refuse(base: &Setup, dimension: Dimension) -> Result<(), BadSetting> {
    let assumptions = &base.description().assumptions;
    let timing = &base.scenario.timing;
    let ring = assumptions.topology.is_ring();
    let allowed = match dimension {
        Dimension::Wakes if assumptions.starts == Starts::Together => "not where all start in the same round",
        Dimension::Orientations if assumptions.topology != Topology::BidirectionalRing => {
            "only on a bidirectional ring"
        }
        Dimension::Ports if assumptions.topology != Topology::Complete => "only on a complete network",
        Dimension::Clocks if timing.tick_ranges().changes() => "with a range of tick lengths that does not change",
        Dimension::Delays if timing.delay_ranges().changes() => "with a range of delays that does not change",
        Dimension::Schedules if !timing.changes.is_empty() => "without ranges that change: schedules have no instants",
        Dimension::Clocks if timing.r.min == timing.r.max => "with a range of tick lengths, such as --r 1..4",
        Dimension::Delays if !ring => "only on a ring; --over schedules explores all delays of a complete network",
        Dimension::Delays if timing.d.min == timing.d.max => "with a range of delays, such as --d 1..4",
        Dimension::Schedules => "alone: without clocks every order and wake set is explored besides",
        _ => return Ok(()),
    };
    Err(BadSetting::new("over", format!("has {dimension}"), allowed))
}

fn factorial(n: usize) -> Option<u128> {
    (1..=n as u128).try_fold(1u128, u128::checked_mul)
}

/// Puts a list in the order that some choices say, which is each order once.
fn arrange<T>(list: &mut [T], choice: &mut dyn FnMut(u64) -> u64) {
    for place in 0..list.len() {
        let chosen = place + choice((list.len() - place) as u64) as usize;
        list[place..=chosen].rotate_right(1);
    }
}

/// Exchanges two, moves one, or reverses or rotates a segment.
fn rearrange<T>(list: &mut [T], random: &mut Random) {
    let length = list.len() as u64;
    if length < 2 {
        return;
    }
    let (one, other) = (random.below(length) as usize, random.below(length) as usize);
    let segment = &mut list[one.min(other)..=one.max(other)];
    match random.below(6) {
        0 => segment.reverse(),
        1 => segment.rotate_left(1),
        2 => segment.rotate_right(1),
        3 => {
            let by = random.below(segment.len() as u64) as usize;
            segment.rotate_left(by);
        }
        _ => list.swap(one, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, find};
    use ringleader_model::Links;

    fn base(protocol: &str, options: Options) -> Setup {
        Setup::new(find(protocol).unwrap(), options).unwrap()
    }

    /// The number of different points among all, and whether every scenario is one that the protocol accepts.
    fn distinct(setup: &Setup, dimensions: &[Dimension]) -> (usize, u128) {
        let space = SearchSpace::new(setup, dimensions).unwrap();
        let count = space.count().unwrap();
        let mut points: Vec<_> = (0..count).map(|index| space.nth(index)).collect();
        for point in &points {
            space.scenario(point).check(&setup.description().assumptions).unwrap();
        }
        points.sort_by_key(|point| format!("{point:?}"));
        points.dedup();
        (points.len(), count)
    }

    #[test]
    fn every_point_is_counted_once() {
        use Dimension::{Clocks, Delays, Orders, Orientations, Ports, Wakes};
        let of = |n: u64| Options { n: Some(n), ..Options::default() };
        let timed = || Options { r: Some(Range::new(1, 2).into()), d: Some(Range::new(0, 2).into()), ..of(3) };
        // (n-1)! orders, 2^n - 1 wake sets, 2^n orientations; n! orders and (n-1)!^n numberings; 2^3 and 3^3 lists.
        for (protocol, options, dimensions, expected) in [
            ("chang-roberts", of(5), &[Orders][..], 24),
            ("chang-roberts", of(4), &[Orders, Wakes], 6 * 15),
            ("franklin", of(3), &[Orders, Wakes, Orientations], 2 * 7 * 8),
            ("afek-gafni-async", of(3), &[Orders, Ports], 6 * 8),
            ("vitanyi", timed(), &[Orders, Clocks, Delays], 2 * 8 * 27),
        ] {
            let found = distinct(&base(protocol, options), dimensions);
            assert_eq!(found, (expected, expected as u128), "{protocol} {dimensions:?}");
        }
    }

    #[test]
    fn changes_stay_inside() {
        let setup = base("franklin", Options { n: Some(5), links: Some(Links::Fifo), ..Options::default() });
        let space = SearchSpace::new(&setup, &[Dimension::Orders, Dimension::Wakes, Dimension::Orientations]).unwrap();
        let mut random = Random::new(7);
        let mut point = space.random(&mut random);
        for _ in 0..500 {
            space.change(&mut point, &mut random);
            space.scenario(&point).check(&setup.description().assumptions).unwrap();
            assert_eq!(point.ids[0], 5, "the greatest stays");
        }
    }
}
