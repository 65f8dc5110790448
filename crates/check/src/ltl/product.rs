//! The synchronous product of a transition system and the automaton of a negated formula: a transition system itself.
//!
//! A state vector is one of the system and an entry for the state of the automaton, which has read the propositions of this
//! state and of those before. A quiescent state has a transition to itself besides: a run that ends stutters.
//!
//! *Actions.* Every transition is an action of its own, except in the deterministic part of the automaton: there the outcomes
//! of a random choice are those of one action, so that end components of the product are those that a scheduler can stay
//! in. Accepting states are in the deterministic part only, if there are random choices.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ringleader_model::{Promises, Proposition};

use super::Fairness;
use super::automaton::Automaton;
use super::limit_deterministic::DeterministicPart;
use crate::answer::Property;
use crate::choices::ChoiceProbability;
use crate::interner::{Interned, ValueTable};
use crate::transition_system::{
    MonitorStatus, Monitored, Successors, TransitionSystem, entry_hash, fingerprint as fingerprint_of,
};

/// The entry of the automaton where no run of it goes on. Nothing follows.
const REJECTED: Interned = 0;

/// A state of the automaton, as its entry says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadState {
    Rejected,
    /// `fresh`: only the initial state was read.
    Nondeterministic {
        state: u32,
        fresh: bool,
    },
    Deterministic(Interned),
}

/// The product of a transition system and an automaton.
pub(crate) struct ProductSystem {
    system: Box<dyn TransitionSystem>,
    automaton: Arc<Automaton>,
    /// `None` if there are no random choices.
    deterministic: Option<DeterministicPart>,
    /// Random choices were met, but are not expected.
    random: Arc<AtomicBool>,
    question: ProductQuestion,
    /// The length of the system's state vectors.
    width: usize,
    /// By monitor: its propositions, once computed.
    letters: Vec<Option<u64>>,
    /// Those of the system, and of a successor.
    successors: [Successors; 2],
    /// By transition of the product, since the last call of `successors`: that of the system; `None`: it stutters.
    origins: Vec<Option<usize>>,
    /// A buffer.
    after: Vec<Interned>,
}

/// What is asked about the product.
#[derive(Clone, Copy)]
pub(crate) struct ProductQuestion {
    pub(crate) fairness: Fairness,
    /// Only a reachable state is searched for: ample sets are enough, and random choices are like any others.
    pub(crate) is_invariant: bool,
    /// The number of the formula.
    pub(crate) formula: u16,
}

impl ProductSystem {
    /// The product with a system whose symmetry reduction is disabled. `random`: it has random choices.
    pub(crate) fn new(
        system: Box<dyn TransitionSystem>,
        automaton: Arc<Automaton>,
        random: bool,
        question: ProductQuestion,
    ) -> Self {
        let deterministic = random.then(|| DeterministicPart::new(Arc::clone(&automaton)));
        let width = system.initial_states().first().map_or(0, Vec::len);
        Self {
            system,
            automaton,
            deterministic,
            random: Arc::new(AtomicBool::new(false)),
            question,
            width,
            letters: Vec::new(),
            successors: Default::default(),
            origins: Vec::new(),
            after: Vec::new(),
        }
    }

    /// The number of the formula.
    pub(crate) fn formula(&self) -> u16 {
        self.question.formula
    }

    /// True if the search was given up because of random choices.
    pub(crate) fn met_random_choices(&self) -> bool {
        self.random.load(Ordering::Relaxed)
    }

    /// The transition of the system behind a transition of the product; `None` if it stutters.
    pub(crate) fn origin(&mut self, state: &[Interned], transition: usize) -> Option<usize> {
        let mut successors = Successors::default();
        self.successors(state, fingerprint_of(state), &mut successors);
        self.origins[transition]
    }

    /// The propositions of a state of the system, as bits.
    pub(crate) fn letter(&mut self, state: &[Interned], fresh: bool) -> u64 {
        let monitor = state[self.system.monitor_entry()];
        self.letter_of(monitor) | self.quiescence(state, fingerprint_of(state), fresh)
    }

    /// The propositions that a monitor judges.
    fn letter_of(&mut self, monitor: Interned) -> u64 {
        let index = monitor as usize;
        if let Some(&Some(letter)) = self.letters.get(index) {
            return letter;
        }
        let letter = self.system.satisfied(monitor, &self.automaton.propositions);
        if self.letters.len() <= index {
            self.letters.resize(index + 1, None);
        }
        self.letters[index] = Some(letter);
        letter
    }

