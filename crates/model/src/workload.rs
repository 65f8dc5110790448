use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::{BadSetting, Place, Range, Scenario, Time, Value};

/// Repeated requests of users to enter, or to read or write. The engine makes the requests.
///
/// The first comes at a site's first step, or `first` own steps later, after that step's messages and timers; a site
/// that has entered leaves `hold` own steps later, and asks again `think` own steps after it has left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// The number of entries, reads or writes of each competing site; [`FOREVER`](Self::FOREVER): no number is the last.
    pub entries: u64,
    /// Places below this one make requests.
    pub compete: usize,
    /// Own steps before asking for the first time.
    pub first: Range,
    /// Own steps from leaving to asking again.
    pub think: Range,
    /// Own steps from entering to leaving; at least 1.
    pub hold: Range,
    /// The number of readers: the first places. 0 where there are no readers and writers.
    pub readers: usize,
    /// The number of writers: the places after the readers.
    pub writers: usize,
    /// The number of processors, at the last places, that are shared cells rather than sites.
    pub cells: usize,
}

impl Workload {
    /// Most entries of one site, where they are counted.
    pub const MOST: u64 = 1 << 32;
    /// Entries without end, of which only a model checker explores all.
    pub const FOREVER: u64 = u64::MAX;

    /// The default: all of `n` sites make requests.
    pub const fn new(n: usize) -> Self {
        Self {
            entries: 20,
            compete: n,
            first: Range::new(0, 0),
            think: Range::new(0, 0),
            hold: Range::new(10, 10),
            readers: 0,
            writers: 0,
            cells: 0,
        }
    }

    /// Whether a place reads, so that other readers do not disturb it.
    pub const fn is_reader(&self, place: Place) -> bool {
        (place as usize) < self.readers
    }

    /// The number of requests of a place.
    pub const fn asks(&self, place: Place) -> u64 {
        let sites = if self.readers + self.writers > 0 { self.readers + self.writers } else { self.compete };
        if (place as usize) < self.compete && (place as usize) < sites { self.entries } else { 0 }
    }

    /// Whether entries go on forever.
    pub const fn is_unbounded(&self) -> bool {
        self.entries == Self::FOREVER
    }

    /// Checks that it fits `n` processors.
    pub(crate) fn check(&self, n: usize) -> Result<(), BadSetting> {
        let sites = n.saturating_sub(self.cells);
        if self.entries == 0 || self.entries > Self::MOST && !self.is_unbounded() {
            let wrong = format!("is {}", self.entries);
            return Err(BadSetting::new("entries", wrong, format!("1 to {}", Self::MOST)));
        }
        if self.compete == 0 || self.compete > sites {
            return Err(BadSetting::new("compete", format!("is {}", self.compete), format!("1 to {sites} sites")));
        }
        if self.readers + self.writers > sites {
            let wrong = format!("are {}, beside {} writers", self.readers, self.writers);
            return Err(BadSetting::new("readers", wrong, format!("at most {sites} sites together")));
        }
        for (field, range, least) in [("first", self.first, 0), ("think", self.think, 0), ("hold", self.hold, 1)] {
            if range.min < least || range.min > range.max || range.max > Self::MOST {
                let allowed = format!("A or A..B, from {least} to {} steps", Self::MOST);
                return Err(BadSetting::new(field, format!("is {range}"), allowed));
            }
        }
        Ok(())
    }
}

/// The requests of a workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkloadRequests<R> {
    /// To enter, or to read or write.
    pub acquire: R,
    /// To leave, where a site stays inside.
    pub release: Option<R>,
}

/// The meaning of a report to the workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkloadEvent {
    /// The request is granted; the engine will make the site leave.
    Entered,
    /// The site has left, or the access is over; it may ask again.
    Left,
}

/// Measures a run by its reports and the engine's clock: for statistics, never for a verdict.
pub trait Meter<R>: Clone + Debug {
    /// Nothing has been reported yet.
    fn new(scenario: &Scenario) -> Self;
    /// Takes note of a report.
    fn observe(&mut self, _now: Time, _place: Place, _report: &R) {}
    /// A message was lost.
    fn lost(&mut self, _now: Time) {}
    /// A message was duplicated.
    fn duplicated(&mut self, _now: Time) {}
    /// The measurements, in a run with this number of message passes.
    fn tally(&self, messages: u64) -> Tally;
}

/// Nothing is measured but what every run costs.
impl<R> Meter<R> for () {
    fn new(_: &Scenario) -> Self {}

    fn tally(&self, _: u64) -> Tally {
        Tally::default()
    }
}

