//! Finds the route of a path: a tree over the parts of the patterns.
//!
//! A pattern is a path with `{name}` where any one part may stand, and `{*}` at its end where any number of parts may.
//! A part that is spelled out goes before a `{name}`, and that before `{*}`.

use std::fmt;

use super::path::Path;
use super::pattern::Match;
use super::route::{BoundRoute, VERBS, Verb};

/// What there is under a path.
pub enum Found<'a> {
    /// A route for the method.
    Route(&'a BoundRoute, Match),
    /// One whose path goes on: this one ends before the name of what it is about.
    PartMissing(&'a BoundRoute),
    /// Routes for other methods.
    OtherMethods,
    /// Nothing.
    Nothing,
}

/// All routes.
pub struct Router {
    routes: Vec<BoundRoute>,
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    /// Next nodes by the part that leads there, sorted.
    spelled_out: Vec<(&'static str, usize)>,
    /// Next node for any part.
    named: Option<usize>,
    /// Routes of paths that end here.
    end: [Option<usize>; VERBS],
    /// Routes of paths that go on from here in any way.
    rest: [Option<usize>; VERBS],
}

/// Two routes that cannot be told apart, or a pattern that is none.
#[derive(Debug, PartialEq, Eq)]
pub struct RouterError(String);

impl fmt::Display for RouterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for RouterError {}

impl Router {
    /// A router of routes, no two of which are the same.
    pub fn new(routes: impl IntoIterator<Item = BoundRoute>) -> Result<Self, RouterError> {
        let mut router = Router { routes: Vec::new(), nodes: vec![Node::default()] };
        routes.into_iter().try_for_each(|route| router.add(route))?;
        Ok(router)
    }

    fn add(&mut self, route: BoundRoute) -> Result<(), RouterError> {
        let wrong = |what: &str| RouterError(format!("route {:?} {}: {what}", route.verb, route.pattern));
        let parts = route.pattern.strip_prefix('/').ok_or_else(|| wrong("a pattern begins with a slash"))?;
        let mut at = 0;
        let mut is_rest = false;
        for part in parts.split('/').filter(|part| !part.is_empty()) {
            if is_rest {
                return Err(wrong("nothing can follow {*}"));
            }
            is_rest = part == "{*}";
            if !is_rest {
                at = self.step(at, part).ok_or_else(|| wrong("internal"))?;
            }
        }
        let index = self.routes.len();
        let node = self.nodes.get_mut(at).ok_or_else(|| wrong("internal"))?;
        let table = if is_rest { &mut node.rest } else { &mut node.end };
        let slot = table.get_mut(route.verb as usize).ok_or_else(|| wrong("internal"))?;
        match slot.replace(index) {
            None => self.routes.push(route),
            Some(_) => return Err(wrong("there is such a route already")),
        }
        Ok(())
    }

    /// The node behind a part of a pattern, made if need be.
    fn step(&mut self, from: usize, part: &'static str) -> Option<usize> {
        let next = self.nodes.len();
        let node = self.nodes.get_mut(from)?;
        if part.starts_with('{') {
            let at = *node.named.get_or_insert(next);
            self.nodes.resize_with(next.max(at + 1), Node::default);
            return Some(at);
        }
        match node.spelled_out.binary_search_by(|(known, _)| (*known).cmp(part)) {
            Ok(place) => node.spelled_out.get(place).map(|(_, at)| *at),
            Err(place) => {
                node.spelled_out.insert(place, (part, next));
                self.nodes.push(Node::default());
                Some(next)
            }
        }
    }

    /// The route of a path for a method.
    pub fn find(&self, verb: Verb, path: &Path) -> Found<'_> {
        let mut other_methods = false;
        match self.descend(0, 0, path, verb, &mut other_methods) {
            Some(route) => Found::Route(route, Match { pattern: route.pattern }),
            None => match self.longer(path, verb) {
                Some(route) => Found::PartMissing(route),
                None if other_methods => Found::OtherMethods,
                None => Found::Nothing,
            },
        }
    }

    /// A route whose path goes on where this one ends, if that is more than the beginning of others.
    fn longer(&self, path: &Path, verb: Verb) -> Option<&BoundRoute> {
        let mut node = self.nodes.first()?;
        for part in (0..).map_while(|depth| path.segment(depth)) {
            let spelled_out =
                node.spelled_out.iter().find(|(known, _)| *known == part).map(|(_, next)| *next);
            node = self.nodes.get(spelled_out.or(node.named)?)?;
        }
        let is_only_a_beginning = path.segment(0).is_none() || node.end.iter().all(Option::is_none);
        let next =
            if is_only_a_beginning { node.named.and_then(|next| self.nodes.get(next)) } else { Some(node) };
        next.and_then(|next| self.pick(&next.end, verb, &mut false).or_else(|| self.behind(next, verb)))
    }

    fn behind(&self, node: &Node, verb: Verb) -> Option<&BoundRoute> {
        let next = node.named.iter().chain(node.spelled_out.iter().map(|(_, next)| next));
        let mut next = next.filter_map(|next| self.nodes.get(*next));
        next.find_map(|node| self.pick(&node.end, verb, &mut false).or_else(|| self.behind(node, verb)))
    }

    fn descend(
        &self,
        at: usize,
        depth: usize,
        path: &Path,
        verb: Verb,
        other_methods: &mut bool,
    ) -> Option<&BoundRoute> {
        let node = self.nodes.get(at)?;
        let Some(part) = path.segment(depth) else {
            return self
                .pick(&node.end, verb, other_methods)
                .or_else(|| self.pick(&node.rest, verb, other_methods));
        };
        let spelled_out = node.spelled_out.binary_search_by(|(known, _)| (*known).cmp(part)).ok();
        let next = spelled_out.and_then(|place| node.spelled_out.get(place)).map(|(_, next)| *next);
        next.and_then(|next| self.descend(next, depth + 1, path, verb, other_methods))
            .or_else(|| node.named.and_then(|next| self.descend(next, depth + 1, path, verb, other_methods)))
            .or_else(|| self.pick(&node.rest, verb, other_methods))
    }

    fn pick(
        &self,
        table: &[Option<usize>; VERBS],
        verb: Verb,
        other_methods: &mut bool,
    ) -> Option<&BoundRoute> {
        let of = |verb: Verb| table.get(verb as usize).copied().flatten();
        let index = match verb {
            Verb::Head => of(Verb::Head).or_else(|| of(Verb::Get)),
            other => of(other),
        };
        *other_methods |= table.iter().any(Option::is_some);
        index.and_then(|index| self.routes.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Cost::Constant;
    use crate::http::route::{Route, bind};
    use crate::http::{Request, Response};
    use errors::{Error, ErrorCode};

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
        // Nothing is missing where there are but beginnings of others.
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
    fn a_route_cannot_be_there_twice() {
        let twice = bind(ROUTES, ()).into_iter().chain(bind(ROUTES, ()));
        assert!(Router::new(twice).is_err());
        let behind_rest = [Route::new(Verb::Get, "/a/{*}/b", Constant, nothing)];
        assert!(Router::new(bind(&behind_rest, ())).is_err());
    }
}
