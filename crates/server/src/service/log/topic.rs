//! ArangoDB's topics.

/// The topic of events without a topic of their own.
pub(super) const GENERAL: &str = "general";

/// ArangoDB's topics by name. Tools set their levels, even of topics without events here.
pub const TOPICS: [&str; 54] = [
    "agency",
    "agencycomm",
    "agencystore",
    "aql",
    "arangosearch",
    "audit-authentication",
    "audit-authorization",
    "audit-collection",
    "audit-database",
    "audit-document",
    "audit-hotbackup",
    "audit-service",
    "audit-view",
    "authentication",
    "authorization",
    "backup",
    "bench",
    "cache",
    "cluster",
    "communication",
    "config",
    "crash",
    "deprecation",
    "development",
    "dump",
    "engines",
    "flush",
    "general",
    "graphs",
    "heartbeat",
    "httpclient",
    "libiresearch",
    "license",
    "maintenance",
    "memory",
    "queries",
    "rep-state",
    "rep-wal",
    "replication",
    "requests",
    "restore",
    "rocksdb",
    "security",
    "ssl",
    "startup",
    "statistics",
    "supervision",
    "syscall",
    "threads",
    "trx",
    "ttl",
    "v8",
    "validation",
    "views",
];

/// Returns the index of a target in [`TOPICS`], or that of [`GENERAL`] for other targets.
pub(super) fn topic_index(target: &str) -> usize {
    const GENERAL_INDEX: usize = 27;
    TOPICS.binary_search(&target).unwrap_or(GENERAL_INDEX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_sorted_and_found() {
        assert!(TOPICS.is_sorted());
        assert!(TOPICS.iter().enumerate().all(|(index, topic)| topic_index(topic) == index));
        assert_eq!(TOPICS[topic_index("server::http::service")], GENERAL);
    }
}
