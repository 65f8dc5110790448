//! The stage at one moment as packed bytes: what a page draws sixty times a second is not parsed as text.

use ringleader_model::Kind;
use ringleader_sim::{InspectableRun, MessageView, ProcessorStatus};

/// A frame has at most this many messages.
pub(super) const MOST_MESSAGES: usize = 20_000;

const CRASHED: u8 = 1;
const PAUSED: u8 = 2;
const CHANGED: u8 = 4;
const COPY: u8 = 1;
/// The flag of a frame that does not have all messages.
const MORE: u32 = 1;
const INTERVENED: u8 = 2;

/// What a frame shows that the run itself does not know.
pub(super) struct FrameFacts<'a> {
    /// The kinds of messages, in the order of their indices.
    pub(super) kinds: &'a [Kind],
    /// By message number, the time at which it was sent.
    pub(super) sent: &'a dyn Fn(u64) -> Option<u64>,
    /// Whether the user has changed the fate of a message.
    pub(super) intervened: &'a dyn Fn(u64) -> bool,
}

/// The frame of a run: `u32` number of processors, of messages, flags, number of links that are cut; then 4 bytes for each
/// processor, padding to 8, 40 bytes for each message, and the ends of each link that is cut, all little-endian.
pub(super) fn frame(run: &dyn InspectableRun, facts: &FrameFacts<'_>) -> Vec<u8> {
    let mut statuses = Vec::new();
    run.statuses(&mut statuses);
    let position = run.run_position();
    let messages = run.in_flight();
    let shown = &messages[..messages.len().min(MOST_MESSAGES)];
    let cuts = run.cut_links();
    let mut bytes = Vec::with_capacity(24 + 4 * statuses.len() + 40 * shown.len() + 8 * cuts.len());
    let flags = if shown.len() < messages.len() { MORE } else { 0 };
    for word in [statuses.len() as u32, shown.len() as u32, flags, cuts.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    for (place, (status, phase)) in statuses.iter().enumerate() {
        let changed = position.moves > 0 && place == position.place as usize;
        bytes.extend([status.state as u8, status_bits(status) | if changed { CHANGED } else { 0 }]);
        bytes.extend(u16::try_from(*phase).unwrap_or(u16::MAX).to_le_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    for message in shown {
        write_message(&mut bytes, message, facts);
    }
    for (one, other) in cuts {
        bytes.extend(one.to_le_bytes());
        bytes.extend(other.to_le_bytes());
    }
    bytes
}

fn status_bits(status: &ProcessorStatus) -> u8 {
    (if status.crashed { CRASHED } else { 0 }) | if status.paused { PAUSED } else { 0 }
}

fn write_message(bytes: &mut Vec<u8>, message: &MessageView, facts: &FrameFacts<'_>) {
    let time = |time: Option<u64>| time.map_or(f64::NAN, |time| time as f64);
    let number = message.number.0;
    for float in [number as f64, time((facts.sent)(number)), time(message.arrives)] {
        bytes.extend(float.to_le_bytes());
    }
    bytes.extend(message.from.to_le_bytes());
    bytes.extend(message.to.to_le_bytes());
    let kind = facts.kinds.iter().position(|kind| kind.name == message.content.kind.name).unwrap_or(0);
    bytes.extend((kind as u16).to_le_bytes());
    let flags = if message.copy { COPY } else { 0 } | if (facts.intervened)(number) { INTERVENED } else { 0 };
    bytes.extend([message.stage as u8, flags]);
    bytes.extend(message.port.to_le_bytes());
}
