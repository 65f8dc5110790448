//! The bounds of the paper, as printed and as repaired.
//!
//! Repaired bounds rest on one argument, for links that are first in, first out. M_l is sent on at most f(l) + 1 ticks after it
//! comes in, and everybody is awake after (N - 1) d, so that it is back at T = 2w_s + (f(l)+1)w_p ≤ Nu(f(l)+1), unless it has to
//! queue. Up to then M_i makes a first pass, which is free where the timer starts at 1, and one more in each m f(i) + d_min; M_l
//! makes N passes. (A timer that is set between two ticks, where messages are read on arrival, can be a tick shorter; but then
//! M_l needs w_p less.) Election messages are sent at least m f(l) apart, and read within u if nothing is queued. So no message
//! is ever queued if m f(l) ≥ u, which (2u/m)^i sees to, or if all clocks are equal and all delays are.
//!
//! Otherwise let ticks have one length at each processor. A link carries election messages in decreasing order of identities. If
//! M_i waits in a queue before M_l, the next message after M_i is smaller and is read before the timer of M_i has run down, since
//! at one tick a processor reads before its timer moves and f ≥ 1. So M_i is annihilated there: each of the N - 1 losers makes
//! M_l wait once, for one tick. That adds (N-1)r_max to T, which is at most Nu(f(l)+2) then.
//!
//! Where f(l) ≥ 2 and f at least doubles from each name to the next, Σ 1/f(i) over i ≠ l is at most 1/f(l). Hence at most
//! 4N - 1 + 2Nu/m messages, and 4N - 1 + 3Nu/(2m) if m f(l) ≥ u: the printed 2N + 3Nu/m is right wherever 3u ≥ 4m. That
//! f(i) ≥ 2^i, as the paper has it, is not enough: Σ f(l)/f(i) can be as great as N.
//!
//! With first=f nothing is free, and where nothing is queued (1) to (4) follow as they are printed; elsewhere no run has exceeded
//! them. (No loser moves once M_l is at the last place, so that a first timer shortened by an offset changes nothing.) For
//! f = (2u/m)^i let b be 2u/m. The bits of losers are then at most N (b/2)(f(l)+1) Σ digits(i)/f(i), and that factor is less than
//! 3 digits(l): it is 2.6 for b = 2 and 2.9 for b just above 2, where f is rounded up, in both cases for l = 2, and less for others.
//! Without digits it is less than 1.8, and less than 1 for b ≥ 4, that is, u ≥ 2m.
//!
//! Under bit-serial reading a message of i takes digits(i) ticks to be read. Where f(i) ≥ digits(i), M_i is annihilated as
//! before, and makes M_l wait digits(i) ticks once: M_l makes its tour within w_s + (f(l) + digits(l))w_p and
//! r_max·Σ digits(i) over the losers. With w_s to wake everybody and w for sleepwell that is at most the printed
//! 2w + w_s + w_p f(l) digits(l), since f + d ≤ fd + 1, and the wait for the losers. With law=min-time a loser is passed on as
//! soon as it is read, and M_l may follow it from place to place. Go back from the end of the tour, to whatever the reading
//! waited for: the arrival of the same message, or the end of the reading before it. No loser passes the place of l, so that
//! this goes back at most one turn of the ring, and at each loser once to the one before: readings take at most
//! digits(L) w_p by places, and r_max·Σ digits(i) by losers.

use ringleader_model::{
    Bound, BoundKind, Clocks, IdentityBound, Instance, Links, Offsets, Quantity, Reading, Spread, Value,
};

