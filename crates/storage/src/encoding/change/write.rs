//! The entries of a commit, from its operations to the records.

use catalog::{CollectionId, DatabaseId};
use errors::{Error, Result};
use velocypack::{Builder, Slice};

use super::{ChangeKind, part_key, steps};
use crate::Revision;
use crate::encoding::pack::STORE_FORMAT;

/// Bytes of entries after which a part ends, so that readers hold little at once.
const PART_BYTES: usize = 256 << 10;

/// The bit of a part's flags for the last part of a commit.
pub(super) const IS_LAST: u8 = 1;
/// The bit of a part's flags for a commit of more than one entry.
pub(super) const IS_TRANSACTION: u8 = 2;
/// The bit of an entry's kind for an entry with the previous document.
pub(super) const HAS_OLD: u8 = 0x80;
/// The number of the collection in an entry that has none.
pub(super) const NO_COLLECTION: u16 = u16::MAX;

/// The collection of an entry, as it is called when the change happens.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) id: CollectionId,
    pub(crate) globally_unique_id: &'a str,
    pub(crate) name: &'a str,
}

/// The changes of one commit, in the order of its operations.
#[derive(Debug, Default)]
pub(crate) struct ChangeBuffer {
    /// Each collection with its encoded name.
    collections: Vec<(CollectionId, Vec<u8>)>,
    /// The parts that get no more entries.
    full: Vec<Part>,
    /// The part that gets the next entry.
    last: Part,
}

#[derive(Debug, Default)]
struct Part {
    entries: u32,
    bytes: Vec<u8>,
}

/// A state of a buffer to which it can return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangeSavepoint {
    full: usize,
    entries: u32,
    bytes: usize,
}

