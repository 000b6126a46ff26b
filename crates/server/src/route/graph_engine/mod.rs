//! The interfaces of ArangoDB's Graph Analytics Engine. This server is the engine.
//!
//! - `management`: engines are started and stopped, by the interface of ArangoDB's cloud and by
//!   that of its platform. `engine`: graphs are loaded, algorithms run, and results are stored.
//! - `body`: members of bodies. `algorithms`: the engine's algorithms by our names and parameters.
//!   `print`: replies.
//!
//! Sources: documentation "HTTP API for Graph Analytics Engines", and the engine's description of
//! its messages.

mod body;
mod algorithms;
mod print;
mod engine;
mod management;

use crate::http::route::Route;

/// The routes of engines.
pub(super) const ENGINE_ROUTES: &[Route] = engine::ROUTES;
/// The routes that start and stop engines.
pub(super) const MANAGEMENT_ROUTES: &[Route] = management::ROUTES;
