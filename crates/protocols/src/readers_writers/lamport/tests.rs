use super::*;
use crate::election::Did;
use ringleader_model::DataRequest;

/// Two sites and six cells, without waits.
const RULES: Lamport = Lamport {
    digits: 2,
    base: 2,
    words: 2,
    write_v1: true,
    write_v2: false,
    read_v2: true,
    read_v1: false,
    waits: None,
    access: 1,
    pauses: [0, 0],
    prompt: true,
    readers: 1,
    overlaps_as_printed: false,
    first_cell: 2,
};

fn at(place: Place) -> LamportProcessor {
    RULES.processor(Seat { id: None, role: RULES.role(place), ports: 7 })
}

/// The messages and reports of a site from its request on, where cells answer with these values.
fn asked(site: &mut LamportProcessor, values: &[Access]) -> (Vec<(u32, Access)>, Vec<DataReport>) {
    let Did { mut sent, mut reported, .. } = Did::step(site, &RULES, Event::Call(DataRequest::Access));
    for value in values {
        let port = Port(sent.last().expect("it asks on").0);
        let did = Did::step(site, &RULES, Event::Receive(port, *value));
        sent.extend(did.sent);
        reported.extend(did.reported);
    }
    (sent, reported)
}

#[test]
fn a_processor_takes_24_bytes_and_a_message_16() {
    assert_eq!(size_of::<LamportProcessor>(), 24);
    assert_eq!(size_of::<Access>(), 16);
}

#[test]
fn a_write_goes_through_v1_from_above_and_through_v2_from_below() {
    let mut writer = at(1);
    asked(&mut writer, &[Access::Done; 6]);
    // The second write: version 10. Cells are behind ports 1 to 6: V1 low and high, two words, V2 low and high.
    let (sent, reported) = asked(&mut writer, &[Access::Done; 6]);
    let expected = [(2, 1), (1, 0), (3, 2), (4, 2), (5, 0), (6, 1)];
    assert_eq!(sent, expected.map(|(port, value)| (port, Access::Write(value))));
    assert_eq!(reported, [DataReport::Requested, DataReport::Writes(2), DataReport::Written(2)]);
    // After the fourth, version 0 again.
    asked(&mut writer, &[Access::Done; 6]);
    let (sent, _) = asked(&mut writer, &[Access::Done; 6]);
    assert_eq!(sent[..3], [(2, Access::Write(0)), (1, Access::Write(0)), (3, Access::Write(4))]);
}

#[test]
fn a_reader_reads_in_reverse_order_and_begins_again_unless_the_versions_agree() {
    let mut reader = at(0);
    // V2 is 10, then 01 is read of V1: again.
    let (sent, reported) = asked(&mut reader, &[1, 0, 7, 7, 1, 0].map(Access::Value));
    assert_eq!(sent, [6, 5, 3, 4, 1, 2, 6].map(|port| (port, Access::Read)));
    // Modulo 4, V1 = 1 is three writes after V2 = 2.
    let more = DataReport::Overlapped { several: true };
    assert_eq!(reported, [DataReport::Requested, DataReport::Attempts, more, DataReport::Attempts]);
    let mut reader = at(0);
    let (_, reported) = asked(&mut reader, &[1, 0, 7, 8, 0, 1].map(Access::Value));
    assert_eq!(reported[2..], [DataReport::Returns { write: 7, torn: true }]);
}

#[test]
fn an_answer_that_comes_twice_is_no_answer() {
    let mut reader = at(0);
    asked(&mut reader, &[Access::Value(1)]);
    let before = reader.clone();
    for (port, message) in [(6, Access::Value(0)), (5, Access::Done), (5, Access::Read), (5, Access::Write(1))] {
        let did = Did::step(&mut reader, &RULES, Event::Receive(Port(port), message));
        assert!(did.sent.is_empty() && did.reported.is_empty() && did.timers == 0);
    }
    assert_eq!(reader, before);
}
