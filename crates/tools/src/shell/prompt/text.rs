//! The text of the prompt.

use std::time::Duration;

/// The facts that a prompt can show.
#[derive(Clone)]
pub(super) struct Facts {
    pub(super) database: String,
    /// The address of the server; none if it does not answer.
    pub(super) endpoint: Option<String>,
    pub(super) user: String,
    /// The time of the last statement.
    pub(super) last: Duration,
    /// The time since the start.
    pub(super) total: Duration,
}

/// The text in place of the address of a server that does not answer.
const NOT_CONNECTED: &str = "not connected";

/// Returns a prompt for its pattern. Unknown placeholders stay as they are.
pub(super) fn prompt(pattern: &str, facts: &Facts) -> String {
    let endpoint = facts.endpoint.as_deref().unwrap_or(NOT_CONNECTED);
    let mut text = String::new();
    let mut rest = pattern.chars();
    while let Some(char) = rest.next() {
        if char != '%' {
            text.push(char);
            continue;
        }
        match rest.next() {
            Some('d') => text.push_str(&facts.database),
            Some('e') => text.push_str(endpoint),
            Some('E') => text.push_str(endpoint.rsplit("://").next().unwrap_or_default()),
            Some('u') => text.push_str(&facts.user),
            Some('t') => text.push_str(&jiff::Timestamp::now().as_second().to_string()),
            Some('p') => text.push_str(&format!("{:.6}", facts.last.as_secs_f64())),
            Some('a') => text.push_str(&format!("{:.6}", facts.total.as_secs_f64())),
            Some('%') => text.push('%'),
            Some(other) => text.extend(['%', other]),
            None => text.push('%'),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_show_facts() {
        let facts = Facts {
            database: "shop".to_owned(),
            endpoint: Some("http://127.0.0.1:8529".to_owned()),
            user: "root".to_owned(),
            last: Duration::from_millis(1_500),
            total: Duration::from_secs(60),
        };
        assert_eq!(prompt("%E@%d> ", &facts), "127.0.0.1:8529@shop> ");
        let broken = Facts { endpoint: None, ..facts.clone() };
        assert_eq!(prompt("%E@%d> ", &broken), "not connected@shop> ");
        assert_eq!(
            prompt("%u %e %p %a %% %x %", &facts),
            "root http://127.0.0.1:8529 1.500000 60.000000 % %x %"
        );
    }
}
