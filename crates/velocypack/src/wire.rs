//! Values in the form that clients get: without `_id` markers.

use crate::container::object_form;
use crate::encode::push_str_header;
use crate::format::{ID_MARKER, Layout, OBJECT_SORTED, OBJECT_SORTED_LAST, layout};
use crate::{Error, Result, Slice};

/// Appends a value for a client that reads VelocyPack.
///
/// The `_id` marker of a stored document becomes the text for `collection`, or null without one.
/// Everything else is copied. The names of system attributes stay small integers: ArangoDB's own
/// server sends them this way, and its drivers' VelocyPack libraries read them.
pub fn to_wire(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) -> Result<()> {
    if value.is_object() {
        return match collection {
            Some(collection) => push_resolved(value, collection, out),
            None => push_with_id(value, Slice::NULL.bytes(), out),
        };
    }
    if value.is_id_marker() {
        out.extend_from_slice(Slice::NULL.bytes());
        return Ok(());
    }
    push_copy(value, out)
}

fn push_copy(value: Slice<'_>, out: &mut Vec<u8>) -> Result<()> {
    let bytes = value.bytes();
    if bytes.is_empty() {
        return Err(Error::Malformed);
    }
    out.extend_from_slice(bytes);
    Ok(())
}

/// Appends an object whose `_id` marker becomes text.
pub(crate) fn push_resolved(object: Slice<'_>, collection: &str, out: &mut Vec<u8>) -> Result<()> {
    if !object.get("_id").is_some_and(Slice::is_id_marker) {
        return push_copy(object, out);
    }
    let mut id = Vec::new();
    push_id(object, collection, &mut id);
    push_with_id(object, &id, out)
}

/// Appends an object with the value `id` in the place of its `_id` marker, if it has one.
fn push_with_id(object: Slice<'_>, id: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let bytes = object.bytes();
    let Some(layout) = layout(bytes) else { return Err(Error::Malformed) };
    let Some(marker) = find_marker(bytes, &layout) else { return push_copy(object, out) };
    // Only stored documents have markers, and their tables are sorted.
    if !(OBJECT_SORTED..=OBJECT_SORTED_LAST).contains(&object.head()) {
        return Err(Error::Malformed);
    }
    let before = bytes.get(layout.data..marker).ok_or(Error::Malformed)?;
    let after = bytes.get(marker + ID_MARKER.len()..layout.data_end).ok_or(Error::Malformed)?;

    let form = object_form(before.len() + id.len() + after.len(), layout.count)?;
    out.reserve(form.total);
    form.push_object_header(out, layout.count);
    out.extend_from_slice(before);
    out.extend_from_slice(id);
    out.extend_from_slice(after);
    if layout.count > 1 {
        for index in 0..layout.count {
            let offset = layout.offset(bytes, index).ok_or(Error::Malformed)?;
            let moved = form.header + offset - layout.data;
            let behind_marker = offset > marker;
            let moved = if behind_marker { moved + id.len() - ID_MARKER.len() } else { moved };
            form.push_table_entry(out, moved);
        }
    }
    Ok(())
}

/// Returns the position of the `_id` marker in the bytes of an object.
fn find_marker(bytes: &[u8], layout: &Layout) -> Option<usize> {
    let value = Slice::new(bytes).get("_id").filter(|value| value.is_id_marker())?;
    // `get` returns the bytes from the value's start to the end of the members.
    layout.data_end.checked_sub(value.raw().len())
}

/// Appends the value of `_id` as a string.
fn push_id(object: Slice<'_>, collection: &str, out: &mut Vec<u8>) {
    let key = object.get("_key").and_then(Slice::str_bytes).unwrap_or(b"");
    push_str_header(out, collection.len() + 1 + key.len());
    out.extend_from_slice(collection.as_bytes());
    out.push(b'/');
    out.extend_from_slice(key);
}
