//! Section 4: breaking symmetry.

use ringleader::Setup;
use ringleader::check::ProbabilityReport;
use ringleader::claim::{Claim, ClaimRow};
use ringleader::statistics::{float, wilson};
use ringleader::sweep::Comparator;

use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::runs::SampledRun;
use crate::trial::{LEVEL, Trial, TrialResult, decimal};

fn processors(setup: &Setup) -> Option<f64> {
    Some(setup.scenario.n as f64)
}

pub(super) fn itai_rodeh(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 2..=trial.pick(5, 8) {
        let report = trial.probability(&format!("itai-rodeh-sync -n {n}"), None)?;
        for mean in report.means.iter().filter(|mean| mean.proved.is_some()) {
            let holds = mean.proved.as_ref().and_then(|proved| proved.holds);
            let measured = format!("n = {n}: {} {} on average", mean.mean.text(), mean.of);
            each.push(judged(holds, &report, measured));
        }
    }
    Ok(all(each))
}

fn judged(holds: Option<bool>, report: &ProbabilityReport, measured: String) -> Evidence {
    let method = format!("all random choices, n = {} ({} states)", report.scenario.n, report.states);
    match holds {
        Some(true) => Evidence::new(LedgerVerdict::Holds, method, measured),
        Some(false) => Evidence::refuted(method, measured, report.rerun.clone()),
        None => Evidence::new(LedgerVerdict::Undecided, method, measured),
    }
}

pub(super) fn vitanyi(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sizes = "-n 2^3..2^8 --quantity messages --quantity time_elected";
    let messages = trial.runs(&format!("vitanyi {sizes}"), (5, 30))?;
    let time = trial.runs(&format!("vitanyi {sizes} --set law=min-time"), (5, 30))?;
    let linear = ("N", 1.0, 0.1);
    Ok(messages.grows_as("messages", linear, processors)?.and(time.grows_as("time_elected", linear, processors)?))
}

pub(super) fn linear(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs("spirakis-tampakas-symmetry -n 2^2..2^6 --quantity messages --quantity time", (30, 300))?;
    let linear = ("N", 1.0, 0.15);
    Ok(runs.grows_as("messages", linear, processors)?.and(runs.grows_as("time", linear, processors)?))
}

/// The probability that two candidates of two processors are both elected, in one phase; k coins.
fn both_elected(trial: &mut Trial<'_>, k: u32, options: &str) -> TrialResult<(f64, ProbabilityReport)> {
    let command = format!("spirakis-tampakas-symmetry -n 2 --wake together --set draw=1,1 --set k={k} {options}");
    let report = trial.probability(&command, Some(1))?;
    let greatest = report.error.as_ref().and_then(|error| error.probability.greatest.as_ref());
    Ok((greatest.map_or(0.0, |fraction| fraction.decimal), report))
}

/// The probability of more than one leader among two processors, over all schedules, as a claim about it.
fn error(trial: &mut Trial<'_>, k: u32, options: &str, scope: &str) -> TrialResult<Evidence> {
    let command = format!("spirakis-tampakas-symmetry -n 2 --wake together --set k={k} {options}");
    let report = trial.probability(&command, None)?;
    let greatest = report.error.as_ref().and_then(|error| error.probability.greatest.as_ref());
    let claimed = 0.75f64.powi(k as i32);
    let holds = greatest.map(|greatest| greatest.decimal <= claimed);
    let found = greatest.map_or("unknown".to_string(), |greatest| significant(greatest.decimal));
    let claimed = significant(claimed);
    Ok(judged(
        holds,
        &report,
        format!("k = {k}, {scope}: two leaders with probability {found} at most, {claimed} claimed"),
    ))
}

/// A probability with three significant digits.
fn significant(value: f64) -> String {
    if value < 1e-3 { format!("{value:.2e}") } else { decimal(value) }
}

pub(super) fn phase_spread(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for form in ["fifo", "tagged"] {
        let runs = trial.runs(
            &format!(
                "spirakis-tampakas-symmetry -n 2..12 --r 1..4 --d 0..5 --vary wake='all one random:2' \
                 --vary reading='immediate per-step' --set k=2 --set form={form}"
            ),
            (5, 100),
        )?;
        each.push(runs.bound("phase_spread", "N u")?);
    }
    Ok(all(each))
}

pub(super) fn errors(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let printed = error(trial, 30, "--r 1 --d 1 --set printed=claims", "as printed")?;
    let mut repaired = vec![error(trial, 30, "--r 1 --d 1", "repaired")?];
    // A condition on two candidates makes errors more likely.
    for k in 1..=trial.pick(2, 4) {
        let (found, report) = both_elected(trial, k, "")?;
        let claimed = 0.75f64.powi(k as i32);
        let measured = format!("k = {k}, of two candidates: {} at most, {} claimed", decimal(found), decimal(claimed));
        repaired.push(judged(Some(found <= claimed), &report, measured));
    }
    Ok(printed.repaired(
        "where a claim that meets a full buffer, and a forwarding stage without any, mean another candidate",
        all(repaired),
    ))
}

