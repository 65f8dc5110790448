use core::fmt;

use crate::{Id, Place};

/// An atomic proposition about a state, from which formulas of temporal logic are made. The monitor of a problem
/// [judges](crate::Monitor::satisfies) it from the reports so far; an engine judges [`Quiescent`](Self::Quiescent).
///
/// ```
/// use ringleader_model::{ElectionMonitor, ElectionReport, Id, Monitor, Proposition, Scenario};
///
/// let mut monitor = ElectionMonitor::new(&Scenario { n: 2, ids: vec![5, 8], ..Scenario::default() });
/// assert_eq!(monitor.satisfies(Proposition::Elected), Some(false));
/// monitor.observe(1, ElectionReport::Elected(Some(Id::new(8))));
/// assert_eq!(monitor.satisfies(Proposition::Leader(Id::new(8))), Some(true));
/// assert_eq!(monitor.satisfies(Proposition::Decided(0)), Some(false));
/// assert_eq!(monitor.satisfies(Proposition::Critical(0)), None, "an election has no critical section");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Proposition {
    /// Of an election: some processor has been elected.
    Elected,
    /// Of an election: some processor has been elected under this identity.
    Leader(Id),
    /// Of an election: the processor at this place knows the leader.
    Decided(Place),
    /// Of a lock: the site at this place has requested to enter, and waits.
    Trying(Place),
    /// Of a lock: the site at this place is in its critical section.
    Critical(Place),
    /// Of readers and writers: the reader at this place is inside; without a lock, it has begun to read and not yet
    /// returned.
    Reading(Place),
    /// Of readers and writers: the writer at this place is inside; without a lock, its write is not yet completed.
    Writing(Place),
    /// Of a token ring: there are this many tokens.
    Tokens(u64),
    /// No action is enabled but optional ones. An initial state is not quiescent, unless nothing can ever happen.
    Quiescent,
}

impl Proposition {
    /// As users write them.
    pub const NAMES: [&'static str; 9] = [
        "elected",
        "leader(ID)",
        "decided(PLACE)",
        "trying(PLACE)",
        "critical(PLACE)",
        "reading(PLACE)",
        "writing(PLACE)",
        "tokens(K)",
        "quiescent",
    ];

    /// The one of a name, with the number in its parentheses; `None` if there is none, or if a number is missing or one
    /// too many.
    pub fn new(name: &str, argument: Option<u64>) -> Option<Self> {
        let place = || argument.and_then(|place| Place::try_from(place).ok());
        match (name, argument) {
            ("elected", None) => Some(Self::Elected),
            ("quiescent", None) => Some(Self::Quiescent),
            ("leader", Some(id)) => Some(Self::Leader(Id::new(id))),
            ("tokens", Some(count)) => Some(Self::Tokens(count)),
            ("decided", _) => place().map(Self::Decided),
            ("trying", _) => place().map(Self::Trying),
            ("critical", _) => place().map(Self::Critical),
            ("reading", _) => place().map(Self::Reading),
            ("writing", _) => place().map(Self::Writing),
            _ => None,
        }
    }

    /// As users write it, with a word in the place of the number.
    pub const fn form(self) -> &'static str {
        Self::NAMES[match self {
            Self::Elected => 0,
            Self::Leader(_) => 1,
            Self::Decided(_) => 2,
            Self::Trying(_) => 3,
            Self::Critical(_) => 4,
            Self::Reading(_) => 5,
            Self::Writing(_) => 6,
            Self::Tokens(_) => 7,
            Self::Quiescent => 8,
        }]
    }

    /// The same about another place, where it is about one.
    #[must_use]
    pub const fn at(self, place: Place) -> Self {
        match self {
            Self::Decided(_) => Self::Decided(place),
            Self::Trying(_) => Self::Trying(place),
            Self::Critical(_) => Self::Critical(place),
            Self::Reading(_) => Self::Reading(place),
            Self::Writing(_) => Self::Writing(place),
            Self::Elected | Self::Leader(_) | Self::Tokens(_) | Self::Quiescent => self,
        }
    }

    /// The place that it is about, if it is about one.
    pub const fn place(self) -> Option<Place> {
        match self {
            Self::Decided(place)
            | Self::Trying(place)
            | Self::Critical(place)
            | Self::Reading(place)
            | Self::Writing(place) => Some(place),
            Self::Elected | Self::Leader(_) | Self::Tokens(_) | Self::Quiescent => None,
        }
    }
}

