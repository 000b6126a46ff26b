//! Values from the command line and from files: JSON, or texts.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use velocypack::{Builder, Limits, Slice, json};

use crate::Failure;

/// Maximum size in bytes of a file with values.
const VALUES_BYTES_MAX: u64 = 16 << 20;

/// Reads a file as a whole. Errors: it cannot be read, or has more than `max` bytes.
pub(super) fn read_file(path: &Path, max: u64) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| Failure::new(format!("{shown} cannot be read: {error}")))?;
    read_whole(file, &shown.to_string(), max)
}

/// Reads the standard input as a whole.
pub(super) fn read_stdin(max: u64) -> Result<Vec<u8>, Failure> {
    read_whole(io::stdin().lock(), "the standard input", max)
}

fn read_whole(source: impl Read, name: &str, max: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = source.take(max + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(format!("{name} cannot be read: {error}")))?;
    match bytes.len() as u64 > max {
        true => Err(Failure::new(format!("{name} has more than {max} bytes"))),
        false => Ok(bytes),
    }
}

/// Returns true for the arguments that stand for the standard input.
pub(super) fn is_stdin(argument: &str) -> bool {
    argument == "-" || argument == "@"
}

/// Returns the value of an argument: `-` and `@` read the standard input, `@FILE` a file, both
/// JSON. Other arguments are JSON, or else texts.
pub(super) fn value(argument: &str) -> Result<Vec<u8>, Failure> {
    if is_stdin(argument) {
        return parse(&read_stdin(VALUES_BYTES_MAX)?, "the standard input");
    }
    match argument.strip_prefix('@') {
        Some(path) => parse(&read_file(Path::new(path), VALUES_BYTES_MAX)?, path),
        None => written(argument),
    }
}

/// Returns the value of a text. Errors: the text looks like JSON, and is not.
fn written(text: &str) -> Result<Vec<u8>, Failure> {
    match parse(text.as_bytes(), text) {
        Err(failure) if text.trim_start().starts_with(['{', '[', '"']) => Err(failure),
        Err(_) => {
            let mut builder = Builder::new();
            builder.add_str(text)?;
            Ok(builder.into_vec())
        }
        value => value,
    }
}

/// Parses JSON. `name` says in errors where it is from.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Vec<u8>, Failure> {
    let mut builder = Builder::new();
    let parsed = json::parse(bytes, &Limits::default(), &mut builder);
    parsed.map_err(|error| Failure::new(format!("{name} is not valid JSON: {error}")))?;
    Ok(builder.into_vec())
}

/// Returns an object of settings as JSON: of `NAME=VALUE` for each, or of one argument that names
/// the standard input or a file with the whole object.
///
/// A name that comes several times has an array of its values if `repeats` is true.
pub(super) fn settings(arguments: &[&str], repeats: bool) -> Result<String, Failure> {
    if let [argument] = arguments
        && (is_stdin(argument) || argument.starts_with('@'))
    {
        let value = value(argument)?;
        let value = Slice::new(&value);
        return match value.is_object() {
            true => Ok(value.to_json_string()),
            false => Err(Failure::new(format!("{argument} must have a JSON object of names and values"))),
        };
    }
    let mut values: Vec<(&str, Vec<Vec<u8>>)> = Vec::new();
    for argument in arguments {
        let pair = argument.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, text) =
            pair.ok_or_else(|| Failure::option(format!("{argument:?} must have the form NAME=VALUE")))?;
        let value = value(text).map_err(|failure| failure.during(name))?;
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, more)) if repeats => more.push(value),
            Some(_) => return Err(Failure::option(format!("{name} is given twice"))),
            None => values.push((name, vec![value])),
        }
    }
    let mut builder = Builder::new();
    builder.open_object()?;
    for (name, values) in &values {
        builder.key(name)?;
        match values.as_slice() {
            [value] => builder.add_slice(Slice::new(value))?,
            values => {
                builder.open_array()?;
                values.iter().try_for_each(|value| builder.add_slice(Slice::new(value)))?;
                builder.close()?;
            }
        }
    }
    builder.close()?;
    Ok(builder.as_slice().to_json_string())
}
