//! Statements: each form, as the printer renders it, and the errors of each.

use aql_syntax::ast::{ExpressionKind, GraphSource, PatternKind, SortDirection, StatementKind, UpsertSearch};

use crate::common::{assert_prints, error, parsed};

fn first(text: &str) -> StatementKind {
    parsed(text).body.statements.swap_remove(0).kind
}

#[test]
fn with() {
    assert_prints(&[
        ("WITH a, b RETURN 1", "WITH a, b\nRETURN 1"),
        ("with a b @@c d return 1", "WITH a, b, @@c, d\nRETURN 1"),
        ("WITH `my-coll` RETURN 1", "WITH `my-coll`\nRETURN 1"),
        ("WITH @a, b RETURN 1", "WITH @a, b\nRETURN 1"),
    ]);
    for text in [
        "WITH RETURN 1",
        "WITH a, RETURN 1",
        "WITH 'a' RETURN 1",
        "WITH a",
        "RETURN 1 WITH a",
        "WITH 1 RETURN 1",
    ] {
        error(text);
    }
}

#[test]
fn for_loops() {
    assert_prints(&[
        ("for u in users return u", "FOR u IN users\n  RETURN u"),
        ("FOR x IN a FOR y IN b RETURN [x, y]", "FOR x IN a\n  FOR y IN b\n    RETURN [x, y]"),
        (
            "FOR x IN @@c OPTIONS {indexHint: 'a'} RETURN x",
            "FOR x IN @@c OPTIONS {indexHint: \"a\"}\n  RETURN x",
        ),
        ("FOR x IN 1..10 FILTER x % 2 == 0 RETURN x", "FOR x IN 1..10\n  FILTER x % 2 == 0\n  RETURN x"),
        (
            "FOR d IN view SEARCH ANALYZER(d.text == 'x', 'en') OPTIONS {collections: ['c'],} RETURN d",
            "FOR d IN view SEARCH ANALYZER(d.text == \"x\", \"en\") OPTIONS {collections: [\"c\"]}\n  RETURN d",
        ),
        (
            "FOR x IN search SEARCH options OPTIONS {} RETURN x",
            "FOR x IN search SEARCH options OPTIONS {}\n  RETURN x",
        ),
        ("FOR x IN a IN b RETURN x", "FOR x IN a IN b\n  RETURN x"),
        ("FOR x IN a ANY == b RETURN x", "FOR x IN a ANY == b\n  RETURN x"),
    ]);
    for text in [
        "FOR",
        "FOR x",
        "FOR x IN",
        "FOR x IN y",
        "FOR x OF y RETURN x",
        "FOR 'x' IN y RETURN x",
        "FOR x, y IN z RETURN x",
        "FOR x, IN z RETURN x",
        "FOR x IN y OPTIONS 1 RETURN x",
        "FOR x IN y OPTIONS @o RETURN x",
        "FOR x IN y OPTIONS {} SEARCH z RETURN x",
        "FOR x IN y PRUNE z RETURN x",
        "FOR x IN (RETURN 1 RETURN x",
        "FOR filter IN y RETURN 1",
        "FOR @x IN y RETURN 1",
    ] {
        error(text);
    }
}