impl fmt::Display for Proposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = self.form();
        let name = form.split('(').next().unwrap_or(form);
        match *self {
            Self::Elected | Self::Quiescent => f.write_str(name),
            Self::Leader(id) => write!(f, "{name}({id})"),
            Self::Tokens(count) => write!(f, "{name}({count})"),
            Self::Decided(place)
            | Self::Trying(place)
            | Self::Critical(place)
            | Self::Reading(place)
            | Self::Writing(place) => write!(f, "{name}({place})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::{
        DataMonitor, DataReport, ElectionMonitor, EntryMonitor, EntryReport, Monitor, Scenario, TokenMonitor,
        TokenReport, Workload,
    };

    #[test]
    fn what_is_written_is_read() {
        for form in Proposition::NAMES {
            let (name, argument) = form.split_once('(').map_or((form, None), |(name, _)| (name, Some(7)));
            let proposition = Proposition::new(name, argument).expect("it has this form");
            assert_eq!(proposition.form(), form);
            assert_eq!(proposition.to_string(), form.replace("PLACE", "7").replace("ID", "7").replace('K', "7"));
            assert_eq!(proposition.at(3).place(), proposition.place().map(|_| 3));
            let wrong = if argument.is_some() { None } else { Some(7) };
            assert_eq!(Proposition::new(name, wrong), None, "{form}");
        }
        assert_eq!(Proposition::new("trying", Some(u64::MAX)), None);
    }

    #[test]
    fn a_lock_knows_who_tries_and_who_is_inside() {
        let mut monitor =
            EntryMonitor::new(&Scenario { n: 2, workload: Some(Workload::new(2)), ..Scenario::default() });
        let both = |monitor: &EntryMonitor| {
            [Proposition::Trying(1), Proposition::Critical(1)].map(|proposition| monitor.satisfies(proposition))
        };
        assert_eq!(both(&monitor), [Some(false), Some(false)]);
        monitor.observe(1, EntryReport::Requested);
        assert_eq!(both(&monitor), [Some(true), Some(false)]);
        monitor.observe(1, EntryReport::entered());
        assert_eq!(both(&monitor), [Some(false), Some(true)]);
        monitor.observe(1, EntryReport::Left);
        assert_eq!(both(&monitor), [Some(false), Some(false)]);
        assert_eq!(monitor.satisfies(Proposition::Reading(0)), None, "there are no readers");
        assert_eq!(monitor.satisfies(Proposition::Trying(2)), None, "there is no such place");
    }

    #[test]
    fn readers_and_writers_are_told_apart() {
        let workload = Workload { readers: 1, writers: 1, ..Workload::new(2) };
        let scenario = Scenario { n: 2, workload: Some(workload), ..Scenario::default() };
        let (mut lock, mut data) = (EntryMonitor::new(&scenario), DataMonitor::new(&scenario));
        for place in [0, 1] {
            lock.observe(place, EntryReport::Requested);
            data.observe(place, DataReport::Requested);
        }
        lock.observe(0, EntryReport::entered());
        data.observe(1, DataReport::Written(1));
        let [reading, writing] = [Proposition::Reading(0), Proposition::Writing(1)];
        assert_eq!([reading, writing].map(|one| lock.satisfies(one)), [Some(true), Some(false)]);
        assert_eq!([reading, writing].map(|one| data.satisfies(one)), [Some(true), Some(false)]);
        for wrong in [Proposition::Reading(1), Proposition::Writing(0), Proposition::Writing(2)] {
            assert_eq!((lock.satisfies(wrong), data.satisfies(wrong)), (None, None), "{wrong}");
        }
    }

    #[test]
    fn tokens_are_counted_and_elections_have_none() {
        let scenario = Scenario { n: 2, ids: [1, 2].to_vec(), ..Scenario::default() };
        let mut monitor = TokenMonitor::new(&scenario);
        monitor.observe(0, TokenReport::Begins);
        assert_eq!([0, 1].map(|count| monitor.satisfies(Proposition::Tokens(count))), [Some(false), Some(true)]);
        let election = ElectionMonitor::new(&scenario);
        assert_eq!(election.satisfies(Proposition::Tokens(1)), None);
        assert_eq!(election.satisfies(Proposition::Decided(2)), None, "there is no such place");
    }
}
