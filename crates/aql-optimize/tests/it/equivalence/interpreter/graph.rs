//! Graph queries and WINDOW, path by path.

use std::cmp::Ordering;

use aql_plan::{
    EdgeAccess, EdgeDirection, EdgeLookup, EnumeratePaths, EnumeratePathsKind, GraphAccess, IndexLookup,
    IndexSearch, PathElement, PathOutput, ShortestPath, StepCondition, Traversal, TraversalOrder, Uniqueness,
    Window, WindowBound,
};
use aql_value::Value;
use errors::Result;

use super::{Interpreter, Row, aggregated, at, read, with};
use crate::equivalence::data;

/// The maximum length of a path where the query has no limit.
const MAX_DEPTH: usize = 8;

#[derive(Clone)]
struct Path {
    /// Identifiers and documents.
    vertices: Vec<(String, Value)>,
    edges: Vec<Value>,
    weights: Vec<f64>,
}

impl Path {
    fn at(id: &str) -> Self {
        Self { vertices: vec![(id.to_owned(), vertex(id))], edges: Vec::new(), weights: vec![0.0] }
    }

    fn last(&self) -> &(String, Value) {
        self.vertices.last().unwrap()
    }

    fn extended(&self, edge: &Value, to: &str, weight: f64) -> Self {
        let mut next = self.clone();
        next.vertices.push((to.to_owned(), vertex(to)));
        next.edges.push(edge.clone());
        next.weights.push(self.weights.last().unwrap() + weight);
        next
    }

    fn to_value(&self, parts: PathOutput, weights: (&str, Value)) -> Value {
        let mut members = Vec::new();
        if parts.vertices {
            let documents: Vec<Value> = self.vertices.iter().map(|(_, document)| document.clone()).collect();
            members.push(("vertices", Value::array(&documents)));
        }
        if parts.edges {
            members.push(("edges", Value::array(&self.edges)));
        }
        if parts.weights {
            members.push(weights);
        }
        Value::object(&members)
    }

    fn as_traversed(&self, parts: PathOutput) -> Value {
        let weights: Vec<Value> = self.weights.iter().copied().map(Value::from_f64).collect();
        self.to_value(parts, ("weights", Value::array(&weights)))
    }
}

fn vertex(id: &str) -> Value {
    let collection = id.split('/').next().unwrap_or_default();
    let found = data::collection(collection).iter().find(|document| document.get("_id").as_str() == Some(id));
    found.cloned().unwrap_or_default()
}

fn vertex_id(value: &Value) -> Option<String> {
    let id = if value.is_object() { value.get("_id") } else { value.clone() };
    id.as_str().map(str::to_owned)
}

fn weight(edge: &Value, attribute: Option<&[Box<str>]>, default: f64) -> f64 {
    attribute.and_then(|path| edge.get_path(path).as_f64()).unwrap_or(default)
}

impl Interpreter {
    pub(super) fn traversal(&mut self, node: &Traversal, row: &Row, out: &mut Vec<Row>) -> Result<()> {
        let Some(start) = vertex_id(&read(row, node.start)?) else { return Ok(()) };
        let options = &node.options;
        let mut visited: Vec<String> = Vec::new();
        let mut waiting = vec![Path::at(&start)];
        while !waiting.is_empty() {
            let mut next = 0;
            if options.order == TraversalOrder::Weighted {
                let total = |path: &Path| *path.weights.last().unwrap();
                next = (0..waiting.len())
                    .min_by(|a, b| total(&waiting[*a]).total_cmp(&total(&waiting[*b])))
                    .unwrap();
            }
            let path = waiting.remove(next);
            let depth = path.edges.len();
            if !self.satisfies(&path, depth, &node.conditions, row)? {
                continue;
            }
            if options.unique_vertices == Uniqueness::Global {
                if visited.contains(&path.last().0) {
                    continue;
                }
                if depth > 0 || !options.revisit_start {
                    visited.push(path.last().0.clone());
                }
            }
            let pruned = self.pruned(node, &path, row)?;
            if depth as u64 >= node.min_depth {
                self.produce(node, &path, pruned, row, out)?;
            }
            if depth as u64 >= node.max_depth || pruned == Some(true) {
                continue;
            }
            for (edge, to) in self.neighbours(&node.graph, &path, row)? {
                let is_allowed = options.vertex_collections.as_ref().is_none_or(|list| {
                    list.iter().any(|collection| to.starts_with(&format!("{}/", collection.name)))
                });
                let repeats_edge = options.unique_edges == Uniqueness::Path && path.edges.contains(&edge);
                let repeats_vertex = options.unique_vertices == Uniqueness::Path
                    && path.vertices.iter().any(|(id, _)| *id == to);
                if is_allowed && !repeats_edge && !repeats_vertex {
                    let weight = weight(&edge, options.weight_attribute.as_deref(), options.default_weight);
                    waiting.push(path.extended(&edge, &to, weight));
                }
            }
        }
        Ok(())
    }

