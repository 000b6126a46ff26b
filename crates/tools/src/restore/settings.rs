//! What the options of a restore mean together.

use std::path::PathBuf;

use options::Options;

use crate::Failure;
use crate::threads;

/// Least and most bytes of a request.
const BATCH_BYTES: (u64, u64) = (128 << 10, 512 << 20);

/// What a restore is to do.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) folder: PathBuf,
    pub(super) all_databases: bool,
    pub(super) collections: Vec<String>,
    pub(super) views: Vec<String>,
    pub(super) include_system: bool,
    pub(super) import_data: bool,
    pub(super) import_structure: bool,
    pub(super) create_collections: bool,
    pub(super) create_database: bool,
    /// Of attributes that a document has twice, the first counts.
    pub(super) cleans_duplicates: bool,
    pub(super) revision_trees: bool,
    pub(super) overwrite: bool,
    pub(super) force: bool,
    pub(super) force_same_database: bool,
    pub(super) goes_on: bool,
    pub(super) progress: bool,
    pub(super) threads: usize,
    pub(super) batch_bytes: usize,
    pub(super) connect_retries: u64,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let names = |name: &str| options.all(name).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let settings = Settings {
            folder: options.text("input-directory").unwrap_or("dump").into(),
            all_databases: options.flag("all-databases"),
            collections: names("collection"),
            views: names("view"),
            include_system: options.flag("include-system-collections"),
            import_data: options.flag("import-data"),
            import_structure: options.flag("import-structure"),
            create_collections: options.flag("create-collection"),
            create_database: options.flag("create-database"),
            cleans_duplicates: options.flag("cleanup-duplicate-attributes"),
            revision_trees: options.flag("enable-revision-trees"),
            overwrite: options.flag("overwrite"),
            force: options.flag("force"),
            force_same_database: options.flag("force-same-database"),
            goes_on: options.flag("continue"),
            progress: options.flag("progress"),
            threads: threads(options)?,
            batch_bytes: options.number("batch-size").clamp(BATCH_BYTES.0, BATCH_BYTES.1) as usize,
            connect_retries: options.number("initial-connect-retries"),
        };
        let both = |first: &str, second: &str| {
            Err(Failure::option(format!("--{first} and --{second} exclude each other")))
        };
        if settings.all_databases && options.is_given("server.database") {
            return both("all-databases", "server.database");
        }
        if settings.all_databases && settings.force_same_database {
            return both("all-databases", "force-same-database");
        }
        Ok(settings)
    }

    /// Whether collections and their indexes are created, rather than used as they are.
    pub(super) fn creates(&self) -> bool {
        self.import_structure && self.create_collections
    }

    /// Whether a collection is restored.
    pub(super) fn wants_collection(&self, name: &str) -> bool {
        match self.collections.is_empty() {
            true => self.views.is_empty() && (self.include_system || !name.starts_with('_')),
            false => self.collections.iter().any(|wanted| wanted == name),
        }
    }

    /// Whether a view is restored.
    pub(super) fn wants_view(&self, name: &str) -> bool {
        match self.views.is_empty() {
            true => self.collections.is_empty(),
            false => self.views.iter().any(|wanted| wanted == name),
        }
    }
}
