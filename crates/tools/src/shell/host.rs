//! The shell as the host of JavaScript: requests go through a socket.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use client::{Client, ClientOptions, Credentials, Endpoint};
use errors::{Error, ErrorCode};
use javascript::{
    Environment, Failure, Files, Host, HostError, HostResult, LogLevel, Network, Process, Reply, Request,
    Terminal,
};

use super::files::LocalFiles;
use super::network::{OutsideNetwork, failed, headers};
use super::options::Colors;
use super::output::Output;
use crate::Console;

/// The host of a shell's scripts.
pub(super) struct ShellHost {
    pub(super) connection: Rc<Connection>,
    pub(super) output: Rc<Output>,
    pub(super) network: OutsideNetwork,
    pub(super) console: Console,
    pub(super) arguments: Vec<String>,
    pub(super) colors: Colors,
    pub(super) is_pretty: bool,
}

/// The connection to the server, which scripts can change.
pub(super) struct Connection {
    client: RefCell<Option<Client>>,
    /// True if the last request got no reply.
    is_broken: Cell<bool>,
    interrupt: Arc<AtomicBool>,
}

impl Connection {
    pub(super) fn new(client: Option<Client>, interrupt: Arc<AtomicBool>) -> Self {
        Connection { client: RefCell::new(client), is_broken: Cell::new(false), interrupt }
    }

    /// Returns the options of the connection; none without a server.
    fn options(&self) -> Option<ClientOptions> {
        self.client.borrow().as_ref().map(|client| client.options().clone())
    }

    /// Returns true unless there is no server, or the last request got no reply.
    pub(super) fn is_up(&self) -> bool {
        self.client.borrow().is_some() && !self.is_broken.get()
    }

    /// Returns the address of the server; `none` without one.
    pub(super) fn endpoint(&self) -> String {
        self.options().map_or("none".to_owned(), |options| options.endpoint.to_string())
    }

    /// Returns the name of the user of the requests; empty if a token says it.
    pub(super) fn user(&self) -> String {
        match self.options().map(|options| options.credentials) {
            Some(Credentials::Basic { user, .. }) => user,
            _ => String::new(),
        }
    }

    fn send(&self, request: Request<'_>) -> HostResult<client::Response> {
        let client = self.client.borrow();
        let Some(client) = client.as_ref() else {
            return Err(Error::new(ErrorCode::ClientCouldNotConnect, "the shell is not connected").into());
        };
        let sent = Self::send_by(client, request);
        self.is_broken.set(sent.is_err() && !self.interrupt.load(Ordering::Relaxed));
        sent.map_err(|error| self.failed(&error))
    }

    fn send_by(client: &Client, request: Request<'_>) -> client::Result<client::Response> {
        let mut message = client::Request::with_method(request.method, request.path)?;
        message = message.database(request.database);
        let mut has_type = false;
        for (name, value) in request.headers {
            has_type |= name == "content-type";
            message = message.any_header(name, value);
        }
        let body = request.body.to_vec();
        message = if has_type || body.is_empty() { message.bytes(body) } else { message.json(body) };
        if !request.wants_headers {
            // The script sees the value alone, and VelocyPack is read faster than JSON.
            message = message.header("accept", "application/x-velocypack");
        }
        client.send(&message)
    }

    /// Returns the error of a request without a reply, as scripts see it.
    fn failed(&self, error: &client::Error) -> HostError {
        if self.interrupt.load(Ordering::Relaxed) {
            return HostError::Fatal(Failure::Interrupted);
        }
        failed(error).into()
    }
}

impl Host for ShellHost {
    fn request(&self, request: Request<'_>) -> HostResult<Reply> {
        let response = self.connection.send(request)?;
        let headers = match request.wants_headers {
            true => headers(&response),
            false => {
                let kind = response.header("content-type");
                kind.map(|kind| ("content-type".to_owned(), kind.to_owned())).into_iter().collect()
            }
        };
        Ok(Reply { status: response.status(), headers, body: response.into_body().to_vec() })
    }

    fn database(&self) -> String {
        self.connection.options().map_or("_system".to_owned(), |options| options.database)
    }

    fn print(&self, text: &str) -> HostResult<()> {
        self.output.print(text).map_err(|error| match error.kind() {
            // The reader has seen enough, as `head` does.
            io::ErrorKind::BrokenPipe => HostError::Fatal(Failure::Exit(0)),
            _ => HostError::Fatal(Failure::Host(format!("the output cannot be written: {error}"))),
        })
    }

    fn log(&self, level: LogLevel, text: &str) {
        match level {
            LogLevel::Debug => self.console.debug(text),
            LogLevel::Info => self.console.info(text),
            LogLevel::Warning => self.console.warning(text),
            LogLevel::Error => self.console.error(text),
        }
    }

    fn files(&self) -> Option<&dyn Files> {
        Some(&LocalFiles)
    }

    fn environment(&self) -> Option<&dyn Environment> {
        Some(&Variables)
    }

    fn process(&self) -> Option<&dyn Process> {
        Some(self)
    }

    fn network(&self) -> Option<&dyn Network> {
        Some(&self.network)
    }

    fn terminal(&self) -> Option<&dyn Terminal> {
        Some(self)
    }
}

/// The environment variables of the shell. Scripts change copies of them.
struct Variables;

impl Environment for Variables {
    fn variables(&self) -> Vec<(String, String)> {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
    }

    fn set(&self, _: &str, _: Option<&str>) {}
}

impl Process for ShellHost {
    fn id(&self) -> u32 {
        std::process::id()
    }

    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }
}

impl Terminal for ShellHost {
    fn has_colors(&self) -> bool {
        match self.colors {
            Colors::Never => false,
            Colors::Always => true,
            Colors::OnTerminals => io::stdout().is_terminal(),
        }
    }

    fn is_pretty(&self) -> bool {
        self.is_pretty
    }

    fn begin_pager(&self) {
        if let Err(error) = self.output.begin_pager() {
            self.console.warning(&format!("the pager cannot be started: {error}"));
        }
    }

    fn end_pager(&self) {
        self.output.end_pager();
    }

    fn read_line(&self) -> Option<String> {
        let mut line = String::new();
        match io::stdin().read_line(&mut line) {
            Ok(1..) => Some(line.trim_end_matches(['\n', '\r']).to_owned()),
            _ => None,
        }
    }

    fn endpoint(&self) -> String {
        self.connection.endpoint()
    }

    fn user(&self) -> String {
        self.connection.user()
    }

    fn reconnect(&self, endpoint: &str, user: &str, password: &str) -> HostResult<()> {
        let failed = |error: client::Error| self.connection.failed(&error);
        let endpoint = Endpoint::parse(endpoint).map_err(failed)?;
        let mut options = self.connection.options().unwrap_or_else(|| {
            let interrupt = Some(Arc::clone(&self.connection.interrupt));
            ClientOptions { interrupt, ..ClientOptions::new(endpoint.clone()) }
        });
        options.endpoint = endpoint;
        options.credentials = Credentials::Basic { user: user.to_owned(), password: password.to_owned() };
        self.connection.client.replace(Some(Client::new(options).map_err(failed)?));
        self.connection.is_broken.set(false);
        Ok(())
    }
}
