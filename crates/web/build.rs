//! Tells the crate if `cargo xtask web` has written the table of files.
//!
//! The crate includes the table by a path of its own. A path from here would be that of the
//! checkout which compiled first, and checkouts may share a folder of compiled crates.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=embedded");
    println!("cargo::rustc-check-cfg=cfg(has_files)");
    if Path::new("embedded/table.rs").exists() {
        println!("cargo::rustc-cfg=has_files");
    }
}
