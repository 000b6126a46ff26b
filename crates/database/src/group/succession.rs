//! The answer of a leader to a member that followed another one: where to go on.

use errors::{Error, ErrorCode, Result};

use crate::instance::Instance;
use crate::state::following::Continuation;
use crate::state::group::{Group, History};

/// Where the log of this server continues what a member has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuccessionAnswer {
    /// The number of this server.
    pub server: u64,
    /// The last position in its log when it began to lead.
    pub began_at: u64,
    /// The last position that it has of the log that the member named; `None` if it has not
    /// followed that log.
    pub known: Option<u64>,
    /// The position after which the member reads, and the one from which on its data are of one
    /// moment; `None` if it has to copy what differs.
    pub continuation: Option<(u64, u64)>,
}

/// Answers a member that has the log of a server up to a position.
///
/// Errors: 1496 if this server does not lead in the epoch, those of the engine.
pub(super) fn answer(
    instance: &Instance,
    group: &Group,
    epoch: u64,
    last: Option<(&str, u64)>,
) -> Result<SuccessionAnswer> {
    let store = instance.store();
    if group.led_epoch() != Some(epoch) {
        let message = format!("this server does not lead in epoch {epoch}");
        return Err(Error::new(ErrorCode::ClusterNotLeader, message));
    }
    let history = History::read(store)?;
    let began_at = history.last().map_or(0, |led| led.began_at);
    let (known, continuation) = match last {
        None => (None, None),
        Some((server, tick)) if server == store.server_id().to_string() => {
            let known = store.resolved_position().saturating_sub(1);
            let here = Continuation { from: tick, whole_from: tick };
            (Some(known), Some(here).filter(|_| tick <= known))
        }
        Some((server, tick)) => followed(instance, &history, server, tick),
    };
    let continuation = continuation.map(|place| (place.from, place.whole_from));
    Ok(SuccessionAnswer { server: store.server_id(), began_at, known, continuation })
}

/// Looks a position up in the log of a server that this one has followed.
fn followed(
    instance: &Instance,
    history: &History,
    server: &str,
    tick: u64,
) -> (Option<u64>, Option<Continuation>) {
    {
        let marks = instance.following().marks();
        if let Some(known) = marks.last_of(server) {
            return (Some(known), marks.continuation(server, tick));
        }
    }
    match history.after(server) {
        None => (None, None),
        Some((led, predecessor)) => {
            let here = Continuation { from: led.began_at, whole_from: led.began_at };
            (Some(predecessor.applied), Some(here).filter(|_| tick == predecessor.applied))
        }
    }
}
