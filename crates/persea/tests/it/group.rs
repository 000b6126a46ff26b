//! Groups of servers that elect the one that takes writes.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harness::http1::Connection;
use harness::{Launch, wait_until, wait_within};
use serde_json::{Value, json};

use crate::support::{Client, PROGRAM, Raise, Reply};

const DIRTY: (&str, &str) = ("x-arango-allow-dirty-read", "true");
/// The longest wait for a reply of a server that may be stopped.
const REPLY: Duration = Duration::from_secs(2);
/// The longest wait for a leader, or for a copy, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The members of a group, by their ids less one.
struct Group {
    launches: Vec<Launch>,
    servers: Vec<Option<harness::Server>>,
}

impl Group {
    /// Starts the members that found a group.
    fn start(folder: &Path, count: usize, options: &[&str]) -> Group {
        let launch = |id: usize| {
            let own = id.to_string();
            let options = [&["--log.level", "warning", "--group.own-id", &own][..], options].concat();
            Launch::new(Path::new(PROGRAM), &folder.join(&own), options).unwrap()
        };
        let mut launches: Vec<Launch> = (1..=count).map(launch).collect();
        if !options.contains(&"--server.authentication") {
            launches = with(launches, &["--server.authentication", "false"]);
        }
        let members: Vec<String> = launches
            .iter()
            .zip(1..)
            .flat_map(|(launch, id)| {
                ["--group.member".to_owned(), format!("{id}=tcp://{}", launch.address())]
            })
            .collect();
        let launches = with(launches, &members.iter().map(String::as_str).collect::<Vec<_>>());
        let servers = launches.iter().map(|launch| Some(launch.start().unwrap())).collect();
        Group { launches, servers }
    }

    fn begin(&mut self, member: usize) {
        self.servers[member] = Some(self.launches[member].start().unwrap());
    }

    fn kill(&mut self, member: usize) {
        self.servers[member].take().unwrap().kill();
    }

    fn process(&self, member: usize) -> harness::Process {
        self.servers[member].as_ref().unwrap().process()
    }

    fn connect(&self, member: usize) -> Client {
        Client::new(self.servers[member].as_ref().unwrap().connect().unwrap())
    }

    /// Asks a member; `None` if it does not answer.
    fn ask(&self, member: usize, request: &harness::http1::Request) -> Option<harness::http1::Reply> {
        let mut connection = Connection::open(self.launches[member].address(), REPLY).ok()?;
        connection.ask(request).ok()
    }

    fn get(&self, member: usize, path: &str) -> Option<Value> {
        let request = harness::http1::Request::new("GET", path).header(DIRTY.0, DIRTY.1);
        self.ask(member, &request).map(|reply| reply.json())
    }

    /// Waits until one of these members leads, and returns it.
    #[track_caller]
    fn leader_among(&self, members: &[usize]) -> usize {
        let leads =
            |member: &&usize| self.get(**member, "/_api/group").is_some_and(|view| view["leads"] == true);
        wait_within(PATIENCE, "nobody leads", || members.iter().find(leads).copied()).unwrap()
    }

    /// Waits until a member has everything that the leader has.
    #[track_caller]
    fn wait_for(&self, member: usize, leader: usize) {
        let tick = |value: &Value| value.as_str().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let last = self.get(leader, "/_api/wal/lastTick").unwrap();
        let id = self.get(leader, "/_api/group").unwrap()["id"].clone();
        let mut seen = Value::Null;
        let is_level = || {
            let follows = self.get(member, "/_api/group").is_some_and(|view| view["leader"] == id);
            seen = self.get(member, "/_api/follow").unwrap_or_default();
            let applied = tick(&seen["log"]["applied"]);
            (follows && seen["phase"] == "following" && applied >= tick(&last["tick"])).then_some(())
        };
        if wait_within(PATIENCE, "a member has not caught up", is_level).is_err() {
            panic!("member {member} has not caught up with {}: {seen}", last["tick"]);
        }
    }

