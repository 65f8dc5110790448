//! Sections 3 and 4: the equations, and what follows from them.

use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::runs::{RunsMade, SampledRun};
use crate::trial::{Trial, TrialResult, decimal};
use crate::vitanyi::ring::{RingFigures, digits};
use ringleader::report::ResultReport;
use ringleader::sweep::Comparator;

/// The ring of experiments/vitanyi-bounds in which each of the smallest identities just escapes the next smaller one.
const RING_OF_36: &str = "vitanyi --ids \
     1,7,8,9,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,3,28,29,30,31,32,4,33,34,5,35,6,36";

/// The ring of tests/tests/vitanyi_claims.rs in which they do so with first=f.
const RING_OF_46: &str = "vitanyi --ids 2,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,3,29,30,31,32,33,34,35,36,37,\
                          38,39,4,40,41,42,43,44,45,5,46,47,6,8,7 --set first=f";

/// Many clocks, delays and sets of starters.
const TIMINGS: &str = "-n 2..24 --vary r='1 1..2 1..8' --vary d='0 0..6'";
const SETS: &str = "--vary wake='all one random:2'";

/// Rings in which small identities escape smaller ones for long: as close to the bounds as lockstep gets, ascending and descending
/// besides, with clocks that drift a little and that differ much.
const ADVERSE: &str = "--vary ids='1,7,8,9,10,11,2,12,13,14,3,15,4,16,5,6 \
                       2,9,10,11,12,13,14,15,3,16,17,18,19,4,20,21,5,22,6,7 \
                       1,2,3,4,5,6,7,8,9,10,11,12 3,14,13,12,11,10,9,8,7,6,5,4' \
                       --vary r='1 7..8 1..2 1..8' --vary d='0 0..1 0..6'";

/// The header of this file argues for the repaired bounds.
pub(crate) const PROOF: &str = "proof: crates/protocols/src/election/vitanyi/bounds.rs";

/// Whether a quantity is at most a formula of the ring in every run.
fn at_most(
    runs: &RunsMade,
    quantity: &str,
    formula: &str,
    claimed: impl Fn(&RingFigures) -> f64,
) -> TrialResult<Evidence> {
    runs.every(quantity, formula, Comparator::AtMost, |run| {
        Some((run.value(quantity)?, claimed(&RingFigures::new(&run.setup())?)))
    })
}

/// V17: elections within the interval in which a system has the ratios of (2), and one that goes on beyond it.
pub(crate) fn interval(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    // With u = 14 and l = 1 an election of at most 24 processors is over by Nu(2^l + 2) = 1,344.
    let within = "vitanyi -n 2..24 --r 1..8@0,1..100@1400 --d 0..6@0,0..900@1400 --assume first";
    let within = trial.runs(&format!("{within} {SETS}"), (2, 40))?;
    let formula = "4N - 1 + (T/m) sum over i != l of 1/f(i)";
    let (messages, time) = (within.bound("messages", formula)?, within.bound("time", "Nu(2^l + 2)")?);
    // Before any message can be overtaken, delays become so long that each makes its whole way.
    let beyond = trial.run("vitanyi -n 9 --order ascending --d 1@0,1e6@2 --assume first")?;
    let passes = beyond.report.cost.messages.total;
    let bound = beyond.report.bounds.iter().find(|bound| bound.formula == formula).map(|bound| bound.value.to_f64());
    let shown =
        format!("{passes} messages where (2) of the first interval allows {}", decimal(bound.unwrap_or(f64::NAN)));
    Ok(messages
        .and(time)
        .and(beyond.shows(bound.is_some_and(|bound| passes as f64 > bound), format!("beyond it {shown}"))))
}

/// Bounds that are proved as repaired, in the runs of [`TIMINGS`] and [`ADVERSE`].
fn repaired_runs(trial: &mut Trial<'_>, law: &str) -> TrialResult<[RunsMade; 2]> {
    let laws = format!("--vary set.law='{law}'");
    Ok([
        trial.runs(&format!("vitanyi {TIMINGS} {SETS} {laws}"), (1, 20))?,
        trial.runs(&format!("vitanyi {ADVERSE} --vary clocks='fixed varying' {laws}"), (1, 20))?,
    ])
}

