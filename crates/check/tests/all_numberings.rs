//! All numberings of ports, resolved lazily, have the schedules of all explicit numberings together: the answers are those of
//! a loop over the numberings, each explored by itself.

use ringleader_check::{Answer, CheckVerdict, Effort, MaxMessages, Property, Reductions, Wakers, check};
use ringleader_model::{
    Assumptions, AtMost, BadSetting, Complete, Description, Effects, Election, ElectionReport, Event, Faults, Inspect,
    Instance, Links, Message, Place, Port, Ports, Preset, Processor, Protocol, Range, Reading, Scenario, Seat,
    Settings, Ticks, Ties, Timing, Topology, mix,
};
use ringleader_protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader_protocols::election::afek_gafni_sync::AfekGafniSync;
use ringleader_protocols::election::all_to_all::AllToAll;
use ringleader_protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader_protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader_protocols::readers_writers::spirakis_tampakas::SpirakisTampakasReadersWriters;
use ringleader_sim::Resolved;
use serde::Serialize;

/// The permutations of a list.
fn permutations(list: &[Place]) -> Vec<Vec<Place>> {
    if list.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &first) in list.iter().enumerate() {
        let rest = [&list[..index], &list[index + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|rest| [&[first], &rest[..]].concat()));
    }
    all
}

/// Every numbering of the ports of `n` processors: (n-1)!ⁿ.
fn numberings(n: Place) -> Vec<Ports> {
    let mut all = vec![Vec::new()];
    for place in 0..n {
        let others: Vec<Place> = (0..n).filter(|&other| other != place).collect();
        let lists = permutations(&others);
        all = all
            .iter()
            .flat_map(|before| lists.iter().map(|list| [&before[..], std::slice::from_ref(list)].concat()))
            .collect();
    }
    all.into_iter().map(Ports::Listed).collect()
}

/// The verdict of each property, the most messages, the length of a shortest counterexample to safety, and the rules that
/// fire. The depth is none of them: a state that holds fewer numberings may be reached later.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ComparedFigures {
    verdicts: Vec<(Property, CheckVerdict)>,
    most: MaxMessages,
    shortest: Option<usize>,
    fired: Vec<u8>,
}

impl ComparedFigures {
    fn of<P: Processor>(answer: &Answer<P>) -> Self {
        let safety = answer.counterexample.as_ref().filter(|found| found.property == Property::Safety);
        Self {
            verdicts: answer.judgements.iter().map(|judgement| (judgement.property, judgement.verdict)).collect(),
            most: answer.most_messages,
            shortest: safety.map(|found| found.steps),
            fired: (1..=30).filter(|&rule| answer.fired.contains(rule)).collect(),
        }
    }

    /// Of both together.
    fn and(self, other: Self) -> Self {
        let rank = |most: &MaxMessages| match most {
            MaxMessages::Unknown => (3, 0),
            MaxMessages::Unbounded => (2, 0),
            MaxMessages::UpToViolation(passes) | MaxMessages::Exactly(passes) => (1, *passes),
        };
        let mut fired = [self.fired, other.fired].concat();
        fired.sort_unstable();
        fired.dedup();
        type Judged = (Property, CheckVerdict);
        let worse = |(one, two): (&Judged, &Judged)| (one.0, one.1.max(two.1));
        Self {
            verdicts: self.verdicts.iter().zip(&other.verdicts).map(worse).collect(),
            most: if rank(&self.most) >= rank(&other.most) { self.most } else { other.most },
            shortest: self.shortest.into_iter().chain(other.shortest).min(),
            fired,
        }
    }

    /// Without what is not looked for after a violation.
    fn comparable(self) -> Self {
        let violated = self.verdicts.iter().any(|&(_, verdict)| verdict == CheckVerdict::Violated);
        let most = match self.most {
            MaxMessages::Exactly(passes) | MaxMessages::UpToViolation(passes) if !violated => {
                MaxMessages::Exactly(passes)
            }
            MaxMessages::Unbounded => MaxMessages::Unbounded,
            _ => MaxMessages::Unknown,
        };
        let safe = |(property, verdict): (Property, CheckVerdict)| {
            // After a violation others are not looked for.
            (property, if violated && verdict == CheckVerdict::Holds { CheckVerdict::Unknown } else { verdict })
        };
        let verdicts = self.verdicts.into_iter().map(safe).collect();
        if violated {
            return Self { verdicts, most, fired: Vec::new(), ..self };
        }
        Self { verdicts, most, ..self }
    }
}

