//! OPTIONS of statements: objects of constants with known attributes.

use aql_syntax::ast;
use aql_value::Value;
use errors::{Error, ErrorCode, Result};

use super::{Binder, ForOptions};
use crate::expression::Expression;
use crate::node::{CollectMethod, ModificationOptions, OverwriteMode};

/// Maximum number of index names in a hint that are read. A collection cannot have nearly as many
/// indexes.
const MAX_HINTED_INDEXES: usize = 1024;

/// Options of COLLECT.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CollectOptions {
    pub(super) method: Option<CollectMethod>,
    pub(super) disable_index: bool,
}

/// Options of UPSERT besides those of all modifications.
#[derive(Debug, Clone)]
pub(super) struct UpsertOptions {
    pub(super) lookup: ForOptions,
    pub(super) read_own_writes: bool,
    pub(super) modification: ModificationOptions,
}

/// Statements that modify data. Different options have an effect on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modification {
    Insert,
    Update,
    Replace,
    Remove,
    Upsert,
}

impl Modification {
    fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Replace => "REPLACE",
            Self::Remove => "REMOVE",
            Self::Upsert => "UPSERT",
        }
    }

    /// Returns true if the option has an effect on the statement; `None` if no statement knows it.
    fn uses(self, option: &str) -> Option<bool> {
        use Modification::{Insert, Remove, Replace, Update, Upsert};
        let statements: &[Self] = match option {
            "ignoreErrors" | "waitForSync" | "exclusive" => return Some(true),
            "refillIndexCaches" => &[Insert, Update, Replace, Remove],
            "skipDocumentValidation" => &[Insert, Update, Replace, Upsert],
            "overwrite" | "overwriteMode" => &[Insert],
            "keepNull" | "mergeObjects" => &[Insert, Update, Upsert],
            "ignoreRevs" => &[Update, Replace, Remove, Upsert],
            "versionAttribute" => &[Insert, Update, Replace],
            _ => return None,
        };
        Some(statements.contains(&self))
    }

    /// Sets an option; false if its value has the wrong type, `None` if the option is unknown.
    ///
    /// As in ArangoDB, each statement takes the options of all. Those that make no sense for it
    /// have no effect.
    fn set(self, options: &mut ModificationOptions, name: &str, value: &Value) -> Option<bool> {
        let is_used = self.uses(name)?;
        Some(!is_used || set_modification_option(options, name, value))
    }
}

impl Binder<'_> {
    /// Returns the options of a FOR over a collection or an array.
    pub(super) fn for_options(&mut self, options: &ast::Expression) -> Result<ForOptions> {
        let mut bound = ForOptions::default();
        for (name, value) in self.option_members(options)? {
            let set = set_for_option(&mut bound, &name, &value);
            self.warn_unless(set, &name, &value, "FOR")?;
        }
        Ok(bound)
    }

    pub(super) fn collect_options(&mut self, options: Option<&ast::Expression>) -> Result<CollectOptions> {
        let mut bound = CollectOptions::default();
        let Some(options) = options else { return Ok(bound) };
        for (name, value) in self.option_members(options)? {
            let is_set = match (name.as_str(), value.as_str(), value.as_bool()) {
                ("method", Some("sorted"), _) => set(&mut bound.method, Some(CollectMethod::Sorted)),
                ("method", Some("hash"), _) => set(&mut bound.method, Some(CollectMethod::Hash)),
                ("disableIndex", _, Some(disable)) => set(&mut bound.disable_index, disable),
                _ => false,
            };
            let is_known = matches!(name.as_str(), "method" | "disableIndex");
            self.warn_unless(is_known.then_some(is_set), &name, &value, "COLLECT")?;
        }
        Ok(bound)
    }

    pub(super) fn modification_options(
        &mut self,
        options: Option<&ast::Expression>,
        statement: Modification,
    ) -> Result<ModificationOptions> {
        let mut bound = default_modification_options();
        let Some(options) = options else { return Ok(bound) };
        for (name, value) in self.option_members(options)? {
            let set = statement.set(&mut bound, &name, &value);
            self.warn_unless(set, &name, &value, statement.name())?;
        }
        Ok(bound)
    }

    pub(super) fn upsert_options(&mut self, options: Option<&ast::Expression>) -> Result<UpsertOptions> {
        let modification = default_modification_options();
        let mut bound = UpsertOptions { lookup: ForOptions::default(), read_own_writes: true, modification };
        let Some(options) = options else { return Ok(bound) };
        for (name, value) in self.option_members(options)? {
            let set = match name.as_str() {
                "indexHint" | "forceIndexHint" => set_for_option(&mut bound.lookup, &name, &value),
                "readOwnWrites" => Some(set_bool(&mut bound.read_own_writes, &value)),
                _ => Modification::Upsert.set(&mut bound.modification, &name, &value),
            };
            self.warn_unless(set, &name, &value, "UPSERT")?;
        }
        Ok(bound)
    }

    /// Returns names and values of the options.
    ///
    /// Errors: 1575 if a value is unknown before the query runs.
    pub(super) fn option_members(&mut self, options: &ast::Expression) -> Result<Vec<(String, Value)>> {
        let bound = self.expression(options)?;
        match bound {
            Expression::Constant(object) if object.is_object() => {
                Ok(object.entries().map(|(name, value)| (name.to_string(), value)).collect())
            }
            _ => Err(Error::of(ErrorCode::QueryCompileTimeOptions)),
        }
    }

    /// Warns about an option that was not set: `Some(false)` for a wrong value, `None` for an
    /// unknown option.
    fn warn_unless(&mut self, set: Option<bool>, name: &str, value: &Value, statement: &str) -> Result<()> {
        match set {
            Some(true) => Ok(()),
            Some(false) => self.warn_value(name, value, statement),
            None => self.warn_option(name, statement),
        }
    }

    pub(super) fn warn_option(&mut self, name: &str, statement: &str) -> Result<()> {
        let message = format!("usage of unknown OPTIONS attribute '{name}' in {statement} statement");
        self.warnings.register(ErrorCode::QueryInvalidOptionsAttribute, message)
    }

    fn warn_value(&mut self, name: &str, value: &Value, statement: &str) -> Result<()> {
        let value = value.to_json();
        let message =
            format!("usage of invalid value {value} in OPTIONS attribute '{name}' in {statement} statement");
        self.warnings.register(ErrorCode::QueryInvalidOptionsAttribute, message)
    }
}

