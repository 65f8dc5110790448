//! Cases small enough to be worked out by hand.

use ringleader_model::{
    Assumptions, AtMost, BadSetting, Bound, Complete, Description, Effects, EntryReport, EntryRequest, Event, Faults,
    Inspect, Instance, Links, MutualExclusion, Port, Processor, Protocol, Scenario, Seat, Settings, Ticks, Topology,
    Workload,
};
use serde::Serialize;

use super::Untimed;
use crate::answer::Wakers;
use crate::book::Pages;
use crate::interner::Number;
use crate::space::{Space, Ways, fingerprint};
use crate::toys::{ASSUMPTIONS, DESCRIPTION, Word};

/// Who wakes sets a timer, and sends a word when that runs off; who is asked to let somebody in does, and tells everybody.
struct Gate;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Keeper;

impl Protocol for Gate {
    type Processor = Keeper;
    type Network = Complete;
    const DESCRIPTION: Description = Description {
        assumptions: Assumptions { topology: Topology::Complete, timed: false, ..ASSUMPTIONS },
        ..DESCRIPTION
    };
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, _: Seat) -> Keeper {
        Keeper
    }
}

impl Processor for Keeper {
    type Problem = MutualExclusion;
    type Message = Word;
    type Timer = u8;
    type Rules = Gate;

    fn step(&mut self, _: &Gate, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => fx.set_timer(7, Ticks::ONE),
            Event::Timeout(_) => fx.send(Port(0), Word(0)),
            Event::Call(EntryRequest::Acquire) => {
                fx.report(EntryReport::Requested);
                fx.report(EntryReport::Entered { negatives: None });
            }
            Event::Call(EntryRequest::Release) => {
                fx.report(EntryReport::Left);
                fx.send(Port(0), Word(1));
            }
            Event::Receive(..) => {}
        }
    }
}

impl Inspect for Keeper {}

fn pair(links: Links) -> Scenario {
    Scenario { n: 2, links, untimed: true, ..Scenario::default() }
}

/// A walk through a space, by the index of each way.
struct Walk {
    space: Untimed,
    row: Vec<Number>,
    ways: Ways,
}

impl Walk {
    fn new(scenario: &Scenario, wakers: &Wakers) -> Self {
        let opening = Pages::new(Gate).open(scenario).expect("it is small");
        let space = Untimed::new(opening, scenario, wakers, false).expect("it can be explored");
        let row = space.beginnings().remove(0);
        let mut walk = Self { space, row, ways: Ways::default() };
        walk.look();
        walk
    }

    fn look(&mut self) {
        self.space.ways(&self.row, fingerprint(&self.row), &mut self.ways);
        for way in 0..self.ways.list.len() {
            let mut after = self.row.clone();
            self.ways.go(way, &mut after);
            assert_eq!(self.ways.list[way].fingerprint, fingerprint(&after));
        }
    }

    fn go(&mut self, way: usize) {
        self.ways.go(way, &mut self.row);
        self.look();
    }

    fn owed(&mut self) -> Vec<u32> {
        let mut owed = Vec::new();
        self.space.owed(&self.row, &mut owed);
        owed
    }

    /// Which ways need not be gone.
    fn free(&self) -> Vec<bool> {
        self.ways.list.iter().map(|way| way.free).collect()
    }
}

#[test]
fn what_can_be_done_is_owed_until_it_is_done_unless_it_need_not_be() {
    // A row: two processors, two links, the monitor. From 5 on who must wake, from 7 on timers.
    let mut walk = Walk::new(&pair(Links::Fifo), &Wakers::Anybody);
    assert_eq!((walk.free(), walk.owed()), (vec![true, true], vec![]));
    assert!(walk.ways.quiet());
    walk.go(0);
    assert_eq!((walk.free(), walk.owed(), walk.ways.takes(0)), (vec![false, true], vec![7], &[7][..]));
    walk.go(0);
    assert_eq!((walk.free(), walk.owed(), walk.ways.takes(1)), (vec![true, false], vec![2], &[2][..]));
    let mut walk = Walk::new(&pair(Links::Fifo), &Wakers::These(vec![1]));
    assert_eq!((walk.free(), walk.owed()), (vec![false], vec![6]), "it wakes at some moment");
}

#[test]
fn a_user_may_ask_and_must_leave() {
    let workload = Some(Workload { entries: 1, ..Workload::new(2) });
    let mut walk = Walk::new(&Scenario { workload, ..pair(Links::Fifo) }, &Wakers::Anybody);
    // Waking sets a timer, so it is an event even here.
    assert_eq!(walk.free(), [true, true, true, true]);
    walk.go(1);
    assert_eq!((walk.owed(), walk.ways.takes(1)), (vec![0], &[0][..]));
    assert!(walk.space.standing(&walk.row).waiting);
    walk.go(1);
    assert_eq!(walk.owed(), [2], "it has left, and said so");
    assert!(!walk.space.standing(&walk.row).waiting);
    assert_eq!(walk.free(), [true, true, true, false], "its entries are over");
}

/// On a half-duplex link a timer does not run off while something is on it, and what is sent meanwhile waits in turn.
#[test]
fn a_timer_waits_for_its_link() {
    let workload = Some(Workload { entries: 1, ..Workload::new(2) });
    let mut walk = Walk::new(&Scenario { workload, ..pair(Links::Half) }, &Wakers::Anybody);
    assert_eq!(walk.row.len(), 4, "both directions are one link");
    for way in [0, 2, 1, 1] {
        // Both wake; 0 asks, enters, leaves: its word is on the link.
        walk.go(way);
    }
    assert_eq!(walk.owed(), [2], "neither timer can run off");
    assert_eq!(walk.ways.list.iter().filter(|way| !way.free).count(), 1);
}

#[test]
fn who_has_crashed_is_gone_and_so_is_what_is_sent_to_it() {
    let at_most = AtMost { crashes: 1, losses: 1, duplicates: 1 };
    let faults = Faults { at_most, ..Faults::default() };
    let mut walk = Walk::new(&Scenario { faults, ..pair(Links::Fifo) }, &Wakers::Anybody);
    walk.go(0);
    walk.go(0);
    // The other wakes, the word comes in, either crashes, the word is lost or comes twice.
    assert_eq!(walk.ways.list.len(), 6);
    assert!(walk.ways.enough.is_empty(), "what may fail is everybody's");
    let sent: Vec<_> = walk.ways.list.iter().map(|way| way.sent).collect();
    assert_eq!(sent.iter().sum::<u32>(), 1, "the double is passed once more");
    let before = walk.row.clone();
    walk.go(5);
    assert_ne!(walk.row[2], before[2]);
    walk.row = before;
    walk.look();
    walk.go(3);
    assert_eq!((walk.row[1], walk.row[2]), (0, 0), "it is gone, and so is the word");
    assert_eq!(walk.ways.list.len(), 0, "nobody is left who could do anything");
}
