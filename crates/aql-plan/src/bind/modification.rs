//! Binding of INSERT, UPDATE, REPLACE and REMOVE.

use aql_syntax::ast::{self, WriteMode};
use errors::Result;

use super::options::Modification;
use super::{Binder, InsertStatement, RemoveStatement, Statement, UpdateStatement};
use crate::catalog::CollectionReference;
use crate::node::OverwriteMode;
use crate::variable::VariableId;

impl Binder<'_> {
    pub(super) fn insert(&mut self, statement: &ast::Insert) -> Result<()> {
        let document = self.expression(&statement.document)?;
        let options = self.modification_options(statement.options.as_ref(), Modification::Insert)?;
        let collection = self.modified_collection(&statement.collection, options.exclusive)?;
        let overwrites = matches!(options.overwrite_mode, OverwriteMode::Replace | OverwriteMode::Update);
        let old = overwrites.then(|| self.variables.add_named(OLD));
        let new = self.variables.add_named(NEW);
        self.scopes.set_old_and_new(old, Some(new));
        let bound = InsertStatement { collection, document, old, new, options };
        self.output.push(Statement::Insert(Box::new(bound)));
        Ok(())
    }

    pub(super) fn update(&mut self, statement: &ast::Update) -> Result<()> {
        let key = self.expression(&statement.key)?;
        let document = statement.document.as_ref().map(|document| self.expression(document)).transpose()?;
        let replace = statement.mode == WriteMode::Replace;
        let kind = if replace { Modification::Replace } else { Modification::Update };
        let options = self.modification_options(statement.options.as_ref(), kind)?;
        let collection = self.modified_collection(&statement.collection, options.exclusive)?;
        let (old, new) = self.declare_old_and_new();
        let (key, document) = match document {
            Some(document) => (Some(key), document),
            None => (None, key),
        };
        let bound = UpdateStatement { collection, replace, key, document, old, new, options };
        self.output.push(Statement::Update(Box::new(bound)));
        Ok(())
    }

    pub(super) fn remove(&mut self, statement: &ast::Remove) -> Result<()> {
        let key = self.expression(&statement.key)?;
        let options = self.modification_options(statement.options.as_ref(), Modification::Remove)?;
        let collection = self.modified_collection(&statement.collection, options.exclusive)?;
        let old = self.variables.add_named(OLD);
        self.scopes.set_old_and_new(Some(old), None);
        self.output.push(Statement::Remove(Box::new(RemoveStatement { collection, key, old, options })));
        Ok(())
    }

    /// Records the modification. Callers bind the operands first, because they may read the
    /// collection.
    pub(super) fn modified_collection(
        &mut self,
        source: &ast::DataSource,
        exclusive: bool,
    ) -> Result<CollectionReference> {
        let name = self.data_source_name(source)?.to_owned();
        self.is_modification = true;
        Ok(self.sources.modify(&name, exclusive)?.reference)
    }

    pub(super) fn declare_old_and_new(&mut self) -> (VariableId, VariableId) {
        let (old, new) = (self.variables.add_named(OLD), self.variables.add_named(NEW));
        self.scopes.set_old_and_new(Some(old), Some(new));
        (old, new)
    }
}

/// Names of the variables for OLD and NEW, as in ArangoDB's explain. No AQL identifier can look
/// like them.
const OLD: &str = "$OLD";
const NEW: &str = "$NEW";
