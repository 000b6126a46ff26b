//! `/_admin/aardvark/`: the web interface, and the way to it from `/`.
//!
//! Its files are public; they contain no data. Everything that a page shows or does goes
//! through the routes of the API with the rights of the user who signed in.

use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, VARY,
};
use web::Asset;

use crate::http::Cost::Constant;
use crate::http::compression::accepts;
use crate::http::percent::encode_segment;
use crate::http::{Request, Response, Route, Verb, content_type};
use crate::options::RootRedirect;

/// Scripts and styles come from this server only and never from the text of a page. No page may
/// frame the interface, and it submits no forms. Only the worker that lays out graphs is a script
/// that another script loads.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types layout";

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The services of this family.
pub(crate) struct Services {
    pub(crate) root_redirect: RootRedirect,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::open(Verb::Get, "/", Constant, from_root).about("Redirects to the web interface."),
    Route::open(Verb::Get, "/_admin/aardvark/{*}", Constant, file)
        .about("Sends a file of the web interface."),
];

/// Sends a browser from `/` or `/_db/{database}/` to the interface, or where the options say.
fn from_root(services: &Services, request: &Request) -> Result<Response> {
    let database = encode_segment(request.database());
    let target = services.root_redirect.path();
    Response::empty(services.root_redirect.status())
        .text_header(LOCATION.as_str(), &format!("/_db/{database}{target}"))
}

fn file(_services: &Services, request: &Request) -> Result<Response> {
    let path = request.rest().collect::<Vec<_>>().join("/");
    if path.is_empty() && !request.uri().path().ends_with('/') {
        // The page names its files relative to the folder.
        let location = HeaderValue::from_static("aardvark/");
        return Ok(Response::empty(StatusCode::FOUND).header(LOCATION, location));
    }
    let path = if path.is_empty() { "index.html" } else { &path };
    match web::find(path) {
        Some(asset) => asset_reply(asset, request),
        None if path == "index.html" && !web::is_built() => {
            Ok(secured(Response::bytes(StatusCode::OK, content_type::HTML, web::PAGE_WITHOUT_FILES)))
        }
        None => Err(Error::new(ErrorCode::HttpNotFound, format!("unknown path '{}'", request.path()))),
    }
}

fn asset_reply(asset: &'static Asset, request: &Request) -> Result<Response> {
    let etag = HeaderValue::from_static(asset.etag);
    if request.headers().get(hyper::header::IF_NONE_MATCH) == Some(&etag) {
        return Ok(cached(Response::empty(StatusCode::NOT_MODIFIED), asset));
    }
    let content_type = HeaderValue::from_static(asset.content_type);
    let response = if accepts(request.headers(), "br") {
        Response::bytes(StatusCode::OK, content_type, asset.brotli)
            .header(CONTENT_ENCODING, HeaderValue::from_static("br"))
    } else if accepts(request.headers(), "gzip") {
        Response::bytes(StatusCode::OK, content_type, asset.gzip)
            .header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
    } else {
        Response::bytes(StatusCode::OK, content_type, asset.plain().map_err(Error::internal)?)
    };
    Ok(cached(secured(response), asset))
}

fn cached(response: Response, asset: &'static Asset) -> Response {
    let control = if asset.is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    response
        .header(CACHE_CONTROL, HeaderValue::from_static(control))
        .header(ETAG, HeaderValue::from_static(asset.etag))
        .header(VARY, HeaderValue::from_static("accept-encoding"))
}

fn secured(response: Response) -> Response {
    response
        .header(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY))
        .header(REFERRER_POLICY, HeaderValue::from_static("no-referrer"))
        .header(OPENER_POLICY, HeaderValue::from_static("same-origin"))
}
