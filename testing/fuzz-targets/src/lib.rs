//! The checks of the fuzz targets, callable without a fuzzer.
//!
//! Each target takes any bytes and panics if it finds a failure. `fuzz/fuzz_targets` has a program
//! for each, which needs cargo-fuzz and a nightly compiler. `tests/replay.rs` calls the same
//! functions with the inputs in `fuzz/corpus` and with random changes of them, so that every test
//! run covers them.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a panic is how a target reports")]

mod running;

mod aql_parse;
mod aql_query;
mod elections_message;
mod foxx_bundle;
mod http_loop;
mod http_request;
mod javascript_value;
mod json_parse;
mod mcp_message;
mod random_query;
mod sort_key;
mod velocypack_validate;
mod session_body;

/// A target: its name, and the check.
pub struct Target {
    /// The name of the folder in `fuzz/corpus` and of the program in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// The check, which panics if it finds a failure.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "aql_parse", run: aql_parse::run },
    Target { name: "aql_query", run: aql_query::run },
    Target { name: "elections_message", run: elections_message::run },
    Target { name: "foxx_bundle", run: foxx_bundle::run },
    Target { name: "http_loop", run: http_loop::run },
    Target { name: "http_request", run: http_request::run },
    Target { name: "javascript_value", run: javascript_value::run },
    Target { name: "json_parse", run: json_parse::run },
    Target { name: "mcp_message", run: mcp_message::run },
    Target { name: "random_query", run: random_query::run },
    Target { name: "session_body", run: session_body::run },
    Target { name: "sort_key", run: sort_key::run },
    Target { name: "velocypack_validate", run: velocypack_validate::run },
];

/// Runs the target of this name. Panics if there is none.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("there is no target {name}")).run)(bytes);
}
