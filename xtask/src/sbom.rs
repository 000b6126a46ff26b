//! The bill of materials of the binary, and the licences of everything in it.
//!
//! `cargo xtask sbom FOLDER` writes `sbom.cdx.json` (CycloneDX 1.5) and `licences.txt`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::{Value, json};

use crate::Failure;
use crate::metadata::{self, Package};

/// The licences of the packages that scripts can require, which `npm/pack.mjs` collects.
const SCRIPT_LICENCES: &str = "crates/javascript/npm/LICENCES.txt";

/// The beginnings of the names of files with licences, in lower case.
const LICENCE_FILES: [&str; 5] = ["licen", "copying", "notice", "unlicense", "copyright"];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let [folder] = arguments else { return Err("usage: cargo xtask sbom FOLDER".to_owned()) };
    let packages = linked()?;
    let folder = Path::new(folder);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let bill = serde_json::to_string_pretty(&bill(&packages)).map_err(|error| error.to_string())?;
    fs::write(folder.join("sbom.cdx.json"), bill + "\n").map_err(failed)?;
    let scripts =
        fs::read_to_string(SCRIPT_LICENCES).map_err(|error| format!("{SCRIPT_LICENCES}: {error}"))?;
    fs::write(folder.join("licences.txt"), licences(&packages) + "\n" + &scripts).map_err(failed)?;
    println!("{} packages are in {}", packages.len(), folder.display());
    Ok(())
}

/// Returns the packages of other authors that are linked into the binary, by name and version.
fn linked() -> Result<BTreeMap<String, Package>, Failure> {
    let arguments = ["tree", "--locked", "--package", "persea", "--edges", "normal", "--prefix", "none"];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--format", "{p}"])
        .output()
        .map_err(|error| format!("cargo tree could not be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let tree = String::from_utf8_lossy(&output.stdout);
    // A line is `name v1.2.3`, perhaps with a folder or a mark after it.
    let names = tree.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some(format!("{} {}", words.next()?, words.next()?.strip_prefix('v')?))
    });
    let names: std::collections::BTreeSet<String> = names.collect();
    let packages = metadata::packages()?.into_iter().filter(|package| !package.in_workspace);
    let packages = packages.map(|package| (format!("{} {}", package.name, package.version), package));
    Ok(packages.filter(|(name, _)| names.contains(name)).collect())
}

fn bill(packages: &BTreeMap<String, Package>) -> Value {
    let component = |package: &Package| {
        json!({
            "type": "library",
            "name": package.name,
            "version": package.version,
            "purl": format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B")),
            "licenses": [{"expression": package.licence.as_deref().unwrap_or_default().replace('/', " OR ")}],
        })
    };
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {
            "type": "application", "name": "persea", "version": env!("CARGO_PKG_VERSION"),
            "licenses": [{"expression": "Apache-2.0"}],
        }},
        "components": packages.values().map(component).collect::<Vec<_>>(),
    })
}

/// Returns the licences of all packages with their texts.
fn licences(packages: &BTreeMap<String, Package>) -> String {
    let mut text = String::from(
        "Persea is under the Apache License 2.0. Its binary contains these libraries, under their own licences.\n",
    );
    for (name, package) in packages {
        let licence = package.licence.as_deref().unwrap_or("see below");
        let _ = write!(text, "\n{:=<100}\n{name}: {licence}\n", "");
        for file in licence_files(&package.folder) {
            let content = fs::read(&file).unwrap_or_default();
            let _ = write!(text, "\n{}\n", String::from_utf8_lossy(&content).trim_end());
        }
    }
    text
}

fn licence_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
        LICENCE_FILES.iter().any(|beginning| name.starts_with(beginning))
    });
    files.sort();
    files
}
