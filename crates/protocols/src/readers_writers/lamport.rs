//! Lamport's readers and writer who do not wait for each other \[Lamport1977\], with the random waits of
//! \[SpirakisTampakas1989\] section 3.2.
//!
//! *Problem*: readers-writers, optimistic. *Assumes*: one writer; shared cells, of which one access reads or writes
//! one; for the waits, Archimedean time.
//!
//! The data have two version numbers. The writer makes the first one greater, writes the words of the data, and sets
//! the second one to the first. A reader reads the second, the words, and the first, and begins again unless the two
//! are equal. A version has several digits, each a cell: V1 is written from the most significant one and read from the
//! least, V2 the other way round, so that what is read of V1 is never too small and what is read of V2 never too great.
//! *Claimed*: nothing torn is returned; with waits of (R+W)/γ to 2(R+W)/γ steps before every attempt and every write a
//! reader needs at most 2/γ + 1 attempts on average, γ = r_min/r_max.
//!
//! *Reading*: a cell is a processor that answers. An access takes one own step (the next one begins at the step after
//! that with the answer, or in it where messages are read at steps), so R = W = the number of cells where messages take
//! no time. Where they do, an access may take ⌈(2 d_max + 2 r_max)/r_min⌉ steps, and R and W are greater by that
//! factor. R and W count the statements of a loop, so that an attempt may take longer than a write: `read-time` and
//! `write-time` add own steps between the words and the version that comes last.
//!
//! *Attempts in the long run*. Whatever came of the last attempt, a reader that has more to read waits and tries again,
//! so that its attempts begin independently of the writes. An attempt of R steps fails only if a write of W steps
//! begins from W steps of the writer before it to R steps of the reader after its beginning. Another write begins
//! every 3(R+W)/(2γ) + W steps of the writer on average, and at most one per attempt, since the shortest wait takes
//! longer than R steps. So at most (R/γ + W)/(3(R+W)/(2γ) + W) of the attempts fail, the reader being slowest and the
//! writer fastest, and a read takes at most (3(R+W) + 2γW)/(R + 3W) attempts. That is at most 3, and so below 2/γ + 1.
//!
//! *Versions* have `digits` digits and wrap. A reader is deceived only if, from the first digit it reads to the last,
//! at least b^m - b^(m-1) + 1 writes are under way (base b, m digits): if the digits that it reads come from both sides
//! of a wrap, the most significant ones of V2, read first, and of V1, read last, can only agree that much later; if
//! not, versions grow, and Lamport's proof applies. With the waits an attempt overlaps with one write at most, and one
//! binary digit is enough.
//!
//! ```
//! use ringleader_model::{Outcome, Preset, Protocol, Reading, Scenario, Settings, Workload};
//! use ringleader_protocols::readers_writers::lamport::Lamport;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let settings = Settings::new(Lamport::DESCRIPTION.parameters, &[]).unwrap();
//! let cells = Lamport::cells(&settings); // two versions of three digits, two words
//! let workload = Workload { entries: 5, readers: 2, writers: 1, cells, ..Workload::new(3) };
//! let timing = Preset::Memory.timing(Reading::Immediate);
//! let scenario = Scenario { n: 3 + cells, workload: Some(workload), timing, ..Scenario::default() };
//! let lamport = Lamport::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(lamport, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert!(matches!(run.summary().outcome, Outcome::Data { reads: 10, writes: 5, torn: 0, stale: 0, .. }));
//! ```

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Complete, DataReport, Description, Display, Effects, Erratum, Event,
    Figure, Inspect, Instance, Message, Parameter, Place, Port, PortUse, Ports, Preset, Processor, Promise, Promised,
    Promises, Protocol, Quantity, Reading, Scenario, Seat, Settings, SharedData, Ticks, Topology, Value, Values,
};
use serde::{Serialize, Serializer};

/// Lamport's protocol: its cells, the order in which they are accessed, and the waits.
#[derive(Clone, Debug)]
pub struct Lamport {
    /// Of each version.
    digits: u32,
    base: u64,
    words: u32,
    /// For each traversal of a version: the most significant digit comes first.
    write_v1: bool,
    write_v2: bool,
    read_v2: bool,
    read_v1: bool,
    waits: Option<Waits>,
    /// Steps that an access may take.
    access: u64,
    /// Own steps of a reader and of the writer between the words and the version that comes last.
    pauses: [u64; 2],
    /// An answer is read at a step, in which the next access can be made.
    prompt: bool,
    readers: u32,
    /// Versions are promised to show how many writes overlap, of however many digits they are.
    overlaps_as_printed: bool,
    /// The place of the first cell.
    first_cell: u32,
}

