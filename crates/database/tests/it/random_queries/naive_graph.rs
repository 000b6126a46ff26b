//! Traversals and path searches by exhaustive search.

use std::ops::RangeInclusive;

use aql_syntax::ast::{
    DataSourceName, Direction, Expression, GraphSource, PathSearch, PathSearchKind, Traversal,
};
use aql_value::Value;

use super::naive::{Documents, Row};
use super::naive_expression::evaluate;

/// A path through the graph.
#[derive(Clone)]
struct Path {
    vertices: Vec<String>,
    edges: Vec<Value>,
}

pub(super) fn traverse(statement: &Traversal, row: &Row, documents: &Documents) -> Vec<Row> {
    let start = evaluate(&statement.start, row, documents);
    let start = if start.is_object() { start.get("_id") } else { start };
    let Some(start) = start.as_str().filter(|id| id.contains('/')).map(str::to_owned) else {
        return Vec::new();
    };
    let option = |name: &str| match &statement.options {
        Some(options) => evaluate(options, row, documents).get(name).cast_string().into_owned(),
        None => String::new(),
    };
    let (unique_vertices, repeats_edges) =
        (option("uniqueVertices") == "path", option("uniqueEdges") == "none");
    let depths = depths(statement.depth.as_ref(), row, documents);
    let row_of = |path: &Path| {
        let vertex = document(path.vertices.last().unwrap(), documents);
        let mut found = row.with(&statement.vertex.name, vertex);
        if let Some(edge) = &statement.edge {
            found = found.with(&edge.name, path.edges.last().cloned().unwrap_or_default());
        }
        match &statement.path {
            Some(name) => {
                let [edges, vertices] = parts_of(path, documents);
                found.with(&name.name, Value::object(&[edges, vertices, ("weights", weights(path))]))
            }
            None => found,
        }
    };
    let mut rows = Vec::new();
    let mut open = vec![Path { vertices: vec![start], edges: Vec::new() }];
    while let Some(path) = open.pop() {
        let depth = path.edges.len();
        let found = row_of(&path);
        // The start may be missing: its edges are followed, but it is not a result.
        let exists = depth > 0 || !document(&path.vertices[0], documents).is_null();
        let ends = statement
            .prune
            .as_ref()
            .is_some_and(|prune| evaluate(&prune.condition, &found, documents).is_truthy());
        if depths.contains(&depth) && exists {
            rows.push(found);
        }
        if depth < *depths.end() && !ends {
            open.extend(steps(&path, &statement.graph, statement.direction, documents).into_iter().filter(
                |next| {
                    let (edge, before) = next.edges.split_last().unwrap();
                    let (vertex, seen) = next.vertices.split_last().unwrap();
                    (repeats_edges || !before.contains(edge)) && !(unique_vertices && seen.contains(vertex))
                },
            ));
        }
    }
    rows
}

pub(super) fn search(statement: &PathSearch, row: &Row, documents: &Documents) -> Vec<Row> {
    let end = |end: &Expression| evaluate(end, row, documents).cast_string().into_owned();
    let (start, target) = (end(&statement.start), end(&statement.target));
    let mut paths = Vec::new();
    let mut open = vec![Path { vertices: vec![start], edges: Vec::new() }];
    while let Some(path) = open.pop() {
        if *path.vertices.last().unwrap() == target {
            paths.push(path);
            continue;
        }
        let next = steps(&path, &statement.graph, statement.direction, documents);
        open.extend(next.into_iter().filter(|next| {
            let (vertex, seen) = next.vertices.split_last().unwrap();
            !seen.contains(vertex)
        }));
    }
    let shortest = paths.iter().map(|path| path.edges.len()).min().unwrap_or_default();
    let name = &statement.output.name;
    match statement.kind {
        PathSearchKind::KPaths => {
            let depths = depths(statement.depth.as_ref(), row, documents);
            paths.retain(|path| depths.contains(&path.edges.len()));
        }
        PathSearchKind::AllShortestPaths => paths.retain(|path| path.edges.len() == shortest),
        PathSearchKind::ShortestPath => {
            let path = paths.into_iter().find(|path| path.edges.len() == shortest);
            let vertices = path.into_iter().flat_map(|path| path.vertices);
            return vertices.map(|vertex| row.with(name, document(&vertex, documents))).collect();
        }
        other => panic!("the evaluator does not support {other:?}"),
    }
    paths.iter().map(|path| row.with(name, Value::object(&parts_of(path, documents)))).collect()
}

/// Returns the distance of each vertex of the path from its start.
fn weights(path: &Path) -> Value {
    Value::array(&(0..path.vertices.len()).map(|edges| Value::Int(edges as i64)).collect::<Vec<_>>())
}

/// Extends a path by one step over every edge.
fn steps(path: &Path, graph: &GraphSource, direction: Direction, documents: &Documents) -> Vec<Path> {
    let GraphSource::EdgeCollections(collections) = graph else { panic!("a named graph") };
    let at = path.vertices.last().unwrap();
    let mut next = Vec::new();
    for collection in collections {
        let DataSourceName::Name(name) = &collection.collection.name else { panic!("a parameter") };
        let edges = &documents.iter().find(|(own, _)| own == name).unwrap().1;
        for (from, to, along) in [("_from", "_to", Direction::Outbound), ("_to", "_from", Direction::Inbound)]
        {
            if direction != along && direction != Direction::Any {
                continue;
            }
            for edge in edges.iter().filter(|edge| edge.get(from).as_str() == Some(at.as_str())) {
                let mut longer = path.clone();
                longer.vertices.push(edge.get(to).as_str().unwrap().to_owned());
                longer.edges.push(edge.clone());
                next.push(longer);
            }
        }
    }
    next
}

fn depths(depth: Option<&Expression>, row: &Row, documents: &Documents) -> RangeInclusive<usize> {
    let numbers: Vec<i64> = match depth {
        Some(depth) => evaluate(depth, row, documents).elements().map(|number| number.to_i64()).collect(),
        None => vec![1],
    };
    numbers[0] as usize..=*numbers.last().unwrap() as usize
}

fn document(id: &str, documents: &Documents) -> Value {
    let (collection, _) = id.split_once('/').unwrap();
    let found = documents.iter().find(|(name, _)| name == collection);
    let found =
        found.and_then(|(_, all)| all.iter().find(|document| document.get("_id").as_str() == Some(id)));
    found.cloned().unwrap_or_default()
}

fn parts_of(path: &Path, documents: &Documents) -> [(&'static str, Value); 2] {
    let vertices: Vec<Value> = path.vertices.iter().map(|id| document(id, documents)).collect();
    [("edges", Value::array(&path.edges)), ("vertices", Value::array(&vertices))]
}
