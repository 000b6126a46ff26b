//! `--server` and `--ssl`: the server and the way to it.

use std::path::Path;
use std::time::Duration;

use client::{ClientOptions, Credentials, Endpoint, TlsVersions};
use options::{
    Bytes, Choice, Definition, Flag, List, Maybe, Opt, Options, Seconds, Text, bytes, choice, flag, seconds,
    text,
};

use super::general::{COMPRESS_REQUEST_THRESHOLD, COMPRESS_TRANSFER};
use crate::failure::Failure;
use crate::prompt;

const TLS_VERSIONS: &[(&str, TlsVersions); 3] =
    &[("5", TlsVersions::Tls12), ("6", TlsVersions::Tls13), ("9", TlsVersions::Both)];

options::section! {
    static ASK_JWT_SECRET: Opt<Flag> =
        flag("server.ask-jwt-secret", false, "Prompt for the secret that signs tokens, to send requests as a superuser.");
    static AUTHENTICATION: Opt<Flag> =
        flag("server.authentication", true, "Send credentials with requests.");
    static CONNECTION_TIMEOUT: Opt<Seconds> =
        seconds("server.connection-timeout", "5", "Maximum time in seconds to connect; 0 means no limit.");
    pub(crate) static DATABASE: Opt<Text> =
        text("server.database", "_system", "Database to use.");
    static ENDPOINT: Opt<List<Text>> =
        text("server.endpoint", "http+tcp://127.0.0.1:8529", "Address of the server: http+tcp://HOST:PORT, http+ssl://HOST:PORT or http+unix://PATH. Of several, the first that answers is used.").list();
    static JWT_SECRET_KEYFILE: Opt<Maybe<Text>> =
        text("server.jwt-secret-keyfile", "", "File with the secret that signs tokens, to send requests as a superuser.").optional();
    static JWT_TOKEN: Opt<Maybe<Text>> =
        text("server.jwt-token", "", "Send this token with requests; `-` prompts for it.").optional().secret();
    static MAX_PACKET_SIZE: Opt<Bytes> =
        bytes("server.max-packet-size", "1GiB", "Maximum size in bytes of a reply that is kept in memory.").uncommon();
    static PASSWORD: Opt<Maybe<Text>> =
        text("server.password", "", "Password or access token. Default: empty; prompts on a terminal if the server requires one.").optional().secret();
    static REQUEST_TIMEOUT: Opt<Seconds> =
        seconds("server.request-timeout", "1200", "Maximum time in seconds to wait for a reply; 0 means no limit.");
    static USERNAME: Opt<Text> =
        text("server.username", "root", "Name of the user.");
    static CAFILE: Opt<Maybe<Text>> =
        text("ssl.cafile", "", "PEM file of certificates, one of which must be the server's or have signed it. Default: none; any certificate is accepted.").optional();
    static CLIENT_KEYFILE: Opt<Maybe<Text>> =
        text("ssl.client-keyfile", "", "PEM file with the certificate and key to show to the server. Without a user name or password, the certificate alone names the user. Default: none.").optional();
    static PROTOCOL: Opt<Choice<TlsVersions>> =
        choice("ssl.protocol", TLS_VERSIONS, "9", "TLS version: 5 for 1.2, 6 for 1.3, 9 for both.").uncommon();
}

/// Returns true if the endpoint is `none`: a shell without a server.
pub(crate) fn wants_no_server(options: &Options) -> bool {
    options.get(&ENDPOINT) == ["none"]
}

/// Returns the options of a client for each endpoint.
pub(crate) fn client_options(options: &Options) -> Result<Vec<ClientOptions>, Failure> {
    let credentials = credentials(options)?;
    let endpoints = options.get(&ENDPOINT).into_iter();
    endpoints.map(|endpoint| endpoint_options(options, endpoint, credentials.clone())).collect()
}

fn endpoint_options(
    options: &Options,
    endpoint: &str,
    credentials: Credentials,
) -> Result<ClientOptions, Failure> {
    let endpoint = Endpoint::parse(endpoint).map_err(|error| Failure::option(error.to_string()))?;
    let mut client = ClientOptions::new(endpoint);
    client.database = options.get(&DATABASE).to_owned();
    client.credentials = credentials;
    client.connection_timeout = timeout(options, &CONNECTION_TIMEOUT);
    client.request_timeout = timeout(options, &REQUEST_TIMEOUT);
    client.max_response_bytes = options.size(&MAX_PACKET_SIZE);
    client.compressed_replies = options.get(&COMPRESS_TRANSFER);
    let threshold = options.size(&COMPRESS_REQUEST_THRESHOLD);
    client.compress_requests_from_bytes = Some(threshold).filter(|threshold| *threshold > 0);
    client.tls.authorities = options.get(&CAFILE).map(Into::into);
    client.tls.identity = options.non_empty(&CLIENT_KEYFILE).map(Into::into);
    client.tls.versions = options.get(&PROTOCOL);
    Ok(client)
}