/// The waits before an attempt or a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Waits {
    least: u64,
    /// From the least on.
    values: u32,
}

/// A message between a reader or writer and a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// To a cell: what do you hold?
    Read,
    /// To a cell: hold this.
    Write(u64),
    /// From a cell: what it holds.
    Value(u64),
    /// From a cell: it holds what was written.
    Done,
}

/// One's own next step, at which to go on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// The wait is over, or the step after an answer has come.
    Turn,
}

/// One processor, reader, writer or cell: 24 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct LamportProcessor {
    /// The value of a cell; the number of the writer's last write; the first word that a reader has read.
    value: u64,
    /// V2 as far as a reader has read it, less V1 as far as it has read that.
    #[serde(serialize_with = "signed")]
    versions: u64,
    /// The number of accesses made in this attempt or write.
    accesses: u16,
    role: Role,
    stage: Stage,
    /// A word differs from the first.
    torn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Role {
    Reader,
    Writer,
    Cell,
    /// Neither.
    Bystander,
}

impl Role {
    const ALL: [Self; 4] = [Self::Reader, Self::Writer, Self::Cell, Self::Bystander];
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    /// Not asked for anything.
    Idle,
    /// Before an attempt or a write.
    Waiting,
    /// A cell has been asked.
    Asking,
    /// It has answered.
    Answered,
}

/// The target of an access.
#[derive(Clone, Copy)]
struct Target {
    cell: u32,
    part: Part,
}

#[derive(Clone, Copy)]
enum Part {
    /// A digit of V1, by its weight.
    V1(u64),
    Word,
    /// A digit of V2.
    V2(u64),
}

const MOST: &str = "most";
const WAYS: Values = Values::Choice(&[MOST, "least"]);

const fn traversal(name: &'static str, default: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, values: WAYS, default, doc }
}

const fn duration(name: &'static str, doc: &'static str) -> Parameter {
    let values = Values::Form("cells, or a number of steps from the number of cells to 1000000");
    Parameter { name, values, default: "cells", doc }
}