fn configured<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> P {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("they are the protocol's");
    P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit it")
}

fn figures<P: Protocol>(protocol: P, scenario: &Scenario, wakers: &Wakers, reductions: Reductions) -> ComparedFigures {
    let effort = Effort { reductions, threads: 1, ..Effort::default() };
    let answer = check(protocol, scenario, wakers, &effort, &mut |_| true).expect("it can be explored");
    assert_eq!(answer.ran_out, None);
    if scenario.ports == Ports::All
        && let Some(found) = &answer.counterexample
    {
        let ports = found.ports.as_ref().expect("it has a numbering");
        assert!(numberings(scenario.n as Place).contains(ports), "{ports}");
    }
    ComparedFigures::of(&answer)
}

/// Compares all numberings resolved lazily with all of them one by one; returns their number of different figures.
#[track_caller]
fn compare<P: Protocol>(make: &dyn Fn(&Scenario) -> P, scenario: &Scenario, wakers: &Wakers) -> usize {
    let mut different: Vec<ComparedFigures> = Vec::new();
    for ports in numberings(scenario.n as Place) {
        let scenario = Scenario { ports, ..scenario.clone() };
        let found = figures(make(&scenario), &scenario, wakers, Reductions::ALL);
        if !different.contains(&found) {
            different.push(found);
        }
    }
    let expected = different.iter().cloned().reduce(ComparedFigures::and).expect("there is a numbering").comparable();
    let all = Scenario { ports: Ports::All, ..scenario.clone() };
    for reductions in [Reductions::ALL, Reductions::NONE] {
        let lazily = figures(make(&all), &all, wakers, reductions).comparable();
        assert_eq!(lazily, expected, "{} with {scenario:?}, reductions: {reductions}", P::DESCRIPTION.name);
    }
    different.len()
}

#[track_caller]
fn compare_with<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario, wakers: &Wakers) -> usize {
    compare(&|scenario| configured::<P>(settings, scenario), scenario, wakers)
}

fn ids(ids: &[u64]) -> Scenario {
    Scenario { n: ids.len(), ids: ids.to_vec(), ..Scenario::default() }
}

fn rounds(scenario: Scenario) -> Scenario {
    Scenario { timing: Preset::Rounds.timing(Reading::Immediate), ..scenario }
}

fn timed(r: (u64, u64), d: (u64, u64), reading: Reading, scenario: Scenario) -> Scenario {
    let usual = Preset::Unit.timing(reading);
    let timing = Timing { r: Range::new(r.0, r.1), d: Range::new(d.0, d.1), ..usual };
    let ties = if d.0 > 0 { Ties::Either } else { Ties::Ruled };
    Scenario { timing, ties, ..scenario }
}

#[test]
fn candidates_in_rounds_have_the_schedules_of_all_numberings() {
    for settings in [&[][..], &[("printed", "own")], &[("printed", "zero")], &[("printed", "slide-4")]] {
        for order in [[1, 2, 3], [3, 1, 2]] {
            compare_with::<AfekGafniSync>(settings, &rounds(ids(&order)), &Wakers::Anybody);
        }
    }
    let differ = compare_with::<AfekGafniSync>(&[], &rounds(ids(&[1, 2, 3])), &Wakers::Anybody);
    assert!(differ > 1, "numberings make a difference");
    compare_with::<AfekGafniSync>(&[], &rounds(ids(&[2, 1, 3])), &Wakers::These(vec![0, 2]));
    compare_with::<AfekGafniSync>(&[], &rounds(ids(&[2, 1, 3])), &Wakers::Together);
    compare_with::<AfekGafniSync>(&[], &rounds(ids(&[2, 1])), &Wakers::Anybody);
}

#[test]
fn candidates_without_rounds_have_the_schedules_of_all_numberings() {
    for links in Links::ALL {
        for settings in [&[][..], &[("printed", "owner")], &[("printed", "ack")]] {
            let scenario = Scenario { links, untimed: true, ..ids(&[2, 1, 3]) };
            compare_with::<AfekGafniAsync>(settings, &scenario, &Wakers::Anybody);
        }
    }
    let scenario = Scenario { untimed: true, ..ids(&[1, 2, 3]) };
    assert!(compare_with::<AfekGafniAsync>(&[], &scenario, &Wakers::Anybody) > 1, "numberings make a difference");
    compare_with::<AfekGafniAsync>(&[], &scenario, &Wakers::These(vec![1, 2]));
    for at_most in [AtMost { crashes: 1, ..AtMost::default() }, AtMost { duplicates: 1, ..AtMost::default() }] {
        let faults = Faults { at_most, ..Faults::default() };
        compare_with::<AfekGafniAsync>(&[], &Scenario { faults, ..scenario.clone() }, &Wakers::Anybody);
    }
}

