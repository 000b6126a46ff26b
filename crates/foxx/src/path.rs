//! Paths in a service: relative, with slashes, and never out of its folder.

/// Returns a path below `base` without `.`, `..` and double slashes; empty for the folder itself.
///
/// `base` is such a path itself. None for a path that is absolute, has a backslash, a colon in its
/// first part or a control character, or leads out of the service's folder.
pub(crate) fn join(base: &str, path: &str) -> Option<String> {
    let is_foreign = path.starts_with('/') || path.contains('\\') || path.chars().any(char::is_control);
    let first = path.split('/').next().unwrap_or_default();
    if is_foreign || first.contains(':') {
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
    Some(parts.join("/"))
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
            ("", "a\\b", None),
            ("", "a\0b", None),
        ] {
            assert_eq!(join(base, path).as_deref(), joined, "{base} {path}");
        }
    }
}
