//! Traces of requests, as OpenTelemetry defines them.
//!
//! A [`Tracer`] decides which requests are traced. A [`Span`] is a piece of work with a time, a
//! parent and attributes. Ended spans wait in a bounded queue, from which a thread sends them to a
//! collector (`export`, in the form of `otlp`). A full queue drops spans and counts them, so no
//! request ever waits.

mod context;
mod record;
mod shared;
mod otlp;
mod span;
mod export;
mod tracer;
#[cfg(test)]
mod tests;

pub use context::Context;
pub use record::{Kind, Value};
pub use shared::TracerOptions;
pub use span::{Span, Trace};
pub use tracer::{Statistics, Tracer};
