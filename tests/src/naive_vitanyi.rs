//! A deliberately naive simulator of Vitányi's election in a ring (P.M.B. Vitányi, "Distributed elections in a ring
//! of processors using Archimedean time", CWI report CS-R8416, 1984), transcribed from the paper's Figure.
//!
//! Absolute time is counted 0, 1, 2, … and the variable `timer` is decremented unit by unit, so that this file can be
//! held against the Figure line by line. It is the reference for cleverer implementations, and slow on purpose.
//!
//! Conventions the Figure leaves open:
//! - A processor's ticks fall at its *first* waking time plus 1, 2, … times its tick length; its clock goes on while
//!   it sleeps. At a tick it reads at most one queued message, then its timer moves.
//! - Inside one instant: wakes (`wake_at`, then `again`), ticks in order of places, arrivals in order of receiving
//!   places. What is sent with delay 0 arrives in the following pass over the arrivals of the same instant.
//! - A sleeping processor acts on arrival, unless messages are queued at it; those it reads one a tick.
//! - The unit in which a processor wakes does not count: its timer moves from the next tick on, strictly later than
//!   the waking.

use std::collections::{BTreeMap, VecDeque};

/// The Figure to the letter, or with its gaps closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// A *wakeup* at an awake processor is queued and costs a unit in which the timer stands still; no epochs.
    Printed,
    /// A *wakeup* with nothing new in it is dropped on arrival, if nothing is queued before it; messages carry an
    /// epoch; f = 0 forwards in the same unit.
    Repaired,
}

/// The Figure's "set timer equal to 1", or the start under which the paper's count is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// timer ← 1, as printed.
    One,
    /// timer ← f(i).
    Law,
}

/// A ring and everything that happens to it. Place p sends to place p + 1 over link p.
#[derive(Clone)]
pub struct NaiveRing<'a> {
    /// Names, clockwise: distinct and positive.
    pub ids: Vec<u64>,
    /// Tick length of the processor at each place, at least 1.
    pub ticks: Vec<u64>,
    /// Delay of the count-th message (from 0) on a link; arrivals on one link keep their order.
    pub delays: &'a dyn Fn(usize, u64) -> u64,
    /// When each place wakes spontaneously, if it does. Void once the processor was woken by a message.
    pub wake_at: Vec<Option<u64>>,
    /// The function f, already rounded up; `None` is a time that never comes.
    pub law: &'a dyn Fn(u64) -> Option<u64>,
    /// Which of the two.
    pub rules: Rules,
    /// How the timer starts.
    pub first: First,
    /// Section 4, "all bits of the messages are read by the processors": a processor reads one bit in each unit, and acts in
    /// the unit in which it reads the last; its timer moves on in the units before.
    pub bit_serial: bool,
    /// Further elections, as (place, time): obeyed by a processor asleep, ignored by one awake.
    pub again: Vec<(usize, u64)>,
    /// The last instant that is simulated.
    pub limit: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing more can happen, and every processor has elected and sleeps.
    Finished,
    /// Nothing more can happen, but some processor is awake or was never woken.
    Silent,
    /// The time limit came first.
    Limit,
}

/// Something done by a processor at a time, in an epoch (always 0 under printed rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NaiveEvent {
    /// When.
    pub time: u64,
    /// Where.
    pub place: usize,
    /// In which election.
    pub epoch: u64,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveOutcome {
    /// Passes of *wakeup*.
    pub wakeup: u64,
    /// Passes of election messages M_i, all together.
    pub election: u64,
    /// Passes of *sleepwell*.
    pub sleepwell: u64,
    /// Passes of each M_i, by i; names whose message never moved are absent.
    pub passes: BTreeMap<u64, u64>,
    /// One bit for *wakeup* and for *sleepwell*, the dyadic digits of i for M_i.
    pub bits: u64,
    /// The Figure's "if j = k": who found itself elected, and when.
    pub elected: Vec<NaiveEvent>,
    /// The Figure's "then the election is finished": a sleeping processor absorbed a *sleepwell*.
    pub finished: Vec<NaiveEvent>,
    /// The variable *Elected One* of each place at the end.
    pub elected_one: Vec<Option<u64>>,
    /// How it came to its end.
    pub ending: Ending,
}

impl NaiveOutcome {
    /// Passes of all kinds.
    pub fn total(&self) -> u64 {
        self.wakeup + self.election + self.sleepwell
    }

    /// When the (last) elected one was elected.
    pub fn time_elected(&self) -> Option<u64> {
        self.elected.last().map(|event| event.time)
    }

