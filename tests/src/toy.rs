//! A protocol that is good for nothing but does everything that a processor can do.

use ringleader::model::{
    Assumptions, BadSetting, Bound, Complete, Description, Display, Effects, Election, ElectionReport, Event, Inspect,
    Instance, Links, Message, Port, Preset, Processor, Protocol, Seat, Settings, Ticks, Topology,
};
use serde::Serialize;

/// Its rules: none.
#[derive(Clone, Copy, Debug)]
pub struct Toy;

/// What it sends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[message(crate = "ringleader::model", bits = "Self::two")]
#[expect(missing_docs, reason = "they mean nothing")]
pub enum ToyBall {
    Ping,
    Pong(bool),
    Stop,
}

impl ToyBall {
    const fn two(&self) -> u64 {
        2
    }
}

/// Its timers, in the order in which they fire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[message(crate = "ringleader::model")]
#[expect(missing_docs, reason = "they mean nothing")]
pub enum Timer {
    Short,
    Long,
    Now,
}

/// What it has seen.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Player {
    awake: bool,
    pings: u8,
    pongs: u8,
    told: bool,
}

impl Protocol for Toy {
    type Processor = Player;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "toy",
        title: "balls",
        assumptions: Assumptions {
            topology: Topology::Complete,
            preset: Preset::Archimedean,
            timed: true,
            links: Links::Any,
            ..Assumptions::RING
        },
        ..Description::NEW
    };

    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, _: Seat) -> Player {
        Player { awake: false, pings: 0, pongs: 0, told: false }
    }
}

impl Processor for Player {
    type Problem = Election;
    type Message = ToyBall;
    type Timer = Timer;
    type Rules = Toy;

    fn step(&mut self, _: &Toy, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake if self.awake => fx.set_timer(Timer::Now, Ticks::ZERO),
            Event::Wake => {
                self.awake = true;
                fx.send(Port(0), ToyBall::Ping);
                let more = u64::from(fx.choose(2));
                fx.set_timer(Timer::Short, Ticks::new(1 + more));
                fx.set_timer(Timer::Long, Ticks::new(3));
            }
            Event::Receive(port, ToyBall::Ping) => {
                self.awake = true;
                self.pings = (self.pings + 1).min(2);
                fx.send(port, ToyBall::Pong(self.pongs > 0));
                // Also where it is due now: then it is not any more.
                fx.set_timer(Timer::Short, Ticks::new(2));
            }
            Event::Receive(_, ToyBall::Pong(more)) => {
                self.pongs = (self.pongs + 1).min(2);
                fx.cancel_timer(if more { Timer::Long } else { Timer::Short });
                fx.set_timer(Timer::Now, Ticks::ZERO);
            }
            Event::Receive(_, ToyBall::Stop) => self.tell(fx),
            Event::Timeout(Timer::Short) => {
                if fx.choose(2) == 0 {
                    fx.cancel_timer(Timer::Long);
                }
                if self.pings < 2 {
                    fx.send(Port(0), ToyBall::Ping);
                    fx.send(Port(0), ToyBall::Stop);
                }
            }
            Event::Timeout(Timer::Long) => fx.send(Port(0), ToyBall::Stop),
            Event::Timeout(Timer::Now) => self.tell(fx),
            Event::Call(_) => {}
        }
    }

    fn urgent(&self, _: &Toy, ball: &ToyBall) -> bool {
        matches!(ball, ToyBall::Pong(_))
    }
}

impl Inspect for Player {}

impl Player {
    fn tell(&mut self, fx: &mut impl Effects<Self>) {
        if !self.told {
            self.told = true;
            fx.report(ElectionReport::Follows(None));
        }
    }
}
