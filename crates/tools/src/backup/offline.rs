//! Repositories without a server.

use std::time::{SystemTime, UNIX_EPOCH};

use backups::{Age, BackupId, Location, Repository, RestorableSpan};

use super::options::Settings;
use crate::{Console, Failure};

const DAY_SECONDS: u64 = 86_400;

fn open(settings: &Settings) -> Result<Repository, Failure> {
    let location = Location::parse(settings.repository.as_deref().unwrap_or_default())?;
    Ok(Repository::open(&location)?)
}

pub(super) fn list(settings: &Settings, console: &Console) -> Result<(), Failure> {
    let repository = open(settings)?;
    for manifest in repository.list()? {
        let (files, bytes) = (manifest.files.len(), manifest.size_bytes());
        console.print(&format!("{}  {files} files, {bytes} bytes", manifest.id));
    }
    repository.restorable_spans()?.iter().for_each(|span| print_span(span, console));
    Ok(())
}

/// Prints the moments between which an archived log restores to any, if there is one.
fn print_span(span: &RestorableSpan, console: &Console) {
    let RestorableSpan { log, backup, begin, chain } = span;
    let token = |end: u64| format!("v1.{:x}.{}", log.log, end.saturating_sub(1));
    if !chain.segments.is_empty() {
        console.print(&format!(
            "any moment from {} to {}  ({backup}, tokens {} to {})",
            iso_micros(begin.time),
            iso_micros(chain.time),
            token(begin.end),
            token(chain.end)
        ));
    }
    if let Some((first, last)) = chain.gap {
        console.print(&format!("a gap: positions {first} to {last} of the log are missing behind {backup}"));
    }
}

/// Returns microseconds since 1970 in ISO 8601, in whole milliseconds.
fn iso_micros(micros: u64) -> String {
    aql_date::to_iso_utc(i64::try_from(micros / 1_000).unwrap_or(i64::MAX))
}

pub(super) fn verify(settings: &Settings, console: &Console) -> Result<(), Failure> {
    let verified = open(settings)?.verify()?;
    console.print(&format!(
        "{} backups are intact: {} files, {} bytes, {} segments of logs",
        verified.backups, verified.files, verified.bytes, verified.segments
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
