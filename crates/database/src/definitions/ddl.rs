//! Creation, change and removal of collections, indexes and databases, with checks of rights.

use std::sync::Arc;

use aql_value::Charge;
use catalog::collection::{CollectionProperties, check_cluster_properties};
use catalog::index::IndexProperties;
use catalog::{AccessLevel, AccessRules, CollectionChanges, DatabaseDefinition};
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Durability, Index, TransactionOptions};
use velocypack::Slice;

use crate::embedded_aql::{check_access_rules, new_secret};
use crate::session::Session;
use crate::transaction::Writer;

impl Session {
    /// Creates a collection from a client's description. Errors: 1208, 1207, 1621, 10, 11.
    pub fn create_collection(&self, properties: Slice<'_>) -> Result<Arc<Collection>> {
        self.require_database(AccessLevel::ReadWrite)?;
        check_cluster_properties(properties)?;
        let default_wait_for_sync = self.instance().options().default_wait_for_sync;
        let mut properties = CollectionProperties::parse(properties, default_wait_for_sync)?;
        if !properties.access_rules.is_empty() {
            let rules = AccessRules::clone(&properties.access_rules);
            properties.access_rules = Arc::new(self.checked_rules(rules, None)?);
        }
        self.instance().store().create_collection(self.database_name(), properties)
    }

    /// Drops a collection.
    ///
    /// Errors: 1203, 11, 1942 while a graph uses it, and 18 if its writers do not finish in time.
    pub fn drop_collection(&self, name: &str, system_too: bool) -> Result<Arc<Collection>> {
        let collection = self.changed_collection(name)?;
        self.require_unrestricted(&collection, "a removal")?;
        let _changes = self.instance().graph_changes();
        self.check_unused_by_graphs(collection.name())?;
        self.instance().store().drop_collection(&collection, system_too)?;
        Ok(collection)
    }

    /// Renames a collection, and its name in the graphs that use it. Errors: 1203, 1207, 1208, 11,
    /// 18.
    pub fn rename_collection(&self, name: &str, new_name: &str) -> Result<Arc<Collection>> {
        let collection = self.changed_collection(name)?;
        self.require_unrestricted(&collection, "another name")?;
        let _changes = self.instance().graph_changes();
        let renamed = self.instance().store().rename_collection(&collection, new_name)?;
        self.rename_in_graphs(collection.name(), new_name)?;
        Ok(renamed)
    }

    /// Changes a collection's properties. Errors: 1203, 1621, 10, 11.
    pub fn change_collection(&self, name: &str, changes: Slice<'_>) -> Result<Arc<Collection>> {
        let collection = self.changed_collection(name)?;
        self.require_unrestricted(&collection, "a change of properties")?;
        let mut changes = CollectionChanges::parse(changes)?;
        if let Some(rules) = changes.access_rules.take() {
            let present = collection.definition().properties.access_rules.secret.clone();
            changes.access_rules = Some(self.checked_rules(rules, present)?);
        }
        self.instance().store().change_properties(&collection, changes)
    }

    /// Returns the rules of a collection as they are stored. The secret of the masks is that of the
    /// rules, else the present one, else a new one.
    ///
    /// Errors: 11 for anyone but administrators, 10 for rules that are wrong.
    pub(crate) fn checked_rules(
        &self,
        mut rules: AccessRules,
        present: Option<String>,
    ) -> Result<AccessRules> {
        self.require_administrator()?;
        check_access_rules(&rules)?;
        rules.secret = match rules.secret.take().or(present) {
            Some(secret) => Some(secret),
            None if rules.masks.is_empty() => None,
            None => Some(new_secret()?),
        };
        Ok(rules)
    }

    /// Removes all documents, in a stream transaction one by one. Errors: 1203, 11, 1004, 18, 32.
    pub fn truncate_collection(&self, name: &str) -> Result<Arc<Collection>> {
        let collection = self.writable_collection(name)?;
        self.require_unrestricted(&collection, "a truncation")?;
        if self.transaction_id().is_some() {
            let options = TransactionOptions::single_operation(&collection);
            let mut writer = self.begin_write(&options, [&collection], self.interrupt())?;
            self.truncate_within(&mut writer, &collection)?;
            writer.finish(Durability::Buffered)?;
            return Ok(collection);
        }
        if let Some(usage) = self.usage_of(&collection) {
            usage.writes.increment();
        }
        self.instance().store().truncate(&collection)?;
        self.collection(name, AccessLevel::ReadWrite)
    }

