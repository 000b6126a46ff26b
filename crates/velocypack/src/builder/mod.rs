//! Builds values by appending to one growing buffer.

use crate::container::{MAX_CONTAINER_BYTES, RESERVED_HEADER, close_array, close_object};
use crate::encode::{push_f64, push_i64, push_str, push_str_start_of, push_u64};
use crate::format::{FALSE, ID_MARKER, NULL, TRUE};
use crate::limits::MAX_DEPTH;
use crate::names::translate;
use crate::wire::push_resolved;
use crate::{Error, Number, Result, Slice};

mod members;
mod sort;
#[cfg(test)]
mod tests;

use members::{Member, duplicate_name, keep_one, sort_members};

/// A builder that appends values to one growing buffer.
///
/// Objects keep their attributes in insertion order and get an index table sorted by name. Several
/// values may follow each other; [`Builder::len_bytes`] before a value is its offset. After an
/// error the builder holds an incomplete value: [`Builder::clear`] it before the next use.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    buffer: Vec<u8>,
    /// Open arrays and objects, outermost first.
    frames: Vec<Frame>,
    /// Attributes of all open objects, outermost first.
    members: Vec<Member>,
    /// Offsets of the elements of all open arrays, outermost first. Bytes from the start of the
    /// array.
    elements: Vec<u32>,
    /// True after an attribute name, until its value is added.
    named: bool,
    plain_names: bool,
}

/// Estimated bytes of an attribute with its name.
const MEMBER_BYTES: usize = 16;
/// Maximum number of attributes for which memory is reserved in advance.
const MEMBERS_AT_ONCE: usize = 32;

#[derive(Debug, Clone, Copy)]
struct Frame {
    /// Offset of the container in the buffer.
    start: usize,
    /// Index of its first attribute in `members`, or of its first element in `elements`.
    first_member: usize,
    is_object: bool,
}

/// The treatment of an attribute name that occurs twice in one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// Duplicates are an error.
    Refuse,
    /// The first attribute stays, at its place.
    KeepFirst,
    /// The last attribute stays, at its place.
    KeepLast,
}

impl Builder {
    /// Creates a builder without memory.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Creates a builder with room for `bytes` bytes and for the attributes that may fit in them.
    pub fn with_capacity(bytes: usize) -> Self {
        let members = usize::min(bytes / MEMBER_BYTES, MEMBERS_AT_ONCE);
        Builder {
            buffer: Vec::with_capacity(bytes),
            members: Vec::with_capacity(members),
            ..Builder::default()
        }
    }

    /// Creates a builder that reuses the memory of `buffer` and drops its content.
    pub fn from_vec(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Builder { buffer, ..Builder::default() }
    }

    /// Creates a builder that appends after the content of `buffer`.
    pub fn append_to(buffer: Vec<u8>) -> Self {
        Builder { buffer, ..Builder::default() }
    }

    /// Writes the names of system attributes as text instead of small integers.
    ///
    /// This is for readers that do not know ArangoDB's translation. Call it before the first name.
    pub fn plain_names(mut self) -> Self {
        self.plain_names = true;
        self
    }

    /// Forgets all values and keeps the memory.
    pub fn clear(&mut self) {
        self.buffer.clear();
        self.frames.clear();
        self.members.clear();
        self.elements.clear();
        self.named = false;
    }

    /// Returns all bytes written so far. They are values only when [`Builder::is_closed`].
    pub fn into_vec(self) -> Vec<u8> {
        self.buffer
    }

