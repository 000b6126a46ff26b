//! `/_admin/log*`: the recent entries of the log, and its levels.

use std::sync::Arc;

use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::audit::Audit;
use crate::http::route::AllServers;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::options::ApiAccess;
use crate::service::log::{Level, Log, Query, STRUCTURED_PARAMETERS, TOPICS};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) access: ApiAccess,
    pub(crate) log: Arc<Log>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/log", Constant, columns)
        .for_inspectors()
        .about("Returns log entries as one list for each attribute.")
        .with_query(&["upto", "level", "start", "size", "offset", "search", "sort"]),
    Route::with(Verb::Get, "/_admin/log/entries", Constant, entries)
        .for_inspectors()
        .about("Returns log entries.")
        .with_query(&["upto", "level", "start", "size", "offset", "search", "sort"]),
    Route::with(Verb::Delete, "/_admin/log/entries", Constant, forget)
        .audited(Audit::Service)
        .about("Removes the log entries in memory."),
    Route::with(Verb::Get, "/_admin/log/level", Constant, levels)
        .for_inspectors()
        .about("Returns the log level of each topic.")
        .with_query(&["withAppenders"]),
    Route::with(Verb::Put, "/_admin/log/level", Constant, set_levels)
        .of_all_servers(AllServers::Change)
        .audited(Audit::Service)
        .about("Changes log levels.")
        .with_query(&["withAppenders"])
        .with_body(r#"{"general": "debug"}"#),
    Route::with(Verb::Delete, "/_admin/log/level", Constant, reset_levels)
        .of_all_servers(AllServers::Change)
        .audited(Audit::Service)
        .about("Resets the log levels.")
        .with_query(&["withAppenders"]),
    Route::with(Verb::Get, "/_admin/log/structured", Constant, structured)
        .about("Returns the parameters that log entries include."),
    Route::with(Verb::Put, "/_admin/log/structured", Constant, set_structured)
        .of_all_servers(AllServers::Change)
        .audited(Audit::Service)
        .about("Sets the parameters that log entries include.")
        .with_body(r#"{"database": true}"#),
];

fn allow(services: &Services, session: &Session) -> Result<()> {
    services.access.check(session, "/_admin/log")
}

fn query(request: &Request) -> Result<Query> {
    let level = |name: &str| -> Result<Option<Level>> {
        let Some(text) = request.text(name)?.filter(|text| !text.is_empty()) else { return Ok(None) };
        let level = Level::from_name(&text);
        level.map(Some).ok_or_else(|| Error::bad_parameter(format!("unknown log level '{text}' in '{name}'")))
    };
    let (least, only) = (level("upto")?, level("level")?);
    Ok(Query {
        least: least.or(only.is_none().then_some(Level::Info)),
        only,
        start: request.number("start")?.unwrap_or(0),
        search: request.text("search")?.unwrap_or_default().into_owned(),
        descending: request.text("sort")?.is_some_and(|sort| sort.eq_ignore_ascii_case("desc")),
        offset: request.number("offset")?.unwrap_or(0),
        size: request.number("size")?.unwrap_or(usize::MAX),
    })
}

/// Returns the entries in the older form: one array per attribute.
fn columns(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    allow(services, session)?;
    let (entries, total) = services.log.entries(&query(request)?);
    let seconds = |entry: &crate::service::log::Entry| {
        entry.time.duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs())
    };
    Response::object(StatusCode::OK, |fields| {
        fields.number("totalAmount", total as u64);
        fields.list("lid", |list| {
            entries.iter().for_each(|entry| {
                list.number_element(entry.id);
            })
        });
        fields.list("topic", |list| {
            entries.iter().for_each(|entry| {
                list.text_element(entry.topic);
            })
        });
        fields.list("level", |list| {
            entries.iter().for_each(|entry| {
                list.number_element(entry.level as u8);
            })
        });
        fields.list("timestamp", |list| {
            entries.iter().for_each(|entry| {
                list.number_element(seconds(entry));
            })
        });
        fields.list("text", |list| {
            entries.iter().for_each(|entry| {
                list.text_element(&entry.text);
            })
        });
    })
}

