//! Exact distributions: what an election costs over all orders of its identities.
//!
//! Every order is run once, with unit delays (or the protocol's own timing) and all processors awake; on request with every wake
//! set and every orientation. On a ring, orders that a rotation maps to each other are one: the greatest identity is at place 0,
//! and there are (n-1)! orders. Sums are integers, so that mean and variance are fractions, and nothing depends on the number
//! of threads.

mod device;
mod document;
mod evaluator;
mod report;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ringleader_exact::{ExactDistribution, GridResult, MOST, Rotations, RunValues};
pub use ringleader_exact::{Launch, SmallInstances};
use ringleader_model::{BadSetting, Clocks, Delays, Quantity, Scenario, Starts, Topology};

pub use self::device::{Accelerator, Device, GPU_ELECTIONS, GpuElection, GpuSession};
pub use self::document::{Documented, DocumentedRows, GpuRow, SMALL, document};
pub use self::report::{DistributionReport, ExactReport, ExactRow, RationalReport, UnsoundReport};

pub(crate) use self::evaluator::{Evaluator, position_of, quantities, small_scenario};

use crate::check::side_by_side;
use crate::entry::Entry;
use crate::error::Error;
use crate::options::{CommandLine, Options};
use crate::report::grouped;
use crate::setup::Setup;
use crate::watch::Watch;

/// More runs than this are refused on a CPU.
pub const MOST_RUNS: u64 = 10_000_000_000;
/// Runs between looks at who watches.
const CHUNK: u64 = 1 << 12;

/// What a distribution is computed of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExactOptions {
    /// Parameters of the protocol.
    pub set: Vec<(String, String)>,
    /// Every non-empty set of initiators, instead of all processors.
    pub all_wakes: bool,
    /// Every orientation of a bidirectional ring, instead of the same everywhere.
    pub all_orientations: bool,
    /// The number of threads.
    pub threads: usize,
    /// The device that runs the elections.
    pub device: Device,
}

impl Default for ExactOptions {
    fn default() -> Self {
        Self { set: Vec::new(), all_wakes: false, all_orientations: false, threads: 1, device: Device::Cpu }
    }
}

/// A protocol on all instances of one size, validated.
#[derive(Clone, Debug)]
pub struct ExactSetup {
    /// The protocol in the first instance.
    pub setup: Setup,
    /// The instances.
    pub instances: SmallInstances,
    options: ExactOptions,
}

impl ExactSetup {
    /// Of `n` processors.
    ///
    /// # Errors
    /// If the protocol is no election with identities, or there are too many instances.
    pub fn new(entry: &'static dyn Entry, n: u64, options: &ExactOptions) -> Result<Self, Error> {
        entry.require_ordered_election("exact")?;
        let size = usize::try_from(n).ok().filter(|size| (1..=MOST).contains(size));
        let size = size.ok_or_else(|| BadSetting::new("n", format!("is {n}"), format!("1 to {MOST}")))?;
        if options.threads == 0 {
            return Err(BadSetting::new("threads", "are 0", "at least 1").into());
        }
        let instances = small_instances(entry, size, options.all_wakes, options.all_orientations)?;
        let (runs, most) = (instances.count(), options.device.most_runs());
        if runs > u128::from(most) {
            let orders = format!("{} orders", grouped(instances.orders));
            let all = match u128::from(instances.orders) == runs {
                true => orders,
                false => format!("{} runs of {orders}", grouped(runs)),
            };
            let wrong = format!("is {n}: there are {all}");
            return Err(BadSetting::new("n", wrong, format!("at most {} runs", grouped(most))).into());
        }
        let ids = instances.get(0).0.ids().iter().copied().map(u64::from).collect();
        let given = Options { ids: Some(ids), set: options.set.clone(), ..Options::default() };
        let exact = Self { setup: Setup::new(entry, given)?, instances, options: options.clone() };
        if options.device == Device::Gpu {
            exact.gpu_entry()?;
        }
        Ok(exact)
    }

