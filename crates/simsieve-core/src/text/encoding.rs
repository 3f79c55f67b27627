//! Which encoding bytes are in, where nobody tells: the one under which the fewest records fail, found by trying.
//!
//! UTF-8 comes first. Of the encodings of Chinese, Japanese and Korean almost any bytes are valid in several, so a reading
//! also has to give the characters that such texts mostly have. An encoding of single bytes accepts any bytes at all: it is
//! taken only where the bytes beyond ASCII stand as letters of such a text do. Where nothing fits, nothing is guessed.

use std::convert::Infallible;
use std::sync::OnceLock;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS, UTF_8, WINDOWS_1252};

use crate::base::message::Message;

/// Frequent characters of Chinese, simplified and traditional.
const CHINESE: &str = "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好\
    都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全\
    工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市\
    體處總場師書員報馬張難數應車親務動長無經頭見兩從氣聽則單據導網專觀爭組視濟離雖決認論義術結連遠資隊帶條變聯權該領傳紅達辦運強轉輕語滿識極黃錢\
    黨設歷廣議際誰讀飛統請愛讓計華邊風戰覺題這來國個說們為時學對裡後麼會過沒還發當樣現將與進實點種聲話問機給幾業間電門東關產萬";
/// Frequent characters of Japanese: kana first.
const JAPANESE: &str = "のはにをたがでてとしもさいかなるこれあらりよすんけっくそうきまめどえせわみちつやほだろおばじむごべひげへれぶねふぐびぱぎゃゅょずぞざ\
    ンスルトイラリアクシドジレタカロマッーコテフサムセパナィデバグオプハチミツケモエキニメヴソネボダ日一人年大会国本中長出三同時政事自行社見月分議後前民生連\
    五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法";
/// Frequent syllables of Korean.
const KOREAN: &str = "이다는을의에가고하지도로한사기를은서리아자시어나라인그대있나수것들만일정으전스해게보제주부여성과상장와안유면오비조구원동공미무세모생경국위관\
    적용소연방선신진학마러거니까습했었네요말중물문발민실회계산교화분식입력";

/// An encoding of two bytes a character, with the lead bytes of the rows of its more frequent characters.
struct Candidate {
    encoding: &'static Encoding,
    common: &'static str,
    /// Whether a pair is in those rows.
    is_usual: fn(u8, u8) -> bool,
    /// Lead bytes of signs and punctuation, which say nothing.
    signs: &'static [u8],
}

/// In the order in which they are tried.
const CANDIDATES: [Candidate; 5] = [
    Candidate {
        encoding: GB18030,
        common: CHINESE,
        is_usual: |lead, trail| matches!(lead, 0xB0..=0xD7) && trail >= 0xA1,
        signs: &[0xA1, 0xA3],
    },
    Candidate {
        encoding: BIG5,
        common: CHINESE,
        is_usual: |lead, _| matches!(lead, 0xA4..=0xC6),
        signs: &[0xA1, 0xA2, 0xA3],
    },
    Candidate {
        encoding: SHIFT_JIS,
        common: JAPANESE,
        is_usual: |lead, _| matches!(lead, 0x82 | 0x83 | 0x88..=0x97),
        signs: &[0x81],
    },
    Candidate {
        encoding: EUC_KR,
        common: KOREAN,
        is_usual: |lead, trail| matches!(lead, 0xB0..=0xC8) && trail >= 0xA1,
        signs: &[0xA1, 0xA3],
    },
    Candidate {
        encoding: EUC_JP,
        common: JAPANESE,
        is_usual: |lead, _| matches!(lead, 0xA4 | 0xA5 | 0xB0..=0xCF),
        signs: &[0xA1, 0xA3],
    },
];

/// Points of a frequent character, of one of the usual rows, and of any other.
const COMMON: i8 = 3;
const USUAL: i8 = 1;
const OTHER: i8 = -2;

/// Mean points that a reading must have, and by how much it must be ahead of another. Chinese poems in GBK have 0.9 and all
/// other texts that were tried 1.7 and more; readings in a wrong encoding have at most 1.3, and 0.7 less than the right one.
const LEAST_POINTS: f64 = 0.5;
const AHEAD: f64 = 0.4;

