//! Licences and advisories of all linked dependencies, and of the packages of npm in the program.

use std::process::Command;

use serde_json::Value;

use crate::{Failure, metadata};

/// The packages of the web interface with their licences.
const WEB_LOCK_FILE: &str = "web/package-lock.json";

/// The packages that scripts can require, with their licences.
const SCRIPT_LOCK_FILE: &str = "crates/javascript/npm/package-lock.json";

/// Licences that are in a package's text and not in its description.
const FROM_TEXTS: &[(&str, &str)] = &[("node_modules/i", "MIT")];

/// Further licences of the tools that build and test the web interface. No file has their code.
const ALLOWED_FOR_TOOLS: &[&str] = &["MPL-2.0"];

/// Licences whose code may be part of an Apache-2.0 binary.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(crate) fn check() -> Result<(), Failure> {
    let wrong: Vec<String> = metadata::packages()?
        .iter()
        .filter(|package| !package.licence.as_deref().is_some_and(is_allowed))
        .map(|package| {
            let licence = package.licence.as_deref().unwrap_or("no licence");
            format!("{} {} has {licence}, which is not in ALLOWED", package.name, package.version)
        })
        .chain(wrong_npm_packages(WEB_LOCK_FILE)?)
        .chain(wrong_npm_packages(SCRIPT_LOCK_FILE)?)
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn wrong_npm_packages(file: &str) -> Result<Vec<String>, Failure> {
    let explain = |error: &dyn std::fmt::Display| format!("{file}: {error}");
    let text = std::fs::read_to_string(file).map_err(|error| explain(&error))?;
    let lock: Value = serde_json::from_str(&text).map_err(|error| explain(&error))?;
    let packages = lock["packages"].as_object().ok_or_else(|| explain(&"no packages"))?;
    let packages = packages.iter().filter(|(path, _)| !path.is_empty() || file == WEB_LOCK_FILE);
    Ok(packages.filter_map(|(path, package)| wrong_npm_package(file, path, package)).collect())
}

fn wrong_npm_package(file: &str, path: &str, package: &Value) -> Option<String> {
    let from_text = FROM_TEXTS.iter().find(|(known, _)| *known == path).map(|(_, licence)| *licence);
    let licence = package["license"].as_str().or(from_text).unwrap_or("no licence");
    let is_tool = package["dev"].as_bool().unwrap_or(false);
    let is_fine = is_allowed(licence) || (is_tool && ALLOWED_FOR_TOOLS.contains(&licence));
    (!is_fine).then(|| format!("{file}: {path} has {licence}, which is not in ALLOWED"))
}

/// Returns true if the licences in [`ALLOWED`] meet an SPDX expression.
///
/// `OR` needs one side, `AND` both; brackets nest.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.trim();
    if let Some((left, right)) = split_outside_brackets(expression, " OR ") {
        return is_allowed(left) || is_allowed(right);
    }
    // Old manifests write OR this way.
    if let Some((left, right)) = split_outside_brackets(expression, "/") {
        return is_allowed(left) || is_allowed(right);
    }
    if let Some((left, right)) = split_outside_brackets(expression, " AND ") {
        return is_allowed(left) && is_allowed(right);
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_allowed(inner),
        None => ALLOWED.iter().any(|allowed| allowed.eq_ignore_ascii_case(expression)),
    }
}

fn split_outside_brackets<'a>(expression: &'a str, operator: &str) -> Option<(&'a str, &'a str)> {
    expression
        .match_indices(operator)
        .map(|(at, _)| (&expression[..at], &expression[at + operator.len()..]))
        .find(|(left, _)| left.matches('(').count() == left.matches(')').count())
}

/// Runs `cargo audit`, which keeps the RustSec advisories, if it is installed and can reach them.
pub(crate) fn check_advisories() -> Result<(), Failure> {
    let installed =
        Command::new("cargo-audit").arg("--version").output().is_ok_and(|output| output.status.success());
    if !installed {
        println!("skipped: cargo-audit is not installed (cargo install cargo-audit)");
        return Ok(());
    }
    crate::run(Command::new("cargo-audit").arg("audit"))
}

#[cfg(test)]
mod tests {
    use super::{is_allowed, wrong_npm_package};

    #[test]
    fn an_expression_is_allowed_when_its_choices_are() {
        for good in ["MIT", "MIT OR GPL-3.0", "(MIT OR Apache-2.0) AND Unicode-3.0", "MIT/Apache-2.0"] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND GPL-2.0", ""] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
    #[test]
    fn tools_of_the_web_interface_may_have_more_licences_than_its_packages() {
        let package = |licence, dev| serde_json::json!({"license": licence, "dev": dev});
        assert!(wrong_npm_package("web", "a", &package("MIT", false)).is_none());
        assert!(wrong_npm_package("web", "a", &package("MPL-2.0", true)).is_none());
        assert!(wrong_npm_package("web", "a", &package("MPL-2.0", false)).is_some());
        assert!(wrong_npm_package("web", "a", &package("GPL-3.0", true)).is_some());
    }
}
