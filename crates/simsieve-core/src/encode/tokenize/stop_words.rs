//! Words that are no features: those of a file, or of a built-in list.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use crate::base::error::{Error, Result, unreadable};
use crate::base::hash::xxh3_128;
use crate::storage::paths::read_regular;
use crate::text::{Compact, Fold, Normaliser};

/// Function words of Chinese, by class. Negations, opposites such as before and after, and numbers are not among them: texts
/// that differ in one say different things.
const ZH: [&str; 7] = [
    // Particles.
    "的 地 得 了 着 过 们 所 之 等 等等 似的 般 吗 呢 吧 啊 呀 哦 嘛 啦 哇 呗 罢了 而已",
    // Pronouns.
    "我 你 您 他 她 它 我们 你们 他们 她们 它们 咱 咱们 自己 自身 本人 本身 大家 人家 谁 什么 \
     怎么 怎样 怎么样 如何 哪 哪里 哪儿 哪个 哪些 为什么 为何 这 那 这个 那个 这些 那些 这里 \
     那里 这儿 那儿 这样 那样 这么 那么 这种 那种 此 其 该 某 某些 各 每 另 另外 其他 其它 \
     其余 其中 有些 有的 任何 一切 所有 彼此 互相 相互",
    // Prepositions.
    "在 于 从 自 自从 由 到 至 往 向 朝 对 对于 关于 至于 和 跟 与 同 给 为 为了 以 用 把 \
     将 被 让 使 比 按 按照 依照 根据 据 通过 经过 随着 沿着 除了 作为 凭 当 因 由于 基于 \
     鉴于 针对",
    // Conjunctions.
    "以及 及 及其 并 并且 而 而且 或 或者 还是 但 但是 可是 然而 不过 却 只是 虽 虽然 尽管 \
     即使 即便 哪怕 如果 若 若是 假如 要是 倘若 只要 只有 除非 无论 不论 不管 因为 所以 因此 \
     因而 于是 从而 既 既然 不但 不仅 何况 况且 甚至 以至 以致 以便 以免 否则 要么 例如 比如 \
     譬如 即 总之 此外 同时 然后 随后",
    // Adverbs.
    "很 太 更 最 非常 十分 极 极其 比较 较 相当 稍微 越 都 也 还 又 再 就 才 只 仅 仅仅 全 \
     总 总是 一直 始终 曾 曾经 已 已经 正 正在 即将 刚 刚刚 刚才 马上 立刻 立即 常 常常 经常 \
     往往 渐渐 逐渐 忽然 突然 终于 究竟 到底 毕竟 其实 确实 的确 当然 显然 也许 或许 似乎 好像 \
     几乎 简直 尤其 仍 仍然 依然 居然 竟然 果然 难道",
    // Auxiliary verbs.
    "是 有 能 能够 会 可 可以 应 应该 应当 要",
    // Words of place, time and number that mean little alone.
    "里 中 时 时候 之间 之一 一些 一点 一下 一种 个 些",
];

/// The built-in lists by name. A file of the same name is named with its folder, as in `./zh`.
pub const LISTS: [(&str, &[&str]); 1] = [("zh", &ZH)];

/// The names of the built-in lists.
pub const LIST_NAMES: [&str; LISTS.len()] = [LISTS[0].0];

/// The words of a built-in list, or of a UTF-8 file, one a line by any line end, without white space at their ends.
///
/// # Errors
/// [`Error::Source`] where the file cannot be read or is no UTF-8.
pub fn stop_words_of(path: &str) -> Result<Vec<String>> {
    let is_end = |c: char| matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if let Some(words) = list_named(path) {
        return Ok(words.map(str::to_owned).collect());
    }
    let text = read(path)?;
    let lines = text.trim_start_matches('\u{feff}').split(is_end);
    let words = lines.map(|line| line.trim_matches(|c: char| c.is_whitespace() || c == '\u{1f}'));
    Ok(words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

/// The words of a built-in list, where there is one of the name.
pub fn list_named(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    let found = LISTS.iter().find(|(known, _)| *known == name);
    found.map(|(_, classes)| classes.iter().flat_map(|words| words.split(' ')))
}

/// Words that are no features.
#[derive(Debug)]
pub(super) struct StopWords {
    words: HashSet<Box<str>>,
    digest: u128,
}

impl StopWords {
    /// The stop words of a UTF-8 file, a word a line, or of a built-in list. White space at a line's ends, and empty lines,
    /// count for nothing.
    ///
    /// # Errors
    /// [`Error::Source`] where the file cannot be read or is no UTF-8.
    pub(super) fn load(path: &str, normalised: bool, fold: Option<Fold>) -> Result<Self> {
        let normaliser = Normaliser::new(true).folding(fold);
        let mut room = Compact::default();
        let word = |line: &str| {
            if !normalised {
                return folded(fold, line.trim()).into_owned();
            }
            normaliser.run(line, &mut room);
            String::from_utf8_lossy(room.normalised()).into_owned()
        };
        if let Some(words) = list_named(path) {
            return Ok(Self::of(words.map(word)));
        }
        let text = read(path)?;
        Ok(Self::of(text.trim_start_matches('\u{feff}').lines().map(word)))
    }

    pub(super) fn of(words: impl Iterator<Item = String>) -> Self {
        let words: HashSet<Box<str>> = words.filter(|word| !word.is_empty()).map(Into::into).collect();
        let mut sorted: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        // No word holds a line end.
        let digest = xxh3_128(sorted.join("\n").as_bytes());
        Self { words, digest }
    }

    /// Whether a word is one of them.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Their part of digests.
    pub(super) const fn digest(&self) -> u128 {
        self.digest
    }
}

/// A text that is not normalised, folded.
pub(super) fn folded(fold: Option<Fold>, text: &str) -> Cow<'_, str> {
    fold.map_or(Cow::Borrowed(text), |fold| Cow::Owned(fold.apply(text)))
}

/// The text of a file of words.
pub(crate) fn read(path: &str) -> Result<String> {
    let path = Path::new(path);
    let bytes = read_regular(path).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| Error::Source {
        path: path.into(),
        message: msg!(
            "is no UTF-8 at byte {utf8_error}; save it as UTF-8",
            utf8_error = error.utf8_error().valid_up_to()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_chinese_has_no_negation_and_no_word_twice() {
        let words: Vec<&str> = list_named("zh").unwrap().collect();
        let distinct: HashSet<&str> = words.iter().copied().collect();
        assert_eq!((words.len(), distinct.len()), (300, 300));
        let meaning = ["不", "没", "没有", "未", "无", "非", "别", "上", "下", "前", "后", "一"];
        assert!(meaning.iter().all(|word| !distinct.contains(word)) && list_named("en").is_none());
        // The digest of a scheme with this list; another list is another name.
        let stop = StopWords::load("zh", true, None).unwrap();
        assert_eq!(format!("{:032x}", stop.digest()), "8b0e9c55408d5163537da4cfc0a15066");
        assert!(stop.has("的") && !stop.has("船"));
    }
}
