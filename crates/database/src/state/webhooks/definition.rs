//! The definition of a webhook, as a client gives it and as it is stored.

use std::sync::Arc;
use std::time::Duration;

use errors::{Error, Result};
use velocypack::{Builder, Slice};
use webhooks::{Secret, Target, check_headers};

/// Maximum length of a name.
const NAME_MAX_BYTES: usize = 64;
/// Maximum number of changes of one delivery.
const BATCH_SIZE_MAX: u64 = 10_000;
/// Maximum time in seconds that a delivery waits for more changes.
const BATCH_WAIT_MAX: f64 = 300.0;
/// Maximum number of attempts.
const ATTEMPTS_MAX: u64 = 100;
/// Maximum number of collections.
const COLLECTIONS_MAX: usize = 1_000;
/// Maximum length of a filter, and of the values of its bind parameters.
const FILTER_MAX_BYTES: usize = 64 << 10;
/// The name of the default format.
const DEFAULT_FORMAT: &str = "persea";

/// The attributes that a client may set.
const ATTRIBUTES: [&str; 13] = [
    "url",
    "secret",
    "headers",
    "collections",
    "filter",
    "bindVars",
    "format",
    "batchSize",
    "batchWait",
    "maxAttempts",
    "paused",
    // Read where a webhook is made.
    "name",
    "since",
];

/// A webhook as its user defines it.
#[derive(Clone, Debug)]
pub struct WebhookDefinition {
    /// The user with whose rights it reads; `None` for one that a superuser made.
    pub user: Option<Arc<str>>,
    /// The URL of the receiver.
    pub url: String,
    /// The parsed URL.
    pub target: Target,
    /// The key that signs deliveries.
    pub secret: Option<Secret>,
    /// Further headers of deliveries.
    pub headers: Vec<(String, String)>,
    /// The collections whose changes are wanted; `None` for all that the user may read.
    pub collections: Option<Vec<String>>,
    /// An AQL expression over one change.
    pub filter: Option<String>,
    /// The values of the filter's bind parameters: VelocyPack, null without any.
    pub bind_vars: Vec<u8>,
    /// The name of the form of changes.
    pub format: String,
    /// Changes of one delivery at most.
    pub batch_size: u64,
    /// Seconds that a delivery waits for more changes.
    pub batch_wait: f64,
    /// Attempts after which a delivery becomes a dead letter.
    pub max_attempts: u64,
    /// Nothing is delivered.
    pub paused: bool,
    /// The time of its creation in ISO 8601.
    pub created: String,
}

impl WebhookDefinition {
    /// Reads the body of a request that makes a webhook.
    ///
    /// Errors: 10.
    pub(crate) fn new(user: Option<Arc<str>>, created: String, body: Slice<'_>) -> Result<Self> {
        let receiver = url(body)?.ok_or_else(|| Error::bad_parameter("'url' is missing"))?;
        let mut definition = Self::of(user, created, receiver);
        check_names(body)?;
        definition.apply(body)?;
        Ok(definition)
    }

    /// Returns the definition with the attributes of a body in place of its own.
    ///
    /// Errors: 10.
    pub(crate) fn changed(&self, body: Slice<'_>) -> Result<Self> {
        let mut changed = self.clone();
        check_names(body)?;
        changed.apply(body)?;
        Ok(changed)
    }

    /// Reads a stored definition; `None` if it is damaged.
    pub(crate) fn from_document(document: Slice<'_>) -> Option<Self> {
        let created = document.get("created")?.as_str()?.to_owned();
        let receiver = url(document).ok()??;
        let user = document.get("user").and_then(Slice::as_str).map(Arc::from);
        let mut definition = Self::of(user, created, receiver);
        definition.apply(document).ok()?;
        Some(definition)
    }