    /// Removes all documents one by one, as a part of a transaction. The memory of its writes stays
    /// charged until it ends.
    ///
    /// Errors: 1200, 32, 1500.
    pub(crate) fn truncate_within(&self, writer: &mut Writer, collection: &Collection) -> Result<()> {
        let mut memory = Charge::new(self.request_memory());
        let charged_bytes = writer.charged_bytes();
        writer.transaction()?.truncate_unless(collection, &mut |bytes| {
            self.check_interrupt()?;
            memory.grow((bytes as u64).saturating_sub(charged_bytes + memory.bytes()))
        })?;
        Ok(())
    }

    /// Creates an index, or finds an equal one. The flag in the result is true if the index is new.
    ///
    /// Errors: 1203, 1210 (as 400, since no document of the request conflicts), 10, 11, 18,
    /// 1500.
    pub fn create_index(
        &self,
        collection: &str,
        properties: Slice<'_>,
    ) -> Result<(Arc<Collection>, Arc<Index>, bool)> {
        let collection = self.changed_collection(collection)?;
        self.require_unrestricted(&collection, "an index")?;
        let properties = self.index_properties(properties)?;
        let work = self.list_work(&format!("/* a new index, without a query */ ON {}", collection.name()));
        let store = self.instance().store();
        let created = store.create_index_unless(&collection, properties, &|| work.check());
        let (index, is_new) = created.map_err(|error| match error.code() {
            ErrorCode::UniqueConstraintViolated => error.with_status(400),
            _ => error,
        })?;
        Ok((collection, index, is_new))
    }

    /// Reads the definition of an index, and looks up the Analyzers that it names.
    ///
    /// Errors: 10, also for an Analyzer that does not exist; 11; 1220.
    pub(crate) fn index_properties(&self, definition: Slice<'_>) -> Result<IndexProperties> {
        let mut properties = IndexProperties::parse(definition)?;
        self.find_analyzers(&mut properties)?;
        Ok(properties)
    }

    /// Looks up the Analyzers that an index names. Errors: 10 for one that does not exist.
    pub(crate) fn find_analyzers(&self, properties: &mut IndexProperties) -> Result<()> {
        properties.find_analyzers(&|name| {
            let analyzer = self.instance().analyzer(self.database_name(), name)?;
            let missing = || Error::bad_parameter(format!("analyzer '{name}' does not exist"));
            Ok(analyzer.ok_or_else(missing)?.definition().clone())
        })
    }

    /// Drops an index. Errors: 1203, 1212, 11, 18.
    pub fn drop_index(&self, collection: &Collection, index: &Index) -> Result<()> {
        self.changed_collection(collection.name())?;
        self.require_unrestricted(collection, "the removal of an index")?;
        self.instance().store().drop_index(collection, index.id())
    }

    /// Creates a database. Concurrent calls may exceed the limit by a few.
    ///
    /// Errors: 1207, 1208, 11, 32 if there are too many.
    pub fn create_database(&self, name: &str) -> Result<DatabaseDefinition> {
        self.require_administrator()?;
        let most = self.instance().options().max_databases;
        if self.catalog().databases().count() >= most {
            let message = format!(
                "resource limit exceeded: there are already {most} databases, as many as --database.max-databases allows"
            );
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        self.instance().store().create_database(name)
    }

    /// Drops a database, ends its tasks, closes its cursors and aborts its transactions. Errors:
    /// 1228, 11, 18.
    pub fn drop_database(&self, name: &str) -> Result<()> {
        self.require_administrator()?;
        let catalog = self.catalog();
        let database = catalog.database(name).map(|database| database.definition().id);
        if database.is_some() && name != catalog::SYSTEM_DATABASE {
            self.instance().tasks().remove_database(name);
            // They hold locks that the removal waits for.
            self.instance().transactions().abort_database(name);
        }
        self.instance().store().drop_database(name)?;
        self.instance().cursors().remove_database(name);
        self.instance().dump_contexts().remove_database(name);
        self.instance().analytics().remove_database(name);
        self.forget_services(name);
        self.instance().batches().remove_database(name);
        self.instance().results_cache().clear(name);
        self.instance().queries().forget_database(name);
        if let Some(id) = database {
            self.instance().webhooks().remove_database(id);
        }
        Ok(())
    }

    /// Returns a collection whose definition is about to change.
    ///
    /// The user must have the right to write the database and the collection.
    fn changed_collection(&self, name: &str) -> Result<Arc<Collection>> {
        self.require_database(AccessLevel::ReadWrite)?;
        self.collection(name, AccessLevel::ReadWrite)
    }
}
