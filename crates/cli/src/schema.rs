//! `ringleader schema`: the JSON Schema of everything that is printed as JSON.

use std::io::Write;

use clap::ValueEnum;
use ringleader::check::{CheckReport, LockStepReport, ProbabilityReport};
use ringleader::claim::Verified;
use ringleader::exact::ExactReport;
use ringleader::league::LeagueRow;
use ringleader::league::sharing::SharingRow;
use ringleader::sweep::SweepReport;
use ringleader::sweep::file::scenario_schema;
use ringleader::worst::WorstReport;
use ringleader::{About, Listed, trace_schema};
use ringleader_ledger::LedgerReport;
use schemars::{JsonSchema, Schema, schema_for};

use crate::bench::Measurement;
use crate::commands::{Replayed, Shortened, Stepped};
use crate::doctor::Finding;
use crate::error::{Error, Exit};
use crate::json::{Versioned, print};
use crate::partial::InterruptedReport;
use crate::sweep::{ComparisonReport, SweepRows, TestReport};

/// A shape of JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum JsonShape {
    /// run --json, with or without --steps
    Run,
    /// check --json
    Check,
    /// check --probability --json
    Probability,
    /// check --anonymous --json
    Anonymous,
    /// exact --json
    Exact,
    /// worst --json
    Worst,
    /// replay --json
    Replay,
    /// replay --shrink --json
    Shrink,
    /// list --json
    List,
    /// info --json
    Info,
    /// league election --json
    League,
    /// league mutual-exclusion --json and league readers-writers --json
    LeagueSharing,
    /// reproduce --json
    Reproduce,
    /// reproduce --table --json
    Table,
    /// sweep --json
    Sweep,
    /// sweep.json, in the directory that sweep --data writes
    SweepData,
    /// Scenario files of sweep and test, for editors
    Scenario,
    /// compare --json
    Compare,
    /// test --json
    Test,
    /// bench --json; with --workload, one object of it
    Bench,
    /// doctor --json
    Doctor,
    /// Any --json command that is ended within an operation that cannot be interrupted, before it has results
    Interrupted,
    /// Trace files, written by run --trace and check --save
    Trace,
}

impl JsonShape {
    fn schema(self) -> Schema {
        match self {
            Self::Run => object::<Stepped<'_>>(),
            Self::Check => object::<CheckReport>(),
            Self::Probability => object::<ProbabilityReport>(),
            Self::Anonymous => object::<LockStepReport>(),
            Self::Exact => object::<ExactReport>(),
            Self::Worst => object::<WorstReport>(),
            Self::Replay => object::<Replayed<'_>>(),
            Self::Shrink => object::<Shortened<'_>>(),
            Self::List => rows::<Listed>(),
            Self::Info => object::<About>(),
            Self::League => rows::<LeagueRow>(),
            Self::LeagueSharing => rows::<SharingRow>(),
            Self::Reproduce => object::<LedgerReport>(),
            Self::Table => object::<Verified>(),
            Self::Sweep => object::<SweepRows<'_>>(),
            Self::SweepData => schema_for!(SweepReport),
            Self::Scenario => scenario_schema(),
            Self::Compare => object::<ComparisonReport>(),
            Self::Test => object::<TestReport>(),
            Self::Bench => rows::<Measurement>(),
            Self::Doctor => rows::<Finding>(),
            Self::Interrupted => object::<InterruptedReport>(),
            Self::Trace => trace_schema(),
        }
    }
}

fn object<T: JsonSchema>() -> Schema {
    titled::<T>(schema_for!(Versioned<T>))
}

fn rows<T: JsonSchema>() -> Schema {
    titled::<Vec<T>>(schema_for!(Vec<Versioned<T>>))
}

/// A version is no part of a name.
fn titled<T: JsonSchema>(mut schema: Schema) -> Schema {
    schema.insert("title".to_string(), T::schema_name().into());
    schema
}

/// Prints the schema of a shape.
pub(crate) fn print_schema(shape: JsonShape, out: &mut impl Write) -> Result<Exit, Error> {
    print(&shape.schema(), out)
}
