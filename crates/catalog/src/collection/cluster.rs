//! The properties of collections that only a cluster uses. A single server checks them, as ArangoDB
//! does, and then ignores them.

use errors::{Error, Result};
use velocypack::Slice;

use crate::properties::Properties;

/// Maximum number of attributes that shard a collection.
const MAX_SHARD_KEYS: u64 = 8;

/// Checks the properties of a collection that is created. Errors: 10.
pub fn check_cluster_properties(properties: Slice<'_>) -> Result<()> {
    let properties = Properties::of(properties, "the collection's properties")?;
    properties.unsigned("numberOfShards")?;
    let factor = properties.value("replicationFactor");
    if factor.and_then(|factor| factor.as_str()) != Some("satellite") {
        properties.unsigned("replicationFactor")?;
    }
    for name in ["distributeShardsLike", "shardingStrategy", "smartGraphAttribute", "smartJoinAttribute"] {
        properties.text(name)?;
    }
    for name in ["isDisjoint", "isSmart", "syncByRevision"] {
        properties.boolean(name)?;
    }
    let Some(keys) = properties.array("shardKeys")? else { return Ok(()) };
    let is_right = keys.elements().all(|key| key.as_str().is_some_and(|key| !key.is_empty()));
    if !is_right || keys.len() as u64 > MAX_SHARD_KEYS {
        return Err(Error::bad_parameter(format!(
            "expecting at most {MAX_SHARD_KEYS} names of attributes in 'shardKeys'"
        )));
    }
    Ok(())
}
