//! The table of exit codes.

use crate::common::{Workplace, words};

const HELD: i32 = 0;
const VIOLATED: i32 = 1;
const INCONCLUSIVE: i32 = 3;

/// Ctrl-C and SIGTERM are in `signals`, memory that runs out in `limits`, bad input and files in the tests of `errors`.
#[test]
fn every_command_ends_with_the_code_of_the_table() {
    let place = Workplace::new();
    for (line, code) in [
        // All held.
        ("run lelann -n 4", HELD),
        ("run chang-roberts", HELD),
        ("run vitanyi --ids 3,1,4,2", HELD),
        ("run lelann -n 4 --trace held.json", HELD),
        ("replay held.json", HELD),
        ("export held.json --html held.html", HELD),
        ("export run lelann -n 3 --html -", HELD),
        ("check lelann -n 3", HELD),
        ("check itai-rodeh -n 2 --probability=1", HELD),
        ("check chang-roberts -n 3 --anonymous", HELD),
        ("check token -n 2 --set election=chang-roberts", HELD),
        ("worst transfer -n 3", HELD),
        ("exact chang-roberts -n 2..5", HELD),
        ("exact van-leeuwen-tan -n 3 --wakes all --orientations all --histogram", HELD),
        ("worst chang-roberts -n 6", HELD),
        ("worst chang-roberts -n 9 --search local --budget 2000 --trace worst.json --picture worst.svg", HELD),
        ("replay worst.json", HELD),
        ("list", HELD),
        ("info vitanyi", HELD),
        ("cite", HELD),
        ("cite chang", HELD),
        ("cite --all", HELD),
        ("doctor", HELD),
        ("schema", HELD),
        ("schema check", HELD),
        ("completions bash", HELD),
        ("man", HELD),
        ("--help", HELD),
        ("run --help", HELD),
        ("--version", HELD),
        ("bench -n 1000", HELD),
        ("reproduce --table attempts --runs 10 --entries 5", HELD),
        ("sweep lelann -n 3,4 --runs 2", HELD),
        ("sweep lelann -n 3,4 --runs 2 --data data", HELD),
        ("sweep --resume data", HELD),
        ("compare lelann peterson -n 4 --runs 2", HELD),
        ("schema sweep", HELD),
        ("schema scenario", HELD),
        // A property was violated, or a bound or claim exceeded.
        ("run vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed --trace bad.json", VIOLATED),
        ("run vitanyi --ids 7,10,5", VIOLATED),
        ("replay bad.json", VIOLATED),
        ("replay bad.json --shrink", VIOLATED),
        ("check peterson-alternating -n 3 --faults duplicate:1 --save lasso.json", VIOLATED),
        ("replay lasso.json --shrink", VIOLATED),
        ("replay lasso.shrunk.json", VIOLATED),
        ("check peterson -n 3 --links any", VIOLATED),
        ("check itai-rodeh -n 3 --anonymous", VIOLATED),
        ("check peterson -n 20 --links any --simulate 1000 --save random.json", VIOLATED),
        ("replay random.json", VIOLATED),
        ("reproduce --table lemma-1 --runs 10 --entries 5", VIOLATED),
        // A ring of one elects nobody as printed.
        ("exact van-leeuwen-tan -n 1,2 --set printed=one", VIOLATED),
        ("sweep vitanyi --ids 7,10,5 --runs 1", VIOLATED),
        ("sweep vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed --runs 1", VIOLATED),
        // Inconclusive.
        ("run vitanyi --ids 70,90,80", INCONCLUSIVE),
        ("sweep vitanyi --ids 70,90,80 --runs 1", INCONCLUSIVE),
        ("check lelann -n 5 --max-states 100", INCONCLUSIVE),
        ("check lelann -n 50 --simulate 10", INCONCLUSIVE),
        ("check lelann --ids 1,2,3,4,5,6,7,8,9,10 --max-memory 1M", INCONCLUSIVE),
        ("check lelann --ids 1,2,3,4,5,6,7,8,9,10 --timeout 0", INCONCLUSIVE),
    ] {
        let ended = place.call(&words(line));
        assert_eq!((ended.code, ended.stderr.as_str()), (code, ""), "ringleader {line}");
        assert!(!ended.stdout.is_empty(), "ringleader {line}");
    }
}
