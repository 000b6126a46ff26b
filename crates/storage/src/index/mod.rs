//! Indexes: what each type keeps of a document.
//!
//! A type is a file that implements [`Method`] and a line in [`method`]. What all types share stands beside it: how
//! fields are found ([`field`]), how entries are collected ([`entries`]) and written ([`maintain`]), how an index is
//! built over existing documents ([`build`]), and how its selectivity is estimated ([`estimate`]).

pub(crate) mod build;
mod date;
mod edge;
pub(crate) mod entries;
pub(crate) mod estimate;
pub(crate) mod field;
mod fulltext;
mod geo;
pub(crate) mod maintain;
mod mdi;
mod persistent;
mod primary;
mod ttl;

use std::fmt;
use std::sync::Arc;

use catalog::{FieldPath, IndexDefinition, IndexId, IndexType};
use velocypack::Slice;

use crate::{Error, Result};
use entries::Entries;
use estimate::Estimate;

/// What one type of index keeps of a document.
pub(crate) trait Method: Sync {
    /// Appends the index's entries for a document (stored form, `_key` and all).
    ///
    /// Errors: 32 where a document has too many entries.
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()>;

    /// Whether [`Index::selectivity_estimate`] is kept up by a sketch.
    fn is_estimated(&self, index: &Index) -> bool;
}

/// The types that exist.
fn method(index_type: IndexType) -> Option<&'static dyn Method> {
    match index_type {
        IndexType::Primary => Some(&primary::Primary),
        IndexType::Edge => Some(&edge::Edge),
        IndexType::Persistent => Some(&persistent::Persistent),
        IndexType::Ttl => Some(&ttl::Ttl),
        IndexType::Geo => Some(&geo::Geo),
        IndexType::Fulltext => Some(&fulltext::Fulltext),
        IndexType::Mdi | IndexType::MdiPrefixed => Some(&mdi::Mdi),
        _ => None,
    }
}

/// An index of a collection.
pub struct Index {
    definition: IndexDefinition,
    method: &'static dyn Method,
    estimate: Option<Arc<Estimate>>,
}

impl Index {
    /// Errors: 9 for a type that this version does not have.
    pub(crate) fn new(definition: IndexDefinition, estimate: Option<Arc<Estimate>>) -> Result<Self> {
        let Some(method) = method(definition.properties.index_type) else {
            let message = format!("not implemented: indexes of type '{}'", definition.properties.type_name());
            return Err(Error::new(catalog::error_number::NOT_IMPLEMENTED, message));
        };
        let mut index = Index { definition, method, estimate: None };
        if method.is_estimated(&index) {
            index.estimate = Some(estimate.unwrap_or_default());
        }
        Ok(index)
    }

    /// The definition.
    pub fn definition(&self) -> &IndexDefinition {
        &self.definition
    }

    /// The number within the collection.
    pub fn id(&self) -> IndexId {
        self.definition.id
    }

    /// The name within the collection.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The type.
    pub fn index_type(&self) -> IndexType {
        self.definition.properties.index_type
    }

    /// The indexed attributes.
    pub fn fields(&self) -> &[FieldPath] {
        &self.definition.properties.fields
    }

    /// Whether a client created it: every collection has its primary index, and edge collections have their edge index.
    pub fn is_user_defined(&self) -> bool {
        !matches!(self.index_type(), IndexType::Primary | IndexType::Edge)
    }

    /// Whether no two documents have equal values.
    pub fn is_unique(&self) -> bool {
        self.definition.properties.unique
    }

    /// Whether documents that lack a field are left out.
    pub fn is_sparse(&self) -> bool {
        self.definition.properties.sparse
    }

    /// How many different values there are for each document: near 0 where many share one, 1 where all differ.
    /// `None` where it is not estimated.
    pub fn selectivity_estimate(&self) -> Option<f64> {
        if self.is_unique() {
            return Some(1.0);
        }
        self.estimate.as_ref().map(|estimate| estimate.selectivity())
    }

    /// Where an attribute's value stands in the covered values of an entry ([`crate::IndexEntries::covered`]); `None`
    /// if the index does not cover it. Expanded arrays are not covered (an entry holds one element), nor is `_id` (it
    /// follows from the collection's name and the key).
    pub fn covered_position(&self, path: &[impl AsRef<str>]) -> Option<usize> {
        if !matches!(self.index_type(), IndexType::Persistent | IndexType::Mdi | IndexType::MdiPrefixed) {
            return None;
        }
        let properties = &self.definition.properties;
        let fields = properties.prefix_fields().iter().chain(&properties.fields);
        fields.chain(&properties.stored_values).position(|covered| {
            !covered.is_expanded()
                && !is_id(covered)
                && covered.names.len() == path.len()
                && covered.names.iter().zip(path).all(|(own, asked)| own == asked.as_ref())
        })
    }

    pub(crate) fn estimate(&self) -> Option<&Arc<Estimate>> {
        self.estimate.as_ref()
    }

    /// The index's entries for a document.
    pub(crate) fn entries(&self, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        self.method.entries(self, document, key, entries)
    }

    /// The fields as messages name them.
    pub(crate) fn fields_text(&self) -> String {
        let fields: Vec<String> = self.fields().iter().map(FieldPath::to_string).collect();
        fields.join(", ")
    }
}

/// Whether a path is `_id`, which stored documents hold only as a marker.
pub(crate) fn is_id(path: &FieldPath) -> bool {
    path.names.len() == 1 && path.first() == "_id"
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Index").field(&self.definition).finish()
    }
}
