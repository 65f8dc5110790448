//! Vitányi's election in a ring using Archimedean time \[Vitanyi1984\].
//!
//! *Problem*: election of the smallest identity. *Assumes*: distinct positive identities, a unidirectional ring, clocks
//! of which only the ratio is bounded; any set of starters, at any times.
//!
//! A message M_i waits f(i) units of the local clock at every processor before it is passed on, so a message that will
//! lose hardly moves while the winner's goes around. A processor with a smaller identity annihilates greater ones; a
//! faster message overtakes and annihilates slower ones. Correctness does not depend on the clocks; cost does.
//! *Claimed* (2): 2N + (Nu(f(l)+1)/m)·Σ 1/f(i) message passes, where u is the greatest unit plus the greatest delay, m
//! the least unit and l the least identity; that is at most 2N + 3Nu/m if f(1) ≥ 2 and f at least doubles from each identity
//! to the next. *Proved* (see `bounds.rs`): 4N - 1 + 2Nu/m then, so that the printed bound is right wherever u ≥ 2m.
//!
//! *Departures*, each undone by `printed = …` and all by `rules = printed`: see `DEPARTURES`.
//!
//! ```
//! use ringleader_model::{Preset, Protocol, Reading, Scenario, Settings};
//! use ringleader_protocols::election::vitanyi::Vitanyi;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let timing = Preset::Lockstep.timing(Reading::PerTick);
//! let scenario = Scenario { n: 3, ids: vec![2, 1, 3], timing, ..Scenario::default() };
//! let settings = Settings::new(Vitanyi::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = Vitanyi::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.time, 10); // M_1 is back at 7, read at 8; sleepwell takes 2 more units
//! ```

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{
    Assumptions, BadSetting, Bound, Departure, Departures, Description, Display, Effects, Election, ElectionReport,
    Erratum, Event, Figure, Id, IdentityBound, Inspect, Instance, Message, Offsets, Parameter, Port, Preset, Processor,
    Promise, Protocol, Reading, Ring, Seat, Settings, Ticks, Value, Values,
};
use serde::Serialize;

mod bounds;
mod law;

use super::{RING, n_times_harmonic, smallest_wins};
use law::Law;

const NEXT: Port = Port(0);

/// The rules in force.
#[derive(Clone, Debug)]
pub struct Vitanyi {
    law: Law,
    /// The timer starts at f(i) rather than at 1.
    first_f: bool,
    printed: Printed,
    /// Bounds that fail as printed are judged, too.
    printed_claims: bool,
    /// All clocks tick together and messages take no time, so that the size of the ring can be read off a
    /// clock.
    lockstep: bool,
}

/// The departures that are undone: see [`DEPARTURES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Printed {
    timer: bool,
    wakeup: bool,
    epochs: bool,
}

/// The printed rules that are not followed.
const DEPARTURES: &[Departure] = &[
    Departure::new(
        "timer",
        "Figure",
        "the timer is compared with 0 after it is decremented, and steps over 0 where f is 0 or no integer",
        "f is rounded up, and f = 0 sends in the same unit",
    ),
    Departure::new(
        "wakeup",
        "Figure",
        "a wakeup at a processor that is awake is read, which costs a unit",
        "it is discarded on arrival",
    ),
    Departure::new(
        "epochs",
        "section 3",
        "messages do not say of which election they are",
        "they carry its epoch, so that elections may overlap",
    ),
];

/// A message of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
#[message(bits = "Self::digits")]
pub enum Call {
    /// An election has begun.
    Wakeup {
        /// Which one.
        #[message(optional)]
        epoch: u32,
    },
    /// The election message M_i.
    Election {
        /// i
        id: Id,
        /// Of which election.
        #[message(optional)]
        epoch: u32,
    },
    /// The election is over.
    #[message(announcement)]
    Sleepwell {
        /// Which one.
        #[message(optional)]
        epoch: u32,
    },
}

impl Call {
    /// Section 3: a single bit for wakeup and sleepwell, dyadic digits without leading zeroes for the identity. The
    /// epoch is not charged: it is not in the paper.
    fn digits(&self) -> u64 {
        match self {
            Self::Wakeup { .. } | Self::Sleepwell { .. } => 1,
            Self::Election { id, .. } => dyadic_digits(id.get()),
        }
    }

