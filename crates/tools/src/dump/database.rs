//! The dump of one database.

use std::path::{Path, PathBuf};

use client::{Client, Request};
use replication_client::Snapshot;
use velocypack::Slice;

use super::file::write_file;
use super::inventory::Inventory;
use super::options::Settings;
use super::work;
use crate::archive::info::Info;
use crate::archive::{key, names};
use crate::encrypted::Files;
use crate::{Console, Failure, Server};

/// Returns all databases that the user may see, and the folder of each.
pub(super) fn folders(client: &Client, settings: &Settings) -> Result<Vec<(String, PathBuf)>, Failure> {
    let reply = client.call(&Request::get("/_api/database/user"))?.value()?;
    let mut folders = Vec::new();
    for name in Slice::new(&reply).get("result").into_iter().flat_map(Slice::elements) {
        let Some(name) = name.as_str() else { continue };
        let folder = match names::is_plain(name) {
            true => name.to_owned(),
            false => database_id(&client.with_database(name)?)?,
        };
        folders.push((name.to_owned(), settings.folder.join(folder)));
    }
    folders.sort();
    Ok(folders)
}

fn database_id(client: &Client) -> Result<String, Failure> {
    let reply = client.call(&Request::get("/_api/database/current"))?.value()?;
    let id = Slice::new(&reply).get_path(&["result", "id"]).and_then(Slice::as_str);
    id.map(str::to_owned).ok_or_else(|| Failure::new("the server does not return the ID of the database"))
}

/// Writes the client's database into a folder.
pub(super) fn dump(
    server: &Server,
    settings: &Settings,
    folder: &Path,
    console: &Console,
) -> Result<(), Failure> {
    check_earlier(folder, &settings.files)?;
    let client = &server.client;
    let files = &settings.files;
    let warning = console.clone();
    let snapshot = Snapshot::open(client, move |error| {
        warning.warning(&format!("the snapshot on the server could not be kept alive: {error}"));
    })?;
    let inventory = Inventory::read(Slice::new(&snapshot.inventory()?), settings)?;
    let mut info = Info {
        database: Some(client.options().database.clone()),
        tick: inventory.tick.clone(),
        envelopes: Some(settings.envelopes),
        velocypack: settings.velocypack,
        properties: inventory.properties.clone(),
        is_complete: Some(false),
    };
    let info_path = folder.join(names::INFO);
    write_file(&Files::default(), &folder.join(names::ENCRYPTION), key::content(files))?;
    write_file(files, &info_path, &info.print())?;
    for view in &inventory.views {
        let name = if names::is_plain(&view.name) { &view.name } else { &view.id };
        let path = folder.join(format!("{name}{}", names::VIEW));
        write_file(files, &path, &format!("{}\n", view.definition))?;
    }
    for collection in &inventory.collections {
        let path = folder.join(format!("{}{}", collection.stem, names::STRUCTURE));
        write_file(files, &path, &format!("{}\n", collection.structure))?;
    }
    let done = work::fetch_all(server, &snapshot, inventory.collections, settings, folder, console)?;
    info.is_complete = Some(true);
    write_file(files, &info_path, &info.print())?;
    console.info(&format!("{done}, into {}", folder.display()));
    tell_left_out(client, &inventory.without, console);
    Ok(())
}

/// Checks that a dump that the folder has already has the same form and key.
///
/// Its collections may stay in the folder beside the new ones. Errors: it has not.
fn check_earlier(folder: &Path, files: &Files) -> Result<(), Failure> {
    if !folder.join(names::ENCRYPTION).exists() && !folder.join(names::INFO).exists() {
        return Ok(());
    }
    key::check(folder, files).map_err(|failure| failure.during("the earlier dump in the folder"))
}

/// Tells which system collections have documents that the dump lacks.
fn tell_left_out(client: &Client, names: &[String], console: &Console) {
    let count = |name: &String| {
        let reply = client.call(&Request::get("/_api/collection").segment(name).segment("count"));
        // A user may lack rights on a system collection, and then cannot miss its documents.
        let reply = reply.and_then(|reply| reply.value()).ok()?;
        Slice::new(&reply).get("count").and_then(Slice::as_u64)
    };
    let filled = names.iter().filter_map(|name| Some((name, count(name).filter(|count| *count > 0)?)));
    let filled: Vec<String> = filled.map(|(name, count)| format!("{name} ({count})")).collect();
    if !filled.is_empty() {
        console.info(&format!(
            "Left out system collections with documents: {}; --include-system-collections true takes them",
            filled.join(", ")
        ));
    }
}
