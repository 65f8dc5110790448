//! Looking into runs of every protocol: moves, forks, digests of states, processors and messages as data.

use std::collections::BTreeSet;

use ringleader::model::{Outcome, ProcessorState};
use ringleader::sim::{
    Cause, Choices, InspectableRun, MessageNumber, MessageStage, ProcessorStatus, RunPosition, Step, StopReason,
};
use ringleader::{Catalogue, Execution, Setup, catalogue, find, run_line};

/// Moves of a run, at most.
const MOVES: usize = 300;

/// What every protocol is run with, where that suits it.
const VARIANTS: &[&str] = &[
    "",
    "--timing untimed",
    "--timing uniform",
    "--timing archimedean --clocks varying",
    "--timing archimedean --reading per-tick",
    "--timing archimedean --ties both",
    "--timing uniform --r 1..3@0,4..6@20 --d 0..5@0,3..9@30",
    "--links any --timing uniform",
    "--links any --timing untimed",
    "--links half",
    "--links half-phase",
    "--links half --timing untimed",
    "--links half-phase --timing untimed",
    "--faults loss:1/8,duplicate:1/8",
    "--faults crash:1@9",
    "--faults restart:1@9,pause:2@3+5,cut:0-1@10..40",
    "--timing untimed --faults loss:1,duplicate:1",
    "--timing untimed --faults crash:1",
    "--timing untimed --faults restart:1,cut:1",
    "--retransmit 200 --faults loss:1/8,until:2000",
    "--retransmit 200 --timing untimed --faults cut:1,loss:1",
    "--then ring-size",
    "--then ring-sort --timing untimed",
    "--then broadcast --links half",
    "--then transfer",
    "--then token --values 1,0,2,0 --timing untimed",
    "--users 3 --entries 2",
    "--users 3 --entries 2 --timing untimed",
    "--intervene 2:drop,4:delay:9,5:until:12,6:duplicate",
    "--timing untimed --intervene 2:drop,4:until:15,6:duplicate",
    "--again 0@40 --again 2@90",
    "--again 0@0 --again 2@40 --timing untimed",
];

/// The set-ups of every protocol, each with the line that it is made of.
fn set_ups() -> Vec<(String, Setup)> {
    let (known, mut suited) = (Catalogue::default(), BTreeSet::new());
    let mut set_ups = Vec::new();
    for entry in catalogue() {
        let before = set_ups.len();
        for variant in VARIANTS {
            let limit = if variant.contains("untimed") { "--max-steps" } else { "--max-time" };
            let line = format!("run {} -n 4 --seed 3 {limit} 3000 {variant}", entry.name());
            let (_, options) = run_line(&line, &known).unwrap_or_else(|error| panic!("{line}: {error}"));
            if let Ok(setup) = Setup::new(*entry, options) {
                suited.insert(*variant);
                set_ups.push((line, setup));
            }
        }
        assert!(set_ups.len() > before, "{} is run", entry.name());
    }
    let unsuited: Vec<_> = VARIANTS.iter().filter(|variant| !suited.contains(**variant)).collect();
    assert!(unsuited.is_empty(), "nothing can be run with {unsuited:?}");
    set_ups
}

/// A run at its very beginning that records its choices.
fn begin(setup: &Setup, choices: Choices) -> Box<dyn InspectableRun> {
    let mut run = setup.inspect(choices).expect("it is set up");
    run.record();
    run
}

/// The states of a run from here on: positions and digests.
fn states(run: &mut dyn InspectableRun, moves: usize) -> Vec<(RunPosition, u64)> {
    let mut states = vec![(run.run_position(), run.state_digest())];
    while states.len() <= moves && run.advance_move() {
        states.push((run.run_position(), run.state_digest()));
    }
    states
}

