//! Binding of UPSERT.

use std::collections::HashSet;

use aql_syntax::ast::{self, UpsertSearch, WriteMode};
use aql_value::Value;
use errors::Result;

use super::{Binder, Statement, UpsertStatement};
use crate::error;
use crate::expression::{CompareOperator, Expression, MemberName, ObjectMember};
use crate::variable::VariableId;

impl Binder<'_> {
    pub(super) fn upsert(&mut self, statement: &ast::Upsert) -> Result<()> {
        let candidate = self.variables.add_temporary();
        self.set_full_document(candidate);
        let name = self.data_source_name(&statement.collection)?.to_owned();
        let rules = self.sources.rules(&name);
        let shown = match &rules {
            Some(rules) if !rules.masked.is_empty() => self.variables.add_temporary(),
            _ => candidate,
        };
        let mut lookup = match &rules {
            Some(rules) => {
                let collection = self.sources.name(&name)?.reference;
                self.aside(|binder| binder.apply_rules(&collection, rules, candidate, shown))?.1
            }
            None => Vec::new(),
        };
        lookup.extend(match &statement.search {
            UpsertSearch::Example(example) => self.example(shown, example)?,
            UpsertSearch::Filter(condition) => {
                self.aside(|binder| {
                    let outer = binder.candidate.replace(shown);
                    let condition = binder.expression(condition);
                    binder.candidate = outer;
                    binder.output.push(Statement::Filter(condition?));
                    Ok(())
                })?
                .1
            }
        });
        let options = self.upsert_options(statement.options.as_ref())?;
        let (old, new) = self.declare_old_and_new();
        self.scopes.set_old_and_new(Some(old), None);
        let ((insert, update), before_write) = self.aside(|binder| {
            Ok((binder.expression(&statement.insert)?, binder.expression(&statement.update)?))
        })?;
        let collection = self.modified_collection(&statement.collection, options.modification.exclusive)?;
        self.scopes.set_old_and_new(Some(old), Some(new));
        self.output.push(Statement::Upsert(Box::new(UpsertStatement {
            collection,
            candidate,
            shown,
            lookup,
            lookup_options: options.lookup,
            insert,
            update,
            replace: statement.mode == WriteMode::Replace,
            old,
            new,
            before_write,
            read_own_writes: options.read_own_writes,
            options: options.modification,
        })));
        Ok(())
    }

    /// Binds an expression and returns the statements of its subqueries instead of adding them
    /// before the current statement.
    pub(super) fn aside<T>(
        &mut self,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<Statement>)> {
        let outer = std::mem::take(&mut self.output);
        let bound = bind(self);
        let statements = std::mem::replace(&mut self.output, outer);
        Ok((bound?, statements))
    }

    /// Returns filters for documents that have the attributes of the example.
    ///
    /// As in ArangoDB, the members of an inner object are separate filters, so that documents may
    /// have more attributes there. An inner object that is empty or the value of a parameter is
    /// compared as a whole.
    fn example(&mut self, candidate: VariableId, example: &ast::Expression) -> Result<Vec<Statement>> {
        let invalid =
            || error::parse("UPSERT needs an object literal with literal attribute names to search by");
        let document = Expression::Variable(candidate);
        let mut filters = Vec::new();
        let is_readable = match self.expression(example)? {
            Expression::Constant(object) if object.is_object() => {
                constant_example(&document, &object, &mut filters);
                true
            }
            Expression::Object(members) => literal_example(&document, members, &mut filters),
            _ => false,
        };
        if is_readable { Ok(filters) } else { Err(invalid()) }
    }
}

/// Adds the filters for a literal object; false if an attribute name is not a literal.
fn literal_example(base: &Expression, members: Vec<ObjectMember>, filters: &mut Vec<Statement>) -> bool {
    let mut names = HashSet::new();
    members.into_iter().all(|member| {
        let MemberName::Fixed(name) = member.name else { return false };
        // The first member of a name counts.
        if !names.insert(name.clone()) {
            return true;
        }
        let attribute = Expression::Attribute { base: Box::new(base.clone()), name };
        match member.value {
            Expression::Object(members) if !members.is_empty() => {
                literal_example(&attribute, members, filters)
            }
            value => {
                filters.push(equality(attribute, value));
                true
            }
        }
    })
}

/// Adds the filters for an object that is the value of a parameter.
fn constant_example(base: &Expression, object: &Value, filters: &mut Vec<Statement>) {
    for (name, value) in object.entries() {
        let attribute = Expression::Attribute { base: Box::new(base.clone()), name: Box::from(name) };
        if value.is_object() && !value.is_empty() {
            constant_example(&attribute, &value, filters);
        } else {
            filters.push(equality(attribute, Expression::Constant(value)));
        }
    }
}

fn equality(left: Expression, right: Expression) -> Statement {
    let operator = CompareOperator::Equal;
    Statement::Filter(Expression::Compare { operator, left: Box::new(left), right: Box::new(right) })
}
