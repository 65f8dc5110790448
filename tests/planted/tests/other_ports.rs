//! Bugs that only some numberings of the ports of a complete network show: a check of all of them finds them, and one of the
//! plain numbering does not, whatever the order of the identities.

use planted::election::afek_gafni_sync::AfekGafniSync;
use planted::{Bug, MESSAGES, OTHER_PORTS, all_bugs};
use ringleader::Of;
use ringleader::check::{CheckSetup, CheckVerdict, Total, survey};
use ringleader_cli::check_of;

static AFEK_GAFNI_SYNC: Of<AfekGafniSync> = Of::NEW;

/// Whether more messages are needed than is proved, in schedules that violate nothing.
fn is_exceeded(bug: &Bug, ports: &str) -> bool {
    assert_eq!((bug.protocol(), bug.found_by), ("afek-gafni-sync", MESSAGES));
    let command = format!("{} --ports {ports}", bug.target.command);
    let (_, options) = check_of(command.split(' ')).expect("it is a command");
    let check = CheckSetup::new(&AFEK_GAFNI_SYNC, &options).expect("it can be checked");
    let survey = survey(&check, &()).expect("it can be explored");
    let total = Total::new(&check, &survey);
    assert_eq!(total.verdict(), CheckVerdict::Holds, "{}", bug.name);
    total.is_exceeded()
}

/// One test, for what is planted is planted everywhere.
#[test]
fn a_check_of_one_numbering_overlooks_bugs_that_a_check_of_all_finds() {
    assert!(!is_exceeded(&OTHER_PORTS[0], "all"), "nothing is planted");
    for bug in OTHER_PORTS {
        planted::plant(all_bugs().position(|other| other.name == bug.name && other.target == bug.target));
        assert!(is_exceeded(bug, "all"), "{}: all numberings", bug.name);
        assert!(!is_exceeded(bug, "plain"), "{}: the plain one", bug.name);
    }
}
