//! The state of this server before another one was copied to it: it had no data, but users.

use catalog::SYSTEM_DATABASE;
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use super::compare::OF_CLIENTS;
use crate::base::user_documents;
use crate::instance::Instance;

/// The setting that has the users, as an array of documents.
const SETTING: &str = "follow-users-before";

/// Notes the users that are here.
///
/// Errors: 10 if there are data, which the copy would replace; those of the engine.
pub(super) fn note(instance: &Instance) -> Result<()> {
    if let Some(found) = find_data(instance) {
        let message = format!("this server must be empty before another one is copied to it; it has {found}");
        return Err(Error::bad_parameter(message));
    }
    let mut users = Builder::new();
    users.open_array()?;
    for user in user_documents::documents(&instance.store().catalog(), None)? {
        users.add_slice(Slice::new(&user))?;
    }
    users.close()?;
    instance.store().put_setting(SETTING, users.as_bytes())
}

/// Removes everything that was copied, and restores the users.
///
/// Errors: those of the engine.
pub(super) fn restore(instance: &Instance) -> Result<()> {
    let store = instance.store();
    let catalog = store.catalog();
    for database in catalog.databases() {
        if database.name() != SYSTEM_DATABASE {
            store.drop_database(database.name())?;
            continue;
        }
        for view in database.views() {
            store.drop_view(database.name(), view.id)?;
        }
        for collection in database.collections() {
            if !collection.definition().properties.is_system {
                store.drop_collection(collection, true)?;
            } else if OF_CLIENTS.contains(&collection.name()) {
                store.truncate(collection)?;
            }
        }
    }
    let Some(users) = store.setting(SETTING)? else { return Ok(()) };
    let users = Slice::new(&users).elements().map(user_documents::user).collect::<Result<Vec<_>>>()?;
    let is_known = |name: &str| users.iter().any(|user| user.name == name);
    for user in catalog.users().filter(|user| !is_known(&user.name)) {
        match store.remove_user(&user.name) {
            Err(error) if error.code() != ErrorCode::UserNotFound => return Err(error),
            _ => {}
        }
    }
    users.into_iter().try_for_each(|user| store.put_user(user))?;
    store.remove_setting(SETTING)
}

/// Returns the name of something that clients have made here.
pub(crate) fn find_data(instance: &Instance) -> Option<String> {
    let catalog = instance.store().catalog();
    for database in catalog.databases() {
        if database.name() != SYSTEM_DATABASE {
            return Some(format!("the database '{}'", database.name()));
        }
        let is_of_client = |name: &str, count| OF_CLIENTS.contains(&name) && count > 0;
        let mut collections = database.collections();
        let found = collections.find(|found| {
            !found.definition().properties.is_system || is_of_client(found.name(), found.count_now())
        });
        if let Some(found) = found {
            return Some(format!("the collection '{}'", found.name()));
        }
    }
    None
}
