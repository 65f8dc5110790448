//! Checks of complete networks explore all numberings of ports, say so, and show the numbering of a counterexample.

use ringleader::check::{CheckOptions, CheckReport, CheckSetup, PortCoverage, Total, survey};
use ringleader::model::{BadSetting, Numbering, PortUse, Ports, Topology};
use ringleader::{Catalogue, Options, Setup, catalogue, find};

fn set_up(protocol: &str, options: Options) -> Result<CheckSetup, BadSetting> {
    let entry = find(protocol).expect("it is in the catalogue");
    CheckSetup::new(entry, &CheckOptions { options, ..CheckOptions::default() })
}

fn report(check: &CheckSetup) -> CheckReport {
    let survey = survey(check, &()).expect("it can be explored");
    CheckReport::new(check, &survey, &Total::new(check, &survey), None, String::new())
}

fn of(n: u64, ports: Option<Numbering>, set: &[(&str, &str)]) -> Options {
    let set = set.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    Options { n: Some(n), ports, set, ..Options::default() }
}

/// A run under one numbering sends no more than the worst case of all, which is more than that of the plain one.
#[test]
fn the_worst_case_of_all_numberings_is_that_of_a_run() {
    let check = set_up("afek-gafni-sync", of(4, None, &[])).expect("it can be checked");
    assert_eq!((check.instances.len(), &check.scenario.ports), (1, &Ports::All));
    let all = report(&check);
    assert_eq!(all.scenario.ports.as_deref(), Some("all"));
    assert_eq!(all.most_messages.numberings, Some(PortCoverage::All));
    let shuffled = Options { seed: Some(8), ..of(4, Some(Numbering::Shuffled(None)), &[]) };
    let run = Setup::new(find("afek-gafni-sync").expect("it is there"), shuffled).expect("it runs");
    let sent = run.run().expect("it runs").cost.messages();
    let plain = report(&set_up("afek-gafni-sync", of(4, Some(Numbering::Plain), &[])).expect("it can be checked"));
    assert_eq!(plain.most_messages.numberings, Some(PortCoverage::One));
    let [most, fewer] = [all, plain].map(|report| report.most_messages.passes.expect("it is bounded"));
    assert!(fewer < sent && sent <= most, "{fewer} < {sent} <= {most}");
}

/// Each is replayed when it is recorded; what is recorded has one numbering.
#[test]
fn counterexamples_have_a_numbering_and_replay() {
    for (protocol, n, set) in [
        ("afek-gafni-sync", 3, ("printed", "own")),
        ("afek-gafni-sync", 3, ("printed", "zero")),
        ("afek-gafni-sync", 4, ("printed", "slide-4")),
        ("afek-gafni-async", 3, ("rules", "printed")),
    ] {
        let check = set_up(protocol, of(n, None, &[set])).expect("it can be checked");
        let survey = survey(&check, &()).expect("it can be explored");
        let (_, found) = Total::new(&check, &survey).shortest.expect("it is violated");
        let trace = found.run.as_ref().unwrap_or_else(|error| panic!("{protocol} {set:?}: {error}"));
        let setup = trace.setup(&Catalogue::default()).expect("it is a run");
        assert_eq!(Some(&setup.scenario.ports), found.ports.as_ref());
        assert!(matches!(setup.scenario.ports, Ports::Listed(_)), "{:?}", setup.scenario.ports);
        let report = CheckReport::new(&check, &survey, &Total::new(&check, &survey), None, String::new());
        let ports = report.counterexample.expect("there is one").ports.expect("it has a numbering");
        assert_eq!(ports.parse(), Ok(setup.scenario.ports.clone()));
    }
}

#[test]
fn every_protocol_on_a_complete_network_says_how_it_uses_ports() {
    for entry in catalogue() {
        let assumptions = entry.description().assumptions;
        let said = entry.about().assumptions.into_iter().find(|text| text.starts_with("ports: "));
        assert_eq!(said.is_some(), assumptions.topology != Topology::Ring, "{}", entry.name());
        if assumptions.topology != Topology::Complete {
            continue;
        }
        let check = set_up(entry.name(), Options { n: Some(3), ..Options::default() }).expect("it can be checked");
        let (ports, coverage) = match assumptions.port_use {
            PortUse::Numbered => (Ports::All, PortCoverage::All),
            PortUse::Alike(_) => (Ports::Plain, PortCoverage::Alike),
            PortUse::Given(_) => (Ports::Plain, PortCoverage::Given),
        };
        assert_eq!((&check.scenario.ports, check.family.numberings), (&ports, Some(coverage)), "{}", entry.name());
    }
}

#[test]
fn numberings_are_refused_where_there_are_none() {
    let all = || of(3, Some(Numbering::All), &[]);
    for protocol in ["chang-roberts", "franklin", "lamport-readers-writers"] {
        let refused = set_up(protocol, all()).map(|_| ()).expect_err("it has none");
        assert_eq!(refused.field, "ports", "{protocol}");
    }
    assert!(set_up("all-to-all", all()).is_ok_and(|check| check.family.numberings == Some(PortCoverage::All)));
    let run = Setup::new(find("all-to-all").expect("it is there"), all()).map(|_| ());
    assert_eq!(run.expect_err("a run has one numbering").field, "ports");
    let short = Numbering::Listed(vec![vec![1], vec![0]]);
    let run = Setup::new(find("all-to-all").expect("it is there"), of(3, Some(short), &[])).map(|_| ());
    assert_eq!(run.expect_err("three processors have two ports each").field, "ports");
}
