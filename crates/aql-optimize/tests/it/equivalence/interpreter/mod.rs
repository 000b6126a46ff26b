//! A plain interpreter of plans, as close to their definition as possible.

mod graph;

use std::cmp::Ordering;
use std::sync::Arc;

use aql_plan::{
    AggregateFunction, Collect, CollectMethod, DocumentSource, Expression, FieldBounds, Filter, IndexField,
    IndexInfo, IndexLookup, IndexRange, IndexScan, IndexSearch, IntoContent, Node, NodeKind, Plan,
    Projection, ProjectionSource, RegisterMap, VariableId, compile,
};
use aql_value::{
    Batch, ChangesQuery, Column, Environment, EvaluationContext, EvaluationState, Interrupt, MemoryAccount,
    Rows, Value, Warnings,
};
use errors::{Error, ErrorCode, Result};

use super::data;

/// The outcome of a query.
pub(crate) struct Outcome {
    pub(crate) results: Vec<Value>,
    /// Modifications, as text.
    pub(crate) effects: Vec<String>,
}

pub(crate) fn run(plan: &Plan) -> Result<Outcome> {
    let mut interpreter = Interpreter {
        registers: RegisterMap::identity(&plan.variables, Arc::default()),
        state: EvaluationState::fixed(0, 1),
        warnings: Warnings::new(0, false),
        effects: Vec::new(),
    };
    let results = interpreter.pipeline(&plan.nodes, &vec![None; plan.variables.len()])?;
    Ok(Outcome { results, effects: interpreter.effects })
}

/// Values of variables; `None` where a variable may not be read.
type Row = Vec<Option<Value>>;

struct Interpreter {
    registers: RegisterMap,
    state: EvaluationState,
    warnings: Warnings,
    effects: Vec<String>,
}

impl Interpreter {
    fn pipeline(&mut self, nodes: &[Node], outer: &Row) -> Result<Vec<Value>> {
        let mut rows = vec![outer.clone()];
        for node in nodes {
            if let NodeKind::Return(node) = &node.kind {
                return rows.iter().map(|row| read(row, node.input)).collect();
            }
            rows = self.node(node, rows, outer)?;
        }
        Ok(Vec::new())
    }