#[test]
fn destructuring() {
    assert_prints(&[
        ("LET [x, y] = [1, 2, 3] RETURN x", "LET [x, y] = [1, 2, 3]\nRETURN x"),
        ("LET [, y, , z] = a RETURN y", "LET [, y, , z] = a\nRETURN y"),
        ("LET [,] = a RETURN 1", "LET [,] = a\nRETURN 1"),
        ("LET [] = a, {} = b RETURN 1", "LET [] = a\nLET {} = b\nRETURN 1"),
        ("LET [[a], [b, c]] = d RETURN a", "LET [[a], [b, c]] = d\nRETURN a"),
        ("LET {name, age} = u RETURN age", "LET {name, age} = u\nRETURN age"),
        (
            "LET { name: {first: f, last}, name, 'x y': z } = u RETURN f",
            "LET {name: {first: f, last}, name, `x y`: z} = u\nRETURN f",
        ),
        ("LET [ { obj: [x, y] } ] = a RETURN x", "LET [{obj: [x, y]}] = a\nRETURN x"),
        ("FOR {a, b: [c]} IN d OPTIONS {} RETURN c", "FOR {a, b: [c]} IN d OPTIONS {}\n  RETURN c"),
        ("FOR [x, y] IN z RETURN {x, y}", "FOR [x, y] IN z\n  RETURN {x: x, y: y}"),
    ]);
    let StatementKind::Let(inner) = first("LET [a, , {b, c: d}] = x RETURN 1") else { panic!() };
    assert!(matches!(&inner.target.kind, PatternKind::Array(elements) if elements.len() == 3));
    let names: Vec<&str> = inner.target.variables().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "d"]);
    for text in [
        "LET [1] = a RETURN 1",
        "LET {a: 1} = a RETURN 1",
        "LET {'a'} = b RETURN 1",
        "LET {[a]: b} = c RETURN 1",
        "LET {@a: b} = c RETURN 1",
        "LET [a.b] = c RETURN 1",
        "LET [a] RETURN 1",
        "FOR {v} IN OUTBOUND 'a/b' e RETURN v",
        "FOR [v, e] IN 1..2 ANY 'a/b' GRAPH 'g' RETURN v",
        "FOR v, [e] IN 1..2 ANY 'a/b' GRAPH 'g' RETURN v",
        "COLLECT [a] = b RETURN a",
    ] {
        error(text);
    }
}

#[test]
fn traversals() {
    assert_prints(&[
        ("FOR v IN OUTBOUND 'a/b' edges RETURN v", "FOR v IN OUTBOUND \"a/b\" edges\n  RETURN v"),
        (
            "FOR v, e, p IN 1..5 INBOUND start GRAPH 'g' RETURN p",
            "FOR v, e, p IN 1..5 INBOUND start GRAPH \"g\"\n  RETURN p",
        ),
        ("FOR v, e IN 2 ANY @start GRAPH @g RETURN v", "FOR v, e IN 2 ANY @start GRAPH @g\n  RETURN v"),
        ("FOR v IN ANY s GRAPH g RETURN v", "FOR v IN ANY s GRAPH \"g\"\n  RETURN v"),
        ("FOR v IN ANY s GRAPH @@g RETURN v", "FOR v IN ANY s GRAPH @@g\n  RETURN v"),
        ("FOR v IN ANY s GRAPH `my g` RETURN v", "FOR v IN ANY s GRAPH \"my g\"\n  RETURN v"),
        (
            "FOR v, IN 0..1 OUTBOUND 'p/1' acts_in RETURN v",
            "FOR v IN 0..1 OUTBOUND \"p/1\" acts_in\n  RETURN v",
        ),
        (
            "FOR v IN OUTBOUND s e1, ANY e2, INBOUND @@e3, 'e4' RETURN v",
            "FOR v IN OUTBOUND s e1, ANY e2, INBOUND @@e3, e4\n  RETURN v",
        ),
        ("FOR v IN OUTBOUND s @e RETURN v", "FOR v IN OUTBOUND s @e\n  RETURN v"),
        ("FOR v IN OUTBOUND s ANY e RETURN v", "FOR v IN OUTBOUND s ANY e\n  RETURN v"),
        (
            "FOR v, e, p IN 1..3 OUTBOUND s GRAPH 'g' PRUNE v.x == 1 OPTIONS {order: 'bfs'} FILTER v RETURN v",
            "FOR v, e, p IN 1..3 OUTBOUND s GRAPH \"g\" PRUNE v.x == 1 OPTIONS {order: \"bfs\"}\n  FILTER v\n  RETURN v",
        ),
        (
            "FOR v IN @a..@b OUTBOUND s e PRUNE cond = v.x OR v.y FILTER cond RETURN v",
            "FOR v IN @a..@b OUTBOUND s e PRUNE cond = v.x OR v.y\n  FILTER cond\n  RETURN v",
        ),
        (
            "FOR v IN OUTBOUND s prune PRUNE prune RETURN v",
            "FOR v IN OUTBOUND s prune PRUNE prune\n  RETURN v",
        ),
        ("FOR v IN OUTBOUND `at` least RETURN v", "FOR v IN OUTBOUND `at` least\n  RETURN v"),
        (
            "FOR v IN x ? 1 : 2 ANY DOCUMENT('a/b')._id e RETURN v",
            "FOR v IN x ? 1 : 2 ANY DOCUMENT(\"a/b\")._id e\n  RETURN v",
        ),
    ]);
    assert!(matches!(
        first("FOR v IN OUTBOUND s a, b RETURN v"),
        StatementKind::Traversal(traversal)
            if traversal.depth.is_none() && matches!(&traversal.graph, GraphSource::EdgeCollections(e) if e.len() == 2)
    ));
    for text in [
        "FOR v IN OUTBOUND RETURN v",
        "FOR v IN OUTBOUND s RETURN v",
        "FOR v IN OUTBOUND s GRAPH RETURN v",
        "FOR v IN OUTBOUND s GRAPH 1 RETURN v",
        "FOR v IN OUTBOUND s e, RETURN v",
        "FOR v IN OUTBOUND s 1 RETURN v",
        "FOR v, e, p, q IN OUTBOUND s e RETURN v",
        "FOR v, e, IN OUTBOUND s e RETURN v",
        "FOR v IN OUTBOUND s e OPTIONS {} PRUNE v RETURN v",
        "FOR v IN OUTBOUND s e PRUNE v PRUNE v RETURN v",
        "FOR v IN OUTBOUND s e PRUNE (RETURN 1) RETURN v",
        "FOR v IN OUTBOUND s e PRUNE x = RETURN v",
        "FOR v IN OUTBOUND s e SEARCH x RETURN v",
        "FOR v IN @d s e RETURN v",
    ] {
        error(text);
    }
}

