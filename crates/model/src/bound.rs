use core::fmt;
use core::ops::Add;

use crate::Instance;

/// A proved or claimed bound on the cost of a run, as data.
///
/// ```
/// use ringleader_model::{Bound, BoundKind, Identities, Instance, Links, Ports, Quantity, Scenario, Spread, Value};
///
/// const WORST: Bound<()> = Bound {
///     quantity: Quantity::Messages,
///     kind: BoundKind::Worst,
///     formula: "N(N+1)/2",
///     value: |_, instance| Some(Value::int(u128::from(instance.n * (instance.n + 1) / 2))),
///     source: "ChangRoberts1979",
///     counts: "candidates",
/// };
///
/// let (unit, timing) = (Spread::same(1, 4), Scenario::default().timing);
/// let instance = Instance {
///     n: 4,
///     ids: Identities::listed(&[3, 1, 4, 2]),
///     together: true,
///     untimed: false,
///     first_wake: 0,
///     settled: 0,
///     undisturbed: true,
///     ticks: unit,
///     delays: unit,
///     timing: &timing,
///     workload: None,
///     links: Links::Fifo,
///     ports: &Ports::Plain,
/// };
/// let bound = (WORST.value)(&(), &instance).unwrap();
/// assert_eq!(bound, Value::int(10));
/// assert_eq!(WORST.kind.holds(Value::int(9), bound), Some(true));
/// ```
pub struct Bound<P: 'static> {
    /// The bounded quantity.
    pub quantity: Quantity,
    /// Its kind.
    pub kind: BoundKind,
    /// The formula, for people.
    pub formula: &'static str,
    /// Its value for an instance; `None` where it says nothing about it.
    pub value: fn(&P, &Instance<'_>) -> Option<Value>,
    /// The key of the source in BIBLIOGRAPHY.md, with the place in it.
    pub source: &'static str,
    /// The things that are counted, and the conditions.
    pub counts: &'static str,
}

impl<P: 'static> Bound<P> {
    /// One that no run exceeds, of a protocol that has no source.
    pub const fn worst(
        quantity: Quantity,
        formula: &'static str,
        value: fn(&P, &Instance<'_>) -> Option<Value>,
    ) -> Self {
        Self { quantity, kind: BoundKind::Worst, formula, value, source: "", counts: "" }
    }
}

/// A bound on the passes of the messages that carry one identity, in every run.
pub struct IdentityBound<P: 'static> {
    /// The formula, for people.
    pub formula: &'static str,
    /// Its value for an identity of an instance; `None` where it says nothing about it.
    pub value: fn(&P, &Instance<'_>, u64) -> Option<Value>,
    /// The key of the source in BIBLIOGRAPHY.md, with the place in it.
    pub source: &'static str,
    /// The things that are counted, and the conditions.
    pub counts: &'static str,
}

/// A bound on the passes of the messages of one phase, in every run.
pub struct PhaseBound<P: 'static> {
    /// The formula, for people.
    pub formula: &'static str,
    /// Its value for a phase of an instance; `None` where it says nothing about it.
    pub value: fn(&P, &Instance<'_>, u32) -> Option<Value>,
    /// The key of the source in BIBLIOGRAPHY.md, with the place in it.
    pub source: &'static str,
    /// The things that are counted, and the conditions.
    pub counts: &'static str,
}

/// The kind of a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundKind {
    /// No run exceeds it.
    Worst,
    /// The mean over all orders of the identities, or over all draws; one run says nothing.
    Mean,
    /// Every run has exactly this value.
    Exact,
    /// No run has less.
    Best,
}

impl BoundKind {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Worst => "worst",
            Self::Mean => "mean",
            Self::Exact => "exact",
            Self::Best => "best",
        }
    }

    /// Whether the measured value of one run satisfies the bound; `None` where one run cannot tell.
    pub fn holds(self, measured: Value, bound: Value) -> Option<bool> {
        match self {
            Self::Worst => Some(measured <= bound),
            Self::Mean => None,
            Self::Exact => Some(measured == bound),
            Self::Best => Some(measured >= bound),
        }
    }
}

