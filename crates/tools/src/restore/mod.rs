//! `persea restore`, also called through a link named `arangorestore`: a dump's folder into a
//! server.
//!
//! [`options`] reads the options. [`folder`] reads the contents of the dump. [`database`] has
//! collections ([`create`]) and views created; between them, its threads ([`work`]) send documents
//! and create indexes.
//! [`data`] reads data files in blocks of whole lines. [`server`] makes the requests. [`state`]
//! stores the progress in the folder, for `--continue`.

mod create;
mod data;
mod database;
mod duplicates;
mod folder;
mod lines;
mod options;
mod server;
mod state;
mod work;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use client::{Client, Request};

use self::options::Settings;
use crate::archive::info::Info;
use crate::archive::{key, names};
use crate::options::server::client_options;
use crate::{Console, Failure, Server, Tool, connect, create_database};
use ::options::Options;

/// ArangoDB's number of the error that a database does not exist.
const DATABASE_NOT_FOUND: u64 = 1228;
/// The pause between two attempts to reach the server.
const CONNECT_PAUSE: Duration = Duration::from_secs(1);
const SYSTEM: &str = "_system";

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "restore",
    links: &["arangorestore"],
    summary: "restore databases from a dump",
    when_stopped: "run the same command with --continue true to resume",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options)?;
    if !settings.folder.is_dir() {
        let folder = settings.folder.display();
        return Err(Failure::option(format!("--input-directory: {folder} is not a folder")));
    }
    // Before anything is created on the server.
    let databases = if settings.all_databases { databases(&settings)? } else { Vec::new() };
    if !settings.all_databases {
        key::check(&settings.folder, &settings.files)?;
    }
    wait_for_server(options, settings.connect_retries, console)?;
    let server = connect(options, console, settings.create_database && !settings.all_databases)?;
    if !settings.all_databases {
        return database::restore(&server, &settings, &settings.folder, console);
    }
    for (name, folder) in databases {
        console.info(&format!("database {name:?} from {}", folder.display()));
        let client = server.client.with_database(&name)?;
        provide_database(&client, &settings)?;
        let server = Server { client, ..server.clone() };
        database::restore(&server, &settings, &folder, console)
            .map_err(|failure| failure.during(&format!("database {name:?}")))?;
    }
    Ok(())
}

/// Asks the endpoints several times for a server: it may be starting.
fn wait_for_server(options: &Options, retries: u64, console: &Console) -> Result<(), Failure> {
    let clients =
        client_options(options)?.into_iter().map(Client::new).collect::<client::Result<Vec<_>>>()?;
    for left in (0..retries).rev() {
        let mut unreachable = None;
        for client in &clients {
            match client.send(&Request::get("/_api/version").database(SYSTEM)) {
                Err(error) if error.is_connection() => unreachable = Some(error),
                _ => return Ok(()),
            }
        }
        if let Some(error) = unreachable.filter(|_| left > 0) {
            console.warning(&format!("{error}; trying again"));
            std::thread::sleep(CONNECT_PAUSE);
        }
    }
    Ok(())
}

/// Returns the databases of a folder, the system database last. Errors: one of the dumps has
/// another form than the options say.
///
/// The login in use may change with the system database.
fn databases(settings: &Settings) -> Result<Vec<(String, PathBuf)>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("the folder {} cannot be read: {error}", settings.folder.display()))
    };
    let mut found = Vec::new();
    for entry in settings.folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_dir() {
            key::check(&path, &settings.files)?;
            let info = settings.files.read(&path.join(names::INFO)).ok().and_then(|text| Info::parse(&text));
            let database = info.and_then(|info| info.database).unwrap_or_else(|| name.to_owned());
            found.push((database, path));
        }
    }
    if found.is_empty() {
        let folder = settings.folder.display();
        return Err(Failure::new(format!(
            "{folder} has no database folders, which --all-databases requires"
        )));
    }
    found.sort_by_key(|(name, _)| (name == SYSTEM, name.clone()));
    Ok(found)
}

/// Creates the client's database if it does not exist.
fn provide_database(client: &Client, settings: &Settings) -> Result<(), Failure> {
    match client.call(&Request::get("/_api/database/current")) {
        Ok(_) => Ok(()),
        Err(error) if settings.create_database && error.number() == Some(DATABASE_NOT_FOUND) => {
            create_database(client)
        }
        Err(error) => Err(error.into()),
    }
}
