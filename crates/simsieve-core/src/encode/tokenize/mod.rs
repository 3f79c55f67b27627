//! From a text to tokens: windows of characters, words, lines, keywords, and what other programs and users take.

pub(crate) mod characters;
pub mod custom;
mod elements;
pub mod foreign;
pub mod functions;
mod keywords;
mod lines;
pub mod normal_form;
pub mod step;
pub mod stop_words;
mod token_filter;
pub(crate) mod token_list;
mod tokenizer;
pub mod tokens;
mod unspaced_scripts;
pub mod windows;
pub mod word_options;
mod words;

pub(crate) use tokenizer::Tokenizer;
