//! What is on its way over a link, and for how long.

use crate::interner::{Interner, Map, Number};

/// Nothing is on its way.
pub(crate) const EMPTY: Number = 0;

/// A message by number, with the units since it was sent.
pub(crate) type Flight = (u64, Number);

/// What may happen on a link in an instant: by index, what arrives, in order; and what is left, a unit older.
#[derive(Clone)]
pub(crate) struct Arrivals {
    pub(crate) which: Vec<usize>,
    pub(crate) messages: Vec<Number>,
    pub(crate) left: Number,
}

/// Rows of flights, each kept once, in the order in which they were sent. Messages that arrive at one instant do so in that
/// order, even where they may overtake each other.
pub(crate) struct Flights {
    rows: Interner<Vec<Flight>>,
    batches: Interner<Vec<Number>>,
    /// By row: what may arrive.
    arrivals: Vec<Option<Vec<Arrivals>>>,
    /// By row and batch: the row with the batch added.
    longer: Map<(Number, Number), Number>,
    in_order: bool,
    /// The shortest and the longest delay.
    delay: (u64, u64),
}

impl Clone for Flights {
    /// Another hand on the same rows.
    fn clone(&self) -> Self {
        let (arrivals, longer) = (Vec::new(), Map::default());
        let (rows, batches) = (self.rows.clone(), self.batches.clone());
        Self { rows, batches, arrivals, longer, in_order: self.in_order, delay: self.delay }
    }
}

impl Flights {
    pub(crate) fn new(in_order: bool, delay: (u64, u64)) -> Self {
        let (mut rows, mut batches) = (Interner::new(), Interner::new());
        assert_eq!((rows.number(Vec::new()), batches.number(Vec::new())), (EMPTY, EMPTY));
        Self { rows, batches, arrivals: Vec::new(), longer: Map::default(), in_order, delay }
    }

    pub(crate) fn row(&mut self, row: Number) -> &[Flight] {
        self.rows.get(row)
    }

    /// The number of a row.
    pub(crate) fn number(&mut self, row: Vec<Flight>) -> Number {
        self.rows.number(row)
    }

    /// The number of what is sent over a link in one instant.
    pub(crate) fn batch(&mut self, messages: Vec<Number>) -> Number {
        self.batches.number(messages)
    }

    /// How many messages a batch is.
    pub(crate) fn size(&mut self, batch: Number) -> u32 {
        self.batches.get(batch).len() as u32
    }

    /// The memory that this hand holds, about.
    pub(crate) fn bytes(&self) -> usize {
        const EACH: usize = 32;
        let arrivals = self.arrivals.iter().flatten().map(|arrivals| size_of_val(&**arrivals)).sum::<usize>();
        self.rows.bytes() + self.batches.bytes() + arrivals + self.longer.len() * EACH
    }

    /// A row with what is sent now.
    pub(crate) fn push(&mut self, row: Number, batch: Number) -> Number {
        if batch == EMPTY {
            return row;
        }
        if let Some(&longer) = self.longer.get(&(row, batch)) {
            return longer;
        }
        let mut flights = self.rows.get(row).clone();
        flights.extend(self.batches.get(batch).iter().map(|&message| (0, message)));
        let longer = self.rows.number(flights);
        self.longer.insert((row, batch), longer);
        longer
    }

    /// Everything that may arrive of a row in the next instant.
    pub(crate) fn arrivals(&mut self, row: Number) -> &[Arrivals] {
        let index = row as usize;
        if self.arrivals.len() <= index {
            self.arrivals.resize(index + 1, None);
        }
        if self.arrivals[index].is_none() {
            let flights: Vec<Flight> = self.rows.get(row).iter().map(|&(age, message)| (age + 1, message)).collect();
            let arrivals = choices(&flights, self.in_order, self.delay).into_iter().map(|which| {
                let messages = which.iter().map(|&index| flights[index].1).collect();
                let left = (0..flights.len()).filter(|index| !which.contains(index)).map(|index| flights[index]);
                Arrivals { messages, left: self.rows.number(left.collect()), which }
            });
            self.arrivals[index] = Some(arrivals.collect());
        }
        self.arrivals[index].as_deref().expect("it was just worked out")
    }
}

/// Which of a row's flights may arrive together, by index; of several that are alike the first do.
pub(crate) fn choices(flights: &[Flight], in_order: bool, (shortest, longest): (u64, u64)) -> Vec<Vec<usize>> {
    let mut choices = vec![Vec::new()];
    for (index, &(age, _)) in flights.iter().enumerate() {
        let alike = index > 0 && flights[index] == flights[index - 1];
        // The one before it arrives: on a link that keeps the order, and of two that are alike, that is needed.
        let may = |which: &Vec<usize>| {
            let follows = index > 0 && (in_order || alike);
            age >= shortest && (!follows || which.last() == Some(&(index - 1)))
        };
        let mut next = Vec::new();
        for which in choices {
            if may(&which) {
                next.push([&which[..], &[index]].concat());
            }
            if age < longest {
                next.push(which);
            }
        }
        choices = next;
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_a_prefix_arrives_and_what_has_the_longest_delay_must() {
        let arrive = |flights: &[Flight]| {
            let mut found = choices(flights, true, (1, 3));
            found.sort();
            found
        };
        assert_eq!(arrive(&[]), [[]; 1]);
        assert_eq!(arrive(&[(2, 7), (1, 8)]), [vec![], vec![0], vec![0, 1]]);
        assert_eq!(arrive(&[(3, 7), (1, 8), (1, 9)]), [vec![0], vec![0, 1], vec![0, 1, 2]]);
        assert_eq!(choices(&[(1, 7), (0, 8)], true, (1, 3)).len(), 2, "the second is too young");
    }

    #[test]
    fn in_any_order_anything_may_arrive_and_those_alike_are_one() {
        assert_eq!(choices(&[(2, 7), (1, 8)], false, (1, 3)).len(), 4);
        // None, one or both of two that are alike, with or without the third.
        assert_eq!(choices(&[(2, 7), (2, 7), (1, 7)], false, (1, 3)).len(), 6);
        assert_eq!(choices(&[(3, 7), (1, 8)], false, (2, 3)), [vec![0]]);
    }
}
