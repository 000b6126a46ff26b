//! The reference of AQL for models: one short text a topic.

/// A topic of the reference.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// The name.
    pub name: &'static str,
    /// One sentence about the content.
    pub about: &'static str,
    /// The text, in Markdown.
    pub text: &'static str,
}

macro_rules! topics {
    ($(($name:literal, $about:literal)),* $(,)?) => {
        /// All topics, in the order in which they are best read.
        pub const TOPICS: &[Topic] = &[
            $(Topic { name: $name, about: $about, text: include_str!(concat!($name, ".md")) },)*
        ];
    };
}

topics![
    ("basics", "The parts of a query, types, operators, and how null compares."),
    ("filter", "Conditions, joins, and comparison with arrays."),
    ("collect", "Grouping, counting and aggregates."),
    ("sort_limit", "Order, pages and distinct rows."),
    ("subqueries", "Subqueries, LET, and inline filters of arrays."),
    ("functions", "The most used functions by family."),
    ("dates", "Dates and their functions."),
    ("graphs", "Traversals, shortest paths and edges."),
    ("search", "Full-text search with views and inverted indexes, and scores."),
    ("vectors", "Nearest neighbours with vector indexes, and hybrid search."),
    ("geo", "Points, distances and areas."),
    ("modification", "INSERT, UPDATE, REPLACE, REMOVE and UPSERT."),
    ("performance", "Indexes, and how to read a plan."),
];

/// Returns the topic with a name.
pub fn topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_topic_is_short_and_has_a_title() {
        for topic in TOPICS {
            assert!(topic.text.starts_with("# "), "{}", topic.name);
            assert!((200..6_000).contains(&topic.text.len()), "{}: {}", topic.name, topic.text.len());
        }
        assert!(topic("graphs").is_some() && topic("cobol").is_none());
    }
}
