//! The dependencies of a service: the mount points that stand for the aliases of its manifest.
//!
//! Stored values are an object by alias, as VelocyPack: a mount point, or a list of them where the
//! manifest allows several.

use errors::Result;
use velocypack::{Builder, Slice};

use crate::manifest::{Dependency, Manifest};
use crate::mount::Mount;
use crate::options::{self, Changed, Checked};
use crate::title::title_of;

/// Maximum number of mount points of one dependency.
const MOUNTS_MAX: usize = 100;

/// Checks the given mount points, and puts them into the stored ones.
///
/// With `keeps` (`PATCH`), those that are not given stay; without (`PUT`), they are removed. Null,
/// an empty text and an empty list remove one. A value that is no mount point is not taken, with a
/// warning; so is one of an alias that does not exist. No service needs to be mounted there.
///
/// Errors: 3004 if the given values are not an object.
pub fn change(manifest: &Manifest, stored: Slice<'_>, given: Slice<'_>, keeps: bool) -> Result<Changed> {
    let is_required = |dependency: &Dependency| dependency.required;
    options::change("dependencies", manifest.dependencies(), stored, given, keeps, is_required, check)
}

/// Returns the mount points as the service needs them: an object by alias, as VelocyPack.
///
/// Each alias has a mount point or null, or a list if it may have several.
pub fn values(manifest: &Manifest, stored: Slice<'_>) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    for (alias, dependency) in manifest.dependencies() {
        out.key(alias)?;
        if !write_current(alias, dependency, stored, &mut out)? {
            if dependency.multiple {
                out.add_slice(Slice::EMPTY_ARRAY)?;
            } else {
                out.add_null()?;
            }
        }
    }
    out.close()?;
    Ok(out.into_vec())
}

/// Returns the mount points that are set, for people: an object by alias, as VelocyPack.
pub fn shown_values(manifest: &Manifest, stored: Slice<'_>) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    for (alias, dependency) in manifest.dependencies() {
        if !mounts(stored.get(alias)).is_empty() {
            out.key(alias)?;
            write_current(alias, dependency, stored, &mut out)?;
        }
    }
    out.close()?;
    Ok(out.into_vec())
}

/// Returns the required dependencies that have no mount point, as texts for people.
pub fn missing(manifest: &Manifest, stored: Slice<'_>) -> Vec<String> {
    let lacks = |(alias, dependency): &&(String, Dependency)| {
        dependency.required && mounts(stored.get(alias)).is_empty()
    };
    let missing = manifest.dependencies().iter().filter(lacks);
    missing.map(|(alias, _)| format!("the dependencies lack '{alias}' ({})", title_of(alias))).collect()
}

/// Returns all definitions by alias, as VelocyPack: the reply to `GET /_api/foxx/dependencies`.
///
/// Each has a `title`, and `current` if it has a mount point. `warnings` are those of a change
/// before.
pub fn describe(manifest: &Manifest, stored: Slice<'_>, warnings: &[(String, String)]) -> Result<Vec<u8>> {
    options::describe(manifest.dependencies(), warnings, |alias, dependency, out| {
        dependency.write_members(out)?;
        if !mounts(stored.get(alias)).is_empty() {
            out.key("current")?;
            write_current(alias, dependency, stored, out)?;
        }
        Ok(())
    })
}

/// Returns the short reply to a change: `{values, warnings?}`, as VelocyPack.
pub fn short_reply(manifest: &Manifest, changed: &Changed) -> Result<Vec<u8>> {
    let values = shown_values(manifest, Slice::new(&changed.values))?;
    options::short_reply(&values, &changed.warnings)
}

/// Returns the mount points of a stored value.
fn mounts(value: Option<Slice<'_>>) -> Vec<&str> {
    let Some(value) = value else { return Vec::new() };
    match value.as_str() {
        Some(mount) => vec![mount],
        None => value.elements().filter_map(Slice::as_str).collect(),
    }
}

/// Adds the mount point or the mount points of an alias. False if it has none.
fn write_current(alias: &str, dependency: &Dependency, stored: Slice<'_>, out: &mut Builder) -> Result<bool> {
    let mounts = mounts(stored.get(alias));
    let Some(first) = mounts.first() else { return Ok(false) };
    if dependency.multiple {
        out.open_array()?;
        mounts.iter().try_for_each(|mount| out.add_str(mount))?;
        out.close()?;
    } else {
        out.add_str(first)?;
    }
    Ok(true)
}

fn check(dependency: &Dependency, value: Slice<'_>) -> Result<Checked> {
    if value.is_null() || value.as_str() == Some("") || (value.is_array() && value.is_empty()) {
        return Ok(Checked::Unset);
    }
    let given: Vec<Slice<'_>> = match value.as_str() {
        Some(_) => vec![value],
        None if dependency.multiple => value.elements().collect(),
        None => Vec::new(),
    };
    let right = if dependency.multiple { "a mount point or a list of them" } else { "a mount point" };
    let texts: Vec<&str> = given.iter().filter_map(|value| value.as_str()).collect();
    if texts.is_empty() || texts.len() != given.len() || texts.len() > MOUNTS_MAX {
        return Ok(Checked::Wrong(format!("the value must be {right}, such as '/my-service'")));
    }
    if let Some(error) = texts.iter().find_map(|text| Mount::parse(text).err()) {
        return Ok(Checked::Wrong(error.message().to_owned()));
    }
    let mut out = Builder::new();
    if dependency.multiple {
        out.open_array()?;
        texts.iter().try_for_each(|text| out.add_str(text))?;
        out.close()?;
    } else if let Some(text) = texts.first() {
        out.add_str(text)?;
    }
    Ok(Checked::Set(out.into_vec()))
}

#[cfg(test)]
mod tests;
