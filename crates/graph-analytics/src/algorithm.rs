//! The description of an algorithm, from which documentation, parsing and estimates come.

use errors::Result;

use crate::graph::Graph;
use crate::parameters::{Parameter, Parameters};
use crate::table::Table;
use crate::work::Work;

/// An algorithm.
#[derive(Debug)]
pub struct Algorithm {
    /// The name, in camel case.
    pub name: &'static str,
    /// A sentence that says what it computes.
    pub about: &'static str,
    /// The definition: its formula, its source, and its treatment of directions, loops, parallel
    /// edges and weights.
    pub definition: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The columns of its result.
    pub columns: &'static [&'static str],
    /// True if row `i` of its result belongs to vertex `i`.
    pub is_by_vertex: bool,
    /// Returns an upper estimate of the bytes that it needs beside the graph, result included, for
    /// a number of vertices and edges.
    pub memory: fn(vertices: u64, edges: u64) -> u64,
    /// Computes it.
    pub(crate) run: fn(&Graph, &Parameters, &Work) -> Result<Table>,
}

impl Algorithm {
    /// Computes the algorithm on the rayon pool of the calling thread.
    ///
    /// Errors: 10 for parameters that do not fit the graph, 32 beyond the limit of memory, 1500 if
    /// it was ended.
    pub fn run(&self, graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
        work.check()?;
        (self.run)(graph, parameters, work)
    }
}
