//! A small server: blocking sockets of the standard library, a thread for each connection, at most so many.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::request::Refusal;
use super::site::{LabReply, LabSite};

/// What one connection may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerLimits {
    /// Connections at once. Others wait to be accepted, until one of these ends or its time is over.
    pub(super) connections: usize,
    /// The bytes of a request. The cookies of all servers of this machine come along.
    pub(super) bytes: usize,
    /// The time in which a request must have come.
    pub(super) request: Duration,
    /// The time in which an answer must have been read.
    pub(super) answer: Duration,
}

impl ServerLimits {
    pub(super) const USUAL: Self =
        Self { connections: 64, bytes: 32 << 10, request: Duration::from_secs(10), answer: Duration::from_secs(30) };
}

/// The time for which the rest of a request is read that was answered before its end, and how much of it: closing the
/// connection at once would take the answer away from its reader.
const LINGER: (Duration, usize) = (Duration::from_secs(2), 1 << 20);
/// The pause after connections could not be accepted, for lack of files or memory.
const PAUSE: Duration = Duration::from_millis(50);

/// A socket of this machine only.
pub(super) fn listen(port: u16) -> io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Answers requests, in a thread of its own, as long as the program runs.
pub(super) fn serve(listener: TcpListener, site: LabSite, limits: ServerLimits) -> io::Result<()> {
    let (site, open) = (Arc::new(site), Arc::new(OpenConnections::default()));
    let accept = move || {
        loop {
            let place = OpenConnections::enter(&open, limits.connections);
            let Ok((stream, _)) = listener.accept() else {
                thread::sleep(PAUSE);
                continue;
            };
            let site = Arc::clone(&site);
            let work = move || {
                let _place = place;
                // Whatever goes wrong with a connection, nobody is there to be told.
                let _ = converse(&stream, &site, limits);
            };
            // Without a thread for it, the connection is closed.
            let _ = thread::Builder::new().spawn(work);
        }
    };
    thread::Builder::new().spawn(accept).map(drop)
}

/// The number of connections.
#[derive(Default)]
struct OpenConnections {
    number: Mutex<usize>,
    ended: Condvar,
}

/// One of them, until it is dropped.
struct OpenConnection(Arc<OpenConnections>);

impl OpenConnections {
    /// Counts one more, once there are fewer than this.
    fn enter(this: &Arc<Self>, most: usize) -> OpenConnection {
        let number = this.number.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |number: &mut usize| *number >= most;
        *this.ended.wait_while(number, full).unwrap_or_else(PoisonError::into_inner) += 1;
        OpenConnection(Arc::clone(this))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        *self.0.number.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_one();
    }
}

/// Reads a request and answers it.
fn converse(stream: &TcpStream, site: &LabSite, limits: ServerLimits) -> io::Result<()> {
    let mut head = Vec::new();
    let reply = match read(stream, &mut head, limits)? {
        Ok(length) => site.answer(&head[..length]),
        Err(refusal) => LabReply::refusing(refusal),
    };
    write(stream, reply, limits.answer)?;
    stream.shutdown(Shutdown::Write)?;
    let (time, mut bytes) = LINGER;
    let end = Instant::now() + time;
    let mut rest = [0; 4096];
    while bytes > 0 {
        match receive(stream, &mut rest, end)? {
            0 => break,
            some => bytes = bytes.saturating_sub(some),
        }
    }
    Ok(())
}

/// Reads the head of a request: its length, without the empty line behind it. An error where nobody is there to be answered.
fn read(stream: &TcpStream, head: &mut Vec<u8>, limits: ServerLimits) -> io::Result<Result<usize, Refusal>> {
    const END: &[u8] = b"\r\n\r\n";
    let end = Instant::now() + limits.request;
    let mut buffer = [0; 4096];
    loop {
        let some = match receive(stream, &mut buffer, end) {
            // Browsers open connections that they may need later.
            Ok(0) if head.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(0) => return Ok(Err(Refusal::Malformed("the request ends before its empty line"))),
            Ok(some) => some,
            Err(error) if is_late(&error) && !head.is_empty() => return Ok(Err(Refusal::Late)),
            Err(error) => return Err(error),
        };
        let searched = head.len().saturating_sub(END.len() - 1);
        head.extend_from_slice(&buffer[..some]);
        if let Some(found) = head[searched..].windows(END.len()).position(|bytes| bytes == END) {
            return Ok(Ok(searched + found));
        }
        if head.len() > limits.bytes {
            return Ok(Err(Refusal::Large));
        }
    }
}

/// Whether the time is over.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// The time that is left, which a socket takes only if it is some.
fn left(end: Instant) -> io::Result<Option<Duration>> {
    match end.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
        left => Ok(Some(left)),
    }
}