    /// Returns the keys and revisions of the collection as a member shows them.
    fn documents(&self, member: usize) -> Value {
        let query =
            json!({"query": "FOR d IN docs SORT d._key RETURN [d._key, d._rev]", "batchSize": 1_000_000});
        let headers = [(DIRTY.0.to_owned(), DIRTY.1.to_owned())];
        let reply = self.connect(member).send("POST", "/_api/cursor", &headers, query.to_string().as_bytes());
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()["result"].clone()
    }
}

fn with(launches: Vec<Launch>, options: &[&str]) -> Vec<Launch> {
    launches.into_iter().map(|launch| launch.with_options(options)).collect()
}

fn insert(key: &str) -> harness::http1::Request {
    harness::http1::Request::new("POST", "/_api/document/docs").body(json!({"_key": key}).to_string())
}

fn create_collection(group: &Group, leader: usize) {
    let body = json!({"name": "docs"}).to_string();
    let reply = group.connect(leader).json("POST", "/_api/collection", &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// Writes documents to whoever leads, until it is told to stop. Returns the keys of those that were
/// acknowledged.
fn write(addresses: &[std::net::SocketAddr], writer: usize, stop: &AtomicBool) -> Vec<String> {
    let (mut member, mut acknowledged, mut number) = (0, Vec::new(), 0);
    let mut connection = None;
    while !stop.load(Ordering::Relaxed) {
        let key = format!("{writer}-{number}");
        let opened = connection.take().or_else(|| Connection::open(addresses[member], REPLY).ok());
        let reply = opened.and_then(|mut opened| Some((opened.ask(&insert(&key)).ok()?, opened)));
        match reply {
            // A repeated write whose first reply was lost finds the document.
            Some((reply, opened)) if reply.status == 202 || reply.error_number() == 1210 => {
                acknowledged.push(key);
                number += 1;
                connection = Some(opened);
            }
            _ => {
                // A key whose fate is not known is not used again.
                number += 1;
                member = (member + 1) % addresses.len();
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
    acknowledged
}

#[test]
fn a_group_replaces_its_leader_and_takes_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut group = Group::start(folder.path(), 3, &[]);
    let first = group.leader_among(&[0, 1, 2]);
    create_collection(&group, first);
    assert_eq!(group.ask(first, &insert("1")).unwrap().status, 202);
    let others: Vec<usize> = (0..3).filter(|member| *member != first).collect();
    others.iter().for_each(|member| group.wait_for(*member, first));
    // Those that follow name the leader, as a driver expects it.
    let refused = group.ask(others[0], &insert("2")).unwrap();
    assert_eq!((refused.status, refused.error_number()), (503, 1496));
    let leader = format!("tcp://{}", group.launches[first].address());
    assert_eq!(refused.header("x-arango-endpoint"), Some(leader.as_str()));
    let endpoints = group.get(others[0], "/_api/cluster/endpoints").unwrap();
    assert_eq!(endpoints["endpoints"][0]["endpoint"], leader);
    let health = group.get(others[1], "/_admin/cluster/health").unwrap();
    assert_eq!(health["Health"][format!("SNGL-{:016x}", first + 1)]["Leading"], true, "{health}");
    let available = |member| {
        let request = harness::http1::Request::new("GET", "/_admin/server/availability");
        group.ask(member, &request).unwrap().status
    };
    assert_eq!((available(first), available(others[0])), (200, 503));

    group.kill(first);
    let second = group.leader_among(&others);
    assert_eq!(group.ask(second, &insert("2")).unwrap().status, 202);
    group.begin(first);
    group.wait_for(first, second);
    assert_eq!(group.documents(first), group.documents(second));

    // A leader that stood still must not write when it goes on: another one leads.
    group.process(second).pause();
    let rest: Vec<usize> = (0..3).filter(|member| *member != second).collect();
    let third = group.leader_among(&rest);
    assert_eq!(group.ask(third, &insert("3")).unwrap().status, 202);
    group.process(second).resume();
    let late = group.ask(second, &insert("late")).unwrap();
    assert!([1495, 1496].contains(&late.error_number()), "{}", late.text());
    (0..3).filter(|member| *member != third).for_each(|member| group.wait_for(member, third));
    for member in 0..3 {
        assert_eq!(group.documents(member).as_array().unwrap().len(), 3);
        assert_eq!(group.documents(member), group.documents(third));
        assert_eq!(group.get(member, "/_api/group").unwrap()["setAside"], json!([]));
    }
}

#[test]
fn members_read_the_log_of_the_leader_of_their_epoch_only() {
    let folder = tempfile::tempdir().unwrap();
    let group = Group::start(folder.path(), 3, &[]);
    let leader = group.leader_among(&[0, 1, 2]);
    let epoch = group.get(leader, "/_api/group").unwrap()["epoch"].as_u64().unwrap();
    let status = |member: usize, epoch: u64| {
        let path = format!("/_api/wal/tail?global=true&from=0&member=9&epoch={epoch}&applied=0");
        let request = harness::http1::Request::new("GET", &path).header(DIRTY.0, DIRTY.1);
        group.ask(member, &request).unwrap().status
    };
    assert_eq!(status(leader, epoch), 200);
    // A member may know of an older or a newer leadership than the server does.
    assert_eq!((status(leader, epoch + 1), status(leader, epoch.saturating_sub(1))), (503, 503));
    for member in (0..3).filter(|member| *member != leader) {
        assert_eq!(status(member, epoch), 503, "member {member} does not lead");
    }
}

/// Makes a member the leader, and waits until the others follow it. Returns its id less one.
#[track_caller]
fn appoint(group: &Group, member: usize) -> usize {
    let body = json!({"id": member + 1}).to_string();
    let reply = group.connect(member).json("POST", "/_api/group/appoint", &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let leader = group.leader_among(&[member]);
    (0..3).filter(|member| *member != leader).for_each(|member| group.wait_for(member, leader));
    leader
}

#[test]
fn members_count_positions_in_the_log_of_the_present_leader() {
    let folder = tempfile::tempdir().unwrap();
    let mut group = Group::start(folder.path(), 3, &[]);
    let first = group.leader_among(&[0, 1, 2]);
    create_collection(&group, first);
    (0..3).filter(|member| *member != first).for_each(|member| group.wait_for(member, first));
    // A start skips positions, so those of this member are far greater than those of the others.
    group.servers[first].take().unwrap().stop().unwrap();
    let rest: Vec<usize> = (0..3).filter(|member| *member != first).collect();
    let second = group.leader_among(&rest);
    group.begin(first);
    group.wait_for(first, second);
    appoint(&group, first);
    assert_eq!(group.ask(first, &insert("1")).unwrap().status, 202);
    rest.iter().for_each(|member| group.wait_for(*member, first));
    appoint(&group, second);
    assert_eq!(group.ask(second, &insert("2")).unwrap().status, 202);
    for member in (0..3).filter(|member| *member != second) {
        let position = |member| group.get(member, "/_api/group").unwrap()["position"].clone();
        wait_until("the positions differ", || position(member) == position(second))
            .unwrap_or_else(|error| panic!("{error}: {} and {}", position(member), position(second)));
        let log = group.get(member, "/_api/follow").unwrap()["log"].clone();
        assert_eq!((&log["applied"], &log["lagEntries"]), (&log["last"], &json!(0)));
    }
    // Whoever has led still tells what changes.
    let changes = std::thread::scope(|threads| {
        let waiting = threads.spawn(|| {
            let mut connection = Connection::open(group.launches[first].address(), PATIENCE).unwrap();
            let path = "/_api/changes?since=now&timeout=60";
            let request = harness::http1::Request::new("GET", path).header(DIRTY.0, DIRTY.1);
            connection.ask(&request).unwrap().json()
        });
        let mut number = 3;
        while !waiting.is_finished() {
            assert_eq!(group.ask(second, &insert(&number.to_string())).unwrap().status, 202);
            number += 1;
            std::thread::sleep(Duration::from_millis(50));
        }
        waiting.join().unwrap()
    });
    assert!(!changes["changes"].as_array().unwrap().is_empty(), "{changes}");
}

#[test]
fn a_synchronous_group_loses_no_acknowledged_write() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--group.synchronous", "true", "--group.acknowledgement-timeout", "5"];
    let mut group = Group::start(folder.path(), 3, &options);
    let leader = group.leader_among(&[0, 1, 2]);
    create_collection(&group, leader);
    let addresses: Vec<_> = group.launches.iter().map(Launch::address).collect();
    let stop = AtomicBool::new(false);
    let acknowledged = std::thread::scope(|threads| {
        let end = Raise(&stop);
        let start = |writer| {
            let (addresses, stop) = (&addresses, &stop);
            threads.spawn(move || write(addresses, writer, stop))
        };
        let writers: Vec<_> = (0..4).map(start).collect();
        for _ in 0..3 {
            let leader = group.leader_among(&[0, 1, 2]);
            std::thread::sleep(Duration::from_millis(500));
            group.kill(leader);
            let rest: Vec<usize> = (0..3).filter(|member| *member != leader).collect();
            group.leader_among(&rest);
            group.begin(leader);
        }
        drop(end);
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect::<Vec<String>>()
    });
    let leader = group.leader_among(&[0, 1, 2]);
    (0..3).filter(|member| *member != leader).for_each(|member| group.wait_for(member, leader));
    let documents = group.documents(leader);
    let known: Vec<&str> = documents.as_array().unwrap().iter().map(|one| one[0].as_str().unwrap()).collect();
    assert!(acknowledged.len() > 100, "{}", acknowledged.len());
    let lost: Vec<&String> =
        acknowledged.iter().filter(|key| known.binary_search(&key.as_str()).is_err()).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), acknowledged.len());
    (0..3).for_each(|member| assert_eq!(group.documents(member), documents));
}

#[test]
fn a_former_leader_keeps_aside_what_it_alone_had() {
    a_former_leader_keeps_writes_aside(None);
}

#[test]
fn a_former_leader_with_encrypted_data_encrypts_what_it_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, [5; 32]).unwrap();
    a_former_leader_keeps_writes_aside(secret.to_str());
}

