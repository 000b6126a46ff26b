//! Users as entries of a log have them: documents of `_users` in `_system`.

use catalog::SYSTEM_DATABASE;
use errors::Result;
use storage::{Database, Store};
use velocypack::{Builder, Limits, Slice, json};

use super::entry::{Entry, EntryKind};
use crate::base::user_documents::{USERS_COLLECTION, user};

/// The prefix of the settings that have the names of users by their keys. ArangoDB's keys are
/// numbers, and the removal of a user has the key alone.
const PREFIX: &str = "followed-names/user/";
/// The user that always stays.
const ROOT: &str = "root";

/// Returns true if an entry of a document is about a user.
pub(super) fn is_of_user(entry: &Entry<'_>, system: Option<&Database>) -> bool {
    if entry.database != SYSTEM_DATABASE {
        return false;
    }
    let users = system.and_then(|system| system.collection(USERS_COLLECTION));
    users.is_some_and(|users| users.definition().globally_unique_id == entry.unique_id)
}

/// Applies a change of a user. It may come again.
///
/// Errors: 10 for a document that describes no user, those of the engine.
pub(super) fn apply(store: &Store, entry: &Entry<'_>) -> Result<()> {
    let key = entry.data.get("_key").and_then(Slice::as_str).unwrap_or_default();
    if entry.kind == EntryKind::Remove {
        let name = store.setting(&format!("{PREFIX}{key}"))?.and_then(|name| String::from_utf8(name).ok());
        let name = name.unwrap_or_else(|| key.to_owned());
        if name != ROOT && store.catalog().user(&name).is_some() {
            store.remove_user(&name)?;
        }
        return Ok(());
    }
    let user = user(entry.data)?;
    note_key(store, key, &user.name)?;
    store.put_user(user)
}

/// Notes the key of a user's document where it is not the name.
///
/// Errors: those of the engine.
fn note_key(store: &Store, key: &str, name: &str) -> Result<()> {
    if key == name { Ok(()) } else { store.put_setting(&format!("{PREFIX}{key}"), name.as_bytes()) }
}

/// Notes the keys of users in JSON Lines of their documents.
///
/// Errors: those of the engine.
pub(super) fn note_keys(store: &Store, lines: &[u8]) -> Result<()> {
    let (mut parser, mut builder) = (json::Parser::new(lines, &Limits::default()), Builder::new());
    while parser.next_value(&mut builder).is_ok_and(|value| value.is_some()) {
        let text = |name: &str| builder.as_slice().get(name).and_then(Slice::as_str);
        if let (Some(key), Some(user)) = (text("_key"), text("user")) {
            note_key(store, key, user)?;
        }
        builder.clear();
    }
    Ok(())
}
