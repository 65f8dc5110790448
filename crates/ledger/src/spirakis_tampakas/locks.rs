//! Sections 2 and 3: the lock, and readers and writers.

use ringleader::claim::{Claim, ClaimRow};
use ringleader::sweep::Comparator;

use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::runs::figure;
use crate::trial::{Trial, TrialResult, WIDER, decimal};

/// The repaired lock, over all clocks and delays of small instances.
pub(super) fn repaired(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let small = trial.check_sizes("spirakis-tampakas-mutex --r 1 --d 1 --set c1=1", 2..=trial.pick(3, 4))?;
    let clocks = trial.check(trial.pick("spirakis-tampakas-mutex -n 2", "spirakis-tampakas-mutex -n 2 --entries 2"))?;
    Ok(small.and(clocks.all()))
}

/// Several users of a site, who queue there: exclusion and the order of each queue are judged in every run, and messages are as
/// with one user.
pub(super) fn local(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs("ricart-agrawala -n 6 --vary users='1 2 4' --entries 6 --think 0..50", (3, 30))?;
    let lock = trial.runs("spirakis-tampakas-mutex -n 6 --vary users='2 4' --entries 6 --think 0..50", (3, 30))?;
    let overlap = lock
        .every("most sites inside together", "1", Comparator::AtMost, |run| Some((run.value("overlap_max")?, 1.0)))?;
    let all =
        [trial.check("ricart-agrawala -n 2 --users 2")?, trial.check("ricart-agrawala -n 3 --users 2 --entries 1")?];
    let checked = all.iter().map(crate::trial::CheckMade::all);
    Ok(crate::evidence::all(checked.chain([
        runs.bound("whole_run.messages_per_entry", "2(N-1)")?,
        lock.bound("whole_run.granting_delay.max", "U D + (U-1) hold r_max")?,
        overlap,
    ])))
}

/// Readers and writers with the other lock of the catalogue, over all schedules.
pub(super) fn other_lock(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for roles in trial.pick(
        ["-n 3 --readers 2 --writers 1"].as_slice(),
        &["-n 3 --readers 2 --writers 1 --entries 2", "-n 3 --readers 1 --writers 2", "-n 4 --readers 3 --writers 1"],
    ) {
        each.push(trial.check(&format!("ricart-agrawala {roles}"))?.all());
    }
    let runs = trial.runs("ricart-agrawala -n 12 --vary readers='0 4 8 11' --writers 1 --hold 1..9", (3, 30))?;
    each.push(runs.bound("whole_run.messages_per_entry", "2(N-1)")?);
    Ok(all(each).note("of the locks of the catalogue: a token ring passes a token, and has no users"))
}

/// The lock where a step reads one message, with the c of two steps of process (b), and with one that grows with N.
pub(super) fn one_by_one(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let scope = "spirakis-tampakas-mutex --r 1 --d 1 --entries 2 --reading per-tick --set c1=0";
    let constant = trial.check(&format!("{scope} -n 2 --set c=2"))?.all();
    let enough = trial.check(&format!("{scope} -n 2"))?.all();
    let clocks = trial.check("spirakis-tampakas-mutex -n 2 --reading per-tick --set c1=0")?.all();
    let three = match trial.pick(false, true) {
        false => trial.check("spirakis-tampakas-mutex -n 3 --r 1 --d 1 --reading per-tick --set c1=0")?,
        true => trial.check(&format!("{scope} -n 3"))?,
    };
    Ok(constant
        .and(trial.check(&format!("{scope} -n 2 --set c=3"))?.all())
        .repaired(
            "c = 6N-8 where a step reads one message, proved in the lock's file",
            enough.and(clocks).and(three.all()),
        )
        .note("of two sites 4 steps are needed, of three 7 (r = d = 1): messages wait for each other at both ends"))
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
    // Without random waits and with long stays nearly everybody refuses: the upper end is reached.
    let refused = trial.runs("spirakis-tampakas-mutex -n 16 --set c1=0 --hold 100", (2, 10))?;
    let reached = refused.bound("whole_run.messages_per_entry", "3(N-1)")?;
    let small = trial.check("spirakis-tampakas-mutex -n 3 --r 1 --d 1 --set c1=1")?.all();
    Ok(least.and(most).and(reached).and(small))
}