    /// Returns the written bytes and leaves the builder empty, without its memory.
    pub fn take(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.buffer);
        self.clear();
        bytes
    }

    /// Returns the first value; [`Slice::NONE`] while it is not complete.
    pub fn as_slice(&self) -> Slice<'_> {
        if self.is_closed() { Slice::new(&self.buffer) } else { Slice::NONE }
    }

    /// Returns the bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Returns the number of bytes written so far.
    pub fn len_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Returns true if nothing is open, so that the bytes are whole values.
    pub fn is_closed(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns true if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns the number of open arrays and objects.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Returns true if the innermost open value is an object, or `None` if nothing is open.
    #[inline]
    pub(crate) fn in_object(&self) -> Option<bool> {
        self.frames.last().map(|frame| frame.is_object)
    }

    /// Reserves memory for `bytes` more bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.buffer.reserve(bytes);
    }

    /// Reserves memory for `bytes` more bytes, and not for more.
    pub fn reserve_exact(&mut self, bytes: usize) {
        self.buffer.reserve_exact(bytes);
    }

    /// Returns the number of bytes that the buffer holds without another allocation.
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Returns the memory besides the buffer: the positions of the members of open containers.
    pub fn bookkeeping_bytes(&self) -> usize {
        self.members.capacity() * size_of::<Member>() + self.elements.capacity() * size_of::<u32>()
    }

    /// Returns the number of members of the innermost open array or object so far.
    pub fn open_len(&self) -> usize {
        self.frames.last().map_or(0, |frame| {
            let all = if frame.is_object { self.members.len() } else { self.elements.len() };
            all - frame.first_member
        })
    }

    /// Opens an object.
    #[inline]
    pub fn open_object(&mut self) -> Result<()> {
        self.open(true)
    }

    /// Opens an array.
    #[inline]
    pub fn open_array(&mut self) -> Result<()> {
        self.open(false)
    }

    #[inline]
    fn open(&mut self, is_object: bool) -> Result<()> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Error::TooDeep { max_depth: MAX_DEPTH });
        }
        self.begin_value()?;
        let first_member = if is_object { self.members.len() } else { self.elements.len() };
        self.frames.push(Frame { start: self.buffer.len(), first_member, is_object });
        self.buffer.extend_from_slice(&[0; RESERVED_HEADER]);
        Ok(())
    }

    /// Closes the innermost open array or object. An object with the same name twice is an error.
    #[inline]
    pub fn close(&mut self) -> Result<()> {
        self.close_with(Duplicates::Refuse)
    }

    /// Closes the innermost array or object like [`Builder::close`], but keeps the last of several
    /// attributes with the same name, at its place.
    #[inline]
    pub fn close_keeping_last(&mut self) -> Result<()> {
        self.close_with(Duplicates::KeepLast)
    }

    /// Closes the innermost array or object like [`Builder::close`], and treats duplicate names as
    /// `duplicates` says.
    #[inline]
    pub fn close_with(&mut self, duplicates: Duplicates) -> Result<()> {
        self.close_unless(duplicates, &mut || false)
    }

    /// Closes an object of any size like [`Builder::close_with`].
    ///
    /// `is_ended` is called every few milliseconds.
    ///
    /// Errors: [`Error::Interrupted`] if it returns true.
    #[inline]
    pub fn close_unless(&mut self, duplicates: Duplicates, is_ended: &mut dyn FnMut() -> bool) -> Result<()> {
        if self.named {
            return Err(Error::ValueMissing);
        }
        let frame = *self.frames.last().ok_or(Error::NothingOpen)?;
        if frame.is_object {
            self.order_members(frame, duplicates, is_ended)?;
            let members = self.members.get(frame.first_member..).unwrap_or(&[]);
            let offsets = members.iter().map(|member| member.offset as usize);
            close_object(&mut self.buffer, frame.start, offsets)?;
            self.members.truncate(frame.first_member);
        } else {
            let elements = self.elements.get(frame.first_member..).unwrap_or(&[]);
            let offsets = elements.iter().map(|&offset| offset as usize);
            close_array(&mut self.buffer, frame.start, offsets)?;
            self.elements.truncate(frame.first_member);
        }
        self.frames.pop();
        Ok(())
    }

    /// Sorts the members of an object by name and treats duplicate names as `duplicates` says.
    #[inline]
    fn order_members(
        &mut self,
        frame: Frame,
        duplicates: Duplicates,
        is_ended: &mut dyn FnMut() -> bool,
    ) -> Result<()> {
        let object = self.buffer.get(frame.start..).unwrap_or(&[]);
        let Some(members) = self.members.get_mut(frame.first_member..) else { return Ok(()) };
        sort_members(object, members, is_ended)?;
        let Some(name) = duplicate_name(object, members) else { return Ok(()) };
        if duplicates == Duplicates::Refuse {
            return Err(Error::DuplicateName { name: String::from_utf8_lossy(name).into_owned() });
        }
        let members = self.members.split_off(frame.first_member);
        let keeps_first = duplicates == Duplicates::KeepFirst;
        self.members.extend(keep_one(&mut self.buffer, frame.start, &members, keeps_first));
        Ok(())
    }

    /// Adds the attribute name of the next value.
    #[inline]
    pub fn key(&mut self, name: &str) -> Result<()> {
        self.key_bytes(name.as_bytes())
    }

    #[inline]
    pub(crate) fn key_bytes(&mut self, name: &[u8]) -> Result<()> {
        self.key_start_of(name, name.len())
    }

    /// Adds the first `length` bytes of `source` as an attribute name.
    #[inline]
    pub(crate) fn key_start_of(&mut self, source: &[u8], length: usize) -> Result<()> {
        let name = source.get(..length).unwrap_or(source);
        self.begin_member(name)?;
        self.named = true;
        match translate(name) {
            Some(byte) if !self.plain_names => self.buffer.push(byte),
            _ => push_str_start_of(&mut self.buffer, source, length),
        }
        Ok(())
    }

    /// Copies an attribute. `encoded` is its name and value; `name` is the decoded name.
    pub(crate) fn add_member(&mut self, name: &[u8], encoded: &[u8]) -> Result<()> {
        self.begin_member(name)?;
        self.buffer.extend_from_slice(encoded);
        Ok(())
    }

    #[inline]
    fn begin_member(&mut self, name: &[u8]) -> Result<()> {
        match self.frames.last() {
            Some(frame) if frame.is_object && !self.named => {
                let offset = member_offset(&self.buffer, frame)?;
                self.members.push(Member::new(name, offset));
                Ok(())
            }
            _ => Err(Error::NameUnexpected),
        }
    }

    /// Prepares the open container for the bytes of a value.
    #[inline]
    fn begin_value(&mut self) -> Result<()> {
        match self.frames.last() {
            None => Ok(()),
            Some(frame) if frame.is_object => {
                if !std::mem::take(&mut self.named) {
                    return Err(Error::NameMissing);
                }
                Ok(())
            }
            Some(frame) => {
                self.elements.push(member_offset(&self.buffer, frame)?);
                Ok(())
            }
        }
    }

    /// Returns the buffer, ready for the bytes of one value.
    #[inline]
    pub(crate) fn value_buffer(&mut self) -> Result<&mut Vec<u8>> {
        self.begin_value()?;
        Ok(&mut self.buffer)
    }

    /// Adds `null`.
    #[inline]
    pub fn add_null(&mut self) -> Result<()> {
        self.value_buffer()?.push(NULL);
        Ok(())
    }

    /// Adds a bool.
    #[inline]
    pub fn add_bool(&mut self, value: bool) -> Result<()> {
        self.value_buffer()?.push(if value { TRUE } else { FALSE });
        Ok(())
    }

    /// Adds an integer.
    #[inline]
    pub fn add_i64(&mut self, value: i64) -> Result<()> {
        push_i64(self.value_buffer()?, value);
        Ok(())
    }

    /// Adds an integer.
    #[inline]
    pub fn add_u64(&mut self, value: u64) -> Result<()> {
        push_u64(self.value_buffer()?, value);
        Ok(())
    }

    /// Adds a double; NaN and the infinities become null.
    #[inline]
    pub fn add_f64(&mut self, value: f64) -> Result<()> {
        push_f64(self.value_buffer()?, value);
        Ok(())
    }

    /// Adds a number.
    #[inline]
    pub fn add_number(&mut self, value: Number) -> Result<()> {
        match value {
            Number::Int(value) => self.add_i64(value),
            Number::UInt(value) => self.add_u64(value),
            Number::Double(value) => self.add_f64(value),
        }
    }

    /// Adds a string.
    #[inline]
    pub fn add_str(&mut self, value: &str) -> Result<()> {
        push_str(self.value_buffer()?, value.as_bytes());
        Ok(())
    }

    #[inline]
    pub(crate) fn add_str_bytes(&mut self, value: &[u8]) -> Result<()> {
        self.add_str_start_of(value, value.len())
    }

    /// Adds the first `length` bytes of `source` as a string.
    #[inline]
    pub(crate) fn add_str_start_of(&mut self, source: &[u8], length: usize) -> Result<()> {
        push_str_start_of(self.value_buffer()?, source, length);
        Ok(())
    }

    /// Adds a copy of a value, byte by byte. An `_id` marker in it stays a marker.
    #[inline]
    pub fn add_slice(&mut self, value: Slice<'_>) -> Result<()> {
        let bytes = value.bytes();
        if bytes.is_empty() {
            return Err(Error::Malformed);
        }
        self.value_buffer()?.extend_from_slice(bytes);
        Ok(())
    }

    /// Adds a copy of a value and replaces the `_id` marker of a stored document by the text for
    /// `collection`.
    ///
    /// Without a collection it does the same as [`Builder::add_slice`].
    #[inline]
    pub fn add_resolved(&mut self, value: Slice<'_>, collection: Option<&str>) -> Result<()> {
        match collection {
            Some(collection) if value.is_object() => push_resolved(value, collection, self.value_buffer()?),
            _ => self.add_slice(value),
        }
    }

    /// Adds the marker that stands for `_id` in stored documents.
    pub fn add_id_marker(&mut self) -> Result<()> {
        self.value_buffer()?.extend_from_slice(&ID_MARKER);
        Ok(())
    }
}

#[inline]
fn member_offset(buffer: &[u8], frame: &Frame) -> Result<u32> {
    let offset = buffer.len() - frame.start;
    u32::try_from(offset).map_err(|_| Error::TooLarge { max_bytes: MAX_CONTAINER_BYTES })
}
