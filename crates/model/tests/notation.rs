//! What is displayed of a scenario can be read, and means the same.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::prelude::*;
use proptest::sample::select;
use ringleader_model::{
    AtMost, BadText, Clocks, Delays, Faults, Links, Numbering, Offsets, Orientation, Ports, Preset, Range, Reading,
    Share, Ties, Topology, WakeSet, Wakes, integer, integers,
};

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
    let crashes = prop::collection::vec(any::<(u32, u64)>(), 0..4);
    let at_most = any::<(u32, u32, u32)>();
    let shares = (prop::option::of(share()), prop::option::of(share()));
    (crashes, shares, any::<Option<u64>>(), at_most).prop_map(|(crashes, (loss, duplicate), until, counts)| {
        let (crashing, losses, duplicates) = counts;
        Faults { crashes, loss, duplicate, until, at_most: AtMost { crashes: crashing, losses, duplicates } }
    })
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
    ) {
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
    fn no_text_makes_a_parser_panic(text in "[ 0-9a-z_,.:@/-]{0,20}") {
        let _ = (text.parse::<Range>(), text.parse::<Clocks>(), text.parse::<Delays>(), text.parse::<Offsets>());
        let _ = (text.parse::<Wakes>(), text.parse::<WakeSet>(), text.parse::<Faults>(), text.parse::<Ports>());
        let _ = (text.parse::<Orientation>(), text.parse::<Numbering>(), integer(&text, 0, 9));
    }
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
