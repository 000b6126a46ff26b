//! Paths in a service: relative, with slashes, and never out of its folder.

/// Returns a path below `base` without `.`, `..` and double slashes; empty for the folder itself.
///
/// `base` is such a path itself. None for a path that is absolute, has a backslash or a control
/// character, a part with the letter of a drive, or leads out of the service's folder.
pub(crate) fn join(base: &str, path: &str) -> Option<String> {
    let is_foreign = path.starts_with('/') || path.contains('\\') || path.chars().any(char::is_control);
    if is_foreign {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/")).filter(|path| !has_drive(path))
}

/// Returns true if a part of a path is on another drive for other systems: `C:` or `C:x`.
///
/// A part inside counts too, since the parts before it may be cut off.
pub(crate) fn has_drive(path: &str) -> bool {
    path.split('/').any(|part| {
        let mut letters = part.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.next() == Some(':')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_folder() {
        for (base, path, joined) in [
            ("", "a.js", Some("a.js")),
            ("", "./a//b/./c.js", Some("a/b/c.js")),
            ("", ".", Some("")),
            ("lib", "x.js", Some("lib/x.js")),
            ("lib", "../x.js", Some("x.js")),
            ("lib", "../../x.js", None),
            ("", "..", None),
            ("", "a/../../b", None),
            ("", "/etc/passwd", None),
            ("", "C:/x", None),
            ("", "./C:/x", None),
            ("", "x/C:y", None),
            ("", "./urn:x/ab:c", Some("urn:x/ab:c")),
            ("", "a\\b", None),
            ("", "a\0b", None),
        ] {
            assert_eq!(join(base, path).as_deref(), joined, "{base} {path}");
        }
    }
}