impl Protocol for Lamport {
    type Processor = LamportProcessor;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "lamport-readers-writers",
        title: "readers find out whether a write came between, and begin again",
        sources: &["Lamport1977", "SpirakisTampakas1989"],
        idea: "The writer makes one version number greater before it writes the data, and the other one afterwards. A \
               reader reads them in the opposite order, the data in between, and accepts what it has read if they are \
               equal. Nobody waits for anybody, so in lock step a reader may never succeed; random waits before every \
               attempt and every write, long enough for the bounds of Archimedean time, make it succeed soon.",
        rules: &[
            "Cell, on read: answer with the value.",
            "Cell, on write(value): keep the value; answer done.",
            "Asked to read or to write: wait, for a random number of steps (waits=none: not at all).",
            "Writer, after the wait: begin the next write.",
            "Reader, after the wait: begin an attempt.",
            "Writer, in a write: one access per own step: V1 := V1 + 1, the most significant digit first; then the \
             words; then V2 := V1, the least significant digit first.",
            "Reader, in an attempt: one access per own step: V2, the most significant digit first; then the words; \
             then V1, the least significant digit first.",
            "On the answer to the last access: note it; at the next own step go on.",
            "Writer, when all is written: the write is complete.",
            "Reader, when all is read and V1 = V2: return what was read.",
            "Reader, when all is read and V1 and V2 differ: again, after another wait.",
            "On any other message: discard it; only faults bring one.",
        ],
        random: true,
        assumptions: Assumptions {
            topology: Topology::Complete,
            identities: false,
            known_size: true,
            preset: Preset::Memory,
            // A cell that reads one message a tick has a queue of requests, and no access is over in time.
            readings: &[Reading::Immediate, Reading::PerStep],
            port_use: PortUse::Given("they are the addresses of the shared cells"),
            ..Assumptions::RING
        },
        parameters: &[
            Parameter {
                name: "digits",
                values: Values::Number(1, 16),
                default: "3",
                doc: "digits of a version; with three binary ones versions that wrap deceive a reader only if four writes \
                      begin during one attempt: never, waits or not, where messages take no time and r_max is at most \
                      3 r_min",
            },
            Parameter {
                name: "base",
                values: Values::Number(2, 10),
                default: "2",
                doc: "what the digits are digits of; versions count modulo base^digits",
            },
            Parameter {
                name: "words",
                values: Values::Number(1, 1000),
                default: "2",
                doc: "cells of the data; two are the fewest of which the halves of different writes can be read",
            },
            duration(
                "read-time",
                "R: the steps of an attempt where messages take no time; those beside one per cell come between the words and \
                 V1",
            ),
            duration("write-time", "W: the same of a write; those beside one per cell come between the words and V2"),
            Parameter {
                name: "waits",
                values: Values::Choice(&["archimedean", "none"]),
                default: "archimedean",
                doc: "before every attempt and every write: a number of steps, drawn uniformly from (R+W)/γ to \
                      2(R+W)/γ; none: Lamport's own protocol",
            },
            Parameter {
                name: "overlaps",
                values: Values::Choice(&["one-digit", "always"]),
                default: "one-digit",
                doc: "when a reader is promised to find no more overlapping writes than there are: where versions have one digit, \
                      or always, as printed",
            },
            traversal(
                "write-v1",
                "most",
                "which digit of V1 is written first; written from the least, what is read of it may be \
                too small",
            ),
            traversal("write-v2", "least", "which digit of V2 is written first"),
            traversal("read-v2", "most", "which digit of V2 is read first"),
            traversal(
                "read-v1",
                "least",
                "which digit of V1 is read first; of the sixteen combinations only the usual one is \
                safe: see experiments/lamport-directions",
            ),
        ],
        errata: ERRATA,
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &[Promise {
        property: Promised::OverlapsTold,
        when: "with versions of one digit, and waits or fewer writes than its base",
        source: "SpirakisTampakas1989 section 3.2",
    }];

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Attempts,
            kind: BoundKind::Mean,
            formula: "2/γ + 1",
            value: |rules, instance| {
                let clocked = instance.undisturbed && !instance.untimed;
                let claimed = clocked && rules.is_safe() && rules.waits.is_some() && rules.readers > 0;
                let r = instance.timing.r;
                claimed.then(|| Value::ratio(2 * u128::from(r.max), u128::from(r.min)) + Value::int(1))
            },
            source: "SpirakisTampakas1989 section 3.2",
            counts: "attempts per read over all waits, in the long run: the first read after a common start may take more; γ = r_min/r_max",
        },
        Bound {
            quantity: Quantity::Attempts,
            kind: BoundKind::Mean,
            formula: "(3(R+W) + 2γW)/(R + 3W)",
            value: |rules, instance| {
                let clocked = instance.undisturbed && !instance.untimed;
                let endless = instance.workload.is_some_and(|load| load.think.max == 0);
                let proved = clocked && endless && rules.is_safe() && rules.waits.is_some() && rules.readers > 0;
                let [r_min, r_max] = [instance.timing.r.min, instance.timing.r.max].map(u128::from);
                let [read, write] = rules.durations();
                let attempts = Value::ratio(3 * (read + write) * r_max + 2 * write * r_min, (read + 3 * write) * r_max);
                proved.then_some(attempts)
            },
            source: "SpirakisTampakas1989 section 3.2, corrected",
            counts: "attempts per read over all waits, in the long run, where nobody pauses between requests",
        },
        Bound {
            quantity: Quantity::Kind("write"),
            kind: BoundKind::Exact,
            formula: "cells times the writes",
            value: |rules, instance| rules.accesses(instance, rules.readers..rules.readers + 1),
            source: "Lamport1977",
            counts: "write requests, one per cell",
        },
        Bound {
            quantity: Quantity::Difference("write", "done"),
            kind: BoundKind::Exact,
            formula: "0",
            value: |_, instance| instance.undisturbed.then_some(Value::ZERO),
            source: "Lamport1977",
            counts: "write requests that are not answered: two messages per access",
        },
        Bound {
            quantity: Quantity::Kind("read"),
            kind: BoundKind::Best,
            formula: "cells times the reads",
            value: |rules, instance| rules.accesses(instance, 0..rules.readers),
            source: "Lamport1977",
            counts: "read requests, one per cell and attempt",
        },
        Bound {
            quantity: Quantity::Difference("read", "value"),
            kind: BoundKind::Exact,
            formula: "0",
            value: |_, instance| instance.undisturbed.then_some(Value::ZERO),
            source: "Lamport1977",
            counts: "read requests that are not answered: two messages per access",
        },
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let load = instance.workload;
        let writers = load.map_or(0, |load| load.writers);
        if writers != 1 {
            let allowed = "1: versions are written by one writer only; more of them have to exclude each other first";
            return Err(BadSetting::new("writers", format!("are {writers}"), allowed));
        }
        if *instance.ports != Ports::Plain {
            return Err(BadSetting::new(
                "ports",
                format!("is {}", instance.ports),
                "plain: every site has to find the cells",
            ));
        }
        let timing = instance.timing;
        let (r_min, r_max) = (u128::from(timing.r.min), u128::from(timing.r.max));
        let round_trip = (2 * u128::from(timing.d.max) + 2 * r_max).div_ceil(r_min);
        let access = if is_memory(instance) { 1 } else { round_trip };
        let cells = Self::cells(settings);
        let pauses = [pause(settings, "read-time", cells)?, pause(settings, "write-time", cells)?];
        let waits = if settings.is("waits", "none") {
            None
        } else {
            // R + W, then both ends of the interval: the integers inside it.
            let both = 2 * cells as u128 * access + pauses.iter().map(|&pause| u128::from(pause)).sum::<u128>();
            let (least, greatest) = ((both * r_max).div_ceil(r_min), 2 * both * r_max / r_min);
            let waits = u64::try_from(least).ok().zip(u32::try_from(greatest - least + 1).ok());
            let (least, values) = waits.ok_or_else(|| {
                let wrong = format!("makes waits of {least} to {greatest} steps");
                BadSetting::new("r", wrong, "r and d for which no more than 4294967295 lengths are possible")
            })?;
            Some(Waits { least, values })
        };
        let (digits, words) = (settings.number("digits") as u32, settings.number("words") as u32);
        Ok(Self {
            digits,
            base: settings.number("base"),
            words,
            write_v1: settings.is("write-v1", MOST),
            write_v2: settings.is("write-v2", MOST),
            read_v2: settings.is("read-v2", MOST),
            read_v1: settings.is("read-v1", MOST),
            waits,
            access: u64::try_from(access).expect("a tick and a delay have at most 48 bits"),
            pauses,
            prompt: timing.reading == Reading::PerStep,
            readers: load.map_or(0, |load| load.readers as u32),
            overlaps_as_printed: settings.is("overlaps", "always"),
            first_cell: instance.n as u32 - cells as u32,
        })
    }

    /// Of one digit each, V2 at the beginning and V1 at the end of an attempt say how many writes have been completed and begun.
    fn promises(&self, scenario: &Scenario) -> Promises {
        let writes = scenario.workload.as_ref().map_or(0, |load| load.asks(self.readers));
        let apart = self.waits.is_some() && !scenario.untimed && scenario.timing.exceeded().is_none();
        let told = self.digits == 1 && (apart || writes < self.base);
        if self.is_safe() && (told || self.overlaps_as_printed) {
            Promises::within(Self::PROMISES, &Self::DESCRIPTION.assumptions, scenario)
        } else {
            Promises::default()
        }
    }

    /// The waits keep writes apart, where there are enough of them to deceive a reader.
    fn needs_clocks(settings: &Settings, entries: u64) -> bool {
        let deceived = deceiving_writes(settings.number("base"), settings.number("digits") as u32);
        !settings.is("waits", "none") && u128::from(entries) >= deceived
    }

    fn cells(settings: &Settings) -> usize {
        (2 * settings.number("digits") + settings.number("words")) as usize
    }

    fn role(&self, place: Place) -> u32 {
        let role = if place < self.readers {
            Role::Reader
        } else if place == self.readers {
            Role::Writer
        } else if place >= self.first_cell {
            Role::Cell
        } else {
            Role::Bystander
        };
        role as u32
    }

    fn processor(&self, seat: Seat) -> LamportProcessor {
        let role = Role::ALL[seat.role as usize];
        LamportProcessor { value: 0, versions: 0, accesses: 0, role, stage: Stage::Idle, torn: false }
    }

    fn figures(&self, _: &Instance<'_>) -> Vec<Figure> {
        let figure = |symbol, value: u128, meaning| Figure { symbol, value: Value::int(value), meaning };
        let deceived = deceiving_writes(self.base, self.digits);
        let [read, write] = self.durations();
        let mut figures = if read == write {
            vec![figure("R, W", read, "steps of an attempt, and of a write, at most")]
        } else {
            vec![figure("R", read, "steps of an attempt, at most"), figure("W", write, "steps of a write, at most")]
        };
        figures.push(figure(
            "b^m - b^(m-1) + 1",
            deceived,
            "writes in one attempt from which on versions that wrap may deceive it",
        ));
        if let Some(Waits { least, values }) = self.waits {
            figures.push(figure("(R+W)/γ", u128::from(least), "the shortest wait, in steps"));
            let longest = u128::from(least) + u128::from(values) - 1;
            figures.push(figure("2(R+W)/γ", longest, "the longest wait, in steps"));
        }
        figures
    }
}