    /// Refuses the name of a quantity that is not measured.
    ///
    /// # Errors
    /// If there is no such quantity.
    pub fn validate_quantity(&self, name: &str) -> Result<(), BadSetting> {
        position_of(self.setup.entry, name).map(|_| ())
    }

    /// The set-up of the run of an instance.
    pub fn run_of(&self, index: u64) -> Result<Setup, BadSetting> {
        let (order, wakes, exchanged) = self.instances.get(index);
        concise(&self.setup, &small_scenario(&self.setup.scenario, order.ids(), wakes, exchanged))
    }

    /// The command line that computes the distributions of these sizes.
    pub fn command_line(&self, sizes: &str) -> String {
        let mut line = CommandLine::new(&format!("exact {}", self.setup.entry.name()));
        line.value("-n", Some(sizes));
        line.value("--wakes", self.options.all_wakes.then_some("all"));
        line.value("--orientations", self.options.all_orientations.then_some("all"));
        for (key, value) in &self.options.set {
            line.value("--set", Some(format!("{key}={value}")));
        }
        line.value("--device", (self.options.device == Device::Gpu).then_some(Device::Gpu.name()));
        line.into_text()
    }

    /// Computes it on the CPU; `None` if it is stopped before.
    ///
    /// # Errors
    /// If a run does not end.
    pub fn compute(&self, watch: &dyn Watch) -> Result<Option<ExactRow>, Error> {
        let Some(sums) = self.sums(watch)? else { return Ok(None) };
        ExactRow::new(self, &sums).map(Some)
    }

    pub(crate) fn sums(&self, watch: &dyn Watch) -> Result<Option<Sums>, Error> {
        let total = u64::try_from(self.instances.count()).unwrap_or(u64::MAX);
        let (next, done, failed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let merged: Mutex<Result<Sums, (u64, Error)>> = Mutex::new(Ok(Sums::new(&self.setup)));
        let work = |_: usize| {
            let mut own = Sums::new(&self.setup);
            let found = Evaluator::new(&self.setup).map_err(|error| (0, error)).and_then(|mut evaluator| {
                loop {
                    own.by_kernel = evaluator.has_kernel();
                    let from = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if from >= total || failed.load(Ordering::Relaxed) || watch.stopped() {
                        return Ok(());
                    }
                    let to = total.min(from + CHUNK);
                    self.instances.each(from..to, |index, order, wakes, exchanged| {
                        let run = evaluator.evaluate(order.ids(), wakes, exchanged).map_err(|error| (index, error))?;
                        own.add(&run, index);
                        Ok(())
                    })?;
                    let runs = to - from;
                    watch.measured(done.fetch_add(runs, Ordering::Relaxed) + runs, total);
                }
            });
            let mut merged = merged.lock().expect("nothing panics while it is locked");
            match (&mut *merged, found) {
                (Ok(sums), Ok(())) => sums.merge(&own),
                (_, Ok(())) => {}
                // The first error in the order of runs, whoever comes upon it.
                (Err(first), Err(error)) if first.0 <= error.0 => {}
                (_, Err(error)) => {
                    failed.store(true, Ordering::Relaxed);
                    *merged = Err(error);
                }
            }
        };
        side_by_side(self.options.threads, &work);
        let merged = merged.into_inner().expect("nothing panics while it is locked").map_err(|(_, error)| error)?;
        Ok((merged.runs() == total).then_some(merged))
    }
}

/// The instances of a protocol.
///
/// # Errors
/// If it cannot have other wake sets or orientations.
pub(crate) fn small_instances(
    entry: &dyn Entry,
    n: usize,
    all_wakes: bool,
    all_orientations: bool,
) -> Result<SmallInstances, BadSetting> {
    let assumptions = &entry.description().assumptions;
    if all_wakes && assumptions.starts == Starts::Together {
        let allowed = format!("together: in {} all start in the same round", entry.name());
        return Err(BadSetting::new("wakes", "is all", allowed));
    }
    if all_orientations && assumptions.topology != Topology::BidirectionalRing {
        let wrong = format!("is all, and the network is {}", assumptions.topology.name());
        return Err(BadSetting::new("orientations", wrong, "only on a bidirectional ring"));
    }
    // Plain ports of a complete network are numbered by place, which a rotation changes.
    let rotations = if assumptions.topology.is_ring() { Rotations::Equal } else { Rotations::Distinct };
    Ok(SmallInstances::new(n, rotations, all_wakes, all_orientations))
}

/// The set-up of a scenario whose command line says no more than what differs from the protocol's defaults.
pub(crate) fn concise(base: &Setup, scenario: &Scenario) -> Result<Setup, BadSetting> {
    let all = Options::from(scenario);
    let given = Options {
        ids: all.ids,
        orientation: all.orientation,
        ports: all.ports,
        wake_at: all.wake_at,
        clocks: listed_clocks(scenario).or(base.given.clocks.clone()),
        delays: listed_delays(scenario).or(base.given.delays.clone()),
        n: None,
        order: None,
        wake: None,
        ..base.given.clone()
    };
    Setup::new(base.entry, given)
}

fn listed_clocks(scenario: &Scenario) -> Option<Clocks> {
    Some(scenario.timing.clocks.clone()).filter(|clocks| matches!(clocks, Clocks::List(_)))
}

fn listed_delays(scenario: &Scenario) -> Option<Delays> {
    Some(scenario.timing.delays.clone()).filter(|delays| matches!(delays, Delays::List(_)))
}

/// The sums of all runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sums {
    /// What is measured.
    pub(crate) quantities: Vec<Quantity>,
    /// By quantity.
    pub(crate) distributions: Vec<ExactDistribution>,
    /// Runs that did not elect one leader on whom all agree, and the first of them.
    pub(crate) unsound: (u64, Option<u64>),
    /// Whether the kernel of small rings did it.
    pub(crate) by_kernel: bool,
}

