//! The rules of collections, compiled for one user: which documents the user sees and may write,
//! and which attributes are masked.
//!
//! Conditions are AQL over `@doc` and `@user`. They are compiled to programs that run over blocks
//! of documents, and handed to the planner as syntax trees, so that indexes serve them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use aql_plan::{MaskedAttributes, UserRules};
use aql_syntax::ast::{self, StatementKind};
use aql_value::{Column, Value, Warnings};
use catalog::{AccessRules, AttributeMask};
use errors::{Error, ErrorCode, Result};
use maskings::{Reach, Rule, Rules, SECRET_BYTES, Secret};
use storage::{Documents, Restriction, StoredDocument};
use velocypack::{Block, Builder, Slice};

use crate::embedded_aql::document_expression::{DocumentExpression, KeptState};

/// The bind parameter of the user.
const USER: &str = "user";

/// A user as rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleUser {
    /// The name.
    pub(crate) name: Arc<str>,
    /// The names of roles.
    pub(crate) roles: BTreeSet<String>,
}

impl RuleUser {
    /// Returns the value of `@user`.
    fn value(&self) -> Result<Value> {
        let roles: Vec<Value> = self.roles.iter().map(|role| Value::from_str(role)).collect();
        Value::try_object(&[("name", Value::from_str(&self.name)), ("roles", Value::try_array(&roles)?)])
    }

    fn roles(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().map(String::as_str)
    }
}

/// The rules of a collection for one user.
pub(crate) struct CompiledRules {
    read: Condition,
    write: Condition,
    masks: Vec<CompiledMask>,
    secret: Secret,
    /// The form for the planner.
    planned: Arc<UserRules>,
    state: KeptState,
}

/// A condition for all documents of a collection.
enum Condition {
    Always,
    If(DocumentExpression),
}

struct CompiledMask {
    unless: Option<DocumentExpression>,
    rules: Rules,
}

/// Checks the rules of a definition.
///
/// Errors: 10 for a condition or a mask that is wrong.
pub(crate) fn check(rules: &AccessRules) -> Result<()> {
    let user = RuleUser { name: "somebody".into(), roles: BTreeSet::new() }.value()?;
    for (number, rule) in rules.rows.iter().enumerate() {
        for (kind, condition) in [("read", &rule.read), ("write", &rule.write)] {
            let Some(condition) = condition else { continue };
            let compiled =
                parse(&returning(&[condition])).and_then(|_| expression(&returning(&[condition]), &user));
            compiled.map_err(|what| wrong(&format!("rows[{number}]: '{kind}': {what} in '{condition}'")))?;
        }
    }
    if rules.secret.as_deref().is_some_and(|secret| parse_secret(secret).is_none()) {
        return Err(wrong("'secret' must have 32 hexadecimal digits"));
    }
    for (number, mask) in rules.masks.iter().enumerate() {
        CompiledMask::new(mask, &user).map_err(|what| wrong(&format!("masks[{number}]: {what}")))?;
    }
    Ok(())
}

fn wrong(what: &str) -> Error {
    Error::bad_parameter(format!("invalid 'accessRules': {what}"))
}

