//! The configuration of a service: the values of the parameters that its manifest defines.
//!
//! Stored values are an object by name, as VelocyPack. A value of type `json` is stored as it is
//! given, usually a text, and read as JSON when it is used. Passwords are replaced by
//! [`PASSWORD_MASK`] wherever they are shown. A password that is set to the mask stays the same, so
//! that a client can send back what it was shown.

use errors::Result;
use velocypack::{Builder, Limits, Slice, json};

use crate::manifest::{Manifest, Parameter, ParameterType};
use crate::options::{self, Changed, Checked};
use crate::title::title_of;

/// The text that is shown in the place of a password.
pub const PASSWORD_MASK: &str = "********";
/// Maximum size of the text of a `json` value in bytes.
const JSON_MAX_BYTES: usize = 1 << 20;
/// Maximum nesting of a `json` value.
const JSON_DEPTH_MAX: usize = 64;
/// The doubles up to here, in both directions, are exact integers.
const INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// Checks the given values, and puts them into the stored ones.
///
/// With `keeps` (`PATCH`), values that are not given stay; without (`PUT`), they are removed. Null
/// removes a value. A value of another type than the parameter's is not taken, with a warning; so
/// is one of a parameter that does not exist. Texts of numbers and bools are converted.
///
/// Errors: 3004 if the given values are not an object.
pub fn change(manifest: &Manifest, stored: Slice<'_>, given: Slice<'_>, keeps: bool) -> Result<Changed> {
    let is_required = |parameter: &Parameter| parameter.required && parameter.default.is_none();
    options::change("configuration", manifest.configuration(), stored, given, keeps, is_required, check)
}

/// Returns the values as the service sees them: an object by name, as VelocyPack.
///
/// Defaults stand for values that are not stored. A parameter without either is not there.
pub fn values(manifest: &Manifest, stored: Slice<'_>) -> Result<Vec<u8>> {
    write_values(manifest, stored, write_processed)
}

/// Returns the values as they are stored or by default, for people: passwords are masked.
pub fn shown_values(manifest: &Manifest, stored: Slice<'_>) -> Result<Vec<u8>> {
    write_values(manifest, stored, |parameter, raw, out| match parameter.kind {
        ParameterType::Password => Ok(out.add_str(PASSWORD_MASK)?),
        _ => Ok(out.add_slice(raw)?),
    })
}

/// Returns the required parameters that have no value, as texts for people.
pub fn missing(manifest: &Manifest, stored: Slice<'_>) -> Vec<String> {
    let lacks = |(name, parameter): &&(String, Parameter)| {
        parameter.required && raw_value(name, parameter, stored).is_none()
    };
    let missing = manifest.configuration().iter().filter(lacks);
    missing.map(|(name, _)| format!("the configuration lacks '{name}' ({})", title_of(name))).collect()
}

/// Returns all definitions by name, as VelocyPack: the reply to `GET /_api/foxx/configuration`.
///
/// Each has a `title`. Those with a value have `current`, as the service sees it, and
/// `currentRaw`, as it is stored or by default. `warnings` are those of a change before.
pub fn describe(manifest: &Manifest, stored: Slice<'_>, warnings: &[(String, String)]) -> Result<Vec<u8>> {
    options::describe(manifest.configuration(), warnings, |name, parameter, out| {
        parameter.write_members(out)?;
        let Some(raw) = raw_value(name, parameter, stored) else { return Ok(()) };
        if parameter.kind == ParameterType::Password {
            for member in ["current", "currentRaw"] {
                out.key(member)?;
                out.add_str(PASSWORD_MASK)?;
            }
            return Ok(());
        }
        out.key("current")?;
        write_processed(parameter, raw, out)?;
        out.key("currentRaw")?;
        Ok(out.add_slice(raw)?)
    })
}

/// Returns the short reply to a change: `{values, warnings?}`, as VelocyPack.
pub fn short_reply(manifest: &Manifest, changed: &Changed) -> Result<Vec<u8>> {
    let values = shown_values(manifest, Slice::new(&changed.values))?;
    options::short_reply(&values, &changed.warnings)
}

