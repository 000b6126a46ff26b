//! The methods of prompts, and of the completion of arguments.

use velocypack::Slice;

use crate::host::{Completion, Host};
use crate::message::Failure;
use crate::results::{FIXED_TTL_MS, check_cursor, complete, print_caching};
use crate::revision::Revision;

/// The most values of a completion, which the specification sets.
const VALUES_MAX: usize = 100;

/// Lists the prompts.
pub(crate) fn list(revision: Revision, params: Slice<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    check_cursor(params)?;
    Ok(complete(revision, |object| {
        object.list("prompts", |array| {
            for prompt in host.prompts() {
                array.object(|object| prompt.print(object));
            }
        });
        print_caching(revision, FIXED_TTL_MS, object);
    }))
}

/// Returns the text of a prompt. Errors: -32602.
pub(crate) fn get(revision: Revision, params: Slice<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    let name = params.get("name").and_then(Slice::as_str);
    let prompt = host.prompts().iter().find(|prompt| Some(prompt.name) == name);
    let prompt = prompt.ok_or_else(|| {
        let names: Vec<&str> = host.prompts().iter().map(|prompt| prompt.name).collect();
        Failure::invalid_params(format!("Unknown prompt; the prompts are: {}", names.join(", ")))
    })?;
    let given = params.get("arguments").unwrap_or(Slice::EMPTY_OBJECT);
    let argument = |name: &str| given.get(name).and_then(Slice::as_str).map(str::to_owned);
    let missing = prompt.arguments.iter().find(|known| known.is_required && argument(known.name).is_none());
    if let Some(missing) = missing {
        return Err(Failure::invalid_params(format!("the argument '{}' is missing", missing.name)));
    }
    let text = host.prompt(prompt, &argument);
    Ok(complete(revision, |object| {
        object.text("description", prompt.description);
        object.list("messages", |array| {
            array.object(|object| {
                object.text("role", "user").child("content", |object| {
                    object.text("type", "text").text("text", &text);
                });
            });
        });
    }))
}

/// Completes an argument of a prompt, or a variable of a template. Errors: -32602.
pub(crate) fn complete_argument(
    revision: Revision,
    params: Slice<'_>,
    host: &dyn Host,
) -> Result<Vec<u8>, Failure> {
    let text = |path: &[&str]| params.get_path(path).and_then(Slice::as_str);
    let reference = match text(&["ref", "type"]) {
        Some("ref/prompt") => text(&["ref", "name"]),
        Some("ref/resource") => text(&["ref", "uri"]),
        _ => None,
    };
    let argument = text(&["argument", "name"]);
    let (Some(reference), Some(argument), Some(value)) = (reference, argument, text(&["argument", "value"]))
    else {
        return Err(Failure::invalid_params(
            "'ref' must name a prompt or a template, and 'argument' a value",
        ));
    };
    let values = host.complete(Completion { reference, argument, value });
    Ok(complete(revision, |object| {
        object.child("completion", |object| {
            object.texts("values", values.iter().take(VALUES_MAX).map(String::as_str));
            object.number("total", values.len() as u64).bool("hasMore", values.len() > VALUES_MAX);
        });
    }))
}
