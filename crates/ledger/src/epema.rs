//! Epema's lecture on election: Chang-Roberts, Peterson, growing segments, local maxima, Afek-Gafni.

use ringleader_check::BigRational;

use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::trial::{RunMade, Trial, TrialResult, decimal};
use crate::{LedgerItem, stated, tested, untestable};
use ringleader::sweep::Comparator;

/// All items.
pub(crate) const ITEMS: [LedgerItem; 38] = [
    tested("E1", "election 1/3", "everybody sends its id to everybody: n² messages, time 1", everybody_to_everybody),
    tested("E2", "election 2/3", "election is impossible in anonymous rings", stays_symmetric),
    tested("E3", "election 2/3", "randomisation makes election possible in anonymous rings", randomisation),
    tested("E4", "election 2/3", "comparison-based election in rings takes order n log n messages", comparison_based),
    tested("E5", "election 3/3", "time slices in a synchronous ring: O(n) messages and time", time_slices),
    tested("E6", "solution 1, 1/3", "growing segments, hop counts and OKs elect the largest id", |trial| {
        let check = trial.check_sizes("hirschberg-sinclair", 2..=trial.pick(3, 4))?;
        Ok(check.note(
            "as repaired: with the printed hop counts a token goes one process too far, which costs messages only",
        ))
    }),
    tested("E7", "solution 1, 2/3", "growing segments take O(n log n) messages", |trial| {
        let runs = trial.runs("hirschberg-sinclair -n 2^1..2^9", (20, 200))?;
        runs.bound("messages.election", "8N + 8 ceil(N log2 N)")
    }),
    stated(
        "E8",
        "solution 1, 2/3 and 3/3",
        "a process is elected when …; the process with 7 does not start phase 3",
        "the condition is left open on the slide; a processor whose own message returns is elected \
         (ringleader info hirschberg-sinclair)",
    ),
    tested("E9", "solution 2, 1/2", "local maxima on a virtual ring elect the largest id", |trial| {
        trial.check_sizes("franklin", 2..=trial.pick(3, 4))
    }),
    tested("E10", "solution 2, 1/2", "in every round at least half of the active processes become passive", |trial| {
        halves(trial, "franklin -n 2..64 --quantity candidates")
    }),
    tested("E11", "solution 2, 1/2", "local maxima take 2n log n messages", local_maxima),
    tested("E12", "Chang-Roberts 1/3", "forwarding the larger ids elects the largest, whoever starts", |trial| {
        trial.check_sizes("chang-roberts", 2..=trial.pick(4, 6))
    }),
    tested("E13", "Chang-Roberts 3/3", "the worst case is of order n²", |trial| {
        let exact = trial.exact(trial.pick("chang-roberts -n 2..7", "chang-roberts -n 2..10"))?;
        exact.at_most("election", "N(N+1)/2", |n| (n * (n + 1) / 2) as f64)
    }),
    tested("E14", "Chang-Roberts 3/3", "the worst case is the decreasing order", decreasing_order),
    tested("E15", "Chang-Roberts 3/3", "n log n messages on average", |trial| {
        let exact = trial.exact(trial.pick("chang-roberts -n 2..8", "chang-roberts -n 2..11"))?;
        exact.mean_is("election", "N H_N", harmonic)
    }),
    tested("E16", "Peterson 1/8 to 4/8", "virtual neighbours on a unidirectional ring elect one process", |trial| {
        let most = trial.pick(4, 6);
        let owner = trial.check_sizes("peterson", 2..=most)?;
        Ok(owner.and(trial.check_sizes("peterson --set elected=holder", 2..=most)?).note(
            "read as the owner of the maximum or as its holder; a third reading, that nobody stops and both ids are compared with the \
             present one, elects two (tests/tests/claims.rs)",
        ))
    }),
    tested("E17", "Peterson 5/8", "2n log n messages", peterson_messages),
    tested(
        "E18",
        "Peterson 5/8",
        "one round suffices for increasing or decreasing order (asked: for which)",
        one_round,
    ),
    tested("E19", "Peterson 5/8", "on a ring of 2^k some arrangement takes k rounds", |trial| {
        let runs = trial.runs("peterson -n 2^1..2^10 --order bit-reversal --set elected=holder", (1, 1))?;
        // The round that finds the winner is one more.
        runs.every("phases", "log2 N + 1", Comparator::Equal, |run| {
            Some((run.value("phases")?, (run.n() as f64).log2() + 1.0))
        })
    }),
    tested(
        "E20",
        "Peterson 6/8",
        "if id_i survives in P_j, all processes from P_i to before P_j are passive",
        |trial| peterson_lemma(trial, "from the owner of an identity to the process that holds it all are passive"),
    ),
    tested("E21", "Peterson 7/8", "whatever survives next to the maximum does not survive the next round", |trial| {
        let lemma = "the identity in the last active process before the maximum does not survive the next round";
        peterson_lemma(trial, lemma)
    }),
    tested("E22", "Peterson 6/8 and 7/8", "the maximum survives, and nobody else is elected", |trial| {
        let check = trial.check(trial.pick("peterson -n 4", "peterson -n 6"))?;
        Ok(check.property("the greatest identity wins")?.and(check.property("one processor is elected")?))
    }),
    tested("E23", "Peterson 8/8", "the longest chain of messages has at most 2n-1", longest_chain),
    tested(
        "E24",
        "Afek-Gafni 1/11",
        "the straightforward solution takes n² messages and constant time",
        everybody_to_everybody,
    ),
    tested("E25", "Afek-Gafni 1/11", "2n log n messages in 2 log n rounds", |trial| {
        let messages = eight_processors(trial, "messages.election", "2n log2 n", 48.0)?;
        let rounds = trial.runs("afek-gafni-sync -n 2..40", (2, 20))?.bound("time_elected", "2 ceil(log2 N)")?;
        Ok(messages.and(rounds).repaired(
            "at most 3(Nm - 2^m + 1) messages, m = ⌈log2 N⌉, in exactly 2m rounds",
            trial.check_sizes("afek-gafni-sync", 2..=4)?,
        ))
    }),
    untestable(
        "E26",
        "Afek-Gafni 1/11",
        "no message-optimal algorithm is faster",
        "a lower bound on all algorithms; proved in AfekGafni1991",
    ),
    tested(
        "E27",
        "Afek-Gafni 2/11 to 7/11",
        "candidate and ordinary processes elect one by the code, which gives ordinary ones no first id",
        |trial| {
            let printed = all([
                trial.check("afek-gafni-sync -n 2 --set printed=own")?.all(),
                trial.check("afek-gafni-sync -n 2 --set printed=zero")?.all(),
                trial.check("afek-gafni-sync -n 3 --set printed=slide-4")?.all(),
            ]);
            let printed = printed
                .note("with the own id as the first one everywhere, with 0 everywhere, and with the links of slide 4");
            Ok(printed.repaired(
            "with the own id where there is a candidate, 0 where a message wakes, and links over which no id was sent",
            trial.check_sizes("afek-gafni-sync", 2..=4)?,
        ))
        },
    ),
    tested("E28", "Afek-Gafni 3/11", "nodes may start in different rounds; woken ones are ordinary only", |trial| {
        trial.check_sizes("afek-gafni-sync", 2..=4)
    }),
    tested("E29", "Afek-Gafni 4/11", "the largest id among those that started earliest wins", earliest_and_largest),
    tested("E30", "Afek-Gafni 9/11", "without levels the election may take longer", without_levels),
    tested("E31", "Afek-Gafni 10/11", "log n double rounds", |trial| {
        trial.runs("afek-gafni-sync -n 2..64", (2, 20))?.bound("time_elected", "2 ceil(log2 N)")
    }),
    tested("E32", "Afek-Gafni 11/11", "at most n log n acknowledgements", |trial| {
        let runs = trial.runs("afek-gafni-sync -n 2..64 --ports shuffled", (5, 100))?;
        let sampled = runs.every("messages.by_kind.ack", "N log2 N", Comparator::AtMost, |run| {
            Some((run.value("messages.by_kind.ack")?, (run.n() as f64) * (run.n() as f64).log2()))
        })?;
        let check = trial.check("afek-gafni-sync -n 4")?;
        let most = check.greatest("messages.by_kind.ack");
        Ok(sampled.and(check.shows(
            most.is_some_and(|most| most <= 8),
            format!("four processors send at most {} acks", most.unwrap_or(0)),
        )))
    }),
    tested("E33", "Afek-Gafni 11/11", "captured sets are disjoint; n/2^(i-1) candidates are left", captured_sets),
    tested("E34", "Afek-Gafni 11/11", "at most n log n candidate messages", |trial| {
        let check = trial.check("afek-gafni-sync -n 4")?;
        let most = check.greatest("messages.by_kind.candidate").unwrap_or(0);
        let four = check.shows(most <= 8, format!("4 processes send {most} against n log2 n = 8"));
        let run = trial.run(NEXT_SMALLER)?;
        let eight = run.report.cost.messages.by_kind.get("candidate").copied().unwrap_or(0);
        let evidence = four.and(run.shows(eight <= 24, format!("8 processes send {eight} against 24")));
        let repaired = trial.runs("afek-gafni-sync -n 2..40 --ports shuffled", (5, 50))?;
        let repaired = repaired.bound("messages.by_kind.candidate", "2(Nm - 2^m + 1), m = ceil(log2 N)")?;
        let exhaustive = trial.check_sizes("afek-gafni-sync", 2..=4)?;
        Ok(evidence
            .repaired("at most 2(Nm - 2^m + 1), m = ⌈log2 N⌉; eight processors reach it", exhaustive.and(repaired)))
    }),
    tested(
        "E35",
        "Afek-Gafni async 1/6 to 5/6",
        "capturing one by one, with fathers killed first, elects one",
        |trial| {
            let printed = all([
                trial.check("afek-gafni-async -n 2 --set printed=owner")?.all(),
                trial.check("afek-gafni-async -n 3 --set rules=printed")?.all(),
            ]);
            Ok(printed.repaired(
                "where a processor that is its own father is killed by the message that captures it",
                trial.check_sizes("afek-gafni-async", 2..=trial.pick(3, 4))?,
            ))
        },
    ),
    stated("E36", "Afek-Gafni async 3/6", "a node that has captured many may be killed many times", "a remark"),
    tested("E37", "Afek-Gafni async 6/6", "O(n) time", |trial| {
        let runs = trial.runs("afek-gafni-async -n 2^1..2^7 --d 1..9 --ports shuffled", (5, 50))?;
        runs.bound("time_elected", "8(N-1) d_max")
    }),
    tested("E38", "Afek-Gafni async 6/6", "n log n messages", |trial| {
        let mut counts = Vec::new();
        let mut each = Vec::new();
        for n in 2..=trial.pick(3, 4) {
            let check = trial.check(&format!("afek-gafni-async -n {n}"))?;
            counts.push(format!("n = {n}: {}", check.greatest("messages.election").unwrap_or(0)));
            each.push(check.all());
        }
        let runs = trial.runs("afek-gafni-async -n 2^1..2^7 --d 0..9 --ports shuffled", (5, 50))?;
        let bound = runs.bound("messages.election", "4 sum floor(N/k) - 2(N-1), k < N")?;
        let counts = format!("as an order; a count of n log2 n is exceeded: at most {}", counts.join(", "));
        Ok(bound.and(all(each)).note(counts))
    }),
];

