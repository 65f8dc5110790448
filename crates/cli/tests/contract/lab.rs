//! The lab: what is served, how it ends, what `--open` opens, and pages that are exported.
#![allow(unsafe_code, reason = "the standard library sends no signals")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Workplace, words};

/// A machine with other work to do may take long.
const SOON: Duration = Duration::from_secs(20);

/// The program while it serves the lab; it is ended with the test.
struct Served {
    child: Child,
    port: u16,
    /// All that it printed before the address, where it prints that.
    printed: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    /// Starts it. The address stands on standard output, or with `--open` on standard error.
    fn start(place: &Workplace, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        command.current_dir(place.path()).args(arguments).stdin(Stdio::null());
        // No browser is opened by a test.
        command
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env("BROWSER", "true")
            .envs(variables.iter().copied());
        let opens = arguments.contains(&"--open");
        let (own, null) = (Stdio::piped(), Stdio::null());
        let (stdout, stderr) = if opens { (null, own) } else { (own, null) };
        let child = command.stdout(stdout).stderr(stderr).spawn().expect("the program can be started");
        let mut served = Self { child, port: 0, printed: String::new() };
        let pipe: Box<dyn Read> = match (served.child.stdout.take(), served.child.stderr.take()) {
            (Some(stdout), _) => Box::new(stdout),
            (None, stderr) => Box::new(stderr.expect("one of them is piped")),
        };
        let mut lines = BufReader::new(pipe);
        loop {
            let begin = served.printed.len();
            lines.read_line(&mut served.printed).expect("it prints text");
            let line = &served.printed[begin..];
            assert!(!line.is_empty(), "ringleader {}: no address:\n{}", arguments.join(" "), served.printed);
            if let Some(port) = line.trim().strip_prefix("lab        http://127.0.0.1:") {
                served.port = port.trim_end_matches('/').parse().expect("a port");
                return served;
            }
        }
    }

    /// Status, head and content of the answer to a request of this file.
    fn get(&self, path: &str, host: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(SOON)).expect("it is some time");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(answer[..end].to_vec()).expect("text");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (status, head, answer[end + 4..].to_vec())
    }

    /// The page, and what it opens with.
    fn page(&self) -> (String, Value) {
        let (status, _, content) = self.get("/", &format!("127.0.0.1:{}", self.port));
        assert_eq!(status, 200);
        let page = String::from_utf8(content).expect("text");
        let embedded = embedded(&page);
        (page, embedded)
    }

    /// Sends a signal, and waits for the exit code.
    fn end(mut self, signal: i32) -> Option<i32> {
        // SAFETY: the child was not waited for, so that its number is its own.
        let sent = unsafe { libc::kill(self.child.id() as i32, signal) };
        assert_eq!(sent, 0, "the signal can be sent");
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            assert!(begun.elapsed() < SOON, "it goes on after a signal");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// What a page opens with; null if it says nothing of that.
fn embedded(page: &str) -> Value {
    let Some((_, rest)) = page.split_once(r#"<script type="application/json" id="lab-embedded">"#) else {
        return Value::Null;
    };
    let (data, _) = rest.split_once("</script>").expect("the element ends");
    serde_json::from_str(data).expect("it is JSON")
}

#[test]
fn the_page_is_served_until_ctrl_c() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let served = Served::start(&Workplace::new(), &words("lab --no-open --port 0"), &[]);
        assert_eq!(served.printed.lines().next(), Some("  stop       Ctrl-C"));
        let (page, embedded) = served.page();
        assert!(page.starts_with("<!doctype html>") && embedded.is_null(), "{page}");
        let host = format!("localhost:{}", served.port);
        let (status, head, script) = served.get("/lab.js", &host);
        assert_eq!(status, 200);
        assert!(head.contains("\r\nX-Content-Type-Options: nosniff"), "{head}");
        assert!(!script.is_empty());
        for path in ["/../../../../../../etc/passwd", "/lab.rs", "/%2e%2e/Cargo.toml"] {
            assert_eq!(served.get(path, &host).0, 404, "{path}");
        }
        assert_eq!(served.get("/", "evil.example").0, 403);
        assert_eq!(served.end(signal), Some(0));
    }
}

