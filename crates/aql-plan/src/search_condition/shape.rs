//! From an expression to the shape of a condition.

use errors::{Error, Result};

use super::{SearchCondition, SearchField, SearchFunction, SearchStep};
use crate::expression::{ArrayQuestion, CompareOperator, Expansion, Expression, UnaryOperator};
use crate::variable::VariableId;

impl SearchCondition<Expression> {
    /// Returns the shape of a condition on `document`.
    ///
    /// Errors: 10 for parts that read the document in a way that no inverted index can answer.
    pub fn of(condition: &Expression, document: VariableId) -> Result<Self> {
        let shaper = Shaper { document, path: Vec::new(), outer: None };
        shaper.condition(condition)
    }
}

/// Returns the error for a part of a condition that no index can answer.
pub(super) fn unsupported(reason: &str) -> Error {
    Error::bad_parameter(format!("unsupported SEARCH condition: {reason}")).in_stage("optimizing plan")
}

/// The level of a condition: the document, or the nested documents of an array.
pub(super) struct Shaper<'a> {
    /// The variable of the document, or of the nested one.
    document: VariableId,
    /// The steps from the document to the nested ones.
    path: Vec<SearchStep<Expression>>,
    /// The level around this one.
    outer: Option<&'a Shaper<'a>>,
}

