//! Computed values: the expressions are AQL, which storage does not know; the layer above compiles and evaluates them.

use std::sync::Arc;

use catalog::{ComputedValue, collection::CollectionProperties};
use velocypack::Slice;

use crate::{Error, ErrorCode, Result};

/// The write at which values are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComputeEvent {
    /// A document is inserted.
    Insert,
    /// A document is updated.
    Update,
    /// A document is replaced.
    Replace,
}

/// Compiles the computed values of a collection. Given by the layer above when the store is opened.
pub trait ComputedValuesCompiler: Send + Sync {
    /// Called when a collection is created or changed, and for every collection when the store is opened.
    ///
    /// Errors: 10 for an expression that is illegal; the change is then refused.
    fn compile(&self, values: &[ComputedValue]) -> Result<Arc<dyn ComputedValues>>;
}

/// The compiled computed values of one collection.
pub trait ComputedValues: Send + Sync {
    /// Whether there is anything to do at this event. If not, [`ComputedValues::compute`] is not called.
    fn applies_to(&self, event: ComputeEvent) -> bool;

    /// The document with its computed attributes: a whole VelocyPack object in place of `document`, or `None` if
    /// nothing changes. `document` is what is about to be written, system attributes included; `collection` resolves
    /// its `_id`. System attributes in the answer are ignored.
    ///
    /// Errors: those of the expressions; the write fails with them.
    fn compute(&self, event: ComputeEvent, document: Slice<'_>, collection: &str) -> Result<Option<Vec<u8>>>;
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

/// Compiles the computed values of a collection that exists. If they cannot be compiled (a function is gone, say), the
/// collection can be read and its properties changed, but writes fail.
pub(crate) fn compile_or_refuse(
    properties: &CollectionProperties,
    compiler: Option<&dyn ComputedValuesCompiler>,
) -> Option<Arc<dyn ComputedValues>> {
    compile(properties, compiler).unwrap_or_else(|error| Some(Arc::new(Unusable { error })))
}

/// Computed values that could not be compiled.
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
    ) -> Result<Option<Vec<u8>>> {
        Err(self.error.clone())
    }
}
