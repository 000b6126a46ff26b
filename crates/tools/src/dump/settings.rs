//! What the options of a dump mean together.

use std::path::{Path, PathBuf};

use options::Options;

use super::masking::Maskings;
use crate::Failure;

/// Most threads.
const THREADS_MAX: u64 = 256;

/// What a dump is to do.
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
}

impl Settings {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let names = |name: &str| options.all(name).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let settings = Settings {
            folder: options.text("output-directory").unwrap_or("dump").into(),
            all_databases: options.flag("all-databases"),
            collections: names("collection"),
            ignored: names("ignore-collection"),
            include_system: options.flag("include-system-collections"),
            dump_data: options.flag("dump-data"),
            dump_views: options.flag("dump-views"),
            compress: options.flag("compress-output"),
            envelopes: options.flag("envelope"),
            velocypack: options.flag("dump-vpack"),
            // Without the parallel way, a dump is for programs that may not know files in parts.
            split: options.flag("split-files") && options.flag("parallel-dump"),
            overwrite: options.flag("overwrite"),
            force: options.flag("force"),
            parallel: options.flag("parallel-dump"),
            progress: options.flag("progress"),
            threads: threads(options)?,
            batch_bytes: options.number("batch-size").max(1 << 12),
            first_batch_bytes: options.number("initial-batch-size").max(1 << 12),
            prefetch: options.number("dbserver-prefetch-batches").max(1),
            server_threads: options.number("dbserver-worker-threads").max(1),
            maskings: options.text("maskings").map(|path| Maskings::open(Path::new(path))).transpose()?,
        };
        let both = |first: &str, second: &str| {
            Err(Failure::option(format!("--{first} and --{second} exclude each other")))
        };
        if settings.all_databases && options.is_given("server.database") {
            return both("all-databases", "server.database");
        }
        if settings.all_databases && !settings.collections.is_empty() {
            return both("all-databases", "collection");
        }
        if !settings.collections.is_empty() && !settings.ignored.is_empty() {
            return both("collection", "ignore-collection");
        }
        if settings.velocypack && settings.envelopes {
            return both("dump-vpack", "envelope");
        }
        if settings.velocypack && !settings.parallel {
            return both("dump-vpack", "parallel-dump false");
        }
        if settings.maskings.is_some() && !settings.dump_data {
            return both("maskings", "dump-data false");
        }
        Ok(settings)
    }

    /// Makes the folder, or sees to it that nothing in it is lost.
    pub(super) fn prepare_folder(&self) -> Result<(), Failure> {
        let failed = |error: std::io::Error| folder_failure(&self.folder, &error);
        if self.folder.exists() && !self.overwrite && self.folder.read_dir().map_err(failed)?.next().is_some()
        {
            let folder = self.folder.display();
            return Err(Failure::new(format!(
                "the folder {folder} has files already; give another by --output-directory, or --overwrite true"
            )));
        }
        std::fs::create_dir_all(&self.folder).map_err(failed)
    }
}

/// The threads of a tool.
pub(crate) fn threads(options: &Options) -> Result<usize, Failure> {
    match options.number("threads") {
        0 => Ok(std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2))),
        threads @ 1..=THREADS_MAX => Ok(threads as usize),
        _ => Err(Failure::option(format!("--threads must be at most {THREADS_MAX}"))),
    }
}

pub(super) fn folder_failure(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("the folder {} cannot be used: {error}", folder.display()))
}
