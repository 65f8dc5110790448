//! What is displayed of a scenario can be read, and means the same.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::prelude::*;
use proptest::sample::select;
use ringleader_model::{
    Assumptions, AtMost, BadText, Clocks, Cut, Delays, Faults, Intervention, Interventions, Links, MessageAction,
    Numbering, Offsets, Orientation, Pause, Ports, Preset, Range, Reading, Restart, RingChange, RingChanges, Scenario,
    Share, Ties, Topology, WakeSet, Wakes, integer, integers,
};

fn ring_changes() -> impl Strategy<Value = RingChanges> {
    let change = prop_oneof![
        any::<(u64, u64)>().prop_map(|(name, place)| RingChange::Join { name, place }),
        any::<u64>().prop_map(RingChange::Leave),
        any::<u64>().prop_map(RingChange::Drop),
    ];
    proptest::collection::vec(change, 1..4).prop_map(RingChanges)
}

fn read_back<T: FromStr<Err = BadText> + Display + PartialEq + Debug>(value: &T) -> Result<(), TestCaseError> {
    let text = value.to_string();
    let read: Result<T, _> = text.parse();
    prop_assert_eq!(read.as_ref(), Ok(value), "{}", &text);
    // Spaces around a value and after its commas are no part of it.
    let spaced = format!(" {} ", text.replace(',', ", "));
    let read: Result<T, _> = spaced.parse();
    prop_assert_eq!(read.as_ref(), Ok(value), "{}", spaced);
    Ok(())
}

fn list() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(any::<u64>(), 1..9)
}

fn wakes() -> impl Strategy<Value = Wakes> {
    let times = prop::collection::vec(any::<Option<u64>>(), 1..9);
    prop_oneof![Just(Wakes::All), times.prop_map(Wakes::At)]
}

fn wake_set() -> impl Strategy<Value = WakeSet> {
    let named = select(vec![WakeSet::All, WakeSet::One]);
    prop_oneof![named, list().prop_map(WakeSet::Places), any::<u64>().prop_map(WakeSet::Random)]
}

fn orientation() -> impl Strategy<Value = Orientation> {
    let digits = prop::collection::vec(any::<bool>(), 1..9).prop_map(Orientation::Exchanged);
    prop_oneof![select(vec![Orientation::Same, Orientation::Random]), digits]
}

fn share() -> impl Strategy<Value = Share> {
    (any::<u32>(), 1..u32::MAX).prop_map(|(part, whole)| Share { part: part % whole, whole })
}

fn faults() -> impl Strategy<Value = Faults> {
    let places = || prop::collection::vec(any::<(u32, u64)>(), 0..4);
    let pause = any::<(u32, u64, u64)>().prop_map(|(place, from, length)| Pause { place, from, length });
    let cut = any::<((u32, u32), u64, u64)>().prop_map(|(ends, from, to)| Cut { ends, from, to });
    let restart = any::<(u32, u64, Option<u64>)>().prop_map(|(place, time, offset)| Restart { place, time, offset });
    let restarts = prop::collection::vec(restart, 0..4);
    let spans = (prop::collection::vec(pause, 0..3), prop::collection::vec(cut, 0..3));
    let at_most = any::<[u32; 6]>().prop_map(|[crashes, losses, duplicates, restarts, cuts, pauses]| AtMost {
        crashes,
        losses,
        duplicates,
        restarts,
        cuts,
        pauses,
    });
    let shares = (prop::option::of(share()), prop::option::of(share()));
    ((places(), restarts), spans, shares, any::<Option<u64>>(), at_most).prop_map(
        |((crashes, restarts), (pauses, cuts), (loss, duplicate), until, at_most)| Faults {
            crashes,
            restarts,
            pauses,
            cuts,
            loss,
            duplicate,
            until,
            at_most,
        },
    )
}

fn interventions() -> impl Strategy<Value = Interventions> {
    let action = prop_oneof![
        Just(MessageAction::Drop),
        any::<u64>().prop_map(MessageAction::Delay),
        any::<u64>().prop_map(MessageAction::Until),
        Just(MessageAction::Duplicate),
    ];
    let intervention = (any::<u64>(), action).prop_map(|(message, action)| Intervention { message, action });
    prop::collection::vec(intervention, 0..5).prop_map(Interventions)
}

