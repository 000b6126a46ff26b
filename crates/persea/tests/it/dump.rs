//! Guarantees of `persea dump` and `persea restore`: a restore brings the dumped data back
//! unchanged, as of one moment.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::disguise::Disguise;
use crate::support::dumps::{command_at, fail, succeed};
use crate::support::tool::said;
use crate::support::{Client, Server, post, query};

/// A generator of pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.next() % if depth == 0 { 7 } else { 10 } {
            0 => Value::Null,
            1 => json!(self.next().is_multiple_of(2)),
            2 => json!(self.next() as i64 - (1 << 30)),
            3 => json!((self.next() as f64 - 1e9) / 1024.0),
            4 => {
                json!(["", "a\n\"b\"\\\t", "größe", "日本語", "🥑", "\u{1}\u{7f}"][self.next() as usize % 6])
            }
            5 => json!([u64::MAX, i64::MIN as u64, 0, 1 << 53][self.next() as usize % 4]),
            6 => json!([i64::MIN, -1, i64::MAX][self.next() as usize % 3]),
            7 => (0..self.next() % 4).map(|_| self.value(depth - 1)).collect(),
            8 => json!([]),
            _ => {
                let names = ["a", "größe", "x.y", "", "日本", "_under"];
                let count = self.next() as usize % names.len();
                names[..count].iter().map(|name| ((*name).to_owned(), self.value(depth - 1))).collect()
            }
        }
    }
}

const KEYS: &str = "-_:.@()+,=;$!*'%";

fn fill(client: &mut Client) {
    let computed = json!([{"name": "double", "expression": "RETURN @doc.n * 2", "computeOn": ["insert"], "overwrite": true}]);
    let schema =
        json!({"rule": {"properties": {"n": {"type": "number"}}}, "level": "strict", "message": "n!"});
    let docs = json!({"name": "docs", "computedValues": computed, "schema": schema, "waitForSync": true,
                      "keyOptions": {"type": "padded"}, "cacheEnabled": true});
    let numbered = json!({"type": "autoincrement", "offset": 5, "increment": 3});
    for body in [
        docs,
        json!({"name": "links", "type": 3, "keyOptions": numbered}),
        json!({"name": "empty"}),
        json!({"name": "big"}),
        json!({"name": "accounts"}),
    ] {
        post(client, "/_api/collection", &body);
    }
    for index in [
        json!({"type": "persistent", "fields": ["n", "v[*].a"], "name": "first", "sparse": true, "storedValues": ["v"]}),
        json!({"type": "persistent", "fields": ["n"], "unique": true, "estimates": false}),
        json!({"type": "hash", "fields": ["n", "m"]}),
        json!({"type": "ttl", "fields": ["at"], "expireAfter": 1_000_000_000}),
        json!({"type": "geo", "fields": ["place"], "geoJson": true}),
        json!({"type": "fulltext", "fields": ["text"], "minLength": 4}),
        json!({"type": "mdi", "fields": ["x", "y"], "fieldValueTypes": "double"}),
        json!({"type": "mdi-prefixed", "fields": ["x", "y"], "prefixFields": ["n"], "fieldValueTypes": "double"}),
    ] {
        post(client, "/_api/index?collection=docs", &index);
    }
    let mut numbers = Numbers(7);
    let mut lines = String::new();
    for n in 0..3_000 {
        let mut document = json!({"n": n, "v": numbers.value(4), "x": n as f64 / 7.0, "y": n % 10, "text": "some words of text"});
        if n % 3 == 0 {
            document["_key"] = json!(format!("{n}{}", &KEYS[n % KEYS.len()..]));
        }
        if n % 5 == 0 {
            document["place"] = json!({"type": "Point", "coordinates": [n % 180, n % 90]});
        }
        lines.push_str(&format!("{document}\n"));
    }
    import(client, "docs", &lines);
    let edge = |n| format!("{{\"_from\":\"docs/{}\",\"_to\":\"empty/{}\",\"w\":{n}}}\n", n % 100, n % 7);
    import(client, "links", &(0..2_000).map(edge).collect::<String>());
    import(
        client,
        "big",
        &format!(
            "{}\n{}\n",
            json!({"_key": "a", "t": "x".repeat(3 << 20)}),
            json!({"_key": "b", "a": vec![1.5; 200_000]})
        ),
    );
    import(
        client,
        "accounts",
        &(0..40_000).map(|n| format!("{{\"_key\":\"{n:05}\",\"amount\":100}}\n")).collect::<String>(),
    );
}

fn import(client: &mut Client, collection: &str, lines: &str) {
    let path = format!("/_api/import?type=documents&complete=true&details=true&collection={collection}");
    let reply = client.send("POST", &path, &[], lines.as_bytes());
    assert_eq!(reply.status, 201, "{}", reply.text());
}