/// Whether bounds that the protocol lists held in these runs, as is proved.
fn proved(runs: &[RunsMade], bounds: &[(&str, &str)]) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for runs in runs {
        for (quantity, formula) in bounds {
            each.push(runs.bound(quantity, formula)?);
        }
    }
    Ok(all(each).proved(PROOF))
}

/// A repaired statement, beside the printed one where the timer is set to f(i) on waking.
fn beside_first_f(repaired: Evidence, first_f: Evidence) -> Evidence {
    match first_f.verdict {
        LedgerVerdict::Held => {
            repaired.note(format!("if the timer is set to f(i) on waking, {}", first_f.measured.join("; ")))
        }
        _ => repaired.and(first_f),
    }
}

/// V23: the tour of the winner's message.
pub(crate) fn tour(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let run = trial.run("vitanyi --ids 1,2,3,4 --set claims=printed")?;
    // M_1 leaves at the first tick, and is read a unit after it has come back.
    let back = run.report.cost.time_elected.unwrap_or(0) - 1;
    let printed = run.shows(back - 1 <= 8, format!("M_1 leaves at 1 and is back at {back}: N f(l) u = 8"));
    let runs = repaired_runs(trial, STEEP)?;
    let apart = proved(&runs, &[("time_elected - time_awake", "w_s + (f(l)+1)w_p")])?;
    let queued = proved(&runs, &[("time_elected - time_awake", "w_s + (f(l)+1)w_p + (N-1)r_max")])?;
    Ok(printed.repaired(
        "from the last waking on w_s + (f(l)+1)w_p, and (N-1)r_max more where u > m f(l), since M_l is read before it waits f(l), \
         and may queue behind each loser once; where delays are no shorter than units the printed bound has room for that",
        apart.and(queued),
    ))
}

/// V24: the turn of sleepwell.
pub(crate) fn sleepwell(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let printed =
        trial.run("vitanyi --ids 1,2 --r 1 --d 2 --set claims=printed")?.bound("time - time_elected", "Nu/2")?;
    let runs = trial.runs(&format!("vitanyi {TIMINGS} {SETS} --vary clocks='fixed varying'"), (1, 20))?;
    Ok(printed
        .note("its two links alone take 4; section 4 counts with Nu in Nu(2^l+2)")
        .repaired("the walk time w, at most Nu", proved(&[runs], &[("time - time_elected", "w")])?))
}

/// V26: equation (1), of each identity.
pub(crate) fn equation_1(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let of_each = |run: &SampledRun<'_>, claimed: fn(&RingFigures, u64) -> f64| {
        let ring = RingFigures::new(&run.setup())?;
        let passes = run.list("messages.by_identity")?;
        let each = ring.ids.iter().zip(passes).map(|(&i, &passes)| (passes as f64, claimed(&ring, i)));
        // The identity that comes closest to its bound, or exceeds it most.
        each.max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)))
    };
    let run = trial.run("vitanyi --ids 1,3 --set claims=printed")?;
    let ring = RingFigures::new(&run.setup).map_or(f64::NAN, |ring| ring.units(1.0) / ring.f(3));
    // M_1 makes two passes, and M_3 the others.
    let passes = run.report.cost.messages.by_kind.get("election").copied().unwrap_or(0) - 2;
    let measured = format!("of 1, 3: M_3 makes {passes} pass against Nu(f(l)+1)/(m f(i)) = {}", decimal(ring));
    let shown = format!("{} --distribution", run.setup.command_line());
    let printed = run.shows(passes as f64 <= ring, measured).shown_by(&shown);
    let runs = trial.runs(&format!("vitanyi {TIMINGS} {SETS} --quantity messages.by_identity"), (2, 40))?;
    let repaired = runs.every("passes of M_i", "1 + Nu(f(l)+2)/(m f(i))", Comparator::AtMost, |run| {
        of_each(run, |ring, i| 1.0 + ring.units(2.0) / ring.f(i))
    })?;
    Ok(printed.repaired(
        "at most 1 + Nu(f(l)+2)/(m f(i)): `set timer equal to 1` gives every message a free pass",
        repaired.proved(PROOF),
    ))
}

/// The runs of the repaired rule that starts the timer at f(i).
fn first_f(trial: &mut Trial<'_>, law: &str) -> TrialResult<RunsMade> {
    trial.runs(&format!("vitanyi {TIMINGS} {SETS} --set first=f --vary set.law='{law}'"), (1, 40))
}

