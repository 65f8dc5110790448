//! Promises of a protocol: checks and runs judge them alike, and change no other verdict.

use ringleader::check::Checked;
use ringleader::checker::{CheckVerdict, Effort, Property, Reductions, Wakers};
use ringleader::model::{
    AtMost, BadSetting, Description, Effects, Election, ElectionReport, Event, Faults, Id, Inspect, Instance, Links,
    Message, NoTimer, Port, Processor, Promise, Promised, Protocol, Ring, Scenario, Seat, Settings,
};
use ringleader::{Case, Catalogue, Entry, Of, catalogue};
use serde::Serialize;

/// The smallest identity wins, whatever is promised.
#[derive(Clone)]
struct Modest;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Member {
    id: Id,
    sent: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Candidate(Id);

impl Protocol for Modest {
    type Processor = Member;
    type Network = Ring;

    const DESCRIPTION: Description = Description { name: "modest", ..Description::NEW };
    const PROMISES: &'static [Promise] = &[
        Promise::new(Promised::GreatestWins, "nobody"),
        Promise::new(Promised::WinnerKnown, ""),
        Promise::new(Promised::DecidesOnce, ""),
    ];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, seat: Seat) -> Member {
        Member { id: seat.identity(), sent: false }
    }
}

impl Inspect for Member {}

impl Processor for Member {
    type Problem = Election;
    type Message = Candidate;
    type Timer = NoTimer;
    type Rules = Modest;

    fn step(&mut self, _: &Modest, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Receive(_, Candidate(id)) if id == self.id => fx.report(ElectionReport::Elected(Some(id))),
            Event::Receive(_, Candidate(id)) if id < self.id => {
                self.sent = true;
                fx.report(ElectionReport::Follows(Some(id)));
                fx.send(Port(0), Candidate(id));
            }
            Event::Wake | Event::Receive(..) if !self.sent => {
                self.sent = true;
                fx.send(Port(0), Candidate(self.id));
            }
            Event::Wake | Event::Receive(..) | Event::Call(_) => {}
            Event::Timeout(never) => match never {},
        }
    }
}

const MODEST: &dyn Entry = &Of::<Modest>::NEW;

fn checked(entry: &'static dyn Entry, scenario: &Scenario, reductions: Reductions) -> Checked {
    let case = Case { entry, scenario, settings: &[], task: None };
    entry
        .check(&case, &Wakers::Anybody, &Effort { reductions, ..Effort::default() }, &mut |_| true)
        .expect("it is checked")
}

fn verdicts(checked: &Checked) -> Vec<(Property, CheckVerdict)> {
    checked.judgements.iter().map(|judgement| (judgement.property, judgement.verdict)).collect()
}

fn ring(ids: &[u64]) -> Scenario {
    Scenario { n: ids.len(), ids: ids.to_vec(), untimed: true, ..Scenario::default() }
}

/// Place 0 wakes and sends 1, place 1 follows it: two steps, after which everything goes on as without the promise.
#[test]
fn a_broken_promise_has_a_shortest_counterexample_that_replays() {
    for reductions in [Reductions::NONE, Reductions::ALL] {
        let found = checked(MODEST, &ring(&[1, 2]), reductions);
        let expected = [
            (Property::Safety, CheckVerdict::Holds),
            (Property::Termination, CheckVerdict::Holds),
            (Property::Promise(Promised::GreatestWins), CheckVerdict::Violated),
            (Property::Promise(Promised::WinnerKnown), CheckVerdict::Holds),
            (Property::Promise(Promised::DecidesOnce), CheckVerdict::Holds),
        ];
        assert_eq!(verdicts(&found), expected);
        assert_eq!(found.judgements[2].detail, "id 1 has won, not id 2");
        let counterexample = found.counterexample.expect("a violation comes with a counterexample");
        assert_eq!((counterexample.property, counterexample.steps), (expected[2].0, 2));
        let trace = counterexample.run.expect("it can be recorded");
        let (_, _, summary) = trace.replay(&Catalogue::with(&[MODEST]), &(), |_| {}).expect("it replays");
        assert_eq!(summary.violations[0].property, "the greatest identity wins");
    }
}

#[test]
fn a_paper_promises_nothing_outside_its_assumptions() {
    let scenario = ring(&[1, 2]);
    let at_most = AtMost { losses: 1, ..AtMost::default() };
    let faulty = Scenario { faults: Faults { at_most, ..Faults::default() }, ..scenario.clone() };
    for scenario in [faulty, Scenario { links: Links::Any, ..scenario }] {
        let judged = verdicts(&checked(MODEST, &scenario, Reductions::ALL));
        assert_eq!(judged.iter().map(|(property, _)| *property).collect::<Vec<_>>(), Property::ALL);
    }
}

/// Every monitor judges what protocols of its problem promise: a check of one that does not would panic.
#[test]
fn info_lists_the_promises_and_lemmas_that_checks_judge() {
    let mut promises = 0;
    for entry in catalogue().iter().filter(|entry| entry.problem() == "election") {
        let about = entry.about();
        let assumptions = &entry.description().assumptions;
        if assumptions.timed {
            continue;
        }
        let ids = if assumptions.identities { vec![1, 2] } else { Vec::new() };
        let scenario = Scenario { n: 2, ids, untimed: true, links: assumptions.links, ..Scenario::default() };
        let found = checked(*entry, &scenario, Reductions::ALL);
        let judged: Vec<_> = found.judgements[Property::ALL.len()..].iter().map(|one| one.property.name()).collect();
        let lemmas = about.lemmas.iter().filter(|lemma| lemma.when.is_empty());
        let stated: Vec<_> = about.promises.iter().chain(lemmas).map(|stated| stated.name).collect();
        assert_eq!(stated, judged, "{}", about.name);
        assert!(found.judgements.iter().all(|one| one.verdict == CheckVerdict::Holds), "{}", about.name);
        promises += judged.len();
    }
    assert!(promises >= 20, "{promises}");
}
