//! Parts of the change log as readers see them.

use catalog::CollectionId;
use errors::{Error, Result};
use velocypack::Slice;

use super::ChangeKind;
use super::write::{HAS_OLD, IS_LAST, IS_TRANSACTION, NO_COLLECTION};
use crate::encoding::pack::check_format;

/// The kind of an entry that was removed before the others of its part: it has only this byte. Its
/// position stays in use, so that those of the others do not change.
pub(super) const REMOVED_ENTRY: u8 = HAS_OLD - 1;

/// The collection of a change, as it was called at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedCollection<'a> {
    /// Its number, which a renamed collection keeps.
    pub id: CollectionId,
    /// The identity that replication uses.
    pub globally_unique_id: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// One entry of the change log.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// Its position, which no other entry has.
    pub position: u64,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The collection; `None` for changes of databases, views and users.
    pub collection: Option<ChangedCollection<'a>>,
    /// The document as it is stored, or the `_key` and `_rev` of a removed one; [`Slice::NONE`] for
    /// a definition. Its `_id` marker resolves with the collection's name.
    pub document: Slice<'a>,
    /// The previous version of the document, if the log keeps it.
    pub old: Option<Slice<'a>>,
    /// The record of the definition ([`catalog::Record`]); empty for a document and a truncation.
    pub definition: &'a [u8],
}

/// A part of a commit.
#[derive(Debug)]
pub(crate) struct ChangePart<'a> {
    /// The commit's first position.
    pub(crate) first: u64,
    /// Microseconds since 1970.
    pub(crate) time: u64,
    /// No other part of the commit follows.
    pub(crate) is_last: bool,
    /// The commit has more than one entry.
    pub(crate) is_transaction: bool,
    /// The number of entries in earlier parts.
    entries_before: u64,
    entries: u32,
    collections: Vec<ChangedCollection<'a>>,
    rest: &'a [u8],
}

impl<'a> ChangePart<'a> {
    /// Reads the value of a part whose commit begins at `first`.
    ///
    /// Errors: 35 for a newer format, 1102 for damage.
    pub(crate) fn read(first: u64, value: &'a [u8]) -> Result<Self> {
        let mut reader = Reader(value);
        let [format, flags] = reader.array()?;
        check_format(format)?;
        let time = u64::from_le_bytes(reader.array()?);
        let entries_before = u64::from_le_bytes(reader.array()?);
        let entries = u32::from_le_bytes(reader.array()?);
        let count = u16::from_le_bytes(reader.array()?);
        let collections = (0..count).map(|_| reader.collection()).collect::<Result<Vec<_>>>()?;
        Ok(ChangePart {
            first,
            time,
            is_last: flags & IS_LAST != 0,
            is_transaction: flags & IS_TRANSACTION != 0,
            entries_before,
            entries,
            collections,
            rest: reader.0,
        })
    }

    /// Returns the position of the part's first entry.
    pub(crate) fn position(&self) -> u64 {
        self.first + u64::from(self.is_transaction) + self.entries_before
    }

    /// Returns the position after the part's last entry, or after the end of its commit.
    pub(crate) fn end(&self) -> u64 {
        let ends = u64::from(self.is_transaction && self.is_last);
        self.position() + u64::from(self.entries) + ends
    }

    /// Passes each entry to `visit`.
    ///
    /// Errors: 1102 for damage, those of `visit`.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&Change<'a>) -> Result<()>) -> Result<()> {
        let mut reader = Reader(self.rest);
        for position in (self.position()..).take(self.entries as usize) {
            if reader.0.first() == Some(&REMOVED_ENTRY) {
                reader.bytes(1)?;
                continue;
            }
            let change = self.entry(&mut reader, position)?;
            visit(&change)?;
        }
        if reader.0.is_empty() { Ok(()) } else { Err(damaged()) }
    }

    /// Returns true if no other part of the commit comes before.
    pub(super) fn is_first(&self) -> bool {
        self.entries_before == 0
    }

    /// Returns the bytes of the entries.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn entry(&self, reader: &mut Reader<'a>, position: u64) -> Result<Change<'a>> {
        let [kind] = reader.array()?;
        let has_old = kind & HAS_OLD != 0;
        let kind = ChangeKind::from_number(kind & !HAS_OLD).ok_or_else(damaged)?;
        let collection = match u16::from_le_bytes(reader.array()?) {
            NO_COLLECTION => None,
            number => Some(*self.collections.get(usize::from(number)).ok_or_else(damaged)?),
        };
        let mut change =
            Change { position, kind, collection, document: Slice::NONE, old: None, definition: &[] };
        if kind.is_of_document() {
            change.document = reader.slice()?;
            change.old = if has_old { Some(reader.slice()?) } else { None };
        } else {
            let length = u32::from_le_bytes(reader.array()?);
            change.definition = reader.bytes(length as usize)?;
        }
        Ok(change)
    }
}

/// The bytes that were not read yet.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.bytes(N)?.try_into().map_err(|_| damaged())
    }

    fn text(&mut self, count: usize) -> Result<&'a str> {
        std::str::from_utf8(self.bytes(count)?).map_err(|_| damaged())
    }

    fn slice(&mut self) -> Result<Slice<'a>> {
        let slice = Slice::new(self.0);
        match slice.byte_len() {
            0 => Err(damaged()),
            length => self.bytes(length).map(Slice::new),
        }
    }

    fn collection(&mut self) -> Result<ChangedCollection<'a>> {
        let id = CollectionId(u64::from_le_bytes(self.array()?));
        let [length] = self.array()?;
        let globally_unique_id = self.text(usize::from(length))?;
        let length = u16::from_le_bytes(self.array()?);
        Ok(ChangedCollection { id, globally_unique_id, name: self.text(usize::from(length))? })
    }
}

fn damaged() -> Error {
    Error::corrupt("a record of the change log is damaged")
}
