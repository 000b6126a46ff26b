//! The processes of the cluster as PD describes them.

use std::sync::Arc;
use std::time::Duration;

use kv::{DataNode, NodeHealth, Nodes, PlacementNode, Result};
use tokio::task::JoinSet;

use crate::protocol::pd::{GetAllStoresRequest, GetMembersRequest, GetStoreRequest, Member};
use crate::topology::client::Client;
use crate::topology::pd::without_scheme;

/// The time without a heartbeat after which a store is suspected. A store sends one every 10 s, and
/// PD counts it as disconnected after the same time.
const SUSPECT_AFTER_MS: u64 = 20_000;

/// The time without a heartbeat after which a store is down.
const DOWN_AFTER_MS: u64 = 60_000;

/// The maximum time in which a member of PD must answer.
const MEMBER_TIMEOUT: Duration = Duration::from_secs(2);

/// `Store::state` of a store that gives its regions to others.
const STATE_OFFLINE: i32 = 1;

/// Returns the processes of the cluster. Errors: those of PD.
pub(crate) async fn nodes(client: &Arc<Client>) -> Result<Nodes> {
    let now = crate::topology::pd::milliseconds(client.timestamps.next().await?);
    let request = GetAllStoresRequest { header: None, exclude_tombstone_stores: true };
    let mut stores = client.pd.call(request).await?.stores;
    stores.sort_unstable_by_key(|store| store.id);
    let mut data = Vec::with_capacity(stores.len());
    for store in stores {
        let request = GetStoreRequest { header: None, store_id: store.id };
        let figures = client.pd.call(request).await?.stats.unwrap_or_default();
        let address = without_scheme(&store.address);
        let seen_ms = u64::try_from(store.last_heartbeat).ok().filter(|seen| *seen > 0);
        let seen_ms = seen_ms.map(|nanoseconds| nanoseconds / 1_000_000);
        let is_failing = client.network().is_failing(address);
        data.push(DataNode {
            id: store.id,
            address: address.to_owned(),
            health: health(now, seen_ms, is_failing),
            is_leaving: store.state == STATE_OFFLINE,
            seen_ms,
            capacity_bytes: figures.capacity,
            available_bytes: figures.available,
            ranges: u64::from(figures.region_count),
            version: store.version,
        });
    }
    Ok(Nodes { data, placement: placement(client).await? })
}

/// Returns the health of a store by the age of its last heartbeat.
fn health(now_ms: u64, seen_ms: Option<u64>, is_failing: bool) -> NodeHealth {
    match seen_ms.map_or(0, |seen_ms| now_ms.saturating_sub(seen_ms)) {
        silent_ms if silent_ms >= DOWN_AFTER_MS => NodeHealth::Down,
        silent_ms if silent_ms >= SUSPECT_AFTER_MS || is_failing => NodeHealth::Suspect,
        _ => NodeHealth::Up,
    }
}

/// Returns the members of PD. All are asked concurrently.
async fn placement(client: &Arc<Client>) -> Result<Vec<PlacementNode>> {
    let reply = client.pd.call(GetMembersRequest { header: None }).await?;
    let leader = reply.leader.unwrap_or_default();
    let mut asked = JoinSet::new();
    for member in reply.members {
        let (client, is_leader) = (Arc::clone(client), member.member_id == leader.member_id);
        asked.spawn(async move { ask(&client, member, is_leader).await });
    }
    let mut members = asked.join_all().await;
    members.sort_unstable_by(|left, right| left.name.cmp(&right.name));
    Ok(members)
}

async fn ask(client: &Client, member: Member, is_leader: bool) -> PlacementNode {
    let address = member.client_urls.first().map_or("", |url| without_scheme(url)).to_owned();
    let answer = tokio::time::timeout(MEMBER_TIMEOUT, client.pd.ask_member(&address)).await;
    let health = if matches!(answer, Ok(Ok(()))) { NodeHealth::Up } else { NodeHealth::Down };
    PlacementNode { id: member.member_id, name: member.name, address, health, is_leader }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_judged_by_its_heartbeat_and_its_last_answer() {
        let now = 1_000_000;
        for (silent_ms, is_failing, expected) in [
            (0, false, NodeHealth::Up),
            (19_999, false, NodeHealth::Up),
            (0, true, NodeHealth::Suspect),
            (20_000, false, NodeHealth::Suspect),
            (60_000, false, NodeHealth::Down),
        ] {
            assert_eq!(health(now, Some(now - silent_ms), is_failing), expected, "{silent_ms}");
        }
        // Clocks of PD's members may differ.
        assert_eq!(health(now, Some(now + 5), false), NodeHealth::Up);
        assert_eq!(health(now, None, false), NodeHealth::Up);
    }
}
