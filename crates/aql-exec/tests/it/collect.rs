//! COLLECT in all its forms.

use crate::common::{Fixture, Run};

fn people() -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("p").index("p", r#"{"type":"persistent","fields":["city"]}"#);
    fixture.insert(
        "p",
        r#"[{"_key":"1","city":"Rome","age":30},{"_key":"2","city":"Bonn","age":20},{"_key":"3","city":"Rome","age":40},
            {"_key":"4","age":10},{"_key":"5","city":"Bonn","age":25},{"_key":"6","city":"Rome","age":null}]"#,
    );
    fixture
}

#[test]
fn groups_come_sorted() {
    let fixture = people();
    assert_eq!(fixture.query("FOR d IN p COLLECT c = d.city RETURN c"), ["null", r#""Bonn""#, r#""Rome""#]);
    assert_eq!(
        fixture.query("FOR d IN p COLLECT c = d.city WITH COUNT INTO k RETURN [c, k]"),
        ["[null,1]", r#"["Bonn",2]"#, r#"["Rome",3]"#]
    );
    for method in ["sorted", "hash"] {
        let query = format!(
            "FOR d IN p COLLECT c = d.city, old = d.age > 25 OPTIONS {{method: '{method}'}} RETURN [c, old]"
        );
        assert_eq!(fixture.query(&query).len(), 4, "{method}");
    }
}

#[test]
fn aggregates() {
    let fixture = people();
    assert_eq!(
        fixture.query(
            "FOR d IN p COLLECT c = d.city AGGREGATE s = SUM(d.age), a = AVG(d.age), n = LENGTH(), m = MIN(d.age), u = SORTED_UNIQUE(d.age)
             RETURN [c, s, a, n, m, u]"
        ),
        [
            "[null,10,10,1,10,[10]]",
            r#"["Bonn",45,22.5,2,20,[20,25]]"#,
            r#"["Rome",70,35,3,30,[null,30,40]]"#
        ]
    );
    assert_eq!(
        fixture
            .query("FOR d IN p COLLECT AGGREGATE x = MAX(d.age), y = COUNT_DISTINCT(d.city) RETURN [x, y]"),
        ["[40,3]"]
    );
}

#[test]
fn one_group_exists_even_without_rows() {
    let fixture = people();
    assert_eq!(fixture.query("FOR d IN p FILTER d.age > 1000 COLLECT WITH COUNT INTO k RETURN k"), ["0"]);
    assert_eq!(
        fixture.query(
            "FOR d IN p FILTER d.age > 1000 COLLECT AGGREGATE s = SUM(d.age), n = LENGTH() RETURN [s, n]"
        ),
        ["[null,0]"]
    );
    assert_eq!(fixture.query("FOR d IN p FILTER d.age > 1000 COLLECT c = d.city RETURN c"), [""; 0]);
}

#[test]
fn rows_are_gathered() {
    let fixture = people();
    assert_eq!(
        fixture.query("FOR d IN p SORT d._key COLLECT c = d.city INTO g = d.age RETURN [c, g]"),
        ["[null,[10]]", r#"["Bonn",[20,25]]"#, r#"["Rome",[30,40,null]]"#]
    );
    assert_eq!(
        fixture.query("FOR d IN p SORT d._key LET x = d.age FILTER d.city == 'Bonn' COLLECT c = d.city INTO g KEEP x RETURN g"),
        [r#"[{"x":20},{"x":25}]"#]
    );
    assert_eq!(
        fixture.query(
            "FOR d IN p FILTER d.city == 'Bonn' SORT d._key COLLECT c = d.city INTO g RETURN g[*].d._id"
        ),
        [r#"["p/2","p/5"]"#]
    );
}

#[test]
fn distinct_results() {
    let fixture = people();
    assert_eq!(
        fixture.query_unordered("FOR d IN p RETURN DISTINCT d.city"),
        [r#""Bonn""#, r#""Rome""#, "null"]
    );
    assert_eq!(
        fixture.query("FOR x IN [1, 1.0, '1', 1, [], [null]] RETURN DISTINCT x"),
        ["1", r#""1""#, "[]"]
    );
}

#[test]
fn grouping_within_subqueries_sees_the_outer_row() {
    let fixture = people();
    assert_eq!(
        fixture.query(
            "FOR c IN ['Rome', 'Nowhere'] LET x = (FOR d IN p FILTER d.city == c COLLECT WITH COUNT INTO k RETURN [c, k]) RETURN x"
        ),
        [r#"[["Rome",3]]"#, r#"[["Nowhere",0]]"#]
    );
    assert_eq!(
        fixture.query(
            "FOR c IN ['Rome', 'Nowhere'] RETURN (FOR d IN p FILTER d.city == c COLLECT AGGREGATE m = MAX(d.age) RETURN [c, m])"
        ),
        [r#"[["Rome",40]]"#, r#"[["Nowhere",null]]"#]
    );
    assert_eq!(
        fixture.query("LET k = 7 FOR d IN p COLLECT c = d.city RETURN [c, k]"),
        ["[null,7]", r#"["Bonn",7]"#, r#"["Rome",7]"#]
    );
}

#[test]
fn many_groups() {
    let fixture = Fixture::new();
    let results =
        fixture.query("FOR i IN 1..5000 COLLECT g = i % 2500 WITH COUNT INTO k FILTER k == 2 RETURN g");
    assert_eq!(results.len(), 2500);
    assert!(
        fixture
            .run("FOR i IN 1..5000 COLLECT g = i % 2500 AGGREGATE s = SUM(i) RETURN [g, s]", &Run::default())
            .is_ok()
    );
}
