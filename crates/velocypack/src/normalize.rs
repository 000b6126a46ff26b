//! x
use crate::{Result, Slice};
/// x
pub fn normalize(value: Slice<'_>, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(value.bytes());
    Ok(())
}
