//! `ringleader check`: every schedule of small instances.

mod engine;
mod instances;
mod options;
mod question;
mod record;
mod report;
mod survey;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) use options::CheckArguments;
pub use record::{Figures, Row, document};
pub use report::CheckReport;

use self::engine::Wrong;
use self::question::Question;
use self::report::Total;
use crate::error::{Error, Exit};
use crate::options::quoted;
use crate::picture;
use crate::trace_file::{Output, TraceFile};

/// Checks, shows what was found and writes a counterexample down.
pub(crate) fn check(arguments: &CheckArguments, out: &mut impl Write) -> Result<Exit, Error> {
    let question = Question::new(&arguments.protocol, &arguments.options)?;
    let output = &arguments.output;
    let file = output
        .save
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.counterexample.json", question.plan.description.name)));
    spare(&file)?;
    // Asked for by name, a file that cannot be written is found out before the work.
    let save = output.save.as_deref().map(Output::new).transpose()?;
    let canvas = output.picture.as_deref().map(Output::new).transpose()?;
    if output.picture.is_some() {
        picture::check(question.plan.scenario.n, 0)?;
    }
    let survey = survey::survey(&question)?;
    let total = Total::new(&question, &survey);
    let mut steps = Vec::new();
    let mut saved = None;
    if let Some((_, Wrong { run, .. })) = total.shortest {
        let run = run.as_ref().map_err(|error| Error::Environment(format!("a schedule cannot be taken: {error}")))?;
        let (plan, mut execution, summary) = run.replay(|execution| execution.run.log())?;
        steps = execution.run.take_log();
        let save = save.map_or_else(|| Output::new(&file), Ok);
        // Where it was not asked for, what cannot be written is no reason to show nothing.
        if let Ok(save) = save {
            save.write(&run.to_text())?;
            saved = Some(file.clone());
        }
        if let Some(canvas) = canvas {
            picture::check(plan.scenario.n, summary.cost.messages())?;
            let rerun = format!("ringleader replay {}", quoted(&file.display().to_string()));
            canvas.write(&picture::draw(&plan, &execution, &summary, &steps, &rerun))?;
        }
    }
    let rerun = arguments.options.rerun(question.plan.description.name, question.family.n);
    let report = CheckReport::new(&question, &survey, &total, saved, rerun);
    if output.json {
        serde_json::to_writer_pretty(&mut *out, &report).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        text::report(&report, &question, &steps, output.all, out)?;
        if let Some(path) = output.picture.as_deref().filter(|_| !steps.is_empty()) {
            writeln!(out, "  picture    {}", path.display())?;
        }
    }
    Ok(total.exit())
}

/// Refuses to write over what is no recorded run.
fn spare(file: &Path) -> Result<(), Error> {
    if !file.exists() || TraceFile::read(file).is_ok() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "--save is {}, which is there and is no recorded run\nallowed: a file that is not there, or one written by \
         `ringleader check` or `ringleader run --trace`",
        file.display()
    )))
}
