//! OPTIONS of traversals and path searches.

use aql_syntax::ast::{self, PathSearchKind};
use aql_value::Value;
use errors::{Error, ErrorCode, Result};

use super::restriction::{Restrictions, names};
use crate::bind::Binder;
use crate::bind::options::{set, set_bool};
use crate::error::INSTANTIATING;
use crate::node::{GraphAccess, PathSearchOptions, TraversalOptions, TraversalOrder, Uniqueness};

const DEFAULT_MAX_PROJECTIONS: usize = 5;

impl Binder<'_> {
    /// Returns the options, and the graph without the collections that they exclude.
    pub(super) fn traversal_options(
        &mut self,
        options: Option<&ast::Expression>,
        graph: &mut GraphAccess,
    ) -> Result<TraversalOptions> {
        let mut bound = default_traversal_options();
        let mut restrictions = Restrictions::default();
        if let Some(options) = options {
            for (name, value) in self.option_members(options)? {
                let is_known = match name.as_str() {
                    "edgeCollections" => set_names(&mut restrictions.edges, &value),
                    "vertexCollections" => set_names(&mut restrictions.vertices, &value),
                    "indexHint" => self.index_hints(&mut bound.index_hints, &value)?,
                    _ => set_traversal_option(&mut bound, &name, &value)?,
                };
                if !is_known {
                    self.warn_option(&name, "TRAVERSAL")?;
                }
            }
        }
        if bound.order == TraversalOrder::Weighted {
            check_weight(bound.default_weight)?;
        } else {
            (bound.weight_attribute, bound.default_weight) = (None, 1.0);
        }
        if bound.unique_vertices == Uniqueness::Global && bound.order == TraversalOrder::Dfs {
            let message = "uniqueVertices: 'global' is only supported with order: 'bfs' or 'weighted' due to otherwise \
                           unpredictable results";
            return Err(Error::bad_parameter(message).in_stage(INSTANTIATING));
        }
        self.restrict(graph, &mut bound, restrictions)?;
        Ok(bound)
    }

    pub(super) fn path_search_options(
        &mut self,
        options: Option<&ast::Expression>,
        kind: PathSearchKind,
    ) -> Result<PathSearchOptions> {
        let mut bound = PathSearchOptions { weight_attribute: None, default_weight: 1.0, use_cache: true };
        let Some(options) = options else { return Ok(bound) };
        let has_weights = matches!(kind, PathSearchKind::ShortestPath | PathSearchKind::KShortestPaths);
        for (name, value) in self.option_members(options)? {
            let is_known = match name.as_str() {
                "weightAttribute" if has_weights => set_path(&mut bound.weight_attribute, &value),
                "defaultWeight" if has_weights => set_number(&mut bound.default_weight, &value),
                "useCache" => set_bool(&mut bound.use_cache, &value),
                _ => false,
            };
            if !is_known {
                self.warn_option(&name, kind.keyword())?;
            }
        }
        check_weight(bound.default_weight)?;
        Ok(bound)
    }
}

fn default_traversal_options() -> TraversalOptions {
    TraversalOptions {
        order: TraversalOrder::Dfs,
        unique_vertices: Uniqueness::None,
        revisit_start: false,
        unique_edges: Uniqueness::Path,
        weight_attribute: None,
        default_weight: 1.0,
        vertex_collections: None,
        edge_collections: None,
        index_hints: Vec::new(),
        use_cache: true,
        parallelism: 1,
        max_projections: DEFAULT_MAX_PROJECTIONS,
    }
}

/// Sets an option; false if it is unknown or its value has the wrong type.
fn set_traversal_option(options: &mut TraversalOptions, name: &str, value: &Value) -> Result<bool> {
    Ok(match (name, value.as_str()) {
        ("order", Some("dfs")) => set(&mut options.order, TraversalOrder::Dfs),
        ("order", Some("bfs")) => set(&mut options.order, TraversalOrder::Bfs),
        ("order", Some("weighted")) => set(&mut options.order, TraversalOrder::Weighted),
        ("bfs", _) => match value.as_bool() {
            Some(true) => set(&mut options.order, TraversalOrder::Bfs),
            is_bool => is_bool.is_some(),
        },
        ("uniqueVertices", Some("none")) => set(&mut options.unique_vertices, Uniqueness::None),
        ("uniqueVertices", Some("path")) => set(&mut options.unique_vertices, Uniqueness::Path),
        ("uniqueVertices", Some("global")) => set(&mut options.unique_vertices, Uniqueness::Global),
        ("uniqueEdges", Some("none")) => set(&mut options.unique_edges, Uniqueness::None),
        ("uniqueEdges", Some("path")) => set(&mut options.unique_edges, Uniqueness::Path),
        ("uniqueEdges", Some("global")) => {
            let message = "uniqueEdges: 'global' is not supported, due to otherwise unpredictable results. Use 'path' or \
                           'none' instead";
            return Err(Error::bad_parameter(message).in_stage(INSTANTIATING));
        }
        ("weightAttribute", _) => set_path(&mut options.weight_attribute, value),
        ("defaultWeight", _) => set_number(&mut options.default_weight, value),
        ("parallelism", _) => match value.as_i64().map(u64::try_from) {
            Some(Ok(threads)) => set(&mut options.parallelism, threads.max(1)),
            _ => false,
        },
        ("maxProjections", _) => match value.as_i64().map(usize::try_from) {
            Some(Ok(most)) => set(&mut options.max_projections, most),
            _ => false,
        },
        ("useCache", _) => set_bool(&mut options.use_cache, value),
        _ => false,
    })
}

fn check_weight(default_weight: f64) -> Result<()> {
    if default_weight < 0.0 {
        let message = "negative default weight not allowed";
        return Err(Error::new(ErrorCode::GraphNegativeEdgeWeight, message));
    }
    Ok(())
}

fn set_names(target: &mut Vec<Box<str>>, value: &Value) -> bool {
    names(value).is_some_and(|names| set(target, names))
}

/// Sets a path: a text is the name of an attribute, and an array has the names of a path.
fn set_path(target: &mut Option<Box<[Box<str>]>>, value: &Value) -> bool {
    let path = match value.as_str() {
        Some(name) => Some(vec![name.into()]),
        None if value.is_array() => value.elements().map(|name| name.as_str().map(Box::from)).collect(),
        None => None,
    };
    path.is_some_and(|path| set(target, Some(path.into())))
}

fn set_number(target: &mut f64, value: &Value) -> bool {
    value.as_f64().filter(|number| number.is_finite()).is_some_and(|number| set(target, number))
}
