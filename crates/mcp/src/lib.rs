//! The Model Context Protocol (MCP) without a transport and without a database.
//!
//! - [`answer`] reads the body of one request with its headers, and returns the reply. It speaks
//!   the stateless revision 2026-07-28 and the three revisions before it, which begin with a
//!   handshake.
//! - [`Host`] is the interface to the program that has the tools.
//! - [`Tool`] describes a tool as data, and [`Arguments`] reads what a model passed to it.
//! - [`Inference`] infers the attributes of documents, [`Printer`] shortens values, and
//!   [`aql_reference`] and [`hint`] tell a model about AQL.
//!
//! Source: the specification at modelcontextprotocol.io, revisions 2025-03-26, 2025-06-18,
//! 2025-11-25 and 2026-07-28.

mod writer;
mod message;
mod revision;
mod headers;
mod definition;
mod arguments;
mod host;
mod results;
mod reading;
mod prompting;
mod dispatch;
mod printer;
mod schema_inference;
mod hints;
pub mod aql_reference;

pub use arguments::{ArgumentError, Arguments};
pub use definition::{Effect, Parameter, Prompt, PromptArgument, Resource, Template, Tool};
pub use dispatch::{Answer, BODY_MAX_BYTES, answer};
pub use hints::{closest, hint};
pub use host::{Call, Completion, Contents, Host, Outcome};
pub use message::Failure;
pub use printer::Printer;
pub use revision::Revision;
pub use schema_inference::Inference;
pub use writer::{Array, Object};

/// The rules of AQL that models break most, which clients give to the model at the start.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");
