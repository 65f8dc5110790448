//! `ringleader report` and `ringleader cite`: from a data folder to a document, from a protocol to its papers.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use ringleader::bibliography::{self, SOURCES};
use ringleader::document::{Document, DocumentFormat, SweepData};
use ringleader::picture::Theme;
use ringleader::sweep::{BadData, CSV_NAME, REPORT_NAME};
use ringleader::{Catalogue, program, quoted};

use crate::error::{Error, Exit};
use crate::files::{Content, Output, is_standard};
use crate::presentation::Presentation;

#[derive(Args)]
pub(crate) struct ReportArguments {
    /// Directory that `sweep --data` has written
    #[arg(value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Format: one self-contained page, Markdown, tables for LaTeX (booktabs), or figures [default: by --output, else html]
    #[arg(long, value_parser = format())]
    format: Option<DocumentFormat>,
    /// File [default: standard output]; with --format svg, a directory for all figures, or FILE.svg for the first
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
    /// Overwrite files that ringleader did not write
    #[arg(long)]
    force: bool,
}

fn format() -> impl TypedValueParser<Value = DocumentFormat> {
    let find = |name: String| DocumentFormat::ALL.into_iter().find(|format| format.name() == name);
    let names = DocumentFormat::ALL.map(DocumentFormat::name);
    PossibleValuesParser::new(names).map(move |name| find(name).expect("clap allows no other"))
}

const FOLDER: &str = "a directory that `ringleader sweep --data DIR` has written";

/// Writes the report of a sweep.
pub(crate) fn report(arguments: &ReportArguments, catalogue: &Catalogue, out: &mut impl Write) -> Result<Exit, Error> {
    let output = arguments.output.as_deref().filter(|path| !is_standard(path));
    let named = output.and_then(DocumentFormat::of);
    let format = arguments.format.or(named).unwrap_or(DocumentFormat::Html);
    let figures = format == DocumentFormat::Svg && named != Some(DocumentFormat::Svg);
    let file = match output.filter(|_| !figures) {
        Some(path) => Some(Output::new("--output", path, Content::Report, arguments.force)?),
        None => None,
    };
    let document = Document::new(catalogue, &read(&arguments.folder)?);
    match (output, file) {
        (Some(path), Some(file)) => {
            file.write(&document.text(format))?;
            told(&[path.to_path_buf()], out)?;
        }
        (Some(directory), None) => told(&write_figures(&document, directory, arguments.force)?, out)?,
        (None, _) => out.write_all(document.text(format).as_bytes())?,
    }
    Ok(Exit::Held)
}

fn told(paths: &[PathBuf], out: &mut impl Write) -> Result<(), Error> {
    if !Presentation::settled().quiet {
        for path in paths {
            writeln!(out, "written: {}", path.display())?;
        }
    }
    Ok(())
}

/// A file for each figure.
fn write_figures(document: &Document, directory: &Path, force: bool) -> Result<Vec<PathBuf>, Error> {
    std::fs::create_dir_all(directory).map_err(|source| Error::Output { path: directory.to_path_buf(), source })?;
    let path = |name: &str| directory.join(format!("{name}.svg"));
    let open = |(name, _): &(String, _)| Output::new("--output", &path(name), Content::Report, force);
    // All are opened before one is written, so that a file that is in the way is found out first.
    let files = document.figures.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    for (file, (_, chart)) in files.into_iter().zip(&document.figures) {
        file.write(&chart.svg(Theme::Auto))?;
    }
    Ok(document.figures.iter().map(|(name, _)| path(name)).collect())
}

/// The data of a folder.
fn read(folder: &Path) -> Result<SweepData, Error> {
    let shown = folder.display();
    let path = folder.join(REPORT_NAME);
    let unreadable = |path: &Path, error: &std::io::Error| {
        Error::Environment(format!("{}: cannot be read: {error}\nallowed: {FOLDER}", path.display()))
    };
    if folder.is_dir() && !path.exists() {
        return Err(Error::Usage(format!("{shown}: there is no {REPORT_NAME}\nallowed: {FOLDER}")));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
    let foreign = |path: &Path, bad: &BadData| {
        Error::Usage(format!("{}: {bad}\nallowed: {FOLDER}, with this version of the program", path.display()))
    };
    let mut data = SweepData::parse(&text).map_err(|bad| foreign(&path, &bad))?;
    if data.report.rows.is_empty() {
        let resume = format!("{} sweep --resume {}", program(), quoted(&shown.to_string()));
        return Err(Error::Usage(format!(
            "{shown}: there is no table yet\nallowed: {resume}, then this command again"
        )));
    }
    let path = folder.join(CSV_NAME);
    let mut lines = BufReader::new(File::open(&path).map_err(|error| unreadable(&path, &error))?);
    let mut line = String::new();
    for number in 1u64.. {
        line.clear();
        lines.read_line(&mut line).map_err(|error| unreadable(&path, &error))?;
        // What is not ended by a line feed was not written completely.
        let Some(row) = line.strip_suffix('\n') else { break };
        let added = if number == 1 { data.add_header(row) } else { data.add_row(row) };
        added.map_err(|bad| foreign(&path, &BadData { wrong: format!("line {number} {bad}") }))?;
    }
    Ok(data)
}

/// Prints the BibTeX of the program, and of a protocol's papers or of all sources.
pub(crate) fn cite(
    protocol: Option<&str>,
    all: bool,
    catalogue: &Catalogue,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let keys = match protocol {
        Some(protocol) => bibliography::keys(catalogue, protocol)?,
        None if all => SOURCES.iter().map(|source| source.key).collect(),
        None => Vec::new(),
    };
    write!(out, "{}", bibliography::program_bibtex())?;
    if !keys.is_empty() {
        write!(out, "\n{}", bibliography::bibtex(&keys))?;
    }
    Ok(Exit::Held)
}