impl Shaper<'_> {
    /// Returns true if the expression reads the document or a nested one.
    fn depends(&self, expression: &Expression) -> bool {
        expression.any(&|part| part.as_variable().is_some_and(|id| self.is_document(id)))
    }

    fn is_document(&self, id: VariableId) -> bool {
        self.document == id || self.outer.is_some_and(|outer| outer.is_document(id))
    }

    /// Returns an expression that does not read the document.
    pub(super) fn value(&self, expression: &Expression) -> Result<Expression> {
        if self.depends(expression) {
            return Err(unsupported("an attribute of the document is used where a value is needed"));
        }
        Ok(expression.clone())
    }

    fn condition(&self, expression: &Expression) -> Result<SearchCondition<Expression>> {
        if !self.depends(expression) {
            return Ok(SearchCondition::Value(expression.clone()));
        }
        let all = |operands: &[Expression]| {
            operands.iter().map(|operand| self.condition(operand)).collect::<Result<Vec<_>>>()
        };
        match expression {
            Expression::And(operands) => Ok(SearchCondition::And(all(operands)?)),
            Expression::Or(operands) => Ok(SearchCondition::Or(all(operands)?)),
            Expression::Unary { operator: UnaryOperator::Not, operand } => {
                Ok(SearchCondition::Not(Box::new(self.condition(operand)?)))
            }
            Expression::Compare { operator, left, right } => self.compare(*operator, left, right),
            Expression::In { negated, value, list } => {
                let found = self.membership(value, list)?;
                Ok(if *negated { SearchCondition::Not(Box::new(found)) } else { found })
            }
            Expression::ArrayCompare(compare) => self.array_compare(compare),
            Expression::ArrayQuestion(question) => self.nested(question),
            Expression::Call { function, arguments } => self.call(function.name, arguments),
            _ => Err(unsupported(
                "it must consist of comparisons between attributes and values, and of search functions",
            )),
        }
    }

    fn compare(
        &self,
        operator: CompareOperator,
        left: &Expression,
        right: &Expression,
    ) -> Result<SearchCondition<Expression>> {
        let (found, operator, value) = match (self.depends(left), self.depends(right)) {
            (true, false) => (left, operator, right),
            (false, true) => (right, operator.mirrored(), left),
            _ => return Err(unsupported("a comparison needs one attribute and one value")),
        };
        if let Some(test) = self.geo_distance(found, operator, value)? {
            return Ok(SearchCondition::Geo(Box::new(test)));
        }
        let field = self.required_field(found)?;
        Ok(SearchCondition::Compare { field, operator, value: value.clone() })
    }

    fn membership(&self, value: &Expression, list: &Expression) -> Result<SearchCondition<Expression>> {
        if let Some(field) = self.field(list)? {
            // An array is searched like a value for each of its elements.
            let (field, value) = (field.of_elements(), self.value(value)?);
            return Ok(SearchCondition::Compare { field, operator: CompareOperator::Equal, value });
        }
        let field = self.required_field(value)?;
        match list {
            Expression::Range { first, last } => {
                Ok(SearchCondition::Within { field, first: self.value(first)?, last: self.value(last)? })
            }
            list => Ok(SearchCondition::In { field, list: self.value(list)? }),
        }
    }

    fn nested(&self, question: &ArrayQuestion) -> Result<SearchCondition<Expression>> {
        let (Some(filter), 1) = (&question.filter, question.levels) else {
            return Err(unsupported("[?] needs a FILTER and one level"));
        };
        let field = self.required_field(&question.input)?;
        let mut path = field.steps.clone();
        path.push(SearchStep::Nested);
        let level = Shaper { document: question.element, path, outer: Some(self) };
        let condition = Box::new(level.condition(filter)?);
        Ok(SearchCondition::Nested { field, quantifier: self.quantifier(&question.quantifier)?, condition })
    }

    fn call(&self, name: &str, arguments: &[Expression]) -> Result<SearchCondition<Expression>> {
        let boxed = |condition| self.condition(condition).map(Box::new);
        match (name, arguments) {
            ("ANALYZER", [condition, name]) => {
                return Ok(SearchCondition::Analyzer {
                    condition: boxed(condition)?,
                    name: self.value(name)?,
                });
            }
            ("BOOST", [condition, factor]) => {
                let factor = self.value(factor)?;
                return Ok(SearchCondition::Boost { condition: boxed(condition)?, factor });
            }
            ("MIN_MATCH", [conditions @ .., count]) => {
                let conditions = conditions.iter().map(|condition| self.condition(condition));
                let conditions = conditions.collect::<Result<_>>()?;
                return Ok(SearchCondition::MinMatch { conditions, count: self.value(count)? });
            }
            _ => {}
        }
        if let Some(test) = self.geo_call(name, arguments)? {
            return Ok(SearchCondition::Geo(Box::new(test)));
        }
        let (Some(function), [field, arguments @ ..]) = (SearchFunction::named(name), arguments) else {
            return Err(unsupported(&format!("{name}() cannot search an attribute of the document")));
        };
        let field = self.required_field(field)?;
        let arguments = arguments.iter().map(|argument| self.value(argument)).collect::<Result<_>>()?;
        Ok(SearchCondition::Call { function, field, arguments })
    }

    fn required_field(&self, expression: &Expression) -> Result<SearchField<Expression>> {
        let field = self.field(expression)?;
        field.ok_or_else(|| unsupported("a path to an attribute of the document is expected"))
    }

    /// Returns the field that an expression names; `None` if it does not read the document.
    ///
    /// Errors: 10 for other expressions that read the document.
    pub(super) fn field(&self, expression: &Expression) -> Result<Option<SearchField<Expression>>> {
        if !self.depends(expression) {
            return Ok(None);
        }
        let mut steps = self.path.clone();
        let first = steps.len();
        self.push_steps(expression, &mut steps)?;
        if steps.len() == first {
            return Err(unsupported("the document itself is compared, not an attribute"));
        }
        Ok(Some(SearchField { steps }))
    }

    fn push_steps(&self, expression: &Expression, steps: &mut Vec<SearchStep<Expression>>) -> Result<()> {
        match expression {
            Expression::Variable(id) if *id == self.document => Ok(()),
            Expression::Attribute { base, name } => {
                self.push_steps(base, steps)?;
                steps.push(SearchStep::Attribute(name.clone()));
                Ok(())
            }
            Expression::Index { base, index } => {
                self.push_steps(base, steps)?;
                steps.push(SearchStep::Computed(self.value(index)?));
                Ok(())
            }
            Expression::Expansion(expansion) => self.push_expansion(expansion, steps),
            _ => Err(unsupported("a path to an attribute of the document is expected")),
        }
    }

    /// Adds the steps of `input[*].names`.
    fn push_expansion(&self, expansion: &Expansion, steps: &mut Vec<SearchStep<Expression>>) -> Result<()> {
        let is_plain = expansion.levels == 1
            && expansion.filter.is_none()
            && expansion.offset.is_none()
            && expansion.limit.is_none();
        if !is_plain {
            return Err(unsupported("[*] with FILTER, LIMIT or several levels"));
        }
        self.push_steps(&expansion.input, steps)?;
        steps.push(SearchStep::Expansion);
        let Some(projection) = &expansion.projection else { return Ok(()) };
        match projection.as_attribute_path() {
            Some((element, names)) if element == expansion.element => {
                steps.extend(names.into_iter().map(|name| SearchStep::Attribute(name.into())));
                Ok(())
            }
            _ => Err(unsupported("[*] with RETURN")),
        }
    }
}
