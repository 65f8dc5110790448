//! The files of the page, and the page with a run in it.

use serde_json::{Map, Value, json};

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its path below the page's address.
    pub path: &'static str,
    /// Its media type.
    pub mime: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// What the page may load, for a server that sends the page's files (Content-Security-Policy). `index.html` says the same, for
/// hosts that send no such header.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; \
     base-uri 'none'; form-action 'none'";

/// The document that everything else belongs to.
pub(crate) const INDEX: &str = "index.html";
/// The module that begins.
pub(crate) const ENTRY: &str = "lab.js";
/// The engine: all protocols and the simulator as WebAssembly.
pub(crate) const ENGINE: &str = "lab.wasm.gz";

macro_rules! assets {
    ($($folder:literal: $($name:literal)*;)*) => {
        &[$($(Asset { path: $name, mime: mime($name), bytes: include_bytes!(concat!("../", $folder, $name)) },)*)*]
    };
}

/// All files of the page.
pub const PAGE: &[Asset] = assets! {
    "page/": "app.js" "breakit.js" "brief.js" "check-worker.js" "command-line.js" "compare.js" "dom.js" "engine.js"
        "flights.js" "glyphs.js" "headline.js" "index.html" "inspector.js" "keys.js" "lab.css" "lab.js" "layout.js"
        "marks.js" "message-layer.js" "palette.js" "panels.css" "player.js" "presenter.js" "quiz.js" "rail.js"
        "run-form.js" "scrubber.js" "share.js" "spacetime-block.js" "spacetime-draw.js" "spacetime.js"
        "stage-canvas.js" "stage-clock.js" "stage-cuts.js" "stage-dial.js" "stage-legend.js" "stage-overview.js" "stage-svg.js"
        "stage-zoom.js" "stage.js" "start.js" "still.js" "teach.css" "theme.css" "tour-stops.js" "tour.js";
    "": "lab.wasm.gz";
};

/// The media type of a file with this name.
const fn mime(name: &str) -> &'static str {
    match name.as_bytes() {
        [.., b'.', b'h', b't', b'm', b'l'] => "text/html",
        [.., b'.', b'c', b's', b's'] => "text/css",
        [.., b'.', b'j', b's'] => "text/javascript",
        [.., b'.', b's', b'v', b'g'] => "image/svg+xml",
        [.., b'.', b'g', b'z'] => "application/gzip",
        _ => panic!("a file of the page has a name that no media type is known for"),
    }
}

/// The run that a page opens with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opened {
    /// The line that makes it, `ringleader run …`.
    Line(String),
    /// A trace file.
    Trace(String),
}

/// A run in a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Embedded {
    /// The run.
    pub opened: Opened,
    /// Whether the page stands at the violation of a property at first, or at the end of a run that violates termination.
    pub at_violation: bool,
}

impl Embedded {
    /// The element of a document that holds it, and the engine if there is to be one.
    pub(crate) fn element(embedded: Option<&Self>, engine: Option<String>) -> String {
        let mut data = Map::new();
        if let Some(Self { opened, at_violation }) = embedded {
            let opened = match opened {
                Opened::Line(line) => json!({ "line": line }),
                Opened::Trace(text) => json!({ "trace": text }),
            };
            data.insert("open".to_string(), opened);
            if *at_violation {
                data.insert("at".to_string(), "violation".into());
            }
        }
        data.extend(engine.map(|engine| ("wasm".to_string(), Value::from(engine))));
        // Nothing in it ends the element.
        let data = Value::from(data).to_string().replace('<', "\\u003c");
        format!("{EMBEDDED}{data}</script>")
    }
}

/// The beginning of the element that holds a run.
const EMBEDDED: &str = r#"<script type="application/json" id="lab-embedded">"#;

/// The page's document, with the run that it opens with.
pub fn index(embedded: Option<&Embedded>) -> String {
    let document = text(INDEX).expect("the page has a document");
    match embedded {
        None => document.to_string(),
        // Before the first script, which reads it.
        Some(_) => document.replacen("<script", &format!("{}\n<script", Embedded::element(embedded, None)), 1),
    }
}

/// Whether a text is a page with a run in it.
pub fn is_page(text: &str) -> bool {
    text.starts_with("<!doctype html>") && text.contains(EMBEDDED)
}

/// The content of a file of the page that is text.
pub(crate) fn text(path: &str) -> Option<&'static str> {
    std::str::from_utf8(PAGE.iter().find(|asset| asset.path == path)?.bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_there() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).expect("the page's folder");
        let mut files: Vec<_> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let mut listed: Vec<_> = PAGE.iter().map(|asset| asset.path).filter(|&path| path != ENGINE).collect();
        listed.sort_unstable();
        assert_eq!(listed, files);
    }

    #[test]
    fn the_document_has_the_policy_of_the_server() {
        let element = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT_SECURITY_POLICY}\">");
        assert!(index(None).contains(&element), "index.html lacks {element}");
    }

    #[test]
    fn a_run_stands_before_the_script_that_reads_it() {
        let embedded =
            Embedded { opened: Opened::Line("ringleader run </script> 'é'".to_string()), at_violation: true };
        let page = index(Some(&embedded));
        let element = r#"<script type="application/json" id="lab-embedded">{"at":"violation","open":{"line":"ringleader run \u003c/script> 'é'"}}</script>"#;
        assert!(page.contains(&format!("{element}\n<script type=\"module\"")), "{page}");
        assert!(is_page(&page) && !is_page(&index(None)));
    }
}
