//! The messages to the processes of a shared store, with a label for each of them.

use database::{NodeRole, NodeStatistics, REPLY_CUTS, Session};

use super::Page;

pub(super) fn print(session: &Session, page: &mut Page) {
    let nodes = session.engine_statistics().nodes;
    if nodes.is_empty() {
        return;
    }
    let mut values = |name: &str, kind: &str, help: &str, value: fn(&NodeStatistics) -> u64| {
        page.head(name, kind, help);
        nodes.iter().for_each(|node| page.value(name, &labels(node), value(node)));
    };
    values(
        "persea_cluster_messages_total",
        "counter",
        "Messages to a process of the shared store that have ended.",
        |node| node.replies.count() + node.failures,
    );
    values(
        "persea_cluster_failed_messages_total",
        "counter",
        "Messages to a process of the shared store without a reply.",
        |node| node.failures,
    );
    values(
        "persea_cluster_messages_in_flight",
        "gauge",
        "Messages to a process of the shared store whose reply is awaited.",
        |node| node.in_flight,
    );
    values(
        "persea_cluster_bytes_sent_total",
        "counter",
        "Bytes of messages to a process of the shared store.",
        |node| node.sent_bytes,
    );
    values(
        "persea_cluster_bytes_received_total",
        "counter",
        "Bytes of replies of a process of the shared store.",
        |node| node.received_bytes,
    );
    let name = "persea_cluster_reply_time";
    page.head(name, "histogram", "Seconds from a message to a process of the shared store to its reply.");
    nodes.iter().for_each(|node| page.histogram_values(name, &labels(node), &REPLY_CUTS, &node.replies));
}

fn labels(node: &NodeStatistics) -> String {
    let role = match node.role {
        NodeRole::Data => "data",
        NodeRole::Placement => "placement",
    };
    format!("store=\"{}\",role=\"{role}\"", node.address)
}