    /// When the (last) elected one absorbed its *sleepwell*.
    pub fn time_finished(&self) -> Option<u64> {
        self.finished.last().map(|event| event.time)
    }

    /// Whether all processors hold the same *Elected One*.
    pub fn agreed(&self) -> bool {
        let first = self.elected_one.first().copied().flatten();
        first.is_some() && self.elected_one.iter().all(|&one| one == first)
    }
}

/// Digits of i written with the digits 1 and 2: 1, 2, 11, 12, 21, 22, 111, … (section 3, before equation (3)).
pub fn dyadic_digits(i: u64) -> u64 {
    u64::from((u128::from(i) + 1).ilog2())
}

/// Runs the ring until nothing more can happen or the time limit has passed.
pub fn run(ring: &NaiveRing) -> NaiveOutcome {
    let n = ring.ids.len();
    assert!(n > 0, "a ring has at least one processor");
    assert!(ring.ticks.len() == n && ring.wake_at.len() == n, "one tick length and one wake time per place");
    assert!(ring.ticks.iter().all(|&tick| tick > 0), "tick lengths are positive");
    assert!(ring.ids.iter().all(|&id| id > 0), "names are positive integers");
    assert!(ring.again.iter().all(|&(place, _)| place < n), "elections are asked of places on the ring");
    let mut simulation = NaiveSimulation::new(ring);
    let mut ending = Ending::Limit;
    for now in 0..=ring.limit {
        simulation.instant(now);
        if simulation.is_quiet(now) {
            ending = simulation.quiet_ending();
            break;
        }
    }
    simulation.into_outcome(ending)
}

#[derive(Clone, Copy)]
enum NaiveKind {
    Wakeup,
    /// M_j
    Election(u64),
    Sleepwell,
}

#[derive(Clone, Copy)]
struct NaiveMessage {
    kind: NaiveKind,
    epoch: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    NotYetWoken,
    Awake,
    Asleep,
}

struct NaiveProcessor {
    mode: Mode,
    /// The Figure's k: the least name met in this election.
    k: u64,
    /// The Figure's timer, which goes on below 0 after M_k was sent; `None` never runs out.
    timer: Option<i128>,
    elected_one: Option<u64>,
    epoch: u64,
    /// First waking time: the origin of this processor's ticks.
    origin: u64,
    /// Latest waking time.
    woken: u64,
    queue: VecDeque<NaiveMessage>,
    /// The bits of the first queued message that have been read.
    bits_read: u64,
}

#[derive(Default)]
struct Link {
    /// Messages under way with their arrival times, in order.
    in_transit: VecDeque<(u64, NaiveMessage)>,
    last_arrival: u64,
    count: u64,
}

struct NaiveSimulation<'a> {
    ring: &'a NaiveRing<'a>,
    processors: Vec<NaiveProcessor>,
    links: Vec<Link>,
    outcome: NaiveOutcome,
}

impl<'a> NaiveSimulation<'a> {
    fn new(ring: &'a NaiveRing<'a>) -> Self {
        let processor = |&id: &u64| NaiveProcessor {
            mode: Mode::NotYetWoken,
            k: id,
            timer: None,
            elected_one: None,
            epoch: 0,
            origin: 0,
            woken: 0,
            queue: VecDeque::new(),
            bits_read: 0,
        };
        NaiveSimulation {
            ring,
            processors: ring.ids.iter().map(processor).collect(),
            links: ring.ids.iter().map(|_| Link::default()).collect(),
            outcome: NaiveOutcome {
                wakeup: 0,
                election: 0,
                sleepwell: 0,
                passes: BTreeMap::new(),
                bits: 0,
                elected: Vec::new(),
                finished: Vec::new(),
                elected_one: Vec::new(),
                ending: Ending::Limit,
            },
        }
    }

    /// Wakes, then ticks, then arrivals.
    fn instant(&mut self, now: u64) {
        for place in 0..self.processors.len() {
            if self.ring.wake_at[place] == Some(now) && self.processors[place].mode == Mode::NotYetWoken {
                self.wake(place, now);
            }
        }
        for &(place, time) in &self.ring.again {
            if time == now {
                self.ask_again(place, now);
            }
        }
        for place in 0..self.processors.len() {
            let processor = &self.processors[place];
            let age = now - processor.origin;
            if processor.mode != Mode::NotYetWoken && age > 0 && age.is_multiple_of(self.ring.ticks[place]) {
                self.tick(place, now);
            }
        }
        while self.pass_of_arrivals(now) {}
    }

