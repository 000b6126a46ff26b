//! Algorithms over whole graphs: a PageRank, components, communities, centralities, paths.
//!
//! A [`Graph`] has its vertices as numbers from 0 and the edges of each as one row of an
//! [`Adjacency`]. [`ALGORITHMS`] lists what can be computed; [`Algorithm::run`] computes it and
//! answers a [`Table`]. Callers load graphs, name vertices and store results; this crate knows
//! neither documents nor HTTP.
//!
//! # Invariants
//!
//! 1. **Deterministic.** The same graph, parameters and seed give the same result with any number
//!    of threads. Sums of floating-point numbers are made of parts of fixed size, in order
//!    ([`parallel::sum`]).
//! 2. **Owned.** Every loop checks the interrupt of its [`Work`] within a few thousand edges, and
//!    every array of the size of the graph is charged before it is allocated.
//! 3. **Bounded.** Every parameter has a range, and no recursion depends on the graph.
//!
//! Parallel loops run on the rayon pool in which the caller runs the algorithm.

mod work;
pub mod parallel;
mod column;
mod table;
pub mod graph;
mod parameters;
mod algorithm;
mod algorithms;
#[cfg(test)]
mod testing;

pub use algorithm::Algorithm;
pub use algorithms::{ALGORITHMS, find};
pub use column::{Column, Labels, Lists, NO_COUNT, NO_VERTEX};
pub use graph::{Adjacency, Edge, EdgeRuns, Graph};
pub use parameters::{Kind, Parameter, Parameters, Resolve};
pub use table::{Statistic, Table};
pub use work::Work;
