//! JavaScript of users in the server.
//!
//! `thread`: an isolate on a thread of its own. `functions`: functions that users write, in
//! queries. `host`: the world that they see, which is nearly nothing.

mod functions;
mod host;
pub(crate) mod options;
mod thread;

pub(crate) use functions::{QueryFunctions, check_function};
pub use thread::{Call, IsolateThread, ended, text};
