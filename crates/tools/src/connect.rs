//! The connection from options to a server that answers.

use client::{Client, ClientOptions, Credentials, Request};
use options::Options;
use velocypack::Slice;

use crate::options::server::client_options;
use crate::{Console, Failure};

/// ArangoDB's number of the error that a database does not exist.
const DATABASE_NOT_FOUND: u64 = 1228;

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
    /// Returns true if the server sends and takes packed documents in the form of the dump's files.
    pub fn knows_packed_documents(&self) -> bool {
        self.persea_version.is_some()
    }
}

/// Connects as the options say and asks the server for its version.
///
/// The first reachable of several endpoints is used. A missing database is created if
/// `creates_database` is true.
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
