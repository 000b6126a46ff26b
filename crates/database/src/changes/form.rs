//! The forms in which clients get changes.
//!
//! Sources: the envelope of Debezium 2 (documentation, "Change events"), and CloudEvents 1.0.2 with
//! its JSON format.

use errors::{Error, Result};
use storage::{Change, ChangeKind, Commit};
use velocypack::{Builder, Slice, json};

use super::Token;
use super::kept::now_ms;

/// The form of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ChangeForm {
    /// `token`, `operation`, `collection`, `key`, `document`, `before`, `time`, `transaction`.
    #[default]
    Persea,
    /// Debezium's envelope: `before`, `after`, `source`, `op`, `ts_ms`, `transaction`.
    Debezium,
    /// An event of CloudEvents, whose `data` has the attributes of our own form.
    CloudEvents,
}

impl ChangeForm {
    /// Reads the name of a form.
    ///
    /// Errors: 10 for another name.
    pub fn parse(name: &str) -> Result<ChangeForm> {
        match name {
            "persea" => Ok(ChangeForm::Persea),
            "debezium" => Ok(ChangeForm::Debezium),
            "cloudevents" => Ok(ChangeForm::CloudEvents),
            _ => Err(Error::bad_parameter(format!(
                "unknown format '{name}': expecting 'persea', 'debezium' or 'cloudevents'"
            ))),
        }
    }

    /// Returns true if the form has changes of this kind. Debezium's envelope has none of
    /// definitions: its sinks take them for documents without a key.
    pub(crate) fn has(self, kind: ChangeKind) -> bool {
        self != ChangeForm::Debezium || kind.is_of_document() || kind == ChangeKind::Truncated
    }

    /// Returns the name of the form.
    pub fn name(self) -> &'static str {
        match self {
            ChangeForm::Persea => "persea",
            ChangeForm::Debezium => "debezium",
            ChangeForm::CloudEvents => "cloudevents",
        }
    }
}

/// Returns the name of an operation.
pub(crate) fn operation(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Inserted => "insert",
        ChangeKind::Updated => "update",
        ChangeKind::Replaced => "replace",
        ChangeKind::Removed => "remove",
        ChangeKind::DatabaseCreated => "createDatabase",
        ChangeKind::DatabaseDropped => "dropDatabase",
        ChangeKind::CollectionCreated => "createCollection",
        ChangeKind::CollectionDropped => "dropCollection",
        ChangeKind::CollectionRenamed => "renameCollection",
        ChangeKind::CollectionChanged => "changeCollection",
        ChangeKind::Truncated => "truncate",
        ChangeKind::IndexCreated => "createIndex",
        ChangeKind::IndexDropped => "dropIndex",
        ChangeKind::ViewCreated => "createView",
        ChangeKind::ViewDropped => "dropView",
        ChangeKind::ViewChanged => "changeView",
        ChangeKind::UserChanged => "changeUser",
        ChangeKind::UserRemoved => "removeUser",
    }
}

/// The facts that are printed besides the change itself.
pub(crate) struct Context<'a> {
    pub(crate) database: &'a str,
    /// The feed has the changes of several databases.
    pub(crate) is_global: bool,
    pub(crate) log: u64,
    pub(crate) commit: &'a Commit,
    /// The time of the commit, by [`CommitTimes`].
    pub(crate) time: &'a str,
    /// The entry is the last one of its commit that the client gets from this part.
    pub(crate) is_last: bool,
    /// The definition as clients know it, for an entry about one; otherwise [`Slice::NONE`].
    pub(crate) definition: Slice<'a>,
}

/// Appends a change as one JSON object without a line break.
pub(crate) fn write(form: ChangeForm, change: &Change<'_>, context: &Context<'_>, out: &mut Vec<u8>) {
    match form {
        ChangeForm::Persea => {
            out.extend_from_slice(b"{");
            write_own(change, context, out);
            out.extend_from_slice(b"}");
        }
        ChangeForm::Debezium => write_debezium(change, context, out),
        ChangeForm::CloudEvents => write_cloud_event(change, context, out),
    }
}

