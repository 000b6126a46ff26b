//! Tests of graphs: the meaning of requests, and the rules that changes keep.

use proptest::prelude::*;
use serde_json::json;
use velocypack::{Builder, Slice};

use super::*;
use crate::testing::{printed, value};

fn definition(collection: &str, from: &[&str], to: &[&str]) -> EdgeDefinition {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    EdgeDefinition { collection: collection.to_owned(), from: names(from), to: names(to) }
}

fn number<T: std::fmt::Debug>(result: Result<T>) -> u32 {
    result.unwrap_err().number()
}

fn parse(text: &str) -> Result<GraphDefinition> {
    GraphDefinition::parse(Slice::new(&value(text)))
}

fn stored(graph: &GraphDefinition) -> Vec<u8> {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    builder.key("_key").unwrap();
    builder.add_str(&graph.name).unwrap();
    graph.print(&mut builder).unwrap();
    builder.close().unwrap();
    builder.into_vec()
}

#[test]
fn a_graph_is_sorted_and_its_orphans_have_no_edges() {
    let graph = parse(
        r#"{"name": "g", "edgeDefinitions": [
            {"collection": "rides", "from": ["user"], "to": ["city", "bus", "city"]},
            {"collection": "likes", "from": ["user"], "to": ["user"], "options": {"satellites": []}}],
            "orphanCollections": ["zoo", "city", "house"]}"#,
    )
    .unwrap();
    assert_eq!(graph.edge_collections().collect::<Vec<_>>(), ["likes", "rides"]);
    assert_eq!(graph.edge_definition("rides"), Some(&definition("rides", &["user"], &["bus", "city"])));
    assert_eq!(graph.orphan_collections, ["house", "zoo"]);
    assert_eq!(Vec::from_iter(graph.vertex_collections()), ["bus", "city", "house", "user", "zoo"]);
    assert!(graph.uses("likes") && graph.uses("zoo") && graph.uses("bus") && !graph.uses("g"));
    assert!(!graph.has_vertex_collection("likes"));
}

