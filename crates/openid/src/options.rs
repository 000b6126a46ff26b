//! The configuration of issuers.

use std::path::{Path, PathBuf};

use velocypack::Slice;

use crate::reader::{Node, Result, parse};
use crate::rule::{RULES_MAX, Rule};
use crate::url;

/// Maximum size of the file in bytes.
const FILE_MAX_BYTES: usize = 1 << 20;

/// Maximum number of issuers.
const ISSUERS_MAX: usize = 100;

/// The clock skew of an issuer whose options name none, and the largest one.
const CLOCK_SKEW_SECONDS: u64 = 60;
const CLOCK_SKEW_MAX_SECONDS: u64 = 600;

/// Longest text of one option.
const TEXT_MAX_BYTES: usize = 4_096;

/// The configuration of one issuer.
#[derive(Clone, Debug, PartialEq)]
pub struct IssuerOptions {
    /// The id in addresses of the sign-in.
    pub id: String,
    /// The name that the sign-in page shows.
    pub name: String,
    /// The URL of the issuer, as its tokens have it in `iss`.
    pub issuer: String,
    /// The audiences, one of which a token must have. The client is one of them.
    pub audience: Vec<String>,
    /// The clients for which a token of several audiences may be made (`azp`).
    pub authorized_parties: Vec<String>,
    /// The client of the web interface, which signs in if there is one.
    pub client_id: Option<String>,
    /// The file with the secret of the client, unless it is a public one.
    pub client_secret_file: Option<PathBuf>,
    /// The page that the issuer sends a browser to after the sign-in.
    pub redirect_uri: Option<String>,
    /// The scopes of the sign-in.
    pub scopes: Vec<String>,
    /// The PEM file of authorities for the issuer's certificate; `None` for those of the system.
    pub ca_file: Option<PathBuf>,
    /// Seconds by which the issuer's clock may differ.
    pub clock_skew_seconds: u64,
    /// The claim with the user's name.
    pub user_claim: String,
    /// The beginning of the names of the issuer's users.
    pub user_prefix: String,
    /// True if the issuer may be reached without encryption.
    pub allows_insecure: bool,
    /// The rules for rights.
    pub rules: Vec<Rule>,
}

const MEMBERS: &[&str] = &[
    "id",
    "name",
    "issuer",
    "audience",
    "authorizedParties",
    "clientId",
    "clientSecretFile",
    "redirectUri",
    "scopes",
    "caFile",
    "clockSkewSeconds",
    "userClaim",
    "userPrefix",
    "allowInsecure",
    "rules",
];

