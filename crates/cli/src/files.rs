//! Files: recorded runs that are read, and whatever is written.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use ringleader::TraceFile;
use tempfile::NamedTempFile;

use crate::error::{Error, TRACE};

/// Reads a trace file.
pub fn read_trace(path: &Path) -> Result<TraceFile, Error> {
    let wrong = |why| Error::Trace { path: path.to_path_buf(), why, allowed: TRACE.to_string() };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    TraceFile::parse(&text).map_err(wrong)
}

/// A file that will be written when all is known. Making it first finds out early whether it can be, and until it is
/// complete nothing of the old one is lost.
pub(crate) struct Output<'a> {
    path: &'a Path,
    goes: Goes,
}

/// Whether there is a device or a pipe, which is written to and not replaced.
pub(crate) fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Where it goes meanwhile.
enum Goes {
    /// Beside the old one, whose place it takes in the end.
    Beside(NamedTempFile),
    /// To a device or a pipe, whose place nothing may take.
    Straight(File),
}

impl<'a> Output<'a> {
    pub(crate) fn new(path: &'a Path) -> Result<Self, Error> {
        // The kind alone: the full text names a temporary file.
        let unwritable =
            |error: std::io::Error| Error::Output { path: path.to_path_buf(), source: error.kind().into() };
        if path.is_dir() {
            return Err(unwritable(std::io::ErrorKind::IsADirectory.into()));
        }
        if is_device(path) {
            let there = File::options().write(true).open(path).map_err(unwritable)?;
            return Ok(Self { path, goes: Goes::Straight(there) });
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new();
        // Readable like any other file, not by its owner only as temporary ones are.
        #[cfg(unix)]
        file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self { path, goes: Goes::Beside(file.tempfile_in(directory).map_err(unwritable)?) })
    }

    pub(crate) fn write(self, text: &str) -> Result<(), Error> {
        let unwritable = |source| Error::Output { path: self.path.to_path_buf(), source };
        match self.goes {
            Goes::Straight(mut there) => there.write_all(text.as_bytes()).map_err(unwritable),
            Goes::Beside(mut file) => {
                file.write_all(text.as_bytes()).map_err(unwritable)?;
                file.persist(self.path).map_err(|error| unwritable(error.error))?;
                Ok(())
            }
        }
    }
}
