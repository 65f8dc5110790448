//! What a run is to those who do not know its protocol.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{
    Event, Kind, Message, Outcome, Part, Place, Port, Processor, Quantity, Report, Tally, Ticks, Time, Value, Violation,
};

use crate::chance::BadChoice;

/// A run whose protocol is erased. Only the run: inside, every step is known to the compiler.
pub trait Run {
    /// Goes on for about `budget` steps; true when nothing more can happen.
    fn advance(&mut self, budget: u64) -> bool;
    /// Keeps the choices made from now on.
    fn record(&mut self);
    /// Keeps the steps taken from now on.
    fn log(&mut self);
    /// Lets nothing happen after this time; in a run without clocks, after so many things have happened.
    fn stop_after(&mut self, last: Time);
    /// How far it is.
    fn now(&self) -> Time;
    /// How many steps were taken.
    fn steps(&self) -> u64;
    /// How many messages arrived.
    fn deliveries(&self) -> u64;
    /// The choices made, if they are recorded.
    fn choices(&self) -> Option<&[u64]>;
    /// The steps logged so far, in words, and forgets them.
    fn take_log(&mut self) -> Vec<Step>;
    /// The result so far.
    fn summary(&self) -> Summary;
    /// The memory it holds.
    fn bytes(&self) -> usize;
    /// How many of the choices to be followed were not asked for.
    fn unused_choices(&self) -> usize;
    /// How many choices were asked for beyond those to be followed; each was the least.
    fn unanswered(&self) -> usize;
    /// The first recorded choice that could not be followed.
    fn bad_choice(&self) -> Option<BadChoice>;
}

/// What can be said about a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was true in this run.
    Held,
    /// It was not.
    Violated,
    /// The run ended without an answer.
    Unknown,
}

impl Verdict {
    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }
}

/// The property that is violated where a run falls silent, or has had its time, before all is done.
pub const FINISHES: &str = "it finishes";

/// How a run came to an end without finishing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Silence {
    /// It could go on only by a timer whose time never comes.
    NeverTimer,
    /// It could go on only after more than 2^63 units of time.
    EndOfTime,
    /// Nothing more can happen.
    Silent,
    /// It goes on for ever, and what was asked for was not there when there was enough of it.
    Horizon,
    /// It was not run to its end.
    Interrupted,
}

impl Silence {
    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeverTimer => "never-timer",
            Self::EndOfTime => "end-of-time",
            Self::Silent => "silent",
            Self::Horizon => "horizon",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// By problem.
    pub outcome: Outcome,
    /// Whether all that was asked has been done.
    pub finished: bool,
    /// Whether every property held.
    pub verdict: Verdict,
    /// Why it did not finish.
    pub reason: Option<Silence>,
    /// The properties that do not hold.
    pub violations: Vec<Violation>,
    /// What it cost.
    pub cost: Cost,
    /// The digest of all steps; zero without full detail.
    pub trace: u64,
}

/// What a run cost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Message passes by kind.
    pub kinds: Vec<(Kind, u64)>,
    /// Bits passed.
    pub bits: u64,
    /// The clock at the last step.
    pub time: Time,
    /// The clock when the first leader declared itself, or was found by somebody else.
    pub time_elected: Option<Time>,
    /// The longest causal chain of messages.
    pub depth: u32,
    /// The longest causal chain that led to that declaration.
    pub depth_elected: Option<u32>,
    /// The highest phase that any processor reached.
    pub phases: Option<u32>,
    /// The most messages that waited at one place to be read.
    pub longest_queue: u32,
    /// Steps taken.
    pub steps: u64,
    /// Messages that arrived.
    pub deliveries: u64,
    /// What only some problems have: entries, attempts, laps.
    pub tally: Tally,
}

impl Cost {
    /// All message passes.
    pub fn messages(&self) -> u64 {
        self.kinds.iter().map(|(_, passes)| passes).sum()
    }

    /// Message passes that only spread the result, or those that did the work.
    pub fn split(&self, announcement: bool) -> u64 {
        self.part(if announcement { Part::Announcement } else { Part::Work })
    }

    /// Message passes of a part of the run.
    pub fn part(&self, part: Part) -> u64 {
        self.kinds.iter().filter(|(kind, _)| kind.part == part).map(|(_, passes)| passes).sum()
    }

