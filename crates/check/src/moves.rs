//! Moves: what a processor can do next, worked out once for its state and what waits for it.

use ringleader_model::Place;

use crate::book::{Trigger, Wish};
use crate::effects::{Effect, Effects};
use crate::interner::Number;
use crate::memo::Memo;
use crate::queues::Queues;
use crate::roads::{In, Roads};
use crate::space::part;

/// One way that one event of a place can go, as it is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// What the changes of the processor and of the link that a message comes from add to the fingerprint.
    pub(crate) more: u64,
    /// The processor afterwards.
    pub(crate) local: Number,
    /// What is left on the link that a message comes from; nothing where none does.
    pub(crate) left: Number,
    /// Where its sends lie among all of them.
    pub(crate) sends: (u32, u32),
    /// The number of its reports; [`SILENT`] if there are none.
    pub(crate) reports: Number,
    /// The choices fall like this once in so many times.
    pub(crate) odds: u32,
    /// What is owed until this happens; [`NOTHING`] if it need never happen.
    pub(crate) debt: u32,
    /// Two of its changes may be of one link.
    pub(crate) tangled: bool,
    /// A timer runs off, which half-duplex links may hold up.
    pub(crate) timeout: bool,
    /// The last way that its event can go.
    pub(crate) ends_event: bool,
    /// The last of those that were looked up together.
    pub(crate) last: bool,
}

/// Nothing is owed; no move.
pub(crate) const NOTHING: u32 = u32::MAX;

/// All moves that were looked up.
pub(crate) struct Moves {
    /// By processor and place: the first move that needs no message.
    own: Memo,
    /// By processor: the place that was asked for last, and the same. Where places differ there is no other.
    last: Vec<(Place, u32)>,
    /// By way in: by processor and queue, the first move that begins with a message.
    arrivals: Vec<Memo>,
    moves: Vec<Move>,
    /// On which link, and what.
    sends: Vec<(u32, Number)>,
    /// By move: whose it is, with what it begins, and which outcome of that it is.
    causes: Vec<(Place, Trigger, u32)>,
}

/// What moves are worked out from.
pub(crate) struct Sources<'a> {
    pub(crate) effects: &'a mut Effects,
    pub(crate) queues: &'a mut Queues,
    pub(crate) roads: &'a Roads,
    pub(crate) debts: Debts,
}

/// What is owed, by number: a user who is to leave by its place, what a link carries by the link's place in the row; from
/// the row's end on, whoever must wake, then timers and, where messages overtake each other, messages in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Debts {
    pub(crate) n: u32,
    pub(crate) links: u32,
    /// How long a row is.
    pub(crate) width: u32,
    /// Whoever wakes need not.
    pub(crate) wakes_are_free: bool,
    pub(crate) half: bool,
    /// Messages may overtake each other.
    pub(crate) any: bool,
    /// Rotations are not told apart, and what is owed at all places is owed as if they were one.
    pub(crate) turns: bool,
}

impl Debts {
    fn wake(self, place: Place) -> u32 {
        if self.wakes_are_free { NOTHING } else { self.width + self.place(place) }
    }

    fn timer(self, place: Place, timer: Number) -> u32 {
        self.width + self.n + 2 * (timer * self.n + self.place(place))
    }

    fn call(self, place: Place, wish: Wish) -> u32 {
        if wish == Wish::Release { self.place(place) } else { NOTHING }
    }

    /// Where messages keep their order the first must come; where they overtake each other each of them must.
    fn message(self, at: u32, item: Number) -> u32 {
        let link = if self.turns { (at - self.n) % (self.links / self.n) } else { at - self.n };
        if self.any { self.width + self.n + 2 * (item * self.links + link) + 1 } else { self.n + link }
    }

    fn place(self, place: Place) -> Place {
        if self.turns { 0 } else { place }
    }

    /// The message of an item on a link, if it goes this way.
    pub(crate) fn message_of(self, item: Number, direction: u32) -> Option<Number> {
        if self.half { (item % 2 == direction).then_some(item / 2) } else { Some(item) }
    }
}

impl Moves {
    /// None yet, of processors with so many ways in.
    pub(crate) fn new(ways_in: usize) -> Self {
        Self {
            own: Memo::new(),
            last: Vec::new(),
            arrivals: (0..ways_in).map(|_| Memo::new()).collect(),
            moves: Vec::new(),
            sends: Vec::new(),
            causes: Vec::new(),
        }
    }

    /// The first move of a place that needs no message, if that is known.
    #[inline]
    pub(crate) fn own(&mut self, place: Place, local: Number) -> Option<u32> {
        match self.last.get(local as usize) {
            Some(&(last, first)) if last == place => Some(first),
            _ => self.own_elsewhere(place, local),
        }
    }

