//! Binding of function calls.

use aql_syntax::ast::{self, ExpressionKind};
use aql_value::{Function, Value};
use errors::{Error, ErrorCode, Result};

use super::Binder;
use crate::error;
use crate::expression::Expression;

/// The maximum in messages for a function that takes any number of arguments (as in ArangoDB).
const ANY_NUMBER_OF_ARGUMENTS: usize = 65536;

impl Binder<'_> {
    pub(super) fn call(&mut self, call: &ast::FunctionCall) -> Result<Expression> {
        if let Some(value) = self.index_function(call)? {
            return Ok(value);
        }
        if call.name.is_namespaced() {
            return self.user_function(call);
        }
        let function = check_call(call)?;
        if let Some(count) = self.collection_count(function, &call.arguments)? {
            return Ok(count);
        }
        if function.reads_documents && self.sources.has_modified() {
            return Err(error::access_after_modification(format_args!("AQL function {}()", function.name)));
        }
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (position, argument) in call.arguments.iter().enumerate() {
            let may_be_name = position < function.collection_arguments;
            let collection = if may_be_name { self.collection_argument(argument)? } else { None };
            arguments.push(match collection {
                Some(name) => Expression::Constant(Value::from_str(&name)),
                None => self.expression(argument)?,
            });
        }
        Ok(Expression::Call { function, arguments })
    }

    /// Binds the call of a function that a user wrote. It is looked up when the query runs.
    fn user_function(&mut self, call: &ast::FunctionCall) -> Result<Expression> {
        let name = Expression::Constant(Value::from_str(call.name.normalized()));
        let arguments = call.arguments.iter().map(|argument| self.expression(argument));
        let arguments = std::iter::once(Ok(name)).chain(arguments).collect::<Result<_>>()?;
        Ok(Expression::Call { function: aql_functions::user_function(), arguments })
    }

    /// Records the use of the collection that the argument names, and returns its name. `None` if
    /// the argument does not name a collection that exists.
    fn collection_argument(&mut self, argument: &ast::Expression) -> Result<Option<String>> {
        let name = match &argument.kind {
            ExpressionKind::DataSourceBindParameter(name) => self.parameters.data_source(name)?,
            ExpressionKind::Reference(name) if !self.is_variable(name) => name,
            _ => return Ok(None),
        };
        let name = name.to_owned();
        self.sources.read(&name)?;
        Ok(Some(name))
    }

    /// Returns true if the name is a variable or a pseudo variable here.
    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.scopes.lookup(name).is_some()
            || (name == "OLD" && self.scopes.old().is_some())
            || (name == "NEW" && self.scopes.new_document().is_some())
            || (name == "CURRENT" && (self.is_within_brackets() || self.candidate.is_some()))
    }

    /// Binds `LENGTH(collection)`, which counts the collection's documents.
    fn collection_count(
        &mut self,
        function: &Function,
        arguments: &[ast::Expression],
    ) -> Result<Option<Expression>> {
        let [argument] = arguments else { return Ok(None) };
        if !matches!(function.name, "LENGTH" | "COUNT") {
            return Ok(None);
        }
        let Some(name) = self.collection_argument(argument)? else { return Ok(None) };
        let function = aql_functions::lookup("COLLECTION_COUNT")
            .ok_or_else(|| Error::internal("function COLLECTION_COUNT is missing"))?;
        Ok(Some(Expression::Call { function, arguments: vec![Expression::Constant(Value::from_str(&name))] }))
    }
}

/// Returns the function that is called.
///
/// Errors: 1540 and 1541.
pub(super) fn check_call(call: &ast::FunctionCall) -> Result<&'static Function> {
    if call.name.is_namespaced() {
        return Ok(aql_functions::user_function());
    }
    let function = find(&call.name)?;
    check_arity(function, call.arguments.len())?;
    Ok(function)
}

fn find(name: &ast::FunctionName) -> Result<&'static Function> {
    aql_functions::lookup(name.normalized()).ok_or_else(|| {
        Error::new(
            ErrorCode::QueryFunctionNameUnknown,
            format!("usage of unknown function '{}()'", name.normalized()),
        )
    })
}

fn check_arity(function: &Function, count: usize) -> Result<()> {
    if count >= function.min_args && function.max_args.is_none_or(|most| count <= most) {
        return Ok(());
    }
    let most = function.max_args.unwrap_or(ANY_NUMBER_OF_ARGUMENTS);
    Err(error::argument_count(function.name, function.min_args, most))
}
