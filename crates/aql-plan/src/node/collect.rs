//! COLLECT and RETURN DISTINCT.

use super::{CollectAggregate, NodePrinter, PlanNode, Role, listed};
use crate::variable::VariableId;

/// COLLECT and RETURN DISTINCT.
#[derive(Debug, Clone)]
pub struct Collect {
    /// Group keys in order; none for one group of all rows (which exists even without rows).
    pub groups: Vec<CollectGroup>,
    /// Aggregates of each group.
    pub aggregates: Vec<CollectAggregate>,
    /// The values that are gathered of each row of a group.
    pub into: Option<CollectInto>,
    /// Variables that are the same in all rows and remain usable after the grouping.
    ///
    /// A LET before the first FOR of the query sets them. Each output row has their value of any
    /// row of the group; null for a group without rows.
    pub kept: Vec<VariableId>,
    /// The way in which groups are formed.
    pub method: CollectMethod,
    /// True for the RETURN DISTINCT of a query, which may not be removed with its variable.
    pub is_distinct_command: bool,
    /// Option `disableIndex`.
    pub disable_index: bool,
    /// Method that the query asks for.
    pub requested_method: Option<CollectMethod>,
}

/// One key of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectGroup {
    /// Set to the key.
    pub out: VariableId,
    /// Read in each row.
    pub input: VariableId,
}

/// The result of COLLECT ... INTO: an array with one member for each row of the group.
#[derive(Debug, Clone)]
pub struct CollectInto {
    /// Set to the array.
    pub out: VariableId,
    /// The members.
    pub content: IntoContent,
}

/// Members of the array of COLLECT ... INTO.
#[derive(Debug, Clone)]
pub enum IntoContent {
    /// `INTO x = expression`: the value of a variable.
    Variable(VariableId),
    /// An object of the named variables.
    Object(Vec<(Box<str>, VariableId)>),
}

/// The way in which groups are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectMethod {
    /// A hash table of all groups; their order is not defined.
    Hash,
    /// The rows come sorted by the group keys (in any direction). One group at a time is held, and
    /// groups come in order.
    Sorted,
    /// No aggregate and nothing gathered: a row passes if its key is new.
    Distinct,
    /// No key, one aggregate `Length`: counts rows.
    Count,
}

impl PlanNode for Collect {
    fn name(&self) -> &'static str {
        "Collect"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let method = match self.method {
            CollectMethod::Hash => "hash",
            CollectMethod::Sorted => "sorted",
            CollectMethod::Distinct => "distinct",
            CollectMethod::Count => "count",
        };
        let groups = self.groups.iter();
        let groups =
            groups.map(|group| format!("{} = {}", printer.name(group.out), printer.name(group.input)));
        let aggregates = self.aggregates.iter().map(|aggregate| aggregate.print(printer));
        let mut text = format!("Collect {method}");
        text += &listed(" groups ", groups);
        text += &listed(" aggregates ", aggregates);
        text += &self.into.as_ref().map(|into| into.print(printer)).unwrap_or_default();
        text + &listed(" kept ", self.kept.iter().map(|id| printer.name(*id)))
    }

    fn role(&self) -> Role {
        Role::Grouping
    }

    fn sets(&self) -> Vec<VariableId> {
        let groups = self.groups.iter().map(|group| group.out);
        let aggregates = self.aggregates.iter().map(|aggregate| aggregate.out);
        groups.chain(aggregates).chain(self.into.as_ref().map(|into| into.out)).collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        self.groups.iter().for_each(|group| visit(group.input));
        self.aggregates.iter().filter_map(|aggregate| aggregate.input).for_each(&mut *visit);
        self.kept.iter().copied().for_each(&mut *visit);
        match self.into.as_ref().map(|into| &into.content) {
            Some(IntoContent::Variable(id)) => visit(*id),
            Some(IntoContent::Object(members)) => members.iter().for_each(|(_, id)| visit(*id)),
            None => {}
        }
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        self.groups.iter_mut().for_each(|group| visit(&mut group.input));
        self.aggregates.iter_mut().filter_map(|aggregate| aggregate.input.as_mut()).for_each(&mut *visit);
        self.kept.iter_mut().for_each(&mut *visit);
        match self.into.as_mut().map(|into| &mut into.content) {
            Some(IntoContent::Variable(id)) => visit(id),
            Some(IntoContent::Object(members)) => members.iter_mut().for_each(|(_, id)| visit(id)),
            None => {}
        }
    }
}

impl CollectInto {
    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let content = match &self.content {
            IntoContent::Variable(id) => printer.name(*id),
            IntoContent::Object(members) => {
                let members = members.iter().map(|(name, id)| format!("{name}: {}", printer.name(*id)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
        };
        format!(" into {} = {content}", printer.name(self.out))
    }
}
