//! `STARTS_WITH()` and `LIKE()`.

use aql_plan::SearchField;
use aql_value::Value;
use errors::Result;
use search::{Matcher, Query};

use super::super::value::Arguments;
use super::{Compiler, Scope, any_of, at_least, count_of, wildcard};

impl Compiler<'_> {
    /// Returns the query of `STARTS_WITH(field, prefix)` or `STARTS_WITH(field, prefixes,
    /// minMatchCount)`. A last number limits scoring in ArangoDB, and changes nothing here.
    pub(super) fn starts_with(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        let beginning = |prefix: &str| {
            self.on_field(field, scope, |field| Query::Tokens(field, Matcher::Prefix(prefix.to_owned())))
        };
        let Some(prefixes) = arguments.given(0).filter(|prefixes| prefixes.is_array()) else {
            return Ok(beginning(arguments.text(0)?));
        };
        let queries = prefixes.elements().map(|prefix| {
            let prefix = prefix.as_str().ok_or_else(|| arguments.invalid(0, "an array of strings"))?;
            Ok(beginning(prefix))
        });
        let queries = queries.collect::<Result<Vec<_>>>()?;
        let count = arguments.given(1).map(|count| count_of(count, arguments.function, 3)).transpose()?;
        Ok(at_least(count.unwrap_or(1), queries))
    }

    /// Returns the query of `LIKE(field, pattern)`.
    pub(super) fn like(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        if arguments.given(1).is_some() {
            return Err(arguments.invalid(1, "absent: the Analyzer determines whether case matters"));
        }
        let pattern = arguments.text(0)?;
        let mut queries = Vec::new();
        for found in self.fields.find(field, &scope.analysis) {
            queries.push(match found.analysis.analyzer.definition().kind_name() {
                wildcard::KIND => self.wildcard(field, found, pattern)?,
                _ => Query::Tokens(found, Matcher::Like(pattern.to_owned())),
            });
        }
        Ok(any_of(queries))
    }
}
