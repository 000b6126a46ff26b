//! The passes over the change log.
//!
//! The repository alone says how far the archive has come: the last segment there. So a server that
//! was killed continues without a gap and without repetition.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use backups::{ArchiveState, Location, LogId, LogRecord, Repository, SegmentWriter};
use catalog::SYSTEM_DATABASE;
use database::changes::LogMoment;
use database::{Identity, Instance, Session};
use encryption::MasterKey;
use errors::{Error, Result};
use storage::entries_between;

use super::{ArchiveOptions, ArchiveStatus};

/// Bytes of a segment's body after which it ends.
const SEGMENT_BYTES: usize = 8 << 20;
/// The time that a pass waits for transactions that began before the log.
const BEGIN_WAIT: Duration = Duration::from_secs(2);
/// Microseconds after which the state is written though nothing happened.
const IDLE_STATE_MICROS: u64 = 60_000_000;

/// The outcome of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The archive has all of the log up to the beginning of the pass.
    Archived,
    /// Another server writes this archive now.
    Replaced,
}

/// The archive of the log of one server.
pub(super) struct Archiver {
    instance: Arc<Instance>,
    location: Location,
    encryption: Option<Arc<MasterKey>>,
    status: Arc<ArchiveStatus>,
    owner: String,
    place: Option<Place>,
}

/// The place that the archive has reached.
struct Place {
    repository: Repository,
    log: LogId,
    /// The last position in the archive.
    after: u64,
    /// The time of the last commit there, in microseconds since 1970.
    time: u64,
    /// All commits up to this time are in the archive.
    covered: u64,
    /// A moment whose commits have not all been archived.
    pending: Option<LogMoment>,
}

