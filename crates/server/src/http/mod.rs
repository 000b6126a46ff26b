//! The way of a request: listener, decoding, routing, running, encoding.

pub mod address;
pub mod body;
pub(crate) mod body_memory;
pub mod compression;
pub mod connection;
pub mod cors;
pub(crate) mod date;
pub(crate) mod dispatch;
pub mod fields;
pub mod format;
pub mod listener;
pub mod metrics;
pub(crate) mod multipart;
pub mod path;
pub mod percent;
pub mod query;
pub mod request;
pub mod response;
pub mod router;
pub mod service;
pub mod stream;
pub mod tls;
mod zstd;

pub use fields::Fields;
pub use format::{Format, accepts};
pub use request::{BodyValue, Request};
pub use response::{Response, content_type};
pub use router::{Access, Action, Continuation, Outcome, Route, Router, Verb};
pub use stream::ChunkSource;
