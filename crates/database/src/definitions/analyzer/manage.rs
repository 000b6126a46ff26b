//! Creation and removal of analyzers.

use analyzers::{Definition, NAME_MAX_BYTES, built_in, is_valid_name};
use catalog::{ANALYZERS_COLLECTION, AccessLevel, AnalyzerName, analyzer_document, full_analyzer_name};
use errors::{Error, ErrorCode, Result};
use storage::{DOCUMENT_WAIT, Durability, WriteOptions};
use velocypack::Slice;

use super::lookup::not_found;
use crate::documents::WriteMode;
use crate::session::Session;
use crate::state::analyzers::{Stored, stored_in};

const MODE: WriteMode = WriteMode { durability: Durability::Buffered, wait: DOCUMENT_WAIT };

impl Session {
    /// Creates an analyzer. Returns its definition, and true if it is new: not if one with the same
    /// name and definition exists.
    ///
    /// Errors: 11; 10 for a wrong definition, or if the name has another one; 9 for a type that is
    /// not supported.
    pub fn create_analyzer(&self, body: Slice<'_>) -> Result<(Definition, bool)> {
        self.require_database(AccessLevel::ReadWrite)?;
        let name = body.get("name").and_then(Slice::as_str);
        let name = name.ok_or_else(|| Error::bad_parameter("an analyzer's 'name' must be a string"))?;
        if let Some(present) = built_in(name) {
            let wanted = Definition::parse(name, body)?;
            return same_or_taken(present.definition().clone(), &wanted);
        }
        let local = self.own_name(name)?;
        if !is_valid_name(local) {
            let message = format!(
                "'{name}' is no name of an analyzer; it must begin with a letter, and have at most \
                 {NAME_MAX_BYTES} letters, digits, '_' and '-'"
            );
            return Err(Error::bad_parameter(message));
        }
        let definition = Definition::parse(&full_analyzer_name(self.database_name(), local), body)?;
        definition.open(self.instance().analyzers.queries())?;
        // Held so that no other request creates one with the same name.
        let _changes = self.instance().graph_changes();
        let snapshot = self.instance().store().snapshot()?;
        if let Some(present) = stored_in(&snapshot, self.database_name(), local)? {
            return same_or_taken(present.definition, &definition);
        }
        let document = analyzer_document(local, &definition)?;
        let written = self.write_definitions(ANALYZERS_COLLECTION, MODE, |transaction, analyzers| {
            transaction.insert(analyzers, document.as_slice(), &WriteOptions::default())
        });
        match written {
            // Another server has just created it.
            Err(error) if error.code() == ErrorCode::UniqueConstraintViolated => {
                let snapshot = self.instance().store().snapshot()?;
                let present = stored_in(&snapshot, self.database_name(), local)?.ok_or(error)?;
                same_or_taken(present.definition, &definition)
            }
            written => written.map(|_| (definition, true)),
        }
    }

    /// Removes an analyzer of the database, and returns its full name. With `force` it may be used.
    ///
    /// Errors: 11, also for one of the server's; 1202; 1200 if it is used.
    pub fn remove_analyzer(&self, name: &str, force: bool) -> Result<String> {
        self.require_database(AccessLevel::ReadWrite)?;
        if built_in(name).is_some() {
            let message = format!("forbidden: the built-in analyzer '{name}' cannot be removed");
            return Err(Error::new(ErrorCode::Forbidden, message));
        }
        let local = self.own_name(name)?;
        let _changes = self.instance().graph_changes();
        let snapshot = self.instance().store().snapshot()?;
        let stored = stored_in(&snapshot, self.database_name(), local)?;
        let Stored { key, definition } = stored.ok_or_else(|| not_found(name))?;
        if !force && let Some(user) = self.user_of_analyzer(&definition) {
            let message = format!("analyzer '{}' is in use by {user}", definition.name());
            return Err(Error::new(ErrorCode::Conflict, message));
        }
        let removed = self.write_definitions(ANALYZERS_COLLECTION, MODE, |transaction, analyzers| {
            transaction.remove(analyzers, &key, Slice::NONE, &WriteOptions::default())
        });
        removed.map_err(|error| match error.code() {
            ErrorCode::DocumentNotFound => not_found(name),
            _ => error,
        })?;
        Ok(definition.name().to_owned())
    }

    /// Returns the name in this database. Errors: 10 for the name of another database.
    fn own_name<'a>(&self, name: &'a str) -> Result<&'a str> {
        let AnalyzerName { database, local } = AnalyzerName::parse(name);
        if database.is_none_or(|database| *database == **self.database_name()) {
            return Ok(local);
        }
        let message = format!("analyzer '{name}' does not belong to database '{}'", self.database_name());
        Err(Error::bad_parameter(message))
    }
}

fn same_or_taken(present: Definition, wanted: &Definition) -> Result<(Definition, bool)> {
    if present == *wanted {
        return Ok((present, false));
    }
    let message = format!("analyzer '{}' already exists with a different definition", present.name());
    Err(Error::bad_parameter(message))
}
