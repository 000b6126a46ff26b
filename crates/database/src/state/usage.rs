//! The requests on each collection, and the bytes of documents that they read and write, perhaps
//! of each user.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use catalog::CollectionId;
use metrics::{Kind, Page, Section, Value, labels};
use storage::{CollectionUsage, UsageCounts};

/// Maximum number of counted pairs of collection and user. Later ones are not counted.
const ENTRIES_MAX: usize = 100_000;

/// The requests that are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageMode {
    /// None.
    #[default]
    Disabled,
    /// Those on each collection.
    PerCollection,
    /// Those of each user on each collection.
    PerUser,
}

/// A collection, and the user whose requests are counted apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    database: Arc<str>,
    collection: Arc<str>,
    id: u64,
    user: Option<Arc<str>>,
}

/// All counts. They stay until the server stops, also those of dropped collections.
#[derive(Debug)]
pub(crate) struct UsageTable {
    mode: UsageMode,
    entries: RwLock<HashMap<Key, Arc<CollectionUsage>>>,
}

/// The counts that the requests of a user in a database add to.
#[derive(Debug)]
pub(crate) struct UserUsage {
    table: Arc<UsageTable>,
    database: Arc<str>,
    user: Option<Arc<str>>,
}

/// A metric: its name, its help text and its number.
type UsageMetric = (&'static str, &'static str, fn(&CollectionUsage) -> u64);

const METRICS: [UsageMetric; 4] = [
    ("arangodb_collection_leader_reads_total", "Number of requests that read a collection.", |usage| {
        usage.reads.get()
    }),
    ("arangodb_collection_leader_writes_total", "Number of requests that write a collection.", |usage| {
        usage.writes.get()
    }),
    (
        "arangodb_collection_requests_bytes_read_total",
        "Number of bytes of the documents that requests have read.",
        |usage| usage.read_bytes.get(),
    ),
    (
        "arangodb_collection_requests_bytes_written_total",
        "Number of bytes of the documents that requests have stored or removed.",
        |usage| usage.written_bytes.get(),
    ),
];

impl UsageTable {
    /// Returns an empty table.
    pub(crate) fn new(mode: UsageMode) -> Arc<Self> {
        Arc::new(UsageTable { mode, entries: RwLock::default() })
    }

    /// Returns the counts of a user's requests; `None` if nothing is counted.
    pub(crate) fn of_user(
        self: &Arc<Self>,
        database: &Arc<str>,
        user: &Arc<str>,
    ) -> Option<Arc<dyn UsageCounts>> {
        let user = match self.mode {
            UsageMode::Disabled => return None,
            UsageMode::PerCollection => None,
            UsageMode::PerUser => Some(Arc::clone(user)),
        };
        Some(Arc::new(UserUsage { table: Arc::clone(self), database: Arc::clone(database), user }))
    }

    /// Returns all counts in Prometheus' text format.
    pub(crate) fn page(&self) -> String {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let mut entries: Vec<_> = entries.iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        let mut page = Page::default();
        for (name, help, read) in METRICS {
            let values = entries.iter().map(|(key, usage)| {
                let shard = format!("s{}", key.id);
                let mut pairs = vec![
                    ("db", key.database.as_ref()),
                    ("collection", key.collection.as_ref()),
                    ("shard", shard.as_str()),
                ];
                pairs.extend(key.user.as_deref().map(|user| ("user", user)));
                (labels(&pairs), read(usage).into())
            });
            page.write(Section::Requests, name, Kind::Counter, help, &Value::Labelled(values.collect()));
        }
        page.finish()
    }
}

impl UsageCounts for UserUsage {
    fn of(&self, collection: CollectionId, name: &Arc<str>) -> Arc<CollectionUsage> {
        let key = Key {
            database: Arc::clone(&self.database),
            collection: Arc::clone(name),
            id: collection.0,
            user: self.user.clone(),
        };
        let known = self.table.entries.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| self.table.add(key))
    }
}

impl UsageTable {
    /// Returns the counts of a new key. Beyond the limit they are in no table.
    fn add(&self, key: Key) -> Arc<CollectionUsage> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
            return Arc::default();
        }
        Arc::clone(entries.entry(key).or_default())
    }
}
