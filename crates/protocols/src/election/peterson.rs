//! Peterson's election in a unidirectional ring \[Peterson1982\], as in \[Epema2013\].
//!
//! *Problem*: election. *Assumes*: distinct identities, links that are first in, first out; any set of starters.
//!
//! In a bidirectional ring one would compare each identity with both neighbours and keep the local maxima. Messages in
//! one direction can do the same: a processor learns the identities of the two before it and acts in the place of the
//! nearer one, so that identities move on as they survive. At least half of them die in every round. A processor that
//! has none left relays. *Claimed*: 2N log N message passes, and chains of at most 2N-1 messages.
//!
//! *Reading*: the lecture says "the process that receives its own id has been elected", but by then a processor acts
//! under another's identity. `elected = owner`: a processor that receives the identity that it had at first, active or
//! relaying, is the leader; what still comes to it is absorbed. `elected = holder`: an active processor is, to which
//! the identity comes back that it sent, and which is somebody else's.
//!
//! *No buffers*: an active processor sends a first and a second value per round and consumes one of each, and relays
//! keep the order, so on every link first and second values alternate; one of a later round cannot come too early. A
//! processor's sends are a function of what has come in, in its order; therefore no schedule and no set of starters
//! changes any count.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario, Settings};
//! use ringleader_protocols::election::peterson::Peterson;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![2, 9, 4], ..Scenario::default() };
//! let settings = Settings::new(Peterson::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = Peterson::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.split(false), 8); // round 1 takes 6; 9, now held by place 2, has two hops home
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ringleader_model::{
    BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Erratum, Event, Fact, Histories, Id,
    Inspect, Instance, Lemma, Message, NoTimer, Parameter, PhaseBound, Place, Port, Processor, Promise, Protocol,
    Quantity, Ring, Seat, Settings, Value, Values,
};
use serde::{Deserialize, Serialize};

use super::{RING, full_turn, greatest_wins, order, orderly, rounds_of_maxima};

const NEXT: Port = Port(0);

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct Peterson {
    /// The owner of an identity is elected rather than its holder.
    owner: bool,
}

impl Peterson {
    /// `elected=owner`.
    pub const OWNER: Self = Self { owner: true };
    /// `elected=holder`.
    pub const HOLDER: Self = Self { owner: false };
}

/// A message of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Bid {
    /// The identity under which an active processor competes.
    First(Id),
    /// The greater of that and the one before it.
    Second(Id),
    /// The identity that has won.
    #[message(announcement)]
    Announcement(Id),
}

/// One processor: 20 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct PetersonProcessor {
    /// The identity that it had at first.
    own: Id,
    /// id; from the first value of a round on max(id, nid), which is all that is needed of the two: if nid is the
    /// smaller the processor turns passive, if it is the greater it is what id may become.
    id: Id,
    round: u8,
    mode: Mode,
    started: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// Active, before nid.
    First,
    /// Active, before nnid.
    Second {
        /// nid ≥ id.
        rises: bool,
    },
    /// Passive.
    Relays,
    /// The result is known.
    Done,
}