fn entries(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    allow(services, session)?;
    let (entries, total) = services.log.entries(&query(request)?);
    Response::object(StatusCode::OK, |fields| {
        fields.number("total", total as u64);
        fields.list("messages", |list| {
            for entry in &entries {
                list.child_element(|fields| {
                    fields
                        .number("id", entry.id)
                        .text("topic", entry.topic)
                        .text("level", entry.level.name());
                    fields.text("date", &entry.date()).text("message", &entry.text);
                });
            }
        });
    })
}

fn print_levels(log: &Log, fields: &mut Fields<'_>) {
    log.levels().for_each(|(topic, level)| {
        fields.text(topic, level.name());
    });
}

fn forget(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    allow(services, session)?;
    services.log.forget_entries();
    Response::object(StatusCode::OK, |fields| {
        fields.bool("error", false).number("code", 200_u32);
    })
}

/// Returns the levels; on request, also those of each output.
fn levels(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    allow(services, session)?;
    let log = &services.log;
    if !request.flag("withAppenders", false)? {
        return Response::object(StatusCode::OK, |fields| print_levels(log, fields));
    }
    Response::object(StatusCode::OK, |fields| {
        fields.child("global", |fields| print_levels(log, fields));
        fields.child("appenders", |fields| {
            for (output, levels) in log.output_levels() {
                fields.child(&output, |fields| {
                    levels.iter().for_each(|(topic, level)| {
                        fields.text(topic, level.name());
                    });
                });
            }
        });
    })
}

fn set_levels(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    allow(services, session)?;
    let body = request.body_value()?;
    let (mut global, mut outputs) = (body.slice(), Vec::new());
    if request.flag("withAppenders", false)? {
        let appenders = global.get("appenders").unwrap_or(velocypack::Slice::EMPTY_OBJECT);
        if !appenders.is_object() {
            return Err(Error::bad_parameter("'appenders' must be an object of outputs"));
        }
        for (output, wanted) in appenders.entries() {
            outputs.push((output, changes(wanted)?));
        }
        // ArangoDB's tools also send the levels of the log alone.
        global = global.get("global").unwrap_or(match outputs.is_empty() {
            true => global,
            false => velocypack::Slice::EMPTY_OBJECT,
        });
    }
    let known = services.log.output_levels();
    if let Some((output, _)) =
        outputs.iter().find(|(output, _)| !known.iter().any(|(name, _)| name == output))
    {
        return Err(Error::bad_parameter(format!("the log has no output '{output}'")));
    }
    // Everything is checked before anything changes.
    for (topic, level) in changes(global)? {
        services.log.set_level(topic, level);
    }
    for (output, changes) in outputs {
        for (topic, level) in changes {
            services.log.set_output_level(output, topic, level);
        }
    }
    levels(services, session, request)
}

/// Returns the topics and levels of a body. Errors: an unknown topic or level.
fn changes(wanted: velocypack::Slice<'_>) -> Result<Vec<(&str, Level)>> {
    let level = |value: velocypack::Slice<'_>| {
        let level = value.as_str().and_then(Level::from_name);
        level.ok_or_else(|| Error::bad_parameter(format!("unknown log level {value}")))
    };
    if wanted.is_string() {
        return Ok(vec![("general", level(wanted)?)]);
    }
    if !wanted.is_object() {
        return Err(Error::bad_parameter("the request body must be an object of topics and levels"));
    }
    let change = |(topic, value)| match topic == "all" || TOPICS.contains(&topic) {
        true => Ok((topic, level(value)?)),
        false => Err(Error::bad_parameter(format!("unknown log topic '{topic}'"))),
    };
    wanted.entries().map(change).collect()
}

fn reset_levels(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    allow(services, session)?;
    services.log.reset_levels();
    levels(services, session, request)
}

fn structured(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    allow(services, session)?;
    let log = &services.log;
    Response::object(StatusCode::OK, |fields| {
        // Parameters that are off are omitted.
        for parameter in STRUCTURED_PARAMETERS.into_iter().filter(|parameter| log.shows(parameter)) {
            fields.bool(parameter, true);
        }
    })
}

fn set_structured(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    allow(services, session)?;
    let body = request.body_object()?;
    for (name, value) in body.slice().entries() {
        if let Some(shown) = value.as_bool() {
            services.log.show(name, shown);
        }
    }
    structured(services, session, request)
}
