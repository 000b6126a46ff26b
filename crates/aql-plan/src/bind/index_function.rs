//! Functions that are queries over a collection with an index: `NEAR()`, `WITHIN()`,
//! `WITHIN_RECTANGLE()`, `FULLTEXT()`.
//!
//! Each is bound as the subquery that its documentation gives as its equivalent. The optimizer then
//! finds the index. Without the index, the subquery still gives the same answer.

use aql_syntax::ast::{
    self, Binary, BinaryOperator, Block, ComparisonOperator, ExpressionKind, FunctionCall, FunctionName,
    Identifier, Limit, ObjectKey, ObjectMember, Pattern, PatternKind, Return, Sort, SortDirection, SortItem,
    Span, StatementKind,
};
use aql_value::Value;
use catalog::index::SearchShape;
use errors::{Error, ErrorCode, Result};

use super::Binder;
use crate::catalog::{CollectionInfo, IndexInfo};
use crate::error;
use crate::expression::Expression;

/// Maximum number of documents that `NEAR()` returns by default.
const NEAR_DEFAULT_LIMIT: i64 = 100;

/// Names, least and greatest numbers of arguments.
const FUNCTIONS: &[(&str, usize, usize)] =
    &[("FULLTEXT", 3, 4), ("NEAR", 3, 5), ("WITHIN", 4, 5), ("WITHIN_RECTANGLE", 5, 5)];

/// The types that an argument may have.
type Type = fn(&Value) -> bool;

const NUMBER: Type = Value::is_number;
const NUMBER_OR_NULL: Type = |value| value.is_number() || value.is_null();
const TEXT_OR_NULL: Type = |value| value.is_string() || value.is_null();

/// The variable of the loop. No query can name it without quotes, because of the space.
const DOCUMENT: &str = " document";

