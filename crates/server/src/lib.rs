//! HTTP: the listener, the router, the codecs, and one file of routes for each family of calls.
//!
//! The path of a request: [`http::listener`] → `http::connection` → `http::service` →
//! `http::dispatch` → a route under `route` → [`http::response`]. Async ends at the route: a route
//! is a function that takes a [`database::Session`] and a [`http::Request`] and returns a
//! [`http::Response`].
//!
//! Lower modules do not depend on higher ones. From the bottom: [`placement`] (the threads that
//! work runs on), [`http`], `service` (small services), `route` (the clients' calls), and
//! [`server`], which joins all of them.

pub mod placement;
pub mod version;
pub mod http;
pub mod service;
pub mod options;
mod route;
pub mod server;

pub use arrow_format::panics_are_errors;
pub use options::{ApiAccess, HttpOptions, McpOptions, RootRedirect, ServerOptions};
pub use route::crashes::system_info;
pub use server::Server;
pub use service::foxx_network::ServiceNetwork;
