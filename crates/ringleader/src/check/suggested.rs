//! Checks to try: each is decided in seconds, and together they find every bug of the list in `tests/planted`.

use crate::options::CommandLine;

/// The words after `ringleader check`.
const SUGGESTED: &[&str] = &[
    "lelann -n 4",
    "chang-roberts -n 2 --faults loss:1 --retransmit 3",
    "chang-roberts -n 2 --faults cut:1 --retransmit 3",
    "chang-roberts -n 4",
    "peterson -n 4",
    "peterson-alternating -n 4",
    "dolev-klawe-rodeh -n 4 --set variant=b",
    "dolev-klawe-rodeh -n 4",
    "vitanyi -n 3",
    "vitanyi -n 3 --again 0@0",
    "vitanyi --timed --ids 1,30 --r 1 --d 0 --reading bit-serial",
    "vitanyi -n 3 --then ring-size",
    "vitanyi -n 3 --then ring-sort",
    "vitanyi -n 3 --values 2,1,2 --then ring-sort",
    "vitanyi -n 3 --then broadcast",
    "vitanyi -n 3 --then transfer",
    "vitanyi -n 3 --values 1,0,2 --then token",
    "time-slice -n 4",
    "frederickson-lynch -n 4",
    "itai-rodeh -n 3",
    "itai-rodeh -n 3 --links any",
    "itai-rodeh -n 3 --probability",
    "itai-rodeh-sync -n 4",
    "itai-rodeh-sync -n 4 --probability",
    "hirschberg-sinclair -n 3",
    "franklin -n 3",
    "franklin --ids 3,1,4,2 --orientation same",
    "van-leeuwen-tan -n 3",
    "van-leeuwen-tan -n 3 --set duplex=half",
    "van-leeuwen-tan -n 3 --set duplex=half --set leader=finder",
    "van-leeuwen-tan --ids 1,3,2,4 --orientation same --links half-phase --set duplex=half",
    "van-leeuwen-tan --ids 3,1,4,2 --orientation same",
    "van-leeuwen-tan --ids 4,3,2,1 --orientation same",
    "van-leeuwen-tan --ids 5,3,2,4,1 --orientation same",
    "van-leeuwen-tan --ids 5,3,2,4,1 --orientation same --set larger=take",
    "all-to-all -n 3",
    "afek-gafni-sync -n 3",
    "afek-gafni-sync -n 3 --set levels=off",
    "afek-gafni-sync -n 4",
    "afek-gafni-async -n 2",
    "afek-gafni-async -n 3",
    "afek-gafni-async -n 4 --ports plain",
    "spirakis-tampakas-symmetry -n 2 --r 1 --d 1..2 --set k=1",
    "spirakis-tampakas-symmetry -n 2 --r 1 --d 1 --set k=1 --probability",
    "ricart-agrawala -n 2 --faults loss:1 --retransmit 3",
    "ricart-agrawala -n 2 --faults duplicate:1 --retransmit 3 --entries 3 --compete 1",
    "ricart-agrawala -n 2 --entries 2",
    "ricart-agrawala -n 2 --entries 3",
    "ricart-agrawala -n 3",
    "ricart-agrawala -n 3 --readers 2 --writers 1",
    "spirakis-tampakas-mutex -n 2 --r 1 --d 1..2 --set c1=1",
    "spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 2",
    "spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 3 --set c1=1",
    "spirakis-tampakas-mutex -n 2 --r 1 --d 1 --reading per-tick --entries 2 --set c1=0",
    "spirakis-tampakas-readers-writers -n 2 --r 1 --d 1..2 --set c1=1",
    "spirakis-tampakas-readers-writers -n 3 --r 1 --d 1 --set c1=1",
    "lamport-readers-writers -n 2 --entries 1 --readers 1 --writers 1 --set digits=1 --set words=2 --set waits=none",
    "lamport-readers-writers --timed -n 2 --r 1 --d 0 --entries 2 --readers 1 --writers 1 --set digits=1 --set read-time=24 \
     --set write-time=4",
    "token-ring -n 2 --r 1 --d 2",
    "token-ring -n 2 --r 1 --d 2 --set tokens=0",
    "token-ring -n 2 --r 1 --d 2 --set tokens=2",
    "token-ring -n 2 --wake together --r 1 --d 2",
];

/// The command lines to try with a protocol, those with the fewest options first. One of one's own has none; three
/// processors are explored in seconds.
pub fn suggested_checks(protocol: &str) -> Vec<String> {
    // A leader's task is named at the end.
    let of =
        |words: &&str| words.split(' ').next() == Some(protocol) || words.ends_with(&format!(" --then {protocol}"));
    let line = |words: &str| CommandLine::new(&format!("check {words}")).into_text();
    let mut known: Vec<_> = SUGGESTED.iter().copied().filter(of).collect();
    known.sort_by_key(|words| words.matches(" --").count());
    if known.is_empty() { vec![line(&format!("{protocol} -n 3"))] } else { known.into_iter().map(line).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plainest_check_comes_first() {
        let first = |protocol| suggested_checks(protocol).swap_remove(0);
        assert_eq!(first("chang-roberts"), "ringleader check chang-roberts -n 4");
        assert_eq!(first("dolev-klawe-rodeh"), "ringleader check dolev-klawe-rodeh -n 4");
        assert_eq!(first("my-own"), "ringleader check my-own -n 3");
        for protocol in ["vitanyi", "van-leeuwen-tan", "token-ring", "spirakis-tampakas-symmetry"] {
            let options: Vec<_> = suggested_checks(protocol).iter().map(|line| line.matches(" --").count()).collect();
            assert!(options.is_sorted(), "{protocol}: {options:?}");
        }
    }
}