    /// Returns a definition with the defaults.
    fn of(user: Option<Arc<str>>, created: String, (url, target): (String, Target)) -> Self {
        WebhookDefinition {
            user,
            url,
            target,
            secret: None,
            headers: Vec::new(),
            collections: None,
            filter: None,
            bind_vars: Slice::NULL.bytes().to_vec(),
            format: DEFAULT_FORMAT.to_owned(),
            batch_size: 100,
            batch_wait: 0.0,
            max_attempts: 10,
            paused: false,
            created,
        }
    }

    /// Takes over the attributes that are there.
    fn apply(&mut self, body: Slice<'_>) -> Result<()> {
        if let Some((url, target)) = url(body)? {
            (self.url, self.target) = (url, target);
        }
        if let Some(value) = body.get("secret") {
            let secret = optional_text("secret", value)?.map(Secret::parse).transpose();
            self.secret = secret.map_err(Error::bad_parameter)?;
        }
        if let Some(value) = body.get("headers") {
            self.headers = headers(value)?;
        }
        if let Some(value) = body.get("collections") {
            self.collections = collections(value)?;
        }
        if let Some(value) = body.get("filter") {
            let text = optional_text("filter", value)?.filter(|text| !text.is_empty());
            check_size("filter", text.map_or(0, str::len))?;
            self.filter = text.map(str::to_owned);
        }
        if let Some(value) = body.get("bindVars") {
            if !value.is_null() && !value.is_object() {
                return Err(Error::bad_parameter("'bindVars' must be an object"));
            }
            check_size("bindVars", value.bytes().len())?;
            self.bind_vars = value.bytes().to_vec();
        }
        if let Some(value) = body.get("format") {
            self.format = optional_text("format", value)?.unwrap_or(DEFAULT_FORMAT).to_owned();
        }
        self.apply_numbers(body)
    }

    fn apply_numbers(&mut self, body: Slice<'_>) -> Result<()> {
        if let Some(value) = body.get("batchSize") {
            self.batch_size = whole("batchSize", value, BATCH_SIZE_MAX)?;
        }
        if let Some(value) = body.get("batchWait") {
            let seconds = value.as_f64().filter(|seconds| (0.0..=BATCH_WAIT_MAX).contains(seconds));
            self.batch_wait = seconds.ok_or_else(|| {
                Error::bad_parameter(format!("'batchWait' must be a number from 0 to {BATCH_WAIT_MAX}"))
            })?;
        }
        if let Some(value) = body.get("maxAttempts") {
            self.max_attempts = whole("maxAttempts", value, ATTEMPTS_MAX)?;
        }
        if let Some(value) = body.get("paused") {
            let flag = value.as_bool();
            self.paused = flag.ok_or_else(|| Error::bad_parameter("'paused' must be a boolean"))?;
        }
        Ok(())
    }

    /// Adds the stored attributes to an open object.
    pub(crate) fn print(&self, out: &mut Builder) -> Result<()> {
        out.key("user")?;
        add_optional(out, self.user.as_deref())?;
        out.key("url")?;
        out.add_str(&self.url)?;
        out.key("secret")?;
        add_optional(out, self.secret.as_ref().map(Secret::text).as_deref())?;
        out.key("headers")?;
        out.open_object()?;
        for (name, value) in &self.headers {
            out.key(name)?;
            out.add_str(value)?;
        }
        out.close()?;
        out.key("collections")?;
        match &self.collections {
            None => out.add_null()?,
            Some(names) => {
                out.open_array()?;
                names.iter().try_for_each(|name| out.add_str(name))?;
                out.close()?;
            }
        }
        out.key("filter")?;
        add_optional(out, self.filter.as_deref())?;
        out.key("bindVars")?;
        out.add_slice(Slice::new(&self.bind_vars))?;
        out.key("format")?;
        out.add_str(&self.format)?;
        out.key("batchSize")?;
        out.add_u64(self.batch_size)?;
        out.key("batchWait")?;
        out.add_f64(self.batch_wait)?;
        out.key("maxAttempts")?;
        out.add_u64(self.max_attempts)?;
        out.key("paused")?;
        out.add_bool(self.paused)?;
        out.key("created")?;
        Ok(out.add_str(&self.created)?)
    }

