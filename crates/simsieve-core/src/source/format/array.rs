//! A JSON list as JSON lines: each item becomes a line.
//!
//! In come the bytes of a file whose top level is a list; out go its items, one a line. Items are cut and not parsed, so that an
//! item that is no JSON is a failed record like any other. What is wrong with the list itself is an error of the file.

use std::fmt;
use std::io::{self, Read};

use crate::base::message::Message;

/// The longest list that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Replaces a line break in a string: JSON allows neither there.
const CONTROL: u8 = 1;

/// What is wrong with a list.
#[derive(Debug)]
pub(in crate::source) struct ArrayError(pub(in crate::source) Message);

impl fmt::Display for ArrayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

impl std::error::Error for ArrayError {}

/// The place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before the bracket that opens it.
    Start,
    /// After that bracket.
    Open,
    /// After a comma.
    Comma,
    /// In an item, outside of strings, below this many open brackets.
    Item(u64),
    /// In a string of an item.
    Text(u64),
    /// After a backslash in such a string.
    Escape(u64),
    /// After the bracket that closes it.
    End,
}

/// Reads a list as lines.
#[derive(Debug)]
pub(in crate::source) struct ArrayLines<R> {
    input: R,
    at: At,
    /// Bytes and items so far, and where the last item begins.
    bytes: u64,
    items: u64,
    begin: u64,
    /// Spaces of an item that are not given yet: those at its end are none of it.
    spaces: u64,
    max_bytes: u64,
    out: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> ArrayLines<R> {
    pub(in crate::source) fn new(input: R) -> Self {
        Self {
            input,
            at: At::Start,
            bytes: 0,
            items: 0,
            begin: 0,
            spaces: 0,
            max_bytes: MAX_BYTES,
            out: Vec::new(),
            given: 0,
            ended: false,
        }
    }

    /// Takes the next byte.
    fn take(&mut self, byte: u8) -> Result<(), ArrayError> {
        let is_space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at = match (self.at, byte) {
            (At::Text(depth), b'\\') => self.keep(byte, At::Escape(depth)),
            (At::Text(depth), b'"') => self.keep(byte, At::Item(depth)),
            (At::Text(depth) | At::Escape(depth), b'\n') => self.keep(CONTROL, At::Text(depth)),
            (At::Text(depth) | At::Escape(depth), _) => self.keep(byte, At::Text(depth)),
            // A line break between the parts of an item is as good as a space.
            (At::Item(depth), _) if is_space => {
                self.spaces += 1;
                At::Item(depth)
            }
            (At::Item(0), b',') => self.end_item(At::Comma),
            (At::Item(0), b']') => self.end_item(At::End),
            (At::Item(depth), _) => self.in_item(byte, depth),
            (At::Start, b'[') => At::Open,
            (At::Open, b']') => At::End,
            (at, _) if is_space => at,
            (At::Start, 0xEF) if self.bytes == 0 => At::Start,
            (At::Start, 0xBB) if self.bytes == 1 => At::Start,
            (At::Start, 0xBF) if self.bytes == 2 => At::Start,
            (At::Start, _) => return Err(no_list(byte)),
            (At::End, _) => return Err(self.error(msg!("something follows the list"))),
            (At::Open | At::Comma, b',' | b']') => {
                return Err(self.error(msg!("a comma has no item after it, or none before it")));
            }
            (At::Open | At::Comma, _) => {
                self.begin = self.bytes;
                self.in_item(byte, 0)
            }
        };
        self.bytes += 1;
        Ok(())
    }

    fn keep(&mut self, byte: u8, at: At) -> At {
        self.out.push(byte);
        at
    }

    fn in_item(&mut self, byte: u8, depth: u64) -> At {
        let at = match byte {
            b'"' => At::Text(depth),
            b'[' | b'{' => At::Item(depth + 1),
            b']' | b'}' => At::Item(depth.saturating_sub(1)),
            _ => At::Item(depth),
        };
        self.out.extend(std::iter::repeat_n(b' ', self.spaces as usize));
        self.spaces = 0;
        self.keep(byte, at)
    }

    fn end_item(&mut self, at: At) -> At {
        self.items += 1;
        self.spaces = 0;
        self.keep(b'\n', at)
    }

    fn error(&self, what: Message) -> ArrayError {
        ArrayError(msg!(
            "is no JSON list: {what}, at byte {bytes}, after {items} items; fix the file",
            bytes = self.bytes,
            items = self.items
        ))
    }

    /// The input is at its end.
    fn finish(&self) -> Result<(), ArrayError> {
        match self.at {
            At::End => Ok(()),
            At::Start => Err(ArrayError(msg!(
                "is no JSON list: it is empty; fetch or write it again"
            ))),
            At::Open | At::Comma => Err(self.error(msg!("it is cut off"))),
            At::Item(_) | At::Text(_) | At::Escape(_) => Err(ArrayError(msg!(
                "is no JSON list: it is cut off in the item with index {items}, which begins at byte {begin}, \
                 or a bracket or quote of that item is not closed; fix the file",
                items = self.items,
                begin = self.begin
            ))),
        }
    }
}

fn no_list(first: u8) -> ArrayError {
    ArrayError(match first {
        b'{' => msg!(
            "begins with {sign} and not with [: for JSON lines give {@input_format} jsonl; put a single object into a list",
            sign = "{"
        ),
        first if first.is_ascii_graphic() => {
            msg!(
                "is no JSON list: it begins with {first} and not with [",
                first = format!("{:?}", char::from(first))
            )
        }
        first => msg!(
            "is no JSON list: its first byte is 0x{first}; a list in UTF-16 is read where the setting \
             {`encoding`} is auto",
            first = format!("{first:02x}")
        ),
    })
}

impl<R: Read> Read for ArrayLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.out.len() && !self.ended {
            self.out.clear();
            self.given = 0;
            let mut bytes = [0; 8 << 10];
            let read = self.input.read(&mut bytes)?;
            self.ended = read == 0;
            let taken = bytes[..read].iter().try_for_each(|&byte| self.take(byte));
            let taken = taken.and_then(|()| if self.ended { self.finish() } else { Ok(()) });
            taken.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            if self.bytes > self.max_bytes {
                return Err(io::Error::new(io::ErrorKind::InvalidData, too_long(self.max_bytes)));
            }
        }
        let length = buffer.len().min(self.out.len() - self.given);
        buffer[..length].copy_from_slice(&self.out[self.given..][..length]);
        self.given += length;
        Ok(length)
    }
}

fn too_long(max_bytes: u64) -> ArrayError {
    ArrayError(msg!(
        "is a JSON list of more than {max_bytes} bytes; convert it to JSON lines, for example with jq -c '.[]' \
         IN.json > OUT.jsonl"
    ))
}

#[cfg(test)]
#[path = "array_tests.rs"]
mod tests;
