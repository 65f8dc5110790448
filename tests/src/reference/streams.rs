//! The second election of Dolev, Klawe and Rodeh, as equations between streams.
//!
//! A processor is a function from all it ever reads to all it ever sends, and what it reads is what its neighbour
//! sends: n equations, whose least solution is found by starting from silence and putting in what is known. One round of
//! that is one unit of time, if every message takes one.

use super::{Account, PassTally};

/// Solves the equations: the streams sent by every place, and the time at which each place began to lead, if it did.
fn solve(ids: &[u64]) -> Vec<(Sent, Option<u64>)> {
    let n = ids.len();
    let mut streams: Vec<_> = ids.iter().map(|&own| (sent(own, &[]), None)).collect();
    let mut read = vec![0; n];
    for time in 1.. {
        let input = |place: usize| &streams[(place + n - 1) % n].0.messages;
        let later: Vec<_> = (0..n)
            .filter(|&place| input(place).len() > read[place])
            .map(|place| (place, input(place).len(), sent(ids[place], input(place))))
            .collect();
        if later.is_empty() {
            break;
        }
        for (place, length, now) in later {
            let since = streams[place].1.or(now.leads.then_some(time));
            streams[place] = (now, since);
            read[place] = length;
        }
    }
    streams
}

/// What a processor makes of what it has read.
struct Sent {
    /// All it has sent.
    messages: Vec<StreamMessage>,
    /// The highest phase it has reached.
    phase: u64,
    /// Whether it has declared itself.
    leads: bool,
}

/// The messages of variant B.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StreamMessage {
    /// M1: identity, phase, counter.
    One(u64, u64, u64),
    /// M2: identity.
    Two(u64),
    /// The result.
    Announcement(u64),
}

#[derive(PartialEq)]
enum StreamState {
    Active,
    Waiting,
    Passive,
    Over,
}

/// All that a processor sends that has read this, by the rules of variant B.
fn sent(own: u64, read: &[StreamMessage]) -> Sent {
    use StreamMessage::{Announcement, One, Two};
    let (mut max, mut phase, mut state, mut leads) = (own, 0, StreamState::Active, false);
    let mut highest = phase;
    let mut messages = vec![One(max, phase, 1)];
    for &message in read {
        // Waiting on M1: passive, and handled as such.
        if state == StreamState::Waiting && matches!(message, One(..)) {
            state = StreamState::Passive;
        }
        match (&state, message) {
            (StreamState::Over, _) => {}
            (_, One(id, ..) | Two(id)) if id == own => {
                leads = true;
                state = StreamState::Over;
                messages.push(Announcement(own));
            }
            (_, Announcement(_)) => {
                state = StreamState::Over;
                messages.push(message);
            }
            (StreamState::Active, One(id, ..)) if id > max => {
                max = id;
                state = StreamState::Waiting;
            }
            (StreamState::Active, One(..)) => {
                state = StreamState::Passive;
                messages.push(Two(max));
            }
            (StreamState::Waiting, Two(_)) => {
                phase += 1;
                state = StreamState::Active;
                messages.push(One(max, phase, 1 << phase));
            }
            (StreamState::Passive, One(id, its_phase, counter)) if id >= max && counter >= 1 => {
                max = id;
                if counter == 1 {
                    state = StreamState::Waiting;
                    phase = its_phase;
                }
                messages.push(One(id, its_phase, counter - 1));
            }
            (StreamState::Passive, One(id, its_phase, _)) => messages.push(One(id, its_phase, 0)),
            (StreamState::Passive, Two(id)) => {
                if id >= max {
                    messages.push(message);
                }
            }
            (StreamState::Active, Two(_)) => unreachable!("an M2 follows the M1 of its identity"),
            (StreamState::Waiting, One(..)) => unreachable!("it has just become passive"),
        }
        highest = highest.max(phase);
    }
    Sent { messages, phase: highest, leads }
}

/// Variant B of Dolev, Klawe and Rodeh.
pub fn dolev_klawe_rodeh_b(ids: &[u64]) -> Account {
    let n = ids.len();
    let streams = solve(ids);
    let mut tally = PassTally::of_kinds(3);
    for message in streams.iter().flat_map(|(sent, _)| &sent.messages) {
        match *message {
            StreamMessage::One(id, phase, counter) => tally.pass("M1", 1, &[id, phase, counter]),
            StreamMessage::Two(id) => tally.pass("M2", 1, &[id]),
            StreamMessage::Announcement(_) => {}
        }
    }
    let mut leaders = (0..n).filter_map(|place| Some((place, streams[place].1?)));
    let (place, elected) = leaders.next().expect("somebody hears its identity");
    assert_eq!(leaders.next(), None, "nobody else does");
    let phases = streams.iter().map(|(sent, _)| sent.phase).max().expect("somebody is there");
    tally.announced_round_the_ring(n, place, ids[place], phases, elected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Draw, orders, orders_up_to_rotation};

    /// What is sent in the end if in every step some place, drawn at random, reads one message.
    fn at_random(ids: &[u64], draw: &mut Draw) -> Vec<Vec<StreamMessage>> {
        let n = ids.len();
        let mut read = vec![0; n];
        let mut streams: Vec<_> = ids.iter().map(|&id| sent(id, &[]).messages).collect();
        loop {
            let ready: Vec<_> = (0..n).filter(|&place| read[place] < streams[(place + n - 1) % n].len()).collect();
            if ready.is_empty() {
                return streams;
            }
            let place = draw.one_of(&ready);
            read[place] += 1;
            streams[place] = sent(ids[place], &streams[(place + n - 1) % n][..read[place]]).messages;
        }
    }

    #[test]
    fn the_streams_of_variant_b_do_not_depend_on_the_schedule() {
        let mut draw = Draw::new(2);
        for _ in 0..500 {
            let n = draw.between(1, 40) as usize;
            let ids = draw.wide_ids(n);
            let solved: Vec<_> = solve(&ids).into_iter().map(|(sent, _)| sent.messages).collect();
            assert_eq!(at_random(&ids, &mut draw), solved, "{ids:?}");
        }
    }

    /// Active processors of phase p are 2^p apart, and what they hold is 2^p - 1 from home.
    #[test]
    fn active_processors_of_variant_b_are_two_to_the_phase_apart() {
        for ids in (1..=7).flat_map(orders).chain((8..=9).flat_map(orders_up_to_rotation)) {
            let (n, streams) = (ids.len(), solve(&ids));
            for phase in 0..=n.ilog2().into() {
                let hops = 1usize << phase;
                let begins = |&place: &usize| {
                    streams[place].0.messages.iter().find_map(|message| match *message {
                        StreamMessage::One(id, its_phase, counter) if (its_phase, counter) == (phase, 1 << phase) => {
                            Some(id)
                        }
                        _ => None,
                    })
                };
                let active: Vec<_> = (0..n).filter(|place| begins(place).is_some()).collect();
                for (index, &place) in active.iter().enumerate() {
                    let next = active[(index + 1) % active.len()];
                    assert!(active.len() == 1 || (next + n - place) % n >= hops, "{ids:?} in phase {phase}");
                    assert_eq!(Some(ids[(place + n + 1 - hops) % n]), begins(&place), "{ids:?} in phase {phase}");
                }
            }
        }
    }
}
