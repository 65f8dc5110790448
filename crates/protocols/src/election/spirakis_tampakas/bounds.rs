//! What is proved.

use ringleader_model::{Bound, BoundKind, Instance, Links, Quantity, Value};

use super::departures::Printed;
use super::{Form, SpirakisTampakas};
use crate::election::E_BY_A_BILLION;

/// (3/4)^k is evaluated up to this k; beyond, its value there is a bound.
const MOST_COINS: u32 = 63;

pub(super) const BOUNDS: &[Bound<SpirakisTampakas>] = &[
    Bound {
        quantity: Quantity::Phases,
        kind: BoundKind::Mean,
        formula: "e",
        value: |rules, instance| rules.left_to_chance(instance).then(|| e_times(1)),
        source: "SpirakisTampakas1989 Theorem 1",
        counts: "phases, fewer than that on average: each is the last with probability (1-1/N)^(N-1) or more",
    },
    Bound {
        quantity: Quantity::Phases,
        kind: BoundKind::Mean,
        formula: "(N/(N-1))^(N-1)",
        value: |rules, instance| {
            let [_, one, _] = rules.candidates().filter(|_| rules.left_to_chance(instance))?;
            Some(Value::ratio(u128::from(rules.n).pow(rules.n), one))
        },
        source: "SpirakisTampakas1989 Theorem 1",
        counts: "phases, at most, on average, as in the proof; for N <= 20",
    },
    Bound {
        quantity: Quantity::Error,
        kind: BoundKind::Mean,
        formula: "(3/4)^k",
        value: |rules, instance| {
            let [unnoticed, all] = [3u128, 4].map(|base| base.pow(rules.k.min(MOST_COINS)));
            let repaired = Printed { claims: false, ..rules.printed } == Printed::default();
            let applies = repaired && rules.assumed_by_proofs(instance) && rules.draws.is_empty();
            applies.then(|| Value::ratio(unnoticed, all))
        },
        source: "SpirakisTampakas1989 Lemma 6",
        counts: "probability of more than one leader, at most; a claim with printed=claims, which fails for large k",
    },
    Bound {
        quantity: Quantity::Error,
        kind: BoundKind::Mean,
        formula: "(3/4)^k M/(O + (3/4)^k M)",
        value: |rules, instance| {
            let [_, one, more] = rules.candidates().filter(|_| rules.left_to_chance(instance))?;
            let [unnoticed, all] = [3u128, 4].map(|base| base.pow(rules.k.min(MOST_COINS / 2)));
            let error = unnoticed.checked_mul(more)?;
            Some(Value::ratio(error, all.checked_mul(one)?.checked_add(error)?))
        },
        source: "SpirakisTampakas1989 Lemmas 5 and 6, derived here",
        counts: "probability of more than one leader, at most: a phase with one candidate, of probability O = \
                 (1-1/N)^(N-1), elects it, and one with more, of probability M, errs with probability (3/4)^k; \
                 for N <= 20",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Mean,
        formula: "4 e c N k",
        value: |rules, instance| {
            let c = if rules.form == Form::Tagged { 4 } else { 2 };
            let product = 4 * c * u128::from(rules.n) * u128::from(rules.k);
            rules.left_to_chance(instance).then(|| e_times(product))
        },
        source: "SpirakisTampakas1989 Theorem 1",
        counts: "bits, at most, on average; c = 2 bits tell four kinds of messages apart, 4 with the phase modulo 3",
    },
    Bound {
        quantity: Quantity::Time,
        kind: BoundKind::Mean,
        formula: "e (max((k+3)Nq r_max + Nu, ceil(Nq(1+r_max/r_min)) r_max) + u) + Nu",
        value: |rules, instance| rules.mean_time(instance).filter(|_| rules.left_to_chance(instance)),
        source: "SpirakisTampakas1989 Theorem 1, corrected",
        counts: "time from the first waking, at most so much on average; u = d_max + r_max",
    },
    Bound {
        quantity: Quantity::PhaseSpread,
        kind: BoundKind::Worst,
        formula: "N u",
        value: |rules, instance| {
            let hop = u128::from(instance.timing.d.max + instance.timing.r.max);
            let timed = rules.proved_for(instance) && !instance.untimed;
            timed.then(|| Value::int(u128::from(rules.n) * hop))
        },
        source: "SpirakisTampakas1989 Lemma 4",
        counts: "time from the moment a phase begins, with the first next-timer or waking, until the last processor \
                 that begins it has done so; u = d_max + r_max",
    },
    Bound {
        quantity: Quantity::Announcement,
        kind: BoundKind::Exact,
        formula: "N",
        value: |rules, instance| rules.proved_for(instance).then(|| Value::int(rules.n.into())),
        source: "SpirakisTampakas1989 Appendix A",
        counts: "terminations: everybody sends one, elected or defeated",
    },
];

/// e times a number, rounded up.
fn e_times(number: u128) -> Value {
    Value::ratio(E_BY_A_BILLION.saturating_mul(number), 1_000_000_000)
}

impl SpirakisTampakas {
    /// Rules are as proved.
    fn proved_for(&self, instance: &Instance<'_>) -> bool {
        self.assumed_by_proofs(instance) && self.printed == Printed::default()
    }

    /// The network is as the proofs assume it.
    fn assumed_by_proofs(&self, instance: &Instance<'_>) -> bool {
        let links = match self.form {
            Form::Fifo => instance.links == Links::Fifo,
            Form::Tagged => !instance.links.is_half_duplex(),
        };
        instance.undisturbed && links
    }

    /// The same, about means.
    fn left_to_chance(&self, instance: &Instance<'_>) -> bool {
        self.proved_for(instance) && self.draws.is_empty()
    }

    /// N^N times the probabilities that in a phase nobody, one or more draw 1; `None` for large N.
    fn candidates(&self) -> Option<[u128; 3]> {
        let n = u128::from(self.n);
        let all = n.checked_pow(self.n).filter(|_| self.n <= 20)?;
        let (none, one) = ((n - 1).pow(self.n), n * (n - 1).pow(self.n - 1));
        Some([none, one, all - none - one])
    }

    /// A phase begins everywhere within Nu; then a candidate has k + 3 stages, and a processor that waits for one has
    /// its patience. After at most u the next phase begins, or within Nu everybody has the termination.
    pub(super) fn mean_time(&self, instance: &Instance<'_>) -> Option<Value> {
        let (r_max, u) = (u128::from(instance.timing.r.max), u128::from(instance.timing.d.max + instance.timing.r.max));
        let circle = u128::from(self.n) * u;
        let (stage, patience) = (u128::from(self.stage.get()?), u128::from(self.patience.get()?));
        let candidate = (u128::from(self.k) + 3).checked_mul(stage)?.checked_mul(r_max)?.checked_add(circle)?;
        let phase = candidate.max(patience.checked_mul(r_max)?).checked_add(u)?;
        E_BY_A_BILLION.checked_mul(phase)?;
        Some(e_times(phase) + Value::int(circle + u128::from(instance.first_wake)))
    }
}
