//! Sections 2 and 3: the lock, and readers and writers.

use ringleader::claim::{Claim, ClaimRow};
use ringleader::sweep::Comparator;

use crate::evidence::{Evidence, LedgerVerdict};
use crate::trial::{Trial, TrialResult, decimal};

/// The repaired lock, over all clocks and delays of small instances.
pub(super) fn repaired(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let small = trial.check_sizes("spirakis-tampakas-mutex --r 1 --d 1 --set c1=1", 2..=trial.pick(3, 4))?;
    let clocks = trial.check(trial.pick("spirakis-tampakas-mutex -n 2", "spirakis-tampakas-mutex -n 2 --entries 2"))?;
    Ok(small.and(clocks.all()))
}

/// The lock that asks again, with a crash.
pub(super) fn probed(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let two = trial.check("spirakis-tampakas-mutex -n 2 --faults crash:1 --set crash=probe")?.all();
    let three = "spirakis-tampakas-mutex -n 3 --r 1 --d 1 --faults crash:1 --set c1=1 --set crash=probe";
    Ok(if trial.pick(false, true) { two.and(trial.check(three)?.all()) } else { two })
}

const LOADS: &str = "spirakis-tampakas-mutex -n 8 --vary compete='1 2 4 8' --vary r='10 10..20 10..40' --entries 20";

pub(super) fn messages_an_entry(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs(LOADS, (3, 30))?;
    let (least, most) =
        (runs.bound("whole_run.messages_per_entry", "N-1")?, runs.bound("whole_run.messages_per_entry", "3(N-1)")?);
    Ok(least.and(most).and(trial.check("spirakis-tampakas-mutex -n 3 --r 1 --d 1 --set c1=1")?.all()))
}

pub(super) fn negative_replies(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::Lemma1, "", LINE)?;
    let drifting = |row: &ClaimRow| row.ratio.to_string() != "1";
    Ok(table
        .at_most(|_| true)
        .repaired("at most s/(2(1+γ)) on average where γ ≤ 1/2, as far as measured", table.at_most(drifting)))
}

pub(super) fn messages_on_average(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::Lemma2, "", LINE)?;
    let runs = trial.runs(LOADS, (3, 30))?;
    let exact = runs.every("messages an entry", "N-1 + 2 nnr", Comparator::Equal, |run| {
        let negatives = run.value("whole_run.negatives_per_entry")?;
        let claimed = run.n() as f64 - 1.0 + 2.0 * negatives;
        // Both are rounded to a few binary places.
        let measured = run.value("whole_run.messages_per_entry")?;
        Some((if (measured - claimed).abs() < 1e-6 { claimed } else { measured }, claimed))
    })?;
    Ok(table.at_most(|_| true).repaired("N-1 + 2 nnr, since every negative reply is followed by a positive one", exact))
}

const PROVED_DELAY: &str = "(x_max + window) r_max + 2N(d_max + r_max) + 2(N-1) hold r_max";

pub(super) fn longest_delay(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let alone = trial.run("spirakis-tampakas-mutex -n 1 --r 1 --d 1")?;
    let printed = alone.bound("whole_run.granting_delay.max", "2 d_max + 2(N-1) mindelay");
    // A claim about a mean is not judged by one run: its value is compared with the longest delay.
    let printed = match printed {
        Ok(evidence) if evidence.verdict != LedgerVerdict::Undecided => evidence,
        _ => {
            let longest = alone.report.cost.granting_delay.as_ref().map_or(0, |delay| delay.max);
            alone.shows(longest <= 2, format!("one site alone waits {longest}, claimed 2 d_max = 2"))
        }
    };
    let runs = trial.runs(LOADS, (3, 30))?;
    Ok(printed.repaired(
        "(x_max + window) r_max + 2N(d_max + r_max) + 2(N-1) hold r_max, proved in the protocol's file",
        runs.bound("whole_run.granting_delay.max", PROVED_DELAY)?,
    ))
}

pub(super) fn mean_delay(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::GrantingDelay, "", LINE)?;
    let runs = trial.runs(LOADS, (3, 30))?;
    let of_means = |row: &ClaimRow| row.quantity == "granting_delay.mean";
    Ok(table.at_most(of_means).repaired(
        "no more than the longest delay, (x_max + window) r_max + 2N(d_max + r_max) + 2(N-1) hold r_max",
        runs.bound("whole_run.granting_delay.max", PROVED_DELAY)?,
    ))
}

