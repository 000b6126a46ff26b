//! The definition of a subscription, as clients give it and as its document has it.

use std::time::Duration;

use errors::{Error, Result};
use velocypack::{Builder, Slice};

use super::super::{ChangeForm, FeedRequest, Since};
use crate::state::subscriptions::SLOTS;

/// The system collection of a database whose documents are its subscriptions.
pub(crate) const SUBSCRIPTIONS_COLLECTION: &str = "_subscriptions";

const ATTRIBUTES: [&str; 7] = ["name", "since", "collections", "filter", "bindVars", "format", "ackTimeout"];
const NAME_MAX_BYTES: usize = 128;
/// Seconds after which a silent reader loses its changes to others.
const DEFAULT_ACK_TIMEOUT: f64 = 60.0;
const ACK_TIMEOUT_MAX: f64 = 86_400.0;

/// A named position in the change log, and the changes that its readers get.
#[derive(Clone, Debug)]
pub struct SubscriptionDefinition {
    /// The name, which is also the key of the document.
    pub name: String,
    /// The user who made it; `None` for a superuser.
    pub user: Option<String>,
    /// The collections; `None` for all that its reader may read.
    pub collections: Option<Vec<String>>,
    /// An AQL expression over one change.
    pub filter: Option<String>,
    /// The values of the filter's bind parameters, as VelocyPack.
    pub bind_vars: Vec<u8>,
    /// The form of changes.
    pub form: ChangeForm,
    /// The time after which a silent reader loses its changes to others.
    pub ack_timeout: Duration,
    /// When it was made: ISO 8601, UTC.
    pub created: String,
}

/// The positions that a document has.
pub(super) struct StoredPositions {
    pub(super) log: u64,
    pub(super) slots: [u64; SLOTS],
}

impl SubscriptionDefinition {
    /// Reads the body of a request, and where the subscription begins.
    ///
    /// Errors: 10 for a wrong, unknown or missing attribute.
    pub(super) fn parse(body: Slice<'_>, user: Option<&str>, created: String) -> Result<(Self, Since)> {
        for (name, _) in body.entries() {
            if !ATTRIBUTES.contains(&name) {
                let known = ATTRIBUTES.join("', '");
                return Err(Error::bad_parameter(format!("unknown attribute '{name}': expecting '{known}'")));
            }
        }
        let since = text(body, "since")?.map_or(Ok(Since::Now), Since::parse)?;
        let definition = SubscriptionDefinition {
            name: check_name(text(body, "name")?.unwrap_or_default())?.to_owned(),
            user: user.map(str::to_owned),
            collections: collections(body)?,
            filter: text(body, "filter")?.map(str::to_owned),
            bind_vars: body.get("bindVars").unwrap_or(Slice::NULL).bytes().to_vec(),
            form: text(body, "format")?.map_or(Ok(ChangeForm::default()), ChangeForm::parse)?,
            ack_timeout: ack_timeout(body)?,
            created,
        };
        Ok((definition, since))
    }

    /// Reads the document of a subscription. Errors: 10 if somebody has changed it.
    pub(super) fn from_document(document: Slice<'_>) -> Result<(Self, StoredPositions)> {
        let damaged = |what: &str| Error::bad_parameter(format!("a subscription's document lacks '{what}'"));
        let definition = SubscriptionDefinition {
            name: text(document, "_key")?.ok_or_else(|| damaged("_key"))?.to_owned(),
            user: text(document, "user")?.map(str::to_owned),
            collections: collections(document)?,
            filter: text(document, "filter")?.map(str::to_owned),
            bind_vars: document.get("bindVars").unwrap_or(Slice::NULL).bytes().to_vec(),
            form: text(document, "format")?.map_or(Ok(ChangeForm::default()), ChangeForm::parse)?,
            ack_timeout: ack_timeout(document)?,
            created: text(document, "created")?.unwrap_or_default().to_owned(),
        };
        let log = text(document, "log")?.and_then(|log| u64::from_str_radix(log, 16).ok());
        let list = document.get("positions").ok_or_else(|| damaged("positions"))?;
        let read: Vec<u64> = list.elements().filter_map(Slice::as_u64).collect();
        let slots = read.try_into().map_err(|_| damaged("positions"))?;
        Ok((definition, StoredPositions { log: log.ok_or_else(|| damaged("log"))?, slots }))
    }