impl Binder<'_> {
    /// Returns the value of such a function; `None` for any other function.
    pub(super) fn index_function(&mut self, call: &ast::FunctionCall) -> Result<Option<Expression>> {
        let Some(name) = check_call(call)? else { return Ok(None) };
        let Some((collection, arguments)) = call.arguments.split_first() else { return Ok(None) };
        let collection_name = self.collection_name(collection)?.ok_or_else(|| invalid_argument(name))?;
        let info = self.sources.read(&collection_name)?;
        let writer = Writer { span: call.name.span };
        let source = match &collection.kind {
            ExpressionKind::String(_) | ExpressionKind::BindParameter(_) => {
                writer.expression(ExpressionKind::Reference(collection_name))
            }
            _ => collection.clone(),
        };
        let mut statements = match name {
            "FULLTEXT" => writer.fulltext(&info, self.text(arguments.first())?, arguments)?,
            "NEAR" => {
                self.check_types(name, arguments, &[NUMBER, NUMBER, NUMBER_OR_NULL, TEXT_OR_NULL])?;
                writer.near(&info, &self.without_nulls(arguments)?)?
            }
            "WITHIN" => {
                self.check_types(name, arguments, &[NUMBER, NUMBER, NUMBER, TEXT_OR_NULL])?;
                writer.within(&info, &self.without_nulls(arguments)?)?
            }
            _ => writer.within_rectangle(&info, arguments)?,
        };
        statements.insert(0, writer.loop_over(source));
        let statements = statements.into_iter().map(|kind| ast::Statement { kind, span: writer.span });
        let block = Block::new(statements.collect(), writer.span);
        self.expression(&writer.expression(ExpressionKind::Subquery(Box::new(block)))).map(Some)
    }

    /// Checks the types of the arguments that are known before the query runs.
    ///
    /// Errors: 1542.
    fn check_types(&self, name: &str, arguments: &[ast::Expression], types: &[Type]) -> Result<()> {
        for (argument, is_of_type) in arguments.iter().zip(types) {
            if self.known_value(argument)?.is_some_and(|value| !is_of_type(&value)) {
                return Err(invalid_argument(name));
            }
        }
        Ok(())
    }

    /// Returns the arguments without trailing nulls, which count as missing. The default limit
    /// replaces a null before another argument.
    fn without_nulls(&self, arguments: &[ast::Expression]) -> Result<Vec<ast::Expression>> {
        let mut arguments = arguments.to_vec();
        for argument in &mut arguments {
            if self.known_value(argument)?.is_some_and(|value| value.is_null()) {
                argument.kind = ExpressionKind::Null;
            }
        }
        while arguments.last().is_some_and(|last| matches!(last.kind, ExpressionKind::Null)) {
            arguments.pop();
        }
        for argument in &mut arguments {
            if matches!(argument.kind, ExpressionKind::Null) {
                argument.kind = ExpressionKind::Int(NEAR_DEFAULT_LIMIT);
            }
        }
        Ok(arguments)
    }

    /// Returns the value of a literal or a bind parameter; `None` for any other expression.
    ///
    /// For an array or an object the result is an empty array, which no argument takes.
    fn known_value(&self, argument: &ast::Expression) -> Result<Option<Value>> {
        Ok(Some(match &argument.kind {
            ExpressionKind::Null => Value::Null,
            ExpressionKind::Bool(value) => Value::Bool(*value),
            ExpressionKind::Int(value) => Value::Int(*value),
            ExpressionKind::Double(value) => Value::from_f64(*value),
            ExpressionKind::String(text) => Value::from_str(text),
            ExpressionKind::Array(_) | ExpressionKind::Object(_) => Value::empty_array(),
            ExpressionKind::BindParameter(name) => self.parameters.value(name)?.clone(),
            _ => return Ok(None),
        }))
    }

    /// Returns the text of a literal argument or of the value of its bind parameter.
    fn text<'a>(&'a self, argument: Option<&'a ast::Expression>) -> Result<Option<&'a str>> {
        Ok(match argument.map(|argument| &argument.kind) {
            Some(ExpressionKind::String(text)) => Some(text),
            Some(ExpressionKind::BindParameter(name)) => self.parameters.value(name)?.as_str(),
            _ => None,
        })
    }

    /// Returns the collection that the argument names: as a name, a text, or a parameter for
    /// either.
    fn collection_name(&self, argument: &ast::Expression) -> Result<Option<String>> {
        Ok(match &argument.kind {
            ExpressionKind::DataSourceBindParameter(name) => {
                Some(self.parameters.data_source(name)?.to_owned())
            }
            ExpressionKind::Reference(name) if !self.is_variable(name) => Some(name.clone()),
            _ => self.text(Some(argument))?.map(str::to_owned),
        })
    }
}

/// Returns the name of such a function; `None` for any other function.
///
/// Errors: 1541 for a wrong number of arguments.
pub(super) fn check_call(call: &ast::FunctionCall) -> Result<Option<&'static str>> {
    let known = FUNCTIONS.iter().find(|(name, ..)| *name == call.name.normalized());
    let Some(&(name, fewest, most)) = known else { return Ok(None) };
    match (fewest..=most).contains(&call.arguments.len()) {
        true => Ok(Some(name)),
        false => Err(error::argument_count(name, fewest, most)),
    }
}

/// Writes the parts of a subquery, all with the position of the call.
struct Writer {
    span: Span,
}

impl Writer {
    /// Writes `SORT distance LIMIT limit`.
    fn near(&self, info: &CollectionInfo, arguments: &[ast::Expression]) -> Result<Vec<StatementKind>> {
        let [latitude, longitude, rest @ ..] = arguments else { return Err(missing_argument()) };
        let distance = self.distance(geo_index(info)?, latitude, longitude);
        let count = match rest.first() {
            Some(count) => count.clone(),
            None => self.expression(ExpressionKind::Int(NEAR_DEFAULT_LIMIT)),
        };
        Ok(vec![
            self.has_distance(&distance),
            self.sort(&distance),
            StatementKind::Limit(Limit { offset: None, count }),
            self.document_with(rest.get(1), &distance),
        ])
    }

