//! The options of a synchronization, as ArangoDB 3.11 has them.
//!
//! Source: ArangoDB 3.11 documentation, "Synchronize data from a remote endpoint".

use std::collections::BTreeSet;
use std::time::Duration;

use errors::{Error, Result};
use velocypack::Slice;

use crate::state::following::SourceOptions;

/// Maximum number of names in `restrictCollections`.
const RESTRICTION_MAX: usize = 100_000;
/// Maximum of `initialSyncMaxWaitTime` in seconds: a day.
const WAIT_MAX_SECONDS: f64 = 86_400.0;

/// The options of a synchronization.
#[derive(Clone, Debug)]
pub struct SyncOptions {
    /// The other server. It names the database there that is copied to the session's one; without
    /// any, all databases are copied.
    pub source: SourceOptions,
    /// Copies system collections too.
    pub includes_system: bool,
    /// Transfers only the documents that differ.
    pub is_incremental: bool,
    /// The collections that are copied.
    pub restriction: Restriction,
    /// The longest wait for a reply; `None` for the default.
    pub wait: Option<Duration>,
    /// Writes the progress to the log.
    pub is_verbose: bool,
}

/// The collections that are copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Restriction {
    /// All.
    #[default]
    None,
    /// Only these.
    Include(BTreeSet<String>),
    /// All but these.
    Exclude(BTreeSet<String>),
}

impl SyncOptions {
    /// Reads the options of a request, but for those of the other server.
    ///
    /// Errors: 10 for a wrong attribute.
    pub fn parse(source: SourceOptions, body: Slice<'_>) -> Result<Self> {
        let flag = |name: &str, default: bool| match body.get(name).filter(|value| !value.is_null()) {
            None => Ok(default),
            Some(value) => {
                value.as_bool().ok_or_else(|| Error::bad_parameter(format!("'{name}' must be true or false")))
            }
        };
        Ok(SyncOptions {
            source,
            includes_system: flag("includeSystem", true)?,
            is_incremental: flag("incremental", false)?,
            restriction: Restriction::parse(body)?,
            wait: wait(body)?,
            is_verbose: flag("verbose", false)?,
        })
    }

    /// Returns true if all databases are copied.
    pub(super) fn is_global(&self) -> bool {
        self.source.databases.is_empty()
    }

    /// Returns true if everything of a database is copied.
    pub(super) fn is_whole(&self) -> bool {
        self.includes_system && self.restriction == Restriction::None
    }

    /// Returns true if a collection is copied.
    pub(super) fn includes(&self, collection: &str) -> bool {
        let is_asked_for = match &self.restriction {
            Restriction::None => true,
            Restriction::Include(names) => names.contains(collection),
            Restriction::Exclude(names) => !names.contains(collection),
        };
        is_asked_for && (self.includes_system || !collection.starts_with('_'))
    }
}

impl Restriction {
    /// Reads `restrictType` and `restrictCollections`.
    ///
    /// Errors: 10.
    fn parse(body: Slice<'_>) -> Result<Self> {
        let wrong = || Error::bad_parameter("'restrictCollections' must be an array of names");
        let mut names = BTreeSet::new();
        if let Some(list) = body.get("restrictCollections").filter(|list| !list.is_null()) {
            if !list.is_array() || list.len() > RESTRICTION_MAX {
                return Err(wrong());
            }
            for name in list.elements() {
                names.insert(name.as_str().filter(|name| !name.is_empty()).ok_or_else(wrong)?.to_owned());
            }
        }
        let kind = match body.get("restrictType").filter(|kind| !kind.is_null()) {
            None => "",
            Some(kind) => kind.as_str().unwrap_or("?"),
        };
        match (kind, names.is_empty()) {
            ("", true) => Ok(Restriction::None),
            ("include", false) => Ok(Restriction::Include(names)),
            ("exclude", false) => Ok(Restriction::Exclude(names)),
            ("include" | "exclude", true) => Err(Error::bad_parameter(
                "'restrictType' is set, and 'restrictCollections' has no names; it must have some",
            )),
            ("", false) => Err(Error::bad_parameter(
                "'restrictCollections' has names, so 'restrictType' must be 'include' or 'exclude'",
            )),
            _ => Err(Error::bad_parameter("'restrictType' must be 'include' or 'exclude'")),
        }
    }
}

/// Reads `initialSyncMaxWaitTime`, in seconds. 0 sets no limit of its own.
///
/// Errors: 10.
fn wait(body: Slice<'_>) -> Result<Option<Duration>> {
    let Some(value) = body.get("initialSyncMaxWaitTime").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let seconds = value.as_f64().filter(|seconds| (0.0..=WAIT_MAX_SECONDS).contains(seconds));
    let seconds = seconds.ok_or_else(|| {
        Error::bad_parameter(format!(
            "'initialSyncMaxWaitTime' must be a number of seconds from 0 to {WAIT_MAX_SECONDS}"
        ))
    })?;
    Ok(Some(Duration::from_secs_f64(seconds)).filter(|wait| !wait.is_zero()))
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits, json};

    use super::*;

    fn parse(text: &str) -> Result<SyncOptions> {
        let mut builder = Builder::new();
        json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
        SyncOptions::parse(SourceOptions::default(), builder.as_slice())
    }

    #[test]
    fn a_restriction_says_which_collections_are_copied() {
        let all = parse("{}").unwrap();
        assert!(all.is_whole() && all.includes("a") && all.includes("_graphs") && !all.is_incremental);
        let some = parse(r#"{"restrictType": "include", "restrictCollections": ["a", "_b"]}"#).unwrap();
        assert!(!some.is_whole() && some.includes("a") && some.includes("_b") && !some.includes("c"));
        let others =
            parse(r#"{"restrictType": "exclude", "restrictCollections": ["a"], "includeSystem": false}"#);
        let others = others.unwrap();
        assert!(!others.includes("a") && others.includes("c") && !others.includes("_graphs"));
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        for text in [
            r#"{"restrictType": "include"}"#,
            r#"{"restrictType": "only", "restrictCollections": ["a"]}"#,
            r#"{"restrictType": 1, "restrictCollections": ["a"]}"#,
            r#"{"restrictCollections": ["a"]}"#,
            r#"{"restrictType": "include", "restrictCollections": [1]}"#,
            r#"{"restrictType": "include", "restrictCollections": "a"}"#,
            r#"{"incremental": 1}"#,
            r#"{"includeSystem": "no"}"#,
            r#"{"initialSyncMaxWaitTime": -1}"#,
            r#"{"initialSyncMaxWaitTime": 1e300}"#,
            r#"{"initialSyncMaxWaitTime": "long"}"#,
        ] {
            assert_eq!(parse(text).unwrap_err().number(), 10, "{text}");
        }
        assert_eq!(parse(r#"{"initialSyncMaxWaitTime": 0}"#).unwrap().wait, None);
        let wait = parse(r#"{"initialSyncMaxWaitTime": 1.5, "restrictType": ""}"#).unwrap().wait;
        assert_eq!(wait, Some(Duration::from_millis(1_500)));
    }
}