#[test]
fn candidates_with_clocks_have_the_schedules_of_all_numberings() {
    let three = || ids(&[2, 3, 1]);
    compare_with::<AfekGafniAsync>(&[], &timed((1, 1), (1, 1), Reading::Immediate, three()), &Wakers::Anybody);
    compare_with::<AfekGafniAsync>(&[], &timed((1, 1), (1, 2), Reading::Immediate, three()), &Wakers::Together);
    compare_with::<AfekGafniAsync>(&[], &timed((1, 1), (0, 1), Reading::Immediate, three()), &Wakers::Together);
    compare_with::<AfekGafniAsync>(&[], &timed((1, 1), (1, 1), Reading::PerTick, three()), &Wakers::Together);
    compare_with::<AfekGafniAsync>(&[], &timed((1, 1), (0, 0), Reading::Immediate, three()), &Wakers::Anybody);
    let crash = Faults { at_most: AtMost { crashes: 1, ..AtMost::default() }, ..Faults::default() };
    let crashing = Scenario { faults: crash, ..three() };
    compare_with::<AfekGafniAsync>(&[], &timed((1, 1), (1, 1), Reading::Immediate, crashing), &Wakers::Together);
}

/// A permutation of places turns a numbering into a numbering: every order of the identities has the same schedules.
#[test]
fn all_orders_of_identities_are_the_same() {
    let orders: Vec<Vec<u64>> =
        permutations(&[1, 2, 3]).iter().map(|order| order.iter().map(|&id| id.into()).collect()).collect();
    let found = |order: &Vec<u64>| {
        let scenario = Scenario { ports: Ports::All, untimed: true, ..ids(order) };
        let first =
            figures(configured::<AfekGafniAsync>(&[], &scenario), &scenario, &Wakers::Anybody, Reductions::NONE);
        let scenario = Scenario { ports: Ports::All, ..rounds(ids(order)) };
        (first, figures(configured::<AfekGafniSync>(&[], &scenario), &scenario, &Wakers::Anybody, Reductions::NONE))
    };
    let first = found(&orders[0]);
    assert!(orders.iter().all(|order| found(order) == first));
}

/// The claim of [`PortUse::Alike`](ringleader_model::PortUse::Alike): no numbering makes a difference.
#[test]
fn protocols_that_treat_ports_alike_do() {
    #[track_caller]
    fn alike<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) {
        assert!(P::DESCRIPTION.assumptions.port_use.is_alike());
        assert_eq!(compare_with::<P>(settings, scenario, &Wakers::Anybody), 1, "{}", P::DESCRIPTION.name);
    }
    let users = |n: usize, entries: u64| {
        let workload = ringleader_model::Workload { entries, ..ringleader_model::Workload::new(n) };
        Scenario { workload: Some(workload), links: Links::Any, ..ids(&(1..=n as u64).collect::<Vec<_>>()) }
    };
    for n in [2, 3] {
        for links in Links::ALL {
            alike::<AllToAll>(&[], &Scenario { links, untimed: true, ..ids(&(1..=n).collect::<Vec<_>>()) });
        }
        alike::<RicartAgrawala>(&[], &Scenario { untimed: true, ..users(n as usize, 1) });
        let archimedean = timed((1, 1), (1, 1), Reading::PerStep, users(n as usize, 1));
        alike::<SpirakisTampakasMutex>(&[("c1", "1")], &archimedean);
        let mut shared = archimedean;
        if let Some(load) = &mut shared.workload {
            (load.readers, load.writers) = (n as usize - 1, 1);
        }
        alike::<SpirakisTampakasReadersWriters>(&[("c1", "1")], &shared);
    }
}

/// A protocol drawn from a seed: what a processor does at an event is a hash of the seed, its state and the event.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    seed: u64,
    /// With random choices.
    random: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct DrawnMessage(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct DrawnProcessor {
    id: u64,
    state: u64,
    steps: u8,
    decided: bool,
}

impl Protocol for Drawn {
    type Processor = DrawnProcessor;
    type Network = Complete;
    const DESCRIPTION: Description = Description {
        name: "drawn",
        assumptions: Assumptions { topology: Topology::Complete, ..Assumptions::RING },
        rules: &["A step.", "A step of another kind."],
        ..Description::NEW
    };

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Err(BadSetting::new("protocol", "is a toy", "a protocol of the catalogue"))
    }

    fn processor(&self, seat: Seat) -> DrawnProcessor {
        DrawnProcessor { id: seat.identity().get(), state: 0, steps: 0, decided: false }
    }
}

