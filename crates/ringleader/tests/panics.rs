//! Mistakes in a protocol of one's own: a step that panics is a violated property, with a schedule that leads to it.

use ringleader::checker::{Effort, NO_PANIC};
use ringleader::prelude::*;
use ringleader::sim::Verdict;
use ringleader::{Catalogue, Setup};

/// Whoever wakes tells its neighbour; with a mistake, which shows where a processor is told before it wakes.
#[derive(Clone)]
struct Mistaken {
    mistake: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Told {
    by: Id,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Sleeper {
    id: Id,
    awake: bool,
}

impl Protocol for Mistaken {
    type Processor = Sleeper;
    type Network = Ring;
    const DESCRIPTION: Description = Description {
        name: "mistaken",
        rules: &["On waking: tell.", "On being told: nothing."],
        parameters: &[Parameter {
            name: "mistake",
            values: Values::Choice(&["assertion", "port", "rule"]),
            default: "assertion",
            doc: "which",
        }],
        ..Description::NEW
    };
    fn configure(settings: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { mistake: settings.get("mistake").to_string() })
    }
    fn processor(&self, seat: Seat) -> Sleeper {
        Sleeper { id: seat.identity(), awake: false }
    }
}

impl Inspect for Sleeper {}
impl Processor for Sleeper {
    type Problem = Election;
    type Message = Told;
    type Timer = NoTimer;
    type Rules = Mistaken;
    fn step(&mut self, rules: &Mistaken, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => {
                self.awake = true;
                fx.send(Port(0), Told { by: self.id });
            }
            Event::Receive(_, Told { by }) if !self.awake => match rules.mistake.as_str() {
                "assertion" => panic!("told by {by} too early"),
                "port" => fx.send(Port(1), Told { by }),
                _ => fx.rule(15),
            },
            _ => {}
        }
    }
}

static MISTAKEN: Of<Mistaken> = Of::NEW;

fn set_up(mistake: &str, wake: Option<&str>) -> Setup {
    let entry: &'static dyn Entry = &MISTAKEN;
    let mut options = ring([1, 2, 3]);
    options.wake = wake.map(|wake| wake.parse().expect("it is a set of places"));
    entry.set_up(options, &[("mistake", mistake)]).expect("the scenario suits the protocol")
}

/// What is wrong, without the line of the source that it shows in.
fn words(detail: &str) -> &str {
    detail.split(" (").next().unwrap_or_default()
}

const MISTAKES: [(&str, &str); 3] = [
    ("assertion", "told by 1 too early"),
    ("port", "it sends on port 1; a processor of this network has port 0 only"),
    ("rule", "it applies rule 15; the description has rules 1 to 2"),
];

#[test]
fn a_check_shows_the_shortest_schedule_to_a_step_that_panics() {
    for (mistake, message) in MISTAKES {
        let answer = set_up(mistake, None).check(&Effort::default()).expect("it is explored");
        let judgement = answer.judgements.iter().find(|judgement| judgement.property.name() == NO_PANIC);
        let detail = &judgement.expect("a step panics").detail;
        assert_eq!(words(detail), format!("place 1 receives told by 1: {message}"));
        let found = answer.counterexample.expect("there is a schedule");
        // 1 wakes, 2 is told.
        assert_eq!((found.property.name(), found.steps), (NO_PANIC, 2));
        let trace = found.run.expect("the simulator shows it, too");
        let mut steps = 0;
        let (_, mut execution, summary) =
            trace.replay(&Catalogue::with(&[&MISTAKEN]), &(), |run| run.log()).expect("it replays");
        steps += execution.run.take_log().len();
        assert_eq!((steps, summary.verdict), (2, Verdict::Violated));
        assert_eq!(summary.violations[0].property, NO_PANIC);
    }
}

#[test]
fn a_run_ends_where_a_step_panics() {
    for (mistake, message) in &MISTAKES[..2] {
        let woken = set_up(mistake, None).run().expect("it runs");
        assert_eq!(woken.violations[0].property, "termination", "nobody is told too early");
        let run = set_up(mistake, Some("0")).run().expect("it runs");
        assert_eq!((run.verdict, run.violations.len()), (Verdict::Violated, 1));
        assert_eq!(words(&run.violations[0].detail), format!("place 1 at 1: {message}"));
        assert!(run.violations[0].detail.contains(".rs:"), "{run:?}");
    }
}
