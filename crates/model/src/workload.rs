use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::{BadSetting, LoadChange, Place, Range, Scenario, SiteLoad, Time, Value, load};

/// Repeated requests of users to enter, or to read or write. The engine makes the requests.
///
/// The first comes at a site's first step, or `first` own steps later, after that step's messages and timers; a site
/// that has entered leaves `hold` own steps later, and asks again `think` own steps after it has left.
///
/// A site can have several users, who compete locally: each makes its own requests, and those of a site queue, first come, first
/// served. The site asks for the first; when a user has left, it asks for the next at once. So it is a sequence of requests like
/// that of one user, and the protocol cannot tell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// The number of entries, reads or writes of each competing site; [`FOREVER`](Self::FOREVER): no number is the last.
    pub entries: u64,
    /// The number of users of each site, who make `entries` requests each.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub users: usize,
    /// Places below this one make requests.
    pub compete: usize,
    /// Where the load changes: how many of them compete from when on. The last number is `compete`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LoadChange>,
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

const fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_one(users: &usize) -> bool {
    *users == 1
}

impl Workload {
    /// Most users of one site.
    pub const MOST_USERS: usize = 1000;
    /// Most entries of one site, where they are counted.
    pub const MOST: u64 = 1 << 32;
    /// Entries without end, of which only a model checker explores all.
    pub const FOREVER: u64 = u64::MAX;