/// Reads a file of issuers: a JSON array of them, or one object.
///
/// Relative paths in it start at its folder. Errors: the path of the mistake in the file, and what
/// would be right.
pub fn read_issuers(path: &Path) -> Result<Vec<IssuerOptions>> {
    let in_file = |error: String| format!("{}: {error}", path.display());
    let text = std::fs::read(path).map_err(|error| in_file(error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let issuers = parse_issuers(&text, folder).map_err(in_file)?;
    for issuer in &issuers {
        issuer.secret()?;
        if let Some(file) = &issuer.ca_file {
            std::fs::read(file).map_err(|error| format!("caFile {}: {error}", file.display()))?;
        }
    }
    Ok(issuers)
}

fn parse_issuers(text: &[u8], folder: &Path) -> Result<Vec<IssuerOptions>> {
    let parsed = parse(text, FILE_MAX_BYTES)?;
    let root = Node::root(Slice::new(&parsed));
    let nodes = root.one_or_more()?;
    if nodes.is_empty() || nodes.len() > ISSUERS_MAX {
        return root.wrong(&format!("must have 1 to {ISSUERS_MAX} issuers"));
    }
    let mut issuers: Vec<IssuerOptions> = Vec::new();
    for node in &nodes {
        let issuer = IssuerOptions::read(node, folder)?;
        if issuers.iter().any(|other| other.issuer == issuer.issuer) {
            return node.wrong("the issuer is there twice; one entry may have several audiences");
        }
        if issuers.iter().any(|other| other.id == issuer.id) {
            return node.wrong(&format!("the id {} is there twice; set another `id`", issuer.id));
        }
        issuers.push(issuer);
    }
    Ok(issuers)
}

impl IssuerOptions {
    fn read(node: &Node<'_>, folder: &Path) -> Result<Self> {
        node.require_members(MEMBERS)?;
        let text = |name: &str| -> Result<Option<String>> {
            let Some(node) = node.get(name) else { return Ok(None) };
            let text = node.text()?;
            match text.len() <= TEXT_MAX_BYTES && !text.chars().any(char::is_control) {
                true => Ok(Some(text.to_owned())),
                false => node.wrong("must be shorter than 4 KiB and without control characters"),
            }
        };
        let texts = |name: &str| node.get(name).map_or_else(|| Ok(Vec::new()), |node| node.texts());
        let allows_insecure = node.get("allowInsecure").map_or(Ok(false), |node| node.flag())?;
        let url = |name: &str| -> Result<Option<String>> {
            let Some(url) = text(name)? else { return Ok(None) };
            match url::require_secure(&url, allows_insecure) {
                Err(error) => node.wrong_member(name, &error),
                Ok(()) if url.contains(['#', ' ']) => {
                    node.wrong_member(name, "must be a URL without # and spaces")
                }
                Ok(()) => Ok(Some(url)),
            }
        };
        let Some(issuer) = url("issuer")? else { return node.wrong("`issuer` is missing") };
        let host = url::host(&issuer)?;
        let client_id = text("clientId")?;
        let mut audience = texts("audience")?;
        audience.extend(client_id.clone());
        if audience.is_empty() {
            return node.wrong("`audience` or `clientId` is missing: tokens for others must be refused");
        }
        let redirect_uri = url("redirectUri")?;
        if client_id.is_some() != redirect_uri.is_some() {
            return node.wrong("`clientId` and `redirectUri` must be given together");
        }
        let id = text("id")?.unwrap_or_else(|| host.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        if id.len() > 64 || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            return node.wrong_member("id", "must be of at most 64 letters, digits, - and _");
        }
        let prefix = match node.value.get("userPrefix") {
            Some(prefix) if prefix.as_str() == Some("") => String::new(),
            _ => text("userPrefix")?.unwrap_or_else(|| format!("{host}:")),
        };
        if prefix.starts_with(':') {
            return node.wrong_member("userPrefix", "must not begin with a colon");
        }
        let rules = node.get("rules").map_or_else(|| Ok(Vec::new()), |node| node.elements())?;
        if rules.is_empty() || rules.len() > RULES_MAX {
            return node.wrong(&format!("`rules` must have 1 to {RULES_MAX} rules"));
        }
        let mut scopes = texts("scopes")?;
        if !scopes.iter().any(|scope| scope == "openid") {
            scopes.insert(0, "openid".to_owned());
        }
        let skew = node.get("clockSkewSeconds");
        Ok(IssuerOptions {
            name: text("name")?.unwrap_or(host),
            id,
            issuer,
            authorized_parties: texts("authorizedParties")?.into_iter().chain(client_id.clone()).collect(),
            audience,
            client_id,
            client_secret_file: text("clientSecretFile")?.map(|path| folder.join(path)),
            redirect_uri,
            scopes,
            ca_file: text("caFile")?.map(|path| folder.join(path)),
            clock_skew_seconds: skew
                .map_or(Ok(CLOCK_SKEW_SECONDS), |skew| skew.number(CLOCK_SKEW_MAX_SECONDS))?,
            user_claim: text("userClaim")?.unwrap_or_else(|| "sub".to_owned()),
            user_prefix: prefix,
            allows_insecure,
            rules: rules.iter().map(Rule::read).collect::<Result<_>>()?,
        })
    }

    /// Returns the secret of the client, which is read each time; `None` for a public client.
    ///
    /// Errors: the file cannot be read or is empty.
    pub(crate) fn secret(&self) -> Result<Option<String>> {
        let Some(file) = &self.client_secret_file else { return Ok(None) };
        let wrong = |reason: &str| format!("clientSecretFile {}: {reason}", file.display());
        let secret = std::fs::read_to_string(file).map_err(|error| wrong(&error.to_string()))?;
        match secret.trim() {
            "" => Err(wrong("the file is empty")),
            secret => Ok(Some(secret.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#""rules": [{"everyone": true, "databases": {"*": "ro"}}]"#;

    fn read(members: &str) -> Result<Vec<IssuerOptions>> {
        parse_issuers(format!("{{{members}}}").as_bytes(), Path::new("/etc/persea"))
    }

    #[test]
    fn an_issuer_has_safe_defaults() {
        let text = format!(r#""issuer": "https://login.example/realms/a", "audience": "persea", {RULES}"#);
        let issuer = read(&text).unwrap().remove(0);
        assert_eq!((issuer.id.as_str(), issuer.name.as_str()), ("login-example", "login.example"));
        assert_eq!(issuer.user_prefix, "login.example:");
        assert_eq!((issuer.user_claim.as_str(), issuer.clock_skew_seconds), ("sub", 60));
        assert_eq!(issuer.audience, ["persea"]);
        let text = format!(
            r#""issuer": "https://a.example", "clientId": "c", "redirectUri": "https://db.example/x",
               "clientSecretFile": "secret", "userPrefix": "", {RULES}"#
        );
        let issuer = read(&text).unwrap().remove(0);
        assert_eq!(issuer.user_prefix, "");
        assert_eq!(
            (issuer.audience, issuer.authorized_parties),
            (vec!["c".to_owned()], vec!["c".to_owned()])
        );
        assert_eq!(issuer.client_secret_file.unwrap(), Path::new("/etc/persea/secret"));
        assert_eq!(issuer.scopes, ["openid"]);
    }

    #[test]
    fn mistakes_are_named_with_their_path() {
        let good = r#""issuer": "https://a.example", "audience": "p""#;
        for (text, mistake) in [
            (RULES.to_owned(), "the file: `issuer` is missing"),
            (format!(r#""issuer": "https://a.example", {RULES}"#), "the file: `audience` or"),
            (
                format!(r#""issuer": "http://a.example", "audience": "p", {RULES}"#),
                "issuer: http://a.example",
            ),
            (good.to_owned(), "the file: `rules` must have"),
            (format!(r#"{good}, {RULES}, "clockSkewSeconds": 601"#), "clockSkewSeconds: must be a whole"),
            (format!(r#"{good}, {RULES}, "clockskew": 1"#), "clockskew: unknown member"),
            (format!(r#"{good}, {RULES}, "clientId": "c""#), "the file: `clientId` and `redirectUri`"),
            (format!(r#"{good}, {RULES}, "userPrefix": ":role:""#), "userPrefix: must not"),
            (format!(r#"{good}, {RULES}, "userPrefix": 1"#), "userPrefix: must be a string"),
            (format!(r#"{good}, {RULES}, "audience": "q""#), "it is not valid JSON"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.starts_with(mistake), "{text}: {error}");
        }
        let twice = format!("[{{{good}, {RULES}}}, {{{good}, {RULES}}}]");
        let error = parse_issuers(twice.as_bytes(), Path::new("")).unwrap_err();
        assert!(error.starts_with("[1]: the issuer is there twice"), "{error}");
        assert!(parse_issuers(b"[]", Path::new("")).is_err());
    }
}
