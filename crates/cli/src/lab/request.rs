//! Requests of a browser: the head of an HTTP/1 request (RFC 9112), read strictly.
//!
//! A server of fixed files needs the method, the path and where the request comes from. Whatever could be understood in two
//! ways is refused.

/// The most header fields of a request.
const MOST_FIELDS: usize = 100;

/// A request, as far as a server of fixed files looks at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PageRequest<'a> {
    pub(super) method: &'a str,
    /// The path, as it was sent, without a query.
    pub(super) path: &'a str,
    /// The field Host.
    pub(super) host: &'a str,
    /// The field Origin: the page that makes the request, where the browser says it.
    pub(super) origin: Option<&'a str>,
}

/// A request that is not answered with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// It is no HTTP request; what is wrong with it.
    Malformed(&'static str),
    /// It is made for another host, or by a page of another one.
    Foreign,
    /// There is no such file.
    Missing,
    /// It neither gets a file nor its head.
    Method,
    /// It took too long.
    Late,
    /// It brings content along.
    Content,
    /// Its head is too long.
    Large,
    /// Its version of HTTP is not known.
    Version,
}

impl Refusal {
    /// The status code and its phrase.
    pub(super) const fn status(self) -> (u16, &'static str) {
        match self {
            Self::Malformed(_) => (400, "Bad Request"),
            Self::Foreign => (403, "Forbidden"),
            Self::Missing => (404, "Not Found"),
            Self::Method => (405, "Method Not Allowed"),
            Self::Late => (408, "Request Timeout"),
            Self::Content => (413, "Content Too Large"),
            Self::Large => (431, "Request Header Fields Too Large"),
            Self::Version => (505, "HTTP Version Not Supported"),
        }
    }

    /// What is wrong, and what is allowed.
    pub(super) const fn sentence(self) -> [&'static str; 2] {
        match self {
            Self::Malformed(wrong) => [wrong, "a request of HTTP/1.1"],
            Self::Foreign => {
                ["the request is made for another host, or by a page of another one", "the address that `lab` prints"]
            }
            Self::Missing => ["the lab has no such file", "/"],
            Self::Method => ["the files of the lab can only be read", "GET, HEAD"],
            Self::Late => ["the request took too long", "a request that is sent at once"],
            Self::Content => ["the request has content", "a request without content"],
            Self::Large => ["the head of the request is too long", "less than 32 kB and 100 header fields"],
            Self::Version => ["the version of HTTP is not known", "HTTP/1.1"],
        }
    }
}

impl<'a> PageRequest<'a> {
    /// Reads the head of a request: all lines before the empty one.
    pub(super) fn parse(head: &'a [u8]) -> Result<Self, Refusal> {
        let mut lines = Lines(Some(head));
        let (method, path) = request_line(lines.next().unwrap_or(head))?;
        let (mut host, mut origin) = (None, None);
        for (index, line) in lines.enumerate() {
            if index == MOST_FIELDS {
                return Err(Refusal::Large);
            }
            let (name, value) = field(line)?;
            let once = |known: Option<&str>| match known {
                Some(_) => Err(Refusal::Malformed("Host, Origin or a length is given twice")),
                None => text(value).map(Some),
            };
            match name.to_ascii_lowercase().as_str() {
                "host" => host = once(host)?,
                "origin" => origin = once(origin)?,
                "content-length" if value == b"0" => {}
                "content-length" | "transfer-encoding" => return Err(Refusal::Content),
                _ => {}
            }
        }
        let host = host.ok_or(Refusal::Malformed("the request names no host"))?;
        Ok(Self { method, path, host, origin })
    }
}

/// The lines of a head.
struct Lines<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0?;
        let end = rest.windows(2).position(|pair| pair == b"\r\n");
        let (line, rest) = end.map_or((rest, None), |end| (&rest[..end], Some(&rest[end + 2..])));
        self.0 = rest;
        Some(line)
    }
}

/// The method and the path.
fn request_line(line: &[u8]) -> Result<(&str, &str), Refusal> {
    const WRONG: Refusal = Refusal::Malformed("the request line is not METHOD PATH HTTP/1.1");
    let mut words = line.split(|&byte| byte == b' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(WRONG);
    };
    if method.is_empty() || !method.iter().all(|&byte| is_token(byte)) {
        return Err(WRONG);
    }
    match version {
        b"HTTP/1.1" | b"HTTP/1.0" => {}
        _ if version.starts_with(b"HTTP/") => return Err(Refusal::Version),
        _ => return Err(WRONG),
    }
    if target.first() != Some(&b'/') || !target.iter().all(u8::is_ascii_graphic) {
        return Err(Refusal::Malformed("the path does not begin with /, or has characters that a path has not"));
    }
    let path = target.split(|&byte| byte == b'?').next().unwrap_or_default();
    Ok((text(method)?, text(path)?))
}

