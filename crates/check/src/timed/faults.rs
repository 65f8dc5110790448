//! Faults with clocks, as far as the budget allows. Those of processors and links happen at the beginning of an instant, those of
//! messages when they are sent, as in the simulator.
//!
//! - *Crash*: messages that the processor has not read, and that arrive from now on, are lost. If it may not restart, messages in
//!   flight to it are lost at once, which nobody can tell from their loss on arrival.
//! - *Restart*: the processor wakes at this instant, with a clock that starts now. Its first tick comes 0 to L - 1 later, whatever
//!   the offset was before. One that is up crashes first.
//! - *Cut*: a set of links is cut in an instant, all of it. What is sent in it over such a link or would arrive over it is lost.
//! - *Loss* and *duplicate*: of a message that is sent. A message that is lost later has no other effect on processors, and a
//!   duplicate may arrive at the same instant.
//!
//! # Theorem
//! Take a run in real time with a fault of a processor or a link, and round it with a threshold, as in the [timed
//! semantics](super). A fault has no constraint on time, so that the rounded run is explored, if at the instant of the fault
//! nothing that the fault affects comes before it: steps and arrivals of the processor, messages sent or arriving over the link.
//!
//! *Consequence.* Let r_min be at least 1, and let messages be read at ticks. If the only tick of the instant comes before a
//! crash, the crash can as well come at the next instant: the messages that arrive meanwhile are not read. So every crash is
//! explored, but for the runs in which several other events have to share an instant as well. A cut that begins or ends between
//! two events of one instant and one link is explored only as one that begins or ends before or after both.
//!
//! # Reductions
//! - *Eager ticks* are possible: a tick without effect has none on a later fault, since a restart starts another clock, and who
//!   has nothing to read cannot tell a link that is cut.
//! - *Deferred arrivals* are not, if processors may restart or links may be cut: a message that was not read may or may not have
//!   arrived when its receiver went down or its link was cut. Losses and duplicates change what is in flight, and nothing else.
//! - *Early reading* and *silent messages* are not, with any fault: a message that was read would not be lost.
//! - *Open clocks* are for delays of 0, with which no fault is explored.

use ringleader_model::{AtMost, Place, Port};

use super::in_flight::EMPTY;
use super::local::{ClockState, TimedLocalState, position};
use super::{CRASHED, LocalOption, LocalOutcome, TimedSystem};
use crate::choices::ChoiceProbability;
use crate::interner::Interned;
use crate::passes::Passes;
use crate::program::Observation;
use crate::step::UserRegion;
use crate::transition_system::ProtocolSystem;

/// A fault by which a processor loses what it was doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Breakdown {
    Crash,
    Restart,
}

/// What becomes of a message that is sent, where messages may be lost or duplicated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MessageFate {
    Sent,
    Lost,
    Doubled,
}

/// The faults that may happen at a place in the next instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceFaults {
    pub(super) crash: bool,
    restart: bool,
    pause: bool,
    losses: u32,
    duplicates: u32,
    /// Of its links, one bit for each pair of neighbours whose link is cut.
    cut: u32,
    /// Processors may restart, so that one that has crashed is only down.
    pub(super) may_come_back: bool,
}

impl PlaceFaults {
    const NONE: Self =
        Self { crash: false, restart: false, pause: false, losses: 0, duplicates: 0, cut: 0, may_come_back: false };

    /// Adds them to a key of options.
    pub(super) fn add_to(self, key: &mut Vec<Interned>) {
        let Self { crash, restart, pause, losses, duplicates, cut, may_come_back } = self;
        if (crash | restart | pause | may_come_back) || (losses, duplicates, cut) != (0, 0, 0) {
            key.extend([u32::from(crash) << 2 | u32::from(restart) << 1 | u32::from(pause), losses, duplicates, cut]);
        }
    }
}

/// Where an instant begins at a place: as the last one has ended, or after a fault.
pub(super) struct PlaceOrigin {
    pub(super) local: Interned,
    pub(super) fault: Option<Breakdown>,
    /// No message reaches it.
    pub(super) is_deaf: bool,
    /// With positions in the instant.
    pub(super) observed: Vec<(u32, Observation)>,
    /// The messages that may be lost, and those that may be duplicated.
    messages: (u32, u32),
}

