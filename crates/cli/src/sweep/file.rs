//! Scenario files on the command line.

use std::path::Path;

use ringleader::Catalogue;
use ringleader::sweep::SweepSpec;
use ringleader::sweep::file::{ScenarioDraft, ScenarioFile};

use crate::error::Error;
use crate::memory;

/// Whether an argument is a scenario file.
pub(super) fn is_file(target: &str) -> bool {
    target.ends_with(".toml")
}

/// The scenario file among the arguments, which then is the only one.
pub(super) fn named(targets: &[String]) -> Result<Option<&Path>, Error> {
    match targets {
        [one] if is_file(one) => Ok(Some(Path::new(one))),
        many => match many.iter().find(|target| is_file(target)) {
            None => Ok(None),
            Some(file) => {
                Err(Error::Usage(format!("{file} is given beside others\nallowed: one scenario file, or protocols")))
            }
        },
    }
}

/// Reads a scenario file; all that is wrong with it is told, each with its line.
pub(super) fn read(
    path: &Path,
    catalogue: &Catalogue,
    change: impl FnOnce(&mut SweepSpec),
) -> Result<ScenarioFile, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::UnreadableScenario { path: path.to_path_buf(), source })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        Error::Usage(format!("{}: {}\nallowed: a scenario file, which is UTF-8", path.display(), error.utf8_error()))
    })?;
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut draft = ScenarioDraft::read(text);
    change(&mut draft.spec);
    memory::check(draft.spec.largest())?;
    draft.plan(catalogue).map_err(|errors| {
        let name = path.display().to_string();
        let told: Vec<_> = errors.iter().map(|error| error.render(&name, text)).collect();
        Error::Usage(told.join("\nerror: "))
    })
}
