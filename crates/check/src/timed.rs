//! Configurations of a protocol with clocks: what there is at the end of an instant, and one unit of time between two of them.
//!
//! A configuration knows no time, only ages: of messages, since they were sent; of steps, since they began; and the ticks that
//! timers have left. An instant lets all of them grow by one unit; the world then decides who wakes, what arrives, whose clock ticks,
//! what comes first of a message and a tick, and what users do; and then coins fall. What the world decides is one
//! event, and the ways of that event differ in the coins.
//!
//! Who crashes does so as an instant begins, with all that is unread, on its way to it or sent to it later.
//!
//! Where every message takes at least a unit, processors do not reach each other within an instant. What may become of one of
//! them depends on its own state and on what is on its way to it: it is worked out once, and the ways of an instant are
//! all combinations.

mod course;
mod flights;
mod local;
mod passes;
#[cfg(test)]
mod tests;
mod wander;

use ringleader_model::{
    AtMost, BadSetting, Clocks, Delays, Faults, Links, Phases, Place, Port, Reading, Scenario, Ties,
};

use self::flights::{EMPTY, Flights};
use self::local::{Body, Clock, Local, Manner, Plan, Visit, phase};
use crate::answer::Wakers;
use crate::book::{Book, Opening, Said, Wish};
use crate::dice::{Leaf, events, every};
use crate::faults::Budget;
use crate::interner::{Interner, Map, Number};
use crate::probability::{Advance, Ended};
use crate::roads::{In, Roads};
use crate::space::{Space, Standing, Told, Ways};
use crate::step::{Stands, User};

pub(crate) use self::course::course;
pub use self::wander::{Walk, wander};

/// The number of no reports.
const SILENT: Number = 0;

/// The number of whoever has crashed.
const GONE: Number = 0;

/// About what a key of a map costs besides its numbers.
const KEY: usize = 64;

/// The most ways in which tick lengths may be fixed.
const MOST_BEGINNINGS: u64 = 1 << 16;

/// What happens in an instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Moment {
    /// By place.
    places: Vec<Deed>,
    /// By link direction: which of those on their way arrive, by index.
    arrived: Vec<Vec<usize>>,
    /// What is sent, in order: the link direction, and whether it arrives at once.
    sent: Vec<(usize, bool)>,
}

/// What happens at one place in an instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Deed {
    crashes: bool,
    wakes: bool,
    calls: u32,
    ticks: bool,
    /// By arrival, by port and as links have them: whether it comes after a tick of this instant; empty where that is not
    /// asked.
    ties: Vec<bool>,
    visits: Vec<Visit>,
    coins: Vec<u32>,
}

/// What may become of a processor in an instant, if the world decides in a certain way.
struct Choice {
    /// Where what is left on the links that lead here lies among all of that.
    left: u32,
    /// Where its branches lie, one for each way that coins may fall.
    branches: (u32, u32),
    free: bool,
    /// A user who is to leave is told to.
    takes: bool,
    crashes: bool,
}

/// One way that coins may fall.
#[derive(Clone, Copy)]
struct Branch {
    local: Number,
    /// Where its sends lie: each a link direction and a batch.
    sends: (u32, u32),
    reports: Number,
    odds: u32,
    sent: u32,
    /// By how much the processor's phase grows.
    advance: u32,
}