    /// A further election asked of a processor: it takes the next epoch, under repaired rules, and starts as on waking.
    fn ask_again(&mut self, place: usize, now: u64) {
        match self.processors[place].mode {
            Mode::Awake => {}
            Mode::NotYetWoken => self.wake(place, now),
            Mode::Asleep => {
                if self.ring.rules == Rules::Repaired {
                    self.processors[place].epoch += 1;
                }
                self.wake(place, now);
            }
        }
    }

    /// Figure, head: "Send wakeup message to clockwise neighbor; Set k equal to i and set timer equal to 1".
    fn wake(&mut self, place: usize, now: u64) {
        let id = self.ring.ids[place];
        let processor = &mut self.processors[place];
        if processor.mode == Mode::NotYetWoken {
            processor.origin = now;
        }
        processor.mode = Mode::Awake;
        processor.woken = now;
        processor.k = id;
        self.send(place, NaiveKind::Wakeup, now);
        let first = match self.ring.first {
            First::One => Some(1),
            First::Law => (self.ring.law)(id),
        };
        self.set_timer(place, first, now);
    }

    /// Figure, "REPEAT IN EACH (LOCAL) TIME UNIT": reads one message; if there is none "assume M = M_j with j > i".
    fn tick(&mut self, place: usize, now: u64) {
        let counts = match self.read(place) {
            Some(message) => self.act(place, message, now),
            None => true,
        };
        let processor = &mut self.processors[place];
        if !counts || processor.mode != Mode::Awake || processor.woken == now {
            return;
        }
        // "timer ← timer - 1; if timer = 0 then send M_k, containing k, to clockwise neighbor"
        processor.timer = processor.timer.map(|timer| timer - 1);
        if processor.timer == Some(0) {
            let k = processor.k;
            self.send(place, NaiveKind::Election(k), now);
        }
    }

    /// The message whose last bit is read in this unit, or that is read in one unit.
    fn read(&mut self, place: usize) -> Option<NaiveMessage> {
        let processor = &mut self.processors[place];
        let bits = match processor.queue.front()?.kind {
            NaiveKind::Wakeup | NaiveKind::Sleepwell => 1,
            NaiveKind::Election(i) => dyadic_digits(i),
        };
        processor.bits_read += 1;
        if self.ring.bit_serial && processor.bits_read < bits {
            return None;
        }
        processor.bits_read = 0;
        processor.queue.pop_front()
    }

    /// Acts on one message; says whether the timer moves in this unit, as it does for M_j with j > k.
    fn act(&mut self, place: usize, message: NaiveMessage, now: u64) -> bool {
        let epoch = self.processors[place].epoch;
        if message.epoch < epoch {
            return true; // A leftover of an earlier election: as if no message had been received.
        }
        if message.epoch > epoch {
            self.processors[place].epoch = message.epoch;
            self.wake(place, now);
            if matches!(message.kind, NaiveKind::Wakeup) {
                return false;
            }
        }
        match (self.processors[place].mode, message.kind) {
            // "a processor changes its state from asleep to awake [when] it receives a wakeup message while asleep"
            (Mode::NotYetWoken, NaiveKind::Wakeup) => {
                self.wake(place, now);
                false
            }
            // Under repaired rules a second wakeup of one epoch wakes nobody.
            (Mode::Asleep, NaiveKind::Wakeup) if self.ring.rules == Rules::Printed => {
                self.wake(place, now);
                false
            }
            // The Figure has no line for a wakeup at an awake processor: printed, the unit passes and the timer does
            // not move.
            (Mode::Asleep | Mode::Awake, NaiveKind::Wakeup) => self.ring.rules == Rules::Repaired,
            // "if I am asleep and M is the sleepwell message then the election is finished"
            (Mode::NotYetWoken | Mode::Asleep, NaiveKind::Sleepwell) => {
                let epoch = self.processors[place].epoch;
                self.outcome.finished.push(NaiveEvent { time: now, place, epoch });
                false
            }
            // The Figure's election messages concern processors awake only.
            (Mode::NotYetWoken | Mode::Asleep, NaiveKind::Election(_)) => false,
            // "if I am awake and M is the sleepwell message then …"
            (Mode::Awake, NaiveKind::Sleepwell) => {
                self.elect_and_sleep(place, now);
                false
            }
            (Mode::Awake, NaiveKind::Election(j)) => self.act_on_election(place, j, now),
        }
    }