fn everybody_to_everybody(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs("all-to-all -n 2..16", (2, 10))?;
    Ok(runs.bound("messages", "N(N-1)")?.and(runs.bound("depth", "1")?).and(trial.check_sizes("all-to-all", 2..=4)?))
}

/// N times the sum of 1/k, k up to N.
pub(crate) fn harmonic(n: u64) -> BigRational {
    let fraction = |under: u64| BigRational::new(n.into(), under.into());
    (1..=n).map(fraction).sum()
}

/// Elections on unidirectional rings that do nothing but compare identities.
const COMPARING: [&str; 5] = ["lelann", "chang-roberts", "peterson", "peterson-alternating", "dolev-klawe-rodeh"];

fn comparison_based(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sizes = trial.pick("2..7", "2..9");
    let mut least = Vec::new();
    for protocol in COMPARING {
        let exact = trial.exact(&format!("{protocol} -n {sizes}"))?;
        for row in &exact.rows {
            let floor = harmonic(row.n);
            let claimed = ringleader::check::decimal(&floor);
            if row.election.mean.value < claimed - 1e-9 {
                let measured =
                    format!("{protocol} of {}: mean {} below N H_N = {claimed}", row.n, row.election.mean.value);
                return Ok(Evidence::refuted("all orders", measured, row.election.min_run.clone()));
            }
            least.push(row.election.mean.value / claimed);
        }
    }
    let upper = trial
        .exact(&format!("peterson -n {sizes}"))?
        .at_most("election", "2N⌊log2 N⌋ + N", |n| (2 * n * u64::from(n.ilog2()) + n) as f64)?;
    let closest = least.into_iter().fold(f64::INFINITY, f64::min);
    let method = format!("all orders of {} elections, n = {sizes}", COMPARING.len());
    let measured = format!(
        "every mean is at least N H_N, the lower bound of Pachl, Korach and Rotem 1984 on unidirectional rings, at closest {} \
         times",
        decimal(closest)
    );
    Ok(Evidence::new(LedgerVerdict::Holds, method, measured).and(upper).of_all_algorithms())
}

