//! The collections of the other server, as its inventory describes them.

use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

/// System collections whose contents are of use only to the server that wrote them.
const OWN: &str = "_statistics";

/// The collection of Analyzers, on which indexes and views depend.
const ANALYZERS: &str = "_analyzers";

/// A collection of the other server, as its inventory describes it.
pub(super) struct Described<'a> {
    pub(super) name: &'a str,
    /// Its globally unique identifier.
    pub(super) unique_id: &'a str,
    /// The object with `parameters` and `indexes`.
    pub(super) definition: Slice<'a>,
}

/// Returns the collections of an inventory that are copied.
///
/// Errors: 1401 for one without a name or an identifier.
pub(super) fn described(inventory: Slice<'_>) -> Result<Vec<Described<'_>>> {
    let mut collections = Vec::new();
    for definition in inventory.get("collections").into_iter().flat_map(Slice::elements) {
        let text = |name: &str| definition.get_path(&["parameters", name]).and_then(Slice::as_str);
        let (Some(name), Some(unique_id)) = (text("name"), text("globallyUniqueId")) else {
            let message = "a collection of the inventory has no 'name' or 'globallyUniqueId'";
            return Err(Error::new(ErrorCode::ReplicationInvalidResponse, message));
        };
        if !name.starts_with(OWN) {
            collections.push(Described { name, unique_id, definition });
        }
    }
    Ok(collections)
}

/// Moves the collection of Analyzers to a list of its own: it is copied before the others.
pub(super) fn take_analyzers<'a>(collections: &mut Vec<Described<'a>>) -> Vec<Described<'a>> {
    let found = collections.iter().position(|collection| collection.name == ANALYZERS);
    found.map(|analyzers| collections.remove(analyzers)).into_iter().collect()
}
