//! Sections 3 and 4: the equations, and what follows from them.

use crate::evidence::{Evidence, all};
use crate::runs::{RunsMade, SampledRun};
use crate::trial::{Trial, TrialResult, decimal};
use crate::vitanyi::ring::{RingFigures, digits};
use ringleader::report::ResultReport;
use ringleader::sweep::Comparator;

/// The ring of experiments/vitanyi-bounds in which each of the smallest identities just escapes the next smaller one.
const RING_OF_36: &str = "vitanyi --ids \
     1,7,8,9,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,3,28,29,30,31,32,4,33,34,5,35,6,36";

/// Many clocks, delays and sets of starters.
const TIMINGS: &str = "-n 2..24 --vary r='1 1..2 1..8' --vary d='0 0..6'";
const SETS: &str = "--vary wake='all one random:2'";

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
    let formula = "3N + (Nu(f(l)+2)/m) sum 1/f(i)";
    let (messages, time) = (within.bound("messages", formula)?, within.bound("time", "Nu(2^l + 2)")?);
    // Before any message can be overtaken, delays become so long that each makes its whole way.
    let beyond = trial.run("vitanyi -n 20 --order ascending --d 1@0,4e6@2 --assume first")?;
    let passes = beyond.report.cost.messages.total;
    let bound = beyond.report.bounds.iter().find(|bound| bound.formula == formula).map(|bound| bound.value.to_f64());
    let shown =
        format!("{passes} messages where (2) of the first interval allows {}", decimal(bound.unwrap_or(f64::NAN)));
    Ok(messages
        .and(time)
        .and(beyond.shows(bound.is_some_and(|bound| passes as f64 > bound), format!("beyond it {shown}"))))
}

/// V23: the tour of the winner's message.
pub(crate) fn tour(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let lockstep = trial.runs("vitanyi -n 2..8", (1, 5))?;
    let printed = at_most(&lockstep, "time_elected", "N f(l) u", |ring| ring.n * ring.f(ring.l()) * ring.u)?;
    let runs = trial.runs(&format!("vitanyi {TIMINGS}"), (2, 40))?;
    let repaired = at_most(&runs, "time_elected", "Nu(f(l)+2)", |ring| ring.units(2.0) * ring.m)?;
    Ok(printed.repaired(
        "all awake at 0: Nu(f(l)+2), since a message waits to be read before it waits f(l), and may be read behind losers",
        repaired,
    ))
}

/// V24: the turn of sleepwell.
pub(crate) fn sleepwell(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let within = |runs: &RunsMade, formula: &str, claimed: fn(&RingFigures) -> f64| {
        runs.every("time of sleepwell", formula, Comparator::AtMost, |run| {
            let time = run.value("time")? - run.value("time_elected")?;
            Some((time, claimed(&RingFigures::new(&run.setup())?)))
        })
    };
    let smallest = trial.runs("vitanyi -n 2..8 --r 1 --d 1", (1, 1))?;
    let printed = within(&smallest, "Nu/2", |ring| ring.n * ring.u / 2.0)?;
    let runs = trial.runs(&format!("vitanyi {TIMINGS} {SETS}"), (2, 40))?;
    let repaired = within(&runs, "w", |ring| ring.w)?;
    Ok(printed.repaired("the walk time w, at most Nu: each processor reads it in a unit of its own", repaired))
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
    let smallest = trial.runs("vitanyi --ids 1,3 --quantity messages.by_identity", (1, 1))?;
    let formula = "Nu(f(l)+1)/(m f(i))";
    let printed = smallest.every("passes of M_i", formula, Comparator::AtMost, |run| {
        of_each(run, |ring, i| ring.units(1.0) / ring.f(i))
    })?;
    let runs = trial.runs(&format!("vitanyi {TIMINGS} {SETS} --quantity messages.by_identity"), (2, 40))?;
    let repaired = runs.every("passes of M_i", "1 + Nu(f(l)+2)/(m f(i))", Comparator::AtMost, |run| {
        of_each(run, |ring, i| 1.0 + ring.units(2.0) / ring.f(i))
    })?;
    Ok(printed
        .repaired("at most 1 + Nu(f(l)+2)/(m f(i)): `set timer equal to 1` gives every message a free pass", repaired))
}