use super::law::Law;
use super::{Printed, Vitanyi, dyadic_digits, n_times_harmonic};

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
        formula: "4N - 1 + (T/m) sum over i != l of 1/f(i)",
        value: |rules, instance| {
            let available = rules.nu_times_f(instance)?;
            Some(with_free_passes(instance) + rules.losers_within(available, 0, |_| 1, instance)?)
        },
        source: "Vitanyi1984 (2)",
        counts: "all messages; repaired: a free pass of each loser. T = Nu(f(l)+1) where u <= m f(l), and Nu(f(l)+2) where M_l \
                 may queue",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "4N - 1 + 2Nu/m",
        value: |rules, instance| {
            let (n, u, m) = numbers(instance);
            rules.doubles(instance).then(|| with_free_passes(instance) + Value::ratio(2 * n * u, m))
        },
        source: SECTION_3,
        counts: "all messages, where f at least doubles from each name to the next; repaired: 2N + 3Nu/m is no less if u >= 2m",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "4N - 1 + 3Nu/(2m)",
        value: |rules, instance| {
            let (n, u, m) = numbers(instance);
            let applies = rules.doubles(instance) && rules.never_queues(instance);
            applies.then(|| with_free_passes(instance) + Value::ratio(3 * n * u, 2 * m))
        },
        source: SECTION_3,
        counts: "all messages, where f at least doubles and u <= m f(l), so that nothing queues; 2N + 3Nu/m is no less if 3u >= 4m",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "2N + 3Nu/m",
        value: |rules, instance| {
            let (n, u, m) = numbers(instance);
            let claimed = rules.printed_claims && rules.is_exponential(instance);
            let applies = per_unit(instance) && (rules.law.is_steep() || claimed);
            applies.then(|| Value::int(2 * n) + Value::ratio(3 * n * u, m))
        },
        source: SECTION_3,
        counts: "all messages, where f at least doubles from each name to the next (f(i) >= 2^i, as printed, is not enough); a \
                 claim: it can fail with first=1",
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
        counts: "all messages, where f at least doubles, whatever the delays; fails where delays are much longer than ticks",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "4N - 1 + T sum over i != l of 1/(m f(i) + d_min)",
        value: |rules, instance| {
            let available = rules.campaign(instance)?.checked_add(instance.delays.sum)?;
            Some(with_free_passes(instance) + rules.losers_within(available, instance.delays.min, |_| 1, instance)?)
        },
        source: SECTION_3,
        counts: "all messages; clock and propagation delays separated, repaired as (2) is: T = 2w_s + (f(l)+1)w_p, and (N-1)r_max \
                 more where u > m f(l)",
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
        formula: "3N + N(1 + 1/f(l))",
        value: |rules, instance| {
            let n = u128::from(instance.n);
            let f_l = rules.law.at(0, instance.least()?).ceiling?;
            let applies = per_unit(instance) && rules.printed_claims && rules.is_tuned();
            applies.then(|| Value::int(4 * n) + Value::ratio(n, u128::from(f_l)))
        },
        source: SECTION_4,
        counts: "all messages, for f(i) = (2u/m)^i, from which 5N follows; a ring of six exceeds it with first=1",
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
            let applies = is_regular(instance) && per_unit(instance);
            let (over, under) = rules.law.exponent().filter(|(over, under)| over > under && applies)?;
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
        formula: "2N + N digits(l) + sum over i != l of digits(i)(1 + T/(m f(i)))",
        value: |rules, instance| {
            let winner = u128::from(dyadic_digits(instance.least()?)) + 2;
            let turns = rules.losers_within(rules.nu_times_f(instance)?, 0, dyadic_digits, instance)?;
            Some(Value::int(u128::from(instance.n) * winner) + free_bits(instance) + turns)
        },
        source: "Vitanyi1984 (3)",
        counts: "bits; repaired: a free pass of each loser. T = Nu(f(l)+1) where u <= m f(l), and Nu(f(l)+2) where M_l may queue",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "8Nu digits(l)/m + sum over i != l of digits(i)",
        value: |rules, instance| {
            let (n, u, m) = numbers(instance);
            let applies = is_regular(instance) && per_unit(instance) && matches!(rules.law, Law::Two);
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
            let applies = per_unit(instance) && rules.printed_claims && rules.is_tuned();
            applies.then(|| Value::int(u128::from(instance.n) * (2 + 3 * digits)))
        },
        source: SECTION_4,
        counts: "bits, for f(i) = (2u/m)^i, with dyadic digits for log l, which is 0 where l = 1; fails with first=f, too",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "2N + 4N digits(l)",
        value: |rules, instance| rules.tuned_bits(instance).filter(|_| rules.first_f),
        source: SECTION_4,
        counts: "bits, for f(i) = (2u/m)^i, with first=f; repaired: 3N digits(l) is not enough",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "2N + 4N digits(l) + sum over i != l of digits(i)",
        value: |rules, instance| Some(rules.tuned_bits(instance)? + free_bits(instance)),
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
            let read_at_once = instance.timing.reading != Reading::BitSerial;
            let applies = instance.undisturbed && read_at_once && matches!(rules.law, Law::Two);
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
        formula: "w_s + (f(l)+1)w_p",
        value: |rules, instance| rules.campaign(instance).filter(|_| rules.never_queues(instance)).map(Value::int),
        source: SECTION_3,
        counts: "time from the last waking to the election, where u <= m f(l), so that nothing queues; repaired: M_l waits to be read",
    },
    Bound {
        quantity: Quantity::Campaign,
        kind: BoundKind::Worst,
        formula: "w_s + (f(l)+1)w_p + (N-1)r_max",
        value: |rules, instance| {
            let queued = (u128::from(instance.n) - 1) * u128::from(instance.ticks.max);
            let once = if rules.never_queues(instance) { queued } else { 0 };
            rules.campaign(instance)?.checked_add(once).map(Value::int)
        },
        source: SECTION_3,
        counts: "time from the last waking to the election; repaired: M_l waits to be read, behind each loser at most once",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Worst,
        formula: "3N + T sum 1/(m(f(i) + digits(i) - 1) + d_min)",
        value: |rules, instance| {
            let (all, passes) = (Value::int(3 * u128::from(instance.n)), rules.serial_passes(instance, |_| 1)?);
            Some(all + passes)
        },
        source: SECTION_4,
        counts: "all messages, read bit by bit: T = 2w_s + (f(l) + digits(l))w_p + r_max sum over i != l of digits(i)",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Worst,
        formula: "2N + sum digits(i)(1 + T/(m(f(i) + digits(i) - 1) + d_min))",
        value: |rules, instance| {
            let first: u128 = instance.ids.iter().map(|i| u128::from(dyadic_digits(i))).sum();
            let passes = rules.serial_passes(instance, dyadic_digits)?;
            Some(Value::int(2 * u128::from(instance.n) + first) + passes)
        },
        source: SECTION_4,
        counts: "bits, read bit by bit: each message of the bound above with its length",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Mean,
        formula: "2N + N sum (w + w_s + w_p f(l) log l)/(w_s + w_p f(i) log i)",
        value: |rules, instance| {
            let judged = rules.printed_claims || rules.first_f && in_step(instance);
            let turns = rules.expected_turns(instance, |_| 1).filter(|_| judged)?;
            Some(Value::int(2 * u128::from(instance.n)) + turns)
        },
        source: "Vitanyi1984 (5)",
        counts: "all messages over all orders, with dyadic digits for log, and 1 where a message is read in a unit; with first=f, if \
                 all clocks are equal and all delays are",
    },
    Bound {
        quantity: Quantity::Messages,
        kind: BoundKind::Mean,
        formula: "3N + N sum (w + w_s + w_p f(l) log l)/(w_s + w_p f(i) log i)",
        value: |rules, instance| {
            let turns = rules.expected_turns(instance, |_| 1).filter(|_| in_step(instance))?;
            Some(Value::int(3 * u128::from(instance.n)) + turns)
        },
        source: "Vitanyi1984 (5)",
        counts: "all messages over all orders, as (5), if all clocks are equal and all delays are; repaired: the first pass of each \
                 loser is free",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Mean,
        formula: "2N + N sum log i (w + w_s + w_p f(l) log l)/(w_s + w_p f(i) log i)",
        value: |rules, instance| {
            let judged = rules.printed_claims || rules.first_f && in_step(instance);
            let turns = rules.expected_turns(instance, dyadic_digits).filter(|_| judged)?;
            Some(Value::int(2 * u128::from(instance.n)) + turns)
        },
        source: SECTION_4,
        counts: "bits over all orders, as (3) follows from (2), with first=f, if all clocks are equal and all delays are",
    },
    Bound {
        quantity: Quantity::Bits,
        kind: BoundKind::Mean,
        formula: "2N + sum over i != l of log i + N sum log i (w + w_s + w_p f(l) log l)/(w_s + w_p f(i) log i)",
        value: |rules, instance| {
            let turns = rules.expected_turns(instance, dyadic_digits).filter(|_| in_step(instance))?;
            Some(Value::int(2 * u128::from(instance.n)) + free_bits(instance) + turns)
        },
        source: SECTION_4,
        counts: "bits over all orders, as (3) follows from (2), if all clocks are equal and all delays are; repaired: the first pass \
                 of each loser is free",
    },
    Bound {
        quantity: Quantity::Time,
        kind: BoundKind::Worst,
        formula: "2w + w_s + w_p f(l) log l",
        value: |rules, instance| {
            let judged = rules.printed_claims && bit_serial(instance) && !matches!(rules.law, Law::MinTime);
            let tour = rules.printed_tour(instance).filter(|_| judged)?;
            Some(Value::int(since_waking(instance, tour.checked_add(2 * walk_time(instance))?)))
        },
        source: SECTION_4,
        counts: "time from the first waking, read bit by bit; fails, since M_l may wait behind a long message of a loser",
    },
    Bound {
        quantity: Quantity::Time,
        kind: BoundKind::Worst,
        formula: "2w + w_s + w_p f(l) digits(l) + r_max sum over i != l of digits(i)",
        value: |rules, instance| {
            rules.serial_campaign(instance)?;
            let printed = rules.printed_tour(instance)?.checked_add(2 * walk_time(instance))?;
            Some(Value::int(since_waking(instance, printed.checked_add(behind_losers(instance))?)))
        },
        source: SECTION_4,
        counts: "time from the first waking, read bit by bit; repaired: M_l waits for the message of each loser once",
    },
    Bound {
        quantity: Quantity::Campaign,
        kind: BoundKind::Worst,
        formula: "w_s + w_p f(l) log l",
        value: |rules, instance| {
            let judged = rules.printed_claims && bit_serial(instance) && !matches!(rules.law, Law::MinTime);
            rules.printed_tour(instance).filter(|_| judged).map(Value::int)
        },
        source: SECTION_4,
        counts: "time from the last waking to the election, read bit by bit; fails where log l is 1, since M_l is read and \
                 then waits",
    },
    Bound {
        quantity: Quantity::Campaign,
        kind: BoundKind::Worst,
        formula: "w_s + w_p(f(l) + digits(l)) + r_max sum over i != l of digits(i)",
        value: |rules, instance| rules.serial_campaign(instance).map(Value::int),
        source: SECTION_4,
        counts: "time from the last waking to the election, read bit by bit; repaired",
    },
    Bound {
        quantity: Quantity::Time,
        kind: BoundKind::Worst,
        formula: "3w + w_p(log l - 1)",
        value: |rules, instance| {
            let judged = rules.printed_claims && bit_serial(instance) && matches!(rules.law, Law::MinTime);
            let time = minimal_time(instance, instance.least()?)?;
            judged.then(|| Value::int(since_waking(instance, time)))
        },
        source: SECTION_4,
        counts: "time from the first waking, read bit by bit, with law=min-time; fails where M_l follows a long message",
    },
    Bound {
        quantity: Quantity::Time,
        kind: BoundKind::Worst,
        formula: "3w + w_p(digits(L) - 1) + r_max sum over i != l of digits(i)",
        value: |rules, instance| {
            let applies = is_punctual(instance) && bit_serial(instance) && rules.printed == Printed::default();
            let greatest = instance.ids.greatest().filter(|_| matches!(rules.law, Law::MinTime))?;
            let time = minimal_time(instance, greatest)?.checked_add(behind_losers(instance))?;
            applies.then(|| Value::int(since_waking(instance, time)))
        },
        source: SECTION_4,
        counts: "time from the first waking, read bit by bit, with law=min-time; repaired: M_l may follow any loser",
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
            let (n, u, m) = numbers(instance);
            rules.campaign(instance).filter(|_| is_regular(instance))?;
            let available = (n * u).checked_mul(u128::from(rules.law.at(0, instance.least()?).ceiling?) + 2)?;
            Some(Value::int(1) + Value::ratio(available, m * rules.wait(i)))
        },
        source: "Vitanyi1984 (1)",
        counts: "passes of M_i; repaired: its first pass is free, and each loser may make M_l wait for a tick",
    },
];

