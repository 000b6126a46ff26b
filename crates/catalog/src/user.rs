//! Users. The layer above hashes and checks passwords; here a hash is opaque text.

use std::collections::BTreeSet;

use errors::{Error, Result};
use velocypack::{Builder, Slice};

use crate::access_token::AccessTokens;
use crate::properties::{Printer, Properties};
use crate::user_sessions::UserSessions;
use crate::{AccessLevel, DatabaseRights, Rights};

/// The maximum length of a user's `extra` object, in bytes.
pub const USER_EXTRA_MAX_BYTES: usize = 1 << 20;

/// The maximum number of roles of a user.
pub const ROLES_MAX: usize = 256;
/// The maximum length of the name of a role, in bytes.
pub const ROLE_MAX_BYTES: usize = 256;

/// A user that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDefinition {
    /// The name to log in with.
    pub name: String,
    /// The password's hash in a self-describing text form (`$argon2id$...`).
    pub password_hash: String,
    /// True if the user may log in.
    pub active: bool,
    /// The VelocyPack object that only clients interpret.
    pub extra: Vec<u8>,
    /// The VelocyPack object of the web interface's settings.
    pub config: Vec<u8>,
    /// The grants.
    pub rights: Rights,
    /// The names of roles, which the rules of collections know.
    pub roles: BTreeSet<String>,
    /// The access tokens.
    pub tokens: AccessTokens,
    /// The withdrawal of tokens that the server has signed for the user.
    pub sessions: UserSessions,
}

impl UserDefinition {
    /// Returns an active user without rights and without `extra`.
    pub fn new(name: &str, password_hash: String) -> Self {
        let extra = Slice::EMPTY_OBJECT.bytes().to_vec();
        UserDefinition {
            name: name.to_owned(),
            password_hash,
            active: true,
            config: extra.clone(),
            extra,
            rights: Rights::default(),
            roles: BTreeSet::new(),
            tokens: AccessTokens::default(),
            sessions: UserSessions::default(),
        }
    }

    /// Sets `extra`.
    ///
    /// Errors: 10 unless it is an object of at most [`USER_EXTRA_MAX_BYTES`].
    pub fn set_extra(&mut self, extra: Slice<'_>) -> Result<()> {
        if !extra.is_object() || extra.byte_len() > USER_EXTRA_MAX_BYTES {
            return Err(Error::bad_parameter("'extra' must be an object of at most 1 MiB"));
        }
        self.extra = extra.bytes().to_vec();
        Ok(())
    }

    /// Sets one setting, removes it (`value` is `None`), or removes all (`key` is `None`).
    ///
    /// Errors: 10 if all settings together are larger than [`USER_EXTRA_MAX_BYTES`].
    pub fn set_config(&mut self, key: Option<&str>, value: Option<Slice<'_>>) -> Result<()> {
        let mut builder = Builder::with_capacity(self.config.len() + 64);
        let built = (|| {
            builder.open_object()?;
            if let Some(key) = key {
                for (name, old) in Slice::new(&self.config).entries().filter(|(name, _)| *name != key) {
                    builder.key(name)?;
                    builder.add_slice(old)?;
                }
                if let Some(value) = value {
                    builder.key(key)?;
                    builder.add_slice(value)?;
                }
            }
            builder.close()
        })();
        built.map_err(|error: velocypack::Error| Error::bad_parameter(error.to_string()))?;
        let config = builder.into_vec();
        if config.len() > USER_EXTRA_MAX_BYTES {
            return Err(Error::bad_parameter("the settings of a user must not be larger than 1 MiB"));
        }
        self.config = config;
        Ok(())
    }

