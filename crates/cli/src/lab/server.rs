//! A small server: blocking sockets of the standard library, a thread for each connection, at most so many.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::request::Refusal;
use super::site::{Reply, Site};

/// What one connection may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerLimits {
    /// Connections at once.
    pub(super) connections: usize,
    /// The bytes of a request. The cookies of all servers of this machine come along.
    pub(super) bytes: usize,
    /// The time in which a request must have come.
    pub(super) request: Duration,
    /// The time in which an answer must have been read.
    pub(super) answer: Duration,
}

impl ServerLimits {
    pub(super) const USUAL: Self = Self {
        connections: 64,
        bytes: 32 << 10,
        request: Duration::from_secs(10),
        answer: Duration::from_secs(30),
    };
}

/// The time for which the rest of a request is read that was answered before its end, and how much of it: closing the
/// connection at once would take the answer away from its reader.
const LINGER: (Duration, usize) = (Duration::from_millis(500), 1 << 20);
/// The pause after connections could not be accepted, for lack of files or memory.
const PAUSE: Duration = Duration::from_millis(50);

/// A socket of this machine only.
pub(super) fn listen(port: u16) -> io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Answers requests, in a thread of its own, as long as the program runs.
pub(super) fn serve(listener: TcpListener, site: Site, limits: ServerLimits) -> io::Result<()> {
    let site = Arc::new(site);
    let accept = move || {
        for stream in listener.incoming() {
            match stream {
                // Each connection in progress has the site.
                Ok(stream) if Arc::strong_count(&site) > limits.connections => {
                    let _ = write(&stream, Reply::refusing(Refusal::Busy), limits.answer);
                }
                Ok(stream) => {
                    let site = Arc::clone(&site);
                    // Without a thread for it, the connection is closed.
                    let _ = thread::Builder::new().spawn(move || drop(converse(&stream, &site, limits)));
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    };
    thread::Builder::new().spawn(accept).map(drop)
}

/// Reads a request and answers it.
fn converse(stream: &TcpStream, site: &Site, limits: ServerLimits) -> io::Result<()> {
    let mut head = Vec::new();
    let reply = match read(stream, &mut head, limits)? {
        Ok(length) => site.answer(&head[..length]),
        Err(refusal) => Reply::refusing(refusal),
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
fn write(mut stream: &TcpStream, reply: Reply<'_>, within: Duration) -> io::Result<()> {
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
