//! Finding the values of indexed attributes in a document.

use catalog::FieldPath;
use velocypack::Slice;

/// The value at a path without expansion; null where there is none.
pub(crate) fn value<'a>(document: Slice<'a>, names: &[String]) -> Slice<'a> {
    let found = names.iter().try_fold(document, |value, name| value.get(name));
    found.filter(|value| !value.is_none()).unwrap_or(Slice::NULL)
}

/// The elements' values of a path with expansion: for `items[*].price` the price of each item, null where an item has
/// none. `None` if there is no array to expand.
pub(crate) fn expanded<'a>(document: Slice<'a>, path: &FieldPath) -> Option<Vec<Slice<'a>>> {
    let (before, behind) = path.around_expansion();
    let array = value(document, before);
    array.is_array().then(|| array.elements().map(|element| value(element, behind)).collect())
}
