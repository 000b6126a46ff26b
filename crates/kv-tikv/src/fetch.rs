//! Lookups and pages of scans at a timestamp.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use kv::{Error, KeyRange, Result};
use tokio::task::JoinSet;

use crate::locks::LOCK_PAUSE;
use crate::protocol::RegionRequest;
use crate::protocol::kv::{
    BatchGetRequest, BatchGetResponse, Context, GetRequest, KvPair, LockInfo, ScanRequest, ScanResponse,
};
use crate::refusals::lock_of;
use crate::replica_reads::ReadAt;
use crate::topology::client::{Client, Miss};
use crate::topology::regions::Region;
use crate::topology::retry::Retry;

/// Maximum number of rows of one page.
pub(crate) const PAGE_ROWS_MAX: usize = 8192;

/// The values of keys that are present.
pub(crate) type Found = HashMap<Vec<u8>, Vec<u8>>;

/// Pairs of one region.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The pairs in the order of the scan.
    pub(crate) pairs: Vec<KvPair>,
    /// The rest of the range; `None` if nothing is left.
    pub(crate) rest: Option<KeyRange>,
}

/// Returns the bytes of pairs.
pub(crate) fn bytes(pairs: &[KvPair]) -> usize {
    pairs.iter().map(|pair| pair.key.len() + pair.value.len()).sum()
}

/// The part of a range that one page reads, and the manner.
#[derive(Clone, Debug)]
pub(crate) struct PageSpec {
    /// The range, which has an end.
    pub(crate) range: KeyRange,
    pub(crate) reverse: bool,
    pub(crate) keys_only: bool,
    /// The page is unlikely to be read again.
    pub(crate) is_passing: bool,
}

/// The locks that a reader has met, and those that it may pass by.
struct Reader<'a> {
    client: &'a Client,
    read: ReadAt,
    retry: Retry,
    passable: Vec<u64>,
}

impl Reader<'_> {
    fn context(&self) -> Context {
        Context { resolved_locks: self.passable.clone(), ..Context::default() }
    }

    async fn send<Q: RegionRequest>(
        &self,
        region: &Region,
        request: &Q,
        context: Context,
    ) -> std::result::Result<Q::Reply, Miss> {
        self.client.read(region, request, context, self.read).await
    }

    async fn resolve(&mut self, locks: &[LockInfo]) -> Result<()> {
        // The largest timestamp requests the latest state, and is not a state of its own.
        let reader = (self.read.at != u64::MAX).then_some(self.read.at);
        let resolved = self.client.resolve(locks, reader, &mut self.retry).await?;
        self.passable.extend(resolved.passable);
        if resolved.must_wait {
            let reason = "a key is locked by a transaction that has not ended";
            self.retry.pause_at_least(LOCK_PAUSE, &reason).await?;
        }
        Ok(())
    }
}

