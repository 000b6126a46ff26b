//! The body that starts a run, as a request for a job.

use std::time::Duration;

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::analytics::jobs::{JobRequest, JobWork};
use crate::analytics::source::texts;
use crate::state::analytics::JobOrigin;

/// The time after its end for which a run is kept where its client does not say; ArangoDB's.
const TIME_TO_LIVE: Duration = Duration::from_secs(600);
/// The longest such time: a year.
const TIME_TO_LIVE_MAX_SECONDS: f64 = 365.0 * 24.0 * 3_600.0;
/// The supersteps where the client does not say; ArangoDB's.
const SUPERSTEPS: u64 = 500;
/// The result of `sssp` for a vertex that cannot be reached. ArangoDB's documentation promises a
/// number above 2^53 - 1.
const UNREACHABLE: i64 = i64::MAX;
/// Maximum number of collections of a kind.
const COLLECTIONS_MAX: usize = 2_048;

/// An algorithm of Pregel.
struct Algorithm {
    /// Its name in requests.
    name: &'static str,
    /// Our name of it.
    ours: &'static str,
    /// Parameters that always have the same value.
    fixed: &'static [(&'static str, Fixed)],
    /// Parameters that clients may give, besides those of all algorithms.
    accepted: &'static [Accepted],
    /// The columns of its result, each with what follows the name of the result's attribute.
    columns: &'static [(&'static str, &'static str)],
    /// The result of a vertex that has none.
    missing: Option<i64>,
}

/// A value that a client cannot change.
enum Fixed {
    Flag(bool),
    Text(&'static str),
}

/// A parameter that a client may give.
struct Accepted {
    name: &'static str,
    ours: &'static str,
    default: Default,
}

/// The value of a parameter that the client does not give.
enum Default {
    Nothing,
    Count(u64),
    Number(f64),
}

const STEPS: Accepted =
    Accepted { name: "maxGSS", ours: "maxIterations", default: Default::Count(SUPERSTEPS) };
const DROP_SINKS: (&str, Fixed) = ("sinks", Fixed::Text("drop"));
const GREATEST: (&str, Fixed) = ("norm", Fixed::Text("greatest"));
const THRESHOLD: Accepted =
    Accepted { name: "threshold", ours: "tolerance", default: Default::Number(0.00001) };
const ONE_COLUMN: &str = "";

/// The algorithms. `readwrite` is not among them: it measures how fast ArangoDB loads and stores.
const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "pagerank",
        ours: "pageRank",
        fixed: &[DROP_SINKS, GREATEST],
        accepted: &[
            STEPS,
            THRESHOLD,
            Accepted { name: "sourceField", ours: "startAttribute", default: Default::Nothing },
        ],
        columns: &[("rank", ONE_COLUMN)],
        missing: None,
    },
    Algorithm {
        name: "sssp",
        ours: "bfs",
        fixed: &[],
        accepted: &[Accepted { name: "source", ours: "source", default: Default::Nothing }],
        columns: &[("level", ONE_COLUMN)],
        missing: Some(UNREACHABLE),
    },
    Algorithm { name: "connectedcomponents", ..COMPONENTS },
    COMPONENTS,
    Algorithm { name: "scc", ours: "scc", ..COMPONENTS },
    HITS,
    Algorithm { name: "hitskleinberg", ..HITS },
    Algorithm {
        name: "effectivecloseness",
        ours: "effectiveCloseness",
        fixed: &[],
        accepted: &[STEPS],
        columns: &[("closeness", ONE_COLUMN)],
        missing: None,
    },
    Algorithm {
        name: "linerank",
        ours: "lineRank",
        fixed: &[],
        accepted: &[STEPS],
        columns: &[("rank", ONE_COLUMN)],
        missing: None,
    },
    Algorithm {
        name: "labelpropagation",
        ours: "labelPropagation",
        fixed: &[
            ("synchronous", Fixed::Flag(true)),
            ("keepSmaller", Fixed::Flag(true)),
            ("direction", Fixed::Text("outbound")),
        ],
        accepted: &[STEPS],
        columns: &[("label", ONE_COLUMN)],
        missing: None,
    },
    Algorithm {
        name: "slpa",
        ours: "slpa",
        fixed: &[],
        accepted: &[
            STEPS,
            Accepted { name: "maxCommunities", ours: "maxCommunities", default: Default::Count(1) },
        ],
        columns: &[("community", ONE_COLUMN)],
        missing: None,
    },
];

const COMPONENTS: Algorithm = Algorithm {
    name: "wcc",
    ours: "wcc",
    fixed: &[],
    accepted: &[],
    columns: &[("component", ONE_COLUMN)],
    missing: None,
};

