//! JavaScript of users in the server.
//!
//! `thread`: an isolate on a thread of its own. `functions`: functions that users write, in
//! queries. `check`: checks code before it is stored. `host`: the environment that both see, which
//! is nearly empty. `log_allowance`: the limit of their messages. `user_functions`: the definitions
//! of functions. `tasks`: the rights on scripts that run later.

mod check;
mod functions;
mod host;
mod log_allowance;
mod tasks;
mod thread;
mod user_functions;

pub(crate) use check::{check_command, check_function};
pub(crate) use functions::QueryFunctions;
pub use log_allowance::LogAllowance;
pub use thread::{Call, IsolateThread, Life, ended, text};
