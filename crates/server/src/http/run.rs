//! The work of a request whose body has arrived: here or on the pool, for a client that may leave.

use std::sync::Arc;

use database::Interrupt;
use errors::Result;

use super::connections::Connection;
use super::dispatch::Job;
use super::reply::{HttpReply, Wanted};
use super::request::Request;
use super::service::HttpService;

impl HttpService {
    pub(super) async fn run_now(
        &self,
        connection: &Connection,
        job: Job,
        request: Request,
        wanted: Wanted,
    ) -> Result<HttpReply> {
        let user = job.user().cloned();
        let mut rest = match self.dispatcher.begin(job, request)?.finished() {
            Ok(response) => return Ok(self.replies.assemble(response, wanted, &user)),
            Err(rest) => rest,
        };
        let (replies, login) = (Arc::clone(&self.replies), rest.login().map(Box::from));
        let client = rest.interrupt().map(|interrupt| Client { interrupt: Some(interrupt.clone()) });
        if let Some(readiness) = rest.take_readiness() {
            readiness.await;
        }
        let lane = rest.lane();
        let own = user.clone();
        let work = move || Ok(replies.assemble(rest.run()?.finish()?, wanted, &own));
        let reply = match login {
            Some(name) => self.log_in(connection, name, work).await,
            None => self.lanes.pool(lane).run(&user, work).await,
        };
        if let Some(mut client) = client {
            client.interrupt = None;
        }
        reply
    }
}

/// A client that waits for a reply. Its work ends if it goes before: hyper drops the future then.
struct Client {
    interrupt: Option<Interrupt>,
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(interrupt) = &self.interrupt {
            interrupt.kill();
        }
    }
}
