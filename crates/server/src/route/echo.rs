//! `/_admin/echo`: a request as the server received it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use database::Session;
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::{Fields, Request, Response, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_admin/echo", Constant, echo)
        .about("Returns the request as the server received it."),
    Route::new(Verb::Post, "/_admin/echo", Constant, echo)
        .about("Returns the request as the server received it."),
    Route::new(Verb::Put, "/_admin/echo", Constant, echo)
        .about("Returns the request as the server received it."),
    Route::new(Verb::Patch, "/_admin/echo", Constant, echo)
        .about("Returns the request as the server received it."),
    Route::new(Verb::Delete, "/_admin/echo", Constant, echo)
        .about("Returns the request as the server received it."),
    Route::new(Verb::Get, "/_admin/echo/{*}", Constant, echo)
        .about("Returns the request as the server received it."),
    Route::new(Verb::Post, "/_admin/echo/{*}", Constant, echo)
        .about("Returns the request as the server received it."),
];

fn echo(session: &Session, request: &Request) -> Result<Response> {
    let method = request.method().as_str();
    Response::object(StatusCode::OK, |fields| {
        fields.bool("authorized", true);
        match session.user() {
            Some(user) => fields.text("user", user),
            None => fields.null("user"),
        };
        fields.text("database", session.database_name());
        fields.text("url", request.uri().path_and_query().map_or("/", |target| target.as_str()));
        fields.text("protocol", "http").text("portType", "tcp/ip");
        fields.child("client", |fields| {
            let client = request.client();
            fields.text("address", &client.map(|client| client.ip().to_string()).unwrap_or_default());
            fields.number("port", client.map_or(0, |client| client.port()));
        });
        fields.child("headers", |fields| print_headers(request, fields));
        fields.text("requestType", method);
        print_body(request, fields);
        fields.child("parameters", |fields| print_parameters(request, fields));
        fields.list("suffix", |list| {
            request.rest().for_each(|part| {
                list.text_element(part);
            })
        });
    })
}

/// Writes the headers. The values of a repeated header are joined, as HTTP allows.
fn print_headers(request: &Request, fields: &mut Fields<'_>) {
    for name in request.headers().keys() {
        let values: Vec<_> = request
            .headers()
            .get_all(name)
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        fields.text(name.as_str(), &values.join(", "));
    }
}

fn print_parameters(request: &Request, fields: &mut Fields<'_>) {
    let parameters: std::collections::BTreeMap<_, _> = request.query().iter().collect();
    parameters.iter().for_each(|(name, value)| {
        fields.text(name, value);
    });
}

/// Writes the body: as text if it is text, and encoded otherwise; and its bytes as numbers.
///
/// `rawRequestBody` has the form of a buffer in JavaScript.
fn print_body(request: &Request, fields: &mut Fields<'_>) {
    fields.child("rawRequestBody", |fields| {
        fields.text("type", "Buffer").list("data", |list| {
            request.body().iter().for_each(|byte| {
                list.number_element(*byte);
            });
        });
    });
    match std::str::from_utf8(request.body()) {
        Ok(text) => fields.text("requestBody", text),
        Err(_) => fields.text("requestBodyBase64", &STANDARD.encode(request.body())),
    };
}
