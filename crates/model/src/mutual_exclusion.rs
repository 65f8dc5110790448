use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::numbered_sites::{NumbersInUse, Overtaking};
use crate::service_order::ServiceOrder;
use crate::workload::{Contest, mean};
use crate::{
    Lengths, LocalUser, Meter, Milestone, Monitor, Outcome, Place, Problem, ProcessorState, Promised, Promises,
    Proposition, Scenario, SequenceNumber, Tally, Time, Violation, WholeRun, Workload, WorkloadEvent, WorkloadRequests,
};

/// Mutual exclusion: never two sites inside, and every request is granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MutualExclusion {}

/// Readers and writers, kept apart by a lock: a writer excludes everybody, a reader only writers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadersWriters {}

/// A request to a lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryRequest {
    /// The user requests to enter.
    Acquire,
    /// The user leaves.
    Release,
}

impl fmt::Display for EntryRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acquire => f.write_str("acquire"),
            Self::Release => f.write_str("release"),
        }
    }
}

/// A report of a site: it goes from remainder to trying, to critical, through exit to remainder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryReport {
    /// The site enters its trying region.
    Requested,
    /// The trying site has drawn the number of its request, where requests have one.
    Numbered(SequenceNumber),
    /// The site enters its critical section.
    Entered {
        /// The number of negative replies, where there are such.
        negatives: Option<u32>,
    },
    /// The site has left its critical section.
    Left,
}

impl EntryReport {
    /// I am in my critical section, and there are no negative replies to count.
    pub const fn entered() -> Self {
        Self::Entered { negatives: None }
    }
}

impl fmt::Display for EntryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => f.write_str("requested"),
            Self::Numbered(number) => write!(f, "number {number}"),
            Self::Entered { negatives: None } => f.write_str("entered"),
            Self::Entered { negatives: Some(1) } => f.write_str("entered after 1 negative reply"),
            Self::Entered { negatives: Some(count) } => write!(f, "entered after {count} negative replies"),
            Self::Left => f.write_str("left"),
        }
    }
}

impl Problem for MutualExclusion {
    const NAME: &'static str = "mutual-exclusion";
    const WORK: &'static str = "exclusion";
    const WORKLOAD_REQUESTS: Option<WorkloadRequests<EntryRequest>> =
        Some(WorkloadRequests { acquire: EntryRequest::Acquire, release: Some(EntryRequest::Release) });
    const PROPERTIES: &'static [&'static str] = &[EntryMonitor::EXCLUSION, EntryMonitor::ORDER];
    type Request = EntryRequest;
    type Report = EntryReport;
    type Monitor = EntryMonitor;
    type Meter = EntryMeter;

    fn workload_event(report: &EntryReport) -> Option<WorkloadEvent> {
        match report {
            EntryReport::Requested | EntryReport::Numbered(_) => None,
            EntryReport::Entered { .. } => Some(WorkloadEvent::Entered),
            EntryReport::Left => Some(WorkloadEvent::Left),
        }
    }

    fn milestone(report: &EntryReport) -> Option<Milestone> {
        Some(match *report {
            EntryReport::Requested => Milestone::Requested,
            EntryReport::Numbered(_) => Milestone::Numbered,
            EntryReport::Entered { negatives } => Milestone::Entered { negatives },
            EntryReport::Left => Milestone::Left,
        })
    }
}

impl Problem for ReadersWriters {
    const NAME: &'static str = "readers-writers";
    const WORK: &'static str = "exclusion";
    const WORKLOAD_REQUESTS: Option<WorkloadRequests<EntryRequest>> = MutualExclusion::WORKLOAD_REQUESTS;
    const PROPERTIES: &'static [&'static str] = MutualExclusion::PROPERTIES;
    type Request = EntryRequest;
    type Report = EntryReport;
    type Monitor = EntryMonitor;
    type Meter = EntryMeter;

    fn workload_event(report: &EntryReport) -> Option<WorkloadEvent> {
        MutualExclusion::workload_event(report)
    }

    fn milestone(report: &EntryReport) -> Option<Milestone> {
        MutualExclusion::milestone(report)
    }
}

