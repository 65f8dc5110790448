//! Pages as a reader sees them: headless Chromium, driven over a pair of pipes (the Chrome DevTools Protocol).
//!
//! ```no_run
//! use conformance::chromium::{Chromium, ColorScheme};
//!
//! if let Some(mut browser) = Chromium::start() {
//!     browser.open(std::path::Path::new("/tmp/report.html"), ColorScheme::Dark);
//!     assert_eq!(browser.evaluate("document.title.length > 0"), true);
//!     assert!(browser.outside_requests().is_empty());
//! }
//! ```

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// The names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The colours that a viewer prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorScheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// A browser with one page.
pub struct Chromium {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    number: u64,
    requests: Vec<String>,
    profile: PathBuf,
}

/// Held by whoever looks for a browser, or installs one.
static INSTALLING: Mutex<()> = Mutex::new(());

impl Chromium {
    /// Starts a browser, which is installed first where `CI` is set. Elsewhere, where there is none, that is printed, and the
    /// test that wanted it is skipped.
    pub fn start() -> Option<Self> {
        let ci = std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()));
        // Several tests begin together, and packages are installed one at a time.
        let installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = installed();
        if found.is_none() && ci {
            install();
            found = installed();
        }
        drop(installing);
        assert!(found.is_some() || !ci, "there is no Chromium, and `apt-get install chromium` brought none");
        let Some(program) = found else {
            let hint = "`apt-get install chromium fonts-dejavu-core` brings one";
            // Not captured by the test harness; nobody can be told where stderr is closed.
            let _ = writeln!(std::io::stderr(), "skipped: there is no Chromium; {hint}");
            return None;
        };
        Some(Self::launch(program))
    }

    fn launch(program: &str) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let profile = std::env::temp_dir().join(format!("ringleader-browser-{}-{number}", std::process::id()));
        // The browser reads commands from its third file descriptor and answers to its fourth.
        let line = format!(
            "exec {program} --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
             --disable-component-update --disable-sync --hide-scrollbars --window-size=1280,900 \
             --user-data-dir={} --remote-debugging-pipe 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null",
            profile.display()
        );
        let mut child = Command::new("sh")
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let (input, output) = (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("it answers in JSON");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self { child, input, messages, session: None, number: 0, requests: Vec::new(), profile };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_string);
        browser.call("Page.enable", &json!({}));
        browser.call("Network.enable", &json!({}));
        browser
    }

    /// Opens a file, and waits until it is loaded.
    pub fn open(&mut self, path: &Path, scheme: ColorScheme) {
        let value = if scheme == ColorScheme::Dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.call("Emulation.setEmulatedMedia", &media);
        self.requests.clear();
        self.call("Page.navigate", &json!({ "url": format!("file://{}", path.display()) }));
        self.until(|message| message["method"] == "Page.loadEventFired");
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", &asked);
        assert!(answer.get("exceptionDetails").is_none(), "{}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// What the page has asked for that is not in it: files beside it, and anything from a network.
    pub fn outside_requests(&self) -> Vec<&str> {
        let inside = |url: &&str| url.starts_with("data:");
        // The first request is that for the page itself.
        self.requests.iter().skip(1).map(String::as_str).filter(|url| !inside(url)).collect()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let number = self.number;
        let mut command = json!({ "id": number, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{command}\0").as_bytes()).expect("the browser listens");
        let mut answer = self.until(|message| message["id"] == number);
        assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
        answer["result"].take()
    }

    /// The next message that is meant; requests of the page are noted meanwhile.
    fn until(&mut self, meant: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("the browser answers in time");
            if message["method"] == "Network.requestWillBeSent" {
                self.requests.extend(message["params"]["request"]["url"].as_str().map(str::to_string));
            }
            if meant(&message) {
                return message;
            }
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn installed() -> Option<&'static str> {
    let works = |name: &&str| {
        let output = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        output.is_ok_and(|status| status.success())
    };
    NAMES.into_iter().find(|name| works(name))
}

fn install() {
    for words in [&["update", "-qq"][..], &["install", "--yes", "-qq", "chromium", "fonts-dejavu-core"]] {
        let status = Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive").status();
        assert!(status.is_ok_and(|status| status.success()), "apt-get {}: run it as root", words.join(" "));
    }
}
