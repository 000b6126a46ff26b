//! A graph in memory with the names of its vertices.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aql_value::Charge;
use graph_analytics::{Column, Graph};

use super::origin::JobOrigin;
use super::vertices::Vertices;
use crate::base::Owner;

/// A graph that was loaded.
#[derive(Debug)]
pub(crate) struct LoadedGraph {
    pub(crate) graph: Graph,
    pub(crate) vertices: Vertices,
    /// The names of all collections that it was read from.
    pub(crate) sources: Vec<String>,
    /// The edges that were left out because one of their vertices is not in the graph.
    pub(crate) dangling_edges: u64,
    /// The time that the load took.
    pub(crate) load_time: Duration,
    /// The memory of the edges and attributes.
    pub(crate) charge: Charge,
}

/// A loaded graph that stays in memory until it is removed, or unused for long.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) id: u64,
    /// The name that its user gave it; the number otherwise.
    pub(crate) name: String,
    pub(crate) owner: Owner,
    /// The interface by which it was loaded.
    pub(crate) origin: JobOrigin,
    /// The description of its source in JSON, as its user gave it.
    pub(crate) source: String,
    pub(crate) loaded: LoadedGraph,
    pub(crate) created: SystemTime,
    pub(crate) time_to_live: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The graph with the results that algorithms have left in it.
    graph: Graph,
    charges: Vec<(String, Charge)>,
    last_used: Instant,
}

/// The facts about a projection.
#[derive(Clone, Debug)]
pub struct ProjectionInfo {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The user that made it; empty without authentication.
    pub user: String,
    /// The description of its source in JSON.
    pub source: String,
    /// The number of vertices.
    pub vertices: u64,
    /// The number of edges.
    pub edges: u64,
    /// The edges that were left out because one of their vertices is not in the graph.
    pub dangling_edges: u64,
    /// True if edges have weights.
    pub is_weighted: bool,
    /// The attributes of the vertices.
    pub attributes: Vec<String>,
    /// The bytes that it takes.
    pub bytes: u64,
    /// The time at which it was made.
    pub created: SystemTime,
    /// The time that the load took.
    pub load_time: Duration,
    /// The time after its last use at which it is removed.
    pub time_to_live: Duration,
}

impl Projection {
    pub(crate) fn new(
        (id, name): (u64, String),
        owner: Owner,
        source: String,
        loaded: LoadedGraph,
        time_to_live: Duration,
    ) -> Self {
        let graph = loaded.graph.clone();
        let state = Mutex::new(State { graph, charges: Vec::new(), last_used: Instant::now() });
        let (origin, created) = (JobOrigin::Own, SystemTime::now());
        Projection { id, name, owner, origin, source, loaded, created, time_to_live, state }
    }

    /// Returns the projection as one of an interface.
    pub(crate) fn of_origin(self, origin: JobOrigin) -> Self {
        Projection { origin, ..self }
    }

    /// Returns the graph as it is now, and notes the use.
    pub(crate) fn graph(&self) -> Graph {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.last_used = Instant::now();
        state.graph.clone()
    }

    /// Sets attributes of the vertices. The charge is for the memory of all of them.
    pub(crate) fn set_attributes(&self, columns: Vec<(String, Column)>, charge: Charge) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names = Vec::new();
        for (name, column) in columns {
            state.graph.set_attribute(name.clone(), column);
            names.push(name);
        }
        // A charge ends when all attributes that it pays for were replaced.
        state.charges.retain(|(of, _)| !names.contains(of));
        state.charges.push((names.join("\n"), charge));
        state.last_used = Instant::now();
    }

    pub(super) fn is_expired(self: &Arc<Self>) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::strong_count(self) == 1 && state.last_used.elapsed() > self.time_to_live
    }

    /// Returns the facts about it.
    pub(crate) fn info(&self) -> ProjectionInfo {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let charged: u64 = state.charges.iter().map(|(_, charge)| charge.bytes()).sum();
        ProjectionInfo {
            id: self.id,
            name: self.name.clone(),
            user: self.owner.user.as_deref().unwrap_or_default().to_owned(),
            source: self.source.clone(),
            vertices: self.loaded.vertices.len() as u64,
            edges: state.graph.edge_count(),
            dangling_edges: self.loaded.dangling_edges,
            is_weighted: state.graph.is_weighted(),
            attributes: state.graph.attributes().keys().cloned().collect(),
            bytes: self.loaded.charge.bytes() + self.loaded.vertices.bytes() + charged,
            created: self.created,
            load_time: self.loaded.load_time,
            time_to_live: self.time_to_live,
        }
    }
}
