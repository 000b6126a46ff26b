//! Stored documents: a body from a client becomes an object with system attributes.

use crate::container::object_form;
use crate::encode::{push_str, push_str_header, str_length};
use crate::format::{EMPTY_OBJECT, ID_MARKER, OBJECT_SORTED, OBJECT_SORTED_LAST, layout, value_length};
use crate::names::{FROM, ID, KEY, REV, TO, read_name, translate, translated};
use crate::{Error, Result, Slice, normalize};

#[cfg(test)]
mod tests;

/// System attributes of a document, at most.
const SYSTEM_MAX: usize = 5;

/// Appends a stored document: `_key`, `_id` (as a marker), for edges `_from` and `_to`, `_rev`, and then
/// the attributes of `body` in their order, except those five, which never come from the body.
///
/// The body's attributes are copied as they are, so it has to be a valid value: built, validated or stored.
/// Errors: the body is no object, is malformed, or the document would be 4 GiB long.
pub fn document(
    key: &str,
    rev: &str,
    from_to: Option<(&str, &str)>,
    body: Slice<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    match body.head() {
        EMPTY_OBJECT | OBJECT_SORTED..=OBJECT_SORTED_LAST => {}
        _ if body.is_object() => {
            let mut canonical = Vec::with_capacity(body.byte_len());
            normalize(body, &mut canonical)?;
            return document(key, rev, from_to, Slice::new(&canonical), out);
        }
        _ => return Err(Error::ObjectExpected { found: body.kind().name() }),
    }
    let attributes = SystemAttributes::new(key, rev, from_to);
    let body = Body::read(body.bytes())?;
    attributes.write_with(&body, out)
}

/// Appends the text of `_id` of a stored document: the collection's name, `/`, and its `_key`.
pub fn resolve_id(object: Slice<'_>, collection: &str, out: &mut String) {
    out.push_str(collection);
    out.push('/');
    out.push_str(object.get("_key").and_then(Slice::as_str).unwrap_or(""));
}

/// Appends the value of `_id` as a string.
pub(crate) fn push_id(object: Slice<'_>, collection: &str, out: &mut Vec<u8>) {
    let key = object.get("_key").and_then(Slice::str_bytes).unwrap_or(b"");
    push_str_header(out, collection.len() + 1 + key.len());
    out.extend_from_slice(collection.as_bytes());
    out.push(b'/');
    out.extend_from_slice(key);
}

/// The attributes that the server sets, in the order they are written.
struct SystemAttributes<'a> {
    key: &'a str,
    rev: &'a str,
    from_to: Option<(&'a str, &'a str)>,
}

impl<'a> SystemAttributes<'a> {
    fn new(key: &'a str, rev: &'a str, from_to: Option<(&'a str, &'a str)>) -> Self {
        SystemAttributes { key, rev, from_to }
    }

    /// Bytes that [`SystemAttributes::push`] appends.
    fn length(&self) -> usize {
        let edge = self.from_to.map_or(0, |(from, to)| 2 + str_length(from.len()) + str_length(to.len()));
        3 + str_length(self.key.len()) + ID_MARKER.len() + str_length(self.rev.len()) + edge
    }

    fn count(&self) -> usize {
        if self.from_to.is_some() { 5 } else { 3 }
    }

    /// Appends names and values.
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

    /// Names and positions, counted from the first of them, in the order of the names.
    fn sorted(&self) -> impl Iterator<Item = (u8, usize)> + use<> {
        let id = 1 + str_length(self.key.len());
        let from = id + 1 + ID_MARKER.len();
        let length = |vertex: &str| 1 + str_length(vertex.len());
        let to = from + self.from_to.map_or(0, |(from, _)| length(from));
        let rev = to + self.from_to.map_or(0, |(_, to)| length(to));
        let is_edge = self.from_to.is_some();
        [(FROM, from), (ID, id), (KEY, 0), (REV, rev), (TO, to)]
            .into_iter()
            .filter(move |(name, _)| is_edge || !matches!(*name, FROM | TO))
    }

