//! SHA-256 (FIPS 180-4): a document names its script by it.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const CONSTANTS: [u32; 64] = roots(3);
/// The same of the square roots of the first eight.
const INITIAL: [u32; 8] = roots(2);

/// The first 32 bits of the fractional parts of the roots of primes.
const fn roots<const COUNT: usize>(degree: u32) -> [u32; COUNT] {
    let mut found = [0; COUNT];
    let (mut index, mut number) = (0, 2u128);
    while index < COUNT {
        if is_prime(number) {
            // The greatest integer whose power is at most the prime, shifted: the root with 32 bits behind the point.
            let power = number << (32 * degree);
            let mut root = 0u128;
            let mut bit = 1u128 << 37;
            while bit > 0 {
                if (root | bit).pow(degree) <= power {
                    root |= bit;
                }
                bit >>= 1;
            }
            found[index] = (root & 0xffff_ffff) as u32;
            index += 1;
        }
        number += 1;
    }
    found
}

const fn is_prime(number: u128) -> bool {
    let mut divisor = 2;
    while divisor * divisor <= number {
        if number.is_multiple_of(divisor) {
            return false;
        }
        divisor += 1;
    }
    true
}

/// The digest of these bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - bytes.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    let mut state = INITIAL;
    for block in padded.chunks_exact(64) {
        compress(&mut state, block);
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut schedule = [0u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for t in 16..64 {
        let [w15, w2] = [schedule[t - 15], schedule[t - 2]];
        let s0 = w15.rotate_right(7) ^ w15.rotate_right(18) ^ w15 >> 3;
        let s1 = w2.rotate_right(17) ^ w2.rotate_right(19) ^ w2 >> 10;
        schedule[t] = schedule[t - 16].wrapping_add(s0).wrapping_add(schedule[t - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (constant, word) in CONSTANTS.iter().zip(schedule) {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = e & f ^ !e & g;
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*constant).wrapping_add(word);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0.wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The examples of FIPS 180-4 and of RFC 6234.
    #[test]
    fn examples_of_the_standard_come_out() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_eq!(hex(&[b'a'; 1_000_000]), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    /// A block has room for the length behind 55 bytes, not behind 56.
    #[test]
    fn every_length_is_padded() {
        let digests: std::collections::BTreeSet<_> = (0..130).map(|length| sha256(&vec![0; length])).collect();
        assert_eq!(digests.len(), 130);
        assert_eq!(hex(&[0; 55]), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
        assert_eq!(hex(&[0; 56]), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
    }
}