fn port_lists() -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(any::<u32>(), 1..4), 2..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn display_and_parse_are_inverse(
        range in any::<(u64, u64)>().prop_map(|(min, max)| Range::new(min, max)),
        clocks in prop_oneof![select(&Clocks::NAMED[..]), list().prop_map(Clocks::List)],
        delays in prop_oneof![select(&Delays::NAMED[..]), list().prop_map(Delays::List)],
        offsets in prop_oneof![select(&Offsets::NAMED[..]), list().prop_map(Offsets::List)],
        words in (select(&Links::ALL[..]), select(&Reading::ALL[..]), select(&Ties::ALL[..]),
                  select(&Preset::ALL[..]), select(&Topology::ALL[..])),
        wakes in wakes(),
        wake_set in wake_set(),
        orientation in orientation(),
        ports in prop_oneof![
            Just(Ports::Plain), any::<u64>().prop_map(Ports::Shuffled), port_lists().prop_map(Ports::Listed),
            Just(Ports::All),
        ],
        numbering in prop_oneof![
            Just(Numbering::Plain), any::<Option<u64>>().prop_map(Numbering::Shuffled),
            port_lists().prop_map(Numbering::Listed), Just(Numbering::All),
        ],
        faults in faults(),
        interventions in interventions(),
        changes in ring_changes(),
    ) {
        let written = serde_json::to_string(&interventions.0).expect("it can be written");
        let read: Option<Vec<Intervention>> = serde_json::from_str(&written).ok();
        prop_assert_eq!(read.as_ref(), Some(&interventions.0), "{}", &written);
        read_back(&interventions)?;
        read_back(&changes)?;
        read_back(&range)?;
        read_back(&clocks)?;
        read_back(&delays)?;
        read_back(&offsets)?;
        let (links, reading, ties, preset, topology) = words;
        read_back(&links)?;
        read_back(&reading)?;
        read_back(&ties)?;
        read_back(&preset)?;
        read_back(&topology)?;
        read_back(&wakes)?;
        read_back(&wake_set)?;
        read_back(&orientation)?;
        read_back(&ports)?;
        read_back(&numbering)?;
        read_back(&faults)?;
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "[ 0-9a-z_,.:@/+-]{0,20}") {
        let _ = (text.parse::<Range>(), text.parse::<Clocks>(), text.parse::<Delays>(), text.parse::<Offsets>());
        let _ = (text.parse::<Wakes>(), text.parse::<WakeSet>(), text.parse::<Faults>(), text.parse::<Ports>());
        let _ = (text.parse::<RingChanges>(), text.parse::<Interventions>());
        let _ = (text.parse::<Orientation>(), text.parse::<Numbering>(), integer(&text, 0, 9));
    }
}

#[test]
fn faults_are_written_as_people_write_them() {
    let faults: Faults = "crash:1@3, restart:1@9, pause:0@4+1e3, cut:2-0@5..7".parse().expect("they are faults");
    assert_eq!((faults.crashes, faults.restarts), (vec![(1, 3)], vec![Restart { place: 1, time: 9, offset: None }]));
    assert_eq!(faults.pauses, [Pause { place: 0, from: 4, length: 1000 }]);
    assert_eq!(faults.cuts, [Cut { ends: (2, 0), from: 5, to: 7 }]);
    let counted: Faults = "restart:2,cut:1,pause:3".parse().expect("they are faults");
    assert_eq!(counted.at_most, AtMost { restarts: 2, cuts: 1, pauses: 3, ..AtMost::default() });
    let offset: Faults = "restart:1@9+2".parse().expect("they are faults");
    assert_eq!(offset.restarts, [Restart { place: 1, time: 9, offset: Some(2) }]);
    // As traces without offsets have it.
    let json = |faults: &Faults| serde_json::to_string(&faults.restarts).expect("it can be written");
    assert_eq!(
        (json(&"restart:1@9".parse().expect("it is one")), json(&offset)),
        ("[[1,9]]".into(), "[[1,9,2]]".into())
    );
    assert_eq!(
        serde_json::from_str::<Vec<Restart>>("[[1,9],[1,9,2]]").expect("they are restarts")[1],
        offset.restarts[0]
    );
    let wrong = [
        ("pause:1@4", "PLACE@TIME+LENGTH"),
        ("pause:4+7@1", "PLACE@TIME"),
        ("cut:1@4..7", "PLACE-PLACE@TIME..TIME"),
        ("cut:1-2@4", "PLACE-PLACE@TIME..TIME"),
        ("cut:1-2@4+7", "PLACE-PLACE@TIME..TIME"),
        ("restart:1@", "integers from 0 to 4611686018427387904"),
        ("cut:0", "cut:PLACE-PLACE@TIME..TIME; in a check and without clocks cut:K with K from 1 to 4294967295"),
        ("cut:1-2", "cut:PLACE-PLACE@TIME..TIME; in a check and without clocks cut:K with K from 1 to 4294967295"),
        ("pause:1/2", "pause:PLACE@TIME+LENGTH; in a check and without clocks pause:K with K from 1 to 4294967295"),
        (
            "restart:one",
            "restart:PLACE@TIME[+OFFSET]; in a check and without clocks restart:K with K from 1 to 4294967295",
        ),
        ("loss:1@2", "loss:P/Q; in a check and without clocks loss:K with K from 1 to 4294967295"),
    ];
    for (text, allowed) in wrong {
        assert_eq!(text.parse::<Faults>().expect_err(text).allowed, allowed, "{text}");
    }
    for twice in ["restart:1,restart:2", "stop:1", "pause"] {
        assert!(twice.parse::<Faults>().expect_err(twice).allowed.contains("restart:K, pause:K"), "{twice}");
    }
}

