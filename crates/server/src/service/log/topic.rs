//! ArangoDB's topics.

use super::level::Level;

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

/// The module of the library that runs Raft.
const RAFT: &str = "openraft";
/// The crate of the elections.
const ELECTIONS: &str = "elections";

/// Returns the index of a target in [`TOPICS`], or that of [`GENERAL`] for other targets. Raft is
/// the work of ArangoDB's agency.
pub(super) fn topic_index(target: &str) -> usize {
    const GENERAL_INDEX: usize = 27;
    if is_of(target, RAFT) || is_of(target, ELECTIONS) {
        return 0;
    }
    TOPICS.binary_search(&target).unwrap_or(GENERAL_INDEX)
}

/// Returns the level of an event. Raft reports each message that a lost member does not answer, as
/// an error and several times a second. The elections report what its users have to know.
pub(super) fn level_of(target: &str, level: tracing::Level) -> Level {
    let level = Level::of_tracing(level);
    if is_of(target, RAFT) { level.max(Level::Debug) } else { level }
}

/// Returns true for a crate and its modules.
fn is_of(target: &str, name: &str) -> bool {
    target.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raft_speaks_as_the_agency_and_not_aloud() {
        assert_eq!(TOPICS[topic_index("openraft::engine")], "agency");
        assert_eq!(TOPICS[topic_index("elections::node")], "agency");
        assert_eq!(TOPICS[topic_index("electionsx")], GENERAL);
        assert_eq!(level_of("openraft", tracing::Level::ERROR), Level::Debug);
        assert_eq!(level_of("openraft::core", tracing::Level::TRACE), Level::Trace);
        assert_eq!(level_of("elections", tracing::Level::ERROR), Level::Error);
    }

    #[test]
    fn topics_are_sorted_and_found() {
        assert!(TOPICS.is_sorted());
        assert!(TOPICS.iter().enumerate().all(|(index, topic)| topic_index(topic) == index));
        assert_eq!(TOPICS[topic_index("server::http::service")], GENERAL);
    }
}