/// All configurations of a protocol with clocks in a scenario, reached or not.
///
/// A row has a number for each processor, then one for each link direction, then one for the monitor, and, where somebody may
/// crash, one for how many still may.
pub(crate) struct Timed {
    book: Box<dyn Book>,
    roads: Roads,
    manner: Manner,
    n: usize,
    delay: (u64, u64),
    budget: Option<Budget>,
    locals: Interner<Local>,
    flights: Flights,
    standings: Vec<Option<Standing>>,
    /// Each with its phase.
    reports: Interner<Vec<(u32, Said)>>,
    choices: Vec<Choice>,
    branches: Vec<Branch>,
    left: Vec<Number>,
    sends: Vec<(u32, Number)>,
    /// By processor and what is on its way to it: where its choices lie.
    known: Map<Vec<Number>, (u32, u32)>,
    /// By monitor and the reports of each place, and how many messages are lost: the monitor after them.
    told: Map<Vec<Number>, Number>,
    /// By monitor: the one after an instant without reports.
    untold: Vec<Option<Number>>,
    beginnings: Vec<Vec<Number>>,
    /// What the ways are that are asked for, if somebody wants to know: by place, which choice and which branch.
    record: Option<Vec<Vec<(u32, u32)>>>,
}

/// What all hands share.
struct Kept {
    locals: Interner<Local>,
    flights: Flights,
    reports: Interner<Vec<(u32, Said)>>,
}

impl Kept {
    fn new(flights: Flights) -> Self {
        let (mut locals, mut reports) = (Interner::new(), Interner::new());
        assert_eq!((locals.number(Local::GONE), reports.number(Vec::new())), (GONE, SILENT));
        Self { locals, flights, reports }
    }
}

impl Timed {
    /// The configurations of a protocol in a scenario. `reduce`: without those that cannot matter.
    pub(crate) fn new(
        opening: Opening,
        scenario: &Scenario,
        wakers: &Wakers,
        reduce: bool,
    ) -> Result<Self, BadSetting> {
        refuse(scenario)?;
        let Opening { book, roads, processors, monitor, together, .. } = opening;
        let timing = &scenario.timing;
        let delay = match timing.delays {
            Delays::Min => (timing.d.min, timing.d.min),
            Delays::Max => (timing.d.max, timing.d.max),
            _ => (timing.d.min, timing.d.max),
        };
        // A tick at which nothing can ever be done has no order.
        let ticks_matter = book.has_timers() || scenario.workload.is_some() || timing.reading != Reading::Immediate;
        let manner = Manner {
            reading: timing.reading,
            either: scenario.ties == Ties::Either && ticks_matter,
            in_order: scenario.links == Links::Fifo,
            visits: book.knows(Wish::Acquire),
            releases: book.knows(Wish::Release),
            together: *wakers == Wakers::Together || scenario.workload.is_some() || together,
            eager: reduce && timing.reading == Reading::PerStep,
        };
        let kept = Kept::new(Flights::new(manner.in_order, delay));
        let mut space = Self::with(book, roads, manner, delay, kept, Vec::new(), scenario.n);
        space.budget = Budget::new(scenario.faults.at_most)?;
        space.begin(scenario, wakers, &processors, monitor);
        Ok(space)
    }

    /// A hand that has worked out nothing yet.
    fn with(
        book: Box<dyn Book>,
        roads: Roads,
        manner: Manner,
        delay: (u64, u64),
        Kept { locals, flights, reports }: Kept,
        beginnings: Vec<Vec<Number>>,
        n: usize,
    ) -> Self {
        Self {
            book,
            roads,
            manner,
            n,
            delay,
            budget: None,
            locals,
            flights,
            standings: Vec::new(),
            reports,
            choices: Vec::new(),
            branches: Vec::new(),
            left: Vec::new(),
            sends: Vec::new(),
            known: Map::default(),
            told: Map::default(),
            untold: Vec::new(),
            beginnings,
            record: None,
        }
    }

