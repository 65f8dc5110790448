//! The source of all nondeterministic choices of a run.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::mem;

use ringleader_model::{ChoicePoint, Place, ScheduledChoices};

use crate::fast_path::prefetch;
use crate::random_stream::{RandomStream, below, draw, key};

/// How the nondeterministic choices of a run are resolved: by random streams, by a recorded list, or by a schedule.
///
/// A recorded list is consumed in the order in which the run makes its choices. A schedule is keyed by choice point and
/// place, whatever the order in which the run makes them. Beyond their ends every choice is 0, but beyond a prefix choices are
/// drawn, as if all had been.
///
/// ```
/// use ringleader_sim::Choices;
///
/// // An adversary that takes the second option first, and the first one ever after.
/// let adversary = Choices::Recorded(vec![1]);
/// assert_ne!(adversary, Choices::default());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Choices {
    /// Drawn from the random streams of the scenario's seed.
    #[default]
    Drawn,
    /// Taken from a recorded list.
    Recorded(Vec<u64>),
    /// The first ones taken from a list, all others drawn.
    Prefix(Vec<u64>),
    /// Taken from a schedule.
    Scheduled(ScheduledChoices),
}

/// A recorded choice that is out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadChoice {
    /// Its index, from 0.
    pub index: usize,
    /// Its value.
    pub choice: u64,
    /// The exclusive upper bound.
    pub bound: u64,
}

impl fmt::Display for BadChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "choice {} is {}, but there are {} to choose from", self.index, self.choice, self.bound)
    }
}

impl core::error::Error for BadChoice {}

#[derive(Clone)]
pub(crate) struct ChoiceSource {
    /// By random stream, its key.
    keys: [u64; 10],
    /// By place, the number of draws during the run, in all streams together; allocated when first needed.
    counts: Vec<u32>,
    n: usize,
    prescription: Option<Prescription>,
    /// The number of choices asked of the prescription.
    next: usize,
    /// The number of those that it did not have.
    unanswered: usize,
    record: Option<Vec<u64>>,
    bad: Option<BadChoice>,
}

/// What later choices depend on, but for the seed. A prefix that has come to its end prescribes nothing any more.
impl Hash for ChoiceSource {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let drawn = self.counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        drawn.for_each(|count| count.hash(hasher));
        match &self.prescription {
            None => 0u8.hash(hasher),
            Some(Prescription::Prefix(list)) if self.next >= list.len() => 0u8.hash(hasher),
            Some(Prescription::Prefix(list)) => (1u8, list.get(self.next..)).hash(hasher),
            Some(Prescription::List(list)) => (2u8, list.get(self.next..)).hash(hasher),
            Some(Prescription::Schedule(schedule)) => (3u8, schedule).hash(hasher),
        }
    }
}

/// Where the draws of a place are counted.
pub(crate) trait DrawCount {
    /// Draws from `0..bound`. `key`: the key of the random stream.
    fn draw(&mut self, choices: &mut ChoiceSource, key: u64, place: Place, bound: u64) -> u64;
}

/// By the choice source.
impl DrawCount for () {
    #[inline(always)]
    fn draw(&mut self, choices: &mut ChoiceSource, key: u64, place: Place, bound: u64) -> u64 {
        choices.draw(key, place, bound)
    }
}

/// Beside the state of the place.
impl DrawCount for &mut u32 {
    #[inline(always)]
    fn draw(&mut self, _: &mut ChoiceSource, key: u64, place: Place, bound: u64) -> u64 {
        let count = **self;
        **self = count.wrapping_add(1);
        below(draw(key, place, count), bound)
    }
}

/// Prescribed choices.
#[derive(Clone)]
enum Prescription {
    List(Vec<u64>),
    Prefix(Vec<u64>),
    Schedule(ScheduledChoices),
}

impl ChoiceSource {
    pub(crate) fn new(seed: u64, n: usize) -> Self {
        let mut keys = [0; 10];
        for stream in [
            RandomStream::Coin,
            RandomStream::Fault,
            RandomStream::StepLength,
            RandomStream::Workload,
            RandomStream::Scheduler,
            RandomStream::Tie,
        ] {
            keys[stream as usize] = key(seed, stream);
        }
        Self { keys, counts: Vec::new(), n, prescription: None, next: 0, unanswered: 0, record: None, bad: None }
    }

    pub(crate) fn follow(&mut self, choices: Choices) {
        self.prescription = match choices {
            Choices::Drawn => None,
            Choices::Recorded(list) => Some(Prescription::List(list)),
            Choices::Prefix(list) => Some(Prescription::Prefix(list)),
            Choices::Scheduled(schedule) => Some(Prescription::Schedule(schedule)),
        };
    }

    pub(crate) fn record(&mut self) {
        self.record = Some(Vec::new());
    }

    /// The choices made so far, if they are recorded.
    pub(crate) fn recorded(&self) -> Option<&[u64]> {
        self.record.as_deref()
    }

    /// The number of choices of the list that were not asked for.
    pub(crate) fn unused(&self) -> usize {
        match &self.prescription {
            Some(Prescription::List(list) | Prescription::Prefix(list)) => list.len().saturating_sub(self.next),
            Some(Prescription::Schedule(_)) | None => 0,
        }
    }

