//! `--openid`: users of other issuers.

use openid::{IssuerOptions, read_issuers};
use options::{Maybe, Opt, Options, Text, text};

use crate::failure::Failure;

options::section! {
    static ISSUERS: Opt<Maybe<Text>> =
        text("openid.issuers", "", "JSON file of OpenID Connect issuers whose tokens are accepted, with the rules for their users' rights. Default: none.").optional();
}

/// Reads the file of issuers, if there is one.
pub(crate) fn settings(options: &Options) -> Result<Vec<IssuerOptions>, Failure> {
    let Some(file) = options.non_empty(&ISSUERS) else { return Ok(Vec::new()) };
    Ok(read_issuers(file.as_ref()).map_err(|error| format!("--{}: {error}", ISSUERS.name))?)
}
