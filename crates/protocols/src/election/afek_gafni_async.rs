//! Afek and Gafni's asynchronous election on a complete network \[AfekGafni1991\], as in \[Epema2013\].
//!
//! *Problem*: election. *Assumes*: distinct identities, a link between any two; any set of starters, links of any
//! order.
//!
//! A processor that starts has a candidate process and an ordinary process, one that is woken by a message an ordinary
//! process only. A candidate captures the others one by one; its level is the number of those it has captured. An
//! ordinary process belongs to its father. When a greater (level, id) than it knows wants to capture it, it first has
//! its father killed; a father that is greater by then ignores that, and the captor waits forever. A candidate that has
//! captured all others is elected: not always the greatest identity. *Claimed*: time O(n), n log n messages.
//!
//! *Departures*: messages are tagged, so that a processor knows which of its two processes they are for; a candidate
//! owns its own ordinary process from the start, and a killed candidate discards its own ack (`printed = …` undoes one
//! of these, `rules = printed` both, and either fails). Talk between the two processes of one processor is internal and
//! not counted. n log n is an order and not a bound; the bounds listed here are proved below.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario, Settings, Wakes};
//! use ringleader_protocols::election::afek_gafni_async::AfekGafniAsync;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let wakes = Wakes::At(vec![None, Some(0), None]);
//! let scenario = Scenario { n: 3, ids: vec![3, 2, 1], wakes, ..Scenario::default() };
//! let settings = Settings::new(AfekGafniAsync::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = AfekGafniAsync::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.split(false), 4); // it starts alone: two captures, two acks
//! ```

use ringleader_model::{
    BadSetting, Bound, BoundKind, Complete, Departure, Departures, Description, Effects, Election, ElectionReport,
    Erratum, Event, Id, Inspect, Instance, Message, NoTimer, Port, Processor, Promise, Protocol, Quantity, Reading,
    Seat, Settings, Value,
};
use serde::Serialize;

use super::{COMPLETE, Standing, links_of, send_to_all, somebody_wins};

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct AfekGafniAsync {
    links: u32,
    /// As printed: the ordinary process beside a candidate belongs to nobody.
    unowned: bool,
    /// As printed: a killed candidate takes its own ack for an attempt to kill it.
    sends_ack_on: bool,
}

/// The printed rules that are not followed.
const DEPARTURES: &[Departure] = &[
    Departure::new(
        "owner",
        "Epema2013, asynchronous, slide 4, initializations",
        "every ordinary process begins with owner_id 0 and no father",
        "a candidate owns its own ordinary process from the start",
    ),
    Departure::new(
        "ack",
        "Epema2013, asynchronous, slide 4, own value at a killed candidate",
        "a killed candidate sends its own ack on",
        "it discards its own ack",
    ),
];

/// A message of the protocol. All but the last carry the (level, id) of the candidate that wants to capture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// A candidate wants to capture you.
    Capture(Standing),
    /// You have captured me.
    Ack(Standing),
    /// Your child asks you to give way to one that wants to capture it.
    Kill(Standing),
    /// Your father gives way.
    Killed(Standing),
    /// The identity that was elected.
    #[message(announcement)]
    Announcement(Id),
}

/// One processor: 40 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct AfekGafniAsyncProcessor {
    id: Id,
    /// The candidate's level. Links are used in the order of the ports, so it is also the port to capture next.
    level: u32,
    life: Life,
    /// The result is known.
    done: bool,
    /// The ordinary process's (level, owner_id).
    owner: Standing,
    father: Father,
    /// potential_father
    potential_father: Port,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Life {
    Asleep,
    /// Woken by a message: an ordinary process only.
    Ordinary,
    Candidate,
    /// A candidate that was killed.
    Killed,
    Elected,
}

/// father: the link to the owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Father {
    Nil,
    /// The candidate of the same processor.
    Own,
    Link(Port),
}

