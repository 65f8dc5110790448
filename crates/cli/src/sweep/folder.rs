//! The data folder of a sweep: see [`ringleader::sweep`] for its format.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ringleader::sweep::{
    CSV_NAME, PENDING_NAME, Provenance, REPORT_NAME, RunRecord, RunRows, SWEEP_FORMAT, SweepReport, TABLE_NAME,
    table_csv,
};

use super::provenance;
use crate::error::Error;
use crate::files::{Content, Output};

/// The time between two writes of runs.
const EVERY: Duration = Duration::from_millis(500);

/// A data folder.
pub(crate) struct DataFolder {
    pub(crate) path: PathBuf,
    /// `runs.csv`, locked for one process.
    runs: BufWriter<File>,
    /// The number of runs in it.
    written: u64,
    flushed: Instant,
}

/// Whether a directory holds a sweep.
fn is_ours(directory: &Path) -> bool {
    let text = fs::read_to_string(directory.join(REPORT_NAME)).unwrap_or_default();
    let Ok(report) = serde_json::from_str::<serde_json::Value>(&text) else { return false };
    ["format", "program", "command", "spec", "columns"].iter().all(|field| report.get(field).is_some())
}

impl DataFolder {
    /// Makes a directory for a new sweep. One that holds files is refused, unless it holds a sweep and `force` is given.
    pub(crate) fn create(directory: &Path, force: bool) -> Result<Self, Error> {
        let unwritable = |source: io::Error| Error::Output { path: directory.to_path_buf(), source };
        fs::create_dir_all(directory).map_err(unwritable)?;
        let is_empty = fs::read_dir(directory).map_err(unwritable)?.next().is_none();
        let shown = directory.display();
        let other = "a directory that is empty or not there";
        match (is_empty, is_ours(directory)) {
            (false, false) => {
                let wrong = format!("--data is {shown}, which holds files and no sweep of ringleader's");
                return Err(Error::Usage(format!(
                    "{wrong}\nallowed: {other}, or one that holds a sweep, with --force"
                )));
            }
            (false, true) if !force => {
                let wrong = format!("--data is {shown}, which holds a sweep");
                return Err(Error::Usage(format!(
                    "{wrong}\nallowed: {other}, --force to overwrite it, or --resume {shown} to go on with it"
                )));
            }
            _ => {}
        }
        let mut runs = Self::locked(directory)?;
        let pending = directory.join(PENDING_NAME);
        if pending.exists() {
            fs::remove_file(pending).map_err(unwritable)?;
        }
        runs.get_mut().set_len(0).map_err(unwritable)?;
        Ok(Self { path: directory.to_path_buf(), runs, written: 0, flushed: Instant::now() })
    }

    /// Opens a directory with a sweep.
    pub(crate) fn open(directory: &Path) -> Result<(Self, SweepReport), Error> {
        let path = directory.join(REPORT_NAME);
        let foreign = |why: String| {
            let allowed = "a directory that `sweep --data` has written, with this version of the program";
            Error::Usage(format!("--resume is {}: {why}\nallowed: {allowed}", directory.display()))
        };
        if !path.is_file() {
            return Err(foreign(format!("there is no {REPORT_NAME}")));
        }
        let text = fs::read_to_string(&path).map_err(|source| Error::Unreadable { path: path.clone(), source })?;
        let report: SweepReport =
            serde_json::from_str(&text).map_err(|error| foreign(format!("{REPORT_NAME}: {error}")))?;
        if report.format != SWEEP_FORMAT {
            return Err(foreign(format!("{REPORT_NAME} has the format {}, not {SWEEP_FORMAT}", report.format)));
        }
        let runs = Self::locked(directory)?;
        Ok((Self { path: directory.to_path_buf(), runs, written: 0, flushed: Instant::now() }, report))
    }

    fn locked(directory: &Path) -> Result<BufWriter<File>, Error> {
        let path = directory.join(CSV_NAME);
        let unwritable = |source: io::Error| Error::Output { path: path.clone(), source };
        let file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => {}
            // Some file systems know no locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(unwritable(error)),
            Err(TryLockError::WouldBlock) => {
                let wrong = format!("{} is in use by a sweep that is running", directory.display());
                let allowed = "another directory, or this one when that sweep has ended";
                return Err(Error::Usage(format!("{wrong}\nallowed: {allowed}")));
            }
        }
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    fn unwritable(&self, name: &str, source: io::Error) -> Error {
        Error::Output { path: self.path.join(name), source }
    }

