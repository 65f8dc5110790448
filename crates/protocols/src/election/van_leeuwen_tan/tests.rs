use super::super::Did;
use super::*;
use alloc::vec::Vec;

const FULL: VanLeeuwenTan = VanLeeuwenTan {
    half: false,
    takes_larger: false,
    finder: false,
    printed: Printed { pair: false, flag: false, one: false, id: false, minimum: false, heads: false },
};

fn message(v: u64, p: u16, q: bool) -> Chase {
    Chase::Message { v: Id::new(v), p, q }
}

/// The messages that a processor sends when it looks at those received by these ports.
fn look(processor: &mut VanLeeuwenTanProcessor, rules: &VanLeeuwenTan, come: &[(u32, Chase)]) -> Vec<(u32, Chase)> {
    for (port, message) in come {
        let did = Did::step(processor, rules, Event::Receive(Port(*port), *message));
        assert!(did.sent.iter().all(|(_, sent)| *sent == self::message(5, 0, false)), "all else waits for the look");
    }
    let did = Did::step(processor, rules, Event::Timeout(Timer::Look));
    assert!(did.sent.len() <= 1, "at most one message a look");
    did.sent
}

/// The processor 5 between 4 and 6: observant, in phase 0.
fn observant(rules: &VanLeeuwenTan) -> VanLeeuwenTanProcessor {
    let mut processor = rules.processor(Seat { id: Some(Id::new(5)), role: 0, ports: 2 });
    assert_eq!(look(&mut processor, rules, &[(0, message(4, 0, false)), (1, message(6, 0, false))]), []);
    processor
}

/// The same, having relayed 7 in phase 1 from port 0 to port 1.
fn relayed() -> VanLeeuwenTanProcessor {
    let mut processor = observant(&FULL);
    assert_eq!(look(&mut processor, &FULL, &[(0, message(7, 1, true))]), [(1, message(7, 1, false))]);
    processor
}

/// The same, active in phase 2 with 7, having sent it to port 0.
fn active() -> VanLeeuwenTanProcessor {
    let mut processor = relayed();
    assert_eq!(look(&mut processor, &FULL, &[(0, message(6, 1, false))]), [(0, message(7, 2, true))]);
    processor
}

#[test]
fn section_4_i_an_active_processor_discards_a_message_that_bypassed_its_own() {
    for v in [6, 7, 8] {
        assert_eq!(look(&mut active(), &FULL, &[(0, message(v, 2, false))]), []);
    }
    assert_eq!(look(&mut active(), &FULL, &[(1, message(6, 2, false))]), [(1, message(7, 3, true))], "from behind");
}

#[test]
fn section_4_ii_an_active_message_that_bypassed_a_relayed_one_collides_with_it() {
    assert_eq!(look(&mut relayed(), &FULL, &[(1, message(6, 1, true))]), [(1, message(7, 2, true))]);
    assert_eq!(look(&mut relayed(), &FULL, &[(1, message(8, 1, true))]), [(0, message(8, 2, true))]);
    assert_eq!(look(&mut relayed(), &FULL, &[(1, message(7, 1, true))]), [(1, Chase::Flag)]);
    // Neither active: "As it stands", the one with the larger name turns active.
    assert_eq!(look(&mut relayed(), &FULL, &[(1, message(6, 1, false))]), [(1, message(7, 2, true))]);
    assert_eq!(look(&mut relayed(), &FULL, &[(1, message(8, 1, false))]), []);
}

#[test]
fn two_messages_collide_only_if_their_phase_is_new() {
    let pair = |p, v| [(0, message(6, p, false)), (1, message(v, p, false))];
    assert_eq!(look(&mut active(), &FULL, &pair(3, 9)), [(0, message(9, 4, true))]);
    assert_eq!(look(&mut active(), &FULL, &pair(3, 6)), [(1, Chase::Flag)], "equal: it inaugurates");
    // In the present phase the first has bypassed, the second counts.
    assert_eq!(look(&mut active(), &FULL, &pair(2, 6)), [(1, message(7, 3, true))]);
    let printed = VanLeeuwenTan { printed: Printed { pair: true, ..FULL.printed }, ..FULL };
    assert_eq!(look(&mut active(), &printed, &pair(2, 6)), [(1, Chase::Flag)]);
}

