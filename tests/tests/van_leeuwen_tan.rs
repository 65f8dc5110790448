//! Van Leeuwen and Tan's election, held against their paper.

use std::collections::{BTreeMap, BTreeSet};

use conformance::bidirectional_rings::{any_ring, any_size};
use conformance::{Draw, Played, assert_elected, finished, leaders, orders, prepared, prepared_in, ring, wake_sets};
use ringleader::model::{Id, Links, Preset, Protocol, Reading, Scenario};
use ringleader::protocols::election::van_leeuwen_tan::{Chase, VanLeeuwenTan};
use ringleader::sim::{Effect, Full, Lean, Run, Summary};

/// The rules, and the links they run on: the full-duplex ones suit half-duplex links too.
const FORMS: [(&str, Links); 5] = [
    ("full", Links::Fifo),
    ("half", Links::Half),
    ("full", Links::Half),
    ("half", Links::HalfPhase),
    ("full", Links::HalfPhase),
];

/// Proposition 3.9: F_T <= N for the T phases from 0 to T - 1. Worked out by listing Fibonacci's numbers.
fn most_phases(n: u64) -> u64 {
    let mut fibonacci = vec![0, 1];
    while fibonacci[fibonacci.len() - 1] <= n {
        fibonacci.push(fibonacci[fibonacci.len() - 1] + fibonacci[fibonacci.len() - 2]);
    }
    // The last one is too great, the one before it is F_T.
    fibonacci.len() as u64 - 3
}

fn run(duplex: &str, scenario: &Scenario) -> Summary {
    run_with(&[("duplex", duplex)], scenario)
}

fn run_with(settings: &[(&str, &str)], scenario: &Scenario) -> Summary {
    let run = prepared_in::<VanLeeuwenTan, Lean>(settings, scenario);
    finished(&mut run.expect("the scenario suits the protocol"))
}

fn leader(summary: &Summary) -> Option<u64> {
    leaders(summary).first()?.id.map(Id::get)
}

/// Demands one leader on whom all agree, one who inaugurates where the paper says so, and the claimed costs.
#[track_caller]
fn check(summary: &Summary, scenario: &Scenario) {
    assert_elected(summary, scenario, leader(summary));
    let n = scenario.n as u64;
    let phases = u64::from(summary.cost.phases.expect("there are phases"));
    assert!(phases <= most_phases(n), "{phases} phases in {scenario:?}");
    assert!(summary.cost.split(false) <= 2 * n + n * phases, "at most N messages a phase: {scenario:?}");
    assert_eq!(summary.cost.split(true), n, "every processor sends the flag once: {scenario:?}");
    assert!(summary.cost.time_elected.is_some());
}

fn random_runs(duplex: &str, links: Links, seed: u64, runs: u64) {
    let mut draw = Draw::new(seed);
    for _ in 0..runs {
        let n = any_size(&mut draw, 1000);
        let scenario = any_ring(&mut draw, n, links);
        check(&run(duplex, &scenario), &scenario);
    }
}

#[test]
fn propositions_4_1_and_4_2_full_duplex_in_fifty_thousand_runs() {
    random_runs("full", Links::Fifo, 71, 50_000);
}

#[test]
fn propositions_3_6_3_8_and_3_9_half_duplex_in_fifty_thousand_runs() {
    random_runs("half", Links::Half, 72, 50_000);
}

#[test]
fn the_full_duplex_rules_suit_half_duplex_links_too() {
    random_runs("full", Links::Half, 73, 5_000);
}

/// "Strictly speaking, the assumption that messages do not bypass each other in a link while going in opposite directions is
/// only required for messages with the same phase number."
#[test]
fn half_duplex_is_only_required_for_messages_of_one_phase() {
    random_runs("half", Links::HalfPhase, 77, 20_000);
    random_runs("full", Links::HalfPhase, 78, 5_000);
}

/// A message on its way: sender, phase, and when it was sent, in steps.
type SentMessage = (u32, u16, usize);

