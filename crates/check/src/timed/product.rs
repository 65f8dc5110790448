//! The transitions of a state as the product of the options of its places, enumerated depth first: place by place, and
//! then the outcomes of random choices. What the places chosen so far contribute to the fingerprint, the reports and the
//! numbers of a transition is computed once for all combinations of the other places.

use ringleader_model::Place;

use super::in_flight::EMPTY;
use super::{CRASHED, LocalOption, LocalOutcome, NO_REPORTS, TimedSystem};
use crate::choices::ChoiceProbability;
use crate::interner::{Interned, Map};
use crate::memo::Memo;
use crate::passes::Passes;
use crate::program::Observation;
use crate::transition_system::{ProtocolSystem, Successors, entry_hash};

/// The number of the empty set of reports.
const NOTHING: Interned = 0;

/// The reports of all places in an instant, numbered, and the monitors that have observed them.
pub(super) struct ReportSets {
    /// By number: the places with reports, in order, and the numbers of these. The entry after the last place is the
    /// number of messages that are lost because their receivers have crashed.
    sets: Vec<Vec<(u32, Interned)>>,
    numbers: Map<Vec<(u32, Interned)>, Interned>,
    /// By set, and by place and reports: the set with these added.
    added: Map<(Interned, u32, Interned), Interned>,
    /// By monitor and set: the monitor after the instant.
    observed: Memo,
}

impl ReportSets {
    pub(super) fn new() -> Self {
        let numbers = std::iter::once((Vec::new(), NOTHING)).collect();
        Self { sets: vec![Vec::new()], numbers, added: Map::default(), observed: Memo::new() }
    }

    /// The number of a set with the reports of another place added.
    fn add(&mut self, set: Interned, place: u32, reports: Interned) -> Interned {
        if let Some(&found) = self.added.get(&(set, place, reports)) {
            return found;
        }
        let mut longer = self.sets[set as usize].clone();
        longer.push((place, reports));
        longer.sort_unstable();
        let next = self.sets.len() as Interned;
        let number = *self.numbers.entry(longer.clone()).or_insert(next);
        if number == next {
            self.sets.push(longer);
        }
        self.added.insert((set, place, reports), number);
        number
    }

    pub(super) fn bytes(&self) -> usize {
        const EACH: usize = 128;
        self.observed.bytes() + (self.sets.len() + self.added.len()) * EACH
    }
}

/// The places chosen so far, and the buffers of the enumeration.
#[derive(Default)]
pub(super) struct OptionProduct {
    /// By place: the first of its options, and the end.
    ranges: Vec<(u32, u32)>,
    /// By place: its option, and its outcome if that is chosen.
    chosen: Vec<u32>,
    outcome: Vec<u32>,
    /// The places whose options have several outcomes.
    random: Vec<usize>,
    /// By place: its local state afterwards.
    pub(super) local: Vec<Interned>,
    /// By link: the messages that stay in flight, and the batch that is sent.
    rest: Vec<Interned>,
    pub(super) batch: Vec<Interned>,
    /// With [early reading](super::early): by place its local state after that, and by link the batch that is left.
    pub(super) after: Vec<Interned>,
    pub(super) left: Vec<Interned>,
    /// The obligations that are discharged.
    discharged: Vec<u32>,
    /// The state is an initial one.
    initial: bool,
    key: Vec<Interned>,
}

/// The sums over the places chosen so far.
#[derive(Clone, Copy)]
struct Partial {
    fingerprint: u64,
    reports: Interned,
    probability: ChoiceProbability,
    sent: Passes,
    optional: bool,
    /// The fault budget afterwards, with the dearest outcomes, and that with those chosen.
    budget: Option<Interned>,
    left: Option<Interned>,
}

/// The state whose transitions are enumerated, and its transitions.
struct Expansion<'a> {
    state: &'a [Interned],
    successors: &'a mut Successors,
    product: OptionProduct,
}

