//! `optimize-traversals`: moves filters on paths into traversals, so that paths which cannot pass
//! them are not followed. It finds edges by vertex-centric indexes if filters allow.
//!
//! If parts of a path are read, only those are made.
//!
//! Filters on the last vertex or edge become the traversal's output filter. The filters themselves
//! stay until `remove-filter-covered-by-traversal`.

mod classify;
mod lookup;

use aql_plan::{
    CoveredCondition, Expression, Node, NodeKind, PathOutput, Plan, StepCondition, Traversal, Uniqueness,
    VariableSet,
};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::{conditions_after, set_from};
use crate::analysis::path::parts_read_by;
use crate::analysis::pipeline::{Workshop, for_each_pipeline};
use classify::{Classifier, Placement};

pub(super) struct OptimizeTraversals;

impl Rule for OptimizeTraversals {
    fn name(&self) -> &'static str {
        "optimize-traversals"
    }

    fn description(&self) -> &'static str {
        "Moves filters into traversals, so that paths are given up early and edges found by better indexes."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let has_moved = optimize_all(plan, context, &|_| true)?;
        let has_reduced = for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            reduce_paths(nodes, context.interrupt)
        })?;
        Ok(has_moved || has_reduced)
    }

    /// Moves conditions into traversals with global uniqueness. There only one path reaches a
    /// vertex, and conditions on paths decide which, so they belong to the meaning of the query.
    fn apply_disabled(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<()> {
        optimize_all(plan, context, &|node| node.options.unique_vertices == Uniqueness::Global)?;
        Ok(())
    }
}

/// Reduces traversals to the parts of their paths that are read.
fn reduce_paths(nodes: &mut [Node], interrupt: &Interrupt) -> Result<bool> {
    let mut changed = false;
    for position in 0..nodes.len() {
        interrupt.check()?;
        let (before, after) = nodes.split_at_mut(position + 1);
        if let Some(NodeKind::Traversal(node)) = before.last_mut().map(|node| &mut node.kind)
            && let Some(path) = &mut node.path
        {
            let read = parts_read_by(after, path.out);
            let parts =
                PathOutput { vertices: read.vertices, edges: read.edges, weights: read.weights, ..*path };
            if read.any && (parts.vertices, parts.edges) != (path.vertices, path.edges) {
                *path = parts;
                changed = true;
            }
        }
    }
    Ok(changed)
}

fn optimize_all(
    plan: &mut Plan,
    context: &RuleContext<'_>,
    is_wanted: &dyn Fn(&Traversal) -> bool,
) -> Result<bool> {
    for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
        let mut changed = false;
        let mut position = 0;
        while let Some(node) = nodes.get(position) {
            context.interrupt.check()?;
            if let NodeKind::Traversal(traversal) = &node.kind
                && is_wanted(traversal)
            {
                let mut optimizer = Optimizer::new((**traversal).clone(), nodes, position, context);
                let possible = optimizer.take_conditions(nodes, position, workshop)?;
                optimizer.choose_lookups()?;
                changed |= optimizer.changed;
                if let Some(node) = nodes.get_mut(position) {
                    node.kind = NodeKind::Traversal(Box::new(optimizer.node));
                }
                if !possible {
                    nodes.insert(position, workshop.node(NodeKind::NoResults));
                    position += 1;
                }
            }
            position += 1;
        }
        Ok(changed)
    })
}

/// The rewriting of one traversal.
struct Optimizer<'a> {
    node: Traversal,
    context: &'a RuleContext<'a>,
    /// Variables that the traversal and later nodes set.
    unavailable: VariableSet,
    changed: bool,
}

impl<'a> Optimizer<'a> {
    fn new(node: Traversal, nodes: &[Node], position: usize, context: &'a RuleContext<'a>) -> Self {
        Self { node, context, unavailable: set_from(nodes, position), changed: false }
    }

    /// Takes over as many filters after the traversal as possible. Returns false if no path can
    /// satisfy them.
    fn take_conditions(
        &mut self,
        nodes: &[Node],
        position: usize,
        workshop: &mut Workshop<'_>,
    ) -> Result<bool> {
        let mut on_output = Vec::new();
        for condition in conditions_after(nodes, position, self.context.interrupt) {
            for conjunct in condition.expression.into_conjuncts() {
                self.context.interrupt.check()?;
                let classifier = Classifier {
                    node: &self.node,
                    unavailable: &self.unavailable,
                    memory: self.context.memory,
                    interrupt: self.context.interrupt,
                };
                match classifier.classify(&conjunct, workshop)? {
                    Placement::Nowhere => continue,
                    Placement::Impossible => {
                        self.changed = true;
                        return Ok(false);
                    }
                    Placement::Output => on_output.push(conjunct),
                    Placement::Path { step, min_depth, entirely } => {
                        self.node.conditions.extend(step);
                        self.node.min_depth = self.node.min_depth.max(min_depth);
                        self.node.covered.push(CoveredCondition { condition: conjunct, entirely });
                    }
                }
                self.changed = true;
            }
        }
        self.node.output_filter = Expression::conjunction(on_output);
        Ok(true)
    }

    /// Chooses the lookups of edges, and drops conditions on edges that all lookups guarantee.
    ///
    /// Errors: 32 and 1500.
    fn choose_lookups(&mut self) -> Result<()> {
        let conditions: &[StepCondition] = &self.node.conditions;
        let graph = &mut self.node.graph;
        if !conditions.iter().any(|condition| condition.element == aql_plan::PathElement::Edge) {
            return Ok(());
        }
        let hints = &self.node.options.index_hints;
        let guaranteed = lookup::choose(graph, conditions, hints, self.context)?;
        let mut guaranteed = guaranteed.into_iter();
        self.node.conditions.retain(|_| !guaranteed.next().unwrap_or(false));
        Ok(())
    }
}
