//! Afek and Gafni's synchronous election on a complete network \[AfekGafni1991\], as in \[Epema2013\].
//!
//! *Problem*: election of the greatest identity among those that started first. *Assumes*: distinct identities, a link
//! between any two, rounds; any set of starters, in any rounds.
//!
//! A processor that starts has a candidate process and an ordinary process, one that is woken by a message an ordinary
//! process only. Every other round a candidate asks twice as many further processors as before, and goes on if all of
//! them acknowledge it in the round between. An ordinary process acknowledges only the greatest (level, id) of the
//! round, where a level is a number of rounds since the start, and only if it exceeds the greatest it knows. A
//! candidate that has been acknowledged over all links is elected. *Claimed*: 2 log n rounds, at most n log n acks, n
//! log n candidate messages and 2n log n messages in all.
//!
//! *Departures*: the code does not say what id an ordinary process begins with; here it is the own id where there is a
//! candidate and 0 elsewhere. Slide 4 and the code differ about the links that remain; the code is right. `printed = …`
//! brings back one or some of these, `rules = printed` all, and each fails. The sums of candidate messages and of all
//! messages are too small (see the bounds and their proof below). What is decided "on all messages of a round" is
//! decided at the next tick: that is when an ack leaves.
//!
//! `levels = off` is slide 9: "using levels is not strictly needed". Then the greatest identity wins of all that start before a
//! message reaches them, and a later starter takes over what others have captured. The lecture names the disadvantage that this
//! takes longer; it takes more messages, too: the bounds N log N are lost.
//!
//! ```
//! use ringleader_model::{Preset, Protocol, Reading, Scenario, Settings};
//! use ringleader_protocols::election::afek_gafni_sync::AfekGafniSync;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let timing = Preset::Rounds.timing(Reading::Immediate);
//! let scenario = Scenario { n: 3, ids: vec![3, 2, 1], timing, ..Scenario::default() };
//! let settings = Settings::new(AfekGafniSync::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = AfekGafniSync::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.split(false), 6); // 3 and 1 candidate messages, 1 and 1 acks
//! assert_eq!(run.summary().cost.time_elected, Some(4)); // level 2⌈log2 3⌉
//! ```

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Complete, Departure, Departures, Description, Display, Effects,
    Election, ElectionReport, Erratum, Event, Fact, Histories, Id, Inspect, Instance, Lemma, Message, Parameter, Place,
    Port, Preset, Processor, Promise, Promised, Promises, Protocol, Quantity, Scenario, Seat, Settings, Ticks, Value,
    Values,
};
use serde::Serialize;

use super::{COMPLETE, Standing, links_of, send_to_all, somebody_wins};

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct AfekGafniSync {
    links: u32,
    /// The level at which nothing is left to ask: 2⌈log2 n⌉.
    top: u32,
    /// Levels are compared before identities.
    levels: bool,
    printed: Printed,
}

/// The departures that are undone: see [`DEPARTURES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Printed {
    own: bool,
    zero: bool,
    slide_4: bool,
}

/// The printed rules that are not followed.
const DEPARTURES: &[Departure] = &[
    Departure::new(
        "own",
        "Epema2013, synchronous, slide 7, the ordinary process's id",
        "not given a value; read as the own id, everywhere",
        "the own id where there is a candidate, 0 where a message wakes",
    ),
    Departure {
        instead_of: Some("own"),
        ..Departure::new(
            "zero",
            "Epema2013, synchronous, slide 7, the ordinary process's id",
            "not given a value; read as 0, everywhere",
            "the own id where there is a candidate, 0 where a message wakes",
        )
    },
    Departure::new(
        "slide-4",
        "Epema2013, synchronous, slide 4, remaining links",
        "a link remains if no id was sent or received over it",
        "a link remains if no id was sent over it",
    ),
];

/// A message of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// (level, id) of a candidate.
    Candidate(Standing),
    /// You are the greatest I know.
    Ack,
    /// The identity that was elected.
    #[message(announcement)]
    Announcement(Id),
}

