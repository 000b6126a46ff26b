//! Bundles in memory: one is read at a time, and its memory is charged.

use std::borrow::Cow;
use std::ops::Deref;
use std::path::Path;

use aql_value::Charge;
use errors::Result;
use foxx::{Bundle, Limits};

use crate::session::Session;

/// A bundle takes at most this part of the memory that is free while it is read.
const MEMORY_SHARE: u64 = 2;

/// A bundle whose memory is charged.
pub struct ChargedBundle {
    bundle: Bundle,
    /// The archive that it was read from.
    archive: Option<Vec<u8>>,
    _memory: Charge,
}

impl ChargedBundle {
    /// Returns the archive that it was read from, or one with its files.
    pub(super) fn archive(&self) -> Result<Cow<'_, [u8]>> {
        self.archive
            .as_deref()
            .map_or_else(|| self.bundle.zip().map(Cow::Owned), |archive| Ok(archive.into()))
    }
}

impl Deref for ChargedBundle {
    type Target = Bundle;

    fn deref(&self) -> &Bundle {
        &self.bundle
    }
}

impl Session {
    /// Reads the bundle of one script. Errors: those of [`Bundle::of_script`], 32.
    pub fn bundle_of_script(&self, script: &[u8]) -> Result<ChargedBundle> {
        self.read_bundle(None, |_, limits| Bundle::of_script(script, limits))
    }

    /// Reads the bundle in a ZIP archive. Errors: those of [`Bundle::of_zip`], 32.
    pub fn bundle_of_archive(&self, archive: Vec<u8>) -> Result<ChargedBundle> {
        self.read_bundle(Some(archive), Bundle::of_zip)
    }

    /// Reads the bundle of the files in a folder. Errors: those of [`Bundle::of_folder`], 32.
    pub fn bundle_of_folder(&self, folder: &Path) -> Result<ChargedBundle> {
        self.read_bundle(None, |_, limits| Bundle::of_folder(folder, limits))
    }

    /// Reads a bundle within limits, and charges it to the memory of queries.
    fn read_bundle(
        &self,
        archive: Option<Vec<u8>>,
        read: impl FnOnce(&[u8], &Limits) -> Result<Bundle>,
    ) -> Result<ChargedBundle> {
        let account = self.request_memory();
        let _reading = self.instance().foxx().read_bundle();
        let mut limits = Limits::default();
        if let Some(room) = account.room_bytes() {
            let share = usize::try_from(room / MEMORY_SHARE).unwrap_or(usize::MAX);
            limits.unpacked_bytes = limits.unpacked_bytes.min(share);
        }
        let packed = archive.as_deref().unwrap_or_default();
        let bundle = read(packed, &limits)?;
        let mut memory = Charge::new(account);
        memory.grow(bundle.bytes() + packed.len() as u64)?;
        Ok(ChargedBundle { bundle, archive, _memory: memory })
    }
}
