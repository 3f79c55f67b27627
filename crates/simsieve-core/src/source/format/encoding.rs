//! Texts in other encodings than UTF-8.
//!
//! In: the caller's choice and a source's bytes. Out: the encoding from which its records are decoded. Records are
//! decoded one by one, so the source's bytes are what is written. Line breaks, quotes and delimiters are the same bytes
//! in every encoding that is taken, except UTF-16. UTF-16 is converted to UTF-8 in a temporary file, and the sink
//! converts it back.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use encoding_rs::{Decoder, DecoderResult, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use crate::base::error::{Error, Result};
use crate::source::failure::Cause;
use crate::text::encoding::{contradiction, named};

/// The UTF-8 byte order mark.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The encoding that the caller chooses for the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EncodingChoice {
    /// UTF-8, which is the default.
    #[default]
    Utf8,
    /// Each source's encoding is detected.
    Auto,
    /// This one.
    Named(&'static Encoding),
}

impl FromStr for EncodingChoice {
    type Err = Error;

    /// Reads `auto` or a name of the Encoding Standard, section 4.2, in any case; a Python name of one is taken too.
    fn from_str(name: &str) -> Result<Self> {
        let plain = name.trim().to_ascii_lowercase();
        if plain == "auto" {
            return Ok(Self::Auto);
        }
        match named(&plain) {
            Some(encoding) if encoding == UTF_8 => Ok(Self::Utf8),
            Some(encoding) if encoding != ISO_2022_JP => Ok(Self::Named(encoding)),
            _ => Err(Error::Config(msg!(
                "encoding {name:?} is not known; give auto, utf-8, gb18030, gbk, big5, shift_jis, euc-jp, \
                 euc-kr, utf-16, latin1 or another name of the web's encodings (ISO-2022-JP is not read: \
                 convert such files)"
            ))),
        }
    }
}

/// The encoding of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceEncoding {
    pub(crate) encoding: &'static Encoding,
    /// Whether it was detected, and not chosen by the caller.
    pub(crate) detected: bool,
    /// All bytes are ASCII, so that other encodings would do as well.
    pub(crate) ascii: bool,
}

impl SourceEncoding {
    pub(crate) const UTF8: Self = Self {
        encoding: UTF_8,
        detected: false,
        ascii: false,
    };

    /// One that was found.
    pub(crate) const fn detected(encoding: &'static Encoding) -> Self {
        Self {
            encoding,
            detected: true,
            ascii: false,
        }
    }

    /// Whether the records of the body are UTF-8.
    pub(crate) fn is_utf8_inside(self) -> bool {
        self.encoding == UTF_8 || self.is_utf16()
    }

    pub(crate) fn is_utf16(self) -> bool {
        self.encoding == UTF_16LE || self.encoding == UTF_16BE
    }

    /// Whether one file can have records of both.
    pub(crate) fn goes_with(self, other: Self) -> bool {
        let neither_wide = !self.is_utf16() && !other.is_utf16();
        self.encoding == other.encoding || (neither_wide && (self.ascii || other.ascii))
    }
}

impl fmt::Display for SourceEncoding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.encoding.name())
    }
}

/// The byte order of a source in UTF-16, by its first bytes. A byte order mark gives it, or else zero bytes in every
/// second place: text of any script has them for its spaces and line breaks.
pub(in crate::source) fn utf16_of(head: &[u8], choice: EncodingChoice) -> Option<&'static Encoding> {
    let by_mark = match head {
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] => Some(UTF_16BE),
        _ => None,
    };
    match choice {
        EncodingChoice::Named(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => by_mark.or(Some(encoding)),
        EncodingChoice::Utf8 | EncodingChoice::Named(_) => None,
        EncodingChoice::Auto => by_mark.or_else(|| {
            let zeros = |first: usize| head.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
            let (even, odd) = (zeros(0), zeros(1));
            // A zero byte in 40 bytes is more than any other text has, and one alone is a fault of any text. Some characters, such
            // as U+4E00, have one in the other place, but far fewer have; as many in both places are binary data's.
            let rules = |here: usize, there: usize| here > 1 && here * 40 > head.len() && here > 4 * there;
            // UTF-16 is UTF-8 too where it is ASCII, which half of its bytes show.
            let is_utf8 = || std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
            match (rules(even, odd), rules(odd, even)) {
                _ if (even + odd) * 4 < head.len() && is_utf8() => None,
                (true, false) => Some(UTF_16BE),
                (false, true) => Some(UTF_16LE),
                _ => None,
            }
        }),
    }
}

/// Looks whether bytes are UTF-8 while they pass.
pub(in crate::source) struct EncodingProbe {
    choice: EncodingChoice,
    /// The end of the last piece, where it cuts a character of UTF-8.
    cut: Vec<u8>,
    is_utf8: bool,
    ascii: bool,
}

impl EncodingProbe {
    pub(in crate::source) fn new(choice: EncodingChoice) -> Self {
        Self {
            choice,
            cut: Vec::new(),
            is_utf8: true,
            ascii: true,
        }
    }

    pub(in crate::source) fn feed(&mut self, bytes: &[u8]) {
        if self.choice != EncodingChoice::Auto || !self.is_utf8 {
            return;
        }
        if self.ascii && !bytes.is_ascii() {
            self.ascii = false;
        }
        if !self.ascii {
            let joined;
            let piece = if self.cut.is_empty() {
                bytes
            } else {
                joined = [self.cut.as_slice(), bytes].concat();
                &joined
            };
            match std::str::from_utf8(piece) {
                Ok(_) => self.cut.clear(),
                Err(error) if error.error_len().is_none() => self.cut = piece[error.valid_up_to()..].to_vec(),
                Err(_) => self.is_utf8 = false,
            }
        }
    }

