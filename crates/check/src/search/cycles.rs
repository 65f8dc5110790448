//! Where a schedule can go round for ever although something is left to do, or although messages should end.
//!
//! Such a schedule stays, from some moment on, in a set of configurations that all lead to each other, and must be fair:
//! nothing stays owed for ever without being taken. Where choices are left to chance it must stay there whatever they are,
//! or the probability that it does is 0: the set is an end component \[DeAlfaro1997\], closed under all outcomes of the events
//! that it uses. Of a largest such set every part is fair only if the set is, so that only largest ones need be looked at.

use crate::answer::RanOut;
use crate::interner::{Map, Number};
use crate::space::{Space, Ways, fingerprint};

use super::budget::Budget;

/// Configurations by fingerprint, with the number of the component that each is in; in order.
#[derive(Default)]
pub(crate) struct Bad {
    members: Vec<(u64, u32)>,
    components: u32,
}

impl Bad {
    /// The component of a configuration.
    pub(crate) fn component(&self, fingerprint: u64) -> Option<u32> {
        let at = self.members.binary_search_by_key(&fingerprint, |member| member.0).ok()?;
        Some(self.members[at].1)
    }

    /// Nothing more comes.
    pub(crate) fn sort(&mut self) {
        self.members.sort_unstable();
    }

    /// What it occupies.
    pub(crate) fn bytes(&self) -> usize {
        self.members.capacity() * size_of::<(u64, u32)>()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// Configurations that all lead to each other.
pub(crate) struct Component<'a> {
    pub(crate) width: usize,
    /// One after the other.
    pub(crate) rows: &'a [Number],
    pub(crate) fingerprints: &'a [u64],
}

/// A way from one configuration of a component to another.
#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    /// Its index among all ways of the configuration.
    way: u32,
    /// Which event of the configuration it belongs to.
    event: u32,
}

/// Not in any set.
const NOWHERE: u32 = u32::MAX;

/// The ways inside a component, as far as they are still usable.
struct Inside {
    /// By configuration: where its edges begin; and where the last ones end.
    begins: Vec<u32>,
    edges: Vec<Edge>,
    /// By configuration: the set it is in.
    sets: Vec<u32>,
}

impl Component<'_> {
    fn row(&self, member: usize) -> &[Number] {
        &self.rows[member * self.width..(member + 1) * self.width]
    }

    /// Adds the sets of configurations in which a fair schedule can stay for ever, each of them with something left to do, or
    /// with messages where these should end.
    /// `inside`: the index of a fingerprint in here.
    pub(crate) fn judge(
        &self,
        space: &mut dyn Space,
        inside: &dyn Fn(u64) -> Option<u32>,
        budget: &Budget,
        bad: &mut Bad,
    ) -> Result<(), RanOut> {
        let mut members = 0..self.fingerprints.len();
        if !space.falls_silent() && !members.any(|member| space.standing(self.row(member)).waiting) {
            return Ok(());
        }
        let mut graph = self.graph(space, inside, budget)?;
        let room = graph.settle(budget);
        let result = if room { self.add(space, &graph, budget, bad) } else { Err(RanOut::Memory) };
        budget.drop(&mut graph.begins);
        budget.drop(&mut graph.edges);
        budget.drop(&mut graph.sets);
        result
    }

    /// The ways that belong to events none of whose outcomes leads out.
    fn graph(
        &self,
        space: &mut dyn Space,
        inside: &dyn Fn(u64) -> Option<u32>,
        budget: &Budget,
    ) -> Result<Inside, RanOut> {
        let count = self.fingerprints.len();
        let mut graph = Inside { begins: Vec::new(), edges: Vec::new(), sets: Vec::new() };
        if !budget.reserve(&mut graph.begins, count + 1) || !budget.reserve(&mut graph.sets, count) {
            return Err(RanOut::Memory);
        }
        graph.sets.resize(count, 0);
        let mut ways = Ways::default();
        for member in 0..count {
            graph.begins.push(graph.edges.len() as u32);
            space.ways(self.row(member), self.fingerprints[member], &mut ways);
            if !budget.reserve(&mut graph.edges, ways.list.len()) {
                return Err(RanOut::Memory);
            }
            let mut index = 0;
            for event in ways.list.chunk_by(|one, other| one.event == other.event) {
                let begin = graph.edges.len();
                for (offset, way) in event.iter().enumerate() {
                    let Some(to) = inside(way.fingerprint) else { break };
                    graph.edges.push(Edge { to, way: (index + offset) as u32, event: way.event });
                }
                if graph.edges.len() - begin < event.len() {
                    graph.edges.truncate(begin);
                }
                index += event.len();
            }
        }
        graph.begins.push(graph.edges.len() as u32);
        Ok(graph)
    }

    /// Adds those sets that are fair and have something left to do, or in which messages do not end.
    fn add(&self, space: &mut dyn Space, graph: &Inside, budget: &Budget, bad: &mut Bad) -> Result<(), RanOut> {
        // By set: whether it is wrong to stay there, and what is owed in all of its configurations that were looked at and
        // taken by no way of theirs.
        let mut sets: Map<u32, (bool, Vec<u32>)> = Map::default();
        let (mut ways, mut owed) = (Ways::default(), Vec::new());
        for (member, &set) in graph.sets.iter().enumerate() {
            if set == NOWHERE {
                continue;
            }
            let row = self.row(member);
            space.owed(row, &mut owed);
            space.ways(row, self.fingerprints[member], &mut ways);
            for edge in graph.edges_of(member) {
                owed.retain(|one| !ways.takes(edge.way as usize).contains(one));
            }
            let sends = |edge: &Edge| ways.list[edge.way as usize].sent > 0;
            let restless = space.falls_silent() && graph.edges_of(member).iter().any(sends);
            let wrong = restless || space.standing(row).waiting;
            match sets.get_mut(&set) {
                Some(known) => {
                    known.0 |= wrong;
                    known.1.retain(|one| owed.contains(one));
                }
                None => {
                    sets.insert(set, (wrong, owed.clone()));
                }
            }
        }
        // Numbers of sets are those of members: those of other components follow.
        let first = bad.components;
        for (&set, &fingerprint) in graph.sets.iter().zip(self.fingerprints) {
            if sets.get(&set).is_some_and(|(wrong, starved)| *wrong && starved.is_empty()) {
                if !budget.reserve(&mut bad.members, 1) {
                    return Err(RanOut::Memory);
                }
                bad.members.push((fingerprint, first + set));
            }
        }
        bad.components += self.fingerprints.len() as u32;
        Ok(())
    }
}

