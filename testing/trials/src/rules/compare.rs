//! The comparison of replies.

use client::{Client, Error, Request, Response};
use harness::requests::ask;
use serde_json::{Value, json};

use super::reads::Read;
use super::world::{COPY, RULED};

/// Members of replies that differ between two databases.
const OWN: [&str; 12] = [
    "_rev",
    "_oldRev",
    "id",
    "globallyUniqueId",
    "objectId",
    "revision",
    "stats",
    "planCacheKey",
    "plan",
    "errorMessage",
    "accessRules",
    "extra",
];

/// Sends a request to a database. Errors: text for the user, if there is no reply.
pub(crate) fn send(client: &Client, read: &Read, database: &str) -> Result<Response, String> {
    let mut request = read.request(database)?;
    if read.is_of_batch {
        let body = json!({"ttl": 60});
        let opened = ask(client, Request::post("/_api/replication/batch").database(database), &body);
        let opened = opened.map_err(|failure| failure.to_string())?;
        request = request.query("batchId", opened["id"].as_str().unwrap_or_default());
    }
    client.send(&request).map_err(|error: Error| format!("{} {}: {error}", read.method, read.path))
}

/// Returns the complaints about the replies of both databases to a request.
pub(crate) fn compare(client: &Client, read: &Read, secrets: &[String]) -> Result<Vec<String>, String> {
    let (ruled, copy) = (send(client, read, RULED)?, send(client, read, COPY)?);
    let mut complaints = leaks(read, &ruled, secrets);
    let described = || format!("{} {} {}", read.method, read.path, read.body);
    if ruled.status() != copy.status() {
        let text = String::from_utf8_lossy(ruled.body()).into_owned();
        complaints.push(format!("{}: {} instead of {}: {text}", described(), ruled.status(), copy.status()));
    } else if let (Some(left), Some(right)) = (parsed(&ruled), parsed(&copy))
        && left != right
    {
        complaints.push(format!("{}:\n  {left}\n  instead of\n  {right}", described()));
    }
    Ok(complaints)
}

/// Returns a complaint for a reply with the text of a hidden document.
pub(crate) fn leaks(read: &Read, reply: &Response, secrets: &[String]) -> Vec<String> {
    let text = String::from_utf8_lossy(reply.body());
    let found = secrets.iter().find(|secret| text.contains(secret.as_str()));
    let complaint =
        |secret: &String| format!("{} {} {} tells {secret}: {text}", read.method, read.path, read.body);
    found.map(complaint).into_iter().collect()
}

/// Returns the reply without what differs between databases, and without the order of arrays. Lines
/// become an array.
fn parsed(reply: &Response) -> Option<Value> {
    let text = std::str::from_utf8(reply.body()).ok()?;
    let text = text.replace("/_db/ruled/", "/_db/copy/");
    let mut value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(_) => {
            let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
            Value::Array(lines.ok()?)
        }
    };
    let warnings = value.pointer("/extra/warnings").cloned();
    let full_count = value.pointer("/extra/stats/fullCount").cloned();
    reduce(&mut value);
    if let Some(members) = value.as_object_mut() {
        members.extend(warnings.map(|warnings| ("warnings".to_owned(), warnings)));
        members.extend(full_count.map(|count| ("fullCount".to_owned(), count)));
    }
    Some(value)
}

fn reduce(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !OWN.contains(&name.as_str()));
            members.values_mut().for_each(reduce);
        }
        Value::Array(members) => {
            members.iter_mut().for_each(reduce);
            // Where a query gives no order, the rule may choose another index.
            members.sort_by_cached_key(Value::to_string);
        }
        _ => {}
    }
}
