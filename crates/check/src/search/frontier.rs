//! The frontier of the breadth-first search in compressed blocks, and the tree of first predecessors.

use crate::interner::Interned;
use crate::passes::Passes;

use super::memory_budget::MemoryBudget;

/// States of a block: few enough to be shared among workers and freed soon.
const BLOCK: usize = 1024;

/// The overhead of the log of a block, in bytes.
const LOG_BYTES: usize = size_of::<(u64, Vec<u8>)>() + 2 * size_of::<usize>();

/// Some states of a level.
pub(crate) struct FrontierBlock {
    /// The number of its first state in the level.
    pub(crate) first: u64,
    pub(super) width: usize,
    pub(super) states: PackedStates,
    pub(super) fingerprints: Vec<u64>,
    /// The message passes of the path by which each state was first reached, as indices into `distinct`.
    pub(super) sent: Vec<u16>,
    pub(super) distinct: Vec<Passes>,
    pub(super) parents: ParentLog,
    /// Bytes charged to the budget.
    pub(super) bytes: usize,
    /// The number of its states that were expanded before the search was stopped.
    pub(super) expanded: usize,
}

/// State vectors one after the other. Interned values are nearly always small.
pub(super) enum PackedStates {
    Narrow(Vec<u16>),
    Wide(Vec<Interned>),
}

/// For each state of a block, the number of its predecessor, as a difference to that of the state before it, and the
/// index of the transition, in variable-length encoding of seven bits a byte.
#[derive(Default)]
pub(super) struct ParentLog {
    pub(super) bytes: Vec<u8>,
    pub(super) last: u64,
}

