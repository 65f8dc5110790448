//! Distributions computed by a grid of threads, as a GPU does it, and by GPUs that fail. The grid is run on the CPU, by the very
//! function that the entry points of the GPU call.

use std::sync::atomic::{AtomicU64, Ordering};

use ringleader::exact::{Accelerator, Device, ExactOptions, ExactRow, ExactSetup, GPU_ELECTIONS, GpuSession};
use ringleader::{Error, Watch, find};
use ringleader_exact::{Launch, Tallies, run_thread};
use ringleader_model::{Protocol, Scenario, Settings};
use ringleader_sim::Resolved;

macro_rules! launcher {
    ($($entry:ident: $protocol:literal [$($set:literal)?] $rules:expr,)*) => {
        /// Runs one thread of a grid, by the name of an entry point.
        fn run_entry(entry: &str, launch: &Launch, thread: u64, threads: u64, tallies: Tallies<'_>) {
            match entry {
                $(stringify!($entry) => run_thread($rules, launch, thread, threads, tallies),)*
                other => panic!("there is no entry point {other}"),
            }
        }

        /// The rules of an entry point, and those that its parameters give.
        fn rules() -> Vec<(&'static str, String, String)> {
            fn configured<P: Protocol + std::fmt::Debug>(_: P, set: &[(String, String)]) -> String {
                let settings = Settings::new(P::DESCRIPTION.parameters, set).unwrap();
                let scenario = Scenario { n: 3, ids: vec![3, 1, 2], ..Scenario::default() };
                format!("{:?}", P::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap())
            }
            let set = |entry: &str| GPU_ELECTIONS.iter().find(|election| election.entry == entry).unwrap().settings();
            vec![$((stringify!($entry), format!("{:?}", $rules), configured($rules, &set(stringify!($entry))))),*]
        }
    };
}

ringleader_protocols::each_gpu_election!(launcher);

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Nothing,
    /// One word of the tallies is one more than it should be.
    Word(usize),
    /// One run of the last launch is counted twice, in all histograms.
    Twice,
    /// There is no memory.
    Memory,
    /// This launch fails.
    Launch(u32),
    /// The kernel of another protocol runs.
    Exchanged,
}

/// A grid on the CPU.
struct Emulated {
    words: Vec<AtomicU64>,
    threads: u64,
    launches: u32,
    fault: Fault,
}

impl Emulated {
    fn new(threads: u64, fault: Fault) -> Self {
        Self { words: Vec::new(), threads, launches: 0, fault }
    }
}

fn broken(wrong: &str) -> Error {
    Error::Device { wrong: wrong.to_string(), allowed: "another".to_string() }
}

impl Accelerator for Emulated {
    fn allocate(&mut self, words: usize) -> Result<(), Error> {
        if self.fault == Fault::Memory {
            return Err(broken("no memory"));
        }
        self.words = std::iter::repeat_with(AtomicU64::default).take(words).collect();
        Ok(())
    }

    fn launch(&mut self, entry: &str, launch: &Launch) -> Result<(), Error> {
        self.launches += 1;
        if self.fault == Fault::Launch(self.launches) {
            return Err(broken("the launch failed"));
        }
        let entry = match self.fault {
            Fault::Exchanged => "peterson_holder",
            _ => entry,
        };
        // Backwards: nothing depends on the order of threads.
        for thread in (0..self.threads).rev() {
            run_entry(entry, launch, thread, self.threads, Tallies::new(&self.words));
        }
        if self.fault == Fault::Twice {
            let last = Launch { range: launch.range.end - 1..launch.range.end, ..launch.clone() };
            run_entry(entry, &last, 0, 1, Tallies::new(&self.words));
        }
        Ok(())
    }

    fn tallies(&mut self) -> Result<Vec<u64>, Error> {
        let mut words: Vec<u64> = self.words.iter_mut().map(|word| *word.get_mut()).collect();
        if let Fault::Word(at) = self.fault {
            words[at] = words[at].wrapping_add(1);
        }
        Ok(words)
    }
}

fn setup(protocol: &str, n: u64, options: &ExactOptions) -> ExactSetup {
    ExactSetup::new(find(protocol).unwrap(), n, options).unwrap()
}

fn on_gpu(options: &ExactOptions) -> ExactOptions {
    ExactOptions { device: Device::Gpu, ..options.clone() }
}

/// A row without what must differ: the device.
fn comparable(row: &ExactRow) -> String {
    format!("{:?}", ExactRow { device: String::new(), ..row.clone() })
}

#[test]
fn the_rules_of_an_entry_point_are_those_of_its_parameters() {
    for (entry, rules, configured) in rules() {
        assert_eq!(rules, configured, "{entry}");
    }
}

#[test]
fn a_grid_computes_what_the_cpu_computes() {
    for election in GPU_ELECTIONS {
        let usual = ExactOptions { set: election.settings(), ..ExactOptions::default() };
        for (n, threads) in [(1, 1), (2, 7), (5, 3), (8, 37), (8, 1)] {
            let right = setup(election.protocol, n, &usual).compute(&()).unwrap().unwrap();
            let mut grid = Emulated::new(threads, Fault::Nothing);
            let asked = setup(election.protocol, n, &on_gpu(&usual));
            let found = GpuSession::new(&mut grid).compute(&asked, &()).unwrap().unwrap();
            assert_eq!(comparable(&found), comparable(&right), "{} with n = {n}", election.entry);
            assert_eq!((found.device.as_str(), found.engine.as_str()), ("gpu", "kernel"));
        }
    }
}

