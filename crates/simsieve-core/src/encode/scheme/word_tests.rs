//! What the options about words change.

use crate::base::error::Error;
use crate::encode::encoder::features_of;
use crate::encode::scheme::{OpenScheme, Scheme};

fn words(spec: &str, text: &str) -> Vec<String> {
    let scheme = Scheme::parse(spec).unwrap();
    let features = features_of(&scheme, text).unwrap();
    features.into_iter().map(|feature| feature.text).collect()
}

#[test]
fn stop_words_are_left_out_before_words_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stop.txt");
    std::fs::write(&path, "\u{feff}的\r\n\n THE \n").unwrap();
    let spec = format!("words64:stop={}", path.display());
    let text = "the 老槐树 的 村口 the end";
    assert_eq!(words("words64", text), ["the", "老槐树", "的", "村口", "end"]);
    assert_eq!(words(&spec, text), ["老槐树", "村口", "end"]);
    let spec2 = format!("words64:n=2,stop={}", path.display());
    assert_eq!(words(&spec2, text), ["老槐树 村口", "村口 end"]);
    assert_eq!(OpenScheme::parse(&spec2).unwrap().spec(), spec2);
    assert!(words(&spec, "the the").is_empty());
}

#[test]
fn the_content_of_files_is_in_the_digest_and_their_names_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let digest = |option: &str, path: &str| OpenScheme::parse(&format!("words64:{option}={path}")).unwrap().digest();
    let plain = OpenScheme::parse("words64").unwrap().digest();
    for (option, one, same, other) in [
        ("stop", "的\n了\n", "了\n的\n", "的\n"),
        ("dict", "石墨烯 9 n\n", "石墨烯 9 n\n\n", "石墨烯 8 n\n"),
    ] {
        let [one, same, other] =
            [("a", one), ("b", same), ("c", other)].map(|(name, text)| digest(option, &file(name, text)));
        assert!(one == same && one != other && one != plain, "{option}");
    }
}

#[test]
fn a_dictionary_makes_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.txt");
    std::fs::write(&path, "石墨烯电池 9 n\n").unwrap();
    assert_eq!(words("words64", "石墨烯电池"), ["石墨", "烯", "电池"]);
    assert_eq!(
        words(&format!("words64:dict={}", path.display()), "石墨烯电池"),
        ["石墨烯电池"]
    );
    std::fs::write(&path, "石墨烯\n石墨 烯 电 池\n").unwrap();
    let error = OpenScheme::parse(&format!("words64:dict={}", path.display())).unwrap_err();
    let message = error.to_string();
    assert!(
        matches!(error, Error::Source { .. }) && message.contains("line 2") && message.contains("石墨 烯 电 池"),
        "{message}"
    );
}

#[test]
fn folded_words_are_those_of_the_other_script() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let (hant, hans) = (
        "這個軟體的電池壽命很長，石墨烯電池。",
        "这个软件的电池寿命很长，石墨烯电池。",
    );
    for spec in [
        "words64:fold=tw2sp".to_owned(),
        // What is named in files is folded too, whichever comes first.
        format!("words64:stop={},fold=tw2sp", file("stop", "這個\n軟體\n")),
        format!("words64:fold=tw2sp,dict={}", file("dict", "石墨烯電池 9 n\n")),
        "keywords64:fold=tw2sp".to_owned(),
        "lines_tfidf64:fold=tw2sp".to_owned(),
        "chars64:punctuation=keep,fold=tw2sp".to_owned(),
    ] {
        assert_eq!(words(&spec, hant), words(&spec, hans), "{spec}");
        assert_ne!(
            words(&spec.replace("tw2sp", "none"), hant),
            words(&spec.replace("tw2sp", "none"), hans)
        );
    }
    assert_eq!(words("words64:fold=t2s", hant)[..2], ["这个", "软体"]);
    let stop = format!("words64:stop={},fold=t2s", file("the", "這個\n"));
    assert!(!words(&stop, hans).contains(&"这个".to_owned()));
    let dict = format!("words64:fold=t2s,dict={}", file("words", "石墨烯電池 9 n\n"));
    assert!(words(&dict, hant).contains(&"石墨烯电池".to_owned()));
}

