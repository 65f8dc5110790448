//! The kernel on cases that are worked by hand, and on what it cannot do.

use ringleader_exact::{ExactDistribution, IdentityOrder, Kernel, KernelRun, MOST, Rotations, Unsuited};
use ringleader_model::{
    BadSetting, Description, Display, Effects, Election, Event, Id, Inspect, Instance, Message, Part, Port, Processor,
    Protocol, Ring, Seat, Settings, Ticks,
};
use ringleader_protocols::election::chang_roberts::ChangRoberts;
use ringleader_protocols::election::lelann::LeLann;
use serde::Serialize;

const ALL: u32 = u32::MAX;

/// The ring 3, 1, 4, 2: 8 passes before the announcement and 4 of it, 43 bits, elected at 4, over at 8, place 2 leads.
#[test]
fn the_worked_example_of_chang_and_roberts() {
    let mut kernel = Kernel::new(ChangRoberts, 4).unwrap();
    let kinds = <<ChangRoberts as Protocol>::Processor as Processor>::Message::KINDS;
    // A kernel keeps nothing of one run for the next.
    for _ in 0..3 {
        let run = kernel.run(&[3, 1, 4, 2], ALL).unwrap();
        assert_eq!((run.part(kinds, Part::Work), run.part(kinds, Part::Announcement), run.messages()), (8, 4, 12));
        assert_eq!((run.bits, run.time_elected, run.time), (43, Some(4), 8));
        assert_eq!((run.leader, run.phases, run.agreed), (Some((2, Some(Id::new(4)))), None, true));
    }
    // Woken at place 0 alone, 5 travels to 8, which sends its own around: 2 and 8 passes.
    let mut kernel = Kernel::new(ChangRoberts, 8).unwrap();
    let run = kernel.run(&[5, 2, 8, 1, 7, 3, 6, 4], 1).unwrap();
    assert_eq!((run.part(kinds, Part::Work), run.part(kinds, Part::Announcement)), (10, 8));
}

/// N·H_N passes on average over all orders, and N for the announcement; N(N+1)/2 + N at most, in descending order only.
#[test]
fn the_mean_of_chang_and_roberts() {
    for n in 1..=8u64 {
        let mut kernel = Kernel::new(ChangRoberts, n as usize).unwrap();
        let mut all = ExactDistribution::default();
        for rank in 0..Rotations::Equal.orders(n as usize) {
            let order = IdentityOrder::unrank(n as usize, Rotations::Equal, rank);
            all.add(kernel.run(order.ids(), ALL).unwrap().messages(), rank);
        }
        // H_N over the common denominator N!.
        let factorial: u128 = (1..=n).map(u128::from).product();
        let harmonic: u128 = (1..=n).map(|k| factorial / u128::from(k)).sum();
        assert_eq!(all.sum * factorial, u128::from(all.count) * u128::from(n) * (harmonic + factorial), "n = {n}");
        let max = all.max.unwrap();
        assert_eq!((max.value, max.index), (n * (n + 1) / 2 + n, all.count - 1), "n = {n}");
        assert_eq!(all.histogram().last(), Some((max.value, 1)));
        assert_eq!(all.min.unwrap().value, (2 * n - 1) + n);
    }
}

#[test]
fn a_ring_of_one_and_the_largest_one() {
    let run = Kernel::new(LeLann, 1).unwrap().run(&[7], ALL).unwrap();
    assert_eq!((run.messages(), run.time, run.agreed), (1, 1, true));
    let ids: Vec<u8> = (1..=MOST as u8).collect();
    let run = Kernel::new(LeLann, MOST).unwrap().run(&ids, ALL).unwrap();
    assert_eq!((run.messages(), run.agreed), (256, true));
    assert_eq!(Kernel::new(LeLann, MOST + 1).err(), Some(Unsuited::Network));
    assert_eq!(Kernel::new(LeLann, 0).err(), Some(Unsuited::Network));
}

/// Processors that do one thing which the kernel cannot follow.
#[derive(Clone, Copy)]
enum Odd {
    Waits,
    Tosses,
    Floods,
    Circles,
    Looks,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct OddProcessor;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Mail;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
enum OddTimer {
    First,
    Second,
}

impl Protocol for Odd {
    type Processor = OddProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description { name: "odd", ..Description::NEW };

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self::Waits)
    }

    fn processor(&self, _: Seat) -> OddProcessor {
        OddProcessor
    }
}

impl Processor for OddProcessor {
    type Problem = Election;
    type Message = Mail;
    type Timer = OddTimer;
    type Rules = Odd;

    fn step(&mut self, rules: &Odd, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match (rules, event) {
            (Odd::Waits, Event::Wake) => fx.set_timer(OddTimer::First, Ticks::ONE),
            (Odd::Tosses, Event::Wake) => drop(fx.choose(2)),
            (Odd::Floods, Event::Wake) => (0..100).for_each(|_| fx.send(Port(0), Mail)),
            (Odd::Circles, _) => fx.send(Port(0), Mail),
            (Odd::Looks, Event::Wake) => {
                fx.set_timer(OddTimer::First, Ticks::ZERO);
                fx.set_timer(OddTimer::First, Ticks::ZERO);
            }
            // Once for the two alarms of the first pass; cancelled, the next one stays away.
            (Odd::Looks, Event::Timeout(OddTimer::First)) => {
                fx.send(Port(0), Mail);
                fx.set_timer(OddTimer::Second, Ticks::ZERO);
                fx.cancel_timer(OddTimer::Second);
            }
            _ => {}
        }
    }
}

impl Inspect for OddProcessor {}

#[test]
fn what_it_cannot_do_it_says() {
    let run = |odd: Odd| Kernel::new(odd, 3).unwrap().run(&[3, 1, 2], ALL);
    assert_eq!(run(Odd::Waits).err(), Some(Unsuited::Timer));
    assert_eq!(run(Odd::Tosses).err(), Some(Unsuited::Random));
    assert_eq!(run(Odd::Floods).err(), Some(Unsuited::Crowded));
    assert_eq!(run(Odd::Circles).err(), Some(Unsuited::Endless));
    // After any of these the next run is an ordinary one.
    let looks = run(Odd::Looks).unwrap();
    assert_eq!((looks.messages(), looks.time, looks.agreed), (3, 1, false));
}
