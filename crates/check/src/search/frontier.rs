//! Configurations that were met and not yet gone on from, level by level, and how each was first reached.

use crate::interner::Number;

use super::budget::Budget;

/// Configurations of a block: small enough to be shared among threads and given back soon.
const BLOCK: usize = 1024;

/// What the origins of a block take, beside their bytes.
const ORIGINS: usize = size_of::<(u64, Vec<u8>)>() + 2 * size_of::<usize>();

/// Some configurations of a level.
pub(crate) struct Block {
    /// The number of its first among those of the level.
    pub(crate) first: u64,
    width: usize,
    rows: Rows,
    fingerprints: Vec<u64>,
    /// Message passes on the way by which each was first reached; all bits set: too many.
    sent: Vec<u16>,
    history: History,
    /// What it was charged.
    bytes: usize,
}

/// Rows one after the other; nearly always their numbers are small.
enum Rows {
    Narrow(Vec<u16>),
    Wide(Vec<Number>),
}

/// For each configuration of a block the number of the one it was first reached from, less that of the one before it in the
/// block, and which of its ways; in bytes of seven bits each.
#[derive(Default)]
struct History {
    bytes: Vec<u8>,
    last: u64,
}

impl Block {
    /// An empty one, if there is memory for it.
    fn new(width: usize, wide: bool, budget: &Budget) -> Option<Self> {
        let number = if wide { size_of::<Number>() } else { size_of::<u16>() };
        let bytes = BLOCK * (width * number + size_of::<u64>() + size_of::<u16>()) + size_of::<Self>();
        budget.take(bytes).then(|| Self {
            first: 0,
            width,
            rows: if wide {
                Rows::Wide(Vec::with_capacity(BLOCK * width))
            } else {
                Rows::Narrow(Vec::with_capacity(BLOCK * width))
            },
            fingerprints: Vec::with_capacity(BLOCK),
            sent: Vec::with_capacity(BLOCK),
            history: History::default(),
            bytes,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Adds what a way leads to from a row; `false` if it has no room here. `from`: the number of the row in its level, and
    /// that of the way.
    #[must_use]
    fn push(
        &mut self,
        row: &[Number],
        (changes, fingerprint): (&[(u32, Number)], u64),
        sent: u16,
        from: (u64, usize),
    ) -> bool {
        if self.len() == BLOCK {
            return false;
        }
        match &mut self.rows {
            Rows::Narrow(rows) => {
                let begin = rows.len();
                let mut all = 0;
                rows.extend(row.iter().map(|&number| {
                    all |= number;
                    number as u16
                }));
                for &(at, to) in changes {
                    all |= to;
                    rows[begin + at as usize] = to as u16;
                }
                if all > Number::from(u16::MAX) {
                    rows.truncate(begin);
                    return false;
                }
            }
            Rows::Wide(rows) => {
                let begin = rows.len();
                rows.extend_from_slice(row);
                for &(at, to) in changes {
                    rows[begin + at as usize] = to;
                }
            }
        }
        self.fingerprints.push(fingerprint);
        self.sent.push(sent);
        self.history.push(from);
        true
    }

    /// Nothing more comes: memory that was not needed is given back.
    fn close(&mut self, budget: &Budget) {
        let rows = match &mut self.rows {
            Rows::Narrow(rows) => shrunk(rows),
            Rows::Wide(rows) => shrunk(rows),
        };
        let rest = shrunk(&mut self.fingerprints) + shrunk(&mut self.sent) + shrunk(&mut self.history.bytes);
        let bytes = rows + rest + size_of::<Self>();
        budget.correct(self.bytes, bytes);
        self.bytes = bytes;
    }

    /// What it holds is no longer needed.
    pub(crate) fn drop(self, budget: &Budget) {
        budget.give(self.bytes);
    }

    /// The row, the fingerprint and the message passes of one of its configurations.
    pub(crate) fn get(&self, index: usize, row: &mut [Number]) -> (u64, u16) {
        let range = index * self.width..(index + 1) * self.width;
        match &self.rows {
            Rows::Narrow(rows) => {
                for (to, &from) in row.iter_mut().zip(&rows[range]) {
                    *to = Number::from(from);
                }
            }
            Rows::Wide(rows) => row.copy_from_slice(&rows[range]),
        }
        (self.fingerprints[index], self.sent[index])
    }
}

/// Makes a list as small as it can be, and says how many bytes that are.
fn shrunk<T>(list: &mut Vec<T>) -> usize {
    list.shrink_to_fit();
    size_of_val(list.as_slice())
}

impl History {
    fn push(&mut self, (parent, way): (u64, usize)) {
        let back = parent < self.last;
        let far = parent.abs_diff(self.last);
        self.number(far << 1 | u64::from(back));
        self.number(way as u64);
        self.last = parent;
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

/// The parent and the way of one of the configurations of a block.
fn origin(history: &[u8], index: u64) -> (u64, usize) {
    let mut bytes = history.iter();
    let mut number = || {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = *bytes.next().expect("it goes on");
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    };
    let (mut parent, mut way) = (0u64, 0);
    for _ in 0..=index {
        let step = number();
        parent = if step & 1 == 0 { parent + (step >> 1) } else { parent - (step >> 1) };
        way = number();
    }
    (parent, way as usize)
}

/// Where to put what a thread meets.
pub(crate) struct Writer<'a> {
    width: usize,
    budget: &'a Budget,
    wide: bool,
    open: Option<Block>,
    closed: Vec<Block>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(width: usize, budget: &'a Budget) -> Self {
        Self { width, budget, wide: false, open: None, closed: Vec::new() }
    }

    /// Adds what a way leads to; `false` if there is no memory for it.
    #[must_use]
    pub(crate) fn push(&mut self, row: &[Number], to: (&[(u32, Number)], u64), sent: u16, from: (u64, usize)) -> bool {
        loop {
            if let Some(block) = &mut self.open {
                if block.push(row, to, sent, from) {
                    return true;
                }
                // One that is not full has a number that is too large for it.
                self.wide |= block.len() < BLOCK;
                self.close();
            }
            self.open = Block::new(self.width, self.wide, self.budget);
            if self.open.is_none() {
                return false;
            }
        }
    }

    fn close(&mut self) {
        if let Some(mut block) = self.open.take() {
            block.close(self.budget);
            self.closed.push(block);
        }
    }

    /// What was put here.
    pub(crate) fn blocks(mut self) -> Vec<Block> {
        self.close();
        self.closed
    }
}

/// How every configuration was first reached.
#[derive(Default)]
pub(crate) struct Ancestry {
    /// By level and block: the number of its first, and where they came from; those of the first level from the beginning
    /// of their number.
    levels: Vec<Vec<(u64, Vec<u8>)>>,
}

impl Ancestry {
    /// Makes a level of blocks: from now on their configurations have numbers, from 0. Says how many there are.
    pub(crate) fn add(&mut self, blocks: &mut [Block]) -> u64 {
        let mut count = 0;
        let mut level = Vec::with_capacity(blocks.len());
        for block in blocks {
            block.first = count;
            count += block.len() as u64;
            let history = std::mem::take(&mut block.history).bytes;
            // It stays when the block goes.
            block.bytes -= history.len() + ORIGINS;
            level.push((block.first, history));
        }
        self.levels.push(level);
        count
    }

    /// What it occupies.
    pub(crate) fn bytes(&self) -> usize {
        self.levels.iter().flatten().map(|(_, history)| history.len() + ORIGINS).sum()
    }

    /// The way from a beginning to a configuration of a level, by its number: the number of the beginning, and which way
    /// was gone from each to the next.
    pub(crate) fn path(&self, level: u64, mut number: u64) -> (usize, Vec<usize>) {
        let mut path = Vec::new();
        for blocks in self.levels[..=level as usize].iter().rev() {
            let (first, history) = &blocks[blocks.partition_point(|(first, _)| *first <= number) - 1];
            let (parent, way) = origin(history, number - first);
            path.push(way);
            number = parent;
        }
        // Nobody went to the beginning.
        path.pop();
        path.reverse();
        (number as usize, path)
    }
}
