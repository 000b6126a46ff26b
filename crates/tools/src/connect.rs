//! From options to a server that answers.

use std::path::Path;
use std::time::Duration;

use client::{Client, ClientOptions, Credentials, Endpoint, Request, TlsVersions};
use options::Options;
use velocypack::Slice;

use crate::{Console, Failure, prompt};

/// ArangoDB's number of the error that a database does not exist.
const DATABASE_NOT_FOUND: u64 = 1228;

/// A server that has answered.
#[derive(Clone)]
pub struct Server {
    /// The way to it, with the database of `--server.database`.
    pub client: Client,
    /// The version of ArangoDB that it is or stands in for.
    pub version: String,
    /// Persea's version, where it is one.
    pub persea_version: Option<String>,
}

impl Server {
    /// Whether it sends and takes documents of dumps as they lie in our files, packed.
    pub fn knows_packed_documents(&self) -> bool {
        self.persea_version.is_some()
    }
}

/// Connects as the options say and asks the server who it is: of several endpoints the first where one can be
/// reached. A database that does not exist is made if `creates_database`.
pub fn connect(options: &Options, console: &Console, creates_database: bool) -> Result<Server, Failure> {
    let mut endpoints = client_options(options)?.into_iter().peekable();
    let version = Request::get("/_api/version");
    let (client, reply) = loop {
        let Some(client_options) = endpoints.next() else {
            return Err(Failure::option("--server.endpoint is missing"));
        };
        let client = Client::new(client_options)?;
        match client.call(&version) {
            Err(error) if error.is_connection() && endpoints.peek().is_some() => {
                console.warning(&format!("{error}; trying the next endpoint"));
            }
            Err(error) if creates_database && error.number() == Some(DATABASE_NOT_FOUND) => {
                create_database(&client)?;
                let reply = client.call(&version)?;
                break (client, reply);
            }
            reply => break (client, reply?),
        }
    };
    let value = reply.value()?;
    let says = |name: &str| Some(Slice::new(&value).get(name)?.as_str()?.to_owned());
    let kind = says("server").unwrap_or_default();
    let Some(version) = says("version").filter(|_| kind == "arango") else {
        let endpoint = &client.options().endpoint;
        return Err(Failure::new(format!("{endpoint} is neither Persea nor ArangoDB, but {kind:?}")));
    };
    let persea_version = says("persea-version");
    let name = match &persea_version {
        Some(persea) => format!("Persea {persea} (compatible with ArangoDB {version})"),
        None => format!("ArangoDB {version}"),
    };
    let ClientOptions { endpoint, database, .. } = client.options();
    console.info(&format!("connected to {name} at {endpoint}, database {database:?}"));
    Ok(Server { client, version, persea_version })
}

/// Makes the client's database.
pub fn create_database(client: &Client) -> Result<(), Failure> {
    let ClientOptions { database, credentials, .. } = client.options();
    let request = Request::post("/_api/database").database("_system");
    client.call(&request.json(new_database(database, credentials)?))?;
    Ok(())
}

/// What makes a database, for the user who asks: ArangoDB gives it to `root` otherwise.
pub(crate) fn new_database(name: &str, credentials: &Credentials) -> Result<String, Failure> {
    let mut body = velocypack::Builder::new();
    body.open_object()?;
    body.key("name")?;
    body.add_str(name)?;
    if let Credentials::Basic { user, password } = credentials {
        body.key("users")?;
        body.open_array()?;
        body.open_object()?;
        for (name, value) in [("username", user), ("passwd", password)] {
            body.key(name)?;
            body.add_str(value)?;
        }
        body.close()?;
        body.close()?;
    }
    body.close()?;
    Ok(body.as_slice().to_json_string())
}

/// What the options say about the way to the server, for each of its endpoints.
pub fn client_options(options: &Options) -> Result<Vec<ClientOptions>, Failure> {
    let credentials = credentials(options)?;
    let endpoints = options.all("server.endpoint").into_iter();
    endpoints.map(|endpoint| endpoint_options(options, endpoint, credentials.clone())).collect()
}

