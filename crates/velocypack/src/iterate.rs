//! Iterators over the members of arrays and objects.

use std::iter::FusedIterator;

use crate::Slice;
use crate::format::{Layout, OBJECT_SORTED, OBJECT_SORTED_LAST, layout, value_length};
use crate::names::read_name;

impl<'a> Slice<'a> {
    /// Returns the elements of an array in order; none for every other value.
    pub fn elements(self) -> Elements<'a> {
        if self.is_array() { Elements::new(self.bytes()) } else { Elements::default() }
    }

    /// Returns the attributes of an object as stored, in insertion order.
    pub fn entries(self) -> Entries<'a> {
        Entries::new(self.raw_entries())
    }

    /// Returns the attributes like [`Slice::entries`], with names that are not checked to be UTF-8.
    pub(crate) fn raw_entries(self) -> RawEntries<'a> {
        if self.is_object() { RawEntries::new(self.bytes()) } else { RawEntries::default() }
    }

    /// Returns the attributes of an object by name, bytewise. Objects without sorted table are
    /// sorted first.
    pub fn entries_sorted(self) -> SortedEntries<'a> {
        SortedEntries::new(self)
    }
}

/// An iterator over the elements of an array. It ends early where the bytes are malformed.
#[derive(Clone, Default, Debug)]
pub struct Elements<'a> {
    rest: &'a [u8],
    remaining: usize,
}

impl<'a> Elements<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let Some((rest, remaining)) = members(bytes) else { return Elements::default() };
        Elements { rest, remaining }
    }
}

fn members(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let layout = layout(bytes)?;
    Some((bytes.get(layout.data..layout.data_end)?, layout.count))
}

impl<'a> Iterator for Elements<'a> {
    type Item = Slice<'a>;

    #[inline]
    fn next(&mut self) -> Option<Slice<'a>> {
        if self.remaining == 0 {
            return None;
        }
        let split = value_length(self.rest).and_then(|length| self.rest.split_at_checked(length));
        let Some((value, rest)) = split else {
            self.remaining = 0;
            return None;
        };
        self.rest = rest;
        self.remaining -= 1;
        Some(Slice::new(value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl ExactSizeIterator for Elements<'_> {}
impl FusedIterator for Elements<'_> {}

/// An iterator over the attributes of an object, with names as bytes.
#[derive(Clone, Default, Debug)]
pub(crate) struct RawEntries<'a> {
    rest: &'a [u8],
    remaining: usize,
}

impl<'a> RawEntries<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let Some((rest, remaining)) = members(bytes) else { return RawEntries::default() };
        RawEntries { rest, remaining }
    }

    /// Returns the next attribute: name, encoded name and value together, and the value.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<Member<'a>> {
        if self.remaining == 0 {
            return None;
        }
        let member = read_member(self.rest);
        let Some(member) = member else {
            self.remaining = 0;
            return None;
        };
        self.rest = self.rest.get(member.encoded.len()..).unwrap_or(&[]);
        self.remaining -= 1;
        Some(member)
    }
}

/// One attribute of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    /// The name, translated where it is a system attribute.
    pub(crate) name: &'a [u8],
    /// Name and value as they are stored.
    pub(crate) encoded: &'a [u8],
    /// The value, with no bytes after it.
    pub(crate) value: Slice<'a>,
}

/// Returns the attribute that `bytes` start with.
#[inline]
pub(crate) fn read_member(bytes: &[u8]) -> Option<Member<'_>> {
    let (name, name_length) = read_name(bytes)?;
    let value = bytes.get(name_length..)?;
    let length = value_length(value)?;
    Some(Member {
        name,
        encoded: bytes.get(..name_length + length)?,
        value: Slice::new(value.get(..length)?),
    })
}

impl<'a> Iterator for RawEntries<'a> {
    type Item = (&'a [u8], Slice<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_member().map(|member| (member.name, member.value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

/// An iterator over the attributes of an object in stored order: name and value.
///
/// It ends early where the bytes are malformed.
#[derive(Clone, Default, Debug)]
pub struct Entries<'a> {
    raw: RawEntries<'a>,
}

impl<'a> Entries<'a> {
    pub(crate) fn new(raw: RawEntries<'a>) -> Self {
        Entries { raw }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, Slice<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.raw.next()?;
        match std::str::from_utf8(name) {
            Ok(name) => Some((name, value)),
            Err(_) => {
                self.raw.remaining = 0;
                None
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.raw.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}
impl FusedIterator for Entries<'_> {}

/// An iterator over the attributes of an object by name, with names as bytes.
#[derive(Clone, Debug)]
pub(crate) enum RawSortedEntries<'a> {
    /// The object's own index table.
    Table { bytes: &'a [u8], layout: Layout, next: usize },
    /// The collected and sorted entries of an object without sorted table.
    Sorted(std::vec::IntoIter<(&'a [u8], Slice<'a>)>),
}

impl<'a> RawSortedEntries<'a> {
    pub(crate) fn new(object: Slice<'a>) -> Self {
        let head = object.head();
        if (OBJECT_SORTED..=OBJECT_SORTED_LAST).contains(&head)
            && let Some(layout) = layout(object.raw())
        {
            return RawSortedEntries::Table { bytes: object.raw(), layout, next: 0 };
        }
        let mut entries: Vec<_> = object.raw_entries().collect();
        entries.sort_by_key(|(name, _)| *name);
        RawSortedEntries::Sorted(entries.into_iter())
    }
}

impl<'a> Iterator for RawSortedEntries<'a> {
    type Item = (&'a [u8], Slice<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            RawSortedEntries::Table { bytes, layout, next } => {
                if *next >= layout.count {
                    return None;
                }
                let offset = layout.offset(bytes, *next)?;
                *next += 1;
                let member = bytes.get(offset..layout.data_end)?;
                let (name, length) = read_name(member)?;
                Some((name, Slice::new(member.get(length..)?)))
            }
            RawSortedEntries::Sorted(entries) => entries.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = match self {
            RawSortedEntries::Table { layout, next, .. } => layout.count.saturating_sub(*next),
            RawSortedEntries::Sorted(entries) => entries.len(),
        };
        (remaining, Some(remaining))
    }
}

/// An iterator over the attributes of an object by name, bytewise.
///
/// It ends early where the bytes are malformed.
#[derive(Clone, Debug)]
pub struct SortedEntries<'a> {
    raw: RawSortedEntries<'a>,
}

impl<'a> SortedEntries<'a> {
    pub(crate) fn new(object: Slice<'a>) -> Self {
        SortedEntries { raw: RawSortedEntries::new(object) }
    }
}

impl<'a> Iterator for SortedEntries<'a> {
    type Item = (&'a str, Slice<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.raw.next()?;
        std::str::from_utf8(name).ok().map(|name| (name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.raw.size_hint()
    }
}

impl ExactSizeIterator for SortedEntries<'_> {}
