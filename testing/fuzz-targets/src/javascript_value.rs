//! Any bytes, read as VelocyPack, as JSON and as a script: a value that crosses to JavaScript and
//! back survives as documented, and every result of a script is valid VelocyPack.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use javascript::{Host, HostResult, Isolate, Limits, LogLevel, Reply, Request};
use velocypack::{Builder, Kind, Slice, json, order, validate};

/// The memory of an isolate; it also bounds the time of a builtin function.
const MEMORY_BYTES: usize = 4 << 20;

/// The maximum time of a script.
const TIME: Duration = Duration::from_millis(50);

/// The global name of the function that the checks call.
const PASS: &str = "require('internal').pass = ";

struct NoHost;

impl Host for NoHost {
    fn request(&self, _: Request<'_>) -> HostResult<Reply> {
        Ok(Reply { status: 200, ..Reply::default() })
    }

    fn database(&self) -> String {
        "_system".to_owned()
    }

    fn print(&self, _: &str) -> HostResult<()> {
        Ok(())
    }

    fn log(&self, _: LogLevel, _: &str) {}
}

pub(crate) fn run(bytes: &[u8]) {
    let limits = velocypack::Limits::default();
    if let Ok(value) = validate(bytes, &limits) {
        crosses(value);
    }
    let mut builder = Builder::new();
    if json::parse(bytes, &limits, &mut builder).is_ok() {
        crosses(builder.as_slice());
    }
    if let Ok(script) = std::str::from_utf8(bytes) {
        gives_values(script);
    }
}

fn isolate() -> Isolate {
    let limits =
        Limits { memory_bytes: MEMORY_BYTES, deadline: Some(Instant::now() + TIME), ..Limits::default() };
    Isolate::new(Box::new(NoHost), &limits, Arc::new(AtomicBool::new(false))).expect("an isolate")
}

/// Passes a value through JavaScript, and compares the result with the documented one.
fn crosses(value: Slice<'_>) {
    let isolate = isolate();
    isolate.run("fuzz", &format!("{PASS}(value) => value")).expect("the script of the target");
    isolate.set_deadline(None);
    let Ok(back) = isolate.call("internal", "pass", &[value]) else { return };
    let back = validate(&back, &velocypack::Limits::default()).expect("a result is valid");
    let mut expected = Builder::new();
    add(&mut expected, value).expect("the documented form");
    assert!(
        order::equal(expected.as_slice(), back),
        "{} became {}",
        value.to_json_string(),
        back.to_json_string()
    );
}

/// Adds a value as JavaScript has it: numbers are doubles, dates numbers, the rest without a form
/// in JSON null.
fn add(builder: &mut Builder, value: Slice<'_>) -> velocypack::Result<()> {
    match value.kind() {
        Kind::Bool => builder.add_bool(value.as_bool().unwrap_or_default()),
        Kind::Array => {
            builder.open_array()?;
            value.elements().try_for_each(|element| add(builder, element))?;
            builder.close()
        }
        Kind::Object => {
            builder.open_object()?;
            for (name, member) in value.entries() {
                builder.key(name)?;
                add(builder, member)?;
            }
            builder.close()
        }
        _ => match (value.as_str(), value.as_f64(), value.as_utc_date()) {
            (Some(text), ..) => builder.add_str(text),
            (None, Some(number), _) if number.is_finite() => builder.add_f64(number),
            (None, None, Some(milliseconds)) => builder.add_f64(milliseconds as f64),
            _ => builder.add_null(),
        },
    }
}

/// Takes the value of an expression, which is valid, and survives another crossing unchanged.
fn gives_values(script: &str) {
    let isolate = isolate();
    if isolate.run("fuzz", &format!("{PASS}() => (\n{script}\n)")).is_err() {
        return;
    }
    let Ok(value) = isolate.call("internal", "pass", &[]) else { return };
    let value = validate(&value, &velocypack::Limits::default()).expect("a result is valid");
    crosses(value);
}
