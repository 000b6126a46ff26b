//! What nodes of graph queries read and set.

use crate::expression::Expression;
use crate::node::{EnumeratePaths, GraphAccess, Prune, StepCondition, Traversal};
use crate::variable::VariableId;
use crate::variable_set::VariableSet;

impl Traversal {
    /// The variables that the node sets for later nodes.
    pub fn sets(&self) -> Vec<VariableId> {
        let vertex = self.vertex_out.filter(|_| self.vertex_projections.is_empty());
        let edge = self.edge_out.filter(|_| self.edge_projections.is_empty());
        let projections = self.vertex_projections.iter().chain(&self.edge_projections);
        let others =
            [vertex, edge, self.path.map(|path| path.out), self.prune.as_ref().and_then(|prune| prune.out)];
        others.into_iter().flatten().chain(projections.map(|projection| projection.out)).collect()
    }

    /// Adds the variables that the expressions of the node read from the outer row.
    pub(super) fn collect_reads(&self, reads: &mut VariableSet) {
        self.graph.collect_reads(reads);
        self.conditions.iter().for_each(|condition| condition.collect_reads(reads));
        if let Some(prune) = &self.prune {
            prune.collect_reads(reads);
        }
        if let Some(filter) = &self.output_filter {
            add_outer(filter, self.vertex_out.into_iter().chain(self.edge_out), reads);
        }
    }

    pub(super) fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.graph.for_each_expression(visit);
        self.prune.iter().for_each(|prune| visit(&prune.condition));
        self.conditions.iter().for_each(|condition| visit(&condition.condition));
        self.output_filter.iter().for_each(visit);
    }

    pub(super) fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.graph.for_each_expression_mut(visit);
        self.prune.iter_mut().for_each(|prune| visit(&mut prune.condition));
        self.conditions.iter_mut().for_each(|condition| visit(&mut condition.condition));
        self.covered.iter_mut().for_each(|covered| visit(&mut covered.condition));
        self.output_filter.iter_mut().for_each(visit);
    }
}

impl Prune {
    /// The variables that the node sets while the condition is evaluated.
    pub fn inputs(&self) -> impl Iterator<Item = VariableId> {
        [self.vertex, self.edge, self.path.map(|path| path.out)].into_iter().flatten()
    }

    fn collect_reads(&self, reads: &mut VariableSet) {
        add_outer(&self.condition, self.inputs(), reads);
    }
}

impl EnumeratePaths {
    /// Adds the variables that the expressions of the node read from the outer row.
    pub(super) fn collect_reads(&self, reads: &mut VariableSet) {
        self.graph.collect_reads(reads);
        self.conditions.iter().for_each(|condition| condition.collect_reads(reads));
    }

    pub(super) fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.graph.for_each_expression(visit);
        self.conditions.iter().for_each(|condition| visit(&condition.condition));
    }

    pub(super) fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.graph.for_each_expression_mut(visit);
        self.conditions.iter_mut().for_each(|condition| visit(&mut condition.condition));
        self.covered.iter_mut().for_each(|covered| visit(&mut covered.condition));
    }
}

impl StepCondition {
    fn collect_reads(&self, reads: &mut VariableSet) {
        add_outer(&self.condition, [self.input], reads);
    }
}

impl GraphAccess {
    /// Adds the variables that look-ups of edges read. They are set by earlier nodes.
    pub(super) fn collect_reads(&self, reads: &mut VariableSet) {
        self.for_each_expression(&mut |expression| expression.collect_variables(reads));
    }

    pub(super) fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        for edges in &self.edges {
            for lookup in
                Some(&edges.lookup).into_iter().chain(edges.at_depth.iter().map(|(_, lookup)| lookup))
            {
                lookup.for_each_expression(visit);
            }
        }
    }

    pub(super) fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        for edges in &mut self.edges {
            let at_depth = edges.at_depth.iter_mut().map(|(_, lookup)| lookup);
            for lookup in Some(&mut edges.lookup).into_iter().chain(at_depth) {
                lookup.for_each_expression_mut(visit);
            }
        }
    }
}

/// Adds the variables of an expression that the node itself does not set for it.
fn add_outer(expression: &Expression, own: impl IntoIterator<Item = VariableId>, reads: &mut VariableSet) {
    let mut variables = expression.variables();
    own.into_iter().for_each(|id| {
        variables.remove(id);
    });
    reads.extend(&variables);
}
