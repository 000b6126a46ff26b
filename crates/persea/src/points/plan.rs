//! The backup to begin with, and the part of the log behind it.

use std::collections::BTreeSet;

use backups::{ArchivedLog, BackupId, LogChain, LogId, LogPosition, Manifest, Repository};
use errors::{Error, ErrorCode, Result};

use super::moment::{Moment, iso};

/// The parts of a restore to a moment.
#[derive(Debug)]
pub(super) struct Plan {
    /// The backup.
    pub(super) manifest: Manifest,
    /// Its place in the log.
    pub(super) log: LogPosition,
    /// The archived log behind it.
    pub(super) chain: LogChain,
}

impl Plan {
    /// Chooses the newest backup before a moment, or the one that the user names. Checks that the
    /// archive has the moment, unless another log continues it.
    ///
    /// Errors: 7007 if there is no such backup, 7002 if the moment is not in the archive, those of
    /// the repository.
    pub(super) fn make(
        repository: &Repository,
        moment: &Moment,
        named: Option<&str>,
        is_continued: bool,
    ) -> Result<Self> {
        let (manifest, log) = match named {
            Some(id) => choose_named(repository, moment, id)?,
            None => choose(repository.list()?, moment)?,
        };
        let chain = match repository.logs()?.get(&log.id) {
            Some(archived) => archived.chain(&log),
            None if is_continued => ArchivedLog::default().chain(&log),
            None => {
                return Err(refused(format!(
                    "the repository has no archive of the log of the backup '{}': the server needs \
                     --backup.archive-log",
                    manifest.id
                )));
            }
        };
        if !is_continued && !moment.is_covered(chain.end, chain.time) {
            return Err(refused(not_covered(moment, &manifest.id, log.id, &chain)));
        }
        Ok(Plan { manifest, log, chain })
    }
}

fn not_covered(moment: &Moment, backup: &BackupId, log: LogId, chain: &LogChain) -> String {
    let last = format!("{} or v1.{:x}.{}", iso(chain.time), log.log, chain.end.saturating_sub(1));
    match chain.gap {
        Some((first, end)) => format!(
            "{moment} cannot be restored: the archive has a gap behind the backup '{backup}', the positions \
             {first} to {end} of the log are missing. The last possible moment before the gap is {last}"
        ),
        None => format!("{moment} is after the end of the archived log; the last possible moment is {last}"),
    }
}

fn choose_named(repository: &Repository, moment: &Moment, id: &str) -> Result<(Manifest, LogPosition)> {
    let manifest = repository.get(&BackupId::parse(id)?)?;
    let Some(log) = manifest.log else {
        return Err(refused(format!(
            "the backup '{id}' has no place in a change log: the server wrote none when it was made"
        )));
    };
    if !moment.is_behind(&log) {
        return Err(refused(format!(
            "{moment} is not behind the backup '{id}', which is of {} and of the log {:x}; its first token is {}",
            iso(log.time),
            log.id.log,
            token_of(&log)
        )));
    }
    Ok((manifest, log))
}

fn choose(manifests: Vec<Manifest>, moment: &Moment) -> Result<(Manifest, LogPosition)> {
    let with_log = manifests.into_iter().filter_map(|manifest| manifest.log.map(|log| (manifest, log)));
    let (before, after): (Vec<_>, Vec<_>) = with_log.partition(|(_, log)| moment.is_behind(log));
    let of_several = match moment {
        Moment::Time(_) => before.iter().map(|(_, log)| log.id.server).collect::<BTreeSet<u64>>().len() > 1,
        Moment::Position { .. } => {
            before.iter().map(|(_, log)| log.id).collect::<BTreeSet<LogId>>().len() > 1
        }
    };
    if of_several {
        return Err(refused(format!(
            "the repository has backups of several servers or logs before {moment}; choose one with --identifier"
        )));
    }
    // The newest backup needs the least of the log.
    before.into_iter().max_by_key(|(_, log)| (log.time, log.end)).ok_or_else(|| {
        refused(match (moment, after.iter().min_by_key(|(_, log)| log.time)) {
            (_, None) => {
                "the repository has no backup with a place in a change log: make one while the server \
                          runs with --backup.archive-log"
                    .to_owned()
            }
            (Moment::Position { log: Some(log), .. }, _)
                if after.iter().all(|(_, backup)| backup.id.log != *log) =>
            {
                format!("{moment} is of a log that no backup in the repository has")
            }
            (_, Some((manifest, log))) => format!(
                "{moment} is before the first backup, '{}' of {} (token {})",
                manifest.id,
                iso(log.time),
                token_of(log)
            ),
        })
    })
}

fn token_of(log: &LogPosition) -> String {
    format!("v1.{:x}.{}", log.id.log, log.end.saturating_sub(1))
}

/// Returns the error of a restore that cannot be done.
pub(super) fn refused(message: String) -> Error {
    Error::new(ErrorCode::HotRestoreInternal, message)
}
