//! Vitányi's election in a ring of processors using Archimedean time.

mod costs;
mod names;
mod ring;
mod table;
mod tasks;

use crate::evidence::{Evidence, all};
use crate::trial::{Trial, TrialResult, decimal};
use crate::vitanyi::ring::RingFigures;
use crate::{LedgerItem, stated, tested, untestable};
use ringleader::Setup;
use ringleader::sweep::Comparator;

/// All items.
pub(crate) const ITEMS: [LedgerItem; 66] = [
    stated(
        "V1",
        "section 1",
        "processors with unique positive names on a one-way ring whose size they do not know",
        "the model: ringleader run vitanyi --ids 3,1,4,2",
    ),
    tested(
        "V2",
        "section 3",
        "any processor that awakes may start an election, also one that has gone to sleep in this one already",
        at_any_time,
    ),
    tested("V3", "section 1", "Le Lann, Chang-Roberts: Θ(N²) messages in the worst case", ids_around),
    tested("V4", "section 1", "Franklin: at most 2N⌊log N⌋ + 3N messages", |trial| {
        let exact = trial.exact(&format!("franklin -n {}", trial.pick("2..7", "2..9")))?;
        exact.at_most("messages", "2N⌊log2 N⌋ + 3N", |n| (2 * n * u64::from(n.ilog2()) + 3 * n) as f64)
    }),
    tested(
        "V5",
        "section 1",
        "Hirschberg-Sinclair, Peterson and Dolev-Klawe-Rodeh take O(N log N) messages",
        n_log_n_elections,
    ),
    tested("V6", "section 1", "Itai-Rodeh: linear time on average in a synchronous ring of known size", |trial| {
        let runs = trial.runs("itai-rodeh-sync -n 4..64", (20, 200))?;
        let time = runs.mean_bound("time", "2.442 N + 1")?;
        Ok(time.and(runs.grows_as("time", ("N", 1.0, 0.1), |setup| Some(setup.scenario.n as f64))?))
    }),
    tested("V7", "section 1", "Frederickson-Lynch, found independently: similar, for synchronous rings", |trial| {
        let runs = trial.runs("frederickson-lynch -n 2..64", (2, 20))?;
        let messages = runs.bound("messages.election", "2N-1")?;
        Ok(messages.and(runs.bound("time_elected", "N 2^min")?))
    }),
    tested("V8", "abstract, section 1", "the worst case beats N log N, the lower bound on the average", beats_average),
    tested("V9", "section 1", "correctness and termination do not depend on time", |trial| {
        trial.check_sizes("vitanyi", 2..=trial.pick(4, 5))
    }),
    tested("V10", "section 1", "the more synchronous the system, the fewer messages: O(sN)", more_synchronous),
    tested("V11", "section 1", "messages may have to queue; in the synchronous case queues are bounded", queues),
    tested("V12", "section 1", "Θ(N²) messages in the worst case under unlimited asynchrony", unlimited),
    tested(
        "V13",
        "sections 1 and 4",
        "crash recovery: where the token is lost or multiplied, elect and create a single one",
        tasks::one_new_token,
    ),
    tested("V14", "section 1", "once there is a leader, any other agreement is cheap", tasks::after_the_leader),
    stated(
        "V15",
        "section 2",
        "Archimedean time: clocks and delays have finite ratios",
        "the model: ringleader run vitanyi --r 1..4 --d 0..3",
    ),
    stated(
        "V16",
        "section 2",
        "the ticks of one clock may differ, too",
        "the model: ringleader run vitanyi --r 1..4 --clocks varying",
    ),
    tested(
        "V17",
        "section 2",
        "a system is Archimedean from t1 to t2: what rests on its ratios holds then, and not beyond",
        costs::interval,
    ),
    tested("V18", "section 2", "a processor that pauses forever aborts an election", |trial| {
        let crash = trial.check("vitanyi -n 2 --faults crash:1")?.goes_wrong();
        Ok(crash.note(
            "where there are no clocks a pause that never ends is a crash; pauses that end are among the schedules of V9",
        ))
    }),
    tested("V19", "section 2", "messages are acknowledged, and sent again when a timer expires", tasks::sent_again),
    tested("V20", "section 3", "the Election Protocol of the Figure is correct, for increasing f", |trial| {
        let printed = trial.check_sizes("vitanyi --set rules=printed", 2..=trial.pick(3, 4))?;
        Ok(printed.note("f(i) = 2^i, every processor starts once; for f that are 0 see V55, for further elections V2"))
    }),
    tested("V21", "section 3", "N passes of wakeup wake everybody", |trial| {
        let runs = trial.runs("vitanyi -n 2..40 --vary wake='all one random:2' --r 1..4 --d 0..3", (2, 20))?;
        let sampled = runs.bound("messages.by_kind.wakeup", "N")?;
        let check = trial.check(trial.pick("vitanyi -n 4", "vitanyi -n 5"))?;
        let (least, most) = (check.least("messages.by_kind.wakeup"), check.greatest("messages.by_kind.wakeup"));
        let all = least == most && most == Some(check.report.scenario.n as u64);
        Ok(sampled.and(check.shows(all, format!("{} wakeups in every schedule", most.unwrap_or(0)))))
    }),
    tested("V22", "section 3", "everybody is awake within Nu", |trial| {
        let wakes = "--vary wake='all one random:2' --vary clocks='fixed varying'";
        let runs = trial.runs(&format!("vitanyi -n 2..40 {wakes} --r 1..4 --d 0..3"), (1, 10))?;
        Ok(runs
            .bound("time_awake", "Nu")?
            .note("by construction: a sleeper acts on arrival, so that (N-1)d_max is enough"))
    }),
    tested("V23", "section 3", "M_l makes its tour within N f(l) u", costs::tour),
    tested("V24", "section 3", "sleepwell makes its turn within Nu/2", costs::sleepwell),
    tested("V25", "section 3", "sleepwell need not name the winner: everybody knows it by then", |trial| {
        let check = trial.check(trial.pick("vitanyi -n 4", "vitanyi -n 5"))?;
        Ok(check.property("everybody ends up holding the winner's identity")?.note("sleepwell is 1 bit"))
    }),
    tested("V26", "(1)", "M_i makes at most Nu(f(l)+1)/(m f(i)) passes", costs::equation_1),
    tested("V27", "(2)", "at most 2N + (Nu(f(l)+1)/m) Σ 1/f(i) messages", costs::equation_2),
    tested("V28", "section 3", "at most 2N + 3Nu/m messages, for f(i) ≥ 2^i", costs::headline),
    tested("V29", "section 3", "f = (2u/m)^i takes u/m out of the bound", absorbed),
    tested("V30", "section 3", "clocks and delays apart: less than 7N + 3εN/m messages", costs::separated),
    tested("V31", "section 3", "names in dyadic digits: log i bits for M_i", costs::dyadic),
    tested("V32", "(3)", "at most 2N + (Nu(f(l)+1)/m) Σ log i/f(i) bits", costs::equation_3),
    tested("V33", "section 3", "at most cNu log l/m bits, for f(i) ≥ 2^i and a small c", costs::bits_of_powers),
    tested("V34", "(4)", "at most 3N + (Nu(f(l)+1)/m) Σ 1/f(i) over i ≠ l messages", costs::equation_4),
    tested("V35", "section 4", "less than 5N messages, for f(i) = (2u/m)^i", costs::five_times),
    tested("V36", "section 4", "at most 2N + 3N log l bits, for f(i) = (2u/m)^i", costs::bits_of_asynchronicity),
    tested("V37", "section 4", "processors that join or leave need not raise the least name", names::least),
    tested("V38", "section 4", "any election passes Ω(N log l) bits", costs::least_bits),
    tested("V39", "section 4", "at most Nu(2^l + 2) time, for f(i) = 2^i", costs::time),
    tested("V40", "section 4", "O(Nul/m) messages for any f above i^ε, ε > 1", costs::powers),
    tested(
        "V41",
        "section 4",
        "the synchronous case takes O(N) messages and O(N) time, optimal but for a constant (its bits: V33)",
        costs::synchronous,
    ),
    tested(
        "V42",
        "section 4",
        "a synchronous ring learns its size by counting time, with O(N) messages and O(N log l) bits",
        costs::ring_size,
    ),
    tested("V43", "section 4", "an adversary forces N(N+2)/2 passes: u_i = 2^(N-i+1), ascending", costs::adversary),
    tested("V44", "section 4", "the mean over all orders: O(N log N) for Chang-Roberts", table::all_orders),
    stated(
        "V45",
        "section 4",
        "the walk time w is that of the clocks, w_p, and of the delays, w_s",
        "a definition: every run shows w, w_p and w_s (ringleader run vitanyi --r 1..4 --d 0..3)",
    ),
    tested(
        "V46",
        "section 4",
        "M_i takes of the order of w_s + w_p f(i) log i, since it is read before it is passed on",
        costs::bit_serial_tour,
    ),
    tested(
        "V47",
        "(5)",
        "mean messages of order 2N + N Σ (w + w_s + w_p f(l) log l)/(w_s + w_p f(i) log i)",
        table::mean_messages,
    ),
    tested("V48", "section 4", "mean bits as in (3): each message of (5) with its length", table::mean_bits),
    tested(
        "V49",
        "section 4, table",
        "f constant: Θ(N²), O(N² log L), Θ(N log N), O(N²(w/w_p + log l))",
        |trial| table::CONSTANT.test(trial),
    ),
    tested(
        "V50",
        "section 4, table",
        "f = i^ε: O(Nul/m), O(Nul log l/m), O(N(w/(l^(ε-1) w_p) + l)), the same with l log l",
        |trial| table::POWER.test(trial),
    ),
    tested(
        "V51",
        "section 4, table",
        "f = 2^i: O(Nu/m), O(Nu log l/m), O(N(w/(2^l w_p) + 1)), the same with log l",
        |trial| table::TWO.test(trial),
    ),
    tested("V52", "section 4, table", "f = w 2^i/w_p: O(Nu/m), O(Nu log l/m), Θ(N), Θ(N log l)", |trial| {
        table::WALK.test(trial)
    }),
    tested("V53", "section 4, table", "f = (2u/m)^i: Θ(N), Θ(N log l), Θ(N), Θ(N log l)", |trial| {
        table::ASYNCHRONICITY.test(trial)
    }),
    tested("V54", "section 4", "time at most 2w + w_s + w_p f(l) log l", costs::bit_serial_time),
    tested("V55", "section 4", "f(i, j) = ⌊2^(j-i)⌋ in the Protocol: minimal time", |trial| {
        let printed = trial.check("vitanyi -n 2 --set law=min-time --set rules=printed")?.all();
        Ok(printed.repaired(
            "where a timer that is set to 0 sends at once, instead of being decremented first",
            trial.check_sizes("vitanyi --set law=min-time", 2..=trial.pick(3, 5))?,
        ))
    }),
    tested("V56", "section 4", "the minimal-time variant takes at most 3w + w_p(log l - 1)", costs::minimal_time),
    tested("V57", "section 4", "the minimal-time variant: Θ(N²) worst, Θ(N log N) mean", table::minimal_time),
    stated("V58", "section 4", "can several measures be optimised at once?", "a question"),
    tested("V59", "section 4", "sorting: a table makes two turns, 2N passes", tasks::sorting),
    tested(
        "V60",
        "section 4",
        "a table of N values takes O(N log(L/N)) bits as dyadic differences (read: log(1 + L/N), since N may be L)",
        tasks::differences,
    ),
    tested("V61", "section 4", "sorting takes O(N² log(L/N)) bits (read: log(1 + L/N))", tasks::sorting_cost),
    tested("V62", "section 4", "any N values of 1..L can be sorted", tasks::sorting_values),
    untestable(
        "V63",
        "section 4",
        "Loui: every sorting algorithm takes Ω(N² log(L/N)/log N) messages of log N bits, and one does",
        "a lower bound on all algorithms, of another paper; the bits measured here are at V61",
    ),
    tested(
        "V64",
        "section 4",
        "token rings: with one timer a token that is late is replaced, and one that is early removed",
        tasks::timers,
    ),
    tested(
        "V65",
        "section 4",
        "within the timing conditions, this basically probabilistic algorithm works",
        tasks::conditions,
    ),
    untestable("V66", "section 4", "token rings have about 200 processors at most", "a remark on the hardware of 1984"),
];

