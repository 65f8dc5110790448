//! Messages that have arrived but not been read: one FIFO queue per place, all in one pool.

use alloc::vec;
use alloc::vec::Vec;
use core::iter::from_fn;

use ringleader_model::Place;

const NONE: u32 = u32::MAX;

#[derive(Clone)]
pub(crate) struct InputQueues<T> {
    ends: Vec<Ends>,
    cells: Vec<QueueCell<T>>,
    free: u32,
}

#[derive(Clone, Copy)]
struct Ends {
    head: u32,
    tail: u32,
    length: u32,
}

#[derive(Clone)]
struct QueueCell<T> {
    item: Option<T>,
    next: u32,
}

impl<T> InputQueues<T> {
    pub(crate) fn new(n: usize) -> Self {
        Self { ends: vec![Ends { head: NONE, tail: NONE, length: 0 }; n], cells: Vec::new(), free: NONE }
    }

    /// Appends an item to a place's queue; returns the queue's length.
    pub(crate) fn push(&mut self, place: Place, item: T) -> u32 {
        let cell = QueueCell { item: Some(item), next: NONE };
        let index = if self.free == NONE {
            self.cells.push(cell);
            self.cells.len() as u32 - 1
        } else {
            let index = self.free;
            self.free = self.cells[index as usize].next;
            self.cells[index as usize] = cell;
            index
        };
        let ends = &mut self.ends[place as usize];
        if ends.length == 0 {
            ends.head = index;
        } else {
            self.cells[ends.tail as usize].next = index;
        }
        ends.tail = index;
        ends.length += 1;
        ends.length
    }

    /// Removes the first item of a place's queue.
    pub(crate) fn pop(&mut self, place: Place) -> Option<T> {
        let ends = &mut self.ends[place as usize];
        if ends.length == 0 {
            return None;
        }
        let index = ends.head;
        let cell = &mut self.cells[index as usize];
        ends.head = cell.next;
        ends.length -= 1;
        cell.next = self.free;
        self.free = index;
        cell.item.take()
    }

    /// The first item of a place's queue.
    pub(crate) fn first(&self, place: Place) -> Option<&T> {
        let ends = self.ends[place as usize];
        if ends.length == 0 { None } else { self.cells[ends.head as usize].item.as_ref() }
    }

    /// The items of a place's queue, in order.
    pub(crate) fn iter(&self, place: Place) -> impl Iterator<Item = &T> {
        let ends = self.ends[place as usize];
        let (mut next, mut left) = (ends.head, ends.length);
        from_fn(move || {
            left = left.checked_sub(1)?;
            let cell = &self.cells[next as usize];
            next = cell.next;
            cell.item.as_ref()
        })
    }

    pub(crate) fn len(&self, place: Place) -> u32 {
        self.ends[place as usize].length
    }

    pub(crate) fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<Ends>() + self.cells.capacity() * size_of::<QueueCell<T>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_queue_is_fifo_and_cells_are_reused() {
        let mut queues = InputQueues::new(2);
        for round in 0..10 {
            for item in 0..5 {
                queues.push(0, (round, item));
                queues.push(1, (round, item + 100));
            }
            assert!(queues.iter(0).copied().eq((0..5).map(|item| (round, item))));
            for item in 0..5 {
                assert_eq!(queues.first(1), Some(&(round, item + 100)));
                assert_eq!(queues.pop(1), Some((round, item + 100)));
                assert_eq!(queues.pop(0), Some((round, item)));
            }
            assert_eq!((queues.first(0), queues.iter(0).next()), (None, None));
            assert_eq!(queues.pop(0), None);
        }
        assert_eq!(queues.cells.len(), 10);
    }
}
