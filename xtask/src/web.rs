//! The web interface: `cargo xtask web` checks it, builds it, and writes the files that the server
//! embeds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Failure, run};

/// The folder of the sources.
const FOLDER: &str = "web";

/// The programs of `package.json`, in their order: checks first.
const SCRIPTS: &[&str] = &["types", "lint", "test", "build"];

/// The options, and the programs of `package.json` that use a server and a browser.
const IN_BROWSER: &[(&str, &[&str])] = &[
    ("--test", &["browser"]),
    ("--screenshots", &["screenshots", "--", "../docs/images/web"]),
    ("--measure", &["measure"]),
];

/// The words that the command takes.
pub(crate) const USAGE: &str = "cargo xtask web [--test|--screenshots|--measure]";

/// Runs `cargo xtask web`.
///
/// Without Node.js or its registry it does nothing and says so, because the server also builds
/// without the interface.
pub(crate) fn run_command(arguments: &[String]) -> Result<(), Failure> {
    let [option] = arguments else {
        return if arguments.is_empty() { build() } else { Err(format!("usage: {USAGE}")) };
    };
    match IN_BROWSER.iter().find(|(known, _)| known == option) {
        Some((_, script)) => in_browser(script),
        None => Err(format!("usage: {USAGE}")),
    }
}

/// Installs the packages of the lock file, checks the sources, and writes the embedded files.
pub(crate) fn build() -> Result<(), Failure> {
    if !is_installed("npm") {
        println!("skipped: there is no npm (install Node.js 20 or later)");
        return Ok(());
    }
    if !has_packages() && !is_registry_reachable() {
        println!("skipped: the registry of npm does not answer");
        return Ok(());
    }
    install()?;
    SCRIPTS.iter().try_for_each(|script| npm(&["run", "--silent", script]))
}

/// Runs a program with the interface of a new server in a browser.
fn in_browser(script: &[&str]) -> Result<(), Failure> {
    if let Some(missing) = ["npm", "chromium"].into_iter().find(|program| !is_installed(program)) {
        println!("skipped: there is no {missing}");
        return Ok(());
    }
    build()?;
    let program = match std::env::var_os("PERSEA") {
        Some(program) => std::path::absolute(program),
        None => build_server(),
    };
    let program = program.map_err(|error| error.to_string())?;
    run(in_folder(&[&["run", "--silent"], script].concat()).env("PERSEA", program))
}

/// Builds the server in the profile of this program, and returns its path.
fn build_server() -> std::io::Result<PathBuf> {
    let release: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    crate::cargo(&[&["build", "--quiet", "--package", "persea"], release].concat())
        .map_err(std::io::Error::other)?;
    Ok(std::env::current_exe()?.with_file_name("persea"))
}

/// Runs `npm ci` if the installed packages are older than the lock file. No package runs a script.
fn install() -> Result<(), Failure> {
    if has_packages() {
        Ok(())
    } else {
        npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
    }
}

fn has_packages() -> bool {
    let changed = |path: &str| Path::new(FOLDER).join(path).metadata().and_then(|file| file.modified()).ok();
    changed("node_modules/.package-lock.json") > changed("package-lock.json")
}

fn is_registry_reachable() -> bool {
    let mut ping = in_folder(&["ping", "--fetch-retries=1", "--fetch-timeout=10000"]);
    ping.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn npm(arguments: &[&str]) -> Result<(), Failure> {
    run(&mut in_folder(arguments))
}

fn in_folder(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(FOLDER);
    command
}

fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