/// Returns everything that a dump should keep: documents with revisions, indexes, properties.
fn content(client: &mut Client, collections: &[&str]) -> BTreeMap<String, Value> {
    let mut content = BTreeMap::new();
    for name in collections {
        let documents = query(client, &format!("FOR d IN {name} SORT d._key RETURN d"));
        let mut indexes =
            client.json("GET", &format!("/_api/index?collection={name}"), "").json()["indexes"].clone();
        for index in indexes.as_array_mut().unwrap() {
            let index = index.as_object_mut().unwrap();
            index.remove("id");
            index.remove("selectivityEstimate");
        }
        let mut properties = client.json("GET", &format!("/_api/collection/{name}/properties"), "").json();
        for changing in ["id", "globallyUniqueId", "objectId", "code", "error"] {
            properties.as_object_mut().unwrap().remove(changing);
        }
        content.insert((*name).to_owned(), json!([documents, indexes, properties]));
    }
    content
}

const COLLECTIONS: [&str; 4] = ["docs", "links", "empty", "big"];

#[test]
fn a_dump_comes_back_as_it_was_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let source = Server::start(&folder.path().join("source"), &[]);
    let mut client = source.connect();
    fill(&mut client);
    let expected = content(&mut client, &COLLECTIONS);
    let target = Server::start(&folder.path().join("target"), &[]);
    let forms: &[(&[&str], &[&str])] = &[
        (&[], &[]),
        (&["--threads", "1"], &["--threads", "1", "--batch-size", "128KiB"]),
        (&["--threads", "4", "--split-files", "true", "--batch-size", "200000"], &["--threads", "4"]),
        (&["--compress-output", "false", "--batch-size", "100000"], &["--batch-size", "200000"]),
        (&["--dump-vpack", "true", "--threads", "4"], &["--threads", "4"]),
        (&["--dump-vpack", "true", "--compress-output", "false", "--split-files", "true"], &[]),
        (&["--parallel-dump", "false", "--initial-batch-size", "50000"], &[]),
        (&["--envelope", "true"], &["--threads", "4"]),
    ];
    for (number, (dump, restore)) in forms.iter().enumerate() {
        let dumped = folder.path().join(format!("dump{number}"));
        succeed("dump", &source, &dumped, dump);
        succeed("restore", &target, &dumped, restore);
        let found = content(&mut target.connect(), &COLLECTIONS);
        for (name, found) in &found {
            for (what, (found, expected)) in ["documents", "indexes", "properties"]
                .iter()
                .zip((0..).map(|n| (&found[n], &expected[name][n])))
            {
                assert!(
                    found == expected,
                    "{name} {what} of {dump:?}: {found:.300} instead of {expected:.300}"
                );
            }
        }
        assert!(!dumped.join("continue.json").exists());
    }
    // The key generator continues, and computed values and schema apply again.
    let mut restored = target.connect();
    let new =
        post(&mut restored, "/_api/document/docs?returnNew=true", &json!({"n": 1_000_000, "x": 1, "y": 2}));
    assert_eq!(new["new"]["double"], 2_000_000);
    assert!(!expected["docs"][0].as_array().unwrap().iter().any(|old| old["_key"] == new["_key"]));
    assert_eq!(restored.json("POST", "/_api/document/docs", r#"{"n":"x","x":1,"y":2}"#).status, 400);
    let at = query(&mut restored, "FOR v IN 1..1 OUTBOUND 'docs/5' links COLLECT WITH COUNT INTO c RETURN c");
    assert_eq!(
        at,
        query(&mut client, "FOR v IN 1..1 OUTBOUND 'docs/5' links COLLECT WITH COUNT INTO c RETURN c")
    );
}

/// Returns the bytes that a server has received and sent, from `/_admin/statistics`.
fn traffic_bytes(client: &mut Client) -> [f64; 2] {
    let statistics = client.json("GET", "/_admin/statistics", "").json();
    ["bytesReceived", "bytesSent"].map(|name| statistics["client"][name]["sum"].as_f64().unwrap())
}

#[test]
fn documents_travel_packed_between_our_own_and_as_others_know_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("server"), &[]);
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "c"}));
    let documents: String =
        (0..20_000).map(|n| format!("{{\"_key\":\"{n}\",\"text\":\"some text to fill it\"}}\n")).collect();
    import(&mut client, "c", &documents);
    let expected = content(&mut client, &["c"]);
    let disguised = Disguise::of(server.port());
    for (name, endpoint) in [("own", server.endpoint()), ("others", disguised.endpoint.clone())] {
        let dumped = folder.path().join(name);
        let [_, before] = traffic_bytes(&mut client);
        let succeed = |tool: &str, options: &[&str]| {
            said(command_at(tool, &endpoint, &dumped, options).spawn().unwrap()).success();
        };
        succeed("dump", &[]);
        let [between, after] = traffic_bytes(&mut client);
        succeed("restore", &[]);
        let [end, _] = traffic_bytes(&mut client);
        assert!(content(&mut client, &["c"]) == expected, "{name}");
        let (sent, received) = ((after - before) as usize, (end - between) as usize);
        let is_packed = [sent, received].map(|bytes| bytes < documents.len() / 2);
        assert_eq!(is_packed, [name == "own"; 2], "{name}: {sent} sent, {received} received");
    }
    assert_eq!((disguised.requests("packed="), disguised.requests("content-encoding")), (0, 0));
    assert!(disguised.requests("/_api/dump/next/") > 0);
}

