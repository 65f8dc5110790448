//! A schedule with clocks as a simulator takes it again: from instants to the answers to what it leaves open.

use ringleader_model::{Open, Place, Script, Time};

use super::local::Visit;
use super::{Deed, Moment, Timed};
use crate::answer::Timetable;
use crate::interner::Number;
use crate::step::User;

/// What a simulator must be told to let these instants happen, from this beginning.
pub(crate) fn course(space: &mut Timed, beginning: &[Number], moments: &[Moment]) -> Timetable {
    let mut born = |&local: &Number| {
        let local = space.locals.get(local);
        (local.step, local.user)
    };
    let locals: Vec<_> = beginning[..space.n].iter().map(&mut born).collect();
    let varying = locals.iter().any(|((shortest, longest), _)| shortest < longest);
    let mut script = Script::default();
    let starts = delays(space, moments, &mut script);
    let (mut crashes, mut wakes, mut phases, mut again) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (place, &(step, user)) in locals.iter().enumerate() {
        let deeds = || moments.iter().map(|moment| &moment.places[place]);
        let at = place as Place;
        crashes.extend(deeds().position(|deed| deed.crashes).map(|time| (at, time as Time)));
        wakes.push(deeds().position(|deed| deed.wakes).map(|time| time as Time));
        for (time, deed) in deeds().enumerate() {
            again.extend((0..deed.calls).map(|_| (at, time as Time)));
            for &coin in &deed.coins {
                script.add(Open::Coin, at, coin.into());
            }
            for &after in &deed.ties {
                script.add(Open::Tie, at, after.into());
            }
        }
        let ticks: Vec<Time> =
            deeds().enumerate().filter(|(_, deed)| deed.ticks).map(|(time, _)| time as Time).collect();
        let start = starts[place].into_iter().chain(deeds().position(|deed| deed.wakes || deed.calls > 0)).min();
        phases.push(match (start, ticks.first()) {
            (None, _) => 0,
            (Some(start), Some(first)) => first - start as Time,
            // It comes when all is over.
            (Some(_), None) => step.1 - 1,
        });
        if varying {
            for pair in ticks.windows(2) {
                script.add(Open::Step, at, pair[1] - pair[0] - step.0);
            }
            script.add(Open::Step, at, step.1 - step.0);
        }
        visits(deeds(), moments.len() as u64, at, user, &mut script);
    }
    let ticks = (!varying).then(|| locals.iter().map(|&((length, _), _)| length).collect());
    Timetable { crashes, wakes, phases, ticks, again, script, until: (moments.len() as Time).saturating_sub(1) }
}

/// Answers how long each message takes, at its sender in the order of sending; by place, when the first one arrives.
fn delays(space: &Timed, moments: &[Moment], script: &mut Script) -> Vec<Option<usize>> {
    let (shortest, longest) = space.delay;
    let links = space.roads.links;
    let mut senders = vec![0; links];
    for (place, out) in space.roads.ways_out() {
        senders[out.at as usize - space.n] = place as usize;
    }
    let mut starts = vec![None; space.n];
    // What is never seen to arrive does so when all is over.
    let mut delays: Vec<Vec<u64>> = vec![Vec::new(); space.n];
    let mut flights: Vec<Vec<(Time, usize)>> = vec![Vec::new(); links];
    for (time, moment) in moments.iter().enumerate() {
        let mut reached = vec![false; links];
        for (link, arrived) in moment.arrived.iter().enumerate() {
            reached[link] |= !arrived.is_empty();
            for &index in arrived.iter().rev() {
                let (sent, which) = flights[link].remove(index);
                delays[senders[link]][which] = time as Time - sent;
            }
        }
        for &(link, at_once) in &moment.sent {
            let own = &mut delays[senders[link]];
            own.push(if at_once { 0 } else { longest });
            reached[link] |= at_once;
            if !at_once {
                flights[link].push((time as Time, own.len() - 1));
            }
        }
        for (place, start) in (0..).zip(&mut starts) {
            let mut ways_in = space.roads.ways_in(place);
            if start.is_none() && ways_in.any(|way_in| reached[space.roads.way_in(way_in).at as usize - space.n]) {
                *start = Some(time);
            }
        }
    }
    if shortest < longest {
        for (place, own) in delays.into_iter().enumerate() {
            for delay in own {
                script.add(Open::Delay, place as Place, delay - shortest);
            }
        }
    }
    starts
}

/// Answers how many own steps the user of a place waits and stays.
fn visits<'a>(deeds: impl Iterator<Item = &'a Deed>, end: u64, place: Place, user: User, script: &mut Script) {
    let mut left = user.visits;
    // Own ticks since the question was put, and the fewest there can be; the first question is put before the first tick.
    let mut open: Option<(u64, u64)> = (left > 0).then_some((0, 1));
    for deed in deeds {
        if let Some((ticks, _)) = &mut open {
            *ticks += u64::from(deed.ticks);
        }
        for visit in &deed.visits {
            match visit {
                Visit::Asked | Visit::Released => {
                    left -= u64::from(*visit == Visit::Asked);
                    if let Some((ticks, fewest)) = open.take() {
                        script.add(Open::Load, place, ticks - fewest);
                    }
                }
                Visit::Entered => open = Some((0, 1)),
                Visit::Left => open = (left > 0).then_some((0, 0)),
            }
        }
    }
    if open.is_some() {
        // When all is over.
        script.add(Open::Load, place, end + 1);
    }
}
