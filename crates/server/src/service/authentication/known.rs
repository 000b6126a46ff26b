//! The cached results of `authorization` headers.

use std::sync::Arc;

use catalog::UserDefinition;
use database::{ExternalIdentity, Identity};
use storage::Catalog;

use super::{access_token as texts, now_seconds};
use crate::http::tls;

/// The credential that a user has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The password.
    Password,
    /// The access token with this digest.
    AccessToken(String),
}

/// Local users by name, as they were when their rights were taken; `None` for those that were not
/// there or not active.
pub(super) type Lenders = Vec<(String, Option<Arc<UserDefinition>>)>;

/// The cached result of a header.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) identity: Identity,
    /// The user whose password was right. A token needs only an active user.
    pub(super) checked: Option<Arc<UserDefinition>>,
    /// Digest of the access token that the user must still have.
    pub(super) access_token: Option<String>,
    pub(super) expires_seconds: Option<f64>,
    pub(super) allowed_paths: Option<Arc<[String]>>,
    /// The local users whose rights the user of an issuer has.
    pub(super) lenders: Lenders,
    /// Identifier and generation of the token, if a server has signed it.
    pub(super) session: Option<(Arc<str>, u64)>,
}

impl Known {
    /// Returns the result for an identity, without an end.
    pub(super) fn of(identity: Identity) -> Self {
        Known {
            identity,
            checked: None,
            access_token: None,
            expires_seconds: None,
            allowed_paths: None,
            lenders: Lenders::default(),
            session: None,
        }
    }

    /// Returns the result for a user who has shown a credential.
    pub(super) fn new(identity: Identity, user: &Arc<UserDefinition>, credential: Credential) -> Self {
        match credential {
            Credential::Password => Known { checked: Some(Arc::clone(user)), ..Known::of(identity) },
            Credential::AccessToken(digest) => Known { access_token: Some(digest), ..Known::of(identity) },
        }
    }

    /// Returns true if the cached result is still valid.
    pub(super) fn is_good(&self, catalog: &Catalog) -> bool {
        if self.expires_seconds.is_some_and(|expires| expires <= now_seconds()) {
            return false;
        }
        let name = match &self.identity {
            Identity::User(name) => name,
            Identity::External(user) => return is_good(user, &self.lenders, catalog),
            Identity::Superuser | Identity::Services(_) => return true,
        };
        catalog.user(name).is_some_and(|user| {
            let same = |checked: &Arc<UserDefinition>| {
                Arc::ptr_eq(checked, user) || checked.password_hash == user.password_hash
            };
            let has = |digest: &String| user.tokens.by_digest(digest).is_some();
            let holds = |(id, generation): &(Arc<str>, u64)| {
                user.sessions.generation() == *generation && !user.sessions.is_withdrawn(id)
            };
            user.active
                && self.session.as_ref().is_none_or(holds)
                && self.checked.as_ref().is_none_or(same)
                && self.access_token.as_ref().is_none_or(has)
        })
    }

    pub(super) fn allows(&self, path: &str) -> Option<Identity> {
        let allowed =
            self.allowed_paths.as_ref().is_none_or(|paths| paths.iter().any(|allowed| allowed == path));
        allowed.then(|| self.identity.clone())
    }
}

/// Returns the result for a valid access token. If a name is given, the token must be that user's.
pub(super) fn access_token(catalog: &Catalog, name: &str, token: &str) -> Option<Known> {
    let owner = texts::user_of(token).filter(|owner| name.is_empty() || name == owner)?;
    let user = catalog.user(&owner).filter(|user| user.active)?;
    let digest = tls::digest(token.as_bytes());
    let expires_seconds = user.tokens.by_digest(&digest)?.valid_until as f64;
    (expires_seconds > now_seconds()).then(|| Known {
        expires_seconds: Some(expires_seconds),
        ..Known::new(Identity::User(owner.as_str().into()), user, Credential::AccessToken(digest))
    })
}

/// Returns a user that is there and active.
pub(super) fn active<'a>(catalog: &'a Catalog, name: &str) -> Option<&'a Arc<UserDefinition>> {
    catalog.user(name).filter(|user| user.active)
}

/// Returns true if a user of an issuer still has the rights that were found.
fn is_good(user: &ExternalIdentity, lenders: &Lenders, catalog: &Catalog) -> bool {
    let is_same = |(name, then): &(String, Option<Arc<UserDefinition>>)| {
        active(catalog, name).map(|user| &user.rights) == then.as_ref().map(|user| &user.rights)
    };
    catalog.user(&user.name).is_none() && lenders.iter().all(is_same)
}
