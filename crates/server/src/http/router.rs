//! Finds the route of a path, in a radix tree of patterns for each verb.
//!
//! A pattern is a path. `{name}` in it matches any one segment, and `{*}` at its end any number of
//! segments. A literal segment takes precedence over `{name}`, and `{name}` over `{*}`.

use std::fmt;

use super::path::Path;
use super::pattern::{self, Match};
use super::route::{BoundRoute, VERBS, Verb};

/// The result of [`Router::find`].
pub enum Found<'a> {
    /// A route for the method.
    Route(&'a BoundRoute, Match),
    /// A route whose pattern is longer: the path ends before the name of its object.
    PartMissing(&'a BoundRoute),
    /// Routes for other methods.
    OtherMethods,
    /// Nothing.
    Nothing,
}

/// All routes.
pub struct Router {
    routes: Vec<BoundRoute>,
    /// The tree of each verb, in the order of [`VERBS`].
    trees: Vec<Tree>,
}

/// Positions of routes by their patterns.
type Tree = matchit::Router<usize>;

/// Two routes that cannot be distinguished, or a malformed pattern.
#[derive(Debug, PartialEq, Eq)]
pub struct RouterError(String);

impl fmt::Display for RouterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for RouterError {}

impl Router {
    /// Creates a router of routes, no two of which are the same.
    pub fn new(routes: impl IntoIterator<Item = BoundRoute>) -> Result<Self, RouterError> {
        let routes: Vec<BoundRoute> = routes.into_iter().collect();
        let trees = VERBS.iter().map(|verb| tree_of(&routes, *verb)).collect::<Result<_, _>>()?;
        Ok(Router { routes, trees })
    }

    /// Returns the route of a path for a method.
    pub fn find(&self, verb: Verb, path: &Path) -> Found<'_> {
        let text = path.without_database();
        if let Some(route) = self.route_at(verb, &text) {
            return Found::Route(route, Match { pattern: route.pattern });
        }
        match self.longer(verb, path) {
            Some(route) => Found::PartMissing(route),
            None if VERBS.iter().any(|verb| self.route_at(*verb, &text).is_some()) => Found::OtherMethods,
            None => Found::Nothing,
        }
    }

    fn route_at(&self, verb: Verb, path: &str) -> Option<&BoundRoute> {
        let found = self.trees.get(verb as usize)?.at(path).ok()?;
        self.routes.get(*found.value)
    }

    /// Returns a route whose pattern continues where the path ends.
    ///
    /// Where no pattern ends with the path, only a name may follow: otherwise the path is a prefix
    /// of several routes and means none of them.
    fn longer(&self, verb: Verb, path: &Path) -> Option<&BoundRoute> {
        let mut routes: Vec<&BoundRoute> = self.routes.iter().collect();
        for (depth, segment) in path.segments().enumerate() {
            let is_spelled_out = |route: &&BoundRoute| {
                pattern::segment(route.pattern, depth)
                    .is_some_and(|found| found == segment && !pattern::is_name(found))
            };
            if routes.iter().any(is_spelled_out) {
                routes.retain(is_spelled_out);
            } else {
                routes.retain(|route| pattern::segment(route.pattern, depth).is_some_and(pattern::is_name));
            }
        }
        let next = |route: &BoundRoute| pattern::segment(route.pattern, path.len());
        let is_end = !path.is_empty() && routes.iter().any(|route| next(route).is_none());
        routes.retain(|route| {
            answers(route, verb)
                && !pattern::has_rest(route.pattern)
                && next(route).is_some_and(|segment| is_end || pattern::is_name(segment))
        });
        // Names first, then in the order of the alphabet.
        let order = |segment| (!pattern::is_name(segment), segment);
        routes.into_iter().min_by_key(|route| pattern::segments(route.pattern).map(order).collect::<Vec<_>>())
    }
}

/// Returns true if a route serves the verb. The routes of GET also answer HEAD.
fn answers(route: &BoundRoute, verb: Verb) -> bool {
    route.verb == verb || (verb == Verb::Head && route.verb == Verb::Get)
}