    /// Returns the time that a delivery waits for more changes.
    pub(crate) fn batch_wait(&self) -> Duration {
        Duration::try_from_secs_f64(self.batch_wait).unwrap_or_default()
    }

    /// Estimates the bytes of the definition.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        let collections: usize = self.collections.iter().flatten().map(String::len).sum();
        let filter = self.filter.as_ref().map_or(0, String::len);
        (size_of::<Self>() + 2 * self.url.len() + headers + collections + filter + self.bind_vars.len())
            as u64
    }
}

/// Reads the name of a new webhook.
///
/// Errors: 10.
pub(crate) fn name(body: Slice<'_>) -> Result<&str> {
    let name = body.get("name").and_then(Slice::as_str).unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    match (1..=NAME_MAX_BYTES).contains(&name.len()) && name.bytes().all(is_plain) {
        true => Ok(name),
        false => Err(Error::bad_parameter(format!(
            "'name' must have 1 to {NAME_MAX_BYTES} letters, digits, '-' and '_'"
        ))),
    }
}

fn check_names(body: Slice<'_>) -> Result<()> {
    for (name, _) in body.entries() {
        if !ATTRIBUTES.contains(&name) {
            let shown: String = name.chars().take(NAME_MAX_BYTES).collect();
            return Err(Error::bad_parameter(format!("a webhook has no attribute '{shown}'")));
        }
    }
    Ok(())
}

fn url(body: Slice<'_>) -> Result<Option<(String, Target)>> {
    let Some(value) = body.get("url") else { return Ok(None) };
    let url = value.as_str().ok_or_else(|| Error::bad_parameter("'url' must be a string"))?;
    let target = Target::parse(url).map_err(Error::bad_parameter)?;
    Ok(Some((url.to_owned(), target)))
}

fn headers(value: Slice<'_>) -> Result<Vec<(String, String)>> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    let wrong = || Error::bad_parameter("'headers' must be an object whose values are strings");
    if !value.is_object() {
        return Err(wrong());
    }
    let pairs = value.entries().map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned())));
    let headers = pairs.collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
    check_headers(&headers).map_err(Error::bad_parameter)?;
    Ok(headers)
}

fn collections(value: Slice<'_>) -> Result<Option<Vec<String>>> {
    if value.is_null() {
        return Ok(None);
    }
    let wrong = || Error::bad_parameter("'collections' must be an array of names");
    let named = |element: Slice<'_>| element.as_str().filter(|name| !name.is_empty()).map(str::to_owned);
    let names = match value.is_array() {
        true => value.elements().map(named).collect::<Option<Vec<_>>>().ok_or_else(wrong)?,
        false => return Err(wrong()),
    };
    if names.is_empty() || names.len() > COLLECTIONS_MAX {
        return Err(Error::bad_parameter(format!("'collections' must have 1 to {COLLECTIONS_MAX} names")));
    }
    Ok(Some(names))
}

fn optional_text<'a>(name: &str, value: Slice<'a>) -> Result<Option<&'a str>> {
    if value.is_null() {
        return Ok(None);
    }
    value.as_str().map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a string")))
}

fn whole(name: &str, value: Slice<'_>, most: u64) -> Result<u64> {
    let number = value.as_u64().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a whole number from 1 to {most}")))
}

fn check_size(name: &str, bytes: usize) -> Result<()> {
    match bytes <= FILTER_MAX_BYTES {
        true => Ok(()),
        false => Err(Error::bad_parameter(format!(
            "'{name}' has {bytes} bytes, at most {FILTER_MAX_BYTES} are accepted"
        ))),
    }
}

fn add_optional(out: &mut Builder, text: Option<&str>) -> Result<()> {
    match text {
        Some(text) => Ok(out.add_str(text)?),
        None => Ok(out.add_null()?),
    }
}
