//! Tasks: commands in JavaScript that the server runs later, once or again and again.
//!
//! `definition`: a task as a client describes it. `registry`: all tasks, and the one that is due.
//! The program runs them, because their commands send requests. A restart of the server ends all
//! of them, as in ArangoDB.

mod definition;
mod registry;

pub use definition::TaskDefinition;
pub use registry::{DueTask, Task, Tasks};
