//! A protocol of one's own, with an invariant of its own: set up, run, recorded and replayed like any other.

use ringleader::check::{CheckOptions, CheckSetup};
use ringleader::model::{
    Assumptions, BadSetting, Bound, Description, Effects, Election, ElectionReport, Event, Id, Inspect, Instance,
    Invariant, Message, NoTimer, Place, Port, Processor, Protocol, Ring, Seat, Settings,
};
use ringleader::sim::{Choices, Verdict};
use ringleader::{Catalogue, Entry, Execution, Of, Options, RecordedResult, Setup, TraceFile, ring};
use serde::Serialize;

/// Everybody sends its identity around; the greatest comes back. `ROLES`: place 0 has a role of its own, which changes nothing.
#[derive(Clone)]
struct Greatest<const ROLES: bool>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Candidate(Id);

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct GreatestProcessor<const ROLES: bool> {
    id: Id,
    greatest: Option<Id>,
    leads: bool,
}

impl<const ROLES: bool> Protocol for Greatest<ROLES> {
    type Processor = GreatestProcessor<ROLES>;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "greatest",
        title: "the greatest identity that comes back",
        assumptions: Assumptions { identities: true, ..Assumptions::RING },
        ..Description::NEW
    };
    const BOUNDS: &'static [Bound<Self>] = &[];
    const INVARIANTS: &'static [Invariant<Self>] = &[Invariant {
        name: "nobody below 4 has met 4",
        holds: |places| match places.iter().find(|place| place.id.get() < 4 && place.greatest == Some(Id::new(4))) {
            Some(place) => Err(format!("{} has", place.id)),
            None => Ok(()),
        },
    }];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn role(&self, place: Place) -> u32 {
        u32::from(ROLES && place == 0)
    }

    fn processor(&self, seat: Seat) -> GreatestProcessor<ROLES> {
        GreatestProcessor { id: seat.identity(), greatest: None, leads: false }
    }
}

impl<const ROLES: bool> Inspect for GreatestProcessor<ROLES> {}

impl<const ROLES: bool> Processor for GreatestProcessor<ROLES> {
    type Problem = Election;
    type Message = Candidate;
    type Timer = NoTimer;
    type Rules = Greatest<ROLES>;

    fn step(&mut self, _: &Greatest<ROLES>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => fx.send(Port(0), Candidate(self.id)),
            Event::Receive(_, Candidate(id)) if id == self.id => {
                self.leads = true;
                fx.report(ElectionReport::Elected(Some(id)));
            }
            Event::Receive(_, Candidate(id)) => {
                self.greatest = self.greatest.max(Some(id));
                if id > self.id {
                    fx.send(Port(0), Candidate(id));
                }
            }
            Event::Timeout(_) | Event::Call(_) => {}
        }
    }
}

static GREATEST: Of<Greatest<false>> = Of::NEW;
static WITH_ROLES: Of<Greatest<true>> = Of::NEW;

fn set_up(ids: impl Into<Vec<u64>>) -> Setup {
    let entry: &'static dyn Entry = &GREATEST;
    entry.set_up(ring(ids), &[]).expect("the scenario suits the protocol")
}

fn violated(setup: &Setup) -> Vec<&'static str> {
    setup.run().expect("it runs").violations.iter().map(|violation| violation.property).collect()
}

#[test]
fn an_invariant_is_judged_after_every_step() {
    // Nobody announces anything, so a run never finishes.
    assert_eq!(violated(&set_up([3, 1, 2])), ["termination"]);
    assert_eq!(violated(&set_up([3, 1, 4, 2])), ["nobody below 4 has met 4", "termination"]);
}

/// On a ring of three there are two orders up to rotation; where place 0 has a role of its own, six.
#[test]
fn a_symmetry_keeps_the_roles() {
    let instances = |entry: &'static dyn Entry| {
        let options = Options { n: Some(3), ..Options::default() };
        let setup = CheckSetup::new(entry, &CheckOptions { options, ..CheckOptions::default() });
        setup.expect("it can be checked").instances.len()
    };
    assert_eq!((instances(&GREATEST), instances(&WITH_ROLES)), (2, 6));
}

