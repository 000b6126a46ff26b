//! Servers that archive their change log.

use super::Server;

/// Returns the options of a server that archives its log many times a second.
pub(crate) fn archiving(repository: &str) -> Vec<String> {
    let options = ["--backup.archive-log", repository, "--backup.archive-log-interval", "0.1"];
    options.map(str::to_owned).to_vec()
}

/// Returns the value of a metric without labels.
#[track_caller]
pub(crate) fn metric(server: &Server, name: &str) -> f64 {
    let page = server.connect().json("GET", "/_admin/metrics/v2", "").text();
    let value = page.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?;
        let rest = rest.strip_prefix("{}").unwrap_or(rest);
        rest.strip_prefix(' ')?.trim().parse().ok()
    });
    value.unwrap_or_else(|| panic!("there is no metric {name}"))
}
