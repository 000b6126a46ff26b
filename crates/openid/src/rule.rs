//! Rules: from the claims of a token to grants.

use velocypack::Slice;

use crate::grants::{DatabaseGrant, Grants, Level};
use crate::reader::{Node, Result};

/// Maximum number of rules of an issuer, and of values of one.
pub(crate) const RULES_MAX: usize = 1_000;

/// A claim's condition and the grants of tokens that meet it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    condition: Option<Condition>,
    grants: Grants,
}

/// A condition on a claim.
#[derive(Clone, Debug, PartialEq)]
struct Condition {
    /// The name of the claim, and the names of its members below.
    path: Vec<String>,
    test: Test,
    /// Scalar values, as VelocyPack.
    values: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Equals,
    Contains,
    OneOf,
}

/// The claims that are lists of words in one string (RFC 8693, section 4.2).
const LISTS_OF_WORDS: [&str; 2] = ["scope", "scp"];

impl Rule {
    pub(crate) fn read(node: &Node<'_>) -> Result<Self> {
        node.require_members(&[
            "claim",
            "equals",
            "contains",
            "oneOf",
            "everyone",
            "databases",
            "roles",
            "user",
        ])?;
        let condition = match (node.get("claim"), node.get("everyone")) {
            (Some(claim), None) => Some(Condition::read(node, &claim)?),
            (None, Some(everyone)) if everyone.flag()? => None,
            _ => return node.wrong("must have either `claim`, or `everyone` with the value true"),
        };
        if condition.is_none() && ["equals", "contains", "oneOf"].iter().any(|name| node.get(name).is_some())
        {
            return node.wrong("a rule for everyone has no condition");
        }
        let mut grants = Grants::default();
        for (name, database) in optional_members(node, "databases")? {
            grants.databases.insert(name, read_database(&database)?);
        }
        if let Some(roles) = node.get("roles") {
            grants.roles.extend(roles.texts()?);
        }
        if let Some(user) = node.get("user") {
            grants.users.insert(user.text()?.to_owned());
        }
        if grants == Grants::default() {
            return node.wrong("must grant something by `databases`, `roles` or `user`");
        }
        Ok(Rule { condition, grants })
    }

    /// Returns the grants of all rules that a token's claims meet; `None` if they meet none.
    pub(crate) fn grants(rules: &[Rule], claims: Slice<'_>) -> Option<Grants> {
        let mut all = None;
        for rule in rules.iter().filter(|rule| rule.is_met(claims)) {
            all.get_or_insert_with(Grants::default).add(&rule.grants);
        }
        all
    }

    fn is_met(&self, claims: Slice<'_>) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.is_met(claims))
    }
}

fn optional_members<'a>(node: &Node<'a>, name: &str) -> Result<Vec<(String, Node<'a>)>> {
    node.get(name).map_or_else(|| Ok(Vec::new()), |node| node.named_members())
}

fn read_database(node: &Node<'_>) -> Result<DatabaseGrant> {
    if node.value.is_string() {
        return Ok(DatabaseGrant { level: Some(read_level(node)?), ..DatabaseGrant::default() });
    }
    node.require_members(&["level", "collections"])?;
    let level = node.get("level").map(|level| read_level(&level)).transpose()?;
    let mut grant = DatabaseGrant { level, ..DatabaseGrant::default() };
    for (name, collection) in optional_members(node, "collections")? {
        grant.collections.insert(name, read_level(&collection)?);
    }
    if grant == DatabaseGrant::default() {
        return node.wrong("must have `level` or `collections`");
    }
    Ok(grant)
}

fn read_level(node: &Node<'_>) -> Result<Level> {
    match node.value.as_str().and_then(Level::from_name) {
        Some(level) => Ok(level),
        None => node.wrong("must be rw, ro or none"),
    }
}

impl Condition {
    fn read(rule: &Node<'_>, claim: &Node<'_>) -> Result<Self> {
        let path = match claim.value.is_array() {
            true => claim.texts()?,
            false => claim.text()?.split('.').map(str::to_owned).collect(),
        };
        if path.iter().any(String::is_empty) || path.is_empty() {
            return claim.wrong("must be a path such as realm_access.roles, or an array of names");
        }
        let tests = [("equals", Test::Equals), ("contains", Test::Contains), ("oneOf", Test::OneOf)];
        let mut given = tests.into_iter().filter_map(|(name, test)| rule.get(name).map(|node| (test, node)));
        let (Some((test, wanted)), None) = (given.next(), given.next()) else {
            return rule.wrong("must have one of `equals`, `contains` and `oneOf`");
        };
        let values = match test {
            Test::OneOf => wanted.elements()?,
            Test::Equals | Test::Contains => vec![wanted.clone()],
        };
        if values.is_empty() || values.len() > RULES_MAX {
            return wanted.wrong(&format!("must have 1 to {RULES_MAX} values"));
        }
        for node in &values {
            if node.value.is_array() || node.value.is_object() {
                return node.wrong("must be a string, a number or a bool");
            }
        }
        let values = values.iter().map(|node| node.value.bytes().to_vec()).collect();
        Ok(Condition { path, test, values })
    }

    fn is_met(&self, claims: Slice<'_>) -> bool {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let Some(claim) = claims.get_path(&path) else { return false };
        let is_wanted = |value: Slice<'_>| self.values.iter().any(|wanted| same(value, Slice::new(wanted)));
        let words = claim.as_str().filter(|_| LISTS_OF_WORDS.iter().any(|name| path == [*name]));
        let has = || match words {
            Some(words) => words
                .split(' ')
                .any(|word| self.values.iter().any(|wanted| Slice::new(wanted).as_str() == Some(word))),
            None => claim.elements().any(is_wanted),
        };
        match self.test {
            Test::Equals => is_wanted(claim),
            Test::Contains => has(),
            Test::OneOf => is_wanted(claim) || has(),
        }
    }
}

