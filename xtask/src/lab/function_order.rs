//! Puts the functions of a WebAssembly module in an order in which they compress well.
//!
//! Engines are compiled once for each problem, so that a module has several functions that differ in little. Compression finds
//! what is repeated within 32 KB only, and the linker leaves similar functions megabytes apart. A chain in which every function
//! is followed by the most similar one that is left makes a module a fifth smaller.
//!
//! A function is known by its number, so that all numbers change: in calls, tables and exports.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A module with its functions in another order.
pub(super) fn sorted(module: &[u8]) -> Result<Vec<u8>, String> {
    let sections = sections(module)?;
    let imported = imported_functions(content(&sections, IMPORTS))?;
    let types = numbers(content(&sections, FUNCTIONS))?;
    let bodies = bodies(content(&sections, CODE))?;
    if types.len() != bodies.len() {
        return Err(format!("{} functions have {} bodies", types.len(), bodies.len()));
    }
    let order = similarity_order(&bodies);
    let mut number = vec![0; imported + bodies.len()];
    for (imported, number) in number.iter_mut().enumerate().take(imported) {
        *number = imported as u64;
    }
    for (position, &function) in order.iter().enumerate() {
        number[imported + function] = (imported + position) as u64;
    }
    let renumber = Renumber(&number);
    let mut out = module[..HEAD].to_vec();
    for &(id, content) in &sections {
        let new = match id {
            // Names of functions, and whatever else a page does not need.
            CUSTOM => continue,
            FUNCTIONS => {
                let mut new = leb(types.len() as u64);
                order.iter().for_each(|&function| new.extend(leb(types[function])));
                new
            }
            EXPORTS => renumber.exports(content)?,
            START => renumber.start(content)?,
            ELEMENTS => renumber.elements(content)?,
            CODE => {
                let mut new = leb(bodies.len() as u64);
                for &function in &order {
                    let body = renumber.body(bodies[function])?;
                    new.extend(leb(body.len() as u64));
                    new.extend(body);
                }
                new
            }
            _ => content.to_vec(),
        };
        out.push(id);
        out.extend(leb(new.len() as u64));
        out.extend(new);
    }
    Ok(out)
}

/// The functions in a chain: each is followed by the one that has most in common with it, and a chain begins with the longest
/// function that is left.
fn similarity_order(bodies: &[&[u8]]) -> Vec<usize> {
    let samples: Vec<BTreeSet<u64>> = bodies.iter().map(|body| samples(body)).collect();
    let mut with: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (function, samples) in samples.iter().enumerate() {
        samples.iter().for_each(|&sample| with.entry(sample).or_default().push(function));
    }
    // What many functions have in common tells nothing.
    with.retain(|_, functions| (2..=COMMON).contains(&functions.len()));
    let mut longest: Vec<usize> = (0..bodies.len()).collect();
    longest.sort_by_key(|&function| Reverse(bodies[function].len()));
    let (mut taken, mut order) = (vec![false; bodies.len()], Vec::new());
    for first in longest {
        let mut next = Some(first).filter(|&first| !taken[first]);
        while let Some(function) = next {
            taken[function] = true;
            order.push(function);
            let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
            for other in samples[function].iter().filter_map(|sample| with.get(sample)).flatten() {
                if !taken[*other] {
                    *shared.entry(*other).or_default() += 1;
                }
            }
            // Of those that are equally similar, the first.
            let similarity = |&(other, count): &(usize, usize)| {
                (count * 1_000_000 / (samples[function].len() + samples[other].len() - count), Reverse(other))
            };
            next = shared.into_iter().filter(|&(_, count)| count > 1).max_by_key(similarity).map(|(other, _)| other);
        }
    }
    order
}

