//! The lemmas of section 3, judged on how every processor has entered its phases.
//!
//! A_p is the set of processors that have turned active in phase p, and the color of a processor in phase p the value of
//! its register ID there; one that skips phase p keeps the color of its last phase before.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ringleader_model::{Fact, Histories, Lemma, Place};

/// How a processor enters a phase, and sends a message of it; or what else happens to it in a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PhaseEntry {
    /// Active in phase 1, as a local minimum.
    Minimum,
    /// c-active: by a collision of two messages.
    Collision,
    /// d-active: by one message of a smaller name.
    Single,
    /// Observant: it relays a message.
    Relay,
    /// No entry: a message of its phase came from where its own had gone.
    Bypass,
    /// No entry: it inaugurates.
    Inauguration,
}

impl PhaseEntry {
    /// Whether a fact is one of this kind.
    fn is(self, fact: Fact) -> bool {
        fact.kind == self as u8
    }

    /// Whether a processor sends a message of the phase.
    fn sends(fact: Fact) -> bool {
        Self::activates(fact) || Self::Relay.is(fact)
    }

    /// Whether a fact is the activation of a processor.
    fn activates(fact: Fact) -> bool {
        [Self::Minimum, Self::Collision, Self::Single].iter().any(|entry| entry.is(fact))
    }
}

/// Lemmas 3.1 and 3.3 (i) to (iii) rest on links that carry one message at a time.
const HALF: &str = "on half-duplex links (duplex=half)";

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "1 to N/2 processors are active in phase 1, no two of them neighbours",
        when: "",
        source: "VanLeeuwenTan1985 section 3, initialization",
        holds: separated_minima,
    },
    Lemma {
        name: "the phases of messages on a link increase",
        when: "",
        source: "VanLeeuwenTan1985 section 3, before lemma 3.1",
        holds: increasing_phases,
    },
    Lemma {
        name: "a message of the own phase comes from the other side",
        when: HALF,
        source: "VanLeeuwenTan1985 lemma 3.1",
        holds: from_the_other_side,
    },
    Lemma {
        name: "the active colors of a phase were active in the phase before",
        when: "",
        source: "VanLeeuwenTan1985 lemma 3.2",
        holds: shrinking_colors,
    },
    Lemma {
        name: "between two c-active processors two are not active",
        when: HALF,
        source: "VanLeeuwenTan1985 lemma 3.3 (i)",
        holds: room_between_collisions,
    },
    Lemma {
        name: "an active processor is not c-active in the next phase",
        when: HALF,
        source: "VanLeeuwenTan1985 lemma 3.3 (ii) and (iii)",
        holds: no_collision_after_activity,
    },
    Lemma {
        name: "active neighbours do not send to each other",
        when: "",
        source: "VanLeeuwenTan1985 lemma 3.3 (iv)",
        holds: neighbours_send_apart,
    },
    Lemma {
        name: "active processors of one color send away from an interval of that color",
        when: "",
        source: "VanLeeuwenTan1985 lemma 3.5 (i) to (iii)",
        holds: colored_intervals,
    },
    Lemma {
        name: "who inaugurates in a phase finds one active color, which everybody holds",
        when: "",
        source: "VanLeeuwenTan1985 proposition 3.6 (ii) and (iii)",
        holds: one_color_at_last,
    },
    Lemma {
        name: "the active colors of a phase map 1-1 to those that were active two phases before and not since",
        when: "",
        source: "VanLeeuwenTan1985 lemma 3.7",
        holds: one_to_one,
    },
    Lemma {
        name: "a phase takes at most N messages",
        when: "",
        source: "VanLeeuwenTan1985 propositions 3.9 and 4.2",
        holds: few_messages,
    },
];

/// The activations by phase, in the order of places.
fn activations(histories: &Histories<'_>) -> BTreeMap<u32, Vec<(Place, Fact)>> {
    let mut phases: BTreeMap<u32, Vec<(Place, Fact)>> = BTreeMap::new();
    for (place, fact) in histories.iter().filter(|&(_, fact)| PhaseEntry::activates(fact)) {
        phases.entry(fact.phase).or_default().push((place, fact));
    }
    phases
}

