//! Names of the files of a dump.

use md5::{Digest, Md5};

/// The ending of structure files.
pub(crate) const STRUCTURE: &str = ".structure.json";
/// The ending of view files.
pub(crate) const VIEW: &str = ".view.json";
/// The file about the dump as a whole.
pub(crate) const INFO: &str = "dump.json";
/// The file about the encryption of the others.
pub(crate) const ENCRYPTION: &str = "ENCRYPTION";
/// The file about the progress of a restore.
pub(crate) const CONTINUE: &str = "continue.json";

/// Returns the MD5 of a name in lower-case hexadecimal digits.
pub(crate) fn md5_hex(name: &str) -> String {
    Md5::digest(name).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns true if a name is a valid file name everywhere.
///
/// ArangoDB's traditional names are. Ids replace extended ones.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns the beginning of the names of a collection's files.
///
/// It is the name, or the id if the name cannot be a file's, and the MD5 of the name.
pub(crate) fn stem(name: &str, id: &str) -> String {
    let shown = if is_plain(name) { name } else { id };
    format!("{shown}_{}", md5_hex(name))
}

/// Returns the collection that a stem names, with the MD5 or without.
pub(crate) fn collection_of(stem: &str) -> &str {
    let pair = stem.rsplit_once('_').filter(|(name, md5)| *md5 == md5_hex(name));
    pair.map_or(stem, |(name, _)| name)
}

/// Returns the name of a data file.
pub(crate) fn data_file(stem: &str, part: Option<usize>, velocypack: bool, compressed: bool) -> String {
    let part = part.map(|part| format!(".{part}")).unwrap_or_default();
    let kind = if velocypack { "vpack" } else { "json" };
    let packed = if compressed { ".gz" } else { "" };
    format!("{stem}{part}.data.{kind}{packed}")
}

/// Returns the stem and the part of the name of a data file; `None` for any other name.
pub(crate) fn parse_data_file(file: &str) -> Option<(&str, Option<usize>)> {
    let rest = file.strip_suffix(".gz").unwrap_or(file);
    let rest = rest.strip_suffix(".data.json").or_else(|| rest.strip_suffix(".data.vpack"))?;
    match rest.rsplit_once('.').map(|(stem, part)| (stem, part.parse())) {
        Some((stem, Ok(part))) => Some((stem, Some(part))),
        _ => Some((rest, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_arangodb() {
        // The value in the dump of Debian's packages that ArangoDB publishes.
        assert_eq!(stem("Pre-Depends", "1"), "Pre-Depends_a0e351cb440ca6fe8778caf76eb95aba");
        assert_eq!(stem("_graphs", "1"), "_graphs_c827636f2b54efb49f1f02feeeacfb01");
        assert_eq!(stem("größe/", "77"), format!("77_{}", md5_hex("größe/")));
        assert_eq!(collection_of("Pre-Depends_a0e351cb440ca6fe8778caf76eb95aba"), "Pre-Depends");
        assert_eq!(collection_of("Depends_a0e351cb440ca6fe8778caf76eb95aba").len(), 40);
        assert_eq!(collection_of("a_b"), "a_b");
        assert_eq!(data_file("a_1", None, false, true), "a_1.data.json.gz");
        assert_eq!(data_file("a_1", Some(3), true, false), "a_1.3.data.vpack");
    }

    #[test]
    fn files_of_data_are_told_from_others() {
        assert_eq!(parse_data_file("a_1.data.json.gz"), Some(("a_1", None)));
        assert_eq!(parse_data_file("a.b.12.data.json"), Some(("a.b", Some(12))));
        assert_eq!(parse_data_file("a.b.data.vpack"), Some(("a.b", None)));
        assert_eq!(parse_data_file("a.structure.json"), None);
    }
}