    fn node(&mut self, node: &Node, rows: Vec<Row>, outer: &Row) -> Result<Vec<Row>> {
        let mut out = Vec::new();
        match &node.kind {
            NodeKind::Singleton => return Ok(rows),
            NodeKind::NoResults => {}
            NodeKind::EnumerateCollection(scan) => {
                for row in rows {
                    let documents = data::collection(&scan.source.collection.name);
                    let found: Vec<(Value, Option<&IndexInfo>)> =
                        documents.iter().map(|document| (document.clone(), None)).collect();
                    self.scan(&scan.source, found, &row, &mut out)?;
                }
            }
            NodeKind::Index(scan) => {
                for row in rows {
                    let found = self.look_up(scan, &row)?;
                    self.scan(&scan.source, found, &row, &mut out)?;
                }
            }
            NodeKind::EnumerateList(list) => {
                for row in rows {
                    let input = read(&row, list.input)?;
                    if let Some(members) = list.object.filter(|_| input.is_object()) {
                        for (name, value) in input.entries() {
                            let next = with(&row, members.key, Value::from_str(name));
                            out.push(with(&next, members.value, value));
                        }
                        continue;
                    }
                    if !input.is_array() {
                        return Err(Error::of(ErrorCode::QueryArrayExpected));
                    }
                    for member in input.elements() {
                        let next = with(&row, list.out, member);
                        if self.passes(list.filter.as_ref(), &next)? {
                            out.push(next);
                        }
                    }
                }
            }
            NodeKind::Traversal(node) => {
                for row in rows {
                    self.traversal(node, &row, &mut out)?;
                }
            }
            NodeKind::ShortestPath(node) => {
                for row in rows {
                    self.shortest_path(node, &row, &mut out)?;
                }
            }
            NodeKind::EnumeratePaths(node) => {
                for row in rows {
                    self.enumerate_paths(node, &row, &mut out)?;
                }
            }
            NodeKind::Window(window) => self.window(window, &rows, &mut out)?,
            NodeKind::Calculation(calculation) => {
                for row in rows {
                    let value = self.evaluate(&calculation.expression, &row)?;
                    out.push(with(&row, calculation.out, value));
                }
            }
            NodeKind::Subquery(subquery) => {
                for row in rows {
                    let is_wanted = match subquery.run_if {
                        Some(condition) => read(&row, condition)?.to_bool(),
                        None => true,
                    };
                    let results = if is_wanted { self.pipeline(&subquery.nodes, &row)? } else { Vec::new() };
                    out.push(with(&row, subquery.out, Value::array(&results)));
                }
            }
            NodeKind::Filter(Filter { condition, .. }) => {
                for row in rows {
                    if read(&row, *condition)?.to_bool() {
                        out.push(row);
                    }
                }
            }
            NodeKind::Sort(sort) => {
                let mut keyed = Vec::new();
                for row in rows {
                    let keys = sort.elements.iter().map(|element| read(&row, element.input));
                    keyed.push((keys.collect::<Result<Vec<_>>>()?, row));
                }
                let compare = |(left, _): &(Vec<Value>, _), (right, _): &(Vec<Value>, _), count: usize| {
                    let pairs = left.iter().zip(right).zip(&sort.elements).take(count);
                    pairs.fold(Ordering::Equal, |order, ((left, right), element)| {
                        let next = left.compare(right);
                        order.then(if element.ascending { next } else { next.reverse() })
                    })
                };
                assert!(keyed.is_sorted_by(|left, right| compare(left, right, sort.grouped).is_le()));
                keyed.sort_by(|left, right| compare(left, right, usize::MAX));
                let wanted = sort.limit.map_or(usize::MAX, |limit| limit as usize);
                out.extend(keyed.into_iter().map(|(_, row)| row).take(wanted));
            }
            NodeKind::Limit(limit) => {
                let rest = rows.into_iter().skip(limit.offset as usize);
                out.extend(rest.take(usize::try_from(limit.limit).unwrap_or(usize::MAX)));
            }
            NodeKind::Collect(collect) => return self.collect(collect, rows, outer),
            NodeKind::IndexCollect(node) => {
                assert!(node.scan.ordered && node.scan.source.coverage().projections);
                let mut scanned = Vec::new();
                for row in rows {
                    let found = self.look_up(&node.scan, &row)?;
                    self.scan(&node.scan.source, found, &row, &mut scanned)?;
                }
                return self.collect(&node.collect, scanned, outer);
            }
            NodeKind::Materialize(node) => {
                for row in rows {
                    let key = read(&row, node.key)?;
                    let found = data::collection(&node.collection.name).iter();
                    let found: Vec<&Value> = found.filter(|document| document.get("_key") == key).collect();
                    let [document] = found.as_slice() else { panic!("{} documents for a key", found.len()) };
                    let mut next = row;
                    if node.projections.is_empty() {
                        next = with(&next, node.out, (*document).clone());
                    }
                    for projection in &node.projections {
                        next = with(&next, projection.out, at(document, &projection.path));
                    }
                    out.push(next);
                }
            }
            NodeKind::Return(_) => {}
            kind => {
                for row in rows {
                    out.push(self.modify(kind, row)?);
                }
            }
        }
        Ok(out)
    }

    /// Applies the filter and the projections of a scan.
    fn scan(
        &mut self,
        source: &DocumentSource,
        found: Vec<(Value, Option<&IndexInfo>)>,
        row: &Row,
        out: &mut Vec<Row>,
    ) -> Result<()> {
        let mut count: u64 = 0;
        for (document, index) in found {
            if source.limit.is_some_and(|limit| count >= limit) {
                break;
            }
            let mut candidate = row.clone();
            if source.filter_projections.is_empty() {
                candidate = with(&candidate, source.out, document.clone());
            }
            for projection in &source.filter_projections {
                candidate = with(&candidate, projection.out, project(projection, &document, index));
            }
            if !self.passes(source.filter.as_ref(), &candidate)? {
                continue;
            }
            count += 1;
            if source.count_into.is_some() {
                continue;
            }
            let mut next = row.clone();
            if source.produces_result && source.projections.is_empty() {
                next = with(&next, source.out, document.clone());
            }
            for projection in &source.projections {
                next = with(&next, projection.out, project(projection, &document, index));
            }
            out.push(next);
        }
        if let Some(variable) = source.count_into {
            out.push(with(row, variable, Value::from_u64(count)));
        }
        Ok(())
    }

