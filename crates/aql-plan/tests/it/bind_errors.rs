//! Errors of binding, with number and message as clients see them.

use aql_value::Value;

use crate::common;

/// Queries, numbers and messages.
const CASES: &[(&str, u32, &str)] = &[
    // Names.
    ("RETURN x", 1203, "collection or view not found: x"),
    ("FOR d IN missing RETURN d", 1203, "collection or view not found: missing"),
    ("FOR d IN users RETURN e", 1203, "collection or view not found: e"),
    ("RETURN LENGTH(missing)", 1203, "collection or view not found: missing"),
    ("WITH missing RETURN 1", 1203, "collection or view not found: missing"),
    ("INSERT {} INTO missing", 1203, "collection or view not found: missing"),
    ("RETURN users", 1568, "collection 'users' used as expression operand"),
    ("RETURN users + 1", 1568, "collection 'users' used as expression operand"),
    ("RETURN [users]", 1568, "collection 'users' used as expression operand"),
    ("LET a = 1 LET a = 2 RETURN a", 1511, "variable 'a' is assigned multiple times"),
    ("FOR a IN [1] FOR a IN [2] RETURN a", 1511, "variable 'a' is assigned multiple times"),
    ("LET a = 1 RETURN (FOR a IN [1] RETURN a)", 1511, "variable 'a' is assigned multiple times"),
    ("LET [a, {b: a}] = [] RETURN a", 1511, "variable 'a' is assigned multiple times"),
    ("RETURN (LET b = 1 RETURN b) + b", 1203, "collection or view not found: b"),
    ("LET a = a RETURN a", 1203, "collection or view not found: a"),
    // COLLECT.
    ("FOR u IN users COLLECT c = u.city RETURN u", 1203, "collection or view not found: u"),
    ("FOR u IN users COLLECT c = u.city AGGREGATE s = SUM(c) RETURN s", 1512, "unknown variable 'c'"),
    (
        "FOR u IN users COLLECT c = u.city INTO g KEEP x RETURN g",
        1501,
        "use of unknown variable 'x' for KEEP",
    ),
    (
        "FOR u IN users COLLECT c = u.city, c = u.age RETURN c",
        1511,
        "variable 'c' is assigned multiple times",
    ),
    // Pseudo variables.
    ("RETURN OLD", 1203, "collection or view not found: OLD"),
    ("RETURN CURRENT", 1203, "collection or view not found: CURRENT"),
    ("INSERT {} INTO plain RETURN OLD", 1203, "collection or view not found: OLD"),
    (
        "INSERT {} INTO plain OPTIONS {overwriteMode: 'ignore'} RETURN OLD",
        1203,
        "collection or view not found: OLD",
    ),
    ("REMOVE 'a' IN plain RETURN NEW", 1203, "collection or view not found: NEW"),
    (
        "FOR x IN {a: 1} RETURN x",
        1563,
        "collection or array expected as operand to FOR loop; you specified type 'object' with content '{\"a\":1}'",
    ),
    ("RETURN [1][* RETURN CURRENT + (RETURN OLD)[0]]", 1203, "collection or view not found: OLD"),
    // Functions.
    ("RETURN FOO(1)", 1540, "usage of unknown function 'FOO()'"),
    ("RETURN foo()", 1540, "usage of unknown function 'FOO()'"),
    (
        "RETURN PHRASE(1)",
        1541,
        "invalid number of arguments for function 'PHRASE()', expected number of arguments: minimum: 2, maximum: 65536",
    ),
    ("RETURN SKIPLIST(1)", 1540, "usage of unknown function 'SKIPLIST()'"),
    ("RETURN NEIGHBORS(1, 2, 3, 4)", 1540, "usage of unknown function 'NEIGHBORS()'"),
    ("RETURN COLLECTION_COUNT(missing)", 1203, "collection or view not found: missing"),
    (
        "RETURN ABS()",
        1541,
        "invalid number of arguments for function 'ABS()', expected number of arguments: minimum: 1, maximum: 1",
    ),
    (
        "RETURN CONCAT_SEPARATOR('a')",
        1541,
        "invalid number of arguments for function 'CONCAT_SEPARATOR()', expected number of arguments: minimum: 2, \
         maximum: 65536",
    ),
    // Bind parameters.
    ("RETURN @x", 1551, "no value specified for declared bind parameter 'x'"),
    ("FOR d IN @@c RETURN d", 1551, "no value specified for declared bind parameter '@c'"),
    // Access after modification.
    (
        "INSERT {} INTO plain FOR d IN plain RETURN d",
        1579,
        "access after data-modification by collection 'plain'",
    ),
    (
        "INSERT {} INTO plain INSERT {} INTO plain",
        1579,
        "access after data-modification by collection 'plain'",
    ),
    (
        "INSERT {} INTO plain RETURN LENGTH(plain)",
        1579,
        "access after data-modification by collection 'plain'",
    ),
    (
        "INSERT {} INTO plain RETURN DOCUMENT('plain/1')",
        1579,
        "access after data-modification by AQL function DOCUMENT()",
    ),
    (
        "LET x = (INSERT {} INTO plain) FOR d IN plain RETURN d",
        1579,
        "access after data-modification by collection 'plain'",
    ),
    (
        "UPSERT {a: 1} INSERT {} UPDATE {} IN plain FOR d IN plain RETURN d",
        1579,
        "access after data-modification by collection 'plain'",
    ),
    // LIMIT, SORT.
    ("FOR i IN 1..3 LIMIT -1 RETURN i", 1504, "LIMIT count value is not a number or out of range"),
    ("FOR i IN 1..3 LIMIT 'a', 1 RETURN i", 1504, "LIMIT offset value is not a number or out of range"),
    ("FOR i IN 1..3 LIMIT i RETURN i", 1504, "LIMIT count value is not a number or out of range"),
    ("FOR i IN 1..3 SORT i 'up' RETURN i", 1501, "invalid SORT direction 'up', expecting ASC or DESC"),
    // Options.
    ("FOR d IN users OPTIONS {indexHint: d} RETURN d", 1203, "collection or view not found: d"),
    (
        "LET x = 1 FOR d IN users OPTIONS {indexHint: RAND()} RETURN d",
        1575,
        "query options must be readable at query compile time",
    ),
    // Features that cannot run.
    ("FOR d IN users SEARCH d.a == 1 RETURN d", 1501, "SEARCH condition used on non-view"),
    ("FOR d IN [1] SEARCH d.a == 1 RETURN d", 1501, "SEARCH condition used on non-view"),
    (
        "FOR d IN someView SEARCH d.a RETURN d",
        10,
        "unsupported SEARCH condition: it must consist of comparisons between attributes and values, and of search functions",
    ),
    (
        "FOR d IN someView SEARCH d.a == d.b RETURN d",
        10,
        "unsupported SEARCH condition: a comparison needs one attribute and one value",
    ),
    (
        "FOR d IN someView SEARCH d.a IN (FOR x IN [d.b] RETURN x) RETURN d",
        1501,
        "a subquery in a SEARCH condition cannot read the document",
    ),
    (
        "FOR d IN someView SEARCH true OPTIONS {collections: 1} RETURN d",
        10,
        "invalid ArangoSearch options provided: 'collections': it must be an array of names",
    ),
    (
        "FOR d IN someView SEARCH true OPTIONS {collections: ['users']} RETURN d",
        10,
        "invalid ArangoSearch options provided: 'collections': the view does not search collection 'users'",
    ),
    (
        "FOR d IN someView SEARCH true OPTIONS {countApproximate: 'no'} RETURN d",
        10,
        "invalid ArangoSearch options provided: 'countApproximate': it cannot be \"no\"",
    ),
    (
        "FOR d IN someView SEARCH true OPTIONS {parallelism: -1} RETURN d",
        10,
        "invalid ArangoSearch options provided: 'parallelism': it cannot be -1",
    ),
    ("INSERT {} INTO someView", 1237, "'someView' is required to be a collection"),
];

