//! The normalized form of a manifest, which the API shows and services read.

use velocypack::{Builder, Result, Slice};

use super::Manifest;
use super::definitions::{Asset, Dependency, Parameter};

/// Adds the manifest with every member in its long form. Other members stay as they are.
pub(super) fn write(manifest: &Manifest, original: Slice<'_>, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    for (name, value) in original.entries() {
        if !NORMALIZED.contains(&name) {
            out.key(name)?;
            out.add_slice(value)?;
        }
    }
    out.key("lib")?;
    out.add_str(manifest.lib())?;
    if let Some(main) = manifest.main() {
        out.key("main")?;
        out.add_str(main)?;
    }
    map(out, "configuration", manifest.configuration(), write_parameter)?;
    map(out, "dependencies", manifest.dependencies(), write_dependency)?;
    map(out, "provides", &manifest.provides, |text, out| out.add_str(text))?;
    map(out, "scripts", manifest.scripts(), |text, out| out.add_str(text))?;
    map(out, "files", manifest.files(), write_asset)?;
    out.key("tests")?;
    out.open_array()?;
    for pattern in manifest.tests() {
        out.add_str(pattern)?;
    }
    out.close()?;
    out.close()
}

/// The members that [`write`] writes in a form of their own.
const NORMALIZED: &[&str] =
    &["lib", "main", "configuration", "dependencies", "provides", "scripts", "files", "tests"];

fn map<T>(
    out: &mut Builder,
    name: &str,
    entries: &[(String, T)],
    write: impl Fn(&T, &mut Builder) -> Result<()>,
) -> Result<()> {
    out.key(name)?;
    out.open_object()?;
    for (name, value) in entries {
        out.key(name)?;
        write(value, out)?;
    }
    out.close()
}

fn write_parameter(parameter: &Parameter, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    parameter.write_members(out)?;
    out.close()
}

fn write_dependency(dependency: &Dependency, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    dependency.write_members(out)?;
    out.close()
}

fn write_asset(asset: &Asset, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    out.key("path")?;
    out.add_str(&asset.path)?;
    if let Some(kind) = &asset.kind {
        out.key("type")?;
        out.add_str(kind)?;
    }
    out.key("gzip")?;
    out.add_bool(asset.gzip)?;
    out.close()
}

impl Parameter {
    /// Adds the members of the definition to an open object.
    pub(crate) fn write_members(&self, out: &mut Builder) -> Result<()> {
        out.key("type")?;
        out.add_str(&self.kind_name)?;
        if let Some(description) = &self.description {
            out.key("description")?;
            out.add_str(description)?;
        }
        if let Some(default) = &self.default {
            out.key("default")?;
            out.add_slice(Slice::new(default))?;
        }
        out.key("required")?;
        out.add_bool(self.required)
    }
}

impl Dependency {
    /// Adds the members of the definition to an open object.
    pub(crate) fn write_members(&self, out: &mut Builder) -> Result<()> {
        for (name, text) in [("name", &self.name), ("version", &self.version)] {
            out.key(name)?;
            out.add_str(text)?;
        }
        if let Some(description) = &self.description {
            out.key("description")?;
            out.add_str(description)?;
        }
        out.key("required")?;
        out.add_bool(self.required)?;
        out.key("multiple")?;
        out.add_bool(self.multiple)
    }
}
