//! Literals with `...`: calls of functions over the parts before, of and after each spread.

use std::collections::HashSet;

use aql_syntax::ast::{self, ExpressionKind};
use errors::Result;

use super::Binder;
use crate::expression::{Expression, MemberName, ObjectMember};

impl Binder<'_> {
    /// Binds `[a, ...b, c]` as the elements of `[a]`, `b` and `[c]`.
    pub(super) fn spread_array(&mut self, members: &[ast::Expression]) -> Result<Expression> {
        let mut parts = Vec::new();
        let mut plain = Vec::new();
        for member in members {
            match &member.kind {
                ExpressionKind::Spread(operand) => {
                    self.end_array(&mut plain, &mut parts)?;
                    parts.push(self.expression(operand)?);
                }
                _ => plain.push(self.expression(member)?),
            }
        }
        self.end_array(&mut plain, &mut parts)?;
        Ok(Expression::Call { function: aql_functions::array_spread(), arguments: parts })
    }

    fn end_array(&mut self, plain: &mut Vec<Expression>, parts: &mut Vec<Expression>) -> Result<()> {
        if !plain.is_empty() {
            parts.push(self.fold(Expression::Array(std::mem::take(plain)))?);
        }
        Ok(())
    }

    /// Binds `{a: 1, ...b, c: 2}` as the attributes of `{a: 1}`, `b` and `{c: 2}`.
    ///
    /// Of attributes with the same name the last counts, but within an object literal the first. So
    /// a member whose name may occur before begins a new part.
    pub(super) fn spread_object(&mut self, members: &[ast::ObjectMember]) -> Result<Expression> {
        let mut parts = Vec::new();
        let mut plain: Vec<ObjectMember> = Vec::new();
        let mut names = HashSet::new();
        for member in members {
            if matches!(member.key, ast::ObjectKey::Spread) {
                self.end_object(&mut plain, &mut parts)?;
                parts.push(self.expression(&member.value)?);
                continue;
            }
            let member = self.member(member)?;
            let is_new = match &member.name {
                MemberName::Fixed(name) => names.insert(name.clone()),
                MemberName::Computed(_) => false,
            };
            if !is_new {
                self.end_object(&mut plain, &mut parts)?;
            }
            plain.push(member);
        }
        self.end_object(&mut plain, &mut parts)?;
        Ok(Expression::Call { function: aql_functions::object_spread(), arguments: parts })
    }

    fn end_object(&mut self, plain: &mut Vec<ObjectMember>, parts: &mut Vec<Expression>) -> Result<()> {
        if !plain.is_empty() {
            parts.push(self.fold(Expression::Object(std::mem::take(plain)))?);
        }
        Ok(())
    }
}