    const fn epoch(self) -> u32 {
        match self {
            Self::Wakeup { epoch } | Self::Election { epoch, .. } | Self::Sleepwell { epoch } => epoch,
        }
    }
}

/// The number of digits of i in dyadic notation (digits 1 and 2): 1, 2, 11, 12, 21, 22, 111, …
pub fn dyadic_digits(i: u64) -> u64 {
    i.checked_add(1).map_or(64, |next| u64::from(next.ilog2()))
}

/// The one timer of the Figure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// When it reaches 0, M_k is sent.
    Countdown,
}

/// One processor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct VitanyiProcessor {
    /// i
    id: Id,
    /// The least identity seen in this election.
    k: Id,
    epoch: u32,
    mode: Mode,
    /// As printed: a wakeup was read, so the timer did not move in that unit.
    late: bool,
    /// As printed: the timer was set to what is no positive integer.
    missed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// Never woken.
    Fresh,
    Awake,
    /// An election is over.
    Asleep,
}

impl Protocol for Vitanyi {
    type Processor = VitanyiProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "vitanyi",
        title: "losers wait: O(N) messages by Archimedean time; the smallest identity wins",
        sources: &["Vitanyi1984"],
        idea: "Message M_i waits f(i) units of the local clock at every processor, so that a message that will lose \
               hardly moves while the winner's goes around. Smaller identities annihilate greater ones, whether they sit \
               in a processor or overtake on the way. A processor reads at most one message in each unit of its clock. The \
               clocks decide the cost, never the result.",
        rules: &[
            "On waking, on the first wakeup, or on a request for a further election: send wakeup; k := i; timer := 1 \
             (first=f: f(i)).",
            "Awake, on sleepwell: the Elected One is k; relay it and go asleep.",
            "Awake, on M_j with j = k: elected; send sleepwell and go asleep.",
            "Awake, on M_j with j < k: k := j; timer := f(j).",
            "Awake, on M_j with j > k: discard it; the timer runs on.",
            "Awake, when the timer is 0: send M_k.",
            "Awake, on a wakeup: discard it on arrival (printed=wakeup: reading it costs a unit).",
            "Not awake, on anything but the wakeup of a new election: discard it.",
            "On a message of an earlier election: discard it.",
            "On a message of a later election: begin it, as on waking, and read the message.",
        ],
        assumptions: Assumptions { again: true, preset: Preset::Lockstep, ..RING },
        random: false,
        parameters: &[
            Departures::rules(),
            Departures::printed(DEPARTURES),
            Parameter {
                name: "law",
                values: Values::Form(law::FORM),
                default: "2^i",
                doc: "f(i): how many units M_i waits at each processor",
            },
            Parameter {
                name: "first",
                values: Values::Choice(&["1", "f"]),
                default: "1",
                doc: "what the timer is set to on waking: 1 as printed, or f(i), under which bound (2) holds",
            },
            Parameter {
                name: "claims",
                values: Values::Choice(&["repaired", "printed"]),
                default: "repaired",
                doc: "which bounds are judged: those that hold, or also those of the paper that fail",
            },
        ],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "Figure",
                wrong: "the timer is compared with 0 after it is decremented, so that with f = 0 (minimal time) or a \
                        fractional f it steps over 0 and the ring comes to a stop",
                repair: "f is rounded up, and f = 0 forwards in the same unit",
            },
            Erratum {
                place: "equation (2), and 2N + 3Nu/m below it",
                wrong: "not bounds: `set timer equal to 1` gives every loser a free hop, and a message may wait a unit to \
                        be read; see experiments/vitanyi-bounds",
                repair: "4N - 1 + (Nu(f(l)+2)/m) sum over i != l of 1/f(i); first=f starts the timer at f(i)",
            },
            Erratum {
                place: "section 3, f(i) >= 2^i below equation (2)",
                wrong: "not enough for the sum to be at most 2/f(l): with f(i) = i^10 a ring of ten with identities from 49 \
                        to 58 takes 52 messages where 2N + 3Nu/m is 50",
                repair: "f has to double at least from each identity to the next: then there are at most 4N - 1 + 2Nu/m \
                         messages, and no more than 2N + 3Nu/m wherever 3u >= 4m",
            },
            Erratum {
                place: "section 3, M_l's tour within N f(l) u, and equation (1)",
                wrong: "M_l is read in a unit of its own before it waits f(l), behind losers that wait to be read: from its \
                        first pass on, M_1 of 1, 2, 3, 4 takes 9 units where 8 are allowed; with 1 and 3, M_3 makes a pass \
                        where (1) allows 3/4",
                repair: "the tour takes at most w_s + (f(l)+1)w_p + (N-1)r_max, and M_i makes at most \
                         1 + Nu(f(l)+2)/(m f(i)) passes",
            },
            Erratum {
                place: "section 3, sleepwell within Nu/2",
                wrong: "the links alone take longer where delays exceed units: two links with delays of 2 take 4 where 3 are \
                        allowed for units of 1, and section 4 itself counts with Nu",
                repair: "it takes at most the walk time w",
            },
            Erratum {
                place: "section 3, less than 7N + 3εN/m passes with delays separated",
                wrong: "if delays are much longer than units nothing overtakes, and ten processors in ascending order make \
                        75 passes where 70 are allowed",
                repair: "4N - 1 + T·Σ 1/(m f(i) + d_min) over i != l, with T = 2w_s + (f(l)+1)w_p + (N-1)r_max",
            },
            Erratum {
                place: "section 3, cNu log l/m bits; section 4, 2N + 3N log l bits",
                wrong: "the first pass of a loser costs its length, which no c bounds: the identities 2 and 31 take 11 bits, \
                        with (2u/m)^i, where 10 are allowed, and a ring of 46 takes 231 where 230 are, even with first=f",
                repair: "the digits of all losers are added to 8Nu digits(l)/m and to 2N + 4N digits(l); 2N + 4N digits(l) \
                         alone with first=f",
            },
            Erratum {
                place: "section 4, minimal time: 2w + w_s + w_p f(l) log l, and 3w + w_p(log l - 1)",
                wrong: "M_l may have to wait behind a longer message: read bit by bit, 2 and 65536 take 19 units where 12 \
                        are allowed; with f(i,j) = ⌊2^(j-i)⌋, 19 where 6 are",
                repair: "r_max times the digits of all losers is added, and in the variant L takes the place of l",
            },
            Erratum {
                place: "equation (5)",
                wrong: "it takes passes to be spread evenly over the time: with slow clocks before fast ones hardly any message \
                        is overtaken, and the mean is of order N log N",
                repair: "it is listed where all clocks are equal and all delays are; N H_N election messages in any case",
            },
            Erratum {
                place: "section 4, worst case under adversary scheduling",
                wrong: "the example makes N(N+1)/2 election passes, not N(N+2)/2",
                repair: "the bound listed here is N(N+1)/2",
            },
            Erratum {
                place: "section 3, overlapping elections",
                wrong: "if the elected one wakes again before its sleepwell has returned, processors can end up with \
                        different leaders",
                repair: "messages carry an epoch",
            },
        ],
    };

    const PROMISES: &'static [Promise] = &smallest_wins("Vitanyi1984 section 3");

    const BOUNDS: &'static [Bound<Self>] = bounds::ALL;
    const IDENTITY_BOUNDS: &'static [IdentityBound<Self>] = bounds::OF_EACH;

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let timing = instance.timing;
        let departures = Departures::new(DEPARTURES, settings)?;
        Ok(Self {
            law: Law::parse(settings.get("law"), instance)?,
            first_f: settings.is("first", "f"),
            printed_claims: settings.is("claims", "printed"),
            printed: Printed {
                timer: departures.undoes("timer"),
                wakeup: departures.undoes("wakeup"),
                epochs: departures.undoes("epochs"),
            },
            lockstep: !instance.untimed
                && instance.ticks.min == instance.ticks.max
                && instance.delays.max == 0
                && timing.reading == Reading::PerTick
                && timing.offsets == Offsets::Zero
                && instance.undisturbed,
        })
    }

    fn processor(&self, seat: Seat) -> VitanyiProcessor {
        let id = seat.identity();
        VitanyiProcessor { id, k: id, epoch: 0, mode: Mode::Fresh, late: false, missed: false }
    }

    fn figures(&self, instance: &Instance<'_>) -> Vec<Figure> {
        let (w_p, w_s) = (instance.ticks.sum, instance.delays.sum);
        let figure = |symbol, value, meaning| Figure { symbol, value: Value::int(value), meaning };
        vec![
            figure("u", u128::from(instance.u()), "greatest tick plus greatest delay"),
            figure("m", u128::from(instance.ticks.min), "least tick"),
            figure("w", w_p + w_s, "walk time of the ring"),
            figure("w_s", w_s, "sum of the delays"),
            figure("w_p", w_p, "sum of the ticks"),
        ]
    }
}