    /// Returns the documents of an index scan, once per entry unless the scan deduplicates them.
    fn look_up<'a>(&mut self, scan: &'a IndexScan, row: &Row) -> Result<Vec<(Value, Option<&'a IndexInfo>)>> {
        let mut found = Vec::new();
        let single = (scan.indexes.len() == 1).then(|| &scan.indexes[0]);
        for document in data::collection(&scan.source.collection.name) {
            let mut hits = 0;
            for range in &scan.ranges {
                hits += self.hits(&scan.indexes[range.index], range, document, row)?;
            }
            let times = if scan.deduplicate { hits.min(1) } else { hits };
            found.extend(std::iter::repeat_n((document.clone(), single), times));
        }
        if scan.ordered {
            let fields = &scan.indexes[0].fields;
            found.sort_by(|(left, _), (right, _)| {
                let orders =
                    fields.iter().map(|field| at(left, &field.path).compare(&at(right, &field.path)));
                let order = orders.fold(Ordering::Equal, Ordering::then);
                if scan.ascending { order } else { order.reverse() }
            });
        }
        Ok(found)
    }

    /// Returns the number of the document's entries of the index within the range.
    fn hits(&mut self, index: &IndexInfo, range: &IndexRange, document: &Value, row: &Row) -> Result<usize> {
        let is_missing = index.fields.iter().any(|field| match field.expansion {
            None => index.sparse && at(document, &field.path).is_null(),
            Some(_) => members(document, field).is_empty(),
        });
        if is_missing {
            return Ok(0);
        }
        let mut hits = 1;
        let mut fields = index.fields.iter().skip(range.first_field);
        for (lookup, field) in range.lookups.iter().zip(&mut fields) {
            let wanted = self.evaluate(lookup.expression(), row)?;
            let values = match field.expansion {
                None => vec![at(document, &field.path)],
                Some(_) => members(document, field),
            };
            hits *= match lookup {
                IndexLookup::Equal(_) => values.iter().filter(|value| **value == wanted).count(),
                IndexLookup::In(_) if !wanted.is_array() => 0,
                IndexLookup::In(_) => {
                    values.iter().filter(|value| wanted.elements().any(|member| member == **value)).count()
                }
            };
        }
        let of_field = FieldBounds { lower: range.lower.clone(), upper: range.upper.clone() };
        let bounds = match &range.search {
            Some(IndexSearch::Box(bounds)) => bounds.as_slice(),
            _ => std::slice::from_ref(&of_field),
        };
        for (bounds, field) in bounds.iter().zip(fields) {
            let value = at(document, &field.path);
            for (bound, outside) in [(&bounds.lower, Ordering::Less), (&bounds.upper, Ordering::Greater)] {
                let Some(bound) = bound else { continue };
                let order = value.compare(&self.evaluate(&bound.value, row)?);
                if order == outside || (order == Ordering::Equal && !bound.inclusive) {
                    return Ok(0);
                }
            }
        }
        Ok(hits)
    }

    fn collect(&mut self, collect: &Collect, rows: Vec<Row>, outer: &Row) -> Result<Vec<Row>> {
        let mut groups: Vec<(Vec<Value>, Vec<Row>)> = Vec::new();
        for row in rows {
            let keys =
                collect.groups.iter().map(|group| read(&row, group.input)).collect::<Result<Vec<_>>>()?;
            match groups.iter_mut().find(|(own, _)| *own == keys) {
                Some((_, members)) => members.push(row),
                None => groups.push((keys, vec![row])),
            }
        }
        if collect.groups.is_empty() && groups.is_empty() {
            groups.push((Vec::new(), Vec::new()));
        }
        if collect.method == CollectMethod::Hash {
            // Any order is right. This one differs from the order of the input.
            groups.reverse();
        }
        let mut out = Vec::new();
        for (keys, members) in groups {
            let mut row = outer.clone();
            for (group, key) in collect.groups.iter().zip(keys) {
                row = with(&row, group.out, key);
            }
            for kept in &collect.kept {
                let value = members.first().map_or(Ok(Value::Null), |member| read(member, *kept))?;
                row = with(&row, *kept, value);
            }
            for aggregate in &collect.aggregates {
                let values = match aggregate.input {
                    Some(input) => {
                        members.iter().map(|member| read(member, input)).collect::<Result<Vec<_>>>()?
                    }
                    None => vec![Value::Null; members.len()],
                };
                row = with(&row, aggregate.out, aggregated(aggregate.function, values));
            }
            if let Some(into) = &collect.into {
                let gathered = members.iter().map(|member| match &into.content {
                    IntoContent::Variable(id) => read(member, *id),
                    IntoContent::Object(list) => {
                        let list = list.iter().map(|(name, id)| Ok((&**name, read(member, *id)?)));
                        Ok(Value::object(&list.collect::<Result<Vec<_>>>()?))
                    }
                });
                let gathered = gathered.collect::<Result<Vec<_>>>()?;
                row = with(&row, into.out, Value::array(&gathered));
            }
            out.push(row);
        }
        Ok(out)
    }

    /// Records a modification, and returns its input as OLD and NEW.
    fn modify(&mut self, kind: &NodeKind, row: Row) -> Result<Row> {
        let (name, collection, inputs, old, new) = match kind {
            NodeKind::Insert(node) => {
                ("insert", &node.collection, vec![node.input], node.out_old, node.out_new)
            }
            NodeKind::Update(node) => (
                "update",
                &node.collection,
                Some(node.input).into_iter().chain(node.key).collect(),
                node.out_old,
                node.out_new,
            ),
            NodeKind::Remove(node) => ("remove", &node.collection, vec![node.input], node.out_old, None),
            NodeKind::Upsert(node) => {
                ("upsert", &node.collection, vec![node.insert, node.update, node.found], None, node.out_new)
            }
            _ => return Err(Error::internal("node that the interpreter does not know")),
        };
        let naming = match kind {
            NodeKind::Update(_) => 1,
            NodeKind::Remove(_) => 0,
            _ => usize::MAX,
        };
        let inputs = inputs.into_iter().enumerate().map(|(position, input)| {
            let value = read(&row, input)?;
            Ok(if position == naming { key_of(value) } else { value })
        });
        let texts = inputs
            .map(|value: Result<Value>| value.map(|value| value.to_json()))
            .collect::<Result<Vec<String>>>()?;
        self.effects.push(format!("{name} {} {}", collection.name, texts.join(" ")));
        let mut next = row;
        for out in old.into_iter().chain(new) {
            next = with(&next, out, Value::from_str(&texts[0]));
        }
        Ok(next)
    }

    fn passes(&mut self, filter: Option<&Expression>, row: &Row) -> Result<bool> {
        filter.map_or(Ok(true), |filter| Ok(self.evaluate(filter, row)?.to_bool()))
    }

    fn evaluate(&mut self, expression: &Expression, row: &Row) -> Result<Value> {
        for id in ids(row) {
            // Reading a variable that is not set is an error of the plan, not null.
            if row[id.0].is_none() && expression.reads(id.1) && !introduces(expression, id.1) {
                panic!("variable {} is read before it is set", id.1);
            }
        }
        let mut batch = Batch::single_row();
        for (register, value) in row.iter().enumerate() {
            if let Some(value) = value {
                batch.set_column(register, Column::Constant(value.clone()));
            }
        }
        let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
        let mut context = EvaluationContext {
            warnings: &mut self.warnings,
            state: &mut self.state,
            memory: &memory,
            interrupt: &interrupt,
            environment: &TestEnvironment,
        };
        compile(expression, &self.registers)?.evaluate_row(&batch, 0, &mut context)
    }
}

