//! The fact that identifies a store's owner: the cluster, the format, the deployment.

use std::sync::Arc;

use kv::{Error, Result};

use crate::commit::{Commit, PATIENCE_MIN};
use crate::fetch::PageSpec;
use crate::keys::Keys;
use crate::options::TikvOptions;
use crate::protocol::kv::{Mutation, Op};
use crate::topology::client::Client;

/// The name of the fact.
pub(super) const NAME: &str = "identity";

/// The first words of the fact's text.
const MARK: &str = "persea tikv";

/// The store in a cluster that a prefix names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The format that every server must read that opens the store.
    pub format: u32,
    /// The number that PD gave the cluster.
    pub cluster: u64,
    /// The number of the deployment, which is random.
    pub deployment: u64,
}

/// Prints what never changes: the data folders of servers keep this text. Its own format is 1,
/// whatever that of the store is.
impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&Identity { format: 1, ..self.clone() }.text())
    }
}

impl Identity {
    pub(super) fn text(&self) -> String {
        format!("{MARK} {} cluster={} deployment={:016x}", self.format, self.cluster, self.deployment)
    }

    /// Reads the text of a fact, for a server that reads formats up to `supported`. Errors: the
    /// format of a newer version, or `None` for another text.
    fn parse(text: &[u8], supported: u32) -> std::result::Result<Identity, Option<u32>> {
        let text = std::str::from_utf8(text).map_err(|_| None)?;
        let mut words = text.strip_prefix(MARK).ok_or(None)?.split_ascii_whitespace();
        let format: u32 = words.next().and_then(|word| word.parse().ok()).ok_or(None)?;
        if format > supported {
            return Err(Some(format));
        }
        let mut value = |name: &str| words.next().and_then(|word| word.strip_prefix(name));
        let cluster = value("cluster=").and_then(|word| word.parse().ok()).ok_or(None)?;
        let deployment = value("deployment=").and_then(|word| u64::from_str_radix(word, 16).ok());
        Ok(Identity { format, cluster, deployment: deployment.ok_or(None)? })
    }
}

impl Identity {
    /// Reads the fact at a timestamp. Returns `None` if there is none.
    ///
    /// Errors: [`Error::NewerFormat`]; [`Error::Corrupt`] if another program has written it.
    pub(super) async fn read(
        client: &Client,
        key: &[u8],
        at: u64,
        supported: u32,
    ) -> Result<Option<Identity>> {
        let Some(text) = client.get(key, at).await? else { return Ok(None) };
        Identity::parse(&text, supported).map(Some).map_err(|newer| match newer {
            Some(found) => Error::NewerFormat { found, supported },
            None => Error::Corrupt { reason: "its identity was not written by this software".to_owned() },
        })
    }
}

/// Reads the identity of the store, or gives one to a new store.
///
/// Errors: [`Error::CannotOpen`] if the prefix holds other data or those of another cluster;
/// [`Error::NewerFormat`].
pub(crate) async fn settle(client: &Arc<Client>, keys: &Keys, options: &TikvOptions) -> Result<Identity> {
    let cluster = client.pd.cluster_id();
    let refused = |reason: String| Error::CannotOpen {
        store: format!("the store '{}' in the TiKV cluster {cluster}", options.prefix),
        reason,
    };
    let key = keys.fact(NAME);
    loop {
        let at = client.timestamps.next().await?;
        let found = match Identity::read(client, &key, at, options.format).await {
            Err(Error::Corrupt { reason }) => {
                return Err(refused(format!("{reason}; choose another --tikv.prefix")));
            }
            found => found?,
        };
        if let Some(identity) = found {
            if identity.cluster == cluster {
                return Ok(identity);
            }
            if !options.adopts_restored {
                return Err(refused(format!(
                    "it was made in the cluster {}; check --tikv.pd, or start once with --tikv.adopt-restored if \
                     a backup of that cluster was restored into this one",
                    identity.cluster
                )));
            }
            // The folders of servers belong to the other deployment.
            let adopted = Identity { cluster, deployment: fastrand::u64(..), ..identity };
            let mutation =
                Mutation { op: Op::Put as i32, key: key.clone(), value: adopted.text().into_bytes() };
            match Commit::run(Arc::clone(client), at, vec![mutation].into(), PATIENCE_MIN).await {
                Err(Error::Conflict) => continue,
                other => return other.map(|()| adopted),
            }
        }
        let range = keys.whole();
        let spec = PageSpec { range, reverse: false, keys_only: true, is_passing: true };
        let mut rest = Some(spec.clone());
        while let Some(spec) = rest {
            let page = client.page(&spec, 1, at).await?;
            if !page.pairs.is_empty() {
                let reason = "it holds data of another program; choose another --tikv.prefix";
                return Err(refused(reason.to_owned()));
            }
            rest = page.rest.map(|range| PageSpec { range, ..spec });
        }
        let identity = Identity { format: options.format, cluster, deployment: fastrand::u64(..) };
        let mutation =
            Mutation { op: Op::Insert as i32, key: key.clone(), value: identity.text().into_bytes() };
        match Commit::run(Arc::clone(client), at, vec![mutation].into(), PATIENCE_MIN).await {
            // Another server gave the store an identity: read it.
            Err(Error::Conflict) => {}
            other => return other.map(|()| identity),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back_and_others_are_told_apart() {
        let identity = Identity { format: 3, cluster: 7_000_000_000_000_000_000, deployment: 42 };
        assert_eq!(Identity::parse(identity.text().as_bytes(), 4), Ok(identity));
        assert_eq!(Identity::parse(b"persea tikv 99 more", 98), Err(Some(99)));
        assert_eq!(Identity::parse(b"persea tikv 1 cluster=x", 1), Err(None));
        assert_eq!(Identity::parse(b"\xff", 1), Err(None));
    }
}
