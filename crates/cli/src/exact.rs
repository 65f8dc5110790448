//! `ringleader exact`: the distribution of an election's cost over all orders of its identities.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use ringleader::exact::{
    Device, DistributionReport, ExactOptions, ExactReport, ExactRow, ExactSetup, GpuSession, RationalReport,
};
use ringleader::report::{BoundReport, Number, grouped};
use ringleader::sweep::sizes::sizes;
use ringleader::{Catalogue, Watch};
use ringleader_model::{BadText, BoundKind};

use crate::commands::{after_trouble, printed};
use crate::error::{Error, Exit};
use crate::gpu::Gpu;
use crate::json::print_json;
use crate::options::{ProtocolSettings, threads, workers};
use crate::presentation::Presentation;
use crate::text::{BAD, BOLD, Column, DIM, TextTable, fitted, labelled, mark, styled};
use crate::watch::Terminal;

/// Numbers of processors in order, and as they were given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SizeList {
    text: String,
    all: Vec<u64>,
}

/// More sizes than this are none.
const MOST_SIZES: u64 = 64;

fn size_list(text: &str) -> Result<SizeList, BadText> {
    let mut all = sizes(text, MOST_SIZES)?;
    all.sort_unstable();
    all.dedup();
    let text = text.split(',').map(str::trim).collect::<Vec<_>>().join(",");
    Ok(SizeList { text, all })
}

/// Which of several sets are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum WakeSets {
    /// All processors wake
    #[default]
    Together,
    /// Every non-empty set of processors wakes, one run each
    All,
}

/// Which orientations are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum OrientationSets {
    /// Left and right are the same everywhere
    #[default]
    Same,
    /// Every orientation, one run each
    All,
}

/// The device that runs the elections.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum DeviceChoice {
    /// The cores of this machine
    #[default]
    Cpu,
    /// An NVIDIA GPU: elections on rings without timers; it repeats n = 7 first, and must agree with the CPU
    Gpu,
}

#[derive(Args)]
pub(crate) struct ExactArguments {
    /// Election, or a unique prefix of its name; see `ringleader list election`
    pub(crate) protocol: String,
    /// Numbers of processors: 8, 2..10 or 4,6,8..10
    #[arg(short, long, value_name = "SIZES", value_parser = size_list, default_value = "2..8", allow_negative_numbers = true)]
    n: SizeList,
    /// Wake sets
    #[arg(long, value_enum, value_name = "SETS", default_value_t)]
    wakes: WakeSets,
    /// Orientations of a bidirectional ring
    #[arg(long, value_enum, value_name = "WAYS", default_value_t)]
    orientations: OrientationSets,
    #[command(flatten)]
    settings: ProtocolSettings,
    /// Threads [default: one per core]
    #[arg(long, value_name = "K", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Device that runs the elections
    #[arg(long, value_enum, value_name = "DEVICE", default_value_t)]
    device: DeviceChoice,
    /// Quantity that is shown: messages, election, announcement, bits, time, time_elected, phases or a kind of message
    /// [default: messages or election, whichever is bounded]
    #[arg(long, value_name = "QUANTITY", help_heading = "Output")]
    quantity: Option<String>,
    /// Show how many orders have each value
    #[arg(long, help_heading = "Output")]
    histogram: bool,
    /// Print JSON: all quantities, with histograms
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// Computes the distributions, one size after the other.
pub(crate) fn exact(
    arguments: ExactArguments,
    catalogue: &Catalogue,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let entry = catalogue.find(&arguments.protocol)?;
    let options = ExactOptions {
        set: arguments.settings.set,
        all_wakes: arguments.wakes == WakeSets::All,
        all_orientations: arguments.orientations == OrientationSets::All,
        threads: workers(arguments.threads)?,
        device: match arguments.device {
            DeviceChoice::Cpu => Device::Cpu,
            DeviceChoice::Gpu => Device::Gpu,
        },
    };
    // Whatever is refused is refused before anything is computed.
    let sizes = &arguments.n;
    let setups = sizes.all.iter().map(|&n| ExactSetup::new(entry, n, &options)).collect::<Result<Vec<_>, _>>()?;
    if let Some(quantity) = &arguments.quantity {
        setups[0].validate_quantity(quantity)?;
    }
    let rerun = setups[0].command_line(&sizes.text);
    let mut report = ExactReport { rows: Vec::new(), missing: sizes.all.clone(), rerun };
    let view = View { quantity: arguments.quantity.as_deref(), histogram: arguments.histogram };
    let show = |report: &ExactReport, out: &mut dyn Write| match arguments.json {
        true => print_json(report, &mut &mut *out).map(drop),
        false => view.write(report, &mut &mut *out),
    };
    let mut gpu = match arguments.device {
        DeviceChoice::Cpu => None,
        DeviceChoice::Gpu => Some(Gpu::open()?),
    };
    let mut session = gpu.as_mut().map(|gpu| GpuSession::new(gpu));
    let mut trouble = None;
    for setup in &setups {
        watch.begin_runs();
        let computed = session.as_mut().map_or_else(|| setup.compute(watch), |session| session.compute(setup, watch));
        watch.clear();
        let row = match computed {
            Ok(row) => row,
            // What is computed is shown before the error.
            Err(error) if !report.rows.is_empty() => {
                trouble = Some(error.into());
                None
            }
            Err(error) => return Err(error.into()),
        };
        let Some(row) = row else { break };
        report.missing.retain(|&n| n != row.n);
        report.rows.push(row);
        if report.missing.is_empty() || watch.stopped() {
            break;
        }
        watch.keep(printed(|out| show(&report, out)));
    }
    show(&report, out)?;
    let exit = match watch.exit() {
        _ if report.is_violated() => Exit::Violated,
        stopped => stopped.unwrap_or(Exit::Held),
    };
    after_trouble(exit, trouble, out)
}

/// What is shown of a report.
struct View<'a> {
    quantity: Option<&'a str>,
    histogram: bool,
}

