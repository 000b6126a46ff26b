//! Binding of COLLECT.

use aql_syntax::ast;
use errors::{Error, ErrorCode, Result};

use super::{Binder, CollectStatement, IntoExpression, Statement};
use crate::error;
use crate::expression::Expression;
use crate::node::AggregateFunction;
use crate::variable::VariableId;

impl Binder<'_> {
    pub(super) fn collect(&mut self, statement: &ast::Collect) -> Result<()> {
        let keys = statement.groups.iter().map(|group| self.expression(&group.expression));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let outer = self.introduced.len();
        self.introduced.extend(statement.groups.iter().map(|group| group.variable.name.as_str().into()));
        let mut inputs = Vec::with_capacity(statement.aggregates.len());
        for aggregate in &statement.aggregates {
            inputs.push(self.aggregate(aggregate)?);
            self.introduced.push(aggregate.variable.name.as_str().into());
        }
        let into = statement.into.as_ref().map(|into| self.gathered_content(into)).transpose()?;
        self.introduced.truncate(outer);
        let options = self.collect_options(statement.options.as_ref())?;

        let grouped = self.scopes.group();
        let mut groups = Vec::with_capacity(keys.len());
        for (group, key) in statement.groups.iter().zip(keys) {
            groups.push((self.declare(&group.variable)?, key));
        }
        let mut aggregates = Vec::with_capacity(inputs.len());
        for (aggregate, (function, input)) in statement.aggregates.iter().zip(inputs) {
            aggregates.push((self.declare(&aggregate.variable)?, function, input));
        }
        if let Some(count) = &statement.count {
            aggregates.push((self.declare(count)?, AggregateFunction::Length, None));
        }
        let into = match (&statement.into, into) {
            (Some(into), Some(content)) => {
                let content = content.unwrap_or(IntoExpression::Object(grouped.gathered));
                Some((self.declare(&into.variable)?, content))
            }
            _ => None,
        };
        self.output.push(Statement::Collect(Box::new(CollectStatement {
            groups,
            aggregates,
            into,
            kept: grouped.kept,
            method: options.method,
            disable_index: options.disable_index,
        })));
        Ok(())
    }

    pub(super) fn declare(&mut self, identifier: &ast::Identifier) -> Result<VariableId> {
        self.scopes.declare(&identifier.name, &mut self.variables)
    }

    /// Returns the values that INTO gathers; `None` for the variables in scope.
    fn gathered_content(&mut self, into: &ast::CollectInto) -> Result<Option<IntoExpression>> {
        if let Some(expression) = &into.expression {
            return self.expression(expression).map(IntoExpression::Expression).map(Some);
        }
        if into.keep.is_empty() {
            return Ok(None);
        }
        let kept = into.keep.iter().map(|identifier| {
            let id = self
                .scopes
                .lookup(&identifier.name)
                .ok_or_else(|| error::unknown_kept_variable(&identifier.name))?;
            Ok((identifier.name.as_str().into(), id))
        });
        kept.collect::<Result<_>>().map(IntoExpression::Object).map(Some)
    }

    /// Returns the function and its input in each row. `LENGTH` reads nothing, whatever its
    /// argument.
    pub(super) fn aggregate(
        &mut self,
        aggregate: &ast::Aggregate,
    ) -> Result<(AggregateFunction, Option<Expression>)> {
        let name = aggregate.function.normalized();
        let function = AggregateFunction::from_name(name).ok_or_else(|| {
            Error::new(
                ErrorCode::QueryInvalidAggregateExpression,
                format!("invalid aggregate expression: {name}()"),
            )
        })?;
        let mut arguments = aggregate.arguments.iter().map(|argument| self.expression(argument));
        let first = arguments.next().transpose()?;
        let is_length = function == AggregateFunction::Length;
        if arguments.next().is_some() || (first.is_none() && !is_length) {
            let message = format!(
                "invalid number of arguments for function '{name}()', expected number of arguments: minimum: 1, \
                 maximum: 1"
            );
            return Err(Error::new(ErrorCode::QueryFunctionArgumentNumberMismatch, message));
        }
        Ok((function, first.filter(|_| !is_length)))
    }
}