#[test]
fn path_searches() {
    assert_prints(&[
        (
            "FOR v, e IN OUTBOUND SHORTEST_PATH 'a/1' TO 'a/2' GRAPH 'g' OPTIONS {weightAttribute: 'w'} RETURN v",
            "FOR v, e IN OUTBOUND SHORTEST_PATH \"a/1\" TO \"a/2\" GRAPH \"g\" OPTIONS {weightAttribute: \"w\"}\n  RETURN v",
        ),
        (
            "for v in any shortest_path a to b e1, inbound e2 return v",
            "FOR v IN ANY SHORTEST_PATH a TO b e1, INBOUND e2\n  RETURN v",
        ),
        (
            "FOR p IN INBOUND K_SHORTEST_PATHS a TO b e LIMIT 3 RETURN p",
            "FOR p IN INBOUND K_SHORTEST_PATHS a TO b e\n  LIMIT 3\n  RETURN p",
        ),
        (
            "FOR p IN 1..4 ANY K_PATHS a TO b GRAPH @g RETURN p",
            "FOR p IN 1..4 ANY K_PATHS a TO b GRAPH @g\n  RETURN p",
        ),
        ("FOR p IN ANY K_PATHS a TO b e RETURN p", "FOR p IN ANY K_PATHS a TO b e\n  RETURN p"),
        (
            "FOR p IN ANY ALL_SHORTEST_PATHS a TO b e RETURN p",
            "FOR p IN ANY ALL_SHORTEST_PATHS a TO b e\n  RETURN p",
        ),
        (
            "FOR p IN ANY ALL_SHORTEST_PATHS to TO to to RETURN p",
            "FOR p IN ANY ALL_SHORTEST_PATHS to TO to to\n  RETURN p",
        ),
    ]);
    for text in [
        "FOR v, e, p IN ANY SHORTEST_PATH a TO b e RETURN v",
        "FOR p, e IN ANY K_SHORTEST_PATHS a TO b e RETURN p",
        "FOR p, e IN ANY K_PATHS a TO b e RETURN p",
        "FOR p, e IN ANY ALL_SHORTEST_PATHS a TO b e RETURN p",
        "FOR v IN 1..2 ANY SHORTEST_PATH a TO b e RETURN v",
        "FOR p IN 1..2 ANY K_SHORTEST_PATHS a TO b e RETURN p",
        "FOR p IN 1..2 ANY ALL_SHORTEST_PATHS a TO b e RETURN p",
        "FOR v IN ANY SHORTEST_PATH a b e RETURN v",
        "FOR v IN ANY SHORTEST_PATH a TO b RETURN v",
        "FOR v IN ANY SHORTEST_PATH a TO b e PRUNE v RETURN v",
        "FOR v IN SHORTEST_PATH a TO b e RETURN v",
        "FOR [v] IN ANY SHORTEST_PATH a TO b e RETURN v",
    ] {
        error(text);
    }
}

