//! Patterns of paths: `test/**/*.js`.

use globset::{GlobBuilder, GlobSet};

/// Maximum length of a pattern in bytes.
pub const PATTERN_MAX_BYTES: usize = 512;

/// A pattern of paths in a service.
///
/// `*` and `?` stand for characters of one part, `**` for any number of parts, `[ab]` for one of
/// several characters, `{a,b}` for one of several texts. A part that begins with a dot is matched
/// only by a pattern that has such a part.
#[derive(Clone, Debug)]
pub struct Pattern {
    set: GlobSet,
    has_hidden: bool,
}

impl Pattern {
    /// Reads a pattern. The error is the end of a sentence that begins with the pattern.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        if text.len() > PATTERN_MAX_BYTES {
            return Err(format!("has {} bytes; at most {PATTERN_MAX_BYTES} are allowed", text.len()));
        }
        let text = text.strip_prefix("./").unwrap_or(text);
        let glob = GlobBuilder::new(text).literal_separator(true).empty_alternates(true).build();
        let glob = glob.map_err(|error| format!("is no pattern of paths: {}", error.kind()))?;
        // A compiled set reports a pattern that is too large, where a single matcher would panic.
        let set = GlobSet::builder().add(glob).build();
        let set = set.map_err(|error| format!("is too complicated: {}", error.kind()))?;
        let has_hidden = text.split('/').any(|part| part.starts_with('.'));
        Ok(Pattern { set, has_hidden })
    }

    /// Returns true if the pattern matches the whole path.
    pub fn matches(&self, path: &str) -> bool {
        let is_hidden = || path.split('/').any(|part| part.starts_with('.'));
        self.set.is_match(path) && (self.has_hidden || !is_hidden())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_paths() {
        for (pattern, inside, outside) in [
            ("test/**/*.js", &["test/a.js", "test/x/y/a.js"][..], &["a.js", "test/a.json", "tests/a.js"][..]),
            ("**/*.js", &["a.js", "x/a.js"], &["x/.y/a.js", ".a.js"]),
            ("*.js", &["a.js"], &["x/a.js", ".a.js"]),
            ("./test/?.js", &["test/a.js"], &["test/ab.js", "test//.js"]),
            ("{test,spec}/*.js", &["test/a.js", "spec/a.js"], &["other/a.js"]),
            ("test/[a-c].js", &["test/b.js"], &["test/d.js"]),
            (".hidden/*.js", &[".hidden/a.js"], &["hidden/a.js"]),
            ("test", &["test"], &["test/a.js"]),
        ] {
            let parsed = Pattern::parse(pattern).unwrap();
            inside.iter().for_each(|path| assert!(parsed.matches(path), "{path} in {pattern}"));
            outside.iter().for_each(|path| assert!(!parsed.matches(path), "{path} in {pattern}"));
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert!(Pattern::parse("a[").unwrap_err().contains("is no pattern"));
        assert!(Pattern::parse("{a,b").is_err());
        assert!(Pattern::parse(&"a".repeat(600)).unwrap_err().contains("600 bytes"));
    }

    #[test]
    fn nested_alternatives_are_refused_or_match_in_time() {
        for text in ["{*,".repeat(100) + &"}".repeat(100), "**/".repeat(170), "*a".repeat(250)] {
            if let Ok(pattern) = Pattern::parse(&text) {
                pattern.matches(&"a/".repeat(500));
                pattern.matches(&"a".repeat(1000));
            }
        }
    }
}
