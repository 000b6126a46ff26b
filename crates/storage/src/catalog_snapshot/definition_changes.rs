//! The entries of the change log for a change of definitions.

use std::collections::BTreeMap;

use catalog::{DatabaseDefinition, DatabaseId, Record, UserDefinition, ViewDefinition};
use errors::Result;
use kv::WriteTransaction;
use velocypack::Builder;

use super::{Collection, Database};
use crate::change_log::{ChangeLog, HeldPositions, Recorder, is_left_out};
use crate::encoding::change::{ChangeBuffer, ChangeKind, Origin, SERVER_LOG};

/// The entries of one change of definitions, by the log that gets them.
pub(crate) struct DefinitionChanges {
    recorder: Recorder,
    logs: BTreeMap<DatabaseId, ChangeBuffer>,
    drops_database: bool,
}

impl DefinitionChanges {
    /// Returns no entries. `recorder` says whether there will be some.
    pub(crate) fn new(recorder: Recorder) -> Self {
        DefinitionChanges { recorder, logs: BTreeMap::new(), drops_database: false }
    }

    /// Adds an entry, unless the log is not written or leaves the collection out.
    fn add(
        &mut self,
        log: DatabaseId,
        kind: ChangeKind,
        origin: Option<Origin<'_>>,
        record: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<()> {
        let is_left_out = origin.is_some_and(|origin| is_left_out(origin.name));
        if let Recorder::On { .. } = &self.recorder
            && !is_left_out
        {
            self.logs.entry(log).or_default().add_definition(kind, origin, &record()?);
        }
        Ok(())
    }

    pub(crate) fn database(&mut self, kind: ChangeKind, database: &DatabaseDefinition) -> Result<()> {
        self.drops_database |= kind == ChangeKind::DatabaseDropped;
        self.add(SERVER_LOG, kind, None, || database.to_record())
    }

    /// Adds an entry of a view. Its links must be in the database already.
    pub(crate) fn view(
        &mut self,
        kind: ChangeKind,
        database: &Database,
        view: &ViewDefinition,
    ) -> Result<()> {
        // The record would not tell the links, which are indexes of their collections.
        self.add(database.definition.id, kind, None, || {
            let mut printed = Builder::new();
            printed.open_object()?;
            database.print_view(view, &mut printed)?;
            printed.close()?;
            Ok(printed.into_vec())
        })
    }

    pub(crate) fn user(&mut self, kind: ChangeKind, user: &UserDefinition) -> Result<()> {
        self.add(SERVER_LOG, kind, None, || user.to_record())
    }

    pub(crate) fn dropped_collection(&mut self, collection: &Collection) -> Result<()> {
        self.of_collection(ChangeKind::CollectionDropped, collection)
    }

    fn of_collection(&mut self, kind: ChangeKind, collection: &Collection) -> Result<()> {
        let record = || collection.definition.to_record();
        self.add(collection.database_id, kind, Some(collection.origin()), record)
    }

    /// Adds the differences between two versions of a collection.
    pub(crate) fn collection(&mut self, before: Option<&Collection>, now: &Collection) -> Result<()> {
        if let Recorder::Off { .. } = self.recorder {
            return Ok(());
        }
        let Some(before) = before else {
            return self.of_collection(ChangeKind::CollectionCreated, now);
        };
        if before.object_id() != now.object_id() {
            self.add(now.database_id, ChangeKind::Truncated, Some(now.origin()), || Ok(Vec::new()))?;
        }
        if before.name() != now.name() {
            // The entry names the collection as it was, its definition as it is.
            let record = || now.definition.to_record();
            self.add(now.database_id, ChangeKind::CollectionRenamed, Some(before.origin()), record)?;
        }
        if properties_of(before)? != properties_of(now)? {
            self.of_collection(ChangeKind::CollectionChanged, now)?;
        }
        self.indexes(ChangeKind::IndexDropped, before, now)?;
        self.indexes(ChangeKind::IndexCreated, now, before)
    }

    /// Adds the indexes of `one` that `other` does not have. Links belong to their views.
    fn indexes(&mut self, kind: ChangeKind, one: &Collection, other: &Collection) -> Result<()> {
        let is_new = |id| other.index(id).is_none();
        for index in one.indexes().iter().filter(|index| index.view().is_none() && is_new(index.id())) {
            let record = || index.definition().to_record();
            self.add(one.database_id, kind, Some(one.origin()), record)?;
        }
        Ok(())
    }

    /// Writes the entries with the change. The positions are held until its commit has ended; so
    /// must be the recorder.
    pub(crate) fn write(
        mut self,
        log: &ChangeLog,
        transaction: &mut dyn WriteTransaction,
    ) -> Result<(Vec<HeldPositions>, Recorder)> {
        let mut positions = Vec::with_capacity(self.logs.len());
        // The first entry of a database is that of its creation, and the last that of its drop.
        let last = if self.drops_database { self.logs.remove_entry(&SERVER_LOG) } else { None };
        for (database, entries) in self.logs.into_iter().chain(last) {
            let held =
                log.write(database, entries, |key, value| Ok(transaction.put_unguarded(key, value)?))?;
            positions.extend(held);
        }
        Ok((positions, self.recorder))
    }
}

/// Returns the definition of a collection without its name, its object and its indexes, for
/// comparison.
fn properties_of(collection: &Collection) -> Result<Vec<u8>> {
    let mut definition = collection.definition.clone();
    definition.indexes.clear();
    definition.properties.name.clear();
    definition.object_id = catalog::ObjectId(0);
    definition.to_record()
}