fn raw_value<'v>(name: &str, parameter: &'v Parameter, stored: Slice<'v>) -> Option<Slice<'v>> {
    let value = stored.get(name).filter(|value| !value.is_null());
    value.or_else(|| parameter.default.as_deref().map(Slice::new))
}

fn write_values(
    manifest: &Manifest,
    stored: Slice<'_>,
    write: impl Fn(&Parameter, Slice<'_>, &mut Builder) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    for (name, parameter) in manifest.configuration() {
        if let Some(raw) = raw_value(name, parameter, stored) {
            out.key(name)?;
            write(parameter, raw, &mut out)?;
        }
    }
    out.close()?;
    Ok(out.into_vec())
}

/// Adds a value as the service sees it: a text of JSON becomes its value.
fn write_processed(parameter: &Parameter, raw: Slice<'_>, out: &mut Builder) -> Result<()> {
    let text = raw.as_str().filter(|_| parameter.kind == ParameterType::Json);
    match text.and_then(|text| of_json(text).ok()) {
        Some(value) => Ok(out.add_slice(Slice::new(&value))?),
        None => Ok(out.add_slice(raw)?),
    }
}

fn of_json(text: &str) -> std::result::Result<Vec<u8>, json::JsonError> {
    let limits = Limits { max_depth: JSON_DEPTH_MAX, max_bytes: JSON_MAX_BYTES };
    let mut value = Builder::new();
    json::parse(text.as_bytes(), &limits, &mut value)?;
    Ok(value.into_vec())
}

fn check(parameter: &Parameter, value: Slice<'_>) -> Result<Checked> {
    if value.is_null() {
        return Ok(Checked::Unset);
    }
    if parameter.kind == ParameterType::Password && value.as_str() == Some(PASSWORD_MASK) {
        return Ok(Checked::Unchanged);
    }
    let wrong = || Checked::Wrong(format!("the value must be {}", parameter.kind.values()));
    Ok(match parameter.kind {
        ParameterType::Integer => integer(value)?.map_or_else(wrong, Checked::Set),
        ParameterType::Number => number(value)?.map_or_else(wrong, Checked::Set),
        ParameterType::Boolean => match truth(value) {
            Some(truth) => Checked::Set(made(|out| out.add_bool(truth))?),
            None => wrong(),
        },
        ParameterType::String | ParameterType::Password if !value.is_string() => wrong(),
        ParameterType::Json => match value.as_str().map(of_json) {
            Some(Err(error)) => Checked::Wrong(format!("the value must be JSON, or a text of JSON: {error}")),
            _ => Checked::Set(value.bytes().to_vec()),
        },
        ParameterType::String | ParameterType::Password => Checked::Set(value.bytes().to_vec()),
    })
}

fn integer(value: Slice<'_>) -> Result<Option<Vec<u8>>> {
    if value.is_integer() {
        return Ok(Some(value.bytes().to_vec()));
    }
    let is_exact = |number: &f64| number.fract() == 0.0 && number.abs() <= INTEGER_MAX;
    let of_text = || value.as_str().and_then(|text| text.trim().parse::<i64>().ok());
    let found = value.as_f64().filter(is_exact).map(|number| number as i64).or_else(of_text);
    found.map(|number| made(|out| out.add_i64(number))).transpose()
}

fn number(value: Slice<'_>) -> Result<Option<Vec<u8>>> {
    if value.is_number() {
        return Ok(Some(value.bytes().to_vec()));
    }
    // The grammar is that of JSON, so that a text means what it means elsewhere.
    let of_text = value.as_str().and_then(|text| of_json(text.trim()).ok());
    Ok(of_text.filter(|value| Slice::new(value).is_number()))
}

fn truth(value: Slice<'_>) -> Option<bool> {
    let of_text = |text: &str| match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    };
    value.as_bool().or_else(|| value.as_str().and_then(of_text))
}

fn made(add: impl FnOnce(&mut Builder) -> velocypack::Result<()>) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    add(&mut out)?;
    Ok(out.into_vec())
}

#[cfg(test)]
mod tests;