pub(super) fn below_ricart_agrawala(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let scope = "-n 16 --r 10 --d 20..100 --hold 100 --entries 50";
    let ours = trial.run(&format!("spirakis-tampakas-mutex {scope}"))?;
    let theirs = trial.run(&format!("ricart-agrawala {scope} --reading per-step"))?;
    let messages =
        |run: &crate::trial::RunMade| run.report.cost.messages_per_entry.map_or(0.0, |number| number.to_f64());
    let delay =
        |run: &crate::trial::RunMade| run.report.cost.granting_delay.as_ref().map_or(0.0, |delay| delay.mean.to_f64());
    let text = |what: &str, one: f64, other: f64| format!("{what}: {} against {}", decimal(one), decimal(other));
    let (ours_sent, theirs_sent) = (messages(&ours), messages(&theirs));
    let sent = ours.shows(ours_sent <= theirs_sent, text("messages an entry", ours_sent, theirs_sent));
    let (ours_waited, theirs_waited) = (delay(&ours), delay(&theirs));
    let waited = ours.shows(ours_waited <= theirs_waited, text("mean delay", ours_waited, theirs_waited));
    let runs = trial.runs(
        "spirakis-tampakas-mutex -n 16 --vary compete='1 2 4 8' --vary r='10..20 10..40' --entries 20",
        (3, 30),
    )?;
    let few = runs.every("messages an entry where nnr < (n-1)/2", "2(n-1)", Comparator::AtMost, |run| {
        let few = run.value("whole_run.negatives_per_entry")? < (run.n() as f64 - 1.0) / 2.0;
        few.then_some((run.value("whole_run.messages_per_entry")?, 2.0 * (run.n() as f64 - 1.0)))
    })?;
    Ok(sent
        .and(waited)
        .repaired("fewer messages where nnr < (n-1)/2; the delay is longer, by the random wait and the window", few))
}

pub(super) fn attempts(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    lines(trial, Claim::Attempts, "attempts_per_read")
}

pub(super) fn no_starvation(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let scope = "lamport-readers-writers --vary n='2 3 4 6' --vary r='1 1..2 1..4'";
    let runs = trial.runs(scope, (5, 50))?;
    let waits = runs.every("starved", "0", Comparator::Equal, |run| Some((run.value("starved")?, 0.0)))?;
    let without = trial.runs("lamport-readers-writers -n 3 --r 1 --set waits=none", (1, 1))?;
    let starved = without.rows("starved").map(|(_, found)| found.max).fold(0.0, f64::max);
    Ok(waits.note(format!("without waits {} of 2 readers starve in lock step", decimal(starved))))
}

/// How many runs a line of a table stands for: in a quick trial, and in a thorough one.
const LINE: (u64, u64) = (10, 30);

/// The lines of a table about one quantity: those of the printed claim, or of the corrected one.
fn about(quantity: &str, corrected: bool) -> impl Fn(&ClaimRow) -> bool {
    move |row| row.quantity == quantity && row.source.contains("corrected") == corrected
}

/// A table whose lines about one quantity are judged.
fn lines(trial: &mut Trial<'_>, claim: Claim, quantity: &str) -> TrialResult<Evidence> {
    Ok(trial.table(claim, "", LINE)?.at_most(about(quantity, false)))
}

/// The same where the table has a corrected claim beside the printed one, which holds instead.
fn lines_repaired(
    trial: &mut Trial<'_>,
    claim: Claim,
    quantity: &str,
    statement: &'static str,
) -> TrialResult<Evidence> {
    let table = trial.table(claim, "", LINE)?;
    Ok(table.at_most(about(quantity, false)).repaired(statement, table.at_most(about(quantity, true))))
}

pub(super) fn halved(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let halved = lines(trial, Claim::RandomWaits, "negatives_per_entry")?;
    let runs = trial.runs("spirakis-tampakas-mutex -n 16 --r 10..20 --vary set.c1='0 10 round'", (5, 30))?;
    let means: Vec<f64> = runs.rows("negatives_per_entry").map(|(_, found)| found.mean).collect();
    let fewer = matches!(means.as_slice(), [without, ten, round] if ten < without && round < ten);
    let texts: Vec<String> = means.iter().map(|&mean| decimal(mean)).collect();
    let measured = format!("c1 = 0, 10, round: {} negative replies", texts.join(", "));
    let verdict = if fewer { LedgerVerdict::Held } else { LedgerVerdict::Refuted };
    Ok(halved.repaired("they reduce it, the more the longer they are", Evidence::new(verdict, runs.method(), measured)))
}