    /// Prints `user`, `active` and `extra` into an object that is open in `builder`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| {
            printer.text("user", &self.name);
            printer.boolean("active", self.active);
            printer.slice("extra", Slice::new(&self.extra));
            self.print_roles(printer);
        })
    }

    fn print_roles(&self, printer: &mut Printer<'_>) {
        if !self.roles.is_empty() {
            printer.texts("roles", &self.roles);
        }
    }

    /// Sets the roles.
    ///
    /// Errors: 10 unless they are an array of at most [`ROLES_MAX`] names of at most
    /// [`ROLE_MAX_BYTES`].
    pub fn set_roles(&mut self, roles: Slice<'_>) -> Result<()> {
        let name = |role: Slice<'_>| {
            let name = role.as_str().filter(|name| !name.is_empty() && name.len() <= ROLE_MAX_BYTES)?;
            Some(name.to_owned())
        };
        let names: Option<BTreeSet<String>> = roles.elements().map(name).collect();
        match names.filter(|names| roles.is_array() && names.len() <= ROLES_MAX) {
            Some(names) => self.roles = names,
            None => {
                let message = format!(
                    "'roles' must be an array of at most {ROLES_MAX} names of 1 to {ROLE_MAX_BYTES} bytes"
                );
                return Err(Error::bad_parameter(message));
            }
        }
        Ok(())
    }

    pub(crate) fn print_record(&self, printer: &mut Printer<'_>) {
        printer.text("user", &self.name);
        printer.text("password", &self.password_hash);
        printer.boolean("active", self.active);
        printer.slice("extra", Slice::new(&self.extra));
        printer.slice("config", Slice::new(&self.config));
        printer.object("databases", |printer| {
            for (name, rights) in &self.rights.databases {
                printer.object(name, |printer| print_rights(rights, printer));
            }
        });
        self.print_roles(printer);
        if !self.tokens.is_untouched() {
            printer.object("accessTokens", |printer| self.tokens.print_onto(printer));
        }
        if !self.sessions.is_untouched() {
            printer.object("sessions", |printer| self.sessions.print_onto(printer));
        }
    }

    pub(crate) fn read_record(record: Properties<'_>) -> Result<Self> {
        let missing = || Error::corrupt("a user's record lacks an attribute");
        let name = record.text("user")?.ok_or_else(missing)?;
        let mut user = UserDefinition::new(name, record.text("password")?.ok_or_else(missing)?.to_owned());
        user.active = record.boolean("active")?.ok_or_else(missing)?;
        user.set_extra(record.value("extra").ok_or_else(missing)?)?;
        // Records of the first version have none.
        if let Some(config) = record.value("config").filter(|config| config.is_object()) {
            user.config = config.bytes().to_vec();
        }
        for (database, rights) in record.value("databases").ok_or_else(missing)?.entries() {
            let rights = read_rights(Properties::of(rights, "rights")?)?;
            user.rights.databases.insert(database.to_string(), rights);
        }
        if let Some(roles) = record.value("roles") {
            user.set_roles(roles)?;
        }
        if let Some(tokens) = record.value("accessTokens") {
            user.tokens = AccessTokens::read(tokens)?;
        }
        if let Some(sessions) = record.value("sessions") {
            user.sessions = UserSessions::read(sessions)?;
        }
        Ok(user)
    }
}

fn print_rights(rights: &DatabaseRights, printer: &mut Printer<'_>) {
    if let Some(level) = rights.level {
        printer.text("level", level.name());
    }
    printer.object("collections", |printer| {
        for (collection, level) in &rights.collections {
            printer.text(collection, level.name());
        }
    });
}

fn read_rights(record: Properties<'_>) -> Result<DatabaseRights> {
    let unknown = || Error::corrupt("a user's record names an unknown access level");
    let mut rights = DatabaseRights::default();
    if let Some(level) = record.text("level")? {
        rights.level = Some(AccessLevel::from_name(level).ok_or_else(unknown)?);
    }
    for (collection, level) in record.value("collections").ok_or_else(unknown)?.entries() {
        let level = level.as_str().and_then(AccessLevel::from_name).ok_or_else(unknown)?;
        rights.collections.insert(collection.to_string(), level);
    }
    Ok(rights)
}
