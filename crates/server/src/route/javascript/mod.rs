//! Scripts of users that work with data: actions of transactions, commands of tasks, programs.
//!
//! `origin`: the user, client and transaction of a script. `host`: the environment that it sees,
//! which is the server's own routes. `activity`: its requests. `script`: one run within its limits.
//! `transaction`, `tasks` and `execute` start scripts. `shell`: inputs that share their
//! definitions.

pub(super) mod activity;
pub(crate) mod execute;
pub(super) mod host;
pub(super) mod origin;
mod script;
pub(crate) mod shell;
mod tasks;
pub(crate) mod transaction;

pub(crate) use tasks::TaskRunner;