impl Processor for VitanyiProcessor {
    type Problem = Election;
    type Message = Call;
    type Timer = Timer;
    type Rules = Vitanyi;

    fn step(&mut self, rules: &Vitanyi, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            // A wake time that comes after a processor was reached is void.
            Event::Wake if self.mode == Mode::Fresh => self.awake(rules, fx),
            Event::Wake => {}
            // A further election is asked of a processor that has fallen asleep again, or was never woken.
            Event::Call(_) if self.mode == Mode::Awake => {}
            Event::Call(_) => {
                if self.mode == Mode::Asleep && !rules.printed.epochs {
                    self.epoch += 1;
                }
                self.awake(rules, fx);
            }
            Event::Receive(_, message) if rules.printed.epochs => self.read(rules, message, fx),
            Event::Receive(_, message) => self.receive(rules, message, fx),
            // "timer <- timer - 1; if timer = 0 then send M_k": the countdown is one timer.
            Event::Timeout(Timer::Countdown) if self.late => {
                fx.rule(7);
                self.late = false;
                fx.set_timer(Timer::Countdown, Ticks::ONE);
            }
            Event::Timeout(Timer::Countdown) => self.send(fx),
        }
    }

    /// A sleeping processor acts on arrival; one that is awake drops a wakeup of its own or an older election.
    fn urgent(&self, rules: &Vitanyi, message: &Call) -> bool {
        match message {
            _ if self.mode != Mode::Awake => true,
            Call::Wakeup { epoch } => !rules.printed.wakeup && *epoch <= self.epoch,
            Call::Election { .. } | Call::Sleepwell { .. } => false,
        }
    }
}

