//! Binding of loops over views.

use std::sync::Arc;

use aql_syntax::ast;
use aql_value::Value;
use errors::{Error, Result};

use super::options::set_bool;
use super::{Binder, ForView, Statement};
use crate::catalog::ViewInfo;
use crate::error;
use crate::expression::Expression;
use crate::node::{ConditionOptimization, ViewOptions};
use crate::search_condition::SearchCondition;

impl Binder<'_> {
    /// Binds `FOR target IN view SEARCH condition OPTIONS options`.
    pub(super) fn for_view(&mut self, statement: &ast::For, view: Arc<ViewInfo>) -> Result<()> {
        let options = match &statement.options {
            Some(options) => self.view_options(options, &view)?,
            None => ViewOptions::default(),
        };
        self.scopes.enter_loop();
        let out = self.declare_target(&statement.target)?;
        self.set_full_document(out);
        let condition = match &statement.search {
            Some(condition) => Some(self.expression(condition)?),
            None => None,
        };
        if let Some(condition) = &condition {
            SearchCondition::of(condition, out)?;
        }
        let (searched, read) = (Arc::clone(&view), condition.clone().filter(|_| view.is_restricted));
        self.output.push(Statement::ForView(Box::new(ForView { out, view, condition, options })));
        if searched.is_restricted {
            self.apply_view_rules(&searched, read.as_ref(), out)?;
        }
        self.destructure(&statement.target, &Expression::Variable(out))
    }

    /// Returns the options of a search.
    ///
    /// Errors: 10 for a value that an option does not take. Warning 1575 for an unknown option.
    fn view_options(&mut self, options: &ast::Expression, view: &ViewInfo) -> Result<ViewOptions> {
        let mut bound = ViewOptions::default();
        for (name, value) in self.option_members(options)? {
            let is_valid = match name.as_str() {
                "waitForSync" => set_bool(&mut bound.wait_for_sync, &value),
                "collections" => {
                    bound.collections = self.view_collections(&value, view)?;
                    true
                }
                "conditionOptimization" => match value.as_str() {
                    Some("auto") => true,
                    // The two that are not documented disable parts of the optimization.
                    Some("none" | "nodnf" | "noneg") => {
                        bound.condition_optimization = ConditionOptimization::None;
                        true
                    }
                    _ => false,
                },
                "countApproximate" => match value.as_str() {
                    Some("exact") => true,
                    Some("cost") => {
                        bound.approximate_count = true;
                        true
                    }
                    _ => false,
                },
                "parallelism" => {
                    bound.parallelism = value.as_i64().and_then(|threads| u64::try_from(threads).ok());
                    bound.parallelism.is_some()
                }
                _ => {
                    self.warn_option(&name, "FOR")?;
                    true
                }
            };
            if !is_valid {
                return Err(invalid_option(&name, &format!("it cannot be {}", value.to_json())));
            }
        }
        Ok(bound)
    }

    /// Returns the identifiers of the collections that the option names; `None` for null.
    fn view_collections(&self, value: &Value, view: &ViewInfo) -> Result<Option<Vec<u64>>> {
        if value.is_null() {
            return Ok(None);
        }
        if !value.is_array() {
            return Err(invalid_option("collections", "it must be an array of names"));
        }
        let mut collections = Vec::new();
        for name in value.elements() {
            let name = name.cast_string().into_owned();
            let found = view
                .indexes
                .iter()
                .map(|index| &index.collection)
                .find(|collection| *collection.name == *name || name.parse() == Ok(collection.id));
            let found = found.ok_or_else(|| {
                invalid_option("collections", &format!("the view does not search collection '{name}'"))
            })?;
            collections.push(found.id);
        }
        Ok(Some(collections))
    }
}

fn invalid_option(name: &str, reason: &str) -> Error {
    Error::bad_parameter(format!("invalid ArangoSearch options provided: '{name}': {reason}"))
        .in_stage(error::INSTANTIATING)
}
