//! OpenID Connect: tokens of other issuers, and what their owners may do here.
//!
//! - [`IssuerOptions`] is the configuration of one issuer, and [`read_issuers`] reads a file of
//!   them. [`Rule`]s map the claims of a token to [`Grants`].
//! - [`Issuers::examine`] verifies a token. It computes one signature at most and never waits. If
//!   the keys of an issuer must be fetched first, it says so, and a thread fetches them.
//! - [`SignIns`] is the authorization code flow with PKCE, for the web interface.
//!
//! Tokens are JSON Web Tokens (RFC 7519) that are signed with RS256 or ES256. All other algorithms
//! are refused. Keys come from the issuer's key set (RFC 7517), whose address its discovery
//! document names (OpenID Connect Discovery 1.0).

mod reader;
mod url;
mod grants;
mod rule;
mod options;
mod jwk;
mod token;
mod claims;
mod fetch;
mod issuer;
mod issuers;
mod sign_in;

pub use grants::{DatabaseGrant, Grants, Level};
pub use issuer::{KeyFetch, Pace};
pub use issuers::{Issuers, Refusal, Verified};
pub use options::{IssuerOptions, read_issuers};
pub use rule::Rule;
pub use sign_in::{Pending, SignIns, Started};
pub use token::is_signed_by_an_issuer;
