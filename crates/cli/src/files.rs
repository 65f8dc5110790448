//! Files: recorded runs that are read, and whatever is written.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ringleader::check::is_dot;
use ringleader::{TraceFile, document, picture, plot};
use tempfile::NamedTempFile;

use crate::error::{Error, TRACE};
use crate::{memory, partial};

/// Reads a trace file; `-` is standard input.
pub fn read_trace(path: &Path) -> Result<TraceFile, Error> {
    parse_trace(&read_trace_text(path)?, path)
}

/// The trace file of this text.
pub(crate) fn parse_trace(text: &str, path: &Path) -> Result<TraceFile, Error> {
    TraceFile::parse(text).map_err(|why| no_trace(path, why))
}

/// Why a file is no trace file.
fn no_trace(path: &Path, why: String) -> Error {
    Error::Trace { path: path.to_path_buf(), why, allowed: TRACE.to_string() }
}

/// Reads the text of a trace file; `-` is standard input.
pub(crate) fn read_trace_text(path: &Path) -> Result<String, Error> {
    let unreadable = |source| Error::Unreadable { path: path.to_path_buf(), source };
    let mut reader: Box<dyn Read> =
        if is_standard(path) { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(unreadable)?) };
    let mut bytes = Vec::new();
    // A device may have no end: what is no object is found out by its beginning, and what is too large by its size.
    reader.by_ref().take(BEGINNING).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 == BEGINNING && !is_object(&bytes) {
        return Err(no_trace(path, "is no JSON object".to_string()));
    }
    let most = memory::available().map_or(u64::MAX, |free| free / 4);
    reader.take(most).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 >= most {
        return Err(Error::Environment(format!(
            "{} is larger than {} MB, a quarter of the free memory\nallowed: a smaller file, or more memory",
            path.display(),
            most >> 20
        )));
    }
    String::from_utf8(bytes).map_err(|error| no_trace(path, format!("cannot be read: {error}")))
}

/// The number of bytes by which a trace file is recognised.
const BEGINNING: u64 = 4096;

/// Whether a text begins as a JSON object does.
fn is_object(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    text.trim_ascii_start().first() == Some(&b'{')
}

/// Whether a path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The content of an output file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// A recorded run.
    Trace,
    /// A space-time diagram.
    Picture,
    /// A graph for Graphviz.
    Graph,
    /// A figure of a sweep.
    Plot,
    /// A report of a sweep, or its figures.
    Report,
    /// The lab with a run in it.
    Page,
}

impl Content {
    const fn name(self) -> &'static str {
        match self {
            Self::Trace => "recorded run",
            Self::Picture => "picture",
            Self::Graph => "graph",
            Self::Plot => "figure",
            Self::Report => "report",
            Self::Page => "page of the lab",
        }
    }

    /// Whether a file holds such content, or is empty, so that nothing is lost by overwriting it.
    fn is_in(self, path: &Path) -> bool {
        let Ok(text) = std::fs::read_to_string(path) else { return false };
        text.is_empty()
            || match self {
                Self::Trace => TraceFile::parse(&text).is_ok(),
                Self::Picture => picture::is_picture(&text),
                Self::Graph => is_dot(&text),
                Self::Plot => plot::is_chart(&text),
                Self::Report => document::is_document(&text),
                Self::Page => ringleader_lab::is_page(&text),
            }
    }
}

/// The output files of a run. They are opened before it begins, so that one that cannot be written is found out early.
pub(crate) struct RunFiles {
    pub(crate) trace: Option<Output>,
    pub(crate) picture: Option<Output>,
    /// Whether one of them is standard output: then the report goes to standard error.
    pub(crate) aside: bool,
}

impl RunFiles {
    /// The trace comes with the option that names it. A picture in the same file is refused.
    pub(crate) fn new(
        trace: Option<(&'static str, &Path)>,
        picture: Option<&Path>,
        force: bool,
    ) -> Result<Self, Error> {
        if let (Some((option, trace)), Some(picture)) = (trace, picture)
            && is_same_file(trace, picture)
        {
            let path = picture.display();
            let wrong = format!("--picture and {option} name the same file, {path}\nallowed: a file for each");
            return Err(Error::Usage(wrong));
        }
        let trace = trace.map(|(option, path)| Output::new(option, path, Content::Trace, force)).transpose()?;
        let picture = picture.map(|path| Output::new("--picture", path, Content::Picture, force)).transpose()?;
        let aside = [&trace, &picture].into_iter().flatten().any(|output| is_standard(&output.path));
        if aside {
            partial::set_aside();
        }
        Ok(Self { trace, picture, aside })
    }
}

/// Whether two paths name the same file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute(one) == absolute(other)
}

