//! Paths as values.

use aql_value::{BlockBuilder, Register, Value};
use errors::Result;
use velocypack::Builder;

use crate::context::ExecutionContext;

/// The parts of a path; see `aql_plan::PathOutput`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathParts {
    pub(crate) out: Register,
    pub(crate) vertices: bool,
    pub(crate) edges: bool,
    pub(crate) weights: bool,
}

/// The weights of a path.
#[derive(Debug, Clone, Copy)]
pub(in crate::operator) enum PathWeights<'a> {
    /// The weights of a traversal's path: at each vertex the sum of the edges before it.
    Sums(&'a [f64]),
    /// The weight of a search's path: the sum of all its edges.
    Total(f64),
}

/// A builder of path objects.
pub(in crate::operator) struct PathBuilder {
    parts: PathParts,
    block: BlockBuilder,
}

impl PathBuilder {
    /// Creates a builder for about `paths` paths.
    pub(in crate::operator) fn new(parts: PathParts, paths: usize) -> Self {
        Self { parts, block: BlockBuilder::new(paths) }
    }

    /// Adds a path.
    pub(in crate::operator) fn add<'a>(
        &mut self,
        vertices: impl Iterator<Item = &'a Value>,
        edges: impl Iterator<Item = &'a Value>,
        weights: PathWeights<'_>,
    ) -> Result<()> {
        let builder = self.block.builder();
        builder.open_object()?;
        if self.parts.edges {
            builder.key("edges")?;
            add_array(edges, builder)?;
        }
        if self.parts.vertices {
            builder.key("vertices")?;
            add_array(vertices, builder)?;
        }
        match weights {
            _ if !self.parts.weights => {}
            PathWeights::Sums(sums) => {
                builder.key("weights")?;
                builder.open_array()?;
                sums.iter().try_for_each(|sum| number(*sum).append_to(builder))?;
                builder.close()?;
            }
            PathWeights::Total(weight) => {
                builder.key("weight")?;
                number(weight).append_to(builder)?;
            }
        }
        builder.close()?;
        self.block.end_value();
        Ok(())
    }

    /// Checks the memory of the paths built so far. Errors: 32 if it is exhausted.
    pub(in crate::operator) fn check_memory(&self, context: &ExecutionContext) -> Result<()> {
        self.block.check_memory(&context.memory)
    }

    /// Returns the paths in order.
    pub(in crate::operator) fn finish(self) -> Vec<Value> {
        self.block.finish()
    }
}

fn add_array<'a>(values: impl Iterator<Item = &'a Value>, builder: &mut Builder) -> Result<()> {
    builder.open_array()?;
    for value in values {
        value.append_to(builder)?;
    }
    builder.close()?;
    Ok(())
}

/// Converts a weight to a value, an integer if it is whole.
fn number(weight: f64) -> Value {
    let value = Value::from_f64(weight);
    value.as_i64().filter(|_| weight.abs() < 9e15).map_or(value, Value::Int)
}
