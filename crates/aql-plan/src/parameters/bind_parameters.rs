//! Bind parameters: values that a client sends along with a query.

use std::collections::BTreeMap;

use aql_syntax::ast::Query;
use aql_syntax::{BindParameterKind, collect_bind_parameters};
use aql_value::Value;
use errors::{Error, ErrorCode, Result};

use crate::error;

/// Values by key: `name` for `@name`, `@name` for `@@name`.
#[derive(Debug, Clone, Default)]
pub struct BindParameters {
    values: BTreeMap<String, Value>,
}

impl BindParameters {
    /// Creates an empty set of parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the members of an object; null counts as an empty one.
    ///
    /// Errors: 1550 for any other value.
    pub fn from_value(object: &Value) -> Result<Self> {
        if object.is_null() {
            return Ok(Self::default());
        }
        if !object.is_object() {
            return Err(Error::of(ErrorCode::QueryBindParametersInvalid));
        }
        let values = object.entries().map(|(name, value)| (name.to_string(), value)).collect();
        Ok(Self { values })
    }

    /// Adds a value. It replaces an earlier one with the same key.
    pub fn set(&mut self, key: impl Into<String>, value: Value) {
        self.values.insert(key.into(), value);
    }

    /// Iterates over all parameters by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Returns the value of `@name`.
    ///
    /// Errors: 1551 if there is none.
    pub(crate) fn value(&self, name: &str) -> Result<&Value> {
        self.values.get(name).ok_or_else(|| error::parameter_missing(name))
    }

    /// Returns the name that `@@name` stands for.
    ///
    /// Errors: 1551 if there is none, 1553 if it is not a string, 1208 if it is empty.
    pub(crate) fn data_source(&self, name: &str) -> Result<&str> {
        let key = format!("@{name}");
        let value = self.values.get(&key).ok_or_else(|| error::parameter_missing(&key))?;
        match value.as_str() {
            None => Err(error::parameter_type(&key)),
            Some("") => Err(Error::of(ErrorCode::IllegalName)),
            Some(name) => Ok(name),
        }
    }

    /// Checks that all parameters are given that the query declares.
    ///
    /// Errors: 1551 for a missing one; for the name of a collection, 1553 if it is not a string,
    /// 1208 if it is empty.
    pub(crate) fn check(&self, query: &Query) -> Result<()> {
        let declared = collect_bind_parameters(query);
        for parameter in &declared {
            let value =
                self.values.get(&parameter.key).ok_or_else(|| error::parameter_missing(&parameter.key))?;
            if parameter.kind == BindParameterKind::DataSource {
                match value.as_str() {
                    None => return Err(error::parameter_type(&parameter.key)),
                    Some("") => return Err(Error::of(ErrorCode::IllegalName)),
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Checks that no parameters are given that the query does not declare. Errors: 1552.
    pub(crate) fn check_superfluous(&self, query: &Query) -> Result<()> {
        let declared = collect_bind_parameters(query);
        match self.values.keys().find(|key| declared.binary_search_by(|other| other.key.cmp(key)).is_err()) {
            Some(undeclared) => Err(error::parameter_undeclared(undeclared)),
            None => Ok(()),
        }
    }
}