const HITS: Algorithm = Algorithm {
    name: "hits",
    ours: "hits",
    fixed: &[],
    accepted: &[
        Accepted { name: "threshold", ours: "tolerance", default: Default::Number(0.00001) },
        Accepted { name: "maxNumIterations", ours: "maxIterations", default: Default::Count(SUPERSTEPS) },
        STEPS,
    ],
    columns: &[("authority", "_auth"), ("hub", "_hub")],
    missing: None,
};

/// The parameters of all algorithms. `maxGSS` bounds those that iterate; the others are complete
/// within any bound.
const GENERAL: &[&str] = &[
    "store",
    "maxGSS",
    "parallelism",
    "async",
    "resultField",
    "_resultField",
    "shardKeyAttribute",
    "useMemoryMaps",
    "ttl",
];

/// Reads the body of a start.
///
/// Errors: 404 for an unknown algorithm, 9 for one that is left out, 10 for anything wrong.
pub(super) fn parse(body: Slice<'_>) -> Result<JobRequest> {
    let name = body.get("algorithm").and_then(Slice::as_str).ok_or_else(|| {
        Error::bad_parameter(format!("'algorithm' must be the name of an algorithm: {}", names()))
    })?;
    let algorithm = find(name)?;
    let given = Parameters::of(body, algorithm)?;
    let is_stored = given.flag("store")?.unwrap_or(true);
    let columns = given.columns(algorithm)?;
    Ok(JobRequest {
        title: algorithm.name.to_owned(),
        work: JobWork::Whole {
            graph: graph(body, given.source_field()?)?,
            algorithm: algorithm.ours.to_owned(),
            parameters: given.ours(algorithm)?,
            columns,
            is_stored,
        },
        time_to_live: Some(given.time_to_live()?),
        origin: JobOrigin::Pregel,
        missing: algorithm.missing,
    })
}

fn names() -> String {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().join(", ")
}

fn find(name: &str) -> Result<&'static Algorithm> {
    if name.eq_ignore_ascii_case("readwrite") {
        return Err(Error::new(
            ErrorCode::NotImplemented,
            "the algorithm 'readwrite' measures how fast ArangoDB loads and stores; mode 'stats' of \
             GRAPH_ALGORITHM() says how long a load takes",
        ));
    }
    ALGORITHMS.iter().find(|algorithm| algorithm.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        Error::new(ErrorCode::HttpNotFound, format!("algorithm '{name}' not found; known are: {}", names()))
    })
}

/// Returns the description of the graph that a body names.
fn graph(body: Slice<'_>, attribute: Option<&str>) -> Result<Vec<u8>> {
    let mut graph = Builder::new();
    graph.open_object()?;
    match body.get("graphName").filter(|name| !name.is_null()) {
        Some(name) => match name.as_str() {
            Some(name) if !name.is_empty() => {
                graph.key("graph")?;
                graph.add_str(name)?;
            }
            _ => return Err(Error::bad_parameter("'graphName' must be the name of a graph")),
        },
        None => {
            for name in ["vertexCollections", "edgeCollections"] {
                let collections = texts(body, name, COLLECTIONS_MAX)?;
                if collections.is_empty() {
                    return Err(Error::bad_parameter(
                        "the graph needs 'graphName', or both 'vertexCollections' and 'edgeCollections'",
                    ));
                }
                if let Some(system) = collections.iter().find(|name| name.starts_with('_')) {
                    return Err(Error::bad_parameter(format!(
                        "cannot use Pregel on the system collection '{system}'"
                    )));
                }
                graph.key(name)?;
                graph.open_array()?;
                collections.iter().try_for_each(|name| graph.add_str(name))?;
                graph.close()?;
            }
        }
    }
    if let Some(attribute) = attribute {
        graph.key("vertexAttributes")?;
        graph.open_array()?;
        graph.open_object()?;
        graph.key("name")?;
        graph.add_str(attribute)?;
        graph.key("data_type")?;
        graph.add_str("Numeric")?;
        graph.close()?;
        graph.close()?;
    }
    graph.close()?;
    Ok(graph.into_vec())
}

/// The member `params` of a body.
struct Parameters<'p>(Slice<'p>);

