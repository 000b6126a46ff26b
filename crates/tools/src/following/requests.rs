//! Requests about following, which only administrators of `_system` may send.

use client::{Client, Request};
use velocypack::{Builder, Slice};

use super::status::Status;
use crate::{Console, Failure};

/// Sends an operation, and returns the reply's body.
pub(crate) fn command(
    client: &Client,
    operation: &str,
    fill: impl FnOnce(&mut Builder) -> velocypack::Result<()>,
) -> Result<Vec<u8>, Failure> {
    let mut body = Builder::new();
    body.open_object()?;
    fill(&mut body)?;
    body.close()?;
    let request = match operation {
        "" => Request::put("/_api/follow"),
        _ => Request::post(&format!("/_api/follow/{operation}")),
    };
    let request = request.database("_system").json(body.as_slice().to_json_string());
    let reply = client.call(&request)?;
    match reply.body().is_empty() {
        true => Ok(Slice::EMPTY_OBJECT.bytes().to_vec()),
        false => Ok(reply.value()?),
    }
}

/// Asks for the state.
pub(crate) fn status(client: &Client) -> Result<Status, Failure> {
    let reply = client.call(&Request::get("/_api/follow").database("_system"))?;
    Ok(Status::of(reply.value()?))
}

/// Prints the state, as text or as the server's JSON.
///
/// Errors: the server cannot continue by itself.
pub(crate) fn print_status(status: &Status, is_json: bool, console: &Console) -> Result<(), Failure> {
    match is_json {
        true => console.print(&status.json()),
        false => status.lines().iter().for_each(|line| console.print(line)),
    }
    match status.has_failed() {
        true => Err(Failure::new(status.failure())),
        false => Ok(()),
    }
}