/// The runs of the repaired rule that starts the timer at f(i).
fn first_f(trial: &mut Trial<'_>, law: &str) -> TrialResult<RunsMade> {
    trial.runs(&format!("vitanyi {TIMINGS} {SETS} --set first=f --vary set.law='{law}'"), (2, 40))
}

const STEEP: &str = "2^i walk u/m";
const ALL_LAWS: &str = "2^i walk u/m power:3/2 power:2 constant:1";

/// V27: equation (2).
pub(crate) fn equation_2(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + (Nu(f(l)+1)/m) sum 1/f(i)";
    let printed = trial.run("vitanyi --ids 2,5")?.bound("messages.total", formula)?;
    let schedules = trial.check("vitanyi --ids 2,5 --timed --r 1 --d 0 --set first=f")?;
    let most = schedules.greatest("messages.total").unwrap_or(u64::MAX);
    let schedules = schedules.shows(most <= 6, format!("2, 5 in lockstep: at most {most}"));
    let repaired = first_f(trial, ALL_LAWS)?.bound("messages", formula)?;
    Ok(printed.repaired("if the timer is set to f(i) on waking, and not to 1", repaired.and(schedules)))
}

/// V28: 2N + 3Nu/m.
pub(crate) fn headline(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + 3Nu/m";
    let printed = trial.run(RING_OF_36)?.bound("messages.total", formula)?;
    let repaired = first_f(trial, STEEP)?.bound("messages", formula)?;
    Ok(printed
        .note("no smaller ring in lockstep exceeds it (experiments/vitanyi-bounds)")
        .repaired("if the timer is set to f(i) on waking, and not to 1", repaired))
}

/// V30: clock and propagation delays apart.
pub(crate) fn separated(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    // Ticks are distributed homogeneously; all delays are equal.
    let unit = |ring: &RingFigures| ring.u - ring.w_s / ring.n;
    let slow = trial.runs("vitanyi -n 2..16 --order ascending --r 100..110 --d 1e6", (1, 5))?;
    let printed = at_most(&slow, "messages", "7N + 3εN/m, ε = u' - m + 1", |ring| {
        7.0 * ring.n + 3.0 * (unit(ring) - ring.m + 1.0) * ring.n / ring.m
    })?;
    let runs = trial.runs(
        &format!(
            "vitanyi -n 2..24 --vary r='1 4..6 1..8' --vary d='0 5 40' --vary order='random ascending' {SETS} --set \
             first=f"
        ),
        (2, 20),
    )?;
    let repaired = at_most(&runs, "messages", "2N + N Σ (Nu'(f(l)+1) + 2w_s)/(Nm f(i) + w_s)", |ring| {
        let tour = ring.n * unit(ring) * (ring.f(ring.l()) + 1.0) + 2.0 * ring.w_s;
        let passes = |&i: &u64| ring.n * tour / (ring.n * ring.m * ring.f(i) + ring.w_s);
        2.0 * ring.n + ring.ids.iter().map(passes).sum::<f64>()
    })?;
    Ok(printed.repaired(
        "with delays far above the units nobody is overtaken: 2N + N(N+1)/2. (2) with w_s added as described holds if \
         the timer is set to f(i) on waking",
        repaired,
    ))
}

/// V31: dyadic digits.
pub(crate) fn dyadic(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs =
        trial.runs("vitanyi -n 2..64 --vary r='1 1..4' --quantity messages.by_identity --quantity bits", (2, 20))?;
    runs.every("bits", "2N + Σ passes of M_i · digits(i)", Comparator::Equal, |run| {
        let ring = RingFigures::new(&run.setup())?;
        let passes = run.list("messages.by_identity")?;
        let names: f64 = ring.ids.iter().zip(passes).map(|(&i, &passes)| passes as f64 * digits(i)).sum();
        Some((run.value("bits")?, 2.0 * ring.n + names))
    })
}