/// What is proved of all messages, as the protocol is printed.
const MESSAGES: (&str, &str) = ("messages", "4N - 1 + (T/m) sum over i != l of 1/f(i)");

const STEEP: &str = "2^i walk u/m";
const ALL_LAWS: &str = "2^i walk u/m power:3/2 power:2 constant:1";

/// V27: equation (2).
pub(crate) fn equation_2(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + (Nu(f(l)+1)/m) sum 1/f(i)";
    let printed = trial.run("vitanyi --ids 2,5")?.bound("messages.total", formula)?;
    let schedules = trial.check("vitanyi --ids 2,5 --timed --r 1 --d 0 --set first=f")?;
    let most = schedules.greatest("messages.total").unwrap_or(u64::MAX);
    let schedules = schedules.shows(most <= 6, format!("2, 5 in lockstep: at most {most}"));
    let with_f = first_f(trial, ALL_LAWS)?.bound("messages", formula)?.and(schedules);
    let repaired = proved(&repaired_runs(trial, ALL_LAWS)?, &[MESSAGES])?;
    Ok(printed.repaired(
        "4N - 1 + (Nu(f(l)+2)/m) Σ 1/f(i) over i ≠ l, with f(l)+1 for f(l)+2 where u ≤ m f(l): the order of growth is right",
        beside_first_f(repaired, with_f),
    ))
}

/// V28: 2N + 3Nu/m.
pub(crate) fn headline(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + 3Nu/m";
    // f(i) ≥ 2^i for all ten.
    let ten = trial.run("vitanyi --ids 49,53,50,57,51,56,52,58,54,55 --set law=power:10 --set claims=printed")?;
    let condition = ten.bound("messages.total", formula)?.note("f(i) = i^10 ≥ 2^i on ten names, against 2N + 3Nu/m");
    let doubling = trial.run(RING_OF_36)?.bound("messages.total", formula)?;
    let runs = repaired_runs(trial, STEEP)?;
    let repaired = proved(&runs, &[("messages", "4N - 1 + 2Nu/m"), ("messages", "4N - 1 + 3Nu/(2m)")])?;
    let [random, _] = &runs;
    let apart = random.every("messages", "2N + 3Nu/m where 3u ≥ 4m", Comparator::AtMost, |run| {
        let ring = RingFigures::new(&run.setup())?;
        let limit = 2.0 * ring.n + 3.0 * ring.n * ring.u / ring.m;
        (3.0 * ring.u >= 4.0 * ring.m).then_some((run.value("messages")?, limit))
    })?;
    let with_f = first_f(trial, STEEP)?.bound("messages", formula)?;
    Ok(condition
        .and(doubling.note("f(i) = 2^i on 36 names; no smaller ring in lockstep exceeds it then (experiments/vitanyi-bounds)"))
        .repaired(
            "if f(l) ≥ 2 and f at least doubles from each name to the next: 4N - 1 + 2Nu/m, and 4N - 1 + 3Nu/(2m) where \
             u ≤ m f(l); so it is right as printed wherever 3u ≥ 4m",
            beside_first_f(repaired.and(apart.proved(PROOF)), with_f),
        ))
}

/// V30: clock and propagation delays apart.
pub(crate) fn separated(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let slow = trial.run("vitanyi --ids 1,2,3,4,5,6,7,8,9,10 --r 1 --d 4096 --set claims=printed")?;
    let printed = slow.bound("messages.total", "7N + 3(r_max - m)N/m")?;
    let runs = trial.runs(
        &format!(
            "vitanyi -n 2..24 --vary r='1 4..6 1..8' --vary d='0 5 0..5 40' --vary order='random ascending' {SETS}"
        ),
        (2, 20),
    )?;
    let repaired = proved(&[runs], &[("messages", "4N - 1 + T sum over i != l of 1/(m f(i) + d_min)")])?;
    let equal = trial.runs(
        "vitanyi -n 2..24 --vary r='1 4..6 1..8' --vary d='0 5 40' --vary order='random ascending' --set first=f",
        (1, 10),
    )?;
    let with_f =
        at_most(&equal, "messages", "2N + N Σ (Nu'(f(l)+1) + 2w_s)/(Nm f(i) + w_s), all delays equal", |ring| {
            let ticks = ring.u - ring.w_s / ring.n;
            let tour = ring.n * ticks * (ring.f(ring.l()) + 1.0) + 2.0 * ring.w_s;
            let passes = |&i: &u64| ring.n * tour / (ring.n * ring.m * ring.f(i) + ring.w_s);
            2.0 * ring.n + ring.ids.iter().map(passes).sum::<f64>()
        })?;
    Ok(printed.repaired(
        "4N - 1 + T Σ 1/(m f(i) + d_min) over i ≠ l, with T = 2w_s + (f(l)+1)w_p, and (N-1)r_max more where u > m f(l); where \
         delays are far above the units nobody is overtaken",
        beside_first_f(repaired, with_f),
    ))
}

