//! The limit: for each workload the fastest loop we can write on one core.
//!
//! Every delivery happens, one by one and in the order of time; nothing is skipped by a closed form. But each loop knows its
//! workload, and what it knows it uses:
//!
//! * `ring_unit`: all delays are 1, so the events of the next tick replace those of this tick in one array.
//! * `ring_random`: many messages in flight at first, few for most of the time. While they are many, a [`Wheel`] of
//!   chunked buckets, with prefetch; when they are few, linked lists and a bitmap, with next to no branch to mispredict.
//! * `phold`: the same wheel, four bytes an event.
//!
//! The semantics, the random numbers and the order of delivery are those of `heap.rs`.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const MAX_DELAY: u64 = 1000;

/// What a run leaves behind; equal for both baselines on the same input.
#[derive(Debug, PartialEq, Eq)]
pub struct HandOutcome {
    /// Messages delivered.
    pub deliveries: u64,
    /// The time of the last delivery.
    pub end_time: u64,
    /// Rings: the sum of (place + 1) * recorded leader, wrapping. Phold: the sum of the counters.
    pub checksum: u64,
}

/// Chang-Roberts with all link delays 1.
pub fn ring_unit(ids: &[u32]) -> HandOutcome {
    let n = ids.len() as u32;
    let mut in_flight: Vec<Pass> = (0..n).zip(ids).map(|(place, &id)| Pass { place: next(place, n), id }).collect();
    let mut now = 0;
    let mut deliveries = 0;
    let mut elected = None;
    while !in_flight.is_empty() {
        now += 1;
        deliveries += in_flight.len() as u64;
        let mut kept = 0;
        for i in 0..in_flight.len() {
            let arrived = in_flight[i];
            let own = ids[arrived.place as usize];
            if arrived.id == own {
                elected = Some(arrived);
            }
            // A swallowed message is overwritten by the next one: no branch, and the order of the places is kept.
            in_flight[kept] = Pass { place: next(arrived.place, n), id: arrived.id };
            kept += usize::from(arrived.id > own);
        }
        in_flight.truncate(kept);
    }
    let (passes, duration, checksum) = announce(ids, elected.expect("the greatest comes home"), |_| 1);
    HandOutcome { deliveries: deliveries + passes, end_time: now + duration, checksum }
}

/// Chang-Roberts with link delays uniform in `1..=1000` and FIFO links.
pub fn ring_random(ids: &[u32], seed: u64) -> HandOutcome {
    let n = ids.len() as u32;
    let mut processors: Vec<HandProcessor> =
        (0..n).zip(ids).map(|(place, &id)| HandProcessor::new(id, seed, place)).collect();
    let mut wheel = Wheel::with_capacity(ids.len());
    for (place, processor) in (0..n).zip(&mut processors) {
        wheel.push(processor.send(0), Pass { place: next(place, n), id: processor.id });
    }
    let (early, now) = many_in_flight(&mut processors, &mut wheel);
    let (late, now, elected) = few_in_flight(&mut processors, &mut wheel, now);
    // On every link the elected id was the last to pass and has arrived, so FIFO asks nothing of the announcement.
    let (passes, duration, checksum) = announce(ids, elected, |place| processors[place as usize].draw_delay());
    HandOutcome { deliveries: early + late + passes, end_time: now + duration, checksum }
}

/// The same as [`ring_unit`] in causal order: every message is followed through a block of places before the next one, and all
/// messages through a block before the next block. Nothing is queued but the messages that leave a block.
pub fn ring_unit_causal(ids: &[u32]) -> HandOutcome {
    let mut links = UnitLinks;
    causal(ids, &mut links, |_, _| 1)
}

/// The same as [`ring_random`] in causal order.
pub fn ring_random_causal(ids: &[u32], seed: u64) -> HandOutcome {
    let n = ids.len() as u32;
    let mut links: Vec<HandProcessor> =
        (0..n).zip(ids).map(|(place, &id)| HandProcessor::new(id, seed, place)).collect();
    let outcome = causal(ids, &mut links, |links, place| links[place as usize].draw_delay());
    assert!(outcome.end_time < FORGET, "last arrivals modulo 2^32 are not ambiguous");
    outcome
}

/// What causal order needs to know of links.
trait CausalLinks {
    fn send(&mut self, place: usize, now: u64) -> u64;
    fn id(&self, ids: &[u32], place: usize) -> u32;
}

