//! The primary index: the documents themselves, clustered by `_key`. It keeps nothing besides.

use velocypack::Slice;

use super::entries::Entries;
use super::{Index, Method};
use crate::Result;

pub(super) struct Primary;

impl Method for Primary {
    fn entries(
        &self,
        _index: &Index,
        _document: Slice<'_>,
        _key: &str,
        _entries: &mut Entries,
    ) -> Result<()> {
        Ok(())
    }

    fn is_estimated(&self, _index: &Index) -> bool {
        false
    }
}
