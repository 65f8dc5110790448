//! All configurations of a space written down, and what follows from them.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Zero};
use ringleader_model::Place;

use super::decisions::{Branch, Decisions, EndComponents, NONE, To};
use super::solve::{Goal, best};
use super::{Advance, Chance, Chances, Ended, Ending, Mean, Measure};
use crate::answer::{Effort, Progress, RanOut};
use crate::interner::{Map, Number};
use crate::space::{Ways, fingerprint};

/// All configurations of a space, by number in the order in which they were met.
pub(super) struct Charted {
    decisions: Decisions,
    /// One after the other, each followed by its [`Phases`].
    rows: Vec<Number>,
    width: usize,
    /// By configuration, whether nothing more happens by itself.
    quiet: Vec<bool>,
    endings: Endings,
    /// Whether anything is left to a schedule.
    pub(super) scheduled: bool,
    pub(super) progress: Progress,
    /// The last phase that is followed.
    phases: Option<u32>,
    /// Some processors are so far behind the highest phase that how far is not known, and yet go on to another.
    pub(super) apart: bool,
    numbers: Map<(u64, Phases), u32>,
}

/// What a configuration does not know of phases, which protocols number without end: how many have passed, if that is asked,
/// and how far behind the highest each processor is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Phases {
    passed: u32,
    /// Two bits for each place: 0 to [`FARTHEST`], which means as far or farther.
    behind: u32,
}

/// From here on it is not known how far a processor is behind.
pub(super) const FARTHEST: u32 = 3;

impl Phases {
    fn behind(self, place: Place) -> u32 {
        self.behind.checked_shr(2 * place).unwrap_or(0) & FARTHEST
    }

    /// By how much the highest phase grows if those of some places do, and what is known then; `None`: not enough is known.
    fn after(self, places: Place, advances: &[Advance]) -> Option<(u32, Self)> {
        if advances.is_empty() {
            return Some((0, self));
        }
        let unknown = |advance: &Advance| advance.place >= 16 || self.behind(advance.place) == FARTHEST;
        if advances.iter().any(unknown) {
            return None;
        }
        let growth = advances.iter().map(|advance| advance.by.saturating_sub(self.behind(advance.place))).max()?;
        let mut after = Self { behind: 0, ..self };
        for place in 0..places.min(16) {
            let by: u32 = advances.iter().filter(|advance| advance.place == place).map(|advance| advance.by).sum();
            let behind = (self.behind(place) + growth).saturating_sub(by).min(FARTHEST);
            after.behind |= behind << (2 * place);
        }
        Some((growth, after))
    }
}

/// Ways to end, by number.
#[derive(Default)]
struct Endings {
    names: Vec<String>,
    /// By ending: whether the run is over then.
    over: Vec<bool>,
    numbers: BTreeMap<String, u32>,
}

impl Endings {
    fn number(&mut self, name: String, over: bool) -> u32 {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.over.push(over);
            self.names.len() as u32 - 1
        })
    }
}

/// What a configuration takes besides what is counted: its values while equations are solved.
const BYTES_OF_VALUES: usize = 300;

impl Charted {
    pub(super) fn new(phases: Option<u32>) -> Self {
        Self {
            decisions: Decisions::new(),
            rows: Vec::new(),
            width: 0,
            quiet: Vec::new(),
            endings: Endings::default(),
            scheduled: false,
            progress: Progress::default(),
            phases,
            apart: false,
            numbers: Map::default(),
        }
    }