#[test]
fn other_values_than_graphs_are_refused() {
    let cases = [
        (r#"{}"#, 1922),
        (r#"{"name": ""}"#, 1922),
        (r#"{"name": 5}"#, 1922),
        (r#"{"name": "a/b"}"#, 1221),
        (r#"{"name": "g", "edgeDefinitions": {}}"#, 1923),
        (r#"{"name": "g", "edgeDefinitions": [1]}"#, 1923),
        (r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": ["v"]}]}"#, 1923),
        (r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": "v", "to": ["v"]}]}"#, 1923),
        (r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": [1], "to": ["v"]}]}"#, 1923),
        (r#"{"name": "g", "edgeDefinitions": [{"collection": 1, "from": [], "to": []}]}"#, 1923),
        (
            r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": [], "to": []},
                {"collection": "e", "from": [], "to": []}]}"#,
            1920,
        ),
        (r#"{"name": "g", "orphanCollections": "v"}"#, 1943),
        (r#"{"name": "g", "orphanCollections": ["v", ""]}"#, 1943),
    ];
    for (text, expected) in cases {
        assert_eq!(number(parse(text)), expected, "{text}");
    }
    let many: Vec<String> = (0..=GRAPH_COLLECTIONS_MAX).map(|i| format!("\"c{i}\"")).collect();
    assert_eq!(number(parse(&format!(r#"{{"name": "g", "orphanCollections": [{}]}}"#, many.join(",")))), 32);
}

#[test]
fn a_document_that_is_no_graph_is_corrupt() {
    for text in
        [r#"{"edgeDefinitions": []}"#, r#"{"_key": "g"}"#, r#"{"_key": "g", "edgeDefinitions": [{}]}"#]
    {
        assert_eq!(number(GraphDefinition::from_document(Slice::new(&value(text)))), 1941, "{text}");
    }
}

#[test]
fn a_removed_definition_leaves_orphans() {
    let mut graph = GraphDefinition::default();
    graph.add_edge_definition(definition("e", &["a"], &["b"])).unwrap();
    graph.add_edge_definition(definition("f", &["b"], &["c"])).unwrap();
    graph.remove_edge_definition("e").unwrap();
    assert_eq!(graph.orphan_collections, ["a"]);
    assert_eq!(number(graph.remove_edge_definition("e")), 1930);
    graph.replace_edge_definition(&definition("f", &["a"], &["a"])).unwrap();
    assert_eq!(graph.orphan_collections, ["b", "c"]);
    assert_eq!(number(graph.replace_edge_definition(&definition("e", &[], &[]))), 1930);
}

#[test]
fn orphans_are_added_and_removed() {
    let mut graph = GraphDefinition::default();
    graph.add_edge_definition(definition("e", &["a"], &["b"])).unwrap();
    graph.add_orphan("z").unwrap();
    graph.add_orphan("c").unwrap();
    assert_eq!(graph.orphan_collections, ["c", "z"]);
    assert_eq!(number(graph.add_orphan("a")), 1929);
    assert_eq!(number(graph.add_orphan("c")), 1938);
    assert_eq!(number(graph.remove_orphan("a")), 1928);
    graph.remove_orphan("c").unwrap();
    assert_eq!(graph.orphan_collections, ["z"]);
}

#[test]
fn a_collection_is_renamed_everywhere() {
    let mut graph = GraphDefinition::default();
    graph.add_edge_definition(definition("e", &["a", "b"], &["b"])).unwrap();
    graph.add_edge_definition(definition("f", &["b"], &["c"])).unwrap();
    graph.add_orphan("o").unwrap();
    assert!(graph.rename_collection("a", "x") && graph.rename_collection("e", "z"));
    assert!(graph.rename_collection("o", "p") && !graph.rename_collection("nothing", "y"));
    assert_eq!(graph.edge_collections().collect::<Vec<_>>(), ["f", "z"]);
    assert_eq!(graph.edge_definition("z"), Some(&definition("z", &["b", "x"], &["b"])));
    assert_eq!(graph.orphan_collections, ["p"]);
}

#[test]
fn two_graphs_must_define_an_edge_collection_alike() {
    let graph = |from: &[&str]| GraphDefinition {
        edge_definitions: vec![definition("e", from, &["b"])],
        ..GraphDefinition::default()
    };
    assert!(graph(&["a"]).check_consistent_with(&graph(&["a"])).is_ok());
    assert_eq!(number(graph(&["a"]).check_consistent_with(&graph(&["a", "c"]))), 1921);
}

#[test]
fn formal_properties_are_kept_when_one_is_given() {
    let options = |text: &str| GraphOptions::parse(Slice::new(&value(text)));
    assert_eq!(options(r#"{"isSmart": false, "options": {}}"#).unwrap(), None);
    assert_eq!(options(r#"{"options": {"satellites": []}}"#).unwrap(), None);
    let print = |text: &str| printed(|builder| options(text).unwrap().unwrap().print(builder));
    let smart = print(
        r#"{"isDisjoint": true, "options": {"smartGraphAttribute": "region", "numberOfShards": 9,
            "replicationFactor": 2, "satellites": ["a"]}}"#,
    );
    let expected = json!({
        "isSmart": true, "isDisjoint": true, "isSatellite": false, "smartGraphAttribute": "region",
        "numberOfShards": 9, "replicationFactor": 2, "minReplicationFactor": 1, "writeConcern": 1
    });
    assert_eq!(smart, expected);
    let satellite = print(r#"{"options": {"replicationFactor": "satellite"}}"#);
    let expected = json!({
        "isSmart": false, "isDisjoint": false, "isSatellite": true, "numberOfShards": 1,
        "replicationFactor": "satellite"
    });
    assert_eq!(satellite, expected);
    for (text, expected) in [
        (r#"{"options": []}"#, 1936),
        (r#"{"options": {"numberOfShards": 0}}"#, 1936),
        (r#"{"options": {"numberOfShards": "2"}}"#, 1936),
        (r#"{"options": {"replicationFactor": "all"}}"#, 1936),
        (r#"{"isSmart": true, "options": {"satellites": "a"}}"#, 1936),
        (r#"{"options": {"satellites": [1]}}"#, 1936),
        (r#"{"options": {"replicationFactor": 2, "writeConcern": 3}}"#, 10),
    ] {
        assert_eq!(number(options(text)), expected, "{text}");
    }
}

/// Applies a change that small numbers select.
fn change(graph: &mut GraphDefinition, kind: u8, edge: u8, from: u8, to: u8) {
    let vertex = |number: u8| format!("v{number}");
    let new = definition(&format!("e{edge}"), &[&vertex(from)], &[&vertex(to)]);
    // A change that the rules forbid must leave the graph as it is; the caller's checks verify
    // that.
    let _ = match kind {
        0 => graph.add_edge_definition(new),
        1 => graph.replace_edge_definition(&new),
        2 => graph.remove_edge_definition(&new.collection),
        3 => graph.add_orphan(&vertex(from)),
        _ => graph.remove_orphan(&vertex(from)),
    };
}

proptest! {
    #[test]
    fn every_change_keeps_the_rules(changes in prop::collection::vec((0u8..5, 0u8..3, 0u8..4, 0u8..4), 0..40)) {
        let mut graph = GraphDefinition { name: "g".to_owned(), ..GraphDefinition::default() };
        for (kind, edge, from, to) in changes {
            let before = graph.vertex_collections().len();
            change(&mut graph, kind, edge, from, to);
            // Only the removal of an orphan removes a vertex collection.
            prop_assert!(kind == 4 || graph.vertex_collections().len() >= before);
            prop_assert!(graph.orphan_collections.is_sorted_by(|left, right| left < right));
            prop_assert!(!graph.orphan_collections.iter().any(|orphan| graph.is_connected(orphan)));
            let names: Vec<&str> = graph.edge_collections().collect();
            prop_assert!(names.is_sorted_by(|left, right| left < right));
            let stored = stored(&graph);
            prop_assert_eq!(&GraphDefinition::from_document(Slice::new(&stored)).unwrap(), &graph);
        }
    }
}
