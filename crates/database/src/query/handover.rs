//! Streamed queries that another server goes on with, where several share a store.
//!
//! A server that takes a cursor over runs the query again, in the state that the query has read, up
//! to the rows that the client has. So the query must give the same rows in the same order: it has
//! one loop over a collection, and nothing in it depends on chance or on the moment. The other
//! server must also choose the same plan, with the same collections and indexes.

use std::fmt::Write as _;
use std::sync::Arc;

use aql_plan::{NodeKind, Plan};
use catalog::{CollectionId, IndexId};
use errors::{Error, ErrorCode, Result};
use storage::CursorRecord;
use velocypack::{Builder, Limits, Slice, validate};

use crate::instance::Instance;
use crate::query::prepare::PreparedQuery;
use crate::query_request::QueryRequest;
use crate::session::Session;
use crate::state::cursor::Reply;
use crate::state::cursor::encoder::Format;
use crate::state::cursor::handover::Handover;

/// The parts of a query by which another server runs it again.
struct Description<'d> {
    database: &'d str,
    /// `None` without authentication.
    user: Option<&'d str>,
    /// The body of the request.
    request: Slice<'d>,
    /// The version of the state that the query reads.
    version: u64,
    /// The plan with its collections and indexes.
    plan: &'d str,
}

impl<'d> Description<'d> {
    fn to_bytes(&self) -> velocypack::Result<Vec<u8>> {
        let mut out = Builder::new();
        out.open_object()?;
        out.key("database")?;
        out.add_str(self.database)?;
        out.key("user")?;
        match self.user {
            Some(user) => out.add_str(user)?,
            None => out.add_null()?,
        }
        out.key("request")?;
        out.add_slice(self.request)?;
        out.key("version")?;
        out.add_u64(self.version)?;
        out.key("plan")?;
        out.add_str(self.plan)?;
        out.close()?;
        Ok(out.into_vec())
    }

    /// Reads a description. Errors: 1102 for damage.
    fn read(bytes: &'d [u8]) -> Result<Self> {
        let damaged = |_| Error::corrupt("the description of a cursor is not VelocyPack");
        let description = validate(bytes, &Limits::default()).map_err(damaged)?;
        let lacking = |name: &str| Error::corrupt(format!("the description of a cursor has no '{name}'"));
        let text = |name: &str| description.get(name).and_then(Slice::as_str).ok_or_else(|| lacking(name));
        Ok(Description {
            database: text("database")?,
            user: description.get("user").and_then(Slice::as_str),
            request: description.get("request").ok_or_else(|| lacking("request"))?,
            version: description.get("version").and_then(Slice::as_u64).ok_or_else(|| lacking("version"))?,
            plan: text("plan")?,
        })
    }

    fn is_of(&self, session: &Session) -> bool {
        self.database == &**session.database_name() && self.user == session.user().map(|user| &**user)
    }
}

impl PreparedQuery {
    /// Returns a description by which another server computes the same rows from the state with a
    /// version; `None` if none could.
    pub(super) fn description(&self, version: u64) -> Option<Vec<u8>> {
        let request = self.request.body.as_ref()?;
        // A query that was ended must not come back elsewhere.
        self.interrupt.check().ok()?;
        let is_alone = self.session.instance().store().sharing().is_none();
        let reads_elsewhere = self.session.transaction_id().is_some() || self.session.reads_replicas();
        if is_alone || reads_elsewhere || !is_repeatable(&self.planned.plan) {
            return None;
        }
        let description = Description {
            database: self.session.database_name(),
            user: self.session.user().map(|user| &**user),
            request: Slice::new(request),
            version,
            plan: &self.identified_plan()?,
        };
        description.to_bytes().ok()
    }

    /// Returns the plan as text, with the numbers of the objects that its collections and indexes
    /// are stored in. `None` if one of them is gone.
    fn identified_plan(&self) -> Option<String> {
        let plan = self.planned.plan.with_parameters(&self.planned.parameters);
        let mut text = aql_plan::print(&plan);
        let database = self.session.database_in(&self.planned.catalog).ok()?;
        for used in &plan.collections {
            // A truncation gives a collection another object.
            let collection = database.collection_by_id(CollectionId(used.collection.id))?;
            let _ =
                writeln!(text, "{}: object {}", used.collection.name, collection.definition().object_id.0);
        }
        for node in &plan.nodes {
            let NodeKind::Index(scan) = &node.kind else { continue };
            let collection = database.collection_by_id(CollectionId(scan.source.collection.id))?;
            for used in &scan.indexes {
                let index = collection.index(IndexId(used.id))?;
                let _ = writeln!(text, "{}: object {}", index.name(), index.definition().object_id.0);
            }
        }
        Some(text)
    }
}

/// Returns true if every run of a plan in the same state gives the same rows in the same order.
fn is_repeatable(plan: &Plan) -> bool {
    let mut loops = 0;
    let are_repeatable = plan.nodes.iter().all(|node| {
        let is_known = match &node.kind {
            NodeKind::EnumerateCollection(scan) => {
                loops += 1;
                !scan.random
            }
            NodeKind::Index(_) => {
                loops += 1;
                true
            }
            NodeKind::Singleton
            | NodeKind::EnumerateList(_)
            | NodeKind::Calculation(_)
            | NodeKind::Filter(_)
            | NodeKind::Limit(_)
            | NodeKind::Materialize(_)
            | NodeKind::Return(_) => true,
            _ => false,
        };
        is_known && node.kind.is_deterministic()
    });
    // Two loops may become a hash join, whose order depends on the memory at hand.
    are_repeatable && loops <= 1
}

