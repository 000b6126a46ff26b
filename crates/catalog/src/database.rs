//! Databases.

use errors::{Error, Result};
use velocypack::Builder;

use crate::properties::{Printer, Properties};
use crate::{CollectionProperties, CollectionType, DatabaseId, GRAPHS_COLLECTION};

/// The database that always exists and administrates the others.
pub const SYSTEM_DATABASE: &str = "_system";

/// The system collection whose documents are the analyzers of its database.
pub const ANALYZERS_COLLECTION: &str = "_analyzers";

/// System collections in which the server keeps what belongs to single users: how far clients have
/// read the change log, and the past runs of Pregel. They are made when the first client needs
/// them. Users see their documents by routes of their own, and some have secrets: only
/// administrators see the documents.
pub const READER_COLLECTIONS: [&str; 4] =
    ["_subscriptions", "_webhooks", "_webhookdeadletters", "_pregel_queries"];

/// The system collections of every database. Source: ArangoDB 3.12 documentation, recorded replies
/// of the user API.
const SYSTEM_COLLECTIONS: [&str; 8] = [
    ANALYZERS_COLLECTION,
    "_appbundles",
    "_apps",
    "_aqlfunctions",
    "_frontend",
    GRAPHS_COLLECTION,
    "_jobs",
    "_queues",
];
/// The system collections that only the system database has.
const SYSTEM_DATABASE_COLLECTIONS: [&str; 4] = ["_statistics", "_statistics15", "_statisticsRaw", "_users"];

/// A database that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseDefinition {
    /// The number, which never changes.
    pub id: DatabaseId,
    /// The name.
    pub name: String,
}

impl DatabaseDefinition {
    /// Returns true if this is [`SYSTEM_DATABASE`].
    pub fn is_system(&self) -> bool {
        self.name == SYSTEM_DATABASE
    }

    /// Prints `id`, `name`, `isSystem` and `path` into an object that is open in `builder`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| {
            printer.text("id", &self.id.to_string());
            printer.text("name", &self.name);
            printer.boolean("isSystem", self.is_system());
            // ArangoDB prints `none` for a database without a folder of its own.
            printer.text("path", "none");
        })
    }

    pub(crate) fn print_record(&self, printer: &mut Printer<'_>) {
        printer.unsigned("id", self.id.0);
        printer.text("name", &self.name);
    }

    pub(crate) fn read_record(record: Properties<'_>) -> Result<Self> {
        let missing = || Error::corrupt("a database's record lacks an attribute");
        Ok(DatabaseDefinition {
            id: DatabaseId(record.unsigned("id")?.ok_or_else(missing)?),
            name: record.text("name")?.ok_or_else(missing)?.to_owned(),
        })
    }
}

/// Returns true if the documents of a collection are definitions that plans are made from: graphs
/// and analyzers.
pub fn has_definitions(collection: &str) -> bool {
    matches!(collection, ANALYZERS_COLLECTION | GRAPHS_COLLECTION)
}

/// Returns the collections that a new database starts with.
pub fn system_collections(is_system_database: bool) -> Vec<CollectionProperties> {
    let own: &[&str] = if is_system_database { &SYSTEM_DATABASE_COLLECTIONS } else { &[] };
    SYSTEM_COLLECTIONS
        .iter()
        .chain(own)
        .map(|name| CollectionProperties::new(name, CollectionType::Document))
        .collect()
}
