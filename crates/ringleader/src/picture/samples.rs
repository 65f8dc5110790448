//! Steps for tests.

use ringleader_model::{Kind, Milestone, Place, Port, Ticks, Time, Topology};
use ringleader_sim::{Cause, MessageContent, MessageNumber, Step, StepEffect};

use super::{RunInfo, Subject};

pub(super) const KIND: Kind = Kind::work("token");

pub(super) fn step(time: Time, place: Place, cause: Cause, effects: &[StepEffect]) -> Step {
    Step { effects: effects.to_vec(), ..Step::new(time, place, cause) }
}

pub(super) fn content(number: u64) -> MessageContent {
    MessageContent { kind: KIND, text: format!("token {number}"), identity: None, phase: None }
}

/// The receipt of the message of this number.
pub(super) fn receive(number: u64, from: Place) -> Cause {
    Cause::Receive { message: MessageNumber(number), from, port: Port(0), content: content(number) }
}

/// The sending of the message of this number.
pub(super) fn send(number: u64, to: Place) -> StepEffect {
    StepEffect::Send { message: MessageNumber(number), to, port: Port(0), content: content(number) }
}

pub(super) fn timeout() -> Cause {
    Cause::Timeout { timer: "T".to_string() }
}

pub(super) fn set_timer(ticks: u64) -> StepEffect {
    StepEffect::SetTimer { timer: "T".to_string(), after: Ticks::new(ticks) }
}

pub(super) fn report(milestone: Option<Milestone>) -> StepEffect {
    StepEffect::Report { report: "a report".to_string(), milestone }
}

/// A step at which this is reported.
pub(super) fn reports(time: Time, place: Place, milestone: Milestone) -> Step {
    step(time, place, timeout(), &[report(Some(milestone))])
}

/// A run of `n` processors without further properties.
pub(super) fn info(n: usize, subject: Subject) -> RunInfo<'static> {
    RunInfo {
        n,
        ids: &[],
        topology: Topology::Ring,
        kinds: vec![KIND],
        subject,
        readers: 0,
        writers: 0,
        cells: 0,
        untimed: false,
        changes: &[],
        ticks: Vec::new(),
        title: String::new(),
        subtitle: String::new(),
        rerun: String::new(),
        violations: &[],
    }
}
