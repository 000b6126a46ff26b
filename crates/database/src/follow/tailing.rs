//! The log of the other server, read and applied as it grows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use errors::Result;
use replication_client::{Applied, TailPart, TailRequest};

use super::applier::{Applier, CopiedState};
use super::copy::check_server;
use super::entry::TailBody;
use super::failure::of_source;
use super::kept::Kept;
use super::work::Work;

/// Bytes of a part of the log.
const PART_BYTES: u64 = 2 << 20;
/// The time for which a reply waits for an entry, if the other server can wait. It is also the time
/// in which the silence of a server that has gone cannot be told from that of one without news.
const WAIT: Duration = Duration::from_secs(5);
/// The time beyond its wait in which a reply is expected. Afterwards the lag grows.
const REPLY_TIME: Duration = Duration::from_secs(1);
/// The pause after a part without entries: it doubles from the first to the last one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));
/// The pause after a reply with entries that came in less time: the other server is written faster
/// than it can be asked, and more entries in one reply cost both less.
const GATHERING: Duration = Duration::from_millis(1);

/// The reason for which the reading has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// An order waits, or the server stops.
    Interrupted,
    /// The log has lost entries that were not read.
    Gap,
    /// Everything up to the wanted tick is applied.
    Reached,
}

/// Reads and applies the log, up to a tick if there is one.
///
/// Errors: those of requests, of entries, and of writes. Entries that were not applied come again
/// when the reading begins anew.
pub(super) fn follow(work: &Work, kept: &Kept, until: Option<u64>) -> Result<Ended> {
    let (server_id, _) = work.last_tick()?;
    check_server(kept, &server_id)?;
    let copied = CopiedState { first: kept.begin.unwrap_or(0), last: kept.complete };
    let mut applier = Applier::open(Arc::clone(&work.instance), &kept.server_id, copied)?;
    if !kept.source.databases.is_empty() {
        applier.only_databases(kept.source.databases.iter().cloned());
    }
    work.instance.following().marks().begin(&kept.server_id);
    applier.mark();
    let member = work.instance.group().map(|group| group.options().own).zip(kept.followed);
    let mut reading = Reading {
        work,
        member: member.map(|(member, followed)| (member, followed.epoch)),
        is_waited_for: work.instance.group().is_some_and(|group| group.options().is_synchronous),
        from: applier.position().restart,
        pause: PAUSES.0,
    };
    reading.show(&applier, None);
    let _silence = Asking(work);
    std::thread::scope(|scope| {
        // The first reply says how far the log goes. Behind it nothing may come for long.
        let mut wait = Duration::ZERO;
        let (mut ahead, mut applied) = (None, applier.position().applied);
        loop {
            if work.following().is_interrupted() {
                return Ok(Ended::Interrupted);
            }
            let asked = Instant::now();
            reading.expect(asked + wait + REPLY_TIME);
            let part = match ahead.take() {
                Some(part) => join(part)?,
                None => reading.fetch(Some(kept.reader), reading.from, (applied, wait))?,
            };
            let waited = !wait.is_zero();
            wait = if until.is_some() { Duration::ZERO } else { WAIT };
            let took = asked.elapsed();
            if !part.is_complete {
                return Ok(Ended::Gap);
            }
            if part.has_more {
                let (reading, from) = (reading, part.last_scanned);
                ahead = Some(scope.spawn(move || reading.fetch(None, from, (applied, Duration::ZERO))));
            }
            let level_at = reading.hear(asked, took, (waited, part.last_tick));
            let is_empty = part.entries.is_empty();
            apply(&mut applier, &part)?;
            reading.from = part.last_scanned;
            applied = applier.position().applied;
            let reached = if part.has_more { applier.position().applied } else { part.last_scanned };
            applied = applied.max(reached);
            reading.show(&applier, Some((reached, level_at)));
            if until.is_some_and(|until| reached >= until) {
                return Ok(Ended::Reached);
            }
            reading.rest(is_empty, part.has_more, took);
        }
    })
}

