//! Spirakis and Tampakas's lock for Archimedean networks \[SpirakisTampakas1989\], section 2.2.
//!
//! *Problem*: mutual exclusion. *Assumes*: distinct identities, a link between any two, messages in any order; steps
//! take r_min to r_max, messages d_min to d_max, and everybody knows these bounds.
//!
//! Silence means consent. A site that wants to enter sleeps for a random number of steps, so that fewer compete; takes
//! a number above all it has seen and asks all others; and listens for a window in which every refusal must come in.
//! Only a site that competes and has the smaller number answers, negatively, and makes up for it by a positive reply
//! when it leaves. *Claimed*: between N-1 and 3(N-1) messages an entry, N-1 + s/(2(1+γ)) on average (lemma 2), where s
//! sites compete and γ = r_min/r_max. Exactly they are N-1 + 2 nnr for an entry with nnr negative replies.
//!
//! *Why it excludes*. Let j ask with k at time t. Site i handles that by t + d_max + r_max, at h. If i has not drawn
//! its number by then, it draws one above k. If it has left by then, it does not compete. Else i, if it goes first,
//! replies negatively, which j handles by t + 2 d_max + 2 r_max: the window is no shorter for c = 2. That i draws its
//! number in the step in which it asks is essential; as printed it draws it before it sleeps, and stays silent in its
//! sleep.
//!
//! *No promise* is made that sites enter in the order of their numbers, as in Ricart and Agrawala's lock, or of their
//! requests: the paper bounds the granting delay (2.2.4) and says nothing of an order.
//!
//! *Numbers modulo M*. Two numbers in use differ by at most N-1, so that M = 2N-1 tells them apart, provided that hsn
//! takes in the own number: while k is in use nobody enters with a greater one, as above, so the greater ones belong to
//! different sites; and a site that is asked has heard of all that have entered, so those above its hsn do too, and
//! none is its own.
//!
//! *Crashes*. A site that crashes after a negative reply is waited for forever (`crash=none`). The paper wants another
//! timeout (`crash=timeout:K`); no K is right, since a site may be inside, or behind others, for longer. With
//! `crash=probe` a site that waits asks again, a window later, those whose positive replies are missing: a site that is
//! up and has not left says so within a window.
//!
//! The same machine is the lock for readers and writers of section 3.1, where requests also carry a role
//! ([`Sharing`]).
//!
//! ```
//! use ringleader_model::{Preset, Protocol, Reading, Scenario, Settings, Workload};
//! use ringleader_protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! // Nobody competes with the first place: silence is all it needs.
//! let workload = Some(Workload { entries: 5, compete: 1, ..Workload::new(3) });
//! let timing = Preset::Archimedean.timing(Reading::PerStep);
//! let scenario = Scenario { n: 3, ids: vec![2, 9, 4], workload, timing, ..Scenario::default() };
//! let settings = Settings::new(SpirakisTampakasMutex::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = SpirakisTampakasMutex::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.messages(), 5 * (3 - 1));
//! ```

use alloc::vec::Vec;

use ringleader_model::{
    BadSetting, Bound, BoundKind, Complete, Departures, Description, Erratum, Figure, Instance, Kind, MutualExclusion,
    Promise, Promised, Promises, Protocol, Quantity, Scenario, Seat, Settings, Value,
};

use super::archimedean_lock::{
    ARCHIMEDEAN, C, C1, CRASH, DEPARTURES, Lock, PREDICT, RULES, Sharing, Site, balance, least, longest_delay,
    longest_delay_one_by_one, longest_local_delay, most, most_with_probes,
};
use super::{NUMBERS, Numbers, competitors, for_every_entry, one_user};

/// Nobody is inside together with anybody.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exclusive {}

impl Sharing for Exclusive {
    type Problem = MutualExclusion;
    type Role = ();

    fn role(_: Seat) {}

    fn conflict((): (), (): ()) -> bool {
        true
    }
}

/// The lock of section 2.2.
pub type SpirakisTampakasMutex = Lock<Exclusive>;