    /// The bit of quiescence, if the formula mentions it and the state is quiescent.
    fn quiescence(&mut self, state: &[Interned], fingerprint: u64, fresh: bool) -> u64 {
        let bit = self.automaton.propositions.iter().position(|&one| one == Proposition::Quiescent);
        let Some(bit) = bit else { return 0 };
        if self.system.monitor_status(state).cut_off {
            return 0;
        }
        self.system.successors(state, fingerprint, &mut self.successors[1]);
        let successors = &self.successors[1];
        let quiescent = self.system.is_quiescent(state, successors) && (!fresh || successors.transitions.is_empty());
        u64::from(quiescent) << bit
    }

    fn read_state(&self, entry: Interned) -> ReadState {
        if entry == REJECTED {
            return ReadState::Rejected;
        }
        let (number, fresh) = ((entry - 1) / 2, (entry - 1) % 2 == 1);
        match number.checked_sub(self.automaton.states.len() as u32) {
            Some(number) => ReadState::Deterministic(number),
            None => ReadState::Nondeterministic { state: number, fresh },
        }
    }

    /// The entries that an entry is followed by after a letter.
    fn read(&mut self, entry: Interned, letter: u64, after: &mut Vec<Interned>) {
        after.clear();
        let deterministic_entry =
            |number: Interned, automaton: &Automaton| 1 + 2 * (automaton.states.len() as Interned + number);
        match self.read_state(entry) {
            ReadState::Rejected => {}
            ReadState::Nondeterministic { state, .. } => {
                let own = &self.automaton.states[state as usize];
                after.extend(own.edges.iter().filter(|edge| edge.reads(letter)).map(|edge| 1 + 2 * edge.to));
                if let (Some(part), true) = (&mut self.deterministic, own.accepting) {
                    let from = part.entry(state);
                    let to = part.successor(from, letter);
                    after.extend(to.map(|number| deterministic_entry(number, &self.automaton)));
                }
            }
            ReadState::Deterministic(number) => {
                let part = self.deterministic.as_mut().expect("it has a deterministic part");
                let to = part.successor(number, letter);
                after.extend(to.map(|number| deterministic_entry(number, &self.automaton)));
            }
        }
    }

    /// Adds the transitions of the product for one of the system, or for stuttering.
    fn add(
        &mut self,
        (state, fingerprint): (&[Interned], u64),
        origin: Option<usize>,
        action: &mut u32,
        output: &mut Successors,
    ) {
        let entry = state[self.width];
        let (letter, reached) = self.letter_after(&state[..self.width], fingerprint, origin);
        let mut entries = core::mem::take(&mut self.after);
        self.read(entry, letter, &mut entries);
        let deterministic = matches!(self.read_state(entry), ReadState::Deterministic(_));
        // An outcome that the automaton does not read keeps its action out of every end component.
        if deterministic && entries.is_empty() {
            entries.push(REJECTED);
        }
        for &to in &entries {
            if let Some(transition) = origin {
                for &(index, value) in self.successors[0].writes(transition) {
                    output.write_new(index, value);
                }
                for &obligation in self.successors[0].discharged(transition) {
                    output.discharge(obligation);
                }
            }
            if to != entry {
                output.write_new(self.width as u32, to);
            }
            let (number, probability) = match origin {
                Some(index) if deterministic => {
                    let base = &self.successors[0];
                    (base.transitions[index].action, base.probability(index))
                }
                _ => (*action, ChoiceProbability::CERTAIN),
            };
            *action = (*action).max(number) + 1;
            let fingerprint = reached.wrapping_add(entry_hash(self.width as u32, to));
            output.finish_at(fingerprint, (number, probability), 0, false);
            self.origins.push(origin);
        }
        self.after = entries;
    }

    /// The letter of the state after a transition of the system, or of the same state; and the fingerprint of that state.
    fn letter_after(&mut self, state: &[Interned], fingerprint: u64, origin: Option<usize>) -> (u64, u64) {
        let Some(transition) = origin else { return (self.letter(state, false), fingerprint) };
        let at = self.system.monitor_entry();
        let successors = &self.successors[0];
        let reached = successors.transitions[transition].fingerprint;
        let written = successors.writes(transition).iter().find(|(index, _)| *index as usize == at);
        let monitor = written.map_or(state[at], |&(_, monitor)| monitor);
        let mut letter = self.letter_of(monitor);
        if self.observes_quiescence() {
            let mut next = state.to_vec();
            self.successors[0].apply(transition, &mut next);
            letter |= self.quiescence(&next, reached, false);
        }
        (letter, reached)
    }

    fn observes_quiescence(&self) -> bool {
        self.automaton.propositions.contains(&Proposition::Quiescent)
    }

    /// Whether an action of the system has several outcomes.
    fn has_random_choices(&self) -> bool {
        self.successors[0].transitions.windows(2).any(|pair| pair[0].action == pair[1].action)
    }
}

