//! The symbols of the paper, of one ring.

use crate::runs::figure;
use ringleader::Setup;
use ringleader_model::Reading;

/// N, u, m, w and so on, the identities, and f.
pub(crate) struct RingFigures {
    pub(crate) n: f64,
    /// The greatest tick plus the greatest delay.
    pub(crate) u: f64,
    /// The least tick.
    pub(crate) m: f64,
    /// The walk time.
    pub(crate) w: f64,
    /// The sum of the delays.
    pub(crate) w_s: f64,
    /// The sum of the ticks.
    pub(crate) w_p: f64,
    /// In increasing order.
    pub(crate) ids: Vec<u64>,
    /// A message takes as many ticks as it has digits.
    pub(crate) bit_serial: bool,
    law: String,
}

impl RingFigures {
    /// Those of a set-up of Vitányi's election.
    pub(crate) fn new(setup: &Setup) -> Option<Self> {
        let mut ids = setup.scenario.ids.clone();
        ids.sort_unstable();
        let law = setup.settings.iter().find(|(key, _)| key == "law").map_or("2^i", |(_, law)| law.as_str());
        Some(Self {
            n: setup.scenario.n as f64,
            u: figure(setup, "u")?,
            m: figure(setup, "m")?,
            w: figure(setup, "w")?,
            w_s: figure(setup, "w_s")?,
            w_p: figure(setup, "w_p")?,
            bit_serial: setup.scenario.timing.reading == Reading::BitSerial,
            law: law.to_string(),
            ids,
        })
    }

    /// The least identity.
    pub(crate) fn l(&self) -> u64 {
        self.ids.first().copied().unwrap_or(1)
    }

    /// The greatest identity.
    pub(crate) fn greatest(&self) -> u64 {
        self.ids.last().copied().unwrap_or(1)
    }

    /// The exponent of f(i) = i^e.
    pub(crate) fn exponent(&self) -> Option<f64> {
        fraction(self.law.strip_prefix("power:")?)
    }

    /// f(i), rounded up as the protocol does.
    pub(crate) fn f(&self, i: u64) -> f64 {
        let i = i as f64;
        let value = match self.law.split_once(':') {
            Some(("constant", c)) => fraction(c),
            Some((_, e)) => fraction(e).map(|e| i.powf(e)),
            None if self.law == "u/m" => Some((2.0 * self.u / self.m).powf(i)),
            None if self.law == "walk" => Some(i.exp2() * self.w / self.w_p),
            None => Some(i.exp2()),
        };
        // Powers of fractions that are integers come out a rounding error above them.
        (value.unwrap_or(f64::NAN) * (1.0 - 1e-14)).ceil()
    }

    /// Nu(f(l)+more)/m: how many units the smallest clock ticks while M_l makes its tour.
    pub(crate) fn units(&self, more: f64) -> f64 {
        self.n * self.u * (self.f(self.l()) + more) / self.m
    }
}

/// The number of digits of i in dyadic notation: 1, 2, 11, 12, 21, 22, 111, …
pub(crate) fn digits(i: u64) -> f64 {
    f64::from((u128::from(i) + 1).ilog2())
}

/// Such as 2 or 3/2.
fn fraction(text: &str) -> Option<f64> {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    Some(over.parse::<f64>().ok()? / under.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(law: &str) -> RingFigures {
        let (ids, law) = (vec![2, 5], law.to_string());
        RingFigures { n: 2.0, u: 5.0, m: 4.0, w: 12.0, w_s: 4.0, w_p: 8.0, bit_serial: false, ids, law }
    }

    #[test]
    fn laws_are_rounded_up() {
        // (10/4)² = 6.25; (12/8)·2³ = 12; 5^(3/2) = 11.18…; 4^(3/2) = 8
        assert_eq!(ring("u/m").f(2), 7.0);
        assert_eq!(ring("walk").f(3), 12.0);
        assert_eq!((ring("power:3/2").f(5), ring("power:3/2").f(4)), (12.0, 8.0));
        assert_eq!((ring("constant:3/2").f(9), ring("2^i").f(5)), (2.0, 32.0));
    }

    #[test]
    fn equation_1_of_the_ring_of_2_and_5_in_lockstep() {
        // 2·5/32
        let lockstep = RingFigures { u: 1.0, m: 1.0, ..ring("2^i") };
        assert_eq!(lockstep.units(1.0) / lockstep.f(5), 10.0 / 32.0);
        assert_eq!([1, 2, 3, 6, 7].map(digits), [1.0, 1.0, 2.0, 2.0, 3.0]);
        assert_eq!((lockstep.l(), lockstep.greatest()), (2, 5));
    }
}
