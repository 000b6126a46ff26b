//! The path of a request: listener, decoding, routing, execution, encoding.
//!
//! This module does not depend on routes, services or the server. The composition root passes
//! in a [`router::Router`], and implements the trait [`services::Services`] for HTTP's calls to the
//! server.

pub mod address;
pub(crate) mod all_servers;
mod admission;
pub mod api_version;
pub(crate) mod audit;
pub mod body;
pub(crate) mod body_memory;
pub mod compression;
pub(crate) mod connection;
pub(crate) mod connection_threads;
pub mod connections;
pub mod content_type;
pub mod cors;
pub(crate) mod date;
mod decompressed;
pub(crate) mod description;
pub(crate) mod activities;
pub(crate) mod dispatch;
pub(crate) mod elsewhere;
pub(crate) mod error_response;
pub mod fields;
pub(crate) mod following;
pub(crate) mod foreign_page;
pub mod format;
pub(crate) mod forward;
mod http1;
pub mod listener;
pub(crate) mod log_context;
pub mod metrics;
pub(crate) mod multipart;
pub(crate) mod observed;
pub mod options;
pub mod path;
pub mod pattern;
pub mod percent;
pub mod query;
pub(crate) mod reply;
mod reply_memory;
pub mod request;
pub mod response;
pub mod route;
pub mod router;
mod rewound;
mod run;
pub(crate) mod service;
pub(crate) mod services;
pub mod stream;
pub mod tls;
pub(crate) mod unread;
pub(crate) mod waits;
mod watched;
mod zstd;

pub use fields::Fields;
pub use format::{Format, accepts};
pub use request::{BodyValue, Request};
pub use response::Response;
pub use route::{Access, BoundRoute, Cost, Route, Verb};
pub use router::Router;
pub use stream::ChunkSource;