impl PlaceOrigin {
    /// All fates of the messages that are sent in an instant, of which there are this many. Without faults of messages none is
    /// told.
    pub(super) fn fates(&self, count: usize) -> Vec<Vec<MessageFate>> {
        let mut all = vec![Vec::new()];
        if self.messages == (0, 0) {
            return all;
        }
        for _ in 0..count {
            let longer = |fates: &Vec<MessageFate>| {
                let left = |fate: MessageFate, most: u32| of_fate(fates, fate) < most;
                let (lost, doubled) = (MessageFate::Lost, MessageFate::Doubled);
                let mut next = vec![MessageFate::Sent];
                next.extend(left(lost, self.messages.0).then_some(lost));
                next.extend(left(doubled, self.messages.1).then_some(doubled));
                next.into_iter().map(|fate| [&fates[..], &[fate]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }
}

/// The number of messages with a fate.
fn of_fate(fates: &[MessageFate], fate: MessageFate) -> u32 {
    fates.iter().filter(|&&other| other == fate).count() as u32
}

impl TimedSystem {
    /// Notes the faults that may happen at a place in the next instant of a state.
    pub(super) fn note_faults(&mut self, state: &[Interned], place: usize) -> PlaceFaults {
        let Some(budget) = self.fault_budget else { return PlaceFaults::NONE };
        let left = budget.counts(state[self.monitor_index() + 1]);
        self.timing.may_pause = left.pauses > 0;
        let own = self.links_of(place).map(|at| 1 << self.neighbours.of_link(at)).fold(0, |links, link| links | link);
        PlaceFaults {
            crash: left.crashes > 0 && !self.is_down(state[place]),
            restart: left.restarts > 0,
            pause: left.pauses > 0,
            losses: left.losses,
            duplicates: left.duplicates,
            cut: self.cut & own,
            may_come_back: budget.may_restart(),
        }
    }

    /// The indices of the links that begin or end at a place.
    fn links_of(&self, place: usize) -> impl Iterator<Item = u32> {
        let ends = self.links.in_ports(place as Place).map(|number| self.links.in_port(number).at);
        let begins = self.links.out_ports().filter(move |&(from, _)| from as usize == place).map(|(_, out)| out.at);
        ends.chain(begins)
    }

    /// True if a processor has crashed, whether it may restart or not.
    pub(super) fn is_down(&mut self, local: Interned) -> bool {
        local == CRASHED || self.fault_budget.is_some() && self.locals.get(local).is_down()
    }

    /// True if a link is cut in the instant that is explored.
    pub(super) fn is_cut(&self, at: u32) -> bool {
        self.cut >> self.neighbours.of_link(at) & 1 == 1
    }

    /// The budgets at the beginning of the next instant of a state, after any number of cuts have begun and ended.
    pub(super) fn budgets(&self, state: &[Interned]) -> Vec<Option<Interned>> {
        let Some(budget) = self.fault_budget else { return vec![None] };
        let left = state[self.monitor_index() + 1];
        budget.after_cuts(left, self.neighbours.pairs.len()).into_iter().map(Some).collect()
    }

    /// The links that are cut with a budget.
    pub(super) fn cuts(&self, left: Option<Interned>) -> u32 {
        self.fault_budget.zip(left).map_or(0, |(budget, left)| budget.cuts(left))
    }

    /// All beginnings of the next instant at a place, but for a crash for good.
    pub(super) fn origins(&mut self, state: &[Interned], place: usize, faults: PlaceFaults) -> Vec<PlaceOrigin> {
        let (before, messages) = (state[place], (faults.losses, faults.duplicates));
        let is_deaf = self.is_down(before);
        let mut origins = vec![PlaceOrigin { local: before, fault: None, is_deaf, observed: Vec::new(), messages }];
        if faults.crash && faults.may_come_back {
            origins.push(self.after_breakdown(before, place, (Breakdown::Crash, messages)));
        }
        if faults.restart {
            origins.push(self.after_breakdown(before, place, (Breakdown::Restart, messages)));
        }
        origins
    }

    /// A place after a crash from which it may restart, or at the beginning of a restart.
    fn after_breakdown(
        &mut self,
        before: Interned,
        place: usize,
        (fault, messages): (Breakdown, (u32, u32)),
    ) -> PlaceOrigin {
        let mut local = self.locals.get(before).clone();
        let (was_up, newborn) = (!local.is_down(), self.newborn[place]);
        let mut observed = Vec::new();
        if was_up {
            local.processor = self.program.restarted(local.processor, newborn);
            observed.push(Observation::Crash);
            observed.resize(1 + local.unread.len(), Observation::Loss);
        }
        local.go_down();
        if fault == Breakdown::Restart {
            local.clock = ClockState::Restarting;
            observed.push(Observation::Restart(local.user.entries));
        }
        let at = if fault == Breakdown::Crash { position::CRASH } else { position::RESTART };
        PlaceOrigin {
            local: self.locals.intern(local),
            fault: Some(fault),
            is_deaf: fault == Breakdown::Crash,
            observed: observed.into_iter().map(|observation| (at, observation)).collect(),
            messages,
        }
    }

    /// Adds the option that a processor crashes for good.
    pub(super) fn add_crash(&mut self, state: &[Interned], place: usize) {
        let in_ports = self.links.in_ports(place as Place);
        let in_flight = in_ports
            .clone()
            .map(|in_port| self.in_flight.contents(state[self.links.in_port(in_port).at as usize]).len());
        let lost = in_flight.sum::<usize>() + self.locals.get(state[place]).unread.len();
        let mut observations = vec![(position::CRASH, Observation::Crash)];
        observations.resize(1 + lost, (position::CRASH, Observation::Loss));
        let (first, sends) = (self.outcomes.len() as u32, self.sends.len() as u32);
        let (reports, sends) = (self.reports.intern(observations), (sends, sends));
        let price = self.fault_budget.map_or(0, |budget| budget.price(AtMost { crashes: 1, ..AtMost::default() }));
        self.outcomes.push(LocalOutcome {
            local: CRASHED,
            sends,
            reports,
            probability: ChoiceProbability::CERTAIN,
            sent: Passes::NONE,
            advance: 0,
            releases: false,
            wakes: false,
            resumes: false,
            price,
        });
        let (rest, outcomes) = (self.rest.len() as u32, (first, first + 1));
        self.rest.resize(rest as usize + in_ports.len(), EMPTY);
        self.options.push(LocalOption { rest, outcomes, optional: true, fault: Some(Breakdown::Crash), price });
    }

    /// The price of the faults of a place in an instant in which it sends these messages.
    pub(super) fn price(
        &self,
        (origin, pauses): (&PlaceOrigin, bool),
        place: usize,
        sends: &[(Port, Interned)],
        fates: &[MessageFate],
    ) -> Interned {
        let Some(budget) = self.fault_budget else { return 0 };
        let faults = self.message_faults(place, sends, fates);
        let of = |kind: Observation| faults.iter().filter(|&&fault| fault == kind).count() as u32;
        let is = |fault: Breakdown| u32::from(origin.fault == Some(fault));
        budget.price(AtMost {
            crashes: is(Breakdown::Crash),
            restarts: is(Breakdown::Restart),
            pauses: u32::from(pauses),
            // On a link that is cut it is lost anyway.
            losses: of(Observation::Loss) - self.sent_over_cuts(place, sends),
            duplicates: of(Observation::Duplicate),
            cuts: 0,
        })
    }

    /// The number of messages that are sent over links that are cut.
    fn sent_over_cuts(&self, place: usize, sends: &[(Port, Interned)]) -> u32 {
        let cut = |port: Port| self.links.out(place as Place, port).is_some_and(|out| self.is_cut(out.at));
        sends.iter().filter(|&&(port, _)| cut(port)).count() as u32
    }

    /// What becomes of each message that a place sends: lost on a link that is cut, or its fate.
    pub(super) fn fates_of<'a>(
        &'a self,
        place: usize,
        sends: &'a [(Port, Interned)],
        fates: &'a [MessageFate],
    ) -> impl Iterator<Item = ((Port, Interned), MessageFate)> + 'a {
        sends.iter().enumerate().map(move |(index, &(port, message))| {
            let fate = fates.get(index).copied().unwrap_or(MessageFate::Sent);
            let cut = self.cut != 0 && self.links.out(place as Place, port).is_some_and(|out| self.is_cut(out.at));
            ((port, message), if cut { MessageFate::Lost } else { fate })
        })
    }

    /// The messages that a place puts in flight, in order.
    pub(super) fn transmitted(
        &self,
        place: usize,
        sends: &[(Port, Interned)],
        fates: &[MessageFate],
    ) -> Vec<(Port, Interned)> {
        let copies = |fate: MessageFate| match fate {
            MessageFate::Lost => 0,
            MessageFate::Sent => 1,
            MessageFate::Doubled => 2,
        };
        self.fates_of(place, sends, fates).flat_map(|(sent, fate)| core::iter::repeat_n(sent, copies(fate))).collect()
    }

    /// The losses and the duplicates among the messages that a place sends.
    pub(super) fn message_faults(
        &self,
        place: usize,
        sends: &[(Port, Interned)],
        fates: &[MessageFate],
    ) -> Vec<Observation> {
        let fault = |(_, fate)| match fate {
            MessageFate::Sent => None,
            MessageFate::Lost => Some(Observation::Loss),
            MessageFate::Doubled => Some(Observation::Duplicate),
        };
        self.fates_of(place, sends, fates).filter_map(fault).collect()
    }

    /// The fates of the messages that a place sends over links that are not cut.
    pub(super) fn drawn_fates(
        &self,
        place: usize,
        sends: &[(Port, Interned)],
        fates: &[MessageFate],
    ) -> Vec<MessageFate> {
        let kept = |port: Port| self.links.out(place as Place, port).is_none_or(|out| !self.is_cut(out.at));
        self.fates_of(place, sends, fates).filter(|((port, _), _)| kept(*port)).map(|(_, fate)| fate).collect()
    }
}

impl TimedLocalState {
    /// The processor goes down: its timers and unread messages are lost, and its user gives up a request that is not answered.
    fn go_down(&mut self) {
        (self.asleep, self.clock, self.reading_for) = (false, ClockState::Down, 0);
        self.timers.clear();
        self.unread.clear();
        self.user.region = UserRegion::Remainder;
    }
}