#[test]
fn a_protocol_of_ones_own_is_recorded_and_replayed() {
    let catalogue = Catalogue::with(&[&GREATEST]);
    let setup = set_up([3, 1, 4, 2]);
    let mut execution = Execution::new(&setup, Choices::Drawn).expect("it runs");
    execution.run.record();
    execution.finish(&());
    let summary = execution.run.summary();
    assert_eq!(summary.verdict, Verdict::Violated);
    let text = TraceFile::new(&setup, execution.run.as_ref(), &summary).to_text().expect("it was recorded now");
    let trace = TraceFile::parse(&text).expect("what is written is read");
    let (_, _, again) = trace.replay(&catalogue, &(), |_| {}).expect("it replays");
    assert_eq!(again, summary);
    let unknown = trace.setup(&Catalogue::default()).map(|_| ()).expect_err("others do not know it");
    assert!(unknown.wrong().contains("unknown protocol 'greatest'"), "{unknown}");
}

/// The events of a changed protocol may be the same, and its messages not.
#[test]
fn a_replay_names_what_differs_from_the_recorded_result() {
    let catalogue = Catalogue::with(&[&GREATEST]);
    let setup = set_up([3, 1, 4, 2]);
    let mut execution = Execution::new(&setup, Choices::Drawn).expect("it runs");
    execution.run.record();
    execution.finish(&());
    let recorded = TraceFile::new(&setup, execution.run.as_ref(), &execution.run.summary());
    let replay = |change: &dyn Fn(&mut RecordedResult)| {
        let mut trace = recorded.clone();
        trace.result.as_mut().map(change);
        trace.replay(&catalogue, &(), |_| {}).err().map(|error| error.wrong())
    };
    assert_eq!(replay(&|_| {}), None);
    let older = TraceFile { result: None, ..recorded.clone() };
    assert!(older.replay(&catalogue, &(), |_| {}).is_ok(), "it does not say what came of it");
    // 3 and 1 go on to 4, 4 makes a full turn, 2 goes on to 3: 2 + 1 + 4 + 1.
    let more = replay(&|result| *result.messages.get_mut("candidate").expect("there were some") += 1);
    assert_eq!(more.as_deref(), Some("the recorded run came out differently: candidate was 9 and is 8"));
    let gone = replay(&|result| result.violated.push("nobody is late".to_string()));
    assert_eq!(gone.as_deref(), Some("the recorded violation of 'nobody is late' does not happen any more"));
    let kept = replay(&|result| result.violated.truncate(1));
    assert!(kept.is_some_and(|kept| kept.contains("the verdict was violated")));
}

/// A run that was stopped is replayed up to where it was.
#[test]
fn a_stopped_run_replays_to_where_it_was_stopped() {
    // Under Vitányi's reading, messages arrive, and are counted, at instants without steps.
    let runs = [("chang-roberts", 60), ("vitanyi", 5)];
    for ((name, n), budget) in runs.into_iter().flat_map(|run| [1, 2, 3, 7, 100, 1000].map(|budget| (run, budget))) {
        let setup = ringleader::find(name).expect("it is there").set_up(ringleader::processors(n), &[]);
        let setup = setup.expect("the scenario suits the protocol");
        let mut execution = Execution::new(&setup, Choices::Drawn).expect("it runs");
        execution.run.record();
        let ended = execution.advance(budget);
        let summary = execution.run.summary();
        let mut trace = TraceFile::new(&setup, execution.run.as_ref(), &summary);
        trace.position = (!ended).then(|| execution.run.position());
        let trace = TraceFile::parse(&trace.to_text().expect("it was recorded now")).expect("it is read");
        let (_, _, again) = trace.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
        assert_eq!(again, summary, "{name} stopped after {budget}");
    }
}
