//! The indexes of a `search-alias` view.

use errors::{Error, Result};
use velocypack::Slice;

use crate::properties::{Printer, Properties};
use crate::{CollectionId, IndexId};

/// The maximum number of indexes of a view, and of changes in a request.
const ALIAS_INDEXES_MAX: usize = 1000;

/// An inverted index of a `search-alias` view. Names may change, numbers do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AliasIndex {
    /// The collection.
    pub collection: CollectionId,
    /// The index.
    pub index: IndexId,
}

impl AliasIndex {
    pub(super) fn print_record(&self, printer: &mut Printer<'_>) {
        printer.unsigned("collection", self.collection.0);
        printer.unsigned("index", self.index.0);
    }

    pub(super) fn read_record(value: Slice<'_>) -> Result<Self> {
        let missing = || Error::corrupt("an index of a view's record lacks an attribute");
        let record = Properties::of(value, "an index of a view")?;
        Ok(AliasIndex {
            collection: CollectionId(record.unsigned("collection")?.ok_or_else(missing)?),
            index: IndexId(record.unsigned("index")?.ok_or_else(missing)?),
        })
    }
}

/// A change of the list of indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasChange {
    /// The collection's name or number.
    pub collection: String,
    /// The index's name or number.
    pub index: String,
    /// True to add the index, false to remove it.
    pub is_addition: bool,
}

/// All changes of a request; `None` if it has no `indexes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AliasChanges(pub Option<Vec<AliasChange>>);

impl AliasChanges {
    /// Reads `indexes` of a request. Errors: 10.
    pub(crate) fn parse(properties: Properties<'_>) -> Result<Self> {
        let Some(indexes) = properties.array("indexes")? else { return Ok(AliasChanges(None)) };
        if indexes.len() > ALIAS_INDEXES_MAX {
            let message = format!("'indexes' of a view must have at most {ALIAS_INDEXES_MAX} elements");
            return Err(Error::bad_parameter(message));
        }
        let changes: Result<_> = indexes.elements().map(AliasChange::parse).collect();
        Ok(AliasChanges(Some(changes?)))
    }

    /// Reads the body of a change. Errors: 10.
    pub fn of_body(body: Slice<'_>) -> Result<Self> {
        AliasChanges::parse(Properties::of(body, "the view's properties")?)
    }

    /// Returns the list that the changes make of `present`.
    ///
    /// A `partial` change begins with the present list, a full one with an empty list. `find`
    /// looks an index up that a client names; its answer for one that is to be removed may be
    /// `None`. Errors: 10 for too many indexes, those of `find`.
    pub fn apply(
        &self,
        present: &[AliasIndex],
        partial: bool,
        find: impl Fn(&AliasChange) -> Result<Option<AliasIndex>>,
    ) -> Result<Vec<AliasIndex>> {
        let mut indexes = if partial { present.to_vec() } else { Vec::new() };
        for change in self.0.iter().flatten() {
            let Some(index) = find(change)? else { continue };
            match change.is_addition {
                true if indexes.contains(&index) => {}
                true => indexes.push(index),
                false => indexes.retain(|own| *own != index),
            }
        }
        if indexes.len() > ALIAS_INDEXES_MAX {
            let message = format!("a view must have at most {ALIAS_INDEXES_MAX} indexes");
            return Err(Error::bad_parameter(message));
        }
        Ok(indexes)
    }
}

impl AliasChange {
    fn parse(value: Slice<'_>) -> Result<Self> {
        let properties = Properties::of(value, "an element of 'indexes'")?;
        let text = |name: &str| {
            let text = properties.text(name)?.filter(|text| !text.is_empty());
            text.map(str::to_owned)
                .ok_or_else(|| Error::bad_parameter(format!("an element of 'indexes' must have '{name}'")))
        };
        let is_addition = match properties.text("operation")? {
            None | Some("add") => true,
            Some("del") => false,
            Some(other) => {
                let message = format!("'operation' in 'indexes' is '{other}'; it must be 'add' or 'del'");
                return Err(Error::bad_parameter(message));
            }
        };
        Ok(AliasChange { collection: text("collection")?, index: text("index")?, is_addition })
    }
}
