//! The location of a repository.

use std::fmt;
use std::path::PathBuf;

use errors::{Error, ErrorCode, Result};
use s3::BucketOptions;

/// The beginning of a location in object storage.
const BUCKET_SCHEME: &str = "s3://";

/// The location of a repository.
#[derive(Clone, Debug)]
pub enum Location {
    /// A folder that this machine reaches.
    Folder(PathBuf),
    /// The objects of a bucket below one prefix.
    Bucket(BucketOptions),
}

impl Location {
    /// Reads a folder, or `s3://BUCKET/PREFIX` with the settings of this process's environment.
    ///
    /// Errors: 7008 if a setting is missing or wrong.
    pub fn parse(text: &str) -> Result<Self> {
        if !Self::is_bucket(text) {
            return Ok(Location::Folder(PathBuf::from(text)));
        }
        let options = BucketOptions::from_environment(text);
        options.map(Location::Bucket).map_err(|error| bad_location(&error))
    }

    /// Returns true for `s3://BUCKET/PREFIX`.
    pub fn is_bucket(text: &str) -> bool {
        text.starts_with(BUCKET_SCHEME)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Folder(folder) => folder.display().fmt(formatter),
            Location::Bucket(options) => {
                write!(formatter, "{BUCKET_SCHEME}{}/{}", options.bucket, options.prefix)
            }
        }
    }
}

/// Returns the error of a location that cannot be used: 7008.
pub(crate) fn bad_location(error: &dyn fmt::Display) -> Error {
    Error::new(ErrorCode::RemoteRepositoryConfigBad, error.to_string())
}