/// V31: dyadic digits.
pub(crate) fn dyadic(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs =
        trial.runs("vitanyi -n 2..64 --vary r='1 1..4' --quantity messages.by_identity --quantity bits", (2, 20))?;
    let bits = runs.every("bits", "2N + Σ passes of M_i · digits(i)", Comparator::Equal, |run| {
        let ring = RingFigures::new(&run.setup())?;
        let passes = run.list("messages.by_identity")?;
        let names: f64 = ring.ids.iter().zip(passes).map(|(&i, &passes)| passes as f64 * digits(i)).sum();
        Some((run.value("bits")?, 2.0 * ring.n + names))
    })?;
    Ok(bits
        .note("a definition: ⌊log2(i+1)⌋ digits, which are not self-delimiting, and no bit for the kind of a message"))
}

/// V32: equation (3).
pub(crate) fn equation_3(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + (Nu(f(l)+1)/m) sum digits(i)/f(i)";
    let printed = trial.run("vitanyi --ids 2,65536 --set claims=printed")?.bound("bits", formula)?;
    let with_f = first_f(trial, ALL_LAWS)?.bound("bits", formula)?;
    let repaired = proved(
        &repaired_runs(trial, ALL_LAWS)?,
        &[("bits", "2N + N digits(l) + sum over i != l of digits(i)(1 + T/(m f(i)))")],
    )?;
    Ok(printed.repaired(
        "2N + N digits(l) + Σ digits(i)(1 + Nu(f(l)+2)/(m f(i))) over i ≠ l, with f(l)+1 for f(l)+2 where u ≤ m f(l)",
        beside_first_f(repaired, with_f),
    ))
}

/// Two identities, of which the greater one becomes longer and longer. log2 2 is 1, as digits(2) is.
pub(crate) const LONGER: &str = "--vary ids='2,16 2,256 2,65536 2,4294967296 2,4611686018427387904'";

/// Refutes a bound that is the same for all of [`LONGER`], where what is measured more than doubles.
fn same_for_longer(longer: &RunsMade, quantity: &str, formula: &str, claimed: f64) -> TrialResult<Evidence> {
    let table = longer.table(quantity, |setup| format!("L = {}", setup.scenario.ids[1]))?;
    let means = || longer.rows(quantity).map(|(_, found)| found.mean);
    let (least, most) = (means().fold(f64::INFINITY, f64::min), means().fold(0.0, f64::max));
    let measured = format!("names 2 and L: {quantity} by {table}, and {formula} = {}", decimal(claimed));
    Ok(match most <= 2.0 * least {
        true => Evidence::new(LedgerVerdict::Held, longer.method(), measured),
        false => Evidence::refuted(longer.method(), measured, longer.report.provenance.command.clone()),
    })
}

/// V33: cNu log l/m bits.
pub(crate) fn bits_of_powers(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let longer = trial.runs(&format!("vitanyi {LONGER} --quantity bits"), (1, 1))?;
    let printed = same_for_longer(&longer, "bits", "Nu log l/m", 2.0)?;
    let [random, adverse] = repaired_runs(trial, "2^i")?;
    let repaired = proved(&[longer, random, adverse], &[("bits", "8Nu digits(l)/m + sum over i != l of digits(i)")])?;
    Ok(printed.repaired(
        "at most 8Nu digits(l)/m and the first pass of every loser, Σ digits(i), which no function of l bounds",
        repaired,
    ))
}