pub(super) fn lone_candidate(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for (n, draw) in [(2, "1,2"), (3, "1,2,2")] {
        let command =
            format!("spirakis-tampakas-symmetry -n {n} --wake together --r 1 --d 1 --set k=2 --set draw={draw}");
        let report = trial.probability(&command, Some(1))?;
        let certain = report.over.as_ref().is_some_and(|over| over.least.exact == "1") && report.endings.len() == 1;
        let measured = format!("n = {n}: elected in the first phase with probability 1");
        each.push(judged(Some(certain), &report, measured));
    }
    Ok(all(each))
}

pub(super) fn same_selections(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    // Equal sequences of k fair coins have the probability 2^-k.
    let mut each = Vec::new();
    for k in 1..=3 {
        let (found, report) = both_elected(trial, k, "--r 1 --d 1")?;
        let equal = 0.5f64.powi(k as i32);
        let measured =
            format!("k = {k}: undetected with probability {}, equal selections {}", decimal(found), decimal(equal));
        each.push(judged(Some(found <= equal), &report, measured));
    }
    Ok(all(each).repaired_by_argument(
        "hold, forward beside hold, hold is not noticed either; the bound (3/4)^k holds nevertheless",
        "see S57",
    ))
}

pub(super) fn theorem(trial: &mut Trial<'_>, quantity: &'static str, formula: &'static str) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for k in ["", "--set k=1"] {
        let table = trial.table(Claim::Theorem1, k, (20, 100))?;
        each.push(table.at_most(|row: &ClaimRow| row.quantity == quantity && row.formula == formula));
    }
    Ok(all(each))
}

/// A single phase, with one candidate, of processors with long steps.
const SLOW: &str = "spirakis-tampakas-symmetry -n 2 --r 1..100 --d 100 --clocks slowest --set draw=1,2";

/// n d_max k.
fn phase(setup: &Setup) -> Option<f64> {
    let k: f64 = setup.facts.parameters.iter().find(|(key, _)| *key == "k")?.1.parse().ok()?;
    Some(setup.scenario.n as f64 * setup.scenario.timing.d.max as f64 * k)
}

pub(super) fn time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let slow = trial.run(SLOW)?;
    let claimed = 4.0 * std::f64::consts::E * phase(&slow.setup).unwrap_or(f64::NAN);
    let time = slow.report.cost.time as f64;
    let measured =
        format!("one phase of slow processors takes {}, the mean of all {}", decimal(time), decimal(claimed));
    let printed = slow.shows(time <= claimed, measured);
    let table = trial.table(Claim::Theorem1, "", (20, 100))?;
    let repaired = table.at_most(|row: &ClaimRow| row.quantity == "time" && row.source.contains("corrected"));
    Ok(printed
        .repaired("e (max((k+3)Nq r_max + Nu, ⌈Nq(1+r_max/r_min)⌉ r_max) + u) + Nu, where u = d_max + r_max", repaired))
}

pub(super) fn one_minimum_or_two(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    // Where n is known, O(log n) bits hold a count of hops: a name that is back after n hops, and met no equal one, is the only one.
    let mut counted = Vec::new();
    for n in 2..=trial.pick(3, 4) {
        let report = trial.probability(&format!("itai-rodeh -n {n} --set rounds=off"), None)?;
        let certain = report.over.as_ref().is_some_and(|over| over.least.exact == "1") && report.error.is_none();
        let method = format!("all random choices and schedules, n = {n}");
        counted.push(match certain {
            true => {
                let measured = "messages that count their hops never take two minima for one";
                Evidence::refuted(method, measured, report.rerun)
            }
            false => Evidence::new(LedgerVerdict::Undecided, method, "errors are possible"),
        });
    }
    let printed = all(counted);
    let mut each = Vec::new();
    for ids in ["1,2,1,2", "1,2,3,1,2,3", "1,4,2,3,1,4,2,3"] {
        let report = trial.lock_step(&format!("vitanyi --ids {ids} --anonymous"))?;
        let same = report.covered.as_ref().is_some_and(|covered| covered.same && covered.elected.len() == 1);
        let measured = format!("{} of {ids}", report.elected.len());
        each.push(match same {
            true => Evidence::new(LedgerVerdict::Holds, "lock-step runs beside those of half the ring", measured),
            false => Evidence::refuted("lock-step runs", measured, report.rerun.clone()),
        });
    }
    Ok(printed.repaired(
        "where n is unknown, and then on synchronous rings, too: one with two minima looks to every processor like its half with one",
        all(each),
    ))
}

