//! Finds the route of a path: a tree over the parts of the patterns.
//!
//! A pattern is a path with `{name}` where any one part may stand, and `{*}` at its end where any number of parts may.
//! A part that is spelled out goes before a `{name}`, and that before `{*}`.

use std::fmt;
use std::sync::Arc;

use hyper::Method;

use super::path::Path;
use super::request::Request;
use super::response::Response;
use crate::error::Result;
use crate::server::Server;
use crate::session::Session;

/// The methods that routes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Reads without sending the body. A route of `Get` answers it as well where there is no route of its own.
    Head,
    /// Creates, or does something.
    Post,
    /// Replaces.
    Put,
    /// Changes in part.
    Patch,
    /// Removes.
    Delete,
}

const VERBS: usize = 6;

impl Verb {
    /// The verb of a method; none for those that no route has.
    pub fn of(method: &Method) -> Option<Self> {
        Some(match *method {
            Method::GET => Verb::Get,
            Method::HEAD => Verb::Head,
            Method::POST => Verb::Post,
            Method::PUT => Verb::Put,
            Method::PATCH => Verb::Patch,
            Method::DELETE => Verb::Delete,
            _ => return None,
        })
    }
}

/// A route that needs no user.
pub type OpenHandler = fn(&Arc<Server>, &Request) -> Result<Response>;

/// A route: one database, seen by one user.
pub type Handler = fn(&Session, &Request) -> Result<Response>;

/// A route that may find out that it takes longer.
pub type StartHandler = fn(&Session, &Request) -> Result<Outcome>;

/// The rest of a request's work.
pub type Continuation = Box<dyn FnOnce() -> Result<Response> + Send>;

/// How far a [`StartHandler`] got.
// Moved once, and `Done` is what nearly all are: not worth an allocation.
#[allow(clippy::large_enum_variant)]
pub enum Outcome {
    /// To the end.
    Done(Response),
    /// To where it would wait or compute for long: this goes on on the worker pool.
    Continue(Continuation),
}

impl From<Response> for Outcome {
    fn from(response: Response) -> Self {
        Outcome::Done(response)
    }
}

/// Where a route's code runs.
#[derive(Clone, Copy)]
pub enum Action {
    /// On the connection's own task, without a user: for what takes microseconds.
    Open(OpenHandler),
    /// As `Open`, on the worker pool.
    OpenPool(OpenHandler),
    /// On the connection's own task: for what takes microseconds and never waits.
    Inline(Handler),
    /// On the worker pool: for everything else.
    Pool(Handler),
    /// On the connection's own task at first, and on the worker pool if need be.
    Start(StartHandler),
}

/// What a user must be allowed to do for a route, before the route's own checks of collections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Nothing where the path names `_system`, or no database: the route itself checks what the user may do.
    Nothing,
    /// Use the database (level `ro`).
    #[default]
    Use,
    /// Administer the database (level `rw`).
    Write,
    /// Administer the server (level `rw` on `_system`).
    Administer,
}

/// One method of one pattern.
#[derive(Clone, Copy)]
pub struct Route {
    /// The method.
    pub verb: Verb,
    /// The paths, without the database.
    pub pattern: &'static str,
    /// The code, and where it runs.
    pub action: Action,
    /// Who may.
    pub access: Access,
    /// Whether the path must name `_system`, or no database.
    pub system_only: bool,
}

impl Route {
    /// A route that needs no user, on the connection's own task.
    pub const fn open(verb: Verb, pattern: &'static str, handler: OpenHandler) -> Self {
        Self::new(verb, pattern, Action::Open(handler))
    }

    /// A route that needs no user, on the worker pool.
    pub const fn open_pool(verb: Verb, pattern: &'static str, handler: OpenHandler) -> Self {
        Self::new(verb, pattern, Action::OpenPool(handler))
    }

    /// A route that takes microseconds and never waits.
    pub const fn inline(verb: Verb, pattern: &'static str, handler: Handler) -> Self {
        Self::new(verb, pattern, Action::Inline(handler))
    }

    /// A route that runs on the worker pool.
    pub const fn pool(verb: Verb, pattern: &'static str, handler: Handler) -> Self {
        Self::new(verb, pattern, Action::Pool(handler))
    }

    /// A route that begins on the connection's own task.
    pub const fn start(verb: Verb, pattern: &'static str, handler: StartHandler) -> Self {
        Self::new(verb, pattern, Action::Start(handler))
    }