#[test]
fn let_filter_sort_limit() {
    assert_prints(&[
        ("LET a = 1, b = a RETURN b", "LET a = 1\nLET b = a\nRETURN b"),
        ("LET a = (FOR x IN y RETURN x) RETURN a", "LET a = (FOR x IN y RETURN x)\nRETURN a"),
        ("FILTER a && b RETURN 1", "FILTER a AND b\nRETURN 1"),
        ("SORT a, b ASC, c DESC RETURN 1", "SORT a, b, c DESC\nRETURN 1"),
        (
            "SORT a @dir, b 'DESC', c 1, d null, e true RETURN 1",
            "SORT a @dir, b \"DESC\", c 1, d null, e true\nRETURN 1",
        ),
        ("SORT null RETURN 1", "SORT null\nRETURN 1"),
        ("LIMIT 5 RETURN 1", "LIMIT 5\nRETURN 1"),
        ("LIMIT 10, 5 RETURN 1", "LIMIT 10, 5\nRETURN 1"),
        ("LIMIT @a, @b RETURN 1", "LIMIT @a, @b\nRETURN 1"),
        ("LIMIT 10, null RETURN 1", "LIMIT 10, null\nRETURN 1"),
        ("LIMIT 1 + 1 RETURN 1", "LIMIT 1 + 1\nRETURN 1"),
    ]);
    let StatementKind::Sort(sort) = first("SORT a asc, b @d RETURN 1") else { panic!() };
    assert_eq!(sort.items[0].direction, SortDirection::Ascending);
    assert!(matches!(&sort.items[1].direction, SortDirection::Computed(_)));
    for text in [
        "LET RETURN 1",
        "LET a RETURN 1",
        "LET a == 1 RETURN 1",
        "LET a = RETURN 1",
        "LET a = 1, RETURN 1",
        "LET a.b = 1 RETURN 1",
        "LET a = RETURN 1 RETURN a",
        "FILTER RETURN 1",
        "SORT RETURN 1",
        "SORT a, RETURN 1",
        "SORT a ASC DESC RETURN 1",
        "SORT a up RETURN 1",
        "LIMIT RETURN 1",
        "LIMIT 1, 2, 3 RETURN 1",
        "LIMIT 1 OFFSET 2 RETURN 1",
    ] {
        error(text);
    }
}

