//! The bounds of the paper, as printed and as repaired.
//!
//! Repaired bounds rest on one argument, for links that are first in, first out and clocks whose ticks have one length at each
//! processor. A link carries election messages in decreasing order of identities. If M_i waits in a queue before M_l, the next
//! message after M_i is smaller and is read before the timer of M_i has run down, since at one tick a processor reads before its
//! timer moves and f ≥ 1. So M_i is annihilated there: each of the N - 1 losers makes M_l wait once, for one tick. With (N - 1) d
//! to wake everybody, M_l is back at T = 2w_s + (f(l)+1)w_p + (N-1)r_max at the latest, which is at most Nu(f(l)+2). Up to then
//! M_i makes a first pass, which is free where the timer starts at 1, and one more in each m f(i) + d_min.

use ringleader_model::{Bound, BoundKind, Clocks, IdentityBound, Instance, Links, Offsets, Quantity, Value};

use super::law::Law;
use super::{Vitanyi, dyadic_digits, n_times_harmonic};

const SECTION_3: &str = "Vitanyi1984 section 3";
const SECTION_4: &str = "Vitanyi1984 section 4";

pub(super) const ALL: &[Bound<Vitanyi>] = &[
    Bound {
        quantity: Quantity::Kind("wakeup"),
        kind: BoundKind::Exact,
        formula: "N",
        value: |_, instance| instance.undisturbed.then(|| Value::int(u128::from(instance.n))),
        source: SECTION_3,
        counts: "wakeup messages",
    },
    Bound {
        quantity: Quantity::Kind("sleepwell"),
        kind: BoundKind::Exact,
        formula: "N",
        value: |_, instance| instance.undisturbed.then(|| Value::int(u128::from(instance.n))),
        source: SECTION_3,
        counts: "sleepwell messages",
    },
    Bound {
        quantity: Quantity::Kind("election"),
        kind: BoundKind::Worst,
        formula: "N(N+1)/2",
        value: |_, instance| {
            let n = u128::from(instance.n);
            instance.undisturbed.then(|| Value::int(n * (n + 1) / 2))
        },
        source: SECTION_4,
        counts: "election messages, whatever the clocks do: every loser is stopped by the winner at the latest",
    },
    Bound {
        quantity: Quantity::Kind("election"),
        kind: BoundKind::Mean,
        formula: "N H_N",
        value: |_, instance| instance.undisturbed.then(|| n_times_harmonic(instance.n)),
        source: SECTION_4,
        counts: "election messages over all orders: every loser is stopped by a smaller identity at the latest; with \
                 law=min-time in lockstep, exactly",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "2N + (Nu(f(l)+1)/m) sum 1/f(i)",
        value: |rules, instance| {
            let turns = rules.sum_over_ids(instance, |_| 1, |_| true)?;
            Some(Value::int(2 * u128::from(instance.n)) + turns)
        },
        source: "Vitanyi1984 (2)",
        counts: "all messages; a claim: it can fail with first=1",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "3N + (Nu(f(l)+2)/m) sum 1/f(i)",
        value: |rules, instance| {
            let available = rules.nu_times_f_plus_2(instance)?;
            Some(Value::int(3 * u128::from(instance.n)) + rules.passes_within(available, 0, instance)?)
        },
        source: "Vitanyi1984 (2)",
        counts: "all messages; repaired: a free pass of each loser, and a tick that each may make M_l wait",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "2N + 3Nu/m",
        value: |rules, instance| {
            let (n, u, m) = numbers(instance);
            let applies = per_unit(instance) && rules.law.is_steep();
            applies.then(|| Value::int(2 * n) + Value::ratio(3 * n * u, m))
        },
        source: SECTION_3,
        counts: "all messages, for f(i) >= 2^i; a claim: it can fail with first=1",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "7N + 3(r_max - m)N/m",
        value: |rules, instance| {
            let (n, _, m) = numbers(instance);
            let applies = rules.printed_claims && per_unit(instance) && rules.law.is_steep();
            let spread = u128::from(instance.ticks.max) - m;
            applies.then(|| Value::int(7 * n) + Value::ratio(3 * spread * n, m))
        },
        source: SECTION_3,
        counts: "all messages, for f(i) >= 2^i, whatever the delays; fails where delays are much longer than ticks",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "3N + T sum 1/(m f(i) + d_min)",
        value: |rules, instance| {
            let available = rules.campaign(instance)?.checked_add(instance.delays.sum)?;
            let delay = instance.delays.min;
            Some(Value::int(3 * u128::from(instance.n)) + rules.passes_within(available, delay, instance)?)
        },
        source: SECTION_3,
        counts: "all messages; clock and propagation delays separated, repaired as (2) is: T = 2w_s + (f(l)+1)w_p + (N-1)r_max",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "3N + (Nu(f(l)+1)/m) sum over i != l of 1/f(i)",
        value: |rules, instance| {
            let least = instance.least().filter(|_| rules.first_f || rules.printed_claims)?;
            let turns = rules.sum_over_ids(instance, |_| 1, |i| i != least)?;
            Some(Value::int(3 * u128::from(instance.n)) + turns)
        },
        source: "Vitanyi1984 (4)",
        counts: "all messages, with first=f; with first=1 most rings exceed it",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "5N",
        value: |rules, instance| {
            let judged = rules.first_f || rules.printed_claims;
            let applies = per_unit(instance) && judged && rules.is_tuned();
            applies.then(|| Value::int(5 * u128::from(instance.n)))
        },
        source: SECTION_4,
        counts: "all messages, for f(i) = (2u/m)^i, with first=f; a ring of 36 exceeds it with first=1",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "(3 + 4e/(e-1)) Nul/m",
        value: |rules, instance| {
            let (over, under) = rules.law.exponent().filter(|(over, under)| over > under && is_regular(instance))?;
            let (n, u, m) = numbers(instance);
            let all = n.checked_mul(u)?.checked_mul(u128::from(instance.least()?))?;
            let factor = 3 * u128::from(over - under) + 4 * u128::from(over);
            Some(Value::ratio(all.checked_mul(factor)?, m * u128::from(over - under)))
        },
        source: SECTION_4,
        counts: "all messages, for f(i) = i^e with e > 1: O(Nul/m), with a constant that follows from (2) as repaired",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "2N + (Nu(f(l)+1)/m) sum digits(i)/f(i)",
        value: |rules, instance| {
            let judged = rules.first_f || rules.printed_claims;
            let turns = rules.sum_over_ids(instance, dyadic_digits, |_| judged)?;
            judged.then(|| Value::int(2 * u128::from(instance.n)) + turns)
        },
        source: "Vitanyi1984 (3)",
        counts: "bits, with the number of dyadic digits for log i, with first=f; with first=1 most rings exceed it",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "8Nu digits(l)/m + sum over i != l of digits(i)",
        value: |rules, instance| {
            let (n, u, m) = numbers(instance);
            let applies = is_regular(instance) && matches!(rules.law, Law::Two);
            let all = (n * u).checked_mul(u128::from(dyadic_digits(instance.least()?)))?.checked_mul(8)?;
            applies.then(|| Value::ratio(all, m) + free_bits(instance))
        },
        source: SECTION_3,
        counts: "bits, for f(i) = 2^i: cNu log l/m holds with c = 8 but for the first pass of each loser, whose length no \
                 c bounds",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "2N + 3N digits(l)",
        value: |rules, instance| {
            let digits = u128::from(dyadic_digits(instance.least()?));
            let judged = rules.first_f || rules.printed_claims;
            let applies = per_unit(instance) && judged && rules.is_tuned();
            applies.then(|| Value::int(u128::from(instance.n) * (2 + 3 * digits)))
        },
        source: SECTION_4,
        counts: "bits, for f(i) = (2u/m)^i, with first=f, and with dyadic digits for log l, which is 0 where l = 1",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "2N + 5N digits(l) + sum over i != l of digits(i)",
        value: |rules, instance| {
            let digits = u128::from(dyadic_digits(instance.least()?));
            let applies = is_regular(instance) && rules.is_tuned();
            applies.then(|| Value::int(u128::from(instance.n) * (2 + 5 * digits)) + free_bits(instance))
        },
        source: SECTION_4,
        counts: "bits, for f(i) = (2u/m)^i; repaired: the first pass of each loser is free",
    },
    Bound {
        quantity: Quantity::Time,
        kind: BoundKind::Worst,
        formula: "Nu(2^l + 2)",
        value: |rules, instance| {
            let turn = rules.law.at(0, instance.least()?).ceiling?.checked_add(2)?;
            let time = u128::from(instance.n) * u128::from(instance.u()) * u128::from(turn);
            let applies = instance.undisturbed && matches!(rules.law, Law::Two);
            applies.then(|| Value::int(time + u128::from(instance.first_wake)))
        },
        source: SECTION_4,
        counts: "time from the first waking, for f(i) = 2^i",
    },
    Bound {
        quantity: Quantity::TimeAwake,
        kind: BoundKind::Worst,
        formula: "Nu",
        value: |_, instance| {
            let (n, u, _) = numbers(instance);
            is_punctual(instance).then(|| Value::int(n * u + u128::from(instance.first_wake)))
        },
        source: SECTION_3,
        counts: "time from the first waking until all are awake; a sleeper acts on arrival, so that (N-1)d_max is enough",
    },
    Bound {
        quantity: Quantity::Campaign,
        kind: BoundKind::Worst,
        formula: "N f(l) u",
        value: |rules, instance| {
            let (n, u, _) = numbers(instance);
            let applies = rules.printed_claims && per_unit(instance) && !matches!(rules.law, Law::MinTime);
            let f_l = rules.law.at(0, instance.least()?).ceiling?;
            applies.then(|| (n * u).checked_mul(u128::from(f_l))).flatten().map(Value::int)
        },
        source: SECTION_3,
        counts: "time from the last waking to the election; fails, since a message waits to be read before it waits f(l)",
    },
    Bound {
        quantity: Quantity::Campaign,
        kind: BoundKind::Worst,
        formula: "w_s + (f(l)+1)w_p + (N-1)r_max",
        value: |rules, instance| rules.campaign(instance).map(Value::int),
        source: SECTION_3,
        counts: "time from the last waking to the election; repaired: M_l waits to be read, behind each loser at most once",
    },
    Bound {
        quantity: Quantity::AnnouncementTime,
        kind: BoundKind::Worst,
        formula: "Nu/2",
        value: |rules, instance| {
            let (n, u, _) = numbers(instance);
            (rules.printed_claims && per_unit(instance)).then(|| Value::ratio(n * u, 2))
        },
        source: SECTION_3,
        counts: "time of sleepwell's turn; fails, since each processor reads it in a unit of its own",
    },
    Bound {
        quantity: Quantity::AnnouncementTime,
        kind: BoundKind::Worst,
        formula: "w",
        value: |_, instance| is_punctual(instance).then(|| Value::int(instance.ticks.sum + instance.delays.sum)),
        source: SECTION_3,
        counts: "time of sleepwell's turn; repaired: it follows M_l, behind which nothing is queued",
    },
];