impl Protocol for AfekGafniAsync {
    type Processor = AfekGafniAsyncProcessor;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "afek-gafni-async",
        title: "candidates capture the others one by one; the one that has captured more wins",
        sources: &["AfekGafni1991", "Epema2013"],
        idea: "A candidate captures the others one by one, and its level is their number. A captured processor belongs to \
               its captor; before it lets a greater (level, id) have it, it asks the old owner to give way, which ends that \
               owner's candidacy. An owner that has become greater meanwhile does not give way, and the other waits \
               forever. At most N/k candidates ever have k processors, themselves included.",
        rules: &[
            "On waking: a candidate process of level 0 that owns its own ordinary process, at (0, id) (printed=owner: \
             of no father, at (0, 0)).",
            "On the first message, while asleep: an ordinary process only, of no father, at (0, 0).",
            "Candidate, with a link left: send capture(level, id) over the next one.",
            "Candidate, with no link left: elected; announce the identity over all links.",
            "Candidate, on its own ack: level := level + 1, and the next link.",
            "Killed candidate, on its own ack: discard it (printed=ack: as a kill).",
            "Candidate, on kill(level', id') less than (level, id): discard it.",
            "Candidate, on any other kill(level', id'): killed; answer killed(level', id').",
            "Ordinary, on capture(level', id') not greater than (level, owner_id): discard it.",
            "Ordinary, on a greater capture(level', id'): it becomes (level, owner_id), its link potential_father.",
            "Then, of no father: father := potential_father; send it ack(level', id').",
            "Then, of its own candidate: if (level', id') is not less than the candidate's (level, id), that is \
             killed, father := potential_father, and it gets the ack.",
            "Then, of another father: send that one kill(level', id').",
            "Ordinary, on killed(level', id') equal to (level, owner_id): father := potential_father; send it the \
             ack.",
            "Ordinary, on any other killed: discard it, as it is out of date.",
            "On the announcement: follow.",
            "Once the leader is known, on the announcement: discard it.",
        ],
        assumptions: COMPLETE,
        random: false,
        parameters: &Departures::parameters(DEPARTURES),
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "slide 4, initializations",
                wrong: "with owner_id = 0 and father = nil beside a candidate, another captures its ordinary process \
                        without having the candidate killed: two processors elect two leaders, and with more the next \
                        erratum has no end; see experiments/afek-gafni-async",
                repair: "a candidate owns its own ordinary process from the start",
            },
            Erratum {
                place: "slide 4, own value at a killed candidate",
                wrong: "its own ack is not less than its (level, id), so it goes back and comes again until another \
                        captures the processor that sent it; if none ever does, forever; see \
                        experiments/afek-gafni-async",
                repair: "a killed candidate ignores its own ack",
            },
            Erratum {
                place: "slides 4 and 5, messages (level, id)",
                wrong: "nothing says which of a processor's two processes a message is for",
                repair: "messages are tagged: capture, ack, kill, killed",
            },
            Erratum {
                place: "slide 6, message complexity n log n",
                wrong: "an order, not a bound: two processors that both start send 3 messages where n log2 n is 2",
                repair: "the bounds listed here",
            },
        ],
    };

    // While a candidate that is not killed has k processors, itself included, nobody else has any of them, and whoever
    // gets one of them later comes at its level or a higher one. So those that ever have k are disjoint when they come
    // to it: at most ⌊N/k⌋ of them. Each sends one capture with k processors if it is not elected: the sum of ⌊N/k⌋
    // over k < N. A capture leads to at most one ack, one kill and one killed. The first capture that each processor
    // but the leader gives in to finds no father, or the own candidate: N - 1 captures lead to no kill.
    const PROMISES: &'static [Promise] = &somebody_wins("AfekGafni1991");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Kind("capture"),
            kind: BoundKind::Worst,
            formula: "sum floor(N/k), k < N",
            value: |rules, instance| rules.in_force(instance).then(|| Value::int(most_captures(instance.n))),
            source: "Epema2013 Afek and Gafni, asynchronous 6/6",
            counts: "captures; N log N with the natural logarithm, to within N",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "4 sum floor(N/k) - 2(N-1), k < N",
            value: |rules, instance| {
                let others = u128::from(instance.n) - 1;
                rules.in_force(instance).then(|| Value::int(4 * most_captures(instance.n) - 2 * others))
            },
            source: "Epema2013 Afek and Gafni, asynchronous 6/6",
            counts: "captures, acks, kills and killed, made exact: the lecture says n log n",
        },
        Bound {
            quantity: Quantity::Announcement,
            kind: BoundKind::Exact,
            formula: "N-1",
            value: |rules, instance| rules.in_force(instance).then(|| Value::int(u128::from(instance.n) - 1)),
            source: "Epema2013",
            counts: "the announcement to every other processor",
        },
        // Within 4 d_max, one each for capture, kill, killed and ack, after the first candidate came to a level, one
        // comes to the next level, or that one is stopped for good by a greater one at the same level, which then takes
        // its part. There are N - 1 levels to come to, and at most N - 1 candidates to be stopped.
        Bound {
            quantity: Quantity::TimeElected,
            kind: BoundKind::Worst,
            formula: "8(N-1) d_max",
            value: |rules, instance| {
                let swift = instance.timing.reading == Reading::Immediate && !instance.links.is_half_duplex();
                let most = 8 * (u128::from(instance.n) - 1) * u128::from(instance.delays.max);
                (rules.in_force(instance) && swift).then(|| Value::int(u128::from(instance.first_wake) + most))
            },
            source: "Epema2013 Afek and Gafni, asynchronous 6/6",
            counts: "time from the first waking to the election, where messages are read on arrival and links carry more \
                     than one; the lecture says O(n)",
        },
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let departures = Departures::new(DEPARTURES, settings)?;
        let (unowned, sends_ack_on) = (departures.undoes("owner"), departures.undoes("ack"));
        Ok(Self { links: links_of(instance.n), unowned, sends_ack_on })
    }

    fn processor(&self, seat: Seat) -> AfekGafniAsyncProcessor {
        AfekGafniAsyncProcessor {
            id: seat.identity(),
            level: 0,
            life: Life::Asleep,
            done: false,
            owner: Standing { level: 0, id: Id::new(0) },
            father: Father::Nil,
            potential_father: Port(0),
        }
    }
}