fn tree_of(routes: &[BoundRoute], verb: Verb) -> Result<Tree, RouterError> {
    let mut tree = Tree::new();
    let positions = |wanted: Verb| (0..).zip(routes).filter(move |(_, route)| route.verb == wanted);
    for (position, route) in positions(verb) {
        tree.insert(route.pattern.replace("{*}", "{*rest}"), position)
            .map_err(|error| RouterError(format!("route {verb:?} {}: {error}", route.pattern)))?;
    }
    // A route of the verb itself takes precedence over one of GET, and every route over a rest of
    // no segments.
    if verb == Verb::Head {
        for (position, route) in positions(Verb::Get) {
            let _ = tree.insert(route.pattern.replace("{*}", "{*rest}"), position);
        }
    }
    for (position, route) in (0..).zip(routes).filter(|(_, route)| answers(route, verb)) {
        if let Some(beginning) = route.pattern.strip_suffix("/{*}") {
            let _ = tree.insert(beginning, position);
        }
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use errors::{Error, ErrorCode};

    use super::*;
    use crate::http::Cost::Constant;
    use crate::http::route::{Route, bind};
    use crate::http::{Request, Response};

    fn nothing(_: &database::Session, _: &Request) -> errors::Result<Response> {
        Err(Error::of(ErrorCode::NotImplemented))
    }

    const ROUTES: &[Route] = &[
        Route::new(Verb::Get, "/", Constant, nothing),
        Route::new(Verb::Get, "/_api/query/slow", Constant, nothing),
        Route::new(Verb::Delete, "/_api/query/{id}", Constant, nothing),
        Route::new(Verb::Get, "/_api/document/{collection}/{key}", Constant, nothing),
        Route::new(Verb::Head, "/_api/document/{collection}/{key}", Constant, nothing),
        Route::new(Verb::Post, "/_api/document/{collection}", Constant, nothing),
        Route::new(Verb::Get, "/files/{name}/{*}", Constant, nothing),
    ];

    fn find(verb: Verb, path: &str) -> String {
        let router = Router::new(bind(ROUTES, ())).unwrap();
        let path = Path::parse(path.parse().unwrap()).unwrap();
        match router.find(verb, &path) {
            Found::Route(route, _) => format!("{:?} {}", route.verb, route.pattern),
            Found::PartMissing(route) => format!("400 {}", route.pattern),
            Found::OtherMethods => "405".to_owned(),
            Found::Nothing => "404".to_owned(),
        }
    }

    #[test]
    fn a_route_is_found_by_method_and_path() {
        assert_eq!(find(Verb::Get, "/"), "Get /");
        assert_eq!(find(Verb::Get, "/_db/x/_api/query/slow"), "Get /_api/query/slow");
        assert_eq!(find(Verb::Delete, "/_api/query/7"), "Delete /_api/query/{id}");
        assert_eq!(find(Verb::Post, "/_api/document/c"), "Post /_api/document/{collection}");
    }

    #[test]
    fn a_name_takes_what_is_spelled_out_for_other_methods_only() {
        assert_eq!(find(Verb::Delete, "/_api/query/slow"), "Delete /_api/query/{id}");
    }

    #[test]
    fn head_is_answered_by_get() {
        assert_eq!(find(Verb::Head, "/_api/query/slow"), "Get /_api/query/slow");
        assert_eq!(find(Verb::Head, "/_api/document/c/k"), "Head /_api/document/{collection}/{key}");
    }

    #[test]
    fn other_methods_and_unknown_paths_are_told_apart() {
        assert_eq!(find(Verb::Put, "/_api/query/slow"), "405");
        assert_eq!(find(Verb::Get, "/_api/query"), "404");
        assert_eq!(find(Verb::Get, "/_api/query/slow/more"), "404");
        assert_eq!(find(Verb::Get, "/_api/other"), "404");
    }

    #[test]
    fn a_missing_part_is_named() {
        assert_eq!(find(Verb::Delete, "/_api/query"), "400 /_api/query/{id}");
        assert_eq!(find(Verb::Get, "/_api/document/c"), "400 /_api/document/{collection}/{key}");
        assert_eq!(find(Verb::Post, "/_api/document"), "400 /_api/document/{collection}");
        assert_eq!(find(Verb::Put, "/_api/document/c"), "405");
        assert_eq!(find(Verb::Put, "/"), "405");
        // Nothing is missing if there are only prefixes of other routes.
        assert_eq!(find(Verb::Get, "/_api/query"), "404");
    }

    #[test]
    fn the_rest_of_a_path_may_be_anything() {
        assert_eq!(find(Verb::Get, "/files/a"), "Get /files/{name}/{*}");
        assert_eq!(find(Verb::Get, "/files/a/b/c"), "Get /files/{name}/{*}");
        let matched = Match { pattern: "/files/{name}/{*}" };
        assert_eq!((matched.position("name"), matched.rest()), (Some(1), 2));
        assert_eq!(Match { pattern: "/files" }.position("name"), None);
    }

    #[test]
    fn segments_count_not_the_text_of_a_path() {
        for path in ["/_api/document/a%2Fb/k", "//_api/document//c/k/", "/_db/d/_api/document/c/k"] {
            assert_eq!(find(Verb::Get, path), "Get /_api/document/{collection}/{key}", "{path}");
        }
        assert_eq!(find(Verb::Get, "/_api/query/%73low"), "Get /_api/query/slow");
        assert_eq!(find(Verb::Get, "/_api/query%2Fslow"), "404");
    }

    #[test]
    fn a_route_cannot_be_there_twice() {
        let twice = bind(ROUTES, ()).into_iter().chain(bind(ROUTES, ()));
        assert!(Router::new(twice).is_err());
        let behind_rest = [Route::new(Verb::Get, "/a/{*}/b", Constant, nothing)];
        assert!(Router::new(bind(&behind_rest, ())).is_err());
    }
}