/// The elections of the catalogue that make no random choices, on rings.
const DETERMINISTIC: [&str; 11] = [
    "lelann",
    "chang-roberts",
    "peterson",
    "peterson-alternating",
    "dolev-klawe-rodeh",
    "franklin",
    "hirschberg-sinclair",
    "van-leeuwen-tan",
    "vitanyi",
    "time-slice",
    "frederickson-lynch",
];

/// Angluin's theorem: where identities repeat, lock step keeps a deterministic protocol symmetric.
pub(crate) fn stays_symmetric(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let (mut steps, mut most) = (0, 0);
    for protocol in DETERMINISTIC {
        for ids in ["1,1,1,1", "1,2,1,2", "3,1,2,3,1,2"] {
            let report = trial.lock_step(&format!("{protocol} --ids {ids} --anonymous"))?;
            steps += report.steps;
            most = most.max(report.elected.len());
            if report.verdict != "holds" || report.elected.len() == 1 {
                let measured = format!("{protocol} on {ids}: {} leaders", report.elected.len());
                return Ok(Evidence::refuted("lock-step runs", measured, report.rerun));
            }
        }
    }
    let method =
        format!("the lock-step runs of {} deterministic elections, compared step by step", DETERMINISTIC.len());
    let measured = format!("symmetric in all {steps} steps; no leader, or several, up to {most}");
    Ok(Evidence::new(LedgerVerdict::Holds, method, measured).note("for all protocols: Angluin 1980"))
}