#[test]
fn only_the_newest_of_a_port_counts_and_only_the_highest_phase() {
    let come = [(0, message(9, 2, false)), (0, message(8, 3, false)), (1, message(6, 2, false))];
    assert_eq!(look(&mut active(), &FULL, &come), [(1, message(8, 3, false))]);
    assert_eq!(look(&mut active(), &FULL, &[(1, message(9, 1, false))]), [], "of the past");
}

#[test]
fn a_flag_goes_before_all_else_and_leaves_once() {
    let mut processor = active();
    let come = [(0, message(9, 3, false)), (0, Chase::Flag)];
    assert_eq!(look(&mut processor, &FULL, &come), [(1, Chase::Flag)]);
    assert_eq!(look(&mut processor, &FULL, &[(1, Chase::Flag), (0, message(9, 4, true))]), []);
    assert_eq!(look(&mut active(), &FULL, &[(1, Chase::Flag)]), [(0, Chase::Flag)]);
    assert_eq!(look(&mut active(), &FULL, &[(0, Chase::Flag), (1, Chase::Flag)]), [(1, Chase::Flag)]);
}

#[test]
fn a_larger_name_of_the_own_phase_is_taken_where_that_is_chosen() {
    // 8 of phase 1 is stopped by 7, which then answers 7 of the same phase as its own, or as a smaller name.
    let stopped = |rules: &VanLeeuwenTan| {
        let mut processor = relayed();
        assert_eq!(look(&mut processor, rules, &[(0, message(8, 1, false))]), []);
        look(&mut processor, rules, &[(0, message(7, 1, false))])
    };
    assert_eq!(stopped(&FULL), [(1, Chase::Flag)]);
    assert_eq!(stopped(&VanLeeuwenTan { takes_larger: true, ..FULL }), [(0, message(8, 2, true))]);
}

#[test]
fn the_finder_leads_where_that_is_chosen() {
    let finder = VanLeeuwenTan { half: true, finder: true, ..FULL };
    let mut processor = observant(&finder);
    assert_eq!(look(&mut processor, &finder, &[(0, message(7, 1, true))]), [(1, message(7, 1, false))]);
    let leader = Chase::Leader(Id::new(5));
    assert_eq!(look(&mut processor, &finder, &[(0, message(7, 1, false))]), [(1, leader)], "7 is held, 5 leads");
    let mut other = observant(&finder);
    let nine = Chase::Leader(Id::new(9));
    assert_eq!(look(&mut other, &finder, &[(1, message(8, 1, true)), (1, nine)]), [(0, nine)], "relayed");
}

#[test]
fn a_local_minimum_that_comes_too_late_lets_the_message_pass() {
    let mut come = [(1, message(8, 0, false)), (0, message(6, 0, false)), (0, message(9, 1, true))];
    let half = VanLeeuwenTan { half: true, ..FULL };
    for (rules, sent) in [(half, (1, message(9, 1, false))), (FULL, (0, message(8, 1, true)))] {
        let mut processor = rules.processor(Seat { id: Some(Id::new(5)), role: 0, ports: 2 });
        assert_eq!(look(&mut processor, &rules, &come), [sent], "{rules:?}");
    }
    // A message that waits on the other link is no hindrance; it is looked at next.
    come[2].0 = 1;
    let mut processor = half.processor(Seat { id: Some(Id::new(5)), role: 0, ports: 2 });
    assert_eq!(look(&mut processor, &half, &come), [(0, message(8, 1, true))]);
    assert_eq!(look(&mut processor, &half, &[]), [], "9 is stopped: it is larger than 8");
}

#[test]
fn a_processor_takes_56_bytes_and_a_message_12() {
    assert_eq!((size_of::<VanLeeuwenTanProcessor>(), size_of::<Chase>()), (56, 12));
}

#[test]
fn phases_are_bounded_by_the_fibonacci_numbers() {
    // F = 1, 1, 2, 3, 5, 8, 13, …: F_2 = 1, F_3 = 2, F_4 = 3, F_5 = 5, F_6 = 8.
    let expected = [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (7, 4), (8, 5), (12, 5), (13, 6), (987, 15), (1000, 15)];
    for (n, p) in expected {
        assert_eq!(phases(n), p, "N = {n}");
    }
}