    /// What was measured of something that a bound may speak of.
    pub fn of(&self, quantity: Quantity) -> Option<Value> {
        let tally = &self.tally;
        let count = match quantity {
            Quantity::MessagesPerEntry => return tally.messages_per_entry,
            Quantity::Negatives => return tally.negatives,
            Quantity::GrantingDelay => return tally.granting_delay.map(|delay| delay.mean),
            Quantity::Attempts => return tally.attempts,
            Quantity::Laps => return tally.laps,
            Quantity::Messages => self.messages(),
            Quantity::Work => self.split(false),
            Quantity::Announcement => self.split(true),
            Quantity::Task => self.part(Part::Task),
            Quantity::Kind(name) => self.passes_of(name)?,
            Quantity::Difference(one, other) => self.passes_of(one)?.abs_diff(self.passes_of(other)?),
            Quantity::LongestDelay => tally.granting_delay?.max,
            Quantity::Bits => self.bits,
            Quantity::Time => self.time,
            Quantity::TimeElected => self.time_elected?,
            Quantity::Depth => u64::from(self.depth),
            Quantity::DepthElected => u64::from(self.depth_elected?),
            Quantity::Phases => u64::from(self.phases?),
        };
        Some(Value::int(u128::from(count)))
    }

    /// Message passes of a kind, if there are messages of that kind.
    pub fn passes_of(&self, name: &str) -> Option<u64> {
        self.kinds.iter().find(|(kind, _)| kind.name == name).map(|(_, passes)| *passes)
    }
}

/// One step of one processor, as it happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<P: Processor> {
    /// When.
    pub time: Time,
    /// Where.
    pub place: Place,
    /// What happened to it.
    pub event: Event<P>,
    /// What it did.
    pub effects: Vec<Effect<P>>,
}

/// Something a processor did in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect<P: Processor> {
    /// Sent a message.
    Send(Port, P::Message),
    /// Set a timer.
    SetTimer(P::Timer, Ticks),
    /// Forgot a timer.
    CancelTimer(P::Timer),
    /// Drew the second from below the first.
    Choose(u32, u32),
    /// Told its user.
    Report(Report<P>),
}

/// A [`Record`] in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// When.
    pub time: Time,
    /// Where.
    pub place: Place,
    /// What happened to it.
    pub event: String,
    /// What it did.
    pub effects: Vec<String>,
    /// If it received a message: where from, and of which kind.
    pub received: Option<(Place, Kind)>,
    /// The messages it sent: where to, and of which kind.
    pub sent: Vec<(Place, Kind)>,
    /// Whether it declared itself or somebody else leader, entered, or reported anything else.
    pub reported: bool,
    /// Whether it is no step of the processor: it crashed, or a message to it was lost or doubled.
    pub failed: bool,
}

impl Step {
    /// A record in words. `sender` and `receiver` say who is behind a port of that place, coming and going.
    pub(crate) fn new<P: Processor>(
        record: Record<P>,
        sender: impl Fn(Place, Port) -> Place,
        receiver: impl Fn(Place, Port) -> Place,
    ) -> Self {
        let kind = |message: &P::Message| P::Message::KINDS[message.kind()];
        let received = match &record.event {
            Event::Receive(port, message) => Some((sender(record.place, *port), kind(message))),
            _ => None,
        };
        let sent = record.effects.iter().filter_map(|effect| match effect {
            Effect::Send(port, message) => Some((receiver(record.place, *port), kind(message))),
            _ => None,
        });
        let sent = sent.collect();
        let reported = record.effects.iter().any(|effect| matches!(effect, Effect::Report(_)));
        let event = match record.event {
            Event::Wake => String::from("wakes"),
            Event::Receive(port, message) => format!("receives {message:?} by port {}", port.0),
            Event::Timeout(timer) => format!("timer {timer:?} runs off"),
            Event::Call(request) => format!("is asked to {request:?}"),
        };
        let effects = record.effects.into_iter().map(|effect| match effect {
            Effect::Send(port, message) => format!("sends {message:?} by port {}", port.0),
            Effect::SetTimer(timer, ticks) => match ticks.get() {
                Some(ticks) => format!("sets timer {timer:?} to {ticks}"),
                None => format!("sets timer {timer:?} to never"),
            },
            Effect::CancelTimer(timer) => format!("cancels timer {timer:?}"),
            Effect::Choose(bound, chosen) => format!("draws {chosen} of {bound}"),
            Effect::Report(report) => format!("reports {report:?}"),
        });
        let (time, place, effects) = (record.time, record.place, effects.collect());
        Self { time, place, event, effects, received, sent, reported, failed: false }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} place {} {}", self.time, self.place, self.event)?;
        for effect in &self.effects {
            write!(f, ", {effect}")?;
        }
        Ok(())
    }
}