/// Hashes of one in sixteen of the runs of bytes in a function, chosen by the hashes, so that equal runs are chosen in both of
/// two functions.
fn samples(body: &[u8]) -> BTreeSet<u64> {
    let hash = |run: &[u8]| run.iter().fold(FNV_OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
    // The low bits of such a hash depend on the low bits of the bytes only.
    body.windows(RUN).map(hash).filter(|hash| (hash >> 32).is_multiple_of(SAMPLED)).collect()
}

const RUN: usize = 8;
const SAMPLED: u64 = 16;
/// A run in more functions than this is common.
const COMMON: usize = 40;
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;
/// The length of the magic number and the version.
const HEAD: usize = 8;

const CUSTOM: u8 = 0;
const IMPORTS: u8 = 2;
const FUNCTIONS: u8 = 3;
const EXPORTS: u8 = 7;
const START: u8 = 8;
const ELEMENTS: u8 = 9;
const CODE: u8 = 10;

/// Reads bytes from the front of a slice.
struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    fn byte(&mut self) -> Result<u8, String> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or("the module ends too early")?;
        self.0 = rest;
        Ok(bytes)
    }

    /// An unsigned number.
    fn number(&mut self) -> Result<u64, String> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            match byte & 0x80 {
                0 => return Ok(number),
                _ if shift > 63 => return Err("a number is too long".to_string()),
                _ => {}
            }
        }
    }

    fn count(&mut self) -> Result<usize, String> {
        self.number().map(|number| number as usize)
    }

    /// A number, as it is written, and what it means: 0 for a negative one.
    fn skip(&mut self) -> Result<(), String> {
        while self.byte()? & 0x80 != 0 {}
        Ok(())
    }

    fn sized(&mut self) -> Result<&'a [u8], String> {
        let size = self.count()?;
        self.bytes(size)
    }
}

/// A number in as few bytes as possible.
fn leb(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

fn sections(module: &[u8]) -> Result<Vec<(u8, &[u8])>, String> {
    if !module.starts_with(b"\0asm\x01\0\0\0") {
        return Err("this is no module".to_string());
    }
    let (mut reader, mut sections) = (ByteReader(&module[HEAD..]), Vec::new());
    while !reader.0.is_empty() {
        sections.push((reader.byte()?, reader.sized()?));
    }
    Ok(sections)
}

fn content<'a>(sections: &[(u8, &'a [u8])], id: u8) -> &'a [u8] {
    sections.iter().find(|section| section.0 == id).map_or(&[0], |section| section.1)
}

/// A list of numbers.
fn numbers(content: &[u8]) -> Result<Vec<u64>, String> {
    let mut reader = ByteReader(content);
    (0..reader.count()?).map(|_| reader.number()).collect()
}

fn bodies(content: &[u8]) -> Result<Vec<&[u8]>, String> {
    let mut reader = ByteReader(content);
    (0..reader.count()?).map(|_| reader.sized()).collect()
}

/// The number of functions that are imported: they have the first numbers.
fn imported_functions(content: &[u8]) -> Result<usize, String> {
    let (mut reader, mut functions) = (ByteReader(content), 0);
    for _ in 0..reader.count()? {
        reader.sized()?;
        reader.sized()?;
        match reader.byte()? {
            0 => {
                reader.skip()?;
                functions += 1;
            }
            kind => return Err(format!("an import has kind {kind}; allowed: functions")),
        }
    }
    Ok(functions)
}

/// The new number of each function.
struct Renumber<'a>(&'a [u64]);

