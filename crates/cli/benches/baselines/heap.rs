//! The plain baseline: one `BinaryHeap` of events, one `step` per delivery.
//!
//! This is what a competent person writes in an hour and would be content with. Nothing here is slow on purpose and
//! nothing is clever. The semantics, the random numbers and the order of delivery are those of `hand.rs`, so that the two
//! can be checked against each other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const MAX_DELAY: u64 = 1000;

/// What a run leaves behind; equal for both baselines on the same input.
#[derive(Debug, PartialEq, Eq)]
pub struct HeapOutcome {
    /// Messages delivered.
    pub deliveries: u64,
    /// The time of the last delivery.
    pub end_time: u64,
    /// Rings: the sum of (place + 1) * recorded leader, wrapping. Phold: the sum of the counters.
    pub checksum: u64,
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The high word of a 64 by 64 bit product: `random` scaled to `0..range`.
fn scale(random: u64, range: u64) -> u64 {
    ((u128::from(random) * u128::from(range)) >> 64) as u64
}

/// The derived order is by time, then by sequence number, which is unique: events of one instant come in the order sent.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct HeapEvent<M> {
    time: u64,
    sequence: u64,
    place: u32,
    message: M,
}

/// The pending events and the clock.
struct Queue<M> {
    heap: BinaryHeap<Reverse<HeapEvent<M>>>,
    now: u64,
    sent: u64,
    delivered: u64,
}

impl<M: Ord> Queue<M> {
    fn with_capacity(capacity: usize) -> Self {
        Queue { heap: BinaryHeap::with_capacity(capacity), now: 0, sent: 0, delivered: 0 }
    }

    fn send(&mut self, time: u64, place: u32, message: M) {
        let sequence = self.sent;
        self.sent += 1;
        self.heap.push(Reverse(HeapEvent { time, sequence, place, message }));
    }

    /// Takes the next event and moves the clock to it.
    fn next(&mut self) -> Option<(u32, M)> {
        let Reverse(event) = self.heap.pop()?;
        self.now = event.time;
        self.delivered += 1;
        Some((event.place, event.message))
    }

    fn next_time(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(event)| event.time)
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum HeapMessage {
    Candidate(u32),
    Leader(u32),
}

/// A Chang-Roberts processor; 0 stands for a leader not yet known.
struct HeapProcessor {
    id: u32,
    leader: u32,
}

impl HeapProcessor {
    /// Takes one message and returns the one to pass on, if any.
    fn step(&mut self, message: HeapMessage) -> Option<HeapMessage> {
        match message {
            HeapMessage::Candidate(id) if id > self.id => Some(message),
            HeapMessage::Candidate(id) if id < self.id => None,
            HeapMessage::Candidate(id) => {
                self.leader = id;
                Some(HeapMessage::Leader(id))
            }
            HeapMessage::Leader(id) if id == self.id => None,
            HeapMessage::Leader(id) => {
                self.leader = id;
                Some(message)
            }
        }
    }
}

/// Chang-Roberts on a ring; `arrival(place, now)` is when a message sent now by `place` reaches its successor.
fn ring(ids: &[u32], mut arrival: impl FnMut(u32, u64) -> u64) -> HeapOutcome {
    let n = ids.len() as u32;
    let next = |place| if place + 1 == n { 0 } else { place + 1 };
    let mut processors: Vec<HeapProcessor> = ids.iter().map(|&id| HeapProcessor { id, leader: 0 }).collect();
    let mut queue = Queue::with_capacity(ids.len());
    for (place, &id) in (0..n).zip(ids) {
        queue.send(arrival(place, 0), next(place), HeapMessage::Candidate(id));
    }
    while let Some((place, message)) = queue.next() {
        if let Some(message) = processors[place as usize].step(message) {
            queue.send(arrival(place, queue.now), next(place), message);
        }
    }
    HeapOutcome {
        deliveries: queue.delivered,
        end_time: queue.now,
        checksum: (1..)
            .zip(&processors)
            .fold(0, |sum: u64, (i, p)| sum.wrapping_add(u64::wrapping_mul(i, p.leader.into()))),
    }
}

/// Chang-Roberts with all link delays 1.
pub fn ring_unit(ids: &[u32]) -> HeapOutcome {
    ring(ids, |_, now| now + 1)
}

/// The link from a processor to its successor.
struct Link {
    key: u64,
    sent: u64,
    last_arrival: u64,
}

/// Chang-Roberts with link delays uniform in `1..=1000` and FIFO links.
pub fn ring_random(ids: &[u32], seed: u64) -> HeapOutcome {
    let mut links: Vec<Link> = (0..ids.len() as u64)
        .map(|place| Link {
            key: mix(seed.wrapping_add(GOLDEN)).wrapping_add((place << 32).wrapping_mul(GOLDEN)),
            sent: 0,
            last_arrival: 0,
        })
        .collect();
    ring(ids, |place, now| {
        let link = &mut links[place as usize];
        link.sent += 1;
        let random = mix(link.key.wrapping_add(link.sent.wrapping_mul(GOLDEN)));
        let time = now + 1 + scale(random, MAX_DELAY);
        link.last_arrival = link.last_arrival.max(time);
        link.last_arrival
    })
}

/// Phold: `n` events in flight, each of which counts and sends one to another processor after a delay in `1..=1000`.
/// Ends with the instant in which the number of deliveries is reached.
pub fn phold(n: u32, seed: u64, deliveries: u64) -> HeapOutcome {
    let mut counters = vec![0u64; n as usize];
    let mut random = seed;
    let mut queue = Queue::with_capacity(n as usize);
    let mut send = |queue: &mut Queue<()>, from: u32| {
        random = random.wrapping_add(GOLDEN);
        // One product gives both: its high word is the destination, its low word is the remaining randomness.
        let product = u128::from(mix(random)) * u128::from(n - 1);
        let other = (product >> 64) as u32;
        let to = if other < from { other } else { other + 1 };
        let delay = 1 + scale(product as u64, MAX_DELAY);
        queue.send(queue.now + delay, to, ());
    };
    for place in 0..n {
        send(&mut queue, place);
    }
    while queue.delivered < deliveries || queue.next_time() == Some(queue.now) {
        let Some((place, ())) = queue.next() else {
            break;
        };
        counters[place as usize] += 1;
        send(&mut queue, place);
    }
    HeapOutcome { deliveries: queue.delivered, end_time: queue.now, checksum: counters.iter().sum() }
}