/// With waits of a round, as 2.2.2 (c) asks for.
pub(super) fn negative_replies(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::Lemma1, "--set c1=round --hold 1000", LINE)?;
    let runs = trial.runs(LOADS, (3, 30))?;
    let others = runs.every("negative replies an entry", "s-1", Comparator::AtMost, |run| {
        let setup = run.setup();
        let competing = setup.scenario.workload.as_ref()?.compete as f64;
        Some((run.value("whole_run.negatives_per_entry")?, competing - 1.0))
    })?;
    Ok(table
        .at_most(|_| true)
        .repaired("at most s-1, to which it comes close where stays are long and waits short", others))
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
    let printed = |row: &ClaimRow| row.formula == "N-1 + s/(2(1+γ))";
    Ok(table.at_most(printed).repaired("N-1 + 2 nnr, since every negative reply is followed by a positive one", exact))
}

const PROVED_DELAY: &str = "(x_max + window) r_max + 2N(d_max + r_max) + 2(N-1) hold r_max";

pub(super) fn longest_delay(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let two = trial.run("spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 2")?;
    let printed = two.claim("whole_run.granting_delay.max", "2 d_max + 2(N-1) mindelay")?;
    let runs = trial.runs(LOADS, (3, 30))?;
    Ok(printed.repaired(
        "(x_max + window) r_max + 2N(d_max + r_max) + 2(N-1) hold r_max, proved in the protocol's file",
        runs.bound("whole_run.granting_delay.max", PROVED_DELAY)?,
    ))
}

/// The sites that refuse j are awake when they handle its request, and enter one after the other once their windows are closed: a
/// site that one of them waits for has drawn a smaller number, and so has either refused j, too, or left. So an entry with nnr
/// negative replies waits for (x + window) r_max + 2u + nnr (hold r_max + u) at most, where u = d_max + r_max and x is the wait
/// before asking, which is mindelay (1 + 2 nnr') at most, with the nnr' of the site's entry before.
pub(super) fn mean_delay(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let alone = trial.run("spirakis-tampakas-mutex -n 2 --compete 1 --r 1 --d 1")?;
    let printed = alone.claim("granting_delay.mean", "2 d_max + s mindelay/(2(1+γ))")?;
    let runs = trial.runs(LOADS, (3, 30))?;
    let repaired = runs.every("mean delay", "that", Comparator::AtMost, |run| {
        let setup = run.setup();
        let timing = &setup.scenario.timing;
        let (r, u) = (timing.r.max as f64, (timing.d.max + timing.r.max) as f64);
        let hold = setup.scenario.workload.as_ref()?.hold.max as f64;
        let nnr = run.value("whole_run.negatives_per_entry")?;
        let wait = figure(&setup, "mindelay")? * (1.0 + 2.0 * nnr) + figure(&setup, "window")?;
        Some((run.value("whole_run.granting_delay.mean")?, wait * r + 2.0 * u + nnr * (hold * r + u)))
    })?;
    Ok(printed.repaired(
        "(mindelay(1 + 2 nnr) + window) r_max + 2u + nnr (hold r_max + u), nnr being the mean and u = d_max + r_max",
        repaired,
    ))
}

/// The time of a site that competes alone; messages where waits last a round, as 2.2.2 (c) asks for.
pub(super) fn below_ricart_agrawala(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let scope = "-n 2 --compete 1 --r 1 --d 1";
    let ours = trial.run(&format!("spirakis-tampakas-mutex {scope}"))?;
    let theirs = trial.run(&format!("ricart-agrawala {scope} --reading per-step"))?;
    let (waits, waits_there) = (ours.mean_wait(), theirs.mean_wait());
    let measured = format!("mean delay of a site alone: {} against {}", decimal(waits), decimal(waits_there));
    let time = ours.shows(waits <= waits_there, measured);
    let scope = "spirakis-tampakas-mutex -n 16 --set c1=round --vary compete='1 2 4 8 16' --vary r='10 10..20 10..40'";
    let runs = trial.runs(&format!("{scope} --hold 100 --entries 20"), (3, 30))?;
    let fewer = runs.every("messages an entry", "2(n-1)", Comparator::AtMost, |run| {
        Some((run.value("whole_run.messages_per_entry")?, 2.0 * (run.n() as f64 - 1.0)))
    })?;
    Ok(time.repaired(
        "fewer messages where nnr < (n-1)/2, since an entry costs n-1 + 2 nnr: on average, where waits last a round",
        fewer,
    ))
}

