//! Projections: graphs that stay in memory.

use std::sync::Arc;
use std::time::Duration;

use aql_exec::ReadAuthorization;
use aql_value::Owner;
use errors::{Error, ErrorCode, Result};
use graph_analytics::Work;
use velocypack::Slice;

use super::queries::QuerySource;
use super::run::{GraphRuns, LoadEstimate};
use super::source::StoredSource;
use crate::session::Session;
use crate::state::analytics::{JobOrigin, LoadedGraph, Projection, ProjectionInfo};

/// Maximum length of a projection's name in bytes.
const NAME_MAX_BYTES: usize = 256;

/// A request for a projection.
pub(crate) struct ProjectionRequest {
    pub(crate) name: Option<String>,
    pub(crate) time_to_live: Option<Duration>,
    /// The description of its source in JSON.
    pub(crate) description: String,
}

impl ProjectionRequest {
    /// Reads `name` and `ttl` of an object.
    ///
    /// Errors: 10 for a wrong value.
    pub(crate) fn parse(body: Slice<'_>) -> Result<Self> {
        let name = match body.get("name").filter(|name| !name.is_null()) {
            None => None,
            Some(name) => Some(checked_name(name)?),
        };
        let time_to_live = match body.get("ttl").filter(|ttl| !ttl.is_null()) {
            None => None,
            Some(ttl) => Some(
                ttl.as_f64()
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                    .ok_or_else(|| Error::bad_parameter("'ttl' must be a number of seconds, from 0"))?,
            ),
        };
        Ok(ProjectionRequest { name, time_to_live, description: body.to_json_string() })
    }
}

/// Returns a name that cannot be taken for a number.
fn checked_name(name: Slice<'_>) -> Result<String> {
    let is_allowed = |name: &&str| {
        let is_text = !name.is_empty() && name.len() <= NAME_MAX_BYTES;
        is_text && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains(['/', '\0'])
    };
    let name = name.as_str().filter(is_allowed).map(str::to_owned);
    name.ok_or_else(|| {
        Error::bad_parameter(format!(
            "'name' must be a text of at most {NAME_MAX_BYTES} bytes that has no slash and does not begin with a digit"
        ))
    })
}

impl Session {
    /// Returns the runs of a request, whose memory is the user's and whose interrupt is the
    /// session's.
    pub(super) fn graph_runs(&self, owner: &Owner) -> GraphRuns {
        GraphRuns {
            session: self.clone(),
            authorize: None,
            memory: Arc::clone(&owner.memory),
            interrupt: owner.interrupt.clone(),
            read_only: None,
        }
    }

    /// Loads a projection from a graph, from collections with or without filters, or from queries.
    ///
    /// Errors: 10 for a wrong member, 1924, 1203, 11, 1207 for a name that exists, 32 beyond the
    /// limit of memory or of projections, 1500.
    pub fn create_projection(&self, body: Slice<'_>) -> Result<ProjectionInfo> {
        let request = ProjectionRequest::parse(body)?;
        self.instance().analytics().projections.check_room()?;
        let listed = self.list_work("/* a projection of a graph is loaded */");
        let work = Work::new(listed.owner().clone());
        let loaded = self.load_graph(body, &work)?;
        let id = self.instance().next_local_id()?;
        self.add_projection((id, JobOrigin::Own), request, loaded).map(|projection| projection.info())
    }

    /// Loads a graph that `body` describes, for the user's share of memory.
    ///
    /// Errors: those of [`Session::create_projection`].
    pub(super) fn load_graph(&self, body: Slice<'_>, work: &Work) -> Result<LoadedGraph> {
        let memory = self.work_memory();
        if let Some(queries) = QuerySource::parse(body)? {
            return self.load_queries(&queries, &memory, work);
        }
        let source = StoredSource::parse(body)?;
        let owner = Owner { interrupt: work.interrupt().clone(), memory: Arc::clone(&memory) };
        self.graph_runs(&owner).load(&self.snapshot()?, &source, memory, work)
    }

    /// Returns the numbers of vertices and edges, and the bytes, that a projection would have.
    ///
    /// Errors: those of [`Session::create_projection`].
    pub fn estimate_projection(&self, body: Slice<'_>) -> Result<(u64, u64, u64)> {
        let source = StoredSource::parse(body)?;
        let owner = Owner { interrupt: self.part_interrupt(), memory: self.work_memory() };
        let LoadEstimate { vertices, edges, bytes } =
            self.graph_runs(&owner).estimate_load(&self.snapshot()?, &source)?;
        Ok((vertices, edges, bytes))
    }

    /// Adds a graph that was loaded, with its number and the interface that it was loaded by.
    ///
    /// Errors: 32, 1207.
    pub(super) fn add_projection(
        &self,
        (id, origin): (u64, JobOrigin),
        request: ProjectionRequest,
        loaded: LoadedGraph,
    ) -> Result<Arc<Projection>> {
        let name = request.name.unwrap_or_else(|| id.to_string());
        let analytics = self.instance().analytics();
        let time_to_live = request.time_to_live.unwrap_or(analytics.options.time_to_live);
        let projection = Projection::new((id, name), self.owner(), request.description, loaded, time_to_live);
        let projection = Arc::new(projection.of_origin(origin));
        analytics.projections.add(Arc::clone(&projection))?;
        Ok(projection)
    }

    /// Returns the projection with a name or number.
    ///
    /// Its maker and administrators may use it, while they may read all of its collections. Errors:
    /// 1202 for an unknown one, 11.
    pub(crate) fn find_projection(
        &self,
        name: &str,
        authorize: Option<&ReadAuthorization>,
    ) -> Result<Arc<Projection>> {
        let found = self.instance().analytics().projections.find(self.database_name(), name);
        let found = found.filter(|projection| self.may_use_projection(projection));
        let projection = found.ok_or_else(|| {
            Error::new(ErrorCode::DocumentNotFound, format!("there is no projection '{name}'"))
        })?;
        for collection in &projection.loaded.sources {
            match authorize {
                Some(authorize) => authorize(collection)?,
                None => self.require_collection(collection, catalog::AccessLevel::ReadOnly)?,
            }
        }
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let mut sources = projection.loaded.sources.iter().filter_map(|name| database.collection(name));
        sources.try_for_each(|source| self.require_unrestricted(source, "a computation over a graph"))?;
        Ok(projection)
    }

    pub(super) fn may_use_projection(&self, projection: &Projection) -> bool {
        projection.owner.user.as_ref() == self.user() || self.require_administrator().is_ok()
    }

    /// Returns the projections that the user may use, the oldest first.
    pub fn projections(&self) -> Vec<ProjectionInfo> {
        let all = self.instance().analytics().projections.of(self.database_name());
        all.iter().filter(|projection| self.may_use_projection(projection)).map(|its| its.info()).collect()
    }

    /// Returns the facts about a projection. Errors: 1202.
    pub fn projection(&self, name: &str) -> Result<ProjectionInfo> {
        self.find_projection(name, None).map(|projection| projection.info())
    }

    /// Removes a projection. Work that uses it continues. Errors: 1202.
    pub fn remove_projection(&self, name: &str) -> Result<ProjectionInfo> {
        let projection = self.find_projection(name, None)?;
        self.instance().analytics().projections.remove(projection.id);
        Ok(projection.info())
    }
}