/// Graph queries and WINDOW.
const GRAPH_CASES: &[(&str, u32, &str)] = &[
    ("FOR v IN 2..1 OUTBOUND 'a/1' knows RETURN v", 1501, "invalid traversal depth"),
    ("FOR v IN -1..1 OUTBOUND 'a/1' knows RETURN v", 1501, "invalid traversal depth"),
    ("FOR v IN 1..1.5 OUTBOUND 'a/1' knows RETURN v", 1501, "invalid traversal depth"),
    ("FOR v IN 'x' OUTBOUND 'a/1' knows RETURN v", 1501, "invalid traversal depth"),
    ("FOR i IN 1..2 FOR v IN 1..i OUTBOUND 'a/1' knows RETURN v", 1501, "invalid traversal depth"),
    ("FOR p IN 3..2 OUTBOUND K_PATHS 'a/1' TO 'a/2' knows RETURN p", 1501, "invalid traversal depth"),
    ("FOR v IN OUTBOUND 'a/1' missing RETURN v", 1203, "collection or view not found: missing"),
    (
        "FOR v IN OUTBOUND 'a/1' users RETURN v",
        1218,
        "collection type invalid for collection 'users': expecting collection type 'edge'",
    ),
    ("FOR v IN OUTBOUND 'a/1' GRAPH 'missing' RETURN v", 1924, "graph 'missing' not found"),
    ("FOR v IN OUTBOUND SHORTEST_PATH 'a/1' TO 'a/2' GRAPH 'no' RETURN v", 1924, "graph 'no' not found"),
    ("FOR v IN OUTBOUND 'a/1' GRAPH 'lonely' RETURN v", 1940, "graph 'lonely' has no edge collections"),
    (
        "FOR v IN OUTBOUND 'a/1' knows, ANY knows RETURN v",
        1501,
        "conflicting directions specified for collection 'knows'",
    ),
    (
        "FOR v IN OUTBOUND 'a/1' knows OPTIONS {uniqueVertices: 'global'} RETURN v",
        10,
        "uniqueVertices: 'global' is only supported with order: 'bfs' or 'weighted' due to otherwise unpredictable \
         results",
    ),
    (
        "FOR v IN OUTBOUND 'a/1' knows OPTIONS {uniqueEdges: 'global'} RETURN v",
        10,
        "uniqueEdges: 'global' is not supported, due to otherwise unpredictable results. Use 'path' or 'none' instead",
    ),
    (
        "FOR v IN OUTBOUND 'a/1' knows OPTIONS {order: 'weighted', defaultWeight: -1} RETURN v",
        1948,
        "negative default weight not allowed",
    ),
    (
        "FOR p IN OUTBOUND K_SHORTEST_PATHS 'a/1' TO 'a/2' knows OPTIONS {defaultWeight: -1} RETURN p",
        1948,
        "negative default weight not allowed",
    ),
    ("FOR v IN OUTBOUND 'a/1' knows OPTIONS {order: v} RETURN v", 1203, "collection or view not found: v"),
    (
        "FOR v IN OUTBOUND 'a/1' knows OPTIONS {edgeCollections: 'missing'} RETURN v",
        1203,
        "collection or view not found: missing",
    ),
    (
        "FOR v IN OUTBOUND 'a/1' knows OPTIONS {edgeCollections: ['users']} RETURN v",
        1218,
        "collection type invalid for collection 'users': expecting collection type 'edge'",
    ),
    (
        "FOR v IN OUTBOUND 'a/1' knows OPTIONS {edgeCollections: ['likes']} RETURN v",
        1939,
        "edge collection 'likes' does not exist or is not part of the graph",
    ),
    (
        "FOR v IN OUTBOUND 'a/1' knows OPTIONS {vertexCollections: ['missing']} RETURN v",
        1203,
        "collection or view not found: missing",
    ),
    (
        "FOR v IN OUTBOUND 'a/1' GRAPH social OPTIONS {vertexCollections: ['plain']} RETURN v",
        1926,
        "vertex collection 'plain' does not exist or is not part of the graph",
    ),
    ("FOR v, e, v IN OUTBOUND 'a/1' knows RETURN v", 1511, "variable 'v' is assigned multiple times"),
    ("FOR v IN OUTBOUND 'a/1' knows PRUNE e.x RETURN v", 1203, "collection or view not found: e"),
    (
        "INSERT {} INTO plain FOR v IN OUTBOUND 'a/1' knows RETURN v",
        1579,
        "access after data-modification by traversal",
    ),
    (
        "INSERT {} INTO plain FOR v IN OUTBOUND SHORTEST_PATH 'a/1' TO 'a/2' knows RETURN v",
        1579,
        "access after data-modification by shortest path",
    ),
    (
        "FOR d IN users WINDOW {preceding: -1} AGGREGATE s = SUM(d.age) RETURN s",
        10,
        "'preceding' of a WINDOW over rows must be a non-negative integer or \"unbounded\"",
    ),
    (
        "FOR d IN users WINDOW {following: 1.5} AGGREGATE s = SUM(d.age) RETURN s",
        10,
        "'following' of a WINDOW over rows must be a non-negative integer or \"unbounded\"",
    ),
    (
        "FOR d IN users WINDOW {following: 'P1D'} AGGREGATE s = SUM(d.age) RETURN s",
        10,
        "'following' of a WINDOW over rows must be a non-negative integer or \"unbounded\"",
    ),
    (
        "FOR d IN users WINDOW {} AGGREGATE s = SUM(d.age) RETURN s",
        1501,
        "a WINDOW needs at least one of 'preceding' and 'following'",
    ),
    (
        "FOR d IN users WINDOW d.age WITH {preceding: -1} AGGREGATE s = SUM(d.age) RETURN s",
        10,
        "'preceding' of a WINDOW over a range must be a non-negative number or an ISO 8601 duration",
    ),
    (
        "FOR d IN users WINDOW d.age WITH {preceding: 'P1H'} AGGREGATE s = SUM(d.age) RETURN s",
        10,
        "'preceding' of a WINDOW over a range must be a non-negative number or an ISO 8601 duration",
    ),
    (
        "FOR d IN users WINDOW d.age WITH {preceding: 'P1D', following: 1} AGGREGATE s = SUM(d.age) RETURN s",
        10,
        "bounds of a WINDOW must both be numbers or both be durations",
    ),
    (
        "FOR d IN users WINDOW {preceding: d.age} AGGREGATE s = SUM(d.age) RETURN s",
        1575,
        "query options must be readable at query compile time",
    ),
    (
        "FOR d IN users UPDATE d WITH {a: 1} IN users WINDOW {preceding: 1} AGGREGATE s = SUM(NEW.a) RETURN s",
        1595,
        "window operation after data-modification",
    ),
];