/// The rounds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// The next round begins.
    Round,
}

/// One processor: 48 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct AfekGafniSyncProcessor {
    id: Id,
    life: Life,
    /// The result is known. The lecture announces nothing, so both processes go on as if it were not.
    done: bool,
    /// The candidate's level.
    level: u8,
    /// The candidate's E: links are used in the order of the ports, so these are left from here on.
    unused: u32,
    /// The candidate's K - |A|: acks that have not come.
    missing: u32,
    /// The ordinary process's (level, id).
    owner: Standing,
    /// The ordinary process's link: where the ack of this round goes.
    link: Option<Port>,
    /// Links over which an id came, where they count.
    crossed: Option<Box<Crossed>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Life {
    Asleep,
    /// An ordinary process only; the candidate, if there was one, has stopped or was elected.
    Ordinary,
    /// A candidate and an ordinary process.
    Candidate,
}

/// A set of links, boxed because only one printed reading has any.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize)]
struct Crossed(BTreeSet<Port>);

impl Protocol for AfekGafniSync {
    type Processor = AfekGafniSyncProcessor;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "afek-gafni-sync",
        title: "candidates ask twice as many each time, in rounds; the first and greatest wins",
        sources: &["AfekGafni1991", "Epema2013"],
        idea: "A candidate asks 1, 2, 4, … further processors and goes on only if all of them acknowledge it. A processor \
               acknowledges one candidate a round, and only one that is greater than all it knows, so those that go on \
               share the processors among them and their number is halved each time. A candidate that started earlier is \
               greater, then one that has the greater identity.",
        rules: &[
            "On waking: a candidate process of level 0 with E = all links, and an ordinary process of level 0 that \
             knows the own id (printed=zero: 0).",
            "On the first message, while asleep: an ordinary process only, of level 0 and id 0 (printed=own: the own \
             id).",
            "Candidate at an even level, E not empty: send (level, id) over the next K = min(2^(level/2), |E|) links \
             of E, and take them out of E (levels=off: (0, id)).",
            "Candidate at an even level, E empty: elected; announce the identity over all links.",
            "On an ack: one less is missing.",
            "Candidate, before the next even level, fewer than K acks: stop.",
            "Ordinary, on (level', id') greater than the own (level, id): adopt it; its link gets the ack of this \
             round.",
            "Ordinary, on (level', id') that is not greater: discard it.",
            "In the next round: send the ack of the last one, if there is one; the ordinary process's level := level \
             + 1 (levels=off: it stays 0).",
            "On the announcement: follow.",
            "Once the leader is known, on the announcement: discard it.",
        ],
        assumptions: Assumptions { preset: Preset::Rounds, compulsory: true, timed: true, ..COMPLETE },
        random: false,
        parameters: &[
            Departures::rules(),
            Departures::printed(DEPARTURES),
            Parameter {
                name: "levels",
                values: Values::Choice(&["on", "off"]),
                default: "on",
                doc: "off: candidates are compared by identity alone (slide 9), so that one that starts later may win",
            },
        ],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "slide 7, the ordinary process's id",
                wrong: "not given a value: with the own id everywhere one that starts alone may elect nobody, with 0 \
                        everywhere there can be two leaders; see experiments/afek-gafni-sync",
                repair: "the own id where there is a candidate, 0 where a message wakes",
            },
            Erratum {
                place: "slide 4, remaining links",
                wrong: "`no id sent or received` contradicts the code and can elect two; see experiments/afek-gafni-sync",
                repair: "links over which no id was sent",
            },
            Erratum {
                place: "slide 11, sets of size 2^(i-1)",
                wrong: "in the last double round a candidate captures only the processors that are left: 1, not 2, of three \
                        processors in double round 2",
                repair: "2^(i-1), or all that are left",
            },
            Erratum {
                place: "slide 11, n log n candidate messages",
                wrong: "n/2^(i-1) candidates are left after double round i, and each of them sends 2^i messages, not \
                        2^(i-1), in the next; three processors send 5 where n log2 n is 4.8",
                repair: "2(Nm - 2^m + 1) with m = ceil(log2 N), which is at most 2N log2 N",
            },
            Erratum {
                place: "slides 1 and 11, 2n log n messages in all",
                wrong: "the sum inherits that mistake: eight processors send 51 where 2n log2 n is 48",
                repair: "3(Nm - 2^m + 1) with m = ceil(log2 N), which is at most 3N log2 N",
            },
            Erratum {
                place: "slide 9, the disadvantage of not using levels",
                wrong: "only time is named; messages grow, too, as every later candidate may capture all processors that \
                        earlier ones have captured",
                repair: "levels=off: at most N(N-1)/2 acks, which grow like N^2 where candidates start one after another",
            },
        ],
    };

    // Level 2i has a candidate message for each of the K = 2^i links (in the end, fewer) of each candidate that comes
    // so far. Of those that send at a level, each processor acknowledges at most one, ever: it adopts the level, which
    // from then on keeps step with that candidate's. The winner takes 2^i acks there, itself never acknowledges
    // anybody, and those that it has, 2^(i+1) - 1 by then, acknowledge nobody else: N - 2^i acks at level 2i at most,
    // also where fewer links are left. Summed over the ⌈log2 N⌉ levels this is the bound on acks. With 2^i acks each,
    // at most ⌊(N - 2^i)/2^i⌋ candidates go on to level 2i + 2, where each sends 2^(i+1), or what is left: the sum,
    // with N messages at level 0, is at most twice that.
    //
    // Without levels a processor acknowledges candidates of ever greater identities only, and one that is a candidate itself
    // none that is less. Of k candidates the r-th least is acknowledged by at most r - 1 of them and by the N - k others: k(2N -
    // k - 1)/2 acks in all, N(N-1)/2 at most. A candidate that stops has asked at most 2a + 1 processors, if a acknowledged it,
    // and the winner N - 1, so that at most N(N-1) messages ask. The greatest candidate is acknowledged by everybody and is
    // elected 2⌈log2 N⌉ rounds after its start. Nobody else is: it would need the ack of the greatest one, which gives none
    // once it has started, and does not start once it was asked. If all start together, levels are equal in every comparison,
    // and make no difference.
    const PROMISES: &'static [Promise] = &{
        let [known, once, one] = somebody_wins("AfekGafni1991");
        // "the node with the largest id among those that started the election earliest wins"
        let source = "Epema2013 Afek and Gafni, synchronous 4/11";
        [
            Promise { property: Promised::GreatestWins, when: "as repaired, where all start together", source },
            known,
            once,
            one,
        ]
    };

    const LEMMAS: &'static [Lemma] = &[
        Lemma {
            name: "candidates that survive a double round have captured disjoint sets of processes in it",
            when: "with levels",
            source: "Epema2013 Afek and Gafni, synchronous 11/11",
            holds: disjoint_captures,
        },
        Lemma {
            name: "a candidate that survives double round i has captured 2^(i-1) processes in it, or all that were left",
            when: "with levels",
            source: "Epema2013 Afek and Gafni, synchronous 11/11, corrected",
            holds: captured_sets,
        },
        Lemma {
            name: "at most n/2^(i-1) candidates are left after double round i",
            when: "with levels",
            source: "Epema2013 Afek and Gafni, synchronous 11/11",
            holds: candidates_left,
        },
    ];

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Kind("candidate"),
            kind: BoundKind::Worst,
            formula: "2(Nm - 2^m + 1), m = ceil(log2 N)",
            value: |rules, instance| rules.in_force(instance).then(|| Value::int(2 * most_acks(instance.n))),
            source: "Epema2013 Afek and Gafni, synchronous 11/11",
            counts: "candidate messages, corrected: the lecture says n log n",
        },
        Bound {
            quantity: Quantity::Kind("ack"),
            kind: BoundKind::Worst,
            formula: "Nm - 2^m + 1, m = ceil(log2 N)",
            value: |rules, instance| rules.in_force(instance).then(|| Value::int(most_acks(instance.n))),
            source: "Epema2013 Afek and Gafni, synchronous 11/11",
            counts: "acks; the lecture's n log n is greater",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "3(Nm - 2^m + 1), m = ceil(log2 N)",
            value: |rules, instance| rules.in_force(instance).then(|| Value::int(3 * most_acks(instance.n))),
            source: "Epema2013 Afek and Gafni, synchronous 11/11",
            counts: "candidate messages and acks, corrected: the lecture says 2n log n",
        },
        Bound {
            quantity: Quantity::Kind("candidate"),
            kind: BoundKind::Worst,
            formula: "N(N-1)",
            value: |rules, instance| rules.without_levels(instance).then(|| Value::int(2 * pairs(instance.n))),
            source: "Epema2013 Afek and Gafni, synchronous 9/11, derived here",
            counts: "candidate messages without levels, where not all start together",
        },
        Bound {
            quantity: Quantity::Kind("ack"),
            kind: BoundKind::Worst,
            formula: "N(N-1)/2",
            value: |rules, instance| rules.without_levels(instance).then(|| Value::int(pairs(instance.n))),
            source: "Epema2013 Afek and Gafni, synchronous 9/11, derived here",
            counts: "acks without levels, where not all start together",
        },
        Bound {
            quantity: Quantity::Announcement,
            kind: BoundKind::Exact,
            formula: "N-1",
            value: |rules, instance| rules.is_repaired(instance).then(|| Value::int(u128::from(instance.n) - 1)),
            source: "Epema2013",
            counts: "the announcement to every other processor",
        },
        Bound {
            quantity: Quantity::TimeElected,
            kind: BoundKind::Exact,
            formula: "2 ceil(log2 N)",
            value: |rules, instance| {
                let rounds = u128::from(instance.first_wake) + u128::from(rules.top);
                rules.in_force(instance).then(|| Value::int(rounds))
            },
            source: "Epema2013 Afek and Gafni, synchronous 1/11",
            counts: "rounds from the first waking to the election",
        },
        Bound {
            quantity: Quantity::TimeElected,
            kind: BoundKind::Worst,
            formula: "t + 2 ceil(log2 N)",
            value: |rules, instance| {
                let rounds = u128::from(instance.settled) + u128::from(rules.top);
                rules.without_levels(instance).then(|| Value::int(rounds))
            },
            source: "Epema2013 Afek and Gafni, synchronous 9/11, derived here",
            counts: "rounds without levels, t: the last wake time",
        },
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let departures = Departures::new(DEPARTURES, settings)?;
        let [own, zero, slide_4] = ["own", "zero", "slide-4"].map(|name| departures.undoes(name));
        let printed = Printed { own, zero, slide_4 };
        Ok(Self {
            links: links_of(instance.n),
            top: 2 * ceil_log2(instance.n),
            levels: settings.is("levels", "on"),
            printed,
        })
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        let promises = Promises::within(Self::PROMISES, &Self::DESCRIPTION.assumptions, scenario);
        let together = !scenario.untimed && scenario.wakes.are_together();
        if together && self.printed == Printed::default() { promises } else { promises.without(Promised::GreatestWins) }
    }

    /// Slide 11 counts double rounds by levels.
    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma> {
        let stated = Lemma::within(Self::LEMMAS, &Self::DESCRIPTION.assumptions, scenario);
        stated.filter(|_| self.levels).collect()
    }

    fn processor(&self, seat: Seat) -> AfekGafniSyncProcessor {
        AfekGafniSyncProcessor {
            id: seat.identity(),
            life: Life::Asleep,
            done: false,
            level: 0,
            unused: 0,
            missing: 0,
            owner: Standing { level: 0, id: Id::new(0) },
            link: None,
            crossed: None,
        }
    }
}

