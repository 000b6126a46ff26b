//! `persea group`: shows a group of servers that elect a leader, appoints one, and changes the
//! members. Prints the writes that a former leader alone had.

mod options;
mod set_aside;
mod status;
#[cfg(test)]
mod tests;

use client::{Client, Request};
use velocypack::{Builder, Slice};

use self::options::{Operation, Settings};
use crate::{Console, Failure, Tool, connect};
use ::options::Options;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "group",
    links: &[],
    summary: "show a group of servers that elect a leader, appoint one, change the members",
    when_stopped: "the servers continue",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options)?;
    if let Operation::SetAside(file, secret) = &settings.operation {
        return set_aside::print(file, secret.as_ref(), console);
    }
    let client = connect(options, console, false)?.client;
    let view = match &settings.operation {
        Operation::Status => ask(&client, Request::get("/_api/group"), &settings)?,
        Operation::Appoint(id) => {
            let body = body(&[("id", *id)], None)?;
            ask(&client, Request::post("/_api/group/appoint").json(body), &settings)?
        }
        Operation::Add(id, endpoint) => {
            let body = body(&[("id", *id)], Some(endpoint))?;
            ask(&client, Request::post("/_api/group/members").json(body), &settings)?
        }
        // It asks no server.
        Operation::SetAside(..) => return Ok(()),
        Operation::Remove(id) => {
            let request = Request::delete("/_api/group/members").segment(&id.to_string());
            ask(&client, request, &settings)?
        }
    };
    let view = Slice::new(&view);
    if settings.is_json {
        console.print(&view.to_json_string());
    } else {
        status::lines(view).iter().for_each(|line| console.print(line));
    }
    match status::failure(view) {
        Some(failure) => Err(Failure::new(failure)),
        None => Ok(()),
    }
}

fn body(numbers: &[(&str, u64)], endpoint: Option<&str>) -> Result<String, Failure> {
    let mut body = Builder::new();
    body.open_object()?;
    for (name, number) in numbers {
        body.key(name)?;
        body.add_u64(*number)?;
    }
    if let Some(endpoint) = endpoint {
        body.key("endpoint")?;
        body.add_str(endpoint)?;
    }
    body.close()?;
    Ok(body.as_slice().to_json_string())
}

fn ask(client: &Client, request: Request, settings: &Settings) -> Result<Vec<u8>, Failure> {
    let request = request.database("_system").query("timeout", &settings.timeout_seconds.to_string());
    Ok(client.call(&request)?.value()?)
}
