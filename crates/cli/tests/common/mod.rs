//! Calling the program as a user does.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// No call in these tests has anything to do for longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// An empty directory to call the program in.
pub struct Workplace {
    directory: TempDir,
}

/// The result of a call.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Workplace {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("there is room for a directory") }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).expect("the directory can be written to");
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("the file was written")
    }

    /// The names of all that lies in it, in order.
    pub fn listing(&self) -> Vec<String> {
        let entries = self.path().read_dir().expect("the directory can be read");
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Calls the program with these arguments.
    pub fn call(&self, arguments: &[&str]) -> Ended {
        self.call_with(arguments, &[])
    }

    /// Calls it with these variables set, too.
    pub fn call_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        command.current_dir(self.path()).args(arguments).envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program can be started");
        // Both pipes are emptied while it runs, or it would wait for us.
        let stdout = drain(child.stdout.take().expect("it is piped"));
        let stderr = drain(child.stderr.take().expect("it is piped"));
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("the program can be waited for") {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                child.kill().expect("the program can be ended");
                panic!("`ringleader {}` does not come to an end", arguments.join(" "));
            }
            thread::sleep(Duration::from_millis(1));
        };
        let code = status.code().unwrap_or_else(|| panic!("`ringleader {}` died: {status}", arguments.join(" ")));
        Ended { code, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
    }
}

fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("the program prints UTF-8");
        text
    })
}

/// The words of a line, as a shell without quotes takes them.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}