struct UnitLinks;

impl CausalLinks for UnitLinks {
    #[inline(always)]
    fn send(&mut self, _: usize, now: u64) -> u64 {
        now + 1
    }

    #[inline(always)]
    fn id(&self, ids: &[u32], place: usize) -> u32 {
        ids[place]
    }
}

impl CausalLinks for Vec<HandProcessor> {
    #[inline(always)]
    fn send(&mut self, place: usize, now: u64) -> u64 {
        self[place].send(now)
    }

    #[inline(always)]
    fn id(&self, _: &[u32], place: usize) -> u32 {
        self[place].id
    }
}

/// The places of a block, whose states stay in the cache.
const BLOCK: usize = 1024;

fn causal<L: CausalLinks>(ids: &[u32], links: &mut L, delay: impl Fn(&mut L, u32) -> u64) -> HandOutcome {
    let (mut deliveries, mut end, mut elected) = (0, 0, None);
    let (mut entering, mut leaving) = (Vec::new(), Vec::new());
    let mut lap = 0;
    while lap == 0 || !entering.is_empty() {
        for start in (0..ids.len()).step_by(BLOCK) {
            let block_end = (start + BLOCK).min(ids.len());
            let mut follow = |mut place: usize, mut at: u64, id: u32, links: &mut L| {
                while place < block_end {
                    deliveries += 1;
                    let own = links.id(ids, place);
                    if id <= own {
                        end = at.max(end);
                        if id == own {
                            elected = Some((at, Pass { place: place as u32, id }));
                        }
                        return;
                    }
                    at = links.send(place, at);
                    place += 1;
                }
                leaving.push((at, id));
            };
            if lap == 0 {
                for place in (start..block_end).rev() {
                    let at = links.send(place, 0);
                    follow(place + 1, at, ids[place], links);
                }
            }
            for &(at, id) in &entering {
                follow(start, at, id, links);
            }
            entering.clear();
            std::mem::swap(&mut entering, &mut leaving);
        }
        lap += 1;
    }
    let (at, elected) = elected.expect("the greatest comes home");
    debug_assert!(at == end, "the greatest identity is the last one");
    let (passes, duration, checksum) = announce(ids, elected, |place| delay(links, place));
    HandOutcome { deliveries: deliveries + passes, end_time: at + duration, checksum }
}

/// Phold as the simulator has to execute it, whose random numbers do not depend on the order of events: every place draws from
/// a stream of its own, once for the destination and once for the delay, and a message carries the port by which it comes in.
pub fn phold_keyed(n: u32, seed: u64, deliveries: u64) -> HandOutcome {
    let mut processors = vec![KeyedProcessor { count: 0, drawn: 0 }; n as usize];
    let [coin, delay] = [2u64, 1].map(|stream| mix(seed.wrapping_add(stream.wrapping_mul(GOLDEN))));
    let mut wheel = Wheel::with_capacity(n as usize);
    for place in 0..n {
        let (after, event) = processors[place as usize].step(place, n, [coin, delay]);
        wheel.push(after, event);
    }
    let (mut now, mut delivered) = (0, 0);
    while delivered < deliveries {
        now = wheel.next_time(now).expect("phold never runs dry");
        let mut bucket = wheel.take(now);
        while let Some(chunk) = wheel.next_chunk(&mut bucket) {
            delivered += chunk.len() as u64;
            for i in chunk.start..chunk.end {
                prefetch(&processors, wheel.get(chunk.ahead_of(i)).place as usize);
                let KeyedEvent { place, port } = wheel.get(i);
                // A processor is told by which port.
                std::hint::black_box(port);
                let (after, event) = processors[place as usize].step(place, n, [coin, delay]);
                wheel.push(now + after, event);
            }
        }
    }
    // The first event of each place is no delivery.
    let checksum = processors.iter().map(|processor| u64::from(processor.count)).sum::<u64>() - u64::from(n);
    HandOutcome { deliveries: delivered, end_time: now, checksum }
}

/// A processor of `phold_keyed`, and the number of its draws.
#[derive(Clone, Copy)]
struct KeyedProcessor {
    count: u32,
    drawn: u32,
}

/// An event of `phold_keyed`.
#[derive(Clone, Copy, Default)]
struct KeyedEvent {
    place: u32,
    port: u32,
}

