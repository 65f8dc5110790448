//! Logarithms in integers, for bounds.

use ringleader_model::Value;

const PLACES: u32 = 32;

/// (numerator / denominator) · n log2 n, rounded up: too large by less than n / 2^31 times the factor.
pub(crate) fn n_log2_n(n: u64, numerator: u32, denominator: u32) -> Value {
    Value::ratio(u128::from(numerator) * u128::from(n) * log2(n), u128::from(denominator) << PLACES)
}

/// ⌈n log2 n⌉; too large by one at most where n log2 n lies less than n / 2^31 below a whole number.
pub(crate) fn ceil_n_log2_n(n: u64) -> u128 {
    (u128::from(n) * log2(n)).div_ceil(1 << PLACES)
}

/// log2 n in units of 2^-32, rounded up; exact for powers of two.
fn log2(n: u64) -> u128 {
    const ONE: u128 = 1 << 63;
    let whole = n.ilog2();
    // n / 2^whole, from 1 to below 2. Squared, it gives the next binary place of its logarithm. Everything lost is
    // rounded up, so that the places found are never too small.
    let mut rest = u128::from(n) << (63 - whole);
    let mut log = u128::from(whole);
    for _ in 0..PLACES {
        rest = (rest * rest).div_ceil(ONE);
        let place = u128::from(rest >= 2 * ONE);
        rest = rest.div_ceil(1 + place);
        log = log << 1 | place;
    }
    log + u128::from(rest > ONE)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;

    #[test]
    fn powers_of_two_are_exact() {
        for k in 0..64u32 {
            assert_eq!(log2(1 << k), u128::from(k) << PLACES);
        }
        assert_eq!(n_log2_n(8, 3, 2), Value::int(36));
        assert_eq!(n_log2_n(1, 3, 2), Value::ZERO);
    }

    #[test]
    fn rounded_up_it_is_the_length_of_a_power() {
        // ⌈n log2 n⌉ is the least k with 2^k ≥ n^n: the length of n^n - 1.
        for n in 1..2000u32 {
            let power = BigUint::from(n).pow(n) - 1u32;
            assert_eq!(ceil_n_log2_n(n.into()), power.bits().into(), "{n}");
        }
    }

    #[test]
    fn others_lie_between_fractions_that_powers_prove() {
        assert!(3u128.pow(53) > 1 << 84 && 3u128.pow(41) < 1 << 65);
        assert!(log2(3) * 53 > 84 << PLACES && log2(3) * 41 < 65 << PLACES);
        assert!(5u128.pow(31) > 1 << 71 && 5u128.pow(28) < 1 << 66);
        assert!(log2(5) * 31 > 71 << PLACES && log2(5) * 28 < 66 << PLACES);
    }

    #[test]
    fn logarithms_of_products_are_sums_but_for_the_last_places() {
        let numbers = [3, 5, 7, 10, 97, 1000, 65_537, 4_294_967_295];
        for a in numbers {
            for b in numbers {
                let (product, sum) = (log2(a * b), log2(a) + log2(b));
                assert!(product.abs_diff(sum) <= 2, "{a} and {b}: {product} and {sum}");
            }
        }
        // Next to a power of two the logarithm is rounded up to it: it never falls below.
        assert_eq!(log2(u64::MAX), 64 << PLACES);
    }
}