#[test]
fn driven_by_moves_a_run_is_the_same() {
    for (line, setup) in set_ups() {
        let mut execution = Execution::new(&setup, Choices::Drawn).expect("it is set up");
        // Moves are made in time order, and so is a run that is recorded.
        execution.run.record();
        while !execution.advance(7) {}
        let mut moved = begin(&setup, Choices::Drawn);
        while moved.advance_move() {}
        assert_eq!(moved.summary(), execution.run.summary(), "{line}");
        assert_eq!(moved.position(), execution.run.position(), "{line}");
        // Half of it by moves, and the rest not.
        let mut mixed = begin(&setup, Choices::Drawn);
        (0..moved.run_position().moves / 2).for_each(|_| assert!(mixed.advance_move(), "{line}"));
        while !mixed.advance(3) {}
        assert_eq!(mixed.summary(), execution.run.summary(), "{line}");
        assert_eq!(mixed.choices(), moved.choices(), "{line}");
    }
}

#[test]
fn a_fork_and_a_fresh_run_go_on_alike() {
    for (line, setup) in set_ups() {
        let expected = states(begin(&setup, Choices::Drawn).as_mut(), MOVES);
        let last = expected.len() - 1;
        for (number, (position, _)) in expected.iter().enumerate() {
            assert_eq!(position.moves, number as u64, "{line}");
        }
        let digests: BTreeSet<_> = expected.iter().map(|(_, digest)| *digest).collect();
        assert_eq!(digests.len(), expected.len(), "{line}: no state comes back, since time goes on");
        for from in [0, 1, last / 3, last / 2, last] {
            let mut run = begin(&setup, Choices::Drawn);
            (0..from).for_each(|_| assert!(run.advance_move(), "{line}"));
            let mut fork = run.fork();
            // Whoever goes on first disturbs the other one in nothing.
            assert_eq!(states(run.as_mut(), last - from), expected[from..], "{line} from move {from}");
            assert_eq!(states(fork.as_mut(), last - from), expected[from..], "{line}: a fork at move {from}");
            assert_eq!(fork.summary(), run.summary(), "{line}");
            assert_eq!(fork.choices(), run.choices(), "{line}");
        }
    }
}

/// What a log tells about the messages in flight.
#[derive(Default)]
struct Pending {
    numbers: BTreeSet<MessageNumber>,
    /// Processors went down, and what was on its way to them was lost without a word.
    down: bool,
}

impl Pending {
    fn take(&mut self, step: &Step) {
        match &step.cause {
            Cause::Receive { message, .. } | Cause::Loss { message, .. } => assert!(self.numbers.remove(message)),
            Cause::Duplicate { copy, .. } => assert!(self.numbers.insert(*copy)),
            _ => self.down |= step.cause.goes_down(),
        }
    }
}

/// Whether it happens to a message, on its way from the processor of the move.
fn happens_to_message(cause: &Cause) -> bool {
    matches!(cause, Cause::Loss { .. } | Cause::Duplicate { .. } | Cause::Delay { .. } | Cause::Hold { .. })
}

#[test]
fn what_is_in_flight_was_sent_and_not_received() {
    for (line, setup) in set_ups() {
        let mut run = begin(&setup, Choices::Drawn);
        run.log();
        let mut pending = Pending::default();
        while run.run_position().moves < MOVES as u64 && run.advance_move() {
            let steps = run.take_log();
            let position = run.run_position();
            assert!(
                !steps.is_empty() || setup.scenario.untimed && line.contains("--users"),
                "{line}: a move is logged"
            );
            let own = |step: &&Step| !happens_to_message(&step.cause);
            assert!(steps.iter().filter(own).all(|step| step.place == position.place), "{line}: of one place");
            assert!(steps.iter().all(|step| step.time == position.time), "{line}: at one time");
            // A message that is lost or duplicated when it is sent is logged behind the step that sends it.
            steps.iter().for_each(|step| pending.numbers.extend(step.sends().map(|(number, ..)| number)));
            steps.iter().for_each(|step| pending.take(step));
            let found: BTreeSet<_> = run.in_flight().iter().map(|message| message.number).collect();
            assert!(pending.numbers.is_superset(&found), "{line}: {found:?} of {:?}", pending.numbers);
            assert!(pending.down || found == pending.numbers, "{line}: {found:?} are {:?}", pending.numbers);
        }
    }
}

