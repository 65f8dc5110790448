//! A picture of a run, as SVG: its space-time diagram, or an overview where that would be too large.
//!
//! Places go across, time goes down, and every message is a line from its sending to its handling. On a ring the first
//! column stands once more at the right end, so that no line crosses the picture to get from the last place to the first.
//! Sites that share something, and tokens, are bars along the lines of their processors; of a long workload the first
//! entries are shown. Lengths are counted in tenths of a pixel: whole numbers, so that the same run has the same picture
//! everywhere.
//!
//! A [`Recording`] takes the steps of a run as it advances and keeps no more of them than a picture needs; a [`RunInfo`] is
//! everything else that a picture shows. The two make a picture: [`Recording::draw`].

use ringleader_model::{Kind, Place, TimingChange, Topology, Violation};
use ringleader_sim::{Step, Summary};

use crate::report::grouped;
use crate::setup::Setup;

mod animation;
mod axis;
mod conflicts;
mod diagram;
mod flow;
mod intervals;
mod labels;
mod legend;
mod messages;
#[cfg(feature = "inspect")]
mod moment;
mod overview;
mod page;
mod recording;
mod run_info;
#[cfg(test)]
mod samples;
pub(crate) mod svg;
#[cfg(test)]
mod tests;
pub mod theme;
mod window;

#[cfg(feature = "inspect")]
pub use moment::{MOST_PLACES as MOST_IN_A_MOMENT, moment};
pub use recording::Recording;
pub use run_info::run_info;
pub use theme::Theme;

/// Whether a text is a picture drawn here: its description has the line that repeats the run.
pub fn is_picture(text: &str) -> bool {
    let description = text.split_once("<desc").and_then(|(_, rest)| rest.split_once("</desc>"));
    text.contains("<svg") && description.is_some_and(|(description, _)| description.contains("Repeat the run: "))
}

/// The picture of a run whose steps were all kept. `rerun` is the command that repeats it.
pub fn draw(setup: &Setup, summary: &Summary, steps: &[Step], rerun: &str, theme: Theme) -> String {
    let mut recording = Recording::new(&setup.scenario);
    recording.extend(steps.iter().cloned());
    recording.draw(&run_info(setup, summary, rerun), theme)
}

/// Everything that a picture shows of a run besides its steps.
#[derive(Clone, Debug)]
pub struct RunInfo<'a> {
    /// The number of processors, shared cells included.
    pub n: usize,
    /// Their identities; empty where they have none.
    pub ids: &'a [u64],
    /// The network.
    pub topology: Topology,
    /// The kinds of messages, in the order in which the protocol declares them.
    pub kinds: Vec<Kind>,
    /// The subject of the picture.
    pub subject: Subject,
    /// The number of readers, which have the first places; none where sites are alike.
    pub readers: usize,
    /// The number of writers, after the readers.
    pub writers: usize,
    /// The number of shared cells, at the last places.
    pub cells: usize,
    /// Whether there are no clocks: time is the number of the action.
    pub untimed: bool,
    /// Where timing changes: the ranges, from when on.
    pub changes: &'a [TimingChange],
    /// The length of each processor's ticks; empty where nobody has a clock, or their lengths vary.
    pub ticks: Vec<u64>,
    /// The protocol, the network and the outcome.
    pub title: String,
    /// The measurements.
    pub subtitle: String,
    /// The command that repeats the run.
    pub rerun: String,
    /// The violated properties.
    pub violations: &'a [Violation],
}

/// The subject of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The messages of an election or of any other problem.
    Messages,
    /// Sites that enter and leave.
    Sharing,
    /// Readers and writers of shared cells.
    Data,
    /// Tokens on a ring.
    Tokens,
}

/// The role of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceRole {
    /// One of many that are alike.
    Site,
    /// A reader.
    Reader,
    /// A writer.
    Writer,
    /// A shared cell.
    Cell,
}

impl PlaceRole {
    /// The name above its column; a site has none.
    const fn name(self) -> &'static str {
        match self {
            Self::Site => "",
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Cell => "cell",
        }
    }
}

impl RunInfo<'_> {
    fn role(&self, place: Place) -> PlaceRole {
        let place = place as usize;
        if place >= self.n - self.cells {
            PlaceRole::Cell
        } else if self.readers + self.writers == 0 {
            PlaceRole::Site
        } else if place < self.readers {
            PlaceRole::Reader
        } else {
            PlaceRole::Writer
        }
    }

    const fn is_ring(&self) -> bool {
        self.topology.is_ring()
    }
}