/// b^m - b^(m-1) + 1: the writes in one attempt from which on versions that wrap may deceive it.
fn deceiving_writes(base: u64, digits: u32) -> u128 {
    u128::from(base - 1) * u128::from(base).pow(digits - 1) + 1
}

const ERRATA: &[Erratum] = &[
    Erratum {
        place: "SpirakisTampakas1989 section 3.2, readers may check whether they overlapped with one write or with two or more",
        wrong: "only if the versions are read and written at once: of several digits, V1 is 11 while 01 becomes 10, and one write is \
                taken for two (`ringleader check lamport-readers-writers -n 2 --entries 2 --set digits=2 --set waits=none --set \
                overlaps=always`)",
        repair: "promised where versions have one digit; with the waits there is never more than one",
    },
    Erratum {
        place: "SpirakisTampakas1989 section 3.2, p is the share of time that the writer sleeps",
        wrong: "an attempt takes time too, and the writer has to sleep through it: with γ = 1 and long data p is 1/2 in \
                the long run, not 3/4; see experiments/lamport-attempts",
        repair: "where R = W no more than (1+γ)/(3+γ) of the attempts fail in the long run, so there are at \
                 most (3+γ)/2 attempts per read, less than the claimed 2/γ + 1",
    },
    Erratum {
        place: "SpirakisTampakas1989 section 3.2, successive trials succeed independently",
        wrong: "an attempt and the write that overlaps with it end at about the same time, and so the next ones easily overlap. With \
                γ = 1, where all begin together, the first read takes 2.58 attempts on average for data of 5 words, \
                more than the (2(R+W)/γ+W)/(R+W) = 2.5 of the proof, and for data of 16 words 3.01, more than \
                2/γ + 1 = 3; see experiments/lamport-attempts",
        repair: "2/γ + 1 is listed for the mean of many reads, one after the other",
    },
    Erratum {
        place: "SpirakisTampakas1989 section 3.2, p ≥ (R+W)/(2(R+W)/γ+W) and at most (2(R+W)/γ+W)/(R+W) attempts",
        wrong: "where a read takes longer than a write: with γ = 1, R = 90 and W = 10 a read takes 2.6 attempts on average in the \
                long run, not 2.1 (`ringleader reproduce --table read-write-times`); the bound fails from R = 2.6 W on",
        repair: "at most (3(R+W) + 2γW)/(R + 3W) attempts in the long run, p being at least (R + 3W)/(3(R+W) + 2γW)",
    },
    Erratum {
        place: "Lamport1977 and SpirakisTampakas1989, version numbers",
        wrong: "they grow without bound; versions of m digits in base b that wrap can deceive a reader during whose attempt \
                b^m - b^(m-1) writes begin: see experiments/lamport-wrap",
        repair: "with the waits one write overlaps with an attempt at most, and one binary digit is enough; without them digits says \
                 how slow a reader may be",
    },
];

