//! Mutual exclusion.

pub mod archimedean_lock;
pub mod ricart_agrawala;
pub mod spirakis_tampakas;

use alloc::format;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Effects, Id, Instance, Links, Parameter, Place, PortUse, Processor,
    Quantity, SequenceNumber, Settings, Topology, Value, Values, Workload,
};

/// The assumptions of locks on complete networks: a site that counts its links knows the number of sites.
pub(crate) const COMPLETE: Assumptions = Assumptions {
    topology: Topology::Complete,
    known_size: true,
    port_use: PortUse::Alike("sends the same by all of them, or answers; what it remembers of a port it treats alike"),
    links: Links::Any,
    ..Assumptions::RING
};

/// Every site remembers every other and asks all of them: with more sites than this, that is too much.
const MOST_SITES: u64 = 4096;

/// Refuses more sites than memory has room for.
pub(crate) fn check_sites(instance: &Instance<'_>) -> Result<(), BadSetting> {
    if instance.n <= MOST_SITES {
        return Ok(());
    }
    let allowed = format!("at most {MOST_SITES} sites: each of them remembers all others");
    Err(BadSetting::new("n", format!("is {}", instance.n), allowed))
}

const NUMBERS: Parameter = Parameter {
    name: "numbers",
    values: Values::Form("unbounded, or M of at least 2N-1: sequence numbers are kept modulo M"),
    default: "unbounded",
    doc: "how far sequence numbers go; modulo M the smaller of two is increased by M where they differ by N or more",
};

/// Sequence numbers, and how they compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbers {
    Unbounded,
    /// Kept modulo `m`, for `n` sites.
    Modulo {
        m: u64,
        n: u64,
    },
}

impl Numbers {
    fn new(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let (text, n) = (settings.get(NUMBERS.name), instance.n);
        // Of numbers that may lie n-1 apart in either direction, 2n-1 must differ.
        let least = 2 * n - 1;
        if text == NUMBERS.default {
            return Self::unbounded(instance, &format!("a number, or --set numbers=M from 2N-1 = {least} on"));
        }
        match text.parse() {
            Ok(m) if m >= least && m <= u64::MAX / 2 => Ok(Self::Modulo { m, n }),
            _ => {
                let allowed = format!(
                    "unbounded, or M from 2N-1 = {least} to {}: numbers in use lie up to N-1 apart, in either direction",
                    u64::MAX / 2
                );
                Err(BadSetting::new("set", format!("numbers={text}: that is too few, or no number"), allowed))
            }
        }
    }

    /// Numbers without bound, which make the state space infinite where sites enter forever.
    pub(crate) fn unbounded(instance: &Instance<'_>, allowed: &str) -> Result<Self, BadSetting> {
        if instance.workload.is_some_and(Workload::is_unbounded) {
            return Err(BadSetting::new("entries", "is forever, and sequence numbers grow without bound", allowed));
        }
        Ok(Self::Unbounded)
    }

    /// The next one.
    pub(crate) fn after(self, number: u64) -> u64 {
        match self {
            Self::Unbounded => number.saturating_add(1),
            Self::Modulo { m, .. } => (number + 1) % m,
        }
    }

    /// A number as it is reported.
    pub(crate) const fn sequence_number(self, value: u64) -> SequenceNumber {
        match self {
            Self::Unbounded => SequenceNumber { value, modulus: None },
            Self::Modulo { m, .. } => SequenceNumber { value, modulus: Some(m) },
        }
    }

    /// a and b as they are compared: modulo M the smaller is increased by M where they differ by N or more.
    const fn unwrapped(self, a: u64, b: u64) -> (u64, u64) {
        match self {
            Self::Modulo { m, n } if a.abs_diff(b) >= n => {
                if a < b {
                    (a + m, b)
                } else {
                    (a, b + m)
                }
            }
            _ => (a, b),
        }
    }

    /// a > b
    const fn exceeds(self, a: u64, b: u64) -> bool {
        let (a, b) = self.unwrapped(a, b);
        a > b
    }