#[test]
fn processors_are_what_their_reports_say() {
    for (line, setup) in set_ups() {
        let mut run = begin(&setup, Choices::Drawn);
        let mut statuses = Vec::new();
        run.statuses(&mut statuses);
        let rests = |state| matches!(state, ProcessorState::Asleep | ProcessorState::Cell);
        assert!(statuses.iter().all(|(status, _)| rests(status.state)), "{line}: nothing has happened");
        while run.run_position().moves < MOVES as u64 && run.advance_move() {
            run.statuses(&mut statuses);
            assert_sane(&line, run.as_ref(), &statuses);
        }
        let summary = run.summary();
        let Outcome::Election { leaders, decided, .. } = &summary.outcome else { continue };
        let count = |state| statuses.iter().filter(|(status, _)| status.state == state).count();
        let places: BTreeSet<_> = leaders.iter().map(|leader| leader.place).collect();
        assert_eq!(count(ProcessorState::Leader), places.len(), "{line}");
        assert_eq!((count(ProcessorState::Leader) + count(ProcessorState::Decided)) as u64, *decided, "{line}");
        let stopped = summary.reason == Some(StopReason::Interrupted);
        assert!(stopped || !summary.finished || run.in_flight().is_empty(), "{line}: all have been received");
    }
}

/// Chang and Roberts on the ring 3, 1, 4, 2, worked by hand: at 1 the identities 1 and 2 are overtaken, at 2 the identity 3.
#[test]
fn who_relays_a_greater_identity_has_lost() {
    use ProcessorState::{Active, Asleep, Decided, Leader, Passive};
    let expected = [
        (0, [Active, Active, Active, Active]),
        (1, [Active, Passive, Active, Passive]),
        (2, [Passive, Passive, Active, Passive]),
        (4, [Passive, Passive, Leader, Passive]),
        (7, [Decided, Decided, Leader, Decided]),
    ];
    let states = |options| {
        let (_, options) =
            run_line(&format!("run chang-roberts --ids 3,1,4,2 {options}"), &Catalogue::default()).expect("a line");
        let setup = Setup::new(find("chang-roberts").expect("it is there"), options).expect("it suits");
        let (mut run, mut statuses) = (begin(&setup, Choices::Drawn), Vec::new());
        let mut found: Vec<(u64, [ProcessorState; 4])> = vec![(0, [Asleep; 4])];
        while run.advance_move() {
            let time = run.run_position().time;
            run.statuses(&mut statuses);
            found.retain(|(before, _)| *before != time);
            found.push((time, std::array::from_fn(|place| statuses[place].0.state)));
        }
        found.dedup_by_key(|(_, states)| *states);
        found
    };
    for options in ["", "--then transfer"] {
        let mut found = states(options);
        found.retain(|(time, _)| expected.iter().any(|(expected, _)| expected == time));
        assert_eq!(found, expected, "{options}");
    }
    // Acknowledgements hold messages up, and the rules are numbered as they are without.
    let linked = states("--retransmit 1000");
    assert!(linked.iter().any(|(_, states)| *states == expected[2].1), "{linked:?}");
    assert_eq!(linked.last().map(|(_, states)| states), Some(&expected[4].1));
}