fn a_former_leader_keeps_writes_aside(secret: Option<&str>) {
    let folder = tempfile::tempdir().unwrap();
    // The lease holds for as long as the test needs to write.
    let keyfile = secret.map(|secret| ["--rocksdb.encryption-keyfile", secret]);
    let options = [&["--group.lease", "10"][..], keyfile.as_ref().map_or(&[], |keyfile| keyfile.as_slice())];
    let mut group = Group::start(folder.path(), 3, &options.concat());
    let former = group.leader_among(&[0, 1, 2]);
    create_collection(&group, former);
    assert_eq!(group.ask(former, &insert("both")).unwrap().status, 202);
    let others: Vec<usize> = (0..3).filter(|member| *member != former).collect();
    others.iter().for_each(|member| group.wait_for(*member, former));
    others.iter().for_each(|member| group.process(*member).pause());
    for number in 0..10 {
        assert_eq!(group.ask(former, &insert(&format!("alone-{number}"))).unwrap().status, 202);
    }
    group.kill(former);
    others.iter().for_each(|member| group.process(*member).resume());
    let leader = group.leader_among(&others);
    assert_eq!(group.ask(leader, &insert("later")).unwrap().status, 202);
    group.begin(former);
    group.wait_for(former, leader);
    assert_eq!(group.documents(former), group.documents(leader));
    let view = group.get(former, "/_api/group").unwrap();
    let file = view["setAside"][0].as_str().unwrap_or_else(|| panic!("{view}"));
    let text = set_aside(Path::new(file), secret);
    let keys: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|entry| entry["data"]["_key"].as_str().unwrap_or_default().to_owned())
        .collect();
    // A member that stood still had asked before, and got the first of them when it went on.
    let documents = group.documents(leader);
    let is_there = |key: &String| documents.as_array().unwrap().iter().any(|one| one[0] == key.as_str());
    let expected: Vec<String> = (0..10).map(|number| format!("alone-{number}")).collect();
    let expected: Vec<String> = expected.into_iter().filter(|key| !is_there(key)).collect();
    assert!(expected.len() >= 5, "the others have {documents}");
    assert_eq!(keys, expected);
    let problems = group.get(former, "/_api/follow").unwrap()["problems"].to_string();
    assert!(problems.contains(&format!("{} entries", keys.len())), "{problems}");
    // The file stays, and is shown after a start too.
    let listed = view["setAside"].clone();
    group.kill(former);
    group.begin(former);
    assert_eq!(group.get(former, "/_api/group").unwrap()["setAside"], listed);
}

