//! The placement driver: timestamps, the places of regions and stores, safe points.

mod garbage;
mod safe_points;
mod timestamps;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kv::{Error, Result};
use prost::Message;
use tokio::task::JoinSet;

use crate::network::{Fault, Network};
use crate::protocol::pd::{GetMembersRequest, GetMembersResponse, RequestHeader};
use crate::protocol::{PdReply, PdRequest};
use crate::topology::retry::Retry;

pub(crate) use safe_points::SafePoints;
pub(crate) use timestamps::Timestamps;

/// The number of bits of a timestamp below its milliseconds.
const LOGICAL_BITS: u32 = 18;

/// Returns the milliseconds of a timestamp since 1970.
pub(crate) fn milliseconds(timestamp: u64) -> u64 {
    timestamp >> LOGICAL_BITS
}

/// Returns the first timestamp of a millisecond since 1970.
pub(crate) fn from_milliseconds(milliseconds: u64) -> u64 {
    milliseconds << LOGICAL_BITS
}

/// The maximum wait for the answers of all members to the question of who leads.
const MEMBERS_TIMEOUT: Duration = Duration::from_secs(1);

/// The connection to the members of PD, one of which leads.
pub(crate) struct Pd {
    network: Arc<dyn Network>,
    cluster_id: u64,
    members: Mutex<Members>,
    timeout: Duration,
    /// True once the leader has answered that it does not know barriers.
    is_without_barriers: AtomicBool,
}

/// The answer of PD to a message that it may refuse.
pub(crate) enum Answer<T> {
    Reply(T),
    /// The leader refuses the message, for this reason.
    Refused(String),
    /// The leader does not know the message.
    Unknown,
}

/// The kind of PD's errors that have no kind of their own.
const ERROR_UNKNOWN: i32 = 1;

#[derive(Debug)]
struct Members {
    leader: String,
    all: Vec<String>,
}

impl Pd {
    /// Finds the leader among the members at these addresses.
    ///
    /// Errors: [`Error::CannotOpen`] if no member answers within `timeout`.
    pub(crate) async fn connect(
        network: Arc<dyn Network>,
        addresses: &[String],
        timeout: Duration,
    ) -> Result<Pd> {
        let mut retry = Retry::within(timeout);
        loop {
            let reason = match find_members(&network, addresses, 0, None).await {
                Ok((cluster_id, members)) => {
                    let (members, is_without_barriers) = (Mutex::new(members), AtomicBool::new(false));
                    return Ok(Pd { network, cluster_id, members, timeout, is_without_barriers });
                }
                Err(reason) => reason,
            };
            retry.pause(&reason).await.map_err(|_| Error::CannotOpen {
                store: format!("the TiKV cluster at {}", addresses.join(",")),
                reason: format!(
                    "no member of PD answers ({reason}); check that the cluster runs, and --tikv.pd"
                ),
            })?;
        }
    }

    /// Returns the number that PD gave the cluster at its creation.
    pub(crate) fn cluster_id(&self) -> u64 {
        self.cluster_id
    }

    /// Sends a message to the leader. Looks for another leader while this one fails.
    ///
    /// Errors: [`Error::Unavailable`] if no leader answers in time.
    pub(crate) async fn call<Q: PdRequest>(&self, request: Q) -> Result<Q::Reply> {
        let mut retry = Retry::within(self.timeout);
        let message = self.message(request);
        loop {
            let reason = match self.ask_within::<Q>(&message, &mut retry).await? {
                Answer::Reply(reply) => return Ok(reply),
                Answer::Refused(reason) => reason,
                Answer::Unknown => format!("PD does not know {}", Q::METHOD),
            };
            retry.pause(&reason).await?;
            self.find_leader().await;
        }
    }

    /// Sends a message that the leader may refuse. Looks for another leader while this one fails.
    ///
    /// Errors: [`Error::Unavailable`] if no leader answers in time.
    pub(crate) async fn ask<Q: PdRequest>(&self, request: Q) -> Result<Answer<Q::Reply>> {
        let message = self.message(request);
        self.ask_within::<Q>(&message, &mut Retry::within(self.timeout)).await
    }

    fn message<Q: PdRequest>(&self, mut request: Q) -> bytes::Bytes {
        request.set_header(self.header());
        bytes::Bytes::from(request.encode_to_vec())
    }