/// V32: equation (3).
pub(crate) fn equation_3(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + (Nu(f(l)+1)/m) sum digits(i)/f(i)";
    let smallest = trial.runs("vitanyi --ids 2,5", (1, 1))?;
    let printed =
        at_most(&smallest, "bits", formula, |ring| 2.0 * ring.n + ring.units(1.0) * ring.sum(digits, |_| true))?;
    let repaired = first_f(trial, ALL_LAWS)?.bound("bits", formula)?;
    Ok(printed.repaired("if the timer is set to f(i) on waking, and not to 1", repaired))
}

/// Two identities, of which the greater one becomes longer and longer.
pub(crate) const LONGER: &str = "--vary ids='1,16 1,256 1,65536 1,4294967296 1,4611686018427387904'";

/// Whether a quantity stays as it is up to a factor of two, where only the greater one of two identities becomes longer.
fn is_of_order(longer: &RunsMade, quantity: &str, otherwise: &str) -> TrialResult<Evidence> {
    let table = longer.table(quantity, |setup| format!("L = {}", setup.scenario.ids[1]))?;
    let means = longer.rows(quantity).map(|(_, found)| found.mean);
    let (least, most) =
        means.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), mean| (least.min(mean), most.max(mean)));
    let measured = format!("{quantity} of two processors, l = 1, by {table}: {otherwise}");
    Ok(if most <= 2.0 * least {
        Evidence::new(crate::LedgerVerdict::Held, longer.method(), measured)
    } else {
        Evidence::refuted(longer.method(), measured, longer.report.provenance.command.clone())
    })
}

/// V33: cNu log l/m bits.
pub(crate) fn bits_of_powers(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let longer = trial.runs(&format!("vitanyi {LONGER}"), (1, 1))?;
    let printed = is_of_order(&longer, "bits", "no c")?;
    let formula = "8Nu digits(l)/m + Σ digits(i) of the losers";
    let claimed = |ring: &RingFigures| 8.0 * ring.n * ring.u / ring.m * digits(ring.l()) + ring.losers_bits();
    let runs = trial.runs(&format!("vitanyi {TIMINGS} {SETS}"), (2, 40))?;
    let repaired = at_most(&runs, "bits", formula, claimed)?.and(at_most(&longer, "bits", formula, claimed)?);
    Ok(printed.repaired(
        "at most 8Nu digits(l)/m and the first pass of every loser, Σ digits(i), which no function of l bounds",
        repaired,
    ))
}

/// V34: equation (4).
pub(crate) fn equation_4(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "3N + (Nu(f(l)+1)/m) sum over i != l of 1/f(i)";
    let smallest = trial.runs("vitanyi --ids 1,3", (1, 1))?;
    let printed = at_most(&smallest, "messages", formula, |ring| {
        3.0 * ring.n + ring.units(1.0) * ring.sum(|_| 1.0, |i| i != ring.l())
    })?;
    let repaired = first_f(trial, ALL_LAWS)?.bound("messages", formula)?;
    Ok(printed.repaired("if the timer is set to f(i) on waking, and not to 1", repaired))
}

/// V35: 5N.
pub(crate) fn five_times(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let ring = trial.runs(&format!("{RING_OF_36} --set law=u/m"), (1, 1))?;
    let printed = at_most(&ring, "messages", "5N", |ring| 5.0 * ring.n)?;
    let repaired = first_f(trial, "u/m")?.bound("messages", "5N")?;
    Ok(printed.repaired("if the timer is set to f(i) on waking, and not to 1", repaired))
}

/// V36: bits for (2u/m)^i.
pub(crate) fn bits_of_asynchronicity(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2N + 3N digits(l)";
    let claimed = |ring: &RingFigures| 2.0 * ring.n + 3.0 * ring.n * digits(ring.l());
    let smallest = trial.runs("vitanyi --ids 1,31 --set law=u/m", (1, 1))?;
    let printed = at_most(&smallest, "bits", formula, claimed)?;
    let repaired = at_most(&first_f(trial, "u/m")?, "bits", formula, claimed)?;
    Ok(printed
        .note("with log l for digits(l), which is 0 for l = 1, the ring 1, 2 exceeds it: 7 bits against 4")
        .repaired("with digits(l) for log l, and if the timer is set to f(i) on waking, not to 1", repaired))
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
            let ids = run.setup().scenario.ids;
            Some((run.value("bits")?, run.n() as f64 * digits(*ids.iter().min()?)))
        })?);
    }
    Ok(all(each)
        .of_all_algorithms()
        .note("a bound on all algorithms; in lock step, where time can tell a name, its argument has a gap"))
}

