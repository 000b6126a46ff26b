//! Loops over arrays and objects.

use super::{NodePrinter, PlanNode, Role};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each member of an array.
#[derive(Debug, Clone)]
pub struct EnumerateList {
    /// The array.
    pub input: VariableId,
    /// Set to the member.
    pub out: VariableId,
    /// Condition evaluated within the loop; reads `out` and variables of the outer row.
    pub filter: Option<Expression>,
    /// The variables of a loop over the attributes of an object, which sets them instead of `out`
    /// (rule `replace-entries-with-object-iteration`). There is no filter then.
    pub object: Option<ObjectMembers>,
}

/// Variables of a loop over the attributes of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectMembers {
    /// Set to the name of the attribute.
    pub key: VariableId,
    /// Set to its value.
    pub value: VariableId,
}

impl PlanNode for EnumerateList {
    fn name(&self) -> &'static str {
        "EnumerateList"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let filter = printer.titled_text(" FILTER ", self.filter.as_ref());
        let out = match self.object {
            Some(members) => format!("{}, {} OF", printer.name(members.key), printer.name(members.value)),
            None => format!("{} IN", printer.name(self.out)),
        };
        format!("EnumerateList {out} {}{filter}", printer.name(self.input))
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        match self.object {
            Some(members) => vec![members.key, members.value],
            None => vec![self.out],
        }
    }

    fn locals(&self) -> Vec<VariableId> {
        vec![self.out]
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.input);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.input);
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.filter.iter().for_each(visit);
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.filter.iter_mut().for_each(visit);
    }
}
