//! `--plot`: a sweep as a figure, in a file or in the terminal.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use ringleader::document::main_chart;
use ringleader::picture::Theme;
use ringleader::sweep::SweepReport;

use crate::arguments::theme;
use crate::error::Error;
use crate::files::{Content, Output, is_standard};
use crate::presentation::Presentation;

/// The columns of a figure where nobody says how wide the terminal is, and the most.
const COLUMNS: (usize, usize) = (80, 120);

#[derive(Args)]
pub(crate) struct PlotArguments {
    /// Draw the first quantity with its intervals and bounds to an SVG file; - draws it in the terminal
    ///
    /// Over the number of processors, or whatever else varies and has numbers; a heat map over two things that have none, else
    /// a line for each cell. --quantity chooses the quantity.
    #[arg(long, value_name = "FILE.svg", help_heading = "Output", value_hint = ValueHint::FilePath)]
    plot: Option<PathBuf>,
    /// The colours of the figure; auto: as the viewer prefers
    #[arg(long, value_parser = theme(), default_value = Theme::Auto.name(), requires = "plot", help_heading = "Output")]
    theme: Theme,
}

/// Where a figure goes.
pub(super) struct SweepPlot {
    /// The file; none for the terminal.
    file: Option<Output>,
    theme: Theme,
}

impl PlotArguments {
    /// Opens the file, so that one that cannot be written is found out before anything is measured.
    pub(super) fn open(&self, force: bool, json: bool) -> Result<Option<SweepPlot>, Error> {
        let Some(path) = self.plot.as_deref() else { return Ok(None) };
        if is_standard(path) && json {
            return Err(Error::Usage(
                "--plot is -, beside --json\nallowed: one of them, or --plot FILE.svg".to_string(),
            ));
        }
        let file = (!is_standard(path)).then(|| Output::new("--plot", path, Content::Plot, force)).transpose()?;
        Ok(Some(SweepPlot { file, theme: self.theme }))
    }
}

impl SweepPlot {
    /// Draws the figure.
    pub(super) fn draw(self, report: &SweepReport, out: &mut impl Write) -> Result<(), Error> {
        let Some(chart) = main_chart(report) else {
            return Err(Error::Usage("--plot: nothing was measured that can be drawn\nallowed: more runs".to_string()));
        };
        match self.file {
            Some(file) => file.write(&chart.svg(self.theme)),
            None => {
                let columns = Presentation::settled().table_width().unwrap_or(COLUMNS.0).min(COLUMNS.1);
                Ok(write!(out, "\n{}", chart.terminal(columns))?)
            }
        }
    }
}