impl Inspect for VitanyiProcessor {
    fn stuck(&self, _: &Vitanyi) -> Option<&'static str> {
        self.missed
            .then_some("its timer was set to what is no positive integer, so it stepped over 0 and M_k was never sent")
    }

    fn is_candidate(&self) -> bool {
        self.mode == Mode::Awake && self.k == self.id
    }
}

impl VitanyiProcessor {
    /// "Send wakeup message to clockwise neighbor; set k equal to i and set timer equal to 1."
    fn awake(&mut self, rules: &Vitanyi, fx: &mut impl Effects<Self>) {
        fx.rule(1);
        if self.mode != Mode::Fresh {
            fx.report(ElectionReport::Reopened);
        }
        self.mode = Mode::Awake;
        fx.send(NEXT, Call::Wakeup { epoch: self.epoch });
        self.k = self.id;
        if rules.first_f {
            self.arm(rules, fx);
        } else {
            self.late = false;
            fx.set_timer(Timer::Countdown, Ticks::ONE);
        }
    }

    /// A message that carries its epoch.
    fn receive(&mut self, rules: &Vitanyi, message: Call, fx: &mut impl Effects<Self>) {
        match self.mode {
            // Only a wakeup wakes one that never was awake.
            Mode::Fresh if matches!(message, Call::Wakeup { .. }) => {
                self.epoch = message.epoch();
                self.awake(rules, fx);
            }
            Mode::Fresh => fx.rule(8),
            Mode::Awake | Mode::Asleep if message.epoch() > self.epoch => {
                fx.compare(message.epoch(), self.epoch);
                fx.rule(10);
                self.epoch = message.epoch();
                self.awake(rules, fx);
                if !matches!(message, Call::Wakeup { .. }) {
                    self.read(rules, message, fx);
                }
            }
            Mode::Awake | Mode::Asleep if message.epoch() < self.epoch => {
                fx.compare(message.epoch(), self.epoch);
                fx.rule(9);
            }
            Mode::Awake | Mode::Asleep => self.read(rules, message, fx),
        }
    }

