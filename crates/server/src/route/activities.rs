//! `/_admin/activities`: the requests, queries and transactions in progress.
//!
//! Source: ArangoDB 3.12 documentation, "Activities HTTP API".

use std::cmp::Reverse;
use std::sync::Arc;

use database::activity::Origin;
use database::query::registry::{RegisteredQuery, Scope};
use database::transaction::TransactionActivity;
use database::{Instance, Session};
use errors::Result;
use hyper::StatusCode;
use metrics::Metric;
use velocypack::Slice;

use crate::http::Cost::Control;
use crate::http::activities::{Activities, RequestActivity};
use crate::http::date::iso_date;
use crate::http::path::path_in_database;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::options::ApiAccess;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) access: ApiAccess,
    pub(crate) instance: Arc<Instance>,
    /// The requests on the worker pool.
    pub(crate) requests: Arc<Activities>,
}

// It runs while the threads of other requests are all busy.
pub(crate) const ROUTES: &[Route<Services>] = &[Route::with(Verb::Get, "/_admin/activities", Control, list)
    .for_administrators()
    .about("Lists the requests, queries and transactions in progress.")];

pub(crate) const METRICS: &[Metric<Services>] = &[
    Metric::counter(
        "arangodb_activities_total",
        "Total number of activities: requests on the worker pool, queries and stream transactions.",
        |services| services.begun().into(),
    ),
    Metric::gauge("arangodb_activities_existing", "Number of activities in progress.", |services| {
        services.existing().into()
    }),
];

impl Services {
    fn begun(&self) -> u64 {
        let transactions = self.instance.transactions().counts().begun.get();
        self.requests.begun() + self.instance.queries().registered() + transactions
    }

    fn existing(&self) -> usize {
        let queries = self.instance.queries().running(Scope::default());
        self.requests.len() + queries.len() + self.instance.transactions().len()
    }
}

/// An activity of any type.
enum Activity {
    Request(RequestActivity),
    Query(Arc<RegisteredQuery>),
    Transaction(TransactionActivity),
}

fn list(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    services.access.check(session, request.uri().path())?;
    Ok(Response::value(StatusCode::OK, describe(services)?))
}

/// Returns an object with all activities, newest first.
pub(super) fn describe(services: &Services) -> Result<Vec<u8>> {
    let requests = services.requests.list().into_iter().map(Activity::Request);
    let queries = services.instance.queries().running(Scope::default()).into_iter().map(Activity::Query);
    let transactions = services.instance.transactions().activities().into_iter().map(Activity::Transaction);
    let mut all: Vec<Activity> = requests.chain(queries).chain(transactions).collect();
    all.sort_by_key(|activity| Reverse(activity.origin().created));
    Fields::object(|fields| {
        fields.list("activities", |fields| {
            for activity in &all {
                fields.child_element(|fields| activity.print(fields));
            }
        });
    })
}

impl Activity {
    fn origin(&self) -> Origin {
        match self {
            Activity::Request(request) => request.origin,
            Activity::Query(query) => query.origin,
            Activity::Transaction(transaction) => transaction.origin,
        }
    }

    /// Returns ArangoDB's name of the type.
    fn type_name(&self) -> &'static str {
        match self {
            Activity::Request(_) => "RestHandler",
            Activity::Query(_) => "AqlQuery",
            Activity::Transaction(_) => "TransactionActivity",
        }
    }

    fn print(&self, fields: &mut Fields<'_>) {
        let origin = self.origin();
        fields
            .number("id", origin.id)
            .text("type", self.type_name())
            .text("created", &iso_date(origin.created));
        if let Some(parent) = origin.parent {
            fields.number("parent", parent);
        }
        fields.child("data", |fields| match self {
            Activity::Request(request) => print_request(fields, request),
            Activity::Query(query) => print_query(fields, query),
            Activity::Transaction(transaction) => print_transaction(fields, transaction),
        });
    }
}

/// Writes a request. The parameters of its address may be secrets, and are left out.
fn print_request(fields: &mut Fields<'_>, request: &RequestActivity) {
    fields
        .text("method", request.method.as_str())
        .text("url", path_in_database(&request.uri))
        .text("handler", request.route);
}

fn print_query(fields: &mut Fields<'_>, query: &RegisteredQuery) {
    let bind_variables = match query.bind_variables.as_slice() {
        [] => Slice::EMPTY_OBJECT,
        bytes => Slice::new(bytes),
    };
    fields
        .number("queryId", query.id)
        .text("database", &query.database)
        .text("user", &query.user)
        .text("queryString", &query.text)
        .value("bindVars", bind_variables)
        .text("state", query.state().name())
        .bool("stream", query.stream)
        .bool("modificationQuery", query.is_modification())
        .double("runTime", query.run_time().as_secs_f64())
        .number("peakMemoryUsage", query.memory.peak());
}

fn print_transaction(fields: &mut Fields<'_>, transaction: &TransactionActivity) {
    fields
        .text("transactionId", &transaction.id.to_string())
        .text("database", &transaction.database)
        .text("user", transaction.user.as_deref().unwrap_or_default())
        .bool("readOnly", transaction.is_read_only);
}