/// The phases of every two messages that passed each other in a link, in a run with a log.
fn passed(scenario: &Scenario) -> Vec<(u16, u16)> {
    let run = prepared_in::<VanLeeuwenTan, Full>(&[("duplex", "half")], scenario);
    let mut run = run.expect("the scenario suits the protocol");
    run.log();
    check(&finished(&mut run), scenario);
    let (mut sent, mut passed) = (BTreeMap::<_, SentMessage>::new(), Vec::new());
    let mut received: Vec<(SentMessage, u32, usize)> = Vec::new();
    for (step, record) in run.records().iter().enumerate() {
        if let Some((from, p, at)) = record.received.as_ref().and_then(|number| sent.remove(number)) {
            // What its receiver sent to its sender before it came, and the sender got after it left.
            let met = received.iter().filter(|((back, _, left), to, came)| {
                (*back, *to) == (record.place, from) && *left < step && *came > at
            });
            passed.extend(met.map(|((_, other, _), ..)| (p, *other)));
            received.push(((from, p, at), record.place, step));
        }
        let messages = record.effects.iter().filter_map(|effect| match effect {
            Effect::Send(_, message) => Some(message),
            _ => None,
        });
        for (number, message) in record.sent.iter().zip(messages) {
            // Messages of phase 0 may wait at their sender, which a log does not say.
            if let Chase::Message { p: p @ 1.., .. } = message {
                sent.insert(*number, (record.place, *p, step));
            }
        }
    }
    passed
}

#[test]
fn only_messages_of_different_phases_pass_each_other() {
    let mut draw = Draw::new(79);
    let mut met = 0;
    for _ in 0..3_000 {
        let n = 3 + draw.below(60) as usize;
        let scenario = any_ring(&mut draw, n, Links::HalfPhase);
        let phases = passed(&scenario);
        assert!(phases.iter().all(|(one, other)| one != other), "{phases:?} in {scenario:?}");
        met += phases.len();
        assert_eq!(passed(&Scenario { links: Links::Half, ..scenario }), []);
    }
    assert!(met > 0, "no two messages passed each other");
}

/// "the assignment ID := v is optional": with it or without, the same messages are sent and the same processor is elected.
#[test]
fn the_optional_assignment_changes_nothing() {
    for (duplex, links, seed) in [("full", Links::Fifo, 74), ("half", Links::Half, 75)] {
        let mut draw = Draw::new(seed);
        for _ in 0..5_000 {
            let n = any_size(&mut draw, 300);
            let scenario = any_ring(&mut draw, n, links);
            let takes = run_with(&[("duplex", duplex), ("larger", "take")], &scenario);
            check(&takes, &scenario);
            let keeps = run(duplex, &scenario);
            assert_eq!((takes.outcome, takes.cost), (keeps.outcome, keeps.cost), "{scenario:?}");
        }
    }
}

/// "this processor now has the choice to either declare itself as the leader": the election is the same up to then.
#[test]
fn the_finder_may_lead_instead() {
    let (mut draw, mut differ) = (Draw::new(76), 0);
    for _ in 0..5_000 {
        let n = any_size(&mut draw, 300);
        let scenario = any_ring(&mut draw, n, Links::Half);
        let finder = run_with(&[("duplex", "half"), ("leader", "finder")], &scenario);
        check(&finder, &scenario);
        let named = run("half", &scenario);
        let cost = |summary: &Summary| (summary.cost.split(false), summary.cost.phases, summary.cost.time_elected);
        assert_eq!(cost(&finder), cost(&named), "{scenario:?}");
        differ += u32::from(leader(&finder) != leader(&named));
    }
    assert!(differ > 0);
}

/// In unit time, all awake at 0, everything happens in rounds: worked out on whole arrays, from the rules.
mod synchronous {
    /// A message ⟨v, p, q⟩ on its way; `flag` instead of it once the election is over.
    #[derive(Clone, Copy, PartialEq)]
    enum Sent {
        Message(u64, u64, bool),
        Flag,
    }

