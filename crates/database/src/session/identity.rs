//! The identities of clients.

use std::collections::BTreeSet;
use std::sync::Arc;

use catalog::{AccessLevel, Rights, UserDefinition};
use errors::{Error, Result};
use velocypack::Builder;

/// The identity of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// All rights: authentication is off, or the request carries a token of the server itself.
    Superuser,
    /// A user of the catalog.
    User(Arc<str>),
    /// A user whom an issuer of OpenID Connect identifies.
    External(Arc<ExternalIdentity>),
    /// The services of a database, which act for themselves or for clients without a user.
    Services(Arc<ServicesIdentity>),
}

/// The identity of the services of a database. They may write it, and reach no other.
#[derive(Debug, PartialEq, Eq)]
pub struct ServicesIdentity {
    /// The name that stands for them where work has an owner. No user can have it.
    name: Arc<str>,
    rights: Rights,
}

impl ServicesIdentity {
    /// Returns the name of the database.
    pub fn database(&self) -> &str {
        self.name.strip_prefix(SERVICES).unwrap_or_default()
    }

    pub(super) fn rights(&self) -> &Rights {
        &self.rights
    }
}

/// A user whom an issuer of OpenID Connect identifies, and whom the catalog does not know.
///
/// The rights are those of the token, for as long as it is valid.
#[derive(Debug, PartialEq, Eq)]
pub struct ExternalIdentity {
    /// The name, which no user of the catalog has.
    pub name: Arc<str>,
    /// The URL of the issuer.
    pub issuer: String,
    /// The rights, by the rules of the issuer.
    pub rights: Rights,
    /// The names of roles, by the rules of the issuer.
    pub roles: BTreeSet<String>,
}

impl ExternalIdentity {
    /// Returns a description of the user like that of one in the catalog, which it is not.
    pub(crate) fn described(&self) -> Result<UserDefinition> {
        let mut user = UserDefinition::new(&self.name, String::new());
        user.rights = self.rights.clone();
        user.roles.clone_from(&self.roles);
        let mut builder = Builder::new();
        let built = (|| {
            builder.open_object()?;
            builder.key("issuer")?;
            builder.add_str(&self.issuer)?;
            builder.key("roles")?;
            builder.open_array()?;
            self.roles.iter().try_for_each(|role| builder.add_str(role))?;
            builder.close()?;
            builder.close()
        })();
        built.map_err(|error: velocypack::Error| Error::internal(error))?;
        user.set_extra(builder.as_slice())?;
        Ok(user)
    }
}

/// The beginning of the name of the services of a database. Users may not have such names.
const SERVICES: &str = ":role:services:";

impl Identity {
    /// Returns the identity of the services of a database.
    pub fn of_services(database: &str) -> Self {
        let mut rights = Rights::default();
        rights.grant_database(database, AccessLevel::ReadWrite);
        Identity::Services(Arc::new(ServicesIdentity {
            name: format!("{SERVICES}{database}").into(),
            rights,
        }))
    }

    /// Returns the identity of the owner of work in a database.
    pub(crate) fn of_owner(name: &Arc<str>, database: &str) -> Self {
        match name.strip_prefix(SERVICES) == Some(database) {
            true => Identity::of_services(database),
            false => Identity::User(Arc::clone(name)),
        }
    }

    /// Returns the name of the user, or the one that stands for services; `None` for a superuser.
    pub fn name(&self) -> Option<&Arc<str>> {
        match self {
            Identity::Superuser => None,
            Identity::User(name) => Some(name),
            Identity::External(user) => Some(&user.name),
            Identity::Services(services) => Some(&services.name),
        }
    }

    /// Returns the name of the user, unless it stands for the services of a database.
    pub fn person(&self) -> Option<&Arc<str>> {
        match self {
            Identity::User(name) => Some(name),
            Identity::External(user) => Some(&user.name),
            Identity::Superuser | Identity::Services(_) => None,
        }
    }

    /// Returns the name of the user of the catalog, if there is one.
    pub fn catalog_user(&self) -> Option<&Arc<str>> {
        match self {
            Identity::User(name) => Some(name),
            Identity::Superuser | Identity::External(_) | Identity::Services(_) => None,
        }
    }
}
