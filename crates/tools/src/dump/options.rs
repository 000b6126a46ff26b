//! The options of `persea dump`.

use std::path::{Path, PathBuf};

use options::{
    Bytes, Flag, List, Maybe, Number, Opt, Options, Program, Text, Unsupported, bytes, flag, number, text,
};
use replication_client::FetchOptions;

use super::masking::Maskings;
use crate::encrypted::Files;
use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, encryption, general, log, server, threads};

pub(super) static PROGRAM: Program = Program {
    name: "persea dump",
    usage: "[--OPTION VALUE ...]",
    about: "Dump databases into a folder for `persea restore` or arangorestore. All collections of a database are read \
            from one snapshot.",
    sections: &[ROWS, encryption::ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED, OWN_IGNORED],
    refused: &[OWN_REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(OUTPUT_DIRECTORY.row()),
};

options::section! {
    static ALL_DATABASES: Opt<Flag> =
        flag("all-databases", false, "Dump every database that the user can see, each into its own folder.");
    static BATCH_SIZE: Opt<Bytes> =
        bytes("batch-size", "64MiB", "Maximum size of a batch in bytes. The server may send less.");
    static COLLECTION: Opt<List<Text>> =
        text("collection", "", "Collection to dump. Default: all.").list();
    static COMPRESS_OUTPUT: Opt<Flag> =
        flag("compress-output", true, "Compress data files with gzip.");
    static DBSERVER_PREFETCH_BATCHES: Opt<Number> =
        number("dbserver-prefetch-batches", "5", "Number of batches that the server prepares in advance.").uncommon();
    static DBSERVER_WORKER_THREADS: Opt<Number> =
        number("dbserver-worker-threads", "5", "Number of server threads that prepare the batches of a collection.").uncommon();
    static DUMP_DATA: Opt<Flag> =
        flag("dump-data", true, "Dump documents in addition to definitions.");
    static DUMP_VIEWS: Opt<Flag> =
        flag("dump-views", true, "Dump the definitions of views.");
    static DUMP_VPACK: Opt<Flag> =
        flag("dump-vpack", false, "Write data files as VelocyPack instead of JSON.").uncommon();
    static ENVELOPE: Opt<Flag> =
        flag("envelope", false, "Wrap each document with a type, for arangorestore before 3.8.");
    static FORCE: Opt<Flag> =
        flag("force", false, "Continue with other collections after an error.");
    static IGNORE_COLLECTION: Opt<List<Text>> =
        text("ignore-collection", "", "Collection to leave out. Default: none.").list();
    static INCLUDE_SYSTEM_COLLECTIONS: Opt<Flag> =
        flag("include-system-collections", false, "Dump collections whose names begin with an underscore, and users with the database _system.");
    static INITIAL_BATCH_SIZE: Opt<Bytes> =
        bytes("initial-batch-size", "8MiB", "Size in bytes of the first chunks with --parallel-dump false. They grow up to --batch-size.");
    static MASKINGS: Opt<Maybe<Text>> =
        text("maskings", "", "JSON file that names the values to change and the functions that change them.").optional();
    static OUTPUT_DIRECTORY: Opt<Text> =
        text("output-directory", "dump", "Write the dump to this folder.");
    static OVERWRITE: Opt<Flag> =
        flag("overwrite", false, "Write into a folder that is not empty.");
    static PARALLEL_DUMP: Opt<Flag> =
        flag("parallel-dump", true, "Use several threads for one collection, if the server supports it.").uncommon();
    static PROGRESS: Opt<Flag> =
        flag("progress", true, "Show progress.");
    static SPLIT_FILES: Opt<Flag> =
        flag("split-files", false, "Write one file for each thread of a collection, with --parallel-dump.");
    static THREADS: Opt<Number> =
        number("threads", "0", "Number of threads; 0 means one for each core, at least two.");
}

const OWN_IGNORED: &[Unsupported] = &[
    Unsupported {
        reason: "each thread of --threads fetches, compresses and writes",
        names: &["local-network-threads", "local-writer-threads"],
    },
    Unsupported { reason: "batches are limited by bytes, not by documents", names: &["docs-per-batch"] },
    Unsupported { reason: "--parallel-dump, the default, replaces it", names: &["use-experimental-dump"] },
    Unsupported { reason: "a dump contains all data of one snapshot", names: &["tick-start", "tick-end"] },
    Unsupported { reason: "it applies to clusters only", names: &["ignore-distribute-shards-like-errors"] },
    Unsupported { reason: "a dump keeps few files open", names: &["descriptors-minimum"] },
];

const OWN_REFUSED: &[Unsupported] =
    &[Unsupported { reason: "collections of a single server have no shards", names: &["shard"] }];

/// The minimum size of a batch in bytes.
const MIN_BATCH_BYTES: u64 = 1 << 12;

/// The settings of a dump.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) folder: PathBuf,
    pub(super) all_databases: bool,
    pub(super) collections: Vec<String>,
    pub(super) ignored: Vec<String>,
    pub(super) include_system: bool,
    pub(super) dump_data: bool,
    pub(super) dump_views: bool,
    pub(super) compress: bool,
    pub(super) envelopes: bool,
    pub(super) velocypack: bool,
    pub(super) split: bool,
    pub(super) overwrite: bool,
    pub(super) force: bool,
    pub(super) parallel: bool,
    pub(super) progress: bool,
    pub(super) threads: usize,
    pub(super) batch_bytes: u64,
    pub(super) first_batch_bytes: u64,
    pub(super) prefetch: u64,
    pub(super) server_threads: u64,
    pub(super) maskings: Option<Maskings>,
    /// The form of the files.
    pub(super) files: Files,
}

