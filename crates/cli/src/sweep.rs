//! `ringleader sweep`: many runs as a table and as data.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use ringleader::report::grouped;
use ringleader::sweep::sizes::sizes;
use ringleader::sweep::{
    MOST_CELLS, Provenance, RunRows, SweepAxis, SweepError, SweepPlan, SweepReport, SweepSamples, SweepSpec,
};
use ringleader::values::number;
use ringleader::{Catalogue, Options, program, quoted};
use ringleader_model::BadText;

use crate::commands::after_trouble;
use crate::error::{Error, Exit};
use crate::json::print_json;
use crate::options::{OtherOptions, threads, workers};
use crate::watch::Terminal;
use crate::{memory, text};

mod compare;
mod expectations;
mod file;
mod folder;
mod plot;
mod rows;

pub(crate) use compare::{CompareArguments, ComparisonReport, compare};
pub(crate) use expectations::{TestArguments, TestReport, TestedFile, test};
use folder::DataFolder;
use plot::PlotArguments;
pub(crate) use rows::SweepRows;

/// Numbers of processors: one value of one option.
type Sizes = Vec<u64>;

const SWEEP: &str = "Sweep";

#[derive(Args)]
pub(crate) struct SweepArguments {
    /// Protocols, with parameters where they need some: NAME or NAME:KEY=VALUE,KEY=VALUE; or one scenario file, FILE.toml
    #[arg(required_unless_present = "resume", value_name = "PROTOCOL|FILE.toml", value_hint = ValueHint::FilePath)]
    targets: Vec<String>,
    /// Numbers of processors: 8, 4,8,16, every integer 2..12, or powers 2^4..2^20 [default: 16]
    #[arg(short, long, value_name = "SIZES", value_parser = sizes_of, help_heading = SWEEP)]
    n: Option<Sizes>,
    /// An option that varies, with its values: r='1..1 1..4', set.law='2^i walk' for --set; may be repeated
    #[arg(long, value_name = "OPTION=VALUES", value_parser = str::parse::<SweepAxis>, help_heading = SWEEP)]
    vary: Vec<SweepAxis>,
    /// Runs of each cell [default: 100]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true, help_heading = SWEEP)]
    runs: Option<u64>,
    /// Only these quantities, each with all below it: messages, messages.by_kind, bits, time, …; may be repeated
    ///
    /// Where only messages, time, phases and the like are asked for, runs are made without the instrumentation that measures
    /// bits and depth, and are faster.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = SWEEP)]
    quantity: Vec<String>,
    /// Level of confidence intervals [default: 0.95]
    #[arg(long, value_name = "LEVEL", value_parser = level, allow_negative_numbers = true, help_heading = SWEEP)]
    level: Option<f64>,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true, help_heading = SWEEP)]
    threads: Option<u64>,
    /// Write all runs and the table to a directory: sweep.json, runs.csv, table.csv
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = "Output", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Go on with the sweep in a directory that --data has written; no other option is needed
    #[arg(long, value_name = "DIR", help_heading = "Output", value_hint = ValueHint::DirPath)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    plot: PlotArguments,
    /// Overwrite files in the directory of --data, and the file of --plot
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    #[command(flatten)]
    options: OtherOptions,
}

fn sizes_of(text: &str) -> Result<Sizes, BadText> {
    sizes(text, MOST_CELLS)
}

fn level(text: &str) -> Result<f64, BadText> {
    let allowed = "above 0 and below 1, such as 0.95";
    let level = text.trim().parse().ok().filter(|level| *level > 0.0 && *level < 1.0);
    level.ok_or_else(|| BadText::new(format!("is '{text}'"), allowed))
}

/// Options by name, as a sweep has them.
fn options_of(options: &Options) -> Vec<(String, String)> {
    let named = options.named().into_iter();
    let by_parameter = |(name, value): (String, String)| match (name.as_str(), value.split_once('=')) {
        ("set", Some((key, value))) => (format!("set.{key}"), value.to_string()),
        _ => (name, value),
    };
    named.map(by_parameter).collect()
}

