//! The common part of searches: a further condition, the attributes to return, and a limit.

use mcp::{Arguments, Object, Parameter, Printer};

use super::context::Context;
use super::failure::{ToolError, ToolResult};
use super::limits::Limits;
use super::names::{Condition, Returned};
use super::run::{bind, run};
use crate::http::Fields;

/// The values of the parameters in the condition.
pub(super) const BIND_VARS: Parameter = Parameter::optional(
    "bind_vars",
    r#"{"type": "object", "description": "The values of the bind parameters of filter"}"#,
);

/// The attributes of documents.
pub(super) const RETURN_FIELDS: Parameter = Parameter::optional(
    "return_fields",
    r#"{"type": "array", "items": {"type": "string"}, "description": "The top-level attributes to return; by default all"}"#,
);

/// The number of documents.
pub(super) const LIMIT: Parameter = Parameter::optional(
    "limit",
    r#"{"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "The most documents to return"}"#,
);

/// The common arguments of a search.
pub(super) struct Search<'s> {
    condition: Condition<'s>,
    pub(super) returned: Returned<'s>,
    limits: Limits,
}

impl<'s> Search<'s> {
    /// Reads the arguments `filter`, `bind_vars`, `return_fields` and `limit`.
    pub(super) fn of(arguments: &Arguments<'s>) -> Result<Self, ToolError> {
        Ok(Search {
            condition: Condition::of(arguments)?,
            returned: Returned::of(arguments)?,
            limits: Limits::of_search(arguments)?,
        })
    }

    /// Returns the statement of the condition, or nothing.
    pub(super) fn condition(&self) -> String {
        self.condition.statement()
    }

    /// Runs a query whose LIMIT is `@mcp_limit`, and answers with its rows, what `describe` adds,
    /// and its text. `bind_own` adds the query's other parameters.
    pub(super) fn run(
        self,
        context: Context<'_>,
        aql: &str,
        bind_own: impl FnOnce(&mut Fields<'_>),
        describe: impl FnOnce(&mut Object<'_>),
    ) -> ToolResult {
        let bind_vars = bind(|fields| {
            fields.number("mcp_limit", self.limits.row_to_see_more());
            bind_own(fields);
            self.condition.bind(fields);
            self.returned.bind(fields);
        })?;
        let rows = run(context, aql, &bind_vars, self.limits)?;
        Ok(Object::whole(|object| {
            rows.print(Printer::default(), object);
            describe(object);
            object.text("aql", aql);
        }))
    }
}
