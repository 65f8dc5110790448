//! Names of processors that join and leave.

use ringleader_model::{ChangedRing, RingChange};

use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::trial::{Trial, TrialResult, decimal, no_bound};

/// The names of the rings that are explored.
const NAMES: u64 = 6;

/// V37: the least name never rises, and with it no bound that depends on it.
pub(crate) fn least(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let rings = exhaustive(trial.pick(4, 5));
    let mut bounds = Vec::new();
    for place in 0..4 {
        bounds.push(time_per_processor(trial, place)?);
    }
    Ok(rings.and(all(bounds)))
}

/// Every ring of up to `most` of the names, in every order.
fn rings(most: usize) -> Vec<Vec<u64>> {
    let mut rings: Vec<Vec<u64>> = (1..=NAMES).map(|name| vec![name]).collect();
    let mut index = 0;
    while let Some(ring) = rings.get(index).filter(|ring| ring.len() < most).cloned() {
        let others = (1..=NAMES).filter(|name| !ring.contains(name));
        rings.extend(others.map(|name| [&ring[..], &[name]].concat()));
        index += 1;
    }
    rings
}

/// Every processor that leaves and every one that joins: a change that raises l on no ring does so in no sequence either.
fn exhaustive(most: usize) -> Evidence {
    let (mut changes, mut raised, mut dropped) = (0, Vec::new(), 0);
    let rings = rings(most);
    for names in &rings {
        let n = names.len() as u64;
        let joins = (1..=NAMES).flat_map(|name| (0..=n).map(move |place| RingChange::Join { name, place }));
        let rises = |ring: &ChangedRing| names.iter().min().is_some_and(|&least| ring.least() > least);
        let after = |change: RingChange| change.of(names).ok();
        for ring in joins.chain((0..n).map(RingChange::Leave)).filter_map(after) {
            changes += 1;
            if rises(&ring) {
                raised.push(format!("{} of {names:?}", ring.change));
            }
        }
        dropped += (0..n).map(RingChange::Drop).filter_map(after).filter(rises).count();
    }
    let method = format!("all {changes} changes of all {} rings of up to {most} of {NAMES} names", rings.len());
    match raised.first() {
        Some(change) => Evidence::new(LedgerVerdict::Refuted, method, format!("{change} raises the least name")),
        None => Evidence::new(
            LedgerVerdict::Holds,
            method,
            format!("the least name never rises; where names are not interchanged, {dropped} who leave raise it"),
        ),
    }
}

/// The bound Nu(2^l + 2) on time, by N, before and after one of 3, 1, 4, 2 has left.
fn time_per_processor(trial: &mut Trial<'_>, place: u64) -> TrialResult<Evidence> {
    let ring = "vitanyi --ids 3,1,4,2 --r 1..4 --d 0..3 --reading per-tick";
    let mut bound = |changes: &str| {
        let run = trial.run(&format!("{ring}{changes}"))?;
        let (quantity, formula) = ("time", "Nu(2^l + 2)");
        let found = run.report.bounds.iter().find(|bound| bound.quantity == quantity && bound.formula == formula);
        let Some(found) = found else { return Err(no_bound(quantity, formula, &run.setup.command_line())) };
        Ok((found.value.to_f64() / run.setup.scenario.n as f64, run))
    };
    let (before, _) = bound("")?;
    let (after, run) = bound(&format!(" --changes leave:{place}"))?;
    let (dropped, _) = bound(&format!(" --changes drop:{place}"))?;
    let measured = format!(
        "place {place} of 3, 1, 4, 2: time per processor at most {}, then {}; {} without the interchange",
        decimal(before),
        decimal(after),
        decimal(dropped)
    );
    let within = run.bound("time", "Nu(2^l + 2)")?;
    Ok(run.shows(after <= before && dropped >= after, measured).and(within))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rings_are_listed() {
        assert_eq!(rings(3).len(), 6 + 6 * 5 + 6 * 5 * 4);
        assert_eq!(exhaustive(3).verdict, LedgerVerdict::Holds);
    }
}