#[test]
fn a_fold_is_told_and_refused() {
    for spec in [
        "chars64:n=3,fold=t2s",
        "words64:n=2,fold=tw2sp",
        "keywords64:fold=t2s",
        "esimhash64:fold=t2s",
        "chars128:fold=t2s+numerals",
    ] {
        assert_eq!(OpenScheme::parse(spec).unwrap().spec(), spec);
    }
    assert_eq!(OpenScheme::parse("chars64:fold=none").unwrap().spec(), "chars64");
    let digest = |spec| OpenScheme::parse(spec).unwrap().digest();
    // Tables of another version make other fingerprints, so these two move with them.
    assert_eq!(digest("chars128:fold=t2s"), "7bfb79d21504d7dd36395efcc9615dc9");
    assert_eq!(digest("chars128:fold=tw2sp"), "ad55bb5dbb02f6823464baac0b7cf0b7");
    for (spec, part) in [
        (
            "chars64:fold=s2t",
            "fold is none, t2s, tw2sp, numerals, marks, t2s+numerals, tw2sp+numerals, t2s+marks, tw2sp+marks, numerals+marks, t2s+numerals+marks or tw2sp+numerals+marks",
        ),
        (
            "words64:fold=s2t",
            "fold is none, t2s, tw2sp, numerals, marks, t2s+numerals, tw2sp+numerals, t2s+marks, tw2sp+marks, numerals+marks, t2s+numerals+marks or tw2sp+numerals+marks",
        ),
        ("words64:fold=t2s,fold=t2s", "fold is given twice"),
        ("chars64:fold=t2s,fold=t2s", "fold is given twice"),
        ("simhash64:fold=t2s", "as another program does"),
        ("dom64:fold=t2s", "its options are levels"),
        ("words64:fold", "fold=none|t2s|tw2sp"),
    ] {
        let message = OpenScheme::parse(spec).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn parts_of_speech_choose_words() {
    let text = "我爱北京的老城墙 visit 2024";
    assert_eq!(words("words64:pos=v+ns", text), ["爱", "北京"]);
    assert_eq!(words("words64:pos=eng", text), ["visit"]);
    assert_eq!(words("words64:pos=m", text), ["2024"]);
    assert_eq!(words("words64:pos=n*", text), ["北京", "老", "城墙"]);
    assert_eq!(
        OpenScheme::parse("words64:pos=v+n+v").unwrap().spec(),
        "words64:pos=n+v"
    );
    assert_eq!(
        OpenScheme::parse("words64:pos=v+n").unwrap().digest(),
        OpenScheme::parse("words64:pos=n:1+v:1").unwrap().digest()
    );
}

#[test]
fn the_text_before_a_word_affects_its_tag() {
    let text = "共有700名老师和500场讲座，3400位。";
    let whole = ["700名", "500场", "3400位"];
    let found = words("words64:pos=n*+v*+m", text);
    let alone: Vec<String> = whole
        .iter()
        .flat_map(|part| words("words64:pos=n*+v*+m", part))
        .collect();
    assert!(
        !alone.is_empty() && alone.iter().all(|word| found.contains(word)),
        "{alone:?} {found:?}"
    );
    assert!(words("words64:pos=n", text).contains(&"名".to_owned()), "{found:?}");
    // Runs that are not Han stay whole, tagged where they begin.
    assert_eq!(words("words64:pos=m", "v3.14是3.5%的9a"), ["14", "3", "5", "9a"]);
    assert_eq!(words("words64:pos=eng", "v3.14 naïve été"), ["v3", "naïve"]);
    assert_eq!(words("words64:pos=x", "v3.14 naïve été"), ["été"]);
}

#[test]
fn tags_weigh_words() {
    let text = "我爱北京，北京的老城墙";
    let weights = |spec: &str| {
        let features = features_of(&Scheme::parse(spec).unwrap(), text).unwrap();
        features
            .into_iter()
            .map(|feature| (feature.text, feature.weight))
            .collect::<Vec<_>>()
    };
    let units = |pairs: &[(&str, f64)]| {
        pairs
            .iter()
            .map(|(word, weight)| ((*word).to_owned(), (weight * 65536.0) as u32))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        weights("words64:pos=ns:3+v:0.5+n"),
        units(&[("爱", 0.5), ("北京", 3.0), ("老", 1.0), ("城墙", 1.0)])
    );
    assert_eq!(
        weights("words64:pos=ns:3+v:0.5+n,weights=tf"),
        units(&[("爱", 0.5), ("北京", 6.0), ("老", 1.0), ("城墙", 1.0)])
    );
    assert_eq!(
        weights("words64:pos=ns:3+v:0.5+n,n=2"),
        units(&[
            ("爱 北京", 1.75),
            ("北京 北京", 3.0),
            ("北京 老", 2.0),
            ("老 城墙", 1.0)
        ])
    );
    let spec = "words64:weights=tf,pos=n+ns:3+v:0.5";
    assert_eq!(
        OpenScheme::parse("words64:pos=v:0.5+ns:3+n,weights=tf").unwrap().spec(),
        spec
    );
    let digest = |spec| OpenScheme::parse(spec).unwrap().digest();
    assert_ne!(digest(spec), digest("words64:weights=tf,pos=n+ns:2+v:0.5"));
    assert_ne!(digest(spec), digest("words64:weights=tf,pos=n+ns+v"));
    let message = OpenScheme::parse("esimhash64:pos=n:2").unwrap_err().to_string();
    assert!(message.contains("weights by entropy take no factors"), "{message}");
}

#[test]
fn a_mode_is_the_segmenters() {
    let text = "清华大学的李小福是创新办主任";
    assert_eq!(words("words64:mode=exact,hmm=on", text), words("words64", text));
    assert_eq!(
        words("words64:mode=full", "清华大学"),
        ["清华", "清华大学", "华大", "大学"]
    );
    assert_eq!(
        words("words64:mode=search", "清华大学"),
        ["清华", "华大", "大学", "清华大学"]
    );
    assert_ne!(words("words64:hmm=off", text), words("words64", text));
    for spec in [
        "words64",
        "esimhash_baseline64",
        "angelo32",
        "lines_tfidf64",
        "esimhash64",
    ] {
        let digests: Vec<String> = [
            "",
            ":mode=full",
            ":mode=search",
            ":hmm=off",
            ":mode=search,hmm=off",
            ":pos=n",
        ]
        .iter()
        .map(|options| {
            let scheme = OpenScheme::parse(&format!("{spec}{options}")).unwrap();
            assert_eq!(scheme.spec(), format!("{spec}{options}"));
            scheme.digest()
        })
        .collect();
        assert!(
            (1..digests.len()).all(|at| !digests[..at].contains(&digests[at])),
            "{spec}"
        );
    }
}

#[test]
fn words_of_all_segments_keep_their_digest() {
    // Their text was tagged whole from the first.
    assert_eq!(
        OpenScheme::parse("esimhash64:tokens=all,pos=n+v").unwrap().digest(),
        "6a8fe8dab414baabdb385f5fc9cb3007"
    );
}