fn default_modification_options() -> ModificationOptions {
    ModificationOptions {
        keep_null: true,
        merge_objects: true,
        ignore_revs: true,
        ..ModificationOptions::default()
    }
}

/// Sets an option; false if its value has the wrong type, `None` if the option is unknown.
fn set_for_option(options: &mut ForOptions, name: &str, value: &Value) -> Option<bool> {
    Some(match name {
        "indexHint" => index_names(value).is_some_and(|names| set(&mut options.hint.names, names)),
        "forceIndexHint" => set_bool(&mut options.hint.forced, value),
        "disableIndex" => set_bool(&mut options.hint.disabled, value),
        "waitForSync" => set_bool(&mut options.hint.wait_for_sync, value),
        "useCache" => set_bool(&mut options.use_cache, value),
        "maxProjections" => match value.as_i64().map(usize::try_from) {
            Some(Ok(most)) => set(&mut options.max_projections, most),
            _ => false,
        },
        "lookahead" => match value.as_i64().map(u64::try_from) {
            Some(Ok(lookahead)) => set(&mut options.hint.lookahead, lookahead),
            _ => false,
        },
        _ => return None,
    })
}

/// Returns one name, or the names of an array.
pub(super) fn index_names(value: &Value) -> Option<Vec<Box<str>>> {
    if let Some(name) = value.as_str() {
        return Some(vec![name.into()]);
    }
    if !value.is_array() {
        return None;
    }
    let names = value.elements().take(MAX_HINTED_INDEXES);
    names.map(|name| name.as_str().map(Into::into)).collect()
}

fn set_modification_option(options: &mut ModificationOptions, name: &str, value: &Value) -> bool {
    match name {
        "ignoreErrors" => set_bool(&mut options.ignore_errors, value),
        "waitForSync" => set_optional_bool(&mut options.wait_for_sync, value),
        "exclusive" => set_bool(&mut options.exclusive, value),
        "refillIndexCaches" => set_optional_bool(&mut options.refill_index_caches, value),
        "skipDocumentValidation" => set_bool(&mut options.skip_validation, value),
        "overwrite" => match value.as_bool() {
            Some(true) if options.overwrite_mode == OverwriteMode::Conflict => {
                set(&mut options.overwrite_mode, OverwriteMode::Replace)
            }
            Some(_) => true,
            None => false,
        },
        "overwriteMode" => match value.as_str().and_then(overwrite_mode) {
            Some(mode) => set(&mut options.overwrite_mode, mode),
            None => false,
        },
        "keepNull" => set_bool(&mut options.keep_null, value),
        "mergeObjects" => set_bool(&mut options.merge_objects, value),
        "ignoreRevs" => set_bool(&mut options.ignore_revs, value),
        "versionAttribute" => match value.as_str() {
            Some(name) => set(&mut options.version_attribute, Some(name.into())),
            None => false,
        },
        _ => false,
    }
}

fn overwrite_mode(name: &str) -> Option<OverwriteMode> {
    match name {
        "conflict" => Some(OverwriteMode::Conflict),
        "ignore" => Some(OverwriteMode::Ignore),
        "replace" => Some(OverwriteMode::Replace),
        "update" => Some(OverwriteMode::Update),
        _ => None,
    }
}

pub(super) fn set<T>(target: &mut T, value: T) -> bool {
    *target = value;
    true
}

pub(super) fn set_bool(target: &mut bool, value: &Value) -> bool {
    value.as_bool().is_some_and(|value| set(target, value))
}

fn set_optional_bool(target: &mut Option<bool>, value: &Value) -> bool {
    value.as_bool().is_some_and(|value| set(target, Some(value)))
}
