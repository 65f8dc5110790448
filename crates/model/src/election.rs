use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    Id, Milestone, Monitor, Outcome, Place, Problem, ProcessorState, Promised, Promises, Proposition, Scenario,
    Violation,
};

/// Leader election: exactly one processor, on which all agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Election {}

/// A request to a processor that takes part in elections.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElectionRequest {
    /// A further election.
    Elect,
}

impl fmt::Display for ElectionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elect => f.write_str("elect"),
        }
    }
}

/// A report about the leader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElectionReport {
    /// The processor is elected, under this identity (`None` where processors have none).
    Elected(Option<Id>),
    /// The leader is another processor, of this identity.
    Follows(Option<Id>),
    /// The processor finds out that the election is decided; `alone`: no other processor may find it out by itself. It
    /// reports the leader besides.
    Inaugurates {
        /// It must be the only one.
        alone: bool,
    },
    /// A further election has begun; the known leader is to be confirmed.
    Reopened,
    /// The leader knows the size of the ring.
    Size(u64),
}

impl fmt::Display for ElectionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elected(Some(id)) => write!(f, "elected {id}"),
            Self::Elected(None) => f.write_str("elected"),
            Self::Follows(Some(id)) => write!(f, "follows {id}"),
            Self::Follows(None) => f.write_str("follows"),
            Self::Inaugurates { .. } => f.write_str("inaugurates"),
            Self::Reopened => f.write_str("reopened"),
            Self::Size(size) => write!(f, "ring size {size}"),
        }
    }
}

/// A processor that declared itself leader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Leader {
    /// Its place: in a ring that is divided among processes there are more than a [`Place`] can tell.
    pub place: u64,
    /// The identity under which it was elected.
    pub id: Option<Id>,
}

impl Problem for Election {
    const NAME: &'static str = "election";
    const WORK: &'static str = "election";
    const AGAIN: Option<ElectionRequest> = Some(ElectionRequest::Elect);
    const ANY_ORDER: bool = true;
    const PROPERTIES: &'static [&'static str] =
        &[ElectionMonitor::ONE_LEADER, ElectionMonitor::AGREEMENT, ElectionMonitor::FIRM];
    type Request = ElectionRequest;
    type Report = ElectionReport;
    type Monitor = ElectionMonitor;
    type Meter = ();

    fn milestone(report: &ElectionReport) -> Option<Milestone> {
        Some(match *report {
            ElectionReport::Elected(id) => Milestone::Elected { id },
            ElectionReport::Follows(id) => Milestone::Follows { id },
            ElectionReport::Inaugurates { .. } => Milestone::Inaugurates,
            ElectionReport::Reopened => Milestone::Reopened,
            ElectionReport::Size(size) => Milestone::Size { size },
        })
    }
}

/// Safety: at most one identity is ever declared leader, all agree, and no decision changes. Termination: all decide.
///
/// One bit per processor: as long as all agree, only the set of processors that have decided must be kept. Serialised, it is what
/// [merging](Monitor::merge) needs of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ElectionMonitor {
    #[serde(skip)]
    decided: Vec<u64>,
    crashed: Vec<Place>,
    undecided: u64,
    n: u64,
    agreed: Option<Option<Id>>,
    leaders: Vec<Leader>,
    inaugurated: Option<u64>,
    ring_size: Option<u64>,
    /// These and the next are the same in all states.
    #[serde(skip)]
    promises: Promises,
    /// The identity that must win, where one is promised to.
    #[serde(skip)]
    winner: Option<(Promised, Id)>,
    violations: Vec<Violation>,
}

impl ElectionMonitor {
    const ONE_LEADER: &'static str = "at most one leader";
    const AGREEMENT: &'static str = "everybody agrees";
    const FIRM: &'static str = "nobody changes its mind";
    const ALONE: &'static str = "one processor inaugurates";
    const SIZE: &'static str = "the ring's size is right";

