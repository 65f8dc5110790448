//! Turns the actions of instants into a schedule: the values of all choices of the simulator.

use ringleader_model::{AtMost, ChoicePoint, Cut, Pause, Place, Restart, ScheduledChoices, Time};

use super::faults::{Breakdown, MessageFate};
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
    let mut schedule = TimedSchedule {
        crashes: Vec::new(),
        restarts: Vec::new(),
        pauses: Vec::new(),
        cuts: cuts(instants),
        wakes: Vec::new(),
        offsets: Vec::new(),
        ticks: (!varying).then(Vec::new),
        again: Vec::new(),
        choices,
        until: (instants.len() as Time).saturating_sub(1),
    };
    let at_most = system.fault_budget.map(|budget| budget.most()).unwrap_or_default();
    for (place, &(mut tick_length, user, open)) in locals.iter().enumerate() {
        let actions: Vec<_> = instants.iter().map(|instant| &instant.places[place]).collect();
        add_events(&actions, place as Place, at_most, &mut schedule);
        let mut clocks = clock_spans(&actions, starts[place]);
        if open {
            let start = clocks.first().map(|clock| clock.start as usize);
            let settled = settled_clock(actions.iter().copied(), start, tick_length.0);
            tick_length = (settled.0, settled.0);
            clocks.iter_mut().for_each(|clock| clock.ticks = settled.1.into_iter().collect());
        }
        add_clocks(&clocks, place as Place, (tick_length, at_most.pauses > 0), &mut schedule);
        workload_choices(&actions, &clocks, place as Place, user, &mut schedule.choices);
    }
    schedule
}

/// A clock from its start to its end, with its ticks.
struct ClockSpan {
    start: Time,
    end: Time,
    ticks: Vec<Time>,
    /// A restart starts it.
    restarts: bool,
}

/// The clocks of a place, one after the other. `arrival`: of the first message.
fn clock_spans(actions: &[&LocalActions], arrival: Option<usize>) -> Vec<ClockSpan> {
    let mut spans: Vec<ClockSpan> = Vec::new();
    let mut runs = false;
    for (time, action) in actions.iter().enumerate() {
        let now = time as Time;
        if action.fault.is_some() {
            spans.iter_mut().filter(|_| runs).for_each(|span| span.end = span.end.min(now));
            runs = false;
        }
        let restarts = action.fault == Some(Breakdown::Restart);
        if restarts || !runs && (action.wakes || action.again > 0 || arrival == Some(time)) {
            spans.push(ClockSpan { start: now, end: actions.len() as Time, ticks: Vec::new(), restarts });
            runs = true;
        }
        if action.ticks
            && let Some(span) = spans.last_mut()
        {
            span.ticks.push(now);
        }
    }
    spans
}

/// Adds the faults of a place, its wake-up and requests, and its choices but for those of its clocks and its user.
fn add_events(actions: &[&LocalActions], place: Place, at_most: AtMost, schedule: &mut TimedSchedule) {
    schedule.wakes.push(actions.iter().position(|action| action.wakes).map(|time| time as Time));
    for (time, action) in (0..).zip(actions) {
        match action.fault {
            Some(Breakdown::Crash) => schedule.crashes.push((place, time)),
            Some(Breakdown::Restart) => schedule.restarts.push(Restart { place, time, offset: None }),
            None => {}
        }
        schedule.again.extend((0..action.again).map(|_| (place, time)));
        for &random in &action.random_values {
            schedule.choices.add(ChoicePoint::Coin, place, random.into());
        }
        for &after in &action.ties {
            schedule.choices.add(ChoicePoint::Tie, place, after.into());
        }
        for &fate in &action.fates {
            let mut add = |fails: bool| schedule.choices.add(ChoicePoint::Fault, place, u64::from(!fails));
            if at_most.losses > 0 {
                add(fate == MessageFate::Lost);
            }
            if at_most.duplicates > 0 && fate != MessageFate::Lost {
                add(fate == MessageFate::Doubled);
            }
        }
    }
}

/// Adds the clocks of a place: offsets, lengths of ticks and pauses, if there are some.
fn add_clocks(
    clocks: &[ClockSpan],
    place: Place,
    ((shortest, longest), pauses): ((u64, u64), bool),
    schedule: &mut TimedSchedule,
) {
    let offset = |clock: &ClockSpan| match clock.ticks.first() {
        // One that comes later is put off by a pause.
        Some(first) => (first - clock.start).min(longest - 1),
        // Its first tick comes after the end.
        None => longest - 1,
    };
    let lengths = |clock: &ClockSpan| {
        let lengths: Vec<u64> =
            clock.ticks.windows(2).map(|pair| (pair[1] - pair[0]).min(longest) - shortest).collect();
        lengths.into_iter().chain([longest - shortest])
    };
    let (first, later) = match clocks.split_first() {
        Some((first, later)) if !first.restarts => (Some(first), later),
        _ => (None, clocks),
    };
    let usual = first.map_or(0, offset);
    schedule.offsets.push(usual);
    let restarts = schedule.restarts.iter_mut().filter(|restart| restart.place == place);
    for (restart, clock) in restarts.zip(later) {
        restart.offset = Some(offset(clock)).filter(|&offset| offset != usual);
    }
    match &mut schedule.ticks {
        Some(ticks) => ticks.push(shortest),
        None => {
            let first = first.map_or(vec![longest - shortest], |clock| lengths(clock).collect());
            first.into_iter().for_each(|length| schedule.choices.add(ChoicePoint::StepLength, place, length));
            later.iter().for_each(|clock| schedule.choices.add_clock(place, lengths(clock)));
        }
    }
    for clock in clocks.iter().filter(|_| pauses) {
        let late = late_ticks(&clock.ticks, (clock.start, clock.end), longest);
        schedule.pauses.extend(late.map(|(from, length)| Pause { place, from, length }));
    }
}

/// The cuts of a run. One that does not end does so after the run.
fn cuts(instants: &[InstantActions]) -> Vec<Cut> {
    let (mut cuts, mut open): (Vec<Cut>, Vec<Cut>) = (Vec::new(), Vec::new());
    for (time, instant) in (0..).zip(instants) {
        cuts.extend(open.extract_if(.., |cut| !instant.cut.contains(&cut.ends)));
        let begin = instant.cut.iter().filter(|&&ends| open.iter().all(|cut| cut.ends != ends));
        let begin: Vec<Cut> = begin.map(|&ends| Cut { ends, from: time, to: 0 }).collect();
        open.extend(begin);
        open.iter_mut().for_each(|cut| cut.to = time + 1);
    }
    cuts.extend(open);
    cuts.sort_by_key(|cut| (cut.from, cut.ends));
    cuts
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
            reached[link] |= !arrived.is_empty() && !instant.lossy.contains(&link);
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
fn workload_choices(
    actions: &[&LocalActions],
    clocks: &[ClockSpan],
    place: Place,
    user: UserState,
    choices: &mut ScheduledChoices,
) {
    let mut left = user.entries;
    // After the end.
    let never = actions.len() as u64 + 1;
    // Ticks since the simulator drew the present duration, and its minimum; the first is drawn when the clock starts.
    let mut open: Option<(u64, u64)> = None;
    for (now, action) in (0..).zip(actions) {
        // A duration that a crash cuts short was drawn.
        if action.fault.is_some() && open.take().is_some() {
            choices.add(ChoicePoint::Workload, place, never);
        }
        if clocks.iter().any(|clock| clock.start == now) {
            open = (left > 0).then_some((0, 1));
        }
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
        choices.add(ChoicePoint::Workload, place, never);
    }
}
