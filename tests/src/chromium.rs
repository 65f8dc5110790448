//! Pages as a reader sees them: headless Chromium, driven over a pair of pipes (the Chrome DevTools Protocol).
//!
//! ```no_run
//! use conformance::chromium::{Chromium, ColorScheme};
//!
//! if let Some(mut browser) = Chromium::start() {
//!     browser.open(std::path::Path::new("/tmp/report.html"), ColorScheme::Dark);
//!     assert_eq!(browser.evaluate("document.title.length > 0"), true);
//!     browser.press("Shift+Tab");
//!     assert!(browser.outside_requests().is_empty());
//!     assert!(browser.complaints().is_empty());
//! }
//! ```

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::installed::{fresh_profile, installed_program};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);
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

/// What a viewer prefers of movement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    /// No preference.
    Any,
    /// As little as possible.
    Reduced,
}

/// Keys that have names: the code by which they are known, and what they write.
const NAMED_KEYS: [(&str, u32, &str); 13] = [
    ("Tab", 9, ""),
    ("Enter", 13, "\r"),
    ("Escape", 27, ""),
    (" ", 32, " "),
    ("End", 35, ""),
    ("Home", 36, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("Delete", 46, ""),
];

/// A browser with one page.
pub struct Chromium {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    number: u64,
    requests: Vec<String>,
    complaints: Vec<String>,
    /// The events of a trace, while they come.
    events: Option<Vec<Value>>,
    profile: PathBuf,
}

impl Chromium {
    /// Starts a browser, which is installed first where `CI` is set. Elsewhere, where there is none, that is printed, and the
    /// test that wanted it is skipped.
    pub fn start() -> Option<Self> {
        let program = installed_program("Chromium", &NAMES, &["chromium", "fonts-dejavu-core"])?;
        Some(Self::launch(program))
    }

    fn launch(program: &str) -> Self {
        let profile = fresh_profile();
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
        let (requests, complaints, events) = (Vec::new(), Vec::new(), None);
        let mut browser =
            Self { child, input, messages, session: None, number: 0, requests, complaints, events, profile };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Opens a file, and waits until it is loaded.
    pub fn open(&mut self, path: &Path, scheme: ColorScheme) {
        self.prefer(scheme, Motion::Any);
        self.visit(&format!("file://{}", path.display()));
    }

    /// Opens an address in place of the page, even if only its fragment differs, and waits until it is loaded.
    pub fn visit(&mut self, url: &str) {
        self.call("Page.navigate", &json!({ "url": "about:blank" }));
        self.until(|message| message["method"] == "Page.loadEventFired");
        self.requests.clear();
        self.complaints.clear();
        self.call("Page.navigate", &json!({ "url": url }));
        self.until(|message| message["method"] == "Page.loadEventFired");
    }

    /// What the viewer prefers, from now on.
    pub fn prefer(&mut self, scheme: ColorScheme, motion: Motion) {
        let scheme = if scheme == ColorScheme::Dark { "dark" } else { "light" };
        let motion = if motion == Motion::Reduced { "reduce" } else { "no-preference" };
        let media = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": motion },
        ] });
        self.call("Emulation.setEmulatedMedia", &media);
    }

    /// The size of the window in CSS pixels, and how many device pixels make one: 2 is a zoom of 200 %.
    pub fn resize(&mut self, width: u32, height: u32, scale: f64) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Presses and releases a key: `a`, `?`, `Enter`, `ArrowLeft`, or with modifiers `Shift+Tab`.
    pub fn press(&mut self, key: &str) {
        let (modifiers, name) = match key.rsplit_once('+') {
            Some((modifiers, name)) if !name.is_empty() => (modifiers, name),
            _ => ("", key),
        };
        let bit =
            |(index, name): (usize, &str)| if modifiers.split('+').any(|one| one == name) { 1 << index } else { 0 };
        let bits: u32 = ["Alt", "Control", "Meta", "Shift"].into_iter().enumerate().map(bit).sum();
        let named = NAMED_KEYS.iter().find(|(known, _, _)| *known == name);
        let (code, text) = named.map_or((0, name), |&(_, code, text)| (code, text));
        let event = |kind: &str| {
            let mut event = json!({ "type": kind, "key": name, "code": name, "modifiers": bits,
                "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            event
        };
        self.call("Input.dispatchKeyEvent", &event("keyDown"));
        self.call("Input.dispatchKeyEvent", &event("keyUp"));
    }

    /// Writes into the element that has the focus.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Waits until an expression is true in the page.
    ///
    /// # Panics
    ///
    /// If that takes too long.
    #[track_caller]
    pub fn wait_for(&mut self, expression: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.evaluate(&format!("Boolean({expression})")) != true {
            assert!(Instant::now() < deadline, "never: {expression}; {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// What has gone wrong in the page since it was opened: errors on the console, exceptions, and whatever the browser
    /// refused or could not load.
    pub fn complaints(&mut self) -> &[String] {
        self.evaluate("0"); // What was written before is then here.
        &self.complaints
    }

    /// The events that the browser records of these categories while something is done.
    pub fn traced(&mut self, categories: &[&str], action: impl FnOnce(&mut Self)) -> Vec<Value> {
        let config = json!({ "includedCategories": categories, "excludedCategories": ["*"] });
        self.call("Tracing.start", &json!({ "transferMode": "ReportEvents", "traceConfig": config }));
        action(self);
        self.events = Some(Vec::new());
        self.call("Tracing.end", &json!({}));
        self.until(|message| message["method"] == "Tracing.tracingComplete");
        self.events.take().unwrap_or_default()
    }

    /// A script that runs in every page before its own.
    pub fn prepare(&mut self, script: &str) {
        self.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }));
    }

    /// A picture of what the window shows, as a PNG file or, if that is its name, as a WebP file.
    pub fn screenshot(&mut self, path: &Path) {
        let lossy = path.extension().is_some_and(|extension| extension == "webp");
        let params = if lossy { json!({ "format": "webp", "quality": 82 }) } else { json!({ "format": "png" }) };
        let answer = self.call("Page.captureScreenshot", &params);
        let data = STANDARD.decode(answer["data"].as_str().expect("it is text")).expect("it is base64");
        std::fs::write(path, data).expect("it can be written");
    }

    /// The value of an expression in the page.
    ///
    /// # Panics
    ///
    /// If the expression throws.
    #[track_caller]
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", &asked);
        assert!(answer.get("exceptionDetails").is_none(), "{}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// What the page has asked for that is not in it: of a file everything beside it and anything from a network, of a page
    /// from a server anything that is elsewhere.
    pub fn outside_requests(&self) -> Vec<&str> {
        // The first request is that for the page itself.
        let Some((page, others)) = self.requests.split_first() else { return Vec::new() };
        let origin = page.match_indices('/').nth(2).filter(|_| page.starts_with("http")).map(|(end, _)| &page[..=end]);
        let inside = |url: &&str| {
            let made_here = url.starts_with("data:") || url.starts_with("blob:");
            made_here || origin.is_some_and(|origin| url.starts_with(origin))
        };
        others.iter().map(String::as_str).filter(|url| !inside(url)).collect()
    }

    /// Sends a command of the protocol, and waits for what it returns.
    ///
    /// # Panics
    ///
    /// If the browser refuses the command or does not answer.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
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

    /// The next message that is meant; requests and complaints of the page are noted meanwhile.
    #[track_caller]
    pub fn until(&mut self, meant: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut message = self.messages.recv_timeout(left).expect("the browser answers in time");
            self.note(&mut message);
            if meant(&message) {
                return message;
            }
        }
    }
}

impl Chromium {
    fn note(&mut self, message: &mut Value) {
        if message["method"] == "Tracing.dataCollected" {
            if let (Some(events), Value::Array(more)) = (&mut self.events, message["params"]["value"].take()) {
                events.extend(more);
            }
            return;
        }
        let params = &message["params"];
        let complaint = match message["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.requests.extend(params["request"]["url"].as_str().map(str::to_string));
                None
            }
            Some("Runtime.exceptionThrown") => Some(params["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") if ["error", "assert"].map(Value::from).contains(&params["type"]) => {
                Some(params["args"].to_string())
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                Some(format!("{} {}", params["entry"]["text"], params["entry"]["url"]))
            }
            _ => None,
        };
        self.complaints.extend(complaint);
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
