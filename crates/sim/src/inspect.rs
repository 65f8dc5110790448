//! Looking into a run: its processors, its messages in flight and its enabled events as data, one move at a time.
//!
//! A *move* is what an observer steps by: all that one processor does at one instant in one stage of it (it wakes, handles
//! one message, reads what waits and sees its timers expire), or one fault. A move logs at least one step.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use ringleader_model::{Place, ProcessorState, Time, Violation};
use serde::Serialize;

use crate::interventions::AppliedIntervention;
use crate::run::Run;
use crate::step::{Cause, MessageContent, MessageNumber};

/// A run that can be looked into. Only fully instrumented runs can.
pub trait InspectableRun: Run {
    /// Continues by one move; false if nothing more can happen.
    fn advance_move(&mut self) -> bool;
    /// Ends the [log](Run::log): what was logged and not taken is dropped.
    fn unlog(&mut self);
    /// Whether the last move ended a pass of its instant: [`Run::advance`] stops there only, and between actions.
    fn is_between_passes(&self) -> bool;
    /// A copy that goes on from the same state, with the same random streams.
    fn fork(&self) -> Box<dyn InspectableRun>;
    /// A digest of everything that the future of the run depends on. Two runs of one scenario with the same digest go on
    /// alike.
    fn state_digest(&self) -> u64;
    /// Where the run stands.
    fn run_position(&self) -> RunPosition;
    /// The status of each processor and its phase, by place, written into a list that is reused.
    fn statuses(&self, into: &mut Vec<(ProcessorStatus, u32)>);
    /// A processor as data.
    fn processor(&self, place: Place) -> ProcessorView;
    /// The messages that have been sent and neither received nor lost, by number.
    fn in_flight(&self) -> Vec<MessageView>;
    /// The links that are cut, each by its ends.
    fn cut_links(&self) -> Vec<(Place, Place)>;
    /// The last fault of a processor or a link, and its place.
    fn last_outage(&self) -> Option<(Place, Cause)>;
    /// The interventions, and what came of them so far.
    fn interventions(&self) -> Vec<AppliedIntervention>;
    /// The properties violated so far.
    fn violations(&self) -> Vec<Violation>;
    /// The events of which an untimed run takes one next, in the order of its choices; empty in a run with clocks.
    fn enabled(&self) -> Vec<EnabledAction>;
    /// Takes one of the enabled events as the next move; false if there is no such event.
    fn take_enabled(&mut self, index: usize) -> bool;
}

/// Where a run stands, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RunPosition {
    /// The number of moves made.
    pub moves: u64,
    /// The present time; in an untimed run, the number of actions so far.
    pub time: Time,
    /// The number of messages sent so far: the highest message number.
    pub messages_sent: u64,
    /// The number of messages that arrived.
    pub deliveries: u64,
    /// The highest phase reached by any processor; 0 where there are none.
    pub phases: u32,
    /// The number of processors that have declared themselves leader.
    pub leaders: u32,
    /// The number of processors that are inside a critical section.
    pub inside: u32,
    /// The number of properties violated so far.
    pub violations: u32,
    /// The number of faults of processors and links so far: crashes, restarts, pauses, cuts and their ends.
    pub outages: u64,
    /// The place of the last move.
    pub place: Place,
}

/// What a processor does, as a picture shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessorStatus {
    /// Its part in the protocol.
    pub state: ProcessorState,
    /// It is down.
    pub crashed: bool,
    /// It takes no step for some time.
    pub paused: bool,
}

/// A processor as data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessorView {
    /// Its place.
    pub place: Place,
    /// What it does.
    #[serde(flatten)]
    pub status: ProcessorStatus,
    /// Its phase, where there are phases.
    pub phase: Option<u32>,
    /// The fields of its state: name and value, for people. Nested names have dots.
    pub fields: Vec<(String, String)>,
    /// Its timers.
    pub timers: Vec<TimerView>,
    /// The messages that it has not read yet, the next one first.
    pub inbox: Vec<MessageView>,
    /// Its clock, where there are clocks and it has woken.
    pub clock: Option<ClockView>,
    /// The length of the longest causal chain of messages that has reached it.
    pub depth: u64,
}

/// A timer that is set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TimerView {
    /// The timer, for people.
    pub timer: String,
    /// The time at which it expires, if that is known and ever comes.
    pub expires: Option<Time>,
    /// When it expires, in words.
    pub note: String,
}

/// A processor's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ClockView {
    /// The length of its ticks, unless each has its own.
    pub tick: Option<u64>,
    /// The time of its first tick.
    pub first: Time,
    /// The time of the next tick, if it is known: the present, where that of this instant is still to come.
    pub next: Option<Time>,
}

/// A message that has been sent and neither received nor lost.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MessageView {
    /// Its number.
    pub number: MessageNumber,
    /// The place of its sender.
    pub from: Place,
    /// The place of its receiver.
    pub to: Place,
    /// The port at which it arrives.
    pub port: u32,
    /// The message.
    pub content: MessageContent,
    /// The time at which it arrives, if it is known.
    pub arrives: Option<Time>,
    /// Where it is.
    pub stage: MessageStage,
    /// It is the copy of a message that was duplicated.
    pub copy: bool,
}

/// Where a message is between its sender and its receiver. The numbers are those of the packed frames of the lab.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum MessageStage {
    /// On its link.
    Travelling = 0,
    /// It waits for its half-duplex link to become free.
    WaitingForLink = 1,
    /// Behind another message of its FIFO link, in a run without clocks.
    Behind = 2,
    /// Its receiver is paused, or, in a run without clocks, an intervention holds it.
    Held = 3,
    /// In the input queue of its receiver.
    Queued = 4,
}

/// An event that an untimed run can take next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EnabledAction {
    /// Its index: the choice that takes it.
    pub index: usize,
    /// The place at which it happens.
    pub place: Place,
    /// Its kind: `wake`, `receive`, `timeout`, `call`, `crash`, `loss`, `duplicate`, `restart`, `cut` or `heal`.
    pub kind: &'static str,
    /// The message that it is about.
    pub message: Option<MessageNumber>,
    /// The event in words.
    pub text: String,
}
