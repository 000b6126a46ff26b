//! The fact that identifies a store's owner: the cluster, the format, the deployment.

use kv::{Error, Result};

use crate::commit::{Commit, PATIENCE_MIN};
use crate::fetch::PageSpec;
use crate::keys::Keys;
use crate::options::TikvOptions;
use crate::protocol::kv::{Mutation, Op};
use crate::topology::client::Client;

/// The name of the fact.
const NAME: &str = "identity";

/// The format of the keys and facts.
const FORMAT: u32 = 1;

/// The first words of the fact's text.
const MARK: &str = "persea tikv";

/// The store in a cluster that a prefix names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The number that PD gave the cluster.
    pub cluster: u64,
    /// The number of the deployment, which is random.
    pub deployment: u64,
}

impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text())
    }
}

impl Identity {
    fn text(&self) -> String {
        format!("{MARK} {FORMAT} cluster={} deployment={:016x}", self.cluster, self.deployment)
    }

    /// Reads the text of a fact. Errors: the format of a newer version, or `None` for another text.
    fn parse(text: &[u8]) -> std::result::Result<Identity, Option<u32>> {
        let text = std::str::from_utf8(text).map_err(|_| None)?;
        let mut words = text.strip_prefix(MARK).ok_or(None)?.split_ascii_whitespace();
        let format: u32 = words.next().and_then(|word| word.parse().ok()).ok_or(None)?;
        if format > FORMAT {
            return Err(Some(format));
        }
        let mut value = |name: &str| words.next().and_then(|word| word.strip_prefix(name));
        let cluster = value("cluster=").and_then(|word| word.parse().ok()).ok_or(None)?;
        let deployment = value("deployment=").and_then(|word| u64::from_str_radix(word, 16).ok());
        Ok(Identity { cluster, deployment: deployment.ok_or(None)? })
    }
}

/// Reads the identity of the store, or gives one to a new store.
///
/// Errors: [`Error::CannotOpen`] if the prefix holds other data or those of another cluster;
/// [`Error::NewerFormat`].
pub(crate) async fn settle(
    client: &std::sync::Arc<Client>,
    keys: &Keys,
    options: &TikvOptions,
) -> Result<Identity> {
    let cluster = client.pd.cluster_id();
    let refused = |reason: String| Error::CannotOpen {
        store: format!("the store '{}' in the TiKV cluster {cluster}", options.prefix),
        reason,
    };
    let key = keys.fact(NAME);
    loop {
        let at = client.timestamps.next().await?;
        if let Some(text) = client.get(&key, at).await? {
            let identity = match Identity::parse(&text) {
                Ok(identity) => identity,
                Err(Some(found)) => return Err(Error::NewerFormat { found, supported: FORMAT }),
                Err(None) => {
                    let reason =
                        "its identity was not written by this software; choose another --tikv.prefix";
                    return Err(refused(reason.to_owned()));
                }
            };
            if identity.cluster != cluster {
                return Err(refused(format!(
                    "it was made in the cluster {}; check --tikv.pd, or dump the data there and restore them here",
                    identity.cluster
                )));
            }
            return Ok(identity);
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
        let identity = Identity { cluster, deployment: fastrand::u64(..) };
        let mutation =
            Mutation { op: Op::Insert as i32, key: key.clone(), value: identity.text().into_bytes() };
        match Commit::run(std::sync::Arc::clone(client), at, vec![mutation].into(), PATIENCE_MIN).await {
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
        let identity = Identity { cluster: 7_000_000_000_000_000_000, deployment: 42 };
        assert_eq!(Identity::parse(identity.text().as_bytes()), Ok(identity));
        assert_eq!(Identity::parse(b"persea tikv 99 more"), Err(Some(99)));
        assert_eq!(Identity::parse(b"persea tikv 1 cluster=x"), Err(None));
        assert_eq!(Identity::parse(b"\xff"), Err(None));
    }
}
