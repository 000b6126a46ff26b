//! Random changes of valid requests to all routes.

use std::collections::BTreeMap;

use fastrand::Rng;
use harness::http1::{Connection, Reply, Request};
use serde_json::{Value, json};

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::mutate::{changed, json_bytes, velocypack_bytes};
use crate::attack::routes::{Route, all_routes};
use crate::attack::target::{TIMEOUT, Target};

/// Requests to each route in a pass.
const REQUESTS: usize = 40;

/// Requests after which the collection is created again.
const RENEWAL: usize = 20;

/// ArangoDB's number of an internal error.
const INTERNAL: u64 = 4;

/// Routes that would end the attack or blind it, and one that has an internal error by design.
const LEFT_OUT: &[(&str, &str)] = &[
    ("DELETE", "/_admin/shutdown"),
    ("PUT", "/_admin/server/mode"),
    ("PUT", "/_admin/log/level"),
    ("DELETE", "/_admin/log/level"),
    ("GET", "/_admin/server/id"),
];

/// Methods that are tried where a route has another.
const METHODS: &[&str] =
    &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"];

/// One of this many requests has such a method.
const OTHER_METHODS: u8 = 10;

/// The values of the parameters of paths.
const PARAMETERS: &[&str] = &[
    "m",
    "m",
    "m",
    "k",
    "1",
    "%00",
    "..%2f..",
    "%c3%bc",
    "99999999999999999999",
    "-1",
    "%ff%fe",
    "m%2Fk",
    "{}",
    "*",
];

/// Parameters of addresses.
const QUERIES: &[&str] = &[
    "collection=m",
    "type=list",
    "type=auto",
    "details=true",
    "returnNew=true",
    "returnOld=true",
    "overwriteMode=update",
    "onlyget=true",
    "silent=true",
    "waitForSync=maybe",
    "from=%00",
    "chunkSize=18446744073709551616",
    "batchId=-1",
    "count=1e3",
    "vertex=m/k",
    "direction=any",
    "a=%ff&&=",
    "graph=g",
    "dropCollections=true",
    "format=vpack",
    "level=trace",
    "size=-1",
    "offset=99999999999999999999",
];

/// Headers that some routes know.
const HEADERS: &[(&str, &str)] = &[
    ("x-arango-async", "true"),
    ("x-arango-async", "store"),
    ("x-arango-queue-time-seconds", "1e99"),
    ("x-arango-trx-id", "1"),
    ("if-match", "\"_x\""),
    ("if-none-match", "x"),
    ("accept", "application/x-velocypack"),
    ("accept", "application/x-ndjson"),
    ("accept-encoding", "gzip;q=nan, zstd"),
    ("content-encoding", "gzip"),
    ("content-encoding", "zstd"),
    ("content-type", "multipart/form-data; boundary="),
    ("content-type", "multipart/form-data; boundary=X"),
    ("expect", "100-continue"),
    ("x-arango-allow-dirty-read", "true"),
];

/// See the module.
pub(crate) struct Mutation;

impl Attack for Mutation {
    fn name(&self) -> &'static str {
        "mutation"
    }

    fn summary(&self) -> &'static str {
        "random changes of valid requests to all routes"
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut families: BTreeMap<String, Vec<Route>> = BTreeMap::new();
        for route in all_routes()?.into_iter().filter(|route| !is_left_out(route)) {
            families.entry(route.family()).or_default().push(route);
        }
        let case = |(family, routes): (String, Vec<Route>)| {
            Case::new(family, move |target, rng| {
                routes.iter().try_for_each(|route| shoot(target, rng, route))
            })
        };
        run_cases(target, rng, families.into_iter().map(case).collect())
    }
}

fn is_left_out(route: &Route) -> bool {
    LEFT_OUT.iter().any(|(method, pattern)| route.method == *method && route.pattern == *pattern)
}

/// Sends changed requests to a route. Errors: the server's failure.
fn shoot(target: &Target, rng: &mut Rng, route: &Route) -> Result<(), String> {
    let mut connection = None;
    for number in 0..REQUESTS {
        if number % RENEWAL == 0 {
            // Errors: it is there.
            let _ = target.call("POST", "/_api/collection", "{\"name\":\"m\"}");
            let _ = target.call("POST", "/_api/document/m", "{\"_key\":\"k\",\"n\":1}");
        }
        let (line, body, request) = make(target, rng, route);
        target.count(1);
        let shown = || {
            let body: String = String::from_utf8_lossy(&body).chars().take(200).collect();
            format!("{line} with {body:?}")
        };
        judge(ask(target, &mut connection, &request)).map_err(|failure| format!("{}: {failure}", shown()))?;
    }
    Ok(())
}

/// Returns the method with the path and the body together with the request, for display.
fn make(target: &Target, rng: &mut Rng, route: &Route) -> (String, Vec<u8>, Request) {
    let route = &other_method(route, rng);
    let path = path_of(&route.pattern, rng);
    let value = changed(&example(&route.pattern), rng);
    let is_velocypack = rng.u8(..4) == 0;
    let body = if is_velocypack { velocypack_bytes(&value, rng) } else { json_bytes(&value, rng) };
    let mut request = target.request(&route.method, &path);
    if is_velocypack {
        request = request.header("content-type", "application/x-velocypack");
    }
    for _ in 0..rng.usize(0..2) {
        let (name, value) = HEADERS[rng.usize(..HEADERS.len())];
        request = request.header(name, value);
    }
    (format!("{} {path}", route.method), body.clone(), request.body(body))
}

/// Returns the route, at times with another method.
fn other_method(route: &Route, rng: &mut Rng) -> Route {
    let method = METHODS[rng.usize(..METHODS.len())].to_owned();
    let other = Route { method, ..route.clone() };
    if rng.u8(..OTHER_METHODS) > 0 || is_left_out(&other) { route.clone() } else { other }
}