impl TransitionSystem for ProductSystem {
    fn fork(&self) -> Box<dyn TransitionSystem> {
        Box::new(Self {
            system: self.system.fork(),
            automaton: Arc::clone(&self.automaton),
            deterministic: self.deterministic.clone(),
            random: Arc::clone(&self.random),
            question: self.question,
            width: self.width,
            letters: Vec::new(),
            successors: Default::default(),
            origins: Vec::new(),
            after: Vec::new(),
        })
    }

    fn initial_states(&self) -> Vec<Vec<Interned>> {
        let mut reader =
            Self::new(self.system.fork(), Arc::clone(&self.automaton), self.deterministic.is_some(), self.question);
        let mut states = Vec::new();
        for state in self.system.initial_states() {
            let letter = reader.letter(&state, true);
            for edge in self.automaton.states[0].edges.iter().filter(|edge| edge.reads(letter)) {
                let entry = 1 + 2 * edge.to + 1;
                states.push([&state[..], &[entry]].concat());
            }
        }
        states
    }

    fn successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        successors.clear();
        self.origins.clear();
        let entry = state[self.width];
        let fresh = match self.read_state(entry) {
            ReadState::Rejected => return,
            ReadState::Nondeterministic { fresh, .. } => fresh,
            ReadState::Deterministic(_) => false,
        };
        let below = fingerprint.wrapping_sub(entry_hash(self.width as u32, entry));
        self.system.successors(&state[..self.width], below, &mut self.successors[0]);
        successors.truncated = self.successors[0].truncated;
        if self.deterministic.is_none() && !self.question.is_invariant && self.has_random_choices() {
            self.random.store(true, Ordering::Relaxed);
            successors.truncated = true;
            return;
        }
        let (count, ample) = (self.successors[0].transitions.len(), self.successors[0].ample.clone());
        let (mut action, mut reduced) = (0, 0..0);
        for index in 0..count {
            if index == ample.start {
                reduced.start = successors.transitions.len();
            }
            self.add((state, below), Some(index), &mut action, successors);
            if index + 1 == ample.end {
                reduced.end = successors.transitions.len();
            }
        }
        if self.successors[0].is_quiescent() && (!fresh || count == 0) {
            self.add((state, below), None, &mut action, successors);
        }
        if self.question.is_invariant && !self.observes_quiescence() && !ample.is_empty() {
            successors.ample = reduced;
        }
        // A state without successors would count as quiescent.
        if successors.transitions.is_empty() {
            successors.write_new(self.width as u32, REJECTED);
            successors.finish_at(
                below.wrapping_add(entry_hash(self.width as u32, REJECTED)),
                (0, ChoiceProbability::CERTAIN),
                0,
                false,
            );
            self.origins.push(None);
        }
    }

    fn pending(&mut self, state: &[Interned], pending: &mut Vec<u32>) {
        pending.clear();
        if self.question.fairness != Fairness::None && state[self.width] != REJECTED {
            self.system.pending(&state[..self.width], pending);
        }
    }

    fn bytes(&self) -> usize {
        let letters = size_of_val(&*self.letters);
        self.system.bytes() + letters + self.deterministic.as_ref().map_or(0, DeterministicPart::bytes)
    }

    /// Those of the system come first.
    fn value_tables(&self) -> Vec<&dyn ValueTable> {
        let mut tables = self.system.value_tables();
        tables.extend(self.deterministic.as_ref().map(DeterministicPart::values));
        tables
    }

    fn reexamine(&mut self, always: bool) {
        self.system.reexamine(always);
    }

    fn is_strongly_fair(&self) -> bool {
        self.question.fairness == Fairness::Strong
    }
}

impl Monitored for ProductSystem {
    /// Violated: the automaton accepts whatever follows. Waiting: it accepts.
    fn monitor_status(&mut self, state: &[Interned]) -> MonitorStatus {
        let (violated, waiting) = match self.read_state(state[self.width]) {
            ReadState::Rejected => (false, false),
            ReadState::Nondeterministic { state, .. } => {
                let own = &self.automaton.states[state as usize];
                (own.is_universal, own.accepting && self.deterministic.is_none())
            }
            ReadState::Deterministic(number) => {
                let part = self.deterministic.as_mut().expect("it has a deterministic part");
                (false, part.is_accepting(number))
            }
        };
        let cut_off = violated || self.system.monitor_status(&state[..self.width]).cut_off;
        MonitorStatus { violated, cut_off, waiting: waiting && !cut_off, fulfilled: Promises::default() }
    }

    fn diagnosis(&mut self, state: &[Interned]) -> String {
        self.system.diagnosis(&state[..self.width])
    }

    fn properties(&self) -> Vec<Property> {
        vec![Property::Formula(self.question.formula)]
    }

    fn violated_properties(&mut self, _: &[Interned]) -> Vec<Property> {
        self.properties()
    }
}