/// A quantity that can be measured and bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// All message passes.
    Messages,
    /// Message passes that are not announcements.
    Work,
    /// Message passes that announce the result.
    Announcement,
    /// Message passes of a leader's task.
    Task,
    /// Message passes of one kind.
    Kind(&'static str),
    /// Bits passed.
    Bits,
    /// The engine's clock at the end.
    Time,
    /// The engine's clock at the election.
    TimeElected,
    /// The engine's clock when the last processor is awake: at its first event.
    TimeAwake,
    /// The time from the last waking to the election; 0 where the election comes first.
    Campaign,
    /// The time from the election to the end.
    AnnouncementTime,
    /// The longest causal chain of messages.
    Depth,
    /// The longest causal chain that led to the election.
    DepthElected,
    /// The highest phase.
    Phases,
    /// The longest time from the moment a phase is [called](crate::Inspect::called_phase) for until the last processor that
    /// begins it has begun it.
    PhaseSpread,
    /// By how much the passes of two kinds of messages differ.
    Difference(&'static str, &'static str),
    /// Message passes per entry.
    MessagesPerEntry,
    /// Negative replies per entry, on average.
    Negatives,
    /// The difference between the negative replies of an entry and those of the site's entry before, on average.
    PredictionError,
    /// The share of the other competing sites that have a number in use when a site draws its own.
    FoundActive,
    /// The greatest difference of two numbers in use.
    NumberSpread,
    /// The greatest number of entries of one site while another waits with its number.
    Overtaken,
    /// The same while another waits, from its request on.
    OvertakenSinceRequest,
    /// The mean time from asking to entering.
    GrantingDelay,
    /// The longest time from asking to entering.
    LongestDelay,
    /// Attempts per read, on average.
    Attempts,
    /// Turns of the ring until there was one token for good.
    Laps,
    /// 1 if more than one leader is elected, 0 otherwise. Its mean is the probability of error.
    Error,
}

impl Quantity {
    /// Whether its measured value never falls while a run goes on.
    pub const fn only_grows(self) -> bool {
        matches!(
            self,
            Self::Messages
                | Self::Work
                | Self::Announcement
                | Self::Task
                | Self::Kind(_)
                | Self::Bits
                | Self::Time
                | Self::AnnouncementTime
                | Self::Depth
                | Self::Phases
                | Self::PhaseSpread
                | Self::NumberSpread
                | Self::Overtaken
                | Self::OvertakenSinceRequest
                | Self::LongestDelay
        )
    }

    /// Whether it is a length of time, or counts something per length of time.
    pub const fn is_time(self) -> bool {
        matches!(
            self,
            Self::Time
                | Self::TimeElected
                | Self::TimeAwake
                | Self::Campaign
                | Self::AnnouncementTime
                | Self::PhaseSpread
                | Self::GrantingDelay
                | Self::LongestDelay
                | Self::Laps
        )
    }
}

/// A non-negative number with 32 binary places, rounded up, never overflowing.
///
/// Bounds are sums of fractions; rounding up keeps a worst case a worst case, off by less than one part in four
/// billion per term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Value(u128);

impl Value {
    const PLACES: u32 = 32;
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// A whole number.
    pub const fn int(value: u128) -> Self {
        if value >> (u128::BITS - Self::PLACES) == 0 { Self(value << Self::PLACES) } else { Self(u128::MAX) }
    }

