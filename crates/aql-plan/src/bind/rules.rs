//! The rules of collections that restrict the user of the query.
//!
//! A loop over a restricted collection becomes the loop, a filter with the rule's condition, and a
//! calculation of the masked document, which is the one that the query names. The optimizer treats
//! the filter like any other, so indexes serve it. Attributes in which nothing is masked are read
//! from the stored document, so that indexes serve conditions on them, too.

use std::sync::Arc;

use aql_value::Value;
use errors::{Error, ErrorCode, Result};

use super::{Binder, Statement};
use crate::catalog::{CollectionReference, MaskedAttributes, UserRules, ViewInfo};
use crate::expression::Expression;
use crate::variable::VariableId;

/// The names of the bind parameters of a condition.
const DOCUMENT: &str = "doc";
const USER: &str = "user";

/// The meaning of bind parameters while the condition of a rule is bound.
pub(super) struct RuleContext {
    document: VariableId,
    user: Value,
}

/// A document with masked attributes.
pub(super) struct MaskedDocument {
    /// The variable of the stored document.
    stored: VariableId,
    rules: Arc<UserRules>,
}

impl Binder<'_> {
    /// Returns the variable that a loop sets to the stored document: that of the query, or one of
    /// its own if attributes are masked.
    pub(super) fn stored_document(&mut self, named: VariableId, rules: Option<&UserRules>) -> VariableId {
        match rules {
            Some(rules) if !rules.masked.is_empty() => self.variables.add_temporary(),
            _ => named,
        }
    }

    /// Adds the statements after a loop over a restricted collection. `named` is the variable of
    /// the query, and `stored` that of [`Self::stored_document`].
    pub(super) fn apply_rules(
        &mut self,
        collection: &CollectionReference,
        rules: &Arc<UserRules>,
        stored: VariableId,
        named: VariableId,
    ) -> Result<()> {
        self.ruled.push(collection.id);
        if let Some(condition) = &rules.condition {
            let context = RuleContext { document: stored, user: rules.user.clone() };
            let outer = self.rule.replace(context);
            let bound = self.expression(condition);
            self.rule = outer;
            self.output.push(Statement::Rule(bound?));
        }
        if stored != named {
            let name = Expression::Constant(Value::from_str(&collection.name));
            let arguments = vec![Expression::Variable(stored), name];
            let value = Expression::Call { function: aql_functions::masked_document(), arguments };
            self.output.push(Statement::Let { out: named, value });
            self.masked.insert(named, MaskedDocument { stored, rules: Arc::clone(rules) });
        }
        Ok(())
    }

    /// Returns the meaning of a bind parameter in a rule; `None` outside of rules.
    ///
    /// Errors: 1551 for a parameter that rules do not have.
    pub(super) fn rule_parameter(&self, name: &str) -> Option<Result<Expression>> {
        let rule = self.rule.as_ref()?;
        Some(match name {
            DOCUMENT => Ok(Expression::Variable(rule.document)),
            USER => Ok(Expression::Constant(rule.user.clone())),
            _ => Err(crate::error::parameter_missing(name)),
        })
    }

    /// Returns an attribute of a value: that of the stored document, if nothing in it is masked.
    pub(super) fn attribute(&self, base: Expression, name: &str) -> Expression {
        let base = match base.as_variable().and_then(|id| self.masked.get(&id)) {
            Some(document) if !document.rules.masked.includes(name) => Expression::Variable(document.stored),
            _ => base,
        };
        Expression::Attribute { base: Box::new(base), name: name.into() }
    }

    /// Adds the filter after a search of restricted collections. The search itself finds only
    /// visible documents, once their documents are read; the filter makes it read them at once.
    ///
    /// Errors: 11 if the condition of the search reads masked attributes.
    pub(super) fn apply_view_rules(
        &mut self,
        view: &ViewInfo,
        condition: Option<&Expression>,
        out: VariableId,
    ) -> Result<()> {
        for index in &view.indexes {
            let name = &index.collection.name;
            let Some(rules) = self.sources.rules(name).filter(|rules| !rules.masked.is_empty()) else {
                continue;
            };
            if let Some(attribute) =
                condition.and_then(|condition| masked_read(condition, out, &rules.masked))
            {
                let message = format!(
                    "forbidden: the rules of collection '{name}' mask attribute '{attribute}' for the user, so it cannot be searched"
                );
                return Err(Error::new(ErrorCode::Forbidden, message));
            }
        }
        let function = aql_functions::visible_document();
        let visible = Expression::Call { function, arguments: vec![Expression::Variable(out)] };
        self.output.push(Statement::Rule(visible));
        Ok(())
    }
}

/// Returns the name of the first masked attribute of a document that an expression reads. It is `*`
/// if the expression reads the whole document.
fn masked_read(expression: &Expression, document: VariableId, masked: &MaskedAttributes) -> Option<String> {
    let is_document = |base: &Expression| base.as_variable() == Some(document);
    match expression {
        Expression::Attribute { base, name } if is_document(base) => {
            masked.includes(name).then(|| name.to_string())
        }
        Expression::Index { base, index } if is_document(base) => match index.as_constant() {
            Some(name) if name.as_str().is_some_and(|name| !masked.includes(name)) => None,
            Some(name) => Some(name.cast_string().into_owned()),
            None => Some("*".to_owned()),
        },
        Expression::Variable(id) if *id == document => Some("*".to_owned()),
        other => {
            let mut found = None;
            other.for_each_child(&mut |child| {
                found = found.take().or_else(|| masked_read(child, document, masked));
            });
            found
        }
    }
}