    pub(super) fn explore(
        &mut self,
        space: &mut dyn Ended,
        effort: &Effort,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(), RanOut> {
        let beginnings = space.beginnings();
        self.width = beginnings[0].len() + 2;
        // Which of several beginnings it is, a schedule chooses; that is a configuration too.
        let first = u32::from(beginnings.len() > 1);
        if first == 1 {
            self.scheduled = true;
            self.quiet.push(false);
            self.rows.resize(self.width, 0);
            for number in 1..=beginnings.len() as u32 {
                self.decisions.branch(Branch { to: To::Node(number), odds: 1, costs: [0; 3] });
                self.decisions.end_event();
            }
            self.decisions.end_node();
        }
        for row in &beginnings {
            self.number(fingerprint(row), Phases::default(), |rows| rows.extend(row));
        }
        let last_beginning = self.rows.len() / self.width;
        let mut level_ends = last_beginning;
        let (mut ways, mut advances) = (Ways::default(), Vec::new());
        let mut node = first as usize;
        while node * self.width < self.rows.len() {
            if node == level_ends {
                level_ends = self.rows.len() / self.width;
                self.progress.frontier = (level_ends - node) as u64;
                self.progress.depth += 1;
                if !watch(&self.progress) {
                    return Err(RanOut::Patience);
                }
            }
            self.go_on(space, node, node < last_beginning, &mut ways, &mut advances);
            if ways.too_many {
                return Err(RanOut::Decisions);
            }
            self.progress.states = (self.rows.len() / self.width) as u64 - u64::from(first);
            self.progress.bytes = (self.bytes() + space.bytes()) as u64;
            if self.progress.states > effort.states {
                return Err(RanOut::States);
            }
            if self.progress.bytes > effort.bytes {
                return Err(RanOut::Memory);
            }
            node += 1;
        }
        self.progress.frontier = 0;
        Ok(())
    }

    /// Adds the events of a configuration.
    fn go_on(
        &mut self,
        space: &mut dyn Ended,
        node: usize,
        beginning: bool,
        ways: &mut Ways,
        advances: &mut Vec<Advance>,
    ) {
        let mut row = self.rows[node * self.width..(node + 1) * self.width].to_vec();
        let [passed, behind] = row.split_off(row.len() - 2)[..] else { unreachable!("a row ends with its phases") };
        let phases = Phases { passed, behind };
        space.ways(&row, fingerprint(&row), ways);
        let quiet = (!beginning || ways.list.is_empty()) && space.over(&row, ways);
        self.quiet.push(quiet);
        if quiet {
            let waiting = if space.standing(&row).waiting { ": standstill" } else { "" };
            let ending = self.endings.number(space.label(&row) + waiting, true);
            self.decisions.end_with(ending);
            // What is left but free ways is time that passes.
            if ways.list.iter().all(|way| !way.free) {
                ways.clear();
            }
        }
        if space.is_phased() {
            space.advances(&row, advances);
        }
        self.progress.transitions += ways.list.len() as u64;
        for (index, way) in ways.list.iter().enumerate() {
            let own = advances.partition_point(|advance| advance.way < index);
            let own = &advances[own..advances.partition_point(|advance| advance.way <= index)];
            let (growth, mut after) = phases.after(space.places(), own).unwrap_or_else(|| {
                self.apart = true;
                (0, phases)
            });
            after.passed += if self.phases.is_some() { growth } else { 0 };
            let to = if self.phases.is_some_and(|last| after.passed > last) {
                To::Ending(self.endings.number("another phase".into(), false))
            } else {
                To::Node(self.number(way.fingerprint, after, |rows| {
                    let from = rows.len();
                    rows.extend(&row);
                    ways.go(index, &mut rows[from..]);
                }))
            };
            let costs = [growth, way.sent, u32::from(!beginning)];
            self.decisions.branch(Branch { to, odds: way.odds, costs });
            if ways.list.get(index + 1).is_none_or(|next| next.event != way.event) {
                self.decisions.end_event();
            }
        }
        self.decisions.end_node();
        self.scheduled |= self.decisions.events(node).len() > 1;
    }

    fn number(&mut self, fingerprint: u64, phases: Phases, row: impl FnOnce(&mut Vec<Number>)) -> u32 {
        let next = (self.rows.len() / self.width) as u32;
        let number = *self.numbers.entry((fingerprint, phases)).or_insert(next);
        if number == next {
            row(&mut self.rows);
            self.rows.extend([phases.passed, phases.behind]);
        }
        number
    }

    fn bytes(&self) -> usize {
        let entry = size_of::<((u64, Phases), u32)>() + 1;
        self.decisions.bytes()
            + self.rows.capacity() * size_of::<Number>()
            + self.numbers.capacity() * entry
            + self.quiet.len() * BYTES_OF_VALUES
    }

    /// Works out all figures. `None`: somebody lost patience.
    pub(super) fn solve(
        &mut self,
        space: &mut dyn Ended,
        chances: &mut Chances,
        patient: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let ends = self.decisions.end_components(|_, _| true);
        let further = self.for_ever(space, &ends);
        let (collapsed, numbers) = self.decisions.collapsed(&ends, &further);
        let mut chance = |wanted: &[bool]| {
            let others: Vec<bool> = wanted.iter().map(|&wanted| !wanted).collect();
            if !wanted.contains(&true) || !others.contains(&true) {
                let certain = if wanted.contains(&true) { BigRational::one() } else { BigRational::zero() };
                return Some(Chance { least: certain.clone(), greatest: certain });
            }
            let greatest = best(&collapsed, numbers[0], &Goal::End(wanted), patient)?;
            let least = if greatest.always {
                greatest.value.clone()
            } else {
                BigRational::one() - best(&collapsed, numbers[0], &Goal::End(&others), patient)?.value
            };
            Some(Chance { least, greatest: greatest.value })
        };
        for (number, name) in self.endings.names.iter().enumerate() {
            let wanted: Vec<bool> = (0..self.endings.names.len()).map(|other| other == number).collect();
            chances.endings.push(Ending { name: name.clone(), chance: chance(&wanted)? });
        }
        chances.endings.sort_by(|one, other| one.name.cmp(&other.name));
        chances.over = chance(&self.endings.over)?;
        if chances.over.least.is_one() && self.phases.is_none() {
            for (measure, counted) in [
                (Measure::Phases, space.is_phased() && !self.apart),
                (Measure::Messages, true),
                (Measure::Time, space.is_timed()),
            ] {
                if counted {
                    chances.means.push(self.mean(measure, patient)?);
                }
            }
        }
        Some(())
    }

    /// The endings of runs that are never over, by configuration where a schedule can decide to stay.
    fn for_ever(&mut self, space: &mut dyn Ended, ends: &EndComponents) -> BTreeMap<u32, Vec<u32>> {
        let mut labels: BTreeMap<String, u32> = BTreeMap::new();
        let mut label_of = vec![NONE; self.decisions.len()];
        for node in (0..ends.of.len()).filter(|&node| ends.of[node] != NONE) {
            let next = labels.len() as u32;
            label_of[node] = *labels.entry(space.label(self.row(node))).or_insert(next);
        }
        let same_label = |node: usize, event: usize| {
            let same = |branch: &Branch| matches!(branch.to, To::Node(to) if label_of[to as usize] == label_of[node]);
            ends.inside[event] && self.decisions.branches(event).iter().all(same)
        };
        let constant = self.decisions.end_components(same_label);
        let mut further: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut stay = |charted: &mut Self, members: Vec<usize>, name: String| {
            let ending = charted.endings.number(name, false);
            for node in members {
                further.entry(node as u32).or_default().push(ending);
            }
        };
        for members in members(&constant) {
            if self.lasting(space, &constant, &members) {
                let name = space.label(self.row(members[0])) + ": for ever";
                stay(self, members, name);
            }
        }
        for members in members(ends) {
            let changes = members.iter().any(|&node| label_of[node] != label_of[members[0]]);
            if changes && self.lasting(space, ends, &members) {
                stay(self, members, "one thing after another: for ever".into());
            }
        }
        further
    }

    /// Whether a schedule that leaves nothing undone for ever can stay in an end component, and something happens there.
    fn lasting(&self, space: &mut dyn Ended, ends: &EndComponents, members: &[usize]) -> bool {
        if members.iter().all(|&node| self.quiet[node]) {
            return false;
        }
        let (mut ways, mut owed) = (Ways::default(), Vec::new());
        // What has been owed in every configuration so far; then, of that, what is not taken.
        let mut always: Option<Vec<u32>> = None;
        for &node in members {
            space.owed(self.row(node), &mut owed);
            match &mut always {
                None => always = Some(owed.clone()),
                Some(always) => always.retain(|thing| owed.contains(thing)),
            }
        }
        let mut always = always.unwrap_or_default();
        for &node in members {
            if always.is_empty() {
                return true;
            }
            let row = self.row(node);
            space.ways(row, fingerprint(row), &mut ways);
            // Endings come before the events of the space.
            let events = self.decisions.events(node).skip(usize::from(self.quiet[node]));
            let mut list = 0;
            for event in events {
                let count = self.decisions.branches(event).len();
                if ends.inside[event] {
                    (list..list + count).for_each(|way| always.retain(|thing| !ways.takes(way).contains(thing)));
                }
                list += count;
            }
        }
        always.is_empty()
    }

    fn row(&self, node: usize) -> &[Number] {
        &self.rows[node * self.width..(node + 1) * self.width - 2]
    }

    /// The mean cost of a run, where every run is over with probability 1. Where a schedule can go on at no cost, how long it
    /// does makes no difference; where it can at some cost, there is no limit.
    fn mean(&self, measure: Measure, patient: &mut dyn FnMut() -> bool) -> Option<Mean> {
        let index = measure as usize;
        let free = |_, event| self.decisions.branches(event).iter().all(|branch| branch.costs[index] == 0);
        let (collapsed, numbers) = self.decisions.collapsed(&self.decisions.end_components(free), &BTreeMap::new());
        let least = best(&collapsed, numbers[0], &Goal::Least(index), patient)?;
        let greatest = if least.always {
            Some(least.value.clone())
        } else if collapsed.end_components(|_, _| true).count > 0 {
            None
        } else {
            Some(best(&collapsed, numbers[0], &Goal::Greatest(index), patient)?.value)
        };
        let least = least.value;
        Some(Mean { measure, least, greatest })
    }
}

/// By end component, its nodes.
fn members(ends: &EndComponents) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); ends.count];
    for (node, &end) in ends.of.iter().enumerate().filter(|(_, end)| **end != NONE) {
        members[end as usize].push(node);
    }
    members
}