/// w
const fn walk_time(instance: &Instance<'_>) -> u128 {
    instance.ticks.sum + instance.delays.sum
}

/// The clock so much time after the first waking.
fn since_waking(instance: &Instance<'_>, time: u128) -> u128 {
    time.saturating_add(u128::from(instance.first_wake))
}

/// 3w + w_p(digits(i) - 1)
fn minimal_time(instance: &Instance<'_>, i: u64) -> Option<u128> {
    (3 * walk_time(instance)).checked_add(instance.ticks.sum.checked_mul(u128::from(dyadic_digits(i)) - 1)?)
}

/// N, u and m.
fn numbers(instance: &Instance<'_>) -> (u128, u128, u128) {
    (u128::from(instance.n), u128::from(instance.u()), u128::from(instance.ticks.min))
}

/// There is one election with clocks, and nothing fails.
fn is_timed(instance: &Instance<'_>) -> bool {
    instance.undisturbed && !instance.untimed
}

/// Besides, a processor reads a message in one unit, however long it is.
fn per_unit(instance: &Instance<'_>) -> bool {
    is_timed(instance) && instance.timing.reading != Reading::BitSerial
}

/// Besides, a message is read bit by bit.
fn bit_serial(instance: &Instance<'_>) -> bool {
    is_timed(instance) && instance.timing.reading == Reading::BitSerial
}