impl View<'_> {
    /// The quantity that is shown: the one asked for, or the messages that something is proved about.
    fn shown(&self, row: &ExactRow) -> String {
        let kinds = [BoundKind::Mean, BoundKind::Exact, BoundKind::Worst];
        let bounded = |name: &&str| row.bound(name, &kinds).is_some();
        self.quantity
            .unwrap_or_else(|| ["messages", "election"].into_iter().find(bounded).unwrap_or("messages"))
            .to_string()
    }

    fn write(&self, report: &ExactReport, out: &mut impl Write) -> Result<(), Error> {
        let quiet = Presentation::settled().quiet;
        let Some(last) = report.rows.last() else {
            writeln!(out, "nothing was computed: interrupted\n  repeat     {}", report.rerun)?;
            return Ok(());
        };
        let quantity = self.shown(last);
        if !quiet {
            let what = match quantity.as_str() {
                "messages" => "all message passes".to_string(),
                "election" => "message passes without the announcement".to_string(),
                "announcement" => "message passes of the announcement".to_string(),
                "time_elected" => "time of the election".to_string(),
                "bits" | "time" | "phases" => quantity.clone(),
                kind => format!("message passes of kind {kind}"),
            };
            let title = format!("{} over all orders of the identities: {what}", styled(BOLD, &last.protocol));
            fitted(&title, "", "    ", out)?;
            writeln!(out)?;
        }
        write_table(&report.rows, &quantity, out)?;
        if !quiet {
            write_legend(report, out)?;
        }
        let of = last.of(&quantity).expect("it was validated");
        if self.histogram {
            write_histogram(last, &quantity, of, out)?;
        }
        write_extremes(last, of, out)?;
        for row in &report.rows {
            let Some(unsound) = &row.unsound else { continue };
            let runs = format!("{} of {} runs with n = {}", grouped(unsound.runs), grouped(row.runs), row.n);
            let what =
                format!("{} elect no one leader on whom all agree; the first: {}", styled(BAD, runs), unsound.first);
            fitted(&what, "  ", "    ", out)?;
        }
        if !report.missing.is_empty() {
            let missing: Vec<String> = report.missing.iter().map(u64::to_string).collect();
            labelled("missing", &format!("n = {}: not computed", missing.join(", ")), out)?;
        }
        if !quiet {
            labelled("repeat", &report.rerun, out)?;
        }
        Ok(())
    }
}

