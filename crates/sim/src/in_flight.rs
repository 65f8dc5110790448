//! Messages in flight, ordered by arrival. Where all delays are equal, messages arrive in the order in which they were
//! sent, and a FIFO queue is enough.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use ringleader_model::Time;

use crate::timing_wheel::TimingWheel;

#[derive(Clone)]
pub(crate) struct FifoQueue<T> {
    items: VecDeque<T>,
    /// Each instant that has events, with their number.
    instants: VecDeque<(Time, usize)>,
    now: Time,
}

impl<T> FifoQueue<T> {
    /// An empty queue with room for `capacity` events.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { items: VecDeque::with_capacity(capacity), instants: VecDeque::new(), now: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        match self.instants.back_mut() {
            Some((time, count)) if *time == at => *count += 1,
            _ => self.instants.push_back((at, 1)),
        }
        self.items.push_back(item);
    }

    #[inline]
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.instants.front().map(|(time, _)| *time)
    }

    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        self.now = now;
    }

    /// The number of events at the present instant, which the caller takes next.
    fn take_count(&mut self) -> usize {
        match self.instants.front() {
            Some(&(time, count)) if time == self.now => {
                self.instants.pop_front();
                count
            }
            _ => 0,
        }
    }

    /// Takes the first of the counted events.
    #[inline]
    fn take(&mut self) -> Option<T> {
        self.items.pop_front()
    }

    /// Takes all events, if they belong to one instant, with that instant (the present one, if there are none).
    pub(crate) fn take_instant(&mut self) -> Option<(Time, Vec<T>)> {
        let time = match self.instants.make_contiguous() {
            [] => self.now,
            [(time, _)] => *time,
            _ => return None,
        };
        self.instants.clear();
        Some((time, Vec::from(mem::take(&mut self.items))))
    }

    /// Puts back events of one instant, all others having been taken.
    pub(crate) fn put_instant(&mut self, time: Time, items: Vec<T>) {
        if !items.is_empty() {
            self.instants.push_back((time, items.len()));
        }
        self.items = VecDeque::from(items);
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.next_time() == Some(self.now)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.instants.capacity() * size_of::<(Time, usize)>()
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

    /// Takes all events of the present instant that are there now, in order.
    pub(crate) fn take_into(&mut self, batch: &mut Vec<T>) {
        match self {
            Self::Fifo(queue) => {
                let count = queue.take_count();
                batch.extend((0..count).map_while(|_| queue.take()));
            }
            Self::Wheel(wheel) => wheel.take_into(batch),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Fifo(queue) => queue.bytes(),
            Self::Wheel(wheel) => wheel.bytes(),
        }
    }
}
