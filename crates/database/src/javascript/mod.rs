//! JavaScript of users in the server.
//!
//! `thread`: an isolate on a thread of its own. `functions`: functions that users write, in
//! queries. `check`: code before it is stored. `host`: the world that both see, which is nearly
//! nothing. `log_allowance`: the bound of their messages.

mod check;
mod functions;
mod host;
mod log_allowance;
pub(crate) mod options;
mod thread;

pub(crate) use check::{check_command, check_function};
pub(crate) use functions::QueryFunctions;
pub use log_allowance::LogAllowance;
pub use thread::{Call, IsolateThread, ended, text};
