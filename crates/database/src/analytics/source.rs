//! The graph that a request names: a named graph, collections, or a projection.

use std::sync::Arc;

use aql_exec::ReadAuthorization;
use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Database, Snapshot};
use velocypack::Slice;

use super::load::AttributeSpec;
use crate::graph::definition_in;
use crate::session::Session;

/// Maximum number of attributes that are loaded with the vertices.
const ATTRIBUTES_MAX: usize = 64;
/// Maximum number of collections that a request may name.
const COLLECTIONS_MAX: usize = 2_048;

/// The graph that a request names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GraphSource {
    /// A projection by its name or number.
    Projection(String),
    /// Collections that are loaded.
    Stored(StoredSource),
}

/// A graph that is loaded from collections.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StoredSource {
    /// The named graph whose collections are loaded.
    pub(crate) graph: Option<String>,
    /// Collections besides those of the named graph.
    pub(crate) vertex_collections: Vec<String>,
    pub(crate) edge_collections: Vec<String>,
    /// The attribute with the weights of edges.
    pub(crate) weight: Option<String>,
    pub(crate) attributes: Vec<AttributeSpec>,
}

/// The collections of a source.
pub(crate) struct SourceCollections {
    pub(crate) vertices: Vec<Arc<Collection>>,
    pub(crate) edges: Vec<Arc<Collection>>,
}

/// The members of a source.
const MEMBERS: &[&str] =
    &["graph", "vertexCollections", "edgeCollections", "weightAttribute", "vertexAttributes", "projection"];

impl GraphSource {
    /// Reads a source: the name of a graph, or an object.
    ///
    /// Errors: 10 for anything else.
    pub(crate) fn parse(value: Slice<'_>) -> Result<Self> {
        if let Some(graph) = value.as_str() {
            return Ok(GraphSource::Stored(StoredSource {
                graph: Some(graph.to_owned()),
                ..Default::default()
            }));
        }
        if !value.is_object() {
            return Err(Error::bad_parameter(
                "the graph must be the name of a graph, or an object with 'graph', 'vertexCollections' and \
                 'edgeCollections', or 'projection'",
            ));
        }
        if let Some((name, _)) = value.entries().find(|(name, _)| !MEMBERS.contains(name)) {
            let known = MEMBERS.join(", ");
            return Err(Error::bad_parameter(format!(
                "the graph has the unknown member '{name}'; known are: {known}"
            )));
        }
        if let Some(projection) = value.get("projection") {
            let name = projection.as_str().map(str::to_owned);
            let name = name.or_else(|| projection.as_u64().map(|number| number.to_string()));
            let name = name.ok_or_else(|| Error::bad_parameter("'projection' must be a name or a number"))?;
            if value.entries().count() > 1 {
                return Err(Error::bad_parameter("'projection' must be the only member of the graph"));
            }
            return Ok(GraphSource::Projection(name));
        }
        StoredSource::parse(value).map(GraphSource::Stored)
    }
}

impl StoredSource {
    /// Reads the members of an object, and ignores others.
    ///
    /// Errors: 10 for a wrong value, or none that names collections.
    pub(crate) fn parse(value: Slice<'_>) -> Result<Self> {
        let text = |name: &str| match value.get(name).filter(|value| !value.is_null()) {
            None => Ok(None),
            Some(text) => match text.as_str() {
                Some(text) if !text.is_empty() => Ok(Some(text.to_owned())),
                _ => Err(Error::bad_parameter(format!("'{name}' must be a text that is not empty"))),
            },
        };
        let source = StoredSource {
            graph: text("graph")?,
            vertex_collections: texts(value, "vertexCollections", COLLECTIONS_MAX)?,
            edge_collections: texts(value, "edgeCollections", COLLECTIONS_MAX)?,
            weight: text("weightAttribute")?,
            attributes: attributes(value)?,
        };
        if source.graph.is_none()
            && (source.vertex_collections.is_empty() || source.edge_collections.is_empty())
        {
            return Err(Error::bad_parameter(
                "the graph needs 'graph', or both 'vertexCollections' and 'edgeCollections'",
            ));
        }
        Ok(source)
    }

    /// Returns the collections of a snapshot, which the user must be allowed to read.
    ///
    /// Errors: 1924 for an unknown graph, 1203, 11.
    pub(crate) fn collections(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        authorize: Option<&ReadAuthorization>,
    ) -> Result<SourceCollections> {
        let database = session.database_in(snapshot.catalog())?;
        let (mut vertices, mut edges) = (self.vertex_collections.clone(), self.edge_collections.clone());
        if let Some(name) = &self.graph {
            let definition = definition_in(snapshot, database, name)?
                .ok_or_else(|| Error::new(ErrorCode::GraphNotFound, format!("graph '{name}' not found")))?;
            vertices.extend(definition.vertex_collections().into_iter().map(str::to_owned));
            edges.extend(definition.edge_collections().map(str::to_owned));
        }
        let find = |mut names: Vec<String>| -> Result<Vec<Arc<Collection>>> {
            names.sort();
            names.dedup();
            names.iter().map(|name| readable(session, database, name, authorize)).collect()
        };
        Ok(SourceCollections { vertices: find(vertices)?, edges: find(edges)? })
    }
}

fn readable(
    session: &Session,
    database: &Database,
    name: &str,
    authorize: Option<&ReadAuthorization>,
) -> Result<Arc<Collection>> {
    let collection = database.require_collection(name)?;
    match authorize {
        Some(authorize) => authorize(collection.name())?,
        None => session.require_collection(collection.name(), AccessLevel::ReadOnly)?,
    }
    session.require_unrestricted(collection, "a computation over a graph")?;
    Ok(Arc::clone(collection))
}

/// Returns the attributes of vertices that a source names; none if it names none.
fn attributes(value: Slice<'_>) -> Result<Vec<AttributeSpec>> {
    let name = "vertexAttributes";
    let Some(array) = value.get(name).filter(|array| !array.is_null()) else { return Ok(Vec::new()) };
    if !array.is_array() || array.elements().count() > ATTRIBUTES_MAX {
        let max = ATTRIBUTES_MAX;
        return Err(Error::bad_parameter(format!("'{name}' must be an array of at most {max} attributes")));
    }
    array.elements().map(AttributeSpec::parse).collect()
}

/// Returns the texts of an array member; none if it is missing.
pub(crate) fn texts(value: Slice<'_>, name: &str, max: usize) -> Result<Vec<String>> {
    let Some(array) = value.get(name).filter(|array| !array.is_null()) else { return Ok(Vec::new()) };
    let wrong = || Error::bad_parameter(format!("'{name}' must be an array of at most {max} texts"));
    if !array.is_array() || array.elements().count() > max {
        return Err(wrong());
    }
    array.elements().map(|text| text.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}