impl TimedSystem {
    /// Adds all transitions of a state: for each set of links that may be cut, the product of the options of its places.
    pub(super) fn product_successors(&mut self, state: &[Interned], fingerprint: u64, successors: &mut Successors) {
        let mut product = core::mem::take(&mut self.product);
        product.initial = self.initial_states.iter().any(|initial_state| initial_state == state);
        for (index, budget) in self.budgets(state).into_iter().enumerate() {
            self.cut = self.cuts(budget);
            product.ranges.clear();
            for place in 0..self.n {
                let Some(range) = self.options_of(state, place, &mut product.key) else {
                    successors.truncated = true;
                    self.product = product;
                    return;
                };
                product.ranges.push(range);
            }
            product.reset(self.n, self.links.count);
            let partial = Partial {
                fingerprint,
                reports: NOTHING,
                probability: ChoiceProbability::CERTAIN,
                sent: Passes::NONE,
                // Cuts begin and end, or nothing of the kind happens.
                optional: index > 0,
                budget,
                left: budget,
            };
            let mut expansion = Expansion { state, successors: &mut *successors, product };
            self.choose_options(0, partial, &mut expansion);
            product = expansion.product;
        }
        self.product = product;
    }

    /// Chooses an option of each place from this one on.
    fn choose_options(&mut self, place: usize, partial: Partial, expansion: &mut Expansion<'_>) {
        if place == self.n {
            let action = expansion.successors.transitions.last().map_or(0, |transition| transition.action + 1);
            return self.choose_outcomes(0, action, partial, expansion);
        }
        let (from, to) = expansion.product.ranges[place];
        for number in from..to {
            let LocalOption { rest, outcomes, optional, price, .. } = self.options[number as usize];
            let mut partial = Partial { optional: partial.optional | optional, ..partial };
            if price != 0 {
                partial.budget = self.after_paying(partial.budget, price);
                if partial.budget.is_none() {
                    continue;
                }
            }
            let product = &mut expansion.product;
            product.chosen[place] = number;
            for (index, in_port) in self.links.in_ports(place as Place).enumerate() {
                let at = self.links.in_port(in_port).at as usize;
                product.rest[at - self.n] = self.rest[rest as usize + index];
            }
            if outcomes.0 + 1 == outcomes.1 {
                let partial = self.apply(place, outcomes.0, partial, expansion);
                self.choose_options(place + 1, partial, expansion);
                self.undo(place, expansion);
            } else {
                product.random.push(place);
                self.choose_options(place + 1, partial, expansion);
                expansion.product.random.pop();
            }
        }
    }

    /// Chooses an outcome of each place whose option has several, from this one on.
    fn choose_outcomes(&mut self, index: usize, action: u32, partial: Partial, expansion: &mut Expansion<'_>) {
        let Some(&place) = expansion.product.random.get(index) else {
            return self.add_transition_of(action, partial, expansion);
        };
        let (from, to) = self.options[expansion.product.chosen[place] as usize].outcomes;
        for outcome in from..to {
            let partial = self.apply(place, outcome, partial, expansion);
            self.choose_outcomes(index + 1, action, partial, expansion);
            self.undo(place, expansion);
        }
    }

    /// Applies an outcome of a place.
    fn apply(&mut self, place: usize, number: u32, mut partial: Partial, expansion: &mut Expansion<'_>) -> Partial {
        let LocalOutcome { local, sends, reports, probability, sent, releases, wakes, resumes, price, .. } =
            self.outcomes[number as usize];
        let product = &mut expansion.product;
        product.outcome[place] = number;
        product.local[place] = local;
        let before = expansion.state[place];
        if local != before {
            let (index, fingerprint) = (place as u32, partial.fingerprint);
            partial.fingerprint =
                fingerprint.wrapping_sub(entry_hash(index, before)).wrapping_add(entry_hash(index, local));
        }
        for &(at, batch) in &self.sends[sends.0 as usize..sends.1 as usize] {
            product.batch[at as usize - self.n] = batch;
        }
        if reports != NO_REPORTS {
            partial.reports = self.report_sets.add(partial.reports, place as u32, reports);
        }
        if releases {
            product.discharged.push(place as u32);
        }
        if wakes && self.wakes_are_required {
            product.discharged.push((self.n + place) as u32);
        }
        if resumes {
            product.discharged.push((2 * self.n + place) as u32);
        }
        partial.probability = partial.probability.times(probability);
        partial.sent += sent;
        if price != 0 {
            partial.left = self.after_paying(partial.left, price);
        }
        partial
    }