/// The ticks that it takes to read M_i: its dyadic digits, or 1.
fn reading_time(instance: &Instance<'_>, i: u64) -> u128 {
    if instance.timing.reading == Reading::BitSerial { u128::from(dyadic_digits(i)) } else { 1 }
}

/// There is one election with clocks, nothing fails, links keep the order, and the first tick of a clock comes no later than any other.
fn is_punctual(instance: &Instance<'_>) -> bool {
    let early = match &instance.timing.offsets {
        Offsets::Zero | Offsets::Random => true,
        Offsets::List(list) => list.iter().all(|&offset| offset <= instance.ticks.min),
    };
    is_timed(instance) && instance.links == Links::Fifo && early
}

/// Besides, the ticks of each processor have one length.
fn is_regular(instance: &Instance<'_>) -> bool {
    let varying = instance.timing.clocks == Clocks::Varying && instance.ticks.min < instance.ticks.max;
    is_punctual(instance) && !varying
}

/// Besides, all clocks are equal, all delays are, and a message is read in one unit: each pass of M_i takes the same time.
fn in_step(instance: &Instance<'_>) -> bool {
    let same = |spread: Spread| spread.min == spread.max;
    is_punctual(instance) && per_unit(instance) && same(instance.ticks) && same(instance.delays)
}

