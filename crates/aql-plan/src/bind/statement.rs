//! Binding of statements (COLLECT and data modification have files of their own).

use aql_syntax::ast::{self, ExpressionKind, SortDirection, StatementKind};
use aql_value::Value;
use errors::Result;

use super::{Binder, ForCollection, ForOptions, SortKey, Statement};
use crate::catalog::CollectionInfo;
use crate::error;
use crate::expression::Expression;

impl Binder<'_> {
    pub(super) fn statement(&mut self, statement: &ast::Statement) -> Result<()> {
        match &statement.kind {
            StatementKind::For(statement) => self.for_loop(statement),
            StatementKind::Let(statement) => self.let_variable(statement),
            StatementKind::Filter(condition) => {
                let condition = self.expression(condition)?;
                self.output.push(Statement::Filter(condition));
                Ok(())
            }
            StatementKind::Sort(statement) => self.sort(statement),
            StatementKind::Limit(statement) => self.limit(statement),
            StatementKind::Collect(statement) => self.collect(statement),
            StatementKind::Return(statement) => self.return_value(statement),
            StatementKind::Insert(statement) => self.insert(statement),
            StatementKind::Update(statement) => self.update(statement),
            StatementKind::Remove(statement) => self.remove(statement),
            StatementKind::Upsert(statement) => self.upsert(statement),
            StatementKind::Traversal(statement) => self.traversal(statement),
            StatementKind::PathSearch(search) => self.path_search(search),
            StatementKind::Window(statement) => self.window(statement),
        }
    }

    fn for_loop(&mut self, statement: &ast::For) -> Result<()> {
        if let Some(name) = self.loop_collection(&statement.source)? {
            if let Some(view) = self.sources.view(&name)? {
                return self.for_view(statement, view);
            }
            let CollectionInfo { reference: collection, rules, .. } = self.sources.read(&name)?;
            check_has_no_search(statement)?;
            let options = match &statement.options {
                Some(options) => self.for_options(options)?,
                None => ForOptions::default(),
            };
            self.scopes.enter_loop();
            let named = self.declare_target(&statement.target)?;
            let out = self.stored_document(named, rules.as_deref());
            self.set_full_document(out);
            let statement_of_loop = ForCollection { out, collection: collection.clone(), options };
            self.output.push(Statement::ForCollection(Box::new(statement_of_loop)));
            if let Some(rules) = &rules {
                self.apply_rules(&collection, rules, out, named)?;
            }
            return self.destructure(&statement.target, &Expression::Variable(named));
        }
        check_has_no_search(statement)?;
        let list = self.expression(&statement.source)?;
        let known = match &list {
            Expression::Constant(list) => Some(list),
            Expression::Parameter(parameter) => Some(self.parameters.value(&parameter.name)?),
            _ => None,
        };
        if let Some(no_array) = known.filter(|list| !list.is_array()) {
            return Err(error::loop_over_no_array(no_array));
        }
        if let Some(options) = &statement.options {
            self.for_options(options)?;
        }
        self.scopes.enter_loop();
        let out = self.declare_target(&statement.target)?;
        self.output.push(Statement::ForList { out, list });
        self.destructure(&statement.target, &Expression::Variable(out))
    }

    pub(super) fn set_full_document(&mut self, id: crate::variable::VariableId) {
        if let Some(variable) = self.variables.get_mut(id) {
            variable.is_full_document = true;
        }
    }

    /// Returns the name of the collection, if the loop is over one.
    fn loop_collection(&self, source: &ast::Expression) -> Result<Option<String>> {
        match &source.kind {
            ExpressionKind::Reference(name) if !self.is_variable(name) => Ok(Some(name.clone())),
            ExpressionKind::DataSourceBindParameter(name) => {
                Ok(Some(self.parameters.data_source(name)?.to_owned()))
            }
            _ => Ok(None),
        }
    }

    fn let_variable(&mut self, statement: &ast::Let) -> Result<()> {
        if let (ExpressionKind::Subquery(block), Some(name)) =
            (&statement.value.kind, statement.target.as_variable())
        {
            let out = self.variables.add_named(&name.name);
            self.subquery_into(out, block)?;
            return self.scopes.declare_existing(&name.name, out);
        }
        let value = self.expression(&statement.value)?;
        match statement.target.as_variable() {
            Some(_) => {
                let out = self.declare_target(&statement.target)?;
                if let Expression::Constant(value) = &value {
                    self.constants.insert(out, value.clone());
                }
                self.output.push(Statement::Let { out, value });
                Ok(())
            }
            None => {
                let whole = Expression::Variable(self.materialize(value));
                self.destructure(&statement.target, &whole)
            }
        }
    }

    fn sort(&mut self, statement: &ast::Sort) -> Result<()> {
        let mut keys = Vec::with_capacity(statement.items.len());
        for item in &statement.items {
            let value = self.expression(&item.expression)?;
            let ascending = match &item.direction {
                SortDirection::Ascending => true,
                SortDirection::Descending => false,
                SortDirection::Computed(direction) => is_ascending(&self.expression(direction)?)?,
            };
            keys.push(SortKey { value, ascending });
        }
        self.output.push(Statement::Sort(keys));
        Ok(())
    }

    fn limit(&mut self, statement: &ast::Limit) -> Result<()> {
        let offset = match &statement.offset {
            Some(offset) => limit_value(&self.expression(offset)?, "offset")?.unwrap_or(0),
            None => 0,
        };
        let limit = limit_value(&self.expression(&statement.count)?, "count")?.unwrap_or(u64::MAX);
        self.output.push(Statement::Limit { offset, limit });
        Ok(())
    }

    fn return_value(&mut self, statement: &ast::Return) -> Result<()> {
        let value = self.expression(&statement.value)?;
        self.output.push(Statement::Return { value, distinct: statement.distinct });
        Ok(())
    }
}

/// Checks that a loop over a collection or an array has no condition of a search.
///
/// Errors: 1501.
fn check_has_no_search(statement: &ast::For) -> Result<()> {
    match &statement.search {
        Some(_) => Err(error::parse("SEARCH condition used on non-view")),
        None => Ok(()),
    }
}

/// Returns the sort direction that a value gives: `"ASC"` or `"DESC"` in any case. Any other value
/// is ascending if it is true.
fn is_ascending(direction: &Expression) -> Result<bool> {
    let value = direction.as_constant().ok_or_else(|| error::parse("SORT direction must be a constant"))?;
    match value.as_str() {
        Some(text) if text.eq_ignore_ascii_case("ASC") => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("DESC") => Ok(false),
        Some(text) => Err(error::parse(format!("invalid SORT direction '{text}', expecting ASC or DESC"))),
        None => Ok(value.to_bool()),
    }
}

/// Returns a number of LIMIT: an integer that is not negative, or null for `None`.
fn limit_value(value: &Expression, what: &str) -> Result<Option<u64>> {
    match value.as_constant() {
        Some(Value::Null) => Ok(None),
        Some(Value::UInt(number)) => Ok(Some(*number)),
        Some(value) if value.is_number() => match u64::try_from(value.to_i64()) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(error::limit_value(what)),
        },
        _ => Err(error::limit_value(what)),
    }
}
