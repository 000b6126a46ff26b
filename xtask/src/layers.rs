//! The direction of dependency between the crates: lower does not know upper.

use crate::{Failure, metadata};

/// The crates from the lowest to the highest. Crates of one line do not know each other.
const LAYERS: &[&[&str]] = &[
    &["velocypack", "kv", "aql-syntax", "analyzers", "chart", "gzip-members"],
    &["kv-rocksdb", "catalog", "aql-value", "geometry", "options", "client"],
    &["storage", "aql-functions"],
    &["aql-plan"],
    &["aql-exec"],
    &["database"],
    &["server", "tools"],
    &["persea"],
    &["fuzz-targets", "xtask", "benches"],
];

/// Outside libraries that few crates of ours hide from all others.
const HIDDEN: &[(&str, &[&str])] = &[
    ("rust-rocksdb", &["kv-rocksdb"]),
    ("hyper", &["server", "client"]),
    ("icu_collator", &["velocypack"]),
    ("boon", &["storage"]),
    ("icu_segmenter", &["analyzers"]),
    ("rust-stemmers", &["analyzers"]),
    ("s2", &["geometry"]),
    ("geographiclib-rs", &["geometry"]),
    ("rustls", &["client"]),
    ("tokio-rustls", &["server"]),
    ("parquet", &["tools"]),
    ("libdeflater", &["gzip-members"]),
];

pub(crate) fn check() -> Result<(), Failure> {
    let packages = metadata::packages()?;
    let mut wrong = Vec::new();
    for package in packages.iter().filter(|package| package.in_workspace) {
        let Some(layer) = layer_of(&package.name) else {
            wrong.push(format!("{}: give it a place in LAYERS of xtask/src/layers.rs", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            if layer_of(dependency).is_some_and(|below| below >= layer) {
                wrong.push(format!("{} may not depend on {dependency}, which is not below it", package.name));
            }
            let hidden = HIDDEN.iter().find(|(hidden, _)| hidden == dependency);
            if let Some((_, owners)) = hidden.filter(|(_, owners)| !owners.contains(&package.name.as_str())) {
                let owners = owners.join(" and ");
                wrong.push(format!("{} may not use {dependency}: only {owners} knows it", package.name));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn layer_of(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}
