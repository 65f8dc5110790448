//! The elections of complete networks.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{ANNOUNCEMENT, Account, PassTally, greatest};

/// E13's trivial solution: everybody tells everybody.
pub fn all_to_all(ids: &[u64]) -> Account {
    let others = ids.len() as u64 - 1;
    let mut tally = PassTally::of_kinds(1);
    for &id in ids {
        tally.pass("id", others, &[id]);
    }
    // Alone one knows at once.
    let end = others.min(1);
    tally.account(greatest(ids), [end, end], [end, end])
}

/// Links in the order of plain ports: port p of a place leads to the p-th other place.
pub fn plain_links(n: usize) -> Vec<Vec<usize>> {
    (0..n).map(|place| (0..n).filter(|&other| other != place).collect()).collect()
}

/// Earlier starts are greater, among equals greater identities. The level that goes with a candidate, in its messages and
/// in the memory of those it captured, is the number of rounds since its start, so this is the order of (level, id). Without
/// levels all starts count as one.
type Rank = (Reverse<u64>, u64);

/// A candidate: how many of its links it has used, and for how many acknowledgements it waits.
struct Candidate {
    place: usize,
    start: u64,
    rank: Rank,
    used: usize,
    awaits: usize,
}

/// Slide 11, "at most n/2^(i-1) candidate processes left after (double) round i": those that the winner leaves any to ask share
/// the rest. The first double round is 0.
fn most_candidates(n: u64, double_round: u64) -> u64 {
    if double_round == 0 { n } else { n / (1 << (double_round - 1)) - 1 }
}

/// Afek and Gafni's synchronous election (E13): the greatest rank that a place knows of captures it.
///
/// A place that starts by itself knows its own rank, one that is reached by a message before that knows none, and never
/// starts. All messages of a round are compared together; the acknowledgement follows in the next round. `links` has for
/// every place the others in the order in which it sends to them.
pub fn afek_gafni_sync(ids: &[u64], wake_at: &[Option<u64>], links: &[Vec<usize>]) -> Account {
    afek_gafni_rounds(ids, wake_at, links, true)
}

/// The same without levels (slide 9): the greatest identity that a place knows of captures it.
pub fn afek_gafni_sync_flat(ids: &[u64], wake_at: &[Option<u64>], links: &[Vec<usize>]) -> Account {
    afek_gafni_rounds(ids, wake_at, links, false)
}

fn afek_gafni_rounds(ids: &[u64], wake_at: &[Option<u64>], links: &[Vec<usize>], levels: bool) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(3);
    let mut known: Vec<Option<Rank>> = vec![None; n];
    let mut depths = vec![0; n];
    let mut candidates: Vec<Candidate> = Vec::new();
    // How many candidates asked in each double round.
    let mut asking: BTreeMap<u64, u64> = BTreeMap::new();
    // Places, and the ranks that captured them in the round before.
    let mut captures: Vec<(usize, Rank)> = Vec::new();
    for round in 0.. {
        for place in 0..n {
            if wake_at[place] == Some(round) && known[place].is_none() {
                let rank = (Reverse(if levels { round } else { 0 }), ids[place]);
                known[place] = Some(rank);
                candidates.push(Candidate { place, start: round, rank, used: 0, awaits: 0 });
            }
        }
        let before = depths.clone();
        let mut acknowledged: BTreeMap<Rank, usize> = BTreeMap::new();
        for (place, rank) in captures.drain(..) {
            tally.pass("ack", 1, &[]);
            *acknowledged.entry(rank).or_default() += 1;
            let home = candidates.iter().find(|candidate| candidate.rank == rank).expect("it waits for this").place;
            depths[home] = depths[home].max(before[place] + 1);
        }
        let mut received: BTreeMap<usize, Vec<Rank>> = BTreeMap::new();
        for candidate in &mut candidates {
            let level = round - candidate.start;
            if level % 2 == 0 {
                if candidate.used == n - 1 {
                    assert!(
                        !levels || asking.iter().all(|(&turn, &count)| count <= most_candidates(n as u64, turn)),
                        "{asking:?}"
                    );
                    let (place, id) = (candidate.place, ids[candidate.place]);
                    tally.pass(ANNOUNCEMENT, n as u64 - 1, &[id]);
                    let longest = depths.iter().copied().max().expect("somebody is there");
                    let depth = longest.max(before[place] + (n as u64 - 1).min(1));
                    return tally.account((place, id), [round, round], [before[place], depth]);
                }
                *asking.entry(level / 2).or_default() += 1;
                candidate.awaits = (1 << (level / 2)).min(n - 1 - candidate.used);
                tally.pass(
                    "candidate",
                    candidate.awaits as u64,
                    &[if levels { level } else { 0 }, ids[candidate.place]],
                );
                for &other in &links[candidate.place][candidate.used..][..candidate.awaits] {
                    received.entry(other).or_default().push(candidate.rank);
                    depths[other] = depths[other].max(before[candidate.place] + 1);
                }
                candidate.used += candidate.awaits;
            }
        }
        candidates.retain(|candidate| {
            let level = round - candidate.start;
            level % 2 == 0 || acknowledged.get(&candidate.rank) == Some(&candidate.awaits)
        });
        for (place, ranks) in received {
            let best = ranks.into_iter().max();
            if best > known[place] {
                known[place] = best;
                captures.extend(best.map(|best| (place, best)));
            }
        }
    }
    unreachable!("the candidate of the greatest rank is never stopped")
}
