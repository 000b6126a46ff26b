//! The documents that the server writes itself, into system collections: those for readers of the
//! log, and records of graph analytics.

use std::sync::Arc;
use std::time::SystemTime;

use catalog::{CollectionProperties, CollectionType};
use errors::{ErrorCode, Result};
use storage::{DOCUMENT_WAIT, Durability};

use crate::documents::WriteMode;
use crate::instance::Instance;
use crate::session::{Identity, Session};

/// How these documents are written.
pub(crate) const MODE: WriteMode = WriteMode { durability: Durability::Buffered, wait: DOCUMENT_WAIT };

/// Returns a session of the server itself, which may read and write these documents.
///
/// Errors: 1228.
pub(crate) fn own_session(instance: &Arc<Instance>, database: &str) -> Result<Session> {
    Session::open(Arc::clone(instance), database, Identity::Superuser)
}

/// Creates system collections where they do not exist.
///
/// Errors: 1228, 1004.
pub(crate) fn provide_collections(session: &Session, names: &[&str]) -> Result<()> {
    for name in names {
        if session.database_in(&session.catalog())?.collection(name).is_some() {
            continue;
        }
        let properties = CollectionProperties::new(name, CollectionType::Document);
        match session.instance().store().create_collection(session.database_name(), properties) {
            // Another request was faster.
            Err(error) if error.code() == ErrorCode::DuplicateName => {}
            created => drop(created?),
        }
    }
    Ok(())
}

/// Returns the present time in milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the present time in ISO 8601, UTC.
pub(super) fn now() -> String {
    aql_date::to_iso_utc(i64::try_from(now_ms()).unwrap_or(i64::MAX))
}
