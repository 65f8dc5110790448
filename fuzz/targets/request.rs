//! Whatever is sent to the server of the lab: it is answered, with its own files and to its own page only; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader_cli::LabSite;
use ringleader_lab::PAGE;

/// The content of the document.
const INDEX: &str = "<!doctype html>";

fuzz_target!(|head: &[u8]| {
    let site = LabSite::new(4173, PAGE, INDEX.to_string());
    let answer = site.answer(head).into_bytes();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head ends with an empty line");
    let (answered, content) = (std::str::from_utf8(&answer[..end]).expect("a head is text"), &answer[end + 4..]);
    let status = answered.strip_prefix("HTTP/1.1 ").expect("it is a status line");
    // Nothing of a request gets into the head of an answer.
    assert!(answered.lines().count() < 12 && !answered.contains("evil"));
    if status.starts_with("200 ") {
        let sent = String::from_utf8_lossy(head).to_ascii_lowercase();
        assert!(["host:", "127.0.0.1:4173"].iter().all(|part| sent.contains(part)) || sent.contains("localhost:4173"));
        let is_ours = PAGE.iter().any(|asset| asset.bytes == content);
        assert!(is_ours || content == INDEX.as_bytes() || content.is_empty() && sent.starts_with("head "));
    } else {
        assert!(!PAGE.iter().any(|asset| !asset.bytes.is_empty() && asset.bytes == content));
    }
});
