//! The format of checkpoint files: a magic number, then frames, each with a checksum over everything up to its end.
//!
//! A reader verifies a frame before it uses a byte of it, so that a file that was damaged or cut off is recognised and
//! never misread. The last frame is empty.

use std::io::{self, Read, Write};

use ringleader_model::mix;

/// The beginning of a file; its last digit is the version of the format.
const MAGIC: &[u8; 8] = b"RLCHECK1";
/// A frame with this many bytes is written.
const FULL: usize = 1 << 16;

/// Writes the frames of a checkpoint file. Numbers are little-endian.
///
/// ```
/// use ringleader_check::{FrameReader, FrameWriter};
///
/// let mut file = Vec::new();
/// let mut writer = FrameWriter::new(&mut file);
/// writer.text("peterson");
/// writer.number(17);
/// writer.end()?;
///
/// let mut bytes = &file[..];
/// let mut reader = FrameReader::new(&mut bytes).unwrap();
/// assert_eq!((reader.text().unwrap().as_str(), reader.number().unwrap()), ("peterson", 17));
/// assert!(reader.end().is_ok());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct FrameWriter<'a> {
    out: &'a mut dyn Write,
    frame: Vec<u8>,
    checksum: u64,
    failed: Option<io::Error>,
}

/// The reason for which a checkpoint file cannot be used.
#[derive(Debug)]
pub enum FrameError {
    /// It is none, or one of another format.
    Foreign,
    /// Its content is not what was written, or a part of it is missing.
    Damaged,
    /// It cannot be read.
    Unreadable(io::Error),
}

impl<'a> FrameWriter<'a> {
    /// A writer of a new file. An error is returned by [`end`](Self::end).
    pub fn new(out: &'a mut dyn Write) -> Self {
        let failed = out.write_all(MAGIC).err();
        Self { out, frame: Vec::with_capacity(FULL), checksum: 0, failed }
    }

    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes bytes and their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        bytes.chunks(FULL).for_each(|chunk| self.raw(chunk));
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If it could not be written.
    pub fn end(mut self) -> io::Result<()> {
        if !self.frame.is_empty() {
            self.flush();
        }
        self.flush();
        match self.failed {
            None => self.out.flush(),
            Some(error) => Err(error),
        }
    }

    /// Writes a few bytes, of which a reader knows how many they are.
    #[inline]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.frame.extend_from_slice(bytes);
        if self.frame.len() >= FULL {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.checksum = checksum(self.checksum, &self.frame);
        let write = |out: &mut dyn Write| {
            out.write_all(&(self.frame.len() as u32).to_le_bytes())?;
            out.write_all(&self.frame)?;
            out.write_all(&self.checksum.to_le_bytes())
        };
        if self.failed.is_none() {
            self.failed = write(self.out).err();
        }
        self.frame.clear();
    }
}

/// Reads the frames of a checkpoint file.
pub struct FrameReader<'a> {
    input: &'a mut dyn Read,
    frame: Vec<u8>,
    at: usize,
    checksum: u64,
}