/// 4N - 1: wakeups, sleepwells, the passes of M_l and the first one of each loser.
fn with_free_passes(instance: &Instance<'_>) -> Value {
    Value::int(4 * u128::from(instance.n) - 1)
}

/// r_max·Σ digits(i) over the losers: the time that M_l may wait for them to be read.
fn behind_losers(instance: &Instance<'_>) -> u128 {
    let least = instance.least();
    let losers = instance.ids.iter().filter(|&i| Some(i) != least);
    u128::from(instance.ticks.max) * losers.map(|i| u128::from(dyadic_digits(i))).sum::<u128>()
}

/// The bits of one pass of each loser.
fn free_bits(instance: &Instance<'_>) -> Value {
    let least = instance.least();
    let losers = instance.ids.iter().filter(|&i| Some(i) != least);
    Value::int(losers.map(|i| u128::from(dyadic_digits(i))).sum())
}

impl Vitanyi {
    /// Rules are repaired, and a message waits one unit at least.
    fn waits(&self) -> bool {
        self.printed == Printed::default() && !matches!(self.law, Law::MinTime)
    }

    /// The time within which M_l makes its tour where it is read bit by bit; `None` where that is not known.
    fn serial_campaign(&self, instance: &Instance<'_>) -> Option<u128> {
        let waits = |i: u64| self.wait(i) >= u128::from(dyadic_digits(i));
        if !is_regular(instance) || !bit_serial(instance) || !self.waits() || !instance.ids.iter().all(waits) {
            return None;
        }
        let l = instance.least()?;
        let hop = u128::from(self.law.at(0, l).ceiling?) + u128::from(dyadic_digits(l));
        instance.ticks.sum.checked_mul(hop)?.checked_add(instance.delays.sum)?.checked_add(behind_losers(instance))
    }

    /// The sum of weight(i)·T/(m(f(i) + digits(i) - 1) + d_min), where messages are read bit by bit: T is the time of the tour and
    /// w_s.
    fn serial_passes(&self, instance: &Instance<'_>, weight: impl Fn(u64) -> u64) -> Option<Value> {
        let available = self.serial_campaign(instance)?.checked_add(instance.delays.sum)?;
        let (m, delay) = (u128::from(instance.ticks.min), u128::from(instance.delays.min));
        let mut sum = Value::ZERO;
        for i in instance.ids.iter() {
            let hop = m * (self.wait(i) + u128::from(dyadic_digits(i)) - 1) + delay;
            sum = sum + Value::ratio(available.checked_mul(u128::from(weight(i)))?, hop);
        }
        Some(sum)
    }

    /// The printed time of the tour: w_s + w_p f(l) digits(l), where a message of l takes so many ticks to be read.
    fn printed_tour(&self, instance: &Instance<'_>) -> Option<u128> {
        let l = instance.least()?;
        let hop = u128::from(self.law.at(0, l).ceiling?).checked_mul(reading_time(instance, l))?;
        instance.ticks.sum.checked_mul(hop)?.checked_add(instance.delays.sum)
    }

