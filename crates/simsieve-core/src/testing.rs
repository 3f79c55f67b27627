//! What the core's own tests share: documents made of texts in memory.

use std::sync::Arc;

use crate::documents::{Documents, Options};
use crate::monitor::Silent;
use crate::order::KeepOrder;
use crate::read::Store;
use crate::recipe::Threshold;
use crate::scheme::Scheme;

/// The options of a plain run at similarity 0.65.
pub fn options(keep: &[&str]) -> Options {
    Options {
        scheme: Scheme::parse("chars128").unwrap(),
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(keep).unwrap(),
        threshold: Threshold::Similarity(0.65),
        recall: 0.98,
        seed: 0,
        recipe_for: None,
        threads: 2,
        batch: 0,
    }
}

/// Documents of texts.
pub fn documents<S: AsRef<str>>(texts: &[S], keep: &[&str]) -> Documents {
    documents_with(texts, &options(keep))
}

/// Documents of new texts behind old ones.
pub fn documents_against<S: AsRef<str>>(new: &[S], old: &[S], options: &Options) -> Documents {
    let store = |texts: &[S]| Store::from_texts(texts.iter().map(AsRef::as_ref));
    Documents::load(Arc::new(store(new).against(&store(old))), options, &mut Silent).unwrap()
}

/// Documents of texts under given options.
pub fn documents_with<S: AsRef<str>>(texts: &[S], options: &Options) -> Documents {
    let store = Store::from_texts(texts.iter().map(AsRef::as_ref));
    Documents::load(Arc::new(store), options, &mut Silent).unwrap()
}
