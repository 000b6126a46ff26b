//! Binding of UPSERT.

use super::{Binder, Statement, UpsertStatement};
use crate::error;
use crate::expression::{CompareOperator, Expression, MemberName};
use crate::variable::VariableId;
use aql_syntax::ast::{self, UpsertSearch, WriteMode};
use aql_value::Result;

impl Binder<'_> {
    pub(super) fn upsert(&mut self, statement: &ast::Upsert) -> Result<()> {
        let candidate = self.variables.add_temporary();
        self.set_full_document(candidate);
        let lookup = match &statement.search {
            UpsertSearch::Example(example) => self.example(candidate, example)?,
            UpsertSearch::Filter(condition) => {
                self.aside(|binder| {
                    let outer = binder.candidate.replace(candidate);
                    let condition = binder.expression(condition);
                    binder.candidate = outer;
                    binder.output.push(Statement::Filter(condition?));
                    Ok(())
                })?
                .1
            }
        };
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

    /// Binds something whose hoisted statements belong somewhere else than before the current statement.
    pub(super) fn aside<T>(
        &mut self,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<Statement>)> {
        let outer = std::mem::take(&mut self.output);
        let bound = bind(self);
        let statements = std::mem::replace(&mut self.output, outer);
        Ok((bound?, statements))
    }

    /// Filters that hold for documents which have the attributes of the example.
    fn example(&mut self, candidate: VariableId, example: &ast::Expression) -> Result<Vec<Statement>> {
        let invalid =
            || error::parse("UPSERT needs an object literal with literal attribute names to search by");
        let members: Vec<(Box<str>, Expression)> = match self.expression(example)? {
            Expression::Constant(object) if object.is_object() => {
                let entries = object.entries();
                entries.map(|(name, value)| (Box::from(name), Expression::Constant(value))).collect()
            }
            Expression::Object(members) => {
                let members = members.into_iter().map(|member| match member.name {
                    MemberName::Fixed(name) => Ok((name, member.value)),
                    MemberName::Computed(_) => Err(invalid()),
                });
                members.collect::<Result<_>>()?
            }
            _ => return Err(invalid()),
        };
        let filters = members.into_iter().map(|(name, value)| {
            let left = Expression::Attribute { base: Box::new(Expression::Variable(candidate)), name };
            let operator = CompareOperator::Equal;
            Statement::Filter(Expression::Compare { operator, left: Box::new(left), right: Box::new(value) })
        });
        Ok(filters.collect())
    }
}
