//! `persea vpack` (arangovpack): checks a value in VelocyPack or JSON, and converts it.
//!
//! The input is one value, which is checked as those of clients are. Its size is bounded by that of
//! the largest body that the server takes.

mod options;

use std::fs::File;
use std::io::{self, Read, Write};

use velocypack::{Builder, Kind, Limits, Slice, json, validate};

use self::options::{InputForm, OutputForm, Settings};
use crate::{Console, Failure, Tool};
use ::options::Options;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "vpack",
    links: &["arangovpack"],
    summary: "check a value in VelocyPack or JSON, and convert it",
    when_stopped: "the output may be incomplete",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, _console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options);
    let value = decode(&read(settings.input.as_deref())?, settings.input_form)?;
    let output = encode(Slice::new(&value), settings.output_form, settings.fails_on_non_json)?;
    write(settings.output.as_deref(), &output)
}

/// Returns the whole input, or an error if it is too long for a value in hexadecimal digits.
fn read(path: Option<&str>) -> Result<Vec<u8>, Failure> {
    let name = path.unwrap_or("standard input");
    let most = 2 * Limits::DEFAULT_MAX_BYTES as u64;
    let mut bytes = Vec::new();
    let read = match path {
        Some(path) => File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)),
        None => io::stdin().take(most + 1).read_to_end(&mut bytes),
    };
    read.map_err(|error| Failure::new(format!("{name} cannot be read: {error}")))?;
    if bytes.len() as u64 > most {
        return Err(Failure::new(format!("{name} is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// Returns the value of an input as VelocyPack.
fn decode(input: &[u8], form: InputForm) -> Result<Vec<u8>, Failure> {
    let decoded = if form.is_hex { Some(from_hex(input)?) } else { None };
    let bytes = decoded.as_deref().unwrap_or(input);
    let limits = Limits::default();
    if !form.is_json {
        validate(bytes, &limits)
            .map_err(|error| Failure::new(format!("the input is not VelocyPack: {error}")))?;
        return Ok(bytes.to_vec());
    }
    let mut value = Builder::new();
    json::parse(bytes, &limits, &mut value)
        .map_err(|error| Failure::new(format!("the input is not JSON: {error}")))?;
    Ok(value.into_vec())
}

fn encode(value: Slice<'_>, form: OutputForm, fails_on_non_json: bool) -> Result<Vec<u8>, Failure> {
    let mut output = Vec::new();
    match form {
        OutputForm::VelocyPack => output.extend_from_slice(value.bytes()),
        OutputForm::Hex => {
            value
                .bytes()
                .iter()
                .try_for_each(|byte| write!(output, "{byte:02x}"))
                .map_err(|error| unwritten(&error))?;
        }
        OutputForm::Json | OutputForm::PrettyJson => {
            if let Some(kind) = non_json(value).filter(|_| fails_on_non_json) {
                return Err(Failure::new(format!(
                    "the value has the type '{}', which JSON lacks; --fail-on-non-json false converts it",
                    kind.name()
                )));
            }
            match form {
                OutputForm::PrettyJson => json::write_pretty(value, None, &mut output),
                _ => json::write(value, None, &mut output),
            }
            output.push(b'\n');
        }
    }
    Ok(output)
}

fn write(path: Option<&str>, output: &[u8]) -> Result<(), Failure> {
    let written = match path {
        Some(path) => std::fs::write(path, output),
        None => io::stdout().write_all(output).and_then(|()| io::stdout().flush()),
    };
    written.map_err(|error| unwritten(&error))
}

fn unwritten(error: &io::Error) -> Failure {
    Failure::new(format!("the output cannot be written: {error}"))
}

/// Returns the first type in a value that JSON lacks. A valid value is at most as deep as
/// [`Limits`] allow.
fn non_json(value: Slice<'_>) -> Option<Kind> {
    match value.kind() {
        Kind::Null | Kind::Bool | Kind::Int | Kind::UInt | Kind::String => None,
        Kind::Double => value.as_f64().filter(|number| !number.is_finite()).map(|_| Kind::Double),
        Kind::Array => value.elements().find_map(non_json),
        Kind::Object => value.entries().find_map(|(_, member)| non_json(member)),
        other => Some(other),
    }
}

/// Returns the bytes that hexadecimal digits stand for. White space between bytes is ignored.
fn from_hex(text: &[u8]) -> Result<Vec<u8>, Failure> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut digits = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    let mut bytes = Vec::with_capacity(text.len() / 2);
    while let Some(high) = digits.next() {
        let pair = digit(high).zip(digits.next().and_then(digit));
        let (high, low) = pair.ok_or_else(|| {
            let message = format!("the input is not hexadecimal: byte {} lacks a digit", bytes.len());
            Failure::new(message)
        })?;
        bytes.push(high << 4 | low);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: InputForm = InputForm { is_json: true, is_hex: false };
    const HEX: InputForm = InputForm { is_json: false, is_hex: true };

    fn convert(input: &str, from: InputForm, to: OutputForm) -> Result<String, String> {
        let value = decode(input.as_bytes(), from).map_err(|failure| failure.text().to_owned())?;
        let output = encode(Slice::new(&value), to, true).map_err(|failure| failure.text().to_owned())?;
        Ok(String::from_utf8(output).unwrap())
    }

    #[test]
    fn values_are_converted_in_both_directions() {
        assert_eq!(convert("[1, 2]", JSON, OutputForm::Hex).unwrap(), "02043132");
        assert_eq!(convert("02 04 31 32\n", HEX, OutputForm::Json).unwrap(), "[1,2]\n");
        let hex = convert(r#"{"a":[true,null,"ä",1.5],"b":{}}"#, JSON, OutputForm::Hex).unwrap();
        let pretty = convert(&hex, HEX, OutputForm::PrettyJson).unwrap();
        assert!(pretty.starts_with("{\n  \"a\":"), "{pretty}");
        let digits = InputForm { is_json: true, is_hex: true };
        assert_eq!(convert("6e756c6c", digits, OutputForm::Json).unwrap(), "null\n");
    }

    #[test]
    fn bad_input_is_named() {
        for (input, form, message) in [
            ("{", JSON, "the input is not JSON"),
            ("", JSON, "the input is not JSON"),
            ("0", HEX, "byte 0 lacks a digit"),
            ("31 3x", HEX, "byte 1 lacks a digit"),
            ("", HEX, "the input is not VelocyPack"),
            ("0204", HEX, "the input is not VelocyPack"),
            ("1c0000000000000000", HEX, "the type 'utc-date', which JSON lacks"),
            ("1f", HEX, "the input is not VelocyPack"),
        ] {
            let error = convert(input, form, OutputForm::Json).unwrap_err();
            assert!(error.contains(message), "{input}: {error}");
        }
        let date = decode(b"1c0000000000000000", HEX).unwrap();
        assert_eq!(encode(Slice::new(&date), OutputForm::Json, false).unwrap(), b"0\n");
    }
}
