//! The administrators' view of the store: its statistics, its modes and its maintenance.

use std::path::Path;
use std::sync::Arc;

use ::metrics::{Registry, Section};
use errors::Result;
use kv::{EngineStatistics, KeyRange, Nodes};
use storage::{ChangeScope, Collection, CollectionStatistics, PartialWait};

use crate::base::SharingServer;
use crate::changes::subscription::held_from;
use crate::instance::Instance;
use crate::metrics::{self, ChangeLogUse, FollowUse, GroupUse, QueryResources, WebhookLags};
use crate::session::Session;
use crate::state::query_registry::Scope;

impl Instance {
    /// Returns true if the store refuses writes.
    pub fn is_read_only(&self) -> bool {
        self.store.is_read_only()
    }

    /// Registers the metrics of queries and transactions, and those of the store.
    pub fn register_metrics(self: &Arc<Self>, registry: &Registry) {
        let instance = Arc::clone(self);
        registry.register_writer(move |page| {
            let resources = instance.query_resources();
            page.write_all(Section::Queries, metrics::RUNNING_QUERIES, &resources);
            page.write_all(Section::Queries, metrics::QUERY_TIMES, instance.queries.times());
            page.write_all(Section::Queries, metrics::QUERY_RESOURCES, &resources);
            page.write_all(Section::Queries, metrics::PLAN_LOOKUPS, instance.plans.lookups());
            page.write_all(Section::Queries, metrics::CACHED_PLANS, &resources);
            page.write_all(Section::Queries, metrics::ANALYTICS, &instance.analytics().in_use());
            let transactions = instance.transactions();
            page.write_all(Section::StreamTransactions, metrics::TRANSACTIONS, transactions.counts());
            page.write_all(Section::StreamTransactions, metrics::OPEN_TRANSACTIONS, &transactions.len());
            page.write_all(Section::Changes, metrics::CHANGE_LOG, &instance.change_log_use());
            page.write_all(Section::Changes, metrics::FOLLOW, &instance.follow_use());
            page.write_all(Section::Changes, metrics::GROUP, &instance.group_use());
            page.write_all(Section::Changes, metrics::WEBHOOK_LAGS, &instance.webhook_lags());
            page.write_all(Section::Changes, metrics::WEBHOOK_COUNTS, &instance.webhooks().counts);
        });
        self.store.register_metrics(registry);
    }

    /// Returns the size of the change log, and how far it is read. A failed read counts as 0.
    fn change_log_use(&self) -> ChangeLogUse {
        let mut used = ChangeLogUse { feeds: self.feeds().len(), ..ChangeLogUse::default() };
        let Some(log) = self.store.change_log() else { return used };
        used.last_position = self.store.resolved_position().saturating_sub(1);
        used.size_bytes = self.store.change_log_bytes().unwrap_or(0);
        // Without subscriptions the position is the greatest one, and the lag 0.
        let held = held_from(self, log.id).unwrap_or(u64::MAX);
        used.subscription_lag = self.store.lag(ChangeScope::All, held.saturating_sub(1)).unwrap_or(0);
        used
    }

    /// Returns how far another server is copied and followed.
    fn group_use(&self) -> GroupUse {
        let Some((group, leadership)) = self.group().and_then(|group| Some((group, group.leadership()?)))
        else {
            return GroupUse::default();
        };
        GroupUse {
            leads: group.accepts_writes(&self.store),
            epoch: leadership.epoch,
            set_aside: group.files_set_aside().len() as u64,
        }
    }

    fn follow_use(&self) -> FollowUse {
        let view = self.following().view();
        FollowUse {
            is_copy: view.phase.is_copy(),
            lag_seconds: view.lag().map_or(0.0, |lag| lag.as_secs_f64()),
            lag_entries: view.log.last.saturating_sub(view.log.applied),
            entries: view.log.entries,
            copied_documents: view.copy.documents,
        }
    }

    /// Returns how far webhooks are behind the change log.
    fn webhook_lags(&self) -> WebhookLags {
        let hooks = self.webhooks().all();
        let mut lags = WebhookLags { webhooks: hooks.len() as u64, ..WebhookLags::default() };
        for hook in hooks {
            let position = hook.state().progress.position;
            let lag = self.store.lag(ChangeScope::Database(hook.database_id), position).unwrap_or(0);
            lags.total = lags.total.saturating_add(lag);
            lags.most = lags.most.max(lag);
        }
        lags
    }