/// The colors of activations.
fn colors(active: &[(Place, Fact)]) -> BTreeSet<u64> {
    active.iter().map(|(_, fact)| fact.value).collect()
}

/// The active colors by phase; everybody's is active in phase 0.
fn active_colors(histories: &Histories<'_>) -> BTreeMap<u32, BTreeSet<u64>> {
    let mut phases: BTreeMap<u32, BTreeSet<u64>> =
        activations(histories).iter().map(|(&phase, active)| (phase, colors(active))).collect();
    phases.insert(0, histories.scenario.identities().iter().collect());
    phases
}

/// "Clearly at least 1 and at most N/2 processors will be local minima and thus are active in phase 1. Active processors
/// will be separated by observant ones."
fn separated_minima(histories: &Histories<'_>) -> Result<(), String> {
    let n = histories.n() as Place;
    let phases = activations(histories);
    let Some(first) = phases.get(&1) else {
        return match histories.iter().find(|(_, fact)| fact.phase > 0) {
            Some((place, fact)) => Err(format!("place {place} is in phase {}, but none was active in 1", fact.phase)),
            None => Ok(()),
        };
    };
    let adjacent = |&(place, _): &&(Place, Fact)| first.iter().any(|&(other, _)| other == (place + 1) % n);
    match first.iter().find(adjacent) {
        Some((place, _)) => Err(format!("places {place} and {} are both active in phase 1", (place + 1) % n)),
        None if first.len() > histories.n() / 2 => Err(format!("{} are active in phase 1", first.len())),
        None => Ok(()),
    }
}

/// "at every processor the messages that come in from the same direction, in fact come in with increasing p-value": links
/// keep the order, so that it is enough that every processor sends them so.
fn increasing_phases(histories: &Histories<'_>) -> Result<(), String> {
    for (place, own) in histories.facts.iter().enumerate() {
        let sent: Vec<Fact> = own.iter().copied().filter(|&fact| PhaseEntry::sends(fact)).collect();
        if let Some(pair) = sent.windows(2).find(|pair| pair[0].phase >= pair[1].phase) {
            return Err(format!("place {place} sends phase {} after phase {}", pair[1].phase, pair[0].phase));
        }
    }
    Ok(())
}

/// "If a processor u receives a message m = <v, p> with p = PNUM(u), then m must have arrived from a direction (i.e., a
/// link) opposite to the one over which u has last sent out a message."
fn from_the_other_side(histories: &Histories<'_>) -> Result<(), String> {
    match histories.iter().find(|&(_, fact)| PhaseEntry::Bypass.is(fact)) {
        Some((place, fact)) => {
            Err(format!("place {place} receives a message of its phase {} where it has sent one", fact.phase))
        }
        None => Ok(()),
    }
}

/// "For all p >= 1", the active colors of phase p contain those of phase p + 1.
fn shrinking_colors(histories: &Histories<'_>) -> Result<(), String> {
    let phases = active_colors(histories);
    for (phase, active) in phases.iter().filter(|&(&phase, _)| phase >= 2) {
        let before = phases.get(&(phase - 1));
        if let Some(color) = active.iter().find(|color| before.is_none_or(|before| !before.contains(color))) {
            return Err(format!("color {color} is active in phase {phase}, but was not in phase {}", phase - 1));
        }
    }
    Ok(())
}

