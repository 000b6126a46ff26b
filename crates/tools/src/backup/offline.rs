//! Repositories without a server.

use std::time::{SystemTime, UNIX_EPOCH};

use backups::{Age, BackupId, Location, Repository};

use super::options::Settings;
use crate::{Console, Failure};

const DAY_SECONDS: u64 = 86_400;

fn open(settings: &Settings) -> Result<Repository, Failure> {
    let location = Location::parse(settings.repository.as_deref().unwrap_or_default())?;
    Ok(Repository::open(&location)?)
}

pub(super) fn list(settings: &Settings, console: &Console) -> Result<(), Failure> {
    for manifest in open(settings)?.list()? {
        let (files, bytes) = (manifest.files.len(), manifest.size_bytes());
        console.print(&format!("{}  {files} files, {bytes} bytes", manifest.id));
    }
    Ok(())
}

pub(super) fn verify(settings: &Settings, console: &Console) -> Result<(), Failure> {
    let verified = open(settings)?.verify()?;
    console.print(&format!(
        "{} backups are intact: {} files, {} bytes",
        verified.backups, verified.files, verified.bytes
    ));
    Ok(())
}

pub(super) fn delete(settings: &Settings, console: &Console) -> Result<(), Failure> {
    let id = BackupId::parse(settings.id())?;
    let freed_bytes = open(settings)?.delete(&id)?;
    console.print(&format!("deleted {id}, freed {freed_bytes} bytes"));
    Ok(())
}

pub(super) fn prune(settings: &Settings, console: &Console) -> Result<(), Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let oldest = |days: u64| now.saturating_sub(days.saturating_mul(DAY_SECONDS)).cast_signed();
    let age = Age {
        newest: settings.keep.map(|keep| usize::try_from(keep).unwrap_or(usize::MAX)),
        oldest_seconds: settings.keep_days.map(oldest),
    };
    let (gone, freed_bytes) = open(settings)?.prune(&age)?;
    gone.iter().for_each(|id| console.print(&format!("deleted {id}")));
    console.print(&format!("deleted {} backups, freed {freed_bytes} bytes", gone.len()));
    Ok(())
}
