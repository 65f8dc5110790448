//! Files that are written: what is spared, what is overwritten, what cannot be written.

use super::*;

/// A device is written to, and nothing takes its place.
#[cfg(unix)]
#[test]
fn what_is_no_plain_file_stays_what_it_is() {
    let place = Workplace::new();
    let link = place.path().join("nowhere");
    std::os::unix::fs::symlink("/dev/null", &link).expect("a link can be made");
    for option in ["--trace", "--picture"] {
        let ended = place.call(&["run", "chang-roberts", "-n", "3", option, "nowhere"]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(link.is_symlink(), "{option} took its place");
    }
}

/// Foreign files are overwritten only with --force.
#[test]
fn foreign_files_are_spared() {
    for (line, kind) in [
        ("run lelann -n 4 --trace notes.txt", "recorded run"),
        ("run lelann -n 4 --picture notes.txt", "picture"),
        ("check peterson -n 3 --links any --save notes.txt", "recorded run"),
        ("check peterson -n 3 --links any --picture notes.txt", "picture"),
        ("check lelann -n 2 --save notes.txt", "recorded run"),
    ] {
        let place = Workplace::new();
        place.write("notes.txt", "my notes");
        let ended = place.call(&words(line));
        expect(&ended, &words(line), USAGE, &["error: ", "notes.txt", kind, "--force", "\nallowed: "]);
        assert_eq!((place.read("notes.txt").as_str(), place.listing().len()), ("my notes", 1), "{line}");
        let forced = place.call(&words(&format!("{line} --force")));
        let found = i32::from(line.contains("any"));
        assert_eq!(forced.code, found, "{line}: {}", forced.stderr);
        let kept = !line.contains("any") && line.starts_with("check");
        assert_eq!(place.read("notes.txt") == "my notes", kept, "{line}");
    }
}

/// A file written by the same option may be overwritten; a picture is no recorded run.
#[test]
fn own_files_are_overwritten() {
    let place = Workplace::new();
    place.write("empty.json", "");
    for line in
        ["run lelann -n 4 --trace empty.json", "run lelann -n 5 --trace empty.json", "run lelann -n 4 --picture a.svg"]
    {
        assert_eq!(place.call(&words(line)).code, 0, "{line}");
    }
    let before = place.read("a.svg");
    assert_eq!(place.call(&words("run lelann -n 5 --picture a.svg")).code, 0);
    assert_ne!(place.read("a.svg"), before);
    for line in ["run lelann -n 5 --trace a.svg", "run lelann -n 5 --picture empty.json"] {
        assert_eq!(place.call(&words(line)).code, USAGE, "{line}");
    }
}

#[test]
fn two_files_under_one_name_are_refused() {
    let said = ["--picture and --trace name the same file", "\nallowed: "];
    refused(&words("run lelann -n 4 --picture a.svg --trace a.svg"), USAGE, &said);
    refused(&words("run lelann -n 4 --picture ./a.svg --trace a.svg"), USAGE, &said);
    refused(&words("run lelann -n 4 --picture - --trace -"), USAGE, &said);
}

/// A disk that is full is no panic.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_the_machines_fault() {
    let place = Workplace::new();
    for line in ["completions bash", "completions zsh", "man", "list", "schema", "--help", "run lelann -n 4"] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("there is a full device");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ringleader"));
        command.current_dir(place.path()).args(words(line)).stdout(full);
        let ended = command.output().expect("it can be called");
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(ENVIRONMENT), "{line}: {stderr}");
        assert!(stderr.contains("cannot write the result") && !stderr.contains("panicked"), "{line}: {stderr}");
    }
}

/// K8: what was found is told before what went wrong with a file.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_loses_no_verdict() {
    let place = Workplace::new();
    for (line, code, found) in [
        ("check peterson -n 3 --links any --save /dev/null --picture /dev/full", 1, "violated"),
        ("check peterson -n 3 --links any --save /dev/full", 1, "violated"),
        ("run lelann -n 4 --picture /dev/full", ENVIRONMENT, "held"),
        ("run lelann -n 4 --trace /dev/full", ENVIRONMENT, "held"),
        ("run vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed --trace /dev/full", 1, "violated"),
    ] {
        let ended = place.call(&words(line));
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stdout.contains(found), "{line}: {}", ended.stdout);
        assert!(ended.stderr.contains("cannot write /dev/full"), "{line}: {}", ended.stderr);
    }
}
