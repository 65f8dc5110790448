//! All numberings of ports, resolved lazily ([`port_numbering`](crate::port_numbering)), in one instant at one place.
//!
//! Messages that arrive together are handled in the order of their ports, so that their ports are chosen together. Of
//! the senders whose ports were unknown, those remain unknown on which, whatever the ports of the other ones, nothing
//! depends.

use ringleader_model::Port;

use super::{LocalRun, TimedSystem};
use crate::choices::{ChoiceLeaf, mdp_actions};
use crate::interner::Interned;
use crate::port_numbering::PartialNumbering;

/// What happens if the senders of messages have these ports.
pub(super) struct PortChoice<R> {
    /// By sender.
    ports: Vec<u32>,
    pub(super) runs: R,
    /// The actions of the scheduler and their results, as numbers, sorted: equal if what happens is.
    results: Vec<Vec<Interned>>,
}

/// The messages that arrive at a place, under all numberings that it holds.
pub(super) struct PortChoices<'a> {
    numbering: PartialNumbering,
    /// With the ranks of their senders, in order.
    arriving: &'a [(Port, Interned)],
    senders: Vec<u32>,
}

impl<'a> PortChoices<'a> {
    pub(super) fn new(numbering: PartialNumbering, arriving: &'a [(Port, Interned)]) -> Self {
        let mut senders: Vec<u32> = arriving.iter().map(|&(rank, _)| rank.0).collect();
        senders.dedup();
        Self { numbering, arriving, senders }
    }

    /// For each choice of ports what `run` makes of it, as runs and results, and the numberings that this holds for:
    /// together all numberings.
    pub(super) fn explore<R>(
        &self,
        mut run: impl FnMut(&[(Port, Interned)]) -> (R, Vec<Vec<Interned>>),
    ) -> Vec<(PartialNumbering, PortChoice<R>)> {
        let mut choices = Vec::new();
        for ports in port_choices(&self.numbering, &self.senders) {
            let (runs, mut results) = run(&self.with_ports(&ports));
            results.sort_unstable();
            results.dedup();
            choices.push(PortChoice { ports, runs, results });
        }
        let mut found: Vec<(PartialNumbering, usize)> = Vec::new();
        for (index, choice) in choices.iter().enumerate() {
            let assign = |numbering: PartialNumbering, &sender: &usize| {
                numbering.assign(choice.ports[sender], self.senders[sender])
            };
            let numbering = learnt(choice, &choices).iter().fold(self.numbering.clone(), assign);
            if found.iter().all(|(other, _)| *other != numbering) {
                found.push((numbering, index));
            }
        }
        let mut choices: Vec<Option<PortChoice<R>>> = choices.into_iter().map(Some).collect();
        found.into_iter().filter_map(|(numbering, index)| Some((numbering, choices[index].take()?))).collect()
    }

    /// The messages with their ports, in the order in which they are handled.
    fn with_ports(&self, ports: &[u32]) -> Vec<(Port, Interned)> {
        let port = |rank: Port| {
            let known = self.senders.iter().zip(ports).find(|&(&sender, _)| sender == rank.0);
            Port(known.map_or(rank.0, |(_, &port)| port))
        };
        let mut arriving: Vec<_> = self.arriving.iter().map(|&(rank, message)| (port(rank), message)).collect();
        // Those of one link keep their order.
        arriving.sort_by_key(|&(port, _)| port);
        arriving
    }
}

impl TimedSystem {
    /// All runs of one instant at a place where these messages arrive, with the ranks of their senders, under all
    /// numberings that the local state holds: one list for each choice of ports. Messages are sent to ranks.
    pub(super) fn numbered_runs(&mut self, local: Interned, arriving: &[(Port, Interned)]) -> Vec<Vec<LocalRun>> {
        let numbering = self.locals.get(local).numbering.clone();
        if numbering.is_fixed() {
            return vec![self.local_runs(local, arriving)];
        }
        let choices = PortChoices::new(numbering, arriving);
        let explored = choices.explore(|arriving| {
            let runs = self.local_runs(local, arriving);
            let mut results = Vec::new();
            for action in mdp_actions(&runs).unwrap_or_default() {
                let mut result = Vec::new();
                for run in action {
                    self.add_result(&runs[run], &mut result);
                }
                results.push(result);
            }
            (runs, results)
        });
        let mut found = Vec::new();
        for (numbering, choice) in explored {
            if choice.runs.iter().any(|run| !run.result.1.is_done()) {
                return vec![choice.runs];
            }
            sent(&numbering, &choice.runs, &mut found);
        }
        found
    }

    /// Adds the result of a run, as numbers.
    fn add_result(&mut self, run: &LocalRun, result: &mut Vec<Interned>) {
        let (decision, instant) = &run.result;
        let (local, reports) =
            (self.locals.intern(instant.state.clone()), self.reports.intern(instant.reports.clone()));
        let probability = run.probability();
        result.extend([local, reports, probability.numerator, probability.denominator]);
        result.extend([instant.advance, decision.again, instant.sends.len() as u32]);
        result.extend([decision.wakes, instant.released(), instant.has_requested()].map(u32::from));
        result.extend(instant.sends.iter().flat_map(|&(port, message)| [port.0, message]));
    }
}

/// All ways to choose the ports of senders, each given by its rank.
fn port_choices(numbering: &PartialNumbering, senders: &[u32]) -> Vec<Vec<u32>> {
    let Some((&rank, others)) = senders.split_first() else { return vec![Vec::new()] };
    let mut choices = Vec::new();
    for port in numbering.candidates(rank) {
        let longer = |rest: Vec<u32>| [&[port], &rest[..]].concat();
        choices.extend(port_choices(&numbering.assign(port, rank), others).into_iter().map(longer));
    }
    choices
}

/// The senders whose ports become known by a choice, by index: whatever the ports of the others are, the results are the
/// same.
fn learnt<R>(choice: &PortChoice<R>, choices: &[PortChoice<R>]) -> Vec<usize> {
    let mut learnt: Vec<usize> = (0..choice.ports.len()).collect();
    for sender in 0..choice.ports.len() {
        let fewer: Vec<usize> = learnt.iter().copied().filter(|&other| other != sender).collect();
        let mut agreeing =
            choices.iter().filter(|other| fewer.iter().all(|&known| other.ports[known] == choice.ports[known]));
        if agreeing.all(|other| other.results == choice.results) {
            learnt = fewer;
        }
    }
    learnt
}

/// Adds the runs of each action of the scheduler, once for each way to choose the neighbours to which it sends.
fn sent(numbering: &PartialNumbering, runs: &[LocalRun], found: &mut Vec<Vec<LocalRun>>) {
    for action in mdp_actions(runs).expect("no choice of the scheduler follows a random one") {
        let sends: Vec<_> = action.iter().map(|&run| &runs[run].result.1.sends[..]).collect();
        for numbering in numbering.split_by_sends(&sends) {
            let resolve = |&run: &usize| {
                let (decision, mut instant) = runs[run].result.clone();
                for (port, _) in &mut instant.sends {
                    *port = numbering.neighbour(*port);
                }
                instant.state.numbering = numbering.clone();
                // The choices of the scheduler are made.
                let points = runs[run].points.iter().copied().filter(|point| point.random).collect();
                ChoiceLeaf { points, result: (decision, instant) }
            };
            found.push(action.iter().map(resolve).collect());
        }
    }
}
