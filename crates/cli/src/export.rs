//! A Markov decision process in Storm's explicit format: a directory of files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ringleader::check::ProbabilityReport;
use ringleader_check::ExplicitModel;

use crate::error::Error;
use crate::files::{Content, Output};
use crate::json::print_json;

/// The report, by which a directory is recognised.
const FIGURES: &str = "figures.json";

/// A directory that will be written when all is known.
pub(crate) struct Export {
    directory: PathBuf,
}

impl Export {
    /// Makes the directory. One that holds files, and no export, is refused unless `force` is given.
    pub(crate) fn new(directory: &Path, force: bool) -> Result<Self, Error> {
        let unwritable = |source: io::Error| Error::Output { path: directory.to_path_buf(), source };
        fs::create_dir_all(directory).map_err(unwritable)?;
        let is_empty = fs::read_dir(directory).map_err(unwritable)?.next().is_none();
        if !is_empty && !force && !is_export(directory) {
            let wrong =
                format!("--export is {}, which holds files and no exported model of ringleader's", directory.display());
            let allowed = "a directory that is empty or not there, one that was written by this option, or --force to overwrite \
                           files in it";
            return Err(Error::Usage(format!("{wrong}\nallowed: {allowed}")));
        }
        Ok(Self { directory: directory.to_path_buf() })
    }

    /// Writes all files.
    pub(crate) fn write(&self, model: &ExplicitModel, report: &ProbabilityReport) -> Result<(), Error> {
        let write = |name: &str, text: &str| {
            Output::new("--export", &self.directory.join(name), Content::Trace, true)?.write(text)
        };
        write("model.tra", &model.transitions())?;
        write("model.lab", &model.labels())?;
        for &measure in model.measures() {
            write(&format!("{}.rew", measure.name()), &model.rewards(measure))?;
        }
        let mut figures = Vec::new();
        print_json(report, &mut figures)?;
        write(FIGURES, &String::from_utf8_lossy(&figures))
    }
}

/// Whether a directory holds an export.
fn is_export(directory: &Path) -> bool {
    let Ok(text) = fs::read_to_string(directory.join(FIGURES)) else { return false };
    let Ok(figures) = serde_json::from_str::<serde_json::Value>(&text) else { return false };
    ["protocol", "endings", "means", "rerun"].iter().all(|field| figures.get(field).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_of_other_files_is_refused_without_force() {
        let place = tempfile::tempdir().expect("a directory");
        let directory = place.path().join("new/model");
        Export::new(&directory, false).expect("it is made");
        fs::write(directory.join("model.tra"), "mdp\n").expect("it can be written");
        let refused = Export::new(&directory, false).err().expect("it may be somebody else's").to_string();
        assert!(refused.contains("--force"), "{refused}");
        Export::new(&directory, true).expect("it is asked for");
        let figures = r#"{"protocol": "peterson", "endings": [], "means": [], "rerun": ""}"#;
        fs::write(directory.join(FIGURES), figures).expect("it can be written");
        Export::new(&directory, false).expect("it is an export");
    }
}
