//! Steps of a run: with the types of their protocol ([`Record`]), and without ([`Step`]).

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};

use ringleader_model::{
    Event, Id, Kind, Message, Milestone, Network, Place, Port, Problem, Processor, Report, StepComparison, Ticks, Time,
};
use serde::Serialize;

use crate::fields::FieldChange;
#[cfg(feature = "schema")]
use crate::schema::{ComparisonSchema, MilestoneSchema};

/// The number of a message. The messages of a full run are numbered from 1, in the order of sending; the copy of a
/// duplicated message has a number of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct MessageNumber(pub u64);

impl Display for MessageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// One step of one processor, with the types of its protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<P: Processor> {
    /// The time of the step.
    pub time: Time,
    /// The processor's place.
    pub place: Place,
    /// The event that it reacts to.
    pub event: Event<P>,
    /// The number of the message, if it receives one.
    pub received: Option<MessageNumber>,
    /// Its effects, in order.
    pub effects: Vec<Effect<P>>,
    /// The numbers of the messages that it sends, in order.
    pub sent: Vec<MessageNumber>,
    /// The fields of its state that changed.
    pub changed: Vec<FieldChange>,
    /// The comparisons that decide it, in order.
    pub comparisons: Vec<StepComparison>,
    /// The numbers of the rules that it applies.
    pub rules: Vec<u8>,
    /// The processor's phase after it, where there are phases.
    pub phase: Option<u32>,
}

/// An effect of a step, with the types of its protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect<P: Processor> {
    /// Sends a message.
    Send(Port, P::Message),
    /// Sets a timer.
    SetTimer(P::Timer, Ticks),
    /// Cancels a timer.
    CancelTimer(P::Timer),
    /// Draws the second number from below the first.
    Choose(u32, u32),
    /// Reports to the user.
    Report(Report<P>),
}

/// One step of a run, without the types of its protocol: of a processor, or a fault.
///
/// ```
/// use ringleader_sim::{Cause, Step};
///
/// let crash = Step::new(7, 2, Cause::Crash);
/// assert_eq!((crash.time, crash.place), (7, 2));
/// assert!(crash.effects.is_empty() && crash.cause.is_fault());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Its number in the log, from 1.
    pub number: u64,
    /// The time; in an untimed run, the number of actions so far.
    pub time: Time,
    /// The place at which it happens: for a lost or duplicated message, that of the receiver.
    pub place: Place,
    /// The event that the processor reacts to, or the fault.
    pub cause: Cause,
    /// The effects of the step, in order.
    pub effects: Vec<StepEffect>,
    /// The fields of the processor's state that changed.
    pub changed: Vec<FieldChange>,
    /// The comparisons that decide the step, in order.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ComparisonSchema>"))]
    pub comparisons: Vec<StepComparison>,
    /// The numbers of the rules that the step applies, as the protocol's description (`ringleader info`) numbers them.
    pub rules: Vec<u8>,
    /// The processor's phase after the step, where there are phases.
    #[serde(skip)]
    pub phase: Option<u32>,
}

/// The cause of a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "cause")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Cause {
    /// The processor wakes.
    Wake,
    /// It receives a message.
    Receive {
        /// The number of the message.
        message: MessageNumber,
        /// The place of the sender.
        from: Place,
        /// The port of the receiver.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        port: Port,
        /// The message.
        content: MessageContent,
    },
    /// A timer expires.
    Timeout {
        /// The timer.
        timer: String,
    },
    /// The user makes a request.
    Call {
        /// The request.
        request: String,
    },
    /// The processor crashes.
    Crash,
    /// It restarts after a crash, or crashes and restarts. It wakes in the next step.
    Restart,
    /// It takes no step for some time.
    Pause {
        /// The time at which it goes on.
        until: Time,
    },
    /// The link to a neighbour is cut.
    Cut {
        /// The neighbour.
        other: Place,
    },
    /// The link to a neighbour is not cut any more.
    Heal {
        /// The neighbour.
        other: Place,
    },
    /// A message to it is lost.
    Loss {
        /// The number of the message.
        message: MessageNumber,
        /// The place of the sender.
        from: Place,
        /// The port at which it would have arrived.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        port: Port,
        /// The message.
        content: MessageContent,
    },
    /// The delay of a message to it is decided, by an intervention.
    Delay {
        /// The number of the message.
        message: MessageNumber,
        /// The place of the sender.
        from: Place,
        /// The port at which it arrives.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        port: Port,
        /// The message.
        content: MessageContent,
        /// When it arrives.
        until: Time,
    },
    /// In an untimed run, a message to it is held, by an intervention.
    Hold {
        /// The number of the message.
        message: MessageNumber,
        /// The place of the sender.
        from: Place,
        /// The port at which it arrives.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        port: Port,
        /// The message.
        content: MessageContent,
        /// The number of actions before which it does not arrive, unless nothing else can happen.
        until: Time,
    },
    /// A message to it is duplicated.
    Duplicate {
        /// The number of the message.
        message: MessageNumber,
        /// The number of the copy.
        copy: MessageNumber,
        /// The place of the sender.
        from: Place,
        /// The port at which both arrive.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        port: Port,
        /// The message.
        content: MessageContent,
    },
}

