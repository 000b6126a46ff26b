//! The members of a store: the servers that use it, each with a number and a lease.
//!
//! The fact `member/NNN` is the record of the member with that number. It holds the end of the
//! lease in milliseconds of the cluster's timestamps. The member itself commits nothing at or after
//! that moment ([`crate::topology::fence`]), so others may count it as gone from then on.

pub(crate) mod identity;
// Below `identity`, whose fact it raises.
pub(crate) mod formats;

use std::sync::Arc;
use std::time::Duration;

use kv::{Error, MEMBER_NUMBER_MAX, Member, MemberNumber, Result};
use tokio::sync::Mutex;

use crate::commit::mutations::Mutations;
use crate::commit::{Commit, PATIENCE_MIN};
use crate::fetch::PageSpec;
use crate::keys::Keys;
use crate::options::TikvOptions;
use crate::protocol::kv::{Mutation, Op};
use crate::topology::client::Client;
use crate::topology::pd;

/// The beginning of the facts' names.
const NAMES: &str = "member/";

/// The membership of this server.
pub(crate) struct Membership {
    key: Vec<u8>,
    keys: Keys,
    life: Duration,
    /// The record as last written. It is locked while another one is written.
    record: Mutex<Record>,
    number: MemberNumber,
    identity: u64,
}

/// The text of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    /// The end of the lease.
    end_ms: u64,
    /// The newest format of the store that the member reads.
    reads: u32,
    member: Member,
}

/// The format that a member reads whose record does not say so.
const FIRST_FORMAT: u32 = 1;

impl Record {
    fn text(&self) -> String {
        let Member { identity, started_ms, address, process, version, acknowledged, pending, .. } =
            &self.member;
        let pending: Vec<String> = pending.iter().map(u64::to_string).collect();
        let (pending, end_ms, reads) = (pending.join(","), self.end_ms, self.reads);
        format!(
            "{identity:016x} {end_ms} {started_ms} {acknowledged} ={pending} ={address} \
             reads={reads} version={version} {process}"
        )
    }

    /// Reads the text of a fact. Skips words `NAME=VALUE` before the process that newer versions
    /// have added.
    fn parse(number: MemberNumber, text: &[u8]) -> Option<Record> {
        let mut words = std::str::from_utf8(text).ok()?.splitn(7, ' ');
        let identity = u64::from_str_radix(words.next()?, 16).ok()?;
        let end_ms = words.next()?.parse().ok()?;
        let started_ms = words.next()?.parse().ok()?;
        let acknowledged = words.next()?.parse().ok()?;
        let pending = words.next()?.strip_prefix('=')?;
        let pending = pending.split(',').filter(|part| !part.is_empty()).map(str::parse);
        let pending = pending.collect::<std::result::Result<_, _>>().ok()?;
        let address = words.next()?.strip_prefix('=')?.to_owned();
        let (mut process, mut reads, mut version) = (words.next()?, FIRST_FORMAT, String::new());
        while let Some((word, rest)) = process.split_once(' ')
            && let Some((name, value)) = word.split_once('=')
        {
            match name {
                "reads" => reads = value.parse().ok()?,
                "version" => version = value.to_owned(),
                _ => {}
            }
            process = rest;
        }
        let process = process.to_owned();
        let member =
            Member { number, identity, started_ms, address, process, version, acknowledged, pending };
        Some(Record { end_ms, reads, member })
    }
}

/// Describes this process for those who find its record.
fn process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("process {} on {}", std::process::id(), host.trim())
}

fn key_of(keys: &Keys, number: MemberNumber) -> Vec<u8> {
    keys.fact(&format!("{NAMES}{number:03}"))
}

/// Returns the records of members whose lease includes a timestamp, by number.
async fn living(client: &Client, keys: &Keys, at: u64) -> Result<Vec<Record>> {
    let prefix = keys.fact(NAMES);
    let range = kv::KeyRange::prefix(&prefix);
    let mut rest = Some(PageSpec { range, reverse: false, keys_only: false, is_passing: false });
    let mut found = Vec::new();
    while let Some(spec) = rest {
        let page = client.page(&spec, usize::from(MEMBER_NUMBER_MAX) + 1, at).await?;
        for pair in page.pairs {
            let number = pair.key.strip_prefix(prefix.as_slice());
            let number = number.and_then(|number| std::str::from_utf8(number).ok()?.parse().ok());
            let record = number.and_then(|number| Record::parse(number, &pair.value));
            let record = record.ok_or_else(|| Error::Corrupt {
                reason: "the record of a server that uses the store has an unknown format".to_owned(),
            })?;
            found.extend(Some(record).filter(|record| pd::milliseconds(at) < record.end_ms));
        }
        rest = page.rest.map(|range| PageSpec { range, ..spec });
    }
    Ok(found)
}

