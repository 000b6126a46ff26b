#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod host;
mod limits;
mod modules;
mod values;