impl Settings {
    /// Returns how documents are fetched. `packed`: in the form of the files.
    pub(super) fn fetch_options(&self, packed: bool) -> FetchOptions {
        FetchOptions {
            parallel: self.parallel,
            velocypack: self.velocypack,
            packed,
            threads: self.threads,
            server_threads: self.server_threads,
            prefetch: self.prefetch,
            batch_bytes: self.batch_bytes,
            first_batch_bytes: self.first_batch_bytes,
        }
    }

    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let names =
            |option: &Opt<List<Text>>| options.get(option).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let settings = Settings {
            folder: options.get(&OUTPUT_DIRECTORY).into(),
            all_databases: options.get(&ALL_DATABASES),
            collections: names(&COLLECTION),
            ignored: names(&IGNORE_COLLECTION),
            include_system: options.get(&INCLUDE_SYSTEM_COLLECTIONS),
            dump_data: options.get(&DUMP_DATA),
            dump_views: options.get(&DUMP_VIEWS),
            compress: options.get(&COMPRESS_OUTPUT),
            envelopes: options.get(&ENVELOPE),
            velocypack: options.get(&DUMP_VPACK),
            // Without parallel dumps, the reader of a dump may be a program that does not know
            // split files.
            split: options.get(&SPLIT_FILES) && options.get(&PARALLEL_DUMP),
            overwrite: options.get(&OVERWRITE),
            force: options.get(&FORCE),
            parallel: options.get(&PARALLEL_DUMP),
            progress: options.get(&PROGRESS),
            threads: threads(options, &THREADS)?,
            batch_bytes: options.get(&BATCH_SIZE).max(MIN_BATCH_BYTES),
            first_batch_bytes: options.get(&INITIAL_BATCH_SIZE).max(MIN_BATCH_BYTES),
            prefetch: options.get(&DBSERVER_PREFETCH_BATCHES).max(1),
            server_threads: options.get(&DBSERVER_WORKER_THREADS).max(1),
            maskings: options.get(&MASKINGS).map(|path| Maskings::open(Path::new(path))).transpose()?,
            files: encryption::files(options)?,
        };
        settings.check(options.is_given(&server::DATABASE))?;
        Ok(settings)
    }

    /// Refuses options that exclude each other.
    fn check(&self, names_database: bool) -> Result<(), Failure> {
        let exclusive = [
            (self.all_databases && names_database, "all-databases", "server.database"),
            (self.all_databases && !self.collections.is_empty(), "all-databases", "collection"),
            (!self.collections.is_empty() && !self.ignored.is_empty(), "collection", "ignore-collection"),
            (self.velocypack && self.envelopes, "dump-vpack", "envelope"),
            (self.velocypack && !self.parallel, "dump-vpack", "parallel-dump false"),
            (self.maskings.is_some() && !self.dump_data, "maskings", "dump-data false"),
        ];
        match exclusive.into_iter().find(|(are_both, ..)| *are_both) {
            Some((_, first, second)) => {
                Err(Failure::option(format!("--{first} and --{second} cannot be combined")))
            }
            None => Ok(()),
        }
    }

    /// Makes the folder. Errors: the folder has files already, and may not be overwritten.
    pub(super) fn prepare_folder(&self) -> Result<(), Failure> {
        let failed = |error: std::io::Error| folder_failure(&self.folder, &error);
        if self.folder.exists() && !self.overwrite && self.folder.read_dir().map_err(failed)?.next().is_some()
        {
            let folder = self.folder.display();
            return Err(Failure::new(format!(
                "the folder {folder} is not empty; choose another with --output-directory, or use --overwrite true"
            )));
        }
        std::fs::create_dir_all(&self.folder).map_err(failed)
    }
}

pub(super) fn folder_failure(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("the folder {} cannot be used: {error}", folder.display()))
}