    /// The number of choices asked for beyond those prescribed.
    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered
    }

    /// Whether a schedule has choices left.
    pub(crate) fn has_prescribed(&self) -> bool {
        matches!(&self.prescription, Some(Prescription::Schedule(schedule)) if !schedule.is_empty())
    }

    pub(crate) fn bad(&self) -> Option<BadChoice> {
        self.bad
    }

    /// Chooses from `0..bound` for a place. `PRESCRIBED` is false only where choices can be neither prescribed nor
    /// recorded.
    #[inline(always)]
    pub(crate) fn choose<const PRESCRIBED: bool>(&mut self, stream: RandomStream, place: Place, bound: u64) -> u64 {
        self.choose_counted::<PRESCRIBED>(stream, place, bound, &mut ())
    }

    /// The same where the draws of the place are counted elsewhere.
    #[inline(always)]
    pub(crate) fn choose_counted<const PRESCRIBED: bool>(
        &mut self,
        stream: RandomStream,
        place: Place,
        bound: u64,
        draws: &mut impl DrawCount,
    ) -> u64 {
        if bound <= 1 {
            if PRESCRIBED && stream as u8 == RandomStream::Coin as u8 {
                self.skip_trivial_coin(place);
            }
            return 0;
        }
        let drawn = draws.draw(self, self.keys[stream as usize], place, bound);
        if PRESCRIBED { self.decide((stream, place), drawn, bound) } else { drawn }
    }

    /// Records a choice that was made elsewhere.
    pub(crate) fn record_made(&mut self, choice: u64, bound: u64) {
        if bound > 1
            && let Some(record) = &mut self.record
        {
            record.push(choice);
        }
    }

    /// Makes the next choice of a place from outside. What was prescribed is forgotten: all later choices are drawn.
    pub(crate) fn impose(&mut self, (stream, place): (RandomStream, Place), choice: u64, bound: u64) {
        self.prescription = None;
        if bound > 1 {
            self.draw(self.keys[stream as usize], place, bound);
        }
        self.record_made(choice, bound);
    }

    /// A schedule contains every coin, one with a single side as well.
    #[cold]
    fn skip_trivial_coin(&mut self, place: Place) {
        if let Some(Prescription::Schedule(schedule)) = &mut self.prescription {
            self.unanswered += usize::from(schedule.next(ChoicePoint::Coin, place).is_none());
        }
    }

    /// Draws from `0..bound` for a place, whatever is prescribed. `key`: the key of the random stream.
    #[inline(always)]
    pub(crate) fn draw(&mut self, key: u64, place: Place, bound: u64) -> u64 {
        let place_count = match self.counts.get_mut(place as usize) {
            Some(count) => count,
            None => self.make_counts(place),
        };
        let count = *place_count;
        *place_count = count.wrapping_add(1);
        below(draw(key, place, count), bound)
    }

    /// The numbers of draws by place, which are counted elsewhere from now on.
    pub(crate) fn take_counts(&mut self) -> Vec<u32> {
        let counts = mem::take(&mut self.counts);
        if counts.is_empty() { vec![0; self.n] } else { counts }
    }

    /// From now on draws are counted here again.
    pub(crate) fn put_counts(&mut self, counts: Vec<u32>) {
        self.counts = counts;
    }

    #[cold]
    fn make_counts(&mut self, place: Place) -> &mut u32 {
        self.counts = vec![0; self.n];
        &mut self.counts[place as usize]
    }

    /// The drawn value, or the prescribed one in its place; recorded. `asked`: the stream and the place.
    pub(crate) fn decide(&mut self, asked: (RandomStream, Place), drawn: u64, bound: u64) -> u64 {
        if self.prescription.is_some() {
            return self.follow_prescription(asked, drawn, bound);
        }
        if let Some(record) = &mut self.record {
            record.push(drawn);
        }
        drawn
    }

    #[cold]
    fn follow_prescription(&mut self, (stream, place): (RandomStream, Place), drawn: u64, bound: u64) -> u64 {
        let answer = match self.prescription.as_mut().expect("choices are prescribed") {
            Prescription::List(list) => list.get(self.next).copied(),
            Prescription::Prefix(list) => Some(list.get(self.next).copied().unwrap_or(drawn)),
            Prescription::Schedule(schedule) => stream.choice_point().and_then(|point| schedule.next(point, place)),
        };
        self.unanswered += usize::from(answer.is_none());
        let (index, choice) = (self.next, answer.unwrap_or(0));
        self.next += 1;
        let chosen = if choice < bound {
            choice
        } else {
            self.bad = self.bad.or(Some(BadChoice { index, choice, bound }));
            bound - 1
        };
        if let Some(record) = &mut self.record {
            record.push(chosen);
        }
        chosen
    }

    /// A place restarts: a schedule goes on with the steps of its next clock.
    pub(crate) fn restart(&mut self, place: Place) {
        if let Some(Prescription::Schedule(schedule)) = &mut self.prescription {
            schedule.restart(place);
        }
    }

    /// Prefetches the counter of a place.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: Place) {
        if !self.counts.is_empty() {
            prefetch(self.counts.as_ptr().wrapping_add(place as usize));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.counts.capacity() * 4
    }
}
