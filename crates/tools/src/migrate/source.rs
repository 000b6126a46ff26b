//! The ArangoDB server: as Persea is told of it, and as this tool asks it.

use client::{Client, ClientOptions, Credentials, Endpoint};
use velocypack::Builder;

use super::options::SourceSettings;
use crate::connect::find_server;
use crate::{Console, Failure, Server, prompt};

impl SourceSettings {
    /// Asks for the password of a user who has none yet, if there is a terminal.
    pub(super) fn ask_password(&mut self) -> Result<(), Failure> {
        if self.token.is_some() || self.password.is_some() {
            return Ok(());
        }
        let question = format!("password of {} at the ArangoDB server", self.user);
        self.password = Some(match prompt::is_possible() {
            true => prompt::secret(&question)
                .map_err(|error| Failure::new(format!("{question} cannot be read: {error}")))?,
            false => String::new(),
        });
        Ok(())
    }

    /// Writes the members by which Persea reaches the server.
    pub(super) fn write(&self, body: &mut Builder) -> velocypack::Result<()> {
        let mut text = |name: &str, value: &str| {
            body.key(name)?;
            body.add_str(value)
        };
        text("endpoint", self.endpoint.as_deref().unwrap_or_default())?;
        match &self.token {
            Some(token) => text("token", token)?,
            None => {
                text("username", &self.user)?;
                text("password", self.password.as_deref().unwrap_or_default())?;
            }
        }
        if !self.databases.is_empty() {
            body.key("databases")?;
            body.open_array()?;
            self.databases.iter().try_for_each(|name| body.add_str(name))?;
            body.close()?;
        }
        if let Some(file) = &self.ca_file {
            body.key("tls")?;
            body.open_object()?;
            body.key("caFile")?;
            body.add_str(file)?;
            body.key("verify")?;
            body.add_bool(true)?;
            body.close()?;
        }
        Ok(())
    }

    /// Connects to the server from here, with the time-outs of the client to Persea.
    pub(super) fn connect(&self, like: &Client, console: &Console) -> Result<Server, Failure> {
        let endpoint = self.endpoint.as_deref().unwrap_or_default();
        let endpoint = Endpoint::parse(endpoint).map_err(|error| Failure::option(error.to_string()))?;
        let mut options = ClientOptions { endpoint, ..like.options().clone() };
        "_system".clone_into(&mut options.database);
        options.credentials = match &self.token {
            Some(token) => Credentials::Token(token.clone()),
            None => Credentials::Basic {
                user: self.user.clone(),
                password: self.password.clone().unwrap_or_default(),
            },
        };
        options.tls.authorities = self.ca_file.clone().map(Into::into);
        let server = find_server(vec![options], None, console, false)?;
        console.info(&format!("compares with {}", server.description()));
        Ok(server)
    }
}
