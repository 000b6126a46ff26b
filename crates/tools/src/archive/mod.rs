//! The folder that a dump is: names of files, what says what they hold, compression. Written by `dump`, read by
//! `restore`.
//!
//! The layout is that of ArangoDB's tools; `docs/tools.md` describes it.

pub(crate) mod gzip;
pub(crate) mod info;
pub(crate) mod names;
