//! Readers of members with simple types.

use velocypack::Slice;

use super::problems::Problems;
use crate::glob::Pattern;
use crate::path;

/// Maximum number of entries of a map or list in a manifest.
pub(super) const ENTRIES_MAX: usize = 1_000;
/// Maximum number of patterns of tests, each of which is compared with all paths.
const PATTERNS_MAX: usize = 100;
/// Maximum length of a name in bytes.
pub(super) const NAME_MAX_BYTES: usize = 256;

/// Returns a member that is there and not null.
pub(super) fn member<'a>(object: Slice<'a>, name: &str) -> Option<Slice<'a>> {
    object.get(name).filter(|value| !value.is_null())
}

/// Returns a text. `path` is the member's place in the manifest, for messages.
pub(super) fn text<'a>(
    object: Slice<'a>,
    name: &str,
    path: &str,
    problems: &mut Problems,
) -> Option<&'a str> {
    let value = member(object, name)?;
    let text = value.as_str();
    if text.is_none() {
        problems.wrong(path, value, "a text");
    }
    text
}

/// Returns a bool, or the default.
pub(super) fn flag(
    object: Slice<'_>,
    name: &str,
    path: &str,
    default: bool,
    problems: &mut Problems,
) -> bool {
    let Some(value) = member(object, name) else { return default };
    value.as_bool().unwrap_or_else(|| {
        problems.wrong(path, value, "true or false");
        default
    })
}

/// Returns the entries of an object, in their order. There are none if it is no object.
pub(super) fn entries<'a>(
    manifest: Slice<'a>,
    name: &str,
    problems: &mut Problems,
) -> Vec<(String, Slice<'a>)> {
    let Some(value) = member(manifest, name) else { return Vec::new() };
    if !value.is_object() {
        problems.wrong(name, value, "an object");
        return Vec::new();
    }
    if value.len() > ENTRIES_MAX {
        problems
            .wrong_text(format!("`{name}` has {} entries; at most {ENTRIES_MAX} are allowed", value.len()));
        return Vec::new();
    }
    let mut entries = Vec::with_capacity(value.len());
    for (key, entry) in value.entries() {
        if key.is_empty() || key.len() > NAME_MAX_BYTES {
            problems.wrong_text(format!(
                "`{name}` has a name of {} bytes; it must have 1 to {NAME_MAX_BYTES}",
                key.len()
            ));
        } else {
            entries.push((key.to_owned(), entry));
        }
    }
    entries
}

/// Returns texts by name.
pub(super) fn texts(manifest: Slice<'_>, name: &str, problems: &mut Problems) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (key, value) in entries(manifest, name, problems) {
        match value.as_str() {
            Some(text) => texts.push((key, text.to_owned())),
            None => problems.wrong(format_args!("{name}.{key}"), value, "a text"),
        }
    }
    texts
}

/// Checks a list whose elements are texts, or objects where `allows_objects`.
pub(super) fn check_list(manifest: Slice<'_>, name: &str, allows_objects: bool, problems: &mut Problems) {
    let Some(value) = member(manifest, name) else { return };
    let is_right = |value: Slice<'_>| value.is_string() || (allows_objects && value.is_object());
    if !value.is_array() || !value.elements().all(is_right) {
        problems.wrong(name, value, "a list of texts");
    }
}

/// Returns the patterns of tests: a text or a list of texts.
pub(super) fn patterns(manifest: Slice<'_>, problems: &mut Problems) -> Vec<String> {
    const NAME: &str = "tests";
    let Some(value) = member(manifest, NAME) else { return Vec::new() };
    let values: Vec<Slice<'_>> = match value.as_str() {
        Some(_) => vec![value],
        None => value.elements().take(PATTERNS_MAX + 1).collect(),
    };
    let texts: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
    let is_list = value.is_string() || value.is_array();
    if !is_list || texts.len() != values.len() || texts.len() > PATTERNS_MAX {
        problems.wrong(NAME, value, format_args!("a text or a list of at most {PATTERNS_MAX} texts"));
        return Vec::new();
    }
    for text in &texts {
        if let Err(reason) = Pattern::parse(text) {
            problems.wrong_text(format!("the pattern '{}' in `{NAME}` {reason}", text.escape_debug()));
        }
    }
    texts.into_iter().map(str::to_owned).collect()
}

/// Returns a path below `base` in the service.
pub(super) fn inner_path(
    base: &str,
    member: &str,
    value: Slice<'_>,
    problems: &mut Problems,
) -> Option<String> {
    let joined = value.as_str().filter(|text| !text.is_empty()).and_then(|text| path::join(base, text));
    if joined.is_none() {
        problems.wrong(member, value, "a relative path in the service, with slashes");
    }
    joined
}