/// The name and the value of a header field.
fn field(line: &[u8]) -> Result<(&str, &[u8]), Refusal> {
    const WRONG: Refusal = Refusal::Malformed("a header field is not NAME: VALUE");
    let colon = line.iter().position(|&byte| byte == b':').ok_or(WRONG)?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    // A name that ends in a space, or begins with one (the continuation of a line), is read differently by others.
    if name.is_empty() || !name.iter().all(|&byte| is_token(byte)) {
        return Err(WRONG);
    }
    // A line feed alone ends a line for some.
    if value.iter().any(|&byte| byte.is_ascii_control() && byte != b'\t') {
        return Err(WRONG);
    }
    Ok((text(name)?, value.trim_ascii()))
}

/// Text of ASCII characters that can be seen.
fn text(bytes: &[u8]) -> Result<&str, Refusal> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_graphic()));
    text.ok_or(Refusal::Malformed("Host or Origin has characters that it may not have"))
}

/// Whether a byte may be part of a method or of the name of a field.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Result<PageRequest<'_>, Refusal> {
        PageRequest::parse(head.as_bytes())
    }

    fn wrong(head: &str) -> u16 {
        parse(head).map_or_else(|refusal| refusal.status().0, |request| panic!("{head:?} is read as {request:?}"))
    }

    #[test]
    fn a_request_of_a_browser_is_read() {
        let head = "GET /lab.js?1 HTTP/1.1\r\nHost: 127.0.0.1:4173\r\nUser-Agent: Mozilla/5.0 (X11)\r\nAccept: */*\r\n\
                    origin:http://127.0.0.1:4173 \r\nCookie: name=\u{fc}; other=\"2\"\r\nContent-Length: 0";
        let request = PageRequest {
            method: "GET",
            path: "/lab.js",
            host: "127.0.0.1:4173",
            origin: Some("http://127.0.0.1:4173"),
        };
        assert_eq!(parse(head), Ok(request));
        assert_eq!(parse("HEAD / HTTP/1.0\r\nhOST:x").map(|request| (request.method, request.host)), Ok(("HEAD", "x")));
    }

    #[test]
    fn what_is_no_request_line_is_refused() {
        for line in [
            "",
            "GET",
            "GET /",
            "GET / ",
            " / HTTP/1.1",
            "GET  / HTTP/1.1",
            "GET / HTTP/1.1 ",
            "G\tT / HTTP/1.1",
            "GET\t/ HTTP/1.1",
            "GET / x HTTP/1.1",
            "GET lab.js HTTP/1.1",
            "GET http://127.0.0.1:4173/ HTTP/1.1",
            "GET * HTTP/1.1",
            "GET /\u{fc} HTTP/1.1",
            "GET /\u{7f} HTTP/1.1",
            "GET /\n HTTP/1.1",
            "GET / http/1.1",
        ] {
            assert_eq!(wrong(&format!("{line}\r\nHost: x")), 400, "{line:?}");
        }
        for version in ["HTTP/2", "HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "HTTP/"] {
            assert_eq!(wrong(&format!("GET / {version}\r\nHost: x")), 505, "{version}");
        }
    }

    #[test]
    fn what_is_no_header_field_is_refused() {
        for line in [
            "",
            "Accept",
            ": x",
            "Acc ept: x",
            "Accept : x",
            " Accept: x",
            "\tAccept: x",
            "Accept: a\nHost: y",
            "A: \0",
        ] {
            assert_eq!(wrong(&format!("GET / HTTP/1.1\r\nHost: x\r\n{line}")), 400, "{line:?}");
            assert_eq!(wrong(&format!("GET / HTTP/1.1\r\n{line}\r\nHost: x")), 400, "{line:?}");
        }
    }

    #[test]
    fn a_host_is_named_once() {
        assert_eq!(wrong("GET / HTTP/1.1"), 400);
        assert_eq!(wrong("GET / HTTP/1.1\r\nHost: x\r\nHost: x"), 400);
        assert_eq!(wrong("GET / HTTP/1.1\r\nHost: x y"), 400);
        assert_eq!(wrong("GET / HTTP/1.1\r\nHost: x\r\nOrigin: y\r\nOrigin: y"), 400);
    }

    #[test]
    fn content_is_refused() {
        for field in ["Content-Length: 1", "Content-Length: +0", "Transfer-Encoding: chunked", "content-length: 0, 0"] {
            assert_eq!(wrong(&format!("GET / HTTP/1.1\r\nHost: x\r\n{field}")), 413, "{field}");
        }
    }

    #[test]
    fn fields_are_limited() {
        let head = |fields: usize| format!("GET / HTTP/1.1\r\nHost: x{}", "\r\nA: b".repeat(fields));
        assert!(parse(&head(MOST_FIELDS - 1)).is_ok());
        assert_eq!(wrong(&head(MOST_FIELDS)), 431);
    }
}
