//! Downloads of sources from other hosts.

use super::archive::PACKED_BYTES_MAX;
use crate::Failure;

/// Returns true if a source is a URL.
pub(super) fn is_url(source: &str) -> bool {
    source.starts_with("http://") || source.starts_with("https://")
}

/// Downloads a URL, and follows redirections except from HTTPS to HTTP.
///
/// Certificates of servers are verified by those that the system trusts.
pub(super) fn fetch(url: &str) -> Result<Vec<u8>, Failure> {
    let most = usize::try_from(PACKED_BYTES_MAX).unwrap_or(usize::MAX);
    client::download(url, None, most).map_err(Failure::new)
}
