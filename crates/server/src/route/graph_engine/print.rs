//! Replies of the engine.

use database::analytics::{Engine, JobState, JobStatus, ProjectionInfo};
use errors::{Error, Result};
use hyper::StatusCode;

use crate::http::fields::Fields;
use crate::http::{Request, Response};

/// The type of all engines.
pub(super) const TYPE: &str = "gral";
/// The beginning of a service's name; the number of its engine follows.
pub(super) const SERVICE: &str = "arangodb-gral-";
/// The title of jobs that load graphs.
pub(super) const LOAD: &str = "loaddata";
/// The steps of a load: its vertices, and its edges.
const LOAD_STEPS: u64 = 2;

/// Adds the engine's members to an error. A refused user gets the server's own reply.
pub(super) fn answered(result: Result<Response>) -> Result<Response> {
    match result {
        Err(error) if ![401, 403].contains(&error.status()) => {
            let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Response::object(status, |fields| {
                fields.number("code", status.as_u16()).bool("error", true);
                fields.number("errorNum", error.number()).text("errorMessage", error.message());
                print_error(Some(&error), fields);
            })
        }
        other => other,
    }
}

/// Prints the members of an error, or of none.
pub(super) fn print_error(error: Option<&Error>, fields: &mut Fields<'_>) {
    fields.number("error_code", error.map_or(0, Error::number));
    fields.text("error_message", error.map_or("", Error::message));
}

/// Prints a job. Its progress reaches the total when it ends, well or not.
pub(super) fn print_job(status: &JobStatus, fields: &mut Fields<'_>) {
    let canceled = Error::of(errors::ErrorCode::QueryKilled);
    let error = match &status.state {
        JobState::Failed(error) => Some(error),
        JobState::Canceled => Some(&canceled),
        _ => None,
    };
    let (progress, total) = progress(status);
    let (loading, running, storing) = status.times;
    let time = loading + running + storing;
    fields
        .number("job_id", status.id)
        .number("graph_id", status.projection.unwrap_or_default())
        .number("total", total)
        .number("progress", progress)
        .bool("error", error.is_some());
    print_error(error, fields);
    fields
        .text("source_job", "")
        .text("comp_type", &status.title)
        .number("memory_usage", status.result_bytes)
        .number("runtime_in_microseconds", u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
}

/// Returns the steps that a job has done, and their total, which is not 0.
fn progress(status: &JobStatus) -> (u64, u64) {
    let (done, total) = match status.progress {
        (done, total) if status.title == LOAD => (done * LOAD_STEPS / total.max(1), LOAD_STEPS),
        (done, total) => (done, total.max(1)),
    };
    let is_final = status.state.is_final();
    (if is_final { total } else { done.min(total - 1) }, total)
}

/// Prints a graph.
pub(super) fn print_graph(graph: &ProjectionInfo, fields: &mut Fields<'_>) {
    print_size(graph.id, (graph.vertices, graph.edges), graph.bytes, fields);
}

/// Prints the size of a graph with a number.
pub(super) fn print_size(id: u64, (vertices, edges): (u64, u64), bytes: u64, fields: &mut Fields<'_>) {
    fields
        .number("graph_id", id)
        .number("number_of_vertices", vertices)
        .number("number_of_edges", edges)
        .number("memory_usage", bytes)
        .number("memory_per_vertex", bytes / vertices.max(1))
        .number("memory_per_edge", bytes / edges.max(1));
}

/// Prints an engine as ArangoDB's cloud does.
pub(super) fn print_engine(engine: &Engine, request: &Request, fields: &mut Fields<'_>) {
    let path = format!("/graph-analytics/engines/{}", engine.id);
    // Clients find the engine where they found its list.
    let host = request.header("host").unwrap_or_default();
    let scheme = request.header("x-forwarded-proto").filter(|scheme| *scheme == "https").unwrap_or("http");
    fields
        .text("id", &engine.id.to_string())
        .text("type_id", TYPE)
        .text("size_id", &engine.size)
        .text("created_at", &crate::http::date::iso_date(engine.created))
        .child("status", |status| {
            status
                .bool("is_started", true)
                .bool("succeeded", true)
                .text("endpoint", &format!("{scheme}://{host}{path}"));
        });
}

/// Prints an engine as a service of ArangoDB's platform.
pub(super) fn print_service(engine: &Engine, (status, description): (&str, &str), fields: &mut Fields<'_>) {
    fields
        .text("serviceId", &format!("{}{}", SERVICE, engine.id))
        .text("description", description)
        .text("status", status)
        .text("namespace", "persea")
        .text("managingEntity", "ACP")
        .text("type", TYPE);
}