#[test]
fn collect() {
    assert_prints(&[
        ("FOR u IN x COLLECT c = u.c RETURN c", "FOR u IN x\n  COLLECT c = u.c\n  RETURN c"),
        ("COLLECT a = x, b = y INTO g RETURN g", "COLLECT a = x, b = y INTO g\nRETURN g"),
        ("COLLECT a = x INTO g = {n: u.n} RETURN g", "COLLECT a = x INTO g = {n: u.n}\nRETURN g"),
        ("COLLECT a = x INTO g KEEP n, m RETURN g", "COLLECT a = x INTO g KEEP n, m\nRETURN g"),
        ("COLLECT INTO g RETURN g", "COLLECT INTO g\nRETURN g"),
        ("COLLECT WITH COUNT INTO n RETURN n", "COLLECT WITH COUNT INTO n\nRETURN n"),
        ("collect a = x with count into n return n", "COLLECT a = x WITH COUNT INTO n\nRETURN n"),
        (
            "COLLECT AGGREGATE a = MIN(x), b = avg(y.z) RETURN a",
            "COLLECT AGGREGATE a = MIN(x), b = avg(y.z)\nRETURN a",
        ),
        (
            "COLLECT g = x AGGREGATE n = COUNT(), m = LENGTH(1) INTO h OPTIONS {method: 'hash'} RETURN h",
            "COLLECT g = x AGGREGATE n = COUNT(), m = LENGTH(1) INTO h OPTIONS {method: \"hash\"}\nRETURN h",
        ),
        (
            "COLLECT options = x, keep = y OPTIONS {} RETURN 1",
            "COLLECT options = x, keep = y OPTIONS {}\nRETURN 1",
        ),
        (
            "COLLECT a = x INTO keep KEEP keep OPTIONS {} RETURN 1",
            "COLLECT a = x INTO keep KEEP keep OPTIONS {}\nRETURN 1",
        ),
        ("COLLECT INTO g OPTIONS {} RETURN g", "COLLECT INTO g OPTIONS {}\nRETURN g"),
    ]);
    for text in [
        "COLLECT RETURN 1",
        "COLLECT OPTIONS {} RETURN 1",
        "COLLECT a RETURN a",
        "COLLECT a = RETURN a",
        "COLLECT a = 1, RETURN a",
        "COLLECT a = x KEEP b RETURN a",
        "COLLECT a = x INTO RETURN a",
        "COLLECT a = x INTO g KEEP RETURN a",
        "COLLECT a = x AGGREGATE b = SUM(x) INTO g KEEP x RETURN a",
        "COLLECT a = x AGGREGATE b = SUM(x) WITH COUNT INTO n RETURN a",
        "COLLECT a = x WITH COUNT INTO n INTO g RETURN a",
        "COLLECT a = x INTO g WITH COUNT INTO n RETURN a",
        "COLLECT WITH NUMBER INTO n RETURN n",
        "COLLECT WITH COUNT n RETURN n",
        "COLLECT AGGREGATE RETURN n",
        "COLLECT AGGREGATE a RETURN n",
        "COLLECT a.b = x RETURN 1",
    ] {
        error(text);
    }
}

#[test]
fn aggregates_are_calls_of_functions_that_aggregate() {
    for function in [
        "LENGTH",
        "COUNT",
        "MIN",
        "MAX",
        "SUM",
        "AVERAGE",
        "AVG",
        "VARIANCE_POPULATION",
        "VARIANCE",
        "VARIANCE_SAMPLE",
        "STDDEV_POPULATION",
        "STDDEV",
        "STDDEV_SAMPLE",
        "UNIQUE",
        "SORTED_UNIQUE",
        "COUNT_DISTINCT",
        "COUNT_UNIQUE",
        "BIT_AND",
        "BIT_OR",
        "BIT_XOR",
        "PUSH",
        "push",
        "Bit_Xor",
    ] {
        parsed(&format!("COLLECT AGGREGATE a = {function}(x) RETURN a"));
        parsed(&format!("WINDOW {{preceding: 1}} AGGREGATE a = {function}(x) RETURN a"));
    }
    for expression in
        ["x", "SUM(x) + 1", "-SUM(x)", "CONCAT(x)", "MEDIAN(x)", "my::SUM(x)", "(RETURN 1)", "SUM(x)[0]"]
    {
        let found = error(&format!("COLLECT AGGREGATE a = {expression} RETURN a"));
        assert_eq!(found.code.number(), 1574, "{expression}");
        assert!(found.message.starts_with("invalid aggregate expression near '"), "{found}");
    }
    assert_eq!(error("COLLECT AGGREGATE a = 1 RETURN a").code.number(), 1501);
}