pub(super) fn attempts(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let evidence = lines(trial, Claim::Attempts, "attempts_per_read")?;
    Ok(evidence.note("the first read after a common start may take up to 3.31: experiments/lamport-attempts"))
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

/// Predictions under a load that changes are compared with those under a constant one.
pub(super) fn prediction(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::ChangingLoad, "", (10, 20))?;
    let method = format!("{} lines of runs", table.verified.rows.len());
    let fast = |row: &&ClaimRow| row.quantity.starts_with("prediction_error") && row.value == "fast";
    let mut each = Vec::new();
    for row in table.verified.rows.iter().filter(fast) {
        let (error, constant) = (row.measured, row.claimed.to_f64());
        let measured = format!(
            "γ = {}: error over mean nnr {} where s changes every two waits, {} where it is constant",
            row.gamma,
            decimal(error.mean),
            decimal(constant)
        );
        each.push(match (error.mean - WIDER * error.ci95 > constant, error.mean + WIDER * error.ci95 < constant) {
            (true, _) => Evidence::new(LedgerVerdict::Held, method.clone(), measured),
            (_, true) => Evidence::refuted(method.clone(), measured, table.verified.rerun.clone()),
            _ => Evidence::new(LedgerVerdict::Undecided, method.clone(), measured),
        });
    }
    Ok(all(each).note("poor under any load; where s changes several times in a wait, only its average counts"))
}

/// A tail of all n sites for growing n: one that vanishes is less than half as large for eight times as many sites.
pub(super) fn tails(
    trial: &mut Trial<'_>,
    quantity: &str,
    instead: (&'static str, &'static str),
) -> TrialResult<Evidence> {
    let table = trial.table(Claim::Tails, "", LINE)?;
    let of = |n: &'static str| table.verified.rows.iter().filter(move |row| row.quantity == quantity && row.value == n);
    let mut each = Vec::new();
    for (few, many) in of("8").zip(of("64")) {
        let method = format!("{} and {} runs of 8 and 64 sites, all of which compete", few.runs, many.runs);
        let [eight, sixty_four] = [few, many].map(|row| decimal(row.measured.mean));
        let measured = format!("γ = {}, {quantity}: {eight} of 8 sites, {sixty_four} of 64", few.gamma);
        let half = few.measured.mean / 2.0;
        each.push(match (many.measured.high < half, many.measured.low > half) {
            (true, _) => Evidence::new(LedgerVerdict::Held, method, measured),
            (_, true) => Evidence::refuted(method, measured, table.verified.rerun.clone()),
            _ => Evidence::new(LedgerVerdict::Undecided, method, measured),
        });
    }
    let (statement, argument) = instead;
    Ok(all(each).repaired_by_argument(statement, argument))
}

pub(super) fn found_active(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let table = trial.table(Claim::FoundActive, "", LINE)?;
    let active = table.at_most(|row| row.quantity == "found_active");
    let in_the_middle = table.at_most(|row| row.quantity == "negatives / found active");
    Ok(active.clone().and(in_the_middle).repaired(
        "at most 1/(1+γ) are found active, where waits last a round, as far as measured; nearly all of these refuse",
        active,
    ))
}

pub(super) fn ricart_agrawala_delay(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let two = trial.run("ricart-agrawala -n 2 --entries 3 --r 1 --d 1 --hold 1")?;
    let printed = two.claim("whole_run.granting_delay.max", "(N(N+1)/2-1) r_max")?;
    let table = trial.table(Claim::RicartAgrawalaDelay, "", LINE)?;
    let entries = trial.check("ricart-agrawala -n 3 --entries 2")?;
    let entries = entries.property("a waiting site is overtaken at most N(N+1)/2-1 times")?;
    Ok(printed.repaired(
        "n(n+1)/2-1 critical sections of others, and 3d + (n-1)(hold r_max + d) of time, where d = d_max, or d_max + r_max if \
         messages are read at steps",
        table.at_most(about("whole_run.granting_delay.max", true)).and(entries),
    ))
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
    let two_digits = match printed.verdict {
        LedgerVerdict::Refuted => "with two digits, which are not read at once, one write can look like two",
        _ => "with two digits, too",
    };
    Ok(repaired.note(two_digits))
}

pub(super) fn read_write_times(
    trial: &mut Trial<'_>,
    quantity: &str,
    statement: &'static str,
) -> TrialResult<Evidence> {
    lines_repaired(trial, Claim::ReadWriteTimes, quantity, statement)
}