fn path_of(pattern: &str, rng: &mut Rng) -> String {
    let segment = |segment: &str, rng: &mut Rng| match segment {
        // Not root's: the attack needs its own rights.
        "{user}" => "mallory".to_owned(),
        "{database}" => "d".to_owned(),
        parameter if parameter.starts_with('{') => PARAMETERS[rng.usize(..PARAMETERS.len())].to_owned(),
        text => text.to_owned(),
    };
    let segments: Vec<String> = pattern.split('/').map(|text| segment(text, rng)).collect();
    let queries: Vec<&str> = (0..rng.usize(0..4)).map(|_| QUERIES[rng.usize(..QUERIES.len())]).collect();
    format!("{}?{}", segments.join("/"), queries.join("&"))
}

fn ask(target: &Target, connection: &mut Option<Connection>, request: &Request) -> std::io::Result<Reply> {
    // A server may end a kept connection after a request that was wrong.
    if let Some(Ok(reply)) = connection.as_mut().map(|connection| connection.ask(request)) {
        return Ok(reply);
    }
    connection.insert(Connection::open(target.address(), TIMEOUT)?).ask(request)
}

fn judge(reply: std::io::Result<Reply>) -> Result<(), String> {
    let reply = reply.map_err(|error| format!("no reply: {error}"))?;
    let is_panic = reply.status == 500 && reply.text().contains("panic");
    if is_panic || reply.error_number() == INTERNAL {
        return Err(format!("{} {}", reply.status, reply.text()));
    }
    Ok(())
}

/// Returns a body that is valid for a route.
fn example(pattern: &str) -> Value {
    let document = json!({"_key": "k", "n": 1, "text": "a", "list": [1, {"a": null}]});
    let segments: Vec<&str> = pattern.split('/').skip(1).collect();
    match segments.as_slice() {
        ["_open", ..] => json!({"username": "mallory", "password": "x"}),
        ["_api", "document", _, _] => document,
        ["_api", "document", ..] => json!([document, {"_key": "l"}]),
        ["_api", "cursor" | "explain" | "query", ..] => json!({
            "query": "FOR d IN @@c FILTER d.n > @n SORT d.n RETURN d",
            "bindVars": {"@c": "m", "n": 0}, "batchSize": 1, "count": true, "ttl": 1, "memoryLimit": 1_000_000,
            "options": {"stream": true, "fullCount": true, "optimizer": {"rules": ["-all"]}, "maxRuntime": 1,
                "profile": 2, "maxPlans": 1, "cache": true, "allowRetry": true, "fillBlockCache": true},
        }),
        ["_api", "collection", _, "rename"] => json!({"name": "m"}),
        ["_api", "collection", ..] => json!({
            "name": "m", "type": 2, "waitForSync": false, "keyOptions": {"type": "autoincrement", "offset": 1},
            "schema": {"rule": {"type": "object"}, "level": "strict", "message": "x"},
            "computedValues": [{"name": "v", "expression": "RETURN 1", "overwrite": true, "computeOn": ["insert"]}],
        }),
        ["_api", "index", ..] => json!({
            "type": "persistent", "fields": ["n", "list[*].a"], "unique": false, "sparse": true, "expireAfter": 1,
            "storedValues": ["text"], "name": "i", "inBackground": true, "fieldValueTypes": "double",
        }),
        ["_api", "gharial", _, "edge" | "vertex", ..] => {
            json!({"_from": "m/k", "_to": "m/k", "collection": "m", "from": ["m"], "to": ["m"]})
        }
        ["_api", "gharial", ..] => json!({
            "name": "g", "edgeDefinitions": [{"collection": "e", "from": ["m"], "to": ["m"]}],
            "orphanCollections": ["o"], "options": {"numberOfShards": 1},
        }),
        ["_api", "simple", ..] => json!({
            "collection": "m", "keys": ["k"], "example": {"n": 1}, "newValue": {"n": 2}, "skip": 0, "limit": 10,
            "attribute": "n", "left": 0, "right": 10, "latitude": 1, "longitude": 2, "radius": 3, "query": "a",
            "latitude1": 0, "longitude1": 0, "latitude2": 1, "longitude2": 1, "batchSize": 1, "options": {},
        }),
        ["_api", "user", _, "database", ..] => json!({"grant": "ro"}),
        ["_api", "user", ..] => json!({"user": "mallory", "passwd": "x", "active": true, "extra": {"a": 1}}),
        ["_api", "token", ..] => json!({"name": "t", "valid_until": 4_000_000_000_u64}),
        ["_api", "database", ..] => json!({"name": "d", "users": [{"username": "mallory", "passwd": "x"}]}),
        ["_api", "edges", ..] => json!(["m/k"]),
        ["_api", "export" | "dump", ..] => json!({
            "batchSize": 1, "limit": 1, "ttl": 1, "restrict": {"type": "include", "fields": ["n"]},
            "shards": ["m"], "parallelism": 1, "prefetchCount": 1, "useParallel": true,
        }),
        ["_api", "replication", "batch", ..] => json!({"ttl": 1}),
        ["_api", "replication", ..] => json!({
            "parameters": {"name": "m", "type": 2}, "indexes": [{"type": "persistent", "fields": ["n"]}],
            "type": 2300, "data": document, "name": "m",
        }),
        ["_api", "query-cache" | "ttl" | "tasks" | "aqlfunction", ..] => json!({
            "mode": "on", "maxResults": 1, "active": true, "frequency": 1, "name": "a::b", "code": "x",
        }),
        _ => document,
    }
}