#[test]
fn window() {
    assert_prints(&[
        (
            "FOR t IN o WINDOW {preceding: 1, following: 1} AGGREGATE a = AVG(t.v), s = SUM(t.v) RETURN a",
            "FOR t IN o\n  WINDOW {preceding: 1, following: 1} AGGREGATE a = AVG(t.v), s = SUM(t.v)\n  RETURN a",
        ),
        (
            "WINDOW DATE_TIMESTAMP(t.time) WITH {preceding: 'PT30M'} AGGREGATE a = MAX(t) RETURN a",
            "WINDOW DATE_TIMESTAMP(t.time) WITH {preceding: \"PT30M\"} AGGREGATE a = MAX(t)\nRETURN a",
        ),
    ]);
    for text in [
        "WINDOW {preceding: 1} RETURN 1",
        "WINDOW AGGREGATE a = SUM(x) RETURN a",
        "WINDOW x AGGREGATE a = SUM(x) RETURN a",
        "WINDOW x WITH y AGGREGATE a = SUM(x) RETURN a",
        "WINDOW @x AGGREGATE a = SUM(x) RETURN a",
        "WINDOW {} AGGREGATE a = SUM(x) INTO g RETURN a",
        "WINDOW {} AGGREGATE a = SUM(x) OPTIONS {} RETURN a",
    ] {
        error(text);
    }
}

#[test]
fn return_statements() {
    assert_prints(&[
        ("RETURN 1", "RETURN 1"),
        ("FOR x IN y return distinct 1", "FOR x IN y\n  RETURN DISTINCT 1"),
        (
            "FOR x IN y RETURN (FOR z IN x RETURN DISTINCT z)",
            "FOR x IN y\n  RETURN (FOR z IN x RETURN DISTINCT z)",
        ),
        (
            "FOR v IN ANY s e COLLECT x = v RETURN DISTINCT x",
            "FOR v IN ANY s e\n  COLLECT x = v\n  RETURN DISTINCT x",
        ),
    ]);
    for text in [
        "RETURN",
        "RETURN 1 RETURN 2",
        "RETURN 1, 2",
        "RETURN 1;",
        "RETURN 1 FOR x IN y RETURN x",
        "RETURN DISTINCT 1",
        "LET x = 1 RETURN DISTINCT x",
        "FOR x IN y RETURN (RETURN DISTINCT 1)",
        "LET x = (FOR y IN z RETURN y) RETURN DISTINCT x",
        "FOR x IN y RETURN DISTINCT",
        "LET x = 1",
        "FOR x IN y FILTER x",
        "SORT 1",
    ] {
        error(text);
    }
}

#[test]
fn modifications() {
    assert_prints(&[
        ("INSERT {a: 1} INTO c", "INSERT {a: 1} INTO c"),
        ("INSERT {a: 1} IN c RETURN NEW", "INSERT {a: 1} INTO c\nRETURN NEW"),
        (
            "INSERT @d INTO @@c OPTIONS {overwriteMode: 'update'}",
            "INSERT @d INTO @@c OPTIONS {overwriteMode: \"update\"}",
        ),
        ("INSERT d INTO 'c'", "INSERT d INTO c"),
        ("INSERT d INTO ´my-c´", "INSERT d INTO `my-c`"),
        ("UPDATE {_key: 'a', x: 1} IN c", "UPDATE {_key: \"a\", x: 1} IN c"),
        (
            "UPDATE 'a' WITH {x: 1} IN c OPTIONS {keepNull: false}",
            "UPDATE \"a\" WITH {x: 1} IN c OPTIONS {keepNull: false}",
        ),
        (
            "UPDATE u WITH {x: OLD.x} INTO c RETURN [OLD, NEW]",
            "UPDATE u WITH {x: OLD.x} IN c\nRETURN [OLD, NEW]",
        ),
        ("REPLACE u IN c", "REPLACE u IN c"),
        ("REPLACE u WITH {} IN c", "REPLACE u WITH {} IN c"),
        ("REMOVE 'john' IN users", "REMOVE \"john\" IN users"),
        ("REMOVE u IN c LET r = OLD RETURN r._key", "REMOVE u IN c\nLET r = OLD\nRETURN r._key"),
        (
            "FOR i IN 1..5 INSERT {v: i} INTO c LIMIT 2 RETURN NEW",
            "FOR i IN 1..5\n  INSERT {v: i} INTO c\n  LIMIT 2\n  RETURN NEW",
        ),
        ("REMOVE 'a' IN x REMOVE 'b' IN y", "REMOVE \"a\" IN x\nREMOVE \"b\" IN y"),
        ("LET a = (REMOVE x IN y RETURN OLD) RETURN a", "LET a = (REMOVE x IN y RETURN OLD)\nRETURN a"),
        ("RETURN LENGTH(INSERT {} IN c)", "RETURN LENGTH((INSERT {} INTO c))"),
    ]);
    for text in [
        "INSERT {a: 1}",
        "INSERT INTO c",
        "INSERT {a: 1} INTO",
        "INSERT {a: 1} INTO @c",
        "INSERT {a: 1} INTO 1",
        "INSERT {a: 1} INTO c OPTIONS",
        "INSERT {a: 1} INTO c OPTIONS [1]",
        "INSERT {a: 1} INTO c {}",
        "INSERT {a: 1} INTO c OPTIONS {} OPTIONS {}",
        "UPDATE a WITH b",
        "UPDATE a WITH b WITH c IN d",
        "REMOVE a WITH b IN c",
        "REMOVE IN c",
        "REMOVE a IN b.c",
        "INSERT a INTO filter",
    ] {
        error(text);
    }
}

