//! The states of the processors, by place.

use alloc::vec::Vec;
use core::mem;
use core::ops::{Index, IndexMut};

use ringleader_model::{Place, Processor};

use crate::choice_source::{ChoiceSource, DrawCount};
use crate::fast_path::prefetch;

/// The states of all processors.
///
/// On the fast path with delays that are drawn by sender, every step needs the number of its place's draws as well, and in a
/// large network it waits for memory more than for anything else: both are in one cell then. Everywhere else draws are rare or
/// counted by link, and the [`ChoiceSource`] counts them. `F`: [no type with values](crate::Instrumentation::FastPath) where there
/// is no fast path, so that the compiler knows that states are plain.
#[derive(Clone)]
pub(crate) enum PlaceStates<S, F> {
    Plain(Vec<S>),
    Counted(Vec<CountedState<S>>, F),
}

/// A state, and the number of draws of its place.
#[derive(Clone)]
pub(crate) struct CountedState<S> {
    state: S,
    draws: u32,
}

impl<S, F: Copy> PlaceStates<S, F> {
    pub(crate) fn new(states: Vec<S>) -> Self {
        Self::Plain(states)
    }

    /// The states, draws being counted by the choice source.
    #[inline]
    pub(crate) fn plain(&mut self, choices: &mut ChoiceSource) -> &mut [S] {
        if let Self::Counted(cells, _) = self {
            let (states, counts) = mem::take(cells).into_iter().map(|cell| (cell.state, cell.draws)).unzip();
            choices.put_counts(counts);
            *self = Self::Plain(states);
        }
        match self {
            Self::Plain(states) => states,
            Self::Counted(..) => unreachable!("they were separated"),
        }
    }

    /// The states with the numbers of draws.
    #[inline]
    pub(crate) fn counted(&mut self, choices: &mut ChoiceSource, fast: F) -> &mut [CountedState<S>] {
        if let Self::Plain(states) = self {
            let counts = choices.take_counts();
            let cells = mem::take(states).into_iter().zip(counts);
            *self = Self::Counted(cells.map(|(state, draws)| CountedState { state, draws }).collect(), fast);
        }
        match self {
            Self::Counted(cells, _) => cells,
            Self::Plain(_) => unreachable!("they were joined"),
        }
    }

    /// The states of a full run, which has no fast path.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[S] {
        match self {
            Self::Plain(states) => states,
            Self::Counted(..) => unreachable!("only the fast path counts draws beside states"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Plain(states) => states.len(),
            Self::Counted(cells, _) => cells.len(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &S> {
        (0..self.len()).map(|place| &self[place])
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Plain(states) => states.capacity() * size_of::<S>(),
            Self::Counted(cells, _) => cells.capacity() * size_of::<CountedState<S>>(),
        }
    }

    /// Prefetches the state of a place.
    #[inline]
    pub(crate) fn prefetch(&self, place: Place) {
        match self {
            Self::Plain(states) => prefetch(states.as_ptr().wrapping_add(place as usize)),
            Self::Counted(cells, _) => prefetch(cells.as_ptr().wrapping_add(place as usize)),
        }
    }
}

impl<S, F> Index<usize> for PlaceStates<S, F> {
    type Output = S;

    #[inline]
    fn index(&self, place: usize) -> &S {
        match self {
            Self::Plain(states) => &states[place],
            Self::Counted(cells, _) => &cells[place].state,
        }
    }
}

impl<S, F> IndexMut<usize> for PlaceStates<S, F> {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut S {
        match self {
            Self::Plain(states) => &mut states[place],
            Self::Counted(cells, _) => &mut cells[place].state,
        }
    }
}

/// What the fast path keeps of a place in one cell.
pub(crate) trait StateCell<S>: Sized {
    /// Where its draws are counted.
    type Draws<'a>: DrawCount
    where
        Self: 'a;

    /// The cells of all places.
    fn all<'a, F: Copy>(states: &'a mut PlaceStates<S, F>, choices: &mut ChoiceSource, fast: F) -> &'a mut [Self];
    fn parts(&mut self) -> (&mut S, Self::Draws<'_>);
    fn state(&self) -> &S;
}

impl<S: Processor> StateCell<S> for S {
    type Draws<'a> = ();

    fn all<'a, F: Copy>(states: &'a mut PlaceStates<S, F>, choices: &mut ChoiceSource, _: F) -> &'a mut [S] {
        states.plain(choices)
    }

    #[inline(always)]
    fn parts(&mut self) -> (&mut S, ()) {
        (self, ())
    }

    #[inline(always)]
    fn state(&self) -> &S {
        self
    }
}

impl<S: Processor> StateCell<S> for CountedState<S> {
    type Draws<'a> = &'a mut u32;

    fn all<'a, F: Copy>(states: &'a mut PlaceStates<S, F>, choices: &mut ChoiceSource, fast: F) -> &'a mut [Self] {
        states.counted(choices, fast)
    }

    #[inline(always)]
    fn parts(&mut self) -> (&mut S, &mut u32) {
        (&mut self.state, &mut self.draws)
    }

    #[inline(always)]
    fn state(&self) -> &S {
        &self.state
    }
}