    /// The default: all of `n` sites make requests.
    pub const fn new(n: usize) -> Self {
        Self {
            entries: 20,
            users: 1,
            compete: n,
            changes: Vec::new(),
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

    /// The number of requests of a place, of all its users together.
    pub const fn asks(&self, place: Place) -> u64 {
        let sites = if self.readers + self.writers > 0 { self.readers + self.writers } else { self.compete };
        if (place as usize) < self.compete && (place as usize) < sites { self.of_site() } else { 0 }
    }

    /// The number of requests of a site that competes.
    pub const fn of_site(&self) -> u64 {
        self.entries.saturating_mul(self.users as u64)
    }

    /// The number of competing sites, as it changes.
    pub fn load(&self) -> SiteLoad {
        SiteLoad::of(self.compete, &self.changes)
    }

    /// The first time from `now` on at which a place that competes makes its request.
    pub fn asks_from(&self, place: Place, now: Time) -> Time {
        SiteLoad::asks_from(&self.changes, place, now)
    }

    /// The time from which on the load does not change.
    pub fn settled(&self) -> Time {
        self.changes.last().map_or(0, |change| change.from)
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
        if self.users == 0 || self.users > Self::MOST_USERS {
            return Err(BadSetting::new("users", format!("is {}", self.users), format!("1 to {}", Self::MOST_USERS)));
        }
        if self.users > 1 && self.cells > 0 {
            let allowed = "1: users compete locally for a lock, and shared cells have none";
            return Err(BadSetting::new("users", format!("is {}", self.users), allowed));
        }
        if self.compete == 0 || self.compete > sites {
            return Err(BadSetting::new("compete", format!("is {}", self.compete), format!("1 to {sites} sites")));
        }
        if let Some(flaw) = SiteLoad::flaw(&self.changes) {
            return Err(BadSetting::new("compete", flaw, load::ALLOWED));
        }
        if !self.changes.is_empty() && self.load().most() != self.compete {
            let wrong = format!("is {}, but the load ends with {}", self.compete, self.load().most());
            return Err(BadSetting::new("compete", wrong, "the last number of the load"));
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
    /// Takes note of a report, made when this number of messages had been passed.
    fn observe(&mut self, _now: Time, _messages: u64, _place: Place, _report: &R) {}
    /// One of several users of a place makes a request, which queues there.
    fn queue(&mut self, _now: Time, _place: Place) {}
    /// A processor has crashed.
    fn crash(&mut self, _now: Time, _place: Place) {}
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

/// The measurements of a [`Meter`].
///
/// Whatever is compared with a claim about s competitors is taken over one *window*: the entries made while every competing
/// site still has entries left, from the last change of the load on. Otherwise fewer than s compete. [`WholeRun`] has the same figures over all entries.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Message passes per entry, from the first to the last entry of the window: at both of these instants the same sites
    /// compete, so that the messages of unfinished requests at one end make up for those at the other.
    pub messages_per_entry: Option<Value>,
    /// From asking to entering: of a user, where a site has several.
    pub granting_delay: Option<Lengths>,
    /// Where sites have several users: from the request of a user to that of its site for it, over the whole run.
    pub local_wait: Option<Lengths>,
    /// Negative replies per entry.
    pub negatives: Option<Value>,
    /// How far the number of negative replies of an entry lies from that of the site's entry before, on average over the whole
    /// run: the error of a site that expects as many as the last time.
    pub prediction_error: Option<Value>,
    /// The negative replies of each entry of the window in order.
    pub negatives_each: Vec<u32>,
    /// Where requests have numbers, over the whole run: the greatest difference of two that were in use together.
    pub number_spread: Option<u64>,
    /// The greatest number of entries of one site while another waits, over the whole run: since it asked, and since it drew its
    /// number. `None` for many sites.
    pub overtaken: Option<[u32; 2]>,
    /// The share of the other competing sites that have a number in use when a site draws its own, in the window.
    pub found_active: Option<Value>,
    /// Attempts per read.
    pub attempts: Option<Value>,
    /// Attempts of readers that failed, over the whole run: they found one overlapping write, or two or more.
    pub failed_attempts: Option<[u64; 2]>,
    /// Jain's index of the sites' entries: 1 if all have the same, 1/s if one of s has them all; `None` where a site makes
    /// fewer than [`LEAST_ENTRIES`](Self::LEAST_ENTRIES).
    pub fairness: Option<Value>,
    /// The number of sites that asked and got nothing in the window, in which one had three or more.
    pub starved: Option<u64>,
    /// The number of entries in the window that the means are over.
    pub sample: u64,
    /// The same over the whole run.
    pub whole_run: WholeRun,
    /// The share of the entries of the whole run during which a conflicting site was inside, too.
    pub overlapping: Option<Value>,
    /// From asking to entering, of each entry of the window in order.
    pub waits: Vec<Time>,
    /// Turns of the ring until there was one token for good.
    pub laps: Option<Value>,
}

impl Tally {
    /// The least number of entries per site that says something about fairness.
    pub const LEAST_ENTRIES: u64 = 10;
}

/// The figures of a [`Tally`] over the whole run, the end included, at which some sites have no entries left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WholeRun {
    /// Message passes per entry.
    pub messages_per_entry: Option<Value>,
    /// From asking to entering.
    pub granting_delay: Option<Lengths>,
    /// Negative replies per entry.
    pub negatives: Option<Value>,
    /// Attempts per read.
    pub attempts: Option<Value>,
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
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        let sum: u128 = sorted.iter().map(|&length| u128::from(length)).sum();
        let max = *sorted.last()?;
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
    /// The time from which on all of them compete.
    from: Time,
    /// The entries of each competing site.
    entries: u64,
    /// All entries, and those that count.
    all: u64,
    counted: u64,
    /// The messages passed until the first and the last entry that count.
    messages: [u64; 2],
}

impl Contest {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let n = scenario.n;
        Self {
            left: scenario.asks(),
            had: vec![0; n],
            asked: vec![false; n],
            open: true,
            from: scenario.workload.as_ref().map_or(0, Workload::settled),
            entries: scenario.workload.as_ref().map_or(0, Workload::of_site),
            all: 0,
            counted: 0,
            messages: [0; 2],
        }
    }

    /// A site asks.
    pub(crate) fn ask(&mut self, place: Place) {
        self.asked[place as usize] |= self.open;
    }

    /// Whether an entry at this time counts.
    pub(crate) const fn is_open(&self, now: Time) -> bool {
        self.open && now >= self.from
    }

    /// A site has one more at this time, after this number of messages; true if it counts.
    pub(crate) fn have(&mut self, now: Time, place: Place, messages: u64) -> bool {
        let counts = self.is_open(now);
        let left = &mut self.left[place as usize];
        *left = left.saturating_sub(1);
        self.open &= *left > 0;
        self.all += 1;
        if counts {
            self.had[place as usize] += 1;
            self.messages = [if self.counted == 0 { messages } else { self.messages[0] }, messages];
            self.counted += 1;
        }
        counts
    }

    /// Message passes per entry, in the window and over the whole run.
    pub(crate) fn messages_per_entry(&self, messages: u64) -> [Option<Value>; 2] {
        let [first, last] = self.messages;
        // Just after a change of load fewer requests are unfinished than at the end of the window.
        let steady = if self.from == 0 { self.counted.saturating_sub(1) } else { 0 };
        [mean(last - first, steady), mean(messages, self.all)]
    }

    pub(crate) fn starved(&self) -> u64 {
        // A site that was overtaken once or twice has not starved: one must be first.
        if self.had.iter().all(|&had| had < 3) {
            return 0;
        }
        self.asked.iter().zip(&self.had).filter(|&(&asked, &had)| asked && had == 0).count() as u64
    }

    /// Jain's index over the sites that made requests; `None` where each makes few.
    pub(crate) fn fairness(&self) -> Option<Value> {
        if self.entries < Tally::LEAST_ENTRIES {
            return None;
        }
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

    fn contest(entries: u64) -> Contest {
        let workload = Workload { entries, ..Workload::new(3) };
        let mut contest = Contest::new(&Scenario { n: 3, workload: Some(workload), ..Scenario::default() });
        for place in 0..3 {
            contest.ask(place);
        }
        contest
    }

    #[test]
    fn the_contest_ends_when_the_first_has_none_left() {
        let mut contest = contest(3);
        // 0, 1, 0, 0: then 0 has none left, and what follows does not count.
        assert_eq!([0, 1, 0].map(|place| contest.have(0, place, 0)), [true, true, true]);
        assert_eq!(contest.starved(), 0, "nobody has had three");
        assert_eq!([0, 1, 2, 2].map(|place| contest.have(0, place, 0)), [true, false, false, false]);
        assert_eq!(contest.starved(), 1, "place 2 got nothing as long as it had to compete with 0");
        assert_eq!(contest.fairness(), None, "three entries say nothing about fairness");
    }

    #[test]
    fn fairness_needs_ten_entries_a_site() {
        for (entries, expected) in [(9, None), (10, Some(Value::ratio(12 * 12, 3 * (100 + 4))))] {
            let mut contest = contest(entries);
            for place in [1, 1].into_iter().chain(core::iter::repeat_n(0, entries as usize)) {
                contest.have(0, place, 0);
            }
            // (10 + 2 + 0)² / (3 · (100 + 4 + 0)).
            assert_eq!(contest.fairness(), expected);
        }
    }

    #[test]
    fn messages_per_entry_are_counted_between_the_entries_of_the_window() {
        let mut contest = contest(2);
        // 60 messages until the first entry, 40 more until place 0 has none left; then one by one to the end.
        for (place, messages) in [(0, 60), (1, 84), (0, 100), (1, 101), (2, 102), (2, 103)] {
            contest.have(0, place, messages);
        }
        assert_eq!(contest.messages_per_entry(110), [Some(Value::int(20)), Some(Value::ratio(110, 6))]);
    }
}