impl Client {
    fn reader(&self, read: ReadAt) -> Reader<'_> {
        Reader { client: self, read, retry: self.retry(), passable: Vec::new() }
    }

    /// Looks up one key.
    pub(crate) async fn get(&self, key: &[u8], read: impl Into<ReadAt>) -> Result<Option<Vec<u8>>> {
        let mut reader = self.reader(read.into());
        let request = GetRequest { context: None, key: key.to_vec(), version: reader.read.at };
        loop {
            let region = self.region_of(key).await?;
            match reader.send(&region, &request, reader.context()).await {
                Err(miss) => miss.pause(&mut reader.retry).await?,
                Ok(reply) => match reply.error {
                    Some(error) => reader.resolve(&[lock_of(error)?]).await?,
                    None => return Ok((!reply.not_found && !reply.value.is_empty()).then_some(reply.value)),
                },
            }
        }
    }

    /// Looks up keys, which ascend.
    pub(crate) async fn get_many(
        self: &Arc<Self>,
        keys: Vec<Vec<u8>>,
        read: impl Into<ReadAt>,
    ) -> Result<Found> {
        let read = read.into();
        let mut groups = self.by_region(keys, |key| key).await?;
        if groups.len() == 1
            && let Some((region, keys)) = groups.pop()
        {
            return self.get_in(region, keys, read).await;
        }
        let mut tasks = JoinSet::new();
        for (region, keys) in groups {
            let client = Arc::clone(self);
            tasks.spawn(async move { client.get_in(region, keys, read).await });
        }
        let mut found = Found::new();
        while let Some(part) = tasks.join_next().await {
            found.extend(part.map_err(|_| Error::Closed)??);
        }
        Ok(found)
    }

    async fn get_in(&self, region: Arc<Region>, keys: Vec<Vec<u8>>, read: ReadAt) -> Result<Found> {
        let mut reader = self.reader(read);
        let mut found = Found::new();
        let mut waiting = VecDeque::from([(region, keys)]);
        while let Some((region, keys)) = waiting.pop_front() {
            let request = BatchGetRequest { context: None, keys, version: read.at };
            let keys = match reader.send(&region, &request, reader.context()).await {
                Ok(BatchGetResponse { pairs, error, .. }) => {
                    let mut locks = Vec::new();
                    for pair in pairs {
                        match pair.error {
                            None => drop(found.insert(pair.key, pair.value)),
                            Some(error) => locks.push(lock_of(error)?),
                        }
                    }
                    let is_whole = error.is_some();
                    locks.extend(error.map(lock_of).transpose()?);
                    if locks.is_empty() {
                        continue;
                    }
                    reader.resolve(&locks).await?;
                    match is_whole {
                        true => request.keys,
                        false => sorted(locks.into_iter().map(|lock| lock.key)),
                    }
                }
                Err(miss) => {
                    miss.pause(&mut reader.retry).await?;
                    request.keys
                }
            };
            waiting.extend(self.by_region(keys, |key| key).await?);
        }
        Ok(found)
    }

    /// Reads at most `rows` pairs of the first region of a range.
    pub(crate) async fn page(&self, spec: &PageSpec, rows: usize, read: impl Into<ReadAt>) -> Result<Page> {
        let PageSpec { range, reverse, .. } = spec;
        let rows = rows.clamp(1, PAGE_ROWS_MAX);
        let mut reader = self.reader(read.into());
        loop {
            // The part of the range in the region that comes first.
            let part = if *reverse {
                let region = self.region_before(&range.end).await?;
                let start = region.start.as_slice().max(&range.start).to_vec();
                (region, KeyRange { start, end: range.end.clone() })
            } else {
                let region = self.region_of(&range.start).await?;
                let is_cut = !region.end.is_empty() && region.end < range.end;
                let end = if is_cut { &region.end } else { &range.end }.clone();
                (region, KeyRange { start: range.start.clone(), end })
            };
            let (region, part) = part;
            let (from, to) = if *reverse { (&part.end, &part.start) } else { (&part.start, &part.end) };
            let request = ScanRequest {
                context: None,
                start_key: from.clone(),
                limit: rows as u32,
                version: reader.read.at,
                key_only: spec.keys_only,
                reverse: *reverse,
                end_key: to.clone(),
            };
            let context = Context { not_fill_cache: spec.is_passing, ..reader.context() };
            let ScanResponse { mut pairs, error, .. } = match reader.send(&region, &request, context).await {
                Ok(reply) => reply,
                Err(miss) => {
                    miss.pause(&mut reader.retry).await?;
                    continue;
                }
            };
            let errors = pairs.iter_mut().filter_map(|pair| pair.error.take()).chain(error);
            let locks = errors.map(lock_of).collect::<Result<Vec<_>>>()?;
            if !locks.is_empty() {
                reader.resolve(&locks).await?;
                continue;
            }
            if spec.keys_only {
                // Not every store leaves them out.
                pairs.iter_mut().for_each(|pair| pair.value.clear());
            }
            let rest = match pairs.last().filter(|_| pairs.len() >= rows) {
                Some(last) => range.remainder(&last.key, *reverse),
                None if *reverse => KeyRange { start: range.start.clone(), end: part.start },
                None => KeyRange { start: part.end, end: range.end.clone() },
            };
            return Ok(Page { pairs, rest: (!rest.is_empty()).then_some(rest) });
        }
    }
}

fn sorted(keys: impl Iterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let mut keys: Vec<_> = keys.collect();
    keys.sort_unstable();
    keys
}
