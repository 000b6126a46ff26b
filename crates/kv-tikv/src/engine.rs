//! The engine: a store for as long as it is open.

use std::path::Path;
use std::sync::Arc;

use kv::background::BackgroundThread;
use kv::{
    BulkLoad, Engine, EngineStatistics, Error, KeyRange, LoadHint, LoadKind, LocalStore, LocalTransaction,
    OpenStore, Result, Sharing, Snapshot, TransactionOptions, WriteTransaction,
};

use crate::keys::Keys;
use crate::load::{AtomicLoad, PrivateLoad};
use crate::maintenance::garbage::Collector;
use crate::maintenance::upkeep::{self, Upkeep};
use crate::maintenance::{drop_range, sizes};
use crate::membership::Membership;
use crate::membership::formats::Format;
use crate::membership::identity::{self, Identity};
use crate::network::{GrpcNetwork, Network, TlsFiles};
use crate::options::TikvOptions;
use crate::runtime::Threads;
use crate::shared::Shared;
use crate::sharing::TikvSharing;
use crate::store::Store;
use crate::topology::client::Client;

/// A store in a TiKV cluster.
pub struct TikvEngine {
    store: OpenStore<Store>,
    identity: Identity,
}

impl TikvEngine {
    /// Opens the store of a prefix in a cluster, or creates a new one.
    ///
    /// Errors: [`Error::CannotOpen`] if no member of PD answers, if the prefix holds the data of
    /// another program or cluster, or if too many servers use the store; [`Error::NewerFormat`].
    pub fn open(options: &TikvOptions) -> Result<Arc<TikvEngine>> {
        let tls = options.tls.as_ref().map(TlsFiles::connector).transpose()?;
        Self::over(Arc::new(GrpcNetwork::new(tls, options.message_timeout)), options)
    }

    /// Opens a store over a network.
    pub(crate) fn over(network: Arc<dyn Network>, options: &TikvOptions) -> Result<Arc<TikvEngine>> {
        let threads = Arc::new(Threads::start()?);
        let (settings, keys) = (options.clone(), Keys::new(&options.prefix));
        let opened = threads.wait(async move {
            let client = Client::connect(network, &settings).await?;
            let identity = identity::settle(&client, &keys, &settings).await?;
            let membership = Membership::take(&client, &keys, &settings).await?;
            let format = Format::join(&client, &membership, settings.format).await?;
            Ok((client, keys, identity, (membership, format)))
        })?;
        let (client, keys, identity, member) = opened;
        let shared = Shared::new(client, threads, keys, options.clone(), member);
        let upkeep = BackgroundThread::start("tikv-upkeep", Arc::new(Upkeep::new(&shared)))?;
        let mut threads = vec![upkeep];
        if options.collect_garbage {
            threads.push(BackgroundThread::start("tikv-garbage", Arc::new(Collector::new(&shared)))?);
        }
        Ok(Arc::new(TikvEngine { store: OpenStore::new(Store::new(shared), threads), identity }))
    }

    /// Returns the identity of the store.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Makes the others believe that this server reads no newer format. The next renewal of the
    /// lease tells them.
    #[cfg(test)]
    pub(crate) fn claim_to_read(&self, format: u32) -> Result<()> {
        self.store()?.shared.membership.claim_to_read(format);
        Ok(())
    }

    pub(crate) fn store(&self) -> Result<Arc<Store>> {
        let store = self.store.get()?;
        store.shared.check_open()?;
        Ok(store)
    }
}

impl Engine for TikvEngine {
    fn name(&self) -> &'static str {
        "tikv"
    }

    fn sharing(&self) -> Option<Arc<dyn Sharing>> {
        let store = self.store.get().ok()?;
        Some(Arc::new(TikvSharing(Arc::clone(&store.shared))))
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.store()?.snapshot()
    }

    fn replica_snapshot(&self, not_before: u64) -> Result<Arc<dyn Snapshot>> {
        self.store()?.replica_snapshot(not_before)
    }

    fn snapshot_at(&self, version: u64) -> Result<Arc<dyn Snapshot>> {
        self.store()?.snapshot_at(version)
    }

    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>> {
        let store = self.store()?;
        let max_bytes = options.max_bytes.min(store.shared.options.transaction_bytes_max);
        Ok(Box::new(LocalTransaction::begin(store, TransactionOptions { max_bytes, ..options })?))
    }

    /// Removes the keys by transactions, so it takes time in proportion to their number.
    fn drop_range(&self, range: &KeyRange) -> Result<()> {
        drop_range::drop_range(&self.store()?.shared, range)
    }

    fn load(&self, kind: LoadKind, _: LoadHint) -> Result<Box<dyn BulkLoad>> {
        let shared = Arc::clone(&self.store()?.shared);
        Ok(match kind {
            LoadKind::Visible => Box::new(AtomicLoad::new(shared)?),
            LoadKind::Private => Box::new(PrivateLoad::new(shared)?),
        })
    }

    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        sizes::split_points(&self.store()?.shared, range, parts)
    }

    /// Estimates the bytes of one replica without compression.
    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        sizes::size_bytes(&self.store()?.shared, range)
    }

    fn approximate_share(&self, part: &KeyRange, whole: &KeyRange) -> Result<Option<f64>> {
        sizes::share(&self.store()?.shared, part, whole)
    }

    /// Does nothing: the cluster collects old versions by itself.
    fn compact(&self, _: &KeyRange) -> Result<()> {
        self.store().map(|_| ())
    }

    /// Does nothing: every commit is in the logs of most replicas.
    fn sync(&self) -> Result<()> {
        self.store().map(|_| ())
    }

    fn checkpoint(&self, _: &Path) -> Result<()> {
        self.store()?;
        Err(Error::Unsupported {
            operation: "a checkpoint",
            reason: "the data are in a TiKV cluster; use its own backup or a dump",
        })
    }

    fn statistics(&self) -> EngineStatistics {
        let Ok(store) = self.store.get() else { return EngineStatistics::default() };
        let remote = store.remote_conflicts();
        let mut counters = vec![("tikv.conflicts-at-commit".to_owned(), remote)];
        counters.push(("tikv.format".to_owned(), store.shared.format.used().into()));
        counters.extend(store.shared.client.counters());
        EngineStatistics {
            snapshots: store.shared.snapshots.count(),
            oldest_snapshot_seconds: store.shared.snapshots.oldest_seconds(),
            commits: store.conflict_table().last_commit(),
            conflicts: store.conflict_table().conflicts() + remote,
            counters,
            nodes: store.shared.client.network().statistics(),
            ..EngineStatistics::default()
        }
    }

    fn close(&self) -> Result<()> {
        if let Some(store) = self.store.close(|store| store.shared.refuse()) {
            let finished = upkeep::finish(&store.shared);
            store.shared.stop();
            if let Err(error) = finished {
                tracing::warn!(target: "engines", "cannot release the lease of the store, which expires later: {error}");
            }
        }
        Ok(())
    }
}

/// Ends the use of the store, as [`Engine::close`] does.
impl Drop for TikvEngine {
    fn drop(&mut self) {
        // It cannot fail.
        let _ = self.close();
    }
}