pub(super) const OF_EACH: &[IdentityBound<Vitanyi>] = &[
    IdentityBound {
        formula: "Nu(f(l)+1)/(m f(i))",
        value: |rules, instance, i| {
            let judged = rules.first_f || rules.printed_claims;
            let applies = judged && per_unit(instance) && !matches!(rules.law, Law::MinTime);
            let f_l = rules.law.at(0, instance.least()?).ceiling?;
            let (n, u, m) = numbers(instance);
            let all = n.checked_mul(u)?.checked_mul(u128::from(f_l) + 1)?;
            applies.then(|| Value::ratio(all, m * rules.wait(i)))
        },
        source: "Vitanyi1984 (1)",
        counts: "passes of M_i, with first=f; with first=1 most rings exceed it",
    },
    IdentityBound {
        formula: "1 + Nu(f(l)+2)/(m f(i))",
        value: |rules, instance, i| {
            let available = rules.nu_times_f_plus_2(instance)?;
            Some(Value::int(1) + Value::ratio(available, u128::from(instance.ticks.min) * rules.wait(i)))
        },
        source: "Vitanyi1984 (1)",
        counts: "passes of M_i; repaired: its first pass is free, and each loser may make M_l wait for a tick",
    },
];

/// N, u and m.
fn numbers(instance: &Instance<'_>) -> (u128, u128, u128) {
    (u128::from(instance.n), u128::from(instance.u()), u128::from(instance.ticks.min))
}