impl SweepArguments {
    /// What is to be measured, as the flags say.
    fn spec(&self) -> SweepSpec {
        let options = Options::from(self.options.clone());
        let mut spec = SweepSpec { protocols: self.targets.clone(), ..SweepSpec::default() };
        spec.runs = self.runs.unwrap_or(spec.runs);
        spec.seed = options.seed.unwrap_or(spec.seed);
        spec.level = self.level.unwrap_or(spec.level);
        spec.quantities.clone_from(&self.quantity);
        spec.options = options_of(&options);
        match self.n.as_deref() {
            None => {}
            Some([n]) => spec.options.insert(0, ("n".to_string(), n.to_string())),
            Some(sizes) => {
                spec.vary.push(SweepAxis { name: "n".to_string(), values: sizes.iter().map(u64::to_string).collect() });
            }
        }
        spec.vary.extend(self.vary.iter().cloned());
        spec
    }

    /// Changes what a scenario file says, where the command line says otherwise.
    fn change(&self, spec: &mut SweepSpec) {
        spec.runs = self.runs.unwrap_or(spec.runs);
        spec.level = self.level.unwrap_or(spec.level);
        spec.seed = Options::from(self.options.clone()).seed.unwrap_or(spec.seed);
        if !self.quantity.is_empty() {
            spec.quantities.clone_from(&self.quantity);
        }
    }

    /// Refuses options that a scenario file has.
    fn refuse_beside_file(&self) -> Result<(), Error> {
        let SweepSpec { options, vary, .. } = self.spec();
        let given = options.into_iter().map(|(name, _)| name).chain(vary.into_iter().map(|axis| axis.name)).next();
        match given.filter(|_| self.targets.iter().any(|target| file::is_file(target))) {
            None => Ok(()),
            Some(name) => Err(Error::Usage(format!(
                "{} is given beside a scenario file\nallowed: a line in the file; --runs, --seed, --level and --quantity here",
                ringleader::flag(&name)
            ))),
        }
    }

    /// Whether nothing is said about what is measured.
    fn is_bare(&self) -> bool {
        self.targets.is_empty() && self.spec() == SweepSpec::default()
    }
}

/// The plan of a spec that comes from flags, or all that is wrong with it.
fn plan_of(catalogue: &Catalogue, spec: SweepSpec) -> Result<SweepPlan, Error> {
    memory::check(spec.largest())?;
    SweepPlan::new(catalogue, spec).map_err(|errors| refused(&errors))
}

/// All errors of a spec that comes from flags.
fn refused(errors: &[SweepError]) -> Error {
    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
    match errors {
        [SweepError { error, .. }] => Error::Refused(error.clone()),
        _ => Error::Usage(texts.join("\nerror: ")),
    }
}

/// The program as it is, and a command.
pub(crate) fn provenance(command: String) -> Provenance {
    Provenance {
        program: program().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: option_env!("RINGLEADER_COMMIT").filter(|commit| !commit.is_empty()).map(str::to_string),
        command,
    }
}

/// Whether there is memory for the largest runs of a plan, one on each thread, and for what is kept of all.
pub(crate) fn check_memory(plan: &SweepPlan, threads: usize) -> Result<(), Error> {
    let largest = plan.cells.iter().map(|cell| cell.options.size()).max().unwrap_or(0);
    memory::check(largest.saturating_mul(plan.total().min(threads as u64)))?;
    let kept = plan.total().saturating_mul(8).saturating_mul(plan.quantity_names().count() as u64);
    match memory::available() {
        Some(free) if kept > free => Err(Error::Environment(format!(
            "--runs makes {} runs in all, for which {} MB may be needed, and {} MB are free\nallowed: fewer runs, or fewer \
             quantities (--quantity)",
            grouped(plan.total()),
            kept >> 20,
            free >> 20
        ))),
        _ => Ok(()),
    }
}