/// Returns the entries of a file as the tool prints them. An encrypted file has no text in it.
fn set_aside(file: &Path, secret: Option<&str>) -> String {
    let print = |keyfile: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command.args(["group", "set-aside", "--file"]).arg(file).args(keyfile);
        command.output().unwrap()
    };
    let text = |output: &[u8]| String::from_utf8_lossy(output).into_owned();
    let bytes = std::fs::read(file).unwrap();
    let without = print(&[]);
    let Some(secret) = secret else {
        assert_eq!(text(&without.stdout), text(&bytes));
        return text(&bytes);
    };
    assert!(!bytes.windows(5).any(|window| window == b"alone"));
    assert_eq!(without.status.code(), Some(1));
    assert!(text(&without.stderr).contains("--encryption.keyfile"), "{}", text(&without.stderr));
    let output = print(&["--encryption.keyfile", secret]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Asks as the user root.
fn as_root(group: &Group, member: usize, method: &str, path: &str, body: &Value) -> Reply {
    let headers = [("authorization".to_owned(), "Basic cm9vdDpzZWNyZXQ=".to_owned())];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    group.connect(member).send(method, path, &headers, body.as_bytes())
}

#[test]
fn operators_appoint_add_and_remove_members() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--server.authentication",
        "true",
        "--server.jwt-secret",
        "a secret of all members",
        "--server.password",
        "secret",
    ];
    let mut group = Group::start(folder.path(), 3, &options);
    let leads = |group: &Group, member: usize| {
        as_root(group, member, "GET", "/_api/group", &Value::Null).json()["leads"] == true
    };
    let find = || (0..3).find(|member| leads(&group, *member));
    let first = wait_within(PATIENCE, "nobody leads", find).unwrap();
    let chosen = (first + 1) % 3;
    let follows =
        |member| as_root(&group, member, "GET", "/_api/follow", &Value::Null).json()["phase"] == "following";
    wait_until("the member does not follow", || follows(chosen)).unwrap();
    // Any member can be asked.
    let asked = (first + 2) % 3;
    let reply = as_root(&group, asked, "POST", "/_api/group/appoint", &json!({"id": chosen + 1}));
    assert_eq!(reply.status, 200, "{}", reply.text());
    wait_until("the member does not lead", || leads(&group, chosen)).unwrap();
    let unknown = as_root(&group, asked, "POST", "/_api/group/appoint", &json!({"id": 9}));
    assert_eq!((unknown.status, unknown.json()["errorNum"].clone()), (400, json!(10)), "{}", unknown.text());

    let members: Vec<String> = group
        .launches
        .iter()
        .zip(1..)
        .flat_map(|(launch, id)| ["--group.member".to_owned(), format!("{id}=tcp://{}", launch.address())])
        .collect();
    let options = [&["--log.level", "warning", "--group.own-id", "4"][..], &options].concat();
    let launch = Launch::new(Path::new(PROGRAM), &folder.path().join("4"), options).unwrap();
    let endpoint = format!("tcp://{}", launch.address());
    let launch = launch.with_options(&members).with_options(["--group.member", &format!("4={endpoint}")]);
    group.launches.push(launch);
    group.servers.push(None);
    group.begin(3);
    let add = json!({"id": 4, "endpoint": endpoint});
    let reply = as_root(&group, asked, "POST", "/_api/group/members", &add);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let is_level = || as_root(&group, 3, "GET", "/_api/follow", &Value::Null).json()["phase"] == "following";
    wait_until("the new member does not follow", is_level).unwrap();
    let leader =
        as_root(&group, first, "DELETE", &format!("/_api/group/members/{}", chosen + 1), &Value::Null);
    assert_eq!(leader.status, 400, "a leader is not removed: {}", leader.text());
    let reply = as_root(&group, chosen, "DELETE", "/_api/group/members/4", &Value::Null);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.json()["members"].as_array().unwrap().len(), 3);
    // Messages are for members, who have the secret.
    let reply = as_root(&group, chosen, "POST", "/_api/group/message", &json!({}));
    assert_eq!(reply.status, 403, "{}", reply.text());
    // The elections of a member decide whom it follows, also while it leads.
    let source = json!({"endpoint": endpoint, "username": "root", "password": "secret"});
    for (member, method, path, body) in [
        (asked, "POST", "/_api/follow/pause", &Value::Null),
        (chosen, "PUT", "/_api/follow", &source),
        (chosen, "PUT", "/_api/replication/applier-config?global=true", &source),
        (chosen, "DELETE", "/_api/replication/applier-state?global=true", &Value::Null),
    ] {
        let reply = as_root(&group, member, method, path, body);
        assert_eq!(reply.json()["errorNum"], 1407, "{path}: {}", reply.text());
    }
    // An orderly stop hands the leadership over, without a wait for the lease.
    let mut former = group.servers[chosen].take().unwrap();
    former.stop().unwrap();
    let another = || [first, asked].into_iter().find(|member| leads(&group, *member));
    wait_within(PATIENCE, "nobody leads", another).unwrap();
}

