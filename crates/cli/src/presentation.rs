//! Presentation: the width of the terminal, colour, verbosity.
//!
//! There is one standard output, so there is one presentation; it is settled once, before a command begins.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::{Args, ValueEnum};

/// The width of texts that nobody has set a width for.
const TEXT_WIDTH: usize = 100;
/// Narrower than this, a table cannot be read anyway.
const LEAST_WIDTH: usize = 40;

/// Options of every command.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct PresentationArguments {
    /// Colour: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, help_heading = HEADING)]
    color: Color,
    /// Print the result only: no progress, notes or explanations
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = HEADING)]
    quiet: bool,
    /// Print more: all identities, every step of a counterexample, what each bound counts
    #[arg(short, long, global = true, help_heading = HEADING)]
    verbose: bool,
    /// Print all columns of a table, however wide the terminal is
    ///
    /// Tables fit the terminal, or COLUMNS where that environment variable is set: the least important columns are left out. In a
    /// pipe, without COLUMNS, nothing is.
    #[arg(long, global = true, help_heading = HEADING)]
    wide: bool,
    /// In JSON, print integers above 2^53 as strings
    ///
    /// JavaScript, jq and others read numbers as 64-bit floats and silently change larger integers: identities, seeds and times.
    #[arg(long, global = true, help_heading = HEADING)]
    big_integers_as_strings: bool,
}

const HEADING: &str = "Presentation";

/// When there is colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The settled presentation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Presentation {
    /// The width that tables must fit; none if they need not.
    table_width: Option<usize>,
    /// The width of the terminal, or of COLUMNS.
    width: Option<usize>,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) big_integers_as_strings: bool,
}

static SETTLED: OnceLock<Presentation> = OnceLock::new();

impl PresentationArguments {
    /// Settles how everything is presented from now on.
    pub(crate) fn settle(self) {
        self.settle_on(std::io::stdout().is_terminal());
    }

    /// The same where standard output is passed on by another program, though it may look like a terminal.
    pub(crate) fn settle_for_a_pipe(mut self) {
        if self.color == Color::Auto {
            self.color = Color::Never;
        }
        self.settle_on(false);
    }

    fn settle_on(self, terminal: bool) {
        match self.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        let columns = std::env::var("COLUMNS").ok();
        let terminal = || terminal.then(terminal_size::terminal_size).flatten();
        let width = match columns.and_then(|columns| columns.trim().parse().ok()).filter(|&columns| columns > 0) {
            Some(columns) => Some(columns),
            None => terminal().map(|(width, _)| usize::from(width.0)),
        };
        let width = width.map(|width: usize| width.max(LEAST_WIDTH));
        // Settled twice only by a program that calls us twice: the first call counts.
        let _ = SETTLED.set(Presentation {
            table_width: width.filter(|_| !self.wide),
            width,
            quiet: self.quiet,
            verbose: self.verbose,
            big_integers_as_strings: self.big_integers_as_strings,
        });
    }
}

impl Presentation {
    /// As it was settled.
    pub(crate) fn settled() -> Self {
        SETTLED.get().copied().unwrap_or_default()
    }

    /// The width that tables must fit; none if they need not.
    pub(crate) const fn table_width(self) -> Option<usize> {
        self.table_width
    }

    /// The width of running text.
    pub(crate) fn text_width(self) -> usize {
        self.width.map_or(TEXT_WIDTH, |width| width.min(TEXT_WIDTH))
    }

    /// The width at which one line of output is broken; none in a pipe, where a line stays one line.
    pub(crate) const fn line_width(self) -> Option<usize> {
        self.width
    }
}