impl Session {
    /// Returns the next batch of a cursor or export, or the batch with the number `batch`. Takes
    /// the cursor over if it belongs to a server that is gone.
    ///
    /// Errors: 1600, 1601, and those of the query; 1478 if the batch must be read from a shared
    /// store that does not answer, and the cursor stays as it is.
    pub fn fetch(&self, id: u64, batch: Option<u64>, format: Format) -> Result<Reply> {
        match self.fetch_here(id, batch, format) {
            Err(error) if error.code() == ErrorCode::CursorNotFound && self.take_over(id, format)? => {
                self.fetch_here(id, batch, format)
            }
            outcome => outcome,
        }
    }

    /// Closes a cursor or export. Errors: 1600.
    pub fn remove_cursor(&self, id: u64) -> Result<()> {
        let removed = self.instance().cursors().remove(id, &self.owner());
        let Err(error) = removed else { return Ok(()) };
        let store = self.instance().store();
        let (Some(records), Some(record)) = (store.cursor_records(), self.record_of(id)?) else {
            return Err(error);
        };
        if !Description::read(&record.description)?.is_of(self) {
            return Err(error);
        }
        records.remove(&[id])
    }

    /// Returns the records of a cursor that is not here.
    fn record_of(&self, id: u64) -> Result<Option<CursorRecord>> {
        let records = self.instance().store().cursor_records();
        records.map_or(Ok(None), |records| records.get(id))
    }

    /// Takes a cursor over from a server that is gone. Returns false if there is no such cursor of
    /// this user, or if it is here.
    ///
    /// Errors: 1600 if the query cannot go on here, 1601 if another request takes the cursor over,
    /// 1465 if another server has it.
    fn take_over(&self, id: u64, format: Format) -> Result<bool> {
        let instance = self.instance();
        let Some(records) = instance.store().cursor_records() else { return Ok(false) };
        let Some(_taking) = instance.cursors().begin_taking(id)? else { return Ok(false) };
        let Some(record) = records.get(id)? else { return Ok(false) };
        let description = Description::read(&record.description)?;
        let sharing = records.sharing();
        let is_here = record.progress.owner == sharing.identity();
        if is_here && instance.is_stopping() {
            return Err(Error::of(ErrorCode::ShuttingDown));
        }
        if is_here || record.progress.expires_ms < sharing.clock_ms() || !description.is_of(self) {
            return Ok(false);
        }
        // Only a request that was meant for this server may take the cursor from one that lives.
        if instance.local_ids().other_owner(id).is_some()
            && instance.server_of(record.progress.owner)?.is_some()
        {
            let message = format!("cursor {id} belongs to another server now; try again");
            return Err(Error::new(ErrorCode::ClusterConnectionLost, message));
        }
        instance.cursors().check_room(self.user())?;
        let request = QueryRequest::from_body(description.request)?;
        let defaults = &instance.options().query_defaults;
        let ttl = request.ttl.unwrap_or(defaults.cursor_ttl);
        let allow_retry = request.options.allow_retry;
        let prepared = self.prepare_query(Arc::new(request)).map_err(|error| lost_by(id, error))?;
        if prepared.identified_plan().as_deref() != Some(description.plan) {
            return Err(lost(id, &"its collections or indexes have changed"));
        }
        let mut running =
            prepared.start_at(format, description.version).map_err(|error| lost_by(id, error))?;
        let last_rows = if allow_retry { record.progress.last_rows } else { 0 };
        running.skip(record.progress.rows.saturating_sub(last_rows))?;
        // Taken at last: until here another attempt may succeed.
        let forgotten = instance.cursors().forgotten();
        let taken = Handover::take(id, (records, forgotten), record.progress, ttl)?;
        let Some(handover) = taken else { return Ok(false) };
        running.resume(id, handover)?;
        tracing::info!(target: "cluster", "cursor {id} of a server that is gone goes on here");
        Ok(true)
    }
}

/// Returns the error of a query that cannot begin here. An error that may pass leaves the cursor as
/// it is.
fn lost_by(id: u64, error: Error) -> Error {
    let may_pass = matches!(
        error.code(),
        ErrorCode::ClusterBackendUnavailable
            | ErrorCode::QueryKilled
            | ErrorCode::ResourceLimit
            | ErrorCode::ShuttingDown
    );
    if may_pass { error } else { lost(id, &error) }
}

fn lost(id: u64, reason: &dyn std::fmt::Display) -> Error {
    let message = format!("cursor not found: cursor {id} has lost its server, and cannot go on: {reason}");
    Error::new(ErrorCode::CursorNotFound, message)
}

impl Instance {
    /// Returns the address `HOST:PORT` of the other server that has taken a cursor over; `None` if
    /// none has.
    ///
    /// Errors: those of the store.
    pub fn server_of_cursor(&self, id: u64) -> Result<Option<String>> {
        let Some(records) = self.store().cursor_records() else { return Ok(None) };
        let Some(progress) = records.progress(id)? else { return Ok(None) };
        self.server_of(progress.owner)
    }

    /// Returns the address of the living server with an identity, unless it is this one.
    fn server_of(&self, identity: u64) -> Result<Option<String>> {
        let mut servers = self.local_ids().servers()?.into_iter().flatten();
        let server = servers.find(|server| server.identity == identity && !server.is_this);
        Ok(server.map(|server| server.address).filter(|address| !address.is_empty()))
    }
}