impl Archiver {
    pub(super) fn new(
        instance: Arc<Instance>,
        options: ArchiveOptions,
        status: Arc<ArchiveStatus>,
    ) -> Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::internal(format!("cannot get random numbers: {error}")))?;
        let owner = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let ArchiveOptions { location, encryption, .. } = options;
        Ok(Archiver { instance, location, encryption, status, owner, place: None })
    }

    /// Archives the log up to now. The last pass also notes that the archive has come that far if
    /// nothing was written for a moment.
    ///
    /// Errors: those of the repository and of the log. Nothing is left out then.
    pub(super) fn pass(&mut self, is_last: bool) -> Result<Outcome> {
        let passed = self.try_pass(is_last);
        if passed.is_err() {
            self.status.failures.increment();
        }
        passed
    }

    fn try_pass(&mut self, is_last: bool) -> Result<Outcome> {
        let session = Session::open(Arc::clone(&self.instance), SYSTEM_DATABASE, Identity::Superuser)?;
        session.hold_log_for_archive(self.place.as_ref().map(|place| place.after), BEGIN_WAIT)?;
        let Some(now) = session.log_moment() else { return Ok(Outcome::Archived) };
        let log = LogId { server: now.server, log: now.log };
        let mut place = match self.place.take().filter(|place| place.log == log) {
            Some(place) => place,
            None => self.open(&session, log)?,
        };
        let owns = match self.owns(&place) {
            Ok(owns) => owns,
            Err(error) => {
                // The place stays: opening it anew would take the archive over.
                self.place = Some(place);
                return Err(error);
            }
        };
        if !owns {
            tracing::error!(
                target: "backup",
                "another server archives the same log in {}; this one stops to do so. If its data folder is a \
                 copy of the other's, restore a backup into a new folder instead",
                self.location
            );
            return Ok(Outcome::Replaced);
        }
        let passed = self.copy(&session, &mut place, now, is_last);
        self.status.position.store(place.after, Ordering::Relaxed);
        self.status.lag.store(entries_between(place.after, now.next.saturating_sub(1)), Ordering::Relaxed);
        self.place = Some(place);
        passed.map(|()| Outcome::Archived)
    }

    /// Finds how far the archive has come, and takes it over.
    fn open(&self, session: &Session, log: LogId) -> Result<Place> {
        let repository = Repository::create(&self.location)?;
        let last = repository.segments(log)?.into_iter().max_by_key(|segment| segment.last);
        let state = repository.archive_state(log)?.unwrap_or_default();
        let after = match last {
            Some(segment) => segment.last,
            None => session.first_log_position()?.saturating_sub(1),
        };
        let place = Place {
            repository,
            log,
            after,
            time: last.map_or(0, |segment| segment.time),
            covered: state.time,
            pending: None,
        };
        self.put_state(&place)?;
        tracing::info!(
            target: "backup",
            "archiving the change log {log} in {} from position {}", self.location, after.saturating_add(1)
        );
        Ok(place)
    }

    /// Returns false if another server has taken the archive over.
    fn owns(&self, place: &Place) -> Result<bool> {
        let state = place.repository.archive_state(place.log)?;
        Ok(state.is_none_or(|state| state.owner == self.owner))
    }

    fn put_state(&self, place: &Place) -> Result<()> {
        let state = ArchiveState { owner: self.owner.clone(), position: place.after, time: place.covered };
        place.repository.put_archive_state(place.log, &state)
    }

    fn copy(&self, session: &Session, place: &mut Place, now: LogMoment, is_last: bool) -> Result<()> {
        // A crash of the machine must not take back what is archived.
        session.sync()?;
        let begin = place.after;
        let pending = *place.pending.get_or_insert(now);
        let mut reached = place.after;
        while reached.saturating_add(1) < now.resolved {
            let first = session.first_log_position()?;
            if first > reached.saturating_add(1) {
                self.report_gap(reached, first);
                place.after = first.saturating_sub(1);
                reached = place.after;
            }
            let (last, writer) = read_segment(session, place, reached, now.resolved)?;
            if session.first_log_position()? > reached.saturating_add(1) {
                // A part was removed while it was read.
                continue;
            }
            if last == reached {
                break;
            }
            if writer.body_bytes() > 0 {
                let positions = (place.after.saturating_add(1), last);
                let (segment, bytes) = place.repository.put_segment(
                    place.log,
                    positions,
                    &writer,
                    self.encryption.as_deref(),
                )?;
                tracing::debug!(target: "backup", "archived the segment {segment} of the change log");
                (place.after, place.time) = (last, segment.time);
                self.status.segments.increment();
                self.status.bytes.add(bytes);
                session.hold_log_for_archive(Some(last), BEGIN_WAIT)?;
            }
            reached = last;
        }
        let mut is_news = place.after != begin;
        if reached.saturating_add(1) >= pending.next {
            is_news |= is_last || pending.time.saturating_sub(place.covered) >= IDLE_STATE_MICROS;
            if is_news {
                place.covered = place.covered.max(pending.time);
                self.status.covered.store(place.covered, Ordering::Relaxed);
            }
            place.pending = None;
        }
        if is_news { self.put_state(place) } else { Ok(()) }
    }

    fn report_gap(&self, after: u64, first: u64) {
        self.status.gaps.increment();
        tracing::error!(
            target: "backup",
            "the archive of the change log has a gap: the positions from {} to {} were removed before they were \
             archived (--changes.retention, --changes.max-size). No moment after the gap can be restored from a \
             backup before it; make a new backup",
            after.saturating_add(1),
            first.saturating_sub(1)
        );
    }
}

/// Reads the next part of the log. Returns the last position, and the segment so far.
fn read_segment(session: &Session, place: &Place, after: u64, below: u64) -> Result<(u64, SegmentWriter)> {
    let mut writer = SegmentWriter::new(place.time);
    let last = session.copy_log(after, below, &mut |part| {
        writer.push(&LogRecord {
            first: part.first,
            end: part.end,
            time: part.time,
            is_first_part: part.is_first,
            is_last_part: part.is_last,
            entries: part.entries,
        })?;
        Ok(writer.body_bytes() < SEGMENT_BYTES)
    })?;
    Ok((last, writer))
}
