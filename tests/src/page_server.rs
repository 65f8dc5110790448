//! A server of pages for tests: files at a free port of this machine, with the policy that the lab's own server sends, and
//! an address to which a page posts what it has found.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// How long a page may take to ask or to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file that is served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServedFile {
    /// Its address, without the first slash; `index.html` is the page itself.
    pub path: String,
    /// Its type.
    pub mime: &'static str,
    /// What it contains.
    pub content: Vec<u8>,
}

/// The files of the lab's page.
pub fn lab_files() -> Vec<ServedFile> {
    let served = |asset: &ringleader_lab::Asset| ServedFile {
        path: asset.path.to_string(),
        mime: asset.mime,
        content: asset.bytes.to_vec(),
    };
    ringleader_lab::PAGE.iter().map(served).collect()
}

/// A server that runs as long as the test.
#[derive(Debug)]
pub struct PageServer {
    address: SocketAddr,
    posted: Receiver<String>,
}

impl PageServer {
    /// Serves these files, with a content security policy.
    pub fn start(files: Vec<ServedFile>, policy: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (sender, posted) = channel();
        let (files, policy) = (Arc::new(files), policy.to_string());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (files, policy, sender) = (Arc::clone(&files), policy.clone(), sender.clone());
                // A browser that ends in the middle of a request is no failure of the page.
                thread::spawn(move || drop(answer(&stream, &files, &policy, &sender)));
            }
        });
        Self { address, posted }
    }

    /// Serves the page of the lab, as the command line does.
    pub fn of_the_lab() -> Self {
        Self::start(lab_files(), ringleader_lab::CONTENT_SECURITY_POLICY)
    }

    /// The address of a file.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// What a page posted next; none if that takes too long.
    pub fn next_post(&self, patience: Duration) -> Option<String> {
        self.posted.recv_timeout(patience).ok()
    }
}

fn answer(stream: &TcpStream, files: &[ServedFile], policy: &str, posted: &Sender<String>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    if method == "POST" {
        let mut content = vec![0; length];
        reader.read_exact(&mut content)?;
        let _ = posted.send(String::from_utf8_lossy(&content).into_owned());
        return reply(stream, "204 No Content", "text/plain", policy, &[]);
    }
    let path = path.trim_start_matches('/').split(['?', '#']).next().unwrap_or_default();
    let path = if path.is_empty() { "index.html" } else { path };
    match files.iter().find(|file| file.path == path) {
        Some(file) => reply(stream, "200 OK", file.mime, policy, &file.content),
        None => reply(stream, "404 Not Found", "text/plain", policy, b"there is no such file\n"),
    }
}

fn reply(mut stream: &TcpStream, status: &str, mime: &str, policy: &str, content: &[u8]) -> std::io::Result<()> {
    let length = content.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {length}\r\nContent-Security-Policy: {policy}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(content)?;
    stream.flush()
}
