//! Open clocks, a reduction for messages that are handled on arrival and may take no time: the length and the phase of a
//! processor's ticks are chosen when it first sets a timer.
//!
//! # Theorem
//! A tick of a processor that has no timer, no unread message and no user has no effect. So until it sets a timer nobody
//! observes its clock, and every choice of tick lengths and of first ticks can be made then, instead of at the
//! beginning. The runs with open clocks have the same steps as all runs, by instant and place.
//!
//! *Proof.* Let the clock have started e units ago, with ticks of length L. Its first tick came 0 to L - 1 units after
//! the start. If it has come, the last tick was u units ago, where u is at most e and less than L, and every such u is
//! that of some first tick, at e - u modulo L; otherwise e < L - 1. These are the [phases](clock_phases), and from
//! e = L - 1 on they no longer depend on e. A clock is closed before the events of the instant in which a timer is set,
//! so that the instant is that of a closed clock. It is not opened again. ∎
//!
//! *Consequences.* As for [deferred arrivals](super::deferred): safety, invariants, the length of shortest
//! counterexamples and the most message passes are functions of the steps, and so is termination. The lasso of a
//! livelock ends when phases recur, so that it is searched for again with closed clocks. So are livelocks with random
//! choices, whose outcomes a scheduler that chooses a phase later knows.

use super::LocalActions;
use super::local::ClockState;

/// The clocks that an open one may be, with the lengths of their ticks, from `lengths.0` to `lengths.1`. `elapsed`:
/// units since its start; `None` if it is stopped.
pub(super) fn clock_phases(lengths: (u64, u64), elapsed: Option<u64>) -> Vec<(u64, ClockState)> {
    let mut phases = Vec::new();
    for length in lengths.0..=lengths.1 {
        let Some(elapsed) = elapsed else {
            phases.push((length, ClockState::Stopped));
            continue;
        };
        phases.extend((0..=elapsed.min(length - 1)).map(|units| (length, ClockState::Since(units))));
        if elapsed < length - 1 {
            phases.push((length, ClockState::First(elapsed)));
        }
    }
    phases
}

/// The length of the ticks of a clock that was open at first, and the time of its first tick if there is one; `start`:
/// when it starts. A clock that stays open has the shortest ticks.
pub(super) fn settled_clock<'a>(
    actions: impl Iterator<Item = &'a LocalActions>,
    start: Option<usize>,
    shortest: u64,
) -> (u64, Option<u64>) {
    let mut settled = (shortest, start.map(|start| start as u64));
    let mut is_open = true;
    for (time, action) in (0..).zip(actions) {
        match (action.closes, start) {
            (Some((length, ClockState::Since(units))), Some(start)) => {
                let start = start as u64;
                // The clock is that of the end of the instant before.
                return (length, Some(start + (time - 1 - units - start) % length));
            }
            (Some((length, _)), _) => {
                settled = (length, None);
                is_open = false;
            }
            (None, _) => {}
        }
        if !is_open && action.ticks {
            return (settled.0, Some(time));
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes every clock that starts at an instant through `elapsed` units, by brute force.
    #[test]
    fn the_phases_are_those_of_all_first_ticks() {
        for (least, most) in [(1, 1), (1, 3), (2, 4), (5, 5)] {
            for elapsed in 0..2 * most {
                let mut expected = Vec::new();
                for length in least..=most {
                    for first in 0..length {
                        let last = (0..=elapsed).rev().find(|time| *time >= first && (time - first) % length == 0);
                        let clock = last.map_or(ClockState::First(elapsed), |last| ClockState::Since(elapsed - last));
                        if !expected.contains(&(length, clock)) {
                            expected.push((length, clock));
                        }
                    }
                }
                let found = clock_phases((least, most), Some(elapsed.min(most - 1)));
                assert_eq!(found.len(), expected.len(), "{least}..{most}, {elapsed}");
                assert!(found.iter().all(|phase| expected.contains(phase)), "{least}..{most}, {elapsed}");
            }
        }
    }
}
