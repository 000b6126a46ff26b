//! The plan of a query.

use aql_value::{Value, Warning};

use crate::catalog::CollectionReference;
use crate::dataflow::for_each_node;
use crate::expression::Expression;
use crate::node::{Node, NodeKind};
use crate::parameters::OpenParameters;
use crate::variable::Variables;

/// The plan of a query: a linear pipeline, and its demands on the executor.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The nodes from the Singleton to the last one. A query without RETURN ends in a data
    /// modification.
    pub nodes: Vec<Node>,
    /// Variables of the plan and all its subplans.
    pub variables: Variables,
    /// Collections that the query names, each once with its strongest access, sorted by name.
    pub collections: Vec<CollectionUse>,
    /// The query changes data.
    pub is_modification: bool,
    /// Identifiers of collections whose rules for the user are parts of the plan. Its loops may
    /// read all their documents.
    pub ruled_collections: Vec<u64>,
    /// Bind parameters whose values are not part of the plan, but are given when it runs.
    pub parameters: OpenParameters,
    /// The results cache may keep the result: the query is deterministic, only reads, and has no
    /// warnings.
    pub is_cacheable: bool,
    /// Optimizer rules that changed the plan, in the order of application, each once.
    pub rules_applied: Vec<&'static str>,
    /// Warnings of parsing, binding and folding of constants.
    pub warnings: Vec<Warning>,
    /// The next unused node number.
    pub next_node_id: u32,
}

impl Plan {
    /// Returns the plan with the values of its open parameters (by slot) in their places, as
    /// clients see it.
    pub fn with_parameters(&self, values: &[Value]) -> Plan {
        let mut plan = self.clone();
        fill_parameters(&mut plan.nodes, values);
        plan.parameters = OpenParameters::none();
        plan.mark_constants();
        plan
    }

    /// Returns the estimated cost of the whole plan.
    pub fn estimated_cost(&self) -> f64 {
        self.nodes.last().map_or(0.0, |node| node.estimated_cost)
    }

    /// Returns the estimated number of results.
    pub fn estimated_items(&self) -> u64 {
        self.nodes.last().map_or(0, |node| node.estimated_items)
    }

    /// Returns true if the result may be cached: no modification, only cacheable functions, no
    /// warnings.
    pub(crate) fn compute_cacheable(&self) -> bool {
        let mut cacheable = !self.is_modification && self.warnings.is_empty();
        for_each_node(&self.nodes, &mut |node| {
            cacheable = cacheable && node.kind.all_expressions(&|expression| expression.is_cacheable());
        });
        cacheable
    }

    /// Returns true if any node, also of a subquery, passes a test.
    pub fn any_node(&self, test: &dyn Fn(&Node) -> bool) -> bool {
        let mut found = false;
        for_each_node(&self.nodes, &mut |node| found = found || test(node));
        found
    }

    /// Records the values of variables that are constants.
    pub fn mark_constants(&mut self) {
        let variables = &mut self.variables;
        for_each_node(&self.nodes, &mut |node| {
            if let NodeKind::Calculation(calculation) = &node.kind
                && let Expression::Constant(value) = &calculation.expression
                && let Some(variable) = variables.get_mut(calculation.out)
            {
                variable.constant = Some(value.clone());
            }
        });
    }
}

fn fill_parameters(nodes: &mut [Node], values: &[Value]) {
    for node in nodes {
        node.kind.for_each_expression_mut(&mut |expression| expression.fill_parameters(values));
        if let NodeKind::Subquery(subquery) = &mut node.kind {
            fill_parameters(&mut subquery.nodes, values);
        }
    }
}

/// The access of a query to a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionUse {
    /// The collection.
    pub collection: CollectionReference,
    /// The strongest access to it.
    pub access: Access,
}

/// Access to a collection, from weak to strong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Reads.
    Read,
    /// Reads and writes.
    Write,
    /// Reads and writes, locked against other writers.
    Exclusive,
}

impl Access {
    /// Returns ArangoDB's name for the access.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exclusive => "exclusive",
        }
    }
}