/// Everything that the page's document refers to is served.
#[test]
fn the_page_is_complete() {
    let served = Served::start(&Workplace::new(), &words("lab --no-open --port 0"), &[]);
    let (page, _) = served.page();
    let host = format!("127.0.0.1:{}", served.port);
    let mut wanted: Vec<String> = Vec::new();
    for (before, after) in [("href=\"", '"'), ("src=\"", '"')] {
        let files = page.split(before).skip(1).filter_map(|rest| rest.split(after).next());
        wanted.extend(files.filter(|file| file.ends_with(".js") || file.ends_with(".css")).map(str::to_string));
    }
    let mut seen = Vec::new();
    while let Some(file) = wanted.pop() {
        let (status, _, content) = served.get(&format!("/{file}"), &host);
        assert_eq!(status, 200, "{file}");
        let text = String::from_utf8(content).expect("text");
        let imports =
            text.lines().filter(|line| line.starts_with("import ")).filter_map(|line| line.split("\"./").nth(1));
        for import in imports.filter_map(|rest| rest.split('"').next()).map(str::to_string) {
            if !seen.contains(&import) && !wanted.contains(&import) {
                wanted.push(import);
            }
        }
        seen.push(file);
    }
    assert!(seen.len() > 10, "{seen:?}");
}

#[test]
fn the_page_opens_with_what_is_named() {
    let place = Workplace::new();
    assert_eq!(place.call(&words("run lelann -n 3 --trace held.json")).code, 0);
    assert_eq!(place.call(&words("check peterson -n 3 --links any --save bad.json")).code, 1);
    let line = json!({ "open": { "line": "run chang-roberts -n 8 --seed 1" } });
    let held = json!({ "open": { "trace": place.read("held.json") } });
    let bad = json!({ "open": { "trace": place.read("bad.json") }, "at": "violation" });
    for (what, expected) in [
        ("run chang-roberts -n 8", &line),
        ("ringleader run chang-roberts -n 8", &line),
        ("chang-roberts -n 8", &line),
        ("held.json", &held),
        ("replay held.json", &held),
        ("bad.json", &bad),
    ] {
        let several = words(what);
        for what in [several.as_slice(), &[what]] {
            let arguments = [&["lab", "--no-open", "--port", "0"], what].concat();
            let served = Served::start(&place, &arguments, &[]);
            assert_eq!(&served.page().1, expected, "{arguments:?}");
        }
    }
    // Options of the lab are recognised behind a run.
    let arguments = words("lab run lelann -n 3 --order ascending --no-open --port 0 --set start=own");
    let refused = place.call(&arguments);
    assert_eq!(refused.code, 2, "a parameter that does not exist: {}", refused.stderr);
    let served = Served::start(&place, &arguments[..arguments.len() - 2], &[]);
    assert_eq!(served.page().1["open"]["line"], "run lelann -n 3 --order ascending --seed 1");
}

/// A line that is printed under a violation opens it.
#[test]
fn lines_beside_violations_open_them() {
    let place = Workplace::new();
    for line in [
        "run vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed",
        "run vitanyi --ids 7,10,5",
        "run vitanyi --ids 7,10,5 --trace run.json",
        "replay run.json",
        "check peterson -n 3 --links any --save peterson.json",
        "replay peterson.json",
        "check peterson -n 3 --links any",
        "check peterson -n 20 --links any --simulate 1000",
    ] {
        let ended = place.call(&words(line));
        assert_eq!(ended.code, 1, "{line}: {}", ended.stderr);
        let (_, last) = ended.stdout.trim_end().rsplit_once('\n').expect("it has lines");
        let lab = last.strip_prefix("  lab        ringleader ").unwrap_or_else(|| panic!("{line}: {last}"));
        let mut arguments = words(lab);
        if arguments[0] == "lab" {
            arguments.extend(["--no-open", "--port", "0"]);
        }
        let served = Served::start(&place, &arguments, &[]);
        assert!(served.page().1["open"].is_object(), "{lab}");
    }
    for line in ["run lelann -n 3", "check lelann -n 3", "worst lelann -n 3"] {
        assert!(!place.call(&words(line)).stdout.contains("\n  lab "), "{line}");
    }
}

