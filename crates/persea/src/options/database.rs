//! `--database`: the store and the databases in it.

use std::path::Path;
use std::sync::Arc;

use catalog::NamingRules;
use database::InstanceOptions;
use database::changes::WebhookOptions;
use database::follow::SourceOptions;
use encryption::MasterKey;
use options::{Choice, Flag, Maybe, Number, Opt, Options, Text, choice, flag, number, text};
use server::version::ARANGODB_VERSION;
use storage::{MemoryBudget, SearchOptions, StoreOptions};

use super::{changes, follow, foxx, javascript, query, server as server_section, temp, transaction, ttl};
use crate::data_folder::{CHANGES_FILE, FolderState, SEARCH_FOLDER};
use crate::failure::Failure;

options::section! {
    pub(crate) static AUTO_UPGRADE: Opt<Flag> =
        flag("database.auto-upgrade", false, "Upgrade the store to this version, then exit.");
    pub(super) static DIRECTORY: Opt<Text> =
        text("database.directory", "./data", "Data folder.");
    static EXTENDED_NAMES: Opt<Flag> =
        flag("database.extended-names", true, "Allow most Unicode characters in the names of databases, collections and indexes.");
    pub(crate) static INIT_DATABASE: Opt<Flag> =
        flag("database.init-database", false, "Create the store, then exit.");
    static MAX_DATABASES: Opt<Maybe<Number>> =
        number("database.max-databases", "", "Maximum number of databases, including `_system`. Default: no limit.").optional();
    static PASSWORD: Opt<Maybe<Text>> =
        text("database.password", "", "Alias of --server.password.").optional().secret();
    pub(super) static REQUIRED_DIRECTORY_STATE: Opt<Choice<FolderState>> =
        choice("database.required-directory-state", FOLDER_STATES, "any", "Refuse to start unless the data folder is in this state.");
    static WAIT_FOR_SYNC: Opt<Flag> =
        flag("database.wait-for-sync", false, "Wait until writes are on disk, unless their collection or request says otherwise.");
}

const FOLDER_STATES: &[(&str, FolderState); 5] = &[
    ("any", FolderState::Any),
    ("non-existing", FolderState::Missing),
    ("existing", FolderState::Existing),
    ("empty", FolderState::Empty),
    ("populated", FolderState::Populated),
];

/// Makes the options of the store. Without a data folder, all is `in_memory`.
pub(crate) fn store_options(
    options: &Options,
    budget: &MemoryBudget,
    in_memory: bool,
    encryption: Option<Arc<MasterKey>>,
) -> Result<StoreOptions, Failure> {
    let naming_rules = match options.get(&EXTENDED_NAMES) {
        true => NamingRules::Extended,
        false => NamingRules::Traditional,
    };
    let in_folder = |name| (!in_memory).then(|| Path::new(options.get(&DIRECTORY)).join(name));
    let (folder, identity_file) = (in_folder(SEARCH_FOLDER), in_folder(CHANGES_FILE));
    let memory_bytes = usize::try_from(budget.search_bytes).unwrap_or(usize::MAX);
    Ok(StoreOptions {
        naming_rules,
        search: SearchOptions { folder, encryption, memory_bytes, ..SearchOptions::default() },
        sort_budget_bytes: usize::try_from(budget.sort_bytes).unwrap_or(usize::MAX),
        read_cache_bytes: budget.read_cache_bytes,
        measures_documents: options.get(&server_section::EXPORT_READ_WRITE_METRICS),
        temporary_folder: temp::folder(options),
        changes: changes::settings(options, identity_file)?,
        ..StoreOptions::default()
    })
}

/// Makes the options of the instance.
pub(crate) fn instance_options(
    options: &Options,
    budget: &MemoryBudget,
    webhooks: WebhookOptions,
    source: Option<SourceOptions>,
    in_memory: bool,
) -> InstanceOptions {
    InstanceOptions {
        foxx: foxx::settings(options, (!in_memory).then(|| data_folder(options))),
        analytics: super::analytics::settings(options),
        webhooks,
        follow: source,
        copy_answers_all: follow::answers_all(options),
        result_memory_bytes: budget.result_bytes,
        temporary_folder: temp::folder(options),
        spill: temp::settings(options),
        authentication: options.get(&server_section::AUTHENTICATION),
        harden: options.get(&server_section::HARDEN),
        usage: options.get(&server_section::EXPORT_SHARD_USAGE_METRICS),
        default_wait_for_sync: options.get(&WAIT_FOR_SYNC),
        max_databases: options
            .get(&MAX_DATABASES)
            .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)),
        transactions: transaction::settings(options),
        javascript: javascript::settings(options),
        ttl: ttl::settings(options),
        compatible_version: ARANGODB_VERSION.to_owned(),
        ..query::settings(options, budget)
    }
}

/// Returns the folder of the data.
pub(crate) fn data_folder(options: &Options) -> &Path {
    Path::new(options.get(&DIRECTORY))
}

/// Returns the password of `root` on a new store.
pub(crate) fn root_password(options: &Options) -> String {
    let named = options.get(&server_section::PASSWORD).or_else(|| options.get(&PASSWORD));
    let named = named.map(str::to_owned).or_else(|| std::env::var("ARANGO_ROOT_PASSWORD").ok());
    named.unwrap_or_default()
}