fn at_any_time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let printed = all([
        trial.check("vitanyi -n 2 --again 0@0 --set rules=printed")?.all(),
        trial.check("vitanyi -n 1 --again 0@0 --set rules=printed")?.all(),
    ]);
    Ok(printed.repaired(
        "if messages carry the number of their election",
        trial.check_sizes("vitanyi --again 0@0", 1..=trial.pick(3, 4))?,
    ))
}

fn ids_around(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let lelann = trial.runs("lelann -n 2..32", (1, 5))?.bound("messages.election", "N^2")?;
    let exact = trial.exact(&format!("chang-roberts -n {}", trial.pick("2..7", "2..10")))?;
    Ok(lelann.and(exact.at_most("election", "N(N+1)/2", |n| (n * (n + 1) / 2) as f64)?))
}

fn n_log_n_elections(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sizes = "-n 2^1..2^9 --vary order='random ascending descending bit-reversal'";
    let mut bound = |protocol: &str, formula: &str| {
        trial.runs(&format!("{protocol} {sizes}"), (5, 50))?.bound("messages.election", formula)
    };
    Ok(all([
        bound("hirschberg-sinclair", "8N + 8 ceil(N log2 N)")?,
        bound("peterson", "2N floor(log2 N) + N")?,
        bound("dolev-klawe-rodeh", "2N floor(log2 N) + N")?,
    ]))
}

