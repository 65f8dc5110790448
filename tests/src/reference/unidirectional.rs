//! The elections of unidirectional rings. Peterson's two and the first of Dolev, Klawe and Rodeh proceed in rounds: what
//! an active processor sends goes to the next active one, so that a round is arithmetic on arcs.

use super::{Account, PassTally, clockwise, greatest};

/// A processor that takes part in a round, with the value it holds and the time at which it entered the round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Active {
    /// Its place.
    pub place: usize,
    /// The value under which it competes.
    pub value: u64,
    since: u64,
}

/// The active processors of every round, clockwise; the last round has one.
type ActiveByRound = Vec<Vec<Active>>;

/// Le Lann's election: every identity traverses the ring.
pub fn lelann(ids: &[u64]) -> Account {
    let n = ids.len() as u64;
    let mut tally = PassTally::of_kinds(1);
    for &id in ids {
        tally.pass("id", n, &[id]);
    }
    tally.account(greatest(ids), [n, n], [n, n])
}

/// Chang and Roberts's election: a candidate goes as far as the next greater identity clockwise, the greatest
/// around the ring. Who discards a candidate starts too. Times and depths are those of a ring on which everybody starts at 0.
pub fn chang_roberts(ids: &[u64], initiators: &[bool]) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(2);
    let mut started = initiators.to_vec();
    let mut open: Vec<usize> = (0..n).filter(|&place| started[place]).collect();
    while let Some(from) = open.pop() {
        let distance = (1..n).find(|distance| ids[(from + distance) % n] > ids[from]).unwrap_or(n);
        tally.pass("candidate", distance as u64, &[ids[from]]);
        let end = (from + distance) % n;
        if !std::mem::replace(&mut started[end], true) {
            open.push(end);
        }
    }
    let n = n as u64;
    tally.pass("elected", n, &[greatest(ids).1]);
    tally.account(greatest(ids), [n, 2 * n], [n, 2 * n])
}

/// Appends rounds until one processor is active: `survivor` says with which value, and since when, an active processor (the
/// second argument, by its index) enters the next round.
fn rounds(ids: &[u64], survivor: impl Fn(usize, &[Active], usize) -> Option<Active>) -> ActiveByRound {
    let everybody = ids.iter().enumerate().map(|(place, &value)| Active { place, value, since: 0 });
    let mut rounds: ActiveByRound = vec![everybody.collect()];
    while let Some(active) = rounds.last().filter(|active| active.len() > 1) {
        let survivors = (0..active.len()).filter_map(|index| survivor(rounds.len(), active, index)).collect();
        rounds.push(survivors);
    }
    rounds
}

/// The active processor at this distance before another.
fn before(active: &[Active], index: usize, distance: usize) -> Active {
    active[(index + 2 * active.len() - distance) % active.len()]
}

/// The rounds of Peterson's election (E13) and of variant A of Dolev, Klawe and Rodeh: an active processor goes on with the
/// value of the one to its left if that is greater than its own and than that of the left one's left.
pub fn peterson_rounds(ids: &[u64]) -> ActiveByRound {
    rounds(ids, |_, active, index| {
        let [own, left, left_left] = [0, 1, 2].map(|distance| before(active, index, distance));
        // The second message leaves the left one when the first of the left one's left gets there.
        let since = left_left.since + clockwise(left_left.place, own.place, ids.len());
        let survives = left.value > own.value && left.value > left_left.value;
        survives.then_some(Active { value: left.value, since, ..own })
    })
}

/// The phases of Peterson's election with one message a phase (LT85): in odd phases who holds more than it hears survives, in
/// even ones who hears more, with what it hears.
pub fn alternating_phases(ids: &[u64]) -> ActiveByRound {
    rounds(ids, |phase, active, index| {
        let [own, left] = [0, 1].map(|distance| before(active, index, distance));
        let survives = if phase % 2 == 1 { own.value > left.value } else { left.value > own.value };
        let since = left.since + clockwise(left.place, own.place, ids.len());
        survives.then_some(Active { value: own.value.max(left.value), since, ..own })
    })
}

/// Peterson's election (E13) where the active processor that hears its current value declares itself.
pub fn peterson_holder(ids: &[u64]) -> Account {
    two_messages_a_round(ids, |own, left| own.max(left))
}

/// Variant A of Dolev, Klawe and Rodeh.
pub fn dolev_klawe_rodeh_a(ids: &[u64]) -> Account {
    two_messages_a_round(ids, |_, left| left)
}

/// In a round everybody active sends its value and, having heard that of the active processor to its left, a `second` one.
fn two_messages_a_round(ids: &[u64], second: fn(u64, u64) -> u64) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(3);
    let rounds = peterson_rounds(ids);
    for active in &rounds[..rounds.len() - 1] {
        for (index, own) in active.iter().enumerate() {
            let to_the_next = clockwise(own.place, active[(index + 1) % active.len()].place, n);
            tally.pass("first", to_the_next, &[own.value]);
            tally.pass("second", to_the_next, &[second(own.value, before(active, index, 1).value)]);
        }
    }
    let last = rounds[rounds.len() - 1][0];
    tally.pass("first", n as u64, &[last.value]);
    tally.announced_round_the_ring(n, last.place, last.value, rounds.len() as u64, last.since + n as u64)
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
    let rounds = peterson_rounds(&[&ids[owner..], &ids[..owner]].concat());
    for (round, active) in (1..).zip(&rounds) {
        let k = active.len();
        let holder = active.iter().position(|active| active.value == greatest).expect("the greatest survives");
        let elected = active[holder].since + (n - active[holder].place) as u64;
        if holder + 1 == k {
            let round = run_dry(&mut tally, active.clone(), n, round);
            return tally.announced_round_the_ring(n, owner, greatest, round, elected);
        }
        let as_a_second = holder + 2 == k;
        for (index, own) in active.iter().enumerate() {
            let to_the_next = clockwise(own.place, active[(index + 1) % k].place, n);
            tally.pass("first", to_the_next, &[own.value]);
            let links = if as_a_second && index + 1 == k { (n - own.place) as u64 } else { to_the_next };
            tally.pass("second", links, &[own.value.max(before(active, index, 1).value)]);
        }
        if as_a_second {
            // The first of the line, who waits in vain for the second message that was swallowed, would not survive: what
            // it heard is not the greatest, and that is the other value to compare with.
            let survivors = &rounds[round as usize];
            assert_ne!(survivors[0].place, active[0].place);
            let round = run_dry(&mut tally, survivors.clone(), n, round + 1);
            return tally.announced_round_the_ring(n, owner, greatest, round, elected);
        }
    }
    unreachable!("in the last round the holder is the last")
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

/// Peterson's election with one message a phase.
pub fn peterson_alternating(ids: &[u64]) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(2);
    let phases = alternating_phases(ids);
    for active in &phases[..phases.len() - 1] {
        for (index, own) in active.iter().enumerate() {
            tally.pass("value", clockwise(own.place, active[(index + 1) % active.len()].place, n), &[own.value]);
        }
    }
    let last = phases[phases.len() - 1][0];
    tally.pass("value", n as u64, &[last.value]);
    tally.announced_round_the_ring(n, last.place, last.value, phases.len() as u64, last.since + n as u64)
}
