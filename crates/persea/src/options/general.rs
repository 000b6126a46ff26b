//! Options without a section: memory, the engine, the configuration itself.

use std::path::PathBuf;
use std::sync::Arc;

use kv::Engine;
use kv::MemoryEngine;
use kv_mmap::MmapEngine;
use kv_rocksdb::RocksEngine;
use kv_tikv::TikvEngine;
use options::{Bytes, Choice, Flag, List, Maybe, Opt, Options, Text, bytes, choice, flag, text};
use server::service::machine::available_memory_bytes;
use storage::MemoryBudget;

use super::{cache, database, mmfiles, rocksdb, rocksdb_encryption, server as server_section, tikv};
use crate::data_folder;
use crate::encryption::{self, DataEncryption, SecretSource};
use crate::engine::{ENGINES, EngineName};
use crate::failure::Failure;
use crate::process::keep_private;

options::section! {
    pub(crate) static CHECK_CONFIGURATION: Opt<Flag> =
        flag("check-configuration", false, "Check the options, then exit.");
    pub(crate) static CONFIGURATION: Opt<Maybe<Text>> =
        text("configuration", "", "Read more options from this file; `none` reads no file.").optional();
    pub(crate) static DEFINE: Opt<List<Text>> =
        text("define", "", "Set the value of `@NAME@` in the configuration file, as NAME=VALUE. Other names are read from the environment.").list();
    pub(crate) static MEMORY_LIMIT: Opt<Maybe<Bytes>> =
        bytes("memory-limit", "", "Maximum memory of the process in bytes. Default: half of the memory of the machine or container.").optional();
    pub(crate) static PID_FILE: Opt<Maybe<Text>> =
        text("pid-file", "", "Write the process ID to this file.").optional();
    pub(super) static STORAGE_ENGINE: Opt<Choice<EngineName>> =
        choice("storage-engine", ENGINES, "auto", "Storage engine of a new data folder. `memory` keeps nothing after the server stops. Default: the engine of the folder, or `rocksdb`.");
}

/// Divides the memory among the parts of the server.
pub(crate) fn memory_budget(options: &Options) -> MemoryBudget {
    let limit = options.get(&MEMORY_LIMIT).filter(|limit| *limit > 0);
    let budget = MemoryBudget::split(limit.unwrap_or_else(|| available_memory_bytes() / 2));
    match options.get(&cache::SIZE) {
        Some(bytes) => budget.with_read_cache(bytes),
        None => budget,
    }
}

/// An open engine, with the encryption of its files if they are encrypted.
pub(crate) type OpenEngine = (Arc<dyn Engine>, Option<Arc<DataEncryption>>);

/// Opens the engine. Carries out a pending restore first.
///
/// Errors: text for the user, also if encryption is wanted from an engine that does not offer it.
pub(crate) fn open_engine(
    options: &Options,
    budget: &MemoryBudget,
    descriptors: u64,
) -> Result<OpenEngine, Failure> {
    let secrets = rocksdb_encryption::source(options)?;
    let name = match options.get(&STORAGE_ENGINE) {
        EngineName::Auto => options.get(&server_section::STORAGE_ENGINE),
        named => named,
    };
    if name == EngineName::Memory {
        refuse_encryption(secrets.as_ref(), name)?;
        return Ok((MemoryEngine::new(), None));
    }
    let folder = PathBuf::from(options.get(&database::DIRECTORY));
    if !data_folder::finish_restore(&folder, || encryption::present_key(&folder, secrets.as_ref()))? {
        data_folder::check(&folder, options.get(&database::REQUIRED_DIRECTORY_STATE))?;
    }
    let name = data_folder::choose_engine(&folder, name)?;
    keep_private(&folder)
        .map_err(|error| format!("the folder {} cannot be created: {error}", folder.display()))?;
    if name == EngineName::Tikv {
        refuse_encryption(secrets.as_ref(), name)?;
        let engine = TikvEngine::open(&tikv::settings(options)?)?;
        data_folder::keep_cluster(&folder, engine.identity())?;
        return Ok((engine, None));
    }
    let encryption = encryption::open(&folder, secrets)?.map(Arc::new);
    let master = encryption.as_ref().map(|encryption| encryption.master_key());
    if name == EngineName::Mmap {
        let engine = MmapEngine::open(folder, &mmfiles::settings(options, budget, master))?;
        if let Some(dropped) = engine.dropped_log() {
            tracing::warn!(target: "engines", "{dropped}");
        }
        return Ok((engine, encryption));
    }
    let mut settings = rocksdb::settings(options, budget, descriptors);
    settings.encryption = master;
    let engine = RocksEngine::open(folder, &settings)?;
    if let Some(dropped) = engine.dropped_log() {
        tracing::warn!(target: "engines", "{dropped}");
    }
    Ok((engine, encryption))
}

/// Refuses secrets for an engine whose files are not encrypted.
fn refuse_encryption(secrets: Option<&SecretSource>, engine: EngineName) -> Result<(), Failure> {
    match secrets {
        None => Ok(()),
        Some(_) => Err(format!(
            "the engine '{}' does not encrypt its files; --rocksdb.encryption-* needs the engine 'rocksdb' or \
             'mmfiles'",
            engine.text()
        )
        .into()),
    }
}