fn write_own(change: &Change<'_>, context: &Context<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"token\":\"");
    Token { log: context.log, position: change.position }.write(out);
    out.extend_from_slice(b"\",");
    text(out, "operation", operation(change.kind));
    if context.is_global && !context.database.is_empty() {
        out.push(b',');
        text(out, "database", context.database);
    }
    if let Some(collection) = change.collection {
        out.push(b',');
        text(out, "collection", collection.name);
    }
    let name = change.collection.map(|collection| collection.name);
    if let Some(key) = change.document.get("_key").and_then(Slice::as_str) {
        out.push(b',');
        text(out, "key", key);
    }
    if change.kind.is_of_document() {
        value(out, "document", change.document, name);
        if let Some(old) = change.old {
            value(out, "before", old, name);
        }
    } else if !context.definition.is_none() {
        value(out, "definition", context.definition, None);
    }
    out.push(b',');
    text(out, "time", context.time);
    out.extend_from_slice(b",\"transaction\":\"");
    json::write_u64(context.commit.first, out);
    out.extend_from_slice(if context.is_last { b"\",\"last\":true" } else { b"\",\"last\":false" });
}

/// Adds a change in our own form as an object.
pub(crate) fn build(change: &Change<'_>, context: &Context<'_>, out: &mut Builder) -> Result<()> {
    let collection = change.collection.map(|collection| collection.name);
    out.open_object()?;
    let token = Token { log: context.log, position: change.position }.to_string();
    let key = change.document.get("_key").and_then(Slice::as_str);
    for (name, text) in [
        ("token", Some(token.as_str())),
        ("operation", Some(operation(change.kind))),
        ("collection", collection),
        ("key", key),
    ] {
        if let Some(text) = text {
            out.key(name)?;
            out.add_str(text)?;
        }
    }
    if change.kind.is_of_document() {
        for (name, document) in [("document", Some(change.document)), ("before", change.old)] {
            if let Some(document) = document {
                out.key(name)?;
                out.add_resolved(document, collection)?;
            }
        }
    } else if !context.definition.is_none() {
        out.key("definition")?;
        out.add_slice(context.definition)?;
    }
    out.key("time")?;
    out.add_str(context.time)?;
    out.key("transaction")?;
    out.add_str(&context.commit.first.to_string())?;
    out.key("last")?;
    out.add_bool(context.is_last)?;
    Ok(out.close()?)
}

/// The beginning of the attribute `source` of Debezium's envelope.
const DEBEZIUM_SOURCE: &[u8] = b"{\"version\":\"1\",\"connector\":\"persea\",\"name\":\"persea\",";

fn write_debezium(change: &Change<'_>, context: &Context<'_>, out: &mut Vec<u8>) {
    let name = change.collection.map(|collection| collection.name);
    let op = match change.kind {
        ChangeKind::Inserted => "c",
        ChangeKind::Updated | ChangeKind::Replaced => "u",
        ChangeKind::Removed => "d",
        _ => "t",
    };
    let after = if change.kind == ChangeKind::Removed { Slice::NONE } else { change.document };
    // Without previous versions, a removal has the key and the revision.
    let removed = (change.kind == ChangeKind::Removed).then_some(change.document);
    out.extend_from_slice(b"{\"before\":");
    json::write(or_null(change.old.or(removed)), name, out);
    out.extend_from_slice(b",\"after\":");
    json::write(or_null(Some(after)), name, out);
    out.extend_from_slice(b",\"source\":");
    out.extend_from_slice(DEBEZIUM_SOURCE);
    let ms = (context.commit.time / 1_000).to_string();
    out.extend_from_slice(b"\"ts_ms\":");
    out.extend_from_slice(ms.as_bytes());
    out.extend_from_slice(b",\"snapshot\":\"false\",");
    text(out, "db", context.database);
    out.push(b',');
    text(out, "collection", name.unwrap_or_default());
    out.push(b',');
    text(out, "operation", operation(change.kind));
    out.push(b',');
    text(out, "token", &Token { log: context.log, position: change.position }.to_string());
    out.extend_from_slice(b"},");
    text(out, "op", op);
    out.extend_from_slice(b",\"ts_ms\":");
    out.extend_from_slice(ms.as_bytes());
    if context.commit.is_transaction {
        out.extend_from_slice(b",\"transaction\":{");
        text(out, "id", &context.commit.first.to_string());
        let order = change.position.saturating_sub(context.commit.first);
        out.extend_from_slice(format!(",\"total_order\":{order}}}}}").as_bytes());
    } else {
        out.extend_from_slice(b",\"transaction\":null}");
    }
}

fn write_cloud_event(change: &Change<'_>, context: &Context<'_>, out: &mut Vec<u8>) {
    let token = Token { log: context.log, position: change.position };
    begin_event(out, &token.to_string(), context.database, operation(change.kind));
    out.push(b',');
    if let Some(collection) = change.collection {
        let key = change.document.get("_key").and_then(Slice::as_str);
        match key {
            Some(key) => text(out, "subject", &format!("{}/{key}", collection.name)),
            None => text(out, "subject", collection.name),
        }
        out.push(b',');
    }
    text(out, "time", context.time);
    out.extend_from_slice(b",\"datacontenttype\":\"application/json\",\"data\":{");
    write_own(change, context, out);
    out.extend_from_slice(b"}}");
}

