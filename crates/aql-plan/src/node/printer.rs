//! The parts that the texts of several kinds of nodes share.

use crate::expression::{Expression, variable_text};
use crate::variable::{VariableId, Variables};

/// Prints nodes for golden files and logs.
pub(crate) struct NodePrinter<'a> {
    variables: &'a Variables,
}

impl<'a> NodePrinter<'a> {
    /// Creates a printer for nodes that use these variables.
    pub(crate) fn new(variables: &'a Variables) -> Self {
        Self { variables }
    }

    /// Returns the name of a variable.
    pub(super) fn name(&self, id: VariableId) -> String {
        variable_text(self.variables, id)
    }

    /// Returns an expression as text.
    pub(super) fn text(&self, expression: &Expression) -> String {
        expression.to_text(self.variables)
    }

    /// Returns a title and the name of a variable, or nothing without a variable.
    pub(super) fn titled_name(&self, title: &str, id: Option<VariableId>) -> String {
        id.map(|id| format!("{title}{}", self.name(id))).unwrap_or_default()
    }

    /// Returns a title and an expression, or nothing without an expression.
    pub(super) fn titled_text(&self, title: &str, expression: Option<&Expression>) -> String {
        expression.map(|expression| format!("{title}{}", self.text(expression))).unwrap_or_default()
    }
}

/// Returns the text if the flag is set, and nothing otherwise.
pub(super) fn flag(text: &str, is_set: bool) -> &str {
    if is_set { text } else { "" }
}

/// Returns a title and a list separated by commas, or nothing without items.
pub(super) fn listed(title: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { String::new() } else { format!("{title}{}", items.join(", ")) }
}