/// A file that will be written when all is known. Making it first finds out early whether it can be, and until it is
/// complete nothing of the old one is lost.
pub(crate) struct Output {
    pub(crate) path: PathBuf,
    goes: Goes,
}

/// Whether a name promises a picture of another format.
fn is_other_picture(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    let other = |extension: &OsStr| ["png", "jpg", "jpeg", "gif", "webp", "pdf", "eps"].iter().any(|&o| o == extension);
    extension.as_deref().is_some_and(other)
}

/// Whether there is a device or a pipe, which is written to and not replaced.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The destination.
enum Goes {
    /// Beside the old one, whose place it takes in the end.
    Beside(NamedTempFile),
    /// To a device or a pipe, whose place nothing may take.
    Straight(File),
    /// To standard output.
    Standard,
}

impl Output {
    /// A file that somebody else wrote is refused, unless `force` is given.
    pub(crate) fn new(option: &'static str, path: &Path, content: Content, force: bool) -> Result<Self, Error> {
        // Without its path: the full text names a temporary file.
        let plain = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::from_raw_os_error(libc::ENOENT),
            io::ErrorKind::PermissionDenied => io::Error::from_raw_os_error(libc::EACCES),
            kind => kind.into(),
        };
        let unwritable = |error| Error::Output { path: path.to_path_buf(), source: plain(error) };
        if matches!(content, Content::Picture | Content::Plot) && is_other_picture(path) {
            let allowed = "a name that ends in .svg: pictures are SVG";
            return Err(Error::Usage(format!("{option} is {}\nallowed: {allowed}", path.display())));
        }
        let goes = if is_standard(path) {
            Goes::Standard
        } else if path.is_dir() {
            return Err(unwritable(io::ErrorKind::IsADirectory.into()));
        } else if is_device(path) {
            Goes::Straight(File::options().write(true).open(path).map_err(unwritable)?)
        } else if !force && path.exists() && !content.is_in(path) {
            return Err(Error::Foreign { option, kind: content.name(), path: path.to_path_buf() });
        } else {
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let mut file = tempfile::Builder::new();
            // Readable like any other file, not by its owner only as temporary ones are.
            #[cfg(unix)]
            file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            Goes::Beside(file.tempfile_in(directory).map_err(unwritable)?)
        };
        Ok(Self { path: path.to_path_buf(), goes })
    }

    /// Writes all of it.
    pub(crate) fn write(self, text: &str) -> Result<(), Error> {
        let unwritable = |source| Error::Output { path: self.path.clone(), source };
        match self.goes {
            Goes::Straight(mut there) => there.write_all(text.as_bytes()).map_err(unwritable),
            Goes::Standard => {
                let mut out = Printer(io::stdout().lock());
                out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(unwritable)
            }
            Goes::Beside(mut file) => {
                file.write_all(text.as_bytes()).map_err(unwritable)?;
                file.persist(&self.path).map_err(|error| unwritable(error.error))?;
                Ok(())
            }
        }
    }
}

static PIPE_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output has closed the pipe.
pub(crate) fn is_pipe_closed() -> bool {
    PIPE_CLOSED.load(Ordering::Relaxed)
}

/// Standard output, read by somebody who may have read enough: what a closed pipe does not take is dropped, and changes no
/// exit code.
pub(crate) struct Printer<W>(pub(crate) W);

impl<W: Write> Write for Printer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                PIPE_CLOSED.store(true, Ordering::Relaxed);
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes this number of bytes, then fails.
    struct Reader(usize, io::ErrorKind);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 { Err(self.1.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn only_a_closed_pipe_is_no_error() {
        assert!(Printer(Reader(3, io::ErrorKind::BrokenPipe)).write_all(b"more than that").is_ok());
        let full = Printer(Reader(3, io::ErrorKind::StorageFull)).write_all(b"more than that");
        assert_eq!(full.map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull));
    }

    #[test]
    fn the_same_file_is_recognised_under_two_names() {
        let same = |one, other| is_same_file(Path::new(one), Path::new(other));
        assert!(same("a.svg", "./a.svg"));
        assert!(same("-", "-"));
        assert!(!same("a.svg", "b/a.svg"));
    }
}