impl Renumber<'_> {
    fn of(&self, function: u64) -> Result<Vec<u8>, String> {
        let new = self.0.get(function as usize).ok_or_else(|| format!("there is no function {function}"))?;
        Ok(leb(*new))
    }

    fn exports(&self, content: &[u8]) -> Result<Vec<u8>, String> {
        let mut reader = ByteReader(content);
        let count = reader.number()?;
        let mut out = leb(count);
        for _ in 0..count {
            let name = reader.sized()?;
            out.extend(leb(name.len() as u64));
            out.extend(name);
            let (kind, index) = (reader.byte()?, reader.number()?);
            out.push(kind);
            out.extend(if kind == 0 { self.of(index)? } else { leb(index) });
        }
        Ok(out)
    }

    fn start(&self, content: &[u8]) -> Result<Vec<u8>, String> {
        self.of(ByteReader(content).number()?)
    }

    fn elements(&self, content: &[u8]) -> Result<Vec<u8>, String> {
        let mut reader = ByteReader(content);
        let count = reader.number()?;
        let mut out = leb(count);
        for _ in 0..count {
            match reader.number()? {
                0 => out.push(0),
                kind => return Err(format!("an element segment has kind {kind}; allowed: 0")),
            }
            // Its offset: a constant and the end of the expression.
            let before = reader.0;
            if reader.byte()? != 0x41 {
                return Err("the offset of an element segment is no constant".to_string());
            }
            reader.skip()?;
            reader.byte()?;
            out.extend(&before[..before.len() - reader.0.len()]);
            let functions = reader.number()?;
            out.extend(leb(functions));
            for _ in 0..functions {
                out.extend(self.of(reader.number()?)?);
            }
        }
        Ok(out)
    }

    /// The body of a function.
    fn body(&self, body: &[u8]) -> Result<Vec<u8>, String> {
        let mut reader = ByteReader(body);
        for _ in 0..reader.count()? {
            reader.skip()?;
            reader.byte()?;
        }
        let mut out = body[..body.len() - reader.0.len()].to_vec();
        while !reader.0.is_empty() {
            let instruction = reader.0;
            let opcode = reader.byte()?;
            if let CALL | RETURN_CALL | REF_FUNC = opcode {
                out.push(opcode);
                out.extend(self.of(reader.number()?)?);
                continue;
            }
            skip_operands(opcode, &mut reader)?;
            out.extend(&instruction[..instruction.len() - reader.0.len()]);
        }
        Ok(out)
    }
}

const CALL: u8 = 0x10;
const RETURN_CALL: u8 = 0x12;
const REF_FUNC: u8 = 0xd2;

