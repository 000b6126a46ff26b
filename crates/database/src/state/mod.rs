//! The state that outlives a request. [`Instance`](crate::Instance) owns one of each, and nothing
//! here knows sessions or rights.
//!
//! - [`query_registry`]: the running and slow queries. [`query_log`]: ended queries, for the
//!   collection `_queries`. [`plan_cache`], [`results_cache`]: plans and
//!   results that are used again. `large_texts`: the gate of large queries.
//! - [`cursor`]: results that are delivered batch by batch. [`transactions`]: transactions that
//!   span requests. [`dump`]: snapshots and contexts of dumps. [`tasks`]: scripts that run later.
//! - `log_readers`: for whom the change log is kept. `feeds`: the open feeds of changes.
//!   `subscriptions`: readers that share a position.
//!   `analyzers`: Analyzers that are open. [`ttl`]: expiry of documents. `graph_changes`,
//!   `view_changes`: locks of definitions.
//!   [`following`]: the other server that this one follows. [`group`]: the servers that elect a
//!   leader.
//!   [`analytics`]: graphs in memory, and jobs of algorithms. [`foxx`]: services in JavaScript.
//!   `webhooks`: who is told of changes, and when. `user_memory`: users' shares of the memory of
//!   queries. `usage`: the requests on each collection. `access_rules`: the compiled rules of
//!   collections.

pub(crate) mod access_rules;
pub(crate) mod analytics;
pub(crate) mod analyzers;
pub mod cursor;
pub(crate) mod dump;
pub(crate) mod feeds;
pub(crate) mod following;
pub(crate) mod foxx;
pub(crate) mod graph_changes;
pub(crate) mod group;
pub(crate) mod large_texts;
pub(crate) mod log_readers;
pub mod plan_cache;
pub mod query_registry;
pub mod query_log;
pub mod results_cache;
pub(crate) mod subscriptions;
pub mod tasks;
pub(crate) mod transactions;
pub mod ttl;
pub(crate) mod usage;
pub(crate) mod user_memory;
pub(crate) mod view_changes;
pub(crate) mod webhooks;