/// The region of a site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Region {
    Remainder,
    Trying,
    Critical,
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Remainder => "the remainder section",
            Self::Trying => "the trying section",
            Self::Critical => "the critical section",
        })
    }
}

/// No two conflicting sites are inside together, and every request is granted.
///
/// Inside means from entering to leaving, the instant of leaving not included: what happens at one instant is judged
/// when it is over.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EntryMonitor {
    regions: Vec<Region>,
    /// The number of requests that each site has left. [`Workload::FOREVER`] does not become less.
    left: Vec<u64>,
    /// This and the next are the same in all states.
    readers: usize,
    writers: usize,
    inside: Vec<Place>,
    /// A site has entered since the last instant.
    fresh: bool,
    entries: u64,
    overlap_max: u64,
    /// Where bounded bypass is promised.
    bypass: Option<Bypass>,
    /// Where sites are promised to enter in the order of their numbers.
    service_order: Option<ServiceOrder>,
    /// Where the numbers in use are promised to lie close to each other.
    numbers: Option<NumbersInUse>,
    /// Where no site is promised to enter more than twice while another waits with its number.
    overtaking: Option<Overtaking>,
    /// Where sites have several users: by place, those who wait, in the order of their requests.
    queues: Vec<VecDeque<LocalUser>>,
    violations: Vec<Violation>,
}

/// The number of entries of others that conflict with a site while it waits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bypass {
    /// The promised maximum, the same in all states.
    most: u64,
    /// By place; 0 where it cannot be exceeded any more, so that a small workload has no more states.
    overtaken: Vec<u64>,
}

impl Bypass {
    /// A site has entered. `waits`: whether a site waits then; `conflicts`: whether it conflicts with the one that has entered;
    /// `left`: the requests that are left, without this one. Returns the number of times that a site was overtaken, if that is
    /// more than is promised.
    fn enter(&mut self, waits: impl Fn(usize) -> bool, conflicts: impl Fn(usize) -> bool, left: &[u64]) -> Option<u64> {
        let mut exceeded = None;
        for (place, overtaken) in self.overtaken.iter_mut().enumerate() {
            *overtaken = if waits(place) { *overtaken + u64::from(conflicts(place)) } else { 0 };
            if *overtaken > self.most {
                exceeded = Some(*overtaken);
            }
            let others = left.iter().enumerate().filter(|&(other, _)| other != place);
            if others.fold(*overtaken, |sum, (_, &left)| sum.saturating_add(left)) <= self.most {
                *overtaken = 0;
            }
        }
        exceeded
    }
}

impl EntryMonitor {
    const EXCLUSION: &'static str = "conflicting sites are never inside together";
    const ORDER: &'static str = "sites ask, enter and leave in turn";
    const QUEUE: &'static str = "users of one site enter in the order of their requests";

    fn is_unbounded(&self) -> bool {
        self.left.contains(&Workload::FOREVER)
    }

    fn readers_inside(&self) -> usize {
        self.inside.iter().filter(|&&place| (place as usize) < self.readers).count()
    }

    fn note_broken(&mut self, promised: Promised, detail: Option<String>) {
        if let Some(detail) = detail {
            Violation { property: promised.name(), detail }.note(&mut self.violations);
        }
    }

    fn go(&mut self, place: Place, from: Region, to: Region) {
        let found = core::mem::replace(&mut self.regions[place as usize], to);
        if found != from {
            let missed = match from {
                Region::Remainder => "EntryReport::Left",
                Region::Trying => "EntryReport::Requested",
                Region::Critical => "EntryReport::Entered",
            };
            let detail = format!("place {place} goes from {found} to {to}; was {missed} not reported?");
            Violation { property: Self::ORDER, detail }.note(&mut self.violations);
        }
    }
}

impl Monitor for EntryMonitor {
    type Report = EntryReport;

