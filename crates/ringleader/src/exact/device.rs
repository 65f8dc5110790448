//! Exact distributions on a GPU: the same kernel, compiled for it in advance.
//!
//! Nothing that a GPU says is believed before it has repeated small rings that the CPU has run as well, with the same histograms
//! and the same first extreme orders. What it says then must fit together (every histogram has all runs, extremes are its ends),
//! and the extreme orders are run again on the CPU.

use ringleader_exact::{GridResult, Launch, Tallies};
use ringleader_model::{BadSetting, Settings};

use super::{Evaluator, ExactOptions, ExactRow, ExactSetup, MOST_RUNS, Sums};
use crate::catalogue::catalogue;
use crate::error::Error;
use crate::options::comma_separated;
use crate::report::{grouped, quantity_name};
use crate::watch::Watch;

/// The device that runs elections.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Device {
    /// The processor cores.
    #[default]
    Cpu,
    /// The graphics processor.
    Gpu,
}

impl Device {
    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }

    /// More runs than this are refused.
    pub const fn most_runs(self) -> u64 {
        match self {
            Self::Cpu => MOST_RUNS,
            Self::Gpu => 2_000_000_000_000,
        }
    }
}

/// A device with many threads that has the kernel of small rings, with an entry point for each of [`GPU_ELECTIONS`].
pub trait Accelerator {
    /// Makes room for tallies of so many words, all zeros.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn allocate(&mut self, words: usize) -> Result<(), Error>;

    /// Has all threads run [`run_thread`](ringleader_exact::run_thread) on the tallies, and waits for them.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn launch(&mut self, entry: &str, launch: &Launch) -> Result<(), Error>;

    /// Reads the tallies.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn tallies(&mut self) -> Result<Vec<u64>, Error>;
}

/// An election that a GPU can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GpuElection {
    /// The name of the entry point.
    pub entry: &'static str,
    /// The protocol.
    pub protocol: &'static str,
    /// Its parameters, `key=value`.
    pub set: &'static [&'static str],
}

macro_rules! gpu_elections {
    ($($entry:ident: $protocol:literal [$($set:literal)?] $rules:expr,)*) => {
        /// All elections that a GPU can run.
        pub const GPU_ELECTIONS: &[GpuElection] =
            &[$(GpuElection { entry: stringify!($entry), protocol: $protocol, set: &[$($set)?] },)*];
    };
}

ringleader_protocols::each_gpu_election!(gpu_elections);

impl GpuElection {
    /// Its parameters, by name.
    pub fn settings(&self) -> Vec<(String, String)> {
        let pair = |text: &&str| text.split_once('=').map(|(key, value)| (key.to_string(), value.to_string()));
        self.set.iter().filter_map(pair).collect()
    }

    fn is_of(&self, exact: &ExactSetup) -> bool {
        let setup = &exact.setup;
        // A protocol of one's own may have the same name.
        let ours = catalogue().iter().any(|entry| std::ptr::addr_eq(*entry, setup.entry));
        let parameters = Settings::new(setup.description().parameters, &self.settings());
        ours && setup.entry.name() == self.protocol
            && parameters.is_ok_and(|own| own.iter().eq(setup.facts.parameters.iter().map(|(k, v)| (*k, v.as_str()))))
    }
}

impl ExactSetup {
    /// The entry point of this election on a GPU.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn gpu_entry(&self) -> Result<&'static str, Error> {
        if let Some(election) = GPU_ELECTIONS.iter().find(|election| election.is_of(self)) {
            return Ok(election.entry);
        }
        let name = self.setup.entry.name();
        let wrong = match Evaluator::new(&self.setup)?.has_kernel() {
            true => format!("is gpu, and {name} with these parameters was not compiled for a GPU"),
            false => format!("is gpu, and {name} goes through the simulator, which runs on the CPU"),
        };
        let configured = |election: &GpuElection| match election.set {
            [] => election.protocol.to_string(),
            set => format!("{} --set {}", election.protocol, set.join(" --set ")),
        };
        let all: Vec<String> = GPU_ELECTIONS.iter().map(configured).collect();
        Err(BadSetting::new("device", wrong, format!("cpu; gpu with {}", all.join(", "))).into())
    }
}

/// The copies of the histograms. Threads that count the same value wait for each other.
const COPIES: usize = 16;
/// The runs of the first launch; then as many as take about a quarter of a second.
const FIRST_SHARE: u64 = 1 << 17;
const LEAST_SHARE: u64 = 1 << 12;
const GREATEST_SHARE: u64 = 1 << 28;
/// Seconds of a launch that is short, and of one that is long.
const SHORT: f64 = 0.1;
const LONG: f64 = 0.4;
/// The rings that both devices run first; of all wake sets or orientations, fewer processors.
const REPEATED: u64 = 7;
const REPEATED_SETS: u64 = 4;
const REBUILD: &str =
    "kernels that were built from these sources (`cargo xtask gpu` builds them again), or --device cpu";

/// A GPU, and the elections that it has repeated.
pub struct GpuSession<'a> {
    accelerator: &'a mut dyn Accelerator,
    trusted: Vec<(&'static str, bool, bool)>,
}