/// There is one election with clocks, and nothing fails.
fn per_unit(instance: &Instance<'_>) -> bool {
    instance.undisturbed && !instance.untimed
}

/// Besides, links keep the order, and the first tick of a clock comes no later than any other.
fn is_punctual(instance: &Instance<'_>) -> bool {
    let early = match &instance.timing.offsets {
        Offsets::Zero | Offsets::Random => true,
        Offsets::List(list) => list.iter().all(|&offset| offset <= instance.ticks.min),
    };
    per_unit(instance) && instance.links == Links::Fifo && early
}

/// Besides, the ticks of each processor have one length.
fn is_regular(instance: &Instance<'_>) -> bool {
    let varying = instance.timing.clocks == Clocks::Varying && instance.ticks.min < instance.ticks.max;
    is_punctual(instance) && !varying
}

/// The bits of one pass of each loser.
fn free_bits(instance: &Instance<'_>) -> Value {
    let least = instance.least();
    let losers = instance.ids.iter().filter(|&&i| Some(i) != least);
    Value::int(losers.map(|&i| u128::from(dyadic_digits(i))).sum())
}

impl Vitanyi {
    fn is_tuned(&self) -> bool {
        matches!(self.law, Law::Asynchronicity(_))
    }

    /// (Nu(f(l)+1)/m)·Σ weight(i)/f(i), over the identities that count; `None` where that says nothing.
    fn sum_over_ids(
        &self,
        instance: &Instance<'_>,
        weight: impl Fn(u64) -> u64,
        counts: impl Fn(u64) -> bool,
    ) -> Option<Value> {
        if !per_unit(instance) || matches!(self.law, Law::MinTime) {
            return None;
        }
        let f_l = self.law.at(0, instance.least()?).ceiling?;
        let (n, u, m) = numbers(instance);
        let all = n.checked_mul(u)?.checked_mul(u128::from(f_l) + 1)?;
        let weighted = instance.ids.iter().filter(|&&i| counts(i)).map(|&i| (i, weight(i)));
        self.over_waits(all, weighted, m, 0)
    }

