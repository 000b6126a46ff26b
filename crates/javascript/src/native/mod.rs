//! The functions that modules call on the host: the object `host` in JavaScript.
//!
//! A family of functions is a file with a table. [`install`] makes an object of all tables.

mod bytes;
mod call;
mod code;
mod compress;
mod crypto;
mod files;
mod nonces;
mod request;
mod services;
mod system;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use rquickjs::function::{Rest, This};
use rquickjs::{Ctx, Exception, Function, Object, Result, Value, qjs};

use crate::packages::Packages;
use crate::stop::Stop;
use crate::{Failure, Host, HostError};

pub(crate) use call::{Call, NativeError, NativeResult};

/// A native function.
type Native = for<'a, 'js> fn(&Call<'a, 'js>) -> NativeResult<Value<'js>>;

/// The functions of one family, by name.
type Table = &'static [(&'static str, Native)];

const TABLES: &[Table] = &[
    bytes::TABLE,
    code::TABLE,
    compress::TABLE,
    crypto::TABLE,
    files::TABLE,
    nonces::TABLE,
    request::TABLE,
    services::TABLE,
    system::TABLE,
];

/// The state that native functions share.
pub(crate) struct Core {
    pub(crate) host: Box<dyn Host>,
    pub(crate) stop: Rc<Stop>,
    pub(crate) packages: Packages,
}

/// Returns the object `host` with all native functions.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, core: &Rc<Core>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    for (name, native) in TABLES.iter().copied().flatten() {
        object.set(*name, function(ctx, core, name, *native)?)?;
    }
    Ok(object)
}

fn function<'js>(
    ctx: &Ctx<'js>,
    core: &Rc<Core>,
    name: &'static str,
    native: Native,
) -> Result<Function<'js>> {
    let core = Rc::clone(core);
    let run = move |ctx: Ctx<'js>, this: This<Value<'js>>, arguments: Rest<Value<'js>>| {
        let call = Call { ctx: &ctx, core: &core, arguments: arguments.into_inner() };
        guarded(&call, native).map_err(|error| thrown(&ctx, &core, &this.0, name, error))
    };
    Function::new(ctx.clone(), run)?.with_name(name)
}

/// Runs a native function, unless the script must end. A panic becomes a failure of the host.
fn guarded<'js>(call: &Call<'_, 'js>, native: Native) -> NativeResult<Value<'js>> {
    if let Some(reason) = call.core.stop.reason() {
        return Err(NativeError::Host(HostError::Fatal(reason)));
    }
    catch_unwind(AssertUnwindSafe(|| native(call))).unwrap_or_else(|panic| {
        let reason = panic.downcast_ref::<&str>().map(|reason| (*reason).to_owned());
        let reason = reason.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(NativeError::Host(HostError::Fatal(Failure::Host(format!("the host panicked: {reason}")))))
    })
}

/// Throws an error: an `ArangoError`, or one that nobody can catch.
fn thrown<'js>(
    ctx: &Ctx<'js>,
    core: &Core,
    this: &Value<'js>,
    name: &str,
    error: NativeError,
) -> rquickjs::Error {
    match error {
        NativeError::Js(error) => error,
        NativeError::Host(HostError::Thrown(error)) => arango_error(ctx, this, &error),
        NativeError::Host(HostError::Fatal(failure)) => {
            core.stop.fail(failure);
            uncatchable(ctx, name)
        }
    }
}

/// Throws an `ArangoError`, which `host.error` makes.
fn arango_error<'js>(ctx: &Ctx<'js>, this: &Value<'js>, error: &errors::Error) -> rquickjs::Error {
    let make = this.as_object().map(|host| host.get::<_, Function<'js>>("error"));
    match make {
        Some(Ok(make)) => match make.call::<_, Value<'js>>((error.number(), error.message(), error.status()))
        {
            Ok(value) => ctx.throw(value),
            Err(error) => error,
        },
        _ => Exception::throw_message(ctx, error.message()),
    }
}

/// Throws an error that no `catch` and no `finally` of a script sees.
#[allow(unsafe_code, reason = "the library has no function for it")]
fn uncatchable(ctx: &Ctx<'_>, name: &str) -> rquickjs::Error {
    match Exception::from_message(ctx.clone(), name) {
        Ok(exception) => {
            let value = exception.into_object().into_value();
            // SAFETY: the value is an error object of this context, and stays alive until it is
            // thrown.
            unsafe { qjs::JS_SetUncatchableError(ctx.as_raw().as_ptr(), value.as_raw()) };
            ctx.throw(value)
        }
        Err(error) => error,
    }
}