    async fn ask_within<Q: PdRequest>(
        &self,
        message: &bytes::Bytes,
        retry: &mut Retry,
    ) -> Result<Answer<Q::Reply>> {
        loop {
            let leader = self.leader();
            let reason = match self.network.call(&leader, Q::METHOD, message.clone()).await {
                Ok(reply) => match Q::Reply::decode(reply) {
                    Ok(reply) => match header_error(&reply) {
                        None => return Ok(Answer::Reply(reply)),
                        Some((ERROR_UNKNOWN, reason)) => return Ok(Answer::Refused(reason)),
                        Some((_, reason)) => reason,
                    },
                    Err(error) => format!("PD at {leader} sent a broken reply: {error}"),
                },
                Err(Fault::Unimplemented(_)) => return Ok(Answer::Unknown),
                Err(fault) => format!("PD at {leader} is {fault}"),
            };
            retry.pause(&reason).await?;
            self.find_leader().await;
        }
    }

    /// Returns false if the leader has answered that it does not know barriers.
    fn knows_barriers(&self) -> bool {
        !self.is_without_barriers.load(Ordering::Relaxed)
    }

    fn note_without_barriers(&self) {
        self.is_without_barriers.store(true, Ordering::Relaxed);
    }

    /// Asks one member for a sign of life. Errors: the reason why it gives none.
    pub(crate) async fn ask_member(&self, address: &str) -> std::result::Result<(), Fault> {
        let message = GetMembersRequest { header: Some(self.header()) }.encode_to_vec();
        self.network.call(address, GetMembersRequest::METHOD, message.into()).await.map(|_| ())
    }

    fn header(&self) -> RequestHeader {
        RequestHeader { cluster_id: self.cluster_id }
    }

    fn leader(&self) -> String {
        self.members.lock().unwrap_or_else(PoisonError::into_inner).leader.clone()
    }

    /// Asks the known members who leads now.
    async fn find_leader(&self) {
        // Another member may have another version, and this one may have started again with one.
        self.is_without_barriers.store(false, Ordering::Relaxed);
        let (failed, addresses) = {
            let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
            (members.leader.clone(), members.all.clone())
        };
        let found = find_members(&self.network, &addresses, self.cluster_id, Some(&failed)).await;
        if let Ok((_, found)) = found {
            *self.members.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
    }
}

/// Asks all members concurrently for the cluster's number and for all members. The first answer
/// that names a leader other than `failed` counts; otherwise any answer. `cluster_id` is 0 if it is
/// not known.
async fn find_members(
    network: &Arc<dyn Network>,
    addresses: &[String],
    cluster_id: u64,
    failed: Option<&str>,
) -> std::result::Result<(u64, Members), String> {
    let request = GetMembersRequest { header: Some(RequestHeader { cluster_id }) };
    let message = bytes::Bytes::from(request.encode_to_vec());
    let mut answers = JoinSet::new();
    for address in addresses {
        let (network, address, message) = (Arc::clone(network), address.clone(), message.clone());
        answers.spawn(async move {
            let answer = network.call(&address, GetMembersRequest::METHOD, message).await;
            match answer.map(GetMembersResponse::decode) {
                Ok(Ok(reply)) => members_of(&reply).ok_or(format!("PD at {address} knows no leader")),
                Ok(Err(error)) => Err(format!("{address} is no PD: {error}")),
                Err(fault) => Err(format!("{address} is {fault}")),
            }
        });
    }
    let limit = MEMBERS_TIMEOUT.as_secs();
    let mut found = Err(format!("no member has answered within {limit} s"));
    let end = Instant::now() + MEMBERS_TIMEOUT;
    while let Ok(Some(answer)) = tokio::time::timeout_at(end.into(), answers.join_next()).await {
        let Ok(answer) = answer else { continue };
        if answer.as_ref().is_ok_and(|(_, members)| Some(members.leader.as_str()) != failed) {
            return answer;
        }
        found = found.or(answer);
    }
    found
}

fn members_of(reply: &GetMembersResponse) -> Option<(u64, Members)> {
    let cluster_id = reply.header.as_ref()?.cluster_id;
    let address = |urls: &[String]| urls.first().map(|url| without_scheme(url).to_owned());
    let leader = address(&reply.leader.as_ref()?.client_urls)?;
    let all = reply.members.iter().filter_map(|member| address(&member.client_urls)).collect();
    Some((cluster_id, Members { leader, all }))
}

/// Returns `HOST:PORT` of an address that may be a URL.
pub(crate) fn without_scheme(url: &str) -> &str {
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    host.trim_end_matches('/')
}

/// Returns the kind and the text of the error in a reply.
fn header_error(reply: &impl PdReply) -> Option<(i32, String)> {
    let error = reply.header()?.error.as_ref()?;
    (error.kind != 0).then(|| (error.kind, format!("PD answers: {}", error.message)))
}