    /// One beginning for every way in which tick lengths may be fixed.
    fn begin(&mut self, scenario: &Scenario, wakers: &Wakers, processors: &[Number], monitor: Number) {
        let mut beginnings = vec![Vec::new()];
        for (place, &processor) in (0..).zip(processors) {
            let mut user = User::new(scenario, place);
            user.again *= u32::from(self.book.knows(Wish::Again));
            let mut numbers = Vec::new();
            for step in steps(scenario, place) {
                let local = Local {
                    processor,
                    asleep: wakers.have(place) || self.manner.together,
                    step,
                    clock: Clock::Stopped,
                    timers: Vec::new(),
                    unread: Vec::new(),
                    user,
                };
                numbers.push(self.locals.number(local));
            }
            let longer =
                |row: &Vec<Number>| numbers.iter().map(|&number| [&row[..], &[number]].concat()).collect::<Vec<_>>();
            beginnings = beginnings.iter().flat_map(longer).collect();
        }
        for row in &mut beginnings {
            row.resize(self.monitor_at(), EMPTY);
            row.push(monitor);
            row.extend(self.budget.as_ref().map(Budget::whole));
        }
        self.beginnings = beginnings;
    }

    /// How many may still crash, as a number; none where nobody may.
    fn may_crash(&self, row: &[Number]) -> Option<Number> {
        self.budget.and_then(|budget| budget.crash(row[self.monitor_at() + 1]))
    }

    /// The monitor's place in a row.
    fn monitor_at(&self) -> usize {
        self.n + self.roads.links
    }

    /// What is on its way to a place, and may arrive together: for each link the index of one of its arrivals.
    fn arrivals(&mut self, row: &[Number], place: usize) -> Vec<Vec<usize>> {
        let mut combinations = vec![Vec::new()];
        for way_in in self.roads.ways_in(place as Place) {
            let count = self.flights.arrivals(row[self.roads.way_in(way_in).at as usize]).len();
            combinations = combinations
                .iter()
                .flat_map(|chosen: &Vec<usize>| (0..count).map(|index| [&chosen[..], &[index]].concat()))
                .collect();
        }
        combinations
    }

    /// What arrives at a place, if this is chosen for each link that leads there, in order.
    fn arriving(&mut self, row: &[Number], place: usize, chosen: &[usize]) -> Vec<(Port, Number)> {
        let mut arriving = Vec::new();
        for (way_in, &index) in self.roads.ways_in(place as Place).zip(chosen) {
            let In { at, port, .. } = self.roads.way_in(way_in);
            let messages = &self.flights.arrivals(row[at as usize])[index].messages;
            arriving.extend(messages.iter().map(|&message| (Port(port), message)));
        }
        arriving
    }

    /// Every course that an instant of a place may take, if this arrives.
    fn courses(&mut self, local: Number, arriving: &[(Port, Number)]) -> Vec<Leaf<(Plan, Body)>> {
        let ports: Vec<Port> = arriving.iter().map(|&(port, _)| port).collect();
        let local = self.locals.get(local);
        every(|dice| {
            let plan = Plan::new(local, &ports, self.manner, dice);
            let mut body = Body::new(local.clone());
            body.live(&mut *self.book, self.manner, &plan, arriving, dice);
            (plan, body)
        })
    }

    /// The choices for a place, worked out when they are first asked for.
    fn choices_of(&mut self, row: &[Number], place: usize, key: &mut Vec<Number>) -> (u32, u32) {
        key.clear();
        let may_crash = row[place] != GONE && self.may_crash(row).is_some();
        key.push(row[place]);
        key.push(place as u32 * 2 + u32::from(may_crash));
        let ways_in = self.roads.ways_in(place as Place);
        key.extend(ways_in.clone().map(|way_in| row[self.roads.way_in(way_in).at as usize]));
        if let Some(&found) = self.known.get(&key[..]) {
            return found;
        }
        let from = self.choices.len() as u32;
        let mut seen: Map<Vec<Number>, ()> = Map::default();
        for chosen in self.arrivals(row, place) {
            let arriving = self.arriving(row, place, &chosen);
            let leaves = self.courses(row[place], &arriving);
            let left = |(way_in, &index): (usize, &usize)| {
                self.flights.arrivals(row[self.roads.way_in(way_in).at as usize])[index].left
            };
            let left: Vec<Number> = ways_in.clone().zip(&chosen).map(left).collect();
            for event in events(&leaves).expect("after its coins a place has nothing to decide") {
                self.add_choice(place, &left, event.iter().map(|&leaf| &leaves[leaf]), &mut seen);
            }
        }
        if may_crash {
            self.add_crash(row, place);
        }
        let found = (from, self.choices.len() as u32);
        self.known.insert(key.clone(), found);
        found
    }

