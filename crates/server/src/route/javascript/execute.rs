//! `POST /_admin/execute`: a JavaScript program of a user who may administer the database, where
//! the option allows it. It has the rights of its user.

use std::sync::Arc;

use database::Session;
use database::javascript::text;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use super::origin::Origin;
use super::script::Script;
use crate::http::Cost::Unknown;
use crate::http::audit::Audit;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::route::batch::PartServices;

/// The services of this family.
pub(crate) struct Services {
    /// The routes for the requests of programs.
    pub(crate) parts: Arc<PartServices>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[Route::with(Verb::Post, "/_admin/execute", Unknown, start)
    .audited(Audit::Service)
    .for_writers()
    .about("Runs a JavaScript program, the body of a function, and returns its result.")
    .with_query(&["returnAsJSON"])
    .with_body("return require('@arangodb').db._name();")];

fn start(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if request.body().is_empty() {
        return Response::success(StatusCode::OK, |_| {});
    }
    let (origin, request) = (Origin::of_request(&services.parts, session, request), request.without_budget());
    Ok(Response::interruptible(origin.interrupt(), move || run(&origin, &request)))
}

/// Runs the program. With `returnAsJSON` the reply is its result, otherwise the text that
/// `JSON.stringify` makes of it.
fn run(origin: &Origin, request: &Request) -> Result<Response> {
    let program =
        std::str::from_utf8(request.body()).map_err(|_| Error::bad_parameter("the program is not UTF-8"))?;
    let as_value = request.flag("returnAsJSON", false)?;
    let script =
        Script { function: "program", arguments: vec![text(program)?], uncaught: ErrorCode::Internal };
    script.run(
        origin,
        || Ok(()),
        |result| {
            let result = result.unwrap_or(Slice::NULL);
            Ok(match as_value {
                true => Response::value(StatusCode::OK, result.bytes().to_vec()),
                false => Response::json(StatusCode::OK, result.to_json_string()),
            })
        },
    )
}
