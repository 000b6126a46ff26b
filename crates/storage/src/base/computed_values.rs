//! Computed values. Their expressions are AQL, which storage does not know, so the upper layer
//! compiles and evaluates them.

use std::sync::Arc;

use aql_value::Owner;
use catalog::{ComputedValue, collection::CollectionProperties};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

/// The kind of write at which values are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComputeEvent {
    /// A document is inserted.
    Insert,
    /// A document is updated.
    Update,
    /// A document is replaced.
    Replace,
}

/// A compiler of a collection's computed values. The upper layer provides it when the store opens.
pub trait ComputedValuesCompiler: Send + Sync {
    /// Compiles the values of a collection that is created or changed, and of every collection when
    /// the store opens.
    ///
    /// Errors: 10 for an illegal expression. The change then fails.
    fn compile(&self, values: &[ComputedValue]) -> Result<Arc<dyn ComputedValues>>;
}

/// The compiled computed values of one collection.
pub trait ComputedValues: Send + Sync {
    /// Returns true if there is anything to compute at this event. Otherwise
    /// [`ComputedValues::compute`] is not called.
    fn applies_to(&self, event: ComputeEvent) -> bool;

    /// Computes the attributes of a document.
    ///
    /// Returns a whole VelocyPack object that replaces `document`, or `None` if nothing changes.
    /// `document` is about to be written and includes system attributes; `collection` resolves its
    /// `_id`. System attributes in the result are ignored.
    ///
    /// `owner` can end the computation, and pays for its memory. Without one it has a bound of its
    /// own.
    ///
    /// Errors: those of the expressions and of the owner. The write fails with them.
    fn compute(
        &self,
        event: ComputeEvent,
        document: Slice<'_>,
        collection: &str,
        owner: Option<&Owner>,
    ) -> Result<Option<Vec<u8>>>;
}

/// Compiles the computed values of a collection that is created or changed.
pub(crate) fn compile(
    properties: &CollectionProperties,
    compiler: Option<&dyn ComputedValuesCompiler>,
) -> Result<Option<Arc<dyn ComputedValues>>> {
    let values = properties.computed_values.as_slice();
    match compiler {
        _ if values.is_empty() => Ok(None),
        Some(compiler) => compiler.compile(values).map(Some),
        None => {
            Err(Error::new(ErrorCode::NotImplemented, "not implemented: computed values in this program"))
        }
    }
}

/// Compiles the computed values of an existing collection.
///
/// If they do not compile (for example because a function is gone), clients can read the collection
/// and change its properties, but writes fail.
pub(crate) fn compile_or_refuse(
    properties: &CollectionProperties,
    compiler: Option<&dyn ComputedValuesCompiler>,
) -> Option<Arc<dyn ComputedValues>> {
    compile(properties, compiler).unwrap_or_else(|error| Some(Arc::new(Unusable { error })))
}

/// Computed values that do not compile.
struct Unusable {
    error: Error,
}

impl ComputedValues for Unusable {
    fn applies_to(&self, _event: ComputeEvent) -> bool {
        true
    }

    fn compute(
        &self,
        _event: ComputeEvent,
        _document: Slice<'_>,
        _collection: &str,
        _owner: Option<&Owner>,
    ) -> Result<Option<Vec<u8>>> {
        Err(self.error.clone())
    }
}
