//! What a leader is for, and token rings.

use ringleader::sweep::Comparator;

use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::trial::{Trial, TrialResult, decimal};

/// V14: agreement after the election.
pub(crate) fn after_the_leader(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let size = trial.runs("vitanyi -n 2..40 --then ring-size", (2, 10))?.bound("messages.task", "N")?;
    Ok(size.and(sorting(trial)?))
}

/// V59: collect and distribute.
pub(crate) fn sorting(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sampled = trial.runs("vitanyi -n 2..40 --then ring-sort", (2, 10))?.bound("messages.task", "2N")?;
    let schedules = trial.check_sizes("vitanyi --then ring-sort", 2..=trial.pick(3, 4))?;
    Ok(sampled.and(schedules))
}

/// Rings whose greatest identity is far above their size, or is not.
const VALUES: [&str; 6] = [
    "2,1",
    "3,1,4,2",
    "8,3,5,1,7,2,6,4",
    "900,1,500,77",
    "1000000,3,70000,5,900000,12,31,400",
    "4611686018427387904,1,9,1099511627776,4398046511104,3,17,65536",
];

/// The bits of sorting, for each of the rings: how many, N, L.
fn sorting_bits(trial: &mut Trial<'_>) -> TrialResult<Vec<(String, f64, f64, f64)>> {
    let mut each = Vec::new();
    for ids in VALUES {
        let plain = trial.run(&format!("vitanyi --ids {ids}"))?;
        let sorting = trial.run(&format!("vitanyi --ids {ids} --then ring-sort"))?;
        let greatest = sorting.setup.scenario.ids.iter().max().copied().unwrap_or(1);
        let bits = sorting.report.cost.bits - plain.report.cost.bits;
        each.push((sorting.setup.command_line(), bits as f64, sorting.setup.scenario.n as f64, greatest as f64));
    }
    Ok(each)
}

/// Whether the bits of sorting are within a formula of N and L.
fn sorting_within(trial: &mut Trial<'_>, formula: &str, limit: fn(f64, f64) -> f64) -> TrialResult<Evidence> {
    let mut most = 0.0f64;
    let each = sorting_bits(trial)?;
    let method = format!("{} rings, L up to 2^62", each.len());
    for (command, bits, n, greatest) in each {
        let claimed = limit(n, greatest);
        if bits > claimed {
            let measured = format!("{} bits against {formula} = {}", decimal(bits), decimal(claimed));
            return Ok(Evidence::refuted(method, measured, command));
        }
        most = most.max(bits / claimed);
    }
    Ok(Evidence::new(LedgerVerdict::Held, method, format!("bits ≤ {formula}, at most {} of it", decimal(most))))
}

/// V60: a table of differences. Dyadic digits of d are at most log2(d + 1), which is concave.
pub(crate) fn differences(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    sorting_within(trial, "2N tables of 1 + N log2(1 + L/N)", |n, greatest| {
        2.0 * n * (1.0 + n * (1.0 + greatest / n).log2())
    })
}

/// V61: O(N² log(L/N)).
pub(crate) fn sorting_cost(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let within = sorting_within(trial, "4N² log2(1 + L/N)", |n, greatest| 4.0 * n * n * (1.0 + greatest / n).log2())?;
    Ok(within.note("Loui's lower bound on all algorithms is Ω(N² log(L/N))"))
}

/// Whether there is one token for good in all schedules. Bounds on its passes are about runs of so many laps.
fn one_token(trial: &mut Trial<'_>, command: &str) -> TrialResult<Evidence> {
    let check = trial.check(command)?;
    Ok(check.property("safety")?.and(check.property("termination")?))
}