/// Reads what has come, before this time.
fn receive(mut stream: &TcpStream, buffer: &mut [u8], end: Instant) -> io::Result<usize> {
    loop {
        stream.set_read_timeout(left(end)?)?;
        match stream.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Writes all of an answer, within this time.
fn write(mut stream: &TcpStream, reply: LabReply<'_>, within: Duration) -> io::Result<()> {
    let end = Instant::now() + within;
    let bytes = reply.into_bytes();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        stream.set_write_timeout(left(end)?)?;
        match stream.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(some) => rest = &rest[some..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Limits that a test can wait for.
    const SHORT: ServerLimits =
        ServerLimits { connections: 3, bytes: 2000, request: Duration::from_secs(2), answer: Duration::from_secs(2) };
    /// Limits that no test reaches.
    const LONG: ServerLimits = ServerLimits { connections: 100, bytes: 32 << 10, request: PATIENCE, answer: PATIENCE };
    const PATIENCE: Duration = Duration::from_secs(60);

    /// A server with this file at any free port.
    fn start(limits: ServerLimits, content: String) -> u16 {
        let (listener, port) = listen(0).expect("a free port");
        let files = &[ringleader_lab::Asset { path: "index.html", mime: "text/html", bytes: b"" }];
        serve(listener, LabSite::new(port, files, content), limits).expect("a thread");
        port
    }

    fn connect(port: u16) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it is some time");
        stream
    }

    fn request(port: u16) -> String {
        format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
    }

    /// All that is answered, to the end of the connection.
    fn answer(mut stream: &TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    }

    fn ask(port: u16, request: &str) -> String {
        let mut stream = connect(port);
        stream.write_all(request.as_bytes()).expect("it reads");
        answer(&stream)
    }

    #[test]
    fn a_request_is_answered_and_the_connection_closed() {
        let port = start(LONG, "<p>".to_string());
        for _ in 0..3 {
            let text = ask(port, &request(port));
            assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\n<p>"), "{text}");
        }
        // In pieces, the empty line among them.
        let mut stream = connect(port);
        stream.set_nodelay(true).expect("it is a socket");
        for byte in request(port).bytes() {
            stream.write_all(&[byte]).expect("it reads");
        }
        assert!(answer(&stream).ends_with("<p>"));
    }

    #[test]
    fn only_this_machine_is_listened_to() {
        let (listener, _) = listen(0).expect("a free port");
        assert!(listener.local_addr().expect("an address").ip().is_loopback());
    }

    #[test]
    fn a_head_that_is_too_long_is_refused() {
        let port = start(SHORT, String::new());
        let long = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {}\r\n\r\n", "a".repeat(100_000));
        assert!(ask(port, &long).starts_with("HTTP/1.1 431 "));
    }

    #[test]
    fn a_request_that_does_not_end_is_given_up() {
        let port = start(SHORT, String::new());
        // A byte now and then is not enough.
        let mut slow = connect(port);
        let begun = Instant::now();
        let mut bytes = "GET / HTTP/1.1\r\nA: ".bytes().chain(std::iter::repeat(b'a'));
        while slow.write_all(&[bytes.next().expect("there is always another")]).is_ok() && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(40));
        }
        assert!(begun.elapsed() < PATIENCE, "it waits too long");
        // One that is only opened is closed without an answer.
        assert_eq!(answer(&connect(port)), "");
        let mut half = connect(port);
        half.write_all(b"GET / HTTP/1.1\r\n").expect("it reads");
        assert!(answer(&half).starts_with("HTTP/1.1 408 "));
        let mut ended = connect(port);
        ended.write_all(b"GET / HTTP/1.1\r\n").expect("it reads");
        ended.shutdown(Shutdown::Write).expect("it is open");
        assert!(answer(&ended).starts_with("HTTP/1.1 400 "));
    }

    #[test]
    fn connections_are_limited_and_the_next_one_waits() {
        let port = start(SHORT, "<p>".to_string());
        let begun = Instant::now();
        let idle: Vec<_> = (0..SHORT.connections).map(|_| connect(port)).collect();
        assert!(ask(port, &request(port)).ends_with("<p>"));
        assert!(begun.elapsed() >= SHORT.request, "more connections than {}", SHORT.connections);
        drop(idle);
        // Those that end make room at once.
        let port = start(ServerLimits { connections: 1, ..LONG }, "<p>".to_string());
        for _ in 0..3 {
            drop(connect(port));
            assert!(ask(port, &request(port)).ends_with("<p>"));
        }
    }

    /// Who reads nothing of an answer that no buffer holds is left alone.
    #[test]
    fn an_answer_that_is_not_read_is_given_up() {
        let port = start(SHORT, "x".repeat(64 << 20));
        let mut streams: Vec<_> = (0..SHORT.connections).map(|_| connect(port)).collect();
        for stream in &mut streams {
            stream.write_all(request(port).as_bytes()).expect("it reads");
        }
        let text = ask(port, &format!("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"));
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    }
}