impl KeyedProcessor {
    #[inline(always)]
    fn draw(&mut self, place: u32, key: u64) -> u64 {
        let index = (u64::from(place) << 32 | u64::from(self.drawn)).wrapping_add(1);
        self.drawn += 1;
        mix(key.wrapping_add(index.wrapping_mul(GOLDEN)))
    }

    #[inline(always)]
    fn step(&mut self, place: u32, n: u32, [coin, delay]: [u64; 2]) -> (u64, KeyedEvent) {
        self.count += 1;
        let port = scale(self.draw(place, coin), u64::from(n - 1)) as u32;
        let to = port + u32::from(port >= place);
        // The port there that leads back.
        let back = place - u32::from(place > to);
        (1 + scale(self.draw(place, delay), MAX_DELAY), KeyedEvent { place: to, port: back })
    }
}

/// Phold: `n` events in flight, each of which counts and sends one to another processor after a delay in `1..=1000`.
/// Ends with the instant in which the number of deliveries is reached.
pub fn phold(n: u32, seed: u64, deliveries: u64) -> HandOutcome {
    let mut counters = vec![0u32; n as usize];
    let mut random = seed;
    let mut draw = |from: u32| {
        random = random.wrapping_add(GOLDEN);
        // One product gives both: its high word is the destination, its low word is the remaining randomness.
        let product = u128::from(mix(random)) * u128::from(n - 1);
        let other = (product >> 64) as u32;
        (1 + scale(product as u64, MAX_DELAY), other + u32::from(other >= from))
    };
    let mut wheel = Wheel::with_capacity(n as usize);
    for place in 0..n {
        let (delay, to) = draw(place);
        wheel.push(delay, to);
    }
    let mut now = 0;
    let mut delivered = 0;
    while delivered < deliveries {
        now = wheel.next_time(now).expect("phold never runs dry");
        let mut bucket = wheel.take(now);
        while let Some(chunk) = wheel.next_chunk(&mut bucket) {
            delivered += chunk.len() as u64;
            for i in chunk.start..chunk.end {
                prefetch(&counters, wheel.get(chunk.ahead_of(i)) as usize);
                let place = wheel.get(i);
                counters[place as usize] += 1;
                let (delay, to) = draw(place);
                wheel.push(now + delay, to);
            }
        }
    }
    let checksum = counters.iter().map(|&count| u64::from(count)).sum();
    HandOutcome { deliveries: delivered, end_time: now, checksum }
}

// ---- Chang-Roberts

/// An id about to arrive at a place.
#[derive(Clone, Copy, Default)]
struct Pass {
    place: u32,
    id: u32,
}

/// A processor of `ring_random` and the link to its successor: sixteen bytes, four to a cache line.
struct HandProcessor {
    /// The input of `mix` for the next delay.
    random: u64,
    id: u32,
    /// The last arrival on the link, modulo 2^32: see [`forget_old_arrivals`].
    last_arrival: u32,
}

impl HandProcessor {
    fn new(id: u32, seed: u64, place: u32) -> Self {
        let key = mix(seed.wrapping_add(GOLDEN));
        let first = (u64::from(place) << 32) + 1;
        HandProcessor { random: key.wrapping_add(first.wrapping_mul(GOLDEN)), id, last_arrival: 0 }
    }

    #[inline(always)]
    fn draw_delay(&mut self) -> u64 {
        let delay = 1 + scale(mix(self.random), MAX_DELAY);
        self.random = self.random.wrapping_add(GOLDEN);
        delay
    }

    /// Sends a message over the link and returns when it arrives, which is not before the one sent last.
    #[inline(always)]
    fn send(&mut self, now: u64) -> u64 {
        let arrival = now + self.draw_delay();
        // The last arrival is at most `now + MAX_DELAY`; a difference beyond this range means that it lies in the past.
        let behind = self.last_arrival.wrapping_sub(arrival as u32);
        let arrival = arrival + if behind < MAX_DELAY as u32 { u64::from(behind) } else { 0 };
        self.last_arrival = arrival as u32;
        arrival
    }
}

/// How often old arrivals must be forgotten, lest a time modulo 2^32 seem to lie in the future.
const FORGET: u64 = 1 << 31;

/// Replaces arrivals that lie in the past by `now`, which means the same for FIFO.
#[cold]
fn forget_old_arrivals(processors: &mut [HandProcessor], now: u64) {
    for processor in processors {
        if processor.last_arrival.wrapping_sub(now as u32) > MAX_DELAY as u32 {
            processor.last_arrival = now as u32;
        }
    }
}

