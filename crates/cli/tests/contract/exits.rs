//! The table of exit codes.

use crate::common::{Workplace, words};

const HELD: i32 = 0;
const VIOLATED: i32 = 1;
const USAGE: i32 = 2;
const INCONCLUSIVE: i32 = 3;
const ENVIRONMENT: i32 = 4;

/// Ctrl-C and SIGTERM are in `signals`, memory that runs out in `limits`.
#[test]
fn every_command_ends_with_the_code_of_the_table() {
    let place = Workplace::new();
    place.write("notes.txt", "my notes");
    for (line, code) in [
        // All held.
        ("run lelann -n 4", HELD),
        ("run lelann -n 4 --trace held.json", HELD),
        ("replay held.json", HELD),
        ("check lelann -n 3", HELD),
        ("check itai-rodeh -n 2 --probability=1", HELD),
        ("list", HELD),
        ("info lelann", HELD),
        ("schema check", HELD),
        ("completions fish", HELD),
        ("man", HELD),
        ("--help", HELD),
        ("--version", HELD),
        ("bench -n 1000", HELD),
        ("table attempts --runs 10 --entries 5", HELD),
        // A property was violated, or a bound or claim exceeded.
        ("run vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed --trace bad.json", VIOLATED),
        ("run vitanyi --ids 7,10,5", VIOLATED),
        ("replay bad.json", VIOLATED),
        ("replay bad.json --shrink", VIOLATED),
        ("check peterson -n 3 --links any", VIOLATED),
        ("table lemma-1 --runs 10 --entries 5", VIOLATED),
        // Usage.
        ("run", USAGE),
        ("run nobody", USAGE),
        ("run lelann -n 0", USAGE),
        ("run lelann --trace notes.txt", USAGE),
        ("run lelann --picture a --trace a", USAGE),
        ("replay notes.txt", USAGE),
        ("replay held.json --shrink", USAGE),
        ("check lelann --timeout soon", USAGE),
        ("frobnicate", USAGE),
        // Inconclusive.
        ("run vitanyi --ids 70,90,80", INCONCLUSIVE),
        ("check lelann -n 5 --max-states 100", INCONCLUSIVE),
        ("check lelann --ids 1,2,3,4,5,6,7,8,9,10 --max-memory 1M", INCONCLUSIVE),
        ("check lelann --ids 1,2,3,4,5,6,7,8,9,10 --timeout 0", INCONCLUSIVE),
        // The environment.
        ("replay nowhere.json", ENVIRONMENT),
        ("run lelann -n 4 --trace no/where.json", ENVIRONMENT),
        ("run lelann -n 4 --picture .", ENVIRONMENT),
        ("check lelann -n 2 --save no/where.json", ENVIRONMENT),
    ] {
        let ended = place.call(&words(line));
        assert_eq!(ended.code, code, "ringleader {line}: {}", ended.stderr);
        assert_eq!(ended.stderr.contains("error:"), [USAGE, ENVIRONMENT].contains(&code), "ringleader {line}");
    }
}