/// By number of processors.
fn write_table(rows: &[ExactRow], quantity: &str, out: &mut impl Write) -> io::Result<()> {
    let columns = [
        Column::new("n").right(),
        Column::new("orders").right().rank(2),
        Column::new("runs").right().rank(5),
        Column::new("mean").right(),
        Column::new("").rank(1),
        Column::new("proved mean").right().rank(1),
        Column::new("variance").right().rank(2),
        Column::new("min").right(),
        Column::new("max").right(),
        Column::new("").rank(1),
        Column::new("proved worst").right().rank(1),
        Column::new("exact mean").rank(6),
        Column::new("exact variance").rank(7),
    ];
    let mut table = TextTable::new(columns);
    for row in rows {
        let Some(of) = row.of(quantity) else { continue };
        let proved = |bound: Option<&BoundReport>| bound.map_or(String::new(), |bound| number(bound.value));
        let sign = |bound: Option<&BoundReport>| {
            bound.map_or(String::new(), |bound| {
                let equal = bound.measured.is_some_and(|measured| number(measured) == number(bound.value));
                format!("{} {}", mark(bound.holds), if equal { "=" } else { "≤" })
            })
        };
        let exact = row.bound(quantity, &[BoundKind::Exact]);
        let mean = row.bound(quantity, &[BoundKind::Mean]).or(exact);
        let worst = exact.or_else(|| row.bound(quantity, &[BoundKind::Worst]));
        table.row([
            row.n.to_string(),
            grouped(row.orders),
            if row.runs == row.orders { String::new() } else { grouped(row.runs) },
            decimal(&of.mean),
            sign(mean),
            proved(mean),
            decimal(&of.variance),
            grouped(of.min),
            grouped(of.max),
            sign(worst),
            proved(worst),
            of.mean.text(),
            of.variance.text(),
        ]);
    }
    table.write(out)
}

/// With three decimals, unless it is an integer.
fn number(number: Number) -> String {
    match number {
        Number::Integer(whole) => grouped(whole),
        Number::Fraction(fraction) => grouped(format!("{fraction:.3}")),
    }
}

fn decimal(fraction: &RationalReport) -> String {
    if fraction.denominator == "1" { grouped(&fraction.numerator) } else { number(Number::Fraction(fraction.value)) }
}

fn write_legend(report: &ExactReport, out: &mut impl Write) -> io::Result<()> {
    let Some(row) = report.rows.last() else { return Ok(()) };
    let sets = match (row.wake_sets > 1, row.orientations > 1) {
        (false, false) => "all awake",
        (true, false) => "every wake set",
        (false, true) => "all awake, every orientation",
        (true, true) => "every wake set and orientation",
    };
    let rotation = if row.up_to_rotation { ", up to rotation" } else { "" };
    writeln!(out)?;
    fitted(&format!("identities 1 to n{rotation}; {sets}; {}", row.schedule), "  ", "  ", out)
}

/// The extreme orders, as runs.
fn write_extremes(row: &ExactRow, of: &DistributionReport, out: &mut impl Write) -> io::Result<()> {
    for (what, value, run) in [("least", of.min, &of.min_run), ("greatest", of.max, &of.max_run)] {
        labelled(what, &format!("{} of n = {}: {run}", grouped(value), row.n), out)?;
    }
    Ok(())
}

/// The width of the longest bar.
const BAR: usize = 40;

/// How many runs have each value.
fn write_histogram(row: &ExactRow, quantity: &str, of: &DistributionReport, out: &mut impl Write) -> io::Result<()> {
    let most = of.histogram.iter().map(|(_, runs)| *runs).max().unwrap_or(1);
    writeln!(out, "\n  {}", styled(BOLD, format!("{quantity}, n = {}", row.n)))?;
    let columns =
        [Column::new("value").right(), Column::new("runs").right(), Column::new("share").right(), Column::new("")];
    let mut table = TextTable::new(columns);
    for &(value, runs) in &of.histogram {
        let bar = (u128::from(runs) * BAR as u128).div_ceil(u128::from(most)) as usize;
        let share = format!("{:.3} %", 100.0 * runs as f64 / row.runs as f64);
        table.row([grouped(value), grouped(runs), share, styled(DIM, "█".repeat(bar))]);
    }
    table.write(out)?;
    writeln!(out)
}