/// V34: equation (4).
pub(crate) fn equation_4(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "3N + (Nu(f(l)+1)/m) sum over i != l of 1/f(i)";
    let printed = trial.run("vitanyi --ids 1,3 --set claims=printed")?.bound("messages.total", formula)?;
    let with_f = first_f(trial, ALL_LAWS)?.bound("messages", formula)?;
    let repaired = proved(&repaired_runs(trial, ALL_LAWS)?, &[MESSAGES])?;
    Ok(printed.repaired(
        "4N - 1 + (Nu(f(l)+2)/m) Σ 1/f(i) over i ≠ l, with f(l)+1 for f(l)+2 where u ≤ m f(l): N - 1 first passes are free",
        beside_first_f(repaired, with_f),
    ))
}

/// V35: 3N + N(1 + 1/f(l)), and 5N.
pub(crate) fn five_times(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let six = trial.run("vitanyi --ids 3,5,6,4,7,8 --set law=u/m --set claims=printed")?;
    let sharp = six.bound("messages.total", "3N + N(1 + 1/f(l))")?.note("six names, against 3N + N(1 + 1/f(l))");
    let ring = trial.run(&format!("{RING_OF_36} --set law=u/m --set claims=printed"))?.bound("messages.total", "5N")?;
    let runs = repaired_runs(trial, "u/m")?;
    let mut repaired = proved(&runs, &[MESSAGES])?;
    for runs in &runs {
        let five = runs.every("messages", "5.8N, and 5N where u ≥ 2m", Comparator::AtMost, |run| {
            let ring = RingFigures::new(&run.setup())?;
            let factor = if ring.u >= 2.0 * ring.m { 5.0 } else { 5.8 };
            Some((run.value("messages")?, factor * ring.n))
        })?;
        repaired = repaired.and(five.proved(PROOF));
    }
    let with_f = first_f(trial, "u/m")?.bound("messages", "5N")?;
    Ok(sharp.and(ring).repaired(
        "4N - 1 + (Nu(f(l)+1)/m) Σ 1/f(i) over i ≠ l: less than 5.8N, and less than 5N wherever u ≥ 2m",
        beside_first_f(repaired, with_f),
    ))
}

/// V36: bits for (2u/m)^i.
pub(crate) fn bits_of_asynchronicity(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + 3N digits(l)";
    let printed = trial.run("vitanyi --ids 2,31 --set law=u/m --set claims=printed")?.bound("bits", formula)?;
    let with_f = trial.run(&format!("{RING_OF_46} --set law=u/m --set claims=printed"))?.bound("bits", formula)?;
    let repaired =
        proved(&repaired_runs(trial, "u/m")?, &[("bits", "2N + 4N digits(l) + sum over i != l of digits(i)")])?;
    let started = [
        first_f(trial, "u/m")?,
        trial.runs(&format!("vitanyi {ADVERSE} --vary clocks='fixed varying' --set law=u/m --set first=f"), (2, 20))?,
    ];
    Ok(printed.and(with_f.note("a ring of 46 whose timers are set to f(i) on waking")).repaired(
        "2N + 4N digits(l) and the first pass of every loser, Σ digits(i); 2N + 4N digits(l) alone if the timer is set to f(i) on \
         waking",
        repaired.and(proved(&started, &[("bits", "2N + 4N digits(l)")])?),
    ))
}

/// V38: the name of the winner has to be passed on.
pub(crate) fn least_bits(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let ids = "--vary ids='1,2,3,4,5,6,7,8 64,70,65,71,66,69,68,67 4000,4003,4001,4002 900000,900001'";
    let mut each = Vec::new();
    for protocol in ["vitanyi --set law=power:2", "frederickson-lynch", "time-slice"] {
        let (name, set) = protocol.split_once(' ').unwrap_or((protocol, ""));
        // Waiting 2^900000 units is beyond any clock.
        let ids = if name == "frederickson-lynch" { "--vary ids='1,2,3,4,5,6,7,8 20,22,21,23 40,41'" } else { ids };
        let runs = trial.runs(&format!("{name} {ids} {set}"), (1, 1))?;
        each.push(runs.every("bits", &format!("N digits(l) of {name}"), Comparator::AtLeast, |run| {
            let ids = run.setup().scenario.ids.clone();
            Some((run.value("bits")?, run.n() as f64 * digits(*ids.iter().min()?)))
        })?);
    }
    Ok(all(each)
        .of_all_algorithms()
        .note("a bound on all algorithms; it is false of synchronous rings, where the time between two one-bit messages can tell a name"))
}

