//! Leader election.

pub mod chang_roberts;
pub mod franklin;
pub mod hirschberg_sinclair;
pub mod lelann;
pub mod van_leeuwen_tan;
pub mod vitanyi;

use ringleader_model::{Assumptions, Links, Port, Preset, Starts, Topology};

/// What most elections on unidirectional rings take for granted.
const RING: Assumptions = Assumptions {
    topology: Topology::Ring,
    identities: true,
    known_size: false,
    starts: Starts::Any,
    again: false,
    preset: Preset::Unit,
    compulsory: false,
    links: Links::Fifo,
};

/// What elections on bidirectional rings take for granted.
const BIDIRECTIONAL: Assumptions = Assumptions { topology: Topology::BidirectionalRing, ..RING };

/// The two ports of a bidirectional ring. Which of them is clockwise differs from processor to processor.
const BOTH: [Port; 2] = [Port(0), Port(1)];

/// On a bidirectional ring, the port by which goes on what came in by this one.
const fn onward(port: Port) -> Port {
    Port(port.0 ^ 1)
}

/// For unit tests: what a step did.
#[cfg(test)]
struct Did<P: ringleader_model::Processor> {
    sent: alloc::vec::Vec<(u32, P::Message)>,
    reported: alloc::vec::Vec<ringleader_model::Report<P>>,
    timers: u32,
}

#[cfg(test)]
impl<P: ringleader_model::Processor> Did<P> {
    /// What a processor does in one step.
    fn step(processor: &mut P, rules: &P::Rules, event: ringleader_model::Event<P>) -> Self {
        let mut did = Self { sent: alloc::vec![], reported: alloc::vec![], timers: 0 };
        processor.step(rules, event, &mut did);
        did
    }
}

#[cfg(test)]
impl<P: ringleader_model::Processor> ringleader_model::Effects<P> for Did<P> {
    fn send(&mut self, port: Port, message: P::Message) {
        self.sent.push((port.0, message));
    }

    fn set_timer(&mut self, _: P::Timer, _: ringleader_model::Ticks) {
        self.timers += 1;
    }

    fn cancel_timer(&mut self, _: P::Timer) {}

    fn choose(&mut self, _: u32) -> u32 {
        0
    }

    fn report(&mut self, report: ringleader_model::Report<P>) {
        self.reported.push(report);
    }

    fn elapsed(&mut self) -> Option<ringleader_model::Ticks> {
        None
    }
}
