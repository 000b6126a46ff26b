//! The scripts of a service.

use client::Request;
use options::Options;
use velocypack::Slice;

use super::command::Call;
use super::options::RAW;
use super::request::Service;
use super::value::value;
use crate::{Console, Failure};

pub(super) fn list(service: &Service<'_>, options: &Options, console: &Console) -> Result<(), Failure> {
    let reply = service.ask(Request::get("/_api/foxx/scripts"), "scripts")?.value()?;
    let scripts = Slice::new(&reply);
    if options.get(&RAW) {
        console.print(&scripts.to_json_string());
        return Ok(());
    }
    for (name, title) in scripts.entries() {
        console.print(&format!("{name}  {}", title.as_str().unwrap_or_default()));
    }
    if scripts.is_empty() {
        console.info(&format!("the service at {} has no scripts", service.mount));
    }
    Ok(())
}

/// Runs a script, and prints its exports as JSON.
pub(super) fn run(service: &Service<'_>, call: &Call, console: &Console) -> Result<(), Failure> {
    let name = call.argument(1).unwrap_or_default();
    let mut request = Request::post("/_api/foxx/scripts").segment(name);
    if let Some(argument) = call.argument(2) {
        request = request.json(Slice::new(&value(argument)?).to_json_string());
    }
    let reply = service.ask(request, &format!("run {name} of"))?;
    if !reply.body().is_empty() {
        console.print(&Slice::new(&reply.value()?).to_json_string());
    }
    Ok(())
}
