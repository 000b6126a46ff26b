//! Counts of the calls of tools, and their entries in the audit log.

use std::net::SocketAddr;

use metrics::{Counter, Metric, Value, labels};

/// Bytes of the longest name in an entry of the audit.
const NAME_MAX_BYTES: usize = 256;

/// Counts of calls by tool and outcome.
pub(crate) struct CallCounts {
    tools: Vec<ToolCalls>,
}

struct ToolCalls {
    name: &'static str,
    succeeded: Counter,
    failed: Counter,
}

impl CallCounts {
    /// Returns counts of the tools with these names.
    pub(super) fn of(names: impl Iterator<Item = &'static str>) -> Self {
        let mut names: Vec<&str> = names.collect();
        // A tool may have two forms.
        names.dedup();
        let counts = |name| ToolCalls { name, succeeded: Counter::default(), failed: Counter::default() };
        CallCounts { tools: names.into_iter().map(counts).collect() }
    }

    /// Counts a call, and logs it in the audit: `outcome` is the number of the error, or 0.
    pub(super) fn note(&self, tool: &str, outcome: u32, caller: &Caller<'_>) {
        if let Some(calls) = self.tools.iter().find(|calls| calls.name == tool) {
            let counter = if outcome == 0 { &calls.succeeded } else { &calls.failed };
            counter.increment();
        }
        let Caller { user, database, client, object } = caller;
        let address = client.map_or_else(String::new, |client| client.to_string());
        let name = object.get(..object.floor_char_boundary(NAME_MAX_BYTES)).unwrap_or_default();
        macro_rules! log {
            ($target:literal) => {
                tracing::info!(target: $target, user, address, database, name, outcome, "MCP tool {tool}")
            };
        }
        // Definitions have the topic of the routes that change them.
        match tool.starts_with("create_") {
            true => log!("audit-collection"),
            false => log!("audit-document"),
        }
    }

    fn by_tool(&self) -> Value {
        let rows = self.tools.iter().flat_map(|calls| {
            let row = |outcome: &str, count: &Counter| {
                (count.get() > 0)
                    .then(|| (labels(&[("tool", calls.name), ("outcome", outcome)]), count.get().into()))
            };
            [row("success", &calls.succeeded), row("error", &calls.failed)]
        });
        Value::Labelled(rows.flatten().collect())
    }
}

/// The origin of a call.
pub(super) struct Caller<'c> {
    pub(super) user: &'c str,
    pub(super) database: &'c str,
    pub(super) client: Option<SocketAddr>,
    /// The name of the collection, view or graph that the call names, or the URI of the resource;
    /// empty if it names none.
    pub(super) object: &'c str,
}

/// The metrics of this family.
pub(crate) const METRICS: &[Metric<CallCounts>] = &[Metric::counter(
    "persea_mcp_calls_total",
    "Total number of calls of tools by the Model Context Protocol.",
    CallCounts::by_tool,
)];