/// Below this many messages in flight (eight a tick), buckets are so small that lists are faster.
const FEW: usize = 4096;

/// Delivers until only [`FEW`] messages are in flight, and returns the number of deliveries and the time.
fn many_in_flight(processors: &mut [HandProcessor], wheel: &mut Wheel<Pass>) -> (u64, u64) {
    let n = processors.len() as u32;
    let mut in_flight = processors.len();
    let mut now = 0;
    let mut forget_at = FORGET;
    let mut deliveries = 0;
    while in_flight > FEW {
        now = wheel.next_time(now).expect("the largest id is in flight");
        if now >= forget_at {
            forget_old_arrivals(processors, now);
            forget_at = now + FORGET;
        }
        for pass in wheel.peek(now + 1) {
            prefetch(processors, pass.place as usize);
        }
        let mut bucket = wheel.take(now);
        while let Some(chunk) = wheel.next_chunk(&mut bucket) {
            deliveries += chunk.len() as u64;
            for i in chunk.start..chunk.end {
                prefetch(processors, wheel.get(chunk.ahead_of(i)).place as usize);
                let Pass { place, id } = wheel.get(i);
                let processor = &mut processors[place as usize];
                if id > processor.id {
                    let arrival = processor.send(now);
                    wheel.push(arrival, Pass { place: next(place, n), id });
                } else {
                    // Swallowed: an id comes home only when, links being FIFO, no other is left.
                    in_flight -= 1;
                }
            }
        }
    }
    (deliveries, now)
}

/// A message in flight, in the list of those that arrive at the same time. Forwarding it changes its place and moves it to
/// another list; nothing is allocated or freed.
struct Node {
    pass: Pass,
    next: u32,
}

/// Delivers until the leader is elected, and returns the number of deliveries, the time, and the leader with its place.
///
/// With a message or less a tick, what costs is not memory but branches that cannot be predicted: is the slot empty, has it
/// one message or two, how far is it to the next? So the first nodes, which hold no message, are the heads of the lists,
/// and appending is the same two stores whether the list is empty or not; and a second bitmap finds the next word in which
/// a bit is set.
fn few_in_flight(processors: &mut [HandProcessor], wheel: &mut Wheel<Pass>, mut now: u64) -> (u64, u64, Pass) {
    let n = processors.len() as u32;
    let mut nodes: Vec<Node> = (0..SLOTS).map(|_| Node { pass: Pass::default(), next: 0 }).collect();
    // The last node of each slot's list: of an empty one, its head.
    let mut tails: [u32; SLOTS] = std::array::from_fn(|slot| slot as u32);
    // The occupied slots, but those of the 64 ticks from `base`, which is where we are, are in `word`.
    let mut words = [0u64; WORDS];
    let mut occupied_words = 0u16;
    let mut base = now & !63;
    let mut word = 0u64;
    // Not a method: in a struct beside the arrays, `word` and `base` would live in memory, not in registers.
    macro_rules! append {
        ($time:expr, $node:expr) => {
            let time: u64 = $time;
            let slot = time as usize % SLOTS;
            nodes[tails[slot] as usize].next = $node;
            tails[slot] = $node;
            if time < base + 64 {
                word |= 1 << (time % 64);
            } else {
                words[slot / 64] |= 1 << (slot % 64);
                occupied_words |= 1 << (slot / 64);
            }
        };
    }

    let mut from = now;
    while let Some(time) = wheel.next_time(from) {
        let mut bucket = wheel.take(time);
        while let Some(chunk) = wheel.next_chunk(&mut bucket) {
            for i in chunk.start..chunk.end {
                let node = nodes.len() as u32;
                nodes.push(Node { pass: wheel.get(i), next: 0 });
                append!(time, node);
            }
        }
        from = time;
    }

    // Up to `FORGET` ticks may have passed since the last time: 1.5 * 2^31 together, still short of 2^32.
    let mut forget_at = now + FORGET / 2;
    let mut deliveries = 0;
    loop {
        if word == 0 {
            // Bit 0 is the word after this one, bit 15 this one again, 1024 ticks later.
            let following = occupied_words.rotate_right(base as u32 / 64 + 1);
            base += 64 * u64::from(following.trailing_zeros() + 1);
            let index = base as usize / 64 % WORDS;
            word = std::mem::take(&mut words[index]);
            occupied_words &= !(1 << index);
            if base >= forget_at {
                forget_old_arrivals(processors, base);
                forget_at = base + FORGET;
            }
        }
        now = base + u64::from(word.trailing_zeros());
        word &= word - 1;
        let slot = now as usize % SLOTS;
        let last = tails[slot];
        tails[slot] = slot as u32;
        let mut at = nodes[slot].next;
        loop {
            deliveries += 1;
            let node = &mut nodes[at as usize];
            let following = node.next;
            let processor = &mut processors[node.pass.place as usize];
            if node.pass.id > processor.id {
                let arrival = processor.send(now);
                node.pass.place = next(node.pass.place, n);
                // With some thousand messages it is still in the cache when this one arrives.
                prefetch(processors, node.pass.place as usize);
                append!(arrival, at);
            } else if node.pass.id == processor.id {
                return (deliveries, now, node.pass);
            }
            if at == last {
                break;
            }
            at = following;
        }
    }
}