    fn pruned(&mut self, node: &Traversal, path: &Path, row: &Row) -> Result<Option<bool>> {
        let Some(prune) = &node.prune else { return Ok(None) };
        let mut row = row.clone();
        if let Some(id) = prune.vertex {
            row = with(&row, id, path.last().1.clone());
        }
        if let Some(id) = prune.edge {
            row = with(&row, id, path.edges.last().cloned().unwrap_or_default());
        }
        if let Some(parts) = prune.path {
            row = with(&row, parts.out, path.as_traversed(parts));
        }
        Ok(Some(self.evaluate(&prune.condition, &row)?.to_bool()))
    }

    fn produce(
        &mut self,
        node: &Traversal,
        path: &Path,
        pruned: Option<bool>,
        row: &Row,
        out: &mut Vec<Row>,
    ) -> Result<()> {
        let vertex = path.last().1.clone();
        let edge = path.edges.last().cloned().unwrap_or_default();
        let mut candidate = row.clone();
        for (id, value) in [(node.vertex_out, &vertex), (node.edge_out, &edge)] {
            if let Some(id) = id {
                candidate = with(&candidate, id, value.clone());
            }
        }
        if !self.passes(node.output_filter.as_ref(), &candidate)? {
            return Ok(());
        }
        let mut next = row.clone();
        let outputs = [
            (node.vertex_out, &node.vertex_projections, vertex),
            (node.edge_out, &node.edge_projections, edge),
        ];
        for (id, projections, value) in outputs {
            if let Some(id) = id.filter(|_| projections.is_empty()) {
                next = with(&next, id, value.clone());
            }
            for projection in projections {
                next = with(&next, projection.out, at(&value, &projection.path));
            }
        }
        if let Some(parts) = node.path {
            next = with(&next, parts.out, path.as_traversed(parts));
        }
        if let (Some(id), Some(pruned)) = (node.prune.as_ref().and_then(|prune| prune.out), pruned) {
            next = with(&next, id, Value::Bool(pruned));
        }
        out.push(next);
        Ok(())
    }

