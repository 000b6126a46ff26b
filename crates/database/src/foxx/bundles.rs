//! Bundles in memory: one is read at a time, and its memory is charged.

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
    _memory: Charge,
}

impl Deref for ChargedBundle {
    type Target = Bundle;

    fn deref(&self) -> &Bundle {
        &self.bundle
    }
}

impl Session {
    /// Reads a bundle within limits, and charges it to the memory of queries.
    ///
    /// Errors: those of `read`, 32.
    pub fn read_bundle(&self, read: impl FnOnce(&Limits) -> Result<Bundle>) -> Result<ChargedBundle> {
        let account = self.request_memory();
        let _reading = self.instance().foxx().read_bundle();
        let mut limits = Limits::default();
        if let Some(room) = account.room_bytes() {
            let share = usize::try_from(room / MEMORY_SHARE).unwrap_or(usize::MAX);
            limits.unpacked_bytes = limits.unpacked_bytes.min(share);
        }
        let bundle = read(&limits)?;
        let mut memory = Charge::new(account);
        memory.grow(bundle.bytes())?;
        Ok(ChargedBundle { bundle, _memory: memory })
    }

    /// Reads the bundle of the files in a folder. Errors: those of [`Session::read_bundle`].
    pub fn bundle_of(&self, folder: &Path) -> Result<ChargedBundle> {
        self.read_bundle(|limits| Bundle::of_folder(folder, limits))
    }
}