#[test]
fn wrong_queries_are_refused_in_the_words_of_arangodb() {
    for (query, number, message) in CASES.iter().chain(GRAPH_CASES) {
        match common::plan(query, &[]) {
            Ok(_) => panic!("{query}: was accepted"),
            Err(error) => assert_eq!((error.number(), error.message()), (*number, *message), "{query}"),
        }
    }
}

/// A query, its parameters, number and message.
type Case<'a> = (&'a str, &'a [(&'a str, Value)], u32, &'a str);

#[test]
fn bind_parameters_are_checked_against_the_query() {
    let cases: &[Case<'_>] = &[
        ("RETURN 1", &[("x", Value::Int(1))], 1552, "bind parameter 'x' was not declared in the query"),
        ("RETURN @x", &[("X", Value::Int(1))], 1551, "no value specified for declared bind parameter 'x'"),
        (
            "FOR d IN @@c RETURN d",
            &[("@c", Value::Int(1))],
            1553,
            "bind parameter '@c' has an invalid value or type",
        ),
        (
            "FOR d IN @@c RETURN d",
            &[("@c", Value::from_str("missing"))],
            1203,
            "collection or view not found: missing",
        ),
        (
            "FOR d IN @@c RETURN d",
            &[("c", Value::from_str("users"))],
            1551,
            "no value specified for declared bind parameter '@c'",
        ),
        ("RETURN {}.@a", &[("a", Value::Int(1))], 1553, "bind parameter 'a' has an invalid value or type"),
        (
            "RETURN {}.@a",
            &[("a", Value::empty_array())],
            1553,
            "bind parameter 'a' has an invalid value or type",
        ),
        (
            "UPSERT @a INSERT {} UPDATE {} IN plain",
            &[("a", Value::Int(1))],
            1501,
            "UPSERT needs an object literal with literal attribute names to search by",
        ),
        ("RETURN {@a: 1}", &[("a", Value::Int(1))], 1553, "bind parameter 'a' has an invalid value or type"),
    ];
    for (query, parameters, number, message) in cases {
        match common::plan(query, parameters) {
            Ok(_) => panic!("{query}: was accepted"),
            Err(error) => assert_eq!((error.number(), error.message()), (*number, *message), "{query}"),
        }
    }
}

