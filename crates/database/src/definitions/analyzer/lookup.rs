//! Analyzers by name.
//!
//! `name` is one of the server's or one of the session's database, and `database::name` one of that
//! database or of `_system`. Other databases' analyzers are not found.

use std::sync::Arc;

use analyzers::{Analyzer, Definition, built_in, built_ins};
use catalog::{AccessLevel, AnalyzerName, SYSTEM_DATABASE};
use errors::{Error, ErrorCode, Result};

use crate::instance::Instance;
use crate::session::Session;
use crate::state::analyzers::{all_in, stored_in};

impl Instance {
    /// Returns the analyzer with a name, as a database sees it; `None` if there is none.
    ///
    /// Errors: of the store; 10 for a stored query that cannot be compiled.
    pub fn analyzer(&self, database: &str, name: &str) -> Result<Option<Arc<Analyzer>>> {
        if let Some(analyzer) = built_in(name) {
            return Ok(Some(Arc::clone(analyzer)));
        }
        match visible_database(database, name) {
            Some((owner, local)) => self.analyzers.get(self.store(), owner, local),
            None => Ok(None),
        }
    }
}

impl Session {
    /// Returns the definition of an analyzer. Errors: 11, 1202.
    pub fn analyzer(&self, name: &str) -> Result<Definition> {
        self.require_database(AccessLevel::ReadOnly)?;
        if let Some(analyzer) = built_in(name) {
            return Ok(analyzer.definition().clone());
        }
        let (owner, local) = visible_database(self.database_name(), name).ok_or_else(|| not_found(name))?;
        let stored = stored_in(&self.instance().store().snapshot()?, owner, local)?;
        Ok(stored.ok_or_else(|| not_found(name))?.definition)
    }

    /// Returns the definitions of all analyzers that the database sees: those of the server, of
    /// `_system` and its own. Errors: 11.
    pub fn analyzers(&self) -> Result<Vec<Definition>> {
        self.require_database(AccessLevel::ReadOnly)?;
        let snapshot = self.instance().store().snapshot()?;
        let mut all: Vec<_> = built_ins().map(|analyzer| analyzer.definition().clone()).collect();
        let own = Some(&**self.database_name()).filter(|own| *own != SYSTEM_DATABASE);
        for database in std::iter::once(SYSTEM_DATABASE).chain(own) {
            all.extend(all_in(&snapshot, database)?.into_iter().map(|stored| stored.definition));
        }
        Ok(all)
    }
}

/// Returns the database that a name refers to, and the name there; `None` if it may not be seen.
fn visible_database<'a>(database: &'a str, name: &'a str) -> Option<(&'a str, &'a str)> {
    let AnalyzerName { database: owner, local } = AnalyzerName::parse(name);
    let owner = owner.unwrap_or(database);
    (owner == database || owner == SYSTEM_DATABASE).then_some((owner, local))
}

pub(super) fn not_found(name: &str) -> Error {
    Error::new(ErrorCode::DocumentNotFound, format!("unable to find analyzer '{name}'"))
}
