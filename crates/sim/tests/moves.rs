//! Runs that are looked into: what a move is, what is seen after it, and that nothing of it changes a run.
//!
//! Expected moves are worked out by hand from what a move is and from the section "Timing" of the design.

use crate::common::Do::{Follow, Lead, Send, Set};
use crate::common::*;
use crate::interventions::{intervened, with};
use ringleader_model::{Faults, Links, Pause, Place, ProcessorState, Reading, Scenario, Time};
use ringleader_sim::{
    Cause, Choices, ClockView, Full, InspectableRun, MessageStage, MessageView, ProcessorStatus, Run, Simulation, Step,
};

fn begin<S: Shape>(scenario: &Scenario, rules: RuleTable<S>) -> Simulation<RuleTable<S>, Full> {
    let mut run = Simulation::new(rules, scenario, Choices::Drawn).expect("the scenario makes sense");
    run.log();
    run
}

/// What a step was, in a word.
fn word(step: &Step) -> String {
    match &step.cause {
        Cause::Wake => "wakes".to_string(),
        Cause::Receive { content, .. } => content.text.clone(),
        Cause::Timeout { timer } => format!("timer {timer}"),
        Cause::Loss { content, .. } => format!("{} lost", content.text),
        Cause::Crash => "crashes".to_string(),
        Cause::Pause { until } => format!("pauses until {until}"),
        other => unreachable!("no test has {other:?}"),
    }
}

/// Makes a move: when and where it was, and its steps.
fn move_on(run: &mut dyn InspectableRun) -> Option<(Time, Place, String)> {
    run.advance_move().then(|| {
        let steps: Vec<_> = run.take_log().iter().map(word).collect();
        let position = run.run_position();
        (position.time, position.place, steps.join(", "))
    })
}

fn assert_moves(run: &mut dyn InspectableRun, expected: &[(Time, Place, &str)]) {
    for (time, place, steps) in expected {
        assert_eq!(move_on(run), Some((*time, *place, (*steps).to_string())));
    }
}

fn stages(run: &dyn InspectableRun) -> Vec<(u64, Option<Time>, MessageStage)> {
    let stage = |message: MessageView| (message.number.0, message.arrives, message.stage);
    run.in_flight().into_iter().map(stage).collect()
}

#[test]
fn a_step_that_reads_and_sees_a_timer_expire_is_one_move() {
    // Ticks of 5, delays of 1. Place 0 sends two words, which place 1 reads at its tick at 5, when its timer expires. Place 2
    // wakes between, and then sends one that is read at 10.
    let rules = table::<OnRing>(&[
        (0, On::Wake, &[Send(0, 1), Send(0, 2)]),
        (1, On::Wake, &[Set('a', 1), Set('z', NEVER)]),
        (1, On::Timeout('a'), &[Send(0, 3)]),
        (2, On::Wake, &[Set('z', NEVER)]),
    ]);
    let scenario = waking(scenario(3, 5, 1, Reading::PerStep), &[(0, 0), (1, 0), (2, 3)]);
    let mut run = begin(&scenario, rules);
    assert_moves(&mut run, &[(0, 0, "wakes"), (0, 1, "wakes")]);
    assert_eq!(stages(&run), [(1, Some(1), MessageStage::Travelling), (2, Some(1), MessageStage::Travelling)]);
    assert_moves(&mut run, &[(3, 2, "wakes")]);
    assert_eq!(stages(&run), [(1, None, MessageStage::Queued), (2, None, MessageStage::Queued)]);
    let view = InspectableRun::processor(&run, 1);
    assert_eq!(
        view.inbox.iter().map(|message| message.content.text.as_str()).collect::<Vec<_>>(),
        ["word 1", "word 2"]
    );
    assert_eq!(view.clock, Some(ClockView { tick: Some(5), first: 0, next: Some(5) }));
    let timers: Vec<_> = view.timers.iter().map(|timer| (timer.timer.as_str(), timer.expires)).collect();
    assert_eq!(timers, [("a", Some(5)), ("z", None)]);
    assert_eq!((view.timers[0].note.as_str(), view.timers[1].note.as_str()), ("at 5", "never"));
    assert_eq!(view.fields[..2], [("id".to_string(), "2".to_string()), ("told".to_string(), "no".to_string())]);
    assert_moves(&mut run, &[(5, 1, "word 1, word 2, timer a")]);
    assert_eq!(stages(&run), [(3, Some(6), MessageStage::Travelling)]);
    assert_moves(&mut run, &[(8, 2, "word 3")]);
    let position = run.run_position();
    assert_eq!((position.moves, position.messages_sent, position.deliveries), (5, 3, 3));
    assert_eq!(move_on(&mut run), None);
    assert_eq!((run.run_position().moves, run.in_flight()), (5, vec![]));
}

