//! Manifests: the files `manifest.json`, which say what a service is.
//!
//! The members are those of ArangoDB's documentation ("Service manifest").

mod problems;
mod members;
mod definitions;
mod parts;
mod normalized;

use std::path::Path;

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Limits, Slice};

pub use definitions::{Asset, Dependency, Parameter, ParameterType};
use problems::Problems;

use crate::path;
use crate::version::{Version, VersionRange};

/// The module that defines a service whose manifest names none.
pub(crate) const MAIN_DEFAULT: &str = "index.js";
/// The name of the file.
pub const MANIFEST_NAME: &str = "manifest.json";
/// Maximum size of a manifest in bytes.
pub const MANIFEST_MAX_BYTES: usize = 1 << 20;
/// Maximum nesting of a manifest's values.
const DEPTH_MAX: usize = 64;

/// The members that a manifest may have.
const KNOWN: &[&str] = &[
    "$schema",
    "author",
    "configuration",
    "contributors",
    "defaultDocument",
    "dependencies",
    "description",
    "engines",
    "files",
    "keywords",
    "lib",
    "license",
    "main",
    "name",
    "provides",
    "scripts",
    "tests",
    "thumbnail",
    "version",
];

/// Members of manifests for ArangoDB 2.8, each with the member that has its place since.
const LEGACY: &[(&str, &str)] = &[
    ("assets", "files"),
    ("controllers", "main"),
    ("exports", "main"),
    ("isSystem", "a mount point that begins with '/_'"),
    ("rootElement", "none"),
    ("setup", "scripts.setup"),
    ("teardown", "scripts.teardown"),
];

/// A valid manifest.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The whole manifest as it was read, as VelocyPack.
    original: Vec<u8>,
    name: Option<String>,
    version: Option<String>,
    lib: String,
    main: Option<String>,
    default_document: Option<String>,
    thumbnail: Option<String>,
    engine: Option<String>,
    configuration: Vec<(String, Parameter)>,
    dependencies: Vec<(String, Dependency)>,
    provides: Vec<(String, String)>,
    scripts: Vec<(String, String)>,
    tests: Vec<String>,
    files: Vec<(String, Asset)>,
    warnings: Vec<String>,
}

impl Manifest {
    /// Reads the text of a manifest.
    ///
    /// Errors: 3000 if it is not JSON or not an object, 3001 with all members that are wrong.
    pub fn parse(text: &[u8]) -> Result<Manifest> {
        let malformed = |reason: &dyn std::fmt::Display| {
            let message = format!("{MANIFEST_NAME} is not the JSON of an object: {reason}");
            Error::new(ErrorCode::MalformedManifestFile, message)
        };
        let limits = Limits { max_depth: DEPTH_MAX, max_bytes: MANIFEST_MAX_BYTES };
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let mut builder = Builder::new();
        velocypack::json::parse(text, &limits, &mut builder).map_err(|error| malformed(&error))?;
        let original = builder.into_vec();
        if !Slice::new(&original).is_object() {
            return Err(malformed(&"it is another value"));
        }
        Manifest::of_values(original)
    }

    /// Reads the manifest in a folder of a service. Without `main`, it is `index.js` if there is
    /// that file.
    ///
    /// Errors: 3012 if there is none, 3000 and 3001 as [`Manifest::parse`] says.
    pub fn of_folder(folder: &Path) -> Result<Manifest> {
        let file = folder.join(MANIFEST_NAME);
        let text = std::fs::read(&file).map_err(|error| {
            let message = format!("cannot read {}: {error}", file.display());
            Error::new(ErrorCode::ServiceManifestNotFound, message)
        })?;
        let mut manifest = Manifest::parse(&text)?;
        manifest.complete(|path| folder.join(path).is_file());
        Ok(manifest)
    }

    /// Sets the module of [`Manifest::main`] for a manifest that has none, if its file is there.
    pub(crate) fn complete(&mut self, has_file: impl Fn(&str) -> bool) {
        if self.main.is_none() && self.path_in_lib(MAIN_DEFAULT).is_some_and(|path| has_file(&path)) {
            self.main = Some(MAIN_DEFAULT.to_owned());
        }
    }

    fn of_values(original: Vec<u8>) -> Result<Manifest> {
        let all = Slice::new(&original);
        let problems = &mut Problems::default();
        for (name, _) in all.entries() {
            if let Some((_, now)) = LEGACY.iter().find(|(known, _)| *known == name) {
                problems.warn(format!("`{name}` is of ArangoDB 2.8 and has no effect; instead: {now}"));
            } else if !KNOWN.contains(&name) {
                problems.warn(format!("`{}` is unknown and has no effect", name.escape_debug()));
            }
        }
        let mut optional = |name: &str| members::text(all, name, name, problems).map(str::to_owned);
        let (name, version, default_document) =
            (optional("name"), optional("version"), optional("defaultDocument"));
        for unused in ["$schema", "description", "license"] {
            optional(unused);
        }
        check_author(all, problems);
        members::check_list(all, "contributors", true, problems);
        members::check_list(all, "keywords", false, problems);
        check_name(name.as_deref(), problems);
        check_version(version.as_deref(), problems);
        let engine = engine(all, problems);
        let mut inner = |base: &str, name: &str| {
            let value = members::member(all, name)?;
            members::inner_path(base, name, value, problems).map(|joined| (value, joined))
        };
        let lib = inner("", "lib").map_or(String::new(), |(_, joined)| joined);
        let main = inner(&lib, "main").and_then(|(value, _)| value.as_str().map(str::to_owned));
        let thumbnail = inner("", "thumbnail").map(|(_, joined)| joined);
        let configuration = parts::parameters(all, problems);
        let dependencies = parts::dependencies(all, problems);
        let provides = parts::provides(all, problems);
        let scripts = parts::scripts(all, &lib, problems);
        let tests = members::patterns(all, problems);
        let files = parts::assets(all, problems);
        let warnings = std::mem::take(problems).finish()?;
        Ok(Manifest {
            original,
            name,
            version,
            lib: if lib.is_empty() { ".".to_owned() } else { lib },
            main,
            default_document: default_document.filter(|document| !document.is_empty()),
            thumbnail,
            engine,
            configuration,
            dependencies,
            provides,
            scripts,
            tests,
            files,
            warnings,
        })
    }