pub(super) fn prediction(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::ChangingLoad, "", (10, 20))?;
    let is_error = |row: &&ClaimRow| row.quantity.starts_with("prediction_error");
    let errors = || table.verified.rows.iter().filter(is_error);
    let error = |load: &str| errors().find(|row| row.value == load).map(|row| row.measured.mean);
    let (Some(slow), Some(fast)) = (error("slow"), error("very fast")) else {
        return Ok(Evidence::new(LedgerVerdict::Undecided, "loads that change", "no prediction was measured"));
    };
    let measured =
        format!("error over mean nnr: {} where s changes slowly, {} where fast", decimal(slow), decimal(fast));
    let method = format!("{} lines of runs", table.verified.rows.len());
    let judged = match slow < fast {
        true => Evidence::new(LedgerVerdict::Held, method.clone(), measured),
        false => Evidence::refuted(method.clone(), measured, table.verified.rerun.clone()),
    };
    let (least, most) = errors().fold((f64::INFINITY, 0.0f64), |(least, most), row| {
        (least.min(row.measured.mean), most.max(row.measured.mean))
    });
    let any = format!("{} to {} of it over all loads", decimal(least), decimal(most));
    let verdict = if least > 0.4 && most < 1.6 { LedgerVerdict::Held } else { LedgerVerdict::Refuted };
    Ok(judged.repaired("under any load it errs by about as much as nnr itself", Evidence::new(verdict, method, any)))
}

pub(super) fn tails(trial: &mut Trial<'_>, quantity: &str) -> TrialResult<Evidence> {
    let table = trial.table(Claim::Tails, "", LINE)?;
    let rows: Vec<&ClaimRow> = table.verified.rows.iter().filter(|row| row.quantity == quantity).collect();
    let last = rows.iter().rfind(|row| row.value == "64");
    let first = rows.iter().find(|row| row.value == "8");
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(Evidence::new(LedgerVerdict::Undecided, "tails", "nothing was measured"));
    };
    let method = format!("{} lines of runs, β = 1/2", rows.len());
    let measured =
        format!("{quantity}: {} of 8 sites, {} of 64", decimal(first.measured.mean), decimal(last.measured.mean));
    // A tail that vanishes is less than half as large for eight times as many sites.
    let vanishes = last.measured.high < first.measured.mean / 2.0;
    let judged = match vanishes {
        true => Evidence::new(LedgerVerdict::Held, method, measured),
        false => Evidence::refuted(method, measured, table.verified.rerun.clone()),
    };
    Ok(judged.repaired_by_argument("at most 1/(1+β)", "Markov's inequality; the replies are not independent trials"))
}

pub(super) fn found_active(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::FoundActive, "", LINE)?;
    let claimed = |row: &ClaimRow| row.quantity == "found_active";
    let few = |row: &ClaimRow| claimed(row) && row.value == "2" && row.ratio.to_string() != "1";
    Ok(table.at_most(claimed).repaired("of two competitors with γ ≤ 1/2, as far as measured", table.at_most(few)))
}

pub(super) fn ricart_agrawala_delay(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    lines_repaired(
        trial,
        Claim::RicartAgrawalaDelay,
        "whole_run.granting_delay.max",
        "3d + (n-1)(hold r_max + d), where d = d_max, or d_max + r_max if messages are read at steps",
    )
}

const TWICE: &str = "while a site waits with its number, each other enters at most twice";
const CLOSE: &str = "numbers in use differ by at most N-1";

/// A promise of the lock, over all clocks of small instances, and its figure in large ones.
fn promised(trial: &mut Trial<'_>, promise: &str, quantity: &str) -> TrialResult<Evidence> {
    let small = "spirakis-tampakas-mutex -n 2 --r 1 --d 1..2 --set c1=1 --entries 3";
    let exhaustive = trial.check(small)?.property(promise)?;
    Ok(exhaustive.and(lines(trial, Claim::Overtaking, quantity)?))
}

pub(super) fn twice(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let evidence = promised(trial, TWICE, "overtaken.since_number")?;
    Ok(evidence.note("counted from the drawing of the number on; a site that still sleeps has none"))
}

pub(super) fn close_numbers(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    promised(trial, CLOSE, "number_spread")
}

pub(super) fn overlaps(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let scope = "lamport-readers-writers -n 2 --entries 2 --readers 1 --writers 1";
    let always = format!("{scope} --set digits=2 --set words=1 --set waits=none --set overlaps=always");
    let printed = trial.check(&always)?.all();
    let repaired = trial.check(&format!("{scope} --set digits=1 --set base=3 --set waits=none"))?.all();
    Ok(printed.repaired("where versions have one digit, which with the waits is enough", repaired))
}

pub(super) fn read_write_times(trial: &mut Trial<'_>, quantity: &str) -> TrialResult<Evidence> {
    let statement = "at most (3(R+W)+2γW)/(R+3W) attempts in the long run, p being the inverse";
    lines_repaired(trial, Claim::ReadWriteTimes, quantity, statement)
}
