//! `/_api/foxx`: services in JavaScript.
//!
//! There are none yet. Drivers list them whenever they open a database, so the list is empty
//! rather than missing.

use database::Session;
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[Route::new(Verb::Get, "/_api/foxx", Constant, list)
    .about("Lists the services, of which there are none.")
    .with_query(&["excludeSystem"])];

fn list(_session: &Session, request: &Request) -> Result<Response> {
    request.flag("excludeSystem", false)?;
    Ok(Response::value(StatusCode::OK, Fields::array(|_| {})?))
}
