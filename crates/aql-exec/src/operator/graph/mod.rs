//! Shared parts of graph operators: finding edges, fetching documents, conditions, paths as values.

mod access;
mod conditions;
mod documents;
mod edges;
mod existence;
mod identity;
mod list_cache;
mod path_host;
mod path_value;
mod reader;
mod rows;
mod start;
mod traversal_host;
mod vertex_centric;

pub(crate) use access::{EdgeAccessProgram, EdgeLookupProgram};
pub(crate) use conditions::{Conditions, StepProgram};
pub(crate) use path_host::{PathPrograms, PathReader, WeightProgram};
pub(crate) use path_value::PathParts;
pub(crate) use reader::GraphReader;
pub(super) use rows::FoundRows;
pub(crate) use rows::{ElementOutput, RowOutputs};
pub(super) use start::{ends_of, vertex_of};
pub(super) use traversal_host::TraversalRowHost;
pub(crate) use traversal_host::{PruneProgram, TraversalPrograms};
