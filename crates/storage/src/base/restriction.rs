//! Limits of what a reader or writer may see and change of the documents of a collection.
//!
//! The store does not know rules: the layer above compiles them, for the user of a session.

use std::fmt::Debug;
use std::sync::Arc;

use catalog::{CollectionDefinition, CollectionId};
use errors::Result;

use crate::base::documents::{Documents, StoredDocument};

/// Finds the limits of a reader or writer.
pub trait Restrictions: Debug + Send + Sync {
    /// Returns the limits in a collection; `None` if there are none.
    ///
    /// Errors: 11 if its rules cannot be understood. Then nothing of it may be read or written.
    fn of(&self, collection: &CollectionDefinition) -> Result<Option<Arc<dyn Restriction>>>;
}

/// The limits of a reader or writer in one collection.
pub trait Restriction: Debug + Send + Sync {
    /// Returns the documents as the reader sees them, in the same places. Hidden ones are as if
    /// they had not been found, and masked ones have other values.
    ///
    /// Errors: those of the rules.
    fn shown(&self, documents: Documents) -> Result<Documents>;

    /// Returns visible documents with their masked values.
    ///
    /// Errors: those of the rules.
    fn masked(&self, documents: Documents) -> Result<Documents>;

    /// Returns true if the writer may store this document, or change or remove it where it is
    /// stored already.
    ///
    /// Errors: those of the rules.
    fn may_write(&self, document: &StoredDocument) -> Result<bool>;
}

/// The limits of a reader, except in some collections.
#[derive(Debug)]
pub(crate) struct RestrictionsElsewhere {
    pub(crate) inner: Arc<dyn Restrictions>,
    /// The collections without limits.
    pub(crate) collections: Arc<[CollectionId]>,
}

impl Restrictions for RestrictionsElsewhere {
    fn of(&self, collection: &CollectionDefinition) -> Result<Option<Arc<dyn Restriction>>> {
        match self.collections.contains(&collection.id) {
            true => Ok(None),
            false => self.inner.of(collection),
        }
    }
}