/// V39: time.
pub(crate) fn time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs(&format!("vitanyi {TIMINGS} {SETS}"), (2, 40))?;
    let sampled = runs.bound("time", "Nu(2^l + 2)")?;
    let schedules = trial.check("vitanyi -n 3 --timed --r 1..2 --d 0")?.all();
    Ok(sampled.and(schedules))
}

/// V40: f that grow faster than a power above 1.
pub(crate) fn powers(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "(3 + 4e/(e-1)) Nul/m";
    let claimed = |ring: &RingFigures| {
        let e = ring.exponent().unwrap_or(f64::NAN);
        (3.0 + 4.0 * e / (e - 1.0)) * ring.n * ring.u * ring.l() as f64 / ring.m
    };
    let laws = "--vary set.law='power:3/2 power:2 power:3'";
    let sizes = trial.runs(&format!("vitanyi {TIMINGS} {SETS} {laws}"), (2, 30))?;
    let names = trial.runs(
        &format!("vitanyi --vary ids='4,7,5,8,6,9 16,19,17,20,18,21 64,65,66,67,68,69 256,259,257,260,258,261' {laws}"),
        (1, 10),
    )?;
    Ok(at_most(&sizes, "messages", formula, claimed)?.and(at_most(&names, "messages", formula, claimed)?))
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
    let constant = at_most(&runs, "messages", "6N", |ring| 6.0 * ring.n)?;
    Ok(linear.and(constant).note("3N messages are needed by wakeup, M_l and sleepwell alone; for bits see V33"))
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
    Ok(all(each).note("no message and no bit is added: the leader divides the time of M_l's tour"))
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

/// A claim about message length that takes time: the ring on which it fails as printed, and its repair in many runs.
fn bit_serial(
    trial: &mut Trial<'_>,
    (ids, law): (&str, &str),
    printed: &str,
    (statement, repaired): (&'static str, &str),
) -> TrialResult<Evidence> {
    let run = trial.run(&format!("vitanyi --ids {ids} --reading bit-serial --set law={law} --set claims=printed"))?;
    let evidence = run.bound("time", printed)?;
    Ok(evidence.repaired(statement, bit_by_bit(trial, law)?.bound("time", repaired)?))
}

/// Runs in which message length takes time.
fn bit_by_bit(trial: &mut Trial<'_>, law: &str) -> TrialResult<RunsMade> {
    let scope = format!("vitanyi -n 2..24 --reading bit-serial --set law={law} --vary r='1 1..4' --d 0..3");
    trial.runs(&scope, (3, 30))
}

/// V46: the tour of a message, of which the paper says the order only.
pub(crate) fn bit_serial_tour(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let tour = "time_elected - time_awake";
    let longer = trial.runs(&format!("vitanyi {LONGER} --reading bit-serial"), (1, 1))?;
    let printed = is_of_order(&longer, tour, "w_s + w_p f(l) log l stays as it is")?;
    let formula = "w_s + w_p(f(l) + digits(l)) + r_max sum over i != l of digits(i)";
    Ok(printed.repaired(
        "w_s + w_p(f(l) + digits(l)) + r_max Σ digits(i) over i ≠ l: M_l may have to wait while longer messages are read",
        bit_by_bit(trial, "2^i")?.bound(tour, formula)?,
    ))
}

/// V54: the time of the main protocol.
pub(crate) fn bit_serial_time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    bit_serial(
        trial,
        ("1,63", "2^i"),
        "2w + w_s + w_p f(l) log l",
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
        ("1,15", "min-time"),
        "3w + w_p(log l - 1)",
        (
            "3w + w_p(digits(L) - 1) + r_max Σ digits(i) over i ≠ l",
            "3w + w_p(digits(L) - 1) + r_max sum over i != l of digits(i)",
        ),
    )
}
