#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod exchange;
mod foxx;
mod host;
mod limits;
mod modules;
mod values;