    fn is_decided(&self, place: Place) -> bool {
        self.decided[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// Whether a processor has declared itself.
    pub(crate) fn leads(&self, place: Place) -> bool {
        self.leaders.iter().any(|leader| leader.place == u64::from(place))
    }

    #[inline(always)]
    fn decide(&mut self, place: Place, id: Option<Id>) {
        let (word, bit) = (place as usize / 64, 1 << (place % 64));
        // Nearly every decision is a processor's first, is what all others say, and is not the last one: it violates nothing.
        let expected = self.agreed == Some(id) && self.winner.is_none_or(|(_, winner)| Some(winner) == id);
        if expected && self.undecided > 1 && self.decided[word] & bit == 0 {
            self.decided[word] |= bit;
            self.undecided -= 1;
        } else {
            // By value: an identity whose address is taken is written in halves and read back as a whole, which takes longer
            // than all the rest of a step.
            self.judge_decision(place, id.map(Id::get));
        }
    }

    #[inline(never)]
    fn judge_decision(&mut self, place: Place, id: Option<u64>) {
        let id = id.map(Id::new);
        let before = self.is_decided(place);
        match self.agreed {
            None => self.agreed = Some(id),
            Some(agreed) if agreed == id => {}
            Some(agreed) => {
                let property = if before { Self::FIRM } else { Self::AGREEMENT };
                let detail = format!("place {place} says {}, before it was {}", Named(id), Named(agreed));
                self.violated(property, detail);
            }
        }
        self.judge_promises(before, id);
        if !before {
            self.decided[place as usize / 64] |= 1 << (place % 64);
            self.undecided -= 1;
        }
        if self.promises.contains(Promised::WinnerKnown) && self.leaders.is_empty() && self.finished() {
            self.violated(Promised::WinnerKnown.name(), format!("all follow {}, but nobody is elected", Named(id)));
        }
    }

    #[inline(never)]
    fn declare(&mut self, place: Place, id: Option<u64>) {
        let id = id.map(Id::new);
        let leader = Leader { place: place.into(), id };
        let rival =
            self.leaders.iter().find(|other| if id.is_some() { other.id != id } else { other.place != leader.place });
        if let Some(rival) = rival {
            let detail = format!(
                "place {} declared {}, then place {place} declared {}",
                rival.place,
                Named(rival.id),
                Named(id)
            );
            self.violated(Self::ONE_LEADER, detail);
        }
        let twice = self.leaders.iter().any(|other| other.place != leader.place);
        if twice && self.promises.contains(Promised::OneElected) {
            self.violated(Promised::OneElected.name(), format!("{} is declared at two places", Named(id)));
        }
        if !self.leaders.contains(&leader) {
            self.leaders.push(leader);
        }
    }

    /// Judges a decision. `before`: it is not the processor's first. Details name no place, so that the order of reports
    /// distinguishes no states.
    fn judge_promises(&mut self, before: bool, id: Option<Id>) {
        if let Some((promised, winner)) = self.winner.filter(|(_, winner)| Some(*winner) != id) {
            self.violated(promised.name(), format!("{} has won, not id {winner}", Named(id)));
        }
        if before && self.promises.contains(Promised::DecidesOnce) {
            self.violated(Promised::DecidesOnce.name(), format!("{} is reported once more", Named(id)));
        }
    }

    fn violated(&mut self, property: &'static str, detail: String) {
        Violation { property, detail }.note(&mut self.violations);
    }
}

impl Monitor for ElectionMonitor {
    type Report = ElectionReport;

    fn new(scenario: &Scenario) -> Self {
        Self::of_segment(scenario, scenario.n)
    }

    /// As many are undecided as in the whole ring: only all of them together have finished.
    fn of_segment(scenario: &Scenario, length: usize) -> Self {
        let n = scenario.n as u64;
        Self {
            decided: vec![0; length.div_ceil(64)],
            crashed: Vec::new(),
            undecided: n,
            n,
            agreed: None,
            leaders: Vec::new(),
            inaugurated: None,
            ring_size: None,
            promises: Promises::default(),
            winner: None,
            violations: Vec::new(),
        }
    }

    fn promise(&mut self, promises: Promises, scenario: &Scenario) {
        let [greatest, smallest] = [Promised::GreatestWins, Promised::SmallestWins];
        let [known, once, one] = [Promised::WinnerKnown, Promised::DecidesOnce, Promised::OneElected];
        promises.assert_among(&[greatest, smallest, known, once, one]);
        self.promises = promises;
        let best = if promises.contains(greatest) {
            Some(greatest).zip(scenario.identities().greatest())
        } else if promises.contains(smallest) {
            Some(smallest).zip(scenario.identities().least())
        } else {
            None
        };
        self.winner = best.map(|(promised, id)| (promised, Id::new(id)));
    }

    fn satisfies(&self, proposition: Proposition) -> Option<bool> {
        match proposition {
            Proposition::Elected => Some(!self.leaders.is_empty()),
            Proposition::Leader(id) => Some(self.leaders.iter().any(|leader| leader.id == Some(id))),
            Proposition::Decided(place) if u64::from(place) < self.n => Some(self.is_decided(place)),
            _ => None,
        }
    }

    fn state(&self, place: Place) -> Option<ProcessorState> {
        match place {
            _ if self.leads(place) => Some(ProcessorState::Leader),
            _ if self.is_decided(place) => Some(ProcessorState::Decided),
            _ => None,
        }
    }

    fn leaders(&self) -> usize {
        self.leaders.len()
    }

    #[inline(always)]
    fn observe(&mut self, place: Place, report: ElectionReport) -> bool {
        match report {
            ElectionReport::Elected(id) => {
                self.declare(place, id.map(Id::get));
                self.decide(place, id);
                true
            }
            ElectionReport::Follows(id) => {
                self.decide(place, id);
                false
            }
            ElectionReport::Inaugurates { alone } => {
                let first = *self.inaugurated.get_or_insert(place.into());
                if alone && first != u64::from(place) {
                    self.violated(Self::ALONE, format!("place {first} did, then place {place}"));
                }
                true
            }
            ElectionReport::Reopened => {
                if self.is_decided(place) {
                    self.decided[place as usize / 64] &= !(1 << (place % 64));
                    self.undecided += 1;
                }
                false
            }
            ElectionReport::Size(size) => {
                if size != self.n {
                    self.violated(Self::SIZE, format!("place {place} derived {size}, there are {}", self.n));
                }
                self.ring_size = Some(size);
                false
            }
        }
    }

    fn rotated(&self, by: Place, n: Place) -> Option<Self> {
        let turn = |place: Place| (place + by) % n;
        let mut turned = Self { decided: vec![0; self.decided.len()], ..self.clone() };
        for place in (0..n).filter(|&place| self.is_decided(place)).map(turn) {
            turned.decided[place as usize / 64] |= 1 << (place % 64);
        }
        turned.crashed.iter_mut().for_each(|place| *place = turn(*place));
        let turn = |place: u64| (place + u64::from(by)) % u64::from(n);
        turned.leaders.iter_mut().for_each(|leader| leader.place = turn(leader.place));
        turned.inaugurated = self.inaugurated.map(turn);
        turned.violations.iter_mut().for_each(|violation| violation.detail.clear());
        Some(turned)
    }

    fn merge(&mut self, first: u64, other: &Self) {
        self.undecided -= other.n - other.undecided;
        other.violations.iter().cloned().for_each(|violation| violation.note(&mut self.violations));
        if self.agreed.is_some() && other.agreed.is_some() && self.agreed != other.agreed {
            self.violated(Self::AGREEMENT, "places say different things".into());
        }
        self.agreed = self.agreed.or(other.agreed);
        if self.inaugurated.is_some() && other.inaugurated.is_some() {
            self.violated(Self::ALONE, "two places did".into());
        }
        self.inaugurated = self.inaugurated.or(other.inaugurated.map(|place| first + place));
        let leaders = other.leaders.iter().map(|leader| Leader { place: first + leader.place, ..*leader });
        if let (Some(one), Some(another)) = (self.leaders.first(), leaders.clone().next()) {
            let property =
                if one.id.is_some() && one.id == another.id { Promised::OneElected.name() } else { Self::ONE_LEADER };
            self.violated(property, format!("places {} and {} declared themselves", one.place, another.place));
        }
        self.leaders.extend(leaders);
        self.ring_size = self.ring_size.or(other.ring_size);
        if self.promises.contains(Promised::WinnerKnown) && self.leaders.is_empty() && self.finished() {
            self.violated(Promised::WinnerKnown.name(), "all follow, but nobody is elected".into());
        }
    }

    fn crash(&mut self, place: Place) {
        if !self.crashed.contains(&place) {
            self.crashed.push(place);
        }
    }

    /// It decides again. A leader that has restarted leads no more, unless it says so again.
    fn restart(&mut self, place: Place, _requests: u64) {
        self.crashed.retain(|&other| other != place);
        self.leaders.retain(|leader| leader.place != u64::from(place));
        self.observe(place, ElectionReport::Reopened);
    }

    fn finished(&self) -> bool {
        self.undecided == self.crashed.iter().filter(|&&place| !self.is_decided(place)).count() as u64
    }

    fn missing(&self) -> String {
        format!("{} of {} processors know no leader", self.undecided, self.n)
    }

    fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn outcome(&self) -> Outcome {
        let split = self.violations.iter().any(|v| v.property == Self::AGREEMENT || v.property == Self::FIRM);
        Outcome::Election {
            leaders: self.leaders.clone(),
            agreed: if split { None } else { self.agreed.flatten() },
            decided: self.n - self.undecided,
            ring_size: self.ring_size,
            sorted: Vec::new(),
            task: None,
        }
    }
}

/// An identity, or the fact that there is none.
struct Named(Option<Id>);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(id) => write!(f, "id {id}"),
            None => f.write_str("a nameless leader"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor(n: usize) -> ElectionMonitor {
        ElectionMonitor::new(&Scenario { n, ..Scenario::default() })
    }

    fn id(value: u64) -> Option<Id> {
        Some(Id::new(value))
    }

    #[test]
    fn one_leader_that_all_follow_is_right() {
        let mut monitor = monitor(3);
        assert!(monitor.observe(1, ElectionReport::Elected(id(7))));
        assert!(!monitor.finished());
        monitor.observe(2, ElectionReport::Follows(id(7)));
        monitor.observe(0, ElectionReport::Follows(id(7)));
        assert!(monitor.finished());
        assert!(monitor.violations().is_empty());
    }

    #[test]
    fn two_identities_two_opinions_and_a_change_of_mind_are_each_caught() {
        let mut monitor = monitor(3);
        monitor.observe(1, ElectionReport::Elected(id(7)));
        monitor.observe(2, ElectionReport::Elected(id(8)));
        monitor.observe(1, ElectionReport::Follows(id(8)));
        let caught: Vec<_> = monitor.violations().iter().map(|v| v.property).collect();
        assert_eq!(caught, ["at most one leader", "everybody agrees", "nobody changes its mind"]);
    }

    #[test]
    fn nameless_leaders_at_two_places_are_two() {
        let mut monitor = monitor(2);
        monitor.observe(0, ElectionReport::Elected(None));
        monitor.observe(1, ElectionReport::Elected(None));
        assert_eq!(monitor.violations()[0].property, "at most one leader");
    }

    #[test]
    fn the_leader_may_be_found_by_others_and_by_one_only_where_it_says_so() {
        let found = |alone| {
            let mut monitor = monitor(2);
            assert!(monitor.observe(0, ElectionReport::Inaugurates { alone }), "that is the moment of the election");
            monitor.observe(0, ElectionReport::Follows(id(7)));
            monitor.observe(1, ElectionReport::Inaugurates { alone });
            monitor.observe(1, ElectionReport::Elected(id(7)));
            assert!(monitor.finished());
            let Outcome::Election { leaders, .. } = monitor.outcome() else { unreachable!("it is an election") };
            assert_eq!(leaders, [Leader { place: 1, id: id(7) }], "the leader is the processor of that identity");
            monitor.violations().iter().map(|v| v.property).collect::<Vec<_>>()
        };
        assert!(found(false).is_empty());
        assert_eq!(found(true), ["one processor inaugurates"]);
    }

    /// The names of the violations on a ring of 2, 9 and 4 where all of this is promised.
    fn broken(promises: &[Promised], reports: &[(Place, ElectionReport)]) -> Vec<&'static str> {
        let scenario = Scenario { n: 3, ids: vec![2, 9, 4], ..Scenario::default() };
        let mut monitor = ElectionMonitor::new(&scenario);
        monitor.promise(promises.iter().fold(Promises::default(), |all, &one| all.with(one)), &scenario);
        for &(place, report) in reports {
            monitor.observe(place, report);
        }
        monitor.violations().iter().map(|violation| violation.property).collect()
    }

    #[test]
    fn only_the_promised_identity_may_win() {
        let wins = |winner| {
            let follows = ElectionReport::Follows(id(winner));
            [(1, ElectionReport::Elected(id(winner))), (0, follows), (2, follows)]
        };
        let won = |winner| {
            let by = |promised: Promised| broken(&[promised], &wins(winner));
            [broken(&[], &wins(winner)), by(Promised::GreatestWins), by(Promised::SmallestWins)]
        };
        let [greatest, smallest] = ["the greatest identity wins", "the smallest identity wins"];
        assert_eq!(won(9), [vec![], vec![], vec![smallest]]);
        assert_eq!(won(4), [vec![], vec![greatest], vec![smallest]]);
        assert_eq!(won(2), [vec![], vec![greatest], vec![]]);
    }

    #[test]
    fn followers_of_nobody_break_a_promise_when_the_last_one_decides() {
        let follows = ElectionReport::Follows(id(9));
        let known = |reports: &[_]| broken(&[Promised::WinnerKnown], reports);
        assert!(known(&[(0, follows), (2, follows)]).is_empty(), "place 1 may be elected yet");
        assert!(known(&[(0, follows), (2, follows), (1, ElectionReport::Elected(id(9)))]).is_empty());
        let all = [(0, follows), (2, follows), (1, follows)];
        assert_eq!(known(&all), ["everybody ends up holding the winner's identity"]);
        assert!(broken(&[], &all).is_empty());
    }

    #[test]
    fn a_decision_is_reported_once_in_each_election() {
        let (elected, follows) = (ElectionReport::Elected(id(9)), ElectionReport::Follows(id(9)));
        let once = |reports: &[_]| broken(&[Promised::DecidesOnce], reports);
        let twice = ["every processor reports its decision once"];
        assert!(once(&[(1, elected), (0, follows), (2, follows)]).is_empty());
        assert_eq!(once(&[(1, elected), (1, elected)]), twice);
        assert_eq!(once(&[(1, elected), (1, follows)]), twice);
        assert_eq!(once(&[(0, follows), (1, elected), (0, follows)]), twice);
        assert!(once(&[(1, elected), (1, ElectionReport::Reopened), (1, elected)]).is_empty());
    }

    #[test]
    fn a_further_election_must_finish_too() {
        let mut monitor = monitor(1);
        monitor.observe(0, ElectionReport::Elected(id(1)));
        monitor.observe(0, ElectionReport::Reopened);
        assert!(!monitor.finished());
    }

    #[test]
    fn nothing_is_expected_of_the_crashed() {
        let mut monitor = monitor(2);
        monitor.crash(0);
        monitor.crash(0);
        monitor.observe(1, ElectionReport::Elected(id(1)));
        assert!(monitor.finished());
    }

    #[test]
    fn one_that_restarts_decides_again_and_leads_no_more() {
        let mut monitor = monitor(2);
        monitor.observe(0, ElectionReport::Elected(id(2)));
        monitor.observe(1, ElectionReport::Follows(id(2)));
        monitor.crash(0);
        monitor.restart(0, 0);
        assert!(!monitor.finished() && monitor.leaders.is_empty());
        let mut other = monitor.clone();
        monitor.observe(0, ElectionReport::Elected(id(2)));
        assert!(monitor.finished() && monitor.violations().is_empty());
        other.observe(0, ElectionReport::Follows(id(1)));
        assert_eq!(other.violations()[0].property, "everybody agrees");
    }

    #[test]
    fn turned_it_is_as_if_everything_had_come_from_further_on() {
        let reports = [ElectionReport::Follows(None), ElectionReport::Elected(None), ElectionReport::Follows(None)];
        for by in 0..5 {
            let (mut here, mut there) = (monitor(5), monitor(5));
            for (place, report) in [3, 4, 0].into_iter().zip(reports) {
                here.observe(place, report);
                there.observe((place + by) % 5, report);
            }
            here.crash(2);
            there.crash((2 + by) % 5);
            assert_eq!(here.rotated(by, 5), Some(there), "{by}");
        }
    }

    #[test]
    fn a_wrong_size_is_caught() {
        let mut monitor = monitor(2);
        monitor.observe(0, ElectionReport::Size(3));
        assert_eq!(monitor.violations()[0].property, "the ring's size is right");
    }
}
