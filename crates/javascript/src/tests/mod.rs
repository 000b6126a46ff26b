#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod compiled;
mod exchange;
mod foxx;
mod foxx_graphql;
mod foxx_host;
mod foxx_jobs;
mod foxx_oauth;
mod foxx_sessions;
mod foxx_testing;
mod host;
mod limits;
mod modules;
mod values;
