//! `probe`: the server that may be taken over, as Persea sees it.

use client::Client;
use velocypack::Slice;

use super::options::Settings;
use crate::following::{command, problems};
use crate::{Console, Failure};

/// The advice for a cluster, whose Coordinators have no log.
const CLUSTER: &str = "the server belongs to a cluster: the log of a cluster cannot be followed. Stop its writers, run `persea dump` \
     and `persea restore`, then `persea migrate compare`";

/// Asks Persea to look at the source, and prints the reply.
///
/// Errors: Persea cannot follow the source.
pub(super) fn run(client: &Client, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let reply = command(client, "probe", |body| settings.source.write(body))?;
    let reply = Slice::new(&reply);
    match settings.is_json {
        true => console.print(&reply.to_json_string()),
        false => lines(reply).iter().for_each(|line| console.print(line)),
    }
    match reply.get("canFollow").and_then(Slice::as_bool) {
        Some(true) => Ok(()),
        _ if is_cluster(reply) => Err(Failure::new(CLUSTER)),
        _ => Err(Failure::new(format!("Persea cannot take this server over: {}", obstacle(reply)))),
    }
}

fn is_cluster(reply: Slice<'_>) -> bool {
    let role = reply.get_path(&["source", "role"]).and_then(Slice::as_str).unwrap_or_default();
    !role.is_empty() && role != "single"
}

/// Returns the reason for which the server cannot be followed.
fn obstacle(reply: Slice<'_>) -> &str {
    let message = reply.get_path(&["obstacle", "errorMessage"]).and_then(Slice::as_str);
    message.unwrap_or("the problems say why")
}

fn lines(reply: Slice<'_>) -> Vec<String> {
    let text = |path: &[&str]| {
        let value = reply.get_path(path).unwrap_or(Slice::NONE);
        value.as_str().map_or_else(|| value.to_json_string(), str::to_owned)
    };
    let mut lines: Vec<String> = ["endpoint", "product", "version", "engine", "role", "readOnly"]
        .iter()
        .map(|name| format!("{:<13}{}", format!("{name}:"), text(&["source", name])))
        .collect();
    let databases = reply.get("databases").filter(|list| list.is_array()).unwrap_or(Slice::EMPTY_ARRAY);
    for database in databases.elements() {
        let count = |name| database.get(name).and_then(Slice::as_u64).unwrap_or(0);
        let name = database.get("name").and_then(Slice::as_str).unwrap_or_default();
        lines.push(format!(
            "{:<13}{name}: {} collections, {} documents",
            "database:",
            count("collections"),
            count("documents")
        ));
    }
    lines.extend(problems(reply).iter().map(|problem| format!("{:<13}{}", "problem:", problem.line())));
    lines
}