#[test]
fn bind_parameters_stand_for_values_names_and_paths() {
    let path = Value::array(&[Value::from_str("a"), Value::from_str("b")]);
    let parameters =
        [("@c", Value::from_str("plain")), ("p", path), ("v", Value::Int(7)), ("n", Value::from_str("k"))];
    let plan = common::plan("FOR d IN @@c FILTER d.@p == @v RETURN {@n: d}", &parameters).unwrap();
    let text = aql_plan::print(&plan);
    assert!(text.contains("d IN plain"), "{text}");
    assert!(text.contains("(d.a.b == 7)"), "{text}");
    assert!(text.contains("{\"k\": d}"), "{text}");
}

#[test]
fn parameters_must_be_an_object() {
    let error = aql_plan::BindParameters::from_value(&Value::Int(1)).unwrap_err();
    assert_eq!((error.number(), error.message()), (1550, "invalid structure of bind parameters"));
    assert_eq!(aql_plan::BindParameters::from_value(&Value::Null).unwrap().iter().count(), 0);
}

#[test]
fn unknown_options_and_wrong_values_warn() {
    for query in [
        "FOR d IN users OPTIONS {foo: 1} RETURN d",
        "FOR d IN users OPTIONS {indexHint: 1} RETURN d",
        "FOR d IN users COLLECT a = d.age OPTIONS {method: 'fast'} RETURN a",
        "INSERT {} INTO plain OPTIONS {indexHint: 'a'}",
        "INSERT {} INTO plain OPTIONS {keepNull: 'yes'}",
        "UPDATE {_key: 'a'} IN plain OPTIONS {overwrite_mode: true}",
        "UPDATE {_key: 'a'} IN plain OPTIONS {readOwnWrites: true}",
        "REMOVE 'a' IN plain OPTIONS {method: 'hash'}",
        "UPSERT {a: 1} INSERT {} UPDATE {} IN plain OPTIONS {disableIndex: true}",
    ] {
        let plan = common::plan(query, &[]).unwrap();
        assert_eq!(
            plan.warnings.iter().map(|warning| warning.code.number()).collect::<Vec<_>>(),
            [1539],
            "{query}"
        );
        assert!(!plan.is_cacheable, "{query}");
    }
}

