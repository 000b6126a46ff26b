//! Random trees, without spans.

use aql_syntax::ast::*;
use aql_syntax::walk;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

type Expressions = BoxedStrategy<Expression>;

fn node(kind: ExpressionKind) -> Expression {
    Expression::new(kind, Span::default())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(&["a", "b", "x1", "_y", "$z", "CURRENT", "count", "Keep"][..]).prop_map(str::to_owned),
        2 => prop::sample::select(&[
            "filter", "IN", "not", "at", "AT", "least", "options", "OPTIONS", "prune", "search", "to", "with", "like",
            "true", "my-c", "x y", "", "`", "´", "\\", "'", "\"", "a\nb", "1a", "_", "$", "ä", "@x", "a.b",
        ][..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn bind_name() -> impl Strategy<Value = String> {
    prop::sample::select(&["x", "1", "0a", "_to", "filter", "A_9"][..]).prop_map(str::to_owned)
}

fn function_name() -> impl Strategy<Value = FunctionName> {
    prop_oneof![
        prop::sample::select(
            &["LENGTH", "concat", "like", "LIKE", "my::f", "a::b::C", "at", "x::filter"][..]
        )
        .prop_map(str::to_owned),
        name(),
    ]
    .prop_map(|written| FunctionName::new(written, Span::default()))
}

fn identifier() -> impl Strategy<Value = Identifier> {
    name().prop_map(|name| Identifier { name, span: Span::default() })
}

fn data_source() -> impl Strategy<Value = DataSource> {
    prop_oneof![name().prop_map(DataSourceName::Name), bind_name().prop_map(DataSourceName::BindParameter)]
        .prop_map(|name| DataSource { name, span: Span::default() })
}

fn literal() -> Expressions {
    prop_oneof![
        Just(ExpressionKind::Null),
        any::<bool>().prop_map(ExpressionKind::Bool),
        (0..=i64::MAX).prop_map(ExpressionKind::Int),
        (0_i64..10).prop_map(ExpressionKind::Int),
        (prop::num::f64::POSITIVE
            | prop::num::f64::NORMAL
            | prop::num::f64::SUBNORMAL
            | prop::num::f64::ZERO)
            .prop_map(|value| ExpressionKind::Double(value.abs())),
        any::<String>().prop_map(ExpressionKind::String),
    ]
    .prop_map(node)
    .boxed()
}

fn leaf() -> Expressions {
    prop_oneof![
        literal(),
        name().prop_map(|name| node(ExpressionKind::Reference(name))),
        bind_name().prop_map(|name| node(ExpressionKind::BindParameter(name))),
        bind_name().prop_map(|name| node(ExpressionKind::DataSourceBindParameter(name))),
    ]
    .boxed()
}

/// Returns any expression.
pub(crate) fn expression() -> Expressions {
    leaf()
        .prop_recursive(5, 64, 6, |inner| {
            prop_oneof![
                3 => operation(inner.clone()),
                1 => vec(array_member(inner.clone()), 0..4).prop_map(|elements| node(ExpressionKind::Array(elements))),
                1 => object(inner.clone(), true),
                1 => (function_name(), vec(inner.clone(), 0..4)).prop_map(|(name, arguments)| {
                    node(ExpressionKind::FunctionCall(Box::new(FunctionCall { name, arguments })))
                }),
                3 => (inner.clone(), vec(access(inner.clone()), 1..5)).prop_map(|(base, steps)| chain(base, steps)),
                1 => block(inner).prop_map(|block| node(ExpressionKind::Subquery(Box::new(block)))),
            ]
        })
        .boxed()
}

fn array_member(inner: Expressions) -> Expressions {
    let spread = |operand| node(ExpressionKind::Spread(Box::new(operand)));
    prop_oneof![3 => inner.clone(), 1 => inner.prop_map(spread)].boxed()
}

fn object(inner: Expressions, computed: bool) -> Expressions {
    let key = if computed {
        prop_oneof![
            Just(ObjectKey::Spread),
            name().prop_map(ObjectKey::Name),
            bind_name().prop_map(ObjectKey::BindParameter),
            inner.clone().prop_map(ObjectKey::Computed),
        ]
        .boxed()
    } else {
        name().prop_map(ObjectKey::Name).boxed()
    };
    let member = (key, inner).prop_map(|(key, value)| ObjectMember { key, value, span: Span::default() });
    vec(member, 0..4).prop_map(|members| node(ExpressionKind::Object(members))).boxed()
}

fn comparison() -> impl Strategy<Value = ComparisonOperator> {
    prop::sample::select(
        &[
            ComparisonOperator::Equal,
            ComparisonOperator::NotEqual,
            ComparisonOperator::Less,
            ComparisonOperator::LessOrEqual,
            ComparisonOperator::Greater,
            ComparisonOperator::GreaterOrEqual,
            ComparisonOperator::In,
            ComparisonOperator::NotIn,
        ][..],
    )
}

fn match_operator() -> impl Strategy<Value = MatchOperator> {
    prop::sample::select(
        &[MatchOperator::Like, MatchOperator::NotLike, MatchOperator::Regex, MatchOperator::NotRegex][..],
    )
}

fn element_operator() -> impl Strategy<Value = ElementOperator> {
    prop_oneof![
        3 => comparison().prop_map(ElementOperator::Comparison),
        1 => match_operator().prop_map(ElementOperator::Match),
    ]
}

fn binary_operator() -> impl Strategy<Value = BinaryOperator> {
    prop_oneof![
        comparison().prop_map(BinaryOperator::Comparison),
        match_operator().prop_map(BinaryOperator::Match),
        prop::sample::select(
            &[
                ArithmeticOperator::Add,
                ArithmeticOperator::Subtract,
                ArithmeticOperator::Multiply,
                ArithmeticOperator::Divide,
                ArithmeticOperator::Modulo,
            ][..]
        )
        .prop_map(BinaryOperator::Arithmetic),
    ]
}

fn quantifier(inner: Expressions) -> impl Strategy<Value = Quantifier> {
    prop_oneof![
        Just(Quantifier::All),
        Just(Quantifier::Any),
        Just(Quantifier::None),
        inner.prop_map(Quantifier::AtLeast),
    ]
}

fn operation(inner: Expressions) -> Expressions {
    let unary = prop::sample::select(&[UnaryOperator::Not, UnaryOperator::Plus, UnaryOperator::Minus][..]);
    let logical = prop::sample::select(&[LogicalOperator::And, LogicalOperator::Or][..]);
    prop_oneof![
        1 => (unary, inner.clone())
            .prop_map(|(operator, operand)| ExpressionKind::Unary(Box::new(Unary { operator, operand }))),
        4 => (binary_operator(), inner.clone(), inner.clone())
            .prop_map(|(operator, left, right)| ExpressionKind::Binary(Box::new(Binary { operator, left, right }))),
        2 => (logical, vec(inner.clone(), 2..5))
            .prop_map(|(operator, operands)| ExpressionKind::Logical(Logical { operator, operands })),
        1 => (inner.clone(), inner.clone())
            .prop_map(|(low, high)| ExpressionKind::Range(Box::new(low), Box::new(high))),
        1 => (inner.clone(), option::of(inner.clone()), inner.clone()).prop_map(|(condition, then, otherwise)| {
            ExpressionKind::Ternary(Box::new(Ternary { condition, then, otherwise }))
        }),
        2 => (quantifier(inner.clone()), element_operator(), inner.clone(), inner).prop_map(
            |(quantifier, operator, left, right)| {
                let comparison = ArrayComparison { quantifier, operator, left, right };
                ExpressionKind::ArrayComparison(Box::new(comparison))
            }
        ),
    ]
    .prop_map(node)
    .boxed()
}

/// One link of a chain of accesses.
#[derive(Clone, Debug)]
enum Access {
    Attribute(String),
    Bound(String),
    Index(Expression),
    Expansion(u32, Option<Expression>, Option<InlineLimit>, Option<Expression>),
    Question(u32, Option<Expression>, Option<QuestionQuantifier>),
}

fn access(inner: Expressions) -> BoxedStrategy<Access> {
    let limit =
        (option::of(inner.clone()), inner.clone()).prop_map(|(offset, count)| InlineLimit { offset, count });
    let question = prop_oneof![
        quantifier(inner.clone()).prop_map(QuestionQuantifier::Quantifier),
        inner.clone().prop_map(QuestionQuantifier::Count),
    ];
    prop_oneof![
        3 => name().prop_map(Access::Attribute),
        1 => bind_name().prop_map(Access::Bound),
        1 => inner.clone().prop_map(Access::Index),
        2 => (1_u32..4, option::of(inner.clone()), option::of(limit), option::of(inner.clone()))
            .prop_map(|(levels, filter, limit, result)| Access::Expansion(levels, filter, limit, result)),
        1 => (1_u32..3, option::of(inner), option::of(question))
            .prop_map(|(levels, filter, quantifier)| Access::Question(levels, filter, quantifier)),
    ]
    .boxed()
}

/// Applies the accesses from left to right.
///
/// Those after an expansion become its projection, up to the next one that flattens.
fn chain(base: Expression, accesses: Vec<Access>) -> Expression {
    let mut accesses = accesses.into_iter().peekable();
    let mut current = base;
    while let Some(access) = accesses.next() {
        current = node(match access {
            Access::Attribute(name) => ExpressionKind::AttributeAccess(Box::new(current), name),
            Access::Bound(name) => ExpressionKind::BoundAttributeAccess(Box::new(current), name),
            Access::Index(index) => ExpressionKind::IndexedAccess(Box::new(current), Box::new(index)),
            Access::Question(levels, filter, quantifier) => {
                let quantifier = quantifier.filter(|_| filter.is_some());
                ExpressionKind::ArrayQuestion(Box::new(ArrayQuestion {
                    base: current,
                    levels,
                    quantifier,
                    filter,
                }))
            }
            Access::Expansion(levels, filter, limit, result) => {
                // An expansion that flattens takes the whole chain before it.
                let is_own = |access: &Access| !matches!(access, Access::Expansion(2.., ..));
                let own: Vec<Access> = std::iter::from_fn(|| accesses.next_if(is_own)).collect();
                let projection = (!own.is_empty()).then(|| chain(node(ExpressionKind::Element), own));
                let expansion = Expansion { base: current, levels, filter, limit, result, projection };
                ExpressionKind::Expansion(Box::new(expansion))
            }
        });
    }
    current
}

fn block(inner: Expressions) -> BoxedStrategy<Block> {
    (vec(statement(inner.clone()), 0..3), last(inner))
        .prop_map(|(mut statements, mut last)| {
            if let StatementKind::Return(inner) = &mut last {
                inner.distinct &= statements.iter().any(StatementKind::iterates);
            }
            statements.push(last);
            let statements =
                statements.into_iter().map(|kind| Statement { kind, span: Span::default() }).collect();
            Block::new(statements, Span::default())
        })
        .boxed()
}

/// Returns a whole query.
pub(crate) fn query() -> impl Strategy<Value = Query> {
    (vec(data_source(), 0..3), block(expression())).prop_map(|(with, body)| Query {
        with,
        body,
        warnings: Vec::new(),
    })
}

fn last(inner: Expressions) -> BoxedStrategy<StatementKind> {
    prop_oneof![
        (any::<bool>(), inner.clone())
            .prop_map(|(distinct, value)| StatementKind::Return(Return { distinct, value })),
        modification(inner),
    ]
    .boxed()
}

fn statement(inner: Expressions) -> BoxedStrategy<StatementKind> {
    prop_oneof![
        for_loop(inner.clone()),
        traversal(inner.clone()),
        path_search(inner.clone()),
        (pattern(), inner.clone()).prop_map(|(target, value)| StatementKind::Let(Let { target, value })),
        inner.clone().prop_map(StatementKind::Filter),
        sort(inner.clone()),
        (option::of(inner.clone()), inner.clone())
            .prop_map(|(offset, count)| StatementKind::Limit(Limit { offset, count })),
        collect(inner.clone()),
        window(inner.clone()),
        modification(inner),
    ]
    .boxed()
}

fn options(inner: Expressions) -> impl Strategy<Value = Option<Expression>> {
    option::of(object(inner, true))
}

fn pattern() -> BoxedStrategy<Pattern> {
    let spanned = |kind| Pattern { kind, span: Span::default() };
    identifier()
        .prop_map(move |variable| spanned(PatternKind::Variable(variable)))
        .prop_recursive(3, 8, 3, move |inner| {
            let member = (name(), inner.clone()).prop_map(|(attribute, target)| ObjectPatternMember {
                attribute,
                target,
                span: Span::default(),
            });
            prop_oneof![
                vec(option::of(inner), 0..4).prop_map(move |elements| spanned(PatternKind::Array(elements))),
                vec(member, 0..4).prop_map(move |members| spanned(PatternKind::Object(members))),
            ]
        })
        .boxed()
}

fn for_loop(inner: Expressions) -> BoxedStrategy<StatementKind> {
    (pattern(), inner.clone(), option::of(inner.clone()), options(inner))
        .prop_map(|(target, source, search, options)| {
            StatementKind::For(For { target, source, search, options })
        })
        .boxed()
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(&[Direction::Outbound, Direction::Inbound, Direction::Any][..])
}

fn graph() -> impl Strategy<Value = GraphSource> {
    let edge = (option::of(direction()), data_source())
        .prop_map(|(direction, collection)| EdgeCollection { direction, collection });
    prop_oneof![
        any::<String>().prop_map(GraphName::Name).prop_map(named),
        bind_name().prop_map(GraphName::BindParameter).prop_map(named),
        bind_name().prop_map(GraphName::DataSourceBindParameter).prop_map(named),
        vec(edge, 1..4).prop_map(GraphSource::EdgeCollections),
    ]
}

fn named(name: GraphName) -> GraphSource {
    GraphSource::Named(name, Span::default())
}

fn traversal(inner: Expressions) -> BoxedStrategy<StatementKind> {
    let variables = (identifier(), option::of((identifier(), option::of(identifier()))));
    let prune = (option::of(identifier()), inner.clone()).prop_map(|(variable, condition)| {
        let subquery =
            walk::expressions(&condition).any(|found| matches!(found.kind, ExpressionKind::Subquery(_)));
        let condition = if subquery { node(ExpressionKind::Null) } else { condition };
        Prune { variable, condition }
    });
    let depth = option::of(inner.clone());
    (variables, depth, direction(), inner.clone(), graph(), option::of(prune), options(inner))
        .prop_map(|((vertex, more), depth, direction, start, graph, prune, options)| {
            let (edge, path) = more.map_or((None, None), |(edge, path)| (Some(edge), path));
            let traversal = Traversal { vertex, edge, path, depth, direction, start, graph, prune, options };
            StatementKind::Traversal(Box::new(traversal))
        })
        .boxed()
}

fn path_search(inner: Expressions) -> BoxedStrategy<StatementKind> {
    let kind = prop_oneof![
        option::of(identifier()).prop_map(|edge| (PathSearchKind::ShortestPath, edge, None)),
        option::of(inner.clone()).prop_map(|depth| (PathSearchKind::KPaths, None, depth)),
        Just((PathSearchKind::KShortestPaths, None, None)),
        Just((PathSearchKind::AllShortestPaths, None, None)),
    ];
    (kind, identifier(), direction(), inner.clone(), inner.clone(), graph(), options(inner))
        .prop_map(|((kind, edge, depth), output, direction, start, target, graph, options)| {
            let search = PathSearch { kind, output, edge, depth, direction, start, target, graph, options };
            StatementKind::PathSearch(Box::new(search))
        })
        .boxed()
}

fn sort(inner: Expressions) -> BoxedStrategy<StatementKind> {
    let direction = prop_oneof![
        Just(SortDirection::Ascending),
        Just(SortDirection::Descending),
        literal().prop_map(SortDirection::Computed),
        bind_name().prop_map(|name| SortDirection::Computed(node(ExpressionKind::BindParameter(name)))),
    ];
    let item = (inner, direction).prop_map(|(expression, direction)| SortItem { expression, direction });
    vec(item, 1..4).prop_map(|items| StatementKind::Sort(Sort { items })).boxed()
}

fn aggregates(inner: Expressions, most: usize) -> impl Strategy<Value = Vec<Aggregate>> {
    let function = prop::sample::select(&["SUM", "count", "LENGTH", "Push"][..]);
    let aggregate =
        (identifier(), function, vec(inner, 0..2)).prop_map(|(variable, function, arguments)| Aggregate {
            variable,
            function: FunctionName::new(function, Span::default()),
            arguments,
            span: Span::default(),
        });
    vec(aggregate, 1..=most)
}

fn collect(inner: Expressions) -> BoxedStrategy<StatementKind> {
    let group =
        (identifier(), inner.clone()).prop_map(|(variable, expression)| Assignment { variable, expression });
    let into = (identifier(), option::of(inner.clone()), vec(identifier(), 0..3))
        .prop_map(|(variable, expression, keep)| CollectInto { variable, expression, keep })
        .boxed();
    let rest = prop_oneof![
        Just((Vec::new(), None, None)),
        identifier().prop_map(|count| (Vec::new(), None, Some(count))),
        into.clone().prop_map(|into| (Vec::new(), Some(into), None)),
        (aggregates(inner.clone(), 3), option::of(into)).prop_map(|(aggregates, into)| {
            let into = into.map(|into| CollectInto { keep: Vec::new(), ..into });
            (aggregates, into, None)
        }),
    ];
    (vec(group, 0..3), rest, options(inner))
        .prop_map(|(groups, (aggregates, into, count), options)| Collect {
            groups,
            aggregates,
            into,
            count,
            options,
        })
        .prop_map(|mut collect| {
            let empty = collect.groups.is_empty() && collect.aggregates.is_empty() && collect.into.is_none();
            if empty && collect.count.is_none() {
                collect.count = Some(Identifier { name: "n".to_owned(), span: Span::default() });
            }
            StatementKind::Collect(Box::new(collect))
        })
        .boxed()
}

fn window(inner: Expressions) -> BoxedStrategy<StatementKind> {
    (option::of(inner.clone()), object(inner.clone(), true), aggregates(inner, 2))
        .prop_map(|(range, bounds, aggregates)| {
            StatementKind::Window(Box::new(Window { range, bounds, aggregates }))
        })
        .boxed()
}

fn modification(inner: Expressions) -> BoxedStrategy<StatementKind> {
    let target = (data_source(), options(inner.clone())).boxed();
    let mode = prop::sample::select(&[WriteMode::Update, WriteMode::Replace][..]).boxed();
    let search = prop_oneof![
        object(inner.clone(), false).prop_map(UpsertSearch::Example),
        bind_name().prop_map(|name| UpsertSearch::Example(node(ExpressionKind::BindParameter(name)))),
        inner.clone().prop_map(UpsertSearch::Filter),
    ];
    prop_oneof![
        (inner.clone(), target.clone()).prop_map(|(document, (collection, options))| {
            StatementKind::Insert(Insert { document, collection, options })
        }),
        (inner.clone(), target.clone()).prop_map(|(key, (collection, options))| StatementKind::Remove(
            Remove { key, collection, options }
        )),
        (mode.clone(), inner.clone(), option::of(inner.clone()), target.clone()).prop_map(
            |(mode, key, document, (collection, options))| {
                StatementKind::Update(Box::new(Update { mode, key, document, collection, options }))
            }
        ),
        (search, inner.clone(), mode, inner, target).prop_map(
            |(search, insert, mode, update, (collection, options))| {
                let upsert = Upsert { search, insert, mode, update, collection, options };
                StatementKind::Upsert(Box::new(upsert))
            }
        ),
    ]
    .boxed()
}
