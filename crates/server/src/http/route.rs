//! Routes: a method, a pattern of paths, the code behind them, and who may.
//!
//! A family of routes is a table of [`Route`]. Its handlers are plain functions; those that need more than the database
//! take a struct of the services that their family names. [`Route::bind`] brings both together.

use std::sync::Arc;

use database::Session;
use errors::Result;
use hyper::Method;

use super::request::Request;
use super::response::Response;
pub use crate::placement::Cost;

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

pub(crate) const VERBS: usize = 6;

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

/// The code of a route. `S` is what its family needs besides the database.
pub enum Handler<S> {
    /// Works in one database, seen by one user.
    Plain(fn(&Session, &Request) -> Result<Response>),
    /// The same with the services of its family.
    With(fn(&S, &Session, &Request) -> Result<Response>),
    /// Needs no user.
    Open(fn(&S, &Request) -> Result<Response>),
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

/// One method of one pattern. `S` is what the handlers of its family need besides the database.
pub struct Route<S = ()> {
    verb: Verb,
    pattern: &'static str,
    cost: Cost,
    handler: Handler<S>,
    access: Access,
    system_only: bool,
}

impl<S> Route<S> {
    /// A route that needs the database and nothing else.
    pub const fn new(
        verb: Verb,
        pattern: &'static str,
        cost: Cost,
        handler: fn(&Session, &Request) -> Result<Response>,
    ) -> Self {
        Self::of(verb, pattern, cost, Handler::Plain(handler))
    }

    /// A route that needs services of the server.
    pub const fn with(
        verb: Verb,
        pattern: &'static str,
        cost: Cost,
        handler: fn(&S, &Session, &Request) -> Result<Response>,
    ) -> Self {
        Self::of(verb, pattern, cost, Handler::With(handler))
    }

    /// A route for anybody: there is no user and no session.
    pub const fn open(
        verb: Verb,
        pattern: &'static str,
        cost: Cost,
        handler: fn(&S, &Request) -> Result<Response>,
    ) -> Self {
        Self::of(verb, pattern, cost, Handler::Open(handler))
    }

    const fn of(verb: Verb, pattern: &'static str, cost: Cost, handler: Handler<S>) -> Self {
        Route { verb, pattern, cost, handler, access: Access::Use, system_only: false }
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

impl<S: Send + Sync + 'static> Route<S> {
    /// The route with the services of its family.
    pub fn bind(&self, services: &Arc<S>) -> BoundRoute {
        let services = Arc::clone(services);
        let call = match self.handler {
            Handler::Plain(handler) => Call::User(Arc::new(handler)),
            Handler::With(handler) => {
                Call::User(Arc::new(move |session, request| handler(&services, session, request)))
            }
            Handler::Open(handler) => Call::Open(Arc::new(move |request| handler(&services, request))),
        };
        let Route { verb, pattern, cost, access, system_only, .. } = *self;
        BoundRoute { verb, pattern, cost, call, access, system_only }
    }
}

/// Binds all routes of a family to the services that it needs.
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
    /// The path must name `_system`, or no database.
    pub(crate) system_only: bool,
}

/// A handler and its services.
#[derive(Clone)]
pub(crate) enum Call {
    /// For a user of a database.
    User(Arc<UserCall>),
    /// For anybody.
    Open(Arc<OpenCall>),
}

type UserCall = dyn Fn(&Session, &Request) -> Result<Response> + Send + Sync;
type OpenCall = dyn Fn(&Request) -> Result<Response> + Send + Sync;
