//! Values that the owner of a service sets by name: those of the configuration and the mount points
//! of dependencies.

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::title::title_of;

/// Maximum number of warnings of one change.
const WARNINGS_MAX: usize = 100;

/// The values of a service after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The values to store: an object by name, as VelocyPack.
    pub values: Vec<u8>,
    /// Values that were not taken: their names, and the reasons.
    pub warnings: Vec<(String, String)>,
}

/// The outcome of the check of a value.
pub(crate) enum Checked {
    /// The value to store, as VelocyPack.
    Set(Vec<u8>),
    /// There is to be no value.
    Unset,
    /// The value that is stored stays.
    Unchanged,
    /// The value is not taken; the text says why.
    Wrong(String),
}

/// Changes stored values, each by its definition. `what` names the values in errors.
///
/// With `keeps`, values that are not given stay; without, they are removed. Values of names that
/// have no definition are dropped. A change that leaves a required value out has a warning.
///
/// Errors: 3004 if the given values are not an object.
pub(crate) fn change<T>(
    what: &str,
    definitions: &[(String, T)],
    stored: Slice<'_>,
    given: Slice<'_>,
    keeps: bool,
    is_required: impl Fn(&T) -> bool,
    check: impl Fn(&T, Slice<'_>) -> Result<Checked>,
) -> Result<Changed> {
    if !given.is_object() {
        let message = format!("the {what} is of the type {}; it must be an object", given.kind().name());
        return Err(Error::new(ErrorCode::InvalidServiceOptions, message));
    }
    let mut warnings: Vec<(String, String)> = Vec::new();
    let mut values = Builder::new();
    values.open_object()?;
    for (name, definition) in definitions {
        let checked = given.get(name).map(|value| check(definition, value)).transpose()?;
        let set = match checked {
            Some(Checked::Set(value)) => Some(value),
            Some(Checked::Unset) => None,
            Some(Checked::Unchanged) => value_of(stored, name),
            Some(Checked::Wrong(reason)) => {
                warnings.push((name.clone(), reason));
                value_of(stored, name).filter(|_| keeps)
            }
            None => value_of(stored, name).filter(|_| keeps),
        };
        match set {
            Some(value) => {
                values.key(name)?;
                values.add_slice(Slice::new(&value))?;
            }
            None => {
                let is_changed = !keeps || given.get(name).is_some();
                let is_known = warnings.last().is_some_and(|(of, _)| of == name);
                if is_changed && !is_known && is_required(definition) {
                    warnings.push((name.clone(), "is required".to_owned()));
                }
            }
        }
    }
    values.close()?;
    let is_defined = |name: &str| definitions.iter().any(|(defined, _)| defined == name);
    for (name, _) in given.entries().filter(|(name, _)| !is_defined(name)) {
        warnings.push((name.to_owned(), format!("the manifest does not define it in its {what}")));
        if warnings.len() >= WARNINGS_MAX {
            break;
        }
    }
    warnings.truncate(WARNINGS_MAX);
    Ok(Changed { values: values.into_vec(), warnings })
}

/// Returns a stored value that is not null.
fn value_of(stored: Slice<'_>, name: &str) -> Option<Vec<u8>> {
    stored.get(name).filter(|value| !value.is_null()).map(|value| value.bytes().to_vec())
}

/// Returns an object of all definitions, with titles, and with what `write` adds to each.
pub(crate) fn describe<T>(
    definitions: &[(String, T)],
    warnings: &[(String, String)],
    write: impl Fn(&str, &T, &mut Builder) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    for (name, definition) in definitions {
        out.key(name)?;
        out.open_object()?;
        out.key("title")?;
        out.add_str(&title_of(name))?;
        write(name, definition, &mut out)?;
        if let Some((_, warning)) = warnings.iter().find(|(of, _)| of == name) {
            out.key("warning")?;
            out.add_str(warning)?;
        }
        out.close()?;
    }
    let is_defined = |name: &str| definitions.iter().any(|(defined, _)| defined == name);
    for (name, warning) in warnings.iter().filter(|(name, _)| !is_defined(name)) {
        out.key(name)?;
        out.open_object()?;
        out.key("warning")?;
        out.add_str(warning)?;
        out.close()?;
    }
    out.close()?;
    Ok(out.into_vec())
}

/// Returns `{values, warnings?}`: the short reply to a change. `values` is VelocyPack.
pub(crate) fn short_reply(values: &[u8], warnings: &[(String, String)]) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    out.key("values")?;
    out.add_slice(Slice::new(values))?;
    if !warnings.is_empty() {
        out.key("warnings")?;
        out.open_object()?;
        for (name, warning) in warnings {
            out.key(name)?;
            out.add_str(warning)?;
        }
        out.close()?;
    }
    out.close()?;
    Ok(out.into_vec())
}
