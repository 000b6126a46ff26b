//! The links in the definition of an `arangosearch` view, or in a change of one.

use errors::{Error, Result};
use velocypack::Slice;

use crate::properties::Properties;

/// The maximum number of links in a request.
const LINKS_MAX: usize = 10_000;

/// A change of the link to one collection.
#[derive(Clone, Copy, Debug)]
pub struct LinkChange<'a> {
    /// The collection's name or number.
    pub collection: &'a str,
    /// The definition of the new link; `None` removes the link.
    pub definition: Option<Slice<'a>>,
}

/// Reads `links` of the body of a request; `None` if it has none. The definitions are not checked.
///
/// Errors: 10.
pub fn parse_links(body: Slice<'_>) -> Result<Option<Vec<LinkChange<'_>>>> {
    let properties = Properties::of(body, "the view's definition")?;
    let Some(links) = properties.object("links")? else { return Ok(None) };
    let links = links.as_slice();
    if links.len() > LINKS_MAX {
        return Err(Error::bad_parameter(format!("'links' must have at most {LINKS_MAX} attributes")));
    }
    let mut changes = Vec::new();
    for (collection, definition) in links.entries() {
        if !definition.is_object() && !definition.is_null() {
            let message = format!("the link to '{collection}' must be an object, or null to remove it");
            return Err(Error::bad_parameter(message));
        }
        changes.push(LinkChange { collection, definition: definition.is_object().then_some(definition) });
    }
    Ok(Some(changes))
}
