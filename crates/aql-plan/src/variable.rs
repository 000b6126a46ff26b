//! Variables of a plan: what nodes produce and expressions read.

use aql_value::Value;
use std::fmt;

/// Identifies a variable within one plan and all its subplans. Numbered from 0 in the order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(u32);

impl VariableId {
    /// The number as an index into tables that have one row a variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for VariableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A variable: named by the query, or made by the planner for an intermediate result (its name is then its number,
/// which no identifier of AQL can be).
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its place in [`Variables`].
    pub id: VariableId,
    /// Name for messages and explain.
    pub name: Box<str>,
    /// Whether its values are whole documents of a collection, as they are stored.
    pub is_full_document: bool,
    /// The value, where it is the same in every row and known before the query runs.
    pub constant: Option<Value>,
    /// A constant vertex where a search in a graph begins or ends: part of the search for whoever sees the plan.
    pub is_vertex: bool,
}

impl Variable {
    /// Whether the query names it (and not the planner).
    pub fn is_user_defined(&self) -> bool {
        !self.name.starts_with(|first: char| first.is_ascii_digit())
    }
}

/// All variables of a plan, by identifier. Shared by the plan and its subplans.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    list: Vec<Variable>,
}

impl Variables {
    /// Adds a variable of the query.
    pub fn add_named(&mut self, name: &str) -> VariableId {
        self.add(name.into())
    }

    /// Adds a variable for an intermediate result, named by its own number.
    pub fn add_temporary(&mut self) -> VariableId {
        self.add(self.list.len().to_string().into())
    }

    /// Adds a variable for a constant vertex of a search.
    pub fn add_vertex(&mut self) -> VariableId {
        let id = self.add_temporary();
        if let Some(variable) = self.get_mut(id) {
            variable.is_vertex = true;
        }
        id
    }

    fn add(&mut self, name: Box<str>) -> VariableId {
        let id = VariableId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(Variable { id, name, is_full_document: false, constant: None, is_vertex: false });
        id
    }

    /// The variable, if `id` belongs to this plan.
    pub fn get(&self, id: VariableId) -> Option<&Variable> {
        self.list.get(id.index())
    }

    /// The variable for changing it.
    pub fn get_mut(&mut self, id: VariableId) -> Option<&mut Variable> {
        self.list.get_mut(id.index())
    }

    /// Name of the variable for messages.
    pub fn name(&self, id: VariableId) -> &str {
        self.get(id).map_or("", |variable| &variable.name)
    }

    /// Number of variables: identifiers are below it.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All, by ascending identifier.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Variable> + ExactSizeIterator {
        self.list.iter()
    }
}
