//! Turns the actions of instants into a schedule: the values of all choices of the simulator.

use ringleader_model::{ChoicePoint, Pause, Place, ScheduledChoices, Time};

use super::local::{ClockState, UserEvent};
use super::open_clocks::settled_clock;
use super::{InstantActions, LocalActions, TimedSystem};
use crate::answer::TimedSchedule;
use crate::interner::Interned;
use crate::step::UserState;

/// The schedule by which the simulator makes these instants happen, from an initial state.
pub(crate) fn timed_schedule(
    system: &mut TimedSystem,
    initial_state: &[Interned],
    mut instants: Vec<InstantActions>,
) -> TimedSchedule {
    if system.deferred.is_some() {
        system.settle_arrivals(&mut instants);
    }
    let instants = &instants[..];
    let mut initial = |&local: &Interned| {
        let local = system.locals.get(local);
        (local.tick_length, local.user, local.clock == ClockState::Open(None))
    };
    let locals: Vec<_> = initial_state[..system.n].iter().map(&mut initial).collect();
    let varying = locals.iter().any(|((shortest, longest), _, open)| shortest < longest && !open);
    let mut choices = ScheduledChoices::default();
    let starts = delays(system, instants, &mut choices);
    let (mut crashes, mut wakes, mut offsets, mut again) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut lengths, mut pauses) = (Vec::new(), Vec::new());
    for (place, &(mut tick_length, user, open)) in locals.iter().enumerate() {
        let actions = || instants.iter().map(|instant| &instant.places[place]);
        let at = place as Place;
        let crash = actions().position(|action| action.crashes).map(|time| time as Time);
        crashes.extend(crash.map(|time| (at, time)));
        wakes.push(actions().position(|action| action.wakes).map(|time| time as Time));
        for (time, action) in actions().enumerate() {
            again.extend((0..action.again).map(|_| (at, time as Time)));
            for &random in &action.random_values {
                choices.add(ChoicePoint::Coin, at, random.into());
            }
            for &after in &action.ties {
                choices.add(ChoicePoint::Tie, at, after.into());
            }
        }
        let ticks: Vec<Time> =
            actions().enumerate().filter(|(_, action)| action.ticks).map(|(time, _)| time as Time).collect();
        let start =
            starts[place].into_iter().chain(actions().position(|action| action.wakes || action.again > 0)).min();
        let mut first = ticks.first().copied();
        if open {
            let settled = settled_clock(actions(), start, tick_length.0);
            (tick_length, first) = ((settled.0, settled.0), settled.1);
        }
        lengths.push(tick_length.0);
        if let Some(start) = start {
            let end = crash.unwrap_or(instants.len() as Time);
            pauses.extend(late_ticks(&ticks, (start as Time, end), tick_length.1).map(|(from, length)| Pause {
                place: at,
                from,
                length,
            }));
        }
        offsets.push(match (start, first) {
            (None, _) => 0,
            // One that comes later is put off by a pause.
            (Some(start), Some(first)) => (first - start as Time).min(tick_length.1 - 1),
            // Its first tick comes after the end.
            (Some(_), None) => tick_length.1 - 1,
        });
        if varying {
            for pair in ticks.windows(2) {
                choices.add(ChoicePoint::StepLength, at, (pair[1] - pair[0]).min(tick_length.1) - tick_length.0);
            }
            choices.add(ChoicePoint::StepLength, at, tick_length.1 - tick_length.0);
        }
        workload_choices(actions(), instants.len() as u64, at, user, &mut choices);
    }
    let ticks = (!varying).then_some(lengths);
    TimedSchedule {
        crashes,
        pauses,
        wakes,
        offsets,
        ticks,
        again,
        choices,
        until: (instants.len() as Time).saturating_sub(1),
    }
}

/// The ticks that are later than they may be without a pause: when each is due, and by how much it is late. `span`: when the
/// clock starts, and the end.
fn late_ticks(ticks: &[Time], (start, end): (Time, Time), longest: u64) -> impl Iterator<Item = (Time, u64)> {
    let due = core::iter::once(start + longest - 1).chain(ticks.iter().map(move |tick| tick + longest));
    let come = ticks.iter().copied().chain([end]);
    due.zip(come).filter(|(due, tick)| due < tick).map(|(due, tick)| (due, tick - due))
}

/// Adds the choice of the delay of each message, at its sender in the order of sending; returns by place when the first
/// message arrives.
fn delays(system: &TimedSystem, instants: &[InstantActions], choices: &mut ScheduledChoices) -> Vec<Option<usize>> {
    let (shortest, longest) = system.delay;
    let links = system.links.count;
    let mut senders = vec![0; links];
    for (place, out) in system.links.out_ports() {
        senders[out.at as usize - system.n] = place as usize;
    }
    let mut starts = vec![None; system.n];
    // A message that does not arrive does so after the end.
    let mut delays: Vec<Vec<u64>> = vec![Vec::new(); system.n];
    let mut in_flight: Vec<Vec<(Time, usize)>> = vec![Vec::new(); links];
    for (time, instant) in instants.iter().enumerate() {
        let mut reached = vec![false; links];
        for (link, arrived) in instant.arrived.iter().enumerate() {
            reached[link] |= !arrived.is_empty();
            for &index in arrived.iter().rev() {
                let (sent, which) = in_flight[link].remove(index);
                delays[senders[link]][which] = time as Time - sent;
            }
        }
        for &(link, at_once) in &instant.sent {
            let own = &mut delays[senders[link]];
            own.push(if at_once { 0 } else { longest });
            reached[link] |= at_once;
            if !at_once {
                in_flight[link].push((time as Time, own.len() - 1));
            }
        }
        for (place, start) in (0..).zip(&mut starts) {
            let mut in_ports = system.links.in_ports(place);
            if start.is_none() && in_ports.any(|in_port| reached[system.links.in_port(in_port).at as usize - system.n])
            {
                *start = Some(time);
            }
        }
    }
    if shortest < longest {
        for (place, own) in delays.into_iter().enumerate() {
            for delay in own {
                choices.add(ChoicePoint::Delay, place as Place, delay - shortest);
            }
        }
    }
    starts
}

/// Adds the choices of how many own ticks the user of a place waits and stays.
fn workload_choices<'a>(
    actions: impl Iterator<Item = &'a LocalActions>,
    end: u64,
    place: Place,
    user: UserState,
    choices: &mut ScheduledChoices,
) {
    let mut left = user.entries;
    // Ticks since the simulator drew the present duration, and its minimum; the first is drawn before the first tick.
    let mut open: Option<(u64, u64)> = (left > 0).then_some((0, 1));
    for action in actions {
        if let Some((ticks, _)) = &mut open {
            *ticks += u64::from(action.ticks);
        }
        for event in &action.user_events {
            match event {
                UserEvent::Requested | UserEvent::Released => {
                    left -= u64::from(*event == UserEvent::Requested);
                    if let Some((ticks, fewest)) = open.take() {
                        choices.add(ChoicePoint::Workload, place, ticks - fewest);
                    }
                }
                UserEvent::Entered => open = Some((0, 1)),
                UserEvent::Left => open = (left > 0).then_some((0, 0)),
            }
        }
    }
    if open.is_some() {
        // After the end.
        choices.add(ChoicePoint::Workload, place, end + 1);
    }
}
