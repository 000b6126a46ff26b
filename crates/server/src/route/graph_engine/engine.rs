//! The engine itself: graphs, algorithms, results and jobs, by two paths that mean the same.

use database::Session;
use database::analytics::{Engine, JobOrigin, JobRequest, JobWork};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::{Builder, Slice};

use super::algorithms;
use super::body::{Body, add_texts};
use super::print::{LOAD, answered, print_error, print_graph, print_job, print_size};
use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};
use crate::version::PERSEA_VERSION;

/// The version of the engine's interface.
const API_VERSION: u64 = 1;
/// The documents of a transaction where the client does not say; the engine's.
const BATCH: u64 = 10_000;
/// The greatest number of documents of a transaction.
const BATCH_MAX: u64 = 100_000;

/// Bodies for the description of the routes.
const GRAPH: &str = r#"{"database": "_system", "graph_name": "web", "vertex_attributes": ["name"]}"#;
const QUERIES: &str = r#"{"database": "_system", "phases": [{"queries": [{"query": "FOR v IN pages RETURN {vertices: [v]}"}]}, {"queries": [{"query": "FOR e IN links RETURN {edges: [e]}"}]}]}"#;
const STORE: &str = r#"{"database": "_system", "target_collection": "results", "job_ids": [12], "attribute_names": ["rank"]}"#;
const RUN: &str = r#"{"graph_id": 11, "damping_factor": 0.85, "maximum_supersteps": 100}"#;

pub(super) const ROUTES: &[Route] = &[
    get("/gral/{engine}/v1/version", version, "Returns the version of a graph analytics engine."),
    get(
        "/graph-analytics/engines/{engine}/v1/version",
        version,
        "Returns the version of a graph analytics engine.",
    ),
    post("/gral/{engine}/v1/loaddata", load, "Loads a graph into a graph analytics engine.", GRAPH),
    post(
        "/graph-analytics/engines/{engine}/v1/loaddata",
        load,
        "Loads a graph into a graph analytics engine.",
        GRAPH,
    ),
    post("/gral/{engine}/v1/loaddataaql", load_queries, "Loads a graph from the rows of queries.", QUERIES),
    post(
        "/graph-analytics/engines/{engine}/v1/loaddataaql",
        load_queries,
        "Loads a graph from the rows of queries.",
        QUERIES,
    ),
    post("/gral/{engine}/v1/storeresults", store, "Writes results of jobs into a collection.", STORE),
    post(
        "/graph-analytics/engines/{engine}/v1/storeresults",
        store,
        "Writes results of jobs into a collection.",
        STORE,
    ),
    post("/gral/{engine}/v1/{algorithm}", run, "Runs an algorithm on a graph of the engine.", RUN),
    post(
        "/graph-analytics/engines/{engine}/v1/{algorithm}",
        run,
        "Runs an algorithm on a graph of the engine.",
        RUN,
    ),
    get("/gral/{engine}/v1/jobs", jobs, "Lists the jobs of a graph analytics engine."),
    get("/graph-analytics/engines/{engine}/v1/jobs", jobs, "Lists the jobs of a graph analytics engine."),
    get("/gral/{engine}/v1/jobs/{job}", job, "Returns a job of a graph analytics engine."),
    get("/graph-analytics/engines/{engine}/v1/jobs/{job}", job, "Returns a job of a graph analytics engine."),
    delete("/gral/{engine}/v1/jobs/{job}", remove_job, "Ends and forgets a job with its result."),
    delete(
        "/graph-analytics/engines/{engine}/v1/jobs/{job}",
        remove_job,
        "Ends and forgets a job with its result.",
    ),
    get("/gral/{engine}/v1/graphs", graphs, "Lists the graphs of a graph analytics engine."),
    get(
        "/graph-analytics/engines/{engine}/v1/graphs",
        graphs,
        "Lists the graphs of a graph analytics engine.",
    ),
    get("/gral/{engine}/v1/graphs/{graph}", graph, "Returns a graph of a graph analytics engine."),
    get(
        "/graph-analytics/engines/{engine}/v1/graphs/{graph}",
        graph,
        "Returns a graph of a graph analytics engine.",
    ),
    delete("/gral/{engine}/v1/graphs/{graph}", remove_graph, "Removes a graph from memory."),
    delete(
        "/graph-analytics/engines/{engine}/v1/graphs/{graph}",
        remove_graph,
        "Removes a graph from memory.",
    ),
];

type Handler = fn(&Session, &Request) -> Result<Response>;

const fn get(pattern: &'static str, handler: Handler, about: &'static str) -> Route {
    Route::new(Verb::Get, pattern, Constant, handler).for_everybody().of_local_object("engine").about(about)
}

const fn post(pattern: &'static str, handler: Handler, about: &'static str, body: &'static str) -> Route {
    Route::new(Verb::Post, pattern, Blocking, handler)
        .for_everybody()
        .of_local_object("engine")
        .audited(Audit::Service)
        .about(about)
        .with_body(body)
}

const fn delete(pattern: &'static str, handler: Handler, about: &'static str) -> Route {
    Route::new(Verb::Delete, pattern, Blocking, handler)
        .for_everybody()
        .of_local_object("engine")
        .audited(Audit::Service)
        .about(about)
}

