//! Transfers of a backup between a server and a repository that it reaches.

use std::thread::sleep;
use std::time::Duration;

use client::Client;
use velocypack::{Builder, Limits, Slice, json};

use super::options::{Operation, Settings};
use super::{call, said};
use crate::{Console, Failure};

/// The time between two looks at a transfer.
const LOOK_INTERVAL: Duration = Duration::from_millis(300);

/// The section of the configuration for `--repository`.
const OWN_SECTION: &str = "repository";

pub(super) fn run(client: &Client, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let (operation, name) = match settings.operation {
        Operation::Upload => ("upload", "uploadId"),
        _ => ("download", "downloadId"),
    };
    let number = match &settings.status_id {
        Some(number) => number.clone(),
        None => {
            let number = begin(client, settings, operation, name)?;
            console.info(&format!(
                "Backup initiated, use `persea backup {operation} --status-id={number}` to query progress"
            ));
            if !settings.waits {
                console.print(&number);
                return Ok(());
            }
            number
        }
    };
    loop {
        let report = call(client, operation, |body| {
            body.key(name)?;
            body.add_str(&number)?;
            body.key("abort")?;
            body.add_bool(settings.aborts)
        })?;
        let servers = Slice::new(&report).get("DBServers").unwrap_or(Slice::EMPTY_OBJECT);
        let statuses = servers.entries().map(|(server, state)| (server, state.bytes().to_vec()));
        let states: Vec<(String, Vec<u8>)> = statuses.map(|(name, state)| (name.to_owned(), state)).collect();
        let is_running = states.iter().any(|(_, state)| is_running(&said(state, "Status")));
        if is_running && settings.waits {
            sleep(LOOK_INTERVAL);
            continue;
        }
        return states.iter().try_for_each(|(server, state)| print(server, state, console));
    }
}

fn begin(client: &Client, settings: &Settings, operation: &str, name: &str) -> Result<String, Failure> {
    let (remote, config) = match &settings.repository {
        Some(folder) => {
            let folder = std::path::absolute(folder)
                .map_err(|error| Failure::option(format!("--repository {}: {error}", folder.display())))?;
            let config = format!("{{\"{OWN_SECTION}\":{{\"type\":\"local\"}}}}");
            (format!("{OWN_SECTION}:{}", folder.display()), config.into_bytes())
        }
        None => {
            let path = settings.rclone_config.clone().unwrap_or_default();
            let text = std::fs::read(&path).map_err(|error| {
                Failure::option(format!("--rclone-config-file {}: {error}", path.display()))
            })?;
            (settings.remote_path.clone().unwrap_or_default(), text)
        }
    };
    let mut parsed = Builder::new();
    json::parse(&config, &Limits::default(), &mut parsed)
        .map_err(|error| Failure::option(format!("--rclone-config-file: {error}")))?;
    let reply = call(client, operation, |body| {
        body.key("id")?;
        body.add_str(settings.id())?;
        body.key("remoteRepository")?;
        body.add_str(&remote)?;
        body.key("config")?;
        body.add_slice(parsed.as_slice())
    })?;
    Ok(said(&reply, name))
}

fn is_running(status: &str) -> bool {
    !matches!(status, "COMPLETED" | "FAILED" | "CANCELLED")
}

/// Prints the state of a transfer. Errors: the transfer has failed.
fn print(server: &str, state: &[u8], console: &Console) -> Result<(), Failure> {
    let status = said(state, "Status");
    let progress = Slice::new(state).get("Progress").unwrap_or(Slice::EMPTY_OBJECT);
    let count = |name: &str| progress.get(name).and_then(Slice::as_u64).unwrap_or(0);
    console.print(&format!("{server} Status: {status}, {}/{} files done", count("Done"), count("Total")));
    match status.as_str() {
        "FAILED" => Err(Failure::new(format!("the transfer failed: {}", said(state, "ErrorMessage")))),
        _ => Ok(()),
    }
}