    /// N·Σ weight(i)·(w + w_s + w_p f(l) digits(l))/(w_s + w_p f(i) digits(i)), the sum of (5); digits are 1 where a
    /// message is read in one unit.
    fn expected_turns(&self, instance: &Instance<'_>, weight: impl Fn(u64) -> u64) -> Option<Value> {
        if !is_timed(instance) || matches!(self.law, Law::MinTime) {
            return None;
        }
        let (w_p, w_s) = (instance.ticks.sum, instance.delays.sum);
        let available = self.printed_tour(instance)?.checked_add(w_p)?.checked_add(w_s)?;
        let all = u128::from(instance.n).checked_mul(available)?;
        let mut sum = Value::ZERO;
        for i in instance.ids.iter() {
            let lap = w_p.saturating_mul(self.wait(i)).saturating_mul(reading_time(instance, i)).saturating_add(w_s);
            sum = sum + Value::ratio(all.checked_mul(u128::from(weight(i)))?, lap);
        }
        Some(sum)
    }

    /// Whether f(i) ≥ 2^i for every name, as far as 64 bits tell.
    fn is_exponential(&self, instance: &Instance<'_>) -> bool {
        let least = |i: u64| u32::try_from(i).ok().and_then(|i| 1u64.checked_shl(i));
        let above = |i: u64| least(i).is_some_and(|power| self.wait(i) >= u128::from(power));
        !matches!(self.law, Law::MinTime) && instance.ids.iter().all(above)
    }

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
        let weighted = instance.ids.iter().filter(|&i| counts(i)).map(|i| (i, weight(i)));
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

    /// Whether each election message is read before the next one on its link arrives.
    fn never_queues(&self, instance: &Instance<'_>) -> bool {
        let Some(f_l) = instance.least().and_then(|l| self.law.at(0, l).ceiling) else { return false };
        let (_, u, m) = numbers(instance);
        let apart = u128::from(f_l) * m >= u;
        is_punctual(instance) && per_unit(instance) && self.waits() && (apart || in_step(instance))
    }

    /// The time within which M_l makes its tour: w_s + (f(l)+1)w_p, and (N-1)r_max more where it may queue; `None` where that is
    /// not known.
    fn campaign(&self, instance: &Instance<'_>) -> Option<u128> {
        let never_queues = self.never_queues(instance);
        let in_turn = is_regular(instance) && per_unit(instance) && self.waits();
        if !(never_queues || in_turn) {
            return None;
        }
        let f_l = self.law.at(0, instance.least()?).ceiling?;
        let tour = instance.ticks.sum.checked_mul(u128::from(f_l) + 1)?.checked_add(instance.delays.sum)?;
        let queued = (u128::from(instance.n) - 1) * u128::from(instance.ticks.max);
        tour.checked_add(if never_queues { 0 } else { queued })
    }

    /// Nu(f(l)+1), and Nu more where M_l may queue: within this its tour is known to end.
    fn nu_times_f(&self, instance: &Instance<'_>) -> Option<u128> {
        self.campaign(instance)?;
        let f_l = self.law.at(0, instance.least()?).ceiling?;
        let (n, u, _) = numbers(instance);
        let more = if self.never_queues(instance) { 1 } else { 2 };
        n.checked_mul(u)?.checked_mul(u128::from(f_l) + more)
    }

    /// Whether the tour of M_l is known to end within [`Self::nu_times_f`], f at least doubles, and f(l) is at least 2.
    fn doubles(&self, instance: &Instance<'_>) -> bool {
        self.law.doubles() && self.campaign(instance).is_some()
    }

    /// 2N + 4N digits(l), for f(i) = (2u/m)^i.
    fn tuned_bits(&self, instance: &Instance<'_>) -> Option<Value> {
        let digits = u128::from(dyadic_digits(instance.least()?));
        let applies = self.is_tuned() && self.never_queues(instance);
        applies.then(|| Value::int(u128::from(instance.n) * (2 + 4 * digits)))
    }

    /// The passes that all losers can make in this time after their first ones, each with its weight, if each takes m·f(i) and a
    /// delay.
    fn losers_within(
        &self,
        available: u128,
        delay: u64,
        weight: impl Fn(u64) -> u64,
        instance: &Instance<'_>,
    ) -> Option<Value> {
        let (_, _, m) = numbers(instance);
        let least = instance.least();
        let losers = instance.ids.iter().filter(|&i| Some(i) != least).map(|i| (i, weight(i)));
        self.over_waits(available, losers, m, delay)
    }
}
