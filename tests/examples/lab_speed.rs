//! How fast the page of the lab is, in headless Chromium: `cargo xtask lab-speed`.
//!
//! It measures how soon the page can be used, how long a jump to a random moment of a run of a million events takes, and how
//! long scripts and layout take in each frame while runs of 1,000 and 10,000 processors are played.
#![allow(clippy::print_stdout, reason = "what it measures is printed")]

use std::process::ExitCode;
use std::time::Duration;

use conformance::chromium::Chromium;
use conformance::page_server::PageServer;
use serde_json::Value;

/// How often the page is opened.
const OPENED: usize = 9;
/// How often the run is scrubbed.
const JUMPS: usize = 200;
/// How long each run is played.
const PLAYED: Duration = Duration::from_secs(6);
/// A run of a million events: every identity makes a full turn.
const MILLION: &str = "run lelann -n 1000";

/// Events of a trace that are scripts or layout, on the main thread.
const WORK: [&str; 7] = [
    "FireAnimationFrame",
    "FunctionCall",
    "EventDispatch",
    "TimerFire",
    "UpdateLayoutTree",
    "Layout",
    "EvaluateScript",
];
/// The event with which a frame begins.
const FRAME: &str = "WebFrameWidgetImpl::BeginMainFrame";

/// Notes when the page says that it can be used.
const READY: &str = "new MutationObserver((_, observer) => {
    if (document.documentElement?.dataset.ready === 'true') {
      window.readyAt = performance.now();
      observer.disconnect();
    }
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-ready'] });";

/// Jumps to random moments; the time of each jump alone, and until the picture of the moment is painted.
const SCRUB: &str = "(async () => {
    let state = 12345;
    const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
    const painted = () => new Promise((done) => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => done(performance.now());
      channel.port2.postMessage(0);
    }));
    const results = [];
    for (let jump = 0; jump < JUMPS; jump++) {
      const move = Math.floor(random() * (lab.ahead.moves + 1));
      await painted();
      const begun = performance.now();
      lab.go({ move });
      const gone = performance.now();
      results.push([gone - begun, (await painted()) - begun]);
      if (lab.position.move !== move) throw new Error(`at ${lab.position.move} instead of ${move}`);
    }
    return results;
  })()";

/// What is measured, its values in milliseconds, and the most that they may be.
struct PageSpeed {
    title: String,
    values: Vec<f64>,
    limit: f64,
    /// The share of the values that must be within the limit.
    share: f64,
}

impl PageSpeed {
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let index = (share * (sorted.len() - 1) as f64).ceil() as usize;
        sorted[index]
    }

    fn holds(&self) -> bool {
        self.quantile(self.share) <= self.limit
    }
}