impl Protocol for Peterson {
    type Processor = PetersonProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "peterson",
        title: "local maxima survive, and move one active processor on each round",
        sources: &["Peterson1982", "Epema2013"],
        idea: "Each active processor learns the identities of the two active ones before it and acts in the place of the \
               nearer: if that identity is a local maximum it goes on under it, else it only relays. At least half of the \
               identities die in each round; the greatest never does.",
        rules: &[
            "On waking, or on the first message: round 1, active; send id as a first value.",
            "Active, on a first value nid: send max(id, nid) as a second value.",
            "Active, on a second value nnid with nid >= id and nid >= nnid: id := nid, next round; send id as a first \
             value.",
            "Active, on a second value nnid with nid < id or nid < nnid: turn passive.",
            "Passive, on a value: relay it.",
            "elected=owner, on the identity that it had at first: elected; send the announcement.",
            "elected=holder, active, on a first value nid = id: elected; send the announcement.",
            "On the announcement: follow, and relay it.",
            "Once the leader is known, on anything: discard it.",
            "Active, on a value out of turn: discard it; only links that lose, duplicate or reorder messages bring \
             one.",
        ],
        assumptions: RING,
        parameters: &[Parameter {
            name: "elected",
            values: Values::Choice(&["owner", "holder"]),
            default: "owner",
            doc: "who is elected by receiving its own id: the owner of the greatest identity, or the active processor that \
                  holds it at the end, usually another",
        }],
        errata: &[
            Erratum {
                place: "Epema2013, Peterson's algorithm 3/8: the process that receives its own id has been elected",
                wrong: "own id may be the first or the present one, and nid or nnid may be compared with it; if both are \
                        compared with the present one and nobody stops, then two processors are elected whenever two are \
                        active in the last round but one, on two processors already",
                repair: "elected=owner compares any value with the first identity, elected=holder nid with the present one",
            },
            Erratum {
                place: "Epema2013, Peterson's algorithm 5/8, question 1: 2n log(n) messages",
                wrong: "the pass that finds the winner is left out: elected=holder takes N more than that on every ring of \
                        N = 2^k in bit-reversal order; elected=owner takes 1 instead of 0 for N = 1 and 5 instead of 4 \
                        for N = 2",
                repair: "the bound listed here is 2N floor(log2 N) + N",
            },
            Erratum {
                place: "Epema2013, Peterson's algorithm 5/8, question 2: one round for increasing or decreasing order",
                wrong: "so does every ring with a single local maximum, of which there are 2^(n-2) up to rotation",
                repair: "no rule depends on it",
            },
            Erratum {
                place: "Epema2013, Peterson's algorithm 8/8: time 2n-1",
                wrong: "true of elected=owner; with elected=holder the greatest identity goes on past its owner: the ring \
                        2, 1 has a chain of 4 messages, 3, 1, 4, 2 one of 10",
                repair: "listed for elected=owner only",
            },
        ],
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &greatest_wins("Peterson1982");
    const LEMMAS: &'static [Lemma] = &[
        Lemma {
            name: "from the owner of an identity to the process that holds it all are passive",
            when: "",
            source: "Epema2013 Peterson 6/8, assertion",
            holds: passive_between,
        },
        Lemma {
            name: "the identity in the last active process before the maximum does not survive the next round",
            when: "",
            source: "Epema2013 Peterson 7/8",
            holds: last_before_maximum_dies,
        },
    ];

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "2N floor(log2 N) + N",
            value: |_, instance| orderly(instance).then(|| worst(instance.n)),
            source: "Peterson1982",
            counts: "first and second values; reached by elected=holder in bit-reversal order",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Exact,
            formula: "2N(R-1) + N",
            value: |rules, instance| if orderly(instance) && !rules.owner { of_the_order(instance) } else { None },
            source: "Epema2013 Peterson's algorithm",
            counts: "first and second values with elected=holder; local maxima are taken R-1 times until one is left",
        },
        full_turn("Epema2013"),
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Worst,
            formula: "floor(log2 N) + 1",
            value: |_, instance| orderly(instance).then(|| Value::int(u128::from(instance.n.ilog2() + 1))),
            source: "Epema2013 bidirectional ring, solution 2",
            counts: "rounds: at least half of the identities die in each, and one is left for the last",
        },
        Bound {
            quantity: Quantity::DepthElected,
            kind: BoundKind::Worst,
            formula: "2N-1",
            value: |rules, instance| {
                let applies = orderly(instance) && instance.together && rules.owner;
                applies.then(|| Value::int(2 * u128::from(instance.n) - 1))
            },
            source: "Epema2013 Peterson's algorithm 8/8",
            counts: "the longest chain of messages up to the election with elected=owner, all starting together",
        },
    ];

    const PHASE_BOUNDS: &'static [PhaseBound<Self>] = &[PhaseBound {
        formula: "2N",
        value: |_, instance, _| orderly(instance).then(|| Value::int(2 * u128::from(instance.n))),
        source: "Peterson1982",
        counts: "values of the round: a first and a second one on every link",
    }];

    fn configure(settings: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { owner: settings.is("elected", "owner") })
    }

    fn processor(&self, seat: Seat) -> PetersonProcessor {
        let own = seat.identity();
        PetersonProcessor { own, id: own, round: 1, mode: Mode::First, started: false }
    }
}

/// The active processes of a round and the identities that they hold, in the order of places: all in round 1, then those
/// that have noted that they survived the one before.
fn active(histories: &Histories<'_>, round: u32) -> Vec<(Place, u64)> {
    if round == 1 {
        return (0..).zip(histories.scenario.identities().iter()).collect();
    }
    let survivors = histories.iter().filter(|(_, fact)| fact.phase == round);
    survivors.map(|(place, fact)| (place, fact.value)).collect()
}

/// The last round that somebody has reached.
fn last_round(histories: &Histories<'_>) -> u32 {
    histories.iter().map(|(_, fact)| fact.phase).max().unwrap_or(1)
}