thread_local! {
    /// Variable identifiers by number, because only a plan can make them.
    static IDS: std::cell::RefCell<Vec<VariableId>> = const { std::cell::RefCell::new(Vec::new()) };
}

fn ids(row: &Row) -> Vec<(usize, VariableId)> {
    IDS.with_borrow_mut(|ids| {
        if ids.len() < row.len() {
            let mut variables = aql_plan::Variables::default();
            *ids = row.iter().map(|_| variables.add_temporary()).collect();
        }
        ids.iter().copied().take(row.len()).enumerate().collect()
    })
}

fn introduces(expression: &Expression, id: VariableId) -> bool {
    expression.any(&|part| match part {
        Expression::Expansion(expansion) => expansion.element == id,
        Expression::ArrayQuestion(question) => question.element == id,
        _ => false,
    })
}

fn read(row: &Row, id: VariableId) -> Result<Value> {
    let value = row.get(id.index()).cloned().flatten();
    value.ok_or_else(|| Error::internal(format!("variable {id} is read before it is set")))
}

fn with(row: &Row, id: VariableId, value: Value) -> Row {
    let mut next = row.clone();
    next[id.index()] = Some(value);
    next
}

fn at(document: &Value, path: &[Box<str>]) -> Value {
    document.get_path(path)
}