impl AfekGafniSync {
    /// The bounds that rest on levels are proved for this instance.
    fn in_force(&self, instance: &Instance<'_>) -> bool {
        self.is_repaired(instance) && (self.levels || instance.together)
    }

    /// Those without levels are.
    fn without_levels(&self, instance: &Instance<'_>) -> bool {
        self.is_repaired(instance) && !self.levels && !instance.together
    }

    fn is_repaired(&self, instance: &Instance<'_>) -> bool {
        instance.undisturbed && self.printed == Printed::default()
    }
}

/// A fact: this ordinary process acknowledges a candidate in that one's double round. It is captured.
const CAPTURED: u8 = 0;
/// A fact: this candidate has all acks of a double round.
const SURVIVES: u8 = 1;

/// The candidates that have survived a double round, with it and the processes that each has captured in it.
fn survivors(histories: &Histories<'_>) -> impl Iterator<Item = (u32, u64, Vec<Place>)> {
    let survivors = histories.iter().filter(|(_, fact)| fact.kind == SURVIVES);
    survivors.map(|(_, survivor)| {
        let is_capture =
            |fact: Fact| fact.kind == CAPTURED && (fact.phase, fact.value) == (survivor.phase, survivor.value);
        let captured = histories.iter().filter(|&(_, fact)| is_capture(fact)).map(|(place, _)| place);
        (survivor.phase, survivor.value, captured.collect())
    })
}

