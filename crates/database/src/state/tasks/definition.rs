//! The definition of a task, as a client gives it.

use std::time::Duration;

use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

/// The name of a task without one.
const DEFAULT_NAME: &str = "user-defined task";

/// A task as a client describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskDefinition {
    /// The identifier; none if the server chooses one.
    pub id: Option<String>,
    /// A name for people.
    pub name: String,
    /// The body of a JavaScript function whose parameter is `params`.
    pub command: String,
    /// The value of `params`, as VelocyPack.
    pub params: Vec<u8>,
    /// The seconds between two runs; none for a task that runs once.
    pub period_seconds: Option<f64>,
    /// The seconds until the first run.
    pub offset_seconds: f64,
}

impl TaskDefinition {
    /// Reads the body of a request. `id` is the identifier in its path, which wins.
    ///
    /// Errors: 10; 1850 for an identifier that is not a text, or empty.
    pub fn from_body(body: Slice<'_>, id: Option<&str>) -> Result<Self> {
        let command = text(body, "command")?.filter(|command| !command.is_empty());
        let command =
            command.ok_or_else(|| Error::bad_parameter("`command` is missing: a task needs one"))?;
        let period_seconds = seconds(body, "period")?;
        if period_seconds == Some(0.0) {
            return Err(Error::bad_parameter("`period` is 0; it must be greater, or absent"));
        }
        Ok(TaskDefinition {
            id: id.map_or_else(|| identifier(body), |id| Ok(Some(id.to_owned())))?,
            name: text(body, "name")?.unwrap_or(DEFAULT_NAME).to_owned(),
            command: command.to_owned(),
            params: body.get("params").unwrap_or(Slice::NULL).bytes().to_vec(),
            period_seconds,
            offset_seconds: seconds(body, "offset")?.unwrap_or_default(),
        })
    }
}

fn identifier(body: Slice<'_>) -> Result<Option<String>> {
    let Some(id) = body.get("id").filter(|id| !id.is_null()) else { return Ok(None) };
    match id.as_str() {
        Some(id) if !id.is_empty() => Ok(Some(id.to_owned())),
        _ => Err(Error::of(ErrorCode::TaskInvalidId)),
    }
}

fn text<'a>(body: Slice<'a>, name: &str) -> Result<Option<&'a str>> {
    match body.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(Error::bad_parameter(format!("`{name}` must be a string"))),
        },
    }
}

/// Returns a number of seconds. Errors: 10 if it is none, negative, or beyond what clocks have.
fn seconds(body: Slice<'_>, name: &str) -> Result<Option<f64>> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let seconds = value.as_f64().filter(|seconds| Duration::try_from_secs_f64(*seconds).is_ok());
    match seconds {
        Some(seconds) => Ok(Some(seconds)),
        None => Err(Error::bad_parameter(format!("`{name}` must be a non-negative number of seconds"))),
    }
}
