//! The ways to read.

use client::Request;
use fastrand::Rng;
use serde_json::{Value, json};

use super::world::{KNOWS, PEOPLE};

/// A request that reads.
pub(crate) struct Read {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Value,
    /// The request names a batch, a snapshot for a dump, which is opened first.
    pub(crate) is_of_batch: bool,
}

impl Read {
    fn new(method: &'static str, path: impl Into<String>, body: Value) -> Self {
        Read { method, path: path.into(), query: Vec::new(), body, is_of_batch: false }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    /// Returns the request in a database. Errors: text for the user.
    pub(crate) fn request(&self, database: &str) -> Result<Request, String> {
        let mut request = Request::with_method(self.method, &self.path).map_err(|error| error.to_string())?;
        request = request.database(database);
        for (name, value) in &self.query {
            request = request.query(name, value);
        }
        Ok(if self.body.is_null() { request } else { request.json(self.body.to_string()) })
    }
}

/// Returns all ways to read, with random constants.
pub(crate) fn all(rng: &mut Rng, documents: usize) -> Vec<Read> {
    let mut reads: Vec<Read> = queries(rng, documents).into_iter().map(|text| aql(&text)).collect();
    reads.extend(routes(rng, documents));
    reads.extend(scripts());
    reads
}

/// Returns requests whose replies differ between the databases, and must not tell what is hidden.
pub(crate) fn unequal(documents: usize) -> Vec<Read> {
    let explained = |text: &str| Read::new("POST", "/_api/explain", json!({"query": text}));
    let profiled = json!({"query": "FOR d IN people RETURN d", "options": {"profile": 3}});
    let transaction = json!({"collections": {"write": [PEOPLE]},
        "action": "function () { return require('@arangodb').db.people.truncate(); }"});
    vec![
        aql("FOR c IN CHANGES(['people', 'knows'], 'earliest') RETURN c"),
        Read::new("GET", "/_api/changes", Value::Null)
            .with("since", "earliest")
            .with("limit", "500")
            .with("wait", "0"),
        Read::new("GET", "/_api/changes", Value::Null)
            .with("initial", "true")
            .with("limit", (2 * documents).to_string()),
        Read::new("GET", "/_api/wal/tail", Value::Null).with("from", "0"),
        Read::new("GET", format!("/_api/collection/{PEOPLE}/figures"), Value::Null).with("details", "true"),
        Read::new("GET", format!("/_api/collection/{PEOPLE}/properties"), Value::Null),
        Read::new("GET", "/_api/index", Value::Null).with("collection", PEOPLE).with("withStats", "true"),
        Read::new("POST", "/_api/search/found", json!({"q": "alpha", "limit": 100, "facets": ["level"]})),
        Read::new("POST", "/_api/control_pregel", json!({"algorithm": "pagerank", "graphName": "social"})),
        explained("FOR d IN people FILTER d.secret > 'token5' RETURN d"),
        Read::new("GET", "/_api/query/current", Value::Null),
        Read::new("GET", "/_api/query/slow", Value::Null),
        Read::new("GET", "/_api/query-cache/entries", Value::Null),
        Read::new("GET", "/_api/query-plan-cache", Value::Null),
        Read::new("POST", "/_api/cursor", profiled),
        Read::new("POST", "/_api/transaction", transaction),
        Read::new("PUT", format!("/_api/collection/{PEOPLE}/truncate"), Value::Null),
        Read::new("POST", "/_api/index", json!({"type": "persistent", "fields": ["tenant"], "unique": true}))
            .with("collection", PEOPLE),
        Read::new("PUT", format!("/_api/collection/{PEOPLE}/properties"), json!({"accessRules": null})),
        Read::new("DELETE", format!("/_api/collection/{KNOWS}"), Value::Null),
        Read::new("PATCH", "/_api/user/ann", json!({"roles": ["t0", "t1", "t2", "t3", "t4"]})),
        aql("FOR d IN found SEARCH STARTS_WITH(d.secret, 'token') RETURN d"),
        aql("FOR d IN people FILTER d.secret == 'x' OR FAIL(d.secret) RETURN 1"),
        aql("FOR d IN people FILTER ASSERT(d.level < 0, d.secret) RETURN 1"),
        aql("FOR d IN people LET w = WARN(false, CONCAT('told ', d.secret)) RETURN w"),
        aql("FOR d IN people LET s = TO_NUMBER(d.inner) / 0 RETURN DATE_ISO8601(d.secret)"),
        aql("FOR e IN knows INSERT MERGE(UNSET(e, '_id', '_rev'), {_key: e._key}) INTO knows"),
    ]
}

fn aql(text: &str) -> Read {
    let body = json!({"query": text, "batchSize": 100_000, "count": true, "options": {"fullCount": true}});
    Read::new("POST", "/_api/cursor", body)
}

fn queries(rng: &mut Rng, documents: usize) -> Vec<String> {
    let (key, other, level, tenant) =
        (rng.usize(..documents), rng.usize(..documents), rng.u8(..10), rng.u8(..5));
    let owner = ["ann", "bob", "cid"][rng.usize(..3)];
    let direction = ["OUTBOUND", "INBOUND", "ANY"][rng.usize(..3)];
    let word = ["alpha", "beta", "gamma", "delta"][rng.usize(..4)];
    let one = [PEOPLE, KNOWS][rng.usize(..2)];
    let start = format!("'{PEOPLE}/k{key}'");
    let end = format!("'{PEOPLE}/k{other}'");
    let mut all = Vec::new();
    for collection in [PEOPLE, KNOWS] {
        all.extend([
            format!("FOR d IN {collection} SORT d._key RETURN d"),
            format!("FOR d IN {collection} FILTER d.owner == '{owner}' SORT d._key RETURN [d._key, d.secret]"),
            format!("FOR d IN {collection} FILTER d.tenant == {tenant} AND d.level > {level} SORT d._key RETURN d.secret"),
            format!("FOR d IN {collection} FILTER 'x{}' IN d.tags[*] SORT d._key RETURN d.inner", rng.u8(..4)),
            format!("FOR d IN {collection} FILTER d.level == {level} SORT d._key RETURN d"),
            format!("FOR d IN {collection} FILTER d.level != 'xxxx' LET x = 1 / (d.level - {level}) SORT d._key RETURN x"),
            format!("FOR d IN {collection} FILTER d.inner.deep > 't' SORT d._key LIMIT 5 RETURN d.inner.deep"),
            format!("FOR d IN {collection} SORT d.level DESC, d._key LIMIT 3, 5 RETURN d._key"),
            format!("FOR d IN {collection} COLLECT level = d.level WITH COUNT INTO n RETURN [level, n]"),
            format!("FOR d IN {collection} COLLECT AGGREGATE low = MIN(d.level), n = LENGTH(1) RETURN [low, n]"),
            format!("FOR d IN {collection} COLLECT WITH COUNT INTO n RETURN n"),
            format!("RETURN LENGTH({collection})"),
            format!("RETURN LENGTH(FOR d IN {collection} FILTER d.tenant == {tenant} RETURN 1)"),
            format!("FOR d IN {collection} FILTER d.tenant == {tenant} RETURN DISTINCT d.owner"),
            format!("RETURN DOCUMENT('{collection}/k{key}')"),
            format!("RETURN DOCUMENT({collection}, ['k{key}', 'k{other}'])"),
            format!("FOR d IN {collection} FILTER d._key == 'k{key}' RETURN d"),
            format!("FOR d IN {collection} FILTER d._id IN ['{collection}/k{key}', '{collection}/k{other}'] SORT d._key RETURN d.secret"),
            format!("FOR d IN {collection} SORT d.secret, d._key RETURN d._key"),
            format!("FOR {{secret, level}} IN {collection} SORT secret RETURN [secret, level]"),
            format!("FOR d IN {collection} SORT d._key RETURN [HAS(d, 'secret'), ATTRIBUTES(d, true, true)]"),
            format!("FOR d IN {collection} LET l = d['level'] FILTER l >= {level} SORT d._key RETURN d['secret']"),
            format!("FOR d IN {collection} SORT d._key COLLECT owner = d.owner INTO g RETURN [owner, g[*].d.secret]"),
            format!("FOR d IN {collection} FILTER d.level IN [{level}, 3] SORT d._key WINDOW {{preceding: 1}} AGGREGATE n = COUNT(1) RETURN n"),
        ]);
    }
    all.extend([
        format!("FOR a IN {PEOPLE} FOR b IN {PEOPLE} FILTER a.tenant == b.tenant AND a.level < b.level SORT a._key, b._key LIMIT 40 RETURN [a._key, b._key]"),
        format!("FOR a IN {PEOPLE} FOR e IN {KNOWS} FILTER e._from == a._id SORT e._key RETURN [a.owner, e.secret]"),
        format!("FOR a IN {PEOPLE} LET n = (FOR b IN {one} FILTER b.level == a.level RETURN b._key) SORT a._key RETURN LENGTH(n)"),
        format!("FOR v, e, p IN 1..3 {direction} {start} {KNOWS} SORT v._key, e._key LIMIT 50 RETURN [v, e]"),
        format!("FOR v, e, p IN 1..2 {direction} {start} GRAPH 'social' FILTER p.edges[*].level ALL >= {level} SORT v._key, e._key RETURN [v.secret, p.edges[*].secret]"),
        format!("FOR v, e, p IN 1..2 OUTBOUND {start} {KNOWS} FILTER p.edges[0].level == {level} SORT e._key RETURN [v._key, e.inner]"),
        format!("FOR v IN 0..2 {direction} {start} {KNOWS} OPTIONS {{order: 'bfs', uniqueVertices: 'global'}} SORT v._key RETURN v.secret"),
        format!("FOR v, e IN 1..3 {direction} {start} {KNOWS} PRUNE e.level > {level} SORT v._key, e._key LIMIT 50 RETURN [v._key, e._key]"),
        format!("FOR v IN {direction} SHORTEST_PATH {start} TO {end} {KNOWS} COLLECT WITH COUNT INTO n RETURN n"),
        format!("FOR p IN {direction} ALL_SHORTEST_PATHS {start} TO {end} {KNOWS} LET k = p.vertices[*]._key SORT k, p.edges[*]._key RETURN [k, p.edges[*].secret]"),
        format!("FOR p IN 1..2 {direction} K_PATHS {start} TO {end} {KNOWS} LET k = p.edges[*]._key SORT k RETURN k"),
        format!("FOR d IN found SEARCH d.owner == '{owner}' SORT d._id RETURN d"),
        format!("FOR d IN found SEARCH ANALYZER(d.text == '{word}', 'text_en') SORT d._id LIMIT 2, 7 RETURN d.secret"),
        "FOR d IN found COLLECT WITH COUNT INTO n RETURN n".to_owned(),
        "FOR d IN found SORT d.level, d._id LIMIT 9 RETURN [d._id, d.level, d.secret]".to_owned(),
        "FOR d IN found COLLECT s = d.secret WITH COUNT INTO n SORT s RETURN [s, n]".to_owned(),
        format!("FOR d IN found SEARCH d.owner IN ['{owner}', 'bob'] FILTER d.level > {level} SORT d._id RETURN d._id"),
        format!("FOR d IN {PEOPLE} OPTIONS {{indexHint: 'inv', waitForSync: true}} FILTER d.owner == '{owner}' SORT d._key RETURN d.secret"),
        format!("FOR d IN FULLTEXT({PEOPLE}, 'text', '{word}') SORT d._key RETURN d.secret"),
        format!("FOR d IN NEAR({PEOPLE}, 1, 2, 5) SORT d._key RETURN d._key"),
        format!("FOR d IN WITHIN({PEOPLE}, 1, 2, 900000) SORT d._key RETURN d"),
        format!("FOR d IN {PEOPLE} SORT GEO_DISTANCE(d.place, [0, 0]), d._key LIMIT 4 RETURN d.secret"),
    ]);
    all
}

fn routes(rng: &mut Rng, documents: usize) -> Vec<Read> {
    let (key, other) = (rng.usize(..documents), rng.usize(..documents));
    let level = rng.u8(..10);
    let mut all = Vec::new();
    for collection in [PEOPLE, KNOWS] {
        let keys = json!([format!("k{key}"), format!("k{other}")]);
        let simple = |name: &str, mut body: Value| {
            body["collection"] = json!(collection);
            Read::new("PUT", format!("/_api/simple/{name}"), body)
        };
        all.extend([
            Read::new("GET", format!("/_api/document/{collection}/k{key}"), Value::Null),
            Read::new("HEAD", format!("/_api/document/{collection}/k{other}"), Value::Null),
            Read::new("PUT", format!("/_api/document/{collection}"), keys.clone()).with("onlyget", "true"),
            Read::new("GET", format!("/_api/collection/{collection}/count"), Value::Null),
            Read::new("GET", format!("/_api/collection/{collection}/checksum"), Value::Null)
                .with("withData", "true"),
            Read::new("PUT", format!("/_api/collection/{collection}/load"), json!({"count": true})),
            Read::new("POST", "/_api/export", json!({"flush": false, "batchSize": 100_000, "count": true}))
                .with("collection", collection),
            simple("all", json!({"batchSize": 100_000})),
            simple("all-keys", json!({})),
            simple("by-example", json!({"example": {"level": level}})),
            simple("first-example", json!({"example": {"_key": format!("k{key}")}})),
            simple("lookup-by-keys", json!({"keys": keys})),
            Read {
                is_of_batch: true,
                ..Read::new("GET", "/_api/replication/dump", Value::Null).with("collection", collection)
            },
        ]);
    }
    all.extend([
        Read::new("GET", format!("/_api/edges/{KNOWS}"), Value::Null)
            .with("vertex", format!("{PEOPLE}/k{key}")),
        Read::new("GET", format!("/_api/gharial/social/vertex/{PEOPLE}/k{key}"), Value::Null),
        Read::new("GET", format!("/_api/gharial/social/edge/{KNOWS}/k{other}"), Value::Null),
        Read::new(
            "PUT",
            "/_api/simple/fulltext",
            json!({"collection": PEOPLE, "attribute": "text", "query": "alpha"}),
        ),
        Read::new(
            "PUT",
            "/_api/simple/within",
            json!({"collection": PEOPLE, "latitude": 0, "longitude": 0, "radius": 800_000}),
        ),
    ]);
    all
}

fn scripts() -> Vec<Read> {
    let script = |action: &str| {
        let body = json!({"collections": {"read": [PEOPLE, KNOWS]}, "action": action});
        Read::new("POST", "/_api/transaction", body)
    };
    vec![
        script(
            "function () { const db = require('@arangodb').db; return [db.people.count(), db.knows.count()]; }",
        ),
        script(
            "function () { const db = require('@arangodb').db; return db.people.toArray().map(d => d.secret).sort(); }",
        ),
        script(
            "function () { const db = require('@arangodb').db; return db._query('FOR d IN knows SORT d._key RETURN d.inner').toArray(); }",
        ),
        script(
            "function () { const db = require('@arangodb').db; return db.people.byExample({owner: 'bob'}).toArray().map(d => d._key).sort(); }",
        ),
        script(
            "function () { const db = require('@arangodb').db; return db.knows.outEdges('people/k1').map(e => e.secret).sort(); }",
        ),
    ]
}