/// So many bytes beyond ASCII show the letters of another script than Latin.
const LETTERS: u64 = 24;

/// How many bytes go to the guess among encodings of single bytes.
const GUESSED_FROM: usize = 1 << 20;

/// How the bytes beyond ASCII of some bytes look as UTF-8.
#[derive(Debug, Default, Clone, Copy)]
struct Cover {
    high: u64,
    /// Of these, in whole sequences of UTF-8; in those of three bytes and more. Halves of surrogate pairs count (CESU-8).
    any: u64,
    long: u64,
}

impl Cover {
    fn of(bytes: &[u8]) -> Self {
        let mut cover = Self::default();
        let mut at = 0;
        while let Some(&lead) = bytes.get(at) {
            let length = match lead {
                0..0x80 => {
                    at += 1;
                    continue;
                }
                0xC0..=0xDF => 2,
                0xE0..=0xEF => 3,
                0xF0..=0xF4 => 4,
                _ => 1,
            };
            let rest = bytes.get(at + 1..at + length).unwrap_or_default();
            let whole = rest.len() + 1 == length && rest.iter().all(|byte| byte & 0xC0 == 0x80);
            let length = if whole { length } else { 1 };
            cover.high += length as u64;
            cover.any += if length > 1 { length as u64 } else { 0 };
            cover.long += if length > 2 { length as u64 } else { 0 };
            at += length;
        }
        cover
    }

    fn add(&mut self, other: Self) {
        self.high += other.high;
        self.any += other.any;
        self.long += other.long;
    }
}

/// Why a record cannot be of an encoding that was found for the records around it, although its bytes are valid there.
pub(crate) fn contradiction(bytes: &[u8], encoding: &'static Encoding) -> Option<&'static str> {
    let cover = Cover::of(bytes);
    let is_utf8 = if encoding.is_single_byte() {
        cover.high > 0 && cover.any == cover.high
    } else {
        // Pairs of bytes form sequences of two by chance, and longer ones rarely.
        cover.long * 4 > cover.high * 3 || (cover.high >= 16 && cover.any == cover.high)
    };
    if is_utf8 {
        return Some("it seems to be UTF-8");
    }
    let stray = |byte: &u8| matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D | 0xFF);
    // Two signs beside one another are no text, quotation marks left out.
    let is_sign = |byte: &u8| matches!(byte, 0xA1..=0xBF) && !matches!(byte, 0xAB | 0xBB);
    let are_signs = || bytes.windows(2).any(|pair| pair.iter().all(is_sign));
    if encoding == WINDOWS_1252 && (bytes.iter().any(stray) || are_signs()) {
        return Some("it has bytes that are no letters there");
    }
    None
}

/// What the records are if they are of one candidate.
struct Reading {
    candidate: &'static Candidate,
    points_of: &'static [i8],
    failed: u64,
    points: i64,
    /// Characters that say something, and signs.
    characters: u64,
    signs: u64,
}

impl Reading {
    fn new(place: usize) -> Self {
        static POINTS: [OnceLock<Vec<i8>>; CANDIDATES.len()] = [const { OnceLock::new() }; CANDIDATES.len()];
        static ALL: [Candidate; CANDIDATES.len()] = CANDIDATES;
        Self {
            candidate: &ALL[place],
            points_of: POINTS[place].get_or_init(|| points_of(&ALL[place])),
            failed: 0,
            points: 0,
            characters: 0,
            signs: 0,
        }
    }

    fn add(&mut self, record: &[u8], scratch: &mut Vec<u8>) {
        let encoding = self.candidate.encoding;
        if !is_valid(record, encoding, scratch) || contradiction(record, encoding).is_some() {
            self.failed += 1;
            return;
        }
        let mut at = 0;
        while let Some(&lead) = record.get(at) {
            if lead < 0x80 {
                at += 1;
                continue;
            }
            let trail = record.get(at + 1).copied().unwrap_or_default();
            let (points, length) = match (lead, trail) {
                (0xA1..=0xDF, _) if encoding == SHIFT_JIS => (OTHER, 1),
                (_, 0x30..=0x39) if encoding == GB18030 => (0, 4),
                (0x8F, _) if encoding == EUC_JP => (OTHER, 3),
                _ => (self.points_of[usize::from(lead) << 8 | usize::from(trail)], 2),
            };
            self.points += i64::from(points);
            self.characters += u64::from(points != 0);
            self.signs += u64::from(points == 0);
            at += length;
        }
    }

