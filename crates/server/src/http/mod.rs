//! The way of a request: listener, decoding, routing, running, encoding.
//!
//! Nothing here knows a route, a service or the server: the composition root hands in a [`router::Router`], and what HTTP
//! asks of the server above it is the trait [`services::Services`].

pub mod address;
pub mod body;
pub(crate) mod body_memory;
pub mod compression;
pub(crate) mod connection;
pub mod connections;
pub mod content_type;
pub mod cors;
pub(crate) mod date;
pub(crate) mod dispatch;
pub(crate) mod error_response;
pub mod fields;
pub mod format;
pub mod listener;
pub(crate) mod log_context;
pub mod metrics;
pub(crate) mod multipart;
pub mod options;
pub mod path;
pub mod pattern;
pub mod percent;
pub mod query;
pub(crate) mod reply;
pub mod request;
pub mod response;
pub mod route;
pub mod router;
pub(crate) mod service;
pub(crate) mod services;
pub mod stream;
pub mod tls;
mod zstd;

pub use fields::Fields;
pub use format::{Format, accepts};
pub use request::{BodyValue, Request};
pub use response::Response;
pub use route::{Access, BoundRoute, Cost, Route, Verb};
pub use router::Router;
pub use stream::ChunkSource;
