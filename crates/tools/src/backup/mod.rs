//! `persea backup`, also called through a link named `arangobackup`: backups of all databases.
//!
//! [`options`] reads the options. [`local`] asks a server to make, list, restore and delete its
//! local backups. [`transfer`] asks it to copy them to and from a repository. [`offline`] works on
//! a repository without a server. A restore to a moment opens a store, which is the work of the
//! program around the tools ([`restore_request`]).

mod local;
mod offline;
mod options;
mod transfer;

use client::Client;
use velocypack::{Builder, Slice};

use self::options::{Operation, Settings};
use crate::{Console, Failure, Tool, connect};
use ::options::Options;

pub use self::options::RestoreRequest;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "backup",
    links: &["arangobackup"],
    summary: "create, restore and copy backups of all databases",
    when_stopped: "the server may continue the operation",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

/// Returns the options of a restore to a moment, for a program that knows the store; `None` if the
/// tool itself does the work.
///
/// Errors: options that are missing or wrong.
pub fn restore_request(options: &Options) -> Result<Option<RestoreRequest>, Failure> {
    Ok(Settings::read(options)?.moment())
}

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options)?;
    match settings.operation {
        Operation::Verify => return offline::verify(&settings, console),
        Operation::Prune => return offline::prune(&settings, console),
        Operation::List if settings.repository.is_some() => return offline::list(&settings, console),
        Operation::Delete if settings.repository.is_some() => return offline::delete(&settings, console),
        _ => {}
    }
    let server = connect(options, console, false)?;
    match settings.operation {
        Operation::Create => local::create(&server.client, &settings, console),
        Operation::Delete => local::delete(&server.client, &settings, console),
        Operation::Restore => local::restore(&server.client, &settings, console),
        Operation::Upload | Operation::Download => transfer::run(&server.client, &settings, console),
        _ => local::list(&server.client, &settings, console),
    }
}

/// Sends a request of `/_admin/backup`, and returns `result` of the reply.
fn call(
    client: &Client,
    operation: &str,
    fill: impl FnOnce(&mut Builder) -> velocypack::Result<()>,
) -> Result<Vec<u8>, Failure> {
    let mut body = Builder::new();
    body.open_object()?;
    fill(&mut body)?;
    body.close()?;
    let request = client::Request::post(&format!("/_admin/backup/{operation}"));
    let reply = client.call(&request.json(body.as_slice().to_json_string()))?.value()?;
    let result = Slice::new(&reply).get("result");
    Ok(result.unwrap_or(Slice::EMPTY_OBJECT).bytes().to_vec())
}

/// Returns a text of a reply.
fn said(reply: &[u8], name: &str) -> String {
    Slice::new(reply).get(name).and_then(Slice::as_str).unwrap_or_default().to_owned()
}
