//! One rank's part of a run.

use std::ops::Range;

use ringleader::{Setup, Watch, advance_each_on_a_thread};
use ringleader_check::catch_panic;
use ringleader_cli::{Error, Exit, Terminal, complain_of};
use ringleader_model::{BadSetting, Problem, Processor, Protocol, Scenario, Settings};
use ringleader_sim::{CausalSimulation, Full, Resolved, RingAccount, Run, Summary};
use serde::{Serialize, de::DeserializeOwned};

use crate::memory;
use crate::ranks::Ranks;
use crate::refuse;

/// The monitor of a protocol.
pub(crate) type RunMonitor<P> = <<<P as Protocol>::Processor as Processor>::Problem as Problem>::Monitor;

/// The result of all parts.
pub(crate) struct DividedResult {
    pub(crate) summary: Summary,
    /// What is to be said about it beside what a report says anyway.
    pub(crate) notes: Vec<String>,
}

/// Why the ranks have stopped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum RoundEnd {
    /// The batch has come through this part.
    Through = 0,
    /// Somebody was told to stop.
    Stopped = 1,
    /// A step has panicked.
    Panicked = 2,
}

/// Deliveries between looks at signals.
const SLICE: u64 = 1 << 24;

/// This rank's part of the run; on rank 0 the result of all. Where none of them can go on, that has been said.
pub(crate) fn execute<P>(ranks: &Ranks, setup: &Setup, watch: &Terminal) -> Result<Option<DividedResult>, Exit>
where
    P: Protocol<Processor: Processor<Message: DeserializeOwned>>,
    RunMonitor<P>: Serialize + DeserializeOwned,
{
    let scenario = &*setup.scenario;
    let protocol: P = configured(setup).map_err(|bad| refuse(ranks, &bad.into()))?;
    if let Err(why) = CausalSimulation::<P, Full>::check_divided(&protocol, scenario) {
        return Err(refuse(ranks, &Error::from(ringleader_cli::not_causal(why))));
    }
    // More ranks than places: the last ones only take part in decisions.
    let active = (ranks.size() as u64).min(scenario.n as u64);
    let places = (ranks.rank() as u64) < active;
    let places = places.then(|| part(scenario.n as u64, ranks.rank() as u64, active));
    let length = places.as_ref().map_or(0, |places| places.end - places.start);
    let needed = CausalSimulation::<P, Full>::bytes_needed(scenario, length);
    if let Some(exit) = memory::refuse(ranks, needed, "for its part of the ring") {
        return Err(exit);
    }
    let mut run = places.map(|places| {
        let threads = setup.threads;
        let run = CausalSimulation::<P, Full>::of_places(protocol.clone(), scenario, places, threads);
        let mut run = if threads > 1 { run.advanced_by(advance_each_on_a_thread) } else { run };
        setup.max_time.into_iter().for_each(|last| run.stop_after(last));
        run
    });
    let (stage, panic) = go_round(ranks, run.as_mut(), active as usize, watch);
    result(ranks, setup, (&protocol, run.as_ref()), (stage, panic), watch)
}

/// The protocol, configured.
fn configured<P: Protocol>(setup: &Setup) -> Result<P, BadSetting> {
    let scenario: &Scenario = &setup.scenario;
    let settings = Settings::new(P::DESCRIPTION.parameters, &setup.settings)?;
    P::configure(&settings, &Resolved::new(scenario).instance(scenario))
}

/// The places of a rank, of `active` ranks that have some.
fn part(n: u64, rank: u64, active: u64) -> Range<u64> {
    let border = |rank: u64| (u128::from(n) * u128::from(rank) / u128::from(active)) as u64;
    border(rank)..border(rank + 1)
}

