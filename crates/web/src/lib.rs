//! The files of the web interface, compressed, as `cargo xtask web` has written them.
//!
//! The sources are in `web/`. A build without them has no files, and [`PAGE_WITHOUT_FILES`] tells
//! the reader so.

use std::io::{self, Read};

use flate2::read::GzDecoder;

/// A file of the interface.
#[derive(Debug)]
pub struct Asset {
    /// The path below the interface's address, such as `assets/index-B2x.js`.
    pub path: &'static str,
    /// The media type.
    pub content_type: &'static str,
    /// The quoted digest of the content, as HTTP's `ETag` has it.
    pub etag: &'static str,
    /// True if the path has a digest of the content, so that the file never changes.
    pub is_immutable: bool,
    /// The content, compressed with Brotli.
    pub brotli: &'static [u8],
    /// The content, compressed with gzip.
    pub gzip: &'static [u8],
}

/// The files in the order of their paths.
#[cfg(has_files)]
static ASSETS: &[Asset] = include!("../embedded/table.rs");
#[cfg(not(has_files))]
static ASSETS: &[Asset] = &[];

/// The page of a build without files.
pub const PAGE_WITHOUT_FILES: &str = include_str!("without_files.html");

/// Returns the file with a path.
pub fn find(path: &str) -> Option<&'static Asset> {
    let position = ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok()?;
    ASSETS.get(position)
}

/// Returns true if this build has the interface.
pub fn is_built() -> bool {
    !ASSETS.is_empty()
}

impl Asset {
    /// Returns the content without compression, for the few clients that accept none.
    ///
    /// Errors: those of a damaged file.
    pub fn plain(&self) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        GzDecoder::new(self.gzip).read_to_end(&mut plain)?;
        Ok(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_found_and_unpacks() {
        assert!(ASSETS.windows(2).all(|pair| pair[0].path < pair[1].path));
        for asset in ASSETS {
            assert_eq!(find(asset.path).unwrap().etag, asset.etag);
            assert!(!asset.plain().unwrap().is_empty(), "{}", asset.path);
            assert!(!asset.brotli.is_empty(), "{}", asset.path);
        }
        assert!(find("nothing").is_none());
        assert_eq!(is_built(), find("index.html").is_some());
    }
}
