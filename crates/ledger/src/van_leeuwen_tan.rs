//! Van Leeuwen and Tan: election in bidirectional rings without a sense of orientation.

use ringleader::sweep::Comparator;

use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::trial::{Trial, TrialResult};
use crate::{LedgerItem, stated, tested, untestable};

/// All items.
pub(crate) const ITEMS: [LedgerItem; 33] = [
    tested("L1", "1", "left and right need not be the same everywhere", |trial| {
        trial.check_sizes("van-leeuwen-tan --orientation all", 2..=trial.pick(3, 4))
    }),
    tested("L2", "1", "at most 1.44… N log N + O(N) messages", messages),
    untestable(
        "L3",
        "1",
        "Santoro, Korach and Rotem: 1.89… N log N + O(N) messages",
        "no rules are to be had in public: an abstract and citations were found; see SantoroKorachRotem1982 in BIBLIOGRAPHY",
    ),
    tested("L4", "1", "Peterson's second algorithm: 1.44… N log N + O(N) messages", |trial| {
        let runs = trial.runs("peterson-alternating -n 2..64", (20, 200))?;
        let sampled = runs.bound("messages.election", "N T with Fibonacci(T+1) <= N")?;
        let exact = trial.exact(trial.pick("peterson-alternating -n 2..7", "peterson-alternating -n 2..10"))?;
        let most = |n: u64| (n * u64::from(fibonacci_phases(n))) as f64;
        Ok(exact.at_most("election", "N P, F_(P+1) ≤ N", most)?.and(sampled))
    }),
    untestable(
        "L5",
        "1",
        "Dolev, Klawe and Rodeh: 1.356… N log N + O(N) messages",
        "no source at hand describes that variant; their variant of 1.5 N log N + O(N) is dolev-klawe-rodeh --set variant=b",
    ),
    tested("L6", "1", "different runs may elect different leaders, not always the largest", different_leaders),
    tested("L7", "1", "leadership is transferred in O(N) further messages", |trial| {
        let runs = trial.runs("van-leeuwen-tan -n 2..40 --then transfer", (2, 20))?;
        let schedules = trial.check_sizes("van-leeuwen-tan --then transfer", 2..=3)?;
        Ok(runs.bound("messages.task", "2N")?.and(schedules))
    }),
    stated(
        "L8",
        "2",
        "two queues, links that keep the order, one message on a link at a time",
        "the model: van-leeuwen-tan --set duplex=half, which implies --links half",
    ),
    tested("L9", "2", "only messages of one phase must not pass each other in a link", one_phase_only),
    tested("L10", "2", "after phase 0 the local minima are active, and at least one processor is", |trial| {
        let minima = lemmas(trial, &["1 to N/2 processors are active in phase 1, no two of them neighbours"])?;
        let alone = trial.check("van-leeuwen-tan -n 1 --set printed=one")?.goes_wrong();
        let note = match alone.verdict {
            LedgerVerdict::Holds => "presupposes N > 1: a processor that is its own neighbour would wait without end",
            _ => "N = 1, too",
        };
        Ok(minima.note(note))
    }),
    tested("L11", "2", "active and observant processors, cases 0, 1 and 2, as printed, elect one", |trial| {
        printed_half_duplex(trial)
    }),
    tested("L12", "2", "the assignment ID := v where v > ID is optional", |trial| {
        Ok(trial
            .check_sizes("van-leeuwen-tan --set larger=take", 2..=trial.pick(3, 5))?
            .and(trial.check_sizes("van-leeuwen-tan --set larger=take --set duplex=half", 2..=trial.pick(3, 4))?)
            .and(trial.runs("van-leeuwen-tan -n 8..40 --d 1..9 --set larger=take", (2, 20))?.held()))
    }),
    tested("L13", "2", "started spontaneously or by a neighbour", |trial| {
        Ok(trial
            .check_sizes("van-leeuwen-tan --wake one", 2..=trial.pick(3, 4))?
            .and(trial.runs("van-leeuwen-tan -n 3..40 --wake random:2 --d 1..9", (5, 50))?.held()))
    }),
    tested("L14", "3", "phase 0 takes 2N messages", |trial| {
        let runs = trial.runs("van-leeuwen-tan -n 2..48 --d 1..9 --quantity messages.by_phase", (5, 50))?;
        runs.every("messages of phase 0", "2N", Comparator::Equal, |run| {
            Some((*run.list("messages.by_phase")?.first()? as f64, 2.0 * run.n() as f64))
        })
    }),
    tested("L15", "3", "1 to N/2 local minima; active processors are separated by observant ones", |trial| {
        lemmas(trial, &["1 to N/2 processors are active in phase 1, no two of them neighbours"])
    }),
    tested("L16", "3", "phase numbers increase on every link", |trial| {
        lemmas(trial, &["the phases of messages on a link increase"])
    }),
    tested("L17", "3", "the synchronous regime is the worst; asynchrony may save messages", synchronous_regime),
    tested("L18", "lemma 3.1", "a further message of a phase comes from the other side", |trial| {
        let lemma = "a message of the own phase comes from the other side";
        let without = trial.check("van-leeuwen-tan -n 4 --set duplex=half --set printed=minimum")?.property(lemma)?;
        let note = match without.verdict {
            LedgerVerdict::Refuted => {
                "by the rule at the end of section 2; without it phase 0 violates it on 1, 3, 2, 4"
            }
            _ => "",
        };
        Ok(lemmas(trial, &[lemma])?.note(note))
    }),
    tested("L19", "lemma 3.2", "active colours of a phase are active in the phase before", |trial| {
        lemmas(trial, &["the active colors of a phase were active in the phase before"])
    }),
    tested("L20", "lemma 3.3", "active processors of a phase: (i) to (iv)", |trial| {
        lemmas(
            trial,
            &[
                "between two c-active processors two are not active",
                "an active processor is not c-active in the next phase",
                "active neighbours do not send to each other",
            ],
        )
    }),
    tested("L21", "proposition 3.4", "as long as no leader is elected, the ring is never silent", |trial| {
        lemmas(trial, &["termination"])
    }),
    tested("L22", "lemma 3.5", "colours of a phase occupy intervals: (i) to (iii)", |trial| {
        lemmas(trial, &["active processors of one color send away from an interval of that color"])
    }),
    tested("L23", "proposition 3.6", "exactly one processor inaugurates, and all hold the same ID then", |trial| {
        printed_half_duplex(trial)
    }),
    tested("L24", "lemma 3.7", "active colours map one-to-one to colours that have disappeared", |trial| {
        lemmas(
            trial,
            &["the active colors of a phase map 1-1 to those that were active two phases before and not since"],
        )
    }),
    tested("L25", "proposition 3.8", "algorithm E terminates and is correct", |trial| {
        let finder = trial.check("van-leeuwen-tan -n 4 --set duplex=half --set leader=finder --set printed=id")?;
        let leads = finder.property("safety")?.and(finder.property("termination")?);
        let note = match leads.verdict {
            LedgerVerdict::Holds => {
                "where the processor that finds the end leads, ID is never used, and it is correct as printed"
            }
            _ => "also where the processor that finds the end leads",
        };
        Ok(printed_half_duplex(trial)?.note(note))
    }),
    tested("L26", "3", "the processor that finds the end may lead itself, and sends its id around", |trial| {
        let small = trial.check_sizes("van-leeuwen-tan --set duplex=half --set leader=finder", 2..=trial.pick(3, 4))?;
        let larger = trial.runs("van-leeuwen-tan -n 5..40 --d 1..9 --set duplex=half --set leader=finder", (2, 20))?;
        Ok(small.and(larger.held()))
    }),
    tested("L27", "3", "or the owner of the common ID leads: a flag of one bit goes around", |trial| {
        let runs = trial.runs("van-leeuwen-tan -n 2..40 --d 1..9", (5, 50))?;
        let flags = runs.bound("messages.announcement", "N")?;
        let back = trial.check("van-leeuwen-tan --ids 5,1,3,4,2 --orientation same --set printed=flag")?;
        let direction = match back.goes_wrong().verdict {
            LedgerVerdict::Holds => {
                "sent back over the deciding link, the flags of two neighbours annihilate each other"
            }
            _ => "the direction does not matter for 5, 1, 3, 4, 2",
        };
        Ok(flags.and(trial.check_sizes("van-leeuwen-tan", 2..=trial.pick(3, 4))?).note(direction))
    }),
    tested("L28", "proposition 3.9", "it ends within T phases, F_T ≤ N: 1.44… log N", |trial| {
        let runs = trial.runs("van-leeuwen-tan -n 2..64 --vary set.duplex='half full'", (10, 100))?;
        let exact = trial.exact(trial.pick("van-leeuwen-tan -n 2..7", "van-leeuwen-tan -n 2..9"))?;
        let exact = exact.at_most("phases", "P, F_(P+1) ≤ N", |n| f64::from(fibonacci_phases(n)))?;
        Ok(runs.bound("phases", "P, F_(P+1) <= N")?.and(exact))
    }),
    tested("L29", "proposition 3.9", "every phase but the first takes at most N messages", |trial| {
        let runs = trial.runs(
            "van-leeuwen-tan -n 2..48 --d 1..9 --vary set.duplex='half full' --quantity messages.by_phase",
            (5, 50),
        )?;
        runs.every("the most messages of a later phase", "N", Comparator::AtMost, |run| {
            let later = run.list("messages.by_phase")?.iter().skip(1).max().copied().unwrap_or(0);
            Some((later as f64, run.n() as f64))
        })
    }),
    tested("L30", "4", "a bit q tells which messages would have collided: cases (i) and (ii)", |trial| {
        let small = trial.check_sizes("van-leeuwen-tan", 2..=trial.pick(3, 5))?;
        Ok(small.and(trial.runs("van-leeuwen-tan -n 8..40 --d 1..9", (2, 20))?.held()))
    }),
    tested("L31", "proposition 4.1", "the modified algorithm is correct on fully asynchronous rings", |trial| {
        let printed = trial.check("van-leeuwen-tan -n 4 --set printed=id")?.all();
        Ok(printed.repaired(
            "with ID := v1 where two equal messages meet, and rule (i) of section 4 before case 2",
            trial.check_sizes("van-leeuwen-tan", 2..=trial.pick(3, 5))?,
        ))
    }),
    tested("L32", "proposition 4.2", "the modified algorithm has the same bounds", messages),
    stated("L33", "1", "election seems harder on bidirectional rings; survey of earlier results", "a survey"),
];

