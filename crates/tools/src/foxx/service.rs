//! Services: listing, showing, installing, removing, developing, downloading.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use client::{Client, Request};
use options::Options;
use velocypack::Slice;

use super::archive::{PACKED_BYTES_MAX, pack, unpack, write};
use super::command::{Call, Command};
use super::folder::BOUNDS;
use super::options::{
    ALL, CFG, DEP, EXTRACT, FORCE, LEGACY, OUTFILE, RAW, REMOTE, SLOPPY, STDOUT, is_development, runs_setup,
    runs_teardown,
};
use super::request::{Service, ask};
use super::source::Source;
use super::value::settings;
use crate::{Console, Failure};

/// The path of routes about one service.
const SERVICE: &str = "/_api/foxx/service";

pub(super) fn list(client: &Client, options: &Options, console: &Console) -> Result<(), Failure> {
    let excludes = if options.get(&ALL) { "false" } else { "true" };
    let request = Request::get("/_api/foxx").query("excludeSystem", excludes);
    let reply = ask(client, &request, "list")?.value()?;
    let services = Slice::new(&reply);
    if options.get(&RAW) {
        console.print(&services.to_json_string());
        return Ok(());
    }
    let rows: Vec<[String; 2]> =
        services.elements().map(|service| [text(service, "mount"), label(service)]).collect();
    let width = rows.iter().map(|[mount, _]| mount.chars().count()).max().unwrap_or(0);
    for [mount, label] in &rows {
        console.print(&format!("{mount:width$}  {label}"));
    }
    if rows.is_empty() {
        console.info("there are no services in this database");
    }
    Ok(())
}

pub(super) fn info(service: &Service<'_>, options: &Options, console: &Console) -> Result<(), Failure> {
    let reply = service.ask(Request::get(SERVICE), "info")?.value()?;
    print(Slice::new(&reply), options, console);
    Ok(())
}

/// Installs, upgrades or replaces a service.
pub(super) fn install(
    service: &Service<'_>,
    call: &Call,
    options: &Options,
    console: &Console,
) -> Result<(), Failure> {
    let argument = call.argument(1).unwrap_or(".");
    let source = Source::read(argument, options.get(&REMOTE))?;
    let (request, work) = match call.command {
        Command::Upgrade => (Request::patch(SERVICE), "upgrade"),
        Command::Replace => (Request::put(SERVICE), "replace"),
        _ => (Request::post("/_api/foxx"), "install"),
    };
    let mut request = request.query("mount", service.mount);
    let mut add = |name: &str, value: bool| {
        request = request.clone().query(name, if value { "true" } else { "false" });
    };
    add("setup", runs_setup(options));
    if call.command != Command::Install {
        add("teardown", runs_teardown(options, call.command == Command::Replace));
        add("force", options.get(&FORCE));
    }
    let develops = is_development(options);
    for (name, value) in [("development", develops), ("legacy", options.get(&LEGACY))] {
        if value {
            add(name, true);
        }
    }
    let given = |list: Vec<&str>, repeats| match list.is_empty() {
        true => Ok(None),
        false => settings(&list, repeats).map(Some),
    };
    let (configuration, dependencies) = (given(options.get(&CFG), false)?, given(options.get(&DEP), true)?);
    let request = source.body(request, configuration.as_deref(), dependencies.as_deref())?;
    let mut reply = service.send(&request, &format!("{work} of {argument} at"))?.value()?;
    if develops && Slice::new(&reply).get("development").and_then(Slice::as_bool) == Some(false) {
        // ArangoDB knows the parameter only where a service is installed anew.
        reply = service.ask(Request::post("/_api/foxx/development"), "set-dev")?.value()?;
    }
    print(Slice::new(&reply), options, console);
    Ok(())
}

pub(super) fn uninstall(service: &Service<'_>, options: &Options, console: &Console) -> Result<(), Failure> {
    let teardown = if runs_teardown(options, true) { "true" } else { "false" };
    service.ask(Request::delete(SERVICE).query("teardown", teardown), "uninstall")?;
    console.info(&format!("the service at {} is removed", service.mount));
    Ok(())
}

/// Begins or ends the development of a service.
pub(super) fn develop(service: &Service<'_>, begins: bool, console: &Console) -> Result<(), Failure> {
    let path = "/_api/foxx/development";
    let reply = match begins {
        true => service.ask(Request::post(path), "set-dev")?,
        false => service.ask(Request::delete(path), "set-prod")?,
    };
    let reply = reply.value()?;
    let reply = Slice::new(&reply);
    match begins {
        true => console.info(&format!(
            "{} is in development; the server reads its files from {}",
            service.mount,
            text(reply, "path")
        )),
        false => console.info(&format!("{} is in production", service.mount)),
    }
    Ok(())
}