    const fn new(verb: Verb, pattern: &'static str, action: Action) -> Self {
        Route { verb, pattern, action, access: Access::Use, system_only: false }
    }

    /// The same route for all users, who need no right to `_system`: it checks itself what they may do.
    pub const fn for_everybody(mut self) -> Self {
        self.access = Access::Nothing;
        self
    }

    /// The same route for users who may administer the database.
    pub const fn for_writers(mut self) -> Self {
        self.access = Access::Write;
        self
    }

    /// The same route for users who may administer the server.
    pub const fn for_administrators(mut self) -> Self {
        self.access = Access::Administer;
        self
    }

    /// The same route in the database `_system` only.
    pub const fn in_system_database(mut self) -> Self {
        self.system_only = true;
        self
    }
}

/// The pattern that a path has matched: where its named parts are.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    pattern: &'static str,
}

impl Match {
    /// At which part of the path `{name}` stands.
    pub fn position(self, name: &str) -> Option<usize> {
        self.parts().position(|part| {
            part.strip_prefix('{').and_then(|part| part.strip_suffix('}')).is_some_and(|found| found == name)
        })
    }

    /// From which part on `{*}` stands; behind all parts when there is none.
    pub fn rest(self) -> usize {
        self.position("*").unwrap_or(usize::MAX)
    }

    fn parts(self) -> impl Iterator<Item = &'static str> {
        self.pattern.split('/').skip(1)
    }
}

/// What there is under a path.
pub enum Found<'a> {
    /// A route for the method.
    Route(&'a Route, Match),
    /// One whose path goes on: this one ends before the name of what it is about.
    PartMissing(&'a Route),
    /// Routes for other methods.
    OtherMethods,
    /// Nothing.
    Nothing,
}

/// All routes.
pub struct Router {
    routes: Vec<Route>,
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
    /// A router of all routes of all families.
    pub fn new(families: &[&[Route]]) -> std::result::Result<Self, RouterError> {
        let mut router = Router { routes: Vec::new(), nodes: vec![Node::default()] };
        families.iter().flat_map(|family| family.iter()).try_for_each(|route| router.add(*route))?;
        Ok(router)
    }

    fn add(&mut self, route: Route) -> std::result::Result<(), RouterError> {
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
        self.routes.push(route);
        let node = self.nodes.get_mut(at).ok_or_else(|| wrong("internal"))?;
        let table = if is_rest { &mut node.rest } else { &mut node.end };
        let slot = table.get_mut(route.verb as usize).ok_or_else(|| wrong("internal"))?;
        match slot.replace(index) {
            None => Ok(()),
            Some(_) => Err(wrong("there is such a route already")),
        }
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
    fn longer(&self, path: &Path, verb: Verb) -> Option<&Route> {
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

    fn behind(&self, node: &Node, verb: Verb) -> Option<&Route> {
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
    ) -> Option<&Route> {
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

    fn pick(&self, table: &[Option<usize>; VERBS], verb: Verb, other_methods: &mut bool) -> Option<&Route> {
        let of = |verb: Verb| table.get(verb as usize).copied().flatten();
        let index = match verb {
            Verb::Head => of(Verb::Head).or_else(|| of(Verb::Get)),
            other => of(other),
        };
        *other_methods |= table.iter().any(Option::is_some);
        index.and_then(|index| self.routes.get(index))
    }

    /// All routes, in the order of their families.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ApiError;

    fn nothing(_: &Session, _: &Request) -> Result<Response> {
        Err(ApiError::of(9))
    }

    const ROUTES: &[Route] = &[
        Route::inline(Verb::Get, "/", nothing),
        Route::inline(Verb::Get, "/_api/query/slow", nothing),
        Route::inline(Verb::Delete, "/_api/query/{id}", nothing),
        Route::inline(Verb::Get, "/_api/document/{collection}/{key}", nothing),
        Route::inline(Verb::Head, "/_api/document/{collection}/{key}", nothing),
        Route::inline(Verb::Post, "/_api/document/{collection}", nothing),
        Route::inline(Verb::Get, "/files/{name}/{*}", nothing),
    ];

    fn find(verb: Verb, path: &str) -> String {
        let router = Router::new(&[ROUTES]).unwrap();
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
        let twice = [ROUTES[0], ROUTES[0]];
        assert!(Router::new(&[&twice]).is_err());
        let behind_rest = [Route::inline(Verb::Get, "/a/{*}/b", nothing)];
        assert!(Router::new(&[&behind_rest]).is_err());
    }
}
