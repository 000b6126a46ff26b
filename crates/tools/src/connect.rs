//! The connection from options to a server that answers.

use client::{Client, ClientOptions, Credentials, Request, Response};
use options::Options;
use velocypack::Slice;

use crate::options::server::{ask_password, client_options, may_ask_password};
use crate::{Console, Failure};

/// ArangoDB's number of the error that a database does not exist.
const DATABASE_NOT_FOUND: u64 = 1228;

/// The HTTP status of a request whose credentials are wrong or missing.
const UNAUTHORIZED: u16 = 401;

/// A question for the password of a user.
pub(crate) type AskPassword = fn(user: &str) -> Result<String, Failure>;

/// A server that has answered.
#[derive(Clone)]
pub struct Server {
    /// The client, with the database of `--server.database`.
    pub client: Client,
    /// The version of ArangoDB, or the one that Persea replaces.
    pub version: String,
    /// Persea's version, if the server is Persea.
    pub persea_version: Option<String>,
}

impl Server {
    /// Returns product, version, address and database, for a message.
    pub fn description(&self) -> String {
        let name = match &self.persea_version {
            Some(persea) => format!("Persea {persea} (compatible with ArangoDB {})", self.version),
            None => format!("ArangoDB {}", self.version),
        };
        let ClientOptions { endpoint, database, .. } = self.client.options();
        format!("{name} at {endpoint}, database {database:?}")
    }

    /// Returns true if the server sends and takes packed documents in the form of the dump's files.
    pub fn knows_packed_documents(&self) -> bool {
        self.persea_version.is_some()
    }
}

/// Connects as the options say, asks the server for its version, and reports the connection.
///
/// The first reachable of several endpoints is used. A missing database is created if
/// `creates_database` is true.
pub fn connect(options: &Options, console: &Console, creates_database: bool) -> Result<Server, Failure> {
    let server = find_server(client_options(options)?, password_prompt(options), console, creates_database)?;
    console.info(&format!("connected to {}", server.description()));
    Ok(server)
}

/// Returns the prompt for a missing password, if there is a terminal.
pub(crate) fn password_prompt(options: &Options) -> Option<AskPassword> {
    may_ask_password(options).then_some(ask_password)
}

/// Connects to the first reachable server, and asks it for its version.
///
/// A server that refuses the given password gets the answer to `ask`.
pub(crate) fn find_server(
    endpoints: Vec<ClientOptions>,
    ask: Option<AskPassword>,
    console: &Console,
    creates_database: bool,
) -> Result<Server, Failure> {
    let mut endpoints = endpoints.into_iter().peekable();
    let version = Request::get("/_api/version");
    let (client, reply) = loop {
        let Some(client_options) = endpoints.next() else {
            return Err(Failure::option("--server.endpoint is missing"));
        };
        let (client, reply) = first_reply(client_options, &version, ask)?;
        match reply {
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
    Ok(Server { client, version, persea_version })
}

/// Sends the first request. If the server refuses the password, asks for another one and sends the
/// request again.
fn first_reply(
    options: ClientOptions,
    request: &Request,
    ask: Option<AskPassword>,
) -> Result<(Client, client::Result<Response>), Failure> {
    let client = Client::new(options)?;
    let reply = client.call(request);
    let is_refused =
        reply.as_ref().is_err_and(|error| error.server().is_some_and(|error| error.status == UNAUTHORIZED));
    let (Some(ask), Credentials::Basic { user, .. }, true) =
        (ask, client.options().credentials.clone(), is_refused)
    else {
        return Ok((client, reply));
    };
    let password = ask(&user)?;
    let credentials = Credentials::Basic { user, password };
    let client = Client::new(ClientOptions { credentials, ..client.options().clone() })?;
    let reply = client.call(request);
    Ok((client, reply))
}

/// Creates the client's database.
pub fn create_database(client: &Client) -> Result<(), Failure> {
    let ClientOptions { database, credentials, .. } = client.options();
    let request = Request::post("/_api/database").database("_system");
    client.call(&request.json(new_database(database, credentials)?))?;
    Ok(())
}

/// Returns the body that creates a database for the user of the requests.
///
/// ArangoDB gives it to `root` otherwise.
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
