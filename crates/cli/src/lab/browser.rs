//! Opening an address in the browser of the user.

use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable that names a browser, or several with colons between them.
const VARIABLE: &str = "BROWSER";
/// A browser that has run for so long has opened what it was told to.
const LONG: Duration = Duration::from_secs(3);

/// Opens an address, without waiting for that. `failed` is told why it did not succeed.
pub(super) fn open(address: &str, failed: impl FnOnce(String) + Send + 'static) {
    let environment = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let commands = commands(address, std::env::consts::OS, &environment);
    let work = move || {
        if let Err(why) = commands.and_then(|commands| first_of(&commands)) {
            failed(why);
        }
    };
    // Without a thread for it, the address that was printed has to do.
    let _ = thread::Builder::new().spawn(work);
}

/// The commands that open an address, one of which is enough; or why there is none.
fn commands(
    address: &str,
    system: &str,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Vec<Vec<OsString>>, String> {
    let all = |lines: &[&[&str]]| lines.iter().map(|words| words.iter().map(OsString::from).collect()).collect();
    if let Some(browsers) = environment(VARIABLE) {
        let browsers = browsers.to_string_lossy();
        let separator = if system == "windows" { ';' } else { ':' };
        let commands: Vec<_> = browsers.split(separator).filter_map(|line| command(line, address)).collect();
        return if commands.is_empty() { Err(format!("{VARIABLE} names none")) } else { Ok(commands) };
    }
    let start: &[&str] = &["/C", "start", "", address];
    match system {
        "macos" => Ok(all(&[&["open", address]])),
        "windows" => Ok(all(&[&[&["cmd"], start].concat()])),
        // Linux within Windows.
        _ if environment("WSL_DISTRO_NAME").is_some() => {
            Ok(all(&[&["wslview", address], &[&["cmd.exe"], start].concat(), &["xdg-open", address]]))
        }
        _ if ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| environment(name).is_none()) => {
            Err("there is no display".to_string())
        }
        _ => Ok(all(&[&["xdg-open", address], &["gio", "open", address]])),
    }
}

/// A browser of the variable with its arguments, among which %s stands for the address.
fn command(line: &str, address: &str) -> Option<Vec<OsString>> {
    let mut words: Vec<_> = line.split_whitespace().map(|word| word.replace("%s", address)).collect();
    if words.is_empty() {
        return None;
    }
    if !line.contains("%s") {
        words.push(address.to_string());
    }
    Some(words.into_iter().map(OsString::from).collect())
}

/// Runs commands until one succeeds.
fn first_of(commands: &[Vec<OsString>]) -> Result<(), String> {
    let mut why = Vec::new();
    for (program, arguments) in commands.iter().filter_map(|command| command.split_first()) {
        let begun = Instant::now();
        let name = program.to_string_lossy();
        match run(program, arguments) {
            Ok(status) if status.success() || begun.elapsed() > LONG => return Ok(()),
            Ok(status) => why.push(format!("{name}: {status}")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => why.push(format!("there is no {name}")),
            Err(error) => why.push(format!("{name}: {error}")),
        }
    }
    Err(why.join("; "))
}

fn run(program: &OsStr, arguments: &[OsString]) -> std::io::Result<std::process::ExitStatus> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C in the terminal is for us.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.status()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "http://127.0.0.1:1/";

    /// The commands as lines, with these variables set.
    fn lines(system: &str, variables: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let environment =
            |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| OsString::from(value));
        let joined = |words: &Vec<OsString>| words.join(OsStr::new(" ")).into_string().unwrap();
        Ok(commands(ADDRESS, system, &environment)?.iter().map(joined).collect())
    }

    fn found(system: &str, variables: &[(&str, &str)]) -> Vec<String> {
        lines(system, variables).expect("a browser")
    }

    #[test]
    fn every_system_has_its_opener() {
        let display = [("DISPLAY", ":0")];
        assert_eq!(found("linux", &display), ["xdg-open http://127.0.0.1:1/", "gio open http://127.0.0.1:1/"]);
        assert_eq!(found("freebsd", &[("WAYLAND_DISPLAY", "wayland-0")]), found("linux", &display));
        assert_eq!(found("macos", &[]), ["open http://127.0.0.1:1/"]);
        assert_eq!(found("windows", &[]), ["cmd /C start  http://127.0.0.1:1/"]);
        assert_eq!(found("linux", &[("WSL_DISTRO_NAME", "Debian")])[0], "wslview http://127.0.0.1:1/");
        assert_eq!(lines("linux", &[]), Err("there is no display".to_string()));
    }

    #[test]
    fn the_variable_has_the_first_word() {
        let browser = |value| lines("linux", &[("BROWSER", value)]);
        assert_eq!(browser("firefox"), Ok(vec!["firefox http://127.0.0.1:1/".to_string()]));
        let several = browser("firefox -P lab --url=%s: :w3m").unwrap();
        assert_eq!(several, ["firefox -P lab --url=http://127.0.0.1:1/", "w3m http://127.0.0.1:1/"]);
        assert_eq!(browser(" : "), Err("BROWSER names none".to_string()));
    }

    #[cfg(unix)]
    #[test]
    fn the_first_that_succeeds_is_enough() {
        let commands = |lines: &[&str]| lines.iter().map(|line| command(line, ADDRESS).unwrap()).collect::<Vec<_>>();
        assert_eq!(first_of(&commands(&["no-such-browser", "false", "true", "false"])), Ok(()));
        let why = first_of(&commands(&["no-such-browser", "false"])).unwrap_err();
        assert_eq!(why, "there is no no-such-browser; false: exit status: 1");
    }
}