    /// Returns true if the last vertex and edge of the path satisfy the conditions on them.
    fn satisfies(
        &mut self,
        path: &Path,
        depth: usize,
        conditions: &[StepCondition],
        row: &Row,
    ) -> Result<bool> {
        for condition in conditions {
            let (position, value) = match condition.element {
                PathElement::Vertex => (Some(depth), path.last().1.clone()),
                PathElement::Edge => (depth.checked_sub(1), path.edges.last().cloned().unwrap_or_default()),
            };
            let Some(position) = position else { continue };
            if condition.depth.is_some_and(|depth| depth != position as u64) {
                continue;
            }
            let row = with(row, condition.input, value);
            if !self.evaluate(&condition.condition, &row)?.to_bool() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the edges to follow from the end of the path, and their other ends.
    fn neighbours(&mut self, graph: &GraphAccess, path: &Path, row: &Row) -> Result<Vec<(Value, String)>> {
        let (from, depth) = (path.last().0.clone(), path.edges.len() as u64);
        let mut found = Vec::new();
        for access in &graph.edges {
            let (near, far) = match access.direction {
                EdgeDirection::Outbound => ("_from", "_to"),
                EdgeDirection::Inbound => ("_to", "_from"),
            };
            for edge in data::collection(&access.collection.name) {
                let leaves = edge.get(near).as_str() == Some(&from);
                if leaves && self.is_found(access, access.lookup_at(depth), edge, row)? {
                    found.push((edge.clone(), edge.get(far).as_str().unwrap().to_owned()));
                }
            }
        }
        Ok(found)
    }

    fn is_found(
        &mut self,
        access: &EdgeAccess,
        lookup: &EdgeLookup,
        edge: &Value,
        row: &Row,
    ) -> Result<bool> {
        let first = match access.direction {
            EdgeDirection::Outbound => "_from",
            EdgeDirection::Inbound => "_to",
        };
        let mut fields = lookup.index.fields.iter();
        if lookup.index.type_name.as_ref() != "edge" {
            assert_eq!(fields.next().unwrap().to_text(), first);
        }
        for (condition, field) in lookup.lookups.iter().zip(&mut fields) {
            let (value, wanted) = (at(edge, &field.path), self.evaluate(condition.expression(), row)?);
            let is_found = match condition {
                IndexLookup::Equal(_) => value == wanted,
                IndexLookup::In(_) => wanted.is_array() && wanted.elements().any(|member| member == value),
            };
            if !is_found {
                return Ok(false);
            }
        }
        for (bound, outside) in [(&lookup.lower, Ordering::Less), (&lookup.upper, Ordering::Greater)] {
            let (Some(bound), Some(field)) = (bound, fields.clone().next()) else { continue };
            let order = at(edge, &field.path).compare(&self.evaluate(&bound.value, row)?);
            if order == outside || (order == Ordering::Equal && !bound.inclusive) {
                return Ok(false);
            }
        }
        let Some(IndexSearch::Box(all)) = &lookup.search else { return Ok(true) };
        for (bounds, field) in all.iter().zip(fields) {
            for (bound, outside) in [(&bounds.lower, Ordering::Less), (&bounds.upper, Ordering::Greater)] {
                let Some(bound) = bound else { continue };
                let order = at(edge, &field.path).compare(&self.evaluate(&bound.value, row)?);
                if order == outside || (order == Ordering::Equal && !bound.inclusive) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns all paths without repeated vertices, shorter ones first.
    fn simple_paths(
        &mut self,
        graph: &GraphAccess,
        ends: (&str, &str),
        conditions: &[StepCondition],
        row: &Row,
    ) -> Result<Vec<Path>> {
        let mut found = Vec::new();
        let mut waiting = vec![Path::at(ends.0)];
        while !waiting.is_empty() {
            let path = waiting.remove(0);
            if !self.satisfies(&path, path.edges.len(), conditions, row)? {
                continue;
            }
            if path.last().0 == ends.1 {
                found.push(path);
                continue;
            }
            if path.edges.len() < MAX_DEPTH {
                for (edge, to) in self.neighbours(graph, &path, row)? {
                    if path.vertices.iter().all(|(id, _)| *id != to) {
                        waiting.push(path.extended(&edge, &to, 1.0));
                    }
                }
            }
        }
        Ok(found)
    }

    pub(super) fn shortest_path(&mut self, node: &ShortestPath, row: &Row, out: &mut Vec<Row>) -> Result<()> {
        let ends = (vertex_id(&read(row, node.start)?), vertex_id(&read(row, node.target)?));
        let (Some(start), Some(target)) = ends else { return Ok(()) };
        let options = &node.options;
        let total = |path: &Path| -> f64 {
            let attribute = options.weight_attribute.as_deref();
            path.edges.iter().map(|edge| weight(edge, attribute, options.default_weight)).sum()
        };
        let mut paths = self.simple_paths(&node.graph, (&start, &target), &[], row)?;
        paths.sort_by(|left, right| total(left).total_cmp(&total(right)));
        let Some(path) = paths.first() else { return Ok(()) };
        for (position, (_, vertex)) in path.vertices.iter().enumerate() {
            let edge = position.checked_sub(1).map(|before| path.edges[before].clone()).unwrap_or_default();
            let mut next = row.clone();
            for (id, value) in [(node.vertex_out, vertex), (node.edge_out, &edge)] {
                if let Some(id) = id {
                    next = with(&next, id, value.clone());
                }
            }
            out.push(next);
        }
        Ok(())
    }

    pub(super) fn enumerate_paths(
        &mut self,
        node: &EnumeratePaths,
        row: &Row,
        out: &mut Vec<Row>,
    ) -> Result<()> {
        let ends = (vertex_id(&read(row, node.start)?), vertex_id(&read(row, node.target)?));
        let (Some(start), Some(target)) = ends else { return Ok(()) };
        let mut paths = self.simple_paths(&node.graph, (&start, &target), &node.conditions, row)?;
        let shortest = paths.first().map_or(0, |path| path.edges.len());
        paths.retain(|path| match node.kind {
            EnumeratePathsKind::KPaths => {
                (node.min_depth..=node.max_depth).contains(&(path.edges.len() as u64))
            }
            EnumeratePathsKind::AllShortestPaths => path.edges.len() == shortest,
            EnumeratePathsKind::KShortestPaths => true,
        });
        for path in paths {
            let weight = ("weight", Value::from_f64(path.edges.len() as f64));
            out.push(with(row, node.path.out, path.to_value(node.path, weight)));
        }
        Ok(())
    }

    pub(super) fn window(&mut self, window: &Window, rows: &[Row], out: &mut Vec<Row>) -> Result<()> {
        for (position, row) in rows.iter().enumerate() {
            let mut members = Vec::new();
            for (other, member) in rows.iter().enumerate() {
                let is_within = match window.range {
                    None => {
                        let reaches = |bound: &WindowBound, distance: usize| match bound {
                            WindowBound::Rows(rows) => distance as u64 <= *rows,
                            _ => true,
                        };
                        if other <= position {
                            reaches(&window.preceding, position - other)
                        } else {
                            reaches(&window.following, other - position)
                        }
                    }
                    Some(range) => {
                        let (own, value) = (read(row, range)?.to_f64(), read(member, range)?.to_f64());
                        let reach = |bound: &WindowBound| match bound {
                            WindowBound::Distance(distance) => *distance,
                            _ => f64::INFINITY,
                        };
                        (own - reach(&window.preceding)..=own + reach(&window.following)).contains(&value)
                    }
                };
                if is_within {
                    members.push(member);
                }
            }
            let mut next = row.clone();
            for aggregate in &window.aggregates {
                let inputs = members
                    .iter()
                    .map(|member| aggregate.input.map_or(Ok(Value::Null), |id| read(member, id)));
                let value = aggregated(aggregate.function, inputs.collect::<Result<Vec<_>>>()?);
                next = with(&next, aggregate.out, value);
            }
            out.push(next);
        }
        Ok(())
    }
}