#[test]
fn a_grid_computes_all_wake_sets_and_orientations() {
    for election in GPU_ELECTIONS {
        let two_ways = ["franklin", "hirschberg-sinclair", "van-leeuwen-tan"].contains(&election.protocol);
        let set = election.settings();
        let usual = ExactOptions { set, all_wakes: true, all_orientations: two_ways, ..ExactOptions::default() };
        let right = setup(election.protocol, 4, &usual).compute(&()).unwrap().unwrap();
        let mut grid = Emulated::new(5, Fault::Nothing);
        let asked = setup(election.protocol, 4, &on_gpu(&usual));
        let found = GpuSession::new(&mut grid).compute(&asked, &()).unwrap().unwrap();
        assert_eq!(comparable(&found), comparable(&right), "{}", election.entry);
    }
}

/// The line that repeats it has the device, and other devices leave it out.
#[test]
fn the_command_line_names_the_gpu() {
    let usual = ExactOptions { set: vec![("variant".into(), "b".into())], ..ExactOptions::default() };
    let line = |options: &ExactOptions| setup("dolev-klawe-rodeh", 5, options).command_line("2..5");
    assert_eq!(line(&usual), "ringleader exact dolev-klawe-rodeh -n 2..5 --set variant=b");
    assert_eq!(line(&on_gpu(&usual)), format!("{} --device gpu", line(&usual)));
}

fn failure(fault: Fault) -> String {
    let mut grid = Emulated::new(3, fault);
    let asked = setup("peterson", 5, &on_gpu(&ExactOptions::default()));
    let error = GpuSession::new(&mut grid).compute(&asked, &()).expect_err("it is refused");
    assert!(matches!(error, Error::Device { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn a_gpu_that_differs_is_refused() {
    for fault in [Fault::Exchanged, Fault::Twice, Fault::Word(0)] {
        let error = failure(fault);
        assert!(error.contains("cargo xtask gpu") && error.contains("--device cpu"), "{fault:?}: {error}");
    }
    assert!(failure(Fault::Exchanged).contains("of peterson with n = 7 differently from the CPU"));
    // Every word before the histograms, and some of them: where a wrong value could do harm.
    let words = Tallies::words(0);
    for at in (0..words).chain((words..Tallies::words(1)).step_by(4099)) {
        let mut grid = Emulated::new(3, Fault::Word(at));
        let asked = setup("lelann", 4, &on_gpu(&ExactOptions::default()));
        let Ok(found) = GpuSession::new(&mut grid).compute(&asked, &()) else { continue };
        let right = setup("lelann", 4, &ExactOptions::default()).compute(&()).unwrap();
        let [found, right] = [found, right].map(|row| comparable(&row.unwrap()));
        assert_eq!(found, right, "word {at} is wrong, and so is what is computed");
    }
}

#[test]
fn a_gpu_that_fails_is_reported() {
    assert_eq!(failure(Fault::Memory), "no memory\nallowed: another");
    // The first launch is that of n = 7, the second the one that was asked for.
    for launch in [1, 2] {
        assert_eq!(failure(Fault::Launch(launch)), "the launch failed\nallowed: another");
    }
}

#[test]
fn elections_that_are_not_for_a_gpu_are_refused() {
    let refusal = |protocol: &str, set: &[(&str, &str)], n| {
        let set = set.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
        let options = ExactOptions { set, device: Device::Gpu, ..ExactOptions::default() };
        ExactSetup::new(find(protocol).unwrap(), n, &options).expect_err("it is refused").to_string()
    };
    for (protocol, set) in [("vitanyi", &[][..]), ("van-leeuwen-tan", &[("duplex", "half")]), ("all-to-all", &[])] {
        let error = refusal(protocol, set, 3);
        assert!(error.contains("--device is gpu") && error.contains("goes through the simulator"), "{error}");
        assert!(
            error.contains("allowed: cpu; gpu with lelann, chang-roberts, peterson --set elected=owner"),
            "{error}"
        );
    }
    let printed = refusal("hirschberg-sinclair", &[("rules", "printed")], 3);
    assert!(printed.contains("hirschberg-sinclair with these parameters was not compiled for a GPU"), "{printed}");
    // 14! orders are too many for a CPU, 15! for no GPU.
    assert!(ExactSetup::new(find("lelann").unwrap(), 15, &ExactOptions::default()).is_err());
    assert!(ExactSetup::new(find("lelann").unwrap(), 16, &on_gpu(&ExactOptions::default())).is_ok());
    let sets = ExactOptions { all_wakes: true, ..on_gpu(&ExactOptions::default()) };
    assert!(ExactSetup::new(find("lelann").unwrap(), 16, &sets).unwrap_err().to_string().contains("at most"));
}

/// Stops after so many questions, and keeps a time in which every launch is long.
struct Impatient {
    questions: AtomicU64,
    seconds: AtomicU64,
}

impl Watch for Impatient {
    fn stopped(&self) -> bool {
        self.questions.fetch_sub(1, Ordering::Relaxed) == 0
    }

    fn seconds(&self) -> f64 {
        self.seconds.fetch_add(1, Ordering::Relaxed) as f64
    }
}

/// Launches that take long become shorter, and between them there is time to stop.
#[test]
fn it_stops_between_launches() {
    let asked = setup("chang-roberts", 11, &on_gpu(&ExactOptions::default()));
    let mut grid = Emulated::new(64, Fault::Nothing);
    let watch = Impatient { questions: AtomicU64::new(5), seconds: AtomicU64::new(0) };
    assert!(GpuSession::new(&mut grid).compute(&asked, &watch).unwrap().is_none());
    // One question and one launch belong to n = 7.
    assert!((3..=5).contains(&grid.launches), "{} launches", grid.launches);
}