fn main() -> ExitCode {
    let Some(mut browser) = Chromium::start() else { return ExitCode::FAILURE };
    let server = PageServer::of_the_lab();
    browser.resize(1440, 900, 1.0);
    browser.prepare(READY);
    let mut measured = vec![until_usable(&mut browser, &server.url(""))];
    measured.extend(jumps(&mut browser));
    for protocol in ["chang-roberts", "peterson"] {
        for (n, how, limit) in [(1_000, "SVG", 8.0), (10_000, "canvas", 16.0)] {
            let title = format!("{protocol}, {n} processors, {how}");
            measured.push(frames(&mut browser, &title, &format!("run {protocol} -n {n} --d 20..40"), limit));
        }
    }
    println!("{:56} {:>6} {:>8} {:>8} {:>8} {:>8}", "milliseconds", "values", "median", "p95", "max", "limit");
    for one in &measured {
        let [median, p95, max] = [0.5, 0.95, 1.0].map(|share| one.quantile(share));
        let (title, count, limit, sign) =
            (&one.title, one.values.len(), one.limit, if one.holds() { "✓" } else { "✗" });
        println!("{title:56} {count:>6} {median:>8.1} {p95:>8.1} {max:>8.1} {limit:>8.0} {sign}");
    }
    let with = browser
        .evaluate("`${navigator.userAgent.match(/Chrome\\/[0-9.]+/)[0]}, ${navigator.hardwareConcurrency} cores`");
    println!("{}", with.as_str().unwrap_or_default());
    if measured.iter().all(PageSpeed::holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn wait_until_over(browser: &mut Chromium) {
    browser.wait_for("document.documentElement.dataset.ready === 'true' && lab.ahead.over");
}

/// The time from the beginning of the navigation, nothing being cached.
fn until_usable(browser: &mut Chromium, url: &str) -> PageSpeed {
    let opened = |_| {
        browser.visit(url);
        wait_until_over(browser);
        browser.evaluate("readyAt").as_f64().expect("it is a number")
    };
    let values = (0..OPENED).map(opened).collect();
    PageSpeed { title: "opening the page, until it can be used".to_string(), values, limit: 1000.0, share: 0.5 }
}

fn jumps(browser: &mut Chromium) -> Vec<PageSpeed> {
    browser.evaluate(&format!("lab.open({{ line: '{MILLION}' }})"));
    wait_until_over(browser);
    let moves = browser.evaluate("lab.ahead.moves").as_u64().expect("it is a count");
    assert!(moves >= 1_000_000, "{MILLION} has only {moves} events");
    let scrubbed = browser.evaluate(&SCRUB.replace("JUMPS", &JUMPS.to_string()));
    let pairs = scrubbed.as_array().expect("they are listed");
    let of = |what: &str, index: usize| PageSpeed {
        title: format!("{MILLION}, a jump, {what}"),
        values: pairs.iter().map(|pair| pair[index].as_f64().expect("it is a number")).collect(),
        limit: 100.0,
        share: 1.0,
    };
    vec![of("engine and views", 0), of("until painted", 1)]
}

/// Scripts and layout in each frame while a run is played.
fn frames(browser: &mut Chromium, title: &str, line: &str, limit: f64) -> PageSpeed {
    browser.evaluate(&format!("lab.open({{ line: '{line}' }})"));
    wait_until_over(browser);
    browser.evaluate("lab.setSpeed(1); lab.play()");
    std::thread::sleep(Duration::from_secs(1));
    let categories = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink"];
    let events = browser.traced(&categories, |_| std::thread::sleep(PLAYED));
    assert_eq!(browser.evaluate("lab.playing"), true, "{line} is longer than it is played");
    browser.evaluate("lab.pause()");
    let values = work_by_frame(&events);
    assert!(values.len() > 30, "only {} frames were drawn", values.len());
    PageSpeed { title: format!("{title}: scripts, layout"), values, limit, share: 0.95 }
}

/// The milliseconds that scripts and layout take in each frame; what is within another event is not counted twice.
fn work_by_frame(events: &[Value]) -> Vec<f64> {
    let animated = events.iter().find(|event| event["name"] == "FireAnimationFrame").expect("the page is animated");
    let is_main = |event: &&Value| event["pid"] == animated["pid"] && event["tid"] == animated["tid"];
    let spans = |names: &[&str]| {
        let named = |event: &&Value| event["ph"] == "X" && names.iter().any(|name| event["name"] == *name);
        let span = |event: &Value| Some((event["ts"].as_f64()?, event["dur"].as_f64()?));
        let mut spans: Vec<(f64, f64)> = events.iter().filter(is_main).filter(named).filter_map(span).collect();
        spans.sort_by(|one, other| one.0.total_cmp(&other.0));
        spans
    };
    let begins: Vec<f64> = spans(&[FRAME]).into_iter().map(|(begin, _)| begin).collect();
    let mut work = vec![0.0; begins.len()];
    let mut counted_until = 0.0;
    for (begin, duration) in spans(&WORK) {
        let frame = begins.partition_point(|start| *start <= begin);
        if begin >= counted_until && frame > 0 {
            work[frame - 1] += duration / 1000.0;
            counted_until = begin + duration;
        }
    }
    work
}