impl AfekGafniAsync {
    /// The bounds are proved for this instance.
    fn in_force(&self, instance: &Instance<'_>) -> bool {
        instance.undisturbed && !self.unowned && !self.sends_ack_on
    }
}

/// Σ ⌊n/k⌋ over k < n, all k of one quotient at a time.
fn most_captures(n: u64) -> u128 {
    let (mut sum, mut k) = (0, 1);
    while k < n {
        let quotient = n / k;
        let last = (n / quotient).min(n - 1);
        sum += u128::from(quotient) * u128::from(last - k + 1);
        k = last + 1;
    }
    sum
}

impl Processor for AfekGafniAsyncProcessor {
    type Problem = Election;
    type Message = Call;
    type Timer = NoTimer;
    type Rules = AfekGafniAsync;

    fn step(&mut self, rules: &AfekGafniAsync, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            // A processor that starts spontaneously has a candidate and an ordinary process.
            Event::Wake if self.life == Life::Asleep => {
                fx.rule(1);
                self.life = Life::Candidate;
                if !rules.unowned {
                    self.owner.id = self.id;
                    self.father = Father::Own;
                }
                self.capture(rules, fx);
            }
            // A wake time that comes after a processor was reached is void.
            Event::Wake | Event::Call(_) => {}
            // Slide 4, candidate: "(id' = id) and (not killed)", "capture succeeded".
            Event::Receive(_, Call::Ack(_)) if self.life == Life::Candidate => {
                fx.rule(5);
                self.level += 1;
                self.capture(rules, fx);
            }
            Event::Receive(port, Call::Ack(standing)) if rules.sends_ack_on => {
                fx.rule(6);
                self.give_way(port, standing, fx);
            }
            Event::Receive(_, Call::Ack(_)) => fx.rule(6),
            // Slide 4: "may be a kill attempt".
            Event::Receive(port, Call::Kill(standing)) => self.give_way(port, standing, fx),
            // Slide 5, ordinary: the three cases, in its order.
            Event::Receive(port, Call::Capture(standing)) => {
                self.be_reached(fx);
                fx.compare(standing, self.owner);
                if standing > self.owner {
                    self.be_captured(port, standing, fx);
                } else {
                    fx.rule(9);
                }
            }
            Event::Receive(_, Call::Killed(standing)) if standing == self.owner => {
                fx.compare(standing, self.owner);
                fx.rule(14);
                self.change_father(fx);
            }
            Event::Receive(_, Call::Killed(standing)) => {
                fx.compare(standing, self.owner);
                fx.rule(15);
            }
            Event::Receive(_, Call::Announcement(_)) if self.done => fx.rule(17),
            Event::Receive(_, Call::Announcement(leader)) => {
                self.be_reached(fx);
                fx.rule(16);
                self.done = true;
                fx.report(ElectionReport::Follows(Some(leader)));
            }
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for AfekGafniAsyncProcessor {
    fn is_candidate(&self) -> bool {
        self.life == Life::Candidate
    }
}

impl AfekGafniAsyncProcessor {
    /// The number of processors that this candidate has captured; `None` without a candidate.
    pub fn captured(&self) -> Option<u32> {
        matches!(self.life, Life::Candidate | Life::Killed | Life::Elected).then_some(self.level)
    }

    /// A processor that is reached before it wakes has an ordinary process only.
    fn be_reached(&mut self, fx: &mut impl Effects<Self>) {
        if self.life == Life::Asleep {
            fx.rule(2);
            self.life = Life::Ordinary;
        }
    }

    fn standing(&self) -> Standing {
        Standing { level: self.level, id: self.id }
    }

    /// Slide 4: "while (untraversed ≠ ∅) do send(level,id) on link", "if (not killed) then ELECTED".
    fn capture(&mut self, rules: &AfekGafniAsync, fx: &mut impl Effects<Self>) {
        if self.level < rules.links {
            fx.rule(3);
            fx.send(Port(self.level), Call::Capture(self.standing()));
        } else {
            fx.rule(4);
            self.life = Life::Elected;
            self.done = true;
            fx.report(ElectionReport::Elected(Some(self.id)));
            send_to_all(rules.links, &Call::Announcement(self.id), fx);
        }
    }

    /// Slide 4: this candidate gives way to (level', id'), "killed := true", unless that is less.
    fn is_killed_by(&mut self, standing: Standing, fx: &mut impl Effects<Self>) -> bool {
        fx.compare(standing, self.standing());
        let killed = standing >= self.standing();
        if killed {
            self.life = Life::Killed;
        }
        killed
    }

    /// Slide 4: "discard message", or "send(level',id') on link'".
    fn give_way(&mut self, port: Port, standing: Standing, fx: &mut impl Effects<Self>) {
        if self.is_killed_by(standing, fx) {
            fx.rule(8);
            fx.send(port, Call::Killed(standing));
        } else {
            fx.rule(7);
        }
    }

    /// Slide 5: "potential new owner", then "kill or ack".
    fn be_captured(&mut self, port: Port, standing: Standing, fx: &mut impl Effects<Self>) {
        fx.rule(10);
        self.potential_father = port;
        self.owner = standing;
        match self.father {
            Father::Nil => {
                fx.rule(11);
                self.change_father(fx);
            }
            Father::Own => {
                fx.rule(12);
                if self.is_killed_by(standing, fx) {
                    self.change_father(fx);
                }
            }
            Father::Link(father) => {
                fx.rule(13);
                fx.send(father, Call::Kill(standing));
            }
        }
    }

    /// Slide 5: "change father", "ack new father".
    fn change_father(&mut self, fx: &mut impl Effects<Self>) {
        self.father = Father::Link(self.potential_father);
        fx.send(self.potential_father, Call::Ack(self.owner));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Did;
    use super::*;

    #[test]
    fn levels_and_identities_are_compared_as_pairs() {
        let rules = AfekGafniAsync { links: 2, unowned: false, sends_ack_on: false };
        let mut processor = rules.processor(Seat { id: Some(Id::new(4)), role: 0, ports: 2 });
        let mut comparisons = |event| Did::step(&mut processor, &rules, event).comparisons;
        let standing = |level, id| Standing { level, id: Id::new(id) };
        let receive = |port, call| Event::Receive(Port(port), call);
        assert!(comparisons(Event::Wake).is_empty());
        assert_eq!(comparisons(receive(1, Call::Capture(standing(0, 3)))), ["(0, 3) < (0, 4)"], "discarded");
        assert!(comparisons(receive(0, Call::Ack(standing(0, 4)))).is_empty());
        // The candidate is at level 1 now: (1, 3) is greater than what the ordinary process knows, (0, 4), but less
        // than its candidate, (1, 4).
        let capture = receive(1, Call::Capture(standing(1, 3)));
        assert_eq!(comparisons(capture), ["(1, 3) > (0, 4)", "(1, 3) < (1, 4)"]);
        assert_eq!(comparisons(receive(0, Call::Kill(standing(2, 1)))), ["(2, 1) > (1, 4)"], "killed");
    }

    #[test]
    fn a_processor_takes_40_bytes_and_a_message_16() {
        assert_eq!(size_of::<AfekGafniAsyncProcessor>(), 40);
        assert_eq!(size_of::<Call>(), 16);
    }

    #[test]
    fn the_bound_on_captures_is_the_sum_term_by_term() {
        for n in 1..=1000u64 {
            let sum: u64 = (1..n).map(|k| n / k).sum();
            assert_eq!(most_captures(n), u128::from(sum), "{n}");
        }
    }
}
