//! Scripts of users that work with data: actions of transactions and commands of tasks.
//!
//! `origin`: the user, client and transaction of a script. `host`: the world that it sees, which is
//! the server's own routes. `script`: a run within its limits. `transaction` and `tasks` start
//! scripts.

mod host;
mod origin;
mod script;
mod tasks;
pub(crate) mod transaction;

pub(crate) use tasks::TaskRunner;
