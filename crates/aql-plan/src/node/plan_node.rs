//! The trait that every kind of node implements.

use super::NodePrinter;
use crate::expression::Expression;
use crate::variable::VariableId;

/// A kind of node: its name, the variables that it reads and sets, its expressions and its text.
///
/// The default methods are for kinds without such variables or expressions. A visitor and its twin
/// with `_mut` visit the same things in the same order, unless the kind says otherwise.
pub(crate) trait PlanNode {
    /// Returns the name of the kind: ArangoDB's, without its ending `Node`.
    fn name(&self) -> &'static str;

    /// Returns the node as one line of a golden file or log; the nodes of a subquery follow it.
    fn print(&self, printer: &NodePrinter<'_>) -> String;

    /// Returns the effect of the node on rows.
    fn role(&self) -> Role {
        Role::Other
    }

    /// Returns the variables that the node sets for the nodes after it.
    fn sets(&self) -> Vec<VariableId> {
        Vec::new()
    }

    /// Returns the variables that the node sets only while it evaluates its own expressions.
    ///
    /// The list may also contain variables that [`PlanNode::sets`] returns.
    fn locals(&self) -> Vec<VariableId> {
        Vec::new()
    }

    /// Calls `visit` with each variable that the node reads outside of expressions.
    fn for_each_direct_read(&self, _visit: &mut dyn FnMut(VariableId)) {}

    /// Calls `visit` with each variable that the node reads outside of expressions, to change it.
    fn for_each_direct_read_mut(&mut self, _visit: &mut dyn FnMut(&mut VariableId)) {}

    /// Calls `visit` with each expression of the node, but not with those of a subquery's nodes.
    fn for_each_expression<'a>(&'a self, _visit: &mut dyn FnMut(&'a Expression)) {}

    /// Calls `visit` with each expression of the node, to change it.
    fn for_each_expression_mut(&mut self, _visit: &mut dyn FnMut(&mut Expression)) {}
}

/// The effect of a node on rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Makes any number of rows of one.
    Loop,
    /// Groups rows: only variables that it sets or keeps remain.
    Grouping,
    /// Writes a document for each row.
    Modification,
    /// Anything else.
    Other,
}
