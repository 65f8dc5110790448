//! The page works in another browser, too.

use std::time::Duration;

use conformance::firefox::Firefox;
use conformance::page_server::{PageServer, ServedFile, lab_files};
use ringleader_lab::CONTENT_SECURITY_POLICY;
use serde_json::Value;

use super::protocols::native_report;

/// How long the browser may take to start and to play.
const PATIENCE: Duration = Duration::from_secs(120);

const LINES: [&str; 3] = [
    "run vitanyi -n 8 --r 2..5 --d 4..12",
    "run itai-rodeh -n 6 --seed 29",
    "run spirakis-tampakas-mutex -n 3 --entries 2",
];

/// Plays runs to their end and back, and posts what the page shows.
fn script() -> String {
    format!(
        "const wrong = [];
        // Sizes that settle in the next frame are no error of the page.
        addEventListener('error', (event) => event.message.startsWith('ResizeObserver loop') || wrong.push(event.message));
        addEventListener('unhandledrejection', (event) => wrong.push(String(event.reason)));
        addEventListener('securitypolicyviolation', (event) => wrong.push(event.violatedDirective));
        const until = async (done) => {{
          for (const begun = performance.now(); !done();) {{
            if (performance.now() - begun > 60000) throw new Error(`never: ${{done}}`);
            await new Promise((next) => setTimeout(next, 20));
          }}
        }};
        const played = async (line) => {{
          lab.open({{ line }});
          const beginning = lab.position.digest;
          lab.setSpeed(Infinity);
          lab.play();
          await until(() => document.querySelector('#stage').dataset.state === 'over' && lab.ahead.over);
          await until(() => document.querySelector('#rail .counters').textContent.includes(lab.position.messages.toLocaleString('en')));
          const result = {{ report: lab.request('report'), digest: lab.position.digest === lab.ahead.digest }};
          lab.go('start');
          return {{ ...result, back: lab.position.digest === beginning, drawn: document.querySelectorAll('#stage .node').length }};
        }};
        const run = async () => {{
          await until(() => document.documentElement.dataset.ready);
          const runs = [];
          for (const line of {lines}) runs.push(await played(line));
          return {{ ready: document.documentElement.dataset.ready, runs }};
        }};
        const post = (what) => fetch('result', {{ method: 'POST', body: JSON.stringify(what) }});
        run().then((result) => post({{ ...result, wrong }}), (error) => post({{ error: String(error), wrong }}));",
        lines = Value::from(LINES.to_vec())
    )
}

#[test]
fn the_page_works_in_firefox() {
    let mut files = lab_files();
    let index = files.iter_mut().find(|file| file.path == "index.html").expect("it is served");
    let page = String::from_utf8(index.content.clone()).expect("it is text");
    index.content = page.replace("</head>", "<script type=\"module\" src=\"smoke.js\"></script></head>").into_bytes();
    files.push(ServedFile { path: "smoke.js".to_string(), mime: "text/javascript", content: script().into_bytes() });
    let server = PageServer::start(files, CONTENT_SECURITY_POLICY);
    let Some(_firefox) = Firefox::show(&server.url("")) else { return };
    let posted = server.next_post(PATIENCE).expect("the page posts its result");
    let posted: Value = serde_json::from_str(&posted).expect("it is JSON");
    assert_eq!((&posted["error"], &posted["wrong"]), (&Value::Null, &Value::Array(Vec::new())), "{posted}");
    assert_eq!(posted["ready"], "true");
    for (line, run) in LINES.iter().zip(posted["runs"].as_array().expect("they are listed")) {
        let native = native_report(line);
        for part in ["outcome", "cost", "trace"] {
            assert_eq!(run["report"][part], native[part], "{line}: {part}");
        }
        assert_eq!((&run["digest"], &run["back"]), (&Value::Bool(true), &Value::Bool(true)), "{line}");
        assert_eq!(run["drawn"], native["scenario"]["n"], "{line}: processors on the stage");
    }
}