#[test]
fn on_arrival_each_message_is_a_move() {
    // Two words arrive together at place 1: by each port one, in the order of ports.
    let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 1)]), (2, On::Wake, &[Send(LEFT, 2)])]);
    let mut run = begin(&scenario(3, 1, 4, Reading::Immediate), rules);
    let wakes = [(0, 0, "wakes"), (0, 1, "wakes"), (0, 2, "wakes")];
    assert_moves(&mut run, &wakes);
    assert_moves(&mut run, &[(4, 1, "word 1"), (4, 1, "word 2")]);
    assert_eq!(move_on(&mut run), None);
}

#[test]
fn a_fault_is_a_move_and_what_fails_is_shown() {
    // Delays of 4. Place 1 crashes at 2, so that its word is lost silently at 4; place 2 pauses at 3 until 9 and gets its own then.
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (1, On::Wake, &[Send(0, 2)])]);
    let pauses = vec![Pause { place: 2, from: 3, length: 6 }];
    let faults = Faults { crashes: vec![(1, 2)], pauses, ..Faults::default() };
    let mut run = begin(&Scenario { faults, ..scenario(3, 1, 4, Reading::Immediate) }, rules);
    assert_moves(&mut run, &[(0, 0, "wakes"), (0, 1, "wakes"), (0, 2, "wakes")]);
    assert_moves(&mut run, &[(2, 1, "crashes"), (3, 2, "pauses until 9")]);
    let mut statuses = Vec::new();
    run.statuses(&mut statuses);
    let failing: Vec<_> = statuses.iter().map(|(status, _)| (status.crashed, status.paused)).collect();
    assert_eq!(failing, [(false, false), (true, false), (false, true)]);
    assert_moves(&mut run, &[(9, 2, "word 2")]);
    assert_eq!(move_on(&mut run), None);
}

#[test]
fn what_fails_at_the_beginning_is_a_move_of_its_own() {
    let faults = Faults { crashes: vec![(1, 0), (2, 0)], ..Faults::default() };
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)])]);
    let mut run = begin(&Scenario { faults, ..scenario(3, 1, 4, Reading::Immediate) }, rules);
    assert_moves(&mut run, &[(0, 1, "crashes"), (0, 2, "crashes"), (0, 0, "wakes")]);
    assert_eq!(move_on(&mut run), None);
}

#[test]
fn many_events_at_one_instant_are_as_many_slices() {
    let scenario = scenario(70_000, 1, 1, Reading::Immediate);
    let [mut advanced, mut moved] =
        [(); 2].map(|()| begin(&scenario, table::<OnRing>(&[(EVERYWHERE, On::Wake, &[Follow(0)])])));
    while !advanced.advance(1) {}
    while moved.advance_move() {}
    assert_eq!((moved.run_position().moves, moved.position()), (70_000, advanced.position()));
    assert!(advanced.position() > 1, "there is more than one slice");
}

