use super::*;
use crate::election::Did;
use crate::mutual_exclusion::spirakis_tampakas::Exclusive;
use crate::readers_writers::spirakis_tampakas::{Role, Shared};

const ENTERED: EntryReport = EntryReport::Entered { negatives: Some(1) };

fn rules<S>(crash: Crash, printed: Printed) -> Lock<S> {
    let (numbers, predict, sharing) = (Numbers::Unbounded, None, PhantomData);
    Lock {
        links: 2,
        numbers,
        printed,
        c: 2,
        proved_c: 2,
        queue: 1,
        window: 4,
        delay: 3,
        predict,
        crash,
        readers: 3,
        sharing,
    }
}

fn request<S: Sharing>(osn: u64, id: u64, role: S::Role) -> Ask<S> {
    Ask::Request { osn, id: Id::new(id), role }
}

fn receive<S: Sharing>(site: &mut Site<S>, rules: &Lock<S>, port: u32, message: Ask<S>) -> Did<Site<S>> {
    Did::step(site, rules, Event::Receive(Port(port), message))
}

/// Site 5 of three, which has asked with the number 1.
fn asking<S: Sharing>(rules: &Lock<S>) -> Site<S> {
    let mut site = Site::new(rules, Seat { id: Some(Id::new(5)), role: 0, ports: 2 });
    Did::step(&mut site, rules, Event::Call(EntryRequest::Acquire));
    let did = Did::step(&mut site, rules, Event::Timeout(Timer::Sleep));
    assert_eq!(did.sent, [0, 1].map(|port| (port, request(1, 5, site.role))));
    site
}

/// The same, refused by port 0, its window closed.
fn refused(rules: &Lock<Exclusive>) -> Site<Exclusive> {
    let mut site = asking(rules);
    receive(&mut site, rules, 0, Ask::Negative { osn: rules.tag(1), probe: None });
    assert!(Did::step(&mut site, rules, Event::Timeout(Timer::Window)).reported.is_empty());
    site
}

#[test]
fn a_positive_reply_may_overtake_its_negative_one() {
    let rules = rules::<Exclusive>(Crash::None, Printed::default());
    let mut site = asking(&rules);
    receive(&mut site, &rules, 0, Ask::Positive { osn: Some(1) });
    receive(&mut site, &rules, 0, Ask::Negative { osn: Some(1), probe: None });
    assert_eq!(Did::step(&mut site, &rules, Event::Timeout(Timer::Window)).reported, [ENTERED]);
}

#[test]
fn replies_to_former_requests_do_not_count_but_as_printed_they_do() {
    let repaired = rules(Crash::None, Printed::default());
    let mut site = refused(&repaired);
    assert!(receive(&mut site, &repaired, 1, Ask::Positive { osn: Some(0) }).reported.is_empty());
    assert_eq!(receive(&mut site, &repaired, 0, Ask::Positive { osn: Some(1) }).reported, [ENTERED]);

    let printed = rules(Crash::None, Printed { replies: true, ..Printed::default() });
    let mut site = refused(&printed);
    assert_eq!(receive(&mut site, &printed, 1, Ask::Positive { osn: None }).reported, [ENTERED]);
}

#[test]
fn a_probe_is_answered_as_long_as_a_positive_reply_is_pending_for_that_request() {
    let rules = rules::<Exclusive>(Crash::Probe, Printed::default());
    let mut site = asking(&rules);
    let probe = |osn| Ask::Probe { osn, probe: 7 };
    assert!(receive(&mut site, &rules, 1, probe(1)).sent.is_empty(), "no reply is pending");
    // Equal numbers: the smaller identity goes first, here this one.
    let no = Ask::Negative { osn: Some(1), probe: None };
    assert_eq!(receive(&mut site, &rules, 1, request(1, 9, ())).sent, [(1, no)]);
    assert!(receive(&mut site, &rules, 0, request(1, 3, ())).sent.is_empty());
    let still = Ask::Negative { osn: Some(1), probe: Some(7) };
    assert_eq!(receive(&mut site, &rules, 1, probe(1)).sent, [(1, still)]);
    assert!(receive(&mut site, &rules, 1, probe(2)).sent.is_empty(), "of another request");
    Did::step(&mut site, &rules, Event::Timeout(Timer::Window));
    let left = Did::step(&mut site, &rules, Event::Call(EntryRequest::Release));
    assert_eq!(left.sent, [(1, Ask::Positive { osn: Some(1) })]);
    assert!(receive(&mut site, &rules, 1, probe(1)).sent.is_empty(), "no reply is pending any more");
}

#[test]
fn a_site_that_is_silent_to_a_probe_consents_and_one_that_answers_does_not() {
    let rules = rules(Crash::Probe, Printed::default());
    let mut site = refused(&rules);
    let ask = |site: &mut _| Did::step(site, &rules, Event::Timeout(Timer::Probe)).sent;
    let answers = |site: &mut _| Did::step(site, &rules, Event::Timeout(Timer::Answers)).reported;
    assert_eq!(ask(&mut site), [(0, Ask::Probe { osn: 1, probe: 1 })]);
    receive(&mut site, &rules, 0, Ask::Negative { osn: Some(1), probe: Some(1) });
    assert_eq!(answers(&mut site), []);
    assert_eq!(ask(&mut site), [(0, Ask::Probe { osn: 1, probe: 2 })]);
    // A late reply to the first says nothing about the second.
    receive(&mut site, &rules, 0, Ask::Negative { osn: Some(1), probe: Some(1) });
    assert_eq!(answers(&mut site), [ENTERED]);
}

#[test]
fn a_reader_refuses_a_writer_and_no_reader() {
    let rules = rules::<Shared>(Crash::None, Printed::default());
    let mut site = asking(&rules);
    assert!(receive(&mut site, &rules, 0, request(8, 9, Role::Reader)).sent.is_empty());
    assert_eq!(site.hsn, 8, "but it takes note of the number");
    assert_eq!(receive(&mut site, &rules, 1, request(8, 9, Role::Writer)).sent.len(), 1);
}

#[test]
fn one_by_one_c_grows_with_the_number_of_sites() {
    // At one end of two sites at most 3 messages wait, at both 4.
    assert_eq!([1, 2, 3, 4].map(|n| needed_for_one_by_one(n, Crash::None)), [(2, 1), (4, 3), (10, 6), (16, 9)]);
    assert_eq!(needed_for_one_by_one(3, Crash::Probe), (20, 10));
    assert_eq!([c(PROVED, 16), c("3", 16)].map(Result::ok), [Some(16), Some(3)]);
}