/// Returns the distinct members of the array that a field with `[*]` names.
fn members(document: &Value, field: &IndexField) -> Vec<Value> {
    let split = field.expansion.map_or(0, |position| position + 1);
    let array = at(document, &field.path[..split]);
    let mut distinct: Vec<Value> = Vec::new();
    if array.is_array() {
        for member in array.elements() {
            let member = at(&member, &field.path[split..]);
            if !distinct.contains(&member) {
                distinct.push(member);
            }
        }
    }
    distinct
}

fn project(projection: &Projection, document: &Value, index: Option<&IndexInfo>) -> Value {
    let rest = |path: &[Box<str>], consumed: usize| at(&at(document, path), &projection.path[consumed..]);
    match (projection.source, index) {
        (ProjectionSource::Document, _) => at(document, &projection.path),
        (ProjectionSource::Key, _) => document.get("_key"),
        (ProjectionSource::Id, _) => document.get("_id"),
        (ProjectionSource::IndexField { position, consumed }, Some(index)) => {
            rest(&index.fields[position].path, consumed)
        }
        (ProjectionSource::StoredValue { position, consumed }, Some(index)) => {
            rest(&index.stored_values[position], consumed)
        }
        (source, None) => panic!("{source:?} without an index"),
    }
}

/// Returns the key that names a document, whether the value is the key or the whole document.
fn key_of(value: Value) -> Value {
    if value.is_object() { value.get("_key") } else { value }
}

fn aggregated(function: AggregateFunction, mut values: Vec<Value>) -> Value {
    match function {
        AggregateFunction::Length => Value::from_u64(values.len() as u64),
        AggregateFunction::Push => Value::array(&values),
        AggregateFunction::Sum => Value::from_f64(values.iter().map(Value::to_f64).sum()),
        AggregateFunction::Min | AggregateFunction::Max => {
            values.retain(|value| !value.is_null());
            values.sort_by(Value::compare);
            let best = if function == AggregateFunction::Min { values.first() } else { values.last() };
            best.cloned().unwrap_or_default()
        }
        // The queries use no other functions.
        function => panic!("{function:?}"),
    }
}

struct TestEnvironment;

impl Environment for TestEnvironment {
    fn database(&self) -> Result<&str> {
        Ok("test")
    }
    fn user(&self) -> Result<Option<&str>> {
        Ok(None)
    }
    fn server_version(&self) -> Result<&str> {
        Ok("3.12.0")
    }
    fn document(&self, _collection: Option<&str>, _id_or_key: &str) -> Result<Value> {
        Ok(Value::Null)
    }
    fn collection_count(&self, name: &str) -> Result<u64> {
        Ok(data::collection(name).len() as u64)
    }
    fn collections(&self) -> Result<Value> {
        Ok(Value::empty_array())
    }
    fn schema(&self, _collection: &str) -> Result<Value> {
        Ok(Value::Null)
    }
    fn validate_schema(&self, _document: &Value, _schema: &Value) -> Result<Option<String>> {
        Ok(None)
    }
    fn collection_documents(&self, name: &str) -> Result<Value> {
        Ok(Value::array(data::collection(name)))
    }
    fn changes(&self, _query: ChangesQuery<'_>) -> Result<Box<dyn Rows>> {
        Err(Error::bad_parameter("there is no change log"))
    }
}