/// V39: time.
pub(crate) fn time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs(&format!("vitanyi {TIMINGS} {SETS}"), (2, 40))?;
    let sampled = runs.bound("time", "Nu(2^l + 2)")?;
    let adverse = trial.runs(&format!("vitanyi {ADVERSE} --vary clocks='fixed varying'"), (2, 20))?;
    let found = trial.worst("vitanyi -n 4 --r 1..4", "time")?;
    // u = 4 and l = 1.
    let measured = format!(
        "the worst that a search over orders and clocks finds: {} for N = 4, u = 4, where it is 64",
        found.value
    );
    let worst = match found.value <= 64 {
        true => Evidence::new(LedgerVerdict::Held, "worst-case search", measured),
        false => Evidence::refuted("worst-case search", measured, found.rerun),
    };
    Ok(sampled
        .and(at_most(&adverse, "time", "Nu(2^l + 2)", |ring| ring.n * ring.u * (ring.f(ring.l()) + 2.0))?)
        .and(worst))
}

/// V40: f that grow faster than a power above 1.
pub(crate) fn powers(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let steps = trial.run("vitanyi -n 240 --order ascending --set law=constant:65536")?;
    let passes = steps.report.cost.messages.by_kind.get("election").copied().unwrap_or(0);
    let measured = format!(
        "let f(i) = T² + i, where T is the least of 4, 16, 256, 65536, … above i: it is constant but for 0.4 % on the 240 names from \
         16 to 255, which no message then overtakes in ascending order: {passes} election messages, N(N+1)/2, against Nl = 3,840; \
         there are N = T - √T such names from l = √T on for each T"
    );
    let printed = Evidence::refuted("an argument, and a run with constant f", measured, steps.setup.command_line());
    let formula = "(3 + 4e/(e-1)) Nul/m";
    let claimed = |ring: &RingFigures| {
        let e = ring.exponent().unwrap_or(f64::NAN);
        (3.0 + 4.0 * e / (e - 1.0)) * ring.n * ring.u * ring.l() as f64 / ring.m
    };
    let laws = "--vary set.law='power:3/2 power:2 power:3'";
    let names = trial.runs(
        &format!("vitanyi --vary ids='4,7,5,8,6,9 16,19,17,20,18,21 64,65,66,67,68,69 256,259,257,260,258,261' {laws}"),
        (1, 10),
    )?;
    let mut repaired = at_most(&names, "messages", formula, claimed)?;
    for runs in repaired_runs(trial, "power:3/2 power:2 power:3")? {
        repaired = repaired.and(runs.bound("messages", formula)?);
    }
    Ok(printed.repaired(
        "if f(i)/i^e never decreases, for some e > 1: at most (3 + 4e/(e-1)) Nul/m, since f(l)/f(i) ≤ (l/i)^e then",
        repaired.proved(PROOF),
    ))
}

/// V41: the synchronous case.
pub(crate) fn synchronous(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs(
        trial.pick(
            "vitanyi -n 2^4..2^11",
            "vitanyi -n 2^4..2^14 --vary order='random ascending descending bit-reversal'",
        ),
        (10, 50),
    )?;
    let size = |setup: &ringleader::Setup| Some(setup.scenario.n as f64);
    let linear =
        runs.grows_as("messages", ("N", 1.0, 0.05), size)?.and(runs.grows_as("time", ("N", 1.0, 0.05), size)?);
    let constant = runs.bound("messages", "4N - 1 + 3Nu/(2m)")?;
    Ok(linear.and(constant).note("N messages and N units are needed; wakeup, M_l and sleepwell make 3N"))
}

/// V42: the size of the ring, read off a clock.
pub(crate) fn ring_size(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in trial.pick(vec![2, 3, 7, 50], vec![2, 3, 4, 5, 7, 16, 50, 1000]) {
        let run = trial.run(&format!("vitanyi -n {n}"))?;
        let ResultReport::Election { ring_size, .. } = run.report.outcome.result else { continue };
        let known = ring_size.map_or("nothing".to_string(), |size| size.to_string());
        let messages = run.report.cost.messages.total;
        let holds = ring_size == Some(n) && messages <= 6 * n;
        each.push(run.shows(holds, format!("n = {n}: the leader finds {known}, {messages} messages")));
    }
    let size = all(each).note("no message and no bit is added: the leader divides the time of M_l's tour");
    let longer = trial.runs(&format!("vitanyi {LONGER} --quantity bits"), (1, 1))?;
    let bits = same_for_longer(&longer, "bits", "N log l", 2.0)?;
    let formula = "8Nu digits(l)/m + sum over i != l of digits(i)";
    Ok(bits.and(size).repaired(
        "the size and O(N) messages; 8N digits(l) bits and the first pass of every loser, Σ digits(i), for f(i) = 2^i",
        proved(&[longer], &[("bits", formula)])?,
    ))
}