impl ChangeBuffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.last.entries == 0
    }

    /// Returns the bytes of memory that the entries take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.parts().map(|part| part.bytes.capacity()).sum()
    }

    /// Returns the number of positions that the commit takes.
    pub(crate) fn steps(&self) -> u64 {
        steps(self.entries())
    }

    fn entries(&self) -> u64 {
        self.parts().map(|part| u64::from(part.entries)).sum()
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.full.iter().chain([&self.last])
    }

    /// Adds the present version of a document, and the previous one if it is wanted.
    pub(crate) fn add_document(
        &mut self,
        kind: ChangeKind,
        origin: Origin<'_>,
        document: Slice<'_>,
        old: Option<Slice<'_>>,
    ) {
        let (part, number) = self.begin_entry(origin);
        part.bytes.push(kind as u8 | if old.is_some() { HAS_OLD } else { 0 });
        part.bytes.extend_from_slice(&number.to_le_bytes());
        part.bytes.extend_from_slice(document.bytes());
        if let Some(old) = old {
            part.bytes.extend_from_slice(old.bytes());
        }
    }

    /// Adds the removal of a document.
    ///
    /// Errors: 4 if the key is no text.
    pub(crate) fn add_removal(
        &mut self,
        origin: Origin<'_>,
        key: &str,
        revision: Revision,
        old: Option<Slice<'_>>,
    ) -> Result<()> {
        let mut builder = Builder::with_capacity(64);
        let mut build = || -> velocypack::Result<()> {
            builder.open_object()?;
            builder.key("_key")?;
            builder.add_str(key)?;
            builder.key("_rev")?;
            builder.add_str(&revision.to_string())?;
            builder.close()
        };
        build().map_err(Error::internal)?;
        self.add_document(ChangeKind::Removed, origin, builder.as_slice(), old);
        Ok(())
    }

    /// Adds a change of a definition. `record` is the definition as the store keeps it.
    pub(crate) fn add_definition(&mut self, kind: ChangeKind, origin: Option<Origin<'_>>, record: &[u8]) {
        let (part, number) = match origin {
            Some(origin) => self.begin_entry(origin),
            None => (self.part(), NO_COLLECTION),
        };
        part.bytes.push(kind as u8);
        part.bytes.extend_from_slice(&number.to_le_bytes());
        let length = u32::try_from(record.len()).unwrap_or(u32::MAX);
        part.bytes.extend_from_slice(&length.to_le_bytes());
        part.bytes.extend_from_slice(record);
    }

    /// Returns the part for an entry, and the number of its collection.
    fn begin_entry(&mut self, origin: Origin<'_>) -> (&mut Part, u16) {
        let known = self.collections.iter().rposition(|(id, _)| *id == origin.id);
        let number = known.unwrap_or_else(|| {
            self.collections.push((origin.id, encode(origin)));
            self.collections.len() - 1
        });
        // A transaction names fewer collections: each one is locked.
        (self.part(), u16::try_from(number).unwrap_or(NO_COLLECTION))
    }

    /// Returns the part that gets the next entry, and counts the entry.
    fn part(&mut self) -> &mut Part {
        if self.last.bytes.len() >= PART_BYTES {
            self.full.push(std::mem::take(&mut self.last));
        }
        self.last.entries += 1;
        &mut self.last
    }

    pub(crate) fn savepoint(&self) -> ChangeSavepoint {
        let Part { entries, ref bytes } = self.last;
        ChangeSavepoint { full: self.full.len(), entries, bytes: bytes.len() }
    }

    /// Removes the entries since the savepoint.
    pub(crate) fn rollback_to(&mut self, savepoint: ChangeSavepoint) {
        // The part that was the last one then.
        if let Some(part) = self.full.drain(savepoint.full.min(self.full.len())..).next() {
            self.last = part;
        }
        self.last.entries = savepoint.entries;
        self.last.bytes.truncate(savepoint.bytes);
    }

    /// Passes the key and the value of each part to `write`, in order, and frees the parts.
    ///
    /// `first` is the commit's first position, `time` its time in microseconds since 1970.
    ///
    /// Errors: those of `write`.
    pub(crate) fn write_parts(
        self,
        database: DatabaseId,
        first: u64,
        time: u64,
        mut write: impl FnMut(&[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let is_transaction = self.entries() > 1;
        let mut table = Vec::new();
        table.extend_from_slice(&u16::try_from(self.collections.len()).unwrap_or(u16::MAX).to_le_bytes());
        self.collections.iter().for_each(|(_, name)| table.extend_from_slice(name));
        let (mut entries, last) = (0_u64, self.full.len());
        let mut value = Vec::new();
        for (i, part) in self.full.into_iter().chain([self.last]).enumerate() {
            let flags = if i == last { IS_LAST } else { 0 } | if is_transaction { IS_TRANSACTION } else { 0 };
            value.clear();
            value.extend_from_slice(&[STORE_FORMAT, flags]);
            value.extend_from_slice(&time.to_le_bytes());
            value.extend_from_slice(&entries.to_le_bytes());
            value.extend_from_slice(&part.entries.to_le_bytes());
            value.extend_from_slice(&table);
            value.extend_from_slice(&part.bytes);
            let number = u32::try_from(i).map_err(|_| Error::internal("a commit has too many parts"))?;
            write(&part_key(database, first, number), &value)?;
            entries += u64::from(part.entries);
        }
        Ok(())
    }
}

/// Encodes a collection: `u64le(id) · length (1 byte) · globally unique id · u16le(length) · name`.
fn encode(origin: Origin<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(11 + origin.globally_unique_id.len() + origin.name.len());
    bytes.extend_from_slice(&origin.id.0.to_le_bytes());
    // Both are shorter: the server makes the first, and checks the length of the second.
    let unique = origin.globally_unique_id.as_bytes();
    let unique = unique.get(..usize::from(u8::MAX)).unwrap_or(unique);
    bytes.push(u8::try_from(unique.len()).unwrap_or(u8::MAX));
    bytes.extend_from_slice(unique);
    bytes.extend_from_slice(&u16::try_from(origin.name.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend_from_slice(origin.name.as_bytes());
    bytes
}
