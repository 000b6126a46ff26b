//! The work of a member of a group, which followers do not have: it continues in the log of another
//! leader.

use std::time::{Duration, Instant};

use client::Request;
use elections::Position;
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use super::failure::of_source;
use super::kept::{FollowedLeader, Kept};
use super::position::AppliedPosition;
use super::set_aside::set_aside;
use super::work::Work;
use crate::instance::Instance;
use crate::state::following::{Continuation, FollowKind, FollowPhase, LogProgress, Problem};
use crate::state::group::{Group, History};

/// The route that says where the log of a leader continues.
const SUCCESSION: &str = "/_api/group/succession";
/// The longest wait for commits of a former leader that have begun.
const COMMITS_WAIT: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(5);

/// The last position that this server has, in the log of the server that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LastKnown {
    server: String,
    tick: u64,
}

/// The answer of a leader: where its log continues what a member has.
struct Succession {
    server: String,
    began_at: u64,
    /// The last position that the leader has of the server that the member named.
    known: Option<u64>,
    continuation: Option<Continuation>,
}

/// Returns the position of this server in the data of its group; `None` while it cannot lead,
/// because its data are of several moments.
///
/// Errors: 1102 for damage, those of the engine.
pub(crate) fn position(instance: &Instance) -> Result<Option<Position>> {
    let store = instance.store();
    let history = History::read(store)?;
    let kept = Kept::read(store)?.filter(|kept| kept.kind == FollowKind::Member);
    let followed = kept.as_ref().and_then(|kept| Some((kept, kept.followed?)));
    match (followed, history.last()) {
        (Some((kept, followed)), led) if led.is_none_or(|led| led.epoch < followed.epoch) => {
            position_as_follower(instance, kept, followed)
        }
        // The first copy has not begun.
        (None, None) if kept.is_some() => Ok(None),
        (_, Some(led)) => Ok(Some(Position { epoch: led.epoch, tick: store.last_position()? })),
        _ if super::before::find_data(instance).is_none() => Ok(Some(Position { epoch: 0, tick: 0 })),
        // It was no member before. Its data are a reason to appoint it.
        _ => Ok(Some(Position { epoch: 0, tick: store.last_position()?.max(1) })),
    }
}

fn position_as_follower(
    instance: &Instance,
    kept: &Kept,
    followed: FollowedLeader,
) -> Result<Option<Position>> {
    let Some(stored) = kept.applied_whole(instance.store())? else { return Ok(None) };
    let view = instance.following().view();
    let is_same = view.phase == FollowPhase::Following && view.source.server_id == kept.server_id;
    let applied = if is_same { stored.max(view.log.applied) } else { stored };
    let (epoch, tick) = match applied >= followed.began_at {
        true => (followed.epoch, applied),
        false => followed.before,
    };
    Ok(Some(Position { epoch, tick }))
}

/// Continues in the log of the leader of an epoch, or prepares a copy of it. A member that follows
/// this leadership already goes on.
///
/// Entries that this server alone has are set aside before a copy removes them.
///
/// Errors: those of requests and of the engine, 1400 if the leader does not lead yet.
pub(super) fn join(work: &Work, group: &Group, kept: &mut Kept, epoch: u64) -> Result<()> {
    if kept.followed.is_some_and(|followed| followed.epoch == epoch) {
        return Ok(());
    }
    let store = work.instance.store();
    let last = last_known(&work.instance, kept)?;
    let answer = ask(work, group, epoch, last.as_ref())?;
    let before = position(&work.instance)?.map_or((0, 0), |position| (position.epoch, position.tick));
    let former = std::mem::take(&mut kept.server_id);
    kept.followed = Some(FollowedLeader { epoch, began_at: answer.began_at, before });
    kept.server_id.clone_from(&answer.server);
    kept.copied.clear();
    // Ticks of the former leader mean nothing in the log of this one.
    work.following().update(|view| view.log = LogProgress::default());
    match (&last, answer.continuation) {
        (Some(last), Some(continuation)) => {
            tracing::info!(
                target: "replication",
                "server {} leads in epoch {epoch}; its log is followed from {}, which continues {} of server {}",
                answer.server, continuation.from, last.tick, last.server
            );
            let position = AppliedPosition {
                applied: continuation.from,
                restart: continuation.from,
                complete: continuation.whole_from,
            };
            position.store(store, &answer.server)?;
            kept.is_copying = false;
            kept.begin = Some(continuation.from);
            kept.complete = continuation.whole_from;
            kept.phase = FollowPhase::Following;
        }
        (last, _) => {
            tracing::info!(
                target: "replication",
                "server {} leads in epoch {epoch}; what differs from it is copied", answer.server
            );
            if let Some(last) = last {
                keep_own(work, group, last, &answer)?;
            }
            AppliedPosition::remove(store, &answer.server)?;
            kept.is_repeated = last.is_some() || !former.is_empty();
            kept.is_copying = true;
            kept.begin = None;
            kept.complete = 0;
            kept.phase = FollowPhase::Copying;
        }
    }
    kept.store(store)?;
    if !former.is_empty() && former != kept.server_id {
        AppliedPosition::remove(store, &former)?;
    }
    Ok(())
}