    /// Figure, "if I am awake and M = M_j is an election message".
    fn act_on_election(&mut self, place: usize, j: u64, now: u64) -> bool {
        let processor = &mut self.processors[place];
        if j == processor.k {
            let epoch = processor.epoch;
            self.outcome.elected.push(NaiveEvent { time: now, place, epoch });
            self.elect_and_sleep(place, now);
            return false;
        }
        if j < processor.k {
            processor.k = j;
            self.set_timer(place, (self.ring.law)(j), now);
            return false;
        }
        true
    }

    /// "Elected One ← k; send sleepwell message to clockwise neighbor and go asleep".
    fn elect_and_sleep(&mut self, place: usize, now: u64) {
        let processor = &mut self.processors[place];
        processor.elected_one = Some(processor.k);
        processor.mode = Mode::Asleep;
        self.send(place, NaiveKind::Sleepwell, now);
    }

    /// timer ← units; the repaired rules forward at once if that is 0, where the printed timer steps over 0.
    fn set_timer(&mut self, place: usize, units: Option<u64>, now: u64) {
        self.processors[place].timer = units.map(i128::from);
        if units == Some(0) && self.ring.rules == Rules::Repaired {
            let k = self.processors[place].k;
            self.send(place, NaiveKind::Election(k), now);
        }
    }

    /// Puts a message on the link to the clockwise neighbour and counts its pass.
    fn send(&mut self, place: usize, kind: NaiveKind, now: u64) {
        let outcome = &mut self.outcome;
        match kind {
            NaiveKind::Wakeup => {
                outcome.wakeup += 1;
                outcome.bits += 1;
            }
            NaiveKind::Election(i) => {
                outcome.election += 1;
                *outcome.passes.entry(i).or_default() += 1;
                outcome.bits += dyadic_digits(i);
            }
            NaiveKind::Sleepwell => {
                outcome.sleepwell += 1;
                outcome.bits += 1;
            }
        }
        let epoch = self.processors[place].epoch;
        let link = &mut self.links[place];
        let delay = (self.ring.delays)(place, link.count);
        link.count += 1;
        link.last_arrival = link.last_arrival.max(now.saturating_add(delay));
        link.in_transit.push_back((link.last_arrival, NaiveMessage { kind, epoch }));
    }

    /// Delivers what is due now and was under way when the pass began; says whether there was any.
    fn pass_of_arrivals(&mut self, now: u64) -> bool {
        let n = self.links.len();
        let due: Vec<usize> = (0..n)
            .map(|place| {
                let link = &self.links[(place + n - 1) % n];
                link.in_transit.iter().take_while(|&&(arrival, _)| arrival <= now).count()
            })
            .collect();
        for (place, &messages) in due.iter().enumerate() {
            for _ in 0..messages {
                if let Some((_, message)) = self.links[(place + n - 1) % n].in_transit.pop_front() {
                    self.arrive(place, message, now);
                }
            }
        }
        due.iter().any(|&messages| messages > 0)
    }

    fn arrive(&mut self, place: usize, message: NaiveMessage, now: u64) {
        let processor = &mut self.processors[place];
        let at_once = match processor.mode {
            Mode::NotYetWoken | Mode::Asleep => true,
            Mode::Awake => {
                let stale = message.epoch <= processor.epoch;
                self.ring.rules == Rules::Repaired && stale && matches!(message.kind, NaiveKind::Wakeup)
            }
        };
        if at_once && processor.queue.is_empty() {
            self.act(place, message, now);
        } else {
            processor.queue.push_back(message);
        }
    }

    /// Whether nothing can happen after `now`.
    fn is_quiet(&self, now: u64) -> bool {
        let waiting = |processor: &NaiveProcessor| {
            let running = processor.mode == Mode::Awake && processor.timer.is_some_and(|timer| timer > 0);
            running || !processor.queue.is_empty()
        };
        self.links.iter().all(|link| link.in_transit.is_empty())
            && !self.processors.iter().any(waiting)
            && !self.ring.wake_at.iter().any(|wake| wake.is_some_and(|time| time > now))
            && !self.ring.again.iter().any(|&(_, time)| time > now)
    }

    fn quiet_ending(&self) -> Ending {
        if self.processors.iter().all(|processor| processor.mode == Mode::Asleep) {
            Ending::Finished
        } else {
            Ending::Silent
        }
    }

    fn into_outcome(self, ending: Ending) -> NaiveOutcome {
        let elected_one = self.processors.iter().map(|processor| processor.elected_one).collect();
        NaiveOutcome { elected_one, ending, ..self.outcome }
    }
}
