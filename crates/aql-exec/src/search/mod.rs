//! Searches of inverted indexes: conditions become queries of the crate `search`.

mod compile;
mod fields;
mod value;
mod verify;

pub(crate) use compile::Compiler;
pub(crate) use fields::SearchFields;
pub(crate) use verify::{OnlyDocument, Test, Verifier};
