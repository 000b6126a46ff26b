//! Backups, and copies of them to a folder, while others write.

use std::path::Path;
use std::time::Duration;

use fastrand::Rng;
use harness::http1::Connection;
use harness::wait_within;
use serde_json::{Value, json};

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// Documents that make the store some size.
const DOCUMENTS: usize = 20_000;
const DOCUMENTS_AT_ONCE: usize = 1_000;

/// Backups of one case.
const BACKUPS: usize = 5;

/// Time after which a client leaves.
const PATIENCE: Duration = Duration::from_millis(100);

/// Maximum wait for a copy.
const COPY_WITHIN: Duration = Duration::from_secs(60);

/// See the module.
pub(crate) struct Backups;

impl Attack for Backups {
    fn name(&self) -> &'static str {
        "backups"
    }

    fn summary(&self) -> &'static str {
        "backups and their copies to a folder"
    }

    fn options(&self, folder: &Path) -> Result<Vec<String>, String> {
        Ok(vec!["--backup.local-path-prefix".to_owned(), folder.display().to_string()])
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        let document = |number: usize| json!({"n": number, "text": "abcdefgh".repeat(number % 200)});
        for start in (0..DOCUMENTS).step_by(DOCUMENTS_AT_ONCE) {
            let documents: Vec<Value> = (start..start + DOCUMENTS_AT_ONCE).map(document).collect();
            target.call("POST", "/_api/document/c", &json!(documents).to_string())?;
        }
        Ok(())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let cases = vec![
            Case::new("backups one after another", |target, _| {
                let ids = (0..BACKUPS).map(|_| create(target)).collect::<Result<Vec<_>, _>>()?;
                ids.iter().try_for_each(|id| remove(target, id))
            }),
            Case::new("backups whose clients leave", |target, _| {
                (0..BACKUPS).for_each(|_| leave(target, "create", &json!({"timeout": 30})));
                remove_all(target)
            }),
            Case::new("a copy to a folder", |target, _| copy(target, false)),
            Case::new("a copy to a folder that is ended", |target, _| copy(target, true)),
        ];
        run_cases(target, rng, cases)
    }
}

fn ask(target: &Target, action: &str, body: &Value) -> Result<Value, String> {
    Ok(target.call("POST", &format!("/_admin/backup/{action}"), &body.to_string())?.json()["result"].take())
}

/// Makes a backup and returns its id.
fn create(target: &Target) -> Result<String, String> {
    let made = ask(target, "create", &json!({"timeout": 30}))?;
    made["id"].as_str().map(str::to_owned).ok_or_else(|| format!("a backup without an id: {made}"))
}

fn remove(target: &Target, id: &str) -> Result<(), String> {
    ask(target, "delete", &json!({"id": id})).map(|_| ())
}

fn remove_all(target: &Target) -> Result<(), String> {
    let listed = ask(target, "list", &json!({}))?;
    let ids = listed["list"].as_object().into_iter().flatten().map(|(id, _)| id.clone());
    ids.collect::<Vec<_>>().iter().try_for_each(|id| remove(target, id))
}

/// Sends a request and leaves.
fn leave(target: &Target, action: &str, body: &Value) {
    target.count(1);
    let request = target.request("POST", &format!("/_admin/backup/{action}")).body(body.to_string());
    // Errors: the client has left.
    let _ = Connection::open(target.address(), PATIENCE).and_then(|mut client| client.ask(&request));
}

/// Copies a backup to a folder beside the data, and ends that early if asked.
fn copy(target: &Target, ends: bool) -> Result<(), String> {
    let id = create(target)?;
    let parent = target.data().parent().ok_or("the data are in no folder")?;
    let repository = format!("local:{}/repository", parent.display());
    let config = json!({"local": {"type": "local"}});
    let begun = ask(target, "upload", &json!({"id": id, "remoteRepository": repository, "config": config}))?;
    let upload = begun["uploadId"].clone();
    if ends {
        ask(target, "upload", &json!({"uploadId": upload, "abort": true}))?;
    }
    let has_ended = || {
        let progress = ask(target, "upload", &json!({"uploadId": upload})).ok()?;
        let status = progress["DBServers"].as_object()?.values().next()?["Status"].as_str()?.to_owned();
        matches!(status.as_str(), "COMPLETED" | "CANCELLED" | "FAILED").then_some(status)
    };
    let status = wait_within(COPY_WITHIN, "a copy has ended", has_ended)?;
    remove(target, &id)?;
    if status == "FAILED" { Err("a copy has failed".to_owned()) } else { Ok(()) }
}