fn randomisation(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 2..=trial.pick(4, 6) {
        let report = trial.probability(&format!("itai-rodeh-sync -n {n}"), None)?;
        let certain = report.over.as_ref().is_some_and(|over| over.least.exact == "1") && report.error.is_none();
        let means: Vec<String> =
            report.means.iter().filter(|mean| mean.of == "phases").map(|mean| mean.mean.text()).collect();
        let measured = format!("n = {n}: one leader with probability 1, {} phases on average", means.join(""));
        let method = format!("all random choices, n = {n}");
        each.push(match certain {
            true => Evidence::new(LedgerVerdict::Holds, method, measured),
            false => Evidence::refuted(method, "no leader with probability 1", report.rerun.clone()),
        });
    }
    Ok(all(each))
}

fn time_slices(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let messages = trial.runs("time-slice -n 2..40", (2, 10))?.bound("messages", "N")?;
    let late = trial.runs("time-slice --vary ids='1,2 10,11 100,101 1000,1001'", (1, 1))?;
    let table = late.table("time", |setup| format!("{}", setup.scenario.ids[0]))?;
    let times = || late.rows("time").map(|(_, found)| found.mean);
    let constant = times().fold(0.0, f64::max) <= 2.0 * times().fold(f64::INFINITY, f64::min);
    let measured = format!("the time of two processes by the smallest id: {table}");
    let linear = trial.run("time-slice --ids 1000,1001")?.shows(constant, measured);
    let exact = trial.runs("time-slice -n 2..40", (2, 10))?.bound("time", "N min(id)")?;
    Ok(messages
        .and(linear)
        .repaired("N messages, and N times the smallest id in time, which no function of N bounds", exact))
}