/// Returns the last position that this server has; `None` if it has none that a leader could
/// continue.
fn last_known(instance: &Instance, kept: &Kept) -> Result<Option<LastKnown>> {
    let store = instance.store();
    let history = History::read(store)?;
    let led = history.last().map(|led| led.epoch);
    if led > kept.followed.map(|followed| followed.epoch) {
        let end = Instant::now() + COMMITS_WAIT;
        while store.resolved_position() < store.next_position() {
            if Instant::now() >= end {
                let message = "writes from the time in which this server led have not ended";
                return Err(Error::new(ErrorCode::ReplicationNoResponse, message));
            }
            std::thread::sleep(LOOK);
        }
        return Ok(Some(LastKnown { server: store.server_id().to_string(), tick: store.last_position()? }));
    }
    let applied = kept.applied_whole(store)?;
    Ok(applied.map(|tick| LastKnown { server: kept.server_id.clone(), tick }))
}

fn ask(work: &Work, group: &Group, epoch: u64, last: Option<&LastKnown>) -> Result<Succession> {
    let request = Request::get(SUCCESSION)
        .query("epoch", &epoch.to_string())
        .query("member", &group.options().own.to_string());
    let request = match last {
        Some(last) => request.query("serverId", &last.server).query("tick", &last.tick.to_string()),
        None => request,
    };
    let reply = work.source.client().call(&request).and_then(|reply| reply.value());
    let reply = reply.map_err(|error| of_source(&error))?;
    let reply = Slice::new(&reply);
    let wrong =
        || Error::new(ErrorCode::ReplicationInvalidResponse, format!("a reply of {SUCCESSION} is wrong"));
    let tick = |name: &str| match reply.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => value.as_str().and_then(|text| text.parse::<u64>().ok()).map(Some).ok_or_else(wrong),
    };
    let continuation = tick("from")?.zip(tick("wholeFrom")?);
    Ok(Succession {
        server: reply.get("serverId").and_then(Slice::as_str).ok_or_else(wrong)?.to_owned(),
        began_at: tick("beganAt")?.ok_or_else(wrong)?,
        known: tick("known")?,
        continuation: continuation.map(|(from, whole_from)| Continuation { from, whole_from }),
    })
}

/// Sets aside the entries of this server's log that the new leader does not have.
fn keep_own(work: &Work, group: &Group, last: &LastKnown, answer: &Succession) -> Result<()> {
    let instance = &work.instance;
    if answer.known.is_some_and(|known| known >= last.tick) {
        return Ok(());
    }
    let store = instance.store();
    let is_own = last.server == store.server_id().to_string();
    let history = History::read(store)?;
    let after = match answer.known {
        Some(known) if is_own => Some(known),
        Some(known) => {
            let marks = instance.following().marks();
            marks.continuation(&last.server, known).map(|continuation| continuation.from)
        }
        // Nobody knows how much of it the new leader has: everything since this server began to
        // lead is kept.
        None => history.last().filter(|_| is_own).map(|led| led.began_at),
    };
    let Some(after) = after else {
        work.report(Problem {
            what: format!("writes after {} of server {}", answer.known.unwrap_or(0), last.server),
            place: "all databases".to_owned(),
            effect: "the new leader does not have them; which of them were here is not known any more"
                .to_owned(),
        });
        return Ok(());
    };
    let epoch = history.last().map_or(0, |led| led.epoch);
    if let Some((file, entries)) =
        set_aside(instance, (&group.set_aside_folder(), group.encryption()), epoch, after)?
    {
        work.report(Problem {
            what: format!("{entries} entries of the log after {after}"),
            place: "all databases".to_owned(),
            effect: format!("the new leader does not have them; they are kept in {}", file.display()),
        });
    }
    Ok(())
}