    /// Adds a choice, unless there is one that comes to the same.
    fn add_choice<'a>(
        &mut self,
        place: usize,
        left: &[Number],
        leaves: impl Iterator<Item = &'a Leaf<(Plan, Body)>>,
        seen: &mut Map<Vec<Number>, ()>,
    ) {
        let (mut free, mut takes) = (false, false);
        let first = (self.branches.len() as u32, self.sends.len());
        let mut same = left.to_vec();
        for leaf in leaves {
            let (plan, body) = &leaf.end;
            free |= plan.calls > 0 || plan.wakes && !self.manner.together || body.asked();
            takes |= body.released();
            let from = self.sends.len() as u32;
            self.add_sends(place, &body.sends);
            let branch = Branch {
                local: self.locals.number(body.local.clone()),
                sends: (from, self.sends.len() as u32),
                reports: self.reports.number(body.reports.clone()),
                odds: leaf.odds(),
                sent: body.sends.len() as u32,
                advance: body.advance,
            };
            self.branches.push(branch);
            same.extend([branch.local, branch.reports, branch.odds, branch.sends.1 - from, branch.advance]);
            same.extend(self.sends[from as usize..].iter().flat_map(|&(at, batch)| [at, batch]));
        }
        same.push(u32::from(free) << 1 | u32::from(takes));
        if seen.insert(same, ()).is_some() {
            self.branches.truncate(first.0 as usize);
            self.sends.truncate(first.1);
            return;
        }
        let branches = (first.0, self.branches.len() as u32);
        self.choices.push(Choice { left: self.left.len() as u32, branches, free, takes, crashes: false });
        self.left.extend_from_slice(left);
    }

    /// Adds the choice that somebody crashes.
    fn add_crash(&mut self, row: &[Number], place: usize) {
        let ways_in = self.roads.ways_in(place as Place);
        let flights = ways_in.clone().map(|way_in| self.flights.row(row[self.roads.way_in(way_in).at as usize]).len());
        let lost = flights.sum::<usize>() + self.locals.get(row[place]).unread.len();
        let mut said = vec![(phase::CRASH, Said::Crash)];
        said.resize(1 + lost, (phase::CRASH, Said::Loss));
        let (first, sends) = (self.branches.len() as u32, self.sends.len() as u32);
        let (reports, sends) = (self.reports.number(said), (sends, sends));
        self.branches.push(Branch { local: GONE, sends, reports, odds: 1, sent: 0, advance: 0 });
        let (left, branches) = (self.left.len() as u32, (first, first + 1));
        self.left.resize(left as usize + ways_in.len(), EMPTY);
        self.choices.push(Choice { left, branches, free: true, takes: false, crashes: true });
    }

    /// Adds what a place sends, by link direction.
    fn add_sends(&mut self, place: usize, sends: &[(Port, Number)]) {
        let mut batches: Vec<(u32, Vec<Number>)> = Vec::new();
        for &(port, message) in sends {
            let at = self.roads.out(place as Place, port).at;
            match batches.iter_mut().find(|(other, _)| *other == at) {
                Some((_, batch)) => batch.push(message),
                None => batches.push((at, vec![message])),
            }
        }
        for (at, batch) in batches {
            let batch = self.flights.batch(batch);
            self.sends.push((at, batch));
        }
    }

    /// The monitor after an instant in which each place reports this, and so many messages are lost on their way.
    fn tell(&mut self, key: &[Number]) -> Number {
        if key[1..].iter().all(|&reports| reports == SILENT) {
            let monitor = key[0] as usize;
            if self.untold.len() <= monitor {
                self.untold.resize(monitor + 1, None);
            }
            if let Some(found) = self.untold[monitor] {
                return found;
            }
            let found = self.told_anew(key);
            self.untold[monitor] = Some(found);
            return found;
        }
        if let Some(&found) = self.told.get(key) {
            return found;
        }
        let found = self.told_anew(key);
        self.told.insert(key.to_vec(), found);
        found
    }

    fn told_anew(&mut self, key: &[Number]) -> Number {
        let mut all = Vec::new();
        for (place, &reports) in (0..).zip(&key[1..=self.n]) {
            all.extend(self.reports.get(reports).iter().map(|&(phase, said)| (phase, place, said)));
        }
        all.sort_by_key(|&(phase, place, _)| (phase, place));
        let mut said: Vec<_> = all.into_iter().map(|(_, place, said)| (place, said)).collect();
        let lost = key.get(self.n + 1).map_or(0, |&lost| lost as usize);
        said.resize(said.len() + lost, (0, Said::Loss));
        self.book.told(key[0], &said)
    }

    /// Adds the ways of one combination of choices, one for each combination of their branches.
    fn combine(&mut self, row: &[Number], fingerprint: u64, chosen: &[u32], ways: &mut Ways, bench: &mut Bench) {
        let event = ways.list.last().map_or(0, |way| way.event + 1);
        bench.left.clear();
        bench.left.resize(self.roads.links, EMPTY);
        let mut free = false;
        bench.gone.clear();
        bench.may_crash = self.budget.map(|_| row[self.monitor_at() + 1]);
        for (place, &choice) in chosen.iter().enumerate() {
            let choice = &self.choices[choice as usize];
            free |= choice.free;
            if let Some(left) = bench.may_crash.filter(|_| choice.crashes) {
                bench.may_crash = self.budget.and_then(|budget| budget.crash(left));
                if bench.may_crash.is_none() {
                    return;
                }
            }
            bench.gone.push(choice.crashes || row[place] == GONE);
            for (index, way_in) in self.roads.ways_in(place as Place).enumerate() {
                let at = self.roads.way_in(way_in).at as usize;
                bench.left[at - self.n] = self.left[choice.left as usize + index];
            }
        }
        bench.branch.clear();
        bench.branch.extend(chosen.iter().map(|&choice| self.choices[choice as usize].branches.0));
        loop {
            let acts = self.go(row, chosen, bench, ways);
            // As long as nobody has woken no time passes that anybody could tell; who crashes then can as well do so later.
            if acts || !self.beginnings.iter().any(|beginning| beginning == row) {
                ways.end(row, fingerprint, (event, bench.odds), bench.sent, free);
                if let Some(record) = &mut self.record {
                    let branches = bench.branch.iter().zip(chosen);
                    let index =
                        |(&branch, &choice): (&u32, &u32)| (choice, branch - self.choices[choice as usize].branches.0);
                    record.push(branches.map(index).collect());
                }
            } else {
                ways.give_up();
            }
            // The last branch that can still grow does.
            let grows = |&place: &usize| bench.branch[place] + 1 < self.choices[chosen[place] as usize].branches.1;
            let Some(place) = (0..self.n).rev().find(grows) else { return };
            bench.branch[place] += 1;
            for (branch, &choice) in bench.branch.iter_mut().zip(chosen).skip(place + 1) {
                *branch = self.choices[choice as usize].branches.0;
            }
        }
    }

    /// What one combination of branches changes; whether anybody does anything but crash.
    fn go(&mut self, row: &[Number], chosen: &[u32], bench: &mut Bench, ways: &mut Ways) -> bool {
        let (mut acts, mut lost) = (false, 0);
        let mut change = |at: usize, to: Number| {
            if to != row[at] {
                ways.change(at as u32, to);
            }
        };
        (bench.odds, bench.sent) = (1, 0);
        bench.after.clone_from(&bench.left);
        bench.reports.clear();
        bench.reports.push(row[self.monitor_at()]);
        for (place, &branch) in bench.branch.iter().enumerate() {
            let branch = self.branches[branch as usize];
            bench.odds = bench.odds.saturating_mul(branch.odds);
            bench.sent += branch.sent;
            bench.reports.push(branch.reports);
            change(place, branch.local);
            acts |= branch.local != row[place] && branch.local != GONE;
            for index in branch.sends.0..branch.sends.1 {
                let (at, batch) = self.sends[index as usize];
                if bench.gone[self.roads.receiver(at, 0) as usize] {
                    lost += self.flights.size(batch);
                    continue;
                }
                let link = &mut bench.after[at as usize - self.n];
                *link = self.flights.push(*link, batch);
            }
        }
        for (link, &after) in bench.after.iter().enumerate() {
            change(self.n + link, after);
        }
        if let Some(left) = bench.may_crash {
            bench.reports.push(lost);
            change(self.monitor_at() + 1, left);
        }
        change(self.monitor_at(), self.tell(&bench.reports));
        for (place, &choice) in (0..).zip(chosen) {
            if self.choices[choice as usize].takes {
                ways.take(place);
            }
        }
        acts
    }
}