/// Sends the announcement around the ring: one message in flight, so the event list is a variable. Returns the number of
/// deliveries, the time taken, and the checksum over the leaders recorded.
fn announce(ids: &[u32], elected: Pass, mut delay: impl FnMut(u32) -> u64) -> (u64, u64, u64) {
    let n = ids.len() as u32;
    let mut leaders = vec![0; ids.len()];
    let mut place = elected.place;
    let mut duration = 0;
    let mut deliveries = 0;
    loop {
        leaders[place as usize] = elected.id;
        duration += delay(place);
        place = next(place, n);
        deliveries += 1;
        if ids[place as usize] == elected.id {
            break;
        }
    }
    let checksum =
        (1..).zip(&leaders).fold(0, |sum: u64, (i, &leader)| sum.wrapping_add(u64::wrapping_mul(i, leader.into())));
    (deliveries, duration, checksum)
}

#[inline(always)]
fn next(place: u32, n: u32) -> u32 {
    if place + 1 == n { 0 } else { place + 1 }
}

// ---- The wheel

/// More than `MAX_DELAY`, so that no event is sent to the slot being delivered.
const SLOTS: usize = 1024;
const WORDS: usize = SLOTS / 64;

/// Events in a chunk.
const CHUNK: usize = 128;

/// How many events ahead of the delivery to prefetch.
const AHEAD: usize = 16;

/// No chunk.
const NONE: u32 = u32::MAX;

/// The pending events, a bucket for each tick of the next 1024 and a bitmap of those not empty. A bucket is a list of chunks
/// from one pool, to which they return when delivered, so that the memory is that of the events in flight and half a chunk
/// a slot.
struct Wheel<E> {
    slots: [Slot; SLOTS],
    occupied: [u64; WORDS],
    /// The chunks, one after the other. Never shrinks.
    pool: Vec<E>,
    /// For each chunk the next one of its bucket, or the next free one.
    links: Vec<u32>,
    free: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    head: u32,
    /// Where in the pool the next event goes, if that is inside a chunk. At the end of one, a new chunk is due; 0, which is
    /// the end of none, means that the bucket is empty.
    cursor: u32,
}

/// A bucket taken out of the wheel.
struct HandBucket {
    delivered: u32,
    next: u32,
    cursor: u32,
}

/// The events of a chunk: indices into the pool.
struct Chunk {
    start: usize,
    end: usize,
    /// From `end` to the next chunk's start (to its own if there is none), wrapping.
    jump: usize,
}

impl Chunk {
    #[inline(always)]
    fn len(&self) -> usize {
        self.end - self.start
    }

    /// The event `AHEAD` events after `index`, in this chunk or the next: always inside the pool, at worst a stale one.
    #[inline(always)]
    fn ahead_of(&self, index: usize) -> usize {
        let ahead = index + AHEAD;
        ahead.wrapping_add(if ahead < self.end { 0 } else { self.jump })
    }
}

impl<E: Copy + Default> Wheel<E> {
    fn with_capacity(events: usize) -> Self {
        let chunks = events / CHUNK + SLOTS;
        Wheel {
            slots: [Slot::default(); SLOTS],
            occupied: [0; WORDS],
            pool: Vec::with_capacity(chunks * CHUNK),
            links: Vec::with_capacity(chunks),
            free: NONE,
        }
    }

