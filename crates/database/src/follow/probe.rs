//! A look at another server before anything is copied. It changes nothing there.

use errors::{Error, ErrorCode, Result};
use replication_client::{Product, Role, Snapshot, Source};
use velocypack::Slice;

use super::failure::of_source;
use crate::state::following::{Problem, SourceOptions, SourceView};

/// The versions of ArangoDB whose replication is known here.
const VERSIONS: [&str; 3] = ["3.10.", "3.11.", "3.12."];
/// The engine of ArangoDB that has a log.
const ENGINE: &str = "rocksdb";
/// System collections of services, which do not run here.
const SERVICES: &str = "_apps";

/// Another server, as it shows itself.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// The server.
    pub source: SourceView,
    /// Its engine.
    pub engine: String,
    /// `single` or `cluster`.
    pub role: &'static str,
    /// True if it refuses writes.
    pub is_read_only: bool,
    /// Its databases with the numbers of their collections and documents.
    pub databases: Vec<ProbedDatabase>,
    /// Everything that cannot come over.
    pub problems: Vec<Problem>,
    /// The reason for which it cannot be followed; `None` if it can.
    pub obstacle: Option<Error>,
}

/// A database of another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbedDatabase {
    /// Its name.
    pub name: String,
    /// Its collections, without those of the system.
    pub collections: u64,
    /// Their documents.
    pub documents: u64,
}

/// Looks at a server.
///
/// Errors: 1400 for a server that does not answer, 1402 for one that refuses the user, 1401 for
/// another program, 10 for options that cannot be used.
pub(super) fn probe(options: &SourceOptions, own_id: u64) -> Result<Probe> {
    let source = options.connect(None)?;
    let mut probe = Probe {
        source: SourceView {
            endpoint: options.endpoint.clone(),
            product: match source.product() {
                Product::ArangoDb => "arangodb".to_owned(),
                Product::Persea => "persea".to_owned(),
            },
            version: source.version().to_owned(),
            server_id: String::new(),
        },
        ..Probe::default()
    };
    if let Err(error) = look(&source, options, own_id, &mut probe) {
        probe.obstacle = Some(error);
    }
    Ok(probe)
}

fn look(source: &Source, options: &SourceOptions, own_id: u64, probe: &mut Probe) -> Result<()> {
    let incompatible = |reason: String| Error::new(ErrorCode::ReplicationLeaderIncompatible, reason);
    if !VERSIONS.iter().any(|version| source.version().starts_with(version)) {
        let version = source.version();
        return Err(incompatible(format!("the server has version {version}; 3.10 to 3.12 can be followed")));
    }
    probe.role = match source.role().map_err(|error| of_source(&error))? {
        Role::Single => "single",
        Role::Cluster => {
            probe.role = "cluster";
            return Err(incompatible(
                "the server belongs to a cluster, whose log no coordinator shows; use dump and restore, \
                 then `persea migrate compare`"
                    .to_owned(),
            ));
        }
    };
    probe.engine = source.engine().map_err(|error| of_source(&error))?;
    if source.product() == Product::ArangoDb && probe.engine != ENGINE {
        return Err(incompatible(format!("the engine '{}' has no log; rocksdb has", probe.engine)));
    }
    probe.is_read_only = source.is_read_only().map_err(|error| of_source(&error))?;
    let (server_id, _) = source.last_tick().map_err(|error| of_source(&error))?;
    if server_id == own_id.to_string() {
        return Err(Error::new(
            ErrorCode::ReplicationLoop,
            "the server is this one, or a copy of its folder",
        ));
    }
    probe.source.server_id = server_id;
    for name in source.databases().map_err(|error| of_source(&error))? {
        if options.includes(&name) {
            match look_into(source, &name, &mut probe.problems) {
                Ok(database) => probe.databases.push(database),
                // It was dropped since it was listed.
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(of_source(&error)),
            }
        }
    }
    match options.databases.iter().find(|name| !probe.databases.iter().any(|found| found.name == **name)) {
        Some(name) => Err(Error::bad_parameter(format!("the server has no database '{name}'"))),
        None => Ok(()),
    }
}

fn look_into(source: &Source, name: &str, problems: &mut Vec<Problem>) -> client::Result<ProbedDatabase> {
    let client = source.client().with_database(name)?;
    let snapshot = Snapshot::open(&client, |_| ())?;
    let inventory = snapshot.inventory()?;
    let mut database = ProbedDatabase { name: name.to_owned(), collections: 0, documents: 0 };
    for collection in Slice::new(&inventory).get("collections").into_iter().flat_map(Slice::elements) {
        let Some(collection) = collection.get_path(&["parameters", "name"]).and_then(Slice::as_str) else {
            continue;
        };
        if collection.starts_with('_') && collection != SERVICES {
            continue;
        }
        let count = match source.count(name, collection) {
            // It was dropped since the inventory.
            Err(error) if is_gone(&error) => continue,
            count => count?,
        };
        if collection == SERVICES {
            if count > 0 {
                problems.push(Problem {
                    what: format!("{count} Foxx services"),
                    place: name.to_owned(),
                    effect: "they are copied, and do not run here".to_owned(),
                });
            }
            continue;
        }
        database.collections += 1;
        database.documents += count;
    }
    Ok(database)
}

/// Returns true if a request failed because a collection or database was dropped.
fn is_gone(error: &client::Error) -> bool {
    let gone = [ErrorCode::DataSourceNotFound, ErrorCode::DatabaseNotFound];
    gone.into_iter().any(|code| error.number() == Some(u64::from(code.number())))
}
