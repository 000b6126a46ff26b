//! Users as documents of `_users` in ArangoDB's form, for dumps and restores.
//!
//! Source of the form: the reply to `logger-follow` in ArangoDB's documentation (3.8), which shows
//! such a document. A password's hash is in `authData.simple`. ArangoDB's hash has `method`,
//! `salt` and `hash`. Our hash has the method `phc` and one text that names its algorithm,
//! parameters and salt.

use catalog::access_token::AccessTokens;
use catalog::{AccessLevel, DatabaseRights, UserDefinition, UserSessions};
use errors::{Error, Result};
use storage::Catalog;
use velocypack::{Builder, Slice};

/// The system collection in which dumps and logs show users. Users live in the catalog; the
/// collection itself is empty.
pub const USERS_COLLECTION: &str = "_users";
/// `authData.simple.method` of hashes that describe themselves.
const SELF_DESCRIBING: &str = "phc";
/// The attribute of `authData` for access tokens, in a form of our own.
const ACCESS_TOKENS: &str = "accessTokens";
/// The attribute of `authData` for withdrawn tokens, in a form of our own.
const SESSIONS: &str = "sessions";
/// The attribute of `authData` for roles, in a form of our own.
const ROLES: &str = "roles";
/// The prefix of ArangoDB's hashes in our catalog: `$arango-METHOD$SALT$HASH`.
pub const FOREIGN_HASH_PREFIX: &str = "$arango-";

/// Returns the users with names after `after`, as documents.
pub(crate) fn documents(catalog: &Catalog, after: Option<&str>) -> Result<Vec<Vec<u8>>> {
    let behind =
        |user: &&std::sync::Arc<UserDefinition>| after.is_none_or(|after| user.name.as_str() > after);
    catalog.users().filter(behind).map(|user| document(user)).collect()
}

/// Returns a user as a document.
///
/// The key is the name if it is a valid key; names may hold characters that keys cannot.
pub(crate) fn document(user: &UserDefinition) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    for (name, value) in [
        ("_key", user.name.as_str()),
        ("_id", &format!("{USERS_COLLECTION}/{}", user.name)),
        ("user", &user.name),
    ] {
        text(&mut out, name, value)?;
    }
    text(&mut out, "source", "LOCAL")?;
    open(&mut out, "authData")?;
    out.key("active")?;
    out.add_bool(user.active)?;
    open(&mut out, "simple")?;
    let foreign = user.password_hash.strip_prefix(FOREIGN_HASH_PREFIX).and_then(|rest| {
        let (method, rest) = rest.split_once('$')?;
        let (salt, hash) = rest.split_once('$')?;
        Some((method, salt, hash))
    });
    let (method, salt, hash) = foreign.unwrap_or((SELF_DESCRIBING, "", &user.password_hash));
    for (name, value) in [("hash", hash), ("salt", salt), ("method", method)] {
        text(&mut out, name, value)?;
    }
    out.close()?;
    if user.tokens.iter().next().is_some() {
        open(&mut out, ACCESS_TOKENS)?;
        user.tokens.print(&mut out)?;
        out.close()?;
    }
    if !user.roles.is_empty() {
        out.key(ROLES)?;
        out.open_array()?;
        user.roles.iter().try_for_each(|role| out.add_str(role))?;
        out.close()?;
    }
    if user.sessions != UserSessions::default() {
        open(&mut out, SESSIONS)?;
        user.sessions.print(&mut out)?;
        out.close()?;
    }
    out.close()?;
    open(&mut out, "databases")?;
    for (database, rights) in &user.rights.databases {
        open(&mut out, database)?;
        if let Some(level) = rights.level {
            permissions(&mut out, level)?;
        }
        if !rights.collections.is_empty() {
            open(&mut out, "collections")?;
            for (collection, level) in &rights.collections {
                open(&mut out, collection)?;
                permissions(&mut out, *level)?;
                out.close()?;
            }
            out.close()?;
        }
        out.close()?;
    }
    out.close()?;
    for (name, value) in [("userData", &user.extra), ("configData", &user.config)] {
        out.key(name)?;
        out.add_slice(Slice::new(value))?;
    }
    out.close()?;
    Ok(out.into_vec())
}

/// Returns the removal of a user: its `_key`.
pub(crate) fn removal(user: &UserDefinition) -> Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    text(&mut out, "_key", &user.name)?;
    out.close()?;
    Ok(out.into_vec())
}

fn text(out: &mut Builder, name: &str, value: &str) -> Result<()> {
    out.key(name)?;
    Ok(out.add_str(value)?)
}

fn open(out: &mut Builder, name: &str) -> Result<()> {
    out.key(name)?;
    Ok(out.open_object()?)
}

fn permissions(out: &mut Builder, level: AccessLevel) -> Result<()> {
    open(out, "permissions")?;
    out.key("read")?;
    out.add_bool(level >= AccessLevel::ReadOnly)?;
    out.key("write")?;
    out.add_bool(level == AccessLevel::ReadWrite)?;
    Ok(out.close()?)
}