    fn new(scenario: &Scenario) -> Self {
        Self {
            regions: vec![Region::Remainder; scenario.n],
            left: scenario.asks(),
            readers: scenario.workload.as_ref().map_or(0, |load| load.readers),
            writers: scenario.workload.as_ref().map_or(0, |load| load.writers),
            inside: Vec::new(),
            fresh: false,
            entries: 0,
            overlap_max: 0,
            bypass: None,
            service_order: None,
            numbers: None,
            overtaking: None,
            queues: queues(scenario),
            violations: Vec::new(),
        }
    }

    fn promise(&mut self, promises: Promises, scenario: &Scenario) {
        promises.assert_among(&[
            Promised::ReadersTogether,
            Promised::BoundedBypass,
            Promised::ServedByNumber,
            Promised::NumbersClose,
            Promised::OvertakenTwice,
        ]);
        let n = scenario.n as u64;
        let bypass = || Bypass { most: n * (n + 1) / 2 - 1, overtaken: vec![0; scenario.n] };
        self.bypass = promises.contains(Promised::BoundedBypass).then(bypass);
        self.numbers = promises.contains(Promised::NumbersClose).then(|| NumbersInUse::new(scenario));
        self.overtaking = promises.contains(Promised::OvertakenTwice).then(|| Overtaking::new(scenario));
        self.service_order = promises.contains(Promised::ServedByNumber).then(|| ServiceOrder::new(scenario));
    }

    fn fulfilled(&self) -> Promises {
        let none = Promises::default();
        if self.readers_inside() > 1 { none.with(Promised::ReadersTogether) } else { none }
    }

    fn satisfies(&self, proposition: Proposition) -> Option<bool> {
        let (readers, writers) = (0..self.readers, self.readers..self.readers + self.writers);
        let region = match proposition {
            Proposition::Trying(_) => Region::Trying,
            Proposition::Critical(_) => Region::Critical,
            Proposition::Reading(place) if readers.contains(&(place as usize)) => Region::Critical,
            Proposition::Writing(place) if writers.contains(&(place as usize)) => Region::Critical,
            _ => return None,
        };
        Some(*self.regions.get(proposition.place()? as usize)? == region)
    }

    fn state(&self, place: Place) -> Option<ProcessorState> {
        let site = place as usize;
        Some(match self.regions[site] {
            Region::Remainder => ProcessorState::Remainder,
            Region::Trying => ProcessorState::Trying,
            Region::Critical if site < self.readers => ProcessorState::Reading,
            Region::Critical if site < self.readers + self.writers => ProcessorState::Writing,
            Region::Critical => ProcessorState::Critical,
        })
    }

    fn inside(&self) -> usize {
        self.inside.len()
    }

    fn observe(&mut self, place: Place, report: EntryReport) -> bool {
        match report {
            EntryReport::Requested => self.go(place, Region::Remainder, Region::Trying),
            EntryReport::Numbered(number) => {
                if let Some(order) = &mut self.service_order {
                    order.draw(place, number);
                }
                let far = self.numbers.as_mut().and_then(|numbers| numbers.draw_close(place, number));
                self.note_broken(Promised::NumbersClose, far);
                if let Some(overtaking) = &mut self.overtaking {
                    overtaking.wait(place);
                }
            }
            EntryReport::Entered { .. } => {
                self.go(place, Region::Trying, Region::Critical);
                self.inside.push(place);
                self.fresh = true;
                self.entries += 1;
                let left = &mut self.left[place as usize];
                if *left != Workload::FOREVER {
                    *left = left.saturating_sub(1);
                }
                let Self { bypass, regions, left, violations, readers, .. } = self;
                let waits = |site: usize| regions[site] == Region::Trying;
                let conflicts = |site: usize| site >= *readers || place as usize >= *readers;
                let exceeded = bypass.as_mut().and_then(|bypass| bypass.enter(waits, conflicts, left));
                if let Some(times) = exceeded {
                    let (property, detail) = (Promised::BoundedBypass.name(), format!("one is, {times} times"));
                    Violation { property, detail }.note(violations);
                }
                let unnumbered = self.service_order.as_mut().and_then(|order| order.enter(place));
                self.note_broken(Promised::ServedByNumber, unnumbered);
                let overtaken = self.overtaking.as_mut().and_then(|o| o.enter_at_most_twice(place, &self.left));
                self.note_broken(Promised::OvertakenTwice, overtaken);
            }
            EntryReport::Left => {
                self.go(place, Region::Critical, Region::Remainder);
                self.inside.retain(|&other| other != place);
                if let Some(numbers) = &mut self.numbers {
                    numbers.leave(place);
                }
            }
        }
        false
    }