impl<'a> FrameReader<'a> {
    /// A reader of a file, from its beginning on.
    ///
    /// # Errors
    /// If it is no checkpoint file.
    pub fn new(input: &'a mut dyn Read) -> Result<Self, FrameError> {
        let mut magic = [0; MAGIC.len()];
        match input.read_exact(&mut magic) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(FrameError::Unreadable(error)),
            Ok(()) if magic == *MAGIC => Ok(Self { input, frame: Vec::new(), at: 0, checksum: 0 }),
            _ => Err(FrameError::Foreign),
        }
    }

    /// Reads a number.
    ///
    /// # Errors
    /// As all methods, if the file is damaged or cannot be read.
    pub fn number(&mut self) -> Result<u64, FrameError> {
        self.raw().map(u64::from_le_bytes)
    }

    /// Reads the number of the items that follow, of which each takes at least a byte.
    pub(crate) fn count(&mut self) -> Result<usize, FrameError> {
        self.number().and_then(|count| usize::try_from(count).map_err(|_| FrameError::Damaged))
    }

    /// Reads a text.
    ///
    /// # Errors
    /// As above.
    pub fn text(&mut self) -> Result<String, FrameError> {
        String::from_utf8(self.bytes()?).map_err(|_| FrameError::Damaged)
    }

    /// Reads bytes that were written with their number.
    ///
    /// # Errors
    /// As above.
    pub fn bytes(&mut self) -> Result<Vec<u8>, FrameError> {
        let mut left = self.count()?;
        let mut bytes = Vec::new();
        while left > 0 {
            let part = self.rest()?;
            let part = &part[..part.len().min(left)];
            bytes.extend_from_slice(part);
            let read = part.len();
            self.at += read;
            left -= read;
        }
        Ok(bytes)
    }

    /// The file must end here.
    ///
    /// # Errors
    /// If it does not.
    pub fn end(mut self) -> Result<(), FrameError> {
        if self.at < self.frame.len() {
            return Err(FrameError::Damaged);
        }
        self.next_frame()?;
        let ends = self.frame.is_empty() && self.input.read(&mut [0]).map_err(FrameError::Unreadable)? == 0;
        if ends { Ok(()) } else { Err(FrameError::Damaged) }
    }

    /// Reads as many bytes as asked for.
    #[inline]
    pub(crate) fn raw<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        let mut bytes = [0; N];
        if let Some(there) = self.frame.get(self.at..self.at + N) {
            bytes.copy_from_slice(there);
            self.at += N;
            return Ok(bytes);
        }
        for byte in &mut bytes {
            *byte = self.rest()?[0];
            self.at += 1;
        }
        Ok(bytes)
    }

    /// What is left of a frame, which is not empty.
    fn rest(&mut self) -> Result<&[u8], FrameError> {
        if self.at == self.frame.len() {
            self.next_frame()?;
            if self.frame.is_empty() {
                return Err(FrameError::Damaged);
            }
        }
        Ok(&self.frame[self.at..])
    }

    fn next_frame(&mut self) -> Result<(), FrameError> {
        let missing = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => FrameError::Damaged,
            _ => FrameError::Unreadable(error),
        };
        let mut length = [0; 4];
        self.input.read_exact(&mut length).map_err(missing)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > 2 * FULL {
            return Err(FrameError::Damaged);
        }
        self.frame.resize(length, 0);
        self.at = 0;
        self.input.read_exact(&mut self.frame).map_err(missing)?;
        let mut expected = [0; 8];
        self.input.read_exact(&mut expected).map_err(missing)?;
        self.checksum = checksum(self.checksum, &self.frame);
        if u64::from_le_bytes(expected) == self.checksum { Ok(()) } else { Err(FrameError::Damaged) }
    }
}

/// A checksum of bytes that follow those of another checksum.
fn checksum(before: u64, bytes: &[u8]) -> u64 {
    let mut sum = mix(before ^ bytes.len() as u64 ^ 0x9E37_79B9_7F4A_7C15);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = mix(sum ^ u64::from_le_bytes(word));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = FrameWriter::new(&mut file);
        writer.text("a text");
        (0..20_000).for_each(|number| writer.number(number));
        writer.bytes(&[7; 3 * FULL]);
        writer.raw(&[1, 2, 3]);
        writer.end().expect("memory takes all");
        file
    }

    fn read(mut bytes: &[u8]) -> Result<(), FrameError> {
        let mut reader = FrameReader::new(&mut bytes)?;
        assert_eq!(reader.text()?, "a text");
        for number in 0..20_000 {
            assert_eq!(reader.number()?, number);
        }
        assert_eq!(reader.bytes()?, vec![7; 3 * FULL]);
        assert_eq!(reader.raw()?, [1, 2, 3]);
        reader.end()
    }

    #[test]
    fn what_was_written_is_read() {
        assert!(read(&file()).is_ok());
    }

    #[test]
    fn a_changed_missing_or_additional_byte_is_recognised() {
        let file = file();
        for at in (0..file.len()).filter(|at| at % 997 == 0 || *at < 64 || at + 64 > file.len()) {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(read(&damaged).is_err(), "byte {at}");
            assert!(read(&file[..at]).is_err(), "{at} bytes");
        }
        assert!(read(&[&file[..], &[0]].concat()).is_err());
    }
}
