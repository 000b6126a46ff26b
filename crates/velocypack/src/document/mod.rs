//! Stored documents: a body from a client becomes an object with system attributes.

use crate::container::{Form, object_form};
use crate::encode::{push_str, str_length};
use crate::format::{EMPTY_OBJECT, ID_MARKER, OBJECT_SORTED, OBJECT_SORTED_LAST};
use crate::names::{FROM, ID, KEY, REV, TO, translated};
use crate::{Error, Result, Slice, normalize};

mod body;
#[cfg(test)]
mod tests;

use body::Body;

/// Appends a stored document: the system attributes, then the attributes of `body` in their order.
///
/// The system attributes are `_key`, `_id` (as a marker), for edges `_from` and `_to`, and `_rev`.
/// They never come from the body. The attributes of the body are copied as they are, so the body
/// must be a valid value: built, validated or stored. Errors: the body is not an object, is
/// malformed, or the document would be 4 GiB long.
pub fn document(
    key: &str,
    rev: &str,
    from_to: Option<(&str, &str)>,
    body: Slice<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    match body.head() {
        // The longest form, whose numbers have eight bytes, is never written here.
        EMPTY_OBJECT | OBJECT_SORTED..OBJECT_SORTED_LAST => {}
        _ if body.is_object() => {
            let mut canonical = Vec::with_capacity(body.byte_len());
            normalize(body, &mut canonical)?;
            return document(key, rev, from_to, Slice::new(&canonical), out);
        }
        _ => return Err(Error::ObjectExpected { found: body.kind().name() }),
    }
    let attributes = SystemAttributes { key, rev, from_to };
    attributes.write_with(&Body::read(body.bytes())?, out)
}

/// Appends the text of `_id` of a stored document: the collection's name, `/`, and its `_key`.
pub fn resolve_id(object: Slice<'_>, collection: &str, out: &mut String) {
    out.push_str(collection);
    out.push('/');
    out.push_str(object.get("_key").and_then(Slice::as_str).unwrap_or(""));
}

/// The attributes that the server sets.
struct SystemAttributes<'a> {
    key: &'a str,
    rev: &'a str,
    from_to: Option<(&'a str, &'a str)>,
}

impl SystemAttributes<'_> {
    /// Returns the number of bytes that [`SystemAttributes::push`] appends.
    #[inline]
    fn length(&self) -> usize {
        let edge = self.from_to.map_or(0, |(from, to)| 2 + str_length(from.len()) + str_length(to.len()));
        3 + str_length(self.key.len()) + ID_MARKER.len() + str_length(self.rev.len()) + edge
    }

    #[inline]
    fn count(&self) -> usize {
        if self.from_to.is_some() { 5 } else { 3 }
    }

    /// Appends names and values, in this order.
    #[inline]
    fn push(&self, out: &mut Vec<u8>) {
        out.push(KEY);
        push_str(out, self.key.as_bytes());
        out.extend_from_slice(&[ID, ID_MARKER[0], ID_MARKER[1]]);
        if let Some((from, to)) = self.from_to {
            out.push(FROM);
            push_str(out, from.as_bytes());
            out.push(TO);
            push_str(out, to.as_bytes());
        }
        out.push(REV);
        push_str(out, self.rev.as_bytes());
    }

    /// Returns names and positions in the order of the names. Positions count from the first one
    /// written.
    ///
    /// There are always five; a document that is not an edge has only those in the middle.
    #[inline]
    fn sorted(&self) -> [(u8, usize); 5] {
        let id = 1 + str_length(self.key.len());
        let from = id + 1 + ID_MARKER.len();
        let (to, rev) = match self.from_to {
            Some((start, end)) => {
                let to = from + 1 + str_length(start.len());
                (to, to + 1 + str_length(end.len()))
            }
            None => (from, from),
        };
        [(FROM, from), (ID, id), (KEY, 0), (REV, rev), (TO, to)]
    }

    #[inline]
    fn write_with(&self, body: &Body<'_>, out: &mut Vec<u8>) -> Result<()> {
        let system_length = self.length();
        let count = self.count() + body.kept_count();
        let form = object_form(system_length + body.kept_bytes(), count)?;
        out.reserve(form.total);
        form.push_object_header(out, count);
        self.push(out);
        body.push_kept(out);
        let sorted = self.sorted();
        let system = if self.from_to.is_some() { &sorted[..] } else { &sorted[1..4] };
        let kept = form.header + system_length;
        if let Some((before, behind)) = body.runs() {
            body.push_moved(before, form, kept, out);
            system.iter().for_each(|(_, at)| form.push_table_entry(out, form.header + at));
            body.push_moved(behind, form, kept, out);
            return Ok(());
        }
        merge_tables(system, body, form, kept, out)
    }
}

/// Appends the index table of a body with names that sort between those of system attributes.
/// `kept` is the position of the first attribute of the body.
fn merge_tables(
    system: &[(u8, usize)],
    body: &Body<'_>,
    form: Form,
    kept: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut system = system.iter().peekable();
    for offset in body.kept_offsets() {
        let name = body.name(offset)?;
        while let Some((byte, at)) = system.peek()
            && translated(*byte).is_some_and(|system| system.as_bytes() < name)
        {
            form.push_table_entry(out, form.header + at);
            system.next();
        }
        form.push_table_entry(out, kept + body.kept_before(offset));
    }
    system.for_each(|(_, at)| form.push_table_entry(out, form.header + at));
    Ok(())
}
