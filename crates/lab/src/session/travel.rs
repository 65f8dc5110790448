//! Moving the cursor: to a move, a time, a phase or a mark, or by so many moves, instants, phases or moves of a processor.

use ringleader::Error;
use ringleader_model::{Place, Time};
use serde::Deserialize;

use super::Session;
use super::marks::MarkKind;

/// Where the cursor goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CursorTarget {
    /// Behind this number of moves.
    Move(u64),
    /// Behind the last move of this time, or before.
    Time(Time),
    /// Where this phase is reached.
    Phase(u32),
    /// To the mark with this index.
    Mark(usize),
    /// To the beginning.
    Start,
    /// To the end.
    End,
}

/// By how much the cursor goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Stride {
    /// What is counted.
    pub(crate) unit: StrideUnit,
    /// How many of them, forwards or back.
    pub(crate) count: i64,
    /// Of which processor; by default, that of the last move.
    #[serde(default)]
    pub(crate) place: Option<Place>,
}

/// A unit of time travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StrideUnit {
    /// Moves.
    Move,
    /// Instants at which something happens.
    Instant,
    /// Phases.
    Phase,
    /// Moves of one processor.
    Processor,
    /// Moves that receive a message.
    Message,
}

/// A request executes at most this number of moves: no run without end blocks the page.
const MOST_MOVES: u64 = 4_000_000;
/// Moves executed before the time is looked at again.
const SLICE: u64 = 1 << 16;
/// Strides of more units than this are refused.
const MOST_STRIDES: i64 = 100_000;

impl Session {
    /// Moves the cursor to a place in the run.
    pub(crate) fn go_to(&mut self, target: CursorTarget) -> Result<(), Error> {
        let moves = match target {
            CursorTarget::Move(moves) => moves,
            CursorTarget::Start => 0,
            CursorTarget::End => u64::MAX,
            CursorTarget::Time(time) => {
                self.execute_until(|session| session.timeline.last_position().time > time)?;
                self.timeline.moves_until(time)
            }
            CursorTarget::Phase(phase) => {
                self.execute_until(|session| session.timeline.last_position().phases >= phase)?;
                let reached =
                    self.marks.all().iter().find(|mark| mark.kind == MarkKind::Phase && mark.phase == Some(phase));
                reached.map_or_else(|| if phase == 0 { 0 } else { self.timeline.end() }, |mark| mark.moves)
            }
            CursorTarget::Mark(index) => {
                let all = self.marks.all();
                let mark = all.get(index).ok_or_else(|| Error::Named {
                    name: "mark".to_string(),
                    wrong: format!("is {index}"),
                    allowed: format!("the index of one of {} marks, from 0", all.len()),
                })?;
                mark.moves
            }
        };
        self.go(moves)
    }

    /// Moves the cursor behind this number of moves, or to the end.
    pub(super) fn go(&mut self, moves: u64) -> Result<(), Error> {
        // Whether the run is over there is known only from an attempt to go on.
        self.execute_until(|session| session.timeline.end() > moves)?;
        self.timeline.go(moves);
        Ok(())
    }

    /// Executes ahead until something is true, or the run is over, or this takes too long.
    fn execute_until(&mut self, mut is_done: impl FnMut(&Self) -> bool) -> Result<(), Error> {
        let enough = self.timeline.end().saturating_add(MOST_MOVES);
        let mut slice = 1;
        while !is_done(self) && self.timeline.end() < enough && self.go_ahead(slice)? {
            slice = (slice * 2).min(SLICE);
        }
        Ok(())
    }

    /// Moves the cursor by some strides.
    pub(crate) fn go_by(&mut self, stride: Stride) -> Result<(), Error> {
        let here = self.timeline.position();
        let Stride { unit, count, place } = stride;
        if unit == StrideUnit::Move {
            return self.go(here.moves.saturating_add_signed(count));
        }
        if unit == StrideUnit::Phase {
            return self.go_by_phases(count);
        }
        if count.abs() > MOST_STRIDES {
            return Err(Error::Named {
                name: "count".to_string(),
                wrong: format!("is {count}"),
                allowed: format!("-{MOST_STRIDES} to {MOST_STRIDES}"),
            });
        }
        let place = place.unwrap_or(here.place);
        for _ in 0..count.unsigned_abs() {
            let target = if count > 0 { self.next(unit, place) } else { self.previous(unit, place) };
            let now = self.timeline.position().moves;
            self.go(target)?;
            if target == now {
                break;
            }
        }
        Ok(())
    }

    /// The next moment of this kind after the cursor, or else the end.
    fn next(&self, unit: StrideUnit, place: Place) -> u64 {
        let mut instant = None;
        let (moves, found) = self.timeline.first_after(MOST_MOVES, |before, after| match unit {
            StrideUnit::Instant => *instant.get_or_insert(after.time) != after.time,
            StrideUnit::Processor => after.place == place,
            StrideUnit::Message => after.deliveries > before.deliveries,
            StrideUnit::Move | StrideUnit::Phase => true,
        });
        // The first move of the instant after the next one: the next one ends before it.
        if found && unit == StrideUnit::Instant { moves - 1 } else { moves }
    }

    /// The last moment of this kind before the cursor, or else the beginning.
    fn previous(&self, unit: StrideUnit, place: Place) -> u64 {
        let here = self.timeline.position();
        let found = self.timeline.last_before(here.moves, |before, after| match unit {
            StrideUnit::Instant => after.time < here.time,
            StrideUnit::Processor => after.place == place,
            StrideUnit::Message => after.deliveries > before.deliveries,
            StrideUnit::Move | StrideUnit::Phase => true,
        });
        found.unwrap_or(0)
    }

    /// Moves the cursor to where a phase is reached that is some phases later or earlier.
    fn go_by_phases(&mut self, count: i64) -> Result<(), Error> {
        let here = self.timeline.position();
        let reached = u64::from(here.phases).saturating_add_signed(count);
        let begins = |session: &Self, phase: u32| {
            let mark = |mark: &&super::Mark| mark.kind == MarkKind::Phase && mark.phase == Some(phase);
            session.marks.all().iter().find(mark).map(|mark| mark.moves)
        };
        // A step back within a phase leads to where it begins.
        let within = begins(self, here.phases).is_some_and(|moves| moves < here.moves);
        let phase = if count < 0 && within { reached + 1 } else { reached };
        self.go_to(CursorTarget::Phase(u32::try_from(phase).unwrap_or(u32::MAX)))
    }
}