    fn queue(&mut self, place: Place, user: LocalUser) {
        self.queues[place as usize].push_back(user);
    }

    fn serve(&mut self, place: Place, user: LocalUser) {
        let queue = &mut self.queues[place as usize];
        let before = queue.iter().take_while(|&&waiting| waiting != user).count();
        if before == queue.len() {
            let detail = format!("user {user} of place {place} enters without a request");
            Violation { property: Self::QUEUE, detail }.note(&mut self.violations);
            return;
        }
        if before > 0 {
            let detail = format!("user {user} of place {place} enters before user {}, who asked earlier", queue[0]);
            Violation { property: Self::QUEUE, detail }.note(&mut self.violations);
        }
        queue.remove(before);
    }

    fn settle(&mut self) {
        if !core::mem::take(&mut self.fresh) {
            return;
        }
        let readers = self.readers_inside();
        let overlap = self.inside.len() - readers + usize::from(readers > 0);
        self.overlap_max = self.overlap_max.max(overlap as u64);
        if overlap > 1 {
            let places: Vec<_> = self.inside.iter().map(ToString::to_string).collect();
            let detail = format!("places {} are", places.join(", "));
            Violation { property: Self::EXCLUSION, detail }.note(&mut self.violations);
        }
        let disorder = self.service_order.as_mut().and_then(ServiceOrder::settle);
        self.note_broken(Promised::ServedByNumber, disorder);
    }

    fn forget(&mut self) {
        if self.is_unbounded() {
            self.entries = 0;
        }
    }

    fn crash(&mut self, place: Place) {
        self.inside.retain(|&other| other != place);
        self.left[place as usize] = 0;
        if let Some(queue) = self.queues.get_mut(place as usize) {
            queue.clear();
        }
        if let Some(order) = &mut self.service_order {
            order.crash(place);
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.leave(place);
        }
        if let Some(overtaking) = &mut self.overtaking {
            overtaking.crash(place);
        }
        self.regions[place as usize] = Region::Remainder;
    }

    fn restart(&mut self, place: Place, requests: u64) {
        self.left[place as usize] = requests;
    }

    fn finished(&self) -> bool {
        self.left.iter().all(|&left| left == 0) && self.regions.iter().all(|&region| region == Region::Remainder)
    }

    /// Where requests go on forever, some request is always outstanding, perhaps: that none is starved is another property.
    fn waiting(&self) -> bool {
        let wait = self.regions.iter().any(|&region| region != Region::Remainder);
        !self.is_unbounded() && (wait || self.queues.iter().any(|queue| !queue.is_empty()))
    }

    fn missing(&self) -> String {
        let trying = self.regions.iter().filter(|&&region| region == Region::Trying).count();
        let left = self.left.iter().fold(0, |sum: u64, &left| sum.saturating_add(left));
        format!("entries not made: {left}; sites trying: {trying}, inside: {}", self.inside.len())
    }

    fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn outcome(&self) -> Outcome {
        Outcome::Entries { entries: self.entries, overlap_max: self.overlap_max }
    }
}

/// A queue for each place, where sites have several users; otherwise none.
fn queues<T>(scenario: &Scenario) -> Vec<VecDeque<T>> {
    let several = scenario.workload.as_ref().is_some_and(|load| load.users > 1);
    (0..if several { scenario.n } else { 0 }).map(|_| VecDeque::new()).collect()
}

