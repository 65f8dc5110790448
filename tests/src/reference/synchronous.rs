//! The elections of synchronous rings, in which rounds are counted from 1 and the least identity wins.

use std::collections::BTreeMap;

use super::{ANNOUNCEMENT, Account, PassTally, least};

/// E13's election by time slices: the least identity k alone travels, in rounds (k-1)n + 1 to kn, and everybody who
/// passes it on knows that it has won.
pub fn time_slice(ids: &[u64]) -> Account {
    let n = ids.len() as u64;
    let (place, id) = least(ids);
    let mut tally = PassTally::of_kinds(1);
    tally.pass("id", n, &[id]);
    tally.account((place, id), [id * n, id * n], [n, n])
}

/// Frederickson and Lynch's election: a token v waits 2^v rounds before every hop, and is dropped where something smaller
/// is known, be it on arrival or while it waits.
///
/// Smaller tokens are not hindered by greater ones, so the tokens are followed one by one, the least first.
pub fn frederickson_lynch(ids: &[u64]) -> Account {
    let n = ids.len();
    let mut tally = PassTally::of_kinds(2);
    let owners: BTreeMap<u64, usize> = ids.iter().enumerate().map(|(place, &id)| (id, place)).collect();
    // Since which round a place has known of a token smaller than the one that is followed.
    let mut knows_smaller_since: Vec<Option<u64>> = vec![None; n];
    let mut returned = None;
    for (&token, &owner) in &owners {
        let wait = 1u64.checked_shl(u32::try_from(token).unwrap_or(u32::MAX));
        let (mut at, mut round) = (owner, 0u64);
        loop {
            if round > 0 && at == owner {
                returned = Some(round);
                break;
            }
            let since = knows_smaller_since[at];
            assert!(round == 0 || since != Some(round), "a link carries one token a round");
            if token > ids[at] || since.is_some_and(|since| since < round) {
                break;
            }
            knows_smaller_since[at] = Some(round);
            // Timers come before arrivals: what arrives in the round in which a token is due comes too late for it.
            let due = wait.and_then(|wait| round.checked_add(wait));
            let Some(due) = due.filter(|&due| since.is_none_or(|since| since >= due)) else { break };
            tally.pass("token", 1, &[token]);
            at = (at + 1) % n;
            round = due;
        }
    }
    let time_elected = returned.expect("the least comes back before the end of time");
    // Everybody has kept the winner's token, so that the announcement need not say whom it announces.
    let n = n as u64;
    tally.pass(ANNOUNCEMENT, n, &[]);
    // Greater tokens are slower, so that none that meets the winner's on its way has come as far.
    tally.account(least(ids), [time_elected, time_elected + n], [n, 2 * n])
}
