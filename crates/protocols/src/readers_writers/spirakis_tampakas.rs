//! Spirakis and Tampakas's lock for readers and writers in Archimedean networks \[SpirakisTampakas1989\], section 3.1.
//!
//! *Problem*: readers and writers, by prevention. *Assumes*: as the [lock](crate::mutual_exclusion::spirakis_tampakas)
//! of which it is a variant.
//!
//! "Readers never give a negative answer to a request of another reader": all else is the lock, with its failure as
//! printed and its repair. So that a reader can tell, requests say what they are for. Readers are inside together; a
//! writer keeps everybody out, and is not starved by readers, whose later numbers must wait for it.
//!
//! *Numbers* are unbounded. Those of readers, who do not wait for each other, can run away from that of a reader who is
//! inside for long: modulo 2N-1 they would not compare.
//!
//! ```
//! use ringleader_model::{Outcome, Preset, Protocol, Reading, Scenario, Settings, Workload};
//! use ringleader_protocols::readers_writers::spirakis_tampakas::SpirakisTampakasReadersWriters;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let workload = Some(Workload { entries: 5, readers: 2, writers: 1, ..Workload::new(3) });
//! let timing = Preset::Archimedean.timing(Reading::PerStep);
//! let scenario = Scenario { n: 3, ids: vec![2, 9, 4], workload, timing, ..Scenario::default() };
//! let settings = Settings::new(SpirakisTampakasReadersWriters::DESCRIPTION.parameters, &[]).unwrap();
//! let instance = Resolved::new(&scenario);
//! let protocol = SpirakisTampakasReadersWriters::configure(&settings, &instance.instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().outcome, Outcome::Entries { entries: 15, overlap_max: 1 });
//! ```

use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{
    BadSetting, Bound, Complete, Departures, Description, Erratum, Field, Figure, Instance, Kind, Place, Promise,
    Promised, Promises, Protocol, ReadersWriters, Scenario, Seat, Settings,
};
use serde::Serialize;

use crate::mutual_exclusion::archimedean_lock::{
    ARCHIMEDEAN, C, C1, CRASH, DEPARTURES, Lock, PREDICT, RULES, Sharing, Site, balance, least, longest_delay,
    longest_delay_one_by_one, longest_local_delay, most, most_with_probes,
};
use crate::mutual_exclusion::{Numbers, for_every_entry};

/// Readers are inside together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shared {}

/// The role of a site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It reads.
    Reader,
    /// It writes.
    Writer,
}

impl Field for Role {
    fn bits(&self) -> u64 {
        1
    }

    fn show(&self, _: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reader => " reader",
            Self::Writer => " writer",
        })
    }
}

impl Sharing for Shared {
    type Problem = ReadersWriters;
    type Role = Role;

    fn role(seat: Seat) -> Role {
        if seat.role == 0 { Role::Reader } else { Role::Writer }
    }

    fn conflict(one: Role, other: Role) -> bool {
        (one, other) != (Role::Reader, Role::Reader)
    }
}

/// The lock of section 3.1.
pub type SpirakisTampakasReadersWriters = Lock<Shared>;

impl Protocol for Lock<Shared> {
    type Processor = Site<Shared>;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "spirakis-tampakas-readers-writers",
        title: "silence within a window means consent; readers are silent to readers",
        sources: &["SpirakisTampakas1989"],
        idea: "The lock spirakis-tampakas-mutex, but requests also say whether a reader or a writer asks, and a reader \
               never answers a reader negatively. So readers are inside together, and a writer excludes everybody.",
        rules: RULES,
        random: true,
        assumptions: ARCHIMEDEAN,
        parameters: &[Departures::rules(), Departures::printed(DEPARTURES), C, C1, PREDICT, CRASH],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "3.1: \"the writer follows the original protocol\"",
                wrong: "it inherits what is wrong with that: as printed a reader and a writer are inside together; see \
                        experiments/spirakis-tampakas-readers-writers-overlap",
                repair: "as in spirakis-tampakas-mutex",
            },
            Erratum {
                place: "3.1 with 2.2.5: numbers modulo M ≥ 2n-1",
                wrong: "readers do not wait for each other: while one is inside the numbers of others run on, and the difference \
                        has no bound",
                repair: "numbers are unbounded here",
            },
        ],
    };

    const PROMISES: &'static [Promise] = &[Promise {
        property: Promised::ReadersTogether,
        when: "with two readers or more; a check of all schedules judges it, a run does not",
        source: "SpirakisTampakas1989 3.1",
    }];

    const BOUNDS: &'static [Bound<Self>] = &[
        for_every_entry("request", "SpirakisTampakas1989 2.2.1"),
        balance(),
        least(),
        most(),
        most_with_probes(),
        longest_delay(),
        longest_delay_one_by_one(),
        longest_local_delay(),
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Self::new(settings, instance, Numbers::unbounded(instance, "a number")?)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        let promises = Promises::within(Self::PROMISES, &Self::DESCRIPTION.assumptions, scenario);
        if self.readers > 1 { promises } else { Promises::default() }
    }

    fn role(&self, place: Place) -> u32 {
        u32::from(place >= self.readers)
    }

    fn processor(&self, seat: Seat) -> Site<Shared> {
        Site::new(self, seat)
    }

    fn sends(&self, kind: Kind) -> bool {
        self.counts(kind)
    }

    fn figures(&self, instance: &Instance<'_>) -> Vec<Figure> {
        self.numbers_of(instance)
    }

    fn notes(&self, instance: &Instance<'_>) -> Vec<&'static str> {
        Self::outlook(instance)
    }
}
