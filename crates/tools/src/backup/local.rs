//! The local backups of a server.

use std::thread::sleep;
use std::time::{Duration, Instant};

use client::{Client, Request};
use velocypack::Slice;

use super::options::Settings;
use super::{call, said};
use crate::{Console, Failure};

/// The time between two checks of a server that starts again.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// The minimum difference between the starts of two processes. The two numbers that give a start
/// are read one after another.
const START_TOLERANCE_SECONDS: f64 = 0.1;

pub(super) fn create(client: &Client, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let reply = call(client, "create", |body| {
        body.key("label")?;
        body.add_str(&settings.label)?;
        body.key("timeout")?;
        body.add_f64(settings.lock_wait.as_secs_f64())?;
        body.key("allowInconsistent")?;
        body.add_bool(settings.allows_inconsistent)?;
        body.key("force")?;
        body.add_bool(settings.force)
    })?;
    if Slice::new(&reply).get("potentiallyInconsistent").and_then(Slice::as_bool) == Some(true) {
        console.warning("the backup may contain part of a query's writes");
    }
    console.info(&format!("Backup succeeded. Generated identifier '{}'", said(&reply, "id")));
    console.print(&said(&reply, "id"));
    Ok(())
}

pub(super) fn delete(client: &Client, settings: &Settings, console: &Console) -> Result<(), Failure> {
    call(client, "delete", |body| {
        body.key("id")?;
        body.add_str(settings.id())
    })?;
    console.info(&format!("Successfully deleted '{}'", settings.id()));
    Ok(())
}

pub(super) fn list(client: &Client, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let reply = call(client, "list", |body| match &settings.identifier {
        None => Ok(()),
        Some(id) => {
            body.key("id")?;
            body.add_str(id)
        }
    })?;
    let list = Slice::new(&reply).get("list").unwrap_or(Slice::EMPTY_OBJECT);
    let mut ids = Vec::new();
    for (id, backup) in list.entries() {
        let is_available = backup.get("available").and_then(Slice::as_bool).unwrap_or(true);
        ids.push(format!(
            "{id}{}",
            if is_available { "" } else { "  (damaged: its manifest cannot be read)" }
        ));
    }
    ids.sort();
    console.info(match ids.is_empty() {
        true => "There are no backups available.",
        false => "The following backups are available:",
    });
    ids.iter().for_each(|id| console.print(id));
    Ok(())
}

pub(super) fn restore(client: &Client, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let before = start_of(client).unwrap_or_default();
    let reply = call(client, "restore", |body| {
        body.key("id")?;
        body.add_str(settings.id())
    })?;
    console.info(&format!(
        "the server restarts with '{}'; its current data become '{}'",
        settings.id(),
        said(&reply, "previous")
    ));
    if settings.restart_wait.is_zero() {
        return Ok(());
    }
    let start = Instant::now();
    while start.elapsed() < settings.restart_wait {
        // The old process answers for a moment, and then nobody does.
        if start_of(client).is_some_and(|now| now - before > START_TOLERANCE_SECONDS) {
            console.info(&format!("Successfully restored '{}'", settings.id()));
            return Ok(());
        }
        sleep(LOOK_INTERVAL);
    }
    let seconds = settings.restart_wait.as_secs_f64();
    Err(Failure::new(format!("the server did not restart within {seconds} s; see its log")))
}

/// Returns the moment of the server's start in seconds since 1970. `None` while it does not answer.
fn start_of(client: &Client) -> Option<f64> {
    let reply = client.call(&Request::get("/_admin/statistics")).ok()?.value().ok()?;
    let reply = Slice::new(&reply);
    let now = reply.get("time")?.as_f64()?;
    Some(now - reply.get_path(&["server", "uptime"])?.as_f64()?)
}