    /// Writes `FILTER distance <= radius SORT distance`.
    fn within(&self, info: &CollectionInfo, arguments: &[ast::Expression]) -> Result<Vec<StatementKind>> {
        let [latitude, longitude, radius, rest @ ..] = arguments else { return Err(missing_argument()) };
        let distance = self.distance(geo_index(info)?, latitude, longitude);
        let is_near = self.compare(&distance, ComparisonOperator::LessOrEqual, radius);
        Ok(vec![
            self.has_distance(&distance),
            StatementKind::Filter(is_near),
            self.sort(&distance),
            self.document_with(rest.first(), &distance),
        ])
    }

    /// Writes `FILTER GEO_CONTAINS(rectangle, place)`.
    fn within_rectangle(
        &self,
        info: &CollectionInfo,
        arguments: &[ast::Expression],
    ) -> Result<Vec<StatementKind>> {
        let [bottom, left, top, right] = arguments else { return Err(missing_argument()) };
        let corner = |x: &ast::Expression, y: &ast::Expression| self.array(vec![x.clone(), y.clone()]);
        let corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)];
        let ring = self.array(corners.into_iter().map(|(x, y)| corner(x, y)).collect());
        let rectangle = self.call("GEO_POLYGON", vec![self.array(vec![ring])]);
        let contains = self.call("GEO_CONTAINS", vec![rectangle, self.place(geo_index(info)?)]);
        Ok(vec![StatementKind::Filter(contains), self.document_with(None, &self.document())])
    }

    /// Writes `FILTER FULLTEXT_MATCH(document.attribute, query, minLength) LIMIT limit`.
    fn fulltext(
        &self,
        info: &CollectionInfo,
        attribute: Option<&str>,
        arguments: &[ast::Expression],
    ) -> Result<Vec<StatementKind>> {
        let [_, query, rest @ ..] = arguments else { return Err(missing_argument()) };
        let Some(path) = attribute else {
            return Err(invalid_argument("FULLTEXT"));
        };
        let (index, min_length) = fulltext_index(info, path)?;
        let field = index.fields.first().map_or_else(|| self.document(), |field| self.field(&field.path));
        let min_length = ExpressionKind::Int(i64::try_from(min_length).unwrap_or(i64::MAX));
        let arguments = vec![field, query.clone(), self.expression(min_length)];
        let mut statements = vec![StatementKind::Filter(self.call("FULLTEXT_MATCH", arguments))];
        // 0 means no limit.
        let is_limit =
            |count: &&ast::Expression| !matches!(count.kind, ExpressionKind::Int(0) | ExpressionKind::Null);
        if let Some(count) = rest.first().filter(is_limit) {
            statements.push(StatementKind::Limit(Limit { offset: None, count: count.clone() }));
        }
        statements.push(self.document_with(None, &self.document()));
        Ok(statements)
    }

    fn expression(&self, kind: ExpressionKind) -> ast::Expression {
        ast::Expression::new(kind, self.span)
    }

    fn document(&self) -> ast::Expression {
        self.expression(ExpressionKind::Reference(DOCUMENT.to_owned()))
    }

    fn loop_over(&self, source: ast::Expression) -> StatementKind {
        let variable = Identifier { name: DOCUMENT.to_owned(), span: self.span };
        let target = Pattern { kind: PatternKind::Variable(variable), span: self.span };
        StatementKind::For(ast::For { target, source, search: None, options: None })
    }

    fn field(&self, path: &[Box<str>]) -> ast::Expression {
        path.iter().fold(self.document(), |base, name| {
            self.expression(ExpressionKind::AttributeAccess(Box::new(base), name.to_string()))
        })
    }

    fn element(&self, base: &ast::Expression, position: i64) -> ast::Expression {
        let position = self.expression(ExpressionKind::Int(position));
        self.expression(ExpressionKind::IndexedAccess(Box::new(base.clone()), Box::new(position)))
    }

    fn array(&self, members: Vec<ast::Expression>) -> ast::Expression {
        self.expression(ExpressionKind::Array(members))
    }

    fn call(&self, name: &str, arguments: Vec<ast::Expression>) -> ast::Expression {
        let name = FunctionName::new(name, self.span);
        self.expression(ExpressionKind::FunctionCall(Box::new(FunctionCall { name, arguments })))
    }

    fn compare(
        &self,
        left: &ast::Expression,
        operator: ComparisonOperator,
        right: &ast::Expression,
    ) -> ast::Expression {
        let operator = BinaryOperator::Comparison(operator);
        let binary = Binary { operator, left: left.clone(), right: right.clone() };
        self.expression(ExpressionKind::Binary(Box::new(binary)))
    }

    /// Returns the place of the document, as the index has it.
    fn place(&self, index: &IndexInfo) -> ast::Expression {
        match (index.capabilities.search, index.fields.as_slice()) {
            (_, [latitude, longitude]) => {
                self.array(vec![self.field(&longitude.path), self.field(&latitude.path)])
            }
            (SearchShape::Geo { geo_json: false }, [field]) => {
                let field = self.field(&field.path);
                self.array(vec![self.element(&field, 1), self.element(&field, 0)])
            }
            (_, fields) => fields.first().map_or_else(|| self.document(), |field| self.field(&field.path)),
        }
    }

    /// Returns the distance of the document from a place.
    fn distance(
        &self,
        index: &IndexInfo,
        latitude: &ast::Expression,
        longitude: &ast::Expression,
    ) -> ast::Expression {
        let origin = self.array(vec![longitude.clone(), latitude.clone()]);
        self.call("GEO_DISTANCE", vec![origin, self.place(index)])
    }

    /// Writes a filter that drops documents without a place.
    fn has_distance(&self, distance: &ast::Expression) -> StatementKind {
        let zero = self.expression(ExpressionKind::Int(0));
        StatementKind::Filter(self.compare(distance, ComparisonOperator::GreaterOrEqual, &zero))
    }

    fn sort(&self, distance: &ast::Expression) -> StatementKind {
        let item = SortItem { expression: distance.clone(), direction: SortDirection::Ascending };
        StatementKind::Sort(Sort { items: vec![item] })
    }

    /// Writes `RETURN MERGE(document, {[name]: distance})`, or returns the document alone.
    fn document_with(&self, name: Option<&ast::Expression>, distance: &ast::Expression) -> StatementKind {
        let value = match name {
            None => self.document(),
            Some(name) => {
                let key = ObjectKey::Computed(name.clone());
                let member = ObjectMember { key, value: distance.clone(), span: self.span };
                let added = self.expression(ExpressionKind::Object(vec![member]));
                self.call("MERGE", vec![self.document(), added])
            }
        };
        StatementKind::Return(Return { distinct: false, value })
    }
}

