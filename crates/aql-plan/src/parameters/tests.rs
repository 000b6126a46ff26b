use aql_value::Value;

use super::*;

fn open(text: &str) -> String {
    let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).unwrap();
    OpenParameters::of(&query).names().join(" ")
}

#[test]
fn compared_and_written_values_are_open() {
    for (text, names) in [
        ("FOR d IN c FILTER d._key == @k RETURN d", "k"),
        ("FOR d IN c FILTER @low <= d.a.b && d['x'] != @high RETURN d", "high low"),
        ("FOR d IN c FILTER d.a IN @list AND @tag IN d.tags RETURN d", "list tag"),
        ("FOR d IN c FILTER d.@name == @v RETURN d", "v"),
        ("FOR d IN @list INSERT d INTO c", "list"),
        ("INSERT @document INTO c RETURN {a: @a, b: [@b, {c: @c}]}", "a b c document"),
        ("UPDATE @key WITH {a: @a} IN c OPTIONS {keepNull: @keep}", "a key"),
        ("REMOVE @key IN c", "key"),
        ("UPSERT {a: @a} INSERT @i UPDATE {b: @b} IN c", "a b i"),
        ("UPSERT @a INSERT @i UPDATE {} IN c", "i"),
        ("UPSERT FILTER CURRENT.a == @a INSERT {} UPDATE {} IN c", "a"),
        ("RETURN DOCUMENT(@id)", "id"),
        ("RETURN DOCUMENT(@collection, @key)", "key"),
        ("LET x = @x RETURN (FOR d IN c FILTER d.a == @y RETURN d)", "x y"),
        ("FOR v, e IN OUTBOUND @start knows PRUNE v.a == @a FILTER e.b == @b RETURN v", "a b start"),
        ("FOR p IN OUTBOUND K_PATHS @from TO @to knows RETURN p", "from to"),
        ("FOR v, e IN 1..2 ANY @start GRAPH 'g' PRUNE v.x == @x FILTER e.y > @y RETURN v", "start x y"),
        ("FOR v IN ANY SHORTEST_PATH @from TO @to GRAPH @graph RETURN v", "from to"),
        ("RETURN @@c", ""),
    ] {
        assert_eq!(open(text), names, "{text}");
    }
}

#[test]
fn what_plans_are_made_of_is_closed() {
    for text in [
        "FOR d IN c LIMIT @n RETURN d",
        "FOR d IN c FILTER d.a == @v LIMIT @v RETURN d",
        "FOR d IN c FILTER d.a == @v + 1 RETURN d",
        "FOR d IN c FILTER UPPER(d.a) == @v RETURN d",
        "FOR d IN c FILTER @flag == null || d.a == 1 RETURN d",
        "FOR d IN c FILTER @flag RETURN d",
        "FOR d IN c FILTER d.a LIKE @pattern RETURN d",
        "FOR d IN c SORT d.a @direction RETURN d",
        "RETURN @a ? 1 : 2",
        "RETURN UPPER(@a)",
        "RETURN {[@name]: 1}",
        "RETURN {@name: 1}",
        "RETURN @a.b",
        "RETURN [1, 2][* FILTER CURRENT + @a]",
        "FOR v IN 1..@depth OUTBOUND 'c/1' GRAPH @graph RETURN v",
        "FOR d IN c OPTIONS {indexHint: @hint} RETURN d",
        "FOR v, e, p IN OUTBOUND 'c/1' knows OPTIONS {order: @order} FILTER p.edges[*].a ALL == @a RETURN v",
    ] {
        assert_eq!(open(text), "", "{text}");
    }
}

#[test]
fn shapes_tell_apart_what_plans_depend_on() {
    let shape = |values: &[Value]| ParameterShape::of(&Value::array(values));
    assert_eq!(shape(&[]), None);
    assert_eq!(ParameterShape::of(&Value::Null), None);
    assert_eq!(ParameterShape::of(&Value::Bool(true)), None);
    let ones = |count: usize| shape(&vec![Value::Int(1); count]);
    let tags: Vec<u8> =
        [1, 2, 10, 11, 100, 101, 1000, 1001, 5000].map(|count| ones(count).unwrap().tag()).into();
    assert_eq!(tags, [4, 6, 6, 8, 8, 10, 10, 12, 12]);
    assert_ne!(shape(&[Value::Int(1), Value::Null]), ones(2));
    assert_eq!(ones(1).unwrap().length(), Some(1.0));
    assert_eq!(ones(70).unwrap().length(), Some(50.0));
}
