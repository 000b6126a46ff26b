//! `persea dump`, also called through a link named `arangodump`: databases into a folder.
//!
//! [`options`] reads the options. [`database`] opens a batch on the server, a snapshot of all
//! collections at one moment. It reads the server's inventory ([`inventory`]) and writes the
//! descriptions. Then threads ([`work`]) fetch batches of documents ([`replication_client`]), apply
//! a file of maskings ([`masking`]), pack the batches and write them to their collection's file
//! ([`file`]).

mod database;
mod file;
mod inventory;
mod masking;
mod options;
mod work;

use client::Client;
use replication_client::{Role, Source};

use self::masking::Maskings;
use self::options::Settings;
use crate::{Console, Failure, Server, Tool, connect};
use ::options::Options;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "dump",
    links: &["arangodump"],
    summary: "dump databases into a folder",
    when_stopped: "the dump is incomplete",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options)?;
    settings.prepare_folder()?;
    let server = connect(options, console, false)?;
    refuse_clusters(&server.client)?;
    let warn = |texts: Vec<String>| texts.iter().for_each(|text| console.warning(text));
    warn(settings.maskings.as_ref().map(Maskings::doubts).unwrap_or_default());
    match settings.all_databases {
        true => dump_all(&server, &settings, console)?,
        false => database::dump(&server, &settings, &settings.folder, console)?,
    }
    warn(settings.maskings.as_ref().map(Maskings::failing).unwrap_or_default());
    Ok(())
}

/// Checks that the server does not belong to a cluster.
///
/// Errors: it does.
fn refuse_clusters(client: &Client) -> Result<(), Failure> {
    let source = Source::connect(client.with_database("_system")?)?;
    match source.role()? {
        Role::Single => Ok(()),
        Role::Cluster => Err(Failure::new(
            "the server belongs to a cluster; this tool dumps single servers, clusters need ArangoDB's arangodump",
        )),
    }
}

/// Dumps every database that the user can see.
fn dump_all(server: &Server, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for (name, folder) in database::folders(&server.client, settings)? {
        console.info(&format!("database {name:?}"));
        std::fs::create_dir_all(&folder).map_err(|error| options::folder_failure(&folder, &error))?;
        let server = Server { client: server.client.with_database(&name)?, ..server.clone() };
        match database::dump(&server, settings, &folder, console) {
            Err(failure) if settings.force => {
                console.error(failure.text());
                failed.push(name);
            }
            outcome => outcome.map_err(|failure| failure.during(&format!("database {name:?}")))?,
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("incomplete dumps of the databases {}", failed.join(", ")))),
    }
}