impl FrontierBlock {
    /// An empty block, which is charged to the budget even if it exceeds it.
    fn new(width: usize, wide: bool, memory: &MemoryBudget) -> Self {
        let entry = if wide { size_of::<Interned>() } else { size_of::<u16>() };
        let bytes = BLOCK * (width * entry + size_of::<u64>() + size_of::<u16>()) + size_of::<Self>();
        memory.correct(0, bytes);
        Self {
            first: 0,
            width,
            states: if wide {
                PackedStates::Wide(Vec::with_capacity(BLOCK * width))
            } else {
                PackedStates::Narrow(Vec::with_capacity(BLOCK * width))
            },
            fingerprints: Vec::with_capacity(BLOCK),
            sent: Vec::with_capacity(BLOCK),
            distinct: Vec::new(),
            parents: ParentLog::default(),
            bytes,
            expanded: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Adds the successor of a state, given by its writes; `false` if the block has no room for it. `from`: the number
    /// of the predecessor in its level, and the index of the transition.
    #[must_use]
    fn push(
        &mut self,
        state: &[Interned],
        (writes, fingerprint): (&[(u32, Interned)], u64),
        sent: Passes,
        from: (u64, usize),
    ) -> bool {
        if self.len() == BLOCK {
            return false;
        }
        match &mut self.states {
            PackedStates::Narrow(states) => {
                let begin = states.len();
                let mut all = 0;
                states.extend(state.iter().map(|&value| {
                    all |= value;
                    value as u16
                }));
                for &(at, to) in writes {
                    all |= to;
                    states[begin + at as usize] = to as u16;
                }
                if all > Interned::from(u16::MAX) {
                    states.truncate(begin);
                    return false;
                }
            }
            PackedStates::Wide(states) => {
                let begin = states.len();
                states.extend_from_slice(state);
                for &(at, to) in writes {
                    states[begin + at as usize] = to;
                }
            }
        }
        self.fingerprints.push(fingerprint);
        let index = self.index_of(sent);
        self.sent.push(index);
        self.parents.push(from);
        true
    }

    /// The index of message passes in `distinct`. Neighbouring states mostly have the same.
    fn index_of(&mut self, sent: Passes) -> u16 {
        if let Some(&last) = self.sent.last().filter(|&&last| self.distinct[last as usize] == sent) {
            return last;
        }
        let known = self.distinct.iter().position(|&other| other == sent);
        let index = known.unwrap_or(self.distinct.len());
        if known.is_none() {
            self.distinct.push(sent);
        }
        index as u16
    }

    /// The block is complete: memory that was not needed is returned.
    fn close(&mut self, memory: &MemoryBudget) {
        let before = self.bytes;
        memory.correct(before, self.measure());
    }

    /// Measures the block, without memory that is not needed.
    pub(super) fn measure(&mut self) -> usize {
        let states = match &mut self.states {
            PackedStates::Narrow(states) => shrunk(states),
            PackedStates::Wide(states) => shrunk(states),
        };
        let rest = shrunk(&mut self.fingerprints) + shrunk(&mut self.sent) + shrunk(&mut self.distinct);
        let rest = rest + shrunk(&mut self.parents.bytes);
        self.bytes = states + rest + size_of::<Self>();
        self.bytes
    }

    /// Returns its memory to the budget.
    pub(crate) fn drop(self, memory: &MemoryBudget) {
        memory.give(self.bytes);
    }

    /// The vector, the fingerprint and the message passes of a state.
    pub(crate) fn get(&self, index: usize, state: &mut [Interned]) -> (u64, Passes) {
        let range = index * self.width..(index + 1) * self.width;
        match &self.states {
            PackedStates::Narrow(states) => {
                for (to, &from) in state.iter_mut().zip(&states[range]) {
                    *to = Interned::from(from);
                }
            }
            PackedStates::Wide(states) => state.copy_from_slice(&states[range]),
        }
        (self.fingerprints[index], self.distinct[self.sent[index] as usize])
    }
}

/// Shrinks a list to its length; returns its size in bytes.
fn shrunk<T>(list: &mut Vec<T>) -> usize {
    list.shrink_to_fit();
    size_of_val(list.as_slice())
}

impl ParentLog {
    fn push(&mut self, (parent, transition): (u64, usize)) {
        let back = parent < self.last;
        let far = parent.abs_diff(self.last);
        self.push_varint(far << 1 | u64::from(back));
        self.push_varint(transition as u64);
        self.last = parent;
    }

    fn push_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

/// The predecessor of a state of a block, and the index of the transition.
fn parent_of(parents: &[u8], index: u64) -> (u64, usize) {
    let mut bytes = parents.iter();
    let mut varint = || {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = *bytes.next().expect("the log has an entry for every state");
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    };
    let (mut parent, mut transition) = (0u64, 0);
    for _ in 0..=index {
        let step = varint();
        parent = if step & 1 == 0 { parent + (step >> 1) } else { parent - (step >> 1) };
        transition = varint();
    }
    (parent, transition as usize)
}

/// Collects the new states of a worker in blocks.
pub(crate) struct FrontierWriter<'a> {
    width: usize,
    memory: &'a MemoryBudget,
    wide: bool,
    open: Option<FrontierBlock>,
    closed: Vec<FrontierBlock>,
}

impl<'a> FrontierWriter<'a> {
    pub(crate) fn new(width: usize, memory: &'a MemoryBudget) -> Self {
        Self { width, memory, wide: false, open: None, closed: Vec::new() }
    }

    /// Adds a new state; `false` if it exceeds the budget. No state is lost: the search may be resumed with more memory.
    #[must_use]
    pub(crate) fn push(
        &mut self,
        state: &[Interned],
        to: (&[(u32, Interned)], u64),
        sent: Passes,
        from: (u64, usize),
    ) -> bool {
        let mut within = true;
        loop {
            if let Some(block) = &mut self.open {
                if block.push(state, to, sent, from) {
                    return within;
                }
                // A block that is not full has no room for a value above 16 bits.
                self.wide |= block.len() < BLOCK;
                self.close();
            }
            self.open = Some(FrontierBlock::new(self.width, self.wide, self.memory));
            within = !self.memory.is_exceeded();
        }
    }

    fn close(&mut self) {
        if let Some(mut block) = self.open.take() {
            block.close(self.memory);
            self.closed.push(block);
        }
    }

    /// The blocks written.
    pub(crate) fn blocks(mut self) -> Vec<FrontierBlock> {
        self.close();
        self.closed
    }
}

/// The breadth-first tree: the first predecessor of every state.
#[derive(Default)]
pub(crate) struct BfsTree {
    /// By level and block: the number of its first state, and the log of predecessors. For the first level, these are
    /// the indices of the initial states.
    pub(super) levels: Vec<Vec<(u64, Vec<u8>)>>,
}

impl BfsTree {
    /// Makes a level of blocks, numbering their states from 0; returns the number of states.
    pub(crate) fn add(&mut self, blocks: &mut [FrontierBlock]) -> u64 {
        let mut count = 0;
        let mut level = Vec::with_capacity(blocks.len());
        for block in blocks {
            block.first = count;
            count += block.len() as u64;
            let parents = std::mem::take(&mut block.parents).bytes;
            // The log outlives the block.
            block.bytes -= parents.len() + LOG_BYTES;
            level.push((block.first, parents));
        }
        self.levels.push(level);
        count
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.levels.iter().flatten().map(|(_, parents)| parents.len() + LOG_BYTES).sum()
    }

    /// The path to a state, by level and number: the index of its initial state, and the transitions from there.
    pub(crate) fn path(&self, level: u64, mut index: u64) -> (usize, Vec<usize>) {
        let mut path = Vec::new();
        for blocks in self.levels[..=level as usize].iter().rev() {
            let (first, parents) = &blocks[blocks.partition_point(|(first, _)| *first <= index) - 1];
            let (parent, transition) = parent_of(parents, index - first);
            path.push(transition);
            index = parent;
        }
        // No transition leads to the initial state.
        path.pop();
        path.reverse();
        (index as usize, path)
    }
}
