//! Semantic versions and ranges of them, by the rules of npm.

use std::fmt;

/// Maximum length of a version or a range in bytes.
pub const VERSION_MAX_BYTES: usize = 256;

/// The first version whose services are like today's.
const OLDEST_RANGE: &str = ">=3.0.0";

/// A semantic version, such as `3.12.4`.
#[derive(Clone, Debug)]
pub struct Version(nodejs_semver::Version);

impl Version {
    /// Reads a version of three numbers, with what may follow them: `-beta.1`, `+build`.
    pub fn parse(text: &str) -> Option<Version> {
        let text = bounded(text)?;
        let numbers = text.split(['-', '+']).next()?.trim_start_matches(['v', '=']).trim_start();
        let mut numbers = numbers.split('.');
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // The library also takes what npm calls loose: `1.2.3.4`.
        let is_strict = numbers.by_ref().take(3).filter(|text| is_number(text)).count() == 3;
        let is_strict = is_strict && numbers.next().is_none();
        is_strict.then(|| nodejs_semver::Version::parse(text).ok().map(Version)).flatten()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A range of versions, such as `^3.4.0`, `~1.2`, `1.x || >=2.5.0` or `*`.
#[derive(Clone, Debug)]
pub struct VersionRange(nodejs_semver::Range);

impl VersionRange {
    /// Reads a range. An empty text allows every version.
    pub fn parse(text: &str) -> Option<VersionRange> {
        let text = bounded(text)?;
        nodejs_semver::Range::parse(text).ok().map(VersionRange)
    }

    /// Returns true if the range has the version.
    pub fn contains(&self, version: &Version) -> bool {
        self.0.satisfies(&version.0)
    }

    /// Returns true if no version from 3.0.0 on is in the range: a service for ArangoDB 2.8.
    pub fn is_legacy(&self) -> bool {
        VersionRange::parse(OLDEST_RANGE).is_some_and(|today| !self.0.allows_any(&today.0))
    }
}

fn bounded(text: &str) -> Option<&str> {
    (text.len() <= VERSION_MAX_BYTES).then_some(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_the_versions_that_npm_says() {
        for (range, inside, outside) in [
            ("^3.4.0", &["3.4.0", "3.12.4"][..], &["3.3.9", "4.0.0"][..]),
            ("^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0"]),
            ("~1.2.3", &["1.2.3", "1.2.9"], &["1.3.0"]),
            ("~1.2", &["1.2.0"], &["1.3.0"]),
            ("1.x", &["1.0.0", "1.99.0"], &["2.0.0"]),
            ("1.2", &["1.2.7"], &["1.3.0"]),
            ("*", &["0.0.1", "9.9.9"], &[]),
            ("", &["0.0.1"], &[]),
            ("1.2.3 - 2.3", &["1.2.3", "2.3.9"], &["1.2.2", "2.4.0"]),
            ("<2.0.0 || >=3.1.0", &["1.0.0", "3.1.0"], &["2.5.0"]),
            (">=3.0.0 <3.2.0", &["3.1.9"], &["3.2.0", "2.9.9"]),
            ("=3.1.0", &["3.1.0"], &["3.1.1"]),
            ("3.1.0", &["3.1.0", "3.1.0+build"], &["3.1.1", "3.1.0-rc.1"]),
        ] {
            let parsed = VersionRange::parse(range).unwrap();
            for version in inside {
                assert!(parsed.contains(&Version::parse(version).unwrap()), "{version} in {range}");
            }
            for version in outside {
                assert!(!parsed.contains(&Version::parse(version).unwrap()), "{version} in {range}");
            }
        }
    }

    #[test]
    fn a_range_below_three_is_legacy() {
        for (range, is_legacy) in [
            ("^2.8.0", true),
            ("2.x", true),
            ("<3.0.0", true),
            (">=2.8.0 <3", true),
            ("1.0.0 || 2.8.1", true),
            ("<=3.0.0", false),
            (">=2.8.0", false),
            ("^2.8.0 || ^3.0.0", false),
            ("*", false),
            ("^4.0.0", false),
        ] {
            assert_eq!(VersionRange::parse(range).unwrap().is_legacy(), is_legacy, "{range}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "1", "1.2", "one", "1.2.3.4", "1.2.x", "^1.2.3", "1.2.3beta"] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
        assert!(Version::parse("v1.2.3-beta.1+x").is_some());
        for text in ["one", "^^", "latest", "1.2.3.4.5", ">"] {
            assert!(VersionRange::parse(text).is_none(), "{text}");
        }
        assert!(VersionRange::parse(&"1.x || ".repeat(100)).is_none());
    }
}
