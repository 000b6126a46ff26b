//! The engine's algorithms by our names and parameters.
//!
//! An algorithm that the engine does not have is reached by our name, with our parameters.

use database::analytics::{ALGORITHMS, Algorithm};
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use super::body::Body;

/// The supersteps where the client does not say; the engine's.
const SUPERSTEPS: u64 = 64;
/// The change of every rank below which PageRank ends; the engine's.
const RANK_CHANGE: f64 = 0.000_000_1;
/// The distance of a vertex that cannot be reached.
const UNREACHABLE: i64 = -1;

/// Algorithms of the engine that are left out, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "python",
        "this server does not run programs in Python; the algorithms of /_api/analytics/algorithms are run by name",
    ),
    ("irank", "'irank' is not implemented; 'pagerank' takes first ranks from 'seeding_attribute'"),
    (
        "aggregatecomponents",
        "'aggregatecomponents' is not implemented; AQL's COLLECT aggregates stored components",
    ),
];

/// An algorithm of the engine.
struct Named {
    name: &'static str,
    ours: &'static str,
    fixed: &'static [(&'static str, Value)],
    members: &'static [Member],
    missing: Option<i64>,
}

/// A value of a parameter.
enum Value {
    Flag(bool),
    Text(&'static str),
    Count(u64),
    Number(f64),
    Nothing,
}

/// A member of the engine's body, and the parameter that it means.
struct Member {
    name: &'static str,
    means: Means,
}

enum Means {
    /// The same value, with a default, as our parameter.
    Parameter(&'static str, Value),
    /// True for both directions of edges.
    Undirected,
    /// The name of an attribute that must be there.
    Label(&'static str),
    /// Nothing: all algorithms share the server's threads.
    Threads,
}

const STEPS: Member =
    Member { name: "maximum_supersteps", means: Means::Parameter("maxIterations", Value::Count(SUPERSTEPS)) };
const DAMPING: Member =
    Member { name: "damping_factor", means: Means::Parameter("damping", Value::Number(0.85)) };
const UNDIRECTED: Member = Member { name: "undirected", means: Means::Undirected };
const SYNCHRONOUS: Member =
    Member { name: "synchronous", means: Means::Parameter("synchronous", Value::Flag(false)) };
const LABEL: Member = Member { name: "start_label_attribute", means: Means::Label("startAttribute") };

const NAMED: &[Named] = &[
    Named {
        name: "pagerank",
        ours: "pageRank",
        fixed: &[
            ("sinks", Value::Text("drop")),
            ("norm", Value::Text("greatest")),
            ("tolerance", Value::Number(RANK_CHANGE)),
        ],
        members: &[
            DAMPING,
            STEPS,
            Member { name: "seeding_attribute", means: Means::Parameter("startAttribute", Value::Nothing) },
        ],
        missing: None,
    },
    Named {
        name: "single_source_shortest_path",
        ours: "bfs",
        fixed: &[],
        members: &[
            Member { name: "source_vertex", means: Means::Parameter("source", Value::Nothing) },
            UNDIRECTED,
        ],
        missing: Some(UNREACHABLE),
    },
    Named { name: "wcc", ours: "wcc", fixed: &[], members: &[], missing: None },
    Named { name: "scc", ours: "scc", fixed: &[], members: &[], missing: None },
    Named {
        name: "betweennesscentrality",
        ours: "betweenness",
        fixed: &[],
        members: &[
            Member { name: "k", means: Means::Parameter("samples", Value::Count(0)) },
            UNDIRECTED,
            Member { name: "normalized", means: Means::Parameter("normalized", Value::Flag(false)) },
            Member { name: "parallelism", means: Means::Threads },
        ],
        missing: None,
    },
    Named {
        name: "effectivecloseness",
        ours: "effectiveCloseness",
        fixed: &[],
        members: &[UNDIRECTED, STEPS],
        missing: None,
    },
    Named { name: "linerank", ours: "lineRank", fixed: &[], members: &[DAMPING, STEPS], missing: None },
    Named {
        name: "labelpropagation",
        ours: "labelPropagation",
        fixed: &[("keepSmaller", Value::Flag(true))],
        members: &[
            LABEL,
            SYNCHRONOUS,
            Member { name: "random_tiebreak", means: Means::Parameter("randomTieBreak", Value::Flag(false)) },
            STEPS,
        ],
        missing: None,
    },
    Named {
        name: "attributepropagation",
        ours: "attributePropagation",
        fixed: &[],
        members: &[
            LABEL,
            SYNCHRONOUS,
            Member { name: "backwards", means: Means::Parameter("backwards", Value::Flag(false)) },
            STEPS,
        ],
        missing: None,
    },
];

/// A run of an algorithm on a graph of the engine.
pub(super) struct Run {
    pub(super) algorithm: &'static str,
    /// The parameters in VelocyPack.
    pub(super) parameters: Vec<u8>,
    /// The result of a vertex that has none.
    pub(super) missing: Option<i64>,
}

/// Checks the name of an algorithm. Errors: 404 for an unknown one, 9 for one that is left out.
pub(super) fn check_name(name: &str) -> Result<()> {
    if let Some((_, reason)) = LEFT_OUT.iter().find(|(left_out, _)| *left_out == name) {
        return Err(Error::new(ErrorCode::NotImplemented, *reason));
    }
    let own = ALGORITHMS.iter().map(|algorithm| algorithm.name);
    let all: Vec<&str> = NAMED.iter().map(|named| named.name).chain(own).collect();
    if all.contains(&name) {
        return Ok(());
    }
    let message = format!("algorithm '{name}' not found; known are: {}", all.join(", "));
    Err(Error::new(ErrorCode::HttpNotFound, message))
}

/// Reads the body of a run. `attributes` are those that the graph was loaded with.
///
/// Errors: those of [`check_name`], 10 for a wrong member.
pub(super) fn run(name: &str, body: Slice<'_>, attributes: &[String]) -> Result<Run> {
    check_name(name)?;
    let own = || ALGORITHMS.iter().find(|algorithm| algorithm.name == name);
    match NAMED.iter().find(|named| named.name == name) {
        Some(named) => named.run(body, attributes),
        None => own_parameters(own().ok_or_else(|| Error::of(ErrorCode::HttpNotFound))?, body),
    }
}

/// Takes all members but the graph's number as our parameters.
fn own_parameters(algorithm: &'static Algorithm, body: Slice<'_>) -> Result<Run> {
    let mut parameters = Builder::new();
    parameters.open_object()?;
    for (name, value) in body.entries().filter(|(name, _)| !["graph_id", "graphId"].contains(name)) {
        parameters.key(name)?;
        parameters.add_slice(value)?;
    }
    parameters.close()?;
    Ok(Run { algorithm: algorithm.name, parameters: parameters.into_vec(), missing: None })
}

impl Named {
    fn run(&self, body: Slice<'_>, attributes: &[String]) -> Result<Run> {
        let mut known = vec!["graph_id", "custom_fields"];
        known.extend(self.members.iter().map(|member| member.name));
        let body = Body::of(body, &known)?;
        body.check_without_effect()?;
        let mut parameters = Builder::new();
        parameters.open_object()?;
        for (name, value) in self.fixed {
            value.add(name, &mut parameters)?;
        }
        for member in self.members {
            member.add(&body, attributes, &mut parameters)?;
        }
        parameters.close()?;
        Ok(Run { algorithm: self.ours, parameters: parameters.into_vec(), missing: self.missing })
    }
}

impl Member {
    fn add(&self, body: &Body<'_>, attributes: &[String], out: &mut Builder) -> Result<()> {
        match &self.means {
            Means::Parameter(ours, default) => match body.get(self.name) {
                // The engine takes an empty name of an attribute for none.
                Some(value) if value.as_str() == Some("") => default.add(ours, out),
                Some(value) => {
                    out.key(ours)?;
                    Ok(out.add_slice(value)?)
                }
                None => default.add(ours, out),
            },
            Means::Undirected => {
                let is_undirected = body.flag(self.name)?.unwrap_or(false);
                let direction = if is_undirected { "any" } else { "outbound" };
                Value::Text(direction).add("direction", out)
            }
            Means::Label(ours) => {
                let name = body.required_text(self.name)?;
                // The identifiers of vertices need not have been loaded.
                let is_id = name == "_id" && !attributes.iter().any(|loaded| loaded == name);
                out.key(ours)?;
                Ok(out.add_str(if is_id { "@id" } else { name })?)
            }
            Means::Threads => Ok(()),
        }
    }
}

impl Value {
    fn add(&self, name: &str, out: &mut Builder) -> Result<()> {
        if matches!(self, Value::Nothing) {
            return Ok(());
        }
        out.key(name)?;
        match self {
            Value::Flag(flag) => out.add_bool(*flag)?,
            Value::Text(text) => out.add_str(text)?,
            Value::Count(count) => out.add_u64(*count)?,
            Value::Number(number) => out.add_f64(*number)?,
            Value::Nothing => {}
        }
        Ok(())
    }
}