#[test]
fn statements_take_the_options_of_each_other() {
    for query in [
        "INSERT {} INTO plain OPTIONS {ignoreRevs: true}",
        "UPDATE {_key: 'a'} IN plain OPTIONS {overwrite: true}",
        "REPLACE {_key: 'a'} IN plain OPTIONS {mergeObjects: false, keepNull: false}",
        "REMOVE 'a' IN plain OPTIONS {keepNull: false, versionAttribute: 'v'}",
        "UPSERT {a: 1} INSERT {} UPDATE {} IN plain OPTIONS {overwriteMode: 'ignore'}",
    ] {
        assert_eq!(common::plan(query, &[]).unwrap().warnings, [], "{query}");
    }
}

#[test]
fn a_warning_says_whether_the_option_or_its_value_is_wrong() {
    for (query, message) in [
        (
            "FOR d IN users OPTIONS {forceIndexHints: 'abcd'} RETURN d",
            "usage of unknown OPTIONS attribute 'forceIndexHints' in FOR statement",
        ),
        (
            "FOR d IN users OPTIONS {forceIndexHint: 1} RETURN d",
            "usage of invalid value 1 in OPTIONS attribute 'forceIndexHint' in FOR statement",
        ),
        (
            "FOR d IN users OPTIONS {useCache: 'no'} RETURN d",
            "usage of invalid value \"no\" in OPTIONS attribute 'useCache' in FOR statement",
        ),
        (
            "INSERT {} INTO plain OPTIONS {overwrightMode: 'ignore'}",
            "usage of unknown OPTIONS attribute 'overwrightMode' in INSERT statement",
        ),
        (
            "INSERT {} INTO plain OPTIONS {overwriteMode: 'fast'}",
            "usage of invalid value \"fast\" in OPTIONS attribute 'overwriteMode' in INSERT statement",
        ),
        (
            "UPSERT {a: 1} INSERT {} UPDATE {} IN plain OPTIONS {indexHint: 5}",
            "usage of invalid value 5 in OPTIONS attribute 'indexHint' in UPSERT statement",
        ),
        (
            "FOR d IN users COLLECT a = d.age OPTIONS {method: 'fast'} RETURN a",
            "usage of invalid value \"fast\" in OPTIONS attribute 'method' in COLLECT statement",
        ),
    ] {
        let plan = common::plan(query, &[]).unwrap();
        let messages: Vec<&str> = plan.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!(messages, [message], "{query}");
    }
}

#[test]
fn a_warning_while_folding_is_given_once_and_remembered() {
    let plan = common::plan("FOR i IN 1..10 RETURN 1 / 0", &[]).unwrap();
    assert_eq!(plan.warnings.len(), 1);
    assert_eq!(
        (plan.warnings[0].code.number(), plan.warnings[0].message.as_str()),
        (1562, "division by zero")
    );
}