    #[derive(Clone, Copy)]
    struct One {
        id: u64,
        phase: u64,
        /// -1 or 1: the way its message of this phase went.
        way: i64,
        active: bool,
        over: bool,
    }

    /// The identity that everybody holds, all messages but flags, and the highest phase.
    pub(super) fn election(u: &[u64]) -> (u64, u64, u64) {
        let n = u.len();
        let at = |place: usize, way: i64| (place as i64 + way).rem_euclid(n as i64) as usize;
        let mut ring: Vec<One> = u.iter().map(|&id| One { id, phase: 0, way: 0, active: false, over: false }).collect();
        // What arrives in the next round: by place and the way it goes, 0 for -1 and 1 for +1.
        let mut coming: Vec<[Option<Sent>; 2]> = vec![[None; 2]; n];
        let mut count = 2 * n as u64;
        let mut highest = 0;
        let index = |way: i64| usize::from(way > 0);
        // The first look, at 1.
        for place in 0..n {
            let (left, right) = (u[at(place, -1)], u[at(place, 1)]);
            if n == 1 {
                return (u[0], 2, 0);
            }
            if u[place] < left && u[place] < right {
                // N = 2: port 1 is clockwise.
                let way = if left < right { -1 } else { 1 };
                ring[place] = One { id: left.max(right), phase: 1, way, active: true, over: false };
                coming[at(place, way)][index(way)] = Some(Sent::Message(ring[place].id, 1, true));
                (count, highest) = (count + 1, 1);
            }
        }
        while ring.iter().any(|one| !one.over) {
            let mut next: Vec<[Option<Sent>; 2]> = vec![[None; 2]; n];
            for place in 0..n {
                let one = &mut ring[place];
                if one.over {
                    continue;
                }
                // By the side it comes from: what goes clockwise comes from -1.
                let from = [coming[place][1], coming[place][0]];
                let mut send = |way: i64, sent: Sent| {
                    count += u64::from(sent != Sent::Flag);
                    next[at(place, way)][index(way)] = Some(sent);
                };
                if from.contains(&Some(Sent::Flag)) {
                    one.over = true;
                    send(if from[0] == Some(Sent::Flag) { 1 } else { -1 }, Sent::Flag);
                    continue;
                }
                let mut seen: Vec<(i64, u64, u64, bool)> = Vec::new();
                for (side, sent) in [-1, 1].into_iter().zip(from) {
                    if let Some(Sent::Message(v, p, q)) = sent {
                        seen.push((side, v, p, q));
                    }
                }
                let top = seen.iter().map(|message| message.2).max().unwrap_or(0);
                seen.retain(|message| message.2 == top && top >= one.phase);
                // Two values, with the side each comes from, that meet here in phase p.
                let mut collision: Option<[(i64, u64); 2]> = None;
                if top > one.phase && seen.len() == 2 {
                    collision = Some([(seen[0].0, seen[0].1), (seen[1].0, seen[1].1)]);
                } else if let [(side, v, p, _)] = seen[..]
                    && p > one.phase
                {
                    *one = One { id: v, phase: p, way: -side, active: false, over: false };
                    send(-side, Sent::Message(v, p, false));
                } else {
                    for (side, v, p, q) in seen {
                        if p != one.phase || one.over || collision.is_some() {
                            continue;
                        }
                        let bypass = side == one.way;
                        if bypass && one.active && !q {
                            continue;
                        }
                        if bypass && !one.active && q {
                            collision = Some([(side, v), (-side, one.id)]);
                        } else if v == one.id {
                            one.over = true;
                            send(-side, Sent::Flag);
                        } else if v < one.id {
                            *one = One { phase: p + 1, way: side, active: true, ..*one };
                            send(side, Sent::Message(one.id, p + 1, true));
                        }
                    }
                }
                if let Some([(side1, v1), (side2, v2)]) = collision {
                    one.id = v1.max(v2);
                    if v1 == v2 {
                        (one.phase, one.over) = (top, true);
                        send(1, Sent::Flag);
                    } else {
                        let way = if v1 < v2 { side1 } else { side2 };
                        *one = One { phase: top + 1, way, active: true, ..*one };
                        send(way, Sent::Message(one.id, top + 1, true));
                    }
                }
                highest = highest.max(one.phase);
            }
            coming = next;
        }
        assert!(ring.iter().all(|one| one.id == ring[0].id), "{u:?}");
        (ring[0].id, count, highest)
    }
}