impl Protocol for Lock<Exclusive> {
    type Processor = Site<Exclusive>;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "spirakis-tampakas-mutex",
        title: "silence within a window means consent",
        sources: &["SpirakisTampakas1989"],
        idea: "A site that wants to enter sleeps for a random time, takes a number above all that it has seen, asks all \
               others and listens for a window that is longer than any answer takes. Only a site that competes with a \
               smaller number answers: negatively now, positively when it leaves. Silence means consent, so an entry costs N-1 messages where nobody \
               competes.",
        rules: RULES,
        random: true,
        assumptions: ARCHIMEDEAN,
        parameters: &[Departures::rules(), Departures::printed(DEPARTURES), C, C1, PREDICT, NUMBERS, CRASH],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "2.2.1, process (a): osn is set before the wait of x steps",
                wrong: "a sleeping site does not answer, so that a smaller or equal number can be in its hands unknown to all \
                        others: two sites are inside together, with two of them already and clocks that agree; see \
                        experiments/spirakis-tampakas-mutex-overlap",
                repair: "osn is drawn at the end of the sleep, in the step that sends the requests (printed=sleep undoes it)",
            },
            Erratum {
                place: "2.2.5: numbers can be stored modulo M ≥ 2n-1",
                wrong: "hsn never takes in the site's own osn, so that a request can lie n above it, which modulo M is taken \
                        for less; see experiments/spirakis-tampakas-mutex-bounded-numbers",
                repair: "hsn := osn when it is drawn (printed=numbers undoes it); then M = 2n-1 suffices",
            },
            Erratum {
                place: "2.2.1, process (c): replies carry nothing",
                wrong: "a late reply is counted for the next request; harmless while nothing is late, but with a window that is too \
                        short ppr and nnr may never agree again",
                repair: "replies carry the osn they answer (printed=replies undoes it)",
            },
            Erratum {
                place: "2.2.2 (b): c is approximately the number of steps of process (b)",
                wrong: "it must cover the wait for the next step at both ends: with c = 0 two sites are inside together; and where a step \
                        reads one message it grows with N; see experiments/spirakis-tampakas-mutex-window",
                repair: "c = 2; 1 suffices where what arrives at a tick is read at that tick, as here unless messages take no time; \
                         6N-8 where a step reads one message only, as c=proved sets it",
            },
            Erratum {
                place: "2.2.5: another timeout detects failures after a negative reply, without any message",
                wrong: "whoever replied negatively may be inside, or behind others, for longer than any timeout; see \
                        experiments/spirakis-tampakas-mutex-crash-timeout",
                repair: "crash=probe asks it again",
            },
            Erratum {
                place: "2.2.2 (c) and (d): c1 is the number of statements of process (a)",
                wrong: "mindelay is also said to be the time of a round in the best case, which the window alone exceeds: \
                        lemma 1 is about sleeps as long as a round",
                repair: "c1 is a parameter; c1=round is window + hold",
            },
            Erratum {
                place: "lemma 1: E(nnr) = s/(2(1+γ))",
                wrong: "not an equation, since nnr depends on how long the sleeps are beside a round; with c1 = 10 and γ = 1 it is \
                        exceeded (16 sites: 6.9 against 4)",
                repair: "listed as a claim; with c1=round, of which its proof speaks, of 16 sites it is exceeded from s = 8 on, with γ = 1 \
                         only (`ringleader reproduce --table lemma-1 --set c1=round`: 4.4 against 4)",
            },
            Erratum {
                place: "lemmas 1 and 2: nnr and messages exceed (1+β) times their means with a probability that goes to 0",
                wrong: "competitors wait for the same sites, so that their nnr are no independent trials: with γ = 1 and β = 1/2 a \
                        fifth of the entries exceeds it for 16, 32 and 64 sites alike (`ringleader reproduce --table tails`)",
                repair: "none is known; 3(N-1) messages are never exceeded",
            },
            Erratum {
                place: "lemma 1, proof: the number is in the middle",
                wrong: "a site draws its number after all that it has heard of, and nearly all sites that it finds awake go before \
                        it: 0.9 of them, not half (`ringleader reproduce --table found-active`)",
                repair: "none is proved; with c1=round another site was found awake with probability below 1/(1+γ) in all lines measured",
            },
            Erratum {
                place: "lemma 2, proof: n-1+ppr = n-1+nnr messages",
                wrong: "half of the replies is forgotten: every negative reply is followed by a positive one, as 2.2 says",
                repair: "N-1 + 2 nnr messages for an entry with nnr negative replies, in every run without crashes",
            },
            Erratum {
                place: "2.2.4: D ≤ 2 d_max + 2(n-1) mindelay",
                wrong: "mindelay counts steps and D is a time; the window, the sleep and the time that others stay inside are \
                        left out: a site that is alone waits longer than 2 d_max (`ringleader run spirakis-tampakas-mutex -n \
                        1`), and read as times the terms are still exceeded",
                repair: "the bound listed as worst, with all of these",
            },
            Erratum {
                place: "2.2.4: any other node may not enter more than twice in succession",
                wrong: "D is counted from asking, and a site that sleeps has no priority yet: others enter as often as its sleep \
                        is long (`ringleader reproduce --table overtaking`)",
                repair: "promised from the drawing of the number on: until a site has heard of it, it draws at most one smaller \
                         number beside the one it has",
            },
            Erratum {
                place: "2.2.5: message and time complexity are below those of Ricart and Agrawala",
                wrong: "messages are while fewer than half of the others refuse; where all compete and stay inside for long there \
                        are more (16 sites, hold 100: 41.9 an entry against 30). Time is not: who is alone enters after a sleep \
                        and a window instead of a round trip",
                repair: "both are measured by `ringleader league mutual-exclusion`",
            },
        ],
    };

    const PROMISES: &'static [Promise] = &[
        Promise {
            property: Promised::OvertakenTwice,
            when: "from the number on; a site that sleeps has none, and is overtaken as long as it sleeps",
            source: "SpirakisTampakas1989 2.2.4",
        },
        Promise::new(Promised::NumbersClose, "SpirakisTampakas1989 2.2.5"),
    ];

    const BOUNDS: &'static [Bound<Self>] = &[
        for_every_entry("request", "SpirakisTampakas1989 2.2.1"),
        balance(),
        least(),
        most(),
        most_with_probes(),
        longest_delay(),
        longest_delay_one_by_one(),
        longest_local_delay(),
        Bound {
            quantity: Quantity::Negatives,
            kind: BoundKind::Mean,
            formula: "s/(2(1+γ))",
            value: |_, instance| (instance.undisturbed).then(|| expected_negatives(instance, 1)).flatten(),
            source: "SpirakisTampakas1989 lemma 1",
            counts: "a claim: negative replies to a request, over all draws; s sites compete, γ = r_min/r_max",
        },
        Bound {
            quantity: Quantity::MessagesPerEntry,
            kind: BoundKind::Mean,
            formula: "N-1 + s/(2(1+γ))",
            value: |_, instance| {
                let replies = (instance.undisturbed).then(|| expected_negatives(instance, 1)).flatten()?;
                Some(Value::int(u128::from(instance.n - 1)) + replies)
            },
            source: "SpirakisTampakas1989 lemma 2",
            counts: "a claim, which counts one reply of two: messages for an entry, over all draws",
        },
        Bound {
            quantity: Quantity::GrantingDelay,
            kind: BoundKind::Mean,
            formula: "2 d_max + s mindelay/(2(1+γ))",
            value: |rules, instance| {
                let in_time = instance.undisturbed && one_user(instance);
                let waiting = expected_negatives(instance, u128::from(rules.delay)).filter(|_| in_time)?;
                Some(Value::int(2 * u128::from(instance.timing.d.max)) + waiting)
            },
            source: "SpirakisTampakas1989 2.2.4",
            counts: "a claim, with steps taken for units of time: from asking to entering, over all draws",
        },
        Bound {
            quantity: Quantity::LongestDelay,
            kind: BoundKind::Mean,
            formula: "2 d_max + 2(N-1) mindelay",
            value: |rules, instance| {
                let steps = 2 * u128::from(instance.n - 1) * u128::from(rules.delay);
                let asked = instance.undisturbed && one_user(instance);
                asked.then(|| Value::int(2 * u128::from(instance.timing.d.max) + steps))
            },
            source: "SpirakisTampakas1989 2.2.4",
            counts: "a claim, false of most runs, with steps taken for units of time: from asking to entering, at worst",
        },
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Self::new(settings, instance, Numbers::new(settings, instance)?)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        let in_time = !scenario.untimed && !scenario.links.is_half_duplex();
        if in_time && self.is_sound() {
            Promises::within(Self::PROMISES, &Self::DESCRIPTION.assumptions, scenario)
        } else {
            Promises::default()
        }
    }

    fn processor(&self, seat: Seat) -> Site<Exclusive> {
        Site::new(self, seat)
    }

    fn sends(&self, kind: Kind) -> bool {
        self.counts(kind)
    }

    fn figures(&self, instance: &Instance<'_>) -> Vec<Figure> {
        self.numbers_of(instance)
    }

    fn notes(&self, instance: &Instance<'_>) -> Vec<&'static str> {
        Self::outlook(instance)
    }
}

/// factor · s/(2(1+γ)), where s does not change
fn expected_negatives(instance: &Instance<'_>, factor: u128) -> Option<Value> {
    let r = instance.timing.r;
    instance.workload.filter(|load| load.changes.is_empty())?;
    let sites = competitors(instance)?;
    Some(Value::ratio(factor * sites * u128::from(r.max), 2 * u128::from(r.min + r.max)))
}