fn invalid_argument(name: &str) -> Error {
    let message = format!("invalid argument type in call to function '{name}()'");
    Error::new(ErrorCode::QueryFunctionArgumentTypeMismatch, message)
}

fn missing_argument() -> Error {
    Error::internal("a function's arguments were not counted")
}

fn geo_index(info: &CollectionInfo) -> Result<&IndexInfo> {
    let found =
        info.indexes.iter().find(|index| matches!(index.capabilities.search, SearchShape::Geo { .. }));
    found.ok_or_else(|| {
        let name = &info.reference.name;
        let message = format!("no suitable geo index found for geo restriction on '{name}'");
        Error::new(ErrorCode::QueryGeoIndexMissing, message)
    })
}

/// Returns the index of an attribute, and the length of its shortest word.
fn fulltext_index<'a>(info: &'a CollectionInfo, path: &str) -> Result<(&'a IndexInfo, u64)> {
    let found = info.indexes.iter().find_map(|index| match index.capabilities.search {
        SearchShape::Words { min_length } => {
            let is_on_path = index.fields.iter().any(|field| field.to_text() == path);
            is_on_path.then_some((index, min_length))
        }
        _ => None,
    });
    found.ok_or_else(|| {
        let name = &info.reference.name;
        let message = format!("no suitable fulltext index found for fulltext query on '{name}'");
        Error::new(ErrorCode::QueryFulltextIndexMissing, message)
    })
}