    /// The encoding; none where it has to be found by trying, because not all is UTF-8.
    pub(in crate::source) fn finish(self) -> Option<SourceEncoding> {
        match self.choice {
            EncodingChoice::Named(encoding) => Some(SourceEncoding {
                encoding,
                ..SourceEncoding::UTF8
            }),
            EncodingChoice::Utf8 => Some(SourceEncoding::UTF8),
            EncodingChoice::Auto => (self.is_utf8 && self.cut.is_empty()).then_some(SourceEncoding {
                ascii: self.ascii,
                ..SourceEncoding::detected(UTF_8)
            }),
        }
    }
}

/// Decodes a record whole. One of a source whose encoding was found also has to look like the others.
pub(in crate::source) fn decode_as(bytes: &[u8], encoding: SourceEncoding) -> std::result::Result<String, Cause> {
    let text = decode(bytes, encoding.encoding)?;
    match contradiction(bytes, encoding.encoding).filter(|_| encoding.detected) {
        None => Ok(text),
        Some(why) => Err((
            "undecodable",
            msg!(
                "not {name} as the other records, because {why}; fix the record, or name the encoding that the \
                 file has with {@`encoding`}",
                name = encoding.encoding.name()
            ),
        )),
    }
}

/// Decodes a record whole.
pub(in crate::source) fn decode(bytes: &[u8], encoding: &'static Encoding) -> std::result::Result<String, Cause> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len());
    let mut text = String::with_capacity(room.unwrap_or(0));
    let (result, read) = decoder.decode_to_string_without_replacement(bytes, &mut text, true);
    match result {
        DecoderResult::InputEmpty => Ok(text),
        // The room is what the longest text takes, so the output is never full.
        DecoderResult::Malformed(bad, after) => {
            let at = read.saturating_sub(usize::from(bad) + usize::from(after));
            Err(undecodable(bytes, at, encoding))
        }
        DecoderResult::OutputFull => Err(undecodable(bytes, read, encoding)),
    }
}

fn undecodable(bytes: &[u8], at: usize, encoding: &'static Encoding) -> Cause {
    let seen: Vec<_> = bytes[at..].iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let message = msg!(
        "not valid {name} at byte {at} (bytes {seen}); fix the record, or name the encoding that the file has \
         with {@`encoding`}",
        name = encoding.name(),
        seen = seen.join(" ")
    );
    ("undecodable", message)
}

/// A record of a source in UTF-16, which was made UTF-8: where half of a surrogate pair was, that is none.
pub(in crate::source) fn utf16_cause(bytes: &[u8], encoding: &'static Encoding) -> Cause {
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let before = String::from_utf8_lossy(&bytes[..at]).encode_utf16().count() * 2;
    let message = msg!(
        "not valid {name} at byte {before}: half of a surrogate pair, or of a unit; fix the record, or name \
         the encoding that the file has with {@`encoding`}",
        name = encoding.name()
    );
    ("undecodable", message)
}

/// Makes UTF-8 of UTF-16; a unit that is no character becomes a byte that is none in UTF-8.
pub(in crate::source) struct FromUtf16<R> {
    input: R,
    decoder: Decoder,
    out: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> FromUtf16<R> {
    pub(in crate::source) fn new(input: R, encoding: &'static Encoding) -> Self {
        Self {
            input,
            decoder: encoding.new_decoder_without_bom_handling(),
            out: Vec::new(),
            given: 0,
            ended: false,
        }
    }

    /// Decodes the next bytes; there are none at the end.
    fn decode(&mut self, mut bytes: &[u8]) {
        let mut room = [0; 4 << 10];
        self.ended = bytes.is_empty();
        loop {
            let (result, read, written) = self
                .decoder
                .decode_to_utf8_without_replacement(bytes, &mut room, self.ended);
            self.out.extend_from_slice(&room[..written]);
            bytes = &bytes[read..];
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => self.out.push(0xFF),
            }
        }
    }
}

impl<R: Read> Read for FromUtf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.out.len() && !self.ended {
            self.out.clear();
            self.given = 0;
            let mut bytes = [0; 8 << 10];
            let read = self.input.read(&mut bytes)?;
            self.decode(&bytes[..read]);
        }
        let given = (self.out.len() - self.given).min(buffer.len());
        buffer[..given].copy_from_slice(&self.out[self.given..self.given + given]);
        self.given += given;
        Ok(given)
    }
}

/// Makes UTF-16 of UTF-8 that comes in pieces.
#[derive(Debug)]
pub(crate) struct ToUtf16 {
    big: bool,
    cut: Vec<u8>,
}

impl ToUtf16 {
    pub(crate) fn new(encoding: &'static Encoding) -> Self {
        Self {
            big: encoding == UTF_16BE,
            cut: Vec::new(),
        }
    }

    /// The next piece; a character that it cuts comes with the one after. What is no UTF-8 cannot be here: it was parsed.
    pub(crate) fn convert(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.cut.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.cut) {
            Ok(_) => self.cut.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(&self.cut[..whole]);
        let units = text.encode_utf16();
        let made = units.flat_map(|unit| {
            if self.big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        });
        let made = made.collect();
        self.cut.drain(..whole);
        made
    }
}
