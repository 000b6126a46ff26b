//! Requests to Persea's HTTP API, and to other hosts.

use std::time::Duration;

use errors::{Error, ErrorCode};
use rquickjs::{Array, Object, Value};
use velocypack::{Limits, Slice};

use super::call::forbidden;
use super::{Call, NativeResult, Table};
use crate::{OutsideRequest, Reply, Request, value};

pub(super) const TABLE: Table = &[
    ("database", |call| call.give(call.host().database())),
    ("request", request),
    ("unpack", unpack),
    ("exchange", exchange),
    ("fetch", fetch),
];

/// `request(method, database, path, headers, body, packed)`: status and value of the reply, as an
/// array of two.
///
/// It is the path of most requests, so it makes as few objects as possible. The attribute with the
/// name `packed` may stay as it came, for [`unpack`].
fn request<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let reply = send(call, false)?;
    let pair = Array::new(call.ctx.clone())?;
    pair.set(0, reply.status)?;
    pair.set(1, parsed(call, &reply)?)?;
    Ok(pair.into_value())
}

/// `unpack(value)`: the value of an attribute that `request` left packed, or the value itself.
fn unpack<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let value = call.arguments.first().cloned().unwrap_or_else(|| call.nothing());
    match value::bytes(&value) {
        Some(bytes) => unpacked(call, &bytes),
        None => Ok(value),
    }
}

/// Returns the value of bytes that may be anything.
fn unpacked<'js>(call: &Call<'_, 'js>, bytes: &[u8]) -> NativeResult<Value<'js>> {
    velocypack::validate(bytes, &Limits::default())
        .map_err(|error| Error::new(ErrorCode::ClientCouldNotRead, error.to_string()))?;
    Ok(value::to_js(call.ctx, Slice::new(bytes))?)
}

/// `exchange(method, database, path, headers, body)`: the reply with its headers and bytes.
fn exchange<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let reply = send(call, true)?;
    give_reply(call, reply)
}

/// `fetch(method, url, headers, body, seconds, verifies)`: the reply of another host.
fn fetch<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let network = call.host().network().ok_or_else(|| forbidden("the network"))?;
    let timeout = call.value(4).and_then(Value::as_number);
    let reply = network.request(OutsideRequest {
        method: &call.text(0)?,
        url: &call.text(1)?,
        headers: &call.pairs(2)?,
        body: &call.bytes(3)?,
        timeout: timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        verifies: call.flag(5),
    })?;
    give_reply(call, reply)
}

fn send(call: &Call<'_, '_>, wants_headers: bool) -> NativeResult<Reply> {
    let request = Request {
        method: &call.text(0)?,
        database: &call.text(1)?,
        path: &call.text(2)?,
        headers: &call.pairs(3)?,
        body: &call.bytes(4)?,
        wants_headers,
    };
    Ok(call.host().request(request)?)
}

/// Returns the value of a body, JSON or VelocyPack; the text of any other one.
fn parsed<'js>(call: &Call<'_, 'js>, reply: &Reply) -> NativeResult<Value<'js>> {
    let kind = reply.headers.iter().find(|(name, _)| name == "content-type").map(|(_, kind)| kind.as_str());
    let kind = kind.unwrap_or_default();
    if reply.body.is_empty() {
        return Ok(call.nothing());
    }
    if kind.starts_with("application/x-velocypack") {
        return match call.optional_text(5)? {
            Some(packed) => partly_unpacked(call, &reply.body, &packed),
            None => unpacked(call, &reply.body),
        };
    }
    if kind.starts_with("application/json") {
        return Ok(call.ctx.json_parse(reply.body.as_slice())?);
    }
    call.give(String::from_utf8_lossy(&reply.body).into_owned())
}

/// Returns the value of a body, an object, with one attribute as bytes.
fn partly_unpacked<'js>(call: &Call<'_, 'js>, body: &[u8], packed: &str) -> NativeResult<Value<'js>> {
    velocypack::validate(body, &Limits::default())
        .map_err(|error| Error::new(ErrorCode::ClientCouldNotRead, error.to_string()))?;
    let object = Object::new(call.ctx.clone())?;
    for (name, member) in Slice::new(body).entries() {
        let value = match name == packed {
            true => call.give_bytes(member.bytes().get(..member.byte_len()).unwrap_or_default().to_vec())?,
            false => value::to_js(call.ctx, member)?,
        };
        object.set(name, value)?;
    }
    Ok(object.into_value())
}

fn give_reply<'js>(call: &Call<'_, 'js>, reply: Reply) -> NativeResult<Value<'js>> {
    let object = Object::new(call.ctx.clone())?;
    object.set("status", reply.status)?;
    object.set("headers", call.give_pairs(&reply.headers)?)?;
    object.set("body", call.give_bytes(reply.body)?)?;
    Ok(object.into_value())
}