fn assert_sane(line: &str, run: &dyn InspectableRun, statuses: &[(ProcessorStatus, u32)]) {
    let position = run.run_position();
    let is_inside =
        |state| matches!(state, ProcessorState::Critical | ProcessorState::Reading | ProcessorState::Writing);
    let inside = statuses.iter().filter(|(status, _)| is_inside(status.state)).count();
    assert_eq!(inside as u32, position.inside, "{line}");
    assert_eq!(run.violations().len() as u32, position.violations, "{line}");
    let in_flight = run.in_flight();
    assert!(in_flight.is_sorted_by_key(|message| message.number), "{line}");
    for message in &in_flight {
        assert!(message.arrives.is_none_or(|time| time >= position.time), "{line}: none is late");
    }
    let view = run.processor(position.place);
    let (status, phase) = statuses[position.place as usize];
    assert_eq!((view.place, view.status), (position.place, status), "{line}");
    assert_eq!(view.phase.unwrap_or(0), phase, "{line}");
    assert!(!view.fields.is_empty() && view.depth <= run.summary().cost.depth, "{line}");
    for timer in &view.timers {
        assert!(timer.expires.is_none_or(|time| time >= position.time), "{line}: timer {} {}", timer.timer, timer.note);
    }
    // Without clocks, what an intervention holds is on its link.
    let waits = |stage| stage == MessageStage::Queued || stage == MessageStage::Held && !line.contains("untimed");
    let unread = in_flight.iter().filter(|message| message.to == view.place && waits(message.stage));
    let unread: BTreeSet<_> = unread.map(|message| message.number).collect();
    assert_eq!(view.inbox.iter().map(|message| message.number).collect::<BTreeSet<_>>(), unread, "{line}");
    if let Some(clock) = view.clock {
        assert!(clock.next.is_none_or(|next| next >= position.time), "{line}: {clock:?}");
    }
}

#[test]
fn an_enabled_event_is_taken_as_a_recorded_choice_is() {
    let mut kinds = BTreeSet::new();
    for (line, setup) in set_ups() {
        let mut run = begin(&setup, Choices::Drawn);
        if !setup.scenario.untimed {
            assert!(run.enabled().is_empty() && !run.take_enabled(0), "{line}: clocks decide");
            continue;
        }
        for round in 0..50 {
            let enabled = run.enabled();
            kinds.extend(enabled.iter().map(|action| action.kind));
            let digest = |index| {
                let mut taken = run.fork();
                assert!(taken.take_enabled(index), "{line}");
                taken.state_digest()
            };
            let digests: BTreeSet<_> = enabled.iter().map(|action| digest(action.index)).collect();
            assert_eq!(digests.len(), enabled.len(), "{line}: different events lead to different states");
            let Some(action) = enabled.get(round * 7 % enabled.len().max(1)) else { break };
            let mut taken = run.fork();
            taken.log();
            assert!(taken.take_enabled(action.index), "{line}: {}", action.text);
            let (position, steps) = (taken.run_position(), taken.take_log());
            assert_eq!((position.moves, position.place), (round as u64 + 1, action.place), "{line}: {}", action.text);
            let is_meant = |step: &Step| match (&step.cause, action.message) {
                (Cause::Receive { message, .. } | Cause::Loss { message, .. }, Some(meant)) => *message == meant,
                (Cause::Duplicate { message, .. }, Some(meant)) => *message == meant,
                (_, meant) => meant.is_none(),
            };
            assert!(steps.first().is_none_or(is_meant), "{line}: {} is {steps:?}", action.text);
            let choices = taken.choices().expect("they are recorded").to_vec();
            let mut recorded = begin(&setup, Choices::Prefix(choices.clone()));
            (0..=round).for_each(|_| assert!(recorded.advance_move()));
            assert_eq!(recorded.choices(), Some(&*choices), "{line}: {}", action.text);
            assert_eq!(recorded.run_position(), position, "{line}: {}", action.text);
            assert_eq!(recorded.state_digest(), taken.state_digest(), "{line}: {}", action.text);
            let mut next = [taken.fork(), recorded];
            next.iter_mut().for_each(|run| _ = run.advance_move());
            assert_eq!(next[0].state_digest(), next[1].state_digest(), "{line}: what is not taken is drawn");
            run = taken;
        }
        let beyond = run.enabled().last().map_or(0, |action| action.index + 1);
        assert!(!run.take_enabled(beyond + 1_000), "{line}: there are not so many");
    }
    let all = ["call", "crash", "cut", "duplicate", "heal", "loss", "receive", "restart", "timeout", "wake"];
    assert_eq!(kinds, BTreeSet::from(all));
}
