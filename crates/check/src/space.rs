//! What every search sees: configurations as rows of numbers, and the ways between them.

use ringleader_model::mix;

use crate::interner::Number;

/// All configurations that can be reached, whatever a configuration is made of.
///
/// A space is not asked for its configurations: it says where to begin, and from each configuration how one can go on.
///
/// Searches see it through a pointer: they are compiled once, not once for every protocol.
pub(crate) trait Space: Send {
    /// Another hand on the same space, for another thread: to both the same numbers mean the same.
    fn another(&self) -> Box<dyn Space>;

    /// Where to begin. All rows of a space have the same length.
    fn beginnings(&self) -> Vec<Vec<Number>>;

    /// Every way to go on from a configuration, replacing what was in `ways`. Ways of one event follow each other.
    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways);

    /// What the problem's monitor says of a configuration.
    fn standing(&mut self, row: &[Number]) -> Standing;

    /// What must not stay undone for ever once it can be done: the links with something on its way, the timers that are
    /// pending, the users who are to leave. By number; the same number means the same link, timer or user everywhere.
    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>);

    /// The memory that this hand holds, about: what it keeps of things seen, so that a search stops before there is none.
    fn bytes(&self) -> usize {
        0
    }

    /// From now on one configuration does not stand for others for whose going round for ever it could be mistaken; whether
    /// one did.
    fn separate(&mut self) -> bool {
        false
    }

    /// Whether it is wrong that messages go round for ever.
    fn falls_silent(&self) -> bool {
        false
    }

    /// What violates nothing although one might think so; empty if there is no such thing.
    fn caveat(&self) -> &'static str {
        ""
    }

    /// What is wrong with a configuration, in words: what is violated, or what is left to do.
    fn complaint(&mut self, row: &[Number]) -> String;
}

/// A space that can tell what happens in it.
pub(crate) trait Told: Space {
    /// What happens on a way, as others can take it again.
    type Happening;

    /// What happens on a way from a configuration; `way` is its index among all of them.
    fn happening(&mut self, row: &[Number], way: usize) -> Self::Happening;

    /// The same, on a way between configurations that may stand for others: `row` is what is really there, `next` what stands
    /// for what the way leads to from what stands for `row`; `row` becomes what is really there then.
    fn follow(&mut self, row: &mut Vec<Number>, way: usize, next: &[Number]) -> Self::Happening {
        let happening = self.happening(row, way);
        row.copy_from_slice(next);
        happening
    }
}

/// What the problem's monitor says of a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Standing {
    /// Something is violated.
    pub(crate) violated: bool,
    /// Something that was asked for is still to be done.
    pub(crate) waiting: bool,
}

/// The ways to go on from a configuration, one after the other.
#[derive(Default)]
pub(crate) struct Ways {
    pub(crate) list: Vec<Way>,
    /// The ways from here to there alone are enough, where a reduction is asked for and this space knows one: nothing that
    /// is left out can change what they do or be changed by it, and they change nothing that the monitor sees. Empty: none.
    pub(crate) enough: core::ops::Range<usize>,
    /// There are too many to go through; those in the list are not all.
    pub(crate) too_many: bool,
    changes: Vec<(u32, Number)>,
    takes: Vec<u32>,
}

/// A way to go on from a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Of the configuration that it leads to.
    pub(crate) fingerprint: u64,
    /// Which of the events that can happen next this is, from 0; ways of one event differ in how choices fall.
    pub(crate) event: u32,
    /// The choices fall like this once in so many times.
    pub(crate) odds: u32,
    /// Message passes.
    pub(crate) sent: u32,
    /// It need never happen: somebody may not wake, a user may not ask, nothing may fail.
    pub(crate) free: bool,
    /// Where its changes end.
    changes: u32,
    /// Where what it takes ends.
    takes: u32,
}

impl Ways {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.enough = 0..0;
        self.too_many = false;
        self.changes.clear();
        self.takes.clear();
    }

    /// The next way changes a number of the row that it has not changed before. For
    /// spaces that cannot afford to look twice; such a way [ends with its fingerprint](Ways::end_at).
    #[inline]
    pub(crate) fn put(&mut self, at: u32, to: Number) {
        self.changes.push((at, to));
    }

    /// Ends a way whose fingerprint is known.
    #[inline]
    pub(crate) fn end_at(&mut self, fingerprint: u64, (event, odds): (u32, u32), sent: u32, free: bool) {
        let (changes, takes) = (self.changes.len() as u32, self.takes.len() as u32);
        self.list.push(Way { fingerprint, event, odds, sent, free, changes, takes });
    }

    /// The next way changes a number of the row; the last word counts.
    pub(crate) fn change(&mut self, at: u32, to: Number) {
        let from = self.begin().0;
        match self.changes[from..].iter_mut().find(|(other, _)| *other == at) {
            Some(change) => change.1 = to,
            None => self.changes.push((at, to)),
        }
    }

    /// What the next way changes a number of the row to, so far.
    pub(crate) fn changed(&self, at: u32) -> Option<Number> {
        self.changes[self.begin().0..].iter().find(|(other, _)| *other == at).map(|&(_, to)| to)
    }

    /// The next way takes care of something owed.
    pub(crate) fn take(&mut self, owed: u32) {
        self.takes.push(owed);
    }

    /// Ends a way: its changes are those since the last one ended.
    pub(crate) fn end(&mut self, row: &[Number], fingerprint: u64, (event, odds): (u32, u32), sent: u32, free: bool) {
        let mut after = fingerprint;
        for &(at, to) in &self.changes[self.begin().0..] {
            after = after.wrapping_sub(part(at, row[at as usize])).wrapping_add(part(at, to));
        }
        self.end_at(after, (event, odds), sent, free);
    }

    /// There is no such way: what was said of the next one is forgotten.
    pub(crate) fn give_up(&mut self) {
        let (changes, takes) = self.begin();
        self.changes.truncate(changes);
        self.takes.truncate(takes);
    }

    /// What a way changes: where, and to what. Each place of the row at most once.
    pub(crate) fn changes(&self, way: usize) -> &[(u32, Number)] {
        let from = if way == 0 { 0 } else { self.list[way - 1].changes };
        &self.changes[from as usize..self.list[way].changes as usize]
    }

    /// What of the things owed a way takes care of.
    pub(crate) fn takes(&self, way: usize) -> &[u32] {
        let from = if way == 0 { 0 } else { self.list[way - 1].takes };
        &self.takes[from as usize..self.list[way].takes as usize]
    }

    /// Whether nothing can happen that must.
    pub(crate) fn quiet(&self) -> bool {
        self.list.iter().all(|way| way.free)
    }

    /// Goes a way.
    pub(crate) fn go(&self, way: usize, row: &mut [Number]) {
        for &(at, to) in self.changes(way) {
            row[at as usize] = to;
        }
    }

    /// Where the changes and takes of the way that has not ended yet begin.
    pub(crate) fn begin(&self) -> (usize, usize) {
        self.list.last().map_or((0, 0), |way| (way.changes as usize, way.takes as usize))
    }
}

/// The fingerprint of a configuration: a sum over its numbers, so that few changes change it quickly.
pub(crate) fn fingerprint(row: &[Number]) -> u64 {
    row.iter().enumerate().map(|(at, &number)| part(at as u32, number)).fold(0, u64::wrapping_add)
}

/// What a number at a place of the row adds to the fingerprint: a bijection of the two that scrambles all bits.
#[inline]
pub(crate) fn part(at: u32, number: Number) -> u64 {
    mix((u64::from(at) << 32 | u64::from(number)).wrapping_add(0x9E37_79B9_7F4A_7C15))
}
