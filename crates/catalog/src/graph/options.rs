//! The distribution of a graph over a cluster.
//!
//! A single server stores and prints these properties, so that a dump restores the same graph in a
//! cluster. They have no other effect.
//!
//! Source: ArangoDB 3.12 documentation, "SmartGraphs and SatelliteGraphs on a Single Server".

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::properties::{Printer, Properties};

/// The replication factor of a graph that is copied to every server.
const SATELLITE: &str = "satellite";

/// The cluster properties of a graph that was created with any of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphOptions {
    number_of_shards: u64,
    /// The number of copies; `None` is `"satellite"`.
    replication_factor: Option<u64>,
    write_concern: u64,
    is_smart: bool,
    is_disjoint: bool,
    smart_graph_attribute: Option<String>,
}

impl GraphOptions {
    /// Reads the properties from the body of a request that creates a graph; `None` if it has none.
    ///
    /// Errors: 1936 for a wrong type, 10 for a write concern beyond the replication factor.
    pub fn parse(body: Slice<'_>) -> Result<Option<Self>> {
        let body = Properties::of(body, "a graph")?;
        let options = match body.value("options") {
            None => Properties::of(Slice::EMPTY_OBJECT, "options")?,
            Some(value) => Properties::of(value, "options").map_err(|_| invalid("options", "an object"))?,
        };
        let attribute = text(options, "smartGraphAttribute")?;
        let smart = flag(body, "isSmart")?;
        let disjoint = flag(body, "isDisjoint")?.or(flag(options, "isDisjoint")?);
        let shards = whole(options, "numberOfShards")?;
        let factor = replication_factor(options)?;
        let concern = whole(options, "writeConcern")?.or(whole(options, "minReplicationFactor")?);
        let is_smart = smart.unwrap_or(false) || attribute.is_some();
        check_satellites(options.as_slice(), is_smart)?;
        let is_given = is_smart
            || disjoint.is_some_and(|disjoint| disjoint)
            || shards.is_some()
            || factor.is_some()
            || concern.is_some();
        if !is_given {
            return Ok(None);
        }
        let replication_factor = factor.unwrap_or(Some(1));
        let write_concern = concern.unwrap_or(1);
        if replication_factor.is_some_and(|factor| write_concern > factor) {
            return Err(Error::bad_parameter("'writeConcern' must not be greater than 'replicationFactor'"));
        }
        Ok(Some(GraphOptions {
            number_of_shards: shards.unwrap_or(1),
            replication_factor,
            write_concern,
            is_smart,
            is_disjoint: disjoint.unwrap_or(false),
            smart_graph_attribute: attribute.map(str::to_owned),
        }))
    }

    /// Adds the properties to an object that is open in `builder`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| {
            let is_satellite = self.replication_factor.is_none();
            let flags =
                [("isSmart", self.is_smart), ("isDisjoint", self.is_disjoint), ("isSatellite", is_satellite)];
            // Plain graphs have none of them, as in ArangoDB.
            if flags.iter().any(|(_, flag)| *flag) {
                flags.iter().for_each(|(name, flag)| printer.boolean(name, *flag));
            }
            if let Some(attribute) = &self.smart_graph_attribute {
                printer.text("smartGraphAttribute", attribute);
            }
            match self.replication_factor {
                None => {
                    printer.unsigned("numberOfShards", 1);
                    printer.text("replicationFactor", SATELLITE);
                }
                Some(factor) => {
                    printer.unsigned("numberOfShards", self.number_of_shards);
                    printer.unsigned("replicationFactor", factor);
                    printer.unsigned("minReplicationFactor", self.write_concern);
                    printer.unsigned("writeConcern", self.write_concern);
                }
            }
        })
    }
}

/// Checks the attribute `satellites` of `options`.
///
/// It names collections that a cluster copies to every server.
///
/// Errors: 1936.
pub fn check_satellites(options: Slice<'_>, is_smart: bool) -> Result<()> {
    let Some(satellites) = options.get("satellites") else { return Ok(()) };
    if !satellites.is_array() {
        // The attribute has a meaning only for SmartGraphs.
        let missing = Error::new(ErrorCode::GraphInvalidParameter, "Missing array for field `satellites`");
        return if is_smart { Err(missing) } else { Ok(()) };
    }
    if satellites.elements().all(|name| name.is_string()) {
        return Ok(());
    }
    Err(invalid("satellites", "an array of names"))
}

/// Reads the replication factor; `Some(None)` is `"satellite"`.
fn replication_factor(options: Properties<'_>) -> Result<Option<Option<u64>>> {
    match options.value("replicationFactor") {
        Some(value) if value.as_str() == Some(SATELLITE) => Ok(Some(None)),
        _ => Ok(whole(options, "replicationFactor")?.map(Some)),
    }
}

fn whole(from: Properties<'_>, name: &str) -> Result<Option<u64>> {
    let number = from.unsigned(name).map_err(|_| invalid(name, "a positive integer"))?;
    match number {
        Some(0) => Err(invalid(name, "a positive integer")),
        other => Ok(other),
    }
}

fn flag(from: Properties<'_>, name: &str) -> Result<Option<bool>> {
    from.boolean(name).map_err(|_| invalid(name, "a boolean"))
}

fn text<'a>(from: Properties<'a>, name: &str) -> Result<Option<&'a str>> {
    let text = from.text(name).map_err(|_| invalid(name, "a string"))?;
    Ok(text.filter(|text| !text.is_empty()))
}

fn invalid(name: &str, expected: &str) -> Error {
    let message = format!("Invalid parameter type. '{name}' must be {expected}");
    Error::new(ErrorCode::GraphInvalidParameter, message)
}