/// Room for the work on one combination.
#[derive(Default)]
struct Bench {
    /// By place: who has crashed, or does.
    gone: Vec<bool>,
    /// How many may still crash, as a number.
    may_crash: Option<Number>,
    left: Vec<Number>,
    after: Vec<Number>,
    branch: Vec<u32>,
    reports: Vec<Number>,
    odds: u32,
    sent: u32,
}

/// What cannot be explored with clocks.
fn refuse(scenario: &Scenario) -> Result<(), BadSetting> {
    let timing = &scenario.timing;
    if scenario.links == Links::Half {
        return Err(BadSetting::new("links", "are half", "fifo or any where there are clocks, or no clocks (untimed)"));
    }
    let crashes = AtMost { crashes: scenario.faults.at_most.crashes, ..AtMost::default() };
    if scenario.faults != (Faults { at_most: crashes, ..Faults::default() }) {
        return Err(BadSetting::new(
            "faults",
            "are not crashes",
            "crash:K where there are clocks, or no clocks (untimed)",
        ));
    }
    if crashes.crashes > 0 && timing.d.min == 0 {
        return Err(BadSetting::new(
            "faults",
            "are given, and d_min is 0",
            "none, or messages that take at least a unit",
        ));
    }
    if scenario.ties == Ties::Either && timing.d.min == 0 {
        return Err(BadSetting::new("ties", "are both, and d_min is 0", "sim, or messages that take at least a unit"));
    }
    let varies = timing.clocks == Clocks::Varying && timing.r.min < timing.r.max;
    if varies && timing.reading != Reading::PerStep {
        let wrong = format!("are varying, and reading is {}", timing.reading.name());
        return Err(BadSetting::new("clocks", wrong, "fixed, or reading per-step"));
    }
    let lengths = timing.r.max - timing.r.min + 1;
    let few = |power: u32| lengths.checked_pow(power).is_some_and(|ways| ways <= MOST_BEGINNINGS);
    if timing.clocks == Clocks::Fixed && !few(scenario.n as u32) {
        let wrong = format!("has {lengths} lengths, for {} clocks", scenario.n);
        return Err(BadSetting::new(
            "r",
            wrong,
            format!("at most {MOST_BEGINNINGS} ways to fix them, or varying clocks"),
        ));
    }
    if !matches!(timing.delays, Delays::Uniform | Delays::Min | Delays::Max) {
        let wrong = format!("are {}", timing.delays.name());
        return Err(BadSetting::new("delays", wrong, "uniform, min or max: every delay in d is explored"));
    }
    if matches!(timing.phases, Phases::List(_)) {
        return Err(BadSetting::new("phases", "are a list", "zero: every offset of a first tick is explored"));
    }
    Ok(())
}