/// At least half of the candidates of a phase do not reach the next one.
fn halves(trial: &mut Trial<'_>, command: &str) -> TrialResult<Evidence> {
    let runs = trial.runs(command, (5, 50))?;
    runs.every("candidates", "half of those of the round before", Comparator::AtMost, |run| {
        let candidates = run.list("candidates")?;
        let worst = candidates.windows(2).map(|pair| pair[1] as f64 / (pair[0] / 2).max(1) as f64);
        Some((worst.fold(0.0, f64::max), 1.0))
    })
}

fn local_maxima(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sizes = trial.pick("2..7", "2..10");
    let exact = trial.exact(&format!("franklin -n {sizes}"))?;
    let printed = exact.at_most("election", "2N log2 N", |n| 2.0 * n as f64 * (n as f64).log2())?;
    let repaired =
        exact.at_most("election", "2N(1 + ⌊log2 N⌋)", |n| (2 * n * (1 + u64::from(n.ilog2()))) as f64)?;
    Ok(printed
        .note("the leading term is right")
        .repaired("at most 2N(1 + ⌊log2 N⌋): one more round finds that nobody is left", repaired))
}

fn peterson_messages(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sizes = trial.pick("2..7", "2..10");
    let exact = trial.exact(&format!("peterson -n {sizes} --set elected=holder"))?;
    let claimed = |n: u64| 2.0 * n as f64 * (n as f64).log2();
    let printed = exact.at_most("election", "2N log2 N", claimed)?;
    let owner = trial.exact(&format!("peterson -n {sizes}"))?;
    let above: Vec<String> = owner
        .rows
        .iter()
        .filter(|row| row.election.max as f64 > claimed(row.n) + 1e-9)
        .map(|row| format!("n = {}: {}", row.n, row.election.max))
        .collect();
    let printed = printed.note(format!(
        "elected=holder; with elected=owner only {} of n = {sizes} is above it; the leading term is right",
        above.join(", ")
    ));
    let repaired = exact.at_most("election", "2N⌊log2 N⌋ + N", |n| (2 * n * u64::from(n.ilog2()) + n) as f64)?;
    Ok(printed.repaired("at most 2N⌊log2 N⌋ + N: the last pass finds the winner", repaired))
}

fn one_round(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sorted = trial.runs("peterson -n 3..32 --vary order='ascending descending' --set elected=holder", (1, 1))?;
    // The round that finds the winner is the second.
    let sorted = sorted.every("phases", "2", Comparator::Equal, |run| Some((run.value("phases")?, 2.0)))?;
    let exact =
        trial.exact(trial.pick("peterson -n 3..7 --set elected=holder", "peterson -n 3..9 --set elected=holder"))?;
    let mut counts = Vec::new();
    let mut peaks = true;
    for row in &exact.rows {
        let phases = row.phases.as_ref().map_or(&[][..], |phases| &phases.histogram);
        let one = phases.iter().find(|(value, _)| *value == 2).map_or(0, |(_, count)| *count);
        peaks &= one == 1 << (row.n - 2);
        counts.push((row.n, one));
    }
    let others = counts.iter().find(|(_, one)| *one > 2);
    let only = match others {
        Some((n, one)) => Evidence::refuted(
            "all orders",
            format!("{one} orders of {n} take one round, up to rotation; two of them are sorted"),
            "ringleader run peterson --ids 4,2,1,3 --set elected=holder",
        ),
        None => Evidence::new(LedgerVerdict::Holds, "all orders", "no others"),
    };
    let verdict = if peaks { LedgerVerdict::Holds } else { LedgerVerdict::Refuted };
    let measured: Vec<String> = counts.iter().map(|(n, one)| format!("{one} of n = {n}")).collect();
    Ok(sorted.and(only).repaired(
        "exactly the rings with a single local maximum, of which there are 2^(n-2) up to rotation",
        Evidence::new(verdict, "all orders", measured.join(", ")),
    ))
}

fn peterson_lemma(trial: &mut Trial<'_>, lemma: &str) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 2..=trial.pick(4, 6) {
        each.push(trial.check(&format!("peterson -n {n}"))?.property(lemma)?);
        each.push(trial.check(&format!("peterson -n {n} --set elected=holder"))?.property(lemma)?);
    }
    Ok(all(each))
}