impl Membership {
    /// Takes the lowest free number.
    ///
    /// Errors: [`Error::CannotOpen`] if no number is free.
    pub(crate) async fn take(client: &Arc<Client>, keys: &Keys, options: &TikvOptions) -> Result<Membership> {
        let identity = fastrand::u64(1..);
        loop {
            let at = client.timestamps.next().await?;
            let others = living(client, keys, at).await?;
            let is_free = |number: &MemberNumber| others.iter().all(|other| other.member.number != *number);
            let number =
                (0..=MEMBER_NUMBER_MAX).find(is_free).ok_or_else(|| refused(options, others.len()))?;
            let member = Member {
                number,
                identity,
                started_ms: pd::milliseconds(at),
                address: String::new(),
                process: process(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                acknowledged: 0,
                pending: Vec::new(),
            };
            let membership = Membership {
                key: key_of(keys, number),
                keys: keys.clone(),
                life: options.lease,
                record: Mutex::new(Record { end_ms: 0, reads: options.format, member }),
                number,
                identity,
            };
            match membership.write(client, Some(at), |_| ()).await {
                Err(Error::Conflict) => {}
                written => return written.map(|()| membership),
            }
        }
    }

    /// Prolongs the lease, and changes the record.
    ///
    /// Errors: [`Error::LeaseEnded`].
    pub(crate) async fn renew(&self, client: &Arc<Client>, change: impl FnOnce(&mut Member)) -> Result<()> {
        self.write(client, None, change).await
    }

    /// Writes the record at a timestamp, or at one of now.
    async fn write(
        &self,
        client: &Arc<Client>,
        at: Option<u64>,
        change: impl FnOnce(&mut Member),
    ) -> Result<()> {
        let mut present = self.record.lock().await;
        let mut record = present.clone();
        change(&mut record.member);
        let at = match at {
            Some(at) => at,
            None => client.timestamps.next().await?,
        };
        client.fence.check(at)?;
        record.end_ms = pd::milliseconds(at) + self.life.as_millis() as u64;
        let mutation =
            Mutation { op: Op::Put as i32, key: self.key.clone(), value: record.text().into_bytes() };
        let mutations = Mutations { checked: vec![mutation], is_vital: true, ..Mutations::default() };
        Commit::run(Arc::clone(client), at, mutations, PATIENCE_MIN).await?;
        client.fence.prolong(record.end_ms);
        *present = record;
        Ok(())
    }

    /// Ends the lease, so that others need not wait for its end. They do if a commit may still be
    /// decided: then the lease ends by itself.
    pub(crate) async fn release(&self, client: &Arc<Client>) -> Result<()> {
        let _present = self.record.lock().await;
        let at = client.timestamps.next().await?;
        client.fence.check(at)?;
        if client.fence.has_doubt(at) {
            client.fence.lose();
            return Ok(());
        }
        let mutation = Mutation { op: Op::Del as i32, key: self.key.clone(), value: Vec::new() };
        Commit::run(Arc::clone(client), at, vec![mutation].into(), PATIENCE_MIN).await?;
        client.fence.lose();
        Ok(())
    }

    /// Returns the living members by number.
    pub(crate) async fn members(&self, client: &Client) -> Result<Vec<Member>> {
        let at = client.timestamps.next().await?;
        client.fence.check(at)?;
        Ok(living(client, &self.keys, at).await?.into_iter().map(|record| record.member).collect())
    }

    /// Changes the newest format that the next record says.
    #[cfg(test)]
    pub(crate) fn claim_to_read(&self, format: u32) {
        self.record.blocking_lock().reads = format;
    }

    /// Returns the number of this server.
    pub(crate) fn number(&self) -> MemberNumber {
        self.number
    }

    /// Returns the random number of this opening of the store.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }
}

fn refused(options: &TikvOptions, servers: usize) -> Error {
    Error::CannotOpen {
        store: format!("the store '{}'", options.prefix),
        reason: format!("{servers} servers use it already; stop one, or choose another --tikv.prefix"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back() {
        for (address, pending) in [("", vec![]), ("host:8529", vec![7, u64::MAX])] {
            let member = Member {
                number: 3,
                identity: 0xabc,
                started_ms: 5,
                address: address.to_owned(),
                process: "process 7 on a host".to_owned(),
                version: "1.2.3".to_owned(),
                acknowledged: 9,
                pending,
            };
            let record = Record { end_ms: 77, reads: 4, member };
            assert_eq!(Record::parse(3, record.text().as_bytes()), Some(record));
        }
        let newer = b"0a 9 1 0 = =a:1 reads=2 later=7 version=2.0.0 process 7 on a=b";
        let newer = Record::parse(3, newer).unwrap();
        assert_eq!((newer.reads, newer.member.version.as_str()), (2, "2.0.0"));
        assert_eq!(newer.member.process, "process 7 on a=b");
        assert_eq!(Record::parse(3, b"x 1 2"), None);
    }
}