/// The measurements of a [`Meter`]. Means are over the time in which every competing site still had entries left.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Message passes per entry, over the whole run.
    pub messages_per_entry: Option<Value>,
    /// From asking to entering; the longest is that of the whole run.
    pub granting_delay: Option<Lengths>,
    /// Negative replies per entry.
    pub negatives: Option<Value>,
    /// Attempts per read.
    pub attempts: Option<Value>,
    /// Jain's index of the sites' entries: 1 if all have the same, 1/s if one of s has them all.
    pub fairness: Option<Value>,
    /// The number of sites that asked and got nothing while every competing site still had entries left and one had
    /// three or more.
    pub starved: Option<u64>,
    /// The number of entries that the means are over.
    pub sample: u64,
    /// Turns of the ring until there was one token for good.
    pub laps: Option<Value>,
}

/// Lengths of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// The mean.
    pub mean: Value,
    /// The 95th percentile.
    pub p95: Time,
    /// The longest.
    pub max: Time,
}

impl Lengths {
    /// Of a list; `None` if it is empty.
    pub fn of(list: &[Time]) -> Option<Self> {
        Self::and_longest(list, 0)
    }

    /// Of a list, beside which there were others, of which this is the longest; `None` if the list is empty.
    pub(crate) fn and_longest(list: &[Time], longest: Time) -> Option<Self> {
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        let sum: u128 = sorted.iter().map(|&length| u128::from(length)).sum();
        let max = longest.max(*sorted.last()?);
        Some(Self {
            mean: Value::ratio(sum, sorted.len() as u128),
            p95: sorted[(sorted.len() * 19).div_ceil(20) - 1],
            max,
        })
    }
}

/// A mean; `None` of nothing.
pub(crate) fn mean(sum: u64, count: u64) -> Option<Value> {
    (count > 0).then(|| Value::ratio(u128::from(sum), u128::from(count)))
}

/// The entries of each site, while every competing site still has some left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Contest {
    left: Vec<u64>,
    had: Vec<u64>,
    asked: Vec<bool>,
    open: bool,
}

impl Contest {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let n = scenario.n;
        Self { left: scenario.asks(), had: vec![0; n], asked: vec![false; n], open: true }
    }

    /// A site asks.
    pub(crate) fn ask(&mut self, place: Place) {
        self.asked[place as usize] |= self.open;
    }

    /// A site has one more; true if it counts.
    pub(crate) fn have(&mut self, place: Place) -> bool {
        let counts = self.open;
        let left = &mut self.left[place as usize];
        *left = left.saturating_sub(1);
        self.open &= *left > 0;
        self.had[place as usize] += u64::from(counts);
        counts
    }

    pub(crate) fn starved(&self) -> u64 {
        // A site that was overtaken once or twice has not starved: one must be first.
        if self.had.iter().all(|&had| had < 3) {
            return 0;
        }
        self.asked.iter().zip(&self.had).filter(|&(&asked, &had)| asked && had == 0).count() as u64
    }

    /// Jain's index over the sites that made requests.
    pub(crate) fn fairness(&self) -> Option<Value> {
        let had = || self.asked.iter().zip(&self.had).filter(|(asked, _)| **asked).map(|(_, &had)| u128::from(had));
        let (count, sum, squares) =
            (had().count() as u128, had().sum::<u128>(), had().map(|had| had * had).sum::<u128>());
        (squares > 0).then(|| Value::ratio(sum * sum, count * squares))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_percentile_is_the_nearest_rank() {
        let lengths = Lengths::of(&(1..=100).rev().collect::<Vec<_>>()).expect("there are some");
        assert_eq!((lengths.p95, lengths.max, lengths.mean), (95, 100, Value::ratio(101, 2)));
        assert_eq!(Lengths::of(&[7]).map(|lengths| (lengths.p95, lengths.max)), Some((7, 7)));
        assert_eq!(Lengths::of(&[]), None);
    }

    #[test]
    fn the_contest_ends_when_the_first_has_none_left() {
        let workload = Workload { entries: 3, ..Workload::new(3) };
        let mut contest = Contest::new(&Scenario { n: 3, workload: Some(workload), ..Scenario::default() });
        for place in 0..3 {
            contest.ask(place);
        }
        // 0, 1, 0, 0: then 0 has none left, and what follows does not count.
        assert_eq!([0, 1, 0].map(|place| contest.have(place)), [true, true, true]);
        assert_eq!(contest.starved(), 0, "nobody has had three");
        assert_eq!([0, 1, 2, 2].map(|place| contest.have(place)), [true, false, false, false]);
        assert_eq!(contest.starved(), 1, "place 2 got nothing as long as it had to compete with 0");
        // (3 + 1 + 0)² / (3 · (9 + 1 + 0)) = 16/30.
        assert_eq!(contest.fairness(), Some(Value::ratio(16, 30)));
    }
}
