//! The configuration and the dependencies of a service.

use client::Request;
use options::Options;
use velocypack::{Builder, Slice};

use super::command::{Call, Command};
use super::options::{FORCE, MINIMAL, RAW};
use super::request::Service;
use super::value;
use crate::{Console, Failure};

/// Shows or changes settings.
///
/// Errors: the server does not take a value that was given.
pub(super) fn run(
    service: &Service<'_>,
    call: &Call,
    options: &Options,
    console: &Console,
) -> Result<(), Failure> {
    let (path, work) = match call.command {
        Command::Dependencies => ("/_api/foxx/dependencies", "deps"),
        _ => ("/_api/foxx/configuration", "config"),
    };
    let given = call.from(1);
    let resets = options.get(&FORCE);
    let changes = !given.is_empty() || resets;
    let body = value::settings(&given, call.command == Command::Dependencies)?;
    let reply = if changes {
        let request = if resets { Request::put(path) } else { Request::patch(path) };
        service.ask(request.query("minimal", "false").json(body.clone()), work)?
    } else {
        service.ask(Request::get(path), work)?
    };
    let reply = reply.value()?;
    let items = Slice::new(&reply);
    if options.get(&MINIMAL) {
        console.print(&current(items)?);
    } else if options.get(&RAW) {
        console.print(&items.to_json_string());
    } else {
        items
            .entries()
            .for_each(|(name, item)| lines(name, item).iter().for_each(|line| console.print(line)));
        if items.is_empty() {
            console.info(&format!("the service at {} has no settings of this kind", service.mount));
        }
    }
    report_warnings(items, &body, &format!("{work} {}", service.mount), console)
}

/// Reports the server's warnings. Errors: one is about a value that was given.
fn report_warnings(items: Slice<'_>, body: &str, work: &str, console: &Console) -> Result<(), Failure> {
    let body = value::parse(body.as_bytes(), work)?;
    let given = Slice::new(&body);
    let mut refused = Vec::new();
    for (name, item) in items.entries() {
        let Some(warning) = item.get("warning").and_then(Slice::as_str) else { continue };
        let text = format!("{name}: {warning}");
        match given.get(name) {
            Some(_) => refused.push(text),
            None => console.warning(&text),
        }
    }
    match refused.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("{work}: {}", refused.join("; ")))),
    }
}

/// Returns the present values as JSON.
fn current(items: Slice<'_>) -> Result<String, Failure> {
    let mut values = Builder::new();
    values.open_object()?;
    for (name, item) in items.entries() {
        if let Some(value) = item.get("current") {
            values.key(name)?;
            values.add_slice(value)?;
        }
    }
    values.close()?;
    Ok(values.as_slice().to_json_string())
}

/// Describes a setting.
pub(super) fn lines(name: &str, item: Slice<'_>) -> Vec<String> {
    let text = |name: &str| item.get(name).and_then(Slice::as_str).unwrap_or_default();
    let value = match item.get("current").filter(|value| !value.is_null()) {
        Some(value) => value.to_json_string(),
        None => "(not set)".to_owned(),
    };
    let mut notes: Vec<String> = Vec::new();
    match (text("type"), text("name")) {
        ("", "") => {}
        ("", service) => {
            let words = [service, text("version")].into_iter().filter(|word| !["", "*"].contains(word));
            notes.extend(words.map(str::to_owned));
        }
        (kind, _) => notes.push(kind.to_owned()),
    }
    for (flag, note) in [("required", "required"), ("multiple", "several services")] {
        if item.get(flag).and_then(Slice::as_bool) == Some(true) {
            notes.push(note.to_owned());
        }
    }
    if let Some(default) = item.get("default") {
        notes.push(format!("default {}", default.to_json_string()));
    }
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    let mut lines = vec![format!("{name} = {value}{notes}")];
    if !text("description").is_empty() {
        lines.push(format!("  {}", text("description")));
    }
    lines
}