impl<'a> GpuSession<'a> {
    /// With a GPU that was not used before.
    pub fn new(accelerator: &'a mut dyn Accelerator) -> Self {
        Self { accelerator, trusted: Vec::new() }
    }

    /// Computes a distribution; `None` if it is stopped before.
    ///
    /// # Errors
    /// If the election is none for a GPU, or the GPU fails, or differs from the CPU.
    pub fn compute(&mut self, exact: &ExactSetup, watch: &dyn Watch) -> Result<Option<ExactRow>, Error> {
        let ExactOptions { all_wakes, all_orientations, .. } = exact.options;
        let asked = (exact.gpu_entry()?, all_wakes, all_orientations);
        if !self.trusted.contains(&asked) {
            let Some(()) = self.compare(exact, false, REPEATED, watch)? else { return Ok(None) };
            if all_wakes || all_orientations {
                let Some(()) = self.compare(exact, true, REPEATED_SETS, watch)? else { return Ok(None) };
            }
            self.trusted.push(asked);
        }
        let Some(sums) = self.sums(exact, watch)? else { return Ok(None) };
        attained(exact, &sums)?;
        ExactRow::new(exact, &sums).map(Some)
    }

    /// Has both devices run a small ring, with all wake sets and orientations that are asked for or without, and refuses to go
    /// on if they differ.
    fn compare(&mut self, of: &ExactSetup, sets: bool, n: u64, watch: &dyn Watch) -> Result<Option<()>, Error> {
        let asked = &of.options;
        let [all_wakes, all_orientations] = [asked.all_wakes, asked.all_orientations].map(|all| all && sets);
        let options = ExactOptions { all_wakes, all_orientations, ..asked.clone() };
        let small = ExactSetup::new(of.setup.entry, n, &options)?;
        let Some(right) = small.sums(watch)? else { return Ok(None) };
        let Some(found) = self.sums(&small, &())? else { return Ok(None) };
        let pairs = right.distributions.iter().zip(&found.distributions);
        let differing = right.quantities.iter().zip(pairs).find(|(_, (one, other))| one != other);
        let what = match differing {
            Some((&quantity, _)) => quantity_name(quantity, of.setup.facts.work),
            None if right.unsound != found.unsound => "what is elected".to_string(),
            None => return Ok(Some(())),
        };
        let name = of.setup.entry.name();
        let wrong = format!("the GPU computes {what} of {name} with n = {n} differently from the CPU: it is not used");
        Err(Error::Device { wrong, allowed: REBUILD.to_string() })
    }

    /// The sums of all runs, from one launch after another.
    fn sums(&mut self, exact: &ExactSetup, watch: &dyn Watch) -> Result<Option<Sums>, Error> {
        let (entry, instances) = (exact.gpu_entry()?, exact.instances);
        let total = u64::try_from(instances.count()).unwrap_or(u64::MAX);
        self.accelerator.allocate(Tallies::words(COPIES))?;
        let (mut done, mut share) = (0, FIRST_SHARE);
        while done < total {
            if watch.stopped() {
                return Ok(None);
            }
            let range = done..total.min(done + share);
            let began = watch.seconds();
            self.accelerator.launch(entry, &Launch { instances, range: range.clone() })?;
            match watch.seconds() - began {
                short if short < SHORT => share = GREATEST_SHARE.min(share * 2),
                long if long > LONG => share = LEAST_SHARE.max(share / 2),
                _ => {}
            }
            done = range.end;
            watch.measured(done, total);
        }
        let profile = exact.setup.entry.profile();
        let result = GridResult::new(&self.accelerator.tallies()?, total, profile.kinds.len(), profile.phased);
        let result = result.ok_or_else(|| Error::Device {
            wrong: format!("what the GPU has counted is not the sum of {} runs", grouped(total)),
            allowed: REBUILD.to_string(),
        })?;
        if let (runs, Some(first)) = result.unsuited {
            let ids = comma_separated(&exact.run_of(first)?.scenario.ids);
            let wrong = format!("{} runs have too many messages for a GPU; the first: --ids {ids}", grouped(runs));
            return Err(Error::refused(wrong, "--device cpu"));
        }
        Ok(Some(Sums::of_grid(&exact.setup, result)))
    }
}

/// Runs the orders on the CPU that a GPU found to be extreme, and refuses them if they are not what it says.
fn attained(exact: &ExactSetup, sums: &Sums) -> Result<(), Error> {
    let mut evaluator = Evaluator::new(&exact.setup)?;
    for (position, of) in sums.distributions.iter().enumerate() {
        for extreme in [of.min, of.max].into_iter().flatten() {
            let (order, wakes, exchanged) = exact.instances.get(extreme.index);
            let run = evaluator.evaluate(order.ids(), wakes, exchanged)?;
            if run.values[position] != extreme.value {
                let ids: Vec<u64> = order.ids().iter().copied().map(u64::from).collect();
                let wrong = format!("the GPU runs --ids {} differently from the CPU", comma_separated(&ids));
                return Err(Error::Device { wrong, allowed: REBUILD.to_string() });
            }
        }
    }
    Ok(())
}