    /// Returns the name of the service.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the version of the service.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the folder to which `main` and the scripts are relative; `.` is the service's own.
    pub fn lib(&self) -> &str {
        &self.lib
    }

    /// Returns the module that defines the service's routes and exports, relative to `lib`.
    pub fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// Returns the path of a module or script in the service. `path` is relative to `lib`.
    pub fn path_in_lib(&self, path: &str) -> Option<String> {
        let lib = if self.lib == "." { "" } else { &self.lib };
        path::join(lib, path)
    }

    /// Returns the document to which requests to the mount point itself are redirected.
    pub fn default_document(&self) -> Option<&str> {
        self.default_document.as_deref()
    }

    /// Returns the path of the picture for user interfaces.
    pub fn thumbnail(&self) -> Option<&str> {
        self.thumbnail.as_deref()
    }

    /// Returns the parameters of the configuration, in their order.
    pub fn configuration(&self) -> &[(String, Parameter)] {
        &self.configuration
    }

    /// Returns the dependencies by alias, in their order.
    pub fn dependencies(&self) -> &[(String, Dependency)] {
        &self.dependencies
    }

    /// Returns the APIs that the service provides, each with its version.
    pub fn provides(&self) -> &[(String, String)] {
        &self.provides
    }

    /// Returns the scripts: names, and paths relative to `lib`.
    pub fn scripts(&self) -> &[(String, String)] {
        &self.scripts
    }

    /// Returns the path of a script, relative to `lib`.
    pub fn script(&self, name: &str) -> Option<&str> {
        self.scripts.iter().find(|(known, _)| known == name).map(|(_, path)| path.as_str())
    }

    /// Returns the patterns of the test files' paths in the service.
    pub fn tests(&self) -> &[String] {
        &self.tests
    }

    /// Returns the files and folders that are sent as they are, by URL path.
    pub fn files(&self) -> &[(String, Asset)] {
        &self.files
    }

    /// Returns notes about members that have no effect.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Checks `engines.arangodb`, and returns a warning if it excludes the server's version.
    ///
    /// Errors: 3001 for a service that is for ArangoDB 2.8 alone.
    pub fn check_engine(&self, server: &Version) -> Result<Option<String>> {
        let Some(text) = &self.engine else { return Ok(None) };
        let Some(range) = VersionRange::parse(text) else { return Ok(None) };
        if range.is_legacy() {
            let message = format!(
                "`engines.arangodb` is '{text}': services for ArangoDB 2.8 do not run here; the range must \
                 have a version from 3.0.0 on"
            );
            return Err(Error::new(ErrorCode::InvalidServiceManifest, message));
        }
        let warning =
            format!("`engines.arangodb` is '{text}', which excludes this server's version {server}");
        Ok((!range.contains(server)).then_some(warning))
    }

    /// Returns the normalized manifest as VelocyPack: every member in its long form.
    ///
    /// # Errors
    ///
    /// 32 if it becomes larger than values may be.
    pub fn to_velocypack(&self) -> Result<Vec<u8>> {
        let mut builder = Builder::new();
        normalized::write(self, Slice::new(&self.original), &mut builder)?;
        Ok(builder.into_vec())
    }
}

fn check_author(all: Slice<'_>, problems: &mut Problems) {
    if let Some(value) = members::member(all, "author").filter(|v| !v.is_string() && !v.is_object()) {
        problems.wrong("author", value, "a text");
    }
}

fn check_name(name: Option<&str>, problems: &mut Problems) {
    let is_right = |name: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        name.len() <= members::NAME_MAX_BYTES
            && name.chars().all(is_letter)
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
    };
    if let Some(name) = name.filter(|name| !is_right(name)) {
        problems.wrong_text(format!(
            "`name` is '{}'; it must have letters, digits, '-' and '_' alone, and not begin with a digit",
            name.escape_debug()
        ));
    }
}

fn check_version(version: Option<&str>, problems: &mut Problems) {
    if let Some(version) = version.filter(|version| Version::parse(version).is_none()) {
        problems.wrong_text(format!(
            "`version` is '{}'; it must be a semantic version such as '1.2.3'",
            version.escape_debug()
        ));
    }
}

/// Checks `engines`, and returns the range of ArangoDB's versions.
fn engine(all: Slice<'_>, problems: &mut Problems) -> Option<String> {
    let engines = members::texts(all, "engines", problems);
    let (_, range) = engines.into_iter().find(|(name, _)| name == "arangodb")?;
    if VersionRange::parse(&range).is_none() {
        problems.wrong_text(format!(
            "`engines.arangodb` is '{}'; it must be a range of versions such as '^3.0.0'",
            range.escape_debug()
        ));
    }
    Some(range)
}

#[cfg(test)]
mod tests;