/// The own steps that an attempt or a write takes beside those of its accesses.
fn pause(settings: &Settings, name: &'static str, cells: usize) -> Result<u64, BadSetting> {
    let text = settings.get(name);
    if text == "cells" {
        return Ok(0);
    }
    let steps = text.parse().ok().filter(|&steps: &u64| steps <= 1_000_000);
    steps.and_then(|steps| steps.checked_sub(cells as u64)).ok_or_else(|| {
        let allowed = format!("cells, or a number of steps from {cells}, one per cell, to 1000000");
        BadSetting::new("set", format!("{name}={text}: that is too few, too many, or no number"), allowed)
    })
}

/// Whether an access takes one step, as in the papers: messages take no time.
fn is_memory(instance: &Instance<'_>) -> bool {
    instance.timing.d.max == 0 && instance.timing.reading == Reading::Immediate
}

impl Lamport {
    /// The number of cells, and of accesses of an attempt or a write.
    const fn size(&self) -> u32 {
        2 * self.digits + self.words
    }

    /// R and W: steps of an attempt and of a write, at most.
    fn durations(&self) -> [u128; 2] {
        self.pauses.map(|pause| u128::from(self.size()) * u128::from(self.access) + u128::from(pause))
    }

    /// Own steps that a reader or writer takes before the access of this rank, beside one for the access.
    fn pause(&self, role: Role, rank: u32) -> u64 {
        if rank == self.digits + self.words { self.pauses[usize::from(role == Role::Writer)] } else { 0 }
    }