#[test]
fn in_before_the_collection_is_told_from_the_operator() {
    assert_prints(&[
        ("REMOVE a IN b IN c", "REMOVE a IN b IN c"),
        ("INSERT a IN b INTO c", "INSERT a IN b INTO c"),
        ("INSERT a OR b IN c", "INSERT a OR b INTO c"),
        ("INSERT -a IN c", "INSERT -a INTO c"),
        ("INSERT a ? b : c IN d", "INSERT a ? b : c INTO d"),
        ("INSERT a ? b IN x : c IN d OPTIONS {}", "INSERT a ? b IN x : c INTO d OPTIONS {}"),
        ("INSERT [a IN b, (c IN d), f(e IN g)] IN h", "INSERT [a IN b, c IN d, f(e IN g)] INTO h"),
        ("UPDATE a IN b WITH {} IN c", "UPDATE a IN b WITH {} IN c"),
        ("REMOVE a IN [1] IN c", "REMOVE a IN [1] IN c"),
        ("REMOVE x IN y FILTER z RETURN 1", "REMOVE x IN y\nFILTER z\nRETURN 1"),
        (
            "RETURN f((REMOVE x IN y), (REMOVE x IN @@y RETURN 1))",
            "RETURN f((REMOVE x IN y), (REMOVE x IN @@y RETURN 1))",
        ),
        (
            "INSERT (FOR x IN y FILTER x IN z RETURN x) IN c",
            "INSERT (FOR x IN y FILTER x IN z RETURN x) INTO c",
        ),
    ]);
    let StatementKind::Remove(remove) = first("REMOVE a IN b IN c") else { panic!() };
    assert!(matches!(remove.key.kind, ExpressionKind::Binary(_)));
}