#[test]
fn a_message_for_a_processor_that_pauses_is_held() {
    let rules =
        table::<OnRing>(&[(0, On::Wake, &[Send(0, 1)]), (0, On::Timeout('a'), &[]), (0, On::Wake, &[Set('a', 5)])]);
    let faults = Faults { pauses: vec![Pause { place: 1, from: 1, length: 8 }], ..Faults::default() };
    let mut run = begin(&Scenario { faults, ..scenario(2, 1, 4, Reading::Immediate) }, rules);
    assert_moves(&mut run, &[(0, 0, "wakes"), (0, 1, "wakes"), (1, 1, "pauses until 9"), (5, 0, "timer a")]);
    assert_eq!(stages(&run), [(1, None, MessageStage::Held)]);
    assert_eq!(InspectableRun::processor(&run, 1).inbox, run.in_flight());
    assert_moves(&mut run, &[(9, 1, "word 1")]);
}

#[test]
fn a_message_waits_for_its_half_duplex_link() {
    // Both ends send at 0: the second one waits until the first has arrived, at 3.
    let rules = table::<OnBidirectional>(&[(0, On::Wake, &[Send(RIGHT, 1)]), (1, On::Wake, &[Send(LEFT, 2)])]);
    let mut run = begin(&Scenario { links: Links::Half, ..scenario(3, 1, 3, Reading::Immediate) }, rules);
    assert_moves(&mut run, &[(0, 0, "wakes"), (0, 1, "wakes"), (0, 2, "wakes")]);
    assert_eq!(stages(&run), [(1, Some(3), MessageStage::Travelling), (2, None, MessageStage::WaitingForLink)]);
    assert_moves(&mut run, &[(3, 1, "word 1")]);
    assert_eq!(stages(&run), [(2, Some(6), MessageStage::Travelling)]);
    assert_moves(&mut run, &[(6, 0, "word 2")]);
}

#[test]
fn without_clocks_each_action_is_a_move_and_any_enabled_one_can_be_taken() {
    let rules = || {
        table::<OnRing>(&[
            (0, On::Wake, &[Send(0, 1), Send(0, 2)]),
            (1, On::Wake, &[Set('a', 7)]),
            (1, On::Receive(2), &[Lead]),
            (0, On::Wake, &[Follow(1)]),
        ])
    };
    let scenario = Scenario { untimed: true, ..scenario(2, 1, 1, Reading::Immediate) };
    let mut run = begin(&scenario, rules());
    let texts = |run: &dyn InspectableRun| -> Vec<_> {
        run.enabled()
            .into_iter()
            .map(|action| (action.kind, action.message.map(|number| number.0), action.text))
            .collect()
    };
    let wakes = |place| ("wake", None, format!("place {place} wakes"));
    let receives = |word| ("receive", Some(word), format!("place 1 receives word {word} from place 0"));
    assert_eq!(texts(&run), [wakes(0), wakes(1)]);
    assert!(run.take_enabled(0) && !run.take_enabled(2), "there are two again");
    assert_eq!(texts(&run), [wakes(1), receives(1)]);
    assert_eq!(stages(&run), [(1, None, MessageStage::Travelling), (2, None, MessageStage::Behind)]);
    assert!(run.take_enabled(0));
    let timeout = ("timeout", None, "timer a of place 1 expires".to_string());
    assert_eq!(texts(&run), [receives(1), timeout.clone()]);
    assert_eq!(InspectableRun::processor(&run, 1).timers[0].note, "at any time");
    assert!(run.take_enabled(0));
    assert_eq!(texts(&run), [timeout, receives(2)]);
    let before = run.fork();
    assert!(run.take_enabled(1));
    let state = |run: &dyn InspectableRun| -> Vec<_> {
        let mut statuses = Vec::new();
        run.statuses(&mut statuses);
        statuses.into_iter().map(|(ProcessorStatus { state, .. }, _)| state).collect()
    };
    assert_eq!(state(&run), [ProcessorState::Decided, ProcessorState::Leader]);
    assert_eq!(state(before.as_ref()), [ProcessorState::Decided, ProcessorState::Active], "a fork is not concerned");
    assert_eq!((run.run_position().leaders, before.run_position().leaders), (1, 0));
    let taken: Vec<_> = run.take_log().iter().map(|step| (step.time, step.place, word(step))).collect();
    let expected = [(1, 0, "wakes"), (2, 1, "wakes"), (3, 1, "word 1"), (4, 1, "word 2")];
    assert_eq!(taken, expected.map(|(time, place, what)| (time, place, what.to_string())));
}

