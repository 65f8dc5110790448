//! Peterson's two elections and the first of Dolev, Klawe and Rodeh, round by round: who is still active, with which
//! value, since when. What an active processor sends goes to the next active one, so that a round is arithmetic on arcs.

use super::{Account, PassTally, clockwise, greatest};

/// A processor that takes part in a round, with the value it holds and the time at which it entered the round.
#[derive(Clone, Copy)]
struct Active {
    place: usize,
    value: u64,
    since: u64,
}

fn everybody(ids: &[u64]) -> Vec<Active> {
    ids.iter().enumerate().map(|(place, &value)| Active { place, value, since: 0 }).collect()
}

/// Peterson's election (E13) where the active processor that hears its current value declares itself.
pub fn peterson_holder(ids: &[u64]) -> Account {
    two_messages_a_round(ids, |own, left| own.max(left))
}

/// Variant A of Dolev, Klawe and Rodeh.
pub fn dolev_klawe_rodeh_a(ids: &[u64]) -> Account {
    two_messages_a_round(ids, |_, left| left)
}

/// In a round everybody active sends its value and, having heard that of the active processor to its left, a `second`
/// one; it goes on with the left one's value if that is greater than its own and than that of the left one's left.
fn two_messages_a_round(ids: &[u64], second: fn(u64, u64) -> u64) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(3);
    let mut active = everybody(ids);
    let mut round = 1;
    while active.len() > 1 {
        let k = active.len();
        let mut survivors = Vec::new();
        for i in 0..k {
            let (own, left, left_left) = (active[i], active[(i + k - 1) % k], active[(i + k - 2) % k]);
            let to_the_next = clockwise(own.place, active[(i + 1) % k].place, n);
            tally.pass("first", to_the_next, &[own.value]);
            tally.pass("second", to_the_next, &[second(own.value, left.value)]);
            if left.value > own.value && left.value > left_left.value {
                // The second message leaves the left one when the first of the left one's left gets there.
                let since = left_left.since + clockwise(left_left.place, own.place, n);
                survivors.push(Active { value: left.value, since, ..own });
            }
        }
        active = survivors;
        round += 1;
    }
    let last = active[0];
    tally.pass("first", n as u64, &[last.value]);
    tally.announced_round_the_ring(n, last.place, last.value, round, last.since + n as u64)
}

/// Peterson's election (E13) where whoever hears the identity it was born with declares itself.
///
/// Places are counted clockwise from the owner of the greatest identity, which is place 0 and, at the end of the ring,
/// place n. It hears its identity in the first round in which the holder is the last active one of that line, as a
/// first message, or the last but one, as the second message of the last. From then on it swallows whatever comes, so
/// that the ring has become a line that runs dry from its beginning, the announcement behind the last message.
pub fn peterson_owner(ids: &[u64]) -> Account {
    let n = ids.len();
    let (owner, greatest) = greatest(ids);
    let mut tally = PassTally::of_kinds(3);
    let mut active = everybody(&[&ids[owner..], &ids[..owner]].concat());
    let mut round = 1;
    let elected = loop {
        let k = active.len();
        let holder = active.iter().position(|active| active.value == greatest).expect("the greatest survives");
        let heard = active[holder].since + (n - active[holder].place) as u64;
        if holder + 1 == k {
            break heard;
        }
        let as_a_second = holder + 2 == k;
        let mut survivors = Vec::new();
        for i in 0..k {
            let (own, left, left_left) = (active[i], active[(i + k - 1) % k], active[(i + k - 2) % k]);
            let to_the_next = clockwise(own.place, active[(i + 1) % k].place, n);
            tally.pass("first", to_the_next, &[own.value]);
            let links = if as_a_second && i + 1 == k { (n - own.place) as u64 } else { to_the_next };
            tally.pass("second", links, &[own.value.max(left.value)]);
            if left.value > own.value && left.value > left_left.value {
                let since = left_left.since + clockwise(left_left.place, own.place, n);
                survivors.push(Active { value: left.value, since, ..own });
            }
        }
        // The first of the line, who waits in vain for the second message that was swallowed, would not survive: what
        // it heard is not the greatest, and that is the other value to compare with.
        assert!(!as_a_second || survivors[0].place != active[0].place);
        active = survivors;
        round += 1;
        if as_a_second {
            break heard;
        }
    };
    let round = run_dry(&mut tally, active, n, round);
    tally.announced_round_the_ring(n, owner, greatest, round, elected)
}

/// The rounds of Peterson's election on a line that leads into the owner at place n, beginning with this one; gives the
/// number of the last round. The first of a line waits for a first message, the second for a second one: in vain.
fn run_dry(tally: &mut PassTally, mut active: Vec<Active>, n: usize, mut round: u64) -> u64 {
    loop {
        let mut survivors = Vec::new();
        for (i, own) in active.iter().enumerate() {
            let to_the_next = (active.get(i + 1).map_or(n, |next| next.place) - own.place) as u64;
            tally.pass("first", to_the_next, &[own.value]);
            let Some(left) = i.checked_sub(1).map(|i| active[i]) else { continue };
            tally.pass("second", to_the_next, &[own.value.max(left.value)]);
            let Some(left_left) = i.checked_sub(2).map(|i| active[i]) else { continue };
            if left.value > own.value && left.value > left_left.value {
                survivors.push(Active { value: left.value, ..*own });
            }
        }
        if survivors.is_empty() {
            return round;
        }
        active = survivors;
        round += 1;
    }
}

/// Peterson's election with one message a phase (LT85): in odd phases who holds more than it hears survives, in even
/// ones who hears more, with what it hears.
pub fn peterson_alternating(ids: &[u64]) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(2);
    let mut active = everybody(ids);
    let mut phase = 1;
    while active.len() > 1 {
        let k = active.len();
        let mut survivors = Vec::new();
        for i in 0..k {
            let (own, left) = (active[i], active[(i + k - 1) % k]);
            tally.pass("value", clockwise(left.place, own.place, n), &[left.value]);
            let survives = if phase % 2 == 1 { own.value > left.value } else { left.value > own.value };
            if survives {
                let since = left.since + clockwise(left.place, own.place, n);
                survivors.push(Active { value: own.value.max(left.value), since, ..own });
            }
        }
        active = survivors;
        phase += 1;
    }
    let last = active[0];
    tally.pass("value", n as u64, &[last.value]);
    tally.announced_round_the_ring(n, last.place, last.value, phase, last.since + n as u64)
}