    fn write_with(&self, body: &Body<'_>, out: &mut Vec<u8>) -> Result<()> {
        let system_length = self.length();
        let count = self.count() + body.count - body.removed().len();
        let form = object_form(system_length + body.kept_bytes(), count)?;
        out.reserve(form.total);
        form.push_object_header(out, count);
        self.push(out);
        body.push_kept(out)?;

        let mut system = self.sorted().peekable();
        for index in 0..body.count {
            let offset = body.offset(index)?;
            if body.removed().iter().any(|&(start, _)| start == offset) {
                continue;
            }
            let name = body.name(offset)?;
            while let Some(&(byte, at)) = system.peek()
                && precedes(byte, name)
            {
                form.push_table_entry(out, form.header + at);
                system.next();
            }
            form.push_table_entry(out, form.header + system_length + body.kept_before(offset));
        }
        for (_, at) in system {
            form.push_table_entry(out, form.header + at);
        }
        Ok(())
    }
}

/// True when a system attribute's name sorts before `name`.
#[inline]
fn precedes(system: u8, name: &[u8]) -> bool {
    match name.first() {
        Some(b'_') => translated(system).is_some_and(|system| system.as_bytes() < name),
        Some(&first) => b'_' < first,
        None => false,
    }
}

/// The body's attributes, and which of them are not taken over.
struct Body<'a> {
    bytes: &'a [u8],
    layout: crate::format::Layout,
    count: usize,
    removed: [(usize, usize); SYSTEM_MAX],
    removed_count: usize,
}

impl<'a> Body<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let layout = layout(bytes).ok_or(Error::Malformed)?;
        let mut body =
            Body { bytes, layout, count: layout.count, removed: [(0, 0); SYSTEM_MAX], removed_count: 0 };
        for index in 0..body.count {
            let offset = body.offset(index)?;
            body.note_if_system(offset)?;
        }
        if let Some(removed) = body.removed.get_mut(..body.removed_count) {
            removed.sort_unstable();
        }
        Ok(body)
    }

    /// Notes the attribute at `offset` as not to be taken over if it is a system attribute.
    #[inline]
    fn note_if_system(&mut self, offset: usize) -> Result<()> {
        let member = self.bytes.get(offset..self.layout.data_end).ok_or(Error::Malformed)?;
        let (name, name_length) = read_name(member).ok_or(Error::Malformed)?;
        if translate(name).is_none() {
            return Ok(());
        }
        let value = member.get(name_length..).and_then(value_length).ok_or(Error::Malformed)?;
        // More than five: names occur twice, so that the body is malformed.
        let slot = self.removed.get_mut(self.removed_count).ok_or(Error::Malformed)?;
        *slot = (offset, offset + name_length + value);
        self.removed_count += 1;
        Ok(())
    }

    /// Start and end of the attributes that are not taken over, by position.
    #[inline]
    fn removed(&self) -> &[(usize, usize)] {
        self.removed.get(..self.removed_count).unwrap_or(&[])
    }

    #[inline]
    fn offset(&self, index: usize) -> Result<usize> {
        self.layout.offset(self.bytes, index).ok_or(Error::Malformed)
    }

    #[inline]
    fn name(&self, offset: usize) -> Result<&'a [u8]> {
        let member = self.bytes.get(offset..).ok_or(Error::Malformed)?;
        read_name(member).map(|(name, _)| name).ok_or(Error::Malformed)
    }

    fn kept_bytes(&self) -> usize {
        let removed: usize = self.removed().iter().map(|(start, end)| end - start).sum();
        (self.layout.data_end - self.layout.data).saturating_sub(removed)
    }

    /// Where the attribute at `offset` goes, counted from the first that is taken over.
    #[inline]
    fn kept_before(&self, offset: usize) -> usize {
        let removed: usize = self
            .removed()
            .iter()
            .take_while(|(start, _)| *start < offset)
            .map(|(start, end)| end - start)
            .sum();
        (offset - self.layout.data).saturating_sub(removed)
    }

    /// Appends all attributes that are taken over.
    fn push_kept(&self, out: &mut Vec<u8>) -> Result<()> {
        let mut from = self.layout.data;
        for &(start, end) in self.removed() {
            out.extend_from_slice(self.bytes.get(from..start).ok_or(Error::Malformed)?);
            from = end;
        }
        out.extend_from_slice(self.bytes.get(from..self.layout.data_end).ok_or(Error::Malformed)?);
        Ok(())
    }
}
