//! The services of the database, if the host runs services.

use rquickjs::Value;
use velocypack::Slice;

use super::{Call, NativeResult, Table};
use crate::value;

pub(super) const TABLE: Table =
    &[("hasServices", |call| call.give(call.host().services().is_some())), ("service", service)];

/// `service(mount)`: the description of the service at a mount point; undefined without one.
fn service<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let Some(services) = call.host().services() else { return Ok(call.nothing()) };
    match services.service(&call.text(0)?)? {
        Some(description) => Ok(value::to_js(call.ctx, Slice::new(&description))?),
        None => Ok(call.nothing()),
    }
}
