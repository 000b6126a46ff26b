//! Comparisons with replies recorded in ArangoDB's documentation: types, numbers and costs of
//! nodes.

#[path = "../../aql-optimize/tests/it/common/small.rs"]
mod small;

use std::sync::Arc;

use aql_optimize::Optimized;
use aql_plan::Plan;
use aql_value::{Interrupt, MemoryAccount, Value};
use errors::Result;
use velocypack::json;

use super::{ExplainStatistics, WriteLimits, explain_result, explain_syntax};
use small::{CATALOG, optimized};

fn best(text: &str, rules: &[&str]) -> Plan {
    optimized(text, rules).unwrap().into_best().unwrap()
}

/// Calls `write` with limits that end nothing.
fn without_limits(write: impl FnOnce(WriteLimits<'_>) -> Result<Value>) -> Result<Value> {
    let (memory, interrupt) = (Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    write(WriteLimits { memory: &memory, interrupt: &interrupt })
}

fn explain(plan: &Plan) -> Result<Value> {
    without_limits(|limits| super::explain(plan, limits))
}

fn explain_all(optimized: &Optimized, all_plans: bool, measured: ExplainStatistics) -> Value {
    without_limits(|limits| explain_result(optimized, all_plans, measured, limits)).unwrap()
}

fn member(value: &Value, path: &str) -> Value {
    path.split('.').fold(value.clone(), |value, name| match name.parse::<i64>() {
        Ok(position) => value.at(position),
        Err(_) => value.get(name),
    })
}

fn texts(value: &Value, list: &str, name: &str) -> Vec<String> {
    member(value, list).elements().map(|item| member(&item, name).cast_string().into_owned()).collect()
}

fn numbers(value: &Value, list: &str, name: &str) -> Vec<f64> {
    member(value, list).elements().filter_map(|item| member(&item, name).as_f64()).collect()
}

#[test]
fn a_full_scan_costs_a_document_each_and_is_numbered_as_written() {
    let plan = explain(&best("FOR p IN products RETURN p", &[])).unwrap();
    assert_eq!(texts(&plan, "nodes", "type"), ["SingletonNode", "EnumerateCollectionNode", "ReturnNode"]);
    assert_eq!(numbers(&plan, "nodes", "id"), [1.0, 2.0, 3.0]);
    assert_eq!(numbers(&plan, "nodes", "estimatedCost"), [1.0, 12.0, 22.0]);
    assert_eq!(numbers(&plan, "nodes", "estimatedNrItems"), [1.0, 10.0, 10.0]);
    assert_eq!(member(&plan, "nodes.2.dependencies").to_json(), "[2]");
    assert_eq!(
        member(&plan, "nodes.1").to_json(),
        r#"{"type":"EnumerateCollectionNode","dependencies":[1],"id":2,"estimatedCost":12,"estimatedNrItems":10,"isAsyncPrefetchEnabled":true,"random":false,"indexHint":{"forced":false,"lookahead":1,"type":"none"},"outVariable":{"id":0,"name":"p","isFullDocumentFromCollection":true},"projections":[],"filterProjections":[],"count":false,"producesResult":true,"readOwnWrites":false,"useCache":true,"maxProjections":5,"collection":"products","satellite":false,"isSatellite":false,"isSatelliteOf":null}"#
    );
    assert_eq!(member(&plan, "collections").to_json(), r#"[{"name":"products","type":"read"}]"#);
    assert_eq!(member(&plan, "estimatedCost"), Value::Int(22));
    assert_eq!(member(&plan, "isModificationQuery"), Value::Bool(false));
}

#[test]
fn an_index_scan_costs_a_lookup_and_a_fraction_for_each_entry() {
    let plan = explain(&best("FOR i IN test FILTER i.value > 97 SORT i.value RETURN i.value", &[])).unwrap();
    assert_eq!(texts(&plan, "nodes", "type"), ["SingletonNode", "IndexNode", "ReturnNode"]);
    assert_eq!(numbers(&plan, "nodes", "estimatedCost"), [1.0, 12.643856189774723, 112.64385618977472]);
    assert_eq!(numbers(&plan, "nodes", "estimatedNrItems"), [1.0, 100.0, 100.0]);
    let scan = member(&plan, "nodes.1");
    assert_eq!(
        member(&scan, "condition").to_json(),
        r#"{"type":"n-ary or","typeID":63,"subNodes":[{"type":"n-ary and","typeID":62,"subNodes":[{"type":"compare >","typeID":29,"subNodes":[{"type":"attribute access","typeID":35,"name":"value","subNodes":[{"type":"reference","typeID":45,"name":"i","id":0,"subqueryReference":false}]},{"type":"value","typeID":40,"value":97,"vTypeID":2}]}]}]}"#
    );
    assert_eq!(
        member(&scan, "projections").to_json(),
        r#"[{"path":["value"],"variable":{"id":4,"name":"4","isFullDocumentFromCollection":false}}]"#
    );
    assert_eq!(member(&scan, "strategy").to_json(), r#""covering""#);
    assert_eq!(member(&scan, "indexCoversProjections"), Value::Bool(true));
    assert_eq!(member(&plan, "nodes.2.inVariable.id"), Value::Int(4));
}

#[test]
fn a_unique_look_up_is_the_cheapest() {
    let plan = explain(&best("FOR u IN users FILTER u.email == 'a' RETURN u", &[])).unwrap();
    assert_eq!(numbers(&plan, "nodes", "estimatedCost"), [1.0, 2.04475, 3.04475]);
    assert_eq!(texts(&plan, "rules", "")[0], "");
    assert_eq!(
        member(&plan, "rules").to_json(),
        r#"["use-indexes","remove-filter-covered-by-index","remove-unnecessary-calculations-2","async-prefetch"]"#
    );
}

#[test]
fn an_unoptimized_plan_has_a_node_for_each_step() {
    let query = "FOR i IN test FILTER i.value > 97 SORT i.value RETURN i.value";
    let plan = explain(&best(query, &["-all"])).unwrap();
    let costs = [1.0, 102.0, 202.0, 302.0, 402.0, 1066.3856189774724, 1166.3856189774724, 1266.3856189774724];
    assert_eq!(numbers(&plan, "nodes", "estimatedCost"), costs);
    assert_eq!(texts(&plan, "nodes", "expressionType")[2], "simple");
    assert_eq!(texts(&plan, "nodes", "expressionType")[4], "attribute");
    assert_eq!(
        member(&plan, "nodes.5.elements").to_json(),
        r#"[{"inVariable":{"id":2,"name":"2","isFullDocumentFromCollection":false},"ascending":true}]"#
    );
    assert_eq!(member(&plan, "rules").to_json(), "[]");
}

#[test]
fn each_alternative_of_a_condition_has_its_index() {
    let plan = explain(&best("FOR t IN test FILTER t.value < 3 || t.value > 97 RETURN t", &[])).unwrap();
    assert_eq!(texts(&plan, "nodes.1.condition.subNodes", "type"), ["n-ary and", "n-ary and"]);
    let names = texts(&plan, "nodes.1.indexes", "name");
    assert_eq!((names.len(), names.first()), (2, names.last()));
}

#[test]
fn a_condition_that_is_never_true_costs_nothing() {
    let plan = explain(&best("FOR i IN [ 1, 2, 3 ] FILTER 1 == 2 RETURN i", &[])).unwrap();
    assert_eq!(
        texts(&plan, "nodes", "type"),
        ["SingletonNode", "CalculationNode", "EnumerateListNode", "NoResultsNode", "ReturnNode"]
    );
    assert_eq!(numbers(&plan, "nodes", "estimatedCost"), [1.0, 2.0, 5.0, 0.5, 0.5]);
    assert_eq!(
        member(&plan, "nodes.1.expression").to_json(),
        r#"{"type":"array","typeID":41,"raw":[1,2,3]}"#
    );
    assert_eq!(member(&plan, "variables.0.constantValue").to_json(), "[1,2,3]");
}

#[test]
fn calls_show_constant_arguments_as_values() {
    let plan = explain(&best("LET s = SLEEP(0.25) RETURN 1", &[])).unwrap();
    assert_eq!(
        member(&plan, "nodes.2.expression").to_json(),
        r#"{"type":"function call","typeID":47,"name":"SLEEP","subNodes":[{"type":"array","typeID":41,"raw":[0.25]}]}"#
    );
}

#[test]
fn subqueries_are_spliced_in() {
    let query = "LET list = (FOR doc in test FILTER doc.value > 90 RETURN doc) FOR a IN list RETURN a";
    let plan = explain(&best(query, &["-all"])).unwrap();
    assert_eq!(
        texts(&plan, "nodes", "type"),
        [
            "SingletonNode",
            "SubqueryStartNode",
            "EnumerateCollectionNode",
            "CalculationNode",
            "FilterNode",
            "SubqueryEndNode",
            "EnumerateListNode",
            "ReturnNode"
        ]
    );
    assert_eq!(member(&plan, "nodes.1.subqueryOutVariable.name").to_json(), r#""list""#);
    assert_eq!(member(&plan, "nodes.5.inVariable.name").to_json(), r#""doc""#);
    let ids = numbers(&plan, "nodes", "id");
    let dependencies: Vec<f64> = member(&plan, "nodes")
        .elements()
        .skip(1)
        .filter_map(|node| member(&node, "dependencies.0").as_f64())
        .collect();
    assert_eq!(dependencies, ids[..ids.len() - 1]);
    assert_eq!(member(&plan, "rules").to_json(), r#"["splice-subqueries"]"#);
}

#[test]
fn the_reply_has_plans_warnings_and_statistics() {
    let optimized = optimized("FOR i IN 1..10 RETURN 1 / 0", &[]).unwrap();
    let measured = ExplainStatistics { execution_time_seconds: 0.5, peak_memory_bytes: 7 };
    let reply = explain_all(&optimized, false, measured);
    assert_eq!(member(&reply, "cacheable"), Value::Bool(false));
    assert_eq!(member(&reply, "warnings").to_json(), r#"[{"code":1562,"message":"division by zero"}]"#);
    assert_eq!(member(&reply, "stats.plansCreated"), Value::Int(1));
    assert_eq!(member(&reply, "stats.executionTime"), Value::Double(0.5));
    let all = explain_all(&optimized, true, measured);
    assert_eq!(member(&all, "plans").len(), 1);
    assert!(member(&all, "cacheable").is_null() && member(&all, "plan").is_null());
}

#[test]
fn every_node_and_expression_has_a_description() {
    for query in [
        "FOR u IN users UPSERT {email: u.email} INSERT {a: 1} REPLACE {b: OLD.b} IN plain RETURN [OLD, NEW]",
        "FOR u IN users UPDATE u WITH {a: u.b[* FILTER CURRENT.x > 1 LIMIT 1, 2 RETURN CURRENT.y]} IN users OPTIONS {keepNull: false}",
        "FOR u IN users COLLECT c = u.city AGGREGATE m = MAX(u.age) INTO g RETURN [c, m, g]",
        "FOR u IN users FILTER u.a[? 2..3 FILTER CURRENT == u.b] && u.c ALL IN [1] && !(u.d ? : -u.e) RETURN {[u.f]: u.g[u.h]}",
        "FOR u IN users FILTER u.age IN [1, 2] || u.email == 'x' LIMIT 3 REMOVE u IN users RETURN OLD",
        "FOR k IN knows FILTER k._from == 'users/1' SORT k.x DESC LIMIT 1 RETURN DISTINCT k.y",
    ] {
        for rules in [&[][..], &["-all"]] {
            let plan = explain(&best(query, rules)).unwrap();
            let text = plan.to_json();
            let mut again = velocypack::Builder::new();
            json::parse(text.as_bytes(), &velocypack::Limits::default(), &mut again).unwrap();
            assert_eq!(Value::from_builder(again).to_json(), text, "{query}");
            assert!(!text.contains("\"type\":\"\""), "{query}");
        }
    }
}

fn syntax(query: &str) -> Result<Value> {
    let query = aql_syntax::parse(query, &aql_syntax::Limits::default()).unwrap();
    without_limits(|limits| explain_syntax(&query, limits))
}

#[test]
fn syntax_trees_are_as_recorded() {
    let reply = syntax("FOR i IN 1..100 FILTER i > 10 LIMIT 2 RETURN i * 3").unwrap();
    assert_eq!(
        reply.to_json(),
        r#"{"parsed":true,"collections":[],"bindVars":[],"ast":[{"type":"root","subNodes":[{"type":"for","subNodes":[{"type":"variable","name":"i","id":0},{"type":"range","subNodes":[{"type":"value","value":1},{"type":"value","value":100}]},{"type":"no-op"}]},{"type":"filter","subNodes":[{"type":"compare >","subNodes":[{"type":"reference","name":"i","id":0,"subqueryReference":false},{"type":"value","value":10}]}]},{"type":"limit","subNodes":[{"type":"value","value":0},{"type":"value","value":2}]},{"type":"return","subNodes":[{"type":"times","subNodes":[{"type":"reference","name":"i","id":0,"subqueryReference":false},{"type":"value","value":3}]}]}]}],"warnings":[]}"#
    );
}

#[test]
fn syntax_trees_have_chains_of_two_operands() {
    let reply = syntax("RETURN a == 1 AND b < 2 AND c").unwrap();
    let text = reply.to_json();
    assert!(
        text.contains(
            r#"{"type":"logical and","subNodes":[{"type":"logical and","subNodes":[{"type":"compare ==","excludesNull":false,"subNodes":"#
        ),
        "{text}"
    );
}

#[test]
fn syntax_trees_list_collections_and_parameters() {
    let reply = syntax("FOR d IN @@c FOR e IN users FILTER d.a == @b INSERT d INTO plain").unwrap();
    assert_eq!(member(&reply, "collections").to_json(), r#"["plain","users"]"#);
    assert_eq!(member(&reply, "bindVars").to_json(), r#"["@c","b"]"#);
    let _ = &CATALOG;
}

/// Returns the node of a type.
fn node(query: &str, name: &str) -> Value {
    let plan = explain(&best(query, &[])).unwrap();
    let nodes = member(&plan, "nodes");
    nodes.elements().find(|node| member(node, "type").as_str() == Some(name)).unwrap()
}

#[test]
fn a_traversal_shows_its_graph_conditions_and_indexes() {
    let query = "FOR v, e, p IN 1..3 ANY 'users/1' knows PRUNE e.x == 1 OPTIONS {order: 'bfs', uniqueVertices: 'path'} \
                 FILTER p.edges[0].label == 'x' AND v.age > 3 RETURN [v.name, p.edges]";
    let traversal = node(query, "TraversalNode");
    for (path, expected) in [
        ("graph", r#"["knows"]"#),
        ("directions", "[2,1]"),
        ("edgeCollections", r#"["knows","knows"]"#),
        ("vertexId", r#""users/1""#),
        ("vertexOutVariable.name", r#""v""#),
        ("pathOutVariable.name", r#""p""#),
        ("options.minDepth", "1"),
        ("options.maxDepth", "3"),
        ("options.order", r#""bfs""#),
        ("options.uniqueVertices", r#""path""#),
        ("options.uniqueEdges", r#""path""#),
        ("options.producePathsVertices", "false"),
        ("options.producePathsEdges", "true"),
        ("indexes.base.0.fields", r#"["_from"]"#),
        ("indexes.base.1.fields", r#"["_to"]"#),
        ("condition.type", r#""compare ==""#),
        ("condition.subNodes.0.name", r#""label""#),
        ("postFilter.type", r#""compare >""#),
        ("expression.type", r#""compare ==""#),
        ("pruneVariables.0.variable.name", r#""e""#),
    ] {
        assert_eq!(member(&traversal, path).to_json(), expected, "{path}");
    }
    let levels = member(&traversal, "indexes.levels").get("0");
    assert_eq!(levels.len(), 2, "{}", levels.to_json());
    assert!(member(&traversal, "edgeOutVariable").is_null());
}

#[test]
fn projections_of_a_traversal_stand_among_its_options() {
    let traversal =
        node("FOR u IN users FOR v, e IN 1..2 OUTBOUND u knows RETURN [v.a, v.b, e._to]", "TraversalNode");
    assert_eq!(texts(&traversal, "options.vertexProjections", "path"), ["[\"a\"]", "[\"b\"]"]);
    assert_eq!(texts(&traversal, "options.edgeProjections", "path"), ["[\"_to\"]"]);
    assert_eq!(member(&traversal, "inVariable.name").to_json(), r#""u""#);
    assert_eq!(member(&traversal, "vertexOutVariable.name").to_json(), r#""v""#);
}

#[test]
fn path_searches_show_both_ends() {
    let search = node(
        "FOR u IN users FOR v IN OUTBOUND SHORTEST_PATH u TO 'users/2' knows RETURN v",
        "ShortestPathNode",
    );
    assert_eq!(member(&search, "startInVariable.name").to_json(), r#""u""#);
    assert_eq!(member(&search, "targetVertexId").to_json(), r#""users/2""#);
    let query = "FOR p IN 1..4 INBOUND K_PATHS 'users/1' TO 'users/2' knows FILTER p.edges[*].a ALL == 1 RETURN p.edges";
    let paths = node(query, "EnumeratePathsNode");
    for (path, expected) in [
        ("shortestPathType", r#""K_PATHS""#),
        ("startVertexId", r#""users/1""#),
        ("options.maxDepth", "4"),
        ("options.producePathsVertices", "false"),
        ("directions", "[1]"),
        ("condition.type", r#""array compare ==""#),
    ] {
        assert_eq!(member(&paths, path).to_json(), expected, "{path}");
    }
}

#[test]
fn a_window_shows_its_bounds() {
    let query = "FOR u IN users WINDOW u.age WITH {preceding: 2.5} AGGREGATE n = SUM(u.x) RETURN n";
    let window = node(query, "WindowNode");
    assert_eq!(member(&window, "preceding").to_json(), "2.5");
    assert_eq!(member(&window, "following").to_json(), "0");
    assert_eq!(member(&window, "aggregates.0.type").to_json(), r#""SUM""#);
    assert!(member(&window, "rangeVariable").is_object());
    let query =
        "FOR u IN users WINDOW {preceding: 'unbounded', following: 1} AGGREGATE n = SUM(u.x) RETURN n";
    let window = node(query, "WindowNode");
    assert_eq!(member(&window, "preceding").to_json(), r#""unbounded""#);
    assert!(member(&window, "rangeVariable").is_null());
}

#[test]
fn joined_scans_are_one_node() {
    let query = "FOR t IN test FOR u IN users FILTER t.value == u.age RETURN t.value";
    let plan = explain(&best(query, &["-interchange-adjacent-enumerations"])).unwrap();
    assert_eq!(texts(&plan, "nodes", "type"), ["SingletonNode", "JoinNode", "ReturnNode"]);
    let join = member(&plan, "nodes.1");
    assert_eq!(member(&plan, "nodes.2.dependencies.0"), member(&join, "id"));
    assert_eq!(texts(&join, "indexInfos", "collection"), ["test", "users"]);
    assert_eq!(member(&join, "indexInfos.0.condition").to_json(), "{}");
    let compared = member(&join, "indexInfos.1.condition.subNodes.0.subNodes.0.type");
    assert_eq!(compared.to_json(), r#""compare ==""#);
    assert_eq!(texts(&member(&join, "indexInfos.1"), "indexes", "name"), ["age"]);
}

#[test]
fn constant_vertices_need_no_node_of_their_own() {
    let path = ["SingletonNode", "EnumeratePathsNode", "ReturnNode"];
    for (query, rules, expected) in [
        (
            "FOR v IN 1..2 OUTBOUND 'users/1' knows RETURN v",
            &["-all"][..],
            &["SingletonNode", "TraversalNode", "ReturnNode"][..],
        ),
        (
            "LET n = 2 LET s = 'users/1' FOR v IN n OUTBOUND s knows RETURN v",
            &[],
            &["SingletonNode", "TraversalNode", "ReturnNode"],
        ),
        ("FOR p IN OUTBOUND K_PATHS 'users/1' TO 'users/2' knows RETURN p", &[], &path),
        // A start vertex that must be computed has a node.
        (
            "FOR u IN users FOR v IN OUTBOUND CONCAT('users/', u.x) knows RETURN v",
            &[],
            &["SingletonNode", "EnumerateCollectionNode", "CalculationNode", "TraversalNode", "ReturnNode"],
        ),
    ] {
        let plan = explain(&best(query, rules)).unwrap();
        assert_eq!(texts(&plan, "nodes", "type"), expected, "{query}");
        assert_eq!(member(&plan, "nodes.1.dependencies").to_json(), "[1]", "{query}");
    }
}

/// Returns the types of the nodes with the mark to compute batches ahead.
fn prefetching(query: &str, rules: &[&str]) -> Vec<String> {
    let plan = explain(&best(query, rules)).unwrap();
    let nodes: Vec<_> = member(&plan, "nodes").elements().collect();
    let marked = nodes.iter().filter(|node| member(node, "isAsyncPrefetchEnabled") == Value::Bool(true));
    let types: Vec<_> = marked.map(|node| member(node, "type").cast_string().into_owned()).collect();
    assert_eq!(member(&plan, "asyncPrefetchNodes"), Value::Int(types.len() as i64));
    let rule = texts(&plan, "rules", "").len();
    let last = member(&plan, "rules").at(rule as i64 - 1).cast_string().into_owned();
    assert_eq!(last == "async-prefetch", !types.is_empty(), "{query}");
    types
}

/// The marks are those in the plans of the release notes of 3.12, and in recorded replies with the
/// attribute.
#[test]
fn nodes_that_may_prefetch_are_marked() {
    let filter_and_sort = "FOR u IN users FILTER u.zip IN [1, 2] SORT u.name RETURN u";
    assert_eq!(
        prefetching(filter_and_sort, &["-use-indexes", "-use-index-for-sort"]),
        ["EnumerateCollectionNode", "CalculationNode", "SortNode"]
    );
    assert_eq!(prefetching(filter_and_sort, &["-async-prefetch"]), [""; 0]);
    let late = "FOR i IN test FILTER i.value > 5 RETURN [i.y, i.z, i.a]";
    assert_eq!(prefetching(late, &[]), ["IndexNode", "CalculationNode"]);
    assert_eq!(
        prefetching("FOR a IN [[1]] FOR b IN a COLLECT c = b FILTER c > RAND() RETURN c", &[]),
        [
            "CalculationNode",
            "EnumerateListNode",
            "EnumerateListNode",
            "CollectNode",
            "SortNode",
            "FilterNode"
        ]
    );
    assert_eq!(prefetching("LET s = SLEEP(0.25) LET t = SLEEP(0.5) RETURN 1", &[]), ["CalculationNode"]);
    assert_eq!(prefetching("FOR u IN users LIMIT 3 RETURN u", &[]), [""; 0]);
    assert_eq!(
        prefetching("FOR u IN users LIMIT 3 SORT u.zip RETURN u", &[]),
        ["CalculationNode", "SortNode"]
    );
    assert_eq!(prefetching("FOR u IN users INSERT u IN users", &[]), [""; 0]);
    let subquery = "FOR i IN [1, 2] LET s = (FOR u IN users FILTER u.zip == i LIMIT 2 RETURN u.age) RETURN s";
    assert_eq!(prefetching(subquery, &[]), ["CalculationNode", "EnumerateListNode"]);
}

#[test]
fn a_sort_of_groups_says_by_how_many_elements_they_are_grouped() {
    let plan = explain(&best("FOR u IN users SORT u.age, u.city DESC RETURN u", &[])).unwrap();
    let nodes: Vec<_> = member(&plan, "nodes").elements().collect();
    let sort = nodes.iter().find(|node| member(node, "type").as_str() == Some("SortNode")).unwrap();
    assert_eq!(member(sort, "numberOfTopGroupedElements"), Value::Int(1));
    assert_eq!(member(sort, "strategy").as_str(), Some("grouped"));
    assert_eq!(member(sort, "elements").elements().count(), 2);
}
