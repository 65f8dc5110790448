//! Going back: the same moment has the same state, however it was reached.

use super::LabPage;

/// With clocks and without, coins, a lock, cells, half-duplex links, faults.
const LINES: [&str; 7] = [
    "run vitanyi -n 6 --r 2..5 --d 4..12 --seed 3",
    "run peterson -n 5 --timing untimed --seed 2",
    "run itai-rodeh -n 6 --seed 29",
    "run spirakis-tampakas-mutex -n 3 --entries 2 --seed 4",
    "run lamport-readers-writers -n 3 --entries 2 --seed 1",
    "run van-leeuwen-tan -n 6 --links half --set duplex=half --seed 5",
    "run chang-roberts -n 6 --faults crash:3@2 --seed 1",
];

#[test]
fn as_many_steps_back_as_forward_lead_to_the_same_digest() {
    let Some(mut page) = LabPage::start() else { return };
    for line in LINES {
        page.open(line);
        let whole = page.js("lab.ahead.moves").as_u64().expect("it is a count");
        let steps = whole.min(40);
        let beginning = page.digest();
        let forward: Vec<String> = (0..steps)
            .map(|_| {
                page.js("lab.step('move', 1)");
                page.digest()
            })
            .collect();
        let mut back: Vec<String> = (1..steps)
            .map(|_| {
                page.js("lab.step('move', -1)");
                page.digest()
            })
            .collect();
        page.js("lab.step('move', -1)");
        assert_eq!(page.digest(), beginning, "{line}");
        back.reverse();
        assert_eq!(back, forward[..forward.len() - 1], "{line}");
        page.js(&format!("lab.go({{ move: {steps} }})"));
        assert_eq!(page.digest(), forward[forward.len() - 1], "{line}: at once");
        // Most moves change something that the future depends on.
        let changes = forward.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(2 * changes > forward.len(), "{line}: {changes} of {steps} steps changed the digest");
        page.js("lab.go('end')");
        assert_eq!(page.digest(), page.text("lab.ahead.digest"), "{line}");
        page.js("lab.go('start')");
        assert_eq!(page.digest(), beginning, "{line}: from the end");
    }
    page.assert_clean();
}
