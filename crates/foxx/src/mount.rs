//! Mount points: the paths of a database below which services answer.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

use errors::{Error, ErrorCode, Result};

/// Maximum length of a mount point in bytes.
pub const MOUNT_MAX_BYTES: usize = 512;
/// Maximum length in bytes of a part between two slashes, which is the name of a folder.
pub const SEGMENT_MAX_BYTES: usize = 200;

/// The folder of a service's files in that of its mount point. No mount point has such a part.
const FILES_FOLDER: &str = "APP";

/// A valid mount point, such as `/shop/api`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mount(String);

impl Mount {
    /// Checks a mount point: parts of ASCII letters, digits, `_` and `-`, each after one slash.
    ///
    /// No part may be `APP` in any case: the folder of a service's files has that name.
    ///
    /// Errors: 3007 names the rule that is broken.
    pub fn parse(text: &str) -> Result<Mount> {
        match broken_rule(text) {
            None => Ok(Mount(text.to_owned())),
            Some(rule) => {
                let message = format!("the mount point '{}' {rule}", shortened(text));
                Err(Error::new(ErrorCode::InvalidMountPoint, message))
            }
        }
    }

    /// Returns the text, which begins with a slash and ends without one.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true for the mount points of the server's own services, which begin with `/_`.
    pub fn is_system(&self) -> bool {
        self.0.starts_with("/_")
    }

    /// Returns the beginning of the names of the service's collections: `shop_api` for `/shop-api`.
    ///
    /// An underscore separates it from the rest of a name; it is not part of the prefix.
    pub fn collection_prefix(&self) -> String {
        self.0.trim_start_matches('/').replace(['-', '/'], "_")
    }

    /// Returns the folder of the service's files: `_db/DATABASE/MOUNT/APP`, with slashes.
    ///
    /// It is relative to the folder of all services. Characters of the database's name that have a
    /// meaning in paths are percent-encoded, so that no two names share a folder.
    pub fn folder(&self, database: &str) -> String {
        format!("{}{}/{FILES_FOLDER}", database_folder(database), self.0)
    }

    /// Returns true if a path is the mount point or is below it. The path is taken literally.
    pub fn matches(&self, path: &str) -> bool {
        self.rest(path).is_some()
    }

    /// Returns the part of a path after the mount point, empty or beginning with a slash.
    pub fn rest<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.0).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn segments(&self) -> usize {
        self.0.bytes().filter(|byte| *byte == b'/').count()
    }
}

impl Borrow<str> for Mount {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Mount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Returns the rule that a text breaks, as the end of a sentence that begins with the text.
fn broken_rule(text: &str) -> Option<String> {
    if text.len() > MOUNT_MAX_BYTES {
        return Some(format!("has {} bytes; at most {MOUNT_MAX_BYTES} are allowed", text.len()));
    }
    let Some(parts) = text.strip_prefix('/') else {
        return Some("does not begin with a slash; '/my-service' would be right".to_owned());
    };
    if parts.is_empty() {
        return Some("is the root; a name must follow the slash, as in '/my-service'".to_owned());
    }
    if parts.ends_with('/') {
        return Some("ends with a slash; it must end with a name".to_owned());
    }
    parts.split('/').find_map(broken_rule_of_segment)
}

fn broken_rule_of_segment(segment: &str) -> Option<String> {
    if segment.is_empty() {
        return Some("has two slashes in a row; a name must stand between them".to_owned());
    }
    if segment.len() > SEGMENT_MAX_BYTES {
        return Some(format!("has a part of {} bytes; {SEGMENT_MAX_BYTES} are allowed", segment.len()));
    }
    if segment.eq_ignore_ascii_case(FILES_FOLDER) {
        return Some(format!("has the part '{segment}', which is reserved; choose another name"));
    }
    let wrong = segment.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))?;
    Some(format!("has the character {wrong:?}; letters a to z, digits, '_' and '-' are allowed"))
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    if text.chars().count() <= SHOWN {
        return text.escape_debug().collect();
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{}…", start.escape_debug())
}

/// Returns the folder of the services of a database, relative to that of all services.
pub fn database_folder(database: &str) -> String {
    format!("_db/{}", folder_name(database))
}

/// Returns the name of a database as the name of a folder. Plain names stay as they are.
fn folder_name(database: &str) -> String {
    let mut name = String::with_capacity(database.len());
    for (at, c) in database.chars().enumerate() {
        let is_special = matches!(c, '/' | '\\' | '%' | ':') || c.is_control() || (at == 0 && c == '.');
        if is_special {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                name.push_str(&format!("%{byte:02X}"));
            }
        } else {
            name.push(c);
        }
    }
    name
}

/// Values by mount point, ordered, with a search for the longest mount point of a path.
#[derive(Clone, Debug)]
pub struct Mounts<T> {
    values: BTreeMap<Mount, T>,
    /// A bound of the number of parts of any mount point here.
    segments_max: usize,
}

impl<T> Default for Mounts<T> {
    fn default() -> Self {
        Mounts { values: BTreeMap::new(), segments_max: 0 }
    }
}

impl<T> Mounts<T> {
    /// Sets the value of a mount point, and returns the one that it had.
    pub fn insert(&mut self, mount: Mount, value: T) -> Option<T> {
        self.segments_max = self.segments_max.max(mount.segments());
        self.values.insert(mount, value)
    }

    /// Removes a mount point, and returns its value.
    pub fn remove(&mut self, mount: &str) -> Option<T> {
        self.values.remove(mount)
    }

    /// Returns the value of a mount point.
    pub fn get(&self, mount: &str) -> Option<&T> {
        self.values.get(mount)
    }

    /// Returns the longest mount point that a path is at or below, and its value.
    ///
    /// It makes at most one lookup for each part of the longest mount point.
    pub fn find(&self, path: &str) -> Option<(&Mount, &T)> {
        let ends = path.match_indices('/').map(|(at, _)| at).skip(1).take(self.segments_max);
        let mut ends: Vec<usize> = ends.collect();
        if ends.len() < self.segments_max {
            ends.push(path.len());
        }
        ends.into_iter().rev().find_map(|end| self.values.get_key_value(path.get(..end)?))
    }

    /// Returns all mount points in their order, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&Mount, &T)> {
        self.values.iter()
    }

    /// Returns the number of mount points.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there is no mount point.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<T> FromIterator<(Mount, T)> for Mounts<T> {
    fn from_iter<I: IntoIterator<Item = (Mount, T)>>(entries: I) -> Self {
        let mut mounts = Mounts::default();
        for (mount, value) in entries {
            mounts.insert(mount, value);
        }
        mounts
    }
}

#[cfg(test)]
mod tests;
