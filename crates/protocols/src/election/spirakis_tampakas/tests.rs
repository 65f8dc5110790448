use super::super::Did;
use super::*;

const WAKE_UP: Notice = Notice::WakeUp(None);
const CLAIM: Notice = Notice::Claim(None);

const PRINTED: Printed =
    Printed { next_time: true, claims: true, stages: true, termination: true, wait: true, early: true };

/// Appendix A as printed, and repaired.
fn both() -> [(Printed, bool); 2] {
    [(PRINTED, true), (Printed::default(), false)]
}

fn rules(form: Form) -> SpirakisTampakas {
    let [stage, patience, quiet] = [8, 16, 8].map(Ticks::new);
    SpirakisTampakas { n: 4, k: 2, form, printed: Printed::default(), stage, patience, quiet, draws: vec![] }
}

fn fifo(printed: Printed) -> SpirakisTampakas {
    SpirakisTampakas { printed, ..rules(Form::Fifo) }
}

/// The messages that a processor sends on an event.
fn sent(
    processor: &mut SpirakisTampakasProcessor,
    rules: &SpirakisTampakas,
    event: Event<SpirakisTampakasProcessor>,
) -> Vec<Notice> {
    Did::step(processor, rules, event).sent.into_iter().map(|(_, notice)| notice).collect()
}

/// A processor that drew 1, awake.
fn awake(rules: &SpirakisTampakas) -> SpirakisTampakasProcessor {
    let mut processor = rules.processor(Seat { id: None, role: ONE, ports: 1 });
    assert_eq!(sent(&mut processor, rules, Event::Wake), [Notice::WakeUp(rules.tag(1))]);
    processor
}

/// A candidate in a stage of its choice.
fn candidate(rules: &SpirakisTampakas, period: Period, buffer: bool) -> SpirakisTampakasProcessor {
    let mut processor = awake(rules);
    assert_eq!(sent(&mut processor, rules, Event::Timeout(Timer::Clock)), [Notice::Claim(rules.tag(1))]);
    (processor.period, processor.buffer) = (period, buffer);
    processor
}

#[test]
fn a_processor_takes_16_bytes_and_a_message_2() {
    assert_eq!((size_of::<SpirakisTampakasProcessor>(), size_of::<Notice>()), (16, 2));
}

#[test]
fn a_message_has_two_bits_and_those_of_its_phase() {
    let tagged = [0, 1, 2].map(|phase| Notice::Claim(Some(Modulo3::of(phase))).bits());
    assert_eq!((CLAIM.bits(), tagged, Notice::Termination.bits()), (2, [3, 3, 4], 2));
}

#[test]
fn rule_2_4_an_early_number_1_forwards_the_claim_as_printed_only() {
    let claimed =
        |rules: SpirakisTampakas| sent(&mut awake(&rules), &rules, Event::Receive(NEXT, Notice::Claim(rules.tag(1))));
    assert_eq!(claimed(fifo(PRINTED)), [CLAIM, Notice::NextTime, WAKE_UP]);
    assert_eq!(claimed(rules(Form::Fifo)), [Notice::NextTime, WAKE_UP]);
    assert_eq!(claimed(rules(Form::Tagged)), [Notice::WakeUp(Some(Modulo3::Two))]);
}

#[test]
fn rule_3_2_a_next_timer_relays_its_own_next_time_as_printed_only() {
    for (printed, as_printed) in both() {
        let (rules, passed) = (fifo(printed), if as_printed { vec![Notice::NextTime] } else { vec![] });
        let mut originator = awake(&rules);
        sent(&mut originator, &rules, Event::Receive(NEXT, CLAIM));
        assert_eq!(sent(&mut originator, &rules, Event::Receive(NEXT, Notice::NextTime)), passed);
        assert_eq!(sent(&mut originator, &rules, Event::Receive(NEXT, Notice::NextTime)), []);
        let mut notified = awake(&rules);
        assert_eq!(sent(&mut notified, &rules, Event::Receive(NEXT, Notice::NextTime)), [Notice::NextTime, WAKE_UP]);
        assert_eq!(sent(&mut notified, &rules, Event::Receive(NEXT, Notice::NextTime)), [], "it had one");
        assert_eq!(sent(&mut notified, &rules, Event::Receive(NEXT, WAKE_UP)), [WAKE_UP], "3.1");
    }
}

#[test]
fn rules_4_4_to_4_6_say_when_a_claim_is_one_too_many() {
    let again = [Notice::NextTime, WAKE_UP];
    for (printed, as_printed) in both() {
        let (rules, claim) = (fifo(printed), || Event::Receive(NEXT, CLAIM));
        assert_eq!(sent(&mut candidate(&rules, Period::Holding, true), &rules, claim()), again, "4.4");
        let mut forwarding = candidate(&rules, Period::Forwarding, false);
        assert_eq!(sent(&mut forwarding, &rules, claim()), []);
        assert_eq!(sent(&mut forwarding, &rules, claim()), again, "4.5");
        // As the paper does not say.
        let repaired = if as_printed { &[] } else { &again[..] };
        assert_eq!(sent(&mut candidate(&rules, Period::Forwarding, true), &rules, claim()), repaired, "4.6");
        assert_eq!(sent(&mut candidate(&rules, Period::Last, false), &rules, claim()), repaired, "4.8");
        let mut empty = candidate(&rules, Period::Forwarding, false);
        assert_eq!(sent(&mut empty, &rules, Event::Timeout(Timer::Clock)), repaired, "4.6");
    }
}

#[test]
fn termination_defeats_the_undecided_and_as_printed_the_awake_only() {
    for (printed, as_printed) in both() {
        let rules = fifo(printed);
        let mut next_timer = awake(&rules);
        sent(&mut next_timer, &rules, Event::Receive(NEXT, Notice::NextTime));
        for (mut processor, always) in
            [(awake(&rules), true), (next_timer, false), (candidate(&rules, Period::Holding, true), false)]
        {
            let did = Did::step(&mut processor, &rules, Event::Receive(NEXT, Notice::Termination));
            let defeated = always || !as_printed;
            assert_eq!(did.sent.len() + did.reported.len(), if defeated { 2 } else { 0 }, "{printed:?}");
        }
    }
}

#[test]
fn tagged_messages_of_the_phase_before_are_dropped_and_a_wake_up_of_the_next_begins_it() {
    let rules = rules(Form::Tagged);
    let mut processor = candidate(&rules, Period::Holding, true);
    for old in [Notice::WakeUp(rules.tag(0)), Notice::Claim(rules.tag(0)), Notice::WakeUp(rules.tag(1))] {
        let before = processor.clone();
        assert_eq!(sent(&mut processor, &rules, Event::Receive(NEXT, old)), []);
        assert_eq!(processor, before);
    }
    let next = Notice::WakeUp(rules.tag(2));
    assert_eq!(sent(&mut processor, &rules, Event::Receive(NEXT, next)), [next]);
    assert_eq!((processor.state, processor.phases), (State::Awake, 2));
}

#[test]
fn the_probability_of_lemma_6_is_rounded_up() {
    let error = |k| SpirakisTampakas { k, ..rules(Form::Fifo) }.error();
    assert_eq!([1, 2, 10].map(error), [(3, 4), (9, 16), (59049, 1 << 20)].map(|(part, all)| Value::ratio(part, all)));
    assert_eq!([100, 1_000_000].map(error).map(Value::parts), [(0, 1); 2]);
}
