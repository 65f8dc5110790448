use crate::{Reading, Ties};

/// A stage of one instant. The simulator and the model checker both match on the stages in the order that
/// [`order`](Self::order) gives: it is written nowhere else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InstantStage {
    /// Faults, wakes and requests that the scenario fixes for this instant: once, before the first pass. They come in the order
    /// of crashes, ends of cuts, cuts, restarts, pauses, ends of pauses, wakes and requests, each by place.
    Planned,
    /// Messages that arrive at this instant, by receiving place, port and order on the link.
    Arrivals,
    /// Ticks of this instant: each processor reads, then its expired timers fire.
    Ticks,
    /// Messages that arrive at this instant at a receiver that ticks at it, after the tick: only where ties are open.
    LateArrivals,
    /// Timers of 0 ticks.
    ZeroTimers,
}

impl InstantStage {
    /// The order inside one instant.
    ///
    /// [`Planned`](Self::Planned) comes once; the rest is a pass, repeated as long as anything is left at the instant:
    /// a message sent with delay 0 arrives in the following pass. Under per-step reading arrivals come before ticks, so
    /// that a step reads everything that has arrived; under the other readings after them, so that a message arriving
    /// exactly at a tick is read at the next one. Where ties are open, a message comes before its receiver's tick or
    /// after it.
    ///
    /// ```
    /// use ringleader_model::{InstantStage::*, Reading, Ties, InstantStage};
    ///
    /// let order = InstantStage::order(Reading::PerTick, Ties::Ruled);
    /// assert_eq!(order, [Planned, Ticks, Arrivals, ZeroTimers]);
    /// ```
    pub const fn order(reading: Reading, ties: Ties) -> &'static [Self] {
        match (reading, ties) {
            (_, Ties::Either) => &[Self::Planned, Self::Arrivals, Self::Ticks, Self::LateArrivals, Self::ZeroTimers],
            (Reading::PerStep, Ties::Ruled) => &[Self::Planned, Self::Arrivals, Self::Ticks, Self::ZeroTimers],
            (Reading::Immediate | Reading::PerTick | Reading::BitSerial, Ties::Ruled) => {
                &[Self::Planned, Self::Ticks, Self::Arrivals, Self::ZeroTimers]
            }
        }
    }

    /// The stages that every pass repeats.
    pub const fn pass(reading: Reading, ties: Ties) -> &'static [Self] {
        match Self::order(reading, ties) {
            [Self::Planned, pass @ ..] => pass,
            pass => pass,
        }
    }
}