/// N H_N, the lower bound of Pachl, Korach and Rotem on the average over all orders.
fn n_harmonic(n: u64) -> f64 {
    n as f64 * (1..=n).map(|k| 1.0 / k as f64).sum::<f64>()
}

fn beats_average(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sizes = trial.pick("2^8..2^11", "2^8..2^14");
    let orders = "--vary order='random ascending descending bit-reversal'";
    let runs = trial.runs(&format!("vitanyi -n {sizes} {orders}"), (10, 50))?;
    let lower =
        runs.every("messages", "N H_N", Comparator::AtMost, |run| Some((run.value("messages")?, n_harmonic(run.n()))))?;
    let bound = runs.bound("messages", "4N - 1 + 3Nu/(2m)")?;
    let from = (1..).find(|&n| 5.5 * n as f64 - 1.0 < n_harmonic(n)).unwrap_or(0);
    let last = runs.rows("messages").map(|(_, found)| found.max).fold(0.0, f64::max);
    let comparing = trial.runs(&format!("chang-roberts peterson -n {sizes}"), (5, 20))?;
    let least = comparing.rows("messages.election").map(|(_, found)| found.mean).fold(0.0, f64::max);
    Ok(lower.and(bound).note(format!(
        "in lockstep the second bound, which is proved, is 5.5N - 1, below N H_N from N = {from} on; N H_N is the lower bound on \
         the average of comparison-based elections (Pachl, Korach and Rotem); of the largest ring: at most {} messages, \
         Chang-Roberts and Peterson up to {} on average",
        decimal(last),
        decimal(least)
    )))
}