    /// The body of the Figure's loop, for a message of the present election.
    fn read(&mut self, rules: &Vitanyi, message: Call, fx: &mut impl Effects<Self>) {
        match (self.mode, message) {
            (Mode::Awake, Call::Wakeup { .. }) => {
                fx.rule(7);
                self.late = rules.printed.wakeup;
            }
            (Mode::Fresh | Mode::Asleep, Call::Wakeup { .. }) if rules.printed.epochs => self.awake(rules, fx),
            // "if I am asleep and M is the sleepwell message then the election is finished"; nothing else is for
            // sleepers.
            (Mode::Fresh | Mode::Asleep, _) => fx.rule(8),
            // "Elected One <- k; send sleepwell message to clockwise neighbor and go asleep"
            (Mode::Awake, Call::Sleepwell { .. }) => {
                fx.rule(2);
                fx.report(ElectionReport::Follows(Some(self.k)));
                self.sleep(fx);
            }
            (Mode::Awake, Call::Election { id, .. }) if id == self.k => {
                fx.compare(id, self.k);
                fx.rule(3);
                fx.report(ElectionReport::Elected(Some(self.k)));
                self.report_size(rules, fx);
                self.sleep(fx);
            }
            (Mode::Awake, Call::Election { id, .. }) if id < self.k => {
                fx.compare(id, self.k);
                fx.rule(4);
                self.k = id;
                self.arm(rules, fx);
            }
            // j > k is annihilated; the timer runs on.
            (Mode::Awake, Call::Election { id, .. }) => {
                fx.compare(id, self.k);
                fx.rule(5);
            }
        }
    }

    fn sleep(&mut self, fx: &mut impl Effects<Self>) {
        fx.cancel_timer(Timer::Countdown);
        fx.send(NEXT, Call::Sleepwell { epoch: self.epoch });
        self.mode = Mode::Asleep;
    }

    /// "timer <- f(k)"
    fn arm(&mut self, rules: &Vitanyi, fx: &mut impl Effects<Self>) {
        let f = rules.law.at(self.id.get(), self.k.get());
        self.late = false;
        if rules.printed.timer && !f.positive_integer {
            self.missed = true;
            fx.cancel_timer(Timer::Countdown);
        } else if f.ceiling == Some(0) {
            fx.cancel_timer(Timer::Countdown);
            self.send(fx);
        } else {
            fx.set_timer(Timer::Countdown, Ticks::or_never(f.ceiling));
        }
    }

    fn send(&self, fx: &mut impl Effects<Self>) {
        fx.rule(6);
        fx.send(NEXT, Call::Election { id: self.k, epoch: self.epoch });
    }

    /// Section 4, synchronous case: "by counting time the network can determine the unknown ring size N". M_l leaves
    /// after its first countdown, takes f(l) + 1 units from each other processor to the next, and is read one unit
    /// after it arrives.
    fn report_size(&self, rules: &Vitanyi, fx: &mut impl Effects<Self>) {
        if !rules.lockstep || rules.printed != Printed::default() || self.k != self.id {
            return;
        }
        let Some(elapsed) = fx.elapsed().and_then(Ticks::get) else { return };
        // Hops of M_l after the first are made by others, whose f does not depend on themselves unless it is 0.
        let (own, hop) =
            (rules.law.at(self.id.get(), self.id.get()).ceiling, rules.law.at(u64::MAX, self.id.get()).ceiling);
        let first = if rules.first_f { own } else { Some(1) };
        if let (Some(first), Some(hop)) = (first, hop) {
            fx.report(ElectionReport::Size((elapsed - 1 - first) / (hop + 1) + 1));
        }
    }
}
