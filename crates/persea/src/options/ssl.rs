//! `--ssl`: encrypted connections.

use options::{Choice, Maybe, Opt, Options, Text, choice, text};
use server::http::address::Address;
use server::http::tls::{Tls, TlsVersions};

use crate::failure::Failure;

const VERSIONS: &[(&str, TlsVersions); 3] =
    &[("5", TlsVersions::Tls12), ("6", TlsVersions::Tls13), ("9", TlsVersions::Both)];

options::section! {
    static KEYFILE: Opt<Maybe<Text>> =
        text("ssl.keyfile", "", "PEM file with the certificate and key for TLS endpoints.").optional();
    static PROTOCOL: Opt<Choice<TlsVersions>> =
        choice("ssl.protocol", VERSIONS, "9", "TLS version: 5 for 1.2, 6 for 1.3, 9 for both.");
}

/// Reads certificate and key if any address uses TLS.
pub(crate) fn settings(options: &Options, addresses: &[Address]) -> Result<Option<Tls>, Failure> {
    let Some(address) = addresses.iter().find(|address| matches!(address, Address::Tls(_))) else {
        return Ok(None);
    };
    let keyfile = options.get(&KEYFILE).filter(|path| !path.is_empty());
    let keyfile = keyfile
        .ok_or_else(|| format!("{address} needs --{}: a PEM file with certificate and key", KEYFILE.name))?;
    Ok(Some(Tls::from_keyfile(keyfile.as_ref(), options.get(&PROTOCOL))?))
}