    /// How well the texts read, of `all` records. Signs alone show nothing.
    fn weight(&self, all: u64) -> f64 {
        if self.characters < self.signs {
            return f64::from(OTHER);
        }
        let mean = self.points as f64 / self.characters.max(1) as f64;
        mean * (all - self.failed) as f64 / all as f64
    }
}

fn points_of(candidate: &Candidate) -> Vec<i8> {
    let pair = |lead: u8, trail: u8| {
        if candidate.signs.contains(&lead) {
            0
        } else if (candidate.is_usual)(lead, trail) {
            USUAL
        } else {
            OTHER
        }
    };
    let mut points: Vec<_> = (0..=u16::MAX)
        .map(|pair_of| pair((pair_of >> 8) as u8, pair_of as u8))
        .collect();
    for character in candidate.common.chars() {
        if let [lead, trail] = *candidate.encoding.encode(character.encode_utf8(&mut [0; 4])).0 {
            points[usize::from(lead) << 8 | usize::from(trail)] = COMMON;
        }
    }
    points
}

fn is_valid(record: &[u8], encoding: &'static Encoding, scratch: &mut Vec<u8>) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder
        .max_utf8_buffer_length_without_replacement(record.len())
        .unwrap_or(0);
    if scratch.len() < room {
        scratch.resize(room, 0);
    }
    decoder.decode_to_utf8_without_replacement(record, scratch, true).0 == DecoderResult::InputEmpty
}

/// How the bytes beyond ASCII stand.
#[derive(Debug, Default)]
struct Runs {
    high: u64,
    /// Of these, with another beside them; and those among them that are no letters in any encoding of single bytes.
    joined: u64,
    low: u64,
    /// Signs that texts seldom have, such as the cent; Big5 begins its own signs with them.
    signs: u64,
}

impl Runs {
    fn add(&mut self, record: &[u8]) {
        // A space that does not break is a space here.
        for run in record.split(|&byte| byte < 0x80 || byte == 0xA0) {
            self.high += run.len() as u64;
            let is_sign = |byte: &&u8| matches!(**byte, 0xA1..=0xBF) && !b"\xA3\xA9\xAB\xB0\xB7\xBB".contains(byte);
            self.signs += run.iter().filter(is_sign).count() as u64;
            if run.len() > 1 {
                self.joined += run.len() as u64;
                self.low += run.iter().filter(|&&byte| byte < 0xC0).count() as u64;
            }
        }
    }

    /// Whether they can be letters of an encoding of single bytes. Bytes of Chinese stand in runs, and a quarter of them
    /// is below the letters.
    fn are_letters(&self, encoding: &'static Encoding) -> bool {
        let is_latin = [
            "windows-1252",
            "windows-1250",
            "windows-1254",
            "windows-1257",
            "windows-1258",
        ]
        .contains(&encoding.name())
            || encoding.name().starts_with("ISO-8859-2");
        if is_latin {
            self.joined * 4 <= self.high && self.signs * 2 <= self.high
        } else {
            self.high >= LETTERS && self.low * 8 <= self.high
        }
    }
}

/// Names of encodings in Python or the registry of IANA that the Encoding Standard lacks.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("utf-8-sig", "utf-8"),
    ("big5hkscs", "big5-hkscs"),
    ("cp932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("mac-roman", "macintosh"),
];

/// An encoding by a name of the Encoding Standard, section 4.2, in any case, or by its name in Python or IANA:
/// `utf-16-le`, `utf_16_le`, `latin-1`, `euc_jp`.
pub(crate) fn named(name: &str) -> Option<&'static Encoding> {
    let plain = name.trim().to_ascii_lowercase();
    let dashed = plain.replace('_', "-");
    let wide = dashed.replace("utf-16-", "utf-16");
    let joined = dashed.replace('-', "");
    let named = [plain.as_str(), &dashed, &wide, &joined];
    let other = OTHER_NAMES
        .iter()
        .filter(|(name, _)| named.contains(name))
        .map(|(_, known)| *known);
    named
        .into_iter()
        .chain(other)
        .find_map(|label| Encoding::for_label_no_replacement(label.as_bytes()))
}

