//! Hands the facts of the build to `src/version.rs` as environment variables.
//!
//! A release sets `PERSEA_COMMIT` and `SOURCE_DATE_EPOCH` (seconds since 1970, see
//! reproducible-builds.org). The versions of libraries come from Cargo.lock.

use std::process::Command;
use std::{env, fs};

const LOCK_FILE: &str = "../../Cargo.lock";

/// Libraries by the variable that gets their version.
const LIBRARIES: [(&str, &str); 5] = [
    ("PERSEA_ICU", "icu_collator"),
    ("PERSEA_MIMALLOC", "libmimalloc-sys"),
    ("PERSEA_ROCKSDB", "librocksdb-sys"),
    ("PERSEA_RUSTLS", "rustls"),
    ("PERSEA_ZLIB", "zlib-rs"),
];

fn main() {
    println!("cargo:rerun-if-changed={LOCK_FILE}");
    let lock = fs::read_to_string(LOCK_FILE).unwrap_or_default();
    for (variable, library) in LIBRARIES {
        set(variable, version_of(&lock, library));
    }
    for variable in ["PERSEA_COMMIT", "SOURCE_DATE_EPOCH"] {
        println!("cargo:rerun-if-env-changed={variable}");
        set(variable, env::var(variable).ok().as_deref());
    }
    let compiler =
        env::var("RUSTC").ok().and_then(|rustc| Command::new(rustc).arg("--version").output().ok());
    let compiler = compiler.and_then(|output| String::from_utf8(output.stdout).ok());
    set("PERSEA_COMPILER", compiler.as_deref().map(str::trim));
}

fn set(variable: &str, value: Option<&str>) {
    println!("cargo:rustc-env={variable}={}", value.unwrap_or_default());
}

/// Returns the version in `[[package]]` of a lock file.
fn version_of<'a>(lock: &'a str, library: &str) -> Option<&'a str> {
    let (_, package) = lock.split_once(&format!("name = \"{library}\"\nversion = \""))?;
    package.split('"').next()
}
