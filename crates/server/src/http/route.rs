//! Routes: a method, a pattern of paths, the handler, and the required rights.
//!
//! A family of routes is a table of [`Route`]. Its handlers are plain functions. Handlers that need
//! more than the database take a struct of the services that their family declares. [`Route::bind`]
//! joins both.

use std::sync::Arc;

use database::Session;
use errors::Result;
use hyper::Method;

use super::audit::Audit;
use super::description::Description;
use super::request::Request;
use super::response::Response;

pub use crate::placement::Cost;

/// The methods of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Reads without sending the body. A route of `Get` also answers it if there is no route of its
    /// own.
    Head,
    /// Creates an object, or performs an action.
    Post,
    /// Replaces.
    Put,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
}

/// All verbs, in their order.
pub(crate) const VERBS: [Verb; 6] = [Verb::Get, Verb::Head, Verb::Post, Verb::Put, Verb::Patch, Verb::Delete];

impl Verb {
    /// Returns the verb of a method, or `None` for methods that no route has.
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

/// The handler of a route. `S` is the struct of its family's services.
pub enum Handler<S> {
    /// Works in one database, seen by one user.
    Plain(fn(&Session, &Request) -> Result<Response>),
    /// Works in one database with the services of its family.
    With(fn(&S, &Session, &Request) -> Result<Response>),
    /// Needs no user.
    Open(fn(&S, &Request) -> Result<Response>),
}

/// The right that a route requires of a user, before its own checks of collections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// None, if the path names `_system` or no database. The route itself checks the user's rights.
    Nothing,
    /// Use the database (level `ro`).
    #[default]
    Use,
    /// Administer the database (level `rw`).
    Write,
    /// See the server's internals: as `Use`, with `--server.harden` as `Administer`.
    Inspect,
    /// Administer the server (level `rw` on `_system`).
    Administer,
}

/// One method of one pattern. `S` is the struct of its family's services.
pub struct Route<S = ()> {
    verb: Verb,
    pattern: &'static str,
    cost: Cost,
    handler: Handler<S>,
    access: Access,
    system_only: bool,
    in_scripts: bool,
    local_object: Option<&'static str>,
    of_first_server: bool,
    of_all_servers: Option<AllServers>,
    is_public: bool,
    reads_replicas: bool,
    audit: Option<Audit>,
    description: Description,
}

/// A kind of routes about all servers of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllServers {
    /// The reply is a list of objects in the memory of one server. Clients get those of all
    /// servers.
    List {
        /// The attribute of the reply that is the list; `None` if the reply is the list.
        attribute: Option<&'static str>,
        /// The parameter that limits the length of the list.
        limit: Option<&'static str>,
    },
    /// The route changes what a server keeps for itself. All servers make the change.
    Change,
}

impl AllServers {
    /// The kind of routes whose reply is a list of any length.
    pub const LIST: Self = AllServers::List { attribute: None, limit: None };
}

impl<S> Route<S> {
    /// Returns a route that needs only the database.
    pub const fn new(
        verb: Verb,
        pattern: &'static str,
        cost: Cost,
        handler: fn(&Session, &Request) -> Result<Response>,
    ) -> Self {
        Self::of(verb, pattern, cost, Handler::Plain(handler))
    }

    /// Returns a route that needs services of the server.
    pub const fn with(
        verb: Verb,
        pattern: &'static str,
        cost: Cost,
        handler: fn(&S, &Session, &Request) -> Result<Response>,
    ) -> Self {
        Self::of(verb, pattern, cost, Handler::With(handler))
    }

    /// Returns a route without user and session.
    pub const fn open(
        verb: Verb,
        pattern: &'static str,
        cost: Cost,
        handler: fn(&S, &Request) -> Result<Response>,
    ) -> Self {
        Self::of(verb, pattern, cost, Handler::Open(handler))
    }

    const fn of(verb: Verb, pattern: &'static str, cost: Cost, handler: Handler<S>) -> Self {
        let (access, system_only, in_scripts) = (Access::Use, false, true);
        let (local_object, audit, description) = (None, None, Description::NONE);
        let (is_public, reads_replicas) = (false, false);
        Route {
            verb,
            pattern,
            cost,
            handler,
            access,
            system_only,
            in_scripts,
            local_object,
            of_first_server: false,
            of_all_servers: None,
            is_public,
            reads_replicas,
            audit,
            description,
        }
    }

    /// Describes the route in one sentence, for the documentation of the API.
    pub const fn about(mut self, summary: &'static str) -> Self {
        self.description.summary = summary;
        self
    }

