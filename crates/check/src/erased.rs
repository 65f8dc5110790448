//! A space whose protocol is erased: the searches are compiled once, not once for each protocol. A search asks a space once or
//! twice per configuration, so this costs next to nothing there, and minutes less of compilation.

use crate::interner::Number;
use crate::space::{Space, Standing, Ways};

/// What a search needs of a space, whatever its type.
trait Erasable: Send {
    fn another(&self) -> Box<dyn Erasable>;
    fn beginnings(&self) -> Vec<Vec<Number>>;
    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways);
    fn standing(&mut self, row: &[Number]) -> Standing;
    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>);
    fn bytes(&self) -> usize;
    fn separate(&mut self) -> bool;
    fn complaint(&mut self, row: &[Number]) -> String;
}

impl<S: Space + 'static> Erasable for S {
    fn another(&self) -> Box<dyn Erasable> {
        Box::new(Space::another(self))
    }

    fn beginnings(&self) -> Vec<Vec<Number>> {
        Space::beginnings(self)
    }

    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        Space::ways(self, row, fingerprint, ways);
    }

    fn standing(&mut self, row: &[Number]) -> Standing {
        Space::standing(self, row)
    }

    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>) {
        Space::owed(self, row, owed);
    }

    fn bytes(&self) -> usize {
        Space::bytes(self)
    }

    fn separate(&mut self) -> bool {
        Space::separate(self)
    }

    fn complaint(&mut self, row: &[Number]) -> String {
        Space::complaint(self, row)
    }
}

/// A hand on a space of any type.
pub(crate) struct Erased<'a>(Kept<'a>);

enum Kept<'a> {
    /// One that belongs to somebody else.
    Lent(&'a mut dyn Erasable),
    /// One of its own.
    Own(Box<dyn Erasable>),
}

impl<'a> Erased<'a> {
    /// Hides the type of a space for as long as it is searched.
    pub(crate) fn new<S: Space + 'static>(space: &'a mut S) -> Self {
        Self(Kept::Lent(space))
    }

    fn any(&self) -> &dyn Erasable {
        match &self.0 {
            Kept::Lent(lent) => *lent,
            Kept::Own(own) => own.as_ref(),
        }
    }

    fn any_mut(&mut self) -> &mut dyn Erasable {
        match &mut self.0 {
            Kept::Lent(lent) => *lent,
            Kept::Own(own) => own.as_mut(),
        }
    }
}

impl Space for Erased<'_> {
    /// What happens is asked of the space itself, which knows its protocol.
    type Happening = ();

    fn another(&self) -> Self {
        Self(Kept::Own(self.any().another()))
    }

    fn beginnings(&self) -> Vec<Vec<Number>> {
        self.any().beginnings()
    }

    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        self.any_mut().ways(row, fingerprint, ways);
    }

    fn standing(&mut self, row: &[Number]) -> Standing {
        self.any_mut().standing(row)
    }

    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>) {
        self.any_mut().owed(row, owed);
    }

    fn bytes(&self) -> usize {
        self.any().bytes()
    }

    fn happening(&mut self, _: &[Number], _: usize) {}

    fn separate(&mut self) -> bool {
        self.any_mut().separate()
    }

    fn complaint(&mut self, row: &[Number]) -> String {
        self.any_mut().complaint(row)
    }
}
