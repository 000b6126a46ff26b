//! The delivery of cached results to clients.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};
use storage::DataVersions;
use velocypack::{Slice, json};

use crate::query_request::QueryRequest;
use crate::session::Session;
use crate::state::cursor::encoder::{Format, RowEncoder};
use crate::state::cursor::whole::WholeResult;
use crate::state::cursor::{CursorSpec, Reply, RowSource};
use crate::state::plan_cache::Estimate;
use crate::state::results_cache::{Dependencies, Entry, ResultKey};

/// Bytes up to which copying a result is faster than handing it to another thread.
const CHEAP_MAX_BYTES: usize = 64 << 10;

/// A cached result that answers a query.
pub struct CachedResult {
    session: Session,
    request: QueryRequest,
    entry: Arc<Entry>,
}

impl Session {
    /// Returns the cached result of a query, if it may be used and reflects the present data.
    ///
    /// Errors: 11 for a collection that the user may not read.
    pub fn cached_result(&self, request: &QueryRequest) -> Result<Option<CachedResult>> {
        let cache = self.instance().results_cache();
        if !cache.is_wanted(request) || self.transaction_id().is_some() || self.instance().is_stopping() {
            return Ok(None);
        }
        if self.restrictions().is_some() {
            return Ok(None);
        }
        let database = self.database_name();
        let Some(entry) = cache.get(database, &ResultKey::of(request)) else { return Ok(None) };
        if !self.is_current(&entry, &self.instance().store().data_versions())? {
            cache.forget(database, &entry);
            return Ok(None);
        }
        entry
            .dependencies
            .named()
            .try_for_each(|name| self.require_collection(name, AccessLevel::ReadOnly))?;
        if !self.may_read_all_of(&entry.dependencies) {
            return Ok(None);
        }
        entry.hits.fetch_add(1, Ordering::Relaxed);
        Ok(Some(CachedResult { session: self.clone(), request: request.clone(), entry }))
    }

    /// Returns the valid results of this database that were read only from collections that the
    /// user may read; none if rules of collections restrict the user.
    pub fn cached_results(&self) -> Result<Vec<Arc<Entry>>> {
        if !self.sees_all_documents() {
            return Ok(Vec::new());
        }
        let cache = self.instance().results_cache();
        let mut listed = Vec::new();
        let versions = self.instance().store().data_versions();
        for entry in cache.entries(self.database_name()) {
            if !self.is_current(&entry, &versions)? {
                cache.forget(self.database_name(), &entry);
            } else if self.may_read_all_of(&entry.dependencies) {
                listed.push(entry);
            }
        }
        Ok(listed)
    }

    /// Returns true if the user may read every collection that a result may have been read from.
    ///
    /// The collections of vertices are known only while a graph query runs, and the same query has
    /// another result for a user who may not read one of them. So such a user neither gets nor
    /// leaves a result that may have been read from any collection. A user who may not read all
    /// collections of a view gets the error of the query itself.
    pub(crate) fn may_read_all_of(&self, dependencies: &Dependencies) -> bool {
        let mut names = dependencies.named().chain(dependencies.unnamed());
        names.all(|name| self.require_collection(name, AccessLevel::ReadOnly).is_ok())
    }

    fn is_current(&self, entry: &Entry, versions: &DataVersions<'_>) -> Result<bool> {
        let catalog = self.catalog();
        Ok(entry.dependencies.hold_in(&catalog, self.database_in(&catalog)?, versions))
    }
}

impl CachedResult {
    /// Returns the estimate for delivering it.
    pub(crate) fn estimate(&self) -> Estimate {
        if self.entry.rows.len() <= CHEAP_MAX_BYTES { Estimate::Constant } else { Estimate::Unknown }
    }

    /// Returns the first batch of the result.
    pub fn run(self, format: Format) -> Result<Reply> {
        let spec = self.spec(format);
        self.session.open_cursor(Box::new(CachedRows { entry: self.entry, next: 0, left: None }), spec)
    }

    /// Returns the result as a whole. `observe` sees each row, unless the request asks for a
    /// stream.
    pub(crate) fn run_whole(self, observe: &mut dyn FnMut(Slice<'_>)) -> Result<WholeResult> {
        let spec = self.spec(Format::VelocyPack);
        self.session.open_whole(
            Box::new(CachedRows { entry: self.entry, next: 0, left: None }),
            &spec,
            observe,
        )
    }

    fn spec(&self, format: Format) -> CursorSpec {
        let default_ttl = self.session.instance().options().query_defaults.cursor_ttl;
        // The result is that of the present data, but the client asks if it may be another one.
        let may_be_dirty = self.session.reads_replicas();
        CursorSpec { cached: Some(true), may_be_dirty, ..self.request.cursor_spec(format, default_ttl) }
    }
}

/// The rows of a cached result.
struct CachedRows {
    entry: Arc<Entry>,
    /// The offset of the next row.
    next: usize,
    /// The number of rows left; `None` before the first.
    left: Option<usize>,
}

impl RowSource for CachedRows {
    fn fill(&mut self, reply: &mut RowEncoder, max_rows: usize) -> Result<bool> {
        let mut left = self.left.unwrap_or(self.entry.row_count);
        for _ in 0..max_rows.min(left) {
            if !reply.has_room() {
                break;
            }
            let rest = self.entry.rows.get(self.next..).unwrap_or_default();
            if rest.is_empty() {
                return Err(Error::new(
                    ErrorCode::Internal,
                    "a kept result is shorter than its number of rows",
                ));
            }
            let row = Slice::new(rest);
            reply.push(row, None)?;
            self.next += row.byte_len();
            left -= 1;
        }
        self.left = Some(left);
        Ok(left > 0)
    }

    fn release(&mut self) {}

    fn can_read_ahead(&self) -> bool {
        true
    }

    fn count(&self) -> Option<u64> {
        Some(self.entry.row_count as u64)
    }

    fn finish(&mut self, format: Format) -> Result<Option<Vec<u8>>> {
        let extra = &self.entry.extra;
        Ok(Some(match format {
            Format::VelocyPack => extra.clone(),
            Format::Json => json::to_json_string(Slice::new(extra), None).into_bytes(),
        }))
    }
}