#[test]
fn a_name_of_a_user_wins_over_a_pseudo_variable() {
    for query in [
        "LET OLD = 1 RETURN OLD",
        "FOR CURRENT IN [1] RETURN CURRENT",
        "LET NEW = 1 INSERT {} INTO plain RETURN NEW",
    ] {
        common::plan(query, &[]).unwrap();
    }
}

#[test]
fn collections_are_listed_once_with_the_strongest_access() {
    let plan = common::plan(
        "WITH cities FOR d IN users FOR e IN users UPDATE d WITH {x: e.x} IN users OPTIONS {exclusive: true}",
        &[],
    )
    .unwrap();
    let uses: Vec<_> =
        plan.collections.iter().map(|used| (&*used.collection.name, used.access.name())).collect();
    assert_eq!(uses, [("cities", "read"), ("users", "exclusive")]);
    assert!(plan.is_modification);
}

#[test]
fn unknown_options_of_graph_queries_are_warned_about() {
    for (query, options) in [
        (
            "FOR v IN OUTBOUND 'a/1' knows OPTIONS {foo: 1, order: 'x', uniqueVertices: 1, useCache: 'no'} RETURN v",
            &["foo", "order", "uniqueVertices", "useCache"][..],
        ),
        (
            "FOR v IN OUTBOUND 'a/1' knows OPTIONS {indexHint: {knows: {'any': {}, 'inbound': {x: 'edge'}}}} RETURN v",
            &["any", "x"],
        ),
        (
            "FOR p IN OUTBOUND ALL_SHORTEST_PATHS 'a/1' TO 'a/2' knows OPTIONS {weightAttribute: 'w'} RETURN p",
            &["weightAttribute"],
        ),
        ("FOR d IN users WINDOW {preceding: 1, size: 2} AGGREGATE n = SUM(d.a) RETURN n", &["size"]),
        (
            "FOR v IN OUTBOUND 'a/1' knows OPTIONS {bfs: true, uniqueVertices: 'global', edgeCollections: [], \
             vertexCollections: [], parallelism: 4, maxProjections: 2, useCache: false} RETURN v",
            &[],
        ),
    ] {
        let plan = common::plan(query, &[]).unwrap();
        let expected: Vec<u32> = options.iter().map(|_| 1539).collect();
        let numbers: Vec<u32> = plan.warnings.iter().map(|warning| warning.code.number()).collect();
        assert_eq!(numbers, expected, "{query}");
        for (warning, option) in plan.warnings.iter().zip(options) {
            assert!(warning.message.contains(&format!("'{option}'")), "{}", warning.message);
        }
    }
}

#[test]
fn a_text_alone_shows_wrong_calls_and_names_that_are_introduced_twice() {
    let check = |text: &str| {
        let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).unwrap();
        let (memory, interrupt) = (aql_value::MemoryAccount::unlimited(), aql_value::Interrupt::new());
        aql_plan::check(&query, &memory, &interrupt).map_err(|error| error.number())
    };
    for text in [
        "FOR d IN missing FILTER d.x == @x RETURN KEEP(d, @names)",
        "FOR v IN @least..@most OUTBOUND @start GRAPH @graph RETURN v",
        "FOR d IN @@any LIMIT @skip, @count UPDATE d WITH @change IN @@any RETURN my::own::function(NEW)",
        "LET a = (FOR b IN missing RETURN b) LET c = (FOR b IN missing RETURN b) RETURN [a, c, unknown]",
        "FOR d IN FULLTEXT(missing, 'text', @words) RETURN d",
    ] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
    for (text, number) in [
        ("RETURN FOO(@x)", 1540),
        ("FOR d IN missing FILTER (FOR e IN missing RETURN FOO(e)) != [] RETURN d", 1540),
        ("RETURN SUM()", 1541),
        ("RETURN [1][* RETURN LENGTH(CURRENT, 2)]", 1541),
        ("RETURN NEAR(missing, 1)", 1541),
        ("LET a = 1 LET a = 2 RETURN a", 1511),
        ("FOR d IN @@any FOR d IN missing RETURN d", 1511),
        ("LET a = @x RETURN (FOR a IN missing RETURN a)", 1511),
    ] {
        assert_eq!(check(text), Err(number), "{text}");
    }
}
