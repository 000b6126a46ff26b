//! The rules of bulk loads that all engines check.

use crate::{Error, PAIR_BYTES_MAX, Result};

/// Checks that a pair may follow the pair with the key `last`.
pub fn check_pair(last: Option<&[u8]>, key: &[u8], value: &[u8]) -> Result<()> {
    if key.len() + value.len() > PAIR_BYTES_MAX {
        return Err(Error::TooLarge { limit_bytes: PAIR_BYTES_MAX });
    }
    match last {
        Some(last) if last >= key => Err(Error::Misuse {
            reason: format!(
                "the keys of a bulk load must ascend, but {} was added after {}",
                key.escape_ascii(),
                last.escape_ascii()
            ),
        }),
        _ => Ok(()),
    }
}
