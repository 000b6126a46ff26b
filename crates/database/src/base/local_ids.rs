//! Numbers of objects that live in the memory of one server: cursors, transactions, jobs, dumps.
//!
//! Where several servers share a store, the low bits of such a number are the server's. So every
//! server knows the owner of a number that a client sends.

use std::fmt;
use std::sync::Arc;

use errors::{Error, Result};
use kv::{MemberNumber, Nodes, Sharing};

/// Bits of a number that are the server's.
const SERVER_BITS: u32 = MemberNumber::BITS;

/// A server of a shared store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharingServer {
    /// Its number among the living servers.
    pub number: u8,
    /// A random number of its run.
    pub identity: u64,
    /// True for the server that was asked.
    pub is_this: bool,
    /// `HOST:PORT` at which it serves clients; empty if it has not published one.
    pub address: String,
    /// Milliseconds since 1970 of its start, by the store's clock.
    pub started_ms: u64,
    /// The version of its program; empty if it is not known.
    pub version: String,
}

/// The numbers of one server.
#[derive(Clone, Default)]
pub struct LocalIds {
    /// The servers that share the store, if there can be others.
    sharing: Option<Arc<dyn Sharing>>,
}

impl fmt::Debug for LocalIds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LocalIds").field("member", &self.member()).finish()
    }
}

impl LocalIds {
    pub(crate) fn new(sharing: Option<&Arc<dyn Sharing>>) -> Self {
        LocalIds { sharing: sharing.cloned() }
    }

    /// Returns the number of an object of this server, made from one that no other object of its
    /// kind on this server has.
    pub fn id(&self, number: u64) -> u64 {
        match &self.sharing {
            None => number,
            Some(sharing) => {
                debug_assert!(
                    number.leading_zeros() >= SERVER_BITS,
                    "the number leaves room for the server's"
                );
                (number << SERVER_BITS) | u64::from(sharing.member())
            }
        }
    }

    /// Returns the number of the server that an object belongs to; `None` for this one.
    pub fn other_owner(&self, id: u64) -> Option<MemberNumber> {
        let sharing = self.sharing.as_ref()?;
        // The mask leaves the server's bits.
        let owner = (id & u64::from(MemberNumber::MAX)) as MemberNumber;
        (owner != sharing.member()).then_some(owner)
    }

    /// Returns the address `HOST:PORT` of another server, as of now; `None` if it is gone or has
    /// not published one.
    ///
    /// Errors: those of the engine, which it asks.
    pub fn address(&self, owner: MemberNumber) -> Result<Option<String>> {
        let Some(sharing) = &self.sharing else { return Ok(None) };
        let members = sharing.members().map_err(Error::from)?;
        let address = members.into_iter().find(|member| member.number == owner).map(|member| member.address);
        Ok(address.filter(|address| !address.is_empty()))
    }

    /// Returns the address `HOST:PORT` of the living server with the lowest number, as of now;
    /// `None` if that is this one, or if it has not published one.
    ///
    /// Errors: those of the engine, which it asks.
    pub fn address_of_first(&self) -> Result<Option<String>> {
        let Some(sharing) = &self.sharing else { return Ok(None) };
        let first = sharing.members().map_err(Error::from)?.into_iter().next();
        let other = first.filter(|first| first.number != sharing.member()).map(|first| first.address);
        Ok(other.filter(|address| !address.is_empty()))
    }

    /// Returns the servers that share the store, as of now; `None` if there can be no others.
    ///
    /// Errors: those of the engine, which it asks.
    pub fn servers(&self) -> Result<Option<Vec<SharingServer>>> {
        let Some(sharing) = &self.sharing else { return Ok(None) };
        let this = sharing.member();
        let servers = sharing.members().map_err(Error::from)?.into_iter().map(|member| SharingServer {
            number: member.number,
            identity: member.identity,
            is_this: member.number == this,
            address: member.address,
            started_ms: member.started_ms,
            version: member.version,
        });
        Ok(Some(servers.collect()))
    }

    /// Returns the processes that keep the data of the store, as of now; `None` if there can be no
    /// other servers.
    ///
    /// Errors: those of the engine, which asks them.
    pub fn nodes(&self) -> Result<Option<Nodes>> {
        self.sharing.as_ref().map(|sharing| sharing.nodes().map_err(Error::from)).transpose()
    }

    /// Returns this server's number among those that share the store; `None` if there are no
    /// others.
    pub fn member(&self) -> Option<MemberNumber> {
        self.sharing.as_ref().map(|sharing| sharing.member())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Third;

    impl Sharing for Third {
        fn member(&self) -> MemberNumber {
            3
        }

        fn identity(&self) -> u64 {
            1
        }

        fn lease(&self) -> std::time::Duration {
            std::time::Duration::from_secs(30)
        }

        fn members(&self) -> kv::Result<Vec<kv::Member>> {
            let member = |number, address: &str| kv::Member {
                number,
                identity: 1,
                started_ms: 0,
                address: address.to_owned(),
                process: String::new(),
                version: String::new(),
                acknowledged: 0,
                pending: Vec::new(),
            };
            Ok(vec![member(0, "a:8529"), member(2, ""), member(3, "c:8529")])
        }

        fn format(&self) -> u32 {
            1
        }

        fn nodes(&self) -> kv::Result<kv::Nodes> {
            Ok(kv::Nodes::default())
        }

        fn timestamps(&self, _count: u32) -> kv::Result<u64> {
            Ok(1)
        }

        fn clock_ms(&self) -> u64 {
            0
        }

        fn lease_end(&self) -> u64 {
            u64::MAX
        }

        fn set_address(&self, _address: &str) -> kv::Result<()> {
            Ok(())
        }

        fn acknowledge(&self, _announcement: u64, _pending: &[u64]) -> kv::Result<()> {
            Ok(())
        }
    }

    fn third() -> LocalIds {
        LocalIds { sharing: Some(Arc::new(Third)) }
    }

    #[test]
    fn a_number_names_its_server() {
        let ids = third();
        let id = ids.id(77);
        assert_eq!(ids.other_owner(id), None);
        assert_eq!(ids.other_owner((77 << 8) | 2), Some(2));
        assert_ne!(ids.id(78), id);
    }

    #[test]
    fn a_server_without_address_or_lease_is_not_found() {
        let ids = third();
        assert_eq!(ids.address(0).unwrap().as_deref(), Some("a:8529"));
        assert_eq!(ids.address(2).unwrap(), None);
        assert_eq!(ids.address(9).unwrap(), None);
        assert_eq!(ids.address_of_first().unwrap().as_deref(), Some("a:8529"));
    }

    #[test]
    fn a_server_alone_owns_every_number() {
        let ids = LocalIds::default();
        assert_eq!(ids.id(77), 77);
        assert_eq!(ids.other_owner(77), None);
        assert_eq!(ids.address_of_first().unwrap(), None);
    }
}