fn engine(session: &Session, request: &Request) -> Result<Engine> {
    session.engine(request.parameter("engine"))
}

/// Returns the number of an object that a segment of the path names. Errors: 404.
fn number(request: &Request, name: &str) -> Result<u64> {
    let given = request.parameter(name);
    given
        .parse()
        .map_err(|_| Error::new(ErrorCode::HttpNotFound, format!("'{given}' is no number of a {name}")))
}

fn version(session: &Session, request: &Request) -> Result<Response> {
    answered(engine(session, request).and_then(|_| {
        Response::object(StatusCode::OK, |fields| {
            fields.number("apiMaxVersion", API_VERSION).number("apiMinVersion", API_VERSION);
            fields.text("version", PERSEA_VERSION);
        })
    }))
}

fn load(session: &Session, request: &Request) -> Result<Response> {
    answered(start_load(session, request, |body| {
        let known = [
            "database",
            "graph_name",
            "vertex_collections",
            "edge_collections",
            "vertex_attributes",
            "vertex_attribute_types",
            "parallelism",
            "batch_size",
            "custom_fields",
        ];
        let body = Body::of(body, &known)?;
        let mut graph = Builder::new();
        graph.open_object()?;
        if let Some(name) = body.text("graph_name")? {
            graph.key("graph")?;
            graph.add_str(name)?;
        }
        add_texts(&mut graph, "vertexCollections", &body.texts("vertex_collections")?)?;
        add_texts(&mut graph, "edgeCollections", &body.texts("edge_collections")?)?;
        add_attributes(&body, &mut graph)?;
        graph.close()?;
        Ok(graph.into_vec())
    }))
}

/// The types of attributes that a load of collections names, and the same in a load by queries.
const TYPES: &[(&str, &str)] =
    &[("string", "String"), ("float", "F64"), ("integer", "I64"), ("unsigned", "U64")];

/// Adds the attributes of vertices with their types.
fn add_attributes(body: &Body<'_>, graph: &mut Builder) -> Result<()> {
    let (names, types) = (body.texts("vertex_attributes")?, body.texts("vertex_attribute_types")?);
    if !types.is_empty() && types.len() != names.len() {
        return Err(Error::bad_parameter(
            "'vertex_attribute_types' must have one type for each of 'vertex_attributes'",
        ));
    }
    graph.key("vertexAttributes")?;
    graph.open_array()?;
    for (i, name) in names.iter().enumerate() {
        let Some(given) = types.get(i) else {
            graph.add_str(name)?;
            continue;
        };
        let (_, data_type) = TYPES.iter().find(|(its, _)| its == given).ok_or_else(|| {
            Error::bad_parameter(format!(
                "the type '{given}' of the attribute '{name}' must be string, float, integer or unsigned"
            ))
        })?;
        graph.open_object()?;
        graph.key("name")?;
        graph.add_str(name)?;
        graph.key("data_type")?;
        graph.add_str(data_type)?;
        graph.close()?;
    }
    Ok(graph.close()?)
}

fn load_queries(session: &Session, request: &Request) -> Result<Response> {
    answered(start_load(session, request, |body| {
        let known =
            ["database", "phases", "vertex_attributes", "edge_attributes", "batch_size", "custom_fields"];
        let body = Body::of(body, &known)?;
        let mut graph = Builder::new();
        graph.open_object()?;
        for name in ["phases", "vertex_attributes", "edge_attributes"] {
            // An array with few enough elements, also if it is missing.
            let _ = body.array(name)?;
            graph.key(name)?;
            graph.add_slice(body.get(name).unwrap_or(Slice::EMPTY_ARRAY))?;
        }
        graph.close()?;
        Ok(graph.into_vec())
    }))
}