/// The greatest P with F_(P+1) ≤ N, where F_1 = F_2 = 1.
fn fibonacci_phases(n: u64) -> u32 {
    let (mut phases, mut this, mut next) = (0, 1, 1);
    while next <= n {
        (this, next) = (next, this + next);
        phases += 1;
    }
    phases
}

fn messages(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let runs = trial.runs("van-leeuwen-tan -n 2..64 --vary set.duplex='half full'", (10, 100))?;
    let sampled = runs.bound("messages.election", "2N + N P, F_(P+1) <= N")?;
    let exact = trial.exact(trial.pick("van-leeuwen-tan -n 2..7", "van-leeuwen-tan -n 2..9"))?;
    let most = |n: u64| (2 * n + n * u64::from(fibonacci_phases(n))) as f64;
    Ok(sampled.and(exact.at_most("election", "2N + N P, F_(P+1) ≤ N", most)?))
}

fn different_leaders(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let check = trial.check("van-leeuwen-tan --ids 1,3,2,5,4 --orientation same --set duplex=half")?;
    let mut leaders: Vec<u64> = check.report.leaders.iter().flatten().flatten().copied().collect();
    leaders.sort_unstable();
    leaders.dedup();
    let texts: Vec<String> = leaders.iter().map(u64::to_string).collect();
    Ok(check.shows(leaders.len() > 1, format!("on the ring 1, 3, 2, 5, 4: {}", texts.join(" or "))))
}

