//! x
use crate::{Error, Limits, Result, Slice};
/// x
pub fn validate<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Slice<'a>> {
    let _ = limits;
    let slice = Slice::new(bytes);
    if slice.byte_len() != bytes.len() || bytes.is_empty() {
        return Err(Error::Invalid { offset: 0, reason: "wrong length" });
    }
    Ok(slice)
}