/// Starts a load in the database that the body names, of the graph that `describe` makes of it.
fn start_load(
    session: &Session,
    request: &Request,
    describe: impl FnOnce(Slice<'_>) -> Result<Vec<u8>>,
) -> Result<Response> {
    let engine = engine(session, request)?;
    let body = request.body_object()?;
    let graph = describe(body.slice())?;
    let database = Body::of_any(body.slice()).required_text("database")?;
    let session = session.in_database(database)?;
    let job = session.start_analytics(JobRequest {
        origin: JobOrigin::Engine(engine.id),
        ..JobRequest::new(LOAD, JobWork::Load { graph })
    })?;
    Response::object(StatusCode::OK, |fields| {
        fields.number("job_id", job.id()).number("graph_id", job.made_projection().unwrap_or_default());
        print_error(None, fields);
    })
}

fn run(session: &Session, request: &Request) -> Result<Response> {
    answered(start_run(session, request))
}

fn start_run(session: &Session, request: &Request) -> Result<Response> {
    let engine = engine(session, request)?;
    let name = request.parameter("algorithm");
    let body = request.body_object()?;
    // An unknown algorithm is told before the graph is asked for.
    algorithms::check_name(name)?;
    let (session, graph) = session.engine_graph(engine.id, Body::of_any(body.slice()).id("graph_id")?)?;
    let run = algorithms::run(name, body.slice(), &graph.attributes)?;
    let work = JobWork::Compute {
        projection: graph.id.to_string(),
        algorithm: run.algorithm.to_owned(),
        parameters: run.parameters,
    };
    let job = session.start_analytics(JobRequest {
        origin: JobOrigin::Engine(engine.id),
        missing: run.missing,
        ..JobRequest::new(name, work)
    })?;
    started(job.id())
}

fn store(session: &Session, request: &Request) -> Result<Response> {
    answered(start_store(session, request))
}

fn start_store(session: &Session, request: &Request) -> Result<Response> {
    let engine = engine(session, request)?;
    let body = request.body_object()?;
    let known = [
        "database",
        "target_collection",
        "job_ids",
        "attribute_names",
        "vertex_collections",
        "parallelism",
        "batch_size",
        "custom_fields",
    ];
    let body = Body::of(body.slice(), &known)?;
    body.check_without_effect()?;
    let jobs = body.ids("job_ids")?;
    for id in &jobs {
        let job = session.engine_job(engine.id, *id)?;
        // The user may have lost the right to the database of the graph.
        session.in_database(&job.status().database)?;
    }
    let attributes: Vec<String> = body.texts("attribute_names")?.into_iter().map(str::to_owned).collect();
    let collection = body.required_text("target_collection")?.to_owned();
    let batch = body.count("batch_size")?.unwrap_or(BATCH).min(BATCH_MAX);
    let session = session.in_database(body.required_text("database")?)?;
    let work = JobWork::Store { jobs, attributes, collection: Some(collection), batch: batch as usize };
    let job = session.start_analytics(JobRequest {
        origin: JobOrigin::Engine(engine.id),
        ..JobRequest::new("storeresults", work)
    })?;
    started(job.id())
}

fn started(job: u64) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.number("job_id", job);
        print_error(None, fields);
    })
}

fn jobs(session: &Session, request: &Request) -> Result<Response> {
    answered(engine(session, request).and_then(|engine| {
        let jobs = session.engine_jobs(engine.id);
        listed(&jobs, |job, fields| print_job(&job.status(), fields))
    }))
}

/// Answers an array with an object for each item.
fn listed<T>(items: &[T], print: impl Fn(&T, &mut Fields<'_>)) -> Result<Response> {
    let array = Fields::array(|fields| {
        items.iter().for_each(|item| {
            fields.child_element(|fields| print(item, fields));
        });
    });
    Ok(Response::value(StatusCode::OK, array?))
}

fn job(session: &Session, request: &Request) -> Result<Response> {
    answered(engine(session, request).and_then(|engine| {
        let status = session.engine_job(engine.id, number(request, "job")?)?.status();
        Response::object(StatusCode::OK, |fields| print_job(&status, fields))
    }))
}

fn remove_job(session: &Session, request: &Request) -> Result<Response> {
    answered(engine(session, request).and_then(|engine| {
        let job = session.remove_engine_job(engine.id, number(request, "job")?)?;
        Response::object(StatusCode::OK, |fields| {
            fields.number("job_id", job.id()).bool("error", false);
            print_error(None, fields);
        })
    }))
}

fn graphs(session: &Session, request: &Request) -> Result<Response> {
    answered(engine(session, request).and_then(|engine| {
        let graphs = session.engine_graphs(engine.id);
        listed(&graphs, print_graph)
    }))
}

fn graph(session: &Session, request: &Request) -> Result<Response> {
    answered(engine(session, request).and_then(|engine| {
        let id = number(request, "graph")?;
        match session.engine_graph(engine.id, id) {
            Ok((_, graph)) => Response::object(StatusCode::OK, |fields| {
                print_error(None, fields);
                print_graph(&graph, fields);
                fields.child("graph", |fields| print_graph(&graph, fields));
            }),
            Err(error) if error.status() == 404 => {
                still_loading(session, engine.id, id).unwrap_or(Err(error))
            }
            Err(error) => Err(error),
        }
    }))
}

/// Returns the reply about a graph that a job loads, or could not load; `None` without such a job.
fn still_loading(session: &Session, engine: u64, id: u64) -> Option<Result<Response>> {
    let jobs = session.engine_jobs(engine);
    let status = jobs.iter().find(|job| job.made_projection() == Some(id))?.status();
    let error = match &status.state {
        database::analytics::JobState::Failed(error) => Some(error),
        // It was loaded and removed since then.
        state if state.is_final() => return None,
        _ => None,
    };
    Some(Response::object(StatusCode::OK, |fields| {
        print_error(error, fields);
        print_size(id, status.size, status.graph_bytes, fields);
        fields.child("graph", |fields| print_size(id, status.size, status.graph_bytes, fields));
    }))
}

fn remove_graph(session: &Session, request: &Request) -> Result<Response> {
    answered(engine(session, request).and_then(|engine| {
        let id = number(request, "graph")?;
        session.remove_engine_graph(engine.id, id)?;
        Response::object(StatusCode::OK, |fields| {
            fields.number("graph_id", id);
            print_error(None, fields);
        })
    }))
}
