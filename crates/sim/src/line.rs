//! Events by time where every message takes equally long: then they arrive in the order in which they were sent, and a
//! queue will do.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use ringleader_model::Time;

use crate::wheel::Wheel;

pub(crate) struct Line<T> {
    items: VecDeque<T>,
    /// For each instant that has events, how many.
    instants: VecDeque<(Time, usize)>,
    now: Time,
}

impl<T> Line<T> {
    /// With room for `most` events in flight.
    pub(crate) fn new(most: usize) -> Self {
        Self { items: VecDeque::with_capacity(most), instants: VecDeque::new(), now: 0 }
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

    /// How many events there are at the present instant; takes note that they will be taken.
    fn take_count(&mut self) -> usize {
        match self.instants.front() {
            Some(&(time, count)) if time == self.now => {
                self.instants.pop_front();
                count
            }
            _ => 0,
        }
    }

    /// Takes the first of the events that were counted.
    #[inline]
    fn take(&mut self) -> Option<T> {
        self.items.pop_front()
    }

    /// Takes out everything, if it is all at one instant, which is told too: the present, if there is nothing.
    pub(crate) fn take_instant(&mut self) -> Option<(Time, Vec<T>)> {
        let time = match self.instants.make_contiguous() {
            [] => self.now,
            [(time, _)] => *time,
            _ => return None,
        };
        self.instants.clear();
        Some((time, Vec::from(mem::take(&mut self.items))))
    }

    /// Puts back what was taken out, or what came of it.
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

/// Messages in flight: in line where all delays are equal, else on a wheel.
pub(crate) enum Flights<T> {
    Line(Line<T>),
    Wheel(Wheel<T>),
}

impl<T: Clone> Flights<T> {
    #[inline]
    pub(crate) fn push(&mut self, at: Time, item: T) {
        match self {
            Self::Line(line) => line.push(at, item),
            Self::Wheel(wheel) => wheel.push(at, item),
        }
    }

    #[inline]
    pub(crate) fn next_time(&self) -> Option<Time> {
        match self {
            Self::Line(line) => line.next_time(),
            Self::Wheel(wheel) => wheel.next_time(),
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        match self {
            Self::Line(line) => line.advance(now),
            Self::Wheel(wheel) => wheel.advance(now),
        }
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        match self {
            Self::Line(line) => line.is_due(),
            Self::Wheel(wheel) => wheel.is_due(),
        }
    }

    /// Takes all events of the present instant that are there now, in order.
    pub(crate) fn take_into(&mut self, batch: &mut Vec<T>) {
        match self {
            Self::Line(line) => {
                let count = line.take_count();
                batch.extend((0..count).map_while(|_| line.take()));
            }
            Self::Wheel(wheel) => wheel.take_into(batch),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Line(line) => line.bytes(),
            Self::Wheel(wheel) => wheel.bytes(),
        }
    }
}