    /// `numerator / denominator`, rounded up.
    pub fn ratio(numerator: u128, denominator: u128) -> Self {
        assert!(denominator > 0, "a bound does not divide by zero");
        let whole = numerator / denominator;
        let mut rest = numerator % denominator;
        if let (Ok(small), Ok(divisor)) = (u32::try_from(rest), u64::try_from(denominator)) {
            let fraction = (u64::from(small) << Self::PLACES).div_ceil(divisor);
            return Self::int(whole) + Self(u128::from(fraction));
        }
        let mut fraction = 0u128;
        // Long division, one binary place at a time: the numerator itself may fill all the bits there are.
        for _ in 0..Self::PLACES {
            fraction <<= 1;
            if rest >= denominator - rest {
                fraction |= 1;
                rest -= denominator - rest;
            } else {
                rest *= 2;
            }
        }
        let rounded = Self(fraction + u128::from(rest > 0));
        Self::int(whole) + rounded
    }

    /// The whole part, and the rest in units of 2^-32.
    pub const fn parts(self) -> (u128, u32) {
        (self.0 >> Self::PLACES, (self.0 & ((1 << Self::PLACES) - 1)) as u32)
    }
}

impl Add for Value {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Value {
    /// Whole numbers as such, others with one decimal, two below ten and four below a tenth, rounded to the nearest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = self.parts();
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let (digits, unit) = match whole {
            0 if fraction < u32::MAX / 10 => (4, 10_000),
            0..10 => (2, 100),
            _ => (1, 10),
        };
        let parts = (u64::from(fraction) * unit + (1 << (Self::PLACES - 1))) >> Self::PLACES;
        write!(f, "{}.{:0digits$}", whole + u128::from(parts / unit), parts % unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_ratio_is_exact_where_it_can_be_and_rounded_up_where_not() {
        assert_eq!(Value::ratio(6, 3), Value::int(2));
        assert_eq!(Value::ratio(1, 2).parts(), (0, 1 << 31));
        let third = Value::ratio(1, 3);
        assert_eq!(third.parts(), (0, (1u64 << 32).div_ceil(3) as u32));
        assert!(third + third + third > Value::int(1));
        for (numerator, denominator) in [(7u128, 1 << 33), ((1 << 32) - 1, 1 << 32), (1 << 32, (1 << 32) + 1), (22, 7)]
        {
            // On both sides of the greatest remainder for which one division is enough.
            let expected = (numerator << 32u32).div_ceil(denominator);
            assert_eq!(Value::ratio(numerator, denominator).0, expected, "{numerator}/{denominator}");
        }
        assert_eq!(Value::ratio(u128::MAX, u128::MAX), Value::int(1));
        assert_eq!(Value::ratio(u128::MAX - 1, u128::MAX), Value::int(1), "rounded up");
    }

    #[test]
    fn it_saturates_rather_than_overflows() {
        assert!(Value::int(u128::MAX) > Value::int(u128::from(u64::MAX)));
        assert_eq!(Value::int(u128::MAX) + Value::int(1), Value::int(u128::MAX));
    }

    #[test]
    fn it_prints_one_decimal_or_two() {
        assert_eq!(Value::ratio(25, 3).to_string(), "8.33");
        assert_eq!(Value::ratio(2999, 1000).to_string(), "3.00");
        assert_eq!(Value::ratio(301, 100).to_string(), "3.01");
        assert_eq!(Value::ratio(100, 3).to_string(), "33.3");
        assert_eq!(Value::ratio(1, 30).to_string(), "0.0333");
        assert_eq!(Value::int(7).to_string(), "7");
    }

    #[test]
    fn each_kind_judges_in_its_own_sense() {
        let (bound, measured) = (Value::int(10), [9, 10, 11].map(Value::int));
        assert_eq!(measured.map(|m| BoundKind::Worst.holds(m, bound)), [Some(true), Some(true), Some(false)]);
        assert_eq!(measured.map(|m| BoundKind::Exact.holds(m, bound)), [Some(false), Some(true), Some(false)]);
        assert_eq!(measured.map(|m| BoundKind::Best.holds(m, bound)), [Some(false), Some(true), Some(true)]);
        assert_eq!(BoundKind::Mean.holds(measured[0], bound), None);
    }
}