/// Slide 11 speaks of sets of 2^(i-1); in the last double round only the rest can be captured.
fn captured_sets(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 2..=trial.pick(3, 4) {
        let check = trial.check(&format!("afek-gafni-sync -n {n}"))?;
        for lemma in [
            "candidates that survive a double round have captured disjoint sets of processes in it",
            "a candidate that survives double round i has captured 2^(i-1) processes in it, or all that were left",
            "at most n/2^(i-1) candidates are left after double round i",
        ] {
            each.push(check.property(lemma)?);
        }
    }
    Ok(all(each))
}

fn without_levels(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let late = "afek-gafni-sync --ids 1,2,3,4,5,6,7,8 --wake-at 0,-,-,-,-,-,-,3";
    let (with, without) = (trial.run(late)?, trial.run(&format!("{late} --set levels=off"))?);
    let time = |run: &RunMade| run.report.cost.time_elected.unwrap_or(0);
    let measured = format!("8 starts last and wins at round {}; with levels 1 wins at {}", time(&without), time(&with));
    let later = without.shows(time(&without) > time(&with), measured);
    Ok(later.and(trial.check_sizes("afek-gafni-sync --set levels=off", 2..=3)?))
}

fn longest_chain(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs("peterson -n 2..48", (20, 200))?;
    let owner = runs.bound("depth_elected", "2N-1")?;
    let holder = trial.run("peterson --ids 2,1 --set elected=holder")?;
    let depth = holder.report.cost.depth_elected.unwrap_or(0);
    Ok(owner.note(format!(
        "elected=owner; with elected=holder it is wrong, as E17 is: the ring 2, 1 has a chain of {depth}, where 2n-1 = 3"
    )))
}

/// The decreasing order takes N(N+1)/2 messages, and of all orders up to rotation it alone.
fn decreasing_order(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs("chang-roberts -n 2..64 --order descending", (1, 1))?;
    let reached = runs.every("messages.election", "N(N+1)/2", Comparator::Equal, |run| {
        let n = run.n() as f64;
        Some((run.value("messages.election")?, n * (n + 1.0) / 2.0))
    })?;
    let exact = trial.exact(trial.pick("chang-roberts -n 3..7", "chang-roberts -n 3..10"))?;
    let mut others =
        exact.rows.iter().filter(|row| row.election.histogram.last().is_none_or(|(_, orders)| *orders > 1));
    let only = match others.next() {
        None => Evidence::new(LedgerVerdict::Holds, "all orders", "reached by one order up to rotation"),
        Some(row) => {
            Evidence::refuted("all orders", format!("several orders of {} reach it", row.n), &row.election.max_run)
        }
    };
    Ok(reached.and(only))
}

/// The run of eight in which everybody's first link leads to the next smaller identity (experiments/afek-gafni-sync).
const NEXT_SMALLER: &str = "afek-gafni-sync --ids 5,2,1,4,6,8,7,3 --ports shuffled:3830";

fn eight_processors(trial: &mut Trial<'_>, quantity: &str, formula: &str, claimed: f64) -> TrialResult<Evidence> {
    let run = trial.run(NEXT_SMALLER)?;
    let messages = &run.report.cost.messages;
    let sent = messages.total - messages.split.get("announcement").copied().unwrap_or(0);
    Ok(run.shows(sent as f64 <= claimed, format!("eight processors: {quantity} {sent} against {formula} = {claimed}")))
}

fn earliest_and_largest(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs(
        "afek-gafni-sync -n 6 --ports shuffled --vary wake-at='0,0,0,0,0,0 3,0,2,0,5,9 -,4,-,4,4,- 9,8,7,6,5,4 2,2,0,2,2,2'",
        (20, 200),
    )?;
    runs.every("the leader", "the largest id of the first round", Comparator::Equal, |run| {
        let scenario = run.setup().scenario;
        let times = || (0..scenario.n as u32).filter_map(|place| Some((scenario.wake_at(place)?, place)));
        let first = times().map(|(time, _)| time).min()?;
        let largest =
            times().filter(|(time, _)| *time == first).map(|(_, place)| scenario.ids[place as usize]).max()?;
        Some((run.record.leader? as f64, largest as f64))
    })
}
