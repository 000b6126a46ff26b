//! Webhooks as sessions define and see them.

use std::sync::Arc;

use aql_value::Charge;
use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};
use storage::ChangeScope;
use velocypack::Slice;
use webhooks::Outcome;

use super::super::kept::{now, own_session, provide_collections};
use super::super::{ChangeForm, FeedRequest, Since, Token};
use super::batch::Batch;
use super::dead_letters::{self, DEAD_LETTERS, DeadLetter};
use super::documents::{WEBHOOKS, change, insert, new_hook, remove, save_with};
use super::threads::wake;
use super::turn::send;
use crate::session::Session;
use crate::state::webhooks::{Hook, WebhookDefinition, WebhookProgress, definition};

/// A webhook as its user sees it.
#[derive(Clone, Debug)]
pub struct WebhookView {
    /// Its name.
    pub name: Arc<str>,
    /// Its definition. The secret and the headers are not for clients.
    pub definition: Arc<WebhookDefinition>,
    /// How far it has delivered.
    pub progress: WebhookProgress,
    /// `running`, `paused`, `retrying` or `failed`.
    pub state: &'static str,
    /// Its position.
    pub token: Token,
    /// The entries of the log that it has not delivered.
    pub lag: u64,
}

/// The outcome of a test delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PingOutcome {
    /// The receiver has taken it.
    pub delivered: bool,
    /// The status of the reply, if there was one.
    pub status: Option<u16>,
    /// The reason of a failure.
    pub error: Option<String>,
}

impl Session {
    /// Makes a webhook.
    ///
    /// Errors: 10 for a wrong definition, or an address that is not allowed; 11 without write
    /// access to the database, or if webhooks are turned off; 1207, 32; those of
    /// [`Session::open_feed`].
    pub fn create_webhook(&self, body: Slice<'_>) -> Result<WebhookView> {
        self.require_webhooks()?;
        self.require_local_user("a webhook")?;
        self.require_database(AccessLevel::ReadWrite)?;
        let name = definition::name(body)?;
        let definition = WebhookDefinition::new(self.user().cloned(), now(), body)?;
        let since = match body.get("since").filter(|value| !value.is_null()) {
            None => Since::Now,
            Some(value) => since(value)?,
        };
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        self.instance().webhooks().check_new(database.definition().id, name)?;
        let token = self.check_webhook(&definition, since)?;
        let own = own_session(self.instance(), self.database_name())?;
        provide_collections(&own, &[WEBHOOKS, DEAD_LETTERS])?;
        let progress = WebhookProgress::at(token.log, token.position);
        let hook = Arc::new(new_hook(self, database, name, fastrand::u64(..), definition, progress)?);
        insert(&own, &hook)?;
        self.instance().webhooks().insert(Arc::clone(&hook));
        wake(self.instance());
        Ok(self.webhook_view(&hook))
    }

    /// Lists the webhooks of the database that the user may see.
    ///
    /// Errors: 1228.
    pub fn webhooks(&self) -> Result<Vec<WebhookView>> {
        let catalog = self.catalog();
        let hooks = self.instance().webhooks().list(self.database_in(&catalog)?.definition().id);
        Ok(hooks.iter().filter(|hook| self.sees_webhook(hook)).map(|hook| self.webhook_view(hook)).collect())
    }

    /// Returns a webhook.
    ///
    /// Errors: 1202 if the user has none of this name.
    pub fn webhook(&self, name: &str) -> Result<WebhookView> {
        Ok(self.webhook_view(&*self.hook(name)?))
    }

