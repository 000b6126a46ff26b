//! The names of indexes and views by the numbers that another server gave them.
//!
//! Entries of ArangoDB's log that drop an index or a view may have its number alone, which is
//! another one here.

use errors::Result;
use storage::{Durability, Store};
use velocypack::Slice;

/// The prefix of the settings that have the names.
const PREFIX: &str = "followed-names/";

/// The prefix of a view's number where an index is its link. Names have no such character.
const LINK: &str = "\0";

/// An object of another server.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbered<'a> {
    /// An index: the globally unique identifier of its collection, and its number.
    Index(&'a str, &'a str),
    /// A view: its number or globally unique identifier.
    View(&'a str),
}

impl<'a> Numbered<'a> {
    /// Returns the index that `data` describes; `None` if it has no number.
    pub(super) fn index(collection: &'a str, data: Slice<'a>) -> Option<Self> {
        Some(Numbered::Index(collection, number(data.get("id")?)?))
    }

    fn setting(self) -> String {
        match self {
            Numbered::Index(collection, number) => format!("{PREFIX}index/{collection}/{number}"),
            Numbered::View(number) => format!("{PREFIX}view/{number}"),
        }
    }
}

/// Returns a number, which may have the name of its collection before it.
fn number(id: Slice<'_>) -> Option<&str> {
    let id = id.as_str()?;
    Some(id.rsplit_once('/').map_or(id, |(_, number)| number))
}

/// Notes the name of an object.
///
/// Errors: those of the engine.
pub(super) fn note(store: &Store, object: Numbered<'_>, name: &str) -> Result<()> {
    store.put_setting_with(&object.setting(), name.as_bytes(), Durability::Buffered)
}

/// Notes the name of a view under all numbers that its definition has.
///
/// Errors: those of the engine.
pub(super) fn note_view(store: &Store, definition: Slice<'_>) -> Result<()> {
    let text = |attribute: &str| definition.get(attribute).and_then(Slice::as_str);
    let Some(name) = text("name") else { return Ok(()) };
    for number in ["globallyUniqueId", "id"].into_iter().filter_map(text) {
        note(store, Numbered::View(number), name)?;
    }
    Ok(())
}

/// Notes that an index is the link of a view, which is named by its number.
///
/// Errors: those of the engine.
pub(super) fn note_link(store: &Store, index: Numbered<'_>, view: &str) -> Result<()> {
    note(store, index, &format!("{LINK}{view}"))
}

/// Returns the number of the view whose link an index is; `None` for other indexes.
///
/// Errors: those of the engine.
pub(super) fn find_link(store: &Store, index: Numbered<'_>) -> Result<Option<String>> {
    Ok(find(store, index)?.and_then(|name| Some(name.strip_prefix(LINK)?.to_owned())))
}

/// Returns the name of an object; `None` if it is not known.
///
/// Errors: those of the engine.
pub(super) fn find(store: &Store, object: Numbered<'_>) -> Result<Option<String>> {
    let name = store.setting(&object.setting())?;
    Ok(name.and_then(|name| String::from_utf8(name).ok()))
}
