//! Exceptions of JavaScript as failures.

use std::hash::{DefaultHasher, Hash, Hasher};

use rquickjs::{CaughtError, Object, Value};

use crate::stop::Stop;
use crate::{Exception, Failure, value};

/// Returns the reason why a script ended.
pub(crate) fn failure(stop: &Stop, error: &CaughtError<'_>) -> Failure {
    if let Some(reason) = stop.reason() {
        return reason;
    }
    match error {
        CaughtError::Exception(exception) => described(exception.as_object()),
        CaughtError::Value(value) => thrown_value(value),
        CaughtError::Error(rquickjs::Error::Allocation) => Failure::OutOfMemory,
        CaughtError::Error(error) => Failure::Host(error.to_string()),
    }
}

fn thrown_value(value: &Value<'_>) -> Failure {
    Failure::Exception(Box::new(Exception { message: shown(value), ..Exception::default() }))
}

/// Notes that nobody handles the rejection of a promise, or that somebody does after all.
pub(crate) fn rejected(stop: &Stop, promise: &Value<'_>, reason: &Value<'_>, is_handled: bool) {
    let mut hasher = DefaultHasher::new();
    // The hash of an object is that of its address.
    promise.hash(&mut hasher);
    let failure = match reason.as_object().filter(|_| reason.is_error()) {
        Some(error) => described(error),
        None => thrown_value(reason),
    };
    stop.note_rejection(hasher.finish(), (!is_handled).then_some(failure));
}

/// Returns the text of a value that was thrown: JSON for objects.
fn shown(value: &Value<'_>) -> String {
    let json = value.as_object().and_then(|object| value.ctx().json_stringify(object.clone()).ok().flatten());
    match json {
        Some(json) => value::text(&json).unwrap_or_default(),
        None => value.get::<rquickjs::Coerced<String>>().map_or(String::new(), |text| text.0),
    }
}

fn described(error: &Object<'_>) -> Failure {
    let text = |name: &str| error.get::<_, Option<rquickjs::Coerced<String>>>(name).ok().flatten();
    let name = text("name").map_or("Error".to_owned(), |name| name.0);
    let message = text("message").map_or(String::new(), |message| message.0);
    let stack = text("stack").map_or(String::new(), |stack| stack.0);
    let number: Option<f64> = error.get("errorNum").ok();
    let status: Option<f64> = error.get("code").ok();
    let message = match number {
        Some(number) => format!("{name} {number}: {message}"),
        None => format!("{name}: {message}"),
    };
    Failure::Exception(Box::new(Exception {
        message,
        number: number.map(|number| number as u32),
        status: number.and(status).map(|status| status as u16),
        place: Exception::place_of(&stack),
        stack,
    }))
}