impl Processor for DrawnProcessor {
    type Problem = Election;
    type Message = DrawnMessage;
    type Timer = u32;
    type Rules = Drawn;

    fn step(&mut self, rules: &Drawn, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let code = match &event {
            Event::Wake => 1,
            // Some protocols look at the ports of messages, others do not, or only some of them.
            Event::Receive(port, DrawnMessage(ball)) if !rules.seed.is_multiple_of(3) => {
                10 + u64::from(*ball) * 4 + u64::from(port.0) * (rules.seed % 3 - 1)
            }
            Event::Receive(_, DrawnMessage(ball)) => 30 + u64::from(*ball),
            Event::Timeout(timer) => 50 + u64::from(*timer),
            Event::Call(_) => 2,
        };
        let mut drawn = mix(rules.seed ^ mix(self.state * 64 + code + self.id * 4096));
        let mut draw = |bound: u64| {
            drawn = mix(drawn);
            drawn % bound
        };
        fx.rule(1 + (draw(2) as u8));
        if self.steps == 2 {
            return;
        }
        self.steps += 1;
        self.state = draw(3);
        if rules.random && draw(2) == 0 {
            self.state = (self.state + u64::from(fx.choose(2))) % 3;
        }
        for _ in 0..draw(3) {
            let ball = DrawnMessage(draw(2) as u32);
            match (&event, draw(3)) {
                (Event::Receive(port, _), 0) => fx.send(*port, ball),
                (_, 1) => [Port(0), Port(1)].into_iter().for_each(|port| fx.send(port, ball.clone())),
                _ => fx.send(Port(draw(2) as u32), ball),
            }
        }
        if draw(4) == 0 {
            fx.set_timer(draw(2) as u32, Ticks::ONE);
        }
        if !self.decided && draw(3) == 0 {
            self.decided = true;
            fx.report(if draw(6) == 0 { ElectionReport::Elected(None) } else { ElectionReport::Follows(None) });
        }
    }
}

impl Inspect for DrawnProcessor {}

#[test]
fn drawn_protocols_have_the_schedules_of_all_numberings() {
    let (mut differ, mut violated) = (0, 0);
    for seed in 0..40 {
        let protocol = |_: &Scenario| Drawn { seed, random: seed.is_multiple_of(6) };
        let scenario = match seed % 5 {
            4 => timed((1, 1), (0, 0), Reading::Immediate, ids(&[1, 2, 3])),
            0 => timed((1, 1), (1, 1 + seed / 4 % 2), Reading::Immediate, ids(&[1, 2, 3])),
            1 => timed((1, 2), (1, 1), Reading::PerStep, ids(&[2, 1, 3])),
            2 => Scenario { untimed: true, links: Links::Any, ..ids(&[1, 2, 3]) },
            _ => Scenario { untimed: true, ..ids(&[3, 2, 1]) },
        };
        let wakers = if seed.is_multiple_of(7) { Wakers::Together } else { Wakers::These(vec![0, 2]) };
        differ += usize::from(compare(&protocol, &scenario, &wakers) > 1);
        let all = Scenario { ports: Ports::All, ..scenario };
        let found = figures(protocol(&all), &all, &wakers, Reductions::ALL);
        violated += usize::from(found.shortest.is_some());
    }
    assert!(differ > 10, "few of them look at ports: {differ}");
    assert!(violated > 0, "few of them violate safety: {violated}");
}

#[test]
fn a_numbering_is_refused_where_there_are_none() {
    let scenario = Scenario { ports: Ports::All, ..ids(&[1, 2]) };
    let refused = scenario.check(&AllToAll::DESCRIPTION.assumptions).expect_err("a run has one numbering");
    assert_eq!(refused.field, "ports");
    let ring = ringleader_protocols::election::chang_roberts::ChangRoberts;
    let refused = check(ring, &scenario, &Wakers::Anybody, &Effort::default(), &mut |_| true);
    assert_eq!(refused.expect_err("a ring has no numberings").field, "ports");
    let half = Scenario { ports: Ports::All, links: Links::Half, untimed: true, ..ids(&[1, 2, 3]) };
    let refused = check(Drawn { seed: 0, random: false }, &half, &Wakers::Anybody, &Effort::default(), &mut |_| true);
    assert_eq!(refused.expect_err("a timer may be blocked by one numbering").field, "ports");
}