#[test]
fn open_shows_the_run_and_ends_as_the_command() {
    let place = Workplace::new();
    assert_eq!(place.call(&words("check peterson -n 3 --links any --save bad.json")).code, 1);
    let bad = place.read("bad.json");
    let worst = "run chang-roberts --ids 5,4,3,2,1";
    for (line, code, open, at) in [
        ("run lelann -n 3 --open", 0, json!({ "line": "run lelann -n 3 --seed 1" }), Value::Null),
        ("check peterson -n 3 --links any --open", 1, json!({ "trace": bad }), json!("violation")),
        ("check peterson -n 3 --links any --open --json", 1, json!({ "trace": bad }), json!("violation")),
        ("replay bad.json --open", 1, json!({ "trace": bad }), json!("violation")),
        ("worst chang-roberts -n 5 --open", 0, json!({ "line": worst }), Value::Null),
    ] {
        let served = Served::start(&place, &words(line), &[]);
        let (_, mut embedded) = served.page();
        if let Some(line) = embedded["open"]["line"].as_str().and_then(|line| line.strip_suffix(" --seed 1")) {
            embedded["open"]["line"] =
                if open["line"] == line { line.into() } else { embedded["open"]["line"].clone() };
        }
        assert_eq!((&embedded["open"], &embedded["at"]), (&open, &at), "{line}");
        assert_eq!(served.end(libc::SIGINT), Some(code), "{line}");
    }
    let nothing = place.call(&words("check lelann -n 3 --open"));
    assert_eq!((nothing.code, nothing.stderr.as_str()), (0, "note: there is no counterexample to open\n"));
}

/// The browser that the environment names gets the address; without one, the address is there to be opened by hand.
#[test]
fn a_browser_is_opened_or_that_it_is_not_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let place = Workplace::new();
    let script = place.write("browser", "#!/bin/sh\necho \"$@\" > opened.part && mv opened.part opened\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let browser = format!("no-such-browser:{} --new", script.display());
    let served = Served::start(&place, &words("lab --port 0"), &[("BROWSER", &browser)]);
    let begun = Instant::now();
    while !place.path().join("opened").exists() {
        assert!(begun.elapsed() < SOON, "no browser is opened");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(place.read("opened"), format!("--new http://127.0.0.1:{}/\n", served.port));
    // It is no child of the terminal's group, which Ctrl-C is for.
    drop(served);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.args(words("lab --port 0")).env("BROWSER", "false").stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program can be started");
    let mut note = String::new();
    BufReader::new(child.stderr.take().expect("it is piped")).read_line(&mut note).expect("it prints text");
    child.kill().expect("it can be ended");
    child.wait().expect("it ends");
    let said = "note: no browser was opened (false: exit status: 1); the address above is to be opened by hand\n";
    assert_eq!(note, said);
}

#[test]
fn a_run_is_exported_as_one_page() {
    let place = Workplace::new();
    assert_eq!(place.call(&words("check peterson -n 3 --links any --save bad.json")).code, 1);
    let ended = place.call(&words("export bad.json --html bad.html"));
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "written: bad.html\n", ""));
    let page = place.read("bad.html");
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    let found = embedded(&page);
    assert_eq!((&found["open"]["trace"], &found["at"]), (&json!(place.read("bad.json")), &json!("violation")));
    // Nothing is loaded: the policy allows no connection, and nothing refers to another file.
    assert!(page.contains("default-src 'none'; script-src 'sha256-") && !page.contains("connect-src"));
    for reference in [" src=\"", "rel=\"stylesheet\"", "@import"] {
        assert!(!page.contains(reference), "{reference}");
    }
    // Its own file may be overwritten, another one may not.
    assert_eq!(place.call(&words("export run lelann -n 3 --html bad.html")).code, 0);
    assert_eq!(embedded(&place.read("bad.html"))["open"]["line"], "run lelann -n 3 --seed 1");
    place.write("notes.html", "<!doctype html> my notes");
    let refused = place.call(&words("export bad.json --html notes.html"));
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("no page of the lab of ringleader's"), "{}", refused.stderr);
    assert_eq!(place.read("notes.html"), "<!doctype html> my notes");
    assert_eq!(place.call(&words("export bad.json --html notes.html --force")).code, 0);
    assert_eq!(place.call(&words("export bad.json --html -")).stdout, place.read("notes.html"));
    assert_eq!(place.listing(), ["bad.html", "bad.json", "notes.html"]);
}
