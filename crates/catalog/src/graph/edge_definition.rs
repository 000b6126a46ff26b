//! Edge definitions: an edge collection, and the collections in which its edges may begin and end.

use std::collections::BTreeSet;

use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::properties::Printer;

/// An edge collection of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeDefinition {
    /// The edge collection.
    pub collection: String,
    /// The collections in which its edges may begin, sorted and unique.
    pub from: Vec<String>,
    /// The collections in which its edges may end, sorted and unique.
    pub to: Vec<String>,
}

impl EdgeDefinition {
    /// Reads `{collection, from, to}`. The caller reads other attributes (`options`).
    ///
    /// Errors: 1923.
    pub fn parse(value: Slice<'_>) -> Result<Self> {
        if !value.is_object() {
            return Err(malformed("must be an object"));
        }
        let collection = value.get("collection").and_then(Slice::as_str).filter(|name| !name.is_empty());
        let collection = collection.ok_or_else(|| malformed("'collection' must be a name"))?;
        let list = |name: &str| {
            let names = value.get(name).and_then(names);
            names.ok_or_else(|| malformed(&format!("'{name}' must be an array of names")))
        };
        Ok(EdgeDefinition { collection: collection.to_owned(), from: list("from")?, to: list("to")? })
    }

    pub(super) fn print(&self, printer: &mut Printer<'_>) {
        printer.text("collection", &self.collection);
        printer.texts("from", &self.from);
        printer.texts("to", &self.to);
    }

    /// Returns the collections where edges may begin, then those where they may end.
    ///
    /// A collection may appear twice.
    pub fn vertex_collections(&self) -> impl Iterator<Item = &str> {
        self.from.iter().chain(&self.to).map(String::as_str)
    }

    /// Returns true if edges may begin in a collection.
    pub fn allows_from(&self, collection: &str) -> bool {
        self.from.iter().any(|name| name == collection)
    }

    /// Returns true if edges may end in a collection.
    pub fn allows_to(&self, collection: &str) -> bool {
        self.to.iter().any(|name| name == collection)
    }
}

/// Returns an array of names, sorted and unique; `None` for any other value.
pub(super) fn names(value: Slice<'_>) -> Option<Vec<String>> {
    if !value.is_array() {
        return None;
    }
    let names = value.elements().map(|name| name.as_str().filter(|name| !name.is_empty()));
    let names: BTreeSet<&str> = names.collect::<Option<_>>()?;
    Some(names.into_iter().map(str::to_owned).collect())
}

pub(super) fn malformed(what: &str) -> Error {
    let message = format!("malformed edge definition: {what}");
    Error::new(ErrorCode::GraphCreateMalformedEdgeDefinition, message)
}
