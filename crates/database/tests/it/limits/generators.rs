//! Queries whose planning takes long, by their size.

use database::Session;
use database::query::request::QueryRequest;
use velocypack::Slice;

use crate::common::{create, query, session, value};

/// A query by its size, and the size at which planning takes from a tenth of a second to minutes.
pub(super) struct Generator {
    pub(super) name: &'static str,
    size: usize,
    text: fn(usize) -> String,
}

impl Generator {
    fn text(&self) -> String {
        (self.text)(self.size)
    }
}

/// Opens a session whose collections have many indexes.
pub(super) fn with_indexes() -> Session {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    create(&session, r#"{"name": "edges", "type": 3}"#);
    let index = |collection: &str, fields: &str| {
        let json = format!(r#"{{"type": "persistent", "fields": [{fields}]}}"#);
        session.create_index(collection, Slice::new(&value(&json))).unwrap();
    };
    index("c", r#""a""#);
    index("c", r#""b""#);
    index("c", r#""a", "b""#);
    index("edges", r#""_from", "a""#);
    (0..40).for_each(|n| index("c", &format!(r#""a{n}", "b", "a", "a{}""#, n + 1)));
    query(&session, "FOR i IN 1..100 INSERT {a: i, b: i} INTO c").unwrap();
    session
}

/// Returns the request for a query. Its parameters are parts of its plan.
pub(super) fn request(generator: &Generator) -> QueryRequest {
    let mut request = QueryRequest::new(generator.text());
    if request.text.contains("@list") {
        let list = chain(20_000, |n| (n * 7 % 20_011).to_string(), ",");
        request.bind_variables = value(&format!(r#"{{"list": [{list}]}}"#));
    }
    request.options.use_plan_cache = Some(false);
    request
}

fn chain(count: usize, link: impl Fn(usize) -> String, between: &str) -> String {
    (0..count).map(link).collect::<Vec<_>>().join(between)
}

fn links(count: usize, link: impl Fn(usize) -> String) -> String {
    chain(count, link, " ")
}

fn list(count: usize, link: impl Fn(usize) -> String) -> String {
    format!("[{}]", chain(count, link, ", "))
}

fn any(count: usize, link: impl Fn(usize) -> String) -> String {
    chain(count, link, " OR ")
}

fn all(count: usize, link: impl Fn(usize) -> String) -> String {
    chain(count, link, " AND ")
}

fn filter(condition: &str) -> String {
    format!("FOR d IN c FILTER {condition} RETURN d")
}

/// Returns all queries. `@list` is a long array.
pub(super) fn generators() -> Vec<Generator> {
    let all = [CONDITIONS, LISTS, PARAMETERS, CALCULATIONS, LOOPS, SUBQUERIES, STEPS, EXPRESSIONS, PATHS];
    let all = all.into_iter().flatten();
    all.map(|(name, size, text)| Generator { name, size: *size, text: *text }).collect()
}

type Rows = &'static [(&'static str, usize, fn(usize) -> String)];

const CONDITIONS: Rows = &[
    ("alternatives on many attributes", 5_000, |n| {
        filter(&any(n, |i| format!("(d.a{i} == {i} AND d.b > {i})")))
    }),
    ("alternatives on one attribute", 5_000, |n| filter(&any(n, |i| format!("(d.a == {i} AND d.b > {i})")))),
    ("few alternatives with many conditions", 900, |n| {
        filter(&any(n, |i| format!("(d.a > {i} AND {})", all(100, |k| format!("d.b{k} > {i}")))))
    }),
    ("alternatives and common conditions", 20_000, |n| {
        let alternatives = any(1_000, |i| format!("(d.a == {i} AND d.b > {i})"));
        filter(&format!("({alternatives}) AND {}", all(n, |i| format!("d.x{i} > {i}"))))
    }),
    ("alternatives on indexed attributes", 1_000, |n| {
        filter(&any(n, |i| format!("(d.a{} == {i} AND d.b > {i} AND d.a > {i})", i % 40)))
    }),
    ("conditions on many attributes", 20_000, |n| filter(&all(n, |i| format!("d.a{i} == d.b{i}")))),
    ("conditions on an indexed attribute", 20_000, |n| filter(&all(n, |i| format!("d.a > {i}")))),
    ("alternating nests", 110, |n| {
        let inner = any(20_000, |i| format!("d.a{i} > d.b"));
        let opened = (0..n).map(|i| format!("(d.a == {i} AND (d.b == {i} OR ")).collect::<String>();
        filter(&format!("{opened}({inner}){}", "))".repeat(n)))
    }),
    ("nested equalities", 110, |n| {
        let inner = any(20_000, |i| format!("d.a{i} == {i}"));
        let opened = (0..n).map(|i| format!("(d.a == {i} OR d.a == 7 OR NOT (")).collect::<String>();
        filter(&format!("{opened}({inner}){}", "))".repeat(n)))
    }),
    ("products of alternatives", 600, |n| {
        filter(&all(n, |i| format!("({})", any(30, |k| format!("d.a{i} == {k}")))))
    }),
    ("products of mixed alternatives", 3_000, |n| {
        filter(&all(n, |i| format!("(d.a == {i} OR d.b == {i} OR d.a{i} == 2)")))
    }),
    ("filters of alternatives", 900, |n| {
        format!("FOR d IN c {} RETURN d", links(n, |i| format!("FILTER d.a == {i} OR d.b == {i}")))
    }),
    ("equal alternatives", 1_000, |n| filter(&any(n, |i| format!("(d.a == {i} AND d.b == d.a)")))),
    ("excluded values", 20_000, |n| filter(&all(n, |i| format!("d.a != {i}")))),
    ("prefixes", 20_000, |n| filter(&all(n, |i| format!("d.a LIKE 'a{i}%'")))),
    ("calls", 100_000, |n| filter(&all(n, |i| format!("LENGTH(d.a{i}) == d.b")))),
];

const LISTS: Rows = &[
    ("lists of members", 200, |n| {
        filter(&all(n, |i| format!("d.a IN {}", list(1_000, |k| (k * 7 + i).to_string()))))
    }),
    ("lists of alternatives", 200, |n| {
        filter(&any(n, |i| format!("d.a IN {}", list(1_000, |k| (k * 7 + i).to_string()))))
    }),
    ("long lists", 100_000, |n| {
        let members = |factor: usize| list(n, |i| (i * factor % n).to_string());
        filter(&format!("d.a IN {} AND d.a IN {}", members(7), members(11)))
    }),
    ("long lists of expressions", 50_000, |n| {
        let members = |name: &str| list(n, |i| format!("e.{name}{i}"));
        format!("FOR e IN c FOR d IN c FILTER d.a IN {} AND d.a IN {} RETURN d", members("x"), members("y"))
    }),
    ("alternatives of lists", 1_000, |n| {
        filter(&any(n, |i| format!("(d.a IN {} AND d.b == {i})", list(100, |k| (k * i).to_string()))))
    }),
];

const PARAMETERS: Rows = &[
    ("a long parameter on one attribute", 2_000, |n| filter(&any(n, |_| "d.a IN @list".to_owned()))),
    ("a long parameter in conditions", 2_000, |n| filter(&all(n, |_| "d.a IN @list".to_owned()))),
    ("a long parameter in alternatives", 1_000, |n| {
        filter(&any(n, |i| format!("(d.a IN @list AND d.b == {i})")))
    }),
    ("a long parameter in calculations", 3_900, |n| {
        let calculations = links(n, |i| format!("LET v{i} = [@list, d.a, {i}]"));
        format!("FOR d IN c {calculations} RETURN {}", list(n, |i| format!("v{i}")))
    }),
    ("a long parameter in subqueries", 400, |n| {
        let subquery = |i| format!("(FOR e IN c FILTER e.a IN @list AND e.b == {i} RETURN e)");
        format!("FOR d IN c RETURN {}", list(n, subquery))
    }),
    ("lists and a long parameter", 500, |n| {
        let alternatives = any(n, |i| format!("(d.a IN [{i}, 7, {}] AND d.b IN @list)", i + 1));
        filter(&format!("d.a IN @list AND ({alternatives})"))
    }),
];

const CALCULATIONS: Rows = &[
    ("constants in LET", 3_900, |n| format!("{} RETURN v0", links(n, |i| format!("LET v{i} = {i}")))),
    ("a chain of LET", 3_900, |n| {
        let steps = links(n, |i| format!("LET v{} = v{i} + {i}", i + 1));
        format!("LET v0 = RAND() {steps} RETURN v{n}")
    }),
    ("LET of attributes", 3_900, |n| {
        let calculations = links(n, |i| format!("LET v{i} = d.a{i}"));
        format!("FOR d IN c {calculations} RETURN {}", list(n, |i| format!("v{i}")))
    }),
    ("aliases", 3_900, |n| {
        let aliases = links(n, |i| format!("LET v{} = v{i}", i + 1));
        format!("FOR d IN c LET v0 = d {aliases} RETURN v{n}.a")
    }),
    ("equal calculations", 3_900, |n| {
        let calculations = links(n, |i| format!("LET v{i} = d.a + d.b"));
        format!("FOR d IN c {calculations} RETURN {}", list(n, |i| format!("v{i}")))
    }),
    ("large equal calculations", 2_000, |n| {
        let calculations = links(n, |i| format!("LET v{i} = {}", list(300, |k| format!("d.a{k}"))));
        format!("FOR d IN c {calculations} RETURN {}", list(n, |i| format!("v{i}")))
    }),
    ("a large calculation that is read often", 1_500, |n| {
        let filters = links(n, |i| format!("FILTER o[{i}] == {i}"));
        format!("FOR d IN c LET o = {} {filters} RETURN d", list(100_000, |k| format!("d.a{k}")))
    }),
];

const LOOPS: Rows = &[
    ("loops", 1_300, |n| {
        let next = |i| format!("FOR d{} IN c FILTER d{}.a == d{i}.b", i + 1, i + 1);
        format!("FOR d0 IN c {} RETURN 1", links(n - 1, next))
    }),
    ("loops without conditions", 3_000, |n| format!("{} RETURN 1", links(n, |i| format!("FOR d{i} IN c")))),
    ("loops with a condition at the end", 1_900, |n| {
        let loops = links(n, |i| format!("FOR d{i} IN c"));
        format!("{loops} FILTER {} RETURN 1", all(n, |i| format!("d{i}.a == d{}.b", (i + 1) % n)))
    }),
    ("loops with filters at the end", 1_000, |n| {
        let loops = links(n, |i| format!("FOR d{i} IN c"));
        format!("{loops} {} RETURN 1", links(n, |i| format!("FILTER d{i}.a == d{}.b", (i + 1) % n)))
    }),
    ("loops over arrays", 1_900, |n| {
        format!("{} RETURN 1", links(n, |i| format!("FOR d{i} IN [1, RAND()]")))
    }),
    ("a large condition over loops", 500, |n| {
        let loops = links(n, |i| format!("FOR d{i} IN c"));
        let condition = any(n * 100, |i| format!("(d{}.a == {i} AND d{}.b == 2)", i % n, (i + 1) % n));
        format!("{loops} FILTER {condition} RETURN 1")
    }),
    ("large conditions over loops", 20, |n| {
        let loops = links(n, |i| format!("FOR d{i} IN c"));
        let condition = |i: usize| any(1000, |k| format!("(d{i}.a == {k} AND d{}.a == {k})", (i + 1) % n));
        format!("{loops} {} RETURN 1", links(n, |i| format!("FILTER {}", condition(i))))
    }),
];

const SUBQUERIES: Rows = &[
    ("nested subqueries", 110, |n| {
        let innermost = format!("RETURN {}", list(20_000, |i| format!("d0.a{i}")));
        (0..n).fold(innermost, |inner, i| {
            format!("FOR d{i} IN c FILTER d{i}.a == {i} LET v{i} = ({inner}) RETURN v{i}")
        })
    }),
    ("nested loops over subqueries", 110, |n| {
        let innermost = format!("FOR d IN c FILTER d.b IN {} RETURN d", list(20_000, |i| format!("d.a{i}")));
        (0..n).fold(innermost, |inner, i| format!("FOR d{i} IN ({inner}) FILTER d{i}.a == 1 RETURN d{i}"))
    }),
    ("subqueries", 480, |n| {
        let subqueries = links(n, |i| format!("LET v{i} = (FOR e IN c FILTER e.a == d.a{i} RETURN e)"));
        format!("FOR d IN c {subqueries} RETURN {}", list(n, |i| format!("v{i}")))
    }),
    ("subqueries in loops", 480, |n| {
        format!("{} RETURN 1", links(n, |i| format!("FOR d{i} IN (FOR e IN c FILTER e.a == {i} RETURN e)")))
    }),
    ("ternaries with subqueries", 180, |n| {
        format!("FOR d IN c RETURN {}", list(n, |i| format!("d.a{i} ? (FOR e IN c RETURN e) : (RETURN {i})")))
    }),
    ("conditions with subqueries", 400, |n| {
        format!("FOR d IN c RETURN {}", any(n, |i| format!("(FOR e IN c FILTER e.a == {i} RETURN e)")))
    }),
    ("subqueries and writes", 480, |n| {
        let subqueries = links(n, |i| format!("LET v{i} = (FOR d IN c FILTER d.a == {i} RETURN d)"));
        format!("{subqueries} FOR x IN 1..2 INSERT {{a: v0, b: v{}}} INTO c", n - 1)
    }),
];

const STEPS: Rows = &[
    ("filters", 1_900, |n| format!("FOR d IN c {} RETURN d", links(n, |i| format!("FILTER d.a{i} > {i}")))),
    ("large filters", 1_000, |n| {
        let condition = |i: usize| all(100, |k| format!("d.a{k} > {i}"));
        format!("FOR d IN c {} RETURN d", links(n, |i| format!("FILTER {}", condition(i))))
    }),
    ("filters of variables", 700, |n| {
        let step = |i| format!("LET v{i} = d.a{i} FILTER v{i} > {i} AND v{i} < v0");
        format!("FOR d IN c {} RETURN d", links(n, step))
    }),
    ("sorts", 1_900, |n| format!("FOR d IN c {} RETURN d", links(n, |i| format!("SORT d.a{i}")))),
    ("a long sort", 3_900, |n| format!("FOR d IN c SORT {} RETURN d", chain(n, |i| format!("d.a{i}"), ", "))),
    ("groups", 1_900, |n| {
        format!("FOR d IN c COLLECT {} RETURN 1", chain(n, |i| format!("v{i} = d.a{i}"), ", "))
    }),
    ("statements that group", 900, |n| {
        let next = |i| format!("COLLECT v{} = v{i} + 1 INTO g{i}", i + 1);
        format!("FOR d IN c COLLECT v0 = d.a {} RETURN 1", links(n, next))
    }),
    ("aggregates", 1_900, |n| {
        format!("FOR d IN c COLLECT AGGREGATE {} RETURN 1", chain(n, |i| format!("v{i} = MAX(d.a{i})"), ", "))
    }),
    ("updates", 1_000, |n| {
        let filters = links(n, |i| format!("FILTER d.a{i} == {i}"));
        let members = chain(n, |i| format!("a{i}: d.b{i}"), ", ");
        format!("FOR d IN c {filters} UPDATE d WITH {{{members}}} IN c")
    }),
];

const EXPRESSIONS: Rows = &[
    ("a wide object", 100_000, |n| {
        let members = chain(n, |i| format!("a{i}: d.a{i}"), ", ");
        format!("FOR d IN c LET o = {{{members}}} FILTER o.a1 == 1 RETURN o")
    }),
    ("attributes of a wide object", 50_000, |n| {
        let members = chain(n, |i| format!("a{i}: d.a{i}"), ", ");
        format!("FOR d IN c LET o = {{{members}}} RETURN {}", list(n, |i| format!("o.a{i}")))
    }),
    ("attributes of literals", 1_000, |n| {
        let members = chain(300, |i| format!("a{i}: d.b"), ", ");
        format!("FOR d IN c RETURN {}", list(n, |i| format!("{{{members}}}.a{i}")))
    }),
    ("a long array", 300_000, |n| format!("FOR d IN c RETURN {}", list(n, |i| format!("d.a{i}")))),
    ("projections", 20_000, |n| {
        let members = list(n, |i| format!("d.a{i}"));
        format!("FOR d IN c OPTIONS {{maxProjections: 1000000}} RETURN {members}")
    }),
    ("a long text", 2 << 20, |n| format!("RETURN '{}'", "x".repeat(n))),
    ("a long name", 2 << 20, |n| filter(&format!("d.{} == 1", "x".repeat(n)))),
    ("expansions", 20_000, |n| {
        format!("FOR d IN c RETURN {}", list(n, |i| format!("d.a{i}[* FILTER CURRENT.b > d.c]")))
    }),
    ("nested expansions", 110, |n| {
        let innermost = list(20_000, |i| format!("CURRENT.a{i} > d.b"));
        let nested = (0..n).fold(innermost, |inner, _| format!("d.a[* RETURN {inner}]"));
        format!("FOR d IN c RETURN {nested}")
    }),
];

const PATHS: Rows = &[
    ("traversals", 1_000, |n| {
        let next =
            |i| format!("FOR v{i}, e{i}, p{i} IN 1..3 OUTBOUND 'c/1' edges FILTER p{i}.edges[0].a == 1");
        format!("{} RETURN 1", links(n, next))
    }),
    ("conditions on a path", 20_000, |n| {
        let conditions = all(n, |i| format!("p.vertices[{}].a{i} == {i}", i % 3));
        format!("FOR v, e, p IN 1..3 OUTBOUND 'c/1' edges FILTER {conditions} RETURN p")
    }),
    ("conditions on edges at many depths", 2_000, |n| {
        let conditions = all(n, |i| format!("p.edges[{i}].a == {i}"));
        format!("FOR v, e, p IN 1..{n} OUTBOUND 'c/1' edges FILTER {conditions} RETURN p")
    }),
    ("alternatives on a path", 20_000, |n| {
        let conditions = any(n, |i| format!("(p.vertices[{}].a{i} == {i} AND p.edges[0].b == {i})", i % 3));
        format!("FOR v, e, p IN 1..3 OUTBOUND 'c/1' edges FILTER {conditions} RETURN p")
    }),
    ("conditions on all edges of paths", 10_000, |n| {
        let conditions = all(n, |i| format!("p.edges[*].a{i} ALL == {i}"));
        format!("FOR p IN 1..3 OUTBOUND K_PATHS 'c/1' TO 'c/2' edges FILTER {conditions} RETURN p")
    }),
];
