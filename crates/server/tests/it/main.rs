//! Tests of the server's behaviour on the wire, against servers in this process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests outside of test functions")]

mod admin;
mod arrow;
mod authentication;
mod client;
mod formats;
mod harness;
mod http1;
mod http2;
mod jobs;
mod limits;
mod log_tail;
mod openid;
mod openapi;
mod servers;
mod servers_changes;
mod servers_cursors;
mod servers_lists;
mod servers_scripts;
mod servers_services;
mod servers_tasks;
mod shutdown;
mod tls;
mod transactions;
mod user_sessions;
