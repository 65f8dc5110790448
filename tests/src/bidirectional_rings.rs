//! Bidirectional rings of all sorts, drawn at random.

use ringleader::model::{Clocks, Delays, Links, Offsets, Range, Reading, Scenario, Timing};

use crate::{Draw, ring};

/// A ring of `n` on which left and right, waking, clocks, delays and reading are whatever they may be.
pub fn any_ring(draw: &mut Draw, n: usize, links: Links) -> Scenario {
    let ids = draw.ids(n, n as u64 + 3);
    let timing = any_timing(draw, n);
    let latest = draw.one_of(&[0, 3, 10 * timing.d.max]);
    let orientation = match draw.below(3) {
        0 => Vec::new(),
        _ => (0..n).map(|_| draw.once_in(2)).collect(),
    };
    Scenario { wakes: draw.wakes(n, latest), links, orientation, seed: draw.below(1 << 40), ..ring(&ids, timing) }
}

/// Any timing: mostly messages that are handled on arrival, after delays that differ widely.
pub fn any_timing(draw: &mut Draw, n: usize) -> Timing {
    let longest = draw.one_of(&[1, 2, 5, 30, 1000]);
    let d = Range::new(draw.one_of(&[0, 1, longest]), longest);
    let delays = match draw.below(4) {
        0 => draw.one_of(&Delays::NAMED),
        1 => Delays::List(draw.list(n, d)),
        _ => Delays::Uniform,
    };
    let reading = match draw.below(8) {
        0 => Reading::PerTick,
        1 => Reading::PerStep,
        _ => Reading::Immediate,
    };
    Timing {
        r: Range::new(1, draw.between(1, 9)),
        d,
        reading,
        clocks: draw.one_of(&[Clocks::Fixed, Clocks::Varying, Clocks::Slowest, Clocks::Fastest]),
        delays,
        offsets: draw.one_of(&[Offsets::Zero, Offsets::Random]),
        changes: Vec::new(),
    }
}

/// A size up to `most`, each order of magnitude as likely as any other.
pub fn any_size(draw: &mut Draw, most: u64) -> usize {
    // A number of bits, then anything of that length.
    let bits = draw.between(0, u64::from(most.ilog2()));
    let least = 1 << bits;
    draw.between(least, (2 * least - 1).min(most)) as usize
}