/// Finds the encoding of a whole file by its lines. The text of an error says what fails under each reading.
pub(crate) fn of_file(bytes: &[u8]) -> Result<&'static Encoding, Message> {
    if simdutf8::basic::from_utf8(bytes).is_ok() {
        return Ok(UTF_8);
    }
    let each = |take: &mut dyn FnMut(&[u8])| -> Result<(), Infallible> {
        bytes.split(|&byte| byte == b'\n').for_each(take);
        Ok(())
    };
    find(each).unwrap_or_else(|never| match never {})
}

/// Finds the encoding of records that are not all UTF-8. `each` gives every record to what it is called with; it may be
/// called three times. The text of an answer says what fails under each reading, where none is right.
pub(crate) fn find<E>(
    each: impl Fn(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<Result<&'static Encoding, Message>, E> {
    let mut cover = Cover::default();
    let (mut all, mut beyond, mut no_utf8) = (0_u64, 0_u64, 0_u64);
    each(&mut |record| {
        all += 1;
        if !record.is_ascii() {
            beyond += 1;
            no_utf8 += u64::from(simdutf8::basic::from_utf8(record).is_err());
            cover.add(Cover::of(record));
        }
    })?;
    if no_utf8 == 0 || cover.any * 4 >= cover.high * 3 {
        return Ok(Ok(UTF_8));
    }
    let mut readings: [Reading; CANDIDATES.len()] = std::array::from_fn(Reading::new);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let (mut fed, mut runs, mut scratch) = (0, Runs::default(), Vec::new());
    each(&mut |record| {
        if record.is_ascii() {
            return;
        }
        for reading in &mut readings {
            reading.add(record, &mut scratch);
        }
        // A record that is UTF-8 says nothing of single bytes.
        if simdutf8::basic::from_utf8(record).is_ok() {
            return;
        }
        runs.add(record);
        if fed < GUESSED_FROM {
            fed += record.len();
            detector.feed(record, false);
            detector.feed(b"\n", false);
        }
    })?;
    detector.feed(b"", true);
    let weights = readings.each_ref().map(|reading| reading.weight(beyond));
    let fits = |place: &usize| weights[*place] >= LEAST_POINTS && readings[*place].failed * 2 <= beyond;
    let mut fitting: Vec<_> = (0..readings.len()).filter(fits).collect();
    fitting.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
    match *fitting {
        [best, ..] if readings[best].failed >= no_utf8 => return Ok(Ok(UTF_8)),
        [best] => return Ok(Ok(readings[best].candidate.encoding)),
        [best, second, ..] if weights[best] - weights[second] >= AHEAD => {
            return Ok(Ok(readings[best].candidate.encoding));
        }
        [] => {
            let guess = detector.guess(None, Utf8Detection::Deny);
            if guess.is_single_byte() && runs.are_letters(guess) {
                let failed = single_byte_fails(guess, &each)?;
                if failed < no_utf8 && failed * 3 <= beyond {
                    return Ok(Ok(guess));
                }
            }
        }
        _ => {}
    }
    // Records in ASCII are the same in all of them, so they say that a few others are what is wrong.
    if no_utf8 * 2 <= all {
        return Ok(Ok(UTF_8));
    }
    let failed: Vec<_> = readings
        .iter()
        .map(|reading| {
            msg!(
                "{count} as {name}",
                count = reading.failed,
                name = reading.candidate.encoding.name()
            )
        })
        .collect();
    Ok(Err(msg!(
        "its encoding cannot be told: of {beyond} records that are not ASCII {no_utf8} fail as UTF-8, {failed}, \
         and the others are no likely texts; name the encoding with {@`encoding`}"
    )))
}

/// How many records fail under an encoding of single bytes.
fn single_byte_fails<E>(
    encoding: &'static Encoding,
    each: &impl Fn(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<u64, E> {
    let (mut failed, mut scratch) = (0, Vec::new());
    each(&mut |record| {
        let is_right = record.is_ascii()
            || (is_valid(record, encoding, &mut scratch) && contradiction(record, encoding).is_none());
        failed += u64::from(!is_right);
    })?;
    Ok(failed)
}
