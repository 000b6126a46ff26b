//! HTTP: the listener, the router, the codecs, and one file of routes for each family of calls.
//!
//! The way of a request: [`http::listener`] → [`http::connection`] → [`http::service`] → [`http::router`] → a route
//! under [`route`] → [`http::response`]. Async ends at the route: a route is a function that takes a [`Session`] and
//! a [`http::Request`] and returns a [`http::Response`].

mod convert;
pub mod error;
pub mod error_number;
pub mod http;
pub mod lifecycle;
pub mod placement;
mod route;
pub mod server;
mod service;
pub mod session;

pub use error::{ApiError, Result};
pub use server::{HttpOptions, Server, ServerOptions};
pub use service::{authentication, jobs, log, machine, recording};
pub use session::Session;
