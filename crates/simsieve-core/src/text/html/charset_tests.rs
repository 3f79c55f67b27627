//! The tests of `charset.rs`.

use super::*;

fn both(page: &[u8], charset: Option<&str>) -> (String, &'static str) {
    let (text, encoding) = decode(page, charset).unwrap();
    (text.into_owned(), encoding)
}

#[test]
fn each_sign_of_an_encoding_counts_before_the_next() {
    let (chinese, _, _) = encoding_rs::GBK.encode("<meta charset=big5><p>中文");
    for (page, charset, encoding) in [
        (b"\xef\xbb\xbf<meta charset=gbk>a".as_slice(), Some("big5"), "UTF-8"),
        (b"\xff\xfea\0b\0", None, "UTF-16LE"),
        (b"\xfe\xff\0a\0b", None, "UTF-16BE"),
        (&chinese, Some("gb2312"), "GBK"),
        (&chinese, None, "Big5"),
        (
            b"<META http-equiv='Content-Type' CONTENT=\"text/html; Charset = 'shift_jis'\">",
            None,
            "Shift_JIS",
        ),
        (b"<!-- <meta charset=gbk> --><meta charset=koi8-r>", None, "KOI8-R"),
        (b"<meta charset=utf-16>a", None, "UTF-8"),
        (b"<meta charset=x-user-defined>a", None, "windows-1252"),
        (b"<meta charset=nonsense><p>caf\xc3\xa9", None, "UTF-8"),
        (b"<meta name=x content='text/html; charset=gbk'>a", None, "UTF-8"),
        (b"", None, "UTF-8"),
    ] {
        assert_eq!(both(page, charset).1, encoding, "{page:?}");
    }
    assert_eq!(both(b"\xff\xfea\0b\0", None).0, "ab");
    assert_eq!(both(&chinese, Some("gbk")).0, "<meta charset=big5><p>中文");
}

#[test]
fn an_encoding_that_nobody_tells_is_guessed() {
    let text = "<p>我们在讨论相似文本的查找方法，它应当很快，而且不会漏掉任何一个。".repeat(3);
    let (page, _, _) = encoding_rs::GBK.encode(&text);
    let (found, encoding) = both(&page, None);
    assert_eq!((&*found, encoding), (&*text, "gb18030"));
}

#[test]
fn a_wrong_charset_and_some_null_bytes_are_still_text() {
    assert!(
        both(
            "<meta charset=us-ascii><p>Über uns, die wir hier wohnen".as_bytes(),
            None
        )
        .0
        .contains("ber uns")
    );
    for page in ["<p>some\0text with a null", "a\0b", "\0\0\0abc"] {
        assert_eq!(both(page.as_bytes(), None).0, page);
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let picture: Vec<u8> = (0..5000_u32)
        .map(|i| crate::base::hash::mix(u64::from(i)) as u8)
        .collect();
    let message = decode(&picture, None).unwrap_err().to_string();
    assert!(
        message.contains("is no text") && message.contains("give HTML"),
        "{message}"
    );
    assert!(decode(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", None).is_err());
    let message = decode(b"a", Some("utf-99")).unwrap_err().to_string();
    assert!(
        message.contains("\"utf-99\"") && message.contains("gb18030"),
        "{message}"
    );
}
