//! The folder that a dump is: names of files, and what says what they hold. Written by `dump`, read by
//! `restore`.
//!
//! The layout is that of ArangoDB's tools; `docs/tools.md` describes it.

pub(crate) mod info;
pub(crate) mod names;
