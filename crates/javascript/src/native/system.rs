//! Output, time, and the capabilities around the process.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use errors::ErrorCode;
use rquickjs::{Array, Object, Value};

use super::call::forbidden;
use super::{Call, NativeResult, Table};
use crate::{Failure, HostError, LogLevel, Process, Terminal};

pub(super) const TABLE: Table = &[
    ("print", |call| {
        call.host().print(&call.text(0)?)?;
        Ok(call.nothing())
    }),
    ("log", log),
    ("time", |call| {
        call.give(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64()))
    }),
    ("sleep", sleep),
    ("collectGarbage", |call| {
        call.ctx.run_gc();
        Ok(call.nothing())
    }),
    ("errorCodes", error_codes),
    ("environment", environment),
    ("setEnvironment", set_environment),
    ("processId", |call| call.give(process(call)?.id())),
    ("arguments", |call| {
        let arguments = process(call)?.arguments();
        call.give_list(arguments.iter().map(String::as_str))
    }),
    ("exit", exit),
    ("hasTerminal", |call| call.give(call.host().terminal().is_some())),
    ("hasColors", |call| call.give(call.host().terminal().is_some_and(Terminal::has_colors))),
    ("isPretty", |call| call.give(call.host().terminal().is_none_or(Terminal::is_pretty))),
    ("beginPager", |call| {
        terminal(call)?.begin_pager();
        Ok(call.nothing())
    }),
    ("endPager", |call| {
        terminal(call)?.end_pager();
        Ok(call.nothing())
    }),
    ("readLine", |call| call.give(terminal(call)?.read_line())),
    ("endpoint", |call| call.give(terminal(call)?.endpoint())),
    ("user", |call| call.give(terminal(call)?.user())),
    ("reconnect", |call| {
        terminal(call)?.reconnect(&call.text(0)?, &call.text(1)?, &call.text(2)?)?;
        Ok(call.nothing())
    }),
];

/// `log(level, text)`: a message of `console`.
fn log<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let level = match call.text(0)?.as_str() {
        "debug" => LogLevel::Debug,
        "warn" => LogLevel::Warning,
        "error" => LogLevel::Error,
        _ => LogLevel::Info,
    };
    call.host().log(level, &call.text(1)?);
    Ok(call.nothing())
}

/// `sleep(seconds)`: blocks the script. The interrupt flag and the deadline end it.
fn sleep<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let seconds = call.number(0)?;
    call.core.stop.sleep(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX));
    Ok(call.nothing())
}

/// `errorCodes()`: an array of name, number, message and status for each error.
fn error_codes<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let all = Array::new(call.ctx.clone())?;
    for (index, code) in ErrorCode::ALL.iter().enumerate() {
        let row = Array::new(call.ctx.clone())?;
        row.set(0, code.name())?;
        row.set(1, code.number())?;
        row.set(2, code.message())?;
        row.set(3, code.status())?;
        all.set(index, row)?;
    }
    Ok(all.into_value())
}

/// `environment()`: the environment variables; an empty object if scripts may not see them.
fn environment<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    match call.host().environment() {
        Some(environment) => Ok(call.give_pairs(&environment.variables())?.into_value()),
        None => Ok(Object::new(call.ctx.clone())?.into_value()),
    }
}

/// `setEnvironment(name, value)`: sets a variable, or removes it without a value.
fn set_environment<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let environment = call.host().environment().ok_or_else(|| forbidden("environment variables"))?;
    environment.set(&call.text(0)?, call.optional_text(1)?.as_deref());
    Ok(call.nothing())
}

/// `exit(code)`: ends the script, and the program after it.
fn exit<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    process(call)?;
    let code = call.value(0).and_then(Value::as_number).unwrap_or_default();
    Err(HostError::Fatal(Failure::Exit(code as i64 as u8)).into())
}

fn process<'a>(call: &'a Call<'_, '_>) -> NativeResult<&'a dyn Process> {
    call.host().process().ok_or_else(|| forbidden("the process"))
}

fn terminal<'a>(call: &'a Call<'_, '_>) -> NativeResult<&'a dyn Terminal> {
    call.host().terminal().ok_or_else(|| forbidden("the terminal"))
}
