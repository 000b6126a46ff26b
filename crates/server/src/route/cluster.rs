//! `/_admin/cluster/*` and `/_api/cluster/*`: the servers that share a store.
//!
//! Such servers have the role of ArangoDB's coordinators. The processes that keep the data have the
//! role of its DB-Servers, and those that place the data that of its Agents. A server that does not
//! share its store answers like a single server of ArangoDB.

use std::time::{Duration, UNIX_EPOCH};

use database::group::GroupView;
use database::{DataNode, NodeHealth, PlacementNode, Session, SharingServer};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant};
use crate::http::date::iso_date;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::version::ARANGODB_VERSION;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/cluster/endpoints", Blocking, endpoints)
        .for_everybody()
        .about("Lists the addresses of the servers that share a store."),
    Route::new(Verb::Get, "/_admin/cluster/health", Blocking, health)
        .about("Describes the servers that share a store."),
    Route::new(Verb::Get, "/_api/cluster/{*}", Constant, only_on_coordinator)
        .about("Returns the answer of a single server."),
    Route::new(Verb::Get, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Returns the answer of a single server."),
    Route::new(Verb::Post, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Returns the answer of a single server."),
    Route::new(Verb::Put, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Returns the answer of a single server."),
    Route::new(Verb::Delete, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Returns the answer of a single server."),
];

/// Lists the addresses, for drivers that spread their requests.
fn endpoints(session: &Session, request: &Request) -> Result<Response> {
    if let Some(endpoints) = session.group_endpoints() {
        return Response::success(StatusCode::OK, |fields| {
            fields.list("endpoints", |list| {
                for endpoint in &endpoints {
                    list.child_element(|fields| {
                        fields.text("endpoint", endpoint);
                    });
                }
            });
        });
    }
    let Some(servers) = session.servers()? else { return only_on_coordinator(session, request) };
    Response::success(StatusCode::OK, |fields| {
        fields.list("endpoints", |list| {
            for server in servers.iter().filter(|server| !server.address.is_empty()) {
                list.child_element(|fields| {
                    fields.text("endpoint", &endpoint(server));
                });
            }
        });
    })
}

/// Describes the servers and the processes of the store under the names that ArangoDB gives them.
fn health(session: &Session, request: &Request) -> Result<Response> {
    if let Some(group) = session.group_view()? {
        return Response::success(StatusCode::OK, |fields| print_group(session, &group, fields));
    }
    let Some(servers) = session.servers()? else { return forbidden(session, request) };
    let nodes = session.nodes()?.unwrap_or_default();
    Response::success(StatusCode::OK, |fields| {
        fields.text("ClusterId", &format!("{:016x}", session.server_id()));
        fields.child("Health", |health| {
            for server in &servers {
                health.child(&format!("CRDN-{:016x}", server.identity), |fields| {
                    print_server(server, session.engine_name(), fields);
                });
            }
            for (number, node) in (1..).zip(&nodes.data) {
                health.child(&format!("PRMR-{:016x}", node.id), |fields| {
                    print_data_node(number, node, session.engine_name(), fields);
                });
            }
            for node in &nodes.placement {
                health.child(&agent(node), |fields| {
                    let leader = nodes.placement.iter().find(|node| node.is_leader);
                    print_placement_node(node, leader, session.engine_name(), fields);
                });
            }
        });
    })
}

/// Describes the members of a group as ArangoDB described those of an Active Failover.
fn print_group(session: &Session, group: &GroupView, fields: &mut Fields) {
    fields.text("ClusterId", &format!("{:016x}", session.server_id()));
    fields.child("Health", |health| {
        for member in &group.members {
            health.child(&format!("SNGL-{:016x}", member.id), |fields| {
                let is_this = member.id == group.own;
                let leads = group.leader == Some(member.id);
                fields
                    .text("ShortName", &format!("SingleServer{:04}", member.id))
                    .text("Role", "Single")
                    .text("Endpoint", &member.endpoint)
                    .text(
                        "Status",
                        if is_this || leads || member.acknowledged.is_some() { "GOOD" } else { "UNKNOWN" },
                    )
                    .text("SyncStatus", "SERVING")
                    .text("Engine", session.engine_name())
                    .text("Version", ARANGODB_VERSION)
                    .bool("Leading", leads)
                    .bool("IsThis", is_this)
                    .bool("CanBeDeleted", false);
            });
        }
    });
}

fn print_server(server: &SharingServer, engine: &str, fields: &mut Fields) {
    fields
        .text("ShortName", &format!("Coordinator{:04}", server.number))
        .text("Role", "Coordinator")
        // One that gives no sign of life is not listed.
        .text("Status", "GOOD")
        .text("SyncStatus", "SERVING")
        .text("Endpoint", &endpoint(server))
        .text("Host", host(&server.address))
        .text("Engine", engine)
        .text("Version", ARANGODB_VERSION)
        .text("PerseaVersion", &server.version)
        .number("Started", server.started_ms)
        .bool("IsThis", server.is_this)
        .bool("CanBeDeleted", false);
}

/// Describes a process that keeps data, the one with this number in the list.
fn print_data_node(number: u32, node: &DataNode, engine: &str, fields: &mut Fields) {
    fields
        .text("ShortName", &format!("DBServer{number:04}"))
        .text("Role", "DBServer")
        .text("Status", status(node.health))
        .text("SyncStatus", sync_status(node))
        .text("Endpoint", &format!("tcp://{}", node.address))
        .text("Host", host(&node.address))
        .text("Engine", engine)
        .text("Version", &node.version);
    if let Some(seen_ms) = node.seen_ms {
        fields.text("LastAckedTime", &iso_date(UNIX_EPOCH + Duration::from_millis(seen_ms)));
    }
    fields
        .number("Capacity", node.capacity_bytes)
        .number("Available", node.available_bytes)
        .number("Regions", node.ranges)
        .bool("CanBeDeleted", false);
}

fn print_placement_node(
    node: &PlacementNode,
    leader: Option<&PlacementNode>,
    engine: &str,
    fields: &mut Fields,
) {
    fields
        .text("ShortName", &node.name)
        .text("Role", "Agent")
        .text("Status", status(node.health))
        .text("Endpoint", &format!("tcp://{}", node.address))
        .text("Engine", engine)
        .text("Leader", &leader.map(agent).unwrap_or_default())
        .bool("Leading", node.is_leader)
        .bool("CanBeDeleted", false);
}

fn agent(node: &PlacementNode) -> String {
    format!("AGNT-{:016x}", node.id)
}

fn status(health: NodeHealth) -> &'static str {
    match health {
        NodeHealth::Up => "GOOD",
        NodeHealth::Suspect => "BAD",
        NodeHealth::Down => "FAILED",
    }
}

fn sync_status(node: &DataNode) -> &'static str {
    match (node.health, node.is_leaving) {
        (NodeHealth::Down, _) => "UNKNOWN",
        (_, true) => "STOPPING",
        (_, false) => "SERVING",
    }
}

fn host(address: &str) -> &str {
    address.rsplit_once(':').map_or("", |(host, _)| host)
}

fn endpoint(server: &SharingServer) -> String {
    if server.address.is_empty() { String::new() } else { format!("tcp://{}", server.address) }
}

fn only_on_coordinator(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::of(ErrorCode::ClusterOnlyOnCoordinator))
}

fn forbidden(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::new(ErrorCode::HttpForbidden, "only allowed on coordinators"))
}