/// "if the id of process P_i (id_i) still survives in some active process P_j then all processes between P_i and P_j are
/// passive (including P_i)": from the round on in which P_j holds it.
fn passive_between(histories: &Histories<'_>) -> Result<(), String> {
    let n = histories.n() as Place;
    for round in 2..=last_round(histories) {
        let active = active(histories, round);
        for (index, &(holder, id)) in active.iter().enumerate() {
            let Some(owner) = histories.place_of(id).filter(|&owner| owner != holder) else {
                return Err(format!("place {holder} holds {id} in round {round}, which is its own or nobody's"));
            };
            // They are in the order of the ring: if any is between, so is the last one before the holder.
            let (place, _) = active[(index + active.len() - 1) % active.len()];
            let from_owner = |place: Place| (place + n - owner) % n;
            if from_owner(place) < from_owner(holder) {
                return Err(format!(
                    "place {holder} holds identity {id} in round {round}, and place {place} before it is active"
                ));
            }
        }
    }
    Ok(())
}

/// "Suppose id_i survives, and gets to the last active process, say P_j, before P_m; id_m is in P_k. Then all processes
/// between P_j and P_k are passive. So P_j and P_k are neighbors, and id_i will not survive the next round." P_m is the
/// process with the greatest identity, id_m.
fn last_before_maximum_dies(histories: &Histories<'_>) -> Result<(), String> {
    let n = histories.n() as Place;
    let Some(greatest) = histories.scenario.identities().greatest() else { return Ok(()) };
    let Some(m) = histories.place_of(greatest) else { return Ok(()) };
    for round in 1..=last_round(histories) {
        let active = active(histories, round);
        let Some(&(k, _)) = active.iter().find(|&&(_, id)| id == greatest) else { continue };
        let others = active.iter().filter(|&&(j, _)| j != k);
        let Some(&(j, id)) = others.min_by_key(|&&(j, _)| (m + n - j - 1) % n) else { continue };
        if let Some(place) = histories.between(j, k).find(|place| active.iter().any(|(other, _)| other == place)) {
            return Err(format!("place {place} is active in round {round}, between places {j} and {k}"));
        }
        if self::active(histories, round + 1).iter().any(|&(_, other)| other == id) {
            return Err(format!("identity {id} in place {j}, the last before the maximum, survives round {round}"));
        }
    }
    Ok(())
}

/// 2N⌊log2 N⌋ + N: each round but the last takes 2N passes, the last N.
pub(super) fn worst(n: u64) -> Value {
    Value::int(u128::from(n) * u128::from(2 * n.ilog2() + 1))
}

/// 2N(R-1) + N, with the R of this order.
pub(super) fn of_the_order(instance: &Instance<'_>) -> Option<Value> {
    let rounds = rounds_of_maxima(&order(instance)?);
    Some(Value::int(u128::from(instance.n) * u128::from(2 * rounds - 1)))
}

impl Processor for PetersonProcessor {
    type Problem = Election;
    type Message = Bid;
    type Timer = NoTimer;
    type Rules = Peterson;