/// Returns an unpredictable secret for the masks of a definition.
///
/// Errors: 2 if the system gives no random bytes.
pub(crate) fn new_secret() -> Result<String> {
    let secret = maskings::secret().map_err(|what| Error::new(ErrorCode::SysError, what))?;
    Ok(secret.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn parse_secret(text: &str) -> Option<Secret> {
    let mut secret = Secret::default();
    if text.len() != 2 * SECRET_BYTES {
        return None;
    }
    for (place, byte) in secret.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(secret)
}

/// Returns the query that returns true if one of some conditions is true.
fn returning(conditions: &[&str]) -> String {
    let parts: Vec<String> = conditions.iter().map(|condition| format!("(\n{condition}\n)")).collect();
    format!("RETURN {}", if parts.is_empty() { "false".to_owned() } else { parts.join(" OR ") })
}

/// Returns the expression of a query that only returns one.
fn parse(text: &str) -> std::result::Result<ast::Expression, String> {
    let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).map_err(|error| error.message)?;
    let mut statements = query.body.statements.into_iter();
    match (statements.next().map(|statement| statement.kind), statements.next()) {
        (Some(StatementKind::Return(returned)), None) if query.with.is_empty() => Ok(returned.value),
        _ => Err("one expression is expected".to_owned()),
    }
}

fn expression(text: &str, user: &Value) -> std::result::Result<DocumentExpression, String> {
    DocumentExpression::compile(text, &[(USER, user.clone())])
}

impl CompiledRules {
    /// Compiles the rules of a collection for a user; `None` if they do not restrict the user.
    ///
    /// Errors: 11 for rules that cannot be understood, for example because a function is gone.
    pub(crate) fn compile(rules: &AccessRules, user: &RuleUser) -> Result<Option<Self>> {
        let compiled = Self::new(rules, user);
        compiled.map_err(|what| {
            let message = format!("forbidden: the rules of the collection cannot be understood: {what}");
            Error::new(ErrorCode::Forbidden, message)
        })
    }

    fn new(rules: &AccessRules, user: &RuleUser) -> std::result::Result<Option<Self>, String> {
        let value = user.value().map_err(|error| error.message().to_owned())?;
        let is_named = |subjects: &catalog::Subjects| subjects.include(&user.name, user.roles());
        let own: Vec<_> = rules.rows.iter().filter(|rule| is_named(&rule.subjects)).collect();
        let conditions = |of: fn(&catalog::RowRule) -> Option<&str>| -> Option<String> {
            if rules.rows.is_empty() {
                return None;
            }
            // A rule without a condition is true for all documents.
            let all: Option<Vec<&str>> = own.iter().map(|rule| of(rule)).collect();
            all.map(|all| returning(&all))
        };
        let read = conditions(|rule| rule.read.as_deref());
        let write = conditions(catalog::RowRule::write_condition);
        let masks = rules.masks.iter().filter(|mask| is_named(&mask.subjects));
        let masks: Vec<_> = masks.map(|mask| CompiledMask::new(mask, &value)).collect::<StringResult<_>>()?;
        if read.is_none() && write.is_none() && masks.is_empty() {
            return Ok(None);
        }
        let condition = |text: &Option<String>| match text {
            None => Ok(Condition::Always),
            Some(text) => expression(text, &value).map(Condition::If),
        };
        let planned = UserRules {
            condition: read.as_deref().map(parse).transpose()?,
            user: value.clone(),
            masked: masked_attributes(&masks),
        };
        let secret = match masks.is_empty() {
            true => Secret::default(),
            false => {
                let secret = rules.secret.as_deref().and_then(parse_secret);
                secret.ok_or("the secret of the masks is damaged")?
            }
        };
        Ok(Some(CompiledRules {
            read: condition(&read)?,
            write: condition(&write)?,
            masks,
            secret,
            planned: Arc::new(planned),
            state: KeptState::new(),
        }))
    }

    /// Returns the form for the planner.
    pub(crate) fn planned(&self) -> &Arc<UserRules> {
        &self.planned
    }

    /// Returns for each of some documents whether a condition is true.
    fn holds(&self, condition: &DocumentExpression, documents: &Arc<Vec<Value>>) -> Result<Vec<bool>> {
        // Warnings would tell about hidden documents.
        let mut warnings = Warnings::new(0, false);
        let column = Column::Values(Arc::clone(documents));
        let rows = documents.len();
        let results =
            self.state.with(|state| condition.evaluate(column, rows, state, &mut warnings, None))?;
        Ok((0..rows).map(|row| results.get(row).to_bool()).collect())
    }
}

type StringResult<T> = std::result::Result<T, String>;

/// Returns the documents at some places as values.
fn values_at(documents: &Documents, places: &[usize]) -> Arc<Vec<Value>> {
    let offsets = places.iter().filter_map(|place| documents.offsets.get(*place).copied().flatten());
    Arc::new(offsets.map(|offset| Value::in_block(&documents.block, offset)).collect())
}

impl Restriction for CompiledRules {
    fn shown(&self, mut documents: Documents) -> Result<Documents> {
        if let Condition::If(condition) = &self.read {
            let places: Vec<usize> =
                (0..documents.offsets.len()).filter(|place| documents.get(*place).is_some()).collect();
            let is_shown = self.holds(condition, &values_at(&documents, &places))?;
            for (place, is_shown) in places.into_iter().zip(is_shown) {
                if let Some(offset) = documents.offsets.get_mut(place).filter(|_| !is_shown) {
                    *offset = None;
                }
            }
        }
        self.masked(documents)
    }

    fn masked(&self, documents: Documents) -> Result<Documents> {
        if self.masks.is_empty() {
            return Ok(documents);
        }
        let places: Vec<usize> =
            (0..documents.offsets.len()).filter(|place| documents.get(*place).is_some()).collect();
        let values = values_at(&documents, &places);
        let mut masked: Vec<Option<Vec<u8>>> = vec![None; places.len()];
        for mask in &self.masks {
            let is_exempt = match &mask.unless {
                None => vec![false; places.len()],
                Some(unless) => self.holds(unless, &values)?,
            };
            for (row, place) in places.iter().enumerate() {
                let Some(slot) =
                    masked.get_mut(row).filter(|_| !is_exempt.get(row).copied().unwrap_or(false))
                else {
                    continue;
                };
                let document = match slot {
                    Some(changed) => Slice::new(changed),
                    None => documents.get(*place).unwrap_or(Slice::NONE),
                };
                let key = document.get("_key").and_then(Slice::as_str).unwrap_or_default();
                let mut random = maskings::generator_for(&self.secret, key.as_bytes());
                let mut builder = Builder::with_capacity(document.byte_len());
                mask.rules.mask(document, &self.secret, &mut random, &mut builder)?;
                *slot = Some(builder.into_vec());
            }
        }
        if masked.iter().all(Option::is_none) {
            return Ok(documents);
        }
        let (mut bytes, mut offsets) = (Vec::new(), vec![None; documents.offsets.len()]);
        for (place, masked) in places.iter().zip(&masked) {
            let Some(offset) = offsets.get_mut(*place) else { continue };
            *offset = Some(u32::try_from(bytes.len()).map_err(|_| Error::of(ErrorCode::ResourceLimit))?);
            match masked {
                Some(masked) => bytes.extend_from_slice(masked),
                None => bytes.extend_from_slice(documents.get(*place).unwrap_or(Slice::NONE).bytes()),
            }
        }
        let collection = documents.block.collection.clone();
        Ok(Documents { block: Arc::new(Block { bytes, collection }), offsets })
    }

    fn may_write(&self, document: &StoredDocument) -> Result<bool> {
        let Condition::If(condition) = &self.write else { return Ok(true) };
        let values = Arc::new(vec![Value::in_block(&document.block, document.offset)]);
        Ok(self.holds(condition, &values)?.first().copied().unwrap_or(false))
    }
}

impl fmt::Debug for CompiledRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CompiledRules").field("planned", &self.planned).finish_non_exhaustive()
    }
}

impl CompiledMask {
    fn new(mask: &AttributeMask, user: &Value) -> StringResult<Self> {
        let rule = Rule::parse(Slice::new(&mask.rule))?;
        if let Some(name) = rule.path().top_level().filter(|name| maskings::SYSTEM_ATTRIBUTES.contains(name))
        {
            return Err(format!("'path': the system attribute '{name}' cannot be masked"));
        }
        let unless = match &mask.unless {
            None => None,
            Some(condition) => {
                let text = returning(&[condition]);
                let compiled = parse(&text).and_then(|_| expression(&text, user));
                Some(compiled.map_err(|what| format!("'unless': {what} in '{condition}'"))?)
            }
        };
        Ok(CompiledMask { unless, rules: Rules::new(vec![rule], Reach::Objects) })
    }
}

fn masked_attributes(masks: &[CompiledMask]) -> MaskedAttributes {
    let rules = masks.iter().flat_map(|mask| mask.rules.iter());
    let names: Option<Vec<Box<str>>> = rules.map(|rule| rule.path().top_level().map(Box::from)).collect();
    names.map_or(MaskedAttributes::Any, MaskedAttributes::Named)
}