fn ratio(setup: &Setup) -> String {
    let ring = RingFigures::new(setup);
    ring.map_or(String::new(), |ring| format!("u/m = {}", decimal(ring.u / ring.m)))
}

fn more_synchronous(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let clocks = table::slow_first(16, 0..=10);
    let worst = trial.runs(&format!("vitanyi -n 16 --order ascending --vary clocks='{clocks}'"), (1, 1))?;
    let random = trial.runs("vitanyi -n 64 --vary r='1 1..2 1..4 1..8'", (100, 1000))?;
    let linear = random.every("messages", "6Nu/m", Comparator::AtMost, |run| {
        let ring = RingFigures::new(&run.setup())?;
        Some((run.value("messages")?, 6.0 * ring.n * ring.u / ring.m))
    })?;
    let means = random.table("messages", |setup| format!("r {}", setup.scenario.timing.r))?;
    let n = trial.pick(4, 5);
    let mut extremes = Vec::new();
    for r in ["1", "1..2", "1..4", "1..8"] {
        let found = trial.worst(&format!("vitanyi -n {n} --r {r}"), "messages")?;
        extremes.push(format!("r {r}: {}{}", if found.exhaustive { "" } else { "≥ " }, found.value));
    }
    Ok(worst
        .rises("messages", ratio)?
        .note(format!("the worst of all orders and clocks of {n}: {}", extremes.join(", ")))
        .and(linear)
        .note(format!("with random clocks, though, means do not rise: {means}")))
}

fn queues(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs(
        "vitanyi -n 2^1..2^9 --vary order='random ascending descending bit-reversal' --vary set.law='2^i power:2 constant:1'",
        (2, 20),
    )?;
    let bounded =
        runs.every("longest_queue", "1", Comparator::AtMost, |run| Some((run.value("longest_queue")?, 1.0)))?;
    let run = trial.run("vitanyi -n 8 --order ascending --clocks list:256,128,64,32,16,8,4,2")?;
    let queue = run.report.cost.longest_queue;
    Ok(bounded.and(run.shows(queue > 1, format!("{queue} messages wait where clocks are 256 to 2"))))
}

fn unlimited(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 2..=trial.pick(4u64, 5) {
        let check = trial.check(&format!("vitanyi -n {n}"))?;
        let most = check.greatest("messages.by_kind.election");
        let claimed = n * (n + 1) / 2;
        let measured = format!("n = {n}: at most {} election messages, N(N+1)/2", most.unwrap_or(0));
        each.push(check.shows(most == Some(claimed), measured));
    }
    Ok(all(each))
}

fn absorbed(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let clocks = table::slow_first(16, 1..=8);
    let asynchronicity = |setup: &Setup| RingFigures::new(setup).map(|ring| ring.u / ring.m);
    let worst = "vitanyi -n 16 --order ascending";
    let flat = trial.runs(&format!("{worst} --vary clocks='{clocks}' --set law=u/m"), (1, 1))?;
    let plain = trial.runs(&format!("{worst} --vary clocks='{clocks}'"), (1, 1))?;
    let random = trial.runs("vitanyi -n 64 --vary r='1..2 1..4 1..8 1..16' --set law=u/m", (10, 100))?;
    let rising = plain.exponent("messages", asynchronicity)?.map_or(f64::NAN, |fitted| fitted.exponent);
    Ok(flat
        .grows_as("messages", ("(u/m)", 0.0, 0.05), asynchronicity)?
        .and(random.grows_as("messages", ("(u/m)", 0.0, 0.05), asynchronicity)?)
        .note(format!("with f = 2^i and the same clocks as (u/m)^{}", decimal(rising))))
}