/// The shortest and the longest step of a place, for every way in which that may be fixed.
fn steps(scenario: &Scenario, place: Place) -> Vec<(u64, u64)> {
    let r = scenario.timing.r;
    match &scenario.timing.clocks {
        Clocks::Varying => vec![(r.min, r.max)],
        Clocks::Fixed => (r.min..=r.max).map(|length| (length, length)).collect(),
        Clocks::Slowest => vec![(r.max, r.max)],
        Clocks::Fastest => vec![(r.min, r.min)],
        Clocks::List(list) => vec![(list[place as usize], list[place as usize])],
    }
}

impl Space for Timed {
    fn another(&self) -> Box<dyn Space> {
        let kept = Kept { locals: self.locals.clone(), flights: self.flights.clone(), reports: self.reports.clone() };
        let (book, roads, beginnings) = (self.book.another(), self.roads.clone(), self.beginnings.clone());
        let another = Self::with(book, roads, self.manner, self.delay, kept, beginnings, self.n);
        Box::new(Self { budget: self.budget, ..another })
    }

    fn beginnings(&self) -> Vec<Vec<Number>> {
        self.beginnings.clone()
    }

    fn ways(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        ways.clear();
        if self.delay.0 == 0 {
            return self.passes(row, fingerprint, ways);
        }
        let mut key = Vec::new();
        let ranges: Vec<(u32, u32)> = (0..self.n).map(|place| self.choices_of(row, place, &mut key)).collect();
        let mut chosen: Vec<u32> = ranges.iter().map(|&(from, _)| from).collect();
        let mut bench = Bench::default();
        loop {
            self.combine(row, fingerprint, &chosen, ways, &mut bench);
            let Some(place) = (0..self.n).rev().find(|&place| chosen[place] + 1 < ranges[place].1) else { return };
            chosen[place] += 1;
            for place in place + 1..self.n {
                chosen[place] = ranges[place].0;
            }
        }
    }

