//! Databases.

use catalog::{DatabaseDefinition, DatabaseId, SYSTEM_DATABASE, UserDefinition, system_collections};
use errors::{Error, ErrorCode, Result};

use crate::Store;
use crate::base::error;
use crate::catalog_snapshot::Database;

/// The id of the system database.
const SYSTEM_DATABASE_ID: DatabaseId = DatabaseId(1);

impl Store {
    /// Creates a database with its system collections.
    ///
    /// Errors: 1208, 1207, 1004.
    pub fn create_database(&self, name: &str) -> Result<DatabaseDefinition> {
        self.core.options.naming_rules.check_database_name(name)?;
        let id = DatabaseId(self.core.ids.next()?);
        self.create_database_with(DatabaseDefinition { id, name: name.to_owned() })
    }

    pub(crate) fn create_system_database(&self) -> Result<DatabaseDefinition> {
        let definition = DatabaseDefinition { id: SYSTEM_DATABASE_ID, name: SYSTEM_DATABASE.to_owned() };
        self.create_database_with(definition)
    }

    fn create_database_with(&self, definition: DatabaseDefinition) -> Result<DatabaseDefinition> {
        self.core.alter(move |draft| {
            if draft.catalog().database(&definition.name).is_some() {
                return Err(Error::new(ErrorCode::DuplicateName, "duplicate name: database exists"));
            }
            draft.put_database(Database::new(definition.clone()))?;
            for properties in system_collections(definition.is_system()) {
                let collection = self.core.new_collection(&definition, properties)?;
                draft.put_collection(collection)?;
            }
            Ok(definition.clone())
        })
    }

    /// Drops a database with all its collections and views, and the rights of users on it.
    ///
    /// Errors: 1228, 11 for the system database, 18, 1004.
    pub fn drop_database(&self, name: &str) -> Result<()> {
        if name == SYSTEM_DATABASE {
            return Err(Error::new(ErrorCode::Forbidden, "forbidden: the system database cannot be dropped"));
        }
        let database = self.catalog().database(name).cloned().ok_or_else(error::database_not_found)?;
        let guards = database.collections.values().map(|collection| self.core.exclude_writers(collection));
        let _guards = guards.collect::<Result<Vec<_>>>()?;
        let objects = self.core.alter(|draft| {
            let present = draft.database(name)?.clone();
            if present.definition.id != database.definition.id {
                return Err(error::database_not_found());
            }
            // A collection created since then may have writers, and nobody has waited for them.
            if let Some(new) =
                present.collections.values().find(|new| !database.collections.contains_key(&new.id()))
            {
                return Err(error::lock_timeout(new.name()));
            }
            let mut objects = Vec::new();
            for collection in present.collections.values() {
                draft.remove_collection(collection)?;
                objects.extend(collection.objects());
            }
            for object in &objects {
                draft.pend_deletion(*object)?;
            }
            for view in present.views() {
                draft.remove_view(name, view.id)?;
            }
            draft.remove_database(name)?;
            let users: Vec<UserDefinition> =
                draft.catalog().users().map(|user| UserDefinition::clone(user)).collect();
            for mut user in users {
                if user.rights.forget_database(name) {
                    draft.put_user(user)?;
                }
            }
            Ok(objects)
        })?;
        let indexes = database.collections.values().flat_map(|collection| collection.indexes());
        self.core.give_up(&objects, indexes);
        Ok(())
    }
}
