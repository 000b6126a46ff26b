//! The restore of one database, in ArangoDB's order.
//!
//! The order is collections, analyzers, views of collections, documents and indexes, and views of
//! indexes. Users come last, because the login in use may change with them.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::folder::{Collection, Dump};
use super::options::Settings;
use super::state::State;
use super::work::Work;
use super::{create, server};
use crate::{Console, Failure, Progress, Server, Unit};

const ANALYZERS: &str = "_analyzers";
const USERS: &str = "_users";
/// The collections of services. ArangoDB must be notified of their restore.
const SERVICES: [&str; 2] = ["_appbundles", "_apps"];

/// Restores the dump in a folder into the client's database.
pub(super) fn restore(
    server: &Server,
    settings: &Settings,
    folder: &Path,
    console: &Console,
) -> Result<(), Failure> {
    let client = &server.client;
    let dump = Dump::read(folder, settings, console)?;
    check_name(&dump, client.options().database.as_str(), settings)?;
    let state = State::open(folder, &settings.files, settings.should_continue, console)?;
    let progress = Progress::new(
        console,
        settings.progress,
        "restore",
        Unit::Bytes,
        total_bytes(&dump.collections, settings),
    );
    let work = Work::new(server, settings, &state, &progress);
    let outcome = restore_all(&work, &dump, console);
    let outcome = outcome.and_then(|()| match work.failures().as_slice() {
        [] => Ok(()),
        failures => {
            failures.iter().for_each(|failure| console.error(failure.text()));
            Err(Failure::new(format!("{} collections could not be restored", failures.len())))
        }
    });
    let counts = [&work.sent_bytes, &work.batches].map(|count| count.load(Ordering::Relaxed));
    drop(work);
    drop(progress);
    if let Err(failure) = outcome {
        state.save();
        return Err(failure);
    }
    state.remove();
    let restored_services = dump.collections.iter().any(|found| SERVICES.contains(&found.name.as_str()));
    if restored_services && settings.import_data && server.persea_version.is_none() {
        server::heal_services(client, console);
    }
    let (collections, [bytes, batches]) = (dump.collections.len(), counts);
    // arangorestore's words.
    console.info(&format!(
        "Processed {collections} collection(s), read {bytes} byte(s) from datafiles, sent {batches} batch(es), from {}",
        folder.display()
    ));
    Ok(())
}

fn restore_all(work: &Work<'_>, dump: &Dump, console: &Console) -> Result<(), Failure> {
    let usable = create::create_all(work, &dump.collections, console)?;
    let (users, others): (Vec<_>, Vec<_>) = usable.into_iter().partition(|found| found.name == USERS);
    let (analyzers, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|found| found.name == ANALYZERS);
    work.restore(analyzers)?;
    create_views(work, dump, false, console)?;
    work.restore(others)?;
    create_views(work, dump, true, console)?;
    work.restore(users)
}

fn create_views(work: &Work<'_>, dump: &Dump, aliases: bool, console: &Console) -> Result<(), Failure> {
    let wanted = dump.views.iter().filter(|view| view.is_alias == aliases && work.settings.import_structure);
    for view in wanted {
        match server::create_view(&work.server.client, view, work.settings) {
            Err(failure) if work.settings.force => console.error(failure.text()),
            created => created.map_err(|failure| failure.during(&format!("view {:?}", view.name)))?,
        }
    }
    Ok(())
}

fn check_name(dump: &Dump, database: &str, settings: &Settings) -> Result<(), Failure> {
    if !settings.force_same_database || dump.info.database.as_deref() == Some(database) {
        return Ok(());
    }
    let dumped = match &dump.info.database {
        Some(dumped) => format!("is of the database {dumped:?}, not {database:?}"),
        None => format!("does not say that it is of the database {database:?}"),
    };
    Err(Failure::new(format!("the dump {dumped}, as --force-same-database requires")))
}

/// Returns the bytes of all data files, as far as they are documents.
fn total_bytes(collections: &[Collection], settings: &Settings) -> Option<u64> {
    let files = collections.iter().flat_map(|collection| &collection.data);
    let bytes = |file: &PathBuf| file.metadata().map_or(0, |metadata| metadata.len());
    let sizes = files.map(|file| bytes(file).saturating_sub(settings.files.header_bytes()));
    settings.import_data.then(|| sizes.sum())
}