/// The place in the log that is read next.
#[derive(Clone, Copy)]
struct Reading<'a> {
    work: &'a Work,
    /// The id of this member of a group, and the epoch of the leader.
    member: Option<(u64, u64)>,
    /// True if writes at the leader wait until members have them.
    is_waited_for: bool,
    from: u64,
    pause: Duration,
}

impl Reading<'_> {
    /// Returns the part behind a tick. `applied` tells the leader of a group how far its log is
    /// applied; it waits for an entry if there is none.
    fn fetch(&self, reader: Option<u64>, from: u64, (applied, wait): (u64, Duration)) -> Result<TailPart> {
        let applied = self.member.map(|(member, epoch)| Applied { member, epoch, tick: applied });
        let asked = TailRequest { from, chunk_bytes: PART_BYTES, reader, wait, applied };
        self.work.source.tail(&asked).map_err(|error| of_source(&error))
    }

    /// Waits before the next request, the longer the longer nothing came. `took` is the time of the
    /// last one: a reply that has waited for entries needs no further wait.
    fn rest(&mut self, is_empty: bool, has_more: bool, took: Duration) {
        if has_more {
            return;
        }
        self.pause = if is_empty { (self.pause * 2).min(PAUSES.1) } else { PAUSES.0 };
        let pause = match (self.work.source.waits_for_log(), is_empty) {
            // Writers wait for this member.
            (true, false) if self.is_waited_for => Duration::ZERO,
            (true, false) if took < GATHERING => GATHERING,
            (true, false) => Duration::ZERO,
            (true, true) => self.pause.saturating_sub(took),
            (false, _) => self.pause,
        };
        self.work.following().pause(pause);
    }

    /// Notes that an answer comes until a moment, if the other server is there.
    fn expect(&self, until: Instant) {
        self.work.following().update(|view| view.log.quiet_until = Some(until));
    }

    /// Notes an answer and the last tick of the log.
    ///
    /// Returns the moment for which the part is the end of the log. A reply that waits is of the
    /// moment at which it comes. If it `waited`, everything was applied until then.
    fn hear(&self, asked: Instant, took: Duration, (waited, last): (bool, u64)) -> Instant {
        let waits = self.work.source.waits_for_log();
        let level_at = if waits { asked + took } else { asked };
        self.work.following().update(|view| {
            let log = &mut view.log;
            if waits && waited && log.applied >= log.last && log.caught_up.is_some() {
                log.caught_up = Some(level_at);
            }
            log.last = last;
        });
        level_at
    }

    /// Shows the progress. `part` is about the last part: the tick up to which everything is
    /// applied, and the moment for which it is the end of the log.
    fn show(&self, applier: &Applier, part: Option<(u64, Instant)>) {
        let (counts, applied) = (applier.counts(), applier.position().applied);
        self.work.following().update(|view| {
            let log = &mut view.log;
            log.applied = log.applied.max(applied);
            log.entries = counts.entries;
            log.transactions = counts.transactions;
            if let Some((reached, level_at)) = part {
                log.applied = log.applied.max(reached);
                if log.applied >= log.last || log.caught_up.is_none() {
                    log.caught_up = Some(level_at);
                }
            }
            if !view.is_cut_over_refused {
                view.error = None;
            }
        });
    }
}

/// The time in which the other server is asked. After it, its silence means nothing.
struct Asking<'a>(&'a Work);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.following().update(|view| view.log.quiet_until = None);
    }
}

fn apply(applier: &mut Applier, part: &TailPart) -> Result<()> {
    if part.entries.is_empty() {
        return Ok(());
    }
    let body = match part.is_velocypack {
        true => TailBody::VelocyPack(&part.entries),
        false => TailBody::Lines(&part.entries),
    };
    applier.apply(body).map(drop)
}

fn join(part: std::thread::ScopedJoinHandle<'_, Result<TailPart>>) -> Result<TailPart> {
    part.join().unwrap_or_else(|_| Err(errors::Error::internal("a request to the other server panicked")))
}
