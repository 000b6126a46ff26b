//! `EXISTS()`.

use aql_plan::SearchField;
use aql_value::Value;
use errors::Result;
use search::{Presence, Query};

use super::super::value::Arguments;
use super::{Compiler, Scope, any_of};

impl Compiler<'_> {
    /// Returns the query of `EXISTS(field)`, `EXISTS(field, type)` or `EXISTS(field, "analyzer",
    /// name)`.
    pub(super) fn exists(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        let name = if arguments.len() == 0 { None } else { Some(arguments.text(0)?) };
        let path = match name {
            Some("nested") => self.fields.nested(field),
            _ => self.fields.presence(field),
        };
        let present = |presence| path.clone().map_or(Query::None, |path| Query::Exists(path, presence));
        let Some(name) = name else { return Ok(present(Presence::Any)) };
        Ok(match name {
            "null" => present(Presence::Null),
            "bool" | "boolean" => present(Presence::Bool),
            "numeric" => present(Presence::Numeric),
            "string" => present(Presence::String),
            "nested" => present(Presence::Nested),
            "type" => {
                any_of([Presence::Null, Presence::Bool, Presence::Numeric].map(present).into_iter().collect())
            }
            "analyzer" => {
                let scope = self.scope_of(arguments.given(1), arguments, scope)?;
                self.on_field(field, &scope, |field| present(Presence::Analyzer(field.analysis.name.clone())))
            }
            _ => {
                let types = "'null', 'bool', 'numeric', 'type', 'string', 'analyzer' or 'nested'";
                return Err(arguments.invalid(0, types));
            }
        })
    }
}