impl<'p> Parameters<'p> {
    fn of(body: Slice<'p>, algorithm: &Algorithm) -> Result<Self> {
        let Some(given) = body.get("params").filter(|given| !given.is_null()) else {
            return Ok(Parameters(Slice::NONE));
        };
        if !given.is_object() {
            return Err(Error::bad_parameter("'params' must be an object"));
        }
        let is_known = |name: &str| {
            GENERAL.contains(&name) || algorithm.accepted.iter().any(|accepted| accepted.name == name)
        };
        if let Some((name, _)) = given.entries().find(|(name, _)| !is_known(name)) {
            let own = algorithm.accepted.iter().map(|accepted| accepted.name);
            let known: Vec<&str> =
                own.filter(|name| !GENERAL.contains(name)).chain(GENERAL.iter().copied()).collect();
            return Err(Error::bad_parameter(format!(
                "unknown parameter '{name}'; '{}' knows: {}",
                algorithm.name,
                known.join(", ")
            )));
        }
        let parameters = Parameters(given);
        parameters.check_without_effect()?;
        Ok(parameters)
    }

    /// Checks the parameters that have no effect here: threads are shared by all algorithms, and
    /// there are neither asynchronous supersteps nor shards nor files.
    fn check_without_effect(&self) -> Result<()> {
        for name in ["async", "useMemoryMaps"] {
            self.flag(name)?;
        }
        if let Some(threads) = self.get("parallelism") {
            threads
                .as_u64()
                .filter(|threads| *threads > 0)
                .ok_or_else(|| Error::bad_parameter("'parallelism' must be an integer from 1"))?;
        }
        self.text("shardKeyAttribute").map(drop)
    }

    fn get(&self, name: &str) -> Option<Slice<'p>> {
        if !self.0.is_object() {
            return None;
        }
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn flag(&self, name: &str) -> Result<Option<bool>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let flag = value.as_bool();
        flag.map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be true or false")))
    }

    fn text(&self, name: &str) -> Result<Option<&'p str>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().filter(|text| !text.is_empty());
        text.map(Some)
            .ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a text that is not empty")))
    }

    fn source_field(&self) -> Result<Option<&'p str>> {
        self.text("sourceField")
    }

    fn time_to_live(&self) -> Result<Duration> {
        let Some(given) = self.get("ttl") else { return Ok(TIME_TO_LIVE) };
        let seconds = given.as_f64().filter(|seconds| (0.0..=TIME_TO_LIVE_MAX_SECONDS).contains(seconds));
        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(|| {
            Error::bad_parameter(format!(
                "'ttl' must be a number of seconds from 0 to {TIME_TO_LIVE_MAX_SECONDS}"
            ))
        })
    }

    /// Returns the columns of the result with the names of their attributes.
    fn columns(&self, algorithm: &Algorithm) -> Result<Vec<(String, String)>> {
        // Documents of `sssp` name the result with an underscore.
        let field = match self.text("_resultField")? {
            Some(field) => field,
            None => self.text("resultField")?.unwrap_or("result"),
        };
        if field.starts_with('_') {
            return Err(Error::bad_parameter(format!(
                "'resultField' is '{field}'; it must not begin with an underscore"
            )));
        }
        // More than one community is a list.
        let is_list = algorithm.ours == "slpa"
            && self.get("maxCommunities").and_then(Slice::as_u64).is_some_and(|max| max > 1);
        let name = |(column, end): &(&str, &str)| {
            let column = if is_list { "communities" } else { column };
            (column.to_owned(), format!("{field}{end}"))
        };
        Ok(algorithm.columns.iter().map(name).collect())
    }

    /// Returns the parameters of our algorithm. Their ranges are checked when it begins.
    fn ours(&self, algorithm: &Algorithm) -> Result<Vec<u8>> {
        let mut ours = Builder::new();
        ours.open_object()?;
        for (name, value) in algorithm.fixed {
            ours.key(name)?;
            match value {
                Fixed::Flag(flag) => ours.add_bool(*flag)?,
                Fixed::Text(text) => ours.add_str(text)?,
            }
        }
        let mut done: Vec<&str> = Vec::new();
        // A parameter that the client gives replaces the default of another name of it.
        let mut accepted: Vec<&Accepted> = algorithm.accepted.iter().collect();
        accepted.sort_by_key(|accepted| self.get(accepted.name).is_none());
        for accepted in accepted {
            if done.contains(&accepted.ours) {
                continue;
            }
            done.push(accepted.ours);
            match (self.get(accepted.name), &accepted.default) {
                (Some(value), _) => {
                    ours.key(accepted.ours)?;
                    ours.add_slice(value)?;
                }
                (None, Default::Count(count)) => {
                    ours.key(accepted.ours)?;
                    ours.add_u64(*count)?;
                }
                (None, Default::Number(number)) => {
                    ours.key(accepted.ours)?;
                    ours.add_f64(*number)?;
                }
                (None, Default::Nothing) => {}
            }
        }
        ours.close()?;
        Ok(ours.into_vec())
    }
}
