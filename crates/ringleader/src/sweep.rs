//! Sweeps: many runs over protocols and whatever varies, as a table and as data.
//!
//! A [`SweepSpec`] says what is measured, all of it as text in the notation of the command line; flags and
//! [scenario files](mod@file) are read into one. A [`SweepPlan`] is a spec that makes sense: protocols × values of what varies
//! make *cells*, and every run of a cell is an ordinary run with [a seed of its own](seeds). Runs are numbered through, cell by
//! cell, and whoever executes them, in whatever order, their [records](RunRecord) are handed on in the order of their numbers:
//! results depend neither on the number of threads nor on interruptions.
//!
//! # The data folder
//!
//! `ringleader sweep --data DIR` writes three files, all UTF-8. Names of columns are stable; columns may be added.
//!
//! `sweep.json` is a [`SweepReport`]: format version, program, version and commit, the command that made it, whether it is
//! complete, what varies, the description of every column of `runs.csv` ([`SweepColumn`]: name, role, type, and for bounds
//! quantity, kind, formula and source), the cells with their parameters, and the table (`rows`): for every cell and quantity a
//! [`Distribution`](crate::statistics::Distribution), and the bounds with their ratio. `ringleader schema sweep-data` has its schema.
//!
//! `runs.csv` has a header and one row per run, in the order of their numbers; fields with commas or quotes are quoted (RFC
//! 4180), lines end in LF. Its columns, by [role](ColumnRole), are:
//!
//! - *index*: `run`, from 0, and `cell`, the index into `cells`;
//! - *parameter*: `protocol`, `rules`, then every option that the runs have, defaults written out (`n`, `r`, `d`, `clocks`, …),
//!   and the protocol's parameters as `set.NAME`; empty where a protocol has no such parameter;
//! - *seed*: `seed`, below 2^53, so that every tool reads it exactly;
//! - *outcome*: `verdict`, `finished`, `reason`, `leaders` (their number), `leader` (the identity, or the place where there are
//!   no identities), `exceeded` (`true` if the run contradicts a bound that holds for every run);
//! - *quantity*: what was measured, named as paths into `cost` of `run --json`, but `messages` for the total; empty where a run
//!   has no such quantity; a *list* is separated by spaces;
//! - *bound*: `bound.1`, `bound.2`, …, the value of each bound for this run;
//! - *provenance*: `version`, `commit`.
//!
//! `table.csv` is the table in long format: one row for every cell, quantity and bound (or none).
//!
//! While a sweep is in the making, `sweep.json` says `"complete": false` and `runs.csv` has the runs so far; `pending.csv` has
//! runs that are done although an earlier one is not, and is removed in the end. `--resume DIR` reads all of them.

mod breakdown;
mod cell;
mod compare;
mod data;
mod execute;
mod expect;
pub mod file;
mod plan;
mod quantity;
mod report;
mod run_distribution;
pub mod seeds;
pub mod sizes;
mod spec;

pub use breakdown::MessageBreakdown;
pub use cell::SweepCell;
pub use compare::{Compared, ComparedQuantity, ComparedValue, Comparisons};
pub(crate) use data::fields as csv_fields;
pub use data::{BadData, CSV_NAME, PENDING_NAME, REPORT_NAME, RunRows, TABLE_NAME, table_csv};
pub use execute::SweepEnd;
pub use expect::{Comparator, Judged, ScenarioExpectation};
pub use plan::{MOST_CELLS, MOST_RUNS, SweepPlan, is_below};
pub use quantity::{MeasuredValue, RunRecord};
pub use report::{
    CellReport, ColumnRole, ColumnType, Provenance, SWEEP_FORMAT, SweepBound, SweepColumn, SweepReport, SweepRow,
    SweepSamples,
};
pub use run_distribution::{IdentityBoundReport, IdentityCount, PhaseCount, RunDistribution, WaitingTimes};
pub use spec::{SpecPlace, SweepAxis, SweepError, SweepSpec};
