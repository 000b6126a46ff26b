//! The versions of the HTTP API, which an address may name before everything else.
//!
//! `/_arango/v0/_db/shop/_api/version` means `/_db/shop/_api/version`. The prefix is removed before
//! anything looks at the address, so routes, rights and logs see the same address with it and
//! without it. An unknown version is not removed: no route has such a path.
//!
//! Source: documentation of `/_api/version` and `/_admin/activities` of ArangoDB 3.12.

use hyper::Uri;
use hyper::http::uri::PathAndQuery;

/// The beginning of an address that names a version.
const PREFIX: &str = "/_arango/";

/// A version of the HTTP API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApiVersion {
    /// The interface of 3.12, which addresses without a prefix mean too.
    #[default]
    V0,
    /// The interface of 3.12 with its experimental parts. It has the same routes.
    Experimental,
}

impl ApiVersion {
    /// The versions that clients may rely on, by name.
    pub const STABLE: [&'static str; 1] = ["v0"];

    const ALL: [ApiVersion; 2] = [ApiVersion::V0, ApiVersion::Experimental];

    /// Returns the name in addresses.
    pub fn name(self) -> &'static str {
        match self {
            ApiVersion::V0 => "v0",
            ApiVersion::Experimental => "experimental",
        }
    }
}

/// Removes the version from an address. Returns the default for an address that names none.
pub(crate) fn take(uri: &mut Uri) -> ApiVersion {
    let Some((version, rest)) = uri.path_and_query().and_then(|target| split(target.as_str())) else {
        return ApiVersion::default();
    };
    let rest = if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") };
    let mut parts = std::mem::take(uri).into_parts();
    // A part of a valid path after a slash is a valid path.
    parts.path_and_query = PathAndQuery::try_from(rest).ok();
    *uri = Uri::from_parts(parts).unwrap_or_default();
    version
}

/// Returns the version that a path names, and the rest of the path.
///
/// The rest begins with a slash or a question mark, or is empty.
pub(crate) fn split(target: &str) -> Option<(ApiVersion, &str)> {
    let target = target.strip_prefix(PREFIX)?;
    ApiVersion::ALL.into_iter().find_map(|version| {
        let rest = target.strip_prefix(version.name())?;
        (rest.is_empty() || rest.starts_with(['/', '?'])).then_some((version, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(address: &str) -> (String, ApiVersion) {
        let mut uri: Uri = address.parse().unwrap();
        let version = take(&mut uri);
        (uri.to_string(), version)
    }

    #[test]
    fn the_version_is_removed_from_an_address() {
        use ApiVersion::{Experimental, V0};
        for (address, rest, version) in [
            ("/_arango/v0/_db/shop/_api/version?details=true", "/_db/shop/_api/version?details=true", V0),
            ("/_arango/experimental/_admin/activities", "/_admin/activities", Experimental),
            ("http://host:8529/_arango/v0/a", "http://host:8529/a", V0),
            ("/_arango/v0/", "/", V0),
            ("/_arango/v0", "/", V0),
            ("/_arango/experimental?a=b", "/?a=b", Experimental),
        ] {
            assert_eq!(taken(address), (rest.to_owned(), version), "{address}");
        }
    }

    #[test]
    fn other_addresses_stay_as_they_are() {
        for address in [
            "/_api/version",
            "/_arango",
            "/_arango/",
            "/_arango/v00/a",
            "/_arango/v1/a",
            "/_arango/V0/a",
            "/_db/x/_arango/v0/a",
            "/_arango/v0%2Fa",
        ] {
            assert_eq!(taken(address), (address.to_owned(), ApiVersion::V0), "{address}");
        }
    }

    #[test]
    fn only_the_first_version_counts() {
        assert_eq!(taken("/_arango/v0/_arango/v0/a").0, "/_arango/v0/a");
    }
}
