use core::fmt;

use crate::{Assumptions, Links, Scenario};

/// A promise of a protocol's paper beyond the properties of its problem. A protocol [states](crate::Protocol::PROMISES)
/// its promises; the [monitor](crate::Monitor) of its problem judges them, in runs and in checks.
///
/// ```
/// use ringleader_model::{
///     Assumptions, ElectionMonitor, ElectionReport, Id, Links, Monitor, Promise, Promised, Promises, Scenario,
/// };
///
/// const PROMISES: &[Promise] = &[Promise::new(Promised::GreatestWins, "ChangRoberts1979")];
///
/// let scenario = Scenario { n: 3, ids: vec![1, 2, 3], ..Scenario::default() };
/// let mut monitor = ElectionMonitor::new(&scenario);
/// monitor.promise(Promises::within(PROMISES, &Assumptions::RING, &scenario), &scenario);
/// monitor.observe(1, ElectionReport::Elected(Some(Id::new(2))));
/// assert_eq!(monitor.violations()[0].property, "the greatest identity wins");
///
/// // The paper says nothing about links that reorder messages.
/// let scenario = Scenario { links: Links::Any, ..scenario };
/// assert!(Promises::within(PROMISES, &Assumptions::RING, &scenario).is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promise {
    /// The property.
    pub property: Promised,
    /// The condition under which it is made, beside the assumptions; empty if there is none. The protocol
    /// [decides](crate::Protocol::promises) whether it is met.
    pub when: &'static str,
    /// The source.
    pub source: &'static str,
}

impl Promise {
    /// One that is made without a condition.
    pub const fn new(property: Promised, source: &'static str) -> Self {
        Self { property, when: "", source }
    }
}

/// A property that a paper can promise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Promised {
    /// Of an election: who is elected has the greatest of all identities, or holds it.
    GreatestWins,
    /// Of an election: who is elected has the smallest of all identities.
    SmallestWins,
    /// Of an election: when all have decided, somebody is elected, under the identity that all hold.
    WinnerKnown,
    /// Of an election: a processor reports its decision once.
    DecidesOnce,
    /// Of an election: no two processors are elected, not even under the same identity.
    OneElected,
    /// Of a token ring: where there is one token, none is inserted, and it is not removed.
    TokenKept,
    /// Of readers and writers: in some run two readers are inside together.
    ReadersTogether,
    /// Of a lock for N sites: while a site waits, the others that conflict with it enter at most N(N+1)/2-1 times.
    BoundedBypass,
    /// Of a lock whose requests are numbered: no site enters while another waits that conflicts with it and whose number is
    /// smaller, or the same and its identity smaller (first come, first served by number).
    ServedByNumber,
    /// Of readers that begin again where a write came between: they find no more overlapping writes than there may be, none for
    /// one, or one for two or more.
    OverlapsTold,
    /// Of a lock whose requests are numbered: while a site waits with its number, each other enters at most twice.
    OvertakenTwice,
    /// Of a lock for N sites whose requests are numbered: the numbers of two sites that wait or are inside differ by at most N-1.
    NumbersClose,
}

impl Promised {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::GreatestWins,
        Self::SmallestWins,
        Self::WinnerKnown,
        Self::DecidesOnce,
        Self::OneElected,
        Self::TokenKept,
        Self::ReadersTogether,
        Self::BoundedBypass,
        Self::ServedByNumber,
        Self::OverlapsTold,
        Self::OvertakenTwice,
        Self::NumbersClose,
    ];

    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GreatestWins => "the greatest identity wins",
            Self::SmallestWins => "the smallest identity wins",
            Self::WinnerKnown => "everybody ends up holding the winner's identity",
            Self::DecidesOnce => "every processor reports its decision once",
            Self::OneElected => "one processor is elected",
            Self::TokenKept => "a lone token is neither doubled nor removed",
            Self::ReadersTogether => "readers can be inside together",
            Self::BoundedBypass => "a waiting site is overtaken at most N(N+1)/2-1 times",
            Self::ServedByNumber => "waiting sites enter in the order of their numbers",
            Self::OverlapsTold => "no reader finds more overlapping writes than there are",
            Self::OvertakenTwice => "while a site waits with its number, each other enters at most twice",
            Self::NumbersClose => "numbers in use differ by at most N-1",
        }
    }

    /// Whether one run is enough to fulfil it. Only a check that has explored all runs finds it broken; a run does not judge it.
    pub const fn is_existential(self) -> bool {
        matches!(self, Self::ReadersTogether)
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|promised| promised.name() == name)
    }
}

/// The promises that a monitor judges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Promises(u16);

impl Promises {
    /// Those that are made for a scenario: within the assumptions of their protocol, and where nothing fails.
    pub fn within(stated: &[Promise], assumptions: &Assumptions, scenario: &Scenario) -> Self {
        let in_order = scenario.links != Links::Any || assumptions.links == Links::Any;
        if in_order && scenario.is_undisturbed(assumptions) {
            stated.iter().fold(Self::default(), |promises, promise| promises.with(promise.property))
        } else {
            Self::default()
        }
    }

    /// With one more.
    #[must_use]
    pub const fn with(self, promised: Promised) -> Self {
        Self(self.0 | 1 << promised as u16)
    }

    /// With those of others.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Without one.
    #[must_use]
    pub const fn without(self, promised: Promised) -> Self {
        Self(self.0 & !(1 << promised as u16))
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this is one of them.
    pub const fn contains(self, promised: Promised) -> bool {
        self.0 >> promised as u16 & 1 == 1
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = Promised> {
        Promised::ALL.into_iter().filter(move |&promised| self.contains(promised))
    }

    /// Panics if a protocol promises what the monitor of its problem cannot judge.
    ///
    /// # Panics
    /// If one of them is not in `judged`.
    pub fn assert_among(self, judged: &[Promised]) {
        for promised in self.iter() {
            assert!(judged.contains(&promised), "the problem's monitor does not judge that {}", promised.name());
        }
    }
}

impl fmt::Debug for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
