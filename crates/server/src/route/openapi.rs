//! `/_api/openapi.json`: all routes in the format of OpenAPI 3.1, made from the tables of routes.
//!
//! `x-persea-access` of an operation names the right that it needs, see [`Access`].
//! `x-persea-system` says that it works only in the database `_system`.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::{Builder, Limits, Slice, json};

use crate::http::Cost::Constant;
use crate::http::route::Call;
use crate::http::{Access, BoundRoute, Fields, Request, Response, Route, Verb, content_type, pattern};
use crate::version::PERSEA_VERSION;

/// The services of this family.
#[derive(Clone, Default)]
pub(crate) struct Services {
    /// The document, in JSON, once all routes are known.
    document: Arc<OnceLock<Bytes>>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[Route::with(Verb::Get, "/_api/openapi.json", Constant, get)
    .for_everybody()
    .about("Describes all routes in the OpenAPI format.")];

impl Services {
    /// Makes the document of all routes of a server.
    pub(crate) fn describe(&self, routes: &[BoundRoute]) -> Result<()> {
        let document = Slice::new(&document(routes)?).to_json_string();
        // A server has one list of routes, so nobody else has set another document.
        let _ = self.document.set(Bytes::from(document));
        Ok(())
    }
}

fn get(services: &Services, _session: &Session, _request: &Request) -> Result<Response> {
    let document = services.document.get().ok_or_else(|| Error::internal("no route was described"))?;
    Ok(Response::bytes(StatusCode::OK, content_type::JSON, document.clone()))
}

fn document(routes: &[BoundRoute]) -> Result<Vec<u8>> {
    // Paths and their methods, in the order of the alphabet and of the verbs.
    let mut paths: BTreeMap<&str, Vec<&BoundRoute>> = BTreeMap::new();
    for route in routes {
        paths.entry(route.pattern).or_default().push(route);
    }
    Fields::object(|fields| {
        fields.text("openapi", "3.1.0");
        fields.child("info", |info| {
            info.text("title", "Persea").text("version", PERSEA_VERSION);
        });
        fields.list("servers", |servers| {
            servers.child_element(|server| {
                server.text("url", "/_db/{database}").child("variables", |variables| {
                    variables.child("database", |database| {
                        database.text("default", "_system");
                    });
                });
            });
        });
        fields.child("components", |components| {
            components.child("securitySchemes", |schemes| {
                for scheme in SCHEMES {
                    schemes.child(scheme, |fields| {
                        fields.text("type", "http").text("scheme", scheme);
                    });
                }
            });
        });
        fields.list("security", |security| {
            for scheme in SCHEMES {
                security.child_element(|fields| {
                    fields.list(scheme, |_| {});
                });
            }
        });
        fields.child("paths", |fields| {
            for (pattern, mut routes) in paths {
                routes.sort_by_key(|route| route.verb as usize);
                fields.child(&pattern.replace("{*}", "{rest}"), |fields| {
                    for route in routes {
                        fields.child(method(route.verb), |fields| print(route, fields));
                    }
                });
            }
        });
    })
}

/// The ways to tell the server a user: a password, or a token.
const SCHEMES: [&str; 2] = ["basic", "bearer"];

fn print(route: &BoundRoute, fields: &mut Fields<'_>) {
    let description = route.description;
    fields.list("tags", |tags| {
        tags.text_element(family(route.pattern));
    });
    fields.text("summary", description.summary);
    let names: Vec<&str> = pattern::segments(route.pattern).filter_map(name).collect();
    if !names.is_empty() || !description.query.is_empty() {
        fields.list("parameters", |parameters| {
            for name in names {
                parameters.child_element(|fields| print_parameter(name, "path", fields));
            }
            for name in description.query {
                parameters.child_element(|fields| print_parameter(name, "query", fields));
            }
        });
    }
    if !description.body.is_empty() {
        fields.child("requestBody", |body| {
            body.child("content", |content| print_example(description.body, content));
        });
    }
    if matches!(route.call, Call::Open(_)) {
        // An empty list takes the place of the document's: no user is needed.
        fields.list("security", |_| {});
    }
    fields.text("x-persea-access", access(route));
    if route.system_only {
        fields.bool("x-persea-system", true);
    }
}

fn print_parameter(name: &str, place: &str, fields: &mut Fields<'_>) {
    fields.text("name", name).text("in", place);
    if place == "path" {
        fields.bool("required", true);
    }
    fields.child("schema", |schema| {
        schema.text("type", "string");
    });
}

/// Writes an example of a body by its media type: a value in JSON, or else a text.
fn print_example(example: &str, content: &mut Fields<'_>) {
    let mut value = Builder::with_capacity(128);
    match json::parse(example.as_bytes(), &Limits::default(), &mut value) {
        Ok(()) => content.child("application/json", |media| {
            media.value("example", Slice::new(&value.into_vec()));
        }),
        Err(_) => content.child("text/plain", |media| {
            media.text("example", example);
        }),
    };
}

/// Returns the name that a segment of a pattern has; that of `{*}` is `rest`.
fn name(segment: &'static str) -> Option<&'static str> {
    let name = segment.strip_prefix('{')?.strip_suffix('}')?;
    Some(if name == "*" { "rest" } else { name })
}

/// Returns the family of a route: the first two segments of its path, such as `_api/document`.
fn family(pattern: &'static str) -> &'static str {
    let mut slashes = pattern.match_indices('/').map(|(position, _)| position).skip(2);
    let end = slashes.next().unwrap_or(pattern.len());
    pattern.get(1..end).unwrap_or_default()
}

fn access(route: &BoundRoute) -> &'static str {
    match (&route.call, route.access) {
        (Call::Open(_), _) => "open",
        (_, Access::Nothing) => "nothing",
        (_, Access::Use) => "use",
        (_, Access::Write) => "write",
        (_, Access::Inspect) => "inspect",
        (_, Access::Administer) => "administer",
    }
}

fn method(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Head => "head",
        Verb::Post => "post",
        Verb::Put => "put",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
    }
}