impl Cause {
    /// Whether the processor loses what it was doing: it crashes or restarts.
    pub const fn goes_down(&self) -> bool {
        matches!(self, Self::Crash | Self::Restart)
    }

    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Wake => "wake",
            Self::Receive { .. } => "receive",
            Self::Timeout { .. } => "timeout",
            Self::Call { .. } => "call",
            Self::Crash => "crash",
            Self::Restart => "restart",
            Self::Pause { .. } => "pause",
            Self::Cut { .. } => "cut",
            Self::Heal { .. } => "heal",
            Self::Loss { .. } => "loss",
            Self::Delay { .. } => "delay",
            Self::Hold { .. } => "hold",
            Self::Duplicate { .. } => "duplicate",
        }
    }

    /// The message that is received, or that it is done to.
    pub const fn message(&self) -> Option<MessageNumber> {
        match self {
            Self::Receive { message, .. }
            | Self::Loss { message, .. }
            | Self::Delay { message, .. }
            | Self::Hold { message, .. }
            | Self::Duplicate { message, .. } => Some(*message),
            _ => None,
        }
    }

    /// Whether it is a fault, and no step of the processor.
    pub const fn is_fault(&self) -> bool {
        !matches!(self, Self::Wake | Self::Receive { .. } | Self::Timeout { .. } | Self::Call { .. })
    }
}

/// A message: its kind, and its text for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Message"))]
pub struct MessageContent {
    /// Its kind.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: Kind,
    /// Its text.
    pub text: String,
    /// The first identity that it carries.
    #[serde(skip)]
    pub identity: Option<Id>,
    /// The phase number that it carries.
    #[serde(skip)]
    pub phase: Option<u32>,
}

impl MessageContent {
    pub(crate) fn new<M: Message>(message: &M) -> Self {
        Self { kind: message.named_kind(), text: text(message), identity: message.identity(), phase: message.phase() }
    }
}

/// An effect of a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "effect")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Effect"))]
pub enum StepEffect {
    /// Sends a message.
    Send {
        /// The number of the message.
        message: MessageNumber,
        /// The place of the receiver.
        to: Place,
        /// The port of the sender.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        port: Port,
        /// The message.
        content: MessageContent,
    },
    /// Sets a timer.
    SetTimer {
        /// The timer.
        timer: String,
        /// The own ticks until it expires; null if never.
        #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
        after: Ticks,
    },
    /// Cancels a timer.
    CancelTimer {
        /// The timer.
        timer: String,
    },
    /// Makes a random choice.
    Choose {
        /// The exclusive upper bound.
        bound: u32,
        /// The value chosen.
        chosen: u32,
    },
    /// Reports to the user.
    Report {
        /// The report.
        report: String,
        /// The meaning of the report.
        #[serde(flatten)]
        #[cfg_attr(feature = "schema", schemars(with = "MilestoneSchema"))]
        milestone: Option<Milestone>,
    },
}

impl Step {
    /// A step without effects.
    pub const fn new(time: Time, place: Place, cause: Cause) -> Self {
        Self {
            number: 0,
            time,
            place,
            cause,
            effects: Vec::new(),
            changed: Vec::new(),
            comparisons: Vec::new(),
            rules: Vec::new(),
            phase: None,
        }
    }

    /// The messages that it sends: number, receiver and content.
    pub fn sends(&self) -> impl Iterator<Item = (MessageNumber, Place, &MessageContent)> {
        self.effects.iter().filter_map(|effect| match effect {
            StepEffect::Send { message, to, content, .. } => Some((*message, *to, content)),
            _ => None,
        })
    }

    /// Whether it reports to the user.
    pub fn reports(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, StepEffect::Report { .. }))
    }

    /// The milestones that it reports, in order.
    pub fn milestones(&self) -> impl Iterator<Item = Milestone> {
        self.effects.iter().filter_map(|effect| match effect {
            StepEffect::Report { milestone, .. } => *milestone,
            _ => None,
        })
    }

    /// A record without the types of its protocol.
    pub(crate) fn erase<P: Processor>(record: Record<P>, network: &impl Network) -> Self {
        let place = record.place;
        let mut sent = record.sent.into_iter();
        let effects = record.effects.into_iter().map(|effect| match effect {
            Effect::Send(port, message) => StepEffect::Send {
                message: sent.next().expect("a sent message has a number"),
                to: network.route(place, port).0,
                port,
                content: MessageContent::new(&message),
            },
            Effect::SetTimer(timer, after) => StepEffect::SetTimer { timer: text(&timer), after },
            Effect::CancelTimer(timer) => StepEffect::CancelTimer { timer: text(&timer) },
            Effect::Choose(bound, chosen) => StepEffect::Choose { bound, chosen },
            Effect::Report(report) => {
                StepEffect::Report { milestone: P::Problem::milestone(&report), report: text(&report) }
            }
        });
        let effects = effects.collect();
        let cause = match record.event {
            Event::Wake => Cause::Wake,
            Event::Receive(port, message) => Cause::Receive {
                message: record.received.expect("a received message has a number"),
                from: network.origin(place, port),
                port,
                content: MessageContent::new(&message),
            },
            Event::Timeout(timer) => Cause::Timeout { timer: text(&timer) },
            Event::Call(request) => Cause::Call { request: text(&request) },
        };
        let Record { time, changed, comparisons, rules, phase, .. } = record;
        Self { effects, changed, comparisons, rules, phase, ..Self::new(time, place, cause) }
    }
}

/// The text of a message, timer, request or report.
fn text(thing: &impl Display) -> String {
    thing.to_string()
}