/// Granting delays, negative replies, fairness and overlaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryMeter {
    contest: Contest,
    asked: Vec<Time>,
    /// Where sites have several users: by place, when those who wait asked, in order.
    queues: Vec<VecDeque<Time>>,
    /// How long they waited until their sites asked for them.
    local_waits: Vec<Time>,
    /// The granting delays of the window.
    delays: Vec<Time>,
    /// Those after it.
    later: Vec<Time>,
    negatives: Option<u64>,
    later_negatives: u64,
    /// By place, the negative replies of its last entry.
    last_negatives: Vec<Option<u32>>,
    /// The sum of the differences between the negative replies of an entry and of the one before, and how many there are.
    prediction: (u64, u64),
    /// The negative replies of each entry of the window.
    negatives_each: Vec<u32>,
    numbered: NumberedMeter,
    readers: usize,
    /// The sites inside, the time of their entries, and whether these overlap others.
    inside: Vec<(Place, Time, bool)>,
    overlapping: u64,
}

/// Measures what sites do while others have numbers in use.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NumberedMeter {
    numbers: NumbersInUse,
    /// Entries of one site while another waits: since it asked, and since it drew its number.
    overtaking: Option<[Overtaking; 2]>,
    overtaken: [u32; 2],
    spread: u64,
    /// Whether requests have numbers.
    used: bool,
    /// Other sites found with a number in use, and other sites that compete, summed over all draws.
    active: u64,
    others: u64,
    competitors: u64,
}

impl NumberedMeter {
    /// With more sites than this, counters for each pair take too much memory.
    const MOST_SITES: usize = 256;

    fn new(scenario: &Scenario) -> Self {
        let counted = scenario.n <= Self::MOST_SITES;
        Self {
            numbers: NumbersInUse::new(scenario),
            overtaking: counted.then(|| [Overtaking::new(scenario), Overtaking::new(scenario)]),
            overtaken: [0, 0],
            spread: 0,
            used: false,
            active: 0,
            others: 0,
            competitors: scenario.asks().iter().filter(|&&asks| asks > 0).count() as u64,
        }
    }

    fn wait(&mut self, kind: usize, place: Place) {
        if let Some(overtaking) = &mut self.overtaking {
            overtaking[kind].wait(place);
        }
    }

    /// A site draws a number; `counts`: while all compete.
    fn draw(&mut self, place: Place, number: SequenceNumber, counts: bool) {
        if counts {
            self.active += self.numbers.in_use();
            self.others += self.competitors.saturating_sub(1);
        }
        self.used = true;
        self.spread = self.spread.max(self.numbers.draw(place, number));
        self.wait(1, place);
    }

    fn enter(&mut self, place: Place) {
        for (overtaking, most) in self.overtaking.iter_mut().flatten().zip(&mut self.overtaken) {
            *most = overtaking.enter(place).max(*most);
        }
    }

    fn crash(&mut self, place: Place) {
        self.numbers.leave(place);
        for overtaking in self.overtaking.iter_mut().flatten() {
            overtaking.crash(place);
        }
    }
}

impl EntryMeter {
    /// A site leaves: its entry overlaps those of conflicting sites that entered before.
    fn leave(&mut self, now: Time, place: Place) {
        let Some(index) = self.inside.iter().position(|&(inside, ..)| inside == place) else { return };
        let (_, _, mut overlaps) = self.inside.swap_remove(index);
        let reads = |place: Place| (place as usize) < self.readers;
        for (other, since, other_overlaps) in &mut self.inside {
            // One that enters at the instant at which another leaves comes after it.
            if *since < now && !(reads(place) && reads(*other)) {
                (overlaps, *other_overlaps) = (true, true);
            }
        }
        self.overlapping += u64::from(overlaps);
    }
}