    /// Takes back the outcome of the place that was applied last.
    fn undo(&self, place: usize, expansion: &mut Expansion<'_>) {
        let product = &mut expansion.product;
        let LocalOutcome { sends, releases, wakes, resumes, .. } = self.outcomes[product.outcome[place] as usize];
        for &(at, _) in &self.sends[sends.0 as usize..sends.1 as usize] {
            product.batch[at as usize - self.n] = EMPTY;
        }
        let discharged = usize::from(releases) + usize::from(wakes && self.wakes_are_required) + usize::from(resumes);
        product.discharged.truncate(product.discharged.len() - discharged);
    }

    /// Adds the transition in which each place has its option and its outcome.
    fn add_transition_of(&mut self, action: u32, mut partial: Partial, expansion: &mut Expansion<'_>) {
        let Expansion { state, successors, product } = expansion;
        // Before the first wake-up no time passes that can be observed; a fault before it can as well happen later.
        if product.initial && !product.local.iter().zip(*state).any(|(&after, &before)| self.acts(before, after)) {
            return;
        }
        let (mut fingerprint, locals, batches) = match self.read_early(product, partial.fingerprint) {
            Some(fingerprint) => (fingerprint, &product.after, &product.left),
            None => (partial.fingerprint, &product.local, &product.batch),
        };
        for (place, &local) in locals.iter().enumerate() {
            if local != state[place] {
                successors.write_new(place as u32, local);
            }
        }
        let mut write = |index: usize, value: Interned| {
            if value != state[index] {
                let index = index as u32;
                fingerprint = fingerprint
                    .wrapping_sub(entry_hash(index, state[index as usize]))
                    .wrapping_add(entry_hash(index, value));
                successors.write_new(index, value);
            }
        };
        let mut lost = 0;
        for (link, (&rest, &batch)) in product.rest.iter().zip(batches).enumerate() {
            let at = self.n + link;
            if batch == EMPTY {
                write(at, rest);
            } else if product.local[self.links.receiver(at as u32, 0) as usize] == CRASHED {
                lost += self.in_flight.size(batch);
                write(at, rest);
            } else {
                write(at, self.in_flight.push(rest, batch));
            }
        }
        if lost > 0 {
            partial.reports = self.report_sets.add(partial.reports, self.n as u32, lost);
        }
        let monitor_index = self.monitor_index();
        write(monitor_index, self.observe(state[monitor_index], partial.reports));
        if let Some(left) = partial.left {
            write(monitor_index + 1, left);
        }
        for &obligation in &product.discharged {
            successors.discharge(obligation);
        }
        successors.finish_at(fingerprint, (action, partial.probability), partial.sent, partial.optional);
        if let Some(record) = &mut self.record {
            let index =
                |(&outcome, &option): (&u32, &u32)| (option, outcome - self.options[option as usize].outcomes.0);
            record.push(product.outcome.iter().zip(&product.chosen).map(index).collect());
        }
    }

    /// True if a place does anything but go down.
    fn acts(&mut self, before: Interned, after: Interned) -> bool {
        before != after && !self.is_down(after)
    }

    /// The fault budget after some faults, if all of them are possible.
    fn after_paying(&self, left: Option<Interned>, price: Interned) -> Option<Interned> {
        self.fault_budget.and_then(|budget| budget.pay(left?, price))
    }

    /// The monitor after an instant with these reports.
    fn observe(&mut self, monitor: Interned, reports: Interned) -> Interned {
        if let Some(found) = self.report_sets.observed.get(monitor, reports) {
            return found;
        }
        let (mut all, mut lost) = (Vec::new(), 0);
        for &(place, reports) in &self.report_sets.sets[reports as usize] {
            if place as usize == self.n {
                lost = reports as usize;
                continue;
            }
            all.extend(self.reports.get(reports).iter().map(|&(position, observation)| (position, place, observation)));
        }
        all.sort_by_key(|&(position, place, _)| (position, place));
        let mut observations: Vec<_> = all.into_iter().map(|(_, place, observation)| (place, observation)).collect();
        observations.resize(observations.len() + lost, (0, Observation::Loss));
        let found = self.program.observe(monitor, &observations);
        self.report_sets.observed.insert(monitor, reports, found);
        found
    }
}

impl OptionProduct {
    fn reset(&mut self, n: usize, links: usize) {
        for list in [&mut self.chosen, &mut self.outcome, &mut self.local] {
            list.resize(n, 0);
        }
        self.rest.resize(links, EMPTY);
        self.batch.resize(links, EMPTY);
    }
}