/// "Between every two c-active processors in phase p there are at least two non-active processors in the same phase."
fn room_between_collisions(histories: &Histories<'_>) -> Result<(), String> {
    for (phase, active) in activations(histories) {
        let collided = active.iter().filter(|(_, fact)| PhaseEntry::Collision.is(*fact)).map(|&(place, _)| place);
        let collided: Vec<Place> = collided.collect();
        // Clockwise from each to the next one.
        for (index, &from) in collided.iter().enumerate().filter(|_| collided.len() > 1) {
            let to = collided[(index + 1) % collided.len()];
            let is_active = |between: Place| active.iter().any(|&(place, _)| place == between);
            if histories.between(from, to).filter(|&between| !is_active(between)).count() < 2 {
                return Err(format!("places {from} and {to} are c-active in phase {phase} with less room between"));
            }
        }
    }
    Ok(())
}

/// "A c-active processor in phase p cannot be c-active in the next phase", nor can a d-active one.
fn no_collision_after_activity(histories: &Histories<'_>) -> Result<(), String> {
    let phases = activations(histories);
    for (place, fact) in histories.iter().filter(|&(_, fact)| PhaseEntry::Collision.is(fact)) {
        let before = phases.get(&(fact.phase - 1));
        if before.is_some_and(|before| before.iter().any(|&(other, _)| other == place)) {
            return Err(format!("place {place} is active in phase {} and then c-active", fact.phase - 1));
        }
    }
    Ok(())
}

/// "If two adjacent processors are active in the same phase p, then they do not send messages to each other directly in
/// this phase".
fn neighbours_send_apart(histories: &Histories<'_>) -> Result<(), String> {
    let n = histories.n() as Place;
    for (phase, active) in activations(histories) {
        for &(place, fact) in &active {
            let next = (place + 1) % n;
            let towards = |&&(other, own): &&(Place, Fact)| other == next && !histories.is_clockwise(other, own.port);
            if next != place && histories.is_clockwise(place, fact.port) && active.iter().any(|other| towards(&other)) {
                return Err(format!("places {place} and {next} are active in phase {phase} and send to each other"));
            }
        }
    }
    Ok(())
}

/// The color of a place in a phase, or in the last one before that it was in.
fn color(histories: &Histories<'_>, place: Place, phase: u32) -> u64 {
    let own = &histories.facts[place as usize];
    let last = own.iter().rfind(|&&fact| fact.phase <= phase && !PhaseEntry::Bypass.is(fact));
    let identity = || histories.scenario.identities().get(place);
    last.map(|fact| fact.value).or_else(identity).expect("there is such a place")
}

/// "Suppose two active processors u, u' [of phase p] have the same color. Then (i) u and u' must be adjacent, i.e. […]
/// separated only by non-active processors, (ii) all processors in between u and u' (in one direction) have the same
/// value […] in their ID-register, and (iii) u and u' send their phase-p messages out in opposite directions, i.e. \"out
/// away from the edges of the […] interval\"." That there are no more than two is used in proposition 3.6.
fn colored_intervals(histories: &Histories<'_>) -> Result<(), String> {
    for (phase, active) in activations(histories) {
        let is_active = |place: Place| active.iter().any(|&(other, _)| other == place);
        for shared in colors(&active) {
            let same: Vec<(Place, Fact)> = active.iter().copied().filter(|(_, fact)| fact.value == shared).collect();
            let interval = |(from, first): (Place, Fact), (to, last): (Place, Fact)| {
                let away = !histories.is_clockwise(from, first.port) && histories.is_clockwise(to, last.port);
                let colored = |place: Place| !is_active(place) && color(histories, place, phase) == shared;
                away && histories.between(from, to).all(colored)
            };
            let holds = match same[..] {
                [_] => true,
                [one, other] => interval(one, other) || interval(other, one),
                _ => false,
            };
            if !holds {
                let places: Vec<Place> = same.iter().map(|&(place, _)| place).collect();
                return Err(format!("places {places:?} are active in phase {phase} with color {shared}"));
            }
        }
    }
    Ok(())
}

