//! Encrypted data folders: nothing in them is plain text, and only the right secret opens them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::backups::{create, restore};
use crate::support::{Client, PROGRAM, Server, query};

/// A text that the test puts into everything that a client can write.
const SECRET: &str = "giraffe";

/// An engine with encryption.
#[derive(Clone, Copy)]
struct Engine(&'static str);

const ROCKSDB: Engine = Engine("rocksdb");
const MMFILES: Engine = Engine("mmfiles");

impl Engine {
    /// Returns the options that choose the engine. The tests may run with another default.
    fn options(self) -> [&'static str; 4] {
        ["--storage-engine", "auto", "--server.storage-engine", self.0]
    }

    fn start(self, data: &Path, options: &[&str]) -> Server {
        Server::start(data, &[&self.options(), options].concat())
    }

    /// Returns the message of a start that is refused.
    fn refused(self, data: &Path, options: &[&str]) -> String {
        let mut command = Command::new(PROGRAM);
        command.args(["server", "--server.endpoint", "tcp://127.0.0.1:0", "--database.directory"]).arg(data);
        let output = command.args(self.options()).args(options).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

/// Returns a folder of secrets with some that are named by their byte.
fn secrets(folder: &Path, bytes: &[u8]) -> PathBuf {
    let secrets = folder.join("secrets");
    fs::create_dir_all(&secrets).unwrap();
    for entry in fs::read_dir(&secrets).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    for byte in bytes {
        fs::write(secrets.join(byte.to_string()), [*byte; 32]).unwrap();
    }
    secrets
}

/// Returns all files below a folder. A server may remove some of them at the same time.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Checks that the secret text is in no file below a folder, whatever its case.
fn assert_hidden(folder: &Path) {
    let all = files(folder);
    assert!(all.len() > 10, "{all:?}");
    for path in all {
        // A socket or a removed file is none.
        let Ok(bytes) = fs::read(&path) else { continue };
        let lower = bytes.to_ascii_lowercase();
        let at = lower.windows(SECRET.len()).position(|window| window == SECRET.as_bytes());
        assert_eq!(at, None, "{}", path.display());
    }
}

/// Writes everything that a client can write, with the secret text in it.
fn write_all(client: &mut Client) {
    let mut send = |method: &str, path: &str, body: Value| {
        let reply = client.json(method, path, &body.to_string());
        assert!(reply.status < 300, "{method} {path}: {}", reply.text());
    };
    send(
        "POST",
        "/_api/database",
        json!({"name": "giraffes", "users": [{"username": "giraffe", "passwd": "giraffe"}]}),
    );
    send(
        "POST",
        "/_api/user",
        json!({"user": "giraffekeeper", "passwd": "giraffe", "extra": {"giraffe": 1}}),
    );
    for (name, kind) in [("giraffes", 2), ("giraffe_edges", 3)] {
        send("POST", "/_api/collection", json!({"name": name, "type": kind}));
    }
    send(
        "POST",
        "/_api/analyzer",
        json!({"name": "giraffetext", "type": "text", "properties": {"locale": "en", "stemming": false}, "features": ["frequency", "norm", "position"]}),
    );
    let fields = json!(["giraffe"]);
    for index in [
        json!({"type": "persistent", "fields": fields, "storedValues": ["neck"]}),
        json!({"type": "fulltext", "fields": fields}),
        json!({"type": "inverted", "fields": fields, "analyzer": "giraffetext", "storedValues": ["neck"]}),
        json!({"type": "ttl", "fields": ["born"], "expireAfter": 1_000_000}),
    ] {
        send("POST", "/_api/index?collection=giraffes", index);
    }
    let link =
        json!({"giraffes": {"includeAllFields": true, "analyzers": ["giraffetext"], "storeValues": "id"}});
    send(
        "POST",
        "/_api/view",
        json!({"name": "giraffeview", "type": "arangosearch", "links": link, "storedValues": ["neck"]}),
    );
    send(
        "POST",
        "/_api/gharial",
        json!({"name": "giraffegraph", "edgeDefinitions": [{"collection": "giraffe_edges", "from": ["giraffes"], "to": ["giraffes"]}]}),
    );
    send(
        "POST",
        "/_api/aqlfunction",
        json!({"name": "giraffe::neck", "code": "function () { return 'giraffe' }"}),
    );
    send(
        "POST",
        "/_api/tasks",
        json!({"name": "giraffetask", "command": "require('internal').print('giraffe')", "offset": 100_000}),
    );
    let documents: Vec<Value> = (0..3_000)
        .map(|number| json!({"_key": format!("giraffe{number}"), "giraffe": format!("a giraffe number {number}"), "neck": "a long giraffe"}))
        .collect();
    send("POST", "/_api/document/giraffes", json!(documents));
    let edges: Vec<Value> = (1..100)
        .map(|number| json!({"_from": "giraffes/giraffe0", "_to": format!("giraffes/giraffe{number}"), "giraffe": number}))
        .collect();
    send("POST", "/_api/document/giraffe_edges", json!(edges));
    // Notes the next commits in the change log.
    send("POST", "/_api/cursor", json!({"query": "FOR c IN CHANGES('giraffes') LIMIT 1 RETURN c"}));
    send(
        "POST",
        "/_api/cursor",
        json!({"query": "FOR d IN giraffes LIMIT 50 UPDATE d WITH {neck: 'longer giraffe'} IN giraffes"}),
    );
    let sort = "FOR d IN giraffes SORT d.giraffe DESC RETURN d";
    send(
        "POST",
        "/_api/cursor",
        json!({"query": sort, "batchSize": 10, "options": {"spillOverThresholdNumRows": 100}}),
    );
    send("PUT", "/_admin/compact", json!({}));
}

/// Waits until the view has all documents in files.
fn wait_for_segments(client: &mut Client, data: &Path) {
    let aql = "FOR d IN giraffeview SEARCH ANALYZER(d.giraffe == 'giraffe', 'giraffetext') \
               OPTIONS {waitForSync: true} COLLECT WITH COUNT INTO n RETURN n";
    assert_eq!(query(client, aql), json!([3_000]));
    let saved = harness::wait_until("a segment in a file", || {
        files(&data.join("search")).iter().any(|path| path.extension().is_some_and(|name| name == "rows"))
    });
    saved.unwrap();
}

#[test]
fn nothing_in_an_encrypted_folder_is_plain_text() {
    nothing_is_plain_text(ROCKSDB);
}

#[test]
fn nothing_in_an_encrypted_folder_is_plain_text_of_mmfiles() {
    nothing_is_plain_text(MMFILES);
}

fn nothing_is_plain_text(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let keyfolder = secrets(folder.path(), &[1]);
    let options = [
        "--rocksdb.encryption-keyfolder",
        keyfolder.to_str().unwrap(),
        "--temp.path",
        data.to_str().unwrap(),
    ];
    let server = engine.start(&data, &options);
    let mut client = server.connect();
    write_all(&mut client);
    wait_for_segments(&mut client, &data);
    let backup = create(&server, "first");
    assert_hidden(&data);
    server.kill();
    assert_hidden(&data);
    let server = engine.start(&data, &options);
    let mut client = server.connect();
    assert_eq!(
        query(
            &mut client,
            "FOR d IN giraffes FILTER d.neck == 'longer giraffe' COLLECT WITH COUNT INTO n RETURN n"
        ),
        json!([50])
    );
    wait_for_segments(&mut client, &data);
    query(&mut client, "FOR d IN giraffes REMOVE d IN giraffes");
    restore(&server, &data, &backup);
    let mut client = server.connect();
    assert_eq!(query(&mut client, "RETURN LENGTH(giraffes)"), json!([3_000]));
    drop(client);
    assert_eq!(server.stop(), Some(0));
    assert_hidden(&data);
}

#[test]
fn one_right_secret_opens_the_data_and_rotation_replaces_it() {
    one_right_secret_opens_the_data(ROCKSDB);
}

#[test]
fn one_right_secret_opens_the_data_and_rotation_replaces_it_of_mmfiles() {
    one_right_secret_opens_the_data(MMFILES);
}

fn one_right_secret_opens_the_data(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let keyfolder = secrets(folder.path(), &[1, 2]);
    let keyfolder = keyfolder.to_str().unwrap();
    let options = ["--rocksdb.encryption-keyfolder", keyfolder, "--rocksdb.encryption-key-rotation", "true"];
    let server = engine.start(&data, &options);
    let mut client = server.connect();
    client.json("POST", "/_api/collection", r#"{"name": "docs"}"#);
    query(&mut client, "FOR i IN 1..100 INSERT {i} INTO docs");
    drop(client);
    server.kill();
    // One of the first secrets is enough.
    secrets(folder.path(), &[2, 9]);
    let server = engine.start(&data, &options);
    let mut client = server.connect();
    assert_eq!(query(&mut client, "RETURN LENGTH(docs)"), json!([100]));
    secrets(folder.path(), &[3]);
    let reply = client.json("POST", "/_admin/server/encryption", "");
    let keys = reply.json()["result"]["encryption-keys"].clone();
    assert_eq!((reply.status, keys.as_array().map(Vec::len)), (200, Some(1)), "{}", reply.text());
    // A folder without a right secret changes nothing.
    fs::write(folder.path().join("secrets/short"), [1; 31]).unwrap();
    let refused = client.json("POST", "/_admin/server/encryption", "");
    assert!(
        refused.status == 500 && refused.text().contains("must have exactly 32 bytes"),
        "{}",
        refused.text()
    );
    secrets(folder.path(), &[3]);
    query(&mut client, "FOR i IN 1..100 INSERT {i} INTO docs");
    drop(client);
    assert_eq!(server.stop(), Some(0));
    let server = engine.start(&data, &options);
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([200]));
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn a_start_without_the_right_secret_says_so_and_changes_nothing() {
    a_start_without_the_right_secret(ROCKSDB);
}

#[test]
fn a_start_without_the_right_secret_says_so_and_changes_nothing_of_mmfiles() {
    a_start_without_the_right_secret(MMFILES);
}

fn a_start_without_the_right_secret(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (right, wrong, long) = (file("right", &[1; 32]), file("wrong", &[2; 32]), file("long", &[1; 33]));
    let keyfile = "--rocksdb.encryption-keyfile";
    assert!(
        engine
            .refused(&data, &[keyfile, &long])
            .contains("has 33 or more; perhaps it ends with a line break")
    );
    assert!(engine.refused(&data, &[keyfile, "/no/key"]).contains("opening /no/key"));
    engine.start(&data, &[keyfile, &right]).kill();
    let contents = || -> Vec<(PathBuf, Vec<u8>)> {
        let mut all: Vec<_> =
            files(&data).into_iter().map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
        all.sort();
        all
    };
    let before = contents();
    for (options, expected) in [
        (vec![], "is encrypted; name its key by --rocksdb.encryption-keyfile"),
        (vec![keyfile, &wrong], "none of the 1 given encryption keys opens"),
        (
            vec![keyfile, &right, "--rocksdb.encryption-keyfolder", "/keys"],
            "name one of --rocksdb.encryption-keyfile",
        ),
    ] {
        let message = engine.refused(&data, &options);
        assert!(message.contains(expected), "{message}");
        assert_eq!(contents(), before, "{expected}");
    }
    let plain = folder.path().join("plain");
    engine.start(&plain, &[]).kill();
    assert!(
        engine.refused(&plain, &[keyfile, &right]).contains("is not encrypted, and only a new folder can be")
    );
    let memory = ["--storage-engine", "memory", keyfile, &right];
    let message = engine.refused(&folder.path().join("new"), &memory);
    assert!(message.contains("the engine 'memory' does not encrypt"), "{message}");
    engine.start(&data, &[keyfile, &right]).kill();
}