    fn standing(&mut self, row: &[Number]) -> Standing {
        let monitor = row[self.monitor_at()];
        let index = monitor as usize;
        if self.standings.len() <= index {
            self.standings.resize(index + 1, None);
        }
        *self.standings[index].get_or_insert_with(|| self.book.standing(monitor))
    }

    /// Messages and ticks have their limits in time; only users may stay for ever, and must not.
    fn owed(&mut self, row: &[Number], owed: &mut Vec<u32>) {
        owed.clear();
        let inside = |&place: &u32| self.locals.get(row[place as usize]).user.stands == Stands::Inside;
        owed.extend((0..self.n as u32).filter(inside));
    }

    fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.choices)
            + size_of_val(&*self.branches)
            + size_of_val(&*self.left)
            + size_of_val(&*self.sends)
            + size_of_val(&*self.standings)
            + size_of_val(&*self.untold);
        let keys = (self.known.len() + self.told.len()) * (KEY + size_of::<Number>() * (self.n + 2));
        self.book.bytes() + self.locals.bytes() + self.reports.bytes() + self.flights.bytes() + lists + keys
    }

    fn falls_silent(&self) -> bool {
        self.book.falls_silent()
    }

    fn caveat(&self) -> &'static str {
        self.book.caveat()
    }

    fn complaint(&mut self, row: &[Number]) -> String {
        self.book.complaint(row[self.monitor_at()])
    }
}

impl Ended for Timed {
    fn is_timed(&self) -> bool {
        true
    }

    fn is_phased(&self) -> bool {
        self.book.is_phased()
    }

    fn places(&self) -> Place {
        self.n as Place
    }

    fn label(&mut self, row: &[Number]) -> String {
        self.book.label(row[self.monitor_at()])
    }

    /// Nothing is on its way, nothing is unread, no timer is pending and nobody is inside: only clocks go on.
    fn over(&mut self, row: &[Number], _: &Ways) -> bool {
        row[self.n..self.monitor_at()].iter().all(|&flight| flight == EMPTY)
            && row[..self.n].iter().all(|&local| self.locals.get(local).is_idle())
    }

