//! Jobs of queues.

use serde_json::{Value, json};

use super::{get, install, service};
use crate::support::{Client, Server, query};

const OFTEN: &[&str] = &["--foxx.queues-poll-interval", "0.02"];

fn manifest() -> Value {
    json!({"main": "index.js", "scripts": {"setup": "setup.js", "work": "work.js", "fail": "fail.js"}})
}

const FILES: &[(&str, &str)] = &[
    ("setup.js", "require('@arangodb').db._create(module.context.collectionName('done'));"),
    (
        "index.js",
        "const router = require('@arangodb/foxx/router')();
         const queue = require('@arangodb/foxx/queues').create('work', 2);
         const mount = module.context.mount;
         module.context.use(router);
         router.post('/jobs', (req, res) => {
           const { script, data, options = {} } = req.body;
           const told = (result, data, job) => require('@arangodb').db.w_done.save({ told: job.status, result });
           res.json(queue.push({ mount, name: script }, data, { ...options, success: told, failure: told }));
         }).body(require('joi').object().required());",
    ),
    ("work.js", "module.context.collection('done').save({ argv: module.context.argv }); module.exports = 'well';"),
    (
        "fail.js",
        "module.context.collection('done').save({ tried: true }); throw new Error('on purpose');",
    ),
];

fn push(client: &mut Client, body: &Value) -> String {
    let reply = client.json("POST", "/w/jobs", &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json().as_str().unwrap().to_owned()
}

/// Waits until a job has a status, and returns its document.
#[track_caller]
fn wait_for(client: &mut Client, id: &str, status: &str) -> Value {
    let begin = std::time::Instant::now();
    loop {
        let job = query(client, &format!("RETURN DOCUMENT('{id}')"))[0].clone();
        if job["status"] == status {
            return job;
        }
        assert!(begin.elapsed().as_secs() < 60, "{job}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn jobs_run_are_tried_again_and_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Server::start(&data, OFTEN);
    let mut client = server.connect();
    let source = service(folder.path(), "w", &manifest(), FILES);
    let reply = install(&mut client, "/w", &source);
    assert_eq!(reply.status, 201, "{}", reply.text());

    let id = push(&mut client, &json!({"script": "work", "data": {"n": 1}}));
    let job = wait_for(&mut client, &id, "complete");
    assert_eq!((&job["runs"], &job["runFailures"]), (&json!(1), &json!(0)));
    let argv = query(&mut client, "FOR d IN w_done FILTER d.argv RETURN d.argv");
    assert_eq!(argv, json!([[{"n": 1}, id]]));

    let options = json!({"maxFailures": 2, "backOff": 1});
    let id = push(&mut client, &json!({"script": "fail", "options": options}));
    let job = wait_for(&mut client, &id, "failed");
    assert_eq!(job["failures"].as_array().unwrap().len(), 3, "{job}");
    assert!(job["failures"][0]["message"].as_str().unwrap().contains("on purpose"), "{job}");
    assert_eq!(query(&mut client, "RETURN LENGTH(FOR d IN w_done FILTER d.tried RETURN 1)"), json!([3]));

    let repeated = json!({"repeatTimes": 2, "repeatDelay": 1});
    let id = push(&mut client, &json!({"script": "work", "options": repeated}));
    assert_eq!(wait_for(&mut client, &id, "complete")["runs"], json!(3));

    // The functions are told of the end of each run, but not of attempts. A job that repeats is
    // pending.
    let told = "FOR d IN w_done FILTER d.told SORT d.told RETURN DISTINCT d.told";
    let begin = std::time::Instant::now();
    while query(&mut client, told) != json!(["complete", "failed", "pending"]) {
        assert!(begin.elapsed().as_secs() < 60, "{}", query(&mut client, told));
    }

    // One that waits, and one that a kill has interrupted.
    let later = push(&mut client, &json!({"script": "work", "options": {"delayUntil": 4e15}}));
    let key = later.strip_prefix("_jobs/").unwrap();
    query(&mut client, &format!("UPDATE '{key}' WITH {{status: 'progress', delayUntil: 0}} IN _jobs"));
    server.kill();
    let server = Server::start(&data, OFTEN);
    let mut client = server.connect();
    wait_for(&mut client, &later, "complete");
    assert_eq!(get(&mut client, "/_api/document/_queues/work").0, 200);

    // Jobs that are due are found by an index.
    let indexes = client.send("GET", "/_api/index?collection=_jobs", &[], b"").json();
    let is_of_jobs = |index: &Value| index["fields"] == json!(["queue", "status", "delayUntil"]);
    assert_eq!(indexes["indexes"].as_array().unwrap().iter().filter(|index| is_of_jobs(index)).count(), 1);
}

#[test]
fn no_job_runs_where_queues_are_off() {
    let folder = tempfile::tempdir().unwrap();
    let off = ["--foxx.queues", "false", "--foxx.queues-poll-interval", "0.02"];
    let server = Server::start(&folder.path().join("data"), &off);
    let mut client = server.connect();
    let source = service(folder.path(), "w", &manifest(), FILES);
    assert_eq!(install(&mut client, "/w", &source).status, 201);
    let id = push(&mut client, &json!({"script": "work"}));
    std::thread::sleep(std::time::Duration::from_millis(300));
    wait_for(&mut client, &id, "pending");
}