fn unit(ids: &[u64]) -> Scenario {
    ring(ids, Preset::Unit.timing(Reading::Immediate))
}

#[test]
fn in_unit_time_all_orders_up_to_eight_cost_what_the_reference_says() {
    assert_eq!(synchronous::election(&[3, 1, 4, 2]), (4, 10, 1), "worked by hand");
    let mut draw = Draw::new(74);
    let larger = [20, 50, 200, 1000].into_iter().flat_map(|n| (0..20).map(move |_| n)).map(|n| draw.ids(n, n as u64));
    for ids in (1..=8).flat_map(orders).chain(larger) {
        let summary = run("full", &unit(&ids));
        check(&summary, &unit(&ids));
        let found = (leader(&summary), summary.cost.split(false), summary.cost.phases.map(u64::from));
        let (id, count, phases) = synchronous::election(&ids);
        assert_eq!(found, (Some(id), count, Some(phases)), "{ids:?}");
    }
}

#[test]
fn every_wake_set_and_orientation_of_every_order_up_to_five_elects() {
    for n in 1..=5 {
        for ids in orders(n) {
            for (duplex, links) in FORMS {
                for wakes in wake_sets(n as usize) {
                    let scenario = Scenario { wakes, links, ..unit(&ids) };
                    check(&run(duplex, &scenario), &scenario);
                }
                for exchanged in 1..1u32 << n {
                    let orientation = (0..n).map(|place| exchanged >> place & 1 == 1).collect();
                    let scenario = Scenario { orientation, links, ..unit(&ids) };
                    check(&run(duplex, &scenario), &scenario);
                }
            }
        }
    }
}

#[test]
fn the_worked_example_takes_14_or_15_messages_and_half_duplex_14_or_16() {
    // 8 of phase 0 and 4 flags. 1 and 2 both send 4 to 3: the two meet there, or bypass each other beyond it (full), or
    // the first is passed on before 2 or 1 has ended phase 0, which then lets it traverse the ring (half).
    let mut draw = Draw::new(75);
    for (duplex, links, expected) in [("full", Links::Fifo, [14, 15]), ("half", Links::Half, [14, 16])] {
        let mut seen = BTreeSet::new();
        for _ in 0..2000 {
            let scenario = Scenario { ids: vec![3, 1, 4, 2], ..any_ring(&mut draw, 4, links) };
            let summary = run(duplex, &scenario);
            assert_elected(&summary, &scenario, Some(4));
            seen.insert(summary.cost.messages());
        }
        assert_eq!(seen, BTreeSet::from(expected), "{duplex}");
    }
}

#[test]
fn the_leader_is_not_always_the_greatest_and_may_depend_on_the_schedule() {
    // 1 is the only local minimum: the name of its larger neighbour, 3, traverses the ring.
    for (duplex, links) in FORMS {
        let scenario = Scenario { links, ..unit(&[1, 3, 4, 2]) };
        let summary = run(duplex, &scenario);
        assert_elected(&summary, &scenario, Some(3));
        assert_eq!(summary.cost.split(false), 8 + 4);
    }
    // "An interesting feature of our algorithm is that different (asynchronous) runs may result in different leaders".
    let mut draw = Draw::new(77);
    let half = (vec![1, 3, 2, 5, 4], "half", Links::Half, [4, 5]);
    let full = (vec![1, 7, 4, 3, 6, 5, 8, 2], "full", Links::Fifo, [7, 8]);
    for (ids, duplex, links, expected) in [half, full] {
        let drawn = (0..2000).map(|_| {
            let scenario = Scenario { ids: ids.clone(), ..any_ring(&mut draw, ids.len(), links) };
            leader(&run(duplex, &scenario)).expect("somebody leads")
        });
        assert_eq!(drawn.collect::<BTreeSet<_>>(), BTreeSet::from(expected), "{ids:?}, {duplex}");
    }
}

