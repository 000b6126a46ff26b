//! A group of servers with a copy of the data each, which elect the one that takes writes.
//!
//! `crates/elections` decides who leads. Here a thread obeys: a member that leads accepts writes
//! while its lease holds, and the others follow it ([`crate::follow`]). `candidate` tells the
//! elections how far this member is, `peers` takes their messages to the others, `succession`
//! answers members that followed another leader, and `session` has the methods of administrators.

mod candidate;
mod peers;
mod succession;
mod thread;
mod session;

use std::sync::Arc;
use std::time::Duration;

use elections::{Elections, Options};
use errors::{Error, ErrorCode, Result};

use self::candidate::Data;
use self::peers::Peers;
use crate::follow::Kept;
use crate::instance::Instance;
use crate::state::following::{FollowKind, FollowPhase};
use crate::state::group::{Group, History};

pub use crate::state::group::{GroupOptions, MakeToken};
pub use elections::{LEASE, LEASE_MAX, LEASE_MIN, Member};
pub use session::{GroupView, MemberView};
pub use succession::SuccessionAnswer;

/// The folder of the elections, in the folder of the group.
const FOLDER: &str = "elections";

/// Makes the server a member of a group. From now on it accepts writes only while it leads. This
/// comes in place of [`crate::follow::go_on`].
///
/// `make_token` signs this server in at the others. Errors: 10 for options that cannot work, and
/// for a server that follows another one; 9 if the change log is turned off; those of the
/// elections and of the engine.
pub fn join(instance: &Arc<Instance>, options: &GroupOptions, make_token: MakeToken) -> Result<()> {
    let store = instance.store();
    if store.sharing().is_some() {
        return Err(Error::bad_parameter("servers that share a store cannot be members of a group"));
    }
    let kept = Kept::read(store)?;
    if kept.is_some_and(|kept| kept.kind != FollowKind::Member && kept.phase != FollowPhase::Ended) {
        return Err(Error::bad_parameter(
            "this server follows another one: promote it, or begin with an empty folder, before it joins a group",
        ));
    }
    let folder = options.folder.join(FOLDER);
    if !folder.exists() {
        // Epochs of another group mean nothing in this one.
        History::remove(store)?;
        Kept::remove_of_member(store)?;
    }
    // Members read each other's logs, and know their own positions in them.
    store.begin_change_log(Duration::ZERO)?;
    store.set_following(true);
    let group = Arc::new(Group::new(options.clone(), Arc::clone(&make_token)));
    instance.set_group(Arc::clone(&group))?;
    store.join_group(Arc::clone(&group) as Arc<dyn storage::Membership>);
    let elections = Elections::start(Options {
        own: options.own,
        members: options.members.clone(),
        folder,
        lease: options.lease,
        transport: Arc::new(Peers::new(options.authorities.clone(), make_token)),
        candidate: Arc::new(Data::new(instance)),
    });
    let elections = elections.map_err(|error| of_elections(&error))?;
    let thread = thread::start(instance, Arc::clone(&elections))?;
    group.run(elections, thread);
    Ok(())
}

/// Makes the most advanced other member the leader, if this one leads, before the server stops. So
/// nothing that clients wrote here is left behind, and the others need not wait for the lease.
pub fn hand_over(instance: &Instance, limit: Duration) {
    let Some(group) = instance.group().filter(|group| group.led_epoch().is_some()) else { return };
    let successor = group.acknowledgements().into_iter().max_by_key(|(_, position)| *position);
    let Some(((successor, _), elections)) = successor.zip(group.elections()) else { return };
    match elections.appoint(successor, limit) {
        Ok(()) => tracing::info!(target: "replication", "member {successor} leads from now on"),
        Err(error) => tracing::warn!(
            target: "replication",
            "the leadership was not handed over to member {successor}: {error}; the others elect a leader"
        ),
    }
}

/// Returns the error of the elections with its number.
fn of_elections(error: &elections::Error) -> Error {
    use elections::Error as Failed;
    let code = match error {
        Failed::Options(_) | Failed::Refused(_) | Failed::Message(_) => ErrorCode::BadParameter,
        Failed::Unreachable { .. } | Failed::Timeout(_) => ErrorCode::ClusterLeadershipChallengeOngoing,
        _ => ErrorCode::Internal,
    };
    Error::new(code, error.to_string())
}
