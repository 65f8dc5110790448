//! Moves: how an observer steps through a run. Nothing of it is on a path of runs that are not looked into.

use ringleader_model::{InstantStage, Place, Protocol};

use crate::instant::SLICE;
use crate::instrumentation::Full;
use crate::random_stream::RandomStream;
use crate::run::Run;
use crate::simulation::{Planned, Simulation};

/// The moves of a run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moves {
    /// How many there were.
    pub(crate) made: u64,
    /// The place of the last one.
    pub(crate) place: Place,
    /// The number of lemmas that are violated.
    pub(crate) lemmas: usize,
    /// The number of facts on which they were judged.
    facts: u64,
    /// The number of the present slice, from 1, and the work at which it ends.
    slice: (u64, u64),
}

impl<P: Protocol> Simulation<P, Full> {
    /// Makes one move; false if nothing more can happen.
    #[cold]
    pub(crate) fn make_move(&mut self) -> bool {
        if self.untimed.is_some() { self.make_untimed_move() } else { self.make_timed_move() }
    }

    /// Takes items of the present instant, or of later ones, up to the first that logs a step, and what its processor does
    /// besides in the same stage.
    fn make_timed_move(&mut self) -> bool {
        let (before, steps) = (self.happenings(), self.steps());
        loop {
            let Some(pass) = self.present_pass() else { return false };
            if !self.take_item(pass) {
                self.end_pass(pass);
                self.position += 1;
            } else if self.happenings() > before {
                self.count_move(self.place_since(steps));
                self.take_rest(pass);
                self.end_instant(pass);
                return true;
            }
        }
    }

    /// Takes the next item of a pass; false if none is left.
    fn take_item(&mut self, pass: u32) -> bool {
        // What fails at 0 does so right before the first processor wakes, if all wake then.
        if self.all_wake && self.agenda.last().is_some_and(|entry| entry.time == 0 && entry.planned < Planned::Wake) {
            self.take_planned();
            return true;
        }
        if self.moves.slice.0 != self.position + 1 {
            self.moves.slice = (self.position + 1, self.work().saturating_add(SLICE));
        }
        self.slice_end = self.work() + 1;
        let taken = !self.continue_slice(pass);
        // Slices end where they do if the run is not driven by moves.
        self.position += u64::from(taken && self.work() >= self.moves.slice.1);
        taken
    }

    /// The number of the present pass, of the next instant where this one is over; `None` if nothing more can happen.
    fn present_pass(&mut self) -> Option<u32> {
        let begins = self.pass.is_none();
        if begins && (self.stops_served() || !self.next_instant()) {
            return None;
        }
        Some(*self.pass.get_or_insert(0))
    }

    /// Takes what else the processor of this move does in the same stage: after reading, its timers expire.
    fn take_rest(&mut self, pass: u32) {
        let (place, stage) = (self.moves.place, self.stages.get(self.stage));
        loop {
            let next = match stage {
                Some(InstantStage::Ticks) => self.due.left().first().map(|alarm| alarm.place),
                Some(InstantStage::ZeroTimers) => self.zero.left().first().map(|(place, _)| *place),
                _ => None,
            };
            if next != Some(place) {
                return;
            }
            self.take_item(pass);
        }
    }

    /// Ends the instant, if nothing is left of it, so that what happened at it is judged with its last move.
    fn end_instant(&mut self, pass: u32) {
        let engine = &self.engine;
        let planned = self.all_wake || self.agenda.last().is_some_and(|entry| entry.time == engine.now);
        let arrives = !self.batch.left().is_empty() || !self.late.left().is_empty() || engine.arrivals.is_due();
        let due = !self.due.left().is_empty() || engine.alarms.is_due();
        let zero = !self.zero.left().is_empty() || !engine.zero.is_empty();
        let left = planned || arrives || due || zero;
        if !left && !self.take_item(pass) {
            self.end_pass(pass);
            self.position += 1;
        }
    }

    /// Takes actions up to the first that is not blocked.
    fn make_untimed_move(&mut self) -> bool {
        while let Some(chosen) = self.choose_transition() {
            let place = self.untimed().place_of(chosen);
            if self.take(chosen) {
                self.count_move(place);
                return true;
            }
        }
        false
    }

    /// Takes an action of an untimed run, by its index; false if there is none, or if it would be blocked.
    pub(crate) fn make_imposed_move(&mut self, index: usize) -> bool {
        if !self.goes_on_untimed() || index >= self.untimed().transitions(&self.engine) || self.would_block(index) {
            return false;
        }
        let (untimed, engine) = (self.untimed(), &self.engine);
        let (imposed, transitions) = (untimed.transition(index, engine), untimed.transitions(engine));
        let place = untimed.place_of(imposed);
        self.position += 1;
        self.engine.choices.impose((RandomStream::Scheduler, 0), index as u64, transitions as u64);
        self.take(imposed);
        self.count_move(place);
        true
    }

    /// The number of steps and faults so far.
    fn happenings(&self) -> u64 {
        self.steps() + self.engine.noted_faults.0
    }

    /// The place of what has happened since there were so many steps.
    fn place_since(&self, steps: u64) -> Place {
        if self.steps() > steps { self.last_place() } else { self.engine.noted_faults.1 }
    }

    fn count_move(&mut self, place: Place) {
        (self.moves.made, self.moves.place) = (self.moves.made + 1, place);
        if let Some(lemmas) = self.engine.lemmas.as_ref().filter(|lemmas| lemmas.noted() != self.moves.facts) {
            (self.moves.lemmas, self.moves.facts) = (lemmas.violations().count(), lemmas.noted());
        }
    }
}