/// Moves and forks of any run of a chatter: the same run, and the same states.
fn looking_changes_nothing<S: Shape>(scenario: &Scenario, seed: u64) {
    let begin = || chatter::<S, Full>(scenario, Chatter::new(scenario));
    let (mut advanced, mut moved) = (begin(), begin());
    advanced.record();
    moved.record();
    to_the_end(&mut advanced);
    let mut digests = vec![moved.state_digest()];
    while moved.advance_move() {
        digests.push(moved.state_digest());
    }
    assert_eq!(moved.summary(), advanced.summary(), "seed {seed}");
    assert_eq!((moved.choices(), moved.position()), (advanced.choices(), advanced.position()), "seed {seed}");
    let half = digests.len() / 2;
    let mut run = begin();
    (0..half).for_each(|_| assert!(run.advance_move()));
    let mut fork = run.fork();
    for expected in &digests[half..] {
        assert_eq!((run.state_digest(), fork.state_digest()), (*expected, *expected), "seed {seed}");
        assert_eq!(run.advance_move(), fork.advance_move());
    }
}

/// Any scenario with interventions, without clocks where it has no faults.
fn any_intervened_scenario<S: Shape>(seed: u64) -> Scenario {
    let scenario = any_scenario::<S>(seed);
    let untimed = seed.is_multiple_of(2) && scenario.faults.is_empty();
    intervened(Scenario { untimed, ..scenario })
}

#[test]
fn without_clocks_a_message_that_an_intervention_holds_is_shown_as_held() {
    let scenario = Scenario { untimed: true, ..scenario(2, 1, 1, Reading::Immediate) };
    let rules = table::<OnRing>(&[(0, On::Wake, &[Send(0, 1), Send(0, 2)]), (1, On::Wake, &[Set('a', 7)])]);
    let mut run = begin(&with("1:until:9", scenario), rules);
    assert!(run.take_enabled(0));
    assert_eq!(stages(&run), [(1, None, MessageStage::Held), (2, None, MessageStage::Behind)]);
    assert_eq!(run.enabled().len(), 1, "place 1 wakes");
    assert!(run.take_enabled(0) && run.take_enabled(0), "it wakes, and its timer expires");
    assert_eq!(stages(&run)[0], (1, None, MessageStage::Travelling), "nothing else is enabled");
}

#[test]
fn looking_into_a_run_on_a_ring_changes_nothing() {
    for seed in 0..150 {
        looking_changes_nothing::<OnRing>(&any_scenario::<OnRing>(seed), seed);
        looking_changes_nothing::<OnRing>(&any_changing_scenario::<OnRing>(seed), seed);
        looking_changes_nothing::<OnRing>(&any_intervened_scenario::<OnRing>(seed), seed);
    }
}

#[test]
fn looking_into_a_run_on_a_bidirectional_ring_changes_nothing() {
    for seed in 0..150 {
        looking_changes_nothing::<OnBidirectional>(&any_scenario::<OnBidirectional>(seed), seed);
        looking_changes_nothing::<OnBidirectional>(&any_changing_scenario::<OnBidirectional>(seed), seed);
        looking_changes_nothing::<OnBidirectional>(&any_intervened_scenario::<OnBidirectional>(seed), seed);
    }
}

#[test]
fn looking_into_a_run_on_a_complete_network_changes_nothing() {
    for seed in 0..150 {
        looking_changes_nothing::<OnComplete>(&any_scenario::<OnComplete>(seed), seed);
        looking_changes_nothing::<OnComplete>(&any_changing_scenario::<OnComplete>(seed), seed);
        looking_changes_nothing::<OnComplete>(&any_intervened_scenario::<OnComplete>(seed), seed);
    }
}