    fn own_elsewhere(&mut self, place: Place, local: Number) -> Option<u32> {
        let first = self.own.get(local, place)?;
        if self.last.len() <= local as usize {
            self.last.resize(local as usize + 1, (NOTHING, NOTHING));
        }
        self.last[local as usize] = (place, first);
        Some(first)
    }

    /// The first move of a processor that begins with what comes in by a way, if that is known.
    #[inline]
    pub(crate) fn arrival(&self, way_in: usize, local: Number, queue: Number) -> Option<u32> {
        self.arrivals[way_in].get(local, queue)
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &Move {
        &self.moves[index as usize]
    }

    /// One of all sends: on which link, and what.
    #[inline]
    pub(crate) fn send(&self, index: u32) -> (u32, Number) {
        self.sends[index as usize]
    }

    /// What a move sends.
    #[inline]
    pub(crate) fn sends(&self, one: &Move) -> &[(u32, Number)] {
        &self.sends[one.sends.0 as usize..one.sends.1 as usize]
    }

    /// Whose a move is, with what it begins, and which outcome of that it is.
    pub(crate) fn cause(&self, index: u32) -> (Place, Trigger, u32) {
        self.causes[index as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.last)
            + size_of_val(&*self.moves)
            + size_of_val(&*self.sends)
            + size_of_val(&*self.causes);
        self.own.bytes() + self.arrivals.iter().map(Memo::bytes).sum::<usize>() + lists
    }

    /// Works out the moves of a place that need no message: its timers, its waking, its user.
    #[cold]
    pub(crate) fn work_out_own(&mut self, sources: &mut Sources<'_>, place: Place, local: Number) -> u32 {
        let first = self.moves.len();
        let look = sources.effects.look(local);
        for index in 0..look.timers {
            let timer = sources.effects.timer(look, index);
            let debt = sources.debts.timer(place, timer);
            self.add(sources, (place, local), Trigger::Timeout(timer), None, debt);
        }
        if look.asleep {
            self.add(sources, (place, local), Trigger::Wake, None, sources.debts.wake(place));
        }
        for wish in Wish::ALL.into_iter().filter(|&wish| look.may(wish)) {
            self.add(sources, (place, local), Trigger::Call(wish), None, sources.debts.call(place, wish));
        }
        let first = self.end(first);
        self.own.insert(local, place, first);
        first
    }

    /// Works out the moves of a processor that begin with what comes in by a way.
    #[cold]
    pub(crate) fn work_out_arrival(
        &mut self,
        sources: &mut Sources<'_>,
        place: Place,
        way_in: usize,
        (local, queue): (Number, Number),
    ) -> u32 {
        let first = self.moves.len();
        let In { at, direction, port } = sources.roads.way_in(way_in);
        for next in sources.queues.next(queue) {
            let (item, left) = sources.queues.first(next);
            if let Some(message) = sources.debts.message_of(item, direction) {
                let trigger = Trigger::Receive { port, message };
                let debt = sources.debts.message(at, item);
                self.add(sources, (place, local), trigger, Some((at, queue, left)), debt);
            }
        }
        let first = self.end(first);
        self.arrivals[way_in].insert(local, queue, first);
        first
    }

    /// Those since `first` were looked up together.
    fn end(&mut self, first: usize) -> u32 {
        if first == self.moves.len() {
            return NOTHING;
        }
        self.moves.last_mut().expect("there are some").last = true;
        first as u32
    }

    /// Adds the moves of one event. `taken`: the link that a message comes from, what is on it and what is left.
    fn add(
        &mut self,
        sources: &mut Sources<'_>,
        (place, local): (Place, Number),
        trigger: Trigger,
        taken: Option<(u32, Number, Number)>,
        debt: u32,
    ) {
        let first = sources.effects.of(local, trigger);
        for index in first.. {
            let effect @ Effect { reports, odds, last, .. } = sources.effects.get(index);
            let from = self.sends.len();
            for &(port, message) in sources.effects.sends(effect) {
                let out = sources.roads.out(place, port);
                let item = if sources.debts.half { 2 * message + out.direction } else { message };
                self.sends.push((out.at, item));
            }
            let mut links: Vec<u32> = self.sends[from..].iter().map(|&(at, _)| at).collect();
            links.extend(taken.map(|(at, ..)| at));
            links.sort_unstable();
            let mut more = part(place, effect.local).wrapping_sub(part(place, local));
            if let Some((at, before, left)) = taken {
                more = more.wrapping_add(part(at, left)).wrapping_sub(part(at, before));
            }
            self.moves.push(Move {
                more,
                local: effect.local,
                left: taken.map_or(0, |(_, _, left)| left),
                sends: (from as u32, self.sends.len() as u32),
                reports,
                odds,
                debt,
                tangled: links.windows(2).any(|pair| pair[0] == pair[1]),
                timeout: matches!(trigger, Trigger::Timeout(_)),
                ends_event: last,
                last: false,
            });
            self.causes.push((place, trigger, index - first));
            if last {
                return;
            }
        }
    }
}
