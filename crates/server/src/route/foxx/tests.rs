//! The tests of services.

use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;
use hyper::header::{ACCEPT, HeaderValue};
use velocypack::Slice;

use super::runner::{Callee, ServiceCall};
use super::{Services, mount_of};
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::route::javascript::origin::Origin;

/// The form of a report that is not JSON.
struct Form {
    reporter: &'static str,
    /// The types in `Accept` that ask for it.
    accepted: &'static [&'static str],
    content_type: HeaderValue,
}

static FORMS: [Form; 3] = [
    Form {
        reporter: "stream",
        accepted: &["application/x-ldjson"],
        content_type: HeaderValue::from_static("application/x-ldjson"),
    },
    Form {
        reporter: "tap",
        accepted: &["text/plain", "text/*"],
        content_type: HeaderValue::from_static("text/plain; charset=utf-8"),
    },
    Form {
        reporter: "xunit",
        // `application/xml` gets JSON, as the tests of python-arango expect of ArangoDB.
        accepted: &["text/xml"],
        content_type: HeaderValue::from_static("application/xml; charset=utf-8"),
    },
];

/// The reporters that only write JSON.
const OTHERS: [&str; 2] = ["default", "suite"];

pub(super) fn run(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let service = session.service(mount_of(services, request)?.as_str())?;
    let reporter = request.text("reporter")?.filter(|name| !name.is_empty()).unwrap_or("default".into());
    let form = FORMS.iter().find(|form| *form.reporter == *reporter);
    if form.is_none() && !OTHERS.contains(&&*reporter) {
        let message =
            format!("unknown reporter '{reporter}'; expecting default, suite, stream, xunit or tap");
        return Err(Error::bad_parameter(message));
    }
    let accepted = request.header(ACCEPT).unwrap_or_default();
    let is_accepted = |form: &&Form| {
        accepted
            .split(',')
            .any(|kind| form.accepted.contains(&kind.split(';').next().unwrap_or_default().trim()))
    };
    let form = match request.flag("idiomatic", false)? {
        true => form,
        false => form.filter(is_accepted),
    };
    let bundle = session.bundle_of_folder(service.folder())?;
    let manifest = service.manifest()?;
    let files = bundle.matching(manifest.tests());
    let files = Fields::array(|fields| {
        for file in &files {
            fields.text_element(file);
        }
    })?;
    let options = Fields::object(|fields| {
        fields.text("reporter", &reporter).bool("idiomatic", form.is_some());
        if let Ok(Some(filter)) = request.text("filter") {
            fields.text("filter", &filter);
        }
    })?;
    let origin = Origin::of_request(services.runner.parts(), session, request);
    let mount = database::javascript::text(service.mount())?;
    let call = ServiceCall::new("tests", vec![mount, files, options]);
    let callee = Callee { services: &session.services()?, service: &service, origin: &origin };
    services.runner.call_once(callee, call, |result, body| {
        Ok(match form {
            Some(form) => Response::bytes(StatusCode::OK, form.content_type.clone(), body.to_vec()),
            None => report(result),
        })
    })
}

/// Returns a report that is a value.
fn report(result: Slice<'_>) -> Response {
    let bytes = result.bytes().get(..result.byte_len()).unwrap_or_default();
    Response::value(StatusCode::OK, bytes.to_vec())
}