/// "If a processor moves to the inauguration state in phase p, then […] (ii) [there is one active color], and (iii) all
/// processors on the ring have the same value in their ID-register."
fn one_color_at_last(histories: &Histories<'_>) -> Result<(), String> {
    for (place, fact) in histories.iter().filter(|&(_, fact)| PhaseEntry::Inauguration.is(fact)) {
        let (phase, value) = (fact.phase, fact.value);
        let active = active_colors(histories).remove(&phase).unwrap_or_default();
        if active.len() != 1 {
            return Err(format!("place {place} inaugurates in phase {phase} with {} active colors", active.len()));
        }
        if let Some(other) = (0..histories.n() as Place).find(|&other| color(histories, other, phase) != value) {
            return Err(format!(
                "place {place} inaugurates {value} in phase {phase}, and place {other} does not hold it"
            ));
        }
    }
    Ok(())
}

/// "There is a 1-1 mapping from the active colors in phase p to the active colors in phase p-2 that are no longer active in
/// phase p-1": there is one if these are not fewer.
fn one_to_one(histories: &Histories<'_>) -> Result<(), String> {
    let phases = active_colors(histories);
    let none = BTreeSet::new();
    for (&phase, active) in phases.iter().filter(|&(&phase, _)| phase >= 2) {
        let [before, since] = [phase - 2, phase - 1].map(|phase| phases.get(&phase).unwrap_or(&none));
        let ended = before.difference(since).count();
        if active.len() > ended {
            let count = active.len();
            return Err(format!(
                "phase {phase} has {count} active colors, and {ended} ended after phase {}",
                phase - 2
            ));
        }
    }
    Ok(())
}