#[test]
fn upsert() {
    assert_prints(&[
        (
            "UPSERT {name: 'x'} INSERT {name: 'x', n: 1} UPDATE {n: OLD.n + 1} IN users",
            "UPSERT {name: \"x\"} INSERT {name: \"x\", n: 1} UPDATE {n: OLD.n + 1} IN users",
        ),
        (
            "UPSERT @s INSERT @i REPLACE @r INTO @@c OPTIONS {}",
            "UPSERT @s INSERT @i REPLACE @r IN @@c OPTIONS {}",
        ),
        (
            "UPSERT FILTER CURRENT.age < 30 AND CURRENT.x INSERT a UPDATE b IN c RETURN NEW",
            "UPSERT FILTER CURRENT.age < 30 AND CURRENT.x INSERT a UPDATE b IN c\nRETURN NEW",
        ),
        ("UPSERT {@a: 1} INSERT {} UPDATE {} IN c", "UPSERT {@a: 1} INSERT {} UPDATE {} IN c"),
    ]);
    let StatementKind::Upsert(upsert) = first("UPSERT FILTER x INSERT y UPDATE z IN c") else { panic!() };
    assert!(matches!(upsert.search, UpsertSearch::Filter(_)));
    for text in [
        "UPSERT {} INSERT {} IN c",
        "UPSERT {} UPDATE {} IN c",
        "UPSERT INSERT {} UPDATE {} IN c",
        "UPSERT x INSERT {} UPDATE {} IN c",
        "UPSERT {[x]: 1} INSERT {} UPDATE {} IN c",
        "UPSERT {} INSERT {} UPDATE {} REPLACE {} IN c",
        "UPSERT {} INSERT {} INTO c UPDATE {} IN c",
        "UPSERT FILTER INSERT {} UPDATE {} IN c",
    ] {
        error(text);
    }
}

#[test]
fn comments_and_blanks_may_stand_anywhere() {
    assert_prints(&[
        ("/* a */ RETURN /* are */ 1 /* ** */ + // x\n 1 /**/", "RETURN 1 + 1"),
        ("// first\nRETURN\t1\r\n// last", "RETURN 1"),
        ("RETURN 1//", "RETURN 1"),
        ("RETURN 6/ /*2*/ 3", "RETURN 6 / 3"),
        ("RETURN a/**/./**/b/**/[/**/0/**/]", "RETURN a.b[0]"),
        ("RETURN \"/* no */ // comment\"", "RETURN \"/* no */ // comment\""),
    ]);
    for text in ["RETURN 1 /* open", "RETURN /* a /* b */ c */ 1", "/*", "RETURN 1 /*/"] {
        error(text);
    }
}

#[test]
fn keywords_are_found_in_any_case_and_are_reserved() {
    assert_prints(&[(
        "fOr X iN y CoLlEcT wItH cOuNt InTo N rEtUrN N",
        "FOR X IN y\n  COLLECT WITH COUNT INTO N\n  RETURN N",
    )]);
    for word in [
        "AGGREGATE",
        "ALL",
        "ALL_SHORTEST_PATHS",
        "AND",
        "ANY",
        "ASC",
        "COLLECT",
        "DESC",
        "DISTINCT",
        "FALSE",
        "FILTER",
        "FOR",
        "GRAPH",
        "IN",
        "INBOUND",
        "INSERT",
        "INTO",
        "K_PATHS",
        "K_SHORTEST_PATHS",
        "LET",
        "LIKE",
        "LIMIT",
        "NONE",
        "NOT",
        "NULL",
        "OR",
        "OUTBOUND",
        "REMOVE",
        "REPLACE",
        "RETURN",
        "SHORTEST_PATH",
        "SORT",
        "TRUE",
        "UPDATE",
        "UPSERT",
        "WINDOW",
        "WITH",
    ] {
        error(&format!("LET {word} = 1 RETURN 1"));
        error(&format!("RETURN a.{word}"));
        error(&format!("RETURN {{{word}}}"));
        parsed(&format!("RETURN {{{word}: 1}}"));
        let quoted = format!("LET `{word}` = 1\nRETURN {{x: `{word}`.`{word}`}}");
        assert_prints(&[(&quoted, &quoted)]);
    }
}

#[test]
fn any_before_a_call_of_like_is_a_direction() {
    let traversal = first("FOR v IN 1..2 ANY LIKE('a', 'b') GRAPH g RETURN v");
    assert!(matches!(traversal, StatementKind::Traversal(_)));
    let traversal = first("FOR v IN 1 ANY NOT LIKE('a', 'b') GRAPH g RETURN v");
    assert!(matches!(traversal, StatementKind::Traversal(_)));
    for text in ["FOR v IN a ANY LIKE 'b' RETURN v", "FOR v IN (a ANY LIKE ('b')) RETURN v"] {
        assert!(matches!(first(text), StatementKind::For(_)), "{text}");
    }
}
