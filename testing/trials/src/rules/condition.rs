//! Random conditions of rules, and the rules that have them.

use fastrand::Rng;
use serde_json::{Value, json};

/// The user whom the rules restrict, and its roles.
pub(crate) const USER: &str = "ann";
pub(crate) const ROLES: [&str; 2] = ["t1", "t3"];

/// Returns a condition over `@doc` and `@user`.
pub(crate) fn condition(rng: &mut Rng, depth: u8) -> String {
    if depth > 0 && rng.u8(..3) == 0 {
        let (left, right) = (condition(rng, depth - 1), condition(rng, depth - 1));
        return match rng.u8(..3) {
            0 => format!("({left}) AND ({right})"),
            1 => format!("({left}) OR ({right})"),
            _ => format!("NOT ({left})"),
        };
    }
    match rng.u8(..9) {
        0 => "@doc.owner == @user.name".to_owned(),
        1 => "CONCAT('t', @doc.tenant) IN @user.roles".to_owned(),
        2 => format!("@doc.level >= {}", rng.u8(..10)),
        3 => format!("@doc.level < {}", rng.u8(..10)),
        4 => format!("@doc.tenant IN [{}, {}]", rng.u8(..5), rng.u8(..5)),
        5 => format!("LENGTH(@doc.tags) > {}", rng.u8(..3)),
        6 => format!("'x{}' IN @doc.tags", rng.u8(..4)),
        7 => format!("LENGTH(@doc.tags[* FILTER CURRENT > 'x1']) == {}", rng.u8(..3)),
        _ => format!("@doc.owner IN ['ann', '{}']", ["bob", "cid"][rng.usize(..2)]),
    }
}

/// The rules of one collection.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// The property of the collection.
    pub(crate) property: Value,
    /// The condition under which the user sees a document.
    pub(crate) read: String,
    /// The condition under which the user may write one.
    pub(crate) write: String,
    /// The names of masked attributes.
    pub(crate) masked: Vec<&'static str>,
}

/// Returns random rules. Some of them are for others.
pub(crate) fn rules(rng: &mut Rng) -> Rules {
    let (mut rows, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rng.usize(1..4) {
        let subjects = match rng.u8(..5) {
            0 => json!({"users": [USER]}),
            1 => json!({"roles": ["t3", "t4"]}),
            2 => json!({"users": ["*"]}),
            3 => json!({"users": ["bob"], "roles": ["t1"]}),
            _ => json!({"users": ["bob"], "roles": ["t9"]}),
        };
        let is_own = subjects != json!({"users": ["bob"], "roles": ["t9"]});
        let read = (rng.u8(..8) > 0).then(|| condition(rng, 2));
        let write = (read.is_none() || rng.bool()).then(|| condition(rng, 1));
        let mut rule = subjects;
        if let Some(read) = &read {
            rule["read"] = json!(read);
        }
        if let Some(write) = &write {
            rule["write"] = json!(write);
        }
        rows.push(rule);
        if is_own {
            writes.push(write.or_else(|| read.clone()).unwrap_or_default());
            reads.push(read.unwrap_or_else(|| "true".to_owned()));
        }
    }
    let mut masked = Vec::new();
    let mut masks = Vec::new();
    for path in ["secret", "inner", "level"] {
        if rng.u8(..4) == 0 {
            masked.push(path);
            masks.push(json!({"users": ["*"], "path": path, "type": "xifyFront", "unmaskedLength": 1}));
        }
    }
    Rules {
        property: json!({"rows": rows, "masks": masks}),
        read: any_of(&reads),
        write: any_of(&writes),
        masked,
    }
}

fn any_of(conditions: &[String]) -> String {
    let parts: Vec<String> = conditions.iter().map(|condition| format!("({condition})")).collect();
    if parts.is_empty() { "false".to_owned() } else { parts.join(" OR ") }
}

/// Returns the condition over a variable `d` and the parameter `@user`.
pub(crate) fn of_variable(condition: &str) -> String {
    condition.replace("@doc", "d")
}