/// Half-duplex for messages of one phase is enough; links that are not half-duplex at all are not.
fn one_phase_only(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let links = "--links half-phase --set duplex=half";
    let schedules = trial.check_sizes(&format!("van-leeuwen-tan {links}"), 2..=trial.pick(3, 5))?;
    let runs = trial.runs(&format!("van-leeuwen-tan -n 2..40 --d 1..9 {links}"), (2, 50))?.held();
    let ring = "van-leeuwen-tan --ids 1,3,2,4 --orientation same";
    let enough = trial.check(&format!("{ring} {links}"))?.all();
    let passing = trial.check(&format!("{ring} --links fifo --set duplex=half"))?.goes_wrong();
    Ok(all([schedules, runs, enough, passing]).note("the last on links where messages of one phase pass each other"))
}

/// The printed form of algorithm E, and the repaired one.
fn printed_half_duplex(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let printed = trial.check("van-leeuwen-tan -n 4 --set duplex=half --set printed=id")?.all();
    let repaired = trial.check_sizes("van-leeuwen-tan --set duplex=half", 2..=trial.pick(3, 5))?;
    Ok(printed.repaired("with ID := v1 where two equal messages meet", repaired))
}

/// Lemmas of the analysis of algorithm E, over all schedules of small half-duplex rings, and in runs of larger ones: there is no
/// second phase below N = 5, no two processors become active by collisions in one phase below 8, and in phase 3 below 9.
fn lemmas(trial: &mut Trial<'_>, lemmas: &[&str]) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 2..=trial.pick(3, 5) {
        let check = trial.check(&format!("van-leeuwen-tan -n {n} --set duplex=half"))?;
        for lemma in lemmas {
            each.push(check.property(lemma)?);
        }
    }
    let larger = trial.runs("van-leeuwen-tan -n 8..40 --set duplex=half --d 1..9", (2, 20))?;
    Ok(all(each).and(larger.held()))
}

fn synchronous_regime(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut each = Vec::new();
    for n in 3..=trial.pick(3, 5) {
        let synchronous = trial.exact(&format!("van-leeuwen-tan -n {n} --orientations all --set duplex=half"))?;
        let greatest = synchronous.rows[0].election.max;
        let check = trial.check(&format!("van-leeuwen-tan -n {n} --set duplex=half"))?;
        let (least, most) =
            (check.least("messages.election").unwrap_or(0), check.greatest("messages.election").unwrap_or(u64::MAX));
        let measured = format!("n = {n}: {greatest} in lock step, {least} to {most} over all schedules");
        each.push(check.shows(most <= greatest, measured));
    }
    Ok(all(each))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F is 1, 1, 2, 3, 5, 8, …: F_(P+1) ≤ N for P = 1, 2, 3, 4, 5 from N = 1, 2, 3, 5, 8 on.
    #[test]
    fn phases_follow_fibonacci() {
        assert_eq!([1, 2, 3, 4, 5, 7, 8, 12, 13].map(fibonacci_phases), [1, 2, 3, 3, 4, 4, 5, 5, 6]);
    }
}