#[test]
fn the_smallest_rings() {
    for (duplex, links) in FORMS {
        for (ids, count, phases) in [(&[7][..], 2, 0), (&[1, 2], 4 + 2, 1), (&[3, 2, 1], 6 + 3, 1)] {
            let scenario = Scenario { links, ..unit(ids) };
            let summary = run(duplex, &scenario);
            check(&summary, &scenario);
            assert_eq!(leader(&summary), ids.iter().copied().max());
            assert_eq!((summary.cost.split(false), summary.cost.phases), (count, Some(phases)), "{ids:?}, {duplex}");
        }
    }
}

#[test]
fn identities_may_have_64_bits() {
    for (duplex, links) in FORMS {
        let scenario = Scenario { links, ..unit(&[u64::MAX - 1, 1, u64::MAX, 2]) };
        assert_elected(&run(duplex, &scenario), &scenario, Some(u64::MAX));
    }
}

#[test]
fn the_bounds_are_listed_where_the_rules_fit_the_links() {
    let formulas = ["2N + N P, F_(P+1) <= N", "P, F_(P+1) <= N", "N"];
    let held = |more: &str| {
        let played = Played::of(&format!("van-leeuwen-tan -n 300 --d 1..9 --orientation random {more}"));
        formulas.map(|formula| played.held(formula))
    };
    for more in ["", "--set duplex=half", "--links half", "--wake one"] {
        assert_eq!(held(more), [Some(true); 3], "{more}");
    }
    for more in ["--set duplex=half --links fifo", "--links any", "--set printed=id", "--faults loss:1/1000"] {
        assert_eq!(held(more), [None; 3], "{more}");
    }
}

/// The lemmas that a run violates.
fn violated(settings: &[(&str, &str)], scenario: &Scenario) -> Vec<&'static str> {
    let mut run = prepared::<VanLeeuwenTan>(settings, scenario).expect("the scenario suits the protocol");
    let violations = finished(&mut run).violations;
    let lemma = |name: &str| VanLeeuwenTan::LEMMAS.iter().any(|lemma| lemma.name == name);
    violations.iter().map(|violation| violation.property).filter(|name| lemma(name)).collect()
}

#[test]
fn the_lemmas_hold_in_every_schedule_tried() {
    let mut draw = Draw::new(76);
    for _ in 0..6000 {
        let n = any_size(&mut draw, 200);
        let (duplex, links) = draw.one_of(&FORMS);
        let scenario = any_ring(&mut draw, n, links);
        assert_eq!(violated(&[("duplex", duplex)], &scenario), [""; 0], "{duplex} in {scenario:?}");
    }
}

#[test]
fn the_lemmas_fail_where_their_rules_are_followed_as_printed() {
    let mut draw = Draw::new(78);
    // What the errata say: two messages do not meet, or somebody inaugurates who holds another name than others.
    let (bypass, inauguration) = (
        "a message of the own phase comes from the other side",
        "who inaugurates in a phase finds one active color, which everybody holds",
    );
    let forms = [
        ("full", "pair", Links::Fifo, 40, inauguration),
        ("half", "minimum", Links::Half, 8, bypass),
        ("half", "heads", Links::Half, 40, bypass),
        ("half", "id", Links::Half, 8, inauguration),
    ];
    for (duplex, printed, links, n, expected) in forms {
        let mut violates = || {
            let n = any_size(&mut draw, n);
            let scenario = any_ring(&mut draw, n, links);
            violated(&[("duplex", duplex), ("printed", printed)], &scenario).contains(&expected)
        };
        assert!((0..3000).any(|_| violates()), "{duplex} {printed}");
    }
}
