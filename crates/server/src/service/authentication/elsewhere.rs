//! The tokens by which servers with the same secret sign in at each other.

use database::Identity;
use errors::{Error, ErrorCode, Result};

use super::{Authentication, now_seconds, token};

/// Seconds for which a token for other servers is valid, and between the beginnings of two: the
/// token of a moment is the same for a while, so that connections can be used again.
const SERVER_TOKEN_SECONDS: u64 = 24 * 3_600;
const SERVER_TOKEN_STEP_SECONDS: u64 = 3_600;

/// Seconds for which a token for one request to another server is valid.
const ELSEWHERE_TOKEN_SECONDS: u64 = 60;

impl Authentication {
    /// Returns a token of this server for the others that have its secret; `None` if requests need
    /// none.
    ///
    /// Errors: 4 without a secret.
    pub fn server_token(&self) -> Result<Option<String>> {
        if !self.is_enabled() {
            return Ok(None);
        }
        let secrets = self.secrets();
        let secret = secrets.first().ok_or_else(|| Error::internal("there is no secret for tokens"))?;
        let now = now_seconds() as u64;
        let begin = now - now % SERVER_TOKEN_STEP_SECONDS;
        token::sign_server(begin, SERVER_TOKEN_SECONDS, secret).map(Some)
    }

    /// Creates a token by which another server of the same store identifies a client for one
    /// request.
    ///
    /// Errors: 11 for a user of another issuer, whose rights only that issuer's token proves; 4
    /// without a secret.
    pub(crate) fn sign_elsewhere(&self, identity: &Identity) -> Result<String> {
        let secrets = self.secrets();
        let secret = secrets.first().map(Vec::as_slice);
        let secret = secret.ok_or_else(|| Error::internal("the server has no secret to sign tokens with"))?;
        let now = now_seconds() as u64;
        match identity {
            Identity::User(name) => token::sign(name, None, now, ELSEWHERE_TOKEN_SECONDS, secret),
            Identity::Superuser => token::sign_server(now, ELSEWHERE_TOKEN_SECONDS, secret),
            Identity::Services(services) => {
                token::sign_services(services.database(), now, ELSEWHERE_TOKEN_SECONDS, secret)
            }
            Identity::External(user) => {
                let message = format!(
                    "forbidden: the request belongs to another server, which cannot identify '{}' without \
                     the token of {}",
                    user.name, user.issuer
                );
                Err(Error::new(ErrorCode::Forbidden, message))
            }
        }
    }
}
