//! Tests of the program `persea`: its servers and tools run in processes of their own.
//!
//! A file is a module, so `cargo test -p persea --test it http::` runs the tests of one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod support;

mod audit;
mod backup;
mod backup_repositories;
mod bench;
mod changes;
mod crash;
mod crash_dumps;
mod dashboard;
mod drivers;
mod dump;
mod dump_broken;
mod dump_encrypted;
mod dump_options;
mod encryption;
mod endpoints;
mod engines;
mod export;
mod follow;
mod follower;
mod foxx;
mod full_follower;
mod group;
mod http;
mod import;
mod kubernetes;
mod log_archive;
mod mcp;
mod metrics;
mod migrate;
mod openid;
mod packages;
mod points;
mod process_roles;
mod service;
mod shell;
mod subscriptions;
mod tls;
mod traces;
mod upgrade;
mod webhooks;