impl Meter<EntryReport> for EntryMeter {
    fn new(scenario: &Scenario) -> Self {
        Self {
            contest: Contest::new(scenario),
            asked: vec![0; scenario.n],
            queues: queues(scenario),
            local_waits: Vec::new(),
            delays: Vec::new(),
            later: Vec::new(),
            negatives: None,
            later_negatives: 0,
            last_negatives: vec![None; scenario.n],
            prediction: (0, 0),
            negatives_each: Vec::new(),
            numbered: NumberedMeter::new(scenario),
            readers: scenario.workload.as_ref().map_or(0, |load| load.readers),
            inside: Vec::new(),
            overlapping: 0,
        }
    }

    fn observe(&mut self, now: Time, messages: u64, place: Place, report: &EntryReport) {
        match *report {
            EntryReport::Requested => {
                // A site asks for the first in its queue, whose request is the earlier one.
                let first = self.queues.get_mut(place as usize).and_then(VecDeque::pop_front);
                self.asked[place as usize] = first.unwrap_or(now);
                self.local_waits.extend(first.map(|first| now - first));
                self.contest.ask(place);
                self.numbered.wait(0, place);
            }
            EntryReport::Entered { negatives } => {
                self.inside.push((place, now, false));
                let delay = now - self.asked[place as usize];
                let counts = self.contest.have(now, place, messages);
                self.numbered.enter(place);
                (if counts { &mut self.delays } else { &mut self.later }).push(delay);
                if let Some(negatives) = negatives {
                    let counted = self.negatives.get_or_insert(0);
                    *(if counts { counted } else { &mut self.later_negatives }) += u64::from(negatives);
                    self.negatives_each.extend(Some(negatives).filter(|_| counts));
                    if let Some(last) = self.last_negatives[place as usize].replace(negatives) {
                        let (sum, count) = self.prediction;
                        self.prediction = (sum + u64::from(last.abs_diff(negatives)), count + 1);
                    }
                }
            }
            EntryReport::Left => {
                self.leave(now, place);
                self.numbered.numbers.leave(place);
            }
            EntryReport::Numbered(number) => {
                let counts = self.contest.is_open(now);
                self.numbered.draw(place, number, counts);
            }
        }
    }

    fn queue(&mut self, now: Time, place: Place) {
        self.queues[place as usize].push_back(now);
    }

    fn crash(&mut self, now: Time, place: Place) {
        self.leave(now, place);
        if let Some(queue) = self.queues.get_mut(place as usize) {
            queue.clear();
        }
        self.numbered.crash(place);
    }

    fn tally(&self, messages: u64) -> Tally {
        let sample = self.delays.len() as u64;
        let all = [self.delays.as_slice(), &self.later].concat();
        let entries = all.len() as u64;
        let [messages_per_entry, over_all] = self.contest.messages_per_entry(messages);
        let numbered = Some(&self.numbered).filter(|numbered| numbered.used);
        let mut at_the_end = self.clone();
        while let Some(&(place, ..)) = at_the_end.inside.first() {
            at_the_end.leave(Time::MAX, place);
        }
        Tally {
            messages_per_entry,
            granting_delay: Lengths::of(&self.delays),
            local_wait: Lengths::of(&self.local_waits),
            negatives: self.negatives.and_then(|negatives| mean(negatives, sample)),
            prediction_error: mean(self.prediction.0, self.prediction.1),
            negatives_each: self.negatives_each.clone(),
            number_spread: numbered.map(|numbered| numbered.spread),
            overtaken: numbered.filter(|numbered| numbered.overtaking.is_some()).map(|numbered| numbered.overtaken),
            found_active: numbered.and_then(|numbered| mean(numbered.active, numbered.others)),
            fairness: self.contest.fairness(),
            starved: Some(self.contest.starved()),
            sample,
            whole_run: WholeRun {
                messages_per_entry: over_all,
                granting_delay: Lengths::of(&all),
                negatives: self.negatives.and_then(|negatives| mean(negatives + self.later_negatives, entries)),
                attempts: None,
            },
            overlapping: mean(at_the_end.overlapping, entries),
            waits: self.delays.clone(),
            ..Tally::default()
        }
    }
}

#[cfg(test)]
mod tests;
