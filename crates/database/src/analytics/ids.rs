//! The identifiers of vertices as an attribute, for parameters that name one.

use aql_value::Charge;
use errors::Result;
use graph_analytics::{Algorithm, Column, Graph, Kind, Labels, Parameter, Parameters, Work};

use crate::state::analytics::Vertices;

/// The name by which parameters use the identifiers of vertices as an attribute.
const IDS: &str = "@id";

/// Gives a graph the attribute [`IDS`] if a parameter names it, and returns the charge for it.
pub(super) fn with_ids(
    graph: &mut Graph,
    vertices: &Vertices,
    algorithm: &Algorithm,
    parameters: &Parameters,
    work: &Work,
) -> Result<Option<Charge>> {
    let is_named = |parameter: &Parameter| {
        matches!(parameter.kind, Kind::Attribute) && parameters.attribute(parameter.name) == Some(IDS)
    };
    if !algorithm.parameters.iter().any(is_named) || graph.attributes().contains_key(IDS) {
        return Ok(None);
    }
    let count = vertices.len() as u32;
    let text_bytes = vertices.bytes().saturating_add(u64::from(count) * size_of::<(String, u32)>() as u64);
    let charge = work.reserve(text_bytes)?;
    let text = |vertex: u32| {
        vertices.get(vertex).map(|(collection, key)| format!("{collection}/{key}")).unwrap_or_default()
    };
    let labels = Labels { codes: (0..count).collect(), texts: (0..count).map(text).collect() };
    graph.set_attribute(IDS.to_owned(), Column::Label(labels));
    Ok(Some(charge))
}
