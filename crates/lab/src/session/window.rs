//! A window of moves, for the space-time diagram, and the causal cone of a move within it.

use std::collections::BTreeMap;

use ringleader_model::Place;
use serde::Serialize;

use ringleader::Error;

use super::Session;
use super::step_view::DetailedMove;

/// The most moves of a window.
pub(crate) const MOST: u64 = 2_000;

/// The moves last asked for, with what causes what.
pub(super) struct SessionWindow {
    moves: Vec<u64>,
    /// By index of a move, the indices of the moves that it follows from directly.
    causes: Vec<Vec<usize>>,
}

/// A window as an answer.
#[derive(Debug, Serialize)]
pub(crate) struct WindowView {
    /// The moves.
    steps: Vec<DetailedMove>,
    /// More moves were asked for than a window has, or than have been executed.
    more: bool,
}

/// The causal cone of a move within the window.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ConeView {
    /// The moves that it follows from.
    pub(crate) past: Vec<u64>,
    /// The moves that follow from it.
    pub(crate) future: Vec<u64>,
}

impl Session {
    /// The moves from one number to another, both included.
    pub(crate) fn window(&mut self, from: u64, to: u64) -> WindowView {
        let from = from.max(1);
        let last = to.min(from.saturating_add(MOST - 1)).min(self.timeline.end());
        let logged = self.timeline.read_on(from - 1, last);
        let steps: Vec<_> = logged.iter().map(|one| DetailedMove::new(&self.setup, one)).collect();
        self.window = Some(SessionWindow::new(&steps));
        let more = last < to && !(self.timeline.is_over() && last == self.timeline.end());
        WindowView { steps, more }
    }

    /// The causal cone of a move within the last window: message chains and the order of moves at one place.
    pub(crate) fn cone(&self, moves: u64) -> Result<ConeView, Error> {
        let window = self.window.as_ref();
        let found = window.and_then(|window| Some((window, window.moves.iter().position(|&one| one == moves)?)));
        let (window, index) = found.ok_or_else(|| Error::Named {
            name: "move".to_string(),
            wrong: format!("is {moves}"),
            allowed: match window.and_then(|window| Some((window.moves.first()?, window.moves.last()?))) {
                Some((first, last)) => format!("a move of the last window, {first} to {last}"),
                None => "a move of the last window, of which there is none".to_string(),
            },
        })?;
        Ok(window.cone(index))
    }
}

impl SessionWindow {
    fn new(steps: &[DetailedMove]) -> Self {
        let mut sender: BTreeMap<u64, usize> = BTreeMap::new();
        let mut last_at: BTreeMap<Place, usize> = BTreeMap::new();
        let mut causes = Vec::new();
        for (index, detailed) in steps.iter().enumerate() {
            let received = detailed.receives.iter().map(|message| message.number);
            let numbers = received.chain(detailed.faults.iter().map(|message| message.number));
            let mut from: Vec<usize> = numbers.filter_map(|number| sender.get(&number).copied()).collect();
            from.extend(last_at.insert(detailed.step.place, index));
            sender.extend(detailed.sends.iter().map(|message| (message.number, index)));
            sender.extend(detailed.faults.iter().filter_map(|message| Some((message.copy?, index))));
            causes.push(from);
        }
        Self { moves: steps.iter().map(|detailed| detailed.step.moves).collect(), causes }
    }

    fn cone(&self, index: usize) -> ConeView {
        // Causes have smaller indices: one pass in each direction.
        let (mut past, mut future) = (vec![false; self.moves.len()], vec![false; self.moves.len()]);
        (past[index], future[index]) = (true, true);
        for later in (0..=index).rev().filter(|&later| self.moves.len() > later) {
            if past[later] {
                self.causes[later].iter().for_each(|&cause| past[cause] = true);
            }
        }
        for later in index + 1..self.moves.len() {
            future[later] = self.causes[later].iter().any(|&cause| future[cause]);
        }
        let chosen = |flags: &[bool]| {
            let others = flags.iter().enumerate().filter(|&(other, &flag)| flag && other != index);
            others.map(|(other, _)| self.moves[other]).collect()
        };
        ConeView { past: chosen(&past), future: chosen(&future) }
    }
}
