//! Model checking: every schedule of small instances.

mod checked;
mod checkpoints;
mod dot;
mod extremes;
mod growth;
mod instances;
mod lock_step;
mod probabilities;
mod probability_record;
mod record;
mod report;
mod setup;
mod simulate;
mod suggested;
mod survey;

pub(crate) use checked::ProvedBounds;
pub use checked::{Checked, MeanBounds, Proved, Violated};
pub use checkpoints::{ANSWERS, CheckpointStore, Checkpoints, INSTANCE};
pub use dot::is_dot;
pub use extremes::{
    ExtremeReport, ExtremumReport, JudgedBound, ProvedBoundReport, TotalExtremes, TotalRange, extreme_name,
    judge_bounds,
};
pub use growth::{SizeCheck, grow};
pub use instances::{Arrangement, Family, Orientations, PortCoverage};
pub use lock_step::{BrokenSymmetry, CoveredRing, LockStepReport};
pub use probabilities::decimal;
pub use probabilities::{EndingReport, ErrorReport, FractionReport, MeanReport, ProbabilityReport, RangeReport};
pub use probability_record::{ProbabilityFigures, ProbabilityRow};
pub use record::{Figures, Row, document};
pub use report::{CheckReport, CounterexampleReport, CoverageReport, ProvedReport, SizeReport, Total};
pub use ringleader_check::{CheckVerdict, Fairness, Formula, Specification};
pub use setup::{CheckOptions, CheckSetup, CheckWake};
pub use simulate::{MessageMeanReport, RandomSchedules, RandomSchedulesReport, simulate};
pub use suggested::suggested_checks;
pub(crate) use survey::side_by_side;
pub use survey::{Survey, survey};