impl Inside {
    fn edges_of(&self, member: usize) -> &[Edge] {
        &self.edges[self.begins[member] as usize..self.begins[member + 1] as usize]
    }

    /// Divides the configurations into sets that all lead to each other, drops the events that lead out of their set, and
    /// so on until none does; `false` if there is no memory for that.
    fn settle(&mut self, budget: &Budget) -> bool {
        let count = self.sets.len();
        let mut lists: [Vec<u32>; 3] = Default::default();
        let mut frames: Vec<(u32, u32)> = Vec::new();
        let room = lists.iter_mut().all(|list| budget.reserve(list, count)) && budget.reserve(&mut frames, count);
        if room {
            let [numbers, lows, stack] = &mut lists;
            loop {
                self.divide((numbers, lows, stack), &mut frames);
                if !self.drop_leading_out() {
                    break;
                }
            }
            for member in 0..count {
                if self.edges_of(member).is_empty() {
                    self.sets[member] = NOWHERE;
                }
            }
        }
        lists.iter_mut().for_each(|list| budget.drop(list));
        budget.drop(&mut frames);
        room
    }

    /// Tarjan's components along the edges that are left; a set is named after the first of its members that was met.
    fn divide(
        &mut self,
        (numbers, lows, stack): (&mut Vec<u32>, &mut Vec<u32>, &mut Vec<u32>),
        frames: &mut Vec<(u32, u32)>,
    ) {
        let count = self.sets.len();
        for list in [&mut *numbers, &mut *lows] {
            list.clear();
            list.resize(count, NOWHERE);
        }
        self.sets.fill(NOWHERE);
        let mut met = 0;
        for root in 0..count as u32 {
            if numbers[root as usize] != NOWHERE {
                continue;
            }
            frames.push((root, self.begins[root as usize]));
            while let Some((member, edge)) = frames.last_mut() {
                let at = *member as usize;
                if numbers[at] == NOWHERE {
                    (numbers[at], lows[at]) = (met, met);
                    met += 1;
                    stack.push(*member);
                }
                if *edge < self.begins[at + 1] {
                    let to = self.edges[*edge as usize].to;
                    *edge += 1;
                    if numbers[to as usize] == NOWHERE {
                        frames.push((to, self.begins[to as usize]));
                    } else if self.sets[to as usize] == NOWHERE {
                        lows[at] = lows[at].min(numbers[to as usize]);
                    }
                    continue;
                }
                frames.pop();
                if let Some((before, _)) = frames.last() {
                    lows[*before as usize] = lows[*before as usize].min(lows[at]);
                }
                while lows[at] == numbers[at] && self.sets[at] == NOWHERE {
                    let member = stack.pop().expect("it was met");
                    self.sets[member as usize] = at as u32;
                }
            }
        }
    }

    /// Drops every event of which an outcome leads out of the set; says whether there was one.
    fn drop_leading_out(&mut self) -> bool {
        let mut kept = 0;
        for member in 0..self.sets.len() {
            let (from, to) = (self.begins[member] as usize, self.begins[member + 1] as usize);
            self.begins[member] = kept as u32;
            let mut at = from;
            while at < to {
                let event = self.edges[at].event;
                let end = (at..to).find(|&next| self.edges[next].event != event).unwrap_or(to);
                if self.edges[at..end].iter().all(|edge| self.sets[edge.to as usize] == self.sets[member]) {
                    self.edges.copy_within(at..end, kept);
                    kept += end - at;
                }
                at = end;
            }
        }
        let dropped = kept < self.edges.len();
        *self.begins.last_mut().expect("it has an end") = kept as u32;
        self.edges.truncate(kept);
        dropped
    }
}