    /// Changes a webhook. One that has stopped begins again.
    ///
    /// Errors: as [`Session::create_webhook`], 1202.
    pub fn change_webhook(&self, name: &str, body: Slice<'_>) -> Result<WebhookView> {
        self.require_webhooks()?;
        self.require_database(AccessLevel::ReadWrite)?;
        let hook = self.hook(name)?;
        if body.get("since").is_some() {
            return Err(Error::bad_parameter("'since' cannot be changed; use the route 'replay'"));
        }
        if body.get("name").is_some_and(|value| value.as_str() != Some(name)) {
            return Err(Error::bad_parameter("'name' cannot be changed"));
        }
        let before = Arc::clone(&hook.state().definition);
        let changed = before.changed(body)?;
        ChangeForm::parse(&changed.format)?;
        if before.url != changed.url {
            self.check_target(&changed)?;
        }
        for name in changed.collections.iter().flatten().filter(|_| body.get("collections").is_some()) {
            self.collection(name, AccessLevel::ReadOnly)?;
        }
        let filter = self.change_filter(changed.filter.as_deref(), &changed.bind_vars)?;
        change(self.instance(), &hook, |state| {
            // Another request may have changed it in the meantime.
            let changed = state.definition.changed(body)?;
            let is_other_batch = ["collections", "filter", "bindVars", "format", "batchSize"];
            if is_other_batch.iter().any(|name| body.get(name).is_some()) {
                state.progress.pending = None;
            }
            let bytes = state.memory.bytes();
            state.memory.grow(changed.memory_bytes().saturating_sub(bytes))?;
            (state.definition, state.filter) = (Arc::new(changed), filter);
            state.progress.failure = None;
            state.progress.attempts = 0;
            Ok(())
        })?;
        self.wake_webhook(&hook);
        Ok(self.webhook_view(&hook))
    }

    /// Removes a webhook with its dead letters.
    ///
    /// Errors: 1202, those of the write.
    pub fn remove_webhook(&self, name: &str) -> Result<()> {
        let hook = self.hook(name)?;
        let own = own_session(self.instance(), self.database_name())?;
        {
            let mut state = hook.state();
            remove(self.instance(), &hook, |transaction| {
                dead_letters::remove(&own, transaction, &hook, None)
            })?;
            state.is_removed = true;
            state.generation += 1;
            hook.note_saved(&mut state);
        }
        self.instance().webhooks().remove(&hook);
        Ok(())
    }

    /// Sets the position of a webhook: its deliveries go on from there.
    ///
    /// Errors: 1202, 10 for no token, 1414 with status 410 for one whose entries are gone.
    pub fn replay_webhook(&self, name: &str, body: Slice<'_>) -> Result<WebhookView> {
        self.require_webhooks()?;
        let hook = self.hook(name)?;
        let value = body.get("since").ok_or_else(|| Error::bad_parameter("'since' is missing"))?;
        let token = self.webhook_token(&hook.state().definition.clone(), since(value)?)?;
        change(self.instance(), &hook, |state| {
            let (progress, kept) = (WebhookProgress::at(token.log, token.position), &state.progress);
            let (dead_letters, last_success) = (kept.dead_letters, kept.last_success.clone());
            let retries_dead_letters = kept.retries_dead_letters;
            state.progress = WebhookProgress { dead_letters, last_success, retries_dead_letters, ..progress };
            state.generation += 1;
            state.pace.waiting_since = None;
            Ok(())
        })?;
        self.wake_webhook(&hook);
        Ok(self.webhook_view(&hook))
    }

    /// Sends a delivery without changes to the receiver of a webhook, and waits for its outcome.
    ///
    /// Errors: 1202, 32 if others are in progress.
    pub fn ping_webhook(&self, name: &str) -> Result<PingOutcome> {
        self.require_webhooks()?;
        let hook = self.hook(name)?;
        let _ping = self.instance().webhooks().begin_ping()?;
        let definition = Arc::clone(&hook.state().definition);
        let form = ChangeForm::parse(&definition.format)?;
        let memory = Charge::new(self.request_memory());
        let message = Batch::ping(&hook, form, self.webhook_view(&hook).token, memory);
        Ok(match send(self.instance(), &definition, &message) {
            Outcome::Delivered { status } => {
                PingOutcome { delivered: true, status: Some(status), error: None }
            }
            Outcome::Gone => {
                let error = Some("the receiver answers with status 410".to_owned());
                PingOutcome { delivered: false, status: Some(410), error }
            }
            Outcome::Failed { status, reason, .. } => {
                PingOutcome { delivered: false, status, error: Some(reason) }
            }
        })
    }

    /// Lists the dead letters of a webhook.
    ///
    /// Errors: 1202, those of the engine.
    pub fn dead_letters(&self, name: &str) -> Result<Vec<DeadLetter>> {
        let hook = self.hook(name)?;
        dead_letters::list(&own_session(self.instance(), self.database_name())?, &hook)
    }

