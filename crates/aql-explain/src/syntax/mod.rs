//! Syntax trees as `POST /_api/query` shows them: `{type, name, value, subNodes}` in ArangoDB's
//! form.
//!
//! Bind parameters stay parameters, and nothing is folded. Names that are not variables count as
//! collections, whether or not they exist.

mod expression;
mod statement;

use std::collections::{BTreeSet, HashMap};

use aql_syntax::ast::{DataSource, DataSourceName, Query};
use aql_syntax::collect_bind_parameters;
use aql_value::Value;
use errors::{Error, Result};

use super::writer::{MAX_EXPRESSION_DEPTH, WriteLimits, Writer};

/// Returns the reply of `POST /_api/query`, without the members `error` and `code`:
/// `{parsed, collections, bindVars, ast, warnings}`.
///
/// # Errors
/// 32 if the description would exceed the maximum size of a value or the memory of the query; 1500
/// if the query was ended.
pub fn explain_syntax(query: &Query, limits: WriteLimits<'_>) -> Result<Value> {
    let mut tree = TreeWriter { levels: vec![HashMap::new()], next_id: 0, collections: BTreeSet::new() };
    let ast = Writer::value(limits, |out| {
        out.array([query], |out, query| tree.root(out, &query.body, &query.with))
    })?;
    Writer::value(limits, |out| {
        out.object(|out| {
            out.key("parsed")?.flag(true)?;
            out.key("collections")?;
            out.array(&tree.collections, |out, name| out.text(name))?;
            out.key("bindVars")?;
            out.array(collect_bind_parameters(query), |out, parameter| out.text(&parameter.key))?;
            out.key("ast")?.raw(&ast)?;
            out.key("warnings")?;
            out.array(&query.warnings, |out, warning| {
                out.object(|out| {
                    out.key("code")?.number(u64::from(warning.code.number()))?;
                    out.key("message")?.text(&warning.message)
                })
            })
        })
    })
}

/// A writer of a tree, which numbers variables in the order of their introduction.
struct TreeWriter<'a> {
    /// Visible names, innermost query last.
    levels: Vec<HashMap<&'a str, u64>>,
    next_id: u64,
    collections: BTreeSet<&'a str>,
}

impl<'a> TreeWriter<'a> {
    fn declare(&mut self, name: &'a str) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(level) = self.levels.last_mut() {
            level.insert(name, id);
        }
        id
    }

    fn lookup(&self, name: &str) -> Option<u64> {
        self.levels.iter().rev().find_map(|level| level.get(name).copied())
    }

    /// Writes `{type, subNodes}`.
    fn node(
        &mut self,
        out: &mut Writer,
        kind: &str,
        children: impl FnOnce(&mut Self, &mut List<'_>) -> Result<()>,
    ) -> Result<()> {
        self.node_with(out, kind, |_| Ok(()), children)
    }

    /// Writes the same, with members between the type and the children.
    fn node_with(
        &mut self,
        out: &mut Writer,
        kind: &str,
        members: impl FnOnce(&mut Writer) -> Result<()>,
        children: impl FnOnce(&mut Self, &mut List<'_>) -> Result<()>,
    ) -> Result<()> {
        out.depth += 1;
        let is_too_deep = out.depth > MAX_EXPRESSION_DEPTH;
        let written = out.object(|out| {
            out.key("type")?.text(kind)?;
            members(out)?;
            if is_too_deep {
                return Ok(());
            }
            out.key("subNodes")?;
            out.list(|out| children(self, &mut List { out }))
        });
        out.depth -= 1;
        written
    }

    fn variable(&mut self, list: &mut List<'_>, name: &'a str) -> Result<()> {
        let id = self.declare(name);
        list.out.object(|out| {
            out.key("type")?.text("variable")?;
            out.key("name")?.text(name)?;
            out.key("id")?.number(id)
        })
    }

    fn data_source(&mut self, list: &mut List<'_>, source: &'a DataSource) -> Result<()> {
        match &source.name {
            DataSourceName::Name(name) => self.collection(list, name),
            DataSourceName::BindParameter(name) => {
                leaf(list, "datasource parameter", Some(&format!("@{name}")))
            }
            DataSourceName::ValueParameter(name) => leaf(list, "parameter", Some(name)),
        }
    }

    fn collection(&mut self, list: &mut List<'_>, name: &'a str) -> Result<()> {
        self.collections.insert(name);
        leaf(list, "collection", Some(name))
    }
}

/// The children of a node that is being written.
struct List<'w> {
    out: &'w mut Writer,
}

fn leaf(list: &mut List<'_>, kind: &str, name: Option<&str>) -> Result<()> {
    list.out.object(|out| {
        out.key("type")?.text(kind)?;
        name.map_or(Ok(()), |name| out.key("name")?.text(name))
    })
}

fn no_op(list: &mut List<'_>) -> Result<()> {
    leaf(list, "no-op", None)
}

fn value(list: &mut List<'_>, value: &Value) -> Result<()> {
    list.out.object(|out| {
        out.key("type")?.text("value")?;
        out.key("value")?.raw(value)
    })
}

/// Returns the error for an unexpected kind of node.
fn unknown(what: &str) -> Error {
    Error::internal(format!("syntax tree with {what}"))
}
