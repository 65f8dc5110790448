//! The files of the lab, and the answer to a request for one.

use std::borrow::Cow;

use ringleader_lab::{Asset, CONTENT_SECURITY_POLICY};

use super::request::{PageRequest, Refusal};

/// The file that / is.
const INDEX: &str = "index.html";

/// Files that are served at a port of this machine, and nothing else.
pub struct LabSite {
    port: u16,
    files: &'static [Asset],
    /// The page, with the run that it opens with.
    index: String,
}

/// An answer.
pub struct LabReply<'a> {
    /// The status line and all fields.
    head: String,
    /// Nothing where only the head is asked for.
    content: Cow<'a, [u8]>,
}

impl LabSite {
    /// These files, at this port; `index` is the content of index.html.
    pub const fn new(port: u16, files: &'static [Asset], index: String) -> Self {
        Self { port, files, index }
    }

    /// The answer to a request with this head: all lines before the empty one.
    pub fn answer(&self, head: &[u8]) -> LabReply<'_> {
        let request = match PageRequest::parse(head) {
            Ok(request) => request,
            Err(refusal) => return LabReply::refusing(refusal),
        };
        match self.file(&request) {
            Ok((mime, content)) => LabReply::new((200, "OK"), mime, Cow::Borrowed(content)),
            Err(refusal) => LabReply::refusing(refusal),
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

impl LabReply<'static> {
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

impl<'a> LabReply<'a> {
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
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head.into_bytes();
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.content);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 4173;

    fn site() -> LabSite {
        const FILES: &[Asset] = &[
            Asset { path: "index.html", mime: "text/html", bytes: b"" },
            Asset { path: "lab.js", mime: "text/javascript", bytes: b"export const a = 1;\n" },
            Asset { path: "lab.wasm.gz", mime: "application/gzip", bytes: &[0x1f, 0x8b, 0] },
        ];
        LabSite::new(PORT, FILES, "<!doctype html>\n".to_string())
    }

    /// The status and the content of the answer to this request line and these fields.
    fn answer(line: &str, fields: &str) -> (u16, Vec<u8>) {
        let bytes = site().answer(format!("{line}\r\n{fields}").as_bytes()).into_bytes();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = std::str::from_utf8(&bytes[..end]).expect("text");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (status, bytes[end + 4..].to_vec())
    }

    fn get(path: &str) -> (u16, Vec<u8>) {
        answer(&format!("GET {path} HTTP/1.1"), "Host: 127.0.0.1:4173")
    }

    #[test]
    fn its_files_are_served_and_nothing_else() {
        assert_eq!(get("/"), (200, b"<!doctype html>\n".to_vec()));
        assert_eq!(get("/index.html?a=b"), get("/"));
        assert_eq!(get("/lab.js"), (200, b"export const a = 1;\n".to_vec()));
        assert_eq!(get("/lab.wasm.gz"), (200, vec![0x1f, 0x8b, 0]));
        for path in [
            "//",
            "/lab.JS",
            "/lab.js/",
            "/./lab.js",
            "/lab.js%00",
            "/%6cab.js",
            "/page/lab.js",
            "/../../../../etc/passwd",
            "/..%2f..%2fetc%2fpasswd",
            "/%2e%2e/Cargo.toml",
            "/..\\..\\Cargo.toml",
            "//etc/passwd",
            "/file:///etc/passwd",
            "/favicon.ico",
        ] {
            assert_eq!(get(path).0, 404, "{path}");
        }
    }

    #[test]
    fn files_are_only_read() {
        let (status, content) = answer("HEAD /lab.js HTTP/1.1", "Host: 127.0.0.1:4173");
        assert_eq!((status, content.len()), (200, 0));
        let head = site().answer(b"HEAD /lab.js HTTP/1.1\r\nHost: localhost:4173").head;
        assert!(head.contains("\r\nContent-Length: 20\r\n"), "{head}");
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "get"] {
            let refused = site().answer(format!("{method} /lab.js HTTP/1.1\r\nHost: localhost:4173").as_bytes()).head;
            assert!(refused.starts_with("HTTP/1.1 405 ") && refused.contains("\r\nAllow: GET, HEAD\r\n"), "{refused}");
        }
        assert_eq!(answer("HEAD /none HTTP/1.1", "Host: localhost:4173"), (404, Vec::new()));
    }

    /// A name that leads to this machine makes a page of another host no page of ours.
    #[test]
    fn requests_for_other_hosts_and_by_their_pages_are_refused() {
        let of = |fields: &str| answer("GET / HTTP/1.1", fields).0;
        for host in ["127.0.0.1:4173", "localhost:4173", "LocalHost:4173"] {
            assert_eq!(of(&format!("Host: {host}")), 200, "{host}");
            assert_eq!(of(&format!("Host: {host}\r\nOrigin: http://localhost:4173")), 200, "{host}");
        }
        for host in [
            "127.0.0.1",
            "localhost",
            "127.0.0.1:80",
            "127.0.0.1:41730",
            "127.0.0.1:4173:4173",
            "127.0.0.1:04173",
            "127.0.0.2:4173",
            "127.1:4173",
            "[::1]:4173",
            "0.0.0.0:4173",
            "evil.example:4173",
            "localhost.evil.example:4173",
            "127.0.0.1.nip.io:4173",
            "evil.example#localhost:4173",
            "user@localhost:4173",
            "",
        ] {
            assert!([400, 403].contains(&of(&format!("Host: {host}"))), "{host}");
        }
        for origin in [
            "http://evil.example",
            "http://evil.example:4173",
            "https://localhost:4173",
            "http://localhost",
            "http://localhost:8080",
            "null",
            "localhost:4173",
        ] {
            assert_eq!(of(&format!("Host: localhost:4173\r\nOrigin: {origin}")), 403, "{origin}");
        }
        let usual = LabSite::new(80, &[], String::new());
        let head = usual.answer(b"GET /none HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost").head;
        assert!(head.starts_with("HTTP/1.1 404 "), "a browser leaves the usual port out: {head}");
    }

    #[test]
    fn every_answer_has_the_policy() {
        for line in ["GET / HTTP/1.1", "GET /none HTTP/1.1", "POST / HTTP/1.1", "nonsense"] {
            let head = site().answer(format!("{line}\r\nHost: localhost:4173").as_bytes()).head;
            for field in [
                "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ",
                "frame-ancestors 'none'\r\n",
                "X-Content-Type-Options: nosniff\r\n",
                "Cross-Origin-Resource-Policy: same-origin\r\n",
                "Cache-Control: no-store\r\n",
                "Connection: close\r\n",
            ] {
                assert!(head.contains(field), "{line}: {head}");
            }
            assert!(!head.contains("'unsafe-eval'"), "{head}");
        }
        let head = |path: &str| site().answer(format!("GET {path} HTTP/1.1\r\nHost: localhost:4173").as_bytes()).head;
        assert!(head("/lab.js").contains("Content-Type: text/javascript; charset=utf-8\r\n"));
        assert!(head("/lab.wasm.gz").contains("Content-Type: application/gzip\r\n"));
    }
}