    /// Removes the dead letters of a webhook, and returns their number.
    ///
    /// Errors: 1202, those of the write.
    pub fn remove_dead_letters(&self, name: &str) -> Result<u64> {
        let hook = self.hook(name)?;
        let own = own_session(self.instance(), self.database_name())?;
        let mut state = hook.state();
        let removed = state.progress.dead_letters;
        save_with(self.instance(), &hook, &mut state, |transaction, state| {
            dead_letters::remove(&own, transaction, &hook, None)?;
            (state.progress.dead_letters, state.progress.retries_dead_letters) = (0, false);
            Ok(())
        })?;
        Ok(removed)
    }

    /// Sends the dead letters of a webhook once more, in their order, before further changes. Ends
    /// with the first that fails again. Returns their number.
    ///
    /// Errors: 1202; 11 if the webhook has failed.
    pub fn retry_dead_letters(&self, name: &str) -> Result<u64> {
        self.require_webhooks()?;
        let hook = self.hook(name)?;
        let letters = change(self.instance(), &hook, |state| {
            if let Some(failure) = &state.progress.failure {
                let message = format!("the webhook has failed, resume it first: {failure}");
                return Err(Error::new(ErrorCode::Forbidden, message));
            }
            state.progress.retries_dead_letters = true;
            Ok(state.progress.dead_letters)
        })?;
        self.wake_webhook(&hook);
        Ok(letters)
    }

    fn wake_webhook(&self, hook: &Hook) {
        self.instance().webhooks().schedule.wake(hook.id);
        wake(self.instance());
    }

    fn require_webhooks(&self) -> Result<()> {
        match self.instance().webhooks().is_enabled {
            true => Ok(()),
            false => Err(Error::new(ErrorCode::Forbidden, "webhooks are turned off (--webhooks.enabled)")),
        }
    }

    /// Checks the receiver, the collections and the filter of a new webhook, and returns where it
    /// begins.
    fn check_webhook(&self, definition: &WebhookDefinition, since: Since) -> Result<Token> {
        ChangeForm::parse(&definition.format)?;
        self.check_target(definition)?;
        for name in definition.collections.iter().flatten() {
            self.collection(name, AccessLevel::ReadOnly)?;
        }
        self.webhook_token(definition, since)
    }

    fn check_target(&self, definition: &WebhookDefinition) -> Result<()> {
        let _waiting = aql_value::Waiting::begin();
        self.instance().webhooks().sender.check(&definition.target).map_err(Error::bad_parameter)
    }

    /// Returns the token at which a webhook begins.
    fn webhook_token(&self, definition: &WebhookDefinition, since: Since) -> Result<Token> {
        let filter = self.change_filter(definition.filter.as_deref(), &definition.bind_vars)?;
        let request = FeedRequest {
            since,
            collections: definition.collections.clone(),
            filter: None,
            bind_vars: Vec::new(),
            limit: None,
            initial: false,
            global: false,
            form: ChangeForm::default(),
        };
        Ok(self.begin_feed(request, filter, None)?.token())
    }

    fn hook(&self, name: &str) -> Result<Arc<Hook>> {
        let catalog = self.catalog();
        let hook = self.instance().webhooks().get(self.database_in(&catalog)?.definition().id, name);
        hook.filter(|hook| self.sees_webhook(hook))
            .ok_or_else(|| Error::new(ErrorCode::DocumentNotFound, format!("there is no webhook '{name}'")))
    }

    fn sees_webhook(&self, hook: &Hook) -> bool {
        self.require_administrator().is_ok() || hook.state().definition.user.as_ref() == self.user()
    }

    fn webhook_view(&self, hook: &Hook) -> WebhookView {
        let (definition, progress) = {
            let state = hook.state();
            (Arc::clone(&state.definition), state.progress.clone())
        };
        let state = match &progress {
            WebhookProgress { failure: Some(_), .. } => "failed",
            _ if definition.paused => "paused",
            WebhookProgress { attempts: 1.., .. } => "retrying",
            _ => "running",
        };
        let token = Token { log: progress.log, position: progress.position };
        // A read that fails is an error of the next delivery, which says so.
        let scope = ChangeScope::Database(hook.database_id);
        let lag = self.instance().store().lag(scope, token.position).unwrap_or_default();
        WebhookView { name: Arc::clone(&hook.name), definition, progress, state, token, lag }
    }
}

fn since(value: Slice<'_>) -> Result<Since> {
    Since::parse(value.as_str().ok_or_else(|| Error::bad_parameter("'since' must be a string"))?)
}