/// Appends a document that is there before the changes of a feed.
pub(crate) fn write_present(
    form: ChangeForm,
    database: &str,
    collection: &str,
    document: Slice<'_>,
    out: &mut Vec<u8>,
) {
    let key = document.get("_key").and_then(Slice::as_str).unwrap_or_default();
    match form {
        ChangeForm::Persea => {
            out.push(b'{');
            write_own_present(collection, document, out);
            out.push(b'}');
        }
        ChangeForm::Debezium => {
            out.extend_from_slice(b"{\"before\":null,\"after\":");
            json::write(document, Some(collection), out);
            out.extend_from_slice(b",\"source\":");
            out.extend_from_slice(DEBEZIUM_SOURCE);
            out.extend_from_slice(b"\"snapshot\":\"true\",");
            text(out, "db", database);
            out.push(b',');
            text(out, "collection", collection);
            out.extend_from_slice(b"},\"op\":\"r\",\"ts_ms\":");
            json::write_u64(now_ms(), out);
            out.extend_from_slice(b",\"transaction\":null}");
        }
        ChangeForm::CloudEvents => {
            let revision = document.get("_rev").and_then(Slice::as_str).unwrap_or_default();
            let subject = format!("{collection}/{key}");
            begin_event(out, &format!("{subject}@{revision}"), database, "initial");
            out.push(b',');
            text(out, "subject", &subject);
            out.extend_from_slice(b",\"datacontenttype\":\"application/json\",\"data\":{");
            write_own_present(collection, document, out);
            out.extend_from_slice(b"}}");
        }
    }
}

fn write_own_present(collection: &str, document: Slice<'_>, out: &mut Vec<u8>) {
    text(out, "operation", "initial");
    out.push(b',');
    text(out, "collection", collection);
    value(out, "document", document, Some(collection));
}

/// Appends what says that all present documents were shown.
pub(crate) fn write_ready(form: ChangeForm, database: &str, token: Token, out: &mut Vec<u8>) {
    let token = token.to_string();
    match form {
        ChangeForm::Persea => {
            out.push(b'{');
            text(out, "token", &token);
            out.extend_from_slice(b",\"operation\":\"ready\"}");
        }
        ChangeForm::Debezium => {
            out.extend_from_slice(b"{\"before\":null,\"after\":null,\"source\":");
            out.extend_from_slice(DEBEZIUM_SOURCE);
            text(out, "db", database);
            out.extend_from_slice(b",\"operation\":\"ready\",");
            text(out, "token", &token);
            out.extend_from_slice(b"},\"op\":\"m\",\"transaction\":null}");
        }
        ChangeForm::CloudEvents => {
            begin_event(out, &token, database, "ready");
            out.push(b'}');
        }
    }
}

/// Begins an event of CloudEvents with the attributes that each has.
fn begin_event(out: &mut Vec<u8>, id: &str, database: &str, operation: &str) {
    out.extend_from_slice(b"{\"specversion\":\"1.0\",");
    text(out, "id", id);
    out.push(b',');
    text(out, "source", &format!("/_db/{database}"));
    out.push(b',');
    text(out, "type", &format!("persea.{operation}"));
}

/// The times of commits as text. It keeps the last one: many commits end in one millisecond.
#[derive(Default)]
pub(crate) struct CommitTimes {
    milliseconds: u64,
    text: String,
}

impl CommitTimes {
    /// Returns the time of a commit in ISO 8601, UTC.
    pub(crate) fn of(&mut self, commit: &Commit) -> &str {
        let milliseconds = commit.time / 1_000;
        if self.milliseconds != milliseconds || self.text.is_empty() {
            self.milliseconds = milliseconds;
            self.text = aql_date::to_iso_utc(i64::try_from(milliseconds).unwrap_or(i64::MAX));
        }
        &self.text
    }
}

fn or_null(value: Option<Slice<'_>>) -> Slice<'_> {
    value.filter(|value| !value.is_none()).unwrap_or(Slice::NULL)
}

fn text(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    json::write_str(value, out);
}

fn value(out: &mut Vec<u8>, name: &str, value: Slice<'_>, collection: Option<&str>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    json::write(value, collection, out);
}
