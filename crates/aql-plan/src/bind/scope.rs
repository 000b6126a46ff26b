//! The meaning of names at a place in a query.
//!
//! A query, and each subquery in it, is a *level*. A level sees the names of the levels around it.
//! COLLECT hides the names that its level has introduced from the first FOR on (or by an earlier
//! COLLECT). Names from before the first FOR stay visible. No name is introduced twice where it is
//! visible.

use std::collections::HashMap;

use errors::Result;

use crate::error;
use crate::variable::{VariableId, Variables};

/// The scopes at a place in a query.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    /// All visible names.
    visible: HashMap<Box<str>, VariableId>,
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    /// Names from before the first FOR.
    outside: Vec<(Box<str>, VariableId)>,
    /// Names from the first FOR on, or from the last COLLECT on.
    inside: Vec<(Box<str>, VariableId)>,
    has_loop: bool,
    has_collect: bool,
    old: Option<VariableId>,
    new: Option<VariableId>,
}

/// The variables that COLLECT hides and keeps.
#[derive(Debug)]
pub(crate) struct Grouped {
    /// The default content of INTO: names and variables in the order of introduction.
    pub(crate) gathered: Vec<(Box<str>, VariableId)>,
    /// The variables of this level that stay visible.
    pub(crate) kept: Vec<VariableId>,
}

impl Scopes {
    pub(crate) fn enter_level(&mut self) {
        self.levels.push(Level::default());
    }

    pub(crate) fn leave_level(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        for (name, _) in level.outside.iter().chain(&level.inside) {
            self.visible.remove(name);
        }
    }

    /// Starts a loop in the current level.
    pub(crate) fn enter_loop(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.has_loop = true;
        }
    }

    /// Introduces a name.
    ///
    /// Errors: 1511 if it is visible already.
    pub(crate) fn declare(&mut self, name: &str, variables: &mut Variables) -> Result<VariableId> {
        if self.visible.contains_key(name) {
            return Err(error::variable_redeclared(name));
        }
        let id = variables.add_named(name);
        self.introduce(name, id);
        Ok(id)
    }

    /// Introduces a name for a variable that exists.
    ///
    /// Errors: 1511 if the name is visible already.
    pub(crate) fn declare_existing(&mut self, name: &str, id: VariableId) -> Result<()> {
        if self.visible.contains_key(name) {
            return Err(error::variable_redeclared(name));
        }
        self.introduce(name, id);
        Ok(())
    }

    fn introduce(&mut self, name: &str, id: VariableId) {
        self.visible.insert(name.into(), id);
        if let Some(level) = self.levels.last_mut() {
            let list =
                if level.has_loop || level.has_collect { &mut level.inside } else { &mut level.outside };
            list.push((name.into(), id));
        }
    }

    /// Returns the variable of a name, if it is visible.
    pub(crate) fn lookup(&self, name: &str) -> Option<VariableId> {
        self.visible.get(name).copied()
    }

    /// Applies COLLECT: hides the variables of the loops of this level.
    pub(crate) fn group(&mut self) -> Grouped {
        let Some(level) = self.levels.last_mut() else {
            return Grouped { gathered: Vec::new(), kept: Vec::new() };
        };
        let hidden = std::mem::take(&mut level.inside);
        for (name, _) in &hidden {
            self.visible.remove(name);
        }
        let is_top = !level.has_loop && !level.has_collect;
        let gathered = if is_top { level.outside.clone() } else { hidden };
        level.has_collect = true;
        (level.old, level.new) = (None, None);
        Grouped { gathered, kept: level.outside.iter().map(|(_, id)| *id).collect() }
    }

    /// Sets OLD and NEW of a data modification. `None` leaves the variable of an earlier
    /// modification.
    pub(crate) fn set_old_and_new(&mut self, old: Option<VariableId>, new: Option<VariableId>) {
        if let Some(level) = self.levels.last_mut() {
            (level.old, level.new) = (old.or(level.old), new.or(level.new));
        }
    }

    /// Returns OLD of this level or one around it.
    pub(crate) fn old(&self) -> Option<VariableId> {
        self.levels.iter().rev().find_map(|level| level.old)
    }

    /// Returns NEW of this level or one around it.
    pub(crate) fn new_document(&self) -> Option<VariableId> {
        self.levels.iter().rev().find_map(|level| level.new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[(Box<str>, VariableId)]) -> Vec<&str> {
        list.iter().map(|(name, _)| &**name).collect()
    }

    #[test]
    fn a_level_sees_outer_names_and_may_not_redeclare_them() {
        let (mut scopes, mut variables) = (Scopes::default(), Variables::default());
        scopes.enter_level();
        let a = scopes.declare("a", &mut variables).unwrap();
        scopes.enter_level();
        assert_eq!(scopes.lookup("a"), Some(a));
        assert_eq!(scopes.declare("a", &mut variables).unwrap_err().number(), 1511);
        scopes.declare("b", &mut variables).unwrap();
        scopes.leave_level();
        assert_eq!(scopes.lookup("b"), None);
        scopes.declare("b", &mut variables).unwrap();
    }

    #[test]
    fn collect_hides_what_came_since_the_first_loop() {
        let (mut scopes, mut variables) = (Scopes::default(), Variables::default());
        scopes.enter_level();
        scopes.declare("before", &mut variables).unwrap();
        scopes.enter_loop();
        scopes.declare("document", &mut variables).unwrap();
        scopes.declare("computed", &mut variables).unwrap();
        let grouped = scopes.group();
        assert_eq!(names(&grouped.gathered), ["document", "computed"]);
        assert_eq!(grouped.kept.len(), 1);
        assert!(scopes.lookup("document").is_none() && scopes.lookup("before").is_some());
        scopes.declare("document", &mut variables).unwrap();
        assert_eq!(names(&scopes.group().gathered), ["document"]);
    }

    #[test]
    fn collect_without_loop_gathers_top_level_names() {
        let (mut scopes, mut variables) = (Scopes::default(), Variables::default());
        scopes.enter_level();
        scopes.declare("a", &mut variables).unwrap();
        assert_eq!(names(&scopes.group().gathered), ["a"]);
    }
}