/// "the sets of processes captured by the surviving candidates in the same round are disjoint"
fn disjoint_captures(histories: &Histories<'_>) -> Result<(), String> {
    let mut captures: BTreeMap<(u32, Place), u64> = BTreeMap::new();
    for (round, candidate, captured) in survivors(histories) {
        for place in captured {
            match captures.insert((round, place), candidate) {
                Some(other) if other != candidate => {
                    return Err(format!("{candidate} and {other} both capture place {place} in double round {round}"));
                }
                Some(_) | None => {}
            }
        }
    }
    Ok(())
}

/// "in (double) round i, the set of processes captured by a surviving candidate process has size 2^(i-1)"; in the last one
/// only as many as are left.
fn captured_sets(histories: &Histories<'_>) -> Result<(), String> {
    for (round, candidate, captured) in survivors(histories) {
        // After 1 + 2 + … + 2^(i-2) others and itself.
        let expected = (1 << (round - 1)).min(histories.n().saturating_sub(1 << (round - 1)));
        if captured.len() != expected {
            let count = captured.len();
            return Err(format!("{candidate} survives double round {round} with {count} captured, not {expected}"));
        }
    }
    Ok(())
}

/// "so there are at most n/2^(i-1) candidate processes left after (double) round i"
fn candidates_left(histories: &Histories<'_>) -> Result<(), String> {
    let mut left: BTreeMap<u32, usize> = BTreeMap::new();
    for (round, _, _) in survivors(histories) {
        *left.entry(round).or_default() += 1;
    }
    match left.iter().find(|&(round, &count)| count << (round - 1) > histories.n()) {
        Some((round, count)) => Err(format!("{count} candidates are left after double round {round}")),
        None => Ok(()),
    }
}

