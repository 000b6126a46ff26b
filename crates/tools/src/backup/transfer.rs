//! Transfers of a backup between a server and a repository that it reaches.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use backups::Location;
use client::Client;
use velocypack::{Builder, Limits, Slice, json};

use super::options::{Operation, Settings};
use super::{call, said};
use crate::{Console, Failure};

/// The time between two checks of a transfer.
const LOOK_INTERVAL: Duration = Duration::from_millis(300);

/// The sections of the configuration for `--repository`: of a folder, and of object storage, whose
/// address begins with the section's name.
const FOLDER_SECTION: &str = "repository";
const BUCKET_SECTION: &str = "s3";

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
    let (remote, config) = match (&settings.repository, &settings.rclone_config) {
        (Some(bucket), _) if Location::is_bucket(bucket) => (bucket.clone(), bucket_section()?),
        (Some(folder), _) => {
            let path = std::path::absolute(folder)
                .map_err(|error| Failure::option(format!("--repository {folder}: {error}")))?;
            let section = [("type".to_owned(), "local".to_owned())].into();
            (format!("{FOLDER_SECTION}:{}", path.display()), section_of(FOLDER_SECTION, &section)?)
        }
        (None, file) => {
            let path = file.clone().unwrap_or_default();
            let wrong = |error: &dyn std::fmt::Display| {
                Failure::option(format!("--rclone-config-file {}: {error}", path.display()))
            };
            let text = std::fs::read(&path).map_err(|error| wrong(&error))?;
            let mut parsed = Builder::new();
            json::parse(&text, &Limits::default(), &mut parsed).map_err(|error| wrong(&error))?;
            (settings.remote_path.clone().unwrap_or_default(), parsed)
        }
    };
    let reply = call(client, operation, |body| {
        body.key("id")?;
        body.add_str(settings.id())?;
        body.key("remoteRepository")?;
        body.add_str(&remote)?;
        body.key("config")?;
        body.add_slice(config.as_slice())
    })?;
    Ok(said(&reply, name))
}

/// Returns the configuration of `s3://...`: the key that this tool's environment has.
fn bucket_section() -> Result<Builder, Failure> {
    let mut section = backups::bucket_environment();
    section.insert("type".to_owned(), "s3".to_owned());
    section_of(BUCKET_SECTION, &section)
}

/// Returns a configuration of rclone with one section.
fn section_of(name: &str, settings: &BTreeMap<String, String>) -> Result<Builder, Failure> {
    let mut config = Builder::new();
    config.open_object()?;
    config.key(name)?;
    config.open_object()?;
    for (name, value) in settings {
        config.key(name)?;
        config.add_str(value)?;
    }
    config.close()?;
    config.close()?;
    Ok(config)
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
