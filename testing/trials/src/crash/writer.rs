//! A client that writes until the server is killed, and knows which states are possible then.

use std::sync::atomic::{AtomicBool, Ordering};

use client::{Client, Error, Request};
use serde_json::{Value, json};

use crate::crash::action::{Action, Calls, Maker};
use crate::crash::failing;
use crate::crash::index;
use crate::crash::observe::{self, ask};
use crate::crash::state::{Place, State};
use crate::crash::view;

/// Differences that are printed.
const SHOWN_MAX: usize = 10;

/// The reason why an action has no acknowledgement.
enum Missed {
    /// No reply came. The action may have taken place if `true`.
    Lost(bool),
    /// The server answered with an error, whose number it is.
    Failed(u64, String),
}

/// A writer and all that it owns.
#[derive(Debug)]
pub(crate) struct Writer {
    number: usize,
    database: String,
    maker: Maker,
    state: State,
    /// The state that the last check found.
    found: State,
    /// The states before that may come back if the log loses its unsynced end.
    unsynced: Vec<State>,
    /// Those of them that may have come back.
    lost: Vec<State>,
    /// The requests of the last acknowledged action, and true if it waited for the disk.
    last: Option<(Calls, bool)>,
    /// The action that was under way at the kill.
    pending: Option<Action>,
    pub(crate) acknowledged: u64,
}

impl Writer {
    /// Creates the writer's database. Errors: text for the user.
    pub(crate) fn create(client: &Client, number: usize, rng: fastrand::Rng) -> Result<Self, String> {
        let database = format!("writer{number}");
        ask(client, &Request::post("/_api/database").json(json!({"name": database}).to_string()))?;
        let state = observe::state(client, &database, number)?;
        let maker = Maker::new(number, &database, rng);
        Ok(Writer {
            number,
            database,
            maker,
            state,
            found: State::default(),
            unsynced: Vec::new(),
            last: None,
            lost: Vec::new(),
            pending: None,
            acknowledged: 0,
        })
    }

    /// Writes until a request has no reply, or fails while `is_failing`. Errors: the server wrongly
    /// refused a request, or does not say why.
    pub(crate) fn write(&mut self, client: &Client, is_failing: &AtomicBool) -> Result<(), String> {
        loop {
            let action = self.maker.action(&self.state);
            match perform(client, &action.calls) {
                Ok(()) => {
                    self.acknowledge(action);
                    self.acknowledged += 1;
                }
                Err(Missed::Lost(may_be_done)) => {
                    self.pending = may_be_done.then_some(action);
                    return Ok(());
                }
                Err(Missed::Failed(number, text)) => {
                    if !is_failing.load(Ordering::Acquire) || !failing::is_clear(number, &text) {
                        return Err(format!("{text}; it was {:?}", action.calls));
                    }
                    // A refused request may have done a part of several steps, but not all.
                    let is_refused = failing::REFUSED.contains(&number);
                    let after = if is_refused { self.state.clone() } else { action.after };
                    self.pending = Some(Action { after, ..action });
                    return Ok(());
                }
            }
        }
    }

    fn acknowledge(&mut self, action: Action) {
        let before = std::mem::replace(&mut self.state, action.after);
        self.last = Some((action.calls, action.is_synced));
        // A request that changes nothing need not sync what was before.
        if action.is_synced && before != self.state {
            self.unsynced.clear();
        } else {
            self.unsynced.push(before);
            self.unsynced.extend(action.between);
        }
    }

    /// Makes the states possible that come back if the log loses its unsynced end.
    pub(crate) fn lose_unsynced(&mut self) {
        self.lost = std::mem::take(&mut self.unsynced);
    }

    /// Checks that the server has a possible state. More than one is possible until `decide`.
    pub(crate) fn check(&mut self, client: &Client) -> Result<(), String> {
        let found = observe::state(client, &self.database, self.number)?;
        let others = self
            .pending
            .iter()
            .flat_map(|action| action.between.iter().chain([&action.after]))
            .chain(&self.lost);
        if self.state != found && others.clone().all(|possible| *possible != found) {
            return Err(self.contradiction(&found, self.pending.as_ref()));
        }
        for (place, collection) in found.collections.iter().filter(|(place, _)| **place != Place::shared()) {
            index::check(client, place, collection)?;
        }
        view::check(client, &self.database, &found)?;
        self.found = found;
        Ok(())
    }

    /// Takes the state that the last check found as the only possible one: after a start, nothing
    /// is under way.
    pub(crate) fn decide(&mut self) {
        self.state = std::mem::take(&mut self.found);
        self.pending = None;
        self.unsynced.clear();
        self.lost.clear();
    }

    fn contradiction(&self, found: &State, pending: Option<&Action>) -> String {
        let mut text = format!("writer {}: the state is impossible", self.number);
        let differences = |name: &str, state: &State| {
            let lines = state.differences(found);
            let shown: Vec<_> = lines.iter().take(SHOWN_MAX).map(|line| format!("\n    {line}")).collect();
            format!("\n  from the state {name} it differs in {} places:{}", lines.len(), shown.concat())
        };
        text += &differences("that was acknowledged", &self.state);
        if let Some((calls, is_synced)) = &self.last {
            let sync = if *is_synced { "which waited for the disk" } else { "which did not wait" };
            text += &format!("\n  the last acknowledged request, {sync}: {calls:?}");
        }
        if let Some(action) = pending {
            text += &differences("after the last request", &action.after);
            text += &format!("\n  the last request: {:?}", action.calls);
        }
        text
    }
}

fn perform(client: &Client, calls: &Calls) -> Result<(), Missed> {
    match calls {
        Calls::One(request) => send(client, request, true).map(|_| ()),
        Calls::Transaction { begin, database, requests, is_aborted } => {
            let begun = send(client, begin, false)?;
            let id = begun["result"]["id"].as_str().unwrap_or_default();
            for request in requests {
                send(client, &request.clone().header("x-arango-trx-id", id), false)?;
            }
            let end = if *is_aborted { Request::delete } else { Request::put };
            send(client, &end("/_api/transaction").segment(id).database(database), !is_aborted).map(|_| ())
        }
    }
}

/// Sends a request, which may change the state without a reply if `may_be_done`.
///
/// Replies about single documents must not have errors either.
fn send(client: &Client, request: &Request, may_be_done: bool) -> Result<Value, Missed> {
    let reply = client.call(request).map_err(|error| match error {
        Error::Connect { .. } => Missed::Lost(false),
        error if error.is_connection() => Missed::Lost(may_be_done),
        error => Missed::Failed(error.number().unwrap_or_default(), error.to_string()),
    })?;
    let body: Value = serde_json::from_slice(reply.body()).unwrap_or_default();
    let has_errors = body["errors"].as_u64().is_some_and(|errors| errors > 0)
        || body.as_array().into_iter().flatten().any(|row| row["error"] == true);
    if has_errors { Err(Missed::Failed(first_number(&body), body.to_string())) } else { Ok(body) }
}

/// Returns the number of the first error of several documents.
fn first_number(body: &Value) -> u64 {
    let errors = body.as_array().into_iter().flatten().filter_map(|row| row["errorNum"].as_u64());
    errors.filter(|number| *number > 0).min().unwrap_or_default()
}
