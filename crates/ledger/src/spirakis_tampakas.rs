//! Spirakis and Tampakas: mutual exclusion, readers and writers, and breaking symmetry in Archimedean time.

mod locks;
mod symmetry;

use crate::{LedgerItem, stated, tested, untestable};

/// All items.
pub(crate) const ITEMS: [LedgerItem; 67] = [
    stated(
        "S1",
        "1",
        "bounds on steps and delays are known; there is no global clock",
        "the model: --r, --d, --clocks",
    ),
    tested(
        "S2",
        "1",
        "several processes of a site compete locally, in which case known mechanisms resolve conflicts",
        locks::local,
    ),
    stated(
        "S3",
        "1",
        "synchronous algorithms can be turned into Archimedean ones",
        "a general technique, without a statement",
    ),
    tested("S4", "2.1", "Ricart and Agrawala's algorithm excludes and grants", |trial| {
        trial.check_sizes("ricart-agrawala --entries 2", 2..=3)
    }),
    tested("S5", "2.1", "it takes 2(n-1) messages an entry", |trial| {
        let runs = trial.runs("ricart-agrawala -n 2..24 --hold 1..9", (3, 30))?;
        Ok(runs.bound("whole_run.messages_per_entry", "2(N-1)")?.and(trial.check_sizes("ricart-agrawala", 2..=3)?))
    }),
    untestable(
        "S6",
        "2.1",
        "which is optimal without bounds on time",
        "a lower bound on all algorithms, cited from the source",
    ),
    tested("S7", "2.2", "silence is consent: n-1 to 3(n-1) messages an entry", locks::messages_an_entry),
    tested("S8", "2.2", "random waits halve the competition", locks::halved),
    tested("S9", "2.2", "neither deadlock nor starvation", |trial| {
        let forever =
            trial.check("spirakis-tampakas-mutex -n 2 --r 1 --d 1 --set c1=1 --set numbers=3 --entries forever")?;
        Ok(trial
            .check_sizes("spirakis-tampakas-mutex --r 1 --d 1 --set c1=1", 2..=trial.pick(3, 4))?
            .and(trial.check("spirakis-tampakas-mutex -n 2")?.all())
            .and(forever.all()))
    }),
    tested("S10", "2.2.1", "processes (a), (b) and (c), as printed, exclude", |trial| {
        let printed = trial.check("spirakis-tampakas-mutex -n 2 --r 1 --d 1 --set c1=1 --set printed=sleep")?.all();
        Ok(printed.repaired("where the number is drawn when the random wait ends", locks::repaired(trial)?))
    }),
    stated(
        "S11",
        "2.2.2",
        "γ, window, mindelay, delaystep, c and c1",
        "definitions: ringleader info spirakis-tampakas-mutex",
    ),
    tested("S12", "2.2.2", "c covers the steps of process (b), whatever N is", locks::one_by_one),
    stated("S13", "2.2.2", "s is the number of sites that compete at a time", "a definition: --compete"),
    stated(
        "S14",
        "2.2.2",
        "predict is the number of negative replies of the time before, or n",
        "a rule: --set predict",
    ),
    tested("S15", "2.2.2", "the prediction is good only if s changes slowly", locks::prediction),
    tested("S16", "lemma 1", "a competing site gets s/(2(1+γ)) negative replies on average", locks::negative_replies),
    tested("S17", "lemma 1", "at most (1+β) times as many with probability tending to 1", |trial| {
        let instead =
            ("with probability at least β/(1+β)", "Markov's inequality; the replies are not independent trials");
        locks::tails(trial, "P(nnr > 3/2 mean)", instead)
    }),
    tested(
        "S18",
        "lemma 1, proof",
        "another site is found active with probability at most 1/(1+γ), its number being in the middle",
        locks::found_active,
    ),
    tested("S19", "lemma 2", "an entry costs n-1 + s/(2(1+γ)) messages on average", locks::messages_on_average),
    tested("S20", "lemma 2", "at most (1+β) times as many with probability tending to 1", |trial| {
        let fixed = (
            "for a fixed number s of competitors, from n = 1 + 2(s-1)/β on with probability 1",
            "an entry costs n-1 + 2 nnr messages, and nnr < s",
        );
        locks::tails(trial, "P(messages > 11/10 mean)", fixed)
    }),
    stated("S21", "2.2.4", "the granting delay D: from asking to entering", "a definition: cost.granting_delay"),
    tested("S22", "2.2.4", "Ricart and Agrawala's D is at most (n(n+1)/2-1) r_max", locks::ricart_agrawala_delay),
    tested("S23", "2.2.4", "D ≤ 2 d_max + 2(n-1) mindelay", locks::longest_delay),
    tested("S24", "2.2.4", "D ≤ 2 d_max + s mindelay/(2(1+γ)) on average", locks::mean_delay),
    tested("S25", "2.2.4", "nobody enters more than twice in succession past a waiting site", locks::twice),
    tested("S26", "2.2.5", "fewer messages and less time than Ricart and Agrawala", locks::below_ricart_agrawala),
    tested("S27", "2.2.5", "failures of nodes do not matter, but between a negative and a positive reply", |trial| {
        let crash = "spirakis-tampakas-mutex --r 1 --d 1 --set c1=1 --faults crash:1";
        let no_negative = trial.check_sizes(&format!("{crash} --compete 1"), 2..=trial.pick(3, 4))?;
        let any = trial.check(&format!("{crash} -n 2"))?;
        let safe = any.property("safety")?;
        Ok(no_negative.and(safe).and(any.goes_wrong()).note("a crash after a negative reply: see S28"))
    }),
    tested("S28", "2.2.5", "another timeout detects failures after a negative reply", |trial| {
        let three = "spirakis-tampakas-mutex --ids 1,2,3 --r 1 --d 1 --entries 1 --hold 5 --faults crash:0@12";
        let timeout = trial.run(&format!("{three} --set crash=timeout:5000"))?;
        let inside = timeout.inside_together().unwrap_or(0);
        let printed =
            timeout.shows(inside <= 1, format!("a timeout of 5000 steps: {inside} of three sites inside together"));
        Ok(printed.repaired(
            "from three sites on no common timeout is safe; asking again is (crash=probe)",
            locks::probed(trial)?,
        ))
    }),
    tested("S29", "2.2.5", "numbers can be kept modulo M ≥ 2n-1", |trial| {
        let scope = "spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 2 --set c1=1 --set numbers=3";
        let printed = trial.check(&format!("{scope} --set printed=numbers"))?.all();
        Ok(printed.repaired("where the highest number seen takes in the own one", trial.check(scope)?.all()))
    }),
    tested("S30", "2.2.5", "two numbers differ by at most n-1", locks::close_numbers),
    tested(
        "S31",
        "3.1",
        "the lock, with readers that never answer readers negatively, serves readers and writers",
        |trial| {
            let repaired =
                trial.check_sizes("spirakis-tampakas-readers-writers --r 1 --d 1 --set c1=1", 2..=trial.pick(3, 4))?;
            Ok(repaired.note("on the repaired lock; on the printed one it inherits S10"))
        },
    ),
    tested("S32", "3.1", "any other mutual exclusion can be used", locks::other_lock),
    stated(
        "S33",
        "3.2",
        "fairness depends on that of the lock",
        "a remark; ringleader league readers-writers shows fairness",
    ),
    tested(
        "S34",
        "3.2",
        "Lamport: writers always write, readers try again until their values are consistent",
        |trial| {
            let scope = "lamport-readers-writers --untimed -n 2 --entries 3 --readers 1 --writers 1 --set digits=2";
            Ok(trial.check(scope)?.all())
        },
    ),
    tested("S35", "3.2", "a reader can tell one overlapping write from two or more", locks::overlaps),
    stated("S36", "3.2", "R and W: the statements of a reader and of the writer", "definitions"),
    stated("S37", "3.2", "random waits from [(R+W)/γ, 2(R+W)/γ]", "a rule: --set waits=archimedean"),
    tested(
        "S38",
        "3.2",
        "an attempt succeeds with the probability that the writer sleeps, at least (R+W)/(2(R+W)/γ+W)",
        |trial| {
            let statement =
                "at least (R+3W)/(3(R+W)+2γW) in the long run: an attempt has to fit into the writer's sleep";
            locks::read_write_times(trial, "attempts that fail", statement)
        },
    ),
    tested("S39", "3.2", "at most (2(R+W)/γ+W)/(R+W) attempts on average", |trial| {
        let statement =
            "at most (3(R+W)+2γW)/(R+3W) in the long run; the printed bound fails only for γ > 2/3 and R > 2.56 W";
        locks::read_write_times(trial, "attempts_per_read", statement)
    }),
    tested("S40", "3.2", "at most 2/γ + 1 attempts on average", locks::attempts),
    tested("S41", "3.2", "readers do not starve any more", locks::no_starvation),
    stated("S42", "4.1", "an anonymous unidirectional ring; n is known", "the model of spirakis-tampakas-symmetry"),
    tested("S43", "4.1", "no deterministic protocol breaks symmetry", crate::epema::stays_symmetric),
    tested("S44", "4.1", "Itai and Rodeh: O(n) bits and time on average, synchronously", symmetry::itai_rodeh),
    untestable(
        "S45",
        "4.1",
        "Frederickson and Santoro: the same, whoever starts when",
        "no rules are to be had in public: an abstract and citations were found; see FredericksonSantoro1986 in BIBLIOGRAPHY",
    ),
    tested("S46", "4.1", "Vitányi: O(n) messages or O(n) time", symmetry::vitanyi),
    tested("S47", "4.1", "O(n) messages and O(n) time at once, on average", symmetry::linear),
    tested("S48", "4.2", "synchronous rings report several minima deterministically", symmetry::several_minima),
    tested("S49", "lemma 3", "no deterministic protocol tells one minimum from two", symmetry::one_minimum_or_two),
    tested("S50", "4.3", "phases, draws and forced wake-ups", |trial| {
        Ok(trial.check("spirakis-tampakas-symmetry -n 2 --set k=1 --r 1 --d 1..2")?.all())
    }),
    tested("S51", "4.3", "k stages of holding or forwarding a claim end in situation A or B", |trial| {
        Ok(trial.check("spirakis-tampakas-symmetry -n 2 --set k=2 --r 1 --d 1")?.all())
    }),
    tested("S52", "4.3", "more than one leader with probability at most (3/4)^k", symmetry::errors),
    tested("S53", "4.3", "k = 30 or 40 makes errors rare enough", symmetry::many_stages),
    stated(
        "S54",
        "4.3",
        "a stage has n⌈(d_max+r_max)/r_min⌉ steps",
        "a rule; figure q of ringleader run spirakis-tampakas-symmetry",
    ),
    tested("S55", "lemma 4", "everybody begins a phase within n(d_max+r_max)", symmetry::phase_spread),
    tested("S56", "lemma 5", "a lone candidate is elected in its phase", symmetry::lone_candidate),
    tested("S57", "lemma 6", "an elected node is the only one with probability at least 1-(3/4)^k", symmetry::errors),
    tested(
        "S58",
        "lemma 6, proof",
        "two candidates go undetected only with the same selections",
        symmetry::same_selections,
    ),
    tested("S59", "theorem 1", "fewer than e phases on average", |trial| symmetry::theorem(trial, "phases", "e")),
    tested("S60", "theorem 1", "4ecnk bits on average", |trial| symmetry::theorem(trial, "bits", "4 e c N k")),
    tested("S61", "theorem 1", "4en d_max k time on average", symmetry::time),
    tested("S62", "theorem 1, proof", "a phase takes at most 4kcn bits and 4n d_max k time", symmetry::one_phase),
    tested(
        "S63",
        "theorem 1, proof",
        "exactly one draws 1 with probability (1-1/n)^(n-1) > 1/e",
        symmetry::one_draws_1,
    ),
    tested("S64", "note", "the faster candidate is favoured", symmetry::faster_candidate),
    tested("S65", "appendix A", "rules 1 to 4 and Wake-up-1, as printed, elect one", |trial| {
        let printed =
            trial.check("spirakis-tampakas-symmetry -n 2 --r 1 --d 1 --set k=1 --set printed=next-time")?.all();
        Ok(printed.repaired(
            "with one next-time per processor and phase, k coins, and the departures that ringleader info lists",
            trial.check("spirakis-tampakas-symmetry -n 2 --set k=1 --r 1 --d 1..2")?.all(),
        ))
    }),
    untestable(
        "S66",
        "5",
        "Archimedean rings are weaker than synchronous ones",
        "concluded from lemma 3, which does not hold as printed (S49); where n is unknown, synchronous rings cannot tell either",
    ),
    stated("S67", "5", "impossibility theorems are further work", "an announcement"),
];
