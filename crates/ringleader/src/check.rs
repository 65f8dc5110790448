//! Model checking: every schedule of small instances.

mod checked;
mod growth;
mod instances;
mod probabilities;
mod record;
mod report;
mod setup;
mod survey;

pub(crate) use checked::MessageBounds;
pub use checked::{Checked, Proved, Violated};
pub use growth::{SizeCheck, grow};
pub use instances::{Arrangement, Family, Orientations};
pub use probabilities::{EndingReport, FractionReport, MeanReport, ProbabilityReport, RangeReport};
pub use record::{Figures, Row, document};
pub use report::{CheckReport, CounterexampleReport, CoverageReport, SizeReport, Total};
pub use ringleader_check::CheckVerdict;
pub use setup::{CheckOptions, CheckSetup, CheckWake};
pub use survey::{Survey, survey};