    fn advances(&mut self, row: &[Number], advances: &mut Vec<Advance>) {
        advances.clear();
        if self.delay.0 == 0 {
            return self.passing_advances(row, advances);
        }
        self.record = Some(Vec::new());
        self.ways(row, 0, &mut Ways::default());
        for (way, chosen) in self.record.take().expect("it was just asked for").into_iter().enumerate() {
            for (place, (choice, branch)) in chosen.into_iter().enumerate() {
                let first = self.choices[choice as usize].branches.0;
                let by = self.branches[(first + branch) as usize].advance;
                if by > 0 {
                    advances.push(Advance { way, place: place as Place, by });
                }
            }
        }
    }
}

impl Timed {
    /// What happens at a place if a choice is made and coins fall like this.
    fn retrace(&mut self, row: &[Number], place: usize, (choice, branch): (u32, u32), moment: &mut Moment) {
        let Choice { left, branches, crashes, .. } = self.choices[choice as usize];
        if crashes {
            return moment.places.push(Deed { crashes, ..Deed::default() });
        }
        let wanted = self.branches[(branches.0 + branch) as usize];
        let ways_in = self.roads.ways_in(place as Place);
        let left = self.left[left as usize..][..ways_in.len()].to_vec();
        for chosen in self.arrivals(row, place) {
            let arrivals = |(way_in, &index): (usize, &usize)| {
                let at = self.roads.way_in(way_in).at as usize;
                (at - self.n, self.flights.arrivals(row[at])[index].clone())
            };
            let arrivals: Vec<_> = ways_in.clone().zip(&chosen).map(arrivals).collect();
            if !arrivals.iter().map(|(_, arrivals)| arrivals.left).eq(left.iter().copied()) {
                continue;
            }
            let arriving = self.arriving(row, place, &chosen);
            let leaves = self.courses(row[place], &arriving);
            for leaf in leaves {
                let (plan, body) = &leaf.end;
                let from = self.sends.len();
                self.add_sends(place, &body.sends);
                let sends = self.sends.split_off(from);
                let same = self.locals.number(body.local.clone()) == wanted.local
                    && self.reports.number(body.reports.clone()) == wanted.reports
                    && sends[..] == self.sends[wanted.sends.0 as usize..wanted.sends.1 as usize]
                    && leaf.odds() == wanted.odds;
                if !same {
                    continue;
                }
                let asked = plan.ticks && self.manner.either;
                moment.places.push(Deed {
                    crashes: false,
                    wakes: plan.wakes,
                    calls: plan.calls,
                    ticks: plan.ticks,
                    ties: plan.before.iter().filter(|_| asked).map(|before| !before).collect(),
                    visits: body.visits.clone(),
                    coins: leaf.coins().collect(),
                });
                for (link, arrivals) in arrivals {
                    moment.arrived[link] = arrivals.which;
                }
                let link = |&(port, _): &(Port, Number)| self.roads.out(place as Place, port).at as usize - self.n;
                moment.sent.extend(body.sends.iter().map(|send| (link(send), false)));
                return;
            }
        }
        unreachable!("a way that was found is found again");
    }
}

impl Told for Timed {
    type Happening = Moment;

    fn happening(&mut self, row: &[Number], way: usize) -> Moment {
        if self.delay.0 == 0 {
            return self.passed(row, way);
        }
        self.record = Some(Vec::new());
        self.ways(row, 0, &mut Ways::default());
        let chosen = self.record.take().expect("it was just asked for").swap_remove(way);
        let mut moment = Moment { arrived: vec![Vec::new(); self.roads.links], ..Moment::default() };
        for (place, (choice, branch)) in chosen.into_iter().enumerate() {
            self.retrace(row, place, (choice, branch), &mut moment);
        }
        moment
    }
}
