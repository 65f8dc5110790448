//! A run of a table for which memory runs out is named, and the table has the others.

use std::sync::atomic::{AtomicU64, Ordering};

use ringleader::claim::{Claim, verify};
use ringleader::{Catalogue, Options, Watch, league};

/// A clock that advances by a second whenever it is read, and no memory for more than this.
struct Narrow {
    seconds: AtomicU64,
    bytes: usize,
}

impl Watch for Narrow {
    fn seconds(&self) -> f64 {
        self.seconds.fetch_add(1, Ordering::Relaxed) as f64
    }

    fn has_room(&self, bytes: usize, _: usize) -> bool {
        bytes <= self.bytes
    }
}

const fn narrow(bytes: usize) -> Narrow {
    Narrow { seconds: AtomicU64::new(0), bytes }
}

/// All-to-all sends n(n-1) messages at once; the elections on rings send about n.
#[test]
fn a_league_has_the_runs_that_fit() {
    let mut kept = 0;
    let keep = &mut |rows: &[league::LeagueRow]| kept = rows.len();
    let table = league::table(&Catalogue::default(), 200, 1, &narrow(200_000), keep).expect("the league is right");
    assert_eq!(table.out_of_memory, ["ringleader run all-to-all -n 200 --seed 1"]);
    assert_eq!(kept, table.rows.len());
    assert!(table.rows.iter().any(|row| row.protocol == "lelann"));
    assert!(table.rows.iter().all(|row| row.protocol != "all-to-all"));
}

#[test]
fn a_league_of_locks_has_the_runs_that_fit() {
    let catalogue = Catalogue::default();
    let table = league::sharing::table(&catalogue, "mutual-exclusion", 16, 1, &narrow(0), &mut |_| {});
    let table = table.expect("the league is right");
    // Few messages are sent before anybody asks how much memory there is, where few compete.
    assert!(!table.rows.is_empty() && !table.out_of_memory.is_empty());
    assert!(table.out_of_memory.iter().all(|line| line.starts_with("ringleader run ")));
}

#[test]
fn a_table_ends_where_memory_runs_out() {
    let options = Options { entries: Some(1000), n: Some(16), ..Options::default() };
    let mut kept = 0;
    let keep = &mut |_: &_| kept += 1;
    let verified = verify(Claim::Lemma1, &options, Some(10), &narrow(0), keep).expect("the claim is one");
    assert_eq!((verified.rows.len(), kept), (0, 0));
    let run = verified.out_of_memory.expect("the first run does not fit");
    assert!(
        run.starts_with("ringleader run spirakis-tampakas-mutex ") && run.contains(" --compete 1 --r 20 --seed "),
        "{run}"
    );
}
