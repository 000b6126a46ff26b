//! Text analysis: from a text to its tokens.
//!
//! A [`Definition`] has the meaning that ArangoDB gives to the word Analyzer: a type with
//! properties, and the [`Features`] that an index keeps of its tokens. It reads and prints
//! ArangoDB's JSON. [`Definition::open`] makes an [`Analyzer`] of it, which threads share and which
//! passes the [`Token`]s of an input to a callback.
//!
//! The types are in `kind`, one file each. Every database has the [`built_ins`]: `identity` and
//! `text_*`. The queries of analyzers of type `aql` run behind [`QueryCompiler`].
//!
//! Fulltext indexes are built on [`for_each_word`] and [`word_query`].

mod features;
mod locale;
mod piece;
mod properties;
mod query;
mod stemmer;
mod token;
mod fold;
mod word;
mod kind;
pub mod word_query;
mod definition;
mod analyzer;
mod built_in;

pub use analyzer::Analyzer;
pub use built_in::{IDENTITY, built_in, built_ins};
pub use definition::{Definition, NAME_MAX_BYTES, is_valid_name};
pub use features::Features;
pub use kind::{Format, Output};
pub use query::{CompiledQuery, NoQueries, QueryCompiler, QueryProperties, ReturnType, Row};
pub use token::{Input, Token};
pub use word::{WORD_MAX_BYTES, for_each_word};
