//! The source of a service: bytes for the server, or a place that the server reads.

use std::path::Path;

use client::Request;
use velocypack::{Builder, Slice};

use super::archive::{PACKED_BYTES_MAX, is_archive, pack};
use super::fetch::{fetch, is_url};
use super::value::{is_stdin, read_file, read_stdin};
use crate::Failure;

/// The source of a service.
#[derive(Debug)]
pub(super) enum Source {
    Archive(Vec<u8>),
    Script(Vec<u8>),
    /// A path of the server, or a URL that it fetches.
    Remote(String),
}

impl Source {
    /// Reads the source that an argument names: a folder, an archive, a JavaScript file, a URL or
    /// the standard input.
    pub(super) fn read(argument: &str, is_remote: bool) -> Result<Source, Failure> {
        if is_remote {
            return Ok(Source::Remote(argument.to_owned()));
        }
        if is_stdin(argument) {
            return Source::of(read_stdin(PACKED_BYTES_MAX)?, "the standard input", true);
        }
        if is_url(argument) {
            let is_script = argument.split(['?', '#']).next().is_some_and(|path| path.ends_with(".js"));
            return Source::of(fetch(argument)?, argument, is_script);
        }
        let path = Path::new(argument);
        match path.is_dir() {
            true => pack(path, false).map(Source::Archive),
            false => Source::of(read_file(path, PACKED_BYTES_MAX)?, argument, argument.ends_with(".js")),
        }
    }

    /// Recognizes bytes. Errors: they are neither an archive nor a script.
    fn of(bytes: Vec<u8>, name: &str, may_be_script: bool) -> Result<Source, Failure> {
        if is_archive(&bytes) {
            return Ok(Source::Archive(bytes));
        }
        if may_be_script && !bytes.is_empty() && std::str::from_utf8(&bytes).is_ok() {
            return Ok(Source::Script(bytes));
        }
        Err(Failure::new(format!(
            "{name} is not the source of a service: it must be a folder, a ZIP archive, or JavaScript in a file named *.js"
        )))
    }

    /// Sets the body of a request that installs the source with settings, JSON objects.
    pub(super) fn body(
        self,
        request: Request,
        configuration: Option<&str>,
        dependencies: Option<&str>,
    ) -> Result<Request, Failure> {
        let settings = [("configuration", configuration), ("dependencies", dependencies)];
        let has_settings = settings.iter().any(|(_, value)| value.is_some());
        match self {
            Source::Remote(source) => Ok(request.json(remote(&source, &settings)?)),
            Source::Archive(bytes) if !has_settings => Ok(request.body("application/zip", bytes)),
            Source::Script(bytes) if !has_settings => Ok(request.body("application/javascript", bytes)),
            Source::Archive(bytes) => form(request, &bytes, "service.zip", "application/zip", &settings),
            Source::Script(bytes) => form(request, &bytes, "index.js", "application/javascript", &settings),
        }
    }
}

fn remote(source: &str, settings: &[(&str, Option<&str>)]) -> Result<String, Failure> {
    let mut body = Builder::new();
    body.open_object()?;
    body.key("source")?;
    body.add_str(source)?;
    for (name, value) in settings {
        if let Some(value) = value {
            body.key(name)?;
            body.add_slice(Slice::new(&super::value::parse(value.as_bytes(), name)?))?;
        }
    }
    body.close()?;
    Ok(body.as_slice().to_json_string())
}

/// Sets a form (RFC 7578) as the body of a request.
fn form(
    request: Request,
    file: &[u8],
    file_name: &str,
    content_type: &str,
    settings: &[(&str, Option<&str>)],
) -> Result<Request, Failure> {
    let boundary = boundary()?;
    let mut body = Vec::with_capacity(file.len() + 1_024);
    let mut part = |head: &str, content: &[u8]| {
        body.extend_from_slice(
            format!("--{boundary}\r\ncontent-disposition: form-data; {head}\r\n\r\n").as_bytes(),
        );
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    };
    part(&format!("name=\"source\"; filename=\"{file_name}\"\r\ncontent-type: {content_type}"), file);
    for (name, value) in settings {
        if let Some(value) = value {
            part(&format!("name=\"{name}\""), value.as_bytes());
        }
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok(request.header("content-type", &format!("multipart/form-data; boundary={boundary}")).bytes(body))
}

/// Returns a boundary that the parts of a form do not have, but with a probability of 2^-128.
fn boundary() -> Result<String, Failure> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| Failure::new(format!("no random numbers: {error}")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}