/// V43: the example under adversary scheduling.
pub(crate) fn adversary(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let (mut printed, mut repaired) = (Vec::new(), Vec::new());
    for n in 2..=trial.pick(6u64, 12) {
        let ticks: Vec<String> = (1..=n).map(|i| (1u64 << (n - i + 1)).to_string()).collect();
        let run = trial.run(&format!("vitanyi -n {n} --order ascending --clocks list:{}", ticks.join(",")))?;
        let passes = run.report.cost.messages.by_kind.get("election").copied().unwrap_or(0);
        let of = |claimed: u64, formula: &str| {
            run.shows(passes == claimed, format!("n = {n}: {passes} passes against {formula} = {claimed}"))
        };
        printed.push(of(n * (n + 2) / 2, "N(N+2)/2"));
        repaired.push(of(n * (n + 1) / 2, "N(N+1)/2"));
    }
    let smallest = printed.remove(0);
    Ok(smallest.repaired("N(N+1)/2 passes of election messages: M_i makes N-i+1", all(repaired)))
}

/// A claim about messages that are read bit by bit: the ring on which it fails as printed, and its repair in many runs.
fn bit_serial(
    trial: &mut Trial<'_>,
    law: &str,
    (quantity, printed): (&str, &str),
    (statement, repaired): (&'static str, &str),
) -> TrialResult<Evidence> {
    let serial = format!("--reading bit-serial --set law={law}");
    let run = trial.run(&format!("vitanyi --ids 2,65536 {serial} --set claims=printed"))?;
    let evidence = run.bound(quantity, printed)?;
    let longer = trial.runs(&format!("vitanyi {LONGER} {serial}"), (1, 1))?;
    let table = longer.table(quantity, |setup| format!("L = {}", setup.scenario.ids[1]))?;
    let runs = trial.runs(&format!("vitanyi -n 2..24 {serial} --vary r='1 1..4' --d 0..3"), (3, 30))?;
    Ok(evidence
        .note(format!("the names 2 and L: {table}, and the same is claimed for all"))
        .repaired(statement, proved(&[runs, longer], &[(quantity, repaired)])?))
}

/// V46: the tour of a message, of which the paper says the order only.
pub(crate) fn bit_serial_tour(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let tour = "time_elected - time_awake";
    let evidence = bit_serial(
        trial,
        "2^i",
        (tour, "w_s + w_p f(l) log l"),
        (
            "alone w_s + w_p(f(i) + digits(i)), a sum; M_l takes r_max Σ digits(i) over i ≠ l more at most",
            "w_s + w_p(f(l) + digits(l)) + r_max sum over i != l of digits(i)",
        ),
    )?;
    let scope = format!("--reading bit-serial --set claims=printed --quantity '{tour}'");
    let longer = trial.runs(&format!("vitanyi {LONGER} {scope}"), (1, 1))?;
    Ok(evidence.shown_by(&longer.report.provenance.command))
}

/// V54: the time of the main protocol.
pub(crate) fn bit_serial_time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    bit_serial(
        trial,
        "2^i",
        ("time", "2w + w_s + w_p f(l) log l"),
        (
            "2w + w_s + w_p f(l) digits(l) + r_max Σ digits(i) over i ≠ l",
            "2w + w_s + w_p f(l) digits(l) + r_max sum over i != l of digits(i)",
        ),
    )
}

/// V56: the minimal-time variant.
pub(crate) fn minimal_time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    bit_serial(
        trial,
        "min-time",
        ("time", "3w + w_p(log l - 1)"),
        (
            "3w + w_p(digits(L) - 1) + r_max Σ digits(i) over i ≠ l",
            "3w + w_p(digits(L) - 1) + r_max sum over i != l of digits(i)",
        ),
    )
}
