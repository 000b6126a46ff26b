//! AQL at run time: values, and the evaluation of expressions.
//!
//! - [`Value`]: 16 bytes; small values inline, everything else a position in a shared VelocyPack
//!   block.
//! - [`Column`], [`Batch`]: rows in flight between operators, with selection vectors and constant
//!   columns.
//! - [`Program`], [`ProgramBuilder`]: an expression compiled to a flat list of instructions over a
//!   batch.
//! - [`Function`]: a function of AQL; [`EvaluationContext`]: all that an expression may reach while
//!   it runs.
//! - [`Warnings`], [`MemoryAccount`], [`Interrupt`], [`errors::Error`]: the limits of a query, its
//!   warnings and errors.
//!
//! This crate does not depend on syntax, plans or storage. An expression queries the server through
//! [`Environment`].

mod memo;
mod warnings;
pub mod pattern;
mod value;
mod cast;
mod column;
mod rows;
mod environment;
mod merge_sort;
mod batch;
mod context;
mod function;
pub mod program;

pub use batch::{Batch, Register};
pub use column::Column;
pub use context::{EvaluationContext, EvaluationState};
pub use environment::{DocumentName, Environment, NoEnvironment, UserCalls, UserFunctions};
pub use function::{BatchBody, Function, FunctionBody, RowsBody};
pub use memo::Memo;
pub use merge_sort::{merge_sort, order_of};
pub use owner::{
    Budget, Charge, Interrupt, MemoryAccount, Owner, ThreadMeter, Waiting, activity, budget, share, waiting,
};
pub use program::{Program, ProgramBuilder};
pub use rows::{ChangesQuery, GraphQuery, Rows};
pub use value::{BlockBuilder, BoundedBlock, ElementCursor, Elements, Entries, Kind, ShortString, Value};
pub use warnings::{Warning, Warnings};