/// "each phase requires at most N messages": every entry is one.
fn few_messages(histories: &Histories<'_>) -> Result<(), String> {
    let mut messages: BTreeMap<u32, usize> = BTreeMap::new();
    for (_, fact) in histories.iter().filter(|&(_, fact)| PhaseEntry::sends(fact)) {
        *messages.entry(fact.phase).or_default() += 1;
    }
    match messages.iter().find(|&(_, &count)| count > histories.n()) {
        Some((phase, count)) => Err(format!("phase {phase} has taken {count} messages")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use ringleader_model::{Port, Scenario};

    const LEFT: u32 = 0;
    const RIGHT: u32 = 1;

    /// A place enters a phase, with a color and towards a port.
    type Entered = (Place, PhaseEntry, u32, u64, u32);

    /// The lemmas that the entries violate, on a ring with these identities.
    fn violated(ids: &[u64], entered: &[Entered]) -> Vec<&'static str> {
        let scenario = Scenario { n: ids.len(), ids: ids.to_vec(), ..Scenario::default() };
        let mut facts = vec![Vec::new(); ids.len()];
        for &(place, entry, phase, value, port) in entered {
            facts[place as usize].push(Fact { kind: entry as u8, phase, value, port: Port(port) });
        }
        let histories = Histories { scenario: &scenario, facts: &facts };
        LEMMAS.iter().filter(|lemma| (lemma.holds)(&histories).is_err()).map(|lemma| lemma.source).collect()
    }

    /// 1 and 2 both send 4 to 3, away from 4.
    const GOOD: [Entered; 2] = [(1, PhaseEntry::Minimum, 1, 4, LEFT), (3, PhaseEntry::Minimum, 1, 4, RIGHT)];

    #[test]
    fn two_chases_of_one_name_that_go_apart_satisfy_all_lemmas() {
        assert_eq!(violated(&[3, 1, 4, 2], &[]), [""; 0]);
        assert_eq!(violated(&[3, 1, 4, 2], &GOOD), [""; 0]);
        let relayed = [GOOD[0], GOOD[1], (0, PhaseEntry::Relay, 1, 4, LEFT)];
        assert_eq!(violated(&[3, 1, 4, 2], &relayed), [""; 0]);
    }

    /// Each lemma is violated by a history that violates no other, or as few as possible.
    #[test]
    fn each_lemma_can_fail() {
        use PhaseEntry::{Bypass, Collision, Inauguration, Minimum, Relay, Single};
        let initialization = "VanLeeuwenTan1985 section 3, initialization";
        let cases: [(&[Entered], &[&str]); 14] = [
            // Neighbours that are both active, of different colors, going apart.
            (&[(1, Minimum, 1, 5, LEFT), (2, Minimum, 1, 6, RIGHT)], &[initialization]),
            (&[(1, Relay, 1, 5, LEFT)], &[initialization]),
            (&[(1, Minimum, 1, 6, LEFT), (1, Relay, 1, 6, LEFT)], &["VanLeeuwenTan1985 section 3, before lemma 3.1"]),
            (&[(1, Minimum, 1, 6, LEFT), (1, Bypass, 1, 6, LEFT)], &["VanLeeuwenTan1985 lemma 3.1"]),
            (&[(1, Minimum, 1, 6, LEFT), (2, Single, 2, 5, LEFT)], &["VanLeeuwenTan1985 lemma 3.2"]),
            // One processor between two collisions: 2 between 1 and 3.
            (
                &[
                    (0, Minimum, 1, 6, RIGHT),
                    (4, Minimum, 1, 5, LEFT),
                    (1, Collision, 2, 6, LEFT),
                    (3, Collision, 2, 5, RIGHT),
                ],
                &["VanLeeuwenTan1985 lemma 3.3 (i)"],
            ),
            (&[(1, Minimum, 1, 6, LEFT), (1, Collision, 2, 6, LEFT)], &["VanLeeuwenTan1985 lemma 3.3 (ii) and (iii)"]),
            (
                &[
                    (0, Minimum, 1, 6, LEFT),
                    (3, Minimum, 1, 5, LEFT),
                    (3, Single, 2, 5, RIGHT),
                    (4, Single, 2, 6, LEFT),
                ],
                &["VanLeeuwenTan1985 lemma 3.3 (iv)"],
            ),
            // (i) a third of the color, (ii) another color between, (iii) towards each other.
            (
                &[(0, Minimum, 1, 6, LEFT), (2, Minimum, 1, 6, RIGHT), (4, Minimum, 1, 6, RIGHT)],
                &["VanLeeuwenTan1985 lemma 3.5 (i) to (iii)"],
            ),
            (&[(1, Minimum, 1, 4, LEFT), (4, Minimum, 1, 4, RIGHT)], &["VanLeeuwenTan1985 lemma 3.5 (i) to (iii)"]),
            (&[(1, Minimum, 1, 4, RIGHT), (3, Minimum, 1, 4, LEFT)], &["VanLeeuwenTan1985 lemma 3.5 (i) to (iii)"]),
            // Two colors are left, and one that is not everybody's.
            (
                &[(0, Minimum, 1, 6, LEFT), (3, Minimum, 1, 5, LEFT), (1, Inauguration, 1, 1, LEFT)],
                &["VanLeeuwenTan1985 proposition 3.6 (ii) and (iii)"],
            ),
            (
                &[(0, Minimum, 1, 6, LEFT), (1, Inauguration, 1, 6, LEFT)],
                &["VanLeeuwenTan1985 proposition 3.6 (ii) and (iii)"],
            ),
            // 6 is active in phases 1 to 3, and no other color has ended in between.
            (
                &[(0, Minimum, 1, 6, LEFT), (0, Single, 2, 6, LEFT), (0, Single, 3, 6, LEFT)],
                &["VanLeeuwenTan1985 lemma 3.7"],
            ),
        ];
        for (entered, expected) in cases {
            assert_eq!(violated(&[3, 1, 4, 2, 5, 6], entered), expected, "{entered:?}");
        }
    }

    #[test]
    fn a_phase_of_more_than_n_messages_is_too_much() {
        let sent: Vec<Entered> = (0..3).map(|_| (0, PhaseEntry::Relay, 1, 2, LEFT)).collect();
        assert!(violated(&[1, 2], &sent).contains(&"VanLeeuwenTan1985 propositions 3.9 and 4.2"));
        assert!(!violated(&[1, 2, 3], &sent).contains(&"VanLeeuwenTan1985 propositions 3.9 and 4.2"));
    }
}