    #[inline(always)]
    fn step(&mut self, rules: &Peterson, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if !self.started {
            fx.rule(1);
            self.started = true;
            fx.send(NEXT, Bid::First(self.id));
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Receive(_, bid) => match (self.mode, bid) {
                (Mode::Done, _) => fx.rule(9),
                // 3/8: "The process that receives its own id has been elected", in either reading.
                (_, Bid::First(id) | Bid::Second(id)) if rules.owner && id == self.own => {
                    fx.compare(id, self.own);
                    fx.rule(6);
                    self.elected(id, fx);
                }
                (Mode::First, Bid::First(nid)) if !rules.owner && nid == self.id => {
                    fx.compare(nid, self.id);
                    fx.rule(7);
                    self.elected(nid, fx);
                }
                // 1/8: "receives in variable nid", "sends max(id,nid)".
                (Mode::First, Bid::First(nid)) => {
                    fx.compare(nid, self.id);
                    fx.rule(2);
                    self.mode = Mode::Second { rises: nid >= self.id };
                    self.id = self.id.max(nid);
                    fx.send(NEXT, Bid::Second(self.id));
                }
                // 1/8: "if nid ≥ id and nid ≥ nnid, it remains active and sets id = nid".
                (Mode::Second { rises: true }, Bid::Second(nnid)) if self.id >= nnid => {
                    fx.compare(self.id, nnid);
                    fx.rule(3);
                    self.round = self.round.saturating_add(1);
                    self.mode = Mode::First;
                    fx.note(Fact { phase: self.round.into(), value: self.id.get(), ..Fact::default() });
                    fx.send(NEXT, Bid::First(self.id));
                }
                // 1/8: "otherwise turns passive (only relays messages in subsequent rounds)".
                (Mode::Second { rises }, Bid::Second(nnid)) => {
                    if rises {
                        fx.compare(self.id, nnid);
                    }
                    fx.rule(4);
                    self.mode = Mode::Relays;
                }
                (_, Bid::Announcement(id)) => {
                    fx.rule(8);
                    self.mode = Mode::Done;
                    fx.report(ElectionReport::Follows(Some(id)));
                    fx.send(NEXT, bid);
                }
                (Mode::Relays, _) => {
                    fx.rule(5);
                    fx.send(NEXT, bid);
                }
                // Out of turn: only links that lose, duplicate or reorder messages bring these.
                (Mode::First, Bid::Second(_)) | (Mode::Second { .. }, Bid::First(_)) => fx.rule(10),
            },
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for PetersonProcessor {
    const PHASED: bool = true;

    #[inline]
    fn phase(&self) -> u32 {
        self.round.into()
    }

    fn is_candidate(&self) -> bool {
        matches!(self.mode, Mode::First | Mode::Second { .. })
    }
}

impl PetersonProcessor {
    #[inline(always)]
    fn elected(&mut self, id: Id, fx: &mut impl Effects<Self>) {
        self.mode = Mode::Done;
        fx.report(ElectionReport::Elected(Some(id)));
        fx.send(NEXT, Bid::Announcement(id));
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use ringleader_model::Scenario;

    use super::super::Did;
    use super::*;

    /// The comparisons of processor 4 as it receives each of these values.
    fn comparisons(values: &[Bid]) -> Vec<Vec<String>> {
        let rules = Peterson { owner: true };
        let mut processor = rules.processor(Seat { id: Some(Id::new(4)), role: 0, ports: 1 });
        let receive = |value: &Bid| Did::step(&mut processor, &rules, Event::Receive(NEXT, *value)).comparisons;
        values.iter().map(receive).collect()
    }

    /// Which of the two lemmas hold if these places have reached these rounds with these identities.
    fn lemmas_hold(ids: &[u64], reached: &[(usize, u32, u64)]) -> [bool; 2] {
        let scenario = Scenario { n: ids.len(), ids: ids.to_vec(), ..Scenario::default() };
        let mut facts = vec![Vec::new(); ids.len()];
        for &(place, phase, value) in reached {
            facts[place].push(Fact { phase, value, ..Fact::default() });
        }
        let histories = Histories { scenario: &scenario, facts: &facts };
        [passive_between(&histories).is_ok(), last_before_maximum_dies(&histories).is_ok()]
    }

    #[test]
    fn the_lemmas_hold_where_identities_move_on_and_fail_where_they_do_not() {
        // 5 and 6 are greater than their neighbours: 1 and 3 hold them in round 2. Then 5, the last before 6, dies.
        let ids = [5, 1, 6, 3, 2];
        assert_eq!(lemmas_hold(&ids, &[(1, 2, 5), (3, 2, 6)]), [true; 2]);
        // 5 stays with its owner, or jumps over an active process.
        assert_eq!(lemmas_hold(&ids, &[(0, 2, 5)]), [false, true]);
        assert_eq!(lemmas_hold(&ids, &[(1, 2, 6), (4, 2, 5)]), [false, true]);
        // 5 survives round 2, or 1, the last before 6, round 1.
        assert_eq!(lemmas_hold(&ids, &[(1, 2, 5), (3, 2, 6), (4, 3, 5)]), [true, false]);
        assert_eq!(lemmas_hold(&ids, &[(2, 2, 1)]), [true, false]);
    }

    #[test]
    fn nid_is_compared_with_id_and_with_nnid() {
        let [first, second] = [Bid::First, Bid::Second].map(|bid| move |id| bid(Id::new(id)));
        // 6 is greater than 4 and 5: it survives, and 4 holds it. Then 3 is smaller than 6, which decides the round.
        let survives = comparisons(&[first(6), second(5), first(3), second(9)]);
        assert_eq!(survives, [&["6 > 4"][..], &["6 > 5"], &["3 < 6"], &[]]);
        // 6 is no local maximum: 9 is before it.
        assert_eq!(comparisons(&[first(6), second(9)]), [["6 > 4"], ["6 < 9"]]);
        assert_eq!(comparisons(&[first(4)]), [["4 = 4"]], "its own identity has come home");
    }
}
