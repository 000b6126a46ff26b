//! A session on an empty store, with JSON for requests and replies.

use std::sync::Arc;

use database::Format;
use database::query::request::QueryRequest;
use database::{Identity, Instance, InstanceOptions, Reply, Session};
use serde_json::Value;
use velocypack::{Builder, Limits, Slice};

pub(crate) fn session() -> Session {
    session_with(InstanceOptions::default())
}

pub(crate) fn session_with(options: InstanceOptions) -> Session {
    let instance = Instance::open(test_engine::engine(), options).unwrap();
    Session::open(instance, "_system", Identity::Superuser).unwrap()
}

/// Opens another user's session on the same store.
pub(crate) fn as_user(session: &Session, name: &str) -> Session {
    let mut user = catalog::UserDefinition::new(name, String::new());
    user.rights = catalog::Rights::all();
    session.instance().store().create_user(user).unwrap();
    Session::open(Arc::clone(session.instance()), "_system", Identity::User(name.into())).unwrap()
}

pub(crate) fn value(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(json.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

pub(crate) fn create(session: &Session, json: &str) {
    session.create_collection(Slice::new(&value(json))).unwrap();
}

pub(crate) fn body(reply: &Reply) -> Value {
    match reply.format {
        Format::Json => serde_json::from_slice(&reply.body).unwrap(),
        Format::VelocyPack => {
            let value = velocypack::validate(&reply.body, &Limits::default()).unwrap();
            serde_json::from_str(&value.to_json_string()).unwrap()
        }
    }
}

pub(crate) fn query(session: &Session, text: &str) -> errors::Result<Reply> {
    session.query(&QueryRequest::new(text), Format::Json)
}

/// Returns the rows of a query.
pub(crate) fn rows(session: &Session, text: &str) -> Value {
    body(&query(session, text).unwrap())["result"].clone()
}

pub(crate) fn count(session: &Session, collection: &str) -> u64 {
    rows(session, &format!("RETURN LENGTH({collection})"))[0].as_u64().unwrap()
}