    /// Reads the runs that are there, cuts off what was not written completely, and writes the header if there is none.
    pub(crate) fn begin(&mut self, rows: &RunRows<'_>, empty: &SweepReport) -> Result<(), Error> {
        let (mut end, mut written) = (0, 0);
        let mut reader = BufReader::new(self.runs.get_ref());
        let mut line = String::new();
        let failed = |path: &Path, source| Error::Unreadable { path: path.join(CSV_NAME), source };
        for number in 1u64.. {
            line.clear();
            let length = reader.read_line(&mut line).map_err(|source| failed(&self.path, source))?;
            let Some(text) = line.strip_suffix('\n') else { break };
            let wrong = if number == 1 {
                (text != rows.header()).then(|| "is not the header of this sweep".to_string())
            } else {
                match rows.parse(text) {
                    Ok(record) if record.index == written => None,
                    Ok(record) => Some(format!("has run {} instead of {written}", record.index)),
                    Err(bad) => Some(bad.wrong),
                }
            };
            if let Some(wrong) = wrong {
                let path = self.path.join(CSV_NAME);
                let allowed = "a file that was not edited, or another directory";
                return Err(Error::Usage(format!("{}: line {number} {wrong}\nallowed: {allowed}", path.display())));
            }
            (end, written) = (end + length as u64, number - 1);
        }
        self.written = written;
        let file = self.runs.get_mut();
        let cut = file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end)));
        cut.map_err(|source| self.unwritable(CSV_NAME, source))?;
        if end == 0 {
            let begun = writeln!(self.runs, "{}", rows.header()).and_then(|()| self.runs.flush());
            begun.map_err(|source| self.unwritable(CSV_NAME, source))?;
            self.write_report(empty)?;
        }
        Ok(())
    }

    /// The runs that are done, in order and then those that wait for an earlier one.
    pub(crate) fn done<'a>(&self, rows: &'a RunRows<'_>) -> Result<impl Iterator<Item = RunRecord> + 'a, Error> {
        let open = |name: &str| match File::open(self.path.join(name)) {
            Ok(file) => Ok(Some(BufReader::new(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Unreadable { path: self.path.join(name), source }),
        };
        let runs = open(CSV_NAME)?.into_iter().flat_map(BufRead::lines).skip(1);
        let pending = open(PENDING_NAME)?.into_iter().flat_map(BufRead::lines);
        // Rows in order were read before; one that waits and is damaged is made again.
        Ok(runs.chain(pending).map_while(Result::ok).filter_map(|line| rows.parse(&line).ok()))
    }

    /// Writes a run, unless it is there.
    pub(crate) fn add(&mut self, index: u64, row: impl FnOnce() -> String) -> Result<(), Error> {
        if index < self.written {
            return Ok(());
        }
        let mut written = writeln!(self.runs, "{}", row());
        if self.flushed.elapsed() > EVERY {
            written = written.and_then(|()| self.runs.flush());
            self.flushed = Instant::now();
        }
        written.map_err(|source| self.unwritable(CSV_NAME, source))?;
        self.written = index + 1;
        Ok(())
    }

    /// Writes the rest: runs that wait for an earlier one, the report and the table.
    pub(crate) fn finish(
        &mut self,
        rows: &RunRows<'_>,
        pending: &[RunRecord],
        report: &SweepReport,
    ) -> Result<(), Error> {
        self.runs.flush().map_err(|source| self.unwritable(CSV_NAME, source))?;
        let path = self.path.join(PENDING_NAME);
        if pending.is_empty() {
            if path.exists() {
                fs::remove_file(&path).map_err(|source| self.unwritable(PENDING_NAME, source))?;
            }
        } else {
            let text: String = pending.iter().map(|record| rows.row(record) + "\n").collect();
            self.write(PENDING_NAME, &text)?;
        }
        self.write(TABLE_NAME, &table_csv(report))?;
        self.write_report(report)
    }

    fn write_report(&self, report: &SweepReport) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
        self.write(REPORT_NAME, &(text + "\n"))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        Output::new("--data", &self.path.join(name), Content::Trace, true)?.write(text)
    }
}

/// The provenance of a sweep, if this program can go on with it: rows of one file come from one program.
pub(super) fn same_program(directory: &Path, recorded: Provenance) -> Result<Provenance, Error> {
    let ours = provenance(recorded.command.clone());
    if ours == recorded {
        return Ok(recorded);
    }
    let told = |of: &Provenance| match &of.commit {
        Some(commit) => format!("{} {} ({commit})", of.program, of.version),
        None => format!("{} {}", of.program, of.version),
    };
    let wrong =
        format!("--resume is {}, which was made by {}; this is {}", directory.display(), told(&recorded), told(&ours));
    Err(Error::Usage(format!("{wrong}\nallowed: the same program, or a new sweep: {}", recorded.command)))
}
