//! The description of a route, from which the API documentation is generated.

/// The description of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description {
    /// The effect of the route, as one sentence.
    pub(crate) summary: &'static str,
    /// The names of the parameters in the query string.
    pub(crate) query: &'static [&'static str],
    /// An example of the body in JSON; empty if the route has none.
    pub(crate) body: &'static str,
}

impl Description {
    /// The description of a route that has none.
    pub(crate) const NONE: Self = Description { summary: "", query: &[], body: "" };
}
