//! HTTP: the listener, the router, the codecs, and one file of routes for each family of calls.
//!
//! The way of a request: [`http::listener`] → `http::connection` → `http::service` → `http::dispatch` → a route under
//! `route` → [`http::response`]. Async ends at the route: a route is a function that takes a [`database::Session`] and
//! a [`http::Request`] and returns a [`http::Response`].
//!
//! Lower parts do not know upper ones: [`placement`] (where work runs), [`http`], `service` (small services),
//! `route` (what clients call), and [`server`], which puts all of them together.

pub mod http;
pub mod options;
pub mod placement;
mod route;
pub mod server;
pub mod service;
pub mod version;

pub use options::{ApiAccess, HttpOptions, ServerOptions};
pub use server::Server;