/// Returns a time-out; 0 means no limit.
fn timeout(options: &Options, option: &Opt<Seconds>) -> Duration {
    /// The time-out without a limit, more than a year.
    const FOREVER: Duration = Duration::from_secs(1 << 26);
    match options.duration(option) {
        Duration::ZERO => FOREVER,
        timeout => timeout.min(FOREVER),
    }
}

/// Returns the given credentials, or asks for them.
fn credentials(options: &Options) -> Result<Credentials, Failure> {
    let keyfile = options.non_empty(&JWT_SECRET_KEYFILE);
    let token = options.non_empty(&JWT_TOKEN);
    check_one_way(options)?;
    if options.get(&ASK_JWT_SECRET) {
        return Ok(Credentials::JwtSecret(ask("the secret of the server")?.into_bytes()));
    }
    match (keyfile, token) {
        (Some(path), _) => secret_file(path),
        (None, Some("-")) => Ok(Credentials::Token(ask("the token")?)),
        (None, Some(token)) => Ok(Credentials::Token(token.to_owned())),
        (None, None) if !options.get(&AUTHENTICATION) || is_named_by_certificate(options) => {
            Ok(Credentials::None)
        }
        (None, None) => {
            let user = options.get(&USERNAME).to_owned();
            let password = match options.get(&PASSWORD) {
                Some(password) => password.to_owned(),
                None if prompt::is_possible() && options.is_given(&AUTHENTICATION) => ask_password(&user)?,
                None => String::new(),
            };
            Ok(Credentials::Basic { user, password })
        }
    }
}

/// Returns true if the certificate that the tool shows is its only credential.
fn is_named_by_certificate(options: &Options) -> bool {
    options.non_empty(&CLIENT_KEYFILE).is_some()
        && !options.is_given(&USERNAME)
        && !options.is_given(&PASSWORD)
}

/// Returns true if the password may be asked for once a server has refused the empty one.
pub(crate) fn may_ask_password(options: &Options) -> bool {
    options.get(&PASSWORD).is_none() && prompt::is_possible()
}

/// Asks for the password of a user.
pub(crate) fn ask_password(user: &str) -> Result<String, Failure> {
    ask(&format!("password of {user}"))
}

/// Refuses credentials of more than one kind.
fn check_one_way(options: &Options) -> Result<(), Failure> {
    let tokens: [(&Definition, bool); 3] = [
        (&ASK_JWT_SECRET, options.get(&ASK_JWT_SECRET)),
        (&JWT_SECRET_KEYFILE, options.non_empty(&JWT_SECRET_KEYFILE).is_some()),
        (&JWT_TOKEN, options.non_empty(&JWT_TOKEN).is_some()),
    ];
    let passwords: [(&Definition, bool); 2] =
        [(&USERNAME, options.is_given(&USERNAME)), (&PASSWORD, options.is_given(&PASSWORD))];
    let has_token = tokens.iter().any(|(_, is_given)| *is_given);
    let given = tokens.into_iter().chain(passwords).filter(|(_, is_given)| *is_given);
    let names: Vec<&str> = given.map(|(option, _)| option.name).collect();
    match has_token && names.len() > 1 {
        true => Err(Failure::option(format!(
            "--{} are different credentials; use only one",
            names.join(" and --")
        ))),
        false => Ok(()),
    }
}

fn ask(question: &str) -> Result<String, Failure> {
    if !prompt::is_possible() {
        return Err(Failure::new(format!("cannot prompt for {question}: standard input is not a terminal")));
    }
    prompt::secret(question).map_err(|error| Failure::new(format!("{question} cannot be read: {error}")))
}

/// Reads the secret in a file, without surrounding white space.
fn secret_file(path: &str) -> Result<Credentials, Failure> {
    let option = JWT_SECRET_KEYFILE.name;
    let bytes = std::fs::read(Path::new(path))
        .map_err(|error| Failure::option(format!("--{option}: {path} cannot be read: {error}")))?;
    match bytes.trim_ascii() {
        [] => Err(Failure::option(format!("--{option}: {path} is empty"))),
        secret => Ok(Credentials::JwtSecret(secret.to_vec())),
    }
}