    #[inline(always)]
    fn push(&mut self, time: u64, event: E) {
        let slot = time as usize % SLOTS;
        let mut cursor = self.slots[slot].cursor as usize;
        if cursor.is_multiple_of(CHUNK) {
            cursor = self.add_chunk(slot);
        }
        self.pool[cursor] = event;
        self.slots[slot].cursor = cursor as u32 + 1;
    }

    /// Adds a chunk to a bucket and returns its start.
    #[inline(always)]
    fn add_chunk(&mut self, slot: usize) -> usize {
        if self.free == NONE {
            self.grow();
        }
        let chunk = self.free;
        self.free = self.links[chunk as usize];
        let cursor = self.slots[slot].cursor as usize;
        if cursor == 0 {
            self.slots[slot].head = chunk;
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.links[cursor / CHUNK - 1] = chunk;
        }
        chunk as usize * CHUNK
    }

    /// Makes a new chunk, the only free one.
    #[cold]
    fn grow(&mut self) {
        self.free = self.links.len() as u32;
        self.links.push(NONE);
        self.pool.resize(self.pool.len() + CHUNK, E::default());
        assert!(u32::try_from(self.pool.len()).is_ok(), "at most 2^32 events in flight");
    }

    /// The time of the first bucket after `now`.
    #[inline(always)]
    fn next_time(&self, now: u64) -> Option<u64> {
        let from = now + 1;
        let slot = from as usize % SLOTS;
        let mut index = slot / 64;
        let mut word = self.occupied[index] & (!0 << (slot % 64));
        // Once more than there are words: the first one's low bits come last.
        for _ in 0..=WORDS {
            if word != 0 {
                let found = index * 64 + word.trailing_zeros() as usize;
                return Some(from + (found.wrapping_sub(slot) % SLOTS) as u64);
            }
            index = (index + 1) % WORDS;
            word = self.occupied[index];
        }
        None
    }

    /// Takes the bucket of `time`, which must not be empty, out of the wheel.
    #[inline(always)]
    fn take(&mut self, time: u64) -> HandBucket {
        let slot = time as usize % SLOTS;
        let Slot { head, cursor } = self.slots[slot];
        self.slots[slot].cursor = 0;
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        HandBucket { delivered: NONE, next: head, cursor }
    }

    /// Frees the chunk given last, whose events have been delivered, and gives the next one.
    #[inline(always)]
    fn next_chunk(&mut self, bucket: &mut HandBucket) -> Option<Chunk> {
        if bucket.delivered != NONE {
            self.links[bucket.delivered as usize] = self.free;
            self.free = bucket.delivered;
        }
        let chunk = bucket.next;
        if chunk == NONE {
            return None;
        }
        let start = chunk as usize * CHUNK;
        let cursor = bucket.cursor as usize;
        bucket.delivered = chunk;
        if (cursor - 1) / CHUNK == chunk as usize {
            bucket.next = NONE;
            Some(Chunk { start, end: cursor, jump: start.wrapping_sub(cursor) })
        } else {
            bucket.next = self.links[chunk as usize];
            let end = start + CHUNK;
            Some(Chunk { start, end, jump: (bucket.next as usize * CHUNK).wrapping_sub(end) })
        }
    }

    /// The event at an index given by a chunk.
    #[inline(always)]
    fn get(&self, index: usize) -> E {
        self.pool[index]
    }

    /// The first few events of the bucket of `time`.
    #[inline(always)]
    fn peek(&self, time: u64) -> &[E] {
        let Slot { head, cursor } = self.slots[time as usize % SLOTS];
        let start = head as usize * CHUNK;
        // A bucket of several chunks has a full one at its head; its cursor is elsewhere, before or after.
        let length = if cursor == 0 { 0 } else { (cursor as usize).wrapping_sub(start).min(AHEAD) };
        &self.pool[start..start + length]
    }
}

// ---- Small things

#[inline(always)]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The high word of a 64 by 64 bit product: `random` scaled to `0..range`.
#[inline(always)]
fn scale(random: u64, range: u64) -> u64 {
    ((u128::from(random) * u128::from(range)) >> 64) as u64
}

/// Asks for the cache line of `slice[index]`.
#[inline(always)]
fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint; it reads nothing the program can see and faults on no address.
        #[allow(unsafe_code, reason = "a prefetch is a hint: whatever the address, nothing is read")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast());
        };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
