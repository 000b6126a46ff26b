//! Variables of a plan, which nodes set and expressions read.

use std::fmt;

use aql_value::Value;

/// The number of a variable within one plan and all its subplans, from 0 in the order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(u32);

impl VariableId {
    /// Returns the number as an index into tables that have one row for each variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for VariableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A variable of the query, or one that the planner makes for an intermediate result.
///
/// The name of the latter is its number, which no identifier of AQL can be.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Place in [`Variables`].
    pub id: VariableId,
    /// Name for messages and explain.
    pub name: Box<str>,
    /// The values are whole documents of a collection, as they are stored.
    pub is_full_document: bool,
    /// The value, if it is the same in every row and known before the query runs.
    pub constant: Option<Value>,
    /// A constant vertex where a graph search begins or ends. Clients see it as part of the search.
    pub is_vertex: bool,
}

impl Variable {
    /// Returns true if the query names the variable, false if the planner made it.
    pub fn is_user_defined(&self) -> bool {
        !self.name.starts_with(|first: char| first.is_ascii_digit())
    }
}

/// All variables of a plan and its subplans, by identifier.
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

    /// Returns the variable, if `id` belongs to this plan.
    pub fn get(&self, id: VariableId) -> Option<&Variable> {
        self.list.get(id.index())
    }

    /// Returns the variable, if `id` belongs to this plan, to change it.
    pub fn get_mut(&mut self, id: VariableId) -> Option<&mut Variable> {
        self.list.get_mut(id.index())
    }

    /// Returns the name of the variable for messages.
    pub fn name(&self, id: VariableId) -> &str {
        self.get(id).map_or("", |variable| &variable.name)
    }

    /// Returns the number of variables. All identifiers are below it.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Iterates over all variables by ascending identifier.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Variable> + ExactSizeIterator {
        self.list.iter()
    }
}