/// Returns true for two equal scalars. Numbers of different encodings are equal by their values.
fn same(left: Slice<'_>, right: Slice<'_>) -> bool {
    match (left.as_str(), right.as_str()) {
        (Some(left), Some(right)) => left == right,
        (None, None) if left.is_bool() => left.as_bool() == right.as_bool(),
        (None, None) if left.is_number() => right.is_number() && left.as_f64() == right.as_f64(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::parse;

    fn rules(text: &str) -> Result<Vec<Rule>> {
        let parsed = parse(text.as_bytes(), 1 << 20).unwrap();
        Node { value: Slice::new(&parsed), path: "rules".to_owned() }
            .elements()?
            .iter()
            .map(Rule::read)
            .collect()
    }

    fn grants(rules: &[Rule], claims: &str) -> Option<Grants> {
        Rule::grants(rules, Slice::new(&parse(claims.as_bytes(), 1 << 20).unwrap()))
    }

    #[test]
    fn conditions_look_at_values_and_lists() {
        let rule = |condition: &str| rules(&format!(r#"[{{{condition}, "roles": ["r"]}}]"#)).unwrap();
        let meets = |condition: &str, claims: &str| grants(&rule(condition), claims).is_some();
        let equals = r#""claim": "department", "equals": "it""#;
        assert!(meets(equals, r#"{"department": "it"}"#));
        assert!(!meets(equals, r#"{"department": ["it"]}"#) && !meets(equals, "{}"));
        let nested = r#""claim": "realm_access.roles", "contains": "admin""#;
        assert!(meets(nested, r#"{"realm_access": {"roles": ["user", "admin"]}}"#));
        assert!(!meets(nested, r#"{"realm_access": {"roles": "admin"}}"#));
        assert!(!meets(nested, r#"{"realm_access.roles": ["admin"]}"#));
        let named = r#""claim": ["https://a.example/roles"], "contains": "admin""#;
        assert!(meets(named, r#"{"https://a.example/roles": ["admin"]}"#));
        let one_of = r#""claim": "groups", "oneOf": ["a", "b", 7]"#;
        assert!(meets(one_of, r#"{"groups": "b"}"#) && meets(one_of, r#"{"groups": ["x", 7.0]}"#));
        assert!(!meets(one_of, r#"{"groups": ["c"]}"#));
        let scope = r#""claim": "scope", "contains": "db:read""#;
        assert!(meets(scope, r#"{"scope": "openid db:read"}"#));
        let name = r#""claim": "name", "contains": "admin""#;
        assert!(!meets(name, r#"{"name": "x admin"}"#), "users choose their names themselves");
        assert!(meets(r#""everyone": true"#, "{}"));
    }

    #[test]
    fn all_rules_that_fit_add_up() {
        let rules = rules(
            r#"[{"everyone": true, "databases": {"shop": "ro", "hr": "none"}},
                {"claim": "a", "equals": true, "databases": {"shop": {"level": "rw"}}, "roles": ["x"]},
                {"claim": "b", "equals": 1, "databases": {"shop": {"collections": {"c": "none"}}},
                 "user": "ann"}]"#,
        )
        .unwrap();
        let all = grants(&rules, r#"{"a": true, "b": 1}"#).unwrap();
        let shop = &all.databases["shop"];
        assert_eq!((shop.level, shop.collections["c"]), (Some(Level::ReadWrite), Level::None));
        assert_eq!(all.databases["hr"].level, Some(Level::None));
        assert!(all.roles.contains("x") && all.users.contains("ann"));
        let few = grants(&rules, r#"{"a": "true"}"#).unwrap();
        assert_eq!(few.databases["shop"].level, Some(Level::ReadOnly));
        assert!(few.roles.is_empty());
        assert_eq!(grants(&rules[1..], "{}"), None);
    }

    #[test]
    fn mistakes_are_named_with_their_path() {
        for (text, mistake) in [
            (r#"[{"everyone": true}]"#, "rules[0]: must grant"),
            (r#"[{"everyone": false, "roles": "a"}]"#, "rules[0]: must have either"),
            (r#"[{"roles": "a"}]"#, "rules[0]: must have either"),
            (r#"[{"everyone": true, "equals": 1, "roles": "a"}]"#, "rules[0]: a rule for everyone"),
            (r#"[{"claim": "a", "roles": "a"}]"#, "rules[0]: must have one of"),
            (r#"[{"claim": "a", "equals": 1, "contains": 2, "roles": "a"}]"#, "rules[0]: must have one of"),
            (r#"[{"claim": "a..b", "equals": 1, "roles": "a"}]"#, "rules[0].claim: must be a path"),
            (r#"[{"claim": "a", "oneOf": [], "roles": "a"}]"#, "rules[0].oneOf: must have 1 to"),
            (r#"[{"claim": "a", "equals": [1], "roles": "a"}]"#, "rules[0].equals: must be a string"),
            (r#"[{"everyone": true, "databases": {"a": "rx"}}]"#, "rules[0].databases.a: must be rw"),
            (r#"[{"everyone": true, "databases": {"a": {}}}]"#, "rules[0].databases.a: must have"),
            (r#"[{"everyone": true, "database": {}}]"#, "rules[0].database: unknown member"),
            (
                r#"[{"everyone": true, "databases": {"a": {"collections": {"c": 1}}}}]"#,
                "rules[0].databases.a.collections.c: must be rw",
            ),
        ] {
            let error = rules(text).unwrap_err();
            assert!(error.starts_with(mistake), "{text}: {error}");
        }
    }
}