/// Skips what follows an opcode that names no function.
fn skip_operands(opcode: u8, reader: &mut ByteReader<'_>) -> Result<(), String> {
    let count = match opcode {
        // Blocks, branches, variables, tables, sizes of memory, integers.
        0x02..=0x04 | 0x0c | 0x0d | 0x20..=0x26 | 0x3f..=0x42 | 0xd0 => 1,
        // Indirect calls: type and table. Loads and stores: alignment and offset.
        0x11 | 0x13 | 0x28..=0x3e => 2,
        // A table of branches, and a selection of a type.
        0x0e => reader.count()? + 1,
        0x1c => reader.count()?,
        0x43 => return reader.bytes(4).map(drop),
        0x44 => return reader.bytes(8).map(drop),
        0xfc => match reader.number()? {
            0..=7 => 0,
            9 | 11 | 13 | 15..=17 => 1,
            8 | 10 | 12 | 14 => 2,
            other => return Err(format!("the opcode 0xfc {other} is not known here")),
        },
        0x00 | 0x01 | 0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 => 0,
        other => return Err(format!("the opcode {other:#04x} is not known here")),
    };
    (0..count).try_for_each(|_| reader.skip())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section.
    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        [&[id], leb(content.len() as u64).as_slice(), content].concat()
    }

    /// A module with an imported function, three of its own that call each other, a table, an export and a name.
    fn module(functions: [u8; 3], bodies: [&[u8]; 3], exported: u8, elements: [u8; 2]) -> Vec<u8> {
        let code: Vec<u8> = bodies.iter().flat_map(|body| section(body.len() as u8, body)[1..].to_vec()).collect();
        let [one, other] = elements;
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &[1, 0x60, 0, 0]),
            section(IMPORTS, &[1, 1, b'm', 1, b'f', 0, 0]),
            section(FUNCTIONS, &[&[3], functions.as_slice()].concat()),
            section(EXPORTS, &[1, 1, b'e', 0, exported]),
            section(ELEMENTS, &[1, 0, 0x41, 1, 0x0b, 2, one, other]),
            section(CODE, &[&[3], code.as_slice()].concat()),
        ]
        .concat()
    }

    #[test]
    fn functions_get_another_order_and_all_numbers_follow() {
        // Function 1 has a local variable and calls 2 and the import; 2 and 3 have none, and call 3 and 1.
        let one: &[u8] = &[0, 0x10, 2, 0x10, 0, 0x0b];
        let two: &[u8] = &[0, 0x41, 0x80, 0x7f, 0x1a, 0x10, 3, 0x0b];
        let three: &[u8] = &[1, 1, 0x7f, 0x41, 0x80, 0x7f, 0x1a, 0x10, 1, 0x0b];
        let named = [module([0, 0, 0], [one, two, three], 2, [1, 3]), section(CUSTOM, b"\x04name")].concat();
        // The longest first: 3, 2, 1, which are 1, 2 and 3 now.
        let new_one: &[u8] = &[0, 0x10, 2, 0x10, 0, 0x0b];
        let new_two: &[u8] = &[0, 0x41, 0x80, 0x7f, 0x1a, 0x10, 1, 0x0b];
        let new_three: &[u8] = &[1, 1, 0x7f, 0x41, 0x80, 0x7f, 0x1a, 0x10, 3, 0x0b];
        assert_eq!(sorted(&named), Ok(module([0, 0, 0], [new_three, new_two, new_one], 2, [3, 1])));
    }

    #[test]
    fn similar_functions_stand_together() {
        let text = |seed: u8, length: u8| -> Vec<u8> {
            (0..length).map(|i| i.wrapping_mul(7) ^ i.rotate_left(3) ^ seed).collect()
        };
        let (one, other) = (text(0, 200), text(99, 220));
        let one_changed = [&one[..90], &[1, 2, 3], &one[90..]].concat();
        let other_changed = [&other[..50], &[4, 5], &other[50..]].concat();
        let order = similarity_order(&[&one, &other, &one_changed, &other_changed]);
        assert_eq!(order, [3, 1, 2, 0]);
    }

    #[test]
    fn operands_are_skipped_whatever_they_are() {
        let operands: [(u8, &[u8]); 12] = [
            (0x02, &[0x40]),
            (0x0e, &[2, 0, 1, 2]),
            (0x11, &[0x80, 0x01, 0]),
            (0x1c, &[1, 0x7f]),
            (0x28, &[2, 0x90, 0x01]),
            (0x41, &[0xff, 0xff, 0x7f]),
            (0x43, &[0x10, 1, 2, 3]),
            (0x44, &[0x10, 1, 2, 3, 4, 5, 6, 7]),
            (0xd0, &[0x70]),
            (0xfc, &[0]),
            (0xfc, &[10, 0, 0]),
            (0xfc, &[11, 0]),
        ];
        for (opcode, operands) in operands {
            let mut reader = ByteReader(operands);
            assert_eq!(skip_operands(opcode, &mut reader), Ok(()), "{opcode:#04x}");
            assert!(reader.0.is_empty(), "{opcode:#04x}");
        }
        assert!(skip_operands(0xfd, &mut ByteReader(&[0])).is_err());
    }

    #[test]
    fn what_is_no_module_is_refused() {
        for bytes in [&b""[..], b"\0asm", b"\0asm\x01\0\0\0\x0a\x7f"] {
            assert!(sorted(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX)] {
            assert_eq!(ByteReader(&leb(number)).number(), Ok(number));
        }
        // Linkers pad numbers that they fill in.
        assert_eq!(ByteReader(&[0x85, 0x80, 0x80, 0x80, 0]).number(), Ok(5));
    }
}
