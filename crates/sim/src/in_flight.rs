//! Messages in flight, ordered by arrival. Where all delays are equal, messages arrive in the order in which they were
//! sent, and a FIFO queue is enough.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use ringleader_model::Time;

use crate::timing_wheel::TimingWheel;

/// One list of events per instant, in order of time.
#[derive(Clone)]
pub(crate) struct FifoQueue<T> {
    instants: VecDeque<(Time, Vec<T>)>,
    /// Empty lists, to be used again.
    spare: Vec<Vec<T>>,
    now: Time,
}

impl<T> FifoQueue<T> {
    /// An empty queue with room for `capacity` events.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { instants: VecDeque::new(), spare: vec![Vec::with_capacity(capacity)], now: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        match self.instants.back_mut() {
            Some((time, items)) if *time == at => items.push(item),
            _ => self.push_instant(at, item),
        }
    }

    fn push_instant(&mut self, at: Time, item: T) {
        let mut items = self.spare.pop().unwrap_or_default();
        items.push(item);
        self.instants.push_back((at, items));
    }

    #[inline]
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.instants.front().map(|(time, _)| *time)
    }

    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        self.now = now;
    }

    /// Takes all events, if they belong to one instant, with that instant (the present one, if there are none).
    pub(crate) fn take_instant(&mut self) -> Option<(Time, Vec<T>)> {
        match self.instants.len() {
            0 => Some((self.now, self.spare.pop().unwrap_or_default())),
            1 => self.instants.pop_front(),
            _ => None,
        }
    }

    /// Puts back events of one instant, all others having been taken.
    pub(crate) fn put_instant(&mut self, time: Time, items: Vec<T>) {
        if items.is_empty() {
            self.spare.push(items);
        } else {
            self.instants.push_back((time, items));
        }
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.next_time() == Some(self.now)
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = self.instants.iter().map(|(_, items)| items).chain(&self.spare);
        lists.map(Vec::capacity).sum::<usize>() * size_of::<T>()
    }
}

/// Messages in flight: a FIFO queue where all delays are equal, otherwise a timing wheel.
#[derive(Clone)]
pub(crate) enum MessagesInFlight<T> {
    Fifo(FifoQueue<T>),
    Wheel(TimingWheel<T>),
}

impl<T: Clone> MessagesInFlight<T> {
    #[inline]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        match self {
            Self::Fifo(queue) => queue.push(at, item),
            Self::Wheel(wheel) => wheel.push(at, item),
        }
    }

    #[inline]
    pub(crate) fn next_time(&self) -> Option<Time> {
        match self {
            Self::Fifo(queue) => queue.next_time(),
            Self::Wheel(wheel) => wheel.next_time(),
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        match self {
            Self::Fifo(queue) => queue.advance(now),
            Self::Wheel(wheel) => wheel.advance(now),
        }
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        match self {
            Self::Fifo(queue) => queue.is_due(),
            Self::Wheel(wheel) => wheel.is_due(),
        }
    }

    /// Takes all events of the present instant that are there now, in order, into an empty list.
    pub(crate) fn take_into(&mut self, batch: &mut Vec<T>) {
        match self {
            Self::Fifo(queue) => {
                if queue.is_due()
                    && let Some((_, items)) = queue.instants.pop_front()
                {
                    queue.spare.push(mem::replace(batch, items));
                }
            }
            Self::Wheel(wheel) => wheel.take_into(batch),
        }
    }

    /// Shows all messages, in order of arrival.
    pub(crate) fn for_each(&self, mut show: impl FnMut(Time, &T)) {
        match self {
            Self::Fifo(queue) => {
                for (time, items) in &queue.instants {
                    items.iter().for_each(|item| show(*time, item));
                }
            }
            Self::Wheel(wheel) => wheel.for_each(show),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Fifo(queue) => queue.bytes(),
            Self::Wheel(wheel) => wheel.bytes(),
        }
    }
}