    /// max(a, b)
    pub(crate) fn greatest(self, a: u64, b: u64) -> u64 {
        if self.exceeds(b, a) { b } else { a }
    }

    /// (k > osn) or (k = osn and i < j): whether the request k of j must wait for that of i.
    pub(crate) fn yields(self, (k, j): (u64, Id), (osn, i): (u64, Id)) -> bool {
        self.exceeds(k, osn) || k == osn && i < j
    }

    /// Names the comparison of [`yields`](Self::yields).
    pub(crate) fn compare<P: Processor>(self, (k, j): (u64, Id), (osn, i): (u64, Id), fx: &mut impl Effects<P>) {
        let (k, osn) = self.unwrapped(k, osn);
        fx.compare((k, j), (osn, i));
    }
}

/// s: the number of sites that compete.
fn competitors(instance: &Instance<'_>) -> Option<u128> {
    let load = instance.workload?;
    Some((0..instance.n as Place).filter(|&place| load.asks(place) > 0).count() as u128)
}

/// Messages of a kind, one to every other site for every entry.
pub(crate) const fn for_every_entry<P>(kind: &'static str, source: &'static str) -> Bound<P> {
    Bound {
        quantity: Quantity::Kind(kind),
        kind: BoundKind::Exact,
        formula: "E s (N-1)",
        value: |_, instance| {
            let load = instance.workload.filter(|load| !load.is_unbounded())?;
            let entries = competitors(instance)? * u128::from(load.of_site());
            (instance.undisturbed && instance.together).then(|| Value::int(entries * u128::from(instance.n - 1)))
        },
        source,
        counts: "one to every other site for each of the E entries of each of the s sites that compete, all awake at 0",
    }
}

/// Whether sites have users, and one each.
fn one_user(instance: &Instance<'_>) -> bool {
    instance.workload.is_some_and(|load| load.users == 1)
}

/// The longest delay of a site, where it has one user.
fn of_one_user(instance: &Instance<'_>, delay: Option<u128>) -> Option<Value> {
    let load = instance.workload?;
    delay.filter(|_| load.users == 1).map(Value::int)
}

/// The longest delay of a user, where sites have several, from that of a site: at most U-1 others of its site go first, each of
/// whom the site asks for when the one before has left, and who stays inside for hold r_max at most.
const fn of_several_users<P>(value: fn(&P, &Instance<'_>) -> Option<Value>) -> Bound<P> {
    Bound {
        quantity: Quantity::LongestDelay,
        kind: BoundKind::Worst,
        formula: "U D + (U-1) hold r_max",
        value,
        source: "SpirakisTampakas1989 1 and 2.2.4, derived here",
        counts: "from asking to entering, of one of the U users of a site (--users); D is the bound where sites have one",
    }
}

/// The value of [`of_several_users`].
fn local_delay(instance: &Instance<'_>, delay: Option<u128>) -> Option<Value> {
    let load = instance.workload.filter(|load| load.users > 1)?;
    let (users, hold) = (load.users as u128, u128::from(load.hold.max) * u128::from(instance.timing.r.max));
    Some(Value::int(users * delay? + (users - 1) * hold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_modulo_2n_1_compare_as_the_numbers_themselves_do_while_they_lie_less_than_n_apart() {
        for n in 1..=6u64 {
            for m in 2 * n - 1..=3 * n {
                let numbers = Numbers::Modulo { m, n };
                for a in 0..5 * m {
                    for b in a.saturating_sub(n - 1)..=a + n - 1 {
                        assert_eq!(numbers.exceeds(a % m, b % m), a > b, "{a} and {b} modulo {m}, n = {n}");
                    }
                    assert_eq!(numbers.after(a % m), (a + 1) % m);
                }
            }
        }
    }

    #[test]
    fn modulo_2n_2_they_need_not() {
        // 4 > 2, but modulo 4 that is 0 and 2, less than 3 apart.
        assert!(!Numbers::Modulo { m: 4, n: 3 }.exceeds(4 % 4, 2));
    }
}
