//! Hirschberg and Sinclair's election and Franklin's: phase by phase, round by round, arithmetic on arcs.

use super::{Account, PassTally, greatest};

/// What a processor does with a token of a smaller identity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// Discards it.
    Silent,
    /// Sends a *no* back.
    Echo,
}

/// When a token has gone far enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HopTest {
    /// At distance 2^(k-1) in phase k.
    Repaired,
    /// One processor further, as E13 prints it.
    Printed,
}

/// Hirschberg and Sinclair's election (E13, solution 1).
pub fn hirschberg_sinclair(ids: &[u64], blocked: Blocked, hop_test: HopTest) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(if blocked == Blocked::Echo { 4 } else { 3 });
    let mut candidates: Vec<usize> = (0..n).collect();
    let mut begun = 0;
    for phase in 1.. {
        let hops = 1 << (phase - 1);
        let reach = if hop_test == HopTest::Printed { hops + 1 } else { hops };
        let mut home = None;
        let mut survivors = Vec::new();
        for place in candidates {
            let id = ids[place];
            let mut consents = 0;
            // One step one way, or all but one step, which is one the other way.
            for step in [1, n - 1] {
                let greater = (1..n).find(|distance| ids[(place + distance * step) % n] > id);
                let end = greater.unwrap_or(n).min(reach);
                for distance in 1..=end {
                    tally.pass("token", 1, &[id, phase, (hops + 1 - distance) as u64]);
                }
                if greater == Some(end) {
                    if blocked == Blocked::Echo {
                        tally.pass("no", end as u64, &[id, phase]);
                    }
                } else if end == n {
                    home = Some((place, id));
                } else {
                    tally.pass("ok", end as u64, &[id, phase]);
                    consents += 1;
                }
            }
            if consents == 2 {
                survivors.push(place);
            }
        }
        if let Some((place, id)) = home {
            return tally.announced_round_the_ring(n, place, id, phase, begun + n as u64);
        }
        candidates = survivors;
        begun += 2 * reach as u64;
    }
    unreachable!("the greatest comes home in the end")
}

/// Franklin's election (E13, solution 2).
pub fn franklin(ids: &[u64]) -> Account {
    let n = ids.len();
    let (owner, greatest) = greatest(ids);
    let mut tally = PassTally::of_kinds(2);
    let mut active: Vec<usize> = (0..n).collect();
    // When each place entered the last round it took part in, and since when it passes on what comes: one that has not
    // yet heard both neighbours keeps the values of later rounds waiting.
    let mut entered = vec![0; n];
    let mut passive_since = vec![0; n];
    for round in 1.. {
        let k = active.len();
        let heard = |from: usize, step: usize| {
            let mut time = entered[from];
            let mut place = from;
            let mut links = 0;
            loop {
                time += 1;
                links += 1;
                place = (place + step) % n;
                if active.contains(&place) {
                    return (links, time.max(entered[place]));
                }
                time = time.max(passive_since[place]);
            }
        };
        for &place in &active {
            tally.pass("value", heard(place, 1).0 + heard(place, n - 1).0, &[ids[place]]);
        }
        if let [last] = active[..] {
            let elected = heard(last, 1).1.min(heard(last, n - 1).1);
            assert_eq!(last, owner);
            return tally.announced_round_the_ring(n, owner, greatest, round, elected);
        }
        let decided: Vec<u64> =
            (0..k).map(|i| heard(active[(i + k - 1) % k], 1).1.max(heard(active[(i + 1) % k], n - 1).1)).collect();
        let survives = |i: usize| {
            let own = ids[active[i]];
            own > ids[active[(i + k - 1) % k]] && own > ids[active[(i + 1) % k]]
        };
        let mut survivors = Vec::new();
        for i in 0..k {
            if survives(i) {
                entered[active[i]] = decided[i];
                survivors.push(active[i]);
            } else {
                passive_since[active[i]] = decided[i];
            }
        }
        active = survivors;
    }
    unreachable!("the greatest is alone in the end")
}
