use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::{Assumptions, Links, Place, Port, Scenario, Violation};

/// A lemma of a protocol's paper: a statement about what its processors have done so far, not about the present state alone.
///
/// Steps [note](crate::Effects::note) the facts that it speaks of; an engine that judges lemmas keeps them, by place, beside
/// the states. Facts are only ever added, and a lemma that is violated stays violated: a run judges it once, at its end, a
/// check in every state of a search of its own, so that the states of other searches hold no history.
///
/// ```
/// use ringleader_model::{Fact, Histories, Lemma, Scenario};
///
/// const RISES: Lemma = Lemma {
///     name: "phases increase",
///     when: "",
///     source: "a paper, lemma 1",
///     holds: |histories| match histories.facts.iter().all(|own| own.is_sorted_by_key(|fact| fact.phase)) {
///         true => Ok(()),
///         false => Err("a phase decreases".into()),
///     },
/// };
/// let scenario = Scenario { n: 2, ..Scenario::default() };
/// let [first, second] = [1, 2].map(|phase| Fact { phase, ..Fact::default() });
/// let violation = |facts: &[Vec<Fact>]| RISES.violation(&Histories { scenario: &scenario, facts });
/// assert!(violation(&[vec![first, second], vec![]]).is_none());
/// assert_eq!(violation(&[vec![second, first], vec![]]).expect("it is violated").detail, "a phase decreases");
/// ```
#[derive(Clone, Copy)]
pub struct Lemma {
    /// As users read it.
    pub name: &'static str,
    /// The condition under which it is stated, beside the assumptions; empty if there is none. The protocol
    /// [decides](crate::Protocol::lemmas) whether it is met.
    pub when: &'static str,
    /// The source, with the number of the statement.
    pub source: &'static str,
    /// Whether the histories of all processors satisfy it; if not, which facts contradict it.
    pub holds: fn(&Histories<'_>) -> Result<(), String>,
}

impl Lemma {
    /// Those that are stated for a scenario: within the assumptions of their protocol, and where nothing fails.
    pub fn within(
        stated: &'static [Self],
        assumptions: &Assumptions,
        scenario: &Scenario,
    ) -> impl Iterator<Item = &'static Self> {
        let in_order = scenario.links != Links::Any || assumptions.links == Links::Any;
        let judged = if in_order && scenario.is_undisturbed(assumptions) { stated } else { &[] };
        judged.iter()
    }

    /// The violation by these histories, if it does not hold.
    pub fn violation(&self, histories: &Histories<'_>) -> Option<Violation> {
        (self.holds)(histories).err().map(|detail| Violation { property: self.name, detail })
    }
}

impl fmt::Debug for Lemma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A fact about a step of which a lemma speaks. What its fields mean is up to the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Fact {
    /// What happened.
    pub kind: u8,
    /// In which phase.
    pub phase: u32,
    /// With which value, such as an identity.
    pub value: u64,
    /// Through which port, on a ring. On a complete network facts name none: a check renames ports.
    pub port: Port,
}

/// What all processors have done so far.
#[derive(Clone, Copy, Debug)]
pub struct Histories<'a> {
    /// Their scenario, for identities and orientation.
    pub scenario: &'a Scenario,
    /// By place, in order.
    pub facts: &'a [Vec<Fact>],
}

impl Histories<'_> {
    /// The number of processors.
    pub fn n(&self) -> usize {
        self.scenario.n
    }

    /// All facts with their places.
    pub fn iter(&self) -> impl Iterator<Item = (Place, Fact)> {
        let places = (0..).zip(self.facts);
        places.flat_map(|(place, own)| own.iter().map(move |&fact| (place, fact)))
    }

    /// The place of an identity.
    pub fn place_of(&self, id: u64) -> Option<Place> {
        self.scenario.identities().iter().position(|other| other == id).map(|place| place as Place)
    }

    /// Whether a port of a bidirectional ring leads clockwise.
    pub fn is_clockwise(&self, place: Place, port: Port) -> bool {
        let exchanged = self.scenario.orientation.get(place as usize).is_some_and(|&exchanged| exchanged);
        (port == Port(1)) != exchanged
    }

    /// The places strictly between two, clockwise from the one to the other.
    pub fn between(&self, from: Place, to: Place) -> impl Iterator<Item = Place> {
        let n = self.n() as Place;
        let next = move |place: Place| (place + 1) % n;
        core::iter::successors(Some(next(from)), move |&place| Some(next(place))).take_while(move |&place| place != to)
    }
}

/// The facts of a run, and the lemmas that are judged on them.
#[derive(Clone, Debug)]
pub struct LemmaMonitor {
    lemmas: Vec<&'static Lemma>,
    scenario: Scenario,
    facts: Vec<Vec<Fact>>,
    noted: u64,
}

impl LemmaMonitor {
    /// Of a run in which nothing has happened; `None` if there are no lemmas.
    pub fn new(lemmas: Vec<&'static Lemma>, scenario: &Scenario) -> Option<Self> {
        let facts = (0..scenario.n).map(|_| Vec::new()).collect();
        (!lemmas.is_empty()).then(|| Self { lemmas, scenario: scenario.clone(), facts, noted: 0 })
    }

    /// The lemmas that are judged.
    pub fn lemmas(&self) -> &[&'static Lemma] {
        &self.lemmas
    }

    /// The facts so far, by place.
    pub fn facts(&self) -> &[Vec<Fact>] {
        &self.facts
    }

    /// The number of facts so far.
    pub const fn noted(&self) -> u64 {
        self.noted
    }

    /// Keeps a fact.
    pub fn note(&mut self, place: Place, fact: Fact) {
        self.noted += 1;
        self.facts[place as usize].push(fact);
    }

    /// The lemmas that are violated by the facts so far.
    pub fn violations(&self) -> impl Iterator<Item = Violation> {
        self.judge(&self.facts)
    }

    /// The lemmas that are violated by these facts instead of its own.
    pub fn judge(&self, facts: &[Vec<Fact>]) -> impl Iterator<Item = Violation> {
        self.lemmas.iter().filter_map(move |lemma| lemma.violation(&Histories { scenario: &self.scenario, facts }))
    }
}