    /// The sum of `all`·weight/(m·f(i) + delay), over identities with weights; `None` where it overflows.
    fn over_waits(&self, all: u128, weighted: impl Iterator<Item = (u64, u64)>, m: u128, delay: u64) -> Option<Value> {
        let (mut sum, mut longest) = (Value::ZERO, 0);
        for (i, weight) in weighted {
            match self.law.at(0, i).ceiling {
                Some(f) => {
                    let over = all.checked_mul(u128::from(weight))?;
                    sum = sum + Value::ratio(over, m * u128::from(f) + u128::from(delay));
                }
                // Large rings have many identities whose f does not fit: divided once.
                None => longest += u128::from(weight),
            }
        }
        Some(sum + Value::ratio(all.checked_mul(longest)?, m << 64))
    }

    /// f(i); a value that does not fit 64 bits is at least 2^64.
    fn wait(&self, i: u64) -> u128 {
        self.law.at(0, i).ceiling.map_or(1 << 64, u128::from)
    }

    /// w_s + (f(l)+1)w_p + (N-1)r_max: the time within which M_l makes its tour; `None` where that is not known.
    fn campaign(&self, instance: &Instance<'_>) -> Option<u128> {
        if !is_regular(instance) || matches!(self.law, Law::MinTime) {
            return None;
        }
        let f_l = self.law.at(0, instance.least()?).ceiling?;
        let tour = instance.ticks.sum.checked_mul(u128::from(f_l) + 1)?.checked_add(instance.delays.sum)?;
        tour.checked_add((u128::from(instance.n) - 1) * u128::from(instance.ticks.max))
    }

    /// Nu(f(l)+2), where the tour of M_l is known to end within it.
    fn nu_times_f_plus_2(&self, instance: &Instance<'_>) -> Option<u128> {
        self.campaign(instance)?;
        let f_l = self.law.at(0, instance.least()?).ceiling?;
        let (n, u, _) = numbers(instance);
        n.checked_mul(u)?.checked_mul(u128::from(f_l) + 2)
    }

    /// The passes that all M_i can make in this time after their first ones, if each takes m·f(i) and a delay.
    fn passes_within(&self, available: u128, delay: u64, instance: &Instance<'_>) -> Option<Value> {
        let (_, _, m) = numbers(instance);
        self.over_waits(available, instance.ids.iter().map(|&i| (i, 1)), m, delay)
    }
}
