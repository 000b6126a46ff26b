//! TLS: names of the server, certificates of clients, algorithms, and the reload of all files.

mod client_certificates;
mod connection;
mod negotiation;
mod reload;

use std::path::PathBuf;
use std::sync::Arc;

use catalog::{Rights, UserDefinition};
use server::ServerOptions;
use server::http::tls::{ClientCertificates, Tls, TlsOptions, UserAttribute};
use server::service::authentication::{AuthenticationOptions, create_root, password};
use storage::Store;
use tempfile::TempDir;
use test_certificates::{Authority, Subject};

use self::connection::{Connection, Identity};
use crate::authentication::SECRET;
use crate::harness::{Running, options, start_with, store};

/// A server with TLS in a folder with its files.
struct Setup {
    folder: TempDir,
    authority: Authority,
    options: TlsOptions,
}

impl Setup {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("authority").unwrap();
        let options = TlsOptions::new(folder.path().join("server.pem"));
        let setup = Setup { folder, authority, options };
        setup.write("server.pem", &setup.certificate(&Subject::server(&["localhost"])));
        setup.write("authority.pem", &setup.authority.pem());
        setup
    }

    /// Accepts certificates of the authority.
    fn with_clients(mut self, user: UserAttribute) -> Self {
        self.options.clients = Some(ClientCertificates {
            authorities: self.path("authority.pem"),
            revoked: None,
            is_required: false,
            hides_authorities: false,
            user,
        });
        self
    }

    fn clients(&mut self) -> &mut ClientCertificates {
        self.options.clients.as_mut().unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn certificate(&self, subject: &Subject) -> String {
        self.authority.sign(subject).unwrap()
    }

    /// Returns the certificate of a client with a common name.
    fn client(&self, name: &str) -> Identity {
        Identity::Own(self.certificate(&Subject::named(name)))
    }

    fn start(&self) -> Running {
        let store = store();
        add_users(&store);
        self.start_with(store)
    }

    fn start_with(&self, store: Arc<Store>) -> Running {
        let authentication = AuthenticationOptions {
            enabled: true,
            secrets: vec![SECRET.to_vec()],
            ..AuthenticationOptions::default()
        };
        let tls = Some(Tls::open(self.options.clone()).unwrap());
        start_with(ServerOptions { authentication, tls, ..options() }, store)
    }
}

/// Creates the users `root` (password `secret`), `alice` and `:role`.
fn add_users(store: &Store) {
    create_root(store, "secret").unwrap();
    for name in ["alice", ":role"] {
        let mut user = UserDefinition::new(name, password::hash("unknown").unwrap());
        user.rights = Rights::all();
        store.create_user(user).unwrap();
    }
}

/// Returns the user that the server sees, or the status of its error.
fn user(connection: &mut Connection, headers: &str) -> Result<String, u16> {
    let body = br#"{"query":"RETURN CURRENT_USER()"}"#;
    let reply = connection.request("POST", "/_api/cursor", headers, body).unwrap();
    match reply.status {
        201 => Ok(reply.json()["result"][0].as_str().unwrap().to_owned()),
        status => Err(status),
    }
}