/// V64: one timer says both too early and too late.
pub(crate) fn timers(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let ring = "token-ring -n 2 --wake together --r 1 --d 2";
    let printed = all([
        one_token(trial, &format!("{ring} --set rules=printed"))?,
        one_token(trial, &format!("{ring} --set rules=printed --set timer=1"))?,
    ]);
    let repaired = one_token(trial, ring)?.and(one_token(trial, &format!("{ring} --set tokens=0"))?);
    Ok(printed.repaired("with the margin that the paper asks for: two limits, before which a token is removed and after which one is inserted", repaired))
}

/// V65: the conditions under which it works.
pub(crate) fn conditions(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let two = "token-ring -n 2 --wake together --r 1";
    let within = one_token(trial, &format!("{two} --d 2 --set tokens=2"))?;
    let lost = one_token(trial, &format!("{two} --d 2 --set tokens=0"))?;
    let in_step = trial.check(&format!("{two} --d 2 --set tokens=0 --set jitter=0"))?.goes_wrong();
    let outside = trial.check(&format!("{two} --d 1 --set tokens=2"))?.goes_wrong();
    Ok(all([within, lost, in_step, outside]).note(
        "with two limits: one token for good where (d_max + r_max)/d_min < 2γ and limits are random; not without the \
         condition, and not without randomness",
    ))
}

/// V13: old tokens are removed, and the leader inserts one.
pub(crate) fn one_new_token(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for values in ["0,0,0", "1,0,0", "1,0,2"] {
        each.push(trial.check(&format!("vitanyi -n 3 --values {values} --then token"))?.all());
    }
    let runs = trial.runs("vitanyi -n 2..32 --then token", (2, 10))?;
    Ok(all(each).and(runs.bound("messages.task", "(K + 2) N")?))
}

/// V19: with the layer, elections and locks survive losses and cuts that abort them without it.
pub(crate) fn sent_again(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for line in [
        "chang-roberts -n 2 --faults loss:1",
        "chang-roberts -n 2 --faults cut:1",
        "ricart-agrawala -n 2 --faults loss:1",
        "ricart-agrawala -n 2 --faults cut:1",
    ] {
        each.push(trial.check(line)?.goes_wrong());
        each.push(trial.check(&format!("{line} --retransmit 3"))?.all());
    }
    if trial.pick(false, true) {
        each.push(trial.check("chang-roberts -n 2 --faults loss:2 --retransmit 3")?.all());
        each.push(trial.check("ricart-agrawala -n 3 --compete 1 --faults loss:1 --retransmit 3")?.all());
    }
    let copies = |messages: f64| messages * (16.0 / 9.0 - 1.0);
    let (part, formula) = ("messages.by_kind.retransmission", "M(1/(1-p)² - 1)");
    let runs = trial.runs("lelann -n 4,8,16 --faults loss:1/4 --retransmit 4", (20, 200))?;
    // Every identity makes a full turn: N² messages, and nothing is announced.
    each.push(runs.mean(part, formula, Comparator::Equal, |setup| Some(copies((setup.scenario.n as f64).powi(2))))?);
    let runs = trial.runs("ricart-agrawala -n 2,4 --entries 10 --faults loss:1/4 --retransmit 6", (20, 200))?;
    // 2(N-1) messages for each of 10 N entries.
    let messages = |n: f64| 2.0 * (n - 1.0) * 10.0 * n;
    each.push(runs.mean(part, formula, Comparator::Equal, |setup| Some(copies(messages(setup.scenario.n as f64))))?);
    Ok(all(each).note("a lock that rests on d_max is configured for the longest delay of messages that are sent again"))
}

/// V62: values that repeat.
pub(crate) fn sorting_values(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let three = trial.check("chang-roberts -n 3 --values 2,1,2 --then ring-sort")?.all();
    let four = trial.check("chang-roberts -n 4 --values 2,1,2,1 --then ring-sort")?.all();
    let runs = trial.runs("vitanyi --ids 3,1,4,2,5 --values 5,3,3,1,5 --then ring-sort --vary r='1 1..4'", (2, 20))?;
    Ok(three.and(four).and(runs.bound("messages.task", "2N")?))
}