    fn query_resources(&self) -> QueryResources {
        let (global_memory_limit_reached, local_memory_limit_reached) = self.query_memory_limits_reached();
        QueryResources {
            running_queries: self.queries.running(Scope::default()).len(),
            global_memory_limit_reached,
            local_memory_limit_reached,
            cursors: self.cursors().len(),
            dumps: self.dump_contexts().len(),
            dump_memory_bytes: self.dump_contexts().memory_bytes(),
            dump_batches: self.batches().len(),
            memory_used_bytes: self.query_memory_used_bytes(),
            memory_limit_bytes: self.options.query_memory_bytes,
            cached_plans: self.plans.len(),
        }
    }
}

impl Session {
    /// Returns true if the store refuses writes.
    pub fn is_read_only(&self) -> bool {
        self.instance().is_read_only()
    }

    /// Makes the store refuse or accept writes.
    pub fn set_read_only(&self, is_read_only: bool) {
        self.instance().store.set_read_only(is_read_only);
    }

    /// Returns the number of the server, which stays the same from its first start.
    pub fn server_id(&self) -> u64 {
        self.instance().store.server_id()
    }

    /// Returns the servers that share the store, as of now; `None` if there can be no others.
    ///
    /// Errors: those of the engine.
    pub fn servers(&self) -> Result<Option<Vec<SharingServer>>> {
        self.instance().local_ids().servers()
    }

    /// Returns the processes that keep the data of a shared store, as of now; `None` if no other
    /// server can share it.
    ///
    /// Errors: those of the engine.
    pub fn nodes(&self) -> Result<Option<Nodes>> {
        self.instance().local_ids().nodes()
    }

    /// Takes the next number of the store's sequence. All earlier numbers are smaller.
    pub fn next_tick(&self) -> Result<u64> {
        self.instance().store.next_id()
    }

    /// Returns the engine's name.
    pub fn engine_name(&self) -> &'static str {
        self.instance().store.engine().name()
    }

    /// Returns the statistics of the engine.
    pub fn engine_statistics(&self) -> EngineStatistics {
        self.instance().store.engine().statistics()
    }

    /// Makes all commits so far durable.
    pub fn sync(&self) -> Result<()> {
        self.instance().store.sync()
    }

    /// Writes a copy of the store into a new folder; see [`storage::Store::checkpoint`].
    pub fn checkpoint(&self, folder: &Path, wait: &PartialWait) -> Result<bool> {
        self.instance().store.checkpoint(folder, wait)
    }

    /// Compacts everything in the store.
    pub fn compact_all(&self) -> Result<()> {
        let engine = self.instance().store.engine();
        Ok(engine.compact(&KeyRange::all())?)
    }

    /// Compacts one collection.
    pub fn compact(&self, collection: &Collection) -> Result<()> {
        self.instance().store.compact(collection)
    }

    /// Returns the number of documents of a collection.
    pub fn count(&self, collection: &Collection) -> Result<u64> {
        self.check_declared(collection)?;
        self.snapshot()?.count_shown(collection, &|| self.check_interrupt())
    }

    /// Counts the documents of a collection one by one and stores the count. Writers wait until it
    /// is done.
    pub fn recalculate_count(&self, collection: &Collection) -> Result<u64> {
        self.require_unrestricted(collection, "a recount")?;
        self.instance().store.recalculate_count(collection)
    }

    /// Returns the statistics of a collection and its indexes.
    ///
    /// With `details` the pairs in the engine are counted.
    pub fn figures(&self, collection: &Collection, details: bool) -> Result<CollectionStatistics> {
        self.require_unrestricted(collection, "statistics")?;
        let store = self.instance().store();
        store.statistics(&store.snapshot()?, collection, details)
    }

    /// Returns a checksum over the keys of a collection and, on request, revisions and attributes.
    pub fn checksum(&self, collection: &Collection, with_revisions: bool, with_data: bool) -> Result<u64> {
        self.check_declared(collection)?;
        self.snapshot()?.checksum(collection, with_revisions, with_data)
    }
}
