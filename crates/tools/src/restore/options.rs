//! The options of `persea restore`.

use std::path::PathBuf;

use options::{
    Bytes, Flag, List, Number, Opt, Options, Program, Text, Unsupported, bytes, flag, number, text,
};

use crate::encrypted::Files;
use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, encryption, general, log, server, threads};

pub(super) static PROGRAM: Program = Program {
    name: "persea restore",
    usage: "[--OPTION VALUE ...]",
    about: "Restore a dump that `persea dump` or arangodump has written, version 2.x or later.",
    sections: &[ROWS, encryption::ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED, OWN_IGNORED],
    refused: &[],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(INPUT_DIRECTORY.row()),
};

options::section! {
    static ALL_DATABASES: Opt<Flag> =
        flag("all-databases", false, "Restore every database in the folder, each from its own folder.");
    static BATCH_SIZE: Opt<Bytes> =
        bytes("batch-size", "16MiB", "Size of a request in bytes, at least 128 KiB.");
    static CLEANUP_DUPLICATE_ATTRIBUTES: Opt<Flag> =
        flag("cleanup-duplicate-attributes", false, "Keep the first of an attribute that a document has twice. Otherwise the server rejects the document.");
    static COLLECTION: Opt<List<Text>> =
        text("collection", "", "Collection to restore. Default: all.").list();
    static CONTINUE: Opt<Flag> =
        flag("continue", false, "Continue an interrupted restore from this folder.");
    static CREATE_COLLECTION: Opt<Flag> =
        flag("create-collection", true, "Create collections and their indexes. Otherwise they must exist, and are not changed.");
    static CREATE_DATABASE: Opt<Flag> =
        flag("create-database", false, "Create the database if it does not exist.");
    static ENABLE_REVISION_TREES: Opt<Flag> =
        flag("enable-revision-trees", true, "Set syncByRevision for collections of old dumps.").uncommon();
    static FORCE: Opt<Flag> =
        flag("force", false, "Continue with other collections after an error, and restore incomplete dumps.");
    static FORCE_SAME_DATABASE: Opt<Flag> =
        flag("force-same-database", false, "Refuse a dump of a database with a different name.");
    static IMPORT_DATA: Opt<Flag> =
        flag("import-data", true, "Restore documents in addition to definitions.");
    static IMPORT_STRUCTURE: Opt<Flag> =
        flag("import-structure", true, "Restore collections, indexes and views in addition to documents.");
    static INCLUDE_SYSTEM_COLLECTIONS: Opt<Flag> =
        flag("include-system-collections", false, "Restore collections whose names begin with an underscore, and users with the database _system.");
    static INITIAL_CONNECT_RETRIES: Opt<Number> =
        number("initial-connect-retries", "3", "Number of attempts to reach the server.").uncommon();
    static INPUT_DIRECTORY: Opt<Text> =
        text("input-directory", "dump", "Read the dump from this folder.");
    static OVERWRITE: Opt<Flag> =
        flag("overwrite", true, "Replace existing collections. Otherwise they are used as they are.");
    static PROGRESS: Opt<Flag> =
        flag("progress", true, "Show progress.");
    static THREADS: Opt<Number> =
        number("threads", "0", "Number of threads; 0 means one for each core, at least two.");
    static VIEW: Opt<List<Text>> =
        text("view", "", "View to restore. Default: all.").list();
}

const OWN_IGNORED: &[Unsupported] = &[
    Unsupported {
        reason: "it applies to clusters only",
        names: &[
            "default-number-of-shards",
            "default-replication-factor",
            "ignore-distribute-shards-like-errors",
            "number-of-shards",
            "replication-factor",
            "write-concern",
        ],
    },
    Unsupported { reason: "the tool recognizes wrapped documents itself", names: &["envelope"] },
    Unsupported {
        reason: "the tool keeps at most one buffer for each thread",
        names: &["max-unused-buffers-capacity"],
    },
    Unsupported { reason: "a restore keeps few files open", names: &["descriptors-minimum"] },
];

/// The minimum and maximum size of a request in bytes.
const BATCH_BYTES: (u64, u64) = (128 << 10, 512 << 20);

/// The settings of a restore.
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
    /// True if the first of duplicate attributes counts.
    pub(super) cleans_duplicates: bool,
    pub(super) revision_trees: bool,
    pub(super) overwrite: bool,
    pub(super) force: bool,
    pub(super) force_same_database: bool,
    pub(super) should_continue: bool,
    pub(super) progress: bool,
    pub(super) threads: usize,
    pub(super) batch_bytes: usize,
    pub(super) connect_retries: u64,
    /// The form of the files.
    pub(super) files: Files,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let names =
            |option: &Opt<List<Text>>| options.get(option).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let settings = Settings {
            folder: options.get(&INPUT_DIRECTORY).into(),
            all_databases: options.get(&ALL_DATABASES),
            collections: names(&COLLECTION),
            views: names(&VIEW),
            include_system: options.get(&INCLUDE_SYSTEM_COLLECTIONS),
            import_data: options.get(&IMPORT_DATA),
            import_structure: options.get(&IMPORT_STRUCTURE),
            create_collections: options.get(&CREATE_COLLECTION),
            create_database: options.get(&CREATE_DATABASE),
            cleans_duplicates: options.get(&CLEANUP_DUPLICATE_ATTRIBUTES),
            revision_trees: options.get(&ENABLE_REVISION_TREES),
            overwrite: options.get(&OVERWRITE),
            force: options.get(&FORCE),
            force_same_database: options.get(&FORCE_SAME_DATABASE),
            should_continue: options.get(&CONTINUE),
            progress: options.get(&PROGRESS),
            threads: threads(options, &THREADS)?,
            batch_bytes: options.get(&BATCH_SIZE).clamp(BATCH_BYTES.0, BATCH_BYTES.1) as usize,
            connect_retries: options.get(&INITIAL_CONNECT_RETRIES),
            files: encryption::files(options)?,
        };
        let exclusive = [
            (options.is_given(&server::DATABASE), server::DATABASE.name),
            (settings.force_same_database, FORCE_SAME_DATABASE.name),
        ];
        match exclusive.into_iter().find(|(is_given, _)| settings.all_databases && *is_given) {
            Some((_, other)) => {
                Err(Failure::option(format!("--{} and --{other} cannot be combined", ALL_DATABASES.name)))
            }
            None => Ok(settings),
        }
    }

    /// Returns true if collections and indexes are created, false if existing ones are used.
    pub(super) fn creates(&self) -> bool {
        self.import_structure && self.create_collections
    }

    /// Returns true if a collection is restored.
    pub(super) fn wants_collection(&self, name: &str) -> bool {
        match self.collections.is_empty() {
            true => self.views.is_empty() && (self.include_system || !name.starts_with('_')),
            false => self.collections.iter().any(|wanted| wanted == name),
        }
    }

    /// Returns true if a view is restored.
    pub(super) fn wants_view(&self, name: &str) -> bool {
        match self.views.is_empty() {
            true => self.collections.is_empty(),
            false => self.views.iter().any(|wanted| wanted == name),
        }
    }
}