    /// V1 - V2, modulo the number of versions: the writes that came between.
    fn writes_between(&self, versions: u64) -> u64 {
        versions.wrapping_neg().cast_signed().rem_euclid(self.base.pow(self.digits).cast_signed()).unsigned_abs()
    }

    fn is_safe(&self) -> bool {
        self.write_v1 && !self.write_v2 && self.read_v2 && !self.read_v1
    }

    /// The accesses of some sites that need one attempt each time.
    fn accesses(&self, instance: &Instance<'_>, places: Range<Place>) -> Option<Value> {
        let load = instance.workload.filter(|_| instance.undisturbed)?;
        let asks: u128 = places.map(|place| u128::from(load.asks(place))).sum();
        Some(Value::int(asks * u128::from(self.size())))
    }

    /// The port behind which a cell is: the same for all sites, as their places come before those of the cells.
    const fn port(&self, cell: u32) -> Port {
        Port(self.first_cell + cell - 1)
    }

    /// The digit of rank `rank` in a traversal of a version: its number and weight.
    fn digit(&self, most_first: bool, rank: u32) -> (u32, u64) {
        let digit = if most_first { self.digits - 1 - rank } else { rank };
        (digit, self.base.pow(digit))
    }

    /// The target of the access of rank `rank` of a reader or writer. The cells are V1, the words, V2.
    fn target(&self, role: Role, rank: u32) -> Target {
        let end = self.digits + self.words;
        let v1 = |most_first, rank| {
            let (digit, weight) = self.digit(most_first, rank);
            Target { cell: digit, part: Part::V1(weight) }
        };
        let v2 = |most_first, rank| {
            let (digit, weight) = self.digit(most_first, rank);
            Target { cell: end + digit, part: Part::V2(weight) }
        };
        match role {
            _ if (self.digits..end).contains(&rank) => Target { cell: rank, part: Part::Word },
            Role::Writer if rank < end => v1(self.write_v1, rank),
            Role::Writer => v2(self.write_v2, rank - end),
            _ if rank < end => v2(self.read_v2, rank),
            _ => v1(self.read_v1, rank - end),
        }
    }
}

impl Processor for LamportProcessor {
    type Problem = SharedData;
    type Message = Access;
    type Timer = Timer;
    type Rules = Lamport;

    fn step(&mut self, rules: &Lamport, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => {}
            Event::Call(_) if matches!(self.role, Role::Reader | Role::Writer) && self.stage == Stage::Idle => {
                fx.rule(3);
                fx.report(DataReport::Requested);
                self.wait(rules, fx);
            }
            Event::Call(_) => {}
            // An access is atomic "with respect to one data item at a time" (Spirakis and Tampakas, 3.1).
            Event::Receive(port, Access::Read) if self.role == Role::Cell => {
                fx.rule(1);
                fx.send(port, Access::Value(self.value));
            }
            Event::Receive(port, Access::Write(value)) if self.role == Role::Cell => {
                self.value = value;
                fx.rule(2);
                fx.send(port, Access::Done);
            }
            Event::Receive(port, Access::Value(value)) if self.awaits(Role::Reader, port, rules) => {
                self.take(value, rules);
                self.answered(rules, fx);
            }
            Event::Receive(port, Access::Done) if self.awaits(Role::Writer, port, rules) => self.answered(rules, fx),
            // Only faults bring anything else: an answer twice.
            Event::Receive(..) => fx.rule(12),
            Event::Timeout(Timer::Turn) => match self.stage {
                Stage::Waiting => self.begin(rules, fx),
                Stage::Answered => self.go_on(rules, fx),
                Stage::Idle | Stage::Asking => {}
            },
        }
    }
}

impl Inspect for LamportProcessor {}

