//! JavaScript of users in the server.
//!
//! `thread`: an isolate on a thread of its own. `functions`: functions that users write, in
//! queries. `check`: code before it is stored. `host`: the world that both see, which is nearly
//! nothing.

mod check;
mod functions;
mod host;
pub(crate) mod options;
mod thread;

pub(crate) use check::{check_command, check_function};
pub(crate) use functions::QueryFunctions;
pub use thread::{Call, IsolateThread, ended, text};
