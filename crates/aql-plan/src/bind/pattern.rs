//! Destructuring in LET and FOR: `LET [a, {b}] = value`.

use aql_syntax::ast::{Pattern, PatternKind};
use aql_value::Value;
use errors::Result;

use super::{Binder, Statement};
use crate::expression::Expression;
use crate::variable::VariableId;

impl Binder<'_> {
    /// Returns the variable that takes the whole value: the pattern itself, or a new one for
    /// [`Self::destructure`].
    pub(super) fn declare_target(&mut self, pattern: &Pattern) -> Result<VariableId> {
        match pattern.as_variable() {
            Some(identifier) => self.scopes.declare(&identifier.name, &mut self.variables),
            None => Ok(self.variables.add_temporary()),
        }
    }

    /// Sets the variables of the pattern to the parts of `value`.
    pub(super) fn destructure(&mut self, pattern: &Pattern, value: &Expression) -> Result<()> {
        match &pattern.kind {
            PatternKind::Variable(_) => Ok(()),
            PatternKind::Array(elements) => {
                for (position, element) in elements.iter().enumerate() {
                    let Some(element) = element else { continue };
                    let index = i64::try_from(position).unwrap_or(i64::MAX);
                    let index = Box::new(Expression::Constant(Value::Int(index)));
                    self.assign(element, Expression::Index { base: Box::new(value.clone()), index })?;
                }
                Ok(())
            }
            PatternKind::Object(members) => members.iter().try_for_each(|member| {
                let attribute = self.attribute(value.clone(), &member.attribute);
                self.assign(&member.target, attribute)
            }),
        }
    }

    fn assign(&mut self, target: &Pattern, value: Expression) -> Result<()> {
        match target.as_variable() {
            Some(identifier) => {
                let out = self.scopes.declare(&identifier.name, &mut self.variables)?;
                self.output.push(Statement::Let { out, value });
                Ok(())
            }
            None => {
                let whole = Expression::Variable(self.materialize(value));
                self.destructure(target, &whole)
            }
        }
    }
}
