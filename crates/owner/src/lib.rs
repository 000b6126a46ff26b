//! The owner of a computation: who can end it, and who pays for it.
//!
//! - [`Interrupt`]: ends a query, a request or a task, by a kill or at its deadline.
//! - [`Budget`]: the time that work may take on its current thread.
//! - [`MemoryAccount`], [`Charge`]: the memory that a query keeps, and its limit.
//! - [`ThreadMeter`]: charges the growth of a thread that no code has accounted for.
//! - [`Owner`]: the interrupt and the account of one computation.
//! - [`activity`]: the request or query that a thread works for, by number.
//! - [`share`]: the part of something limited that one user may hold.
//! - [`waiting`]: threads that wait, of which their pool is told.
//!
//! Every crate that computes for long takes one of these as a parameter.

pub mod activity;
pub mod share;
pub mod waiting;
mod memory;
mod thread_meter;
mod interrupt;
pub mod budget;
mod owner;

pub use budget::Budget;
pub use interrupt::Interrupt;
pub use memory::{Charge, MemoryAccount};
pub use owner::Owner;
pub use thread_meter::ThreadMeter;
pub use waiting::Waiting;