pub(super) fn download(service: &Service<'_>, options: &Options, console: &Console) -> Result<(), Failure> {
    let extracts = options.get(&EXTRACT);
    if extracts && options.get(&STDOUT) {
        return Err(Failure::option("--extract writes files, and --stdout writes none; use only one"));
    }
    if !extracts {
        check_output(options)?;
    }
    let reply = service.ask(Request::post("/_api/foxx/download").repeatable(), "download")?;
    let archive = reply.into_body();
    if archive.len() as u64 > PACKED_BYTES_MAX {
        return Err(Failure::new(format!("the archive has more than {PACKED_BYTES_MAX} bytes")));
    }
    if !extracts {
        return put(&archive, options, console);
    }
    let folder = Path::new(options.non_empty(&OUTFILE).unwrap_or("."));
    let count = unpack(&archive, folder, options.get(&FORCE), &BOUNDS)?;
    console.info(&format!("{count} files of {} are in {}", service.mount, folder.display()));
    Ok(())
}

pub(super) fn bundle(folder: &str, options: &Options, console: &Console) -> Result<(), Failure> {
    check_output(options)?;
    if !Path::new(folder).is_dir() {
        return Err(Failure::new(format!("{folder} is not a folder")));
    }
    put(&pack(Path::new(folder), options.get(&SLOPPY))?, options, console)
}

/// Checks that an archive has a place to go to. Errors: that is a terminal.
fn check_output(options: &Options) -> Result<(), Failure> {
    match (options.non_empty(&OUTFILE), options.get(&STDOUT)) {
        (Some(_), true) => Err(Failure::option("--outfile and --stdout are different outputs; use only one")),
        (None, false) if io::stdout().is_terminal() => Err(Failure::option(
            "the standard output is a terminal; name a file with --outfile, or use --stdout",
        )),
        _ => Ok(()),
    }
}

fn put(archive: &[u8], options: &Options, console: &Console) -> Result<(), Failure> {
    let Some(path) = options.non_empty(&OUTFILE) else {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(archive).and_then(|()| stdout.flush());
        return written
            .map_err(|error| Failure::new(format!("the standard output cannot be written: {error}")));
    };
    write(Path::new(path), archive, options.get(&FORCE))?;
    console.info(&format!("{path} has {} bytes", archive.len()));
    Ok(())
}

/// Prints a service.
fn print(service: Slice<'_>, options: &Options, console: &Console) {
    if options.get(&RAW) {
        console.print(&service.to_json_string());
        return;
    }
    console.print(&format!("{}  {}", text(service, "mount"), label(service)));
    let manifest = service.get("manifest").unwrap_or(Slice::EMPTY_OBJECT);
    let said = ["description", "author", "license", "main"].map(|name| (name, text(manifest, name)));
    let engines = manifest.get_path(&["engines", "arangodb"]).and_then(Slice::as_str).unwrap_or_default();
    let lists = ["scripts", "configuration", "dependencies"].map(|name| {
        let members = manifest.get(name).filter(|members| members.is_object());
        let names = members.unwrap_or(Slice::EMPTY_OBJECT).entries().map(|(name, _)| name.to_owned());
        (name, names.collect::<Vec<String>>().join(", "))
    });
    let more = [
        ("engines", engines.to_owned()),
        ("path", text(service, "path")),
        ("checksum", text(service, "checksum")),
    ];
    for (name, value) in said.into_iter().chain(lists).chain(more) {
        if !value.is_empty() {
            console.print(&format!("  {:15}{value}", format!("{name}:")));
        }
    }
}

/// Returns name, version and mode of a service.
fn label(service: Slice<'_>) -> String {
    let is = |name: &str| service.get(name).and_then(Slice::as_bool) == Some(true);
    let (name, version) = (text(service, "name"), text(service, "version"));
    let mut label = match (name.is_empty(), version.is_empty()) {
        (true, _) => "(without a name)".to_owned(),
        (false, true) => name,
        (false, false) => format!("{name} {version}"),
    };
    for (mode, note) in [("development", " (development)"), ("legacy", " (legacy)")] {
        if is(mode) {
            label.push_str(note);
        }
    }
    label
}

fn text(value: Slice<'_>, name: &str) -> String {
    value.get(name).and_then(Slice::as_str).unwrap_or_default().to_owned()
}