/// A way round from a configuration of a bad component: the rows that follow it, the last of which is the same again, and
/// which ways lead from each to the next. It meets something that is left to do, and of everything owed it meets where it is
/// not, or takes it. Where nothing is left to do, a message is sent. `None`: no memory.
pub(crate) fn round(space: &mut dyn Space, from: &[Number], bad: &Bad, budget: &Budget) -> Option<Round> {
    let home = fingerprint(from);
    let component = bad.component(home)?;
    let mut owed = Vec::new();
    space.owed(from, &mut owed);
    let (mut rows, mut ways) = (Vec::new(), Vec::new());
    let mut here = from.to_vec();
    if !space.standing(from).waiting {
        let waiting: Wanted<'_> = &mut |space, _, row, _| space.standing(row).waiting;
        let sends: Wanted<'_> = &mut |_, way, _, _| way.sent > 0;
        let leg = leg(space, &here, (bad, component), budget, waiting);
        let leg = leg.or_else(|| self::leg(space, &here, (bad, component), budget, sends))?;
        here.clone_from(leg.rows.last()?);
        rows.extend(leg.rows);
        ways.extend(leg.ways);
    }
    while !owed.is_empty() {
        let mut there = Vec::new();
        let leg = leg(space, &here, (bad, component), budget, &mut |space, way, row, _| {
            space.owed(row, &mut there);
            owed.iter().any(|one| way.takes.contains(one) || !there.contains(one))
        })?;
        here.clone_from(leg.rows.last()?);
        space.owed(&here, &mut there);
        owed.retain(|one| there.contains(one) && !leg.takes.contains(one));
        rows.extend(leg.rows);
        ways.extend(leg.ways);
    }
    if ways.is_empty() || here != from {
        let back = leg(space, &here, (bad, component), budget, &mut |_, _, _, own| own == home)?;
        rows.extend(back.rows);
        ways.extend(back.ways);
    }
    Some((rows, ways))
}

/// Rows, and which ways lead to them.
pub(crate) type Round = (Vec<Vec<Number>>, Vec<usize>);

/// A part of a way round.
struct Leg {
    /// The rows on it, without the first.
    rows: Vec<Vec<Number>>,
    /// Which ways lead to them.
    ways: Vec<usize>,
    /// What the last way takes.
    takes: Vec<u32>,
}

/// A configuration that was met on the search for a leg.
struct Step {
    row: Vec<Number>,
    fingerprint: u64,
    /// The index of the one before it, and which of its ways leads here.
    before: (usize, usize),
}

/// The last way of a leg.
struct Last<'a> {
    takes: &'a [u32],
    sent: u32,
}

/// How a leg is to end: its last way, where that leads, and the fingerprint of that.
type Wanted<'a> = &'a mut dyn FnMut(&mut dyn Space, Last<'_>, &[Number], u64) -> bool;

/// The shortest way inside a component that ends as is wanted.
fn leg(
    space: &mut dyn Space,
    from: &[Number],
    (bad, component): (&Bad, u32),
    budget: &Budget,
    wanted: Wanted<'_>,
) -> Option<Leg> {
    let charge = size_of_val(from) + 2 * size_of::<Step>();
    let mut met = vec![Step { row: from.to_vec(), fingerprint: fingerprint(from), before: (0, 0) }];
    let mut seen: Map<u64, ()> = Map::default();
    let mut ways = Ways::default();
    let mut at = 0;
    let takes = 'search: loop {
        let Some(step) = met.get(at) else { break None };
        let row = step.row.clone();
        space.ways(&row, step.fingerprint, &mut ways);
        let mut first = 0;
        for event in ways.list.chunk_by(|one, other| one.event == other.event) {
            let usable = event.iter().all(|way| bad.component(way.fingerprint) == Some(component));
            for (index, way) in (first..).zip(event).filter(|_| usable) {
                let mut next = row.clone();
                ways.go(index, &mut next);
                let last = Last { takes: ways.takes(index), sent: way.sent };
                let over = wanted(space, last, &next, way.fingerprint);
                if over || seen.insert(way.fingerprint, ()).is_none() {
                    if !budget.take(charge) {
                        break 'search None;
                    }
                    met.push(Step { row: next, fingerprint: way.fingerprint, before: (at, index) });
                }
                if over {
                    break 'search Some(ways.takes(index).to_vec());
                }
            }
            first += event.len();
        }
        at += 1;
    };
    budget.give(charge * (met.len() - 1));
    let takes = takes?;
    let (mut rows, mut steps) = (Vec::new(), Vec::new());
    let mut at = met.len() - 1;
    while at != 0 {
        rows.push(met[at].row.clone());
        steps.push(met[at].before.1);
        at = met[at].before.0;
    }
    rows.reverse();
    steps.reverse();
    Some(Leg { rows, ways: steps, takes })
}
