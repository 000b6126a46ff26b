//! `/_api/aqlfunction`: user-defined functions. `/_api/aql-builtin`: the server's own functions.

use database::Session;
use database::query::builtin_functions;
use errors::{Error, Result};
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/aqlfunction", Constant, list)
        .about("Lists the user-defined functions.")
        .with_query(&["namespace"]),
    Route::new(Verb::Get, "/_api/aqlfunction/{namespace}", Constant, list)
        .about("Lists the user-defined functions in a namespace."),
    Route::new(Verb::Post, "/_api/aqlfunction", Blocking, store)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Stores a user-defined function.")
        .with_body(
            r#"{"name": "my::double", "code": "function (x) { return 2 * x; }", "isDeterministic": true}"#,
        ),
    // ArangoDB's shell sends the name twice; the one in the body counts.
    Route::new(Verb::Post, "/_api/aqlfunction/{name}", Blocking, store)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Stores the function of a user that the body names."),
    Route::new(Verb::Delete, "/_api/aqlfunction/{name}", Blocking, remove)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Removes a user-defined function, or all of a namespace.")
        .with_query(&["group"]),
    Route::new(Verb::Get, "/_api/aql-builtin", Constant, builtin).about("Lists the built-in AQL functions."),
];

fn list(session: &Session, request: &Request) -> Result<Response> {
    let by_parameter = request.text("namespace")?;
    let namespace = match request.parameter("namespace") {
        "" => by_parameter.as_deref().filter(|namespace| !namespace.is_empty()),
        namespace => Some(namespace),
    };
    let functions = session.user_functions(namespace)?;
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |fields| {
            for function in &functions {
                fields.child_element(|fields| {
                    fields
                        .text("name", &function.name)
                        .text("code", &function.code)
                        .bool("isDeterministic", function.is_deterministic);
                });
            }
        });
    })
}

fn store(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let is_new = session.store_user_function(body.slice())?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Response::success(status, |fields| {
        fields.bool("isNewlyCreated", is_new);
    })
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    let name = request.parameter("name");
    let removed = if request.flag("group", false)? {
        session.remove_user_functions(name)?
    } else {
        session.remove_user_function(name)?;
        1
    };
    let removed = u64::try_from(removed).map_err(Error::internal)?;
    Response::success(StatusCode::OK, |fields| {
        fields.number("deletedCount", removed);
    })
}

fn builtin(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.list("functions", |fields| {
            for function in builtin_functions() {
                fields.child_element(|fields| {
                    fields
                        .text("name", function.name)
                        .text("arguments", &function.arguments)
                        .list("implementations", |fields| {
                            fields.text_element("cxx");
                        })
                        .bool("deterministic", function.is_deterministic)
                        .bool("cacheable", function.is_cacheable);
                });
            }
        });
    })
}