pub(super) fn many_stages(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for k in [30, 40] {
        let (found, report) = both_elected(trial, k, "--r 1 --d 1")?;
        let claimed = 0.75f64.powi(k as i32);
        let measured =
            format!("k = {k}: {found:.1e} for two candidates in lock step, repaired; (3/4)^k = {claimed:.1e}");
        each.push(judged(Some(found <= claimed), &report, measured));
    }
    Ok(all(each))
}

pub(super) fn one_draws_1(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    // A phase in which exactly one draws 1 is the last; another ends it only by an error, (3/4)^30 at most.
    let runs = trial.runs("spirakis-tampakas-symmetry -n 2,4,8,16 --quantity phases", (300, 3000))?;
    let mut each = Vec::new();
    for n in [2u64, 4, 8, 16] {
        let phases: Vec<f64> = runs.each().filter(|run| run.n() == n).filter_map(|run| run.value("phases")).collect();
        let first = phases.iter().filter(|&&phases| phases == 1.0).count();
        let interval = wilson(first as u64, phases.len() as u64, LEVEL);
        let claimed = (1.0 - 1.0 / n as f64).powi(n as i32 - 1);
        let measured = format!("n = {n}: {} against {}", decimal(first as f64 / phases.len() as f64), decimal(claimed));
        each.push(match interval.low <= claimed && claimed <= interval.high && claimed > (-1.0f64).exp() {
            true => Evidence::new(LedgerVerdict::Held, runs.method(), measured),
            false => Evidence::refuted(runs.method(), measured, runs.report.provenance.command.clone()),
        });
    }
    Ok(all(each))
}

pub(super) fn faster_candidate(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs(
        "spirakis-tampakas-symmetry -n 8 --clocks list:10,10,10,10,12,10,10,10 --set k=1 --set draw=1,2,2,2,1,2,2,2 --max-time \
         100000 --quantity phases",
        (200, 2000),
    )?;
    let alone = |place: u64| {
        let first = runs.each().filter(|run| run.value("phases") == Some(1.0) && run.record.leaders == Some(1));
        first.filter(|run| run.record.leader == Some(place)).count() as u64
    };
    let (faster, slower) = (alone(0), alone(4));
    let measured = format!("of two candidates the faster was elected alone in {faster} runs, the slower in {slower}");
    if faster + slower == 0 {
        return Ok(Evidence::new(LedgerVerdict::Undecided, runs.method(), measured));
    }
    let interval = wilson(faster, faster + slower, LEVEL);
    Ok(match (interval.low > 0.5, interval.high < 0.5) {
        (true, _) => Evidence::new(LedgerVerdict::Held, runs.method(), measured),
        (_, true) => Evidence::refuted(runs.method(), measured, runs.report.provenance.command.clone()),
        _ => Evidence::new(LedgerVerdict::Undecided, runs.method(), measured),
    })
}

/// In a phase of Itai and Rodeh's synchronous election everybody counts the pebbles of the minima: a deterministic report.
pub(super) fn several_minima(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 2..=trial.pick(5, 7) {
        let report = trial.probability(&format!("itai-rodeh-sync -n {n}"), None)?;
        let measured = format!("n = {n}: several minima are never taken for one");
        each.push(judged(Some(report.error.is_none()), &report, measured));
    }
    Ok(all(each).note("n is known; where it is not, the covering of S49 excludes it"))
}

/// A run of one phase costs what that phase costs.
pub(super) fn one_phase(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let scope = "spirakis-tampakas-symmetry -n 2,4,8,16 --vary r='10..20 1..100' --vary set.k='1 2 30'";
    let runs = trial.runs(scope, (20, 100))?;
    let alone = |run: &SampledRun<'_>| run.value("phases") == Some(1.0);
    let bits = runs.every("bits of a phase", "4kcn", Comparator::AtMost, |run| {
        let setup = run.setup();
        let bound = setup.facts.bounds.iter().find(|bound| bound.formula == "4 e c N k")?;
        alone(run).then_some((run.value("bits")?, float(bound.value) / std::f64::consts::E))
    })?;
    let slow = trial.run(SLOW)?;
    let claimed = 4.0 * phase(&slow.setup).unwrap_or(f64::NAN);
    let time = slow.report.cost.time as f64;
    let measured = format!("a phase of two slow processors takes {}, 4n d_max k = {}", decimal(time), decimal(claimed));
    let printed = slow.shows(time <= claimed, measured);
    let repaired = runs.every("time of a phase", "that of theorem 1, corrected", Comparator::AtMost, |run| {
        let setup = run.setup();
        let bound = setup.facts.bounds.iter().find(|bound| bound.source.contains("corrected"))?;
        alone(run).then_some((run.value("time")?, float(bound.value)))
    })?;
    Ok(printed.and(bits).repaired("the bits are; the time is not where r_max/r_min is large: see S61", repaired))
}