/// ⌈log2 n⌉
fn ceil_log2(n: u64) -> u32 {
    u64::BITS - (n - 1).leading_zeros()
}

/// N(N-1)/2
fn pairs(n: u64) -> u128 {
    u128::from(n) * (u128::from(n) - 1) / 2
}

fn most_acks(n: u64) -> u128 {
    let double_rounds = ceil_log2(n);
    u128::from(n) * u128::from(double_rounds) + 1 - (1 << double_rounds)
}

impl Processor for AfekGafniSyncProcessor {
    type Problem = Election;
    type Message = Call;
    type Timer = Timer;
    type Rules = AfekGafniSync;

    fn step(&mut self, rules: &AfekGafniSync, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            // Slide 3: a node that starts spontaneously "spawns a candidate process, an ordinary process".
            Event::Wake if self.life == Life::Asleep => {
                fx.rule(1);
                self.spawn(Life::Candidate, rules);
                self.ask(rules, fx);
                self.count_on(rules, fx);
            }
            // A wake time that comes after a processor was reached is void.
            Event::Wake | Event::Call(_) => {}
            // Slide 7, "(nlevel,nid) := lexicographic maximum in R": found one by one, as (level, id) stays for the
            // round.
            Event::Receive(port, Call::Candidate(standing)) => {
                self.be_reached(rules, fx);
                self.cross(port, rules);
                fx.compare(standing, self.owner);
                if standing > self.owner {
                    fx.rule(7);
                    self.owner = standing;
                    self.link = Some(port);
                    if !rules.levels {
                        self.count_on(rules, fx);
                    }
                } else {
                    fx.rule(8);
                }
            }
            // Slide 6: "A := set of all acks received"
            Event::Receive(_, Call::Ack) => {
                fx.rule(5);
                self.missing = self.missing.saturating_sub(1);
            }
            Event::Receive(_, Call::Announcement(_)) if self.done => fx.rule(11),
            Event::Receive(_, Call::Announcement(leader)) => {
                self.be_reached(rules, fx);
                fx.rule(10);
                self.done = true;
                fx.report(ElectionReport::Follows(Some(leader)));
            }
            Event::Timeout(Timer::Round) => {
                self.ordinary_round(rules, fx);
                if self.life == Life::Candidate {
                    self.candidate_round(rules, fx);
                }
                self.count_on(rules, fx);
            }
        }
    }
}

