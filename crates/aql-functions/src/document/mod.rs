//! Functions over objects and documents.

mod attributes;
mod check_document;
mod identifier;
mod keep;
mod matches;
mod merge;
mod revision;
mod spread;
mod translate;
mod value_at_path;
mod zip;

use aql_value::Function;
use errors::{Error, ErrorCode};

use crate::define::{pure, pure_variadic, volatile};

/// `[...a, ...b]`.
pub(crate) static ARRAY_SPREAD: Function = pure_variadic("array spread", 0, spread::arrays);

/// `{...a, ...b}`.
pub(crate) static OBJECT_SPREAD: Function = pure_variadic("object spread", 0, spread::objects);

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("ATTRIBUTES", 1, 3, attributes::attributes),
    volatile("CHECK_DOCUMENT", 1, 1, check_document::check_document),
    pure("DECODE_REV", 1, 1, revision::decode_rev),
    pure("ENTRIES", 1, 1, attributes::entries),
    pure("HAS", 2, 2, attributes::has),
    Function { collection_arguments: 1, ..pure("IS_SAME_COLLECTION", 2, 2, identifier::is_same_collection) },
    pure_variadic("KEEP", 2, keep::keep),
    pure_variadic("KEEP_RECURSIVE", 2, keep::keep_recursive),
    pure("KEYS", 1, 3, attributes::attributes),
    pure("MATCHES", 2, 3, matches::matches),
    pure_variadic("MERGE", 1, merge::merge),
    pure_variadic("MERGE_RECURSIVE", 1, merge::merge_recursive),
    pure("PARSE_COLLECTION", 1, 1, identifier::parse_collection),
    pure("PARSE_IDENTIFIER", 1, 1, identifier::parse_identifier),
    pure("PARSE_KEY", 1, 1, identifier::parse_key),
    pure("TRANSLATE", 2, 3, translate::translate),
    pure_variadic("UNSET", 2, keep::unset),
    pure_variadic("UNSET_RECURSIVE", 2, keep::unset_recursive),
    pure("VALUE", 2, 2, value_at_path::value_at_path),
    pure("VALUES", 1, 2, attributes::values),
    pure("ZIP", 2, 2, zip::zip),
];

/// The deepest recursion into an object. Data nests to about 200 levels; this bounds the stack for
/// any input.
const MAX_DEPTH: usize = 500;

/// Returns one level less, or error 1524.
fn deeper(depth_left: usize) -> errors::Result<usize> {
    depth_left.checked_sub(1).ok_or_else(|| {
        Error::new(ErrorCode::QueryTooMuchNesting, "too much nesting in the argument of a function")
    })
}
