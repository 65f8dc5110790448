//! Mutual exclusion on a complete network, unit of time by unit of time: the lock of P. Spirakis and B. Tampakas ("Efficient
//! distributed algorithms by using the Archimedean time assumption", 1989, section 2.2; with readers section 3.1), and
//! that of G. Ricart and A. Agrawala (CACM 24, 1981) which it is measured against.
//!
//! Nothing is left to chance: the lengths of steps, the delays, the draws, the stays inside and the pauses are given by
//! functions, so a run of anybody's can be followed entry by entry. At each instant everything arrives that is due; then
//! each site whose step it is, in the order of places, reads all that has arrived (or one message of it), then goes on in its program:
//! what it waited for may be over, and the user may leave or ask. All that is possible in one step happens in it.
//!
//! What the sources leave open:
//! - A message sent at an instant with delay 0 is read at a later instant.
//! - The wait for as many positive as negative replies is looked at once a step, when everything that arrived has been read.
//! - The nnr of an invocation is what was counted until it entered.
//! - Printed, replies do not say what they answer, and each counts; repaired, only those to the present request do.
//! - Ricart and Agrawala's site takes its own number into the highest seen, as the timestamps of Lamport do.

mod site;
#[cfg(test)]
mod tests;

use site::{NaiveMessage, Site};

/// Which protocol, with its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Lock {
    /// Silence within a window is consent.
    SpirakisTampakas {
        /// osn is drawn before the sleep and hsn does not take it in; otherwise at the end of the sleep, and it does.
        printed: bool,
        /// Steps to wait for negative replies, see [`window`].
        window: u64,
        /// mindelay and delaystep, in steps, see [`delaystep`].
        delaystep: u64,
        /// What to predict; the nnr of the previous invocation if nothing.
        predict: Option<u64>,
        /// Sequence numbers are counted modulo this, if at all.
        modulus: Option<u64>,
    },
    /// Everybody is asked and must answer.
    RicartAgrawala,
}

/// ⌈(2 d_max + c·r_max)/r_min⌉.
pub fn window(c: u64, r: (u64, u64), d_max: u64) -> u64 {
    (2 * d_max + c * r.1).div_ceil(r.0)
}

/// ⌈c1·r_max/r_min⌉.
pub fn delaystep(c1: u64, r: (u64, u64)) -> u64 {
    (c1 * r.1).div_ceil(r.0)
}

/// A function of a place and a count from 0.
pub type Given<'a> = &'a dyn Fn(usize, u64) -> u64;

/// Everything that happens to the sites.
#[derive(Clone)]
pub struct NaiveNetwork<'a> {
    /// Identities, by place: the smaller one wins ties.
    pub ids: Vec<u64>,
    /// Which sites are readers; all others exclude everybody.
    pub readers: Vec<bool>,
    /// How often each site asks.
    pub entries: Vec<u64>,
    /// The time of each site's first step.
    pub first: Vec<u64>,
    /// The time from a site's step (from 0) to the next.
    pub lengths: Given<'a>,
    /// The delay of a message: from, to, and how many this link has carried before.
    pub delay: &'a dyn Fn(usize, usize, u64) -> u64,
    /// How many steps more than the least a site sleeps: place, entry from 0, and how many values there are to draw from.
    pub draw: &'a dyn Fn(usize, u64, u64) -> u64,
    /// How many steps a site stays inside, at least 1: place and entry.
    pub hold: Given<'a>,
    /// How many steps it pauses afterwards.
    pub think: Given<'a>,
    /// A step reads one message, the first in order of arrival; what arrives at a step waits for the next. Messages take time then.
    pub one_by_one: bool,
    /// The last instant that is looked at.
    pub limit: u64,
}

/// One entry into the critical section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NaiveEntry {
    /// Whose.
    pub place: usize,
    /// When the user asked.
    pub asked: u64,
    /// When the requests were sent.
    pub sent: u64,
    /// When it entered.
    pub entered: u64,
    /// When it left.
    pub left: u64,
    /// Negative replies, or n - 1 replies of Ricart and Agrawala's.
    pub nnr: u64,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveRun {
    /// In the order in which they ended; by place at the same instant.
    pub entries: Vec<NaiveEntry>,
    /// Messages sent: requests, negative replies, positive replies (all of Ricart and Agrawala's).
    pub messages: [u64; 3],
    /// The most sites inside at once that exclude each other; readers together are one.
    pub overlap: u64,
    /// Whether every site made all its entries.
    pub finished: bool,
}

struct Flight {
    arrives: u64,
    from: usize,
    to: usize,
    message: NaiveMessage,
}

/// What arrives now: by sender, then in the order of sending, which the list keeps.
fn due(flights: &mut Vec<Flight>, time: u64) -> Vec<Flight> {
    let mut due: Vec<_> = flights.extract_if(.., |flight| flight.arrives <= time).collect();
    due.sort_by_key(|flight| flight.from);
    due
}

impl Lock {
    /// Lets the sites run until all have left for the last time, or to the limit.
    pub fn run(self, network: &NaiveNetwork) -> NaiveRun {
        let n = network.ids.len();
        let mut sites: Vec<_> = (0..n).map(|place| Site::new(network, place)).collect();
        let (mut flights, mut carried) = (Vec::<Flight>::new(), vec![vec![0; n]; n]);
        let mut run = NaiveRun { entries: Vec::new(), messages: [0; 3], overlap: 0, finished: false };
        let mut time = 0;
        while time <= network.limit && !run.finished {
            let arrived = due(&mut flights, time);
            if !network.one_by_one {
                arrived.iter().for_each(|flight| sites[flight.to].mail.push((flight.from, flight.message)));
            }
            for (place, site) in sites.iter_mut().enumerate().filter(|(_, site)| site.next == time) {
                site.take_step(self, network, time);
                for (to, message) in site.sent.drain(..) {
                    run.messages[message.kind()] += 1;
                    let arrives = time + (network.delay)(place, to, carried[place][to]);
                    carried[place][to] += 1;
                    flights.push(Flight { arrives, from: place, to, message });
                }
            }
            if network.one_by_one {
                arrived.iter().for_each(|flight| sites[flight.to].mail.push((flight.from, flight.message)));
            }
            let inside = |reader| {
                let there = sites.iter().enumerate().filter(|(_, site)| site.is_inside());
                there.filter(|(place, _)| network.readers[*place] == reader).count() as u64
            };
            run.overlap = run.overlap.max(inside(false) + inside(true).min(1));
            run.finished = sites.iter().all(Site::is_done);
            time += 1;
        }
        run.entries = sites.into_iter().flat_map(|site| site.entries).collect();
        run.entries.sort_by_key(|entry| (entry.left, entry.place));
        run
    }

    fn printed(self) -> bool {
        matches!(self, Self::SpirakisTampakas { printed: true, .. })
    }

    fn asks_silence(self) -> bool {
        matches!(self, Self::SpirakisTampakas { .. })
    }

    fn modulus(self) -> Option<u64> {
        match self {
            Self::SpirakisTampakas { modulus, .. } => modulus,
            Self::RicartAgrawala => None,
        }
    }

    fn following(self, number: u64) -> u64 {
        self.modulus().map_or(number + 1, |modulus| (number + 1) % modulus)
    }

    /// Whether one number is greater than another; the smaller is increased by the modulus if they differ by n or more.
    fn later(self, n: usize, one: u64, other: u64) -> bool {
        match self.modulus() {
            Some(_) if one.abs_diff(other) >= n as u64 => one < other,
            _ => one > other,
        }
    }
}
