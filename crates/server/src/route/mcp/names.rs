//! Conditions and lists of attributes from a model, as parts of queries that tools write.

use mcp::Arguments;
use velocypack::Slice;

use super::failure::ToolError;
use crate::http::Fields;

/// Bytes of the longest condition.
const CONDITION_MAX_BYTES: usize = 16 << 10;

/// The beginning of the names of the parameters that tools bind themselves.
pub(super) const OWN: &str = "mcp_";

/// The condition that a model adds to the query of a tool, and the values of its parameters.
pub(super) struct Condition<'c> {
    text: Option<&'c str>,
    bind_vars: Slice<'c>,
}

impl<'c> Condition<'c> {
    /// Reads the arguments `filter` and `bind_vars`.
    pub(super) fn of(arguments: &Arguments<'c>) -> Result<Self, ToolError> {
        let text = arguments.text("filter")?.filter(|text| !text.trim().is_empty());
        if text.is_some_and(|text| text.len() > CONDITION_MAX_BYTES) {
            return Err(ToolError::Argument(format!("'filter' is longer than {CONDITION_MAX_BYTES} bytes")));
        }
        let bind_vars = arguments.object("bind_vars")?;
        if let Some((name, _)) = bind_vars.entries().find(|(name, _)| name.starts_with(OWN)) {
            return Err(ToolError::Argument(format!("'{name}' is a name of the tool; choose another")));
        }
        Ok(Condition { text, bind_vars })
    }

    /// Returns the statement, or nothing.
    pub(super) fn statement(&self) -> String {
        self.text.map_or_else(String::new, |text| format!("FILTER ({text}\n)\n"))
    }

    /// Adds the values of the parameters.
    pub(super) fn bind(&self, fields: &mut Fields<'_>) {
        for (name, value) in self.bind_vars.entries() {
            fields.value(name, value);
        }
    }
}

/// The attributes of documents that a tool returns: all of them unless the call names some.
pub(super) struct Returned<'r>(Vec<&'r str>);

impl<'r> Returned<'r> {
    /// The most attributes of a call.
    const MAX: usize = 100;

    /// Reads the argument `return_fields`.
    pub(super) fn of(arguments: &Arguments<'r>) -> Result<Self, ToolError> {
        Ok(Returned(arguments.texts("return_fields", Self::MAX)?))
    }

    /// Returns an expression for a document.
    pub(super) fn expression(&self, document: &str) -> String {
        match self.0.is_empty() {
            true => document.to_owned(),
            false => format!("KEEP({document}, APPEND([\"_id\"], @mcp_return))"),
        }
    }

    /// Adds the value of the parameter.
    pub(super) fn bind(&self, fields: &mut Fields<'_>) {
        if self.0.is_empty() {
            return;
        }
        fields.list("mcp_return", |fields| {
            for name in &self.0 {
                fields.text_element(name);
            }
        });
    }
}