#[test]
fn a_dump_is_consistent_while_writers_continue() {
    let folder = tempfile::tempdir().unwrap();
    let source = Server::start(&folder.path().join("source"), &[]);
    let mut client = source.connect();
    for name in ["accounts", "ledger"] {
        post(&mut client, "/_api/collection", &json!({"name": name}));
        let line = |n| format!("{{\"_key\":\"{n:05}\",\"amount\":100,\"filler\":\"{}\"}}\n", "x".repeat(200));
        import(&mut client, name, &(0..30_000).map(line).collect::<String>());
    }
    let stop = AtomicBool::new(false);
    let dumped = folder.path().join("dump");
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let (source, stop) = (&source, &stop);
            scope.spawn(move || {
                let mut client = source.connect();
                let mut numbers = Numbers(writer);
                while !stop.load(Ordering::Relaxed) {
                    // Moves an amount of 1 from one collection to the other, in one transaction.
                    let (from, to) = (numbers.next() % 30_000, numbers.next() % 30_000);
                    let move_one = format!(
                        "LET a = (UPDATE '{from:05}' WITH {{amount: DOCUMENT('accounts/{from:05}').amount - 1}} IN accounts)
                         UPDATE '{to:05}' WITH {{amount: DOCUMENT('ledger/{to:05}').amount + 1}} IN ledger"
                    );
                    client.json("POST", "/_api/cursor", &json!({"query": move_one}).to_string());
                }
            });
        }
        succeed("dump", &source, &dumped, &["--threads", "4", "--batch-size", "300000"]);
        stop.store(true, Ordering::Relaxed);
    });
    let target = Server::start(&folder.path().join("target"), &[]);
    succeed("restore", &target, &dumped, &[]);
    let mut client = target.connect();
    let sum = "RETURN SUM(FOR d IN accounts RETURN d.amount) + SUM(FOR d IN ledger RETURN d.amount)";
    assert_eq!(query(&mut client, sum), json!([6_000_000]));
    let moved = query(&mut client, "RETURN SUM(FOR d IN ledger RETURN d.amount)")[0].as_u64().unwrap();
    println!("{} moved before the dump", moved - 3_000_000);
}

#[test]
fn all_databases_with_their_users() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--server.authentication", "true"];
    let source = Server::start(&folder.path().join("source"), &options);
    let root = || vec![("authorization".to_owned(), "Basic cm9vdDo=".to_owned())];
    let mut client = source.connect();
    let send = |client: &mut Client, method: &str, path: &str, body: Value| {
        let reply = client.send(method, path, &root(), body.to_string().as_bytes());
        assert!(reply.status < 300, "{path}: {}", reply.text());
        reply
    };
    send(
        &mut client,
        "POST",
        "/_api/database",
        json!({"name": "shop", "users": [{"username": "anna", "passwd": "secret"}]}),
    );
    send(&mut client, "POST", "/_db/shop/_api/collection", json!({"name": "orders"}));
    send(&mut client, "POST", "/_db/shop/_api/document/orders", json!({"_key": "1"}));
    send(&mut client, "POST", "/_api/collection", json!({"name": "here"}));
    let dumped = folder.path().join("dump");
    succeed("dump", &source, &dumped, &["--all-databases", "true", "--include-system-collections", "true"]);
    assert!(dumped.join("shop").is_dir() && dumped.join("_system").is_dir());
    let target = Server::start(&folder.path().join("target"), &options);
    let text = fail("restore", &target, &dumped, &["--all-databases", "true"]);
    assert!(text.contains("shop"), "{text}");
    let all =
        ["--all-databases", "true", "--create-database", "true", "--include-system-collections", "true"];
    succeed("restore", &target, &dumped, &all);
    let mut client = target.connect();
    let anna = [("authorization".to_owned(), "Basic YW5uYTpzZWNyZXQ=".to_owned())];
    let reply = client.send("GET", "/_db/shop/_api/document/orders/1", &anna, b"");
    assert_eq!((reply.status, &reply.json()["_key"]), (200, &json!("1")));
    assert_eq!(client.send("GET", "/_api/collection/here", &anna, b"").status, 401);
    assert_eq!(client.send("GET", "/_api/collection/here", &root(), b"").status, 200);
}
