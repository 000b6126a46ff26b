//! Values of indexed attributes in a document.

use catalog::FieldPath;
use velocypack::Slice;

/// Returns the value at a path without expansion; null if there is none.
pub(crate) fn value<'a>(document: Slice<'a>, names: &[String]) -> Slice<'a> {
    let found = names.iter().try_fold(document, |value, name| value.get(name));
    found.filter(|value| !value.is_none()).unwrap_or(Slice::NULL)
}

/// Returns the elements' values of a path with expansion; `None` if there is no array to expand.
///
/// For `items[*].price` it returns the price of each item, null for an item that has none.
pub(crate) fn expanded<'a>(document: Slice<'a>, path: &FieldPath) -> Option<Vec<Slice<'a>>> {
    let (before, behind) = path.around_expansion();
    let array = value(document, before);
    array.is_array().then(|| array.elements().map(|element| value(element, behind)).collect())
}
