//! The lists after IN that come from variables: row after row is searched in the same list, mostly
//! in more than one batch.

use std::collections::VecDeque;
use std::sync::Arc;

use errors::Result;
use owner::{Interrupt, MemoryAccount};

use super::constant_set::{ConstantSet, LARGEST_LINEAR_SEARCH, contains};
use super::slots::Work;
use crate::context::EvaluationContext;
use crate::value::Value;

/// The searches of one list after which a table of its elements pays.
const SEARCHES_BEFORE_TABLE: usize = 4;

/// The bytes of a value whose hash takes about as long as the visit of an element.
const HASHED_BYTES: usize = 8;

/// The tables that a query keeps for its next batches.
const TABLES_MAX: usize = 4;

/// Tables of lists that were searched lately, the latest last. They belong to the query.
#[derive(Default)]
struct Tables {
    lists: VecDeque<(Value, Arc<ConstantSet>)>,
}

impl Tables {
    fn get(&self, list: &Value) -> Option<Arc<ConstantSet>> {
        let found = self.lists.iter().find(|(known, _)| known.is_same_place(list));
        found.map(|(_, set)| Arc::clone(set))
    }

    fn keep(&mut self, list: &Value, set: &Arc<ConstantSet>) {
        if self.lists.len() >= TABLES_MAX {
            self.lists.pop_front();
        }
        self.lists.push_back((list.clone(), Arc::clone(set)));
    }
}

/// The searches of one batch.
pub(super) struct SearchedLists<'a> {
    tables: Option<&'a mut Tables>,
    work: Work<'a>,
    memory: &'a MemoryAccount,
    interrupt: &'a Interrupt,
    /// The list that was searched last, and the number of its searches.
    list: Value,
    searches: usize,
    table: Option<Arc<ConstantSet>>,
}

impl<'a> SearchedLists<'a> {
    pub(super) fn begin(context: &'a mut EvaluationContext<'_>) -> Self {
        SearchedLists {
            tables: context.state.memo.get(),
            work: Work::new(context.interrupt),
            memory: context.memory,
            interrupt: context.interrupt,
            list: Value::Null,
            searches: 0,
            table: None,
        }
    }

    /// Declares that a list will be searched this many times.
    pub(super) fn expect(&mut self, list: &Value, searches: usize) {
        self.turn_to(list);
        self.searches += searches;
    }

    /// Computes `needle IN list`; `None` if it is not an array.
    ///
    /// Errors: 1500 if the query is ended, 32 for too much memory.
    pub(super) fn find(&mut self, list: &Value, needle: &Value) -> Result<Option<bool>> {
        if !list.is_same_place(&self.list) {
            self.turn_to(list);
        }
        self.searches += 1;
        if self.table.is_none()
            && self.searches > SEARCHES_BEFORE_TABLE
            && list.is_array()
            && list.len() > LARGEST_LINEAR_SEARCH
        {
            self.make_table(list)?;
        }
        if let Some(table) = &self.table {
            self.work.add(1 + needle.memory_bytes() / HASHED_BYTES)?;
            return Ok(table.contains(needle));
        }
        self.work.add(1 + list.len())?;
        Ok(contains(list, needle))
    }

    fn turn_to(&mut self, list: &Value) {
        self.table = self.tables.as_ref().and_then(|tables| tables.get(list));
        self.list = list.clone();
        self.searches = 0;
    }

    fn make_table(&mut self, list: &Value) -> Result<()> {
        let set = Arc::new(ConstantSet::new(list));
        set.prepare(self.memory, self.interrupt)?;
        if let Some(tables) = &mut self.tables {
            tables.keep(list, &set);
        }
        self.table = Some(set);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::EvaluationState;
    use crate::environment::NoEnvironment;
    use crate::warnings::Warnings;

    #[test]
    fn tables_outlive_batches_and_belong_to_their_lists() {
        let (mut warnings, mut state) = (Warnings::default(), EvaluationState::fixed(0, 1));
        let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
        let mut context = EvaluationContext {
            warnings: &mut warnings,
            state: &mut state,
            memory: &memory,
            interrupt: &interrupt,
            environment: &NoEnvironment,
        };
        let list = |start: i64| Value::array(&(start..start + 100).map(Value::Int).collect::<Vec<_>>());
        let lists: Vec<Value> = (0..6).map(|number| list(number * 1_000)).collect();
        let short = Value::array(&[Value::Int(5)]);
        for batch in 0..3 {
            let mut searched = SearchedLists::begin(&mut context);
            for (number, list) in (0..).zip(&lists) {
                for needle in 0..20 {
                    let found = searched.find(list, &Value::Int(number * 1_000 + needle * 10)).unwrap();
                    assert_eq!(found, Some(needle < 10), "{batch} {number} {needle}");
                }
            }
            for _ in 0..20 {
                assert_eq!(searched.find(&short, &Value::Int(5)).unwrap(), Some(true));
                assert_eq!(searched.find(&Value::Int(5), &Value::Int(5)).unwrap(), None);
            }
        }
        let tables: &mut Tables = state.memo.get().unwrap();
        assert_eq!(tables.lists.len(), TABLES_MAX);
        assert!(tables.get(&lists[5]).is_some() && tables.get(&lists[0]).is_none());
    }
}