impl Inspect for AfekGafniSyncProcessor {
    /// An ordinary process reads neither the level of a candidate, nor what it has asked.
    fn rebase(&mut self, _: &AfekGafniSync, _: u32) {
        if self.life == Life::Ordinary {
            (self.level, self.unused, self.missing, self.crossed) = (0, 0, 0, None);
        }
    }

    /// An ordinary process answers, but uses no port by itself; of the messages of a round it takes the greatest.
    fn rename_ports(&mut self, _: &AfekGafniSync, to: &dyn Fn(Port) -> Port) -> bool {
        if self.life == Life::Ordinary {
            self.link = self.link.map(to);
        }
        self.life == Life::Ordinary
    }

    fn is_candidate(&self) -> bool {
        self.life == Life::Candidate
    }
}

impl AfekGafniSyncProcessor {
    /// Slide 3: the processes that a node has from now on. Their level is 0 in this round.
    fn spawn(&mut self, life: Life, rules: &AfekGafniSync) {
        self.life = life;
        if rules.printed.own || life == Life::Candidate && !rules.printed.zero {
            self.owner.id = self.id;
        }
    }

    /// Slide 3: a node that "awakens due to the reception of a message only spawns an ordinary process".
    fn be_reached(&mut self, rules: &AfekGafniSync, fx: &mut impl Effects<Self>) {
        if self.life == Life::Asleep {
            fx.rule(2);
            self.spawn(Life::Ordinary, rules);
            self.count_on(rules, fx);
        }
    }

    /// Goes on to the next round, unless nothing depends on it any more: no candidate comes to a higher level than the
    /// top.
    fn count_on(&self, rules: &AfekGafniSync, fx: &mut impl Effects<Self>) {
        let counts = rules.levels && self.owner.level < rules.top;
        if self.life == Life::Candidate || counts || self.link.is_some() {
            fx.set_timer(Timer::Round, Ticks::ONE);
        }
    }

    /// Slide 7: "send(ack) over link; level := level + 1".
    fn ordinary_round(&mut self, rules: &AfekGafniSync, fx: &mut impl Effects<Self>) {
        fx.rule(9);
        if let Some(link) = self.link.take() {
            let (phase, value) = (self.owner.level / 2 + 1, self.owner.id.get());
            fx.note(Fact { kind: CAPTURED, phase, value, ..Fact::default() });
            fx.send(link, Call::Ack);
        }
        if rules.levels {
            self.owner.level = (self.owner.level + 1).min(rules.top);
        }
    }

    /// Slide 6: "level := level + 1", and what is done at an even level, before which the acks of the odd one are
    /// counted.
    fn candidate_round(&mut self, rules: &AfekGafniSync, fx: &mut impl Effects<Self>) {
        self.level += 1;
        if self.level.is_multiple_of(2) {
            if self.missing > 0 {
                fx.rule(6);
                self.life = Life::Ordinary;
            } else {
                let (phase, value) = (u32::from(self.level / 2), self.id.get());
                fx.note(Fact { kind: SURVIVES, phase, value, ..Fact::default() });
                self.ask(rules, fx);
            }
        }
    }

