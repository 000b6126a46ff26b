//! Readers of the parts that [`super::definitions`] has.

use velocypack::Slice;

use super::definitions::{Asset, Dependency, Parameter, ParameterType};
use super::members::{entries, flag, inner_path, member, text};
use super::problems::Problems;
use crate::version::{Version, VersionRange};

/// The name and the range that stand for any.
const ANY: &str = "*";

/// Reads the parameters of the configuration.
pub(super) fn parameters(manifest: Slice<'_>, problems: &mut Problems) -> Vec<(String, Parameter)> {
    const NAME: &str = "configuration";
    let mut parameters = Vec::new();
    for (name, value) in entries(manifest, NAME, problems) {
        let path = format!("{NAME}.{name}");
        check_identifier(&name, NAME, problems);
        if !value.is_object() {
            problems.wrong(&path, value, "an object");
            continue;
        }
        let kind_name = text(value, "type", &format!("{path}.type"), problems).unwrap_or("string");
        let kind = ParameterType::of_name(kind_name).unwrap_or_else(|| {
            problems.wrong_text(format!(
                "`{path}.type` is '{}'; it must be integer, boolean, number, string, json or password",
                kind_name.escape_debug()
            ));
            ParameterType::Json
        });
        let description = text(value, "description", &format!("{path}.description"), problems);
        let required = flag(value, "required", &format!("{path}.required"), true, problems);
        parameters.push((
            name,
            Parameter {
                kind,
                kind_name: kind_name.to_owned(),
                description: description.map(str::to_owned),
                default: member(value, "default").map(|value| value.bytes().to_vec()),
                required,
            },
        ));
    }
    parameters
}

/// Reads the dependencies, in their long form or as `name:range`.
pub(super) fn dependencies(manifest: Slice<'_>, problems: &mut Problems) -> Vec<(String, Dependency)> {
    const NAME: &str = "dependencies";
    let mut dependencies = Vec::new();
    for (alias, value) in entries(manifest, NAME, problems) {
        let path = format!("{NAME}.{alias}");
        check_identifier(&alias, NAME, problems);
        let dependency = if let Some(short) = value.as_str() {
            short_dependency(short)
        } else if value.is_object() {
            let name = text(value, "name", &format!("{path}.name"), problems);
            let version = text(value, "version", &format!("{path}.version"), problems);
            let description = text(value, "description", &format!("{path}.description"), problems);
            Dependency {
                name: name.unwrap_or(ANY).to_owned(),
                version: version.unwrap_or(ANY).to_owned(),
                description: description.map(str::to_owned),
                required: flag(value, "required", &format!("{path}.required"), true, problems),
                multiple: flag(value, "multiple", &format!("{path}.multiple"), false, problems),
            }
        } else {
            problems.wrong(&path, value, "an object or a text such as 'name:^1.0.0'");
            continue;
        };
        if VersionRange::parse(&dependency.version).is_none() {
            problems.wrong_text(format!(
                "`{path}` has the version '{}'; it must be a range such as '^1.0.0'",
                dependency.version.escape_debug()
            ));
        }
        dependencies.push((alias, dependency));
    }
    dependencies
}

/// Reads `name:range`, a name or a range.
fn short_dependency(text: &str) -> Dependency {
    let is_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@' || c == '_');
    let (name, version) = match text.split_once(':') {
        Some((name, version)) => (name, version),
        None if is_name(text) => (text, ANY),
        None => (ANY, text),
    };
    let or_any = |text: &str| if text.is_empty() { ANY.to_owned() } else { text.to_owned() };
    Dependency {
        name: or_any(name.trim()),
        version: or_any(version.trim()),
        description: None,
        required: true,
        multiple: false,
    }
}

/// Reads the APIs that the service provides, each with its version.
pub(super) fn provides(manifest: Slice<'_>, problems: &mut Problems) -> Vec<(String, String)> {
    let provided = super::members::texts(manifest, "provides", problems);
    for (name, version) in &provided {
        if Version::parse(version).is_none() && VersionRange::parse(version).is_none() {
            problems.wrong_text(format!(
                "`provides.{name}` is '{}'; it must be a semantic version such as '1.0.0'",
                version.escape_debug()
            ));
        }
    }
    provided
}

/// Reads the scripts. One path alone is the script `default`.
pub(super) fn scripts(manifest: Slice<'_>, lib: &str, problems: &mut Problems) -> Vec<(String, String)> {
    const NAME: &str = "scripts";
    if let Some(value) = member(manifest, NAME).filter(|value| value.is_string()) {
        let path = inner_path(lib, NAME, value, problems).and(value.as_str());
        return path.map(|path| ("default".to_owned(), path.to_owned())).into_iter().collect();
    }
    let mut scripts = Vec::new();
    for (name, value) in entries(manifest, NAME, problems) {
        if inner_path(lib, &format!("{NAME}.{name}"), value, problems).is_some() {
            scripts.push((name, value.as_str().unwrap_or_default().to_owned()));
        }
    }
    scripts
}

/// Reads the files that are sent as they are. Their URL paths get a slash before and none behind.
pub(super) fn assets(manifest: Slice<'_>, problems: &mut Problems) -> Vec<(String, Asset)> {
    const NAME: &str = "files";
    let mut assets: Vec<(String, Asset)> = Vec::new();
    for (url, value) in entries(manifest, NAME, problems) {
        let member_path = format!("{NAME}.{url}");
        let (path, kind, gzip) = if value.is_object() {
            let path = value.get("path").unwrap_or(value);
            let kind = text(value, "type", &format!("{member_path}.type"), problems);
            (path, kind, flag(value, "gzip", &format!("{member_path}.gzip"), false, problems))
        } else {
            (value, None, false)
        };
        let Some(path) = inner_path("", &member_path, path, problems) else { continue };
        let path = if path.is_empty() { ".".to_owned() } else { path };
        let Some(url) = crate::path::join("", url.trim_start_matches('/')).map(|url| format!("/{url}"))
        else {
            problems.wrong_text(format!("`{member_path}` is no path of a URL; '/icons' would be right"));
            continue;
        };
        if assets.iter().any(|(known, _)| *known == url) {
            problems.wrong_text(format!("`{NAME}` has '{url}' twice; one path has one file or folder"));
            continue;
        }
        assets.push((url, Asset { path, kind: kind.map(str::to_owned), gzip }));
    }
    assets
}

/// Checks the name under which code knows a parameter or dependency.
fn check_identifier(name: &str, of: &str, problems: &mut Problems) {
    let mut chars = name.chars();
    let begins_well = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '$'));
    if !begins_well || !chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-')) {
        problems.wrong_text(format!(
            "`{of}` has the name '{}'; it must begin with a letter, '_' or '$', and go on with these, \
             digits and '-'",
            name.escape_debug()
        ));
    }
}
