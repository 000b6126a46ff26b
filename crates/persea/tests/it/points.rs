//! Restores to moments between backups: `persea backup restore --at`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harness::wait_for;
use serde_json::{Map, Value, json};
use test_s3::Storage;

use crate::support::archive::{archiving, metric};
use crate::support::backups::{collection, create};
use crate::support::tool::{self, Said};
use crate::support::{Client, Server, post, query};

/// A server that archives its log, and its repository.
struct Source {
    server: Server,
    repository: String,
    environment: Vec<(&'static str, String)>,
    folder: tempfile::TempDir,
    /// The file with the secret of encrypted data.
    secret: Option<PathBuf>,
}

/// A state of all databases, and the moment at which it was there.
struct Recorded {
    state: Value,
    time: String,
    token: String,
}

impl Source {
    fn start(storage: Option<&Storage>) -> Source {
        Self::start_with(storage, &[])
    }

    fn start_with(storage: Option<&Storage>, further: &[&str]) -> Source {
        let folder = tempfile::tempdir().unwrap();
        let (repository, environment) = match storage {
            None => (folder.path().join("remote").to_str().unwrap().to_owned(), Vec::new()),
            Some(storage) => {
                let key = [("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "secret")];
                let key = key.map(|(name, value)| (name, value.to_owned()));
                let endpoint = ("AWS_ENDPOINT_URL", storage.endpoint().to_owned());
                ("s3://backups/some/prefix".to_owned(), key.into_iter().chain([endpoint]).collect())
            }
        };
        let server = Self::launch(&folder.path().join("data"), &repository, &environment, further);
        wait_for("the log is not archived", || {
            (metric(&server, "persea_log_archive_position") > 0.0).then_some(())
        })
        .unwrap();
        collection(&mut server.connect(), "", "marks");
        Source { server, repository, environment, folder, secret: None }
    }

    /// Starts a server whose data is encrypted.
    fn start_encrypted(folder: &Path, engine: &str) -> Source {
        let secret = folder.join("secret");
        fs::write(&secret, [5; 32]).unwrap();
        let mut source = Self::start_with(None, &encrypting(engine, &secret));
        source.secret = Some(secret);
        source
    }

    fn launch(
        data: &Path,
        repository: &str,
        environment: &[(&'static str, String)],
        further: &[&str],
    ) -> Server {
        let options = archiving(repository);
        let options: Vec<&str> = options.iter().map(String::as_str).chain(further.iter().copied()).collect();
        let environment: Vec<(&str, &str)> =
            environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Server::start_with_environment(data, &options, &environment)
    }

    /// Runs `persea backup`.
    fn tool(&self, arguments: &[&str]) -> Said {
        let mut command = tool::command(&self.server, "backup", arguments);
        command.args(["--repository", &self.repository]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        tool::said(command.spawn().unwrap())
    }

    /// Makes a backup and uploads it.
    fn back_up(&self) -> String {
        let id = create(&self.server, "b");
        self.tool(&["upload", "--identifier", &id, "--wait", "true"]).success();
        id
    }

    /// Returns the state as of now, and the moment of a last document in it.
    fn record(&self) -> Recorded {
        let mut client = self.server.connect();
        let since = client.json("GET", "/_api/changes?since=now", "").json()["token"].clone();
        query(&mut client, "INSERT {} INTO marks");
        let state = state(&mut client);
        let since = since.as_str().unwrap();
        let changes = client.json("GET", &format!("/_api/changes?since={since}&timeout=60"), "").json();
        let last = changes["changes"].as_array().unwrap().last().unwrap();
        let text = |name: &str| last[name].as_str().unwrap().to_owned();
        // The next commit is of a later millisecond.
        std::thread::sleep(Duration::from_millis(3));
        Recorded { state, time: text("time"), token: text("token") }
    }

    /// Waits until everything so far is in the archive.
    fn wait_for_archive(&self) {
        let last = self.server.connect().json("GET", "/_api/wal/lastTick", "").json()["tick"].clone();
        let last: f64 = last.as_str().unwrap().parse().unwrap();
        wait_for("the archive is behind", || {
            (metric(&self.server, "persea_log_archive_position") >= last).then_some(())
        })
        .unwrap();
    }

    fn target(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn restore(&self, at: &str, target: &Path, further: &[&str]) -> Said {
        let arguments = ["restore", "--at", at, "--database.directory", target.to_str().unwrap()];
        let mut arguments = [&arguments[..], further].concat();
        if let Some(secret) = &self.secret {
            arguments.extend(["--encryption.keyfile", secret.to_str().unwrap()]);
        }
        self.tool(&arguments)
    }

    /// Backs up, writes and defines, and checks that both moments behind the backup are restored.
    /// Returns the second one.
    #[track_caller]
    fn check_two_moments(&self) -> Recorded {
        for name in ["docs", "more"] {
            collection(&mut self.server.connect(), "", name);
        }
        self.back_up();
        write_documents(&self.server, 1);
        let first = self.record();
        define(&self.server);
        let second = self.record();
        self.wait_for_archive();
        self.check(&first.time, &first.state);
        self.check(&second.token, &second.state);
        second
    }

    /// Restores a moment, and checks that the state there is the expected one.
    #[track_caller]
    fn check(&self, at: &str, expected: &Value) {
        let target = self.target("restored");
        self.restore(at, &target, &[]).success();
        // The folder knows its engine.
        let options = self.secret.as_deref().map(|secret| encrypting("auto", secret));
        let server = Server::start(&target, options.as_ref().map_or(&[], |options| options.as_slice()));
        let found = state(&mut server.connect());
        assert!(found == *expected, "at {at}: {}", difference(&found, expected));
        // It is a server like any other.
        collection(&mut server.connect(), "", "later");
        assert_eq!(server.stop(), Some(0));
        fs::remove_dir_all(&target).unwrap();
    }

    /// Checks that a restore fails with a message, and leaves nothing.
    #[track_caller]
    fn refuse(&self, at: &str, message: &str) {
        let target = self.target("refused");
        let failure = self.restore(at, &target, &[]).failure();
        assert!(failure.contains(message), "{at}: {failure}");
        assert!(!target.exists(), "{at}");
    }

    /// Returns the files of the archived log, in order.
    fn segments(&self) -> Vec<PathBuf> {
        let logs = Path::new(&self.repository).join("logs");
        let logs = fs::read_dir(logs).unwrap().map(|log| log.unwrap().path());
        let files = logs.flat_map(|log| fs::read_dir(log).unwrap().map(|file| file.unwrap().path()));
        let mut files: Vec<PathBuf> =
            files.filter(|file| file.extension().is_some_and(|extension| extension == "segment")).collect();
        files.sort();
        files
    }
}

/// Returns the options of a server whose data is encrypted.
fn encrypting<'a>(engine: &'a str, secret: &'a Path) -> [&'a str; 6] {
    let engine = ["--storage-engine", "auto", "--server.storage-engine", engine];
    let [first, second, third, fourth] = engine;
    [first, second, third, fourth, "--rocksdb.encryption-keyfile", secret.to_str().unwrap()]
}

/// Returns the documents and the definitions of collections, indexes and views of all databases.
fn state(client: &mut Client) -> Value {
    let mut state = Map::new();
    let databases = client.json("GET", "/_api/database", "").json()["result"].clone();
    for database in databases.as_array().unwrap().iter().filter_map(Value::as_str) {
        state.insert(database.to_owned(), database_state(client, &format!("/_db/{database}")));
    }
    let users = client.json("GET", "/_api/user", "").json()["result"].clone();
    let mut users: Vec<String> = users
        .as_array()
        .unwrap()
        .iter()
        .map(|user| {
            let name = user["user"].as_str().unwrap();
            let rights = client.json("GET", &format!("/_api/user/{name}/database"), "").json();
            format!("{user} {}", rights["result"])
        })
        .collect();
    users.sort();
    state.insert("users".to_owned(), json!(users));
    Value::Object(state)
}

/// Returns the first part of two states that differs, for messages.
fn difference(found: &Value, expected: &Value) -> String {
    let (found, expected) = (format!("{found:#}"), format!("{expected:#}"));
    let mut lines = found.lines().zip(expected.lines()).enumerate();
    let first = lines.find(|(_, (one, other))| one != other);
    first.map_or_else(
        || "one has more".to_owned(),
        |(line, (one, other))| format!("line {line}: {one} instead of {other}"),
    )
}

fn database_state(client: &mut Client, path: &str) -> Value {
    let mut state = Map::new();
    let collections = client.json("GET", &format!("{path}/_api/collection?excludeSystem=true"), "").json();
    for collection in collections["result"].as_array().unwrap() {
        let name = collection["name"].as_str().unwrap();
        let query = json!({"query": format!("FOR d IN `{name}` SORT d._key RETURN d"), "batchSize": 100_000});
        let documents = post(client, &format!("{path}/_api/cursor"), &query)["result"].clone();
        let properties = client.json("GET", &format!("{path}/_api/collection/{name}/properties"), "").json();
        let indexes = client.json("GET", &format!("{path}/_api/index?collection={name}"), "").json();
        let indexes = indexes["indexes"].as_array().unwrap().iter();
        let mut indexes: Vec<String> = indexes
            .map(|index| {
                format!("{} {} {} {}", index["type"], index["name"], index["fields"], index["unique"])
            })
            .collect();
        indexes.sort();
        state.insert(
            name.to_owned(),
            json!({"documents": documents, "indexes": indexes, "type": properties["type"],
                "waitForSync": properties["waitForSync"], "unique": properties["globallyUniqueId"]}),
        );
    }
    let views = client.json("GET", &format!("{path}/_api/view"), "").json()["result"].clone();
    let views: Vec<Value> = views
        .as_array()
        .unwrap()
        .iter()
        .map(|view| {
            let name = view["name"].as_str().unwrap();
            let properties = client.json("GET", &format!("{path}/_api/view/{name}/properties"), "").json();
            json!([name, properties["links"]])
        })
        .collect();
    json!({"collections": state, "views": views})
}

/// Changes documents of all kinds.
fn write_documents(server: &Server, round: u64) {
    let mut client = server.connect();
    let text = "FOR i IN 1..20 UPSERT {_key: TO_STRING(i)} INSERT {_key: TO_STRING(i), n: @n} UPDATE {n: @n} IN docs";
    post(&mut client, "/_api/cursor", &json!({"query": text, "bindVars": {"n": round}}));
    query(&mut client, "FOR i IN 3..5 REMOVE TO_STRING(i) IN docs");
    post(&mut client, "/_api/document/docs", &json!({"single": round}));
    let begun =
        post(&mut client, "/_api/transaction/begin", &json!({"collections": {"write": ["docs", "more"]}}));
    let id = begun["result"]["id"].as_str().unwrap();
    for name in ["docs", "more", "more"] {
        let body = json!({"transaction": round}).to_string();
        let headers = [("x-arango-trx-id".to_owned(), id.to_owned())];
        let written = client.send("POST", &format!("/_api/document/{name}"), &headers, body.as_bytes());
        assert!(written.status < 300, "{}", written.text());
    }
    assert_eq!(client.json("PUT", &format!("/_api/transaction/{id}"), "").status, 200);
}

/// Creates a database with collections, an index, a view, and users.
fn define(server: &Server) {
    let mut client = server.connect();
    post(&mut client, "/_api/database", &json!({"name": "shop", "users": [{"username": "ann"}]}));
    for name in ["orders", "passing"] {
        post(&mut client, "/_db/shop/_api/collection", &json!({"name": name}));
    }
    post(&mut client, "/_db/shop/_api/collection", &json!({"name": "edges", "type": 3}));
    let index = json!({"type": "persistent", "fields": ["n"], "name": "by_n", "unique": true});
    post(&mut client, "/_db/shop/_api/index?collection=orders", &index);
    let lines: String = (0..3_000).map(|n| format!("{{\"n\":{n}}}\n")).collect();
    let loaded = client.json("POST", "/_db/shop/_api/import?collection=orders&type=documents", &lines);
    assert_eq!(loaded.status, 201, "{}", loaded.text());
    let links = json!({"orders": {"includeAllFields": true}});
    post(
        &mut client,
        "/_db/shop/_api/view",
        &json!({"name": "found", "type": "arangosearch", "links": links}),
    );
    post(&mut client, "/_api/user", &json!({"user": "bob", "passwd": "secret"}));
    let granted = client.json("PUT", "/_api/user/bob/database/shop", r#"{"grant": "ro"}"#);
    assert_eq!(granted.status, 200, "{}", granted.text());
}

/// Drops and renames.
fn drop_some(server: &Server) {
    let mut client = server.connect();
    for path in ["/_db/shop/_api/collection/passing", "/_api/user/bob"] {
        assert!(client.json("DELETE", path, "").status < 300, "{path}");
    }
    let renamed = client.json("PUT", "/_db/shop/_api/collection/edges/rename", r#"{"name": "lines"}"#);
    assert_eq!(renamed.status, 200, "{}", renamed.text());
    let truncated = client.json("PUT", "/_db/shop/_api/collection/orders/truncate", "");
    assert_eq!(truncated.status, 200, "{}", truncated.text());
}

#[test]
fn an_encrypted_server_is_restored_by_its_secret() {
    it_is_restored_by_its_secret("rocksdb");
}

#[test]
fn an_encrypted_server_of_mmfiles_is_restored_by_its_secret() {
    it_is_restored_by_its_secret("mmfiles");
}

fn it_is_restored_by_its_secret(engine: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut source = Source::start_encrypted(folder.path(), engine);
    let second = source.check_two_moments();
    for segment in source.segments() {
        let bytes = fs::read(&segment).unwrap();
        assert!(!bytes.windows(5).any(|window| window == b"marks"), "{}", segment.display());
    }
    source.tool(&["verify"]).success();
    let wrong = folder.path().join("wrong");
    fs::write(&wrong, [6; 32]).unwrap();
    source.secret = Some(wrong);
    source.refuse(&second.token, "none of the 1 given encryption keys opens");
    source.secret = None;
    source.refuse(&second.token, "is encrypted; name its key by --encryption.keyfile");
}

#[test]
fn a_backup_and_its_log_restore_to_any_moment() {
    let source = Source::start(None);
    for name in ["docs", "more"] {
        collection(&mut source.server.connect(), "", name);
    }
    let earliest = source.record();
    write_documents(&source.server, 0);
    let before = source.record();
    source.back_up();
    write_documents(&source.server, 1);
    let written = source.record();
    define(&source.server);
    let defined = source.record();
    drop_some(&source.server);
    write_documents(&source.server, 2);
    let dropped = source.record();
    assert_eq!(source.server.connect().json("DELETE", "/_api/database/shop", "").status, 200);
    let last = source.record();
    source.wait_for_archive();
    // Nothing was written between this and the backup.
    source.check(&before.token, &before.state);
    source.check(&written.time, &written.state);
    source.check(&defined.token, &defined.state);
    source.check(&dropped.time, &dropped.state);
    source.check(last.token.rsplit('.').next().unwrap(), &last.state);
    let list = source.tool(&["list"]).success().stdout;
    assert!(list.contains("any moment from"), "{list}");

    for moment in ["2020-01-01", &earliest.time, &earliest.token] {
        source.refuse(moment, "is before the first backup, '20");
    }
    source.refuse("2200-01-01", "after the end of the archived log; the last possible moment is 20");
    source.refuse("v1.abc.5", "of a log that no backup in the repository has");
    source.refuse("yesterday", "--at is 'yesterday'");
    let target = source.target("full");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("mine"), "").unwrap();
    let failure = source.restore(&last.token, &target, &[]).failure();
    assert!(failure.contains("is not empty: it has mine"), "{failure}");
    assert_eq!(fs::read_dir(&target).unwrap().count(), 1);
}

#[test]
fn damaged_and_missing_segments_are_refused() {
    let source = Source::start(None);
    for name in ["docs", "more"] {
        collection(&mut source.server.connect(), "", name);
    }
    source.back_up();
    for round in 0..3 {
        write_documents(&source.server, round);
        source.wait_for_archive();
    }
    let last = source.record();
    source.wait_for_archive();
    let segments = source.segments();
    let middle = &segments[segments.len() - 2];
    let content = fs::read(middle).unwrap();
    let mut damaged = content.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(middle, damaged).unwrap();
    source.refuse(&last.token, "is damaged: its content has a different checksum");
    let verified = source.tool(&["verify"]).failure();
    assert!(verified.contains(middle.to_str().unwrap()), "{verified}");
    fs::remove_file(middle).unwrap();
    source.refuse(&last.token, "the archive has a gap behind the backup");
    let list = source.tool(&["list"]).success().stdout;
    assert!(list.contains("a gap: positions"), "{list}");
    fs::write(middle, content).unwrap();
    source.check(&last.token, &last.state);
    // A file of the backup is missing.
    let files = Path::new(&source.repository).join("files");
    let files = fs::read_dir(files).unwrap().map(|entry| entry.unwrap().path());
    let file = files.flat_map(|folder| fs::read_dir(folder).unwrap()).next().unwrap().unwrap().path();
    fs::remove_file(&file).unwrap();
    source.refuse(&last.token, file.to_str().unwrap());
}

/// Writers insert numbers in turn, each in a transaction over two collections, while backups are
/// made and the server is killed.
#[test]
fn every_moment_has_whole_transactions_through_kills() {
    let mut source = Source::start(None);
    for name in ["left", "right"] {
        collection(&mut source.server.connect(), "", name);
    }
    source.back_up();
    let mut moments = Vec::new();
    for _ in 0..2 {
        let stop = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for writer in 0..2 {
                let (server, stop) = (&source.server, &stop);
                threads.spawn(move || {
                    let mut client = server.connect();
                    while !stop.load(Ordering::Relaxed) {
                        let text = format!(
                            "FOR i IN 1..5 INSERT {{w: {writer}, text: RANDOM_TOKEN(100)}} INTO left \
                             INSERT {{w: {writer}}} INTO right"
                        );
                        post(&mut client, "/_api/cursor", &json!({"query": text}));
                    }
                });
            }
            for _ in 0..2 {
                let segments = source.segments().len();
                wait_for("the log is not archived", || {
                    (source.segments().len() > segments + 3).then_some(())
                })
                .unwrap();
                source.back_up();
                let changes = "/_api/changes?since=now&global=true&timeout=60&limit=1";
                let change = source.server.connect().json("GET", changes, "").json();
                let change = &change["changes"][0];
                moments.extend(["time", "token"].map(|name| change[name].as_str().unwrap().to_owned()));
            }
            stop.store(true, Ordering::Relaxed);
        });
        source.wait_for_archive();
        let data = source.folder.path().join("data");
        let (repository, environment) = (source.repository.clone(), source.environment.clone());
        harness::Server::kill(&mut source.server);
        source.server = Source::launch(&data, &repository, &environment, &[]);
    }
    query(&mut source.server.connect(), "INSERT {} INTO left INSERT {} INTO right");
    let last = source.record();
    source.wait_for_archive();
    for moment in &moments {
        let target = source.target("restored");
        source.restore(moment, &target, &[]).success();
        let server = Server::start(&target, &[]);
        let text = "FOR w IN 0..1 LET l = (FOR d IN left FILTER d.w == w RETURN 1) \
                    LET r = (FOR d IN right FILTER d.w == w RETURN 1) \
                    RETURN [LENGTH(l) == LENGTH(r), LENGTH(l) % 5, LENGTH(l) > 0]";
        let whole = query(&mut server.connect(), text);
        assert_eq!(whole, json!([[true, 0, true], [true, 0, true]]), "{moment}");
        drop(server);
        fs::remove_dir_all(&target).unwrap();
    }
    source.check(&last.token, &last.state);
}

#[test]
fn a_moment_is_restored_from_object_storage() {
    let storage = Storage::start().unwrap();
    let source = Source::start(Some(&storage));
    let second = source.check_two_moments();
    let pruned = source.tool(&["prune", "--keep", "1"]).success().stdout;
    assert!(pruned.contains("deleted 0 backups"), "{pruned}");
    source.check(&second.token, &second.state);
}

#[test]
fn the_log_of_a_killed_server_continues_the_archive() {
    let mut source = Source::start(None);
    for name in ["docs", "more"] {
        collection(&mut source.server.connect(), "", name);
    }
    source.back_up();
    write_documents(&source.server, 1);
    source.wait_for_archive();
    // From here on nothing is archived.
    fs::rename(&source.repository, source.folder.path().join("moved")).unwrap();
    fs::write(&source.repository, "").unwrap();
    write_documents(&source.server, 2);
    let middle = source.record();
    write_documents(&source.server, 3);
    let last = source.record();
    harness::Server::kill(&mut source.server);
    fs::remove_file(&source.repository).unwrap();
    fs::rename(source.folder.path().join("moved"), &source.repository).unwrap();
    source.refuse(&middle.token, "after the end of the archived log");
    let (data, target) = (source.folder.path().join("data"), source.target("restored"));
    for (at, expected) in
        [(middle.time.as_str(), &middle.state), (&middle.token, &middle.state), (&last.token, &last.state)]
    {
        source.restore(at, &target, &["--log-from", data.to_str().unwrap()]).success();
        let server = Server::start(&target, &[]);
        let found = state(&mut server.connect());
        assert!(found == *expected, "at {at}: {}", difference(&found, expected));
        // The folder is not of this log.
        drop(server);
        let other = source.target("other");
        let refused = source.restore(at, &other, &["--log-from", target.to_str().unwrap()]).failure();
        assert!(refused.contains("the log there is not the one of the backup"), "{refused}");
        fs::remove_dir_all(&target).unwrap();
    }
    let later = format!("{}9", last.token);
    let refused = source.restore(&later, &target, &["--log-from", data.to_str().unwrap()]).failure();
    assert!(refused.contains("is after the end of the log"), "{refused}");
    assert!(!target.exists());
}

#[test]
fn the_memory_mapped_engine_is_restored_to_moments_too() {
    let source = Source::start_with(None, &["--server.storage-engine", "mmfiles"]);
    source.check_two_moments();
}