    /// Returns the document of the subscription.
    pub(super) fn to_document(&self, positions: &StoredPositions) -> Result<Vec<u8>> {
        let mut document = Builder::new();
        document.open_object()?;
        document.key("_key")?;
        document.add_str(&self.name)?;
        for (name, value) in [("user", &self.user), ("filter", &self.filter)] {
            if let Some(value) = value {
                document.key(name)?;
                document.add_str(value)?;
            }
        }
        if let Some(collections) = &self.collections {
            document.key("collections")?;
            document.open_array()?;
            collections.iter().try_for_each(|name| document.add_str(name))?;
            document.close()?;
        }
        document.key("bindVars")?;
        document.add_slice(Slice::new(&self.bind_vars))?;
        document.key("format")?;
        document.add_str(self.form.name())?;
        document.key("ackTimeout")?;
        document.add_f64(self.ack_timeout.as_secs_f64())?;
        document.key("created")?;
        document.add_str(&self.created)?;
        positions.print(&mut document)?;
        document.close()?;
        Ok(document.into_vec())
    }

    /// Returns the request for a feed of the subscription.
    pub(super) fn feed_request(&self, since: Since, limit: Option<u64>) -> FeedRequest {
        FeedRequest {
            since,
            collections: self.collections.clone(),
            filter: self.filter.clone(),
            bind_vars: self.bind_vars.clone(),
            limit,
            initial: false,
            global: false,
            form: self.form,
        }
    }
}

impl StoredPositions {
    /// Returns the patch of a document to these positions.
    pub(super) fn to_patch(&self) -> Result<Vec<u8>> {
        let mut patch = Builder::new();
        patch.open_object()?;
        self.print(&mut patch)?;
        patch.close()?;
        Ok(patch.into_vec())
    }

    fn print(&self, builder: &mut Builder) -> Result<()> {
        builder.key("log")?;
        builder.add_str(&format!("{:x}", self.log))?;
        builder.key("positions")?;
        builder.open_array()?;
        self.slots.iter().try_for_each(|position| builder.add_u64(*position))?;
        Ok(builder.close()?)
    }
}

fn check_name(name: &str) -> Result<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if name.is_empty() || name.len() > NAME_MAX_BYTES || !name.bytes().all(is_plain) {
        return Err(Error::bad_parameter(format!(
            "'name' must have 1 to {NAME_MAX_BYTES} letters, digits or characters of '_-.'"
        )));
    }
    Ok(name)
}

fn text<'a>(body: Slice<'a>, name: &str) -> Result<Option<&'a str>> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    match value.as_str() {
        Some(text) => Ok(Some(text)),
        None => Err(Error::bad_parameter(format!("'{name}' must be a string"))),
    }
}

/// Reads names of collections: an array, or text that separates them by commas.
fn collections(body: Slice<'_>) -> Result<Option<Vec<String>>> {
    let Some(value) = body.get("collections").filter(|value| !value.is_null()) else { return Ok(None) };
    let joined = match value.as_str() {
        Some(text) => text.to_owned(),
        None if value.is_array() => {
            let names: Option<Vec<&str>> = value.elements().map(Slice::as_str).collect();
            names.ok_or_else(|| Error::bad_parameter("'collections' must be an array of names"))?.join(",")
        }
        None => return Err(Error::bad_parameter("'collections' must be an array of names")),
    };
    FeedRequest::parse_collections(&joined).map(Some)
}

fn ack_timeout(body: Slice<'_>) -> Result<Duration> {
    let given = match body.get("ackTimeout").filter(|value| !value.is_null()) {
        None => Some(DEFAULT_ACK_TIMEOUT),
        Some(value) => value.as_f64(),
    };
    given
        .filter(|seconds| *seconds > 0.0 && *seconds <= ACK_TIMEOUT_MAX)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| {
            Error::bad_parameter(format!("'ackTimeout' must be seconds above 0, at most {ACK_TIMEOUT_MAX}"))
        })
}