impl Sums {
    fn new(setup: &Setup) -> Self {
        let quantities = quantities(&setup.entry.profile().kinds);
        let distributions = vec![ExactDistribution::default(); quantities.len()];
        Self { quantities, distributions, unsound: (0, None), by_kernel: false }
    }

    /// What a GPU has computed.
    fn of_grid(setup: &Setup, result: GridResult) -> Self {
        let quantities = quantities(&setup.entry.profile().kinds);
        let distributions = result.distributions.into_iter().take(quantities.len()).collect();
        Self { quantities, distributions, unsound: result.unsound, by_kernel: true }
    }

    #[inline]
    fn add(&mut self, run: &RunValues, index: u64) {
        for (distribution, &value) in self.distributions.iter_mut().zip(&run.values) {
            distribution.add(value, index);
        }
        if !run.sound {
            self.unsound.0 += 1;
            self.unsound.1 = Some(self.unsound.1.map_or(index, |first| first.min(index)));
        }
    }

    fn merge(&mut self, other: &Self) {
        for (own, theirs) in self.distributions.iter_mut().zip(&other.distributions) {
            own.merge(theirs);
        }
        self.unsound.0 += other.unsound.0;
        self.unsound.1 = self.unsound.1.into_iter().chain(other.unsound.1).min();
        // A worker that had nothing to do has not tried its kernel.
        self.by_kernel |= other.by_kernel && other.runs() > 0;
    }

    fn runs(&self) -> u64 {
        self.distributions.first().map_or(0, |distribution| distribution.count)
    }

    /// The distribution of a quantity.
    pub(crate) fn of(&self, quantity: Quantity) -> Option<&ExactDistribution> {
        self.quantities.iter().position(|&other| other == quantity).map(|index| &self.distributions[index])
    }
}
