//! The variables that nodes read and set, and the effects that nodes have.
//!
//! Each kind of node answers for itself ([`PlanNode`]). The functions here work for any node, and
//! include the nodes of subqueries.
//!
//! [`PlanNode`]: crate::node::PlanNode

use crate::expression::Expression;
use crate::node::{DocumentSource, Node, NodeKind, Role};
use crate::variable::VariableId;
use crate::variable_set::VariableSet;

impl NodeKind {
    /// Returns the name of the kind: ArangoDB's, without its ending `Node`.
    pub fn name(&self) -> &'static str {
        self.as_plan_node().name()
    }

    /// Calls `visit` with each variable that the node reads outside of expressions.
    pub fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        self.as_plan_node().for_each_direct_read(visit);
    }

    /// Adds the variables that the node reads. For a subquery: those of the rows around it.
    pub fn collect_reads(&self, reads: &mut VariableSet) {
        self.for_each_direct_read(&mut |id| {
            reads.insert(id);
        });
        let locals = self.as_plan_node().locals();
        if locals.is_empty() {
            self.for_each_expression(&mut |expression| expression.collect_variables(reads));
        } else {
            let mut inner = VariableSet::default();
            self.for_each_expression(&mut |expression| expression.collect_variables(&mut inner));
            locals.into_iter().for_each(|id| {
                inner.remove(id);
            });
            reads.extend(&inner);
        }
        if let Self::Subquery(subquery) = self {
            reads.extend(&reads_of_pipeline(&subquery.nodes));
        }
    }

    /// Returns the variables that the node reads.
    pub fn reads(&self) -> VariableSet {
        let mut reads = VariableSet::default();
        self.collect_reads(&mut reads);
        reads
    }

    /// Returns the variables that the node sets for the nodes after it.
    pub fn sets(&self) -> Vec<VariableId> {
        self.as_plan_node().sets()
    }

    /// Returns true if the node sets the variable for the nodes after it.
    pub fn sets_variable(&self, id: VariableId) -> bool {
        self.sets().contains(&id)
    }

    /// Returns the documents of a scan of a collection or index.
    pub fn source(&self) -> Option<&DocumentSource> {
        match self {
            Self::EnumerateCollection(scan) => Some(&scan.source),
            Self::Index(scan) => Some(&scan.source),
            Self::NearVector(scan) => Some(&scan.source),
            _ => None,
        }
    }

    /// Returns the documents of a scan of a collection or index, to change them.
    pub fn source_mut(&mut self) -> Option<&mut DocumentSource> {
        match self {
            Self::EnumerateCollection(scan) => Some(&mut scan.source),
            Self::Index(scan) => Some(&mut scan.source),
            Self::NearVector(scan) => Some(&mut scan.source),
            _ => None,
        }
    }

    /// Returns true if the node groups: only variables that it sets or keeps remain.
    pub fn is_grouping(&self) -> bool {
        self.as_plan_node().role() == Role::Grouping
    }

    /// Returns true if the node makes any number of rows of one.
    pub fn is_loop(&self) -> bool {
        self.as_plan_node().role() == Role::Loop
    }

    /// Returns true if the node, or a node of its subquery, changes data.
    pub fn is_modification(&self) -> bool {
        match self {
            Self::Subquery(subquery) => subquery.nodes.iter().any(|node| node.kind.is_modification()),
            kind => kind.as_plan_node().role() == Role::Modification,
        }
    }

    /// Returns true if the same inputs give the same outputs, and there is no other effect: no
    /// modification, no function that is not deterministic.
    pub fn is_deterministic(&self) -> bool {
        match self {
            Self::Subquery(subquery) => subquery.nodes.iter().all(|node| node.kind.is_deterministic()),
            kind => {
                // A scan that sees the query's own writes finds something else after each of them.
                !kind.is_modification()
                    && !kind.source().is_some_and(|source| source.read_own_writes)
                    && kind.all_expressions(&|expression| expression.is_deterministic())
            }
        }
    }

    /// Returns true if `test` holds for every expression of the node itself, whatever the nodes of
    /// a subquery have.
    pub fn all_expressions(&self, test: &dyn Fn(&Expression) -> bool) -> bool {
        let mut holds = true;
        self.for_each_expression(&mut |expression| holds = holds && test(expression));
        holds
    }

    /// Calls `visit` with every expression of the node itself, but not with those of a subquery's
    /// nodes.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.as_plan_node().for_each_expression(visit);
    }

    /// Calls `visit` with every expression of the node itself, to change it.
    pub fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        if let Some(node) = self.as_plan_node_mut() {
            node.for_each_expression_mut(visit);
        }
    }

    /// Makes the node, and the nodes of its subquery, read `name(variable)` instead of each
    /// variable.
    pub fn rename_reads(&mut self, name: &dyn Fn(VariableId) -> VariableId) {
        if let Some(node) = self.as_plan_node_mut() {
            node.for_each_direct_read_mut(&mut |id| *id = name(*id));
            node.for_each_expression_mut(&mut |expression| expression.rename_variables(name));
        }
        if let Self::Subquery(subquery) = self {
            subquery.nodes.iter_mut().for_each(|node| node.kind.rename_reads(name));
        }
    }

    /// Returns true if the node, or a node of its subquery, reads the variable outside of
    /// expressions.
    pub fn reads_directly(&self, id: VariableId) -> bool {
        let mut found = false;
        self.for_each_direct_read(&mut |read| found |= read == id);
        if let Self::Subquery(subquery) = self {
            found = found || subquery.nodes.iter().any(|node| node.kind.reads_directly(id));
        }
        found
    }
}

/// Returns the variables that a pipeline reads and does not set itself.
pub fn reads_of_pipeline(nodes: &[Node]) -> VariableSet {
    let mut reads = VariableSet::default();
    nodes.iter().for_each(|node| node.kind.collect_reads(&mut reads));
    nodes.iter().flat_map(|node| node.kind.sets()).for_each(|id| {
        reads.remove(id);
    });
    reads
}

/// Calls `visit` with every node, those of subqueries included, in the order of the pipeline.
pub fn for_each_node<'a>(nodes: &'a [Node], visit: &mut dyn FnMut(&'a Node)) {
    for node in nodes {
        if let NodeKind::Subquery(subquery) = &node.kind {
            for_each_node(&subquery.nodes, visit);
        }
        visit(node);
    }
}
