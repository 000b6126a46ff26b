//! Includes the table of files that `cargo xtask web` has written, or an empty one.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=embedded");
    let variable = |name| env::var(name).map_err(io::Error::other);
    let table = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("embedded/table.rs");
    let included = match table.exists() {
        true => format!("include!({table:?})"),
        false => "&[]".to_owned(),
    };
    fs::write(Path::new(&variable("OUT_DIR")?).join("table.rs"), included)
}
