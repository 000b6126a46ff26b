//! Partial updates: a patch merged into an object.

use crate::limits::MAX_DEPTH;
use crate::{Builder, Error, Result, Slice};

#[cfg(test)]
mod tests;

/// The options of a merge; the query parameters of `PATCH /_api/document`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeOptions {
    /// True: an attribute that is null in the patch becomes null. False: it is removed, also in
    /// sub-objects; nulls inside arrays stay.
    pub keep_null: bool,
    /// True: where both sides have an object, they are merged. False: the patch's object replaces
    /// it.
    pub merge_objects: bool,
}

impl Default for MergeOptions {
    fn default() -> Self {
        MergeOptions { keep_null: true, merge_objects: true }
    }
}

/// Appends `old` merged with `patch`.
///
/// The attributes of `old` come first, in their order and with their new values, then those that
/// only `patch` has. An `_id` marker of `old` is copied as it is. Errors: a side is not an object,
/// is malformed, or is nested too deep.
pub fn merge(old: Slice<'_>, patch: Slice<'_>, options: MergeOptions, out: &mut Vec<u8>) -> Result<()> {
    for side in [old, patch] {
        if !side.is_object() {
            return Err(Error::ObjectExpected { found: side.kind().name() });
        }
    }
    let mut builder = Builder::append_to(std::mem::take(out));
    let length = builder.len_bytes();
    builder.reserve(old.byte_len() + patch.byte_len());
    let result = merge_objects(old, patch, options, &mut builder);
    *out = builder.into_vec();
    if result.is_err() {
        out.truncate(length);
    }
    result
}

/// Merges two objects. Recursion is bounded: the builder refuses objects deeper than [`MAX_DEPTH`].
fn merge_objects(old: Slice<'_>, patch: Slice<'_>, options: MergeOptions, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    let mut entries = old.raw_entries();
    while let Some(member) = entries.next_member() {
        match patch.get_bytes(member.name) {
            None => out.add_member(member.name, member.encoded)?,
            Some(new) if new.is_null() && !options.keep_null => {}
            Some(new) => {
                out.key_bytes(member.name)?;
                if options.merge_objects && new.is_object() && member.value.is_object() {
                    merge_objects(member.value, new, options, out)?;
                } else {
                    add_new(new, options, out)?;
                }
            }
        }
    }
    let mut entries = patch.raw_entries();
    while let Some(member) = entries.next_member() {
        let removes = member.value.is_null() && !options.keep_null;
        if !removes && old.get_bytes(member.name).is_none() {
            out.key_bytes(member.name)?;
            add_new(member.value, options, out)?;
        }
    }
    out.close()
}

/// Adds a value that only the patch has.
fn add_new(value: Slice<'_>, options: MergeOptions, out: &mut Builder) -> Result<()> {
    if options.keep_null || !value.is_object() {
        return out.add_slice(value);
    }
    if out.depth() >= MAX_DEPTH {
        return Err(Error::TooDeep { max_depth: MAX_DEPTH });
    }
    merge_objects(Slice::EMPTY_OBJECT, value, options, out)
}