/// Executes a plan and shows its progress: the table, and why it could not go on.
pub(crate) fn measure(
    plan: &SweepPlan,
    threads: usize,
    provenance: &Provenance,
    folder: Option<&mut DataFolder>,
    watch: &Terminal,
) -> Result<(SweepReport, Option<Error>), Error> {
    let rows = RunRows::new(plan, provenance);
    let mut samples = SweepSamples::new(plan);
    let Some(folder) = folder else {
        let end = plan.execute([], threads, watch, &mut |record| {
            samples.add(plan, record);
            true
        });
        watch.clear();
        return Ok((samples.report(plan, provenance), end.error.map(Error::from)));
    };
    folder.begin(&rows, &samples.report(plan, provenance))?;
    let done = folder.done(&rows)?;
    let mut trouble = None;
    let end = plan.execute(done, threads, watch, &mut |record| {
        let written = folder.add(record.index, || rows.row(record));
        match written {
            Ok(()) => samples.add(plan, record),
            Err(error) => trouble = Some(error),
        }
        trouble.is_none()
    });
    watch.clear();
    let report = samples.report(plan, provenance);
    let finished = folder.finish(&rows, &end.pending, &report);
    Ok((report, end.error.map(Error::from).or(trouble).or(finished.err())))
}

/// The exit code of a sweep.
pub(crate) fn exit_of(report: &SweepReport, watch: &Terminal) -> Exit {
    let any = |of: fn(&ringleader::sweep::SweepRow) -> u64| report.rows.iter().any(|row| of(row) > 0);
    if any(|row| row.violated) || any(|row| row.exceeded) {
        return Exit::Violated;
    }
    watch.exit().unwrap_or(if any(|row| row.unknown) { Exit::Inconclusive } else { Exit::Held })
}

pub(crate) fn sweep(
    arguments: &SweepArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let threads = workers(arguments.threads)?;
    let (plan, mut folder, provenance) = match &arguments.resume {
        Some(directory) => {
            let (folder, report) = DataFolder::open(directory)?;
            let provenance = folder::same_program(directory, report.provenance)?;
            if !arguments.is_bare() && arguments.spec() != report.spec {
                let wrong = format!("--resume is for another sweep: {}", provenance.command);
                return Err(Error::Usage(format!("{wrong}\nallowed: this command, or none but --resume DIR")));
            }
            (plan_of(catalogue, report.spec)?, Some(folder), provenance)
        }
        None => {
            let plan = match file::named(&arguments.targets)? {
                Some(path) => file::read(path, catalogue, |spec| arguments.change(spec))?.plan,
                None => plan_of(catalogue, arguments.spec())?,
            };
            arguments.refuse_beside_file()?;
            check_memory(&plan, threads)?;
            let folder = arguments.data.as_deref().map(|path| DataFolder::create(path, arguments.force)).transpose()?;
            let provenance = provenance(plan.spec.command_line());
            (plan, folder, provenance)
        }
    };
    let plot = arguments.plot.open(arguments.force, arguments.json)?;
    let (report, trouble) = measure(&plan, threads, &provenance, folder.as_mut(), watch)?;
    let directory = folder.as_ref().map(|folder| folder.path.as_path());
    if arguments.json {
        print_json(&SweepRows::new(&report), out)?;
    } else {
        text::sweep(&report, directory, out)?;
        if let Some(directory) = directory.filter(|_| !report.complete) {
            writeln!(out, "  Go on: {}", resume_line(directory))?;
        }
    }
    let drawn = plot.map_or(Ok(()), |plot| plot.draw(&report, out));
    after_trouble(exit_of(&report, watch), trouble.or(drawn.err()), out)
}

/// The line that goes on with the sweep in a directory.
fn resume_line(directory: &Path) -> String {
    format!("{} sweep --resume {}", program(), quoted(&directory.display().to_string()))
}
