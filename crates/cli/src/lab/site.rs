//! The files of the lab, and the answer to a request for one.

use std::borrow::Cow;

use ringleader_lab::{Asset, CONTENT_SECURITY_POLICY};

use super::request::{PageRequest, Refusal};

/// The file that / is.
const INDEX: &str = "index.html";

/// Files that are served at a port of this machine.
pub(super) struct Site {
    port: u16,
    files: &'static [Asset],
    /// The page, with the run that it opens with.
    index: String,
}

/// An answer: its head, and its content unless only the head was asked for.
pub(super) struct Reply<'a> {
    pub(super) head: String,
    pub(super) content: Cow<'a, [u8]>,
}

impl Site {
    pub(super) const fn new(port: u16, files: &'static [Asset], index: String) -> Self {
        Self { port, files, index }
    }

    /// The answer to a request with this head.
    pub(super) fn answer(&self, head: &[u8]) -> Reply<'_> {
        let request = match PageRequest::parse(head) {
            Ok(request) => request,
            Err(refusal) => return Reply::refusing(refusal),
        };
        match self.file(&request) {
            Ok((mime, content)) => Reply::new((200, "OK"), mime, Cow::Borrowed(content)),
            Err(refusal) => Reply::refusing(refusal),
        }
        .to(request.method)
    }

    /// The type and the content of the file that is asked for.
    fn file(&self, request: &PageRequest<'_>) -> Result<(&'static str, &[u8]), Refusal> {
        // A page of another host could be served under a name that leads here: its browser would take us for that host.
        let is_ours = |host: &str| {
            let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
            (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")) && port == self.port.to_string()
        };
        let origin = |origin: &str| origin.strip_prefix("http://").is_some_and(is_ours);
        if !is_ours(request.host) || !request.origin.is_none_or(origin) {
            return Err(Refusal::Foreign);
        }
        if !["GET", "HEAD"].contains(&request.method) {
            return Err(Refusal::Method);
        }
        let name = match &request.path[1..] {
            "" => INDEX,
            name => name,
        };
        let file = self.files.iter().find(|file| file.path == name).ok_or(Refusal::Missing)?;
        Ok((file.mime, if name == INDEX { self.index.as_bytes() } else { file.bytes }))
    }
}

impl Reply<'static> {
    /// A refusal, in words.
    pub(super) fn refusing(refusal: Refusal) -> Self {
        let [wrong, allowed] = refusal.sentence();
        let content = format!("{wrong}\nallowed: {allowed}\n").into_bytes();
        let mut reply = Self::new(refusal.status(), "text/plain", Cow::Owned(content));
        if refusal == Refusal::Method {
            reply.head.push_str("Allow: GET, HEAD\r\n");
        }
        reply
    }
}

impl<'a> Reply<'a> {
    fn new((code, phrase): (u16, &str), mime: &str, content: Cow<'a, [u8]>) -> Self {
        let charset = if mime.starts_with("text/") { "; charset=utf-8" } else { "" };
        let length = content.len();
        let head = format!(
            "HTTP/1.1 {code} {phrase}\r\nContent-Type: {mime}{charset}\r\nContent-Length: {length}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nContent-Security-Policy: {CONTENT_SECURITY_POLICY}; frame-ancestors 'none'\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
        );
        Self { head, content }
    }

    /// Without content, if a method asks for the head only.
    fn to(mut self, method: &str) -> Self {
        if method == "HEAD" {
            self.content = Cow::Borrowed(&[]);
        }
        self
    }

    /// All that is sent.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head.into_bytes();
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.content);
        bytes
    }
}
