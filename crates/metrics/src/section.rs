//! The sections of the page.

/// The sections of the page, in its order. Within one, metrics stand in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Requests of clients.
    Requests,
    /// Connections of clients.
    Connections,
    /// Worker threads, their queue, jobs and the log.
    Scheduler,
    /// The process and its machine.
    Process,
    /// Queries, their cursors and plans, and dumps.
    Queries,
    /// The numbers of databases and collections.
    Catalog,
    /// Commits of transactions.
    Commits,
    /// Conflicts of transactions.
    Conflicts,
    /// The engine's cache of blocks.
    BlockCache,
    /// The cache of documents and edges.
    ReadCache,
    /// The files and the memory of the storage engine.
    Engine,
    /// The messages to the processes of a shared store.
    Cluster,
    /// Stream transactions.
    StreamTransactions,
    /// The locks of collections.
    Locks,
    /// Inverted indexes and views.
    Search,
    /// Reads and writes of documents.
    Documents,
    /// The change log, its readers and webhooks.
    Changes,
    /// The export of traces.
    Traces,
}