    /// Slide 6: "if (E = ∅) then ELECTED else K := min(2^(level/2), |E|)"
    fn ask(&mut self, rules: &AfekGafniSync, fx: &mut impl Effects<Self>) {
        let mut room = 1u32 << (self.level / 2);
        let standing = Standing { level: if rules.levels { self.level.into() } else { 0 }, id: self.id };
        while room > 0 && self.unused < rules.links {
            let port = Port(self.unused);
            self.unused += 1;
            if self.crossed.as_ref().is_none_or(|crossed| !crossed.0.contains(&port)) {
                fx.send(port, Call::Candidate(standing));
                room -= 1;
                self.missing += 1;
            }
        }
        if self.missing > 0 {
            fx.rule(3);
        } else {
            fx.rule(4);
            self.life = Life::Ordinary;
            self.done = true;
            fx.report(ElectionReport::Elected(Some(self.id)));
            send_to_all(rules.links, &Call::Announcement(self.id), fx);
        }
    }

    /// Slide 4: a link over which an id came does not remain.
    fn cross(&mut self, port: Port, rules: &AfekGafniSync) {
        if rules.printed.slide_4 && self.life == Life::Candidate {
            self.crossed.get_or_insert_default().0.insert(port);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_processor_takes_48_bytes_and_a_message_16() {
        assert_eq!(size_of::<AfekGafniSyncProcessor>(), 48);
        assert_eq!(size_of::<Call>(), 16);
    }

    /// Which of the three lemmas hold among four processors after these captures, (place, round, candidate), and these
    /// survivors, (round, candidate).
    fn lemmas_hold(captures: &[(usize, u32, u64)], survivors: &[(u32, u64)]) -> [bool; 3] {
        let scenario = Scenario { n: 4, ids: vec![1, 2, 3, 4], ..Scenario::default() };
        let mut facts = vec![Vec::new(); 4];
        for &(place, phase, value) in captures {
            facts[place].push(Fact { kind: CAPTURED, phase, value, ..Fact::default() });
        }
        for &(phase, value) in survivors {
            facts[value as usize - 1].push(Fact { kind: SURVIVES, phase, value, ..Fact::default() });
        }
        let histories = Histories { scenario: &scenario, facts: &facts };
        [disjoint_captures, captured_sets, candidates_left].map(|holds| holds(&histories).is_ok())
    }

    #[test]
    fn the_lemmas_of_slide_11_hold_for_halves_and_fail_for_more() {
        // 3 and 4 capture one each; 4 then the two that are left.
        let captures = [(0, 1, 3), (1, 1, 4), (0, 2, 4), (2, 2, 4)];
        assert_eq!(lemmas_hold(&captures, &[(1, 3), (1, 4), (2, 4)]), [true; 3]);
        // The same process by both, one too few, and too many candidates.
        assert_eq!(lemmas_hold(&[(0, 1, 3), (0, 1, 4)], &[(1, 3), (1, 4)]), [false, true, true]);
        assert_eq!(lemmas_hold(&captures[..3], &[(2, 4)]), [true, false, true]);
        let two_each = [(0, 2, 2), (1, 2, 2), (2, 2, 3), (3, 2, 3), (0, 2, 4), (1, 2, 4)];
        assert_eq!(lemmas_hold(&two_each, &[(2, 2), (2, 3), (2, 4)]), [false, true, false]);
    }

    #[test]
    fn the_bound_on_acks_is_the_sum_over_the_levels() {
        for n in 1..=1000u64 {
            let sum: u64 = (0..64).map(|i| 1u64 << i).take_while(|asked| *asked < n).map(|asked| n - asked).sum();
            assert_eq!(most_acks(n), u128::from(sum), "{n}");
        }
    }
}
