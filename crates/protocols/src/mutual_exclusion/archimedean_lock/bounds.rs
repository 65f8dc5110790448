//! The bounds of both locks.

use ringleader_model::{Bound, BoundKind, Quantity, Reading, Value};

use super::{Crash, Lock, Sharing};
use crate::mutual_exclusion::{competitors, local_delay, of_one_user, of_several_users};

/// A negative reply is made up for by a positive one.
pub(crate) const fn balance<S: Sharing>() -> Bound<Lock<S>> {
    Bound {
        quantity: Quantity::Difference("negative", "positive"),
        kind: BoundKind::Exact,
        formula: "0",
        value: |rules, instance| rules.proved(instance).then_some(Value::ZERO),
        source: "SpirakisTampakas1989 2.2",
        counts: "negative less positive replies, in every run: an entry with nnr negative replies costs N-1 + 2 nnr messages, \
                 probes and their answers not counted",
    }
}

/// An entry that nobody competes for.
pub(crate) const fn least<S: Sharing>() -> Bound<Lock<S>> {
    Bound {
        quantity: Quantity::MessagesPerEntry,
        kind: BoundKind::Best,
        formula: "N-1",
        value: |rules, instance| rules.proved(instance).then(|| Value::int(u128::from(instance.n - 1))),
        source: "SpirakisTampakas1989 2.2",
        counts: "messages for an entry; reached where nobody competes",
    }
}

/// An entry that everybody goes before.
pub(crate) const fn most<S: Sharing>() -> Bound<Lock<S>> {
    Bound {
        quantity: Quantity::MessagesPerEntry,
        kind: BoundKind::Worst,
        formula: "3(N-1)",
        value: |rules, instance| {
            let bounded = rules.proved(instance) && rules.crash == Crash::None;
            bounded.then(|| Value::int(3 * u128::from(instance.n - 1)))
        },
        source: "SpirakisTampakas1989 2.2",
        counts: "messages for an entry, where nobody is probed",
    }
}

/// An entry that everybody goes before, where sites are probed.
///
/// A site that draws its number at t enters by t + W: see [`longest_delay`]. Its window closes window steps after t; its
/// probes go out 2·window, 4·window, … steps after t, as the wait for a probe and that for its answers have window steps
/// each, and a step takes r_min or more: ⌊W/(2 window r_min)⌋ times at most. Each time it probes at most the s-1 others
/// that compete, since no other replies negatively, and each of them answers once at most.
pub(crate) const fn most_with_probes<S: Sharing>() -> Bound<Lock<S>> {
    Bound {
        quantity: Quantity::MessagesPerEntry,
        kind: BoundKind::Worst,
        formula: "N-1 + 2(s-1)(1 + floor(W/(2 window r_min)))",
        value: |rules, instance| {
            let bounded = rules.proved(instance) && rules.crash == Crash::Probe;
            let wait = rules.longest_wait(instance).filter(|_| bounded)?;
            let probes = wait / (2 * u128::from(rules.window) * u128::from(instance.timing.r.min));
            let refusing = competitors(instance)?.saturating_sub(1);
            Some(Value::int(u128::from(instance.n - 1) + 2 * refusing * (1 + probes)))
        },
        source: "SpirakisTampakas1989 2.2.5, derived here",
        counts: "messages for an entry with crash=probe, probes and answers too: who waits asks again every 2 window steps, so \
                 that the cost grows with hold; s sites compete, W = window r_max + 2N(d_max + r_max) + 2(N-1) hold r_max is \
                 the longest wait after the sleep (with 5(N-1) r_max for r_max in brackets where a step reads one message)",
    }
}

/// The delay that 2.2.4 means to bound, with everything that takes time.
///
/// Let j draw its number at t. Another site draws no smaller one once it has handled j's request, by t + d_max + r_max,
/// and draws at most one from t to then, since a window is longer: with the one it has at t that makes two invocations
/// that go before j. By t + d_max + r_max and a window all of these listen no more, and from then on the first of those
/// that are left enters within d_max + r_max of its predecessor's leaving; so does j in the end.
pub(crate) const fn longest_delay<S: Sharing>() -> Bound<Lock<S>> {
    Bound {
        quantity: Quantity::LongestDelay,
        kind: BoundKind::Worst,
        formula: "(x_max + window) r_max + 2N(d_max + r_max) + 2(N-1) hold r_max",
        value: |rules, instance| {
            let delay = rules.longest_delay(instance).filter(|_| instance.timing.reading != Reading::PerTick);
            of_one_user(instance, delay)
        },
        source: "SpirakisTampakas1989 2.2.4, corrected",
        counts: "from asking to entering: the longest sleep, the window, and every other site twice inside",
    }
}

/// The same where a step reads one message: each is read within d_max + q r_max.
pub(crate) const fn longest_delay_one_by_one<S: Sharing>() -> Bound<Lock<S>> {
    Bound {
        formula: "(x_max + window) r_max + 2N(d_max + q r_max) + 2(N-1) hold r_max",
        value: |rules, instance| {
            let delay = rules.longest_delay(instance).filter(|_| instance.timing.reading == Reading::PerTick);
            of_one_user(instance, delay)
        },
        source: "SpirakisTampakas1989 2.2.4, derived here",
        counts: "from asking to entering, where a step reads one message (--reading per-tick): at most q = 3(N-1) wait at a site, \
                 5(N-1) with crash=probe",
        ..longest_delay()
    }
}

/// Either, where sites have several users.
pub(crate) const fn longest_local_delay<S: Sharing>() -> Bound<Lock<S>> {
    of_several_users(|rules, instance| local_delay(instance, rules.longest_delay(instance)))
}