#[test]
fn options_that_cannot_work_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let open = ["--server.authentication", "false"];
    let member = ["--group.member", "1=tcp://127.0.0.1:1"];
    for (options, reason) in [
        (&["--group.own-id", "1"][..], "--group.own-id needs --group.member"),
        (
            &["--group.member", "1=tcp://127.0.0.1:1", "--group.own-id", "2"],
            "it must be the id of a member: 1",
        ),
        (&["--group.member", "tcp://127.0.0.1:1"], "it must be ID=ENDPOINT"),
        (&["--group.member", "0=tcp://127.0.0.1:1"], "the id must be a number from 1 on"),
        (&["--group.member", "1=ftp://127.0.0.1:1"], "--group.member is '1=ftp://127.0.0.1:1'"),
        (
            &[&member[..], &["--group.own-id", "1", "--group.lease", "0.1"]].concat(),
            "--group.lease must be between",
        ),
        (
            &[&member[..], &["--group.own-id", "1", "--follow", "tcp://127.0.0.1:2"]].concat(),
            "--follow and --group.member exclude each other",
        ),
        (&[&member[..], &["--group.own-id", "1", "--changes.log", "never"]].concat(), "may not be 'never'"),
        (
            &[&member[..], &["--group.own-id", "1", "--server.authentication", "true"]].concat(),
            "needs --server.jwt-secret-keyfile",
        ),
    ] {
        let output = std::process::Command::new(PROGRAM)
            .arg("server")
            .args(open)
            .args(["--server.endpoint", "tcp://127.0.0.1:0"])
            .args(options)
            .arg(&data)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(reason), "{options:?}: {text}");
    }
}
