//! The workspace and its dependencies, from `cargo metadata`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Failure;

/// One package of the dependency graph.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The folder of its manifest.
    pub(crate) folder: PathBuf,
    /// The SPDX expression of its manifest.
    pub(crate) licence: Option<String>,
    /// True for a crate of this workspace.
    pub(crate) in_workspace: bool,
    /// Names of its normal (not test, not build) dependencies.
    pub(crate) dependencies: Vec<String>,
}

/// Returns every package that a build of the workspace uses, tests included.
pub(crate) fn packages() -> Result<Vec<Package>, Failure> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|error| format!("cargo metadata could not be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata printed something other than JSON: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    Ok(packages.iter().map(package).collect())
}

fn package(package: &Value) -> Package {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    Package {
        name: text(&package["name"]).unwrap_or_default(),
        version: text(&package["version"]).unwrap_or_default(),
        folder: package["manifest_path"]
            .as_str()
            .and_then(|path| Path::new(path).parent())
            .unwrap_or(Path::new("."))
            .to_owned(),
        licence: text(&package["license"]),
        in_workspace: package["source"].is_null(),
        dependencies: dependencies
            .filter(|dependency| dependency["kind"].is_null())
            .filter_map(|dependency| text(&dependency["name"]))
            .collect(),
    }
}