/// Rounds, until all batches are empty, or somebody has stopped; why, and the panic if there was one here.
fn go_round<P>(
    ranks: &Ranks,
    mut run: Option<&mut CausalSimulation<P, Full>>,
    active: usize,
    watch: &Terminal,
) -> (RoundEnd, String)
where
    P: Protocol<Processor: Processor<Message: DeserializeOwned>>,
{
    loop {
        let (stage, panic) = run.as_deref_mut().map_or((RoundEnd::Through, String::new()), |run| advance(run, watch));
        let stage = [RoundEnd::Through, RoundEnd::Stopped, RoundEnd::Panicked][ranks.greatest(stage as u64) as usize];
        if stage != RoundEnd::Through {
            return (stage, panic);
        }
        let mut left = 0;
        if let Some(run) = run.as_deref_mut() {
            let leaving = run.pass_on();
            run.enter(ranks.shift(active, &leaving));
            left = u64::from(!run.is_empty());
        }
        if ranks.sum(left) == 0 {
            return (stage, panic);
        }
    }
}

/// Takes its batches through the part of this rank.
fn advance<P: Protocol>(run: &mut CausalSimulation<P, Full>, watch: &Terminal) -> (RoundEnd, String) {
    let advanced = catch_panic(|| {
        while !run.advance_segments(SLICE) {
            if watch.stopped() {
                return RoundEnd::Stopped;
            }
        }
        if watch.stopped() { RoundEnd::Stopped } else { RoundEnd::Through }
    });
    advanced.map_or_else(|panic| (RoundEnd::Panicked, panic), |stage| (stage, String::new()))
}

/// Merges what all parts have come to, on rank 0.
fn result<P: Protocol>(
    ranks: &Ranks,
    setup: &Setup,
    (protocol, run): (&P, Option<&CausalSimulation<P, Full>>),
    (stage, panic): (RoundEnd, String),
    watch: &Terminal,
) -> Result<Option<DividedResult>, Exit>
where
    RunMonitor<P>: Serialize + DeserializeOwned,
{
    let accounts: Vec<Option<RingAccount<RunMonitor<P>>>> = ranks.gather(&run.map(CausalSimulation::account));
    let panics = ranks.gather(&panic);
    // Rank 0 has a part: there is a place.
    let account = run.filter(|_| ranks.is_first()).map(|run| {
        let mut account = run.account();
        accounts[1..].iter().flatten().for_each(|other| account.merge(other));
        account
    });
    let silent = stage == RoundEnd::Through && account.as_ref().is_some_and(RingAccount::is_silent);
    let stuck = (ranks.broadcast(u8::from(silent)) == 1).then(|| {
        let here = run.and_then(CausalSimulation::stuck).map(|(place, why)| (place, why.to_string()));
        ranks.gather(&here).into_iter().flatten().next()
    });
    let Some(account) = account else { return Ok(None) };
    let disputed = stage == RoundEnd::Panicked || stage == RoundEnd::Through && account.is_disputed();
    if disputed && setup.scenario.n <= Scenario::MOST {
        let repeated = setup.run_in_time_order(watch).map_err(|bad| complain_of(&bad.into()))?;
        return Ok(Some(DividedResult { summary: repeated, notes: Vec::new() }));
    }
    let stuck = stuck.flatten();
    let stuck = stuck.as_ref().map(|(place, why)| (*place, why.as_str()));
    let summary = account.summary(protocol, stage == RoundEnd::Through, stuck);
    let panic = panics.into_iter().find(|panic| !panic.is_empty());
    let notes = panic.map(|panic| format!("a step has panicked: {panic}")).into_iter();
    let notes = notes.chain(disputed.then(|| DISPUTED.to_string())).collect();
    Ok(Some(DividedResult { summary, notes }))
}

/// What is noted where only time order could tell, and the ring is too large for it.
const DISPUTED: &str =
    "what was violated, or elected, first is not known: the ring is too large to repeat the run in time order";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_ring() {
        for (n, active) in [(1, 1), (7, 3), (10_000_000_000, 64), (u64::from(u32::MAX) + 1, 3)] {
            let parts: Vec<_> = (0..active).map(|rank| part(n, rank, active)).collect();
            assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, n));
            assert!(
                parts.windows(2).all(|pair| pair[0].end == pair[1].start) && parts.iter().all(|part| !part.is_empty())
            );
        }
    }
}