fn endpoint_options(
    options: &Options,
    endpoint: &str,
    credentials: Credentials,
) -> Result<ClientOptions, Failure> {
    let endpoint = Endpoint::parse(endpoint).map_err(|error| Failure::option(error.to_string()))?;
    let mut client = ClientOptions::new(endpoint);
    client.database = options.text("server.database").unwrap_or("_system").to_owned();
    client.credentials = credentials;
    client.connection_timeout = seconds(options, "server.connection-timeout");
    client.request_timeout = seconds(options, "server.request-timeout");
    client.max_response_bytes =
        usize::try_from(options.number("server.max-packet-size")).unwrap_or(usize::MAX);
    client.compressed_replies = options.flag("compress-transfer");
    let threshold = usize::try_from(options.number("compress-request-threshold")).unwrap_or(usize::MAX);
    client.compress_requests_from_bytes = Some(threshold).filter(|threshold| *threshold > 0);
    client.tls.authorities = options.text("ssl.cafile").map(Into::into);
    client.tls.versions = match options.text("ssl.protocol") {
        Some("5") => TlsVersions::Tls12,
        Some("6") => TlsVersions::Tls13,
        _ => TlsVersions::Both,
    };
    Ok(client)
}

/// A time-out; 0 is none.
fn seconds(options: &Options, name: &str) -> Duration {
    /// More than a year.
    const FOREVER: Duration = Duration::from_secs(1 << 26);
    match options.seconds(name) {
        0.0 => FOREVER,
        seconds => Duration::try_from_secs_f64(seconds).unwrap_or(FOREVER).min(FOREVER),
    }
}

fn credentials(options: &Options) -> Result<Credentials, Failure> {
    let tokens = ["server.ask-jwt-secret", "server.jwt-secret-keyfile", "server.jwt-token"];
    let given: Vec<&str> = tokens
        .into_iter()
        .filter(|name| match *name {
            "server.ask-jwt-secret" => options.flag(name),
            name => options.text(name).is_some_and(|value| !value.is_empty()),
        })
        .collect();
    let passwords = ["server.username", "server.password"].into_iter().filter(|name| options.is_given(name));
    let all: Vec<&str> = given.iter().copied().chain(passwords).collect();
    if !given.is_empty() && all.len() > 1 {
        return Err(Failure::option(format!(
            "--{} say who asks in different ways; give one",
            all.join(" and --")
        )));
    }
    match given.first().copied() {
        Some("server.ask-jwt-secret") => {
            Ok(Credentials::JwtSecret(ask("the secret of the server")?.into_bytes()))
        }
        Some("server.jwt-secret-keyfile") => {
            secret_file(options.text("server.jwt-secret-keyfile").unwrap_or_default())
        }
        Some(_) => match options.text("server.jwt-token") {
            Some("-") | None => Ok(Credentials::Token(ask("the token")?)),
            Some(token) => Ok(Credentials::Token(token.to_owned())),
        },
        None if !options.flag("server.authentication") => Ok(Credentials::None),
        None => {
            let user = options.text("server.username").unwrap_or("root").to_owned();
            let password = match options.text("server.password") {
                Some(password) => password.to_owned(),
                None if options.is_given("server.password") || !prompt::is_possible() => String::new(),
                None => ask(&format!("password of {user}"))?,
            };
            Ok(Credentials::Basic { user, password })
        }
    }
}

fn ask(question: &str) -> Result<String, Failure> {
    if !prompt::is_possible() {
        return Err(Failure::new(format!(
            "nobody can be asked for {question}: the standard input is not a terminal"
        )));
    }
    prompt::secret(question).map_err(|error| Failure::new(format!("{question} cannot be read: {error}")))
}

/// The secret in a file, without white space around it.
fn secret_file(path: &str) -> Result<Credentials, Failure> {
    let bytes = std::fs::read(Path::new(path)).map_err(|error| {
        Failure::option(format!("--server.jwt-secret-keyfile: {path} cannot be read: {error}"))
    })?;
    match bytes.trim_ascii() {
        [] => Err(Failure::option(format!("--server.jwt-secret-keyfile: {path} is empty"))),
        secret => Ok(Credentials::JwtSecret(secret.to_vec())),
    }
}