/// Serialises a difference modulo 2^64 with its sign.
fn signed<S: Serializer>(difference: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(difference.cast_signed())
}

impl LamportProcessor {
    /// Spirakis and Tampakas, 3.2: "wait for a random number of steps" before each access to the data.
    fn wait(&mut self, rules: &Lamport, fx: &mut impl Effects<Self>) {
        let Some(Waits { least, values }) = rules.waits else { return self.begin(rules, fx) };
        self.stage = Stage::Waiting;
        let more = u64::from(fx.choose(values));
        fx.set_timer(Timer::Turn, Ticks::or_never(least.checked_add(more)));
    }

    /// Begins an attempt, or a write.
    fn begin(&mut self, rules: &Lamport, fx: &mut impl Effects<Self>) {
        self.accesses = 0;
        if self.role == Role::Writer {
            fx.rule(4);
            self.value += 1;
            fx.report(DataReport::Writes(self.value));
        } else {
            fx.rule(5);
            (self.versions, self.torn) = (0, false);
            fx.report(DataReport::Attempts);
        }
        self.ask(rules, fx);
    }

    /// The next access. The words of a write hold its number, so that one can tell where they come from.
    fn ask(&mut self, rules: &Lamport, fx: &mut impl Effects<Self>) {
        fx.rule(if self.role == Role::Writer { 6 } else { 7 });
        self.stage = Stage::Asking;
        let Target { cell, part } = rules.target(self.role, self.accesses.into());
        let message = match (self.role, part) {
            // The highest digit wraps: the version is the number of the write modulo base^digits.
            (Role::Writer, Part::V1(weight) | Part::V2(weight)) => Access::Write(self.value / weight % rules.base),
            (Role::Writer, Part::Word) => Access::Write(self.value),
            _ => Access::Read,
        };
        fx.send(rules.port(cell), message);
    }

    fn awaits(&self, role: Role, port: Port, rules: &Lamport) -> bool {
        self.role == role
            && self.stage == Stage::Asking
            && rules.port(rules.target(role, self.accesses.into()).cell) == port
    }

    /// A reader has read a cell.
    fn take(&mut self, value: u64, rules: &Lamport) {
        match rules.target(Role::Reader, self.accesses.into()).part {
            Part::V2(weight) => self.versions = self.versions.wrapping_add(value.wrapping_mul(weight)),
            Part::V1(weight) => self.versions = self.versions.wrapping_sub(value.wrapping_mul(weight)),
            Part::Word if u32::from(self.accesses) == rules.digits => self.value = value,
            Part::Word => self.torn |= self.value != value,
        }
    }

    /// The access is made; at the own next step comes the next one.
    fn answered(&mut self, rules: &Lamport, fx: &mut impl Effects<Self>) {
        fx.rule(8);
        self.accesses += 1;
        let pause = rules.pause(self.role, self.accesses.into());
        if rules.prompt && pause == 0 {
            self.go_on(rules, fx);
        } else {
            self.stage = Stage::Answered;
            fx.set_timer(Timer::Turn, Ticks::new(pause + u64::from(!rules.prompt)));
        }
    }

    /// Makes the next access, or ends the attempt or the write.
    fn go_on(&mut self, rules: &Lamport, fx: &mut impl Effects<Self>) {
        if u32::from(self.accesses) < rules.size() {
            return self.ask(rules, fx);
        }
        self.stage = Stage::Idle;
        match self.role {
            Role::Writer => {
                fx.rule(9);
                fx.report(DataReport::Written(self.value));
            }
            _ if self.versions == 0 => {
                self.compare_versions(fx);
                fx.rule(10);
                fx.report(DataReport::Returns { write: self.value, torn: self.torn });
            }
            // "If the result is unsatisfactory, has to start again": an attempt of its own, with a wait of its own.
            _ => {
                self.compare_versions(fx);
                fx.rule(11);
                fx.report(DataReport::Overlapped { several: rules.writes_between(self.versions) > 1 });
                self.wait(rules, fx);
            }
        }
    }

    /// Names the comparison of V2 with V1. Only their difference is kept: the smaller of them counts as 0.
    fn compare_versions(&self, fx: &mut impl Effects<Self>) {
        let difference = self.versions.cast_signed();
        fx.compare(difference.max(0).unsigned_abs(), difference.min(0).unsigned_abs());
    }
}

#[cfg(test)]
mod tests;