/// Returns the user that a document of `_users` describes. Errors: 10 if it describes none.
pub(crate) fn user(document: Slice<'_>) -> Result<UserDefinition> {
    let wrong =
        |what: &str| Error::bad_parameter(format!("a document of '_users' does not describe a user: {what}"));
    let name = document.get("user").and_then(Slice::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| wrong("'user' must be the user's name"))?;
    let part = |path: &[&str]| document.get_path(path).and_then(Slice::as_str).unwrap_or_default();
    let [method, salt, hash] = ["method", "salt", "hash"].map(|last| part(&["authData", "simple", last]));
    let kept = match method {
        SELF_DESCRIBING => hash.to_owned(),
        "sha256" | "sha1" | "sha224" | "sha384" | "sha512" | "md5" => {
            format!("{FOREIGN_HASH_PREFIX}{method}${salt}${hash}")
        }
        // Users of LDAP, and users that cannot log in with a password.
        "" if hash.is_empty() => String::new(),
        other => return Err(wrong(&format!("unknown 'authData.simple.method' '{other}'"))),
    };
    let mut user = UserDefinition::new(name, kept);
    user.active = document.get_path(&["authData", "active"]).and_then(Slice::as_bool).unwrap_or(true);
    if let Some(extra) = document.get("userData").filter(|extra| extra.is_object()) {
        user.set_extra(extra)?;
    }
    if let Some(config) = document.get("configData").filter(|config| config.is_object()) {
        for (key, value) in config.entries() {
            user.set_config(Some(key), Some(value))?;
        }
    }
    if let Some(tokens) = document.get_path(&["authData", ACCESS_TOKENS]) {
        user.tokens = AccessTokens::read(tokens)?;
    }
    if let Some(roles) = document.get_path(&["authData", ROLES]) {
        user.set_roles(roles)?;
    }
    if let Some(sessions) = document.get_path(&["authData", SESSIONS]) {
        user.sessions = UserSessions::read(sessions)?;
    }
    for (database, granted) in document.get("databases").into_iter().flat_map(Slice::entries) {
        let mut rights = DatabaseRights { level: level(granted), ..DatabaseRights::default() };
        for (collection, granted) in granted.get("collections").into_iter().flat_map(Slice::entries) {
            if let Some(level) = level(granted) {
                rights.collections.insert(collection.to_owned(), level);
            }
        }
        user.rights.databases.insert(database.to_owned(), rights);
    }
    Ok(user)
}

/// Returns the level that `permissions` grants. Very old dumps have the level's name instead.
fn level(granted: Slice<'_>) -> Option<AccessLevel> {
    if let Some(name) = granted.as_str() {
        return AccessLevel::from_name(name);
    }
    let permissions = granted.get("permissions")?;
    let flag = |name: &str| permissions.get(name).and_then(Slice::as_bool);
    match (flag("read"), flag("write")) {
        (_, Some(true)) => Some(AccessLevel::ReadWrite),
        (Some(true), _) => Some(AccessLevel::ReadOnly),
        (None, None) => None,
        _ => Some(AccessLevel::None),
    }
}

#[cfg(test)]
mod tests {
    use velocypack::{Limits, json};

    use super::*;

    fn value(text: &str) -> Vec<u8> {
        let mut builder = Builder::new();
        json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
        builder.into_vec()
    }

    #[test]
    fn a_user_survives_the_way_there_and_back() {
        let mut anna = UserDefinition::new("anna ä/b", "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA".to_owned());
        anna.active = false;
        anna.set_extra(Slice::new(&value(r#"{"a": [1]}"#))).unwrap();
        anna.set_config(Some("theme"), Some(Slice::new(&value("3")))).unwrap();
        anna.set_roles(Slice::new(&value(r#"["north", "sales"]"#))).unwrap();
        anna.sessions.withdraw_all();
        anna.sessions.withdraw("id", 100, 50).unwrap();
        anna.rights.grant_database("*", AccessLevel::ReadOnly);
        anna.rights.grant_collection("shop", "c", AccessLevel::None);
        anna.rights.grant_collection("shop", "*", AccessLevel::ReadWrite);
        let back = user(Slice::new(&document(&anna).unwrap())).unwrap();
        assert_eq!(back, anna);
    }

    #[test]
    fn a_user_of_arangodb_keeps_the_hash() {
        let text = r#"{"_key":"7","user":"root","source":"LOCAL","authData":{"active":true,
            "simple":{"hash":"abc","salt":"def","method":"sha256"}},
            "databases":{"*":{"permissions":{"read":true,"write":true},
                              "collections":{"*":{"permissions":{"read":true,"write":true}}}}}}"#;
        let root = user(Slice::new(&value(text))).unwrap();
        assert_eq!(root.password_hash, "$arango-sha256$def$abc");
        assert_eq!(root.rights.database_level("any"), AccessLevel::ReadWrite);
        assert_eq!(user(Slice::new(&document(&root).unwrap())).unwrap(), root);
        assert_eq!(user(Slice::new(&value(r#"{"_key":"x"}"#))).unwrap_err().number(), 10);
    }
}
