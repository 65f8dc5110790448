//! The second election of Dolev, Klawe and Rodeh, as equations between streams.
//!
//! A processor is a function from all it ever reads to all it ever sends, and what it reads is what its neighbour
//! sends: n equations, whose least solution is found by starting from silence and putting in what is known. One round of
//! that is one unit of time, if every message takes one.

use super::{Account, PassTally};

/// Solves the equations: the streams sent by every place, and the time at which each place began to lead, if it did.
pub(super) fn solve<M: PartialEq>(n: usize, sent: impl Fn(usize, &[M]) -> Sent<M>) -> Vec<(Sent<M>, Option<u64>)> {
    let mut streams: Vec<_> = (0..n).map(|place| (sent(place, &[]), None)).collect();
    for time in 1.. {
        let later: Vec<_> = (0..n)
            .map(|place| {
                let (before, since) = &streams[place];
                let now = sent(place, &streams[(place + n - 1) % n].0.messages);
                let since = since.or((now.leads && !before.leads).then_some(time));
                (now, since)
            })
            .collect();
        let settled = later.iter().zip(&streams).all(|(now, before)| now.0.messages == before.0.messages);
        streams = later;
        if settled {
            break;
        }
    }
    streams
}

/// What a processor makes of what it has read.
pub(super) struct Sent<M> {
    /// All it has sent.
    pub messages: Vec<M>,
    /// The highest phase it has reached.
    pub phase: u64,
    /// Whether it has declared itself.
    pub leads: bool,
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
fn sent(own: u64, read: &[StreamMessage]) -> Sent<StreamMessage> {
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
    let streams = solve(n, |place, read| sent(ids[place], read));
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
    use crate::brute_force::{peterson_holder, peterson_owner};
    use crate::{Draw, orders};

    /// Peterson's messages.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Peterson {
        First(u64),
        Second(u64),
        Announcement(u64),
    }

    /// Peterson's election (E13) as a function of streams; `owner` says whether the identity of birth decides.
    fn peterson(own: u64, owner: bool, read: &[Peterson]) -> Sent<Peterson> {
        use Peterson::{Announcement, First, Second};
        let (mut id, mut nid, mut active, mut phase) = (own, None, true, 1);
        let mut messages = vec![First(id)];
        for &message in read {
            let own_again = match message {
                First(value) if owner => value == own,
                Second(value) => owner && value == own,
                First(value) => active && value == id,
                Announcement(_) => return Sent { messages: [messages, vec![message]].concat(), phase, leads: false },
            };
            if own_again {
                let result = if owner { own } else { id };
                messages.push(Announcement(result));
                return Sent { messages, phase, leads: true };
            }
            match message {
                First(value) if active => {
                    nid = Some(value);
                    messages.push(Second(id.max(value)));
                }
                Second(nnid) if active => {
                    let left = nid.take().expect("a first message comes first");
                    active = left >= id && left >= nnid;
                    if active {
                        id = left;
                        phase += 1;
                        messages.push(First(id));
                    }
                }
                _ => messages.push(message),
            }
        }
        Sent { messages, phase, leads: false }
    }

    fn peterson_by_streams(ids: &[u64], owner: bool) -> Account {
        let n = ids.len();
        let streams = solve(n, |place, read| peterson(ids[place], owner, read));
        let mut tally = PassTally::of_kinds(3);
        for message in streams.iter().flat_map(|(sent, _)| &sent.messages) {
            match *message {
                Peterson::First(value) => tally.pass("first", 1, &[value]),
                Peterson::Second(value) => tally.pass("second", 1, &[value]),
                Peterson::Announcement(_) => {}
            }
        }
        let (place, elected) = (0..n).find_map(|place| Some((place, streams[place].1?))).expect("somebody leads");
        let phases = streams.iter().map(|(sent, _)| sent.phase).max().expect("somebody is there");
        let id = ids.iter().copied().max().expect("somebody is there");
        tally.announced_round_the_ring(n, place, id, phases, elected)
    }

    #[test]
    fn arcs_and_streams_say_the_same_of_petersons_election() {
        let mut draw = Draw::new(1);
        let mut rings: Vec<_> = (1..=7).flat_map(orders).collect();
        rings.extend((8..60).map(|n| draw.wide_ids(n)));
        for ids in rings {
            assert_eq!(peterson_by_streams(&ids, true), peterson_owner(&ids), "{ids:?}");
            assert_eq!(peterson_by_streams(&ids, false), peterson_holder(&ids), "{ids:?}");
        }
    }

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
            let solved: Vec<_> = solve(n, |place, read| sent(ids[place], read));
            let solved: Vec<_> = solved.into_iter().map(|(sent, _)| sent.messages).collect();
            assert_eq!(at_random(&ids, &mut draw), solved, "{ids:?}");
        }
    }
}