    /// Names the parameters of the query string that the route reads.
    pub const fn with_query(mut self, names: &'static [&'static str]) -> Self {
        self.description.query = names;
        self
    }

    /// Gives an example of the route's body, in JSON.
    pub const fn with_body(mut self, example: &'static str) -> Self {
        self.description.body = example;
        self
    }

    /// Opens the route to users without a right to `_system`. The route checks their rights itself.
    pub const fn for_everybody(mut self) -> Self {
        self.access = Access::Nothing;
        self
    }

    /// Restricts the route to users who may administer the database.
    pub const fn for_writers(mut self) -> Self {
        self.access = Access::Write;
        self
    }

    /// Restricts the route to users who may see the server's internals.
    pub const fn for_inspectors(mut self) -> Self {
        self.access = Access::Inspect;
        self
    }

    /// Restricts the route to users who may administer the server.
    pub const fn for_administrators(mut self) -> Self {
        self.access = Access::Administer;
        self
    }

    /// Restricts the route to administrators, notes its calls in the audit as those of a service,
    /// and keeps it from JavaScript transactions: it changes what the server does.
    pub const fn for_operators(self) -> Self {
        self.for_administrators().audited(Audit::Service).not_in_scripts()
    }

    /// Keeps the route from JavaScript transactions: it changes definitions, or takes no part in a
    /// transaction and waits for its locks.
    pub const fn not_in_scripts(mut self) -> Self {
        self.in_scripts = false;
        self
    }

    /// Names the segment of the path, or the parameter of the query string, that is the number of
    /// an object in the memory of one server. Where several servers share a store, the object's
    /// server answers the request.
    pub const fn of_local_object(mut self, name: &'static str) -> Self {
        self.local_object = Some(name);
        self
    }

    /// Lets one server answer all requests of the route, where several servers share a store: the
    /// first of those that live. It has state of the route in memory.
    pub const fn of_first_server(mut self) -> Self {
        self.of_first_server = true;
        self
    }

    /// Lets all servers that share a store answer the requests of the route. If one of them does
    /// not, the error is 1465.
    ///
    /// Where the same route also stands for one local object, a request with its number goes to its
    /// server only.
    pub const fn of_all_servers(mut self, kind: AllServers) -> Self {
        self.of_all_servers = Some(kind);
        self
    }

    /// Opens the route to clients that name no user, where only the paths of the system need one.
    /// They have the rights of the services of the database.
    pub(crate) const fn for_the_public(mut self) -> Self {
        self.is_public = true;
        self
    }

    /// Lets clients accept documents of any replica of the data, which may miss the last commits.
    pub(crate) const fn reading_replicas(mut self) -> Self {
        self.reads_replicas = true;
        self
    }

    /// Logs each request of the route, which changes something.
    pub(crate) const fn audited(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Restricts the route to the database `_system`.
    pub const fn in_system_database(mut self) -> Self {
        self.system_only = true;
        self
    }
}

impl<S: Send + Sync + 'static> Route<S> {
    /// Joins the route and the services of its family.
    pub fn bind(&self, services: &Arc<S>) -> BoundRoute {
        let services = Arc::clone(services);
        let call = match self.handler {
            Handler::Plain(handler) => Call::User(Arc::new(handler)),
            Handler::With(handler) => {
                Call::User(Arc::new(move |session, request| handler(&services, session, request)))
            }
            Handler::Open(handler) => Call::Open(Arc::new(move |request| handler(&services, request))),
        };
        BoundRoute {
            verb: self.verb,
            pattern: self.pattern,
            cost: self.cost,
            call,
            access: self.access,
            system_only: self.system_only,
            in_scripts: self.in_scripts,
            local_object: self.local_object,
            of_first_server: self.of_first_server,
            of_all_servers: self.of_all_servers,
            is_public: self.is_public,
            reads_replicas: self.reads_replicas,
            audit: self.audit,
            description: self.description,
        }
    }
}

/// Joins all routes of a family and the services that it needs.
pub(crate) fn bind<S: Send + Sync + 'static>(routes: &[Route<S>], services: S) -> Vec<BoundRoute> {
    let services = Arc::new(services);
    routes.iter().map(|route| route.bind(&services)).collect()
}

/// A route that is ready to be called.
#[derive(Clone)]
pub struct BoundRoute {
    pub(crate) verb: Verb,
    pub(crate) pattern: &'static str,
    pub(crate) cost: Cost,
    pub(crate) call: Call,
    pub(crate) access: Access,
    /// True if the path must name `_system` or no database.
    pub(crate) system_only: bool,
    /// True if JavaScript transactions may use the route.
    pub(crate) in_scripts: bool,
    /// The segment or the parameter that is the number of an object in the memory of one server.
    pub(crate) local_object: Option<&'static str>,
    /// True if the first server of those that share a store answers.
    pub(crate) of_first_server: bool,
    /// The kind of a route that all servers of a store must answer.
    pub(crate) of_all_servers: Option<AllServers>,
    /// True if clients may name no user, where only the paths of the system need one.
    pub(crate) is_public: bool,
    /// True if clients may accept documents of any replica of the data.
    pub(crate) reads_replicas: bool,
    /// The subject that requests of the route change, if they are logged.
    pub(crate) audit: Option<Audit>,
    /// The words about the route in the documentation of the API.
    pub(crate) description: Description,
}

/// A handler and its services.
#[derive(Clone)]
pub(crate) enum Call {
    /// A handler for a user of a database.
    User(Arc<UserCall>),
    /// A handler without a user.
    Open(Arc<OpenCall>),
}

type UserCall = dyn Fn(&Session, &Request) -> Result<Response> + Send + Sync;
type OpenCall = dyn Fn(&Request) -> Result<Response> + Send + Sync;