/// Faults among places and links that do not exist, or in an order in which they cannot happen, are refused.
#[test]
fn impossible_faults_are_refused() {
    let ring = Assumptions { topology: Topology::Ring, identities: false, ..Assumptions::RING };
    let complete = Assumptions { topology: Topology::Complete, ..ring };
    let refused = |faults: &str, assumptions: &Assumptions| {
        let faults = faults.parse().expect("they are faults");
        let bad = Scenario { n: 4, faults, ..Scenario::default() }.check(assumptions).err()?;
        assert_eq!(bad.field, "faults");
        Some(bad.wrong)
    };
    for possible in
        ["cut:0-1@3..4", "cut:3-0@3..4", "cut:0-3@0..9", "restart:3@0", "pause:0@0+1", "crash:1@3,restart:1@2"]
    {
        assert_eq!(refused(possible, &ring), None, "{possible}");
    }
    assert_eq!(refused("cut:0-2@3..4", &complete), None);
    let wrong = [
        ("cut:0-2@3..4", "cuts 0-2 on a ring of 4"),
        ("cut:1-1@3..4", "cuts 1-1 on a ring of 4"),
        ("cut:3-4@3..4", "names place 4"),
        ("cut:0-1@4..4", "cuts 0-1 from 4 to 4"),
        ("cut:0-1@4..3", "cuts 0-1 from 4 to 3"),
        ("restart:4@1", "names place 4"),
        ("restart:1@5e18", "has the time 5000000000000000000"),
        ("pause:9@1+1", "names place 9"),
        ("pause:1@1+0", "has a pause of length 0"),
        ("restart:1", "say how many, in a run with clocks"),
    ];
    for (faults, why) in wrong {
        assert_eq!(refused(faults, &ring).as_deref(), Some(why), "{faults}");
    }
    assert_eq!(refused("cut:1-1@3..4", &complete).as_deref(), Some("cuts 1-1 on a complete network of 4"));
}

#[test]
fn integers_are_written_as_people_write_them() {
    for (text, number) in [("1000", 1000), ("1_000", 1000), ("1e6", 1_000_000), ("12E3", 12_000), (" 7 ", 7)] {
        assert_eq!(integer(text, 0, 9).ok(), Some(number), "{text}");
    }
    for wrong in ["", "_", "1_", "_1", "1__0", "+1", "-1", "1e", "e6", "1e20", "1.5", "0x1", "1 000", "0e99"] {
        let bad = integer(wrong, 3, 9).expect_err(wrong);
        assert_eq!((bad.wrong, bad.allowed.as_str()), (format!("has '{wrong}'"), "integers from 3 to 9"));
    }
    assert_eq!(integers("3, 1, 4, 2", 0, 9), Ok(vec![3, 1, 4, 2]));
}
