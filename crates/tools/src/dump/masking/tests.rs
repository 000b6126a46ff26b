//! Maskings as the documentation shows them.

use super::*;

fn masked(rules: &str, document: &str) -> String {
    let text = format!(r#"{{"c": {{"type": "masked", "maskings": {rules}}}}}"#);
    let maskings = Maskings::parse(text.as_bytes()).unwrap();
    let mut out = Vec::new();
    maskings.mask("c").unwrap().lines(document.as_bytes(), &mut out).unwrap();
    String::from_utf8(out).unwrap().trim_end().to_owned()
}

fn value(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(json.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

#[test]
fn collections_are_treated_by_name() {
    let text = r#"{"a": {"type": "exclude"}, "b": {"type": "full"}, "c": {"type": "structure"}, "d": {"type": "masked"}}"#;
    let maskings = Maskings::parse(text.as_bytes()).unwrap();
    let found = ["a", "b", "c", "d", "e"].map(|name| maskings.treatment(name));
    let expected =
        [Treatment::Exclude, Treatment::Full, Treatment::Structure, Treatment::Masked, Treatment::Exclude];
    assert_eq!(found, expected);
    let others = Maskings::parse(br#"{"*": {"type": "full"}}"#).unwrap();
    assert_eq!(others.treatment("any"), Treatment::Full);
}

#[test]
fn wrong_files_are_explained() {
    for (text, words) in [
        ("[]", "expecting an object"),
        (r#"{"a": {"type": "x"}}"#, "collection \"a\": 'type' must be exclude"),
        (
            r#"{"a": {"type": "masked", "maskings": [{"path": "x", "type": "y"}]}}"#,
            "rule 1: 'type' must be randomString",
        ),
        (r#"{"a": {"type": "masked", "maskings": [{"type": "zip"}]}}"#, "'path' must be"),
        (r#"{"a": {"type": "masked", "maskings": [{"path": "`x", "type": "zip"}]}}"#, "not closed"),
        (
            r#"{"a": {"type": "masked", "maskings": [{"path": "x", "type": "integer", "lower": 2, "upper": 1}]}}"#,
            "bound",
        ),
        (
            r#"{"a": {"type": "masked", "maskings": [{"path": "x", "type": "datetime", "begin": "soon"}]}}"#,
            "is not a date",
        ),
    ] {
        let error = Maskings::parse(text.as_bytes()).unwrap_err();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn words_keep_their_ends() {
    let rules = r#"[{"path": ".name", "type": "xifyFront", "unmaskedLength": 2}]"#;
    let document = r#"{"name":"top-level-name","age":42,"nicknames":[{"name":"hugo"},"egon"],"other":{"name":["emil",{"secret":"superman"}]}}"#;
    let expected = r#"{"name":"xxxxxxxxxxxxme","age":42,"nicknames":[{"name":"xxgo"},"egon"],"other":{"name":["xxil",{"secret":"superman"}]}}"#;
    assert_eq!(masked(rules, document), expected);
    let rules = r#"[{"path": "*", "type": "xifyFront"}]"#;
    let document =
        r#"{"_key":"top","name":"This is a test!Do you agree?","bool":true,"number":1.23,"null":null}"#;
    let expected =
        r#"{"_key":"top","name":"xxis is a xxst Do xou xxxee ","bool":"xxxx","number":"xxxx","null":null}"#;
    assert_eq!(masked(rules, document), expected);
    let rules = r#"[{"path": "name", "type": "xifyFront", "hash": true, "seed": 7}]"#;
    let first = masked(rules, r#"{"name":"abc"}"#);
    assert!(first.starts_with(r#"{"name":"xbc "#) && first == masked(rules, r#"{"name":"abc"}"#), "{first}");
}

#[test]
fn paths_are_whole_ends_or_quoted_and_the_first_rule_counts() {
    let rules = r#"[{"path": "a.b", "type": "integer", "lower": 1, "upper": 1},
                    {"path": ".b", "type": "integer", "lower": 2, "upper": 2},
                    {"path": "`x.y`", "type": "integer", "lower": 3, "upper": 3},
                    {"path": "´*´", "type": "integer", "lower": 4, "upper": 4}]"#;
    let document = r#"{"a":{"b":0,"c":0},"b":0,"d":{"a":{"b":0}},"x.y":0,"x":{"y":0},"*":0}"#;
    let expected = r#"{"a":{"b":1,"c":0},"b":2,"d":{"a":{"b":2}},"x.y":3,"x":{"y":0},"*":4}"#;
    assert_eq!(masked(rules, document), expected);
}

#[test]
fn random_values_are_of_the_kind_that_they_replace() {
    let rules = r#"[{"path": "*", "type": "random"}]"#;
    let document = r#"{"_key":"1","n":null,"b":true,"i":1,"d":2.5,"s":"hello","a":[1,"a text that is longer than a hash",{"o":"x"}]}"#;
    let text = value(&masked(rules, document));
    let found = Slice::new(&text);
    assert_eq!(found.get("_key").unwrap().as_str(), Some("1"));
    assert!(found.get("n").unwrap().is_null() && found.get("b").unwrap().is_bool());
    assert!((-1000..=1000).contains(&found.get("i").unwrap().as_i64().unwrap()));
    assert!(found.get("d").unwrap().as_f64().unwrap().abs() <= 1000.0);
    assert_eq!(found.get("s").unwrap().as_str().unwrap().len(), 12);
    let long = found.get("a").unwrap().at(1).unwrap().as_str().unwrap();
    assert!(long.len() == 33 && long.get(..8) == long.get(12..20), "{long}");
}

#[test]
fn other_functions_do_what_they_say() {
    let rules = r#"[{"path": "zip", "type": "zip"}, {"path": "zip2", "type": "zip", "default": "none"},
        {"path": "phone", "type": "phone"}, {"path": "card", "type": "creditCard"}, {"path": "mail", "type": "email"},
        {"path": "rating", "type": "decimal", "lower": -0.3, "upper": 0.3, "scale": 3}, {"path": "s", "type": "randomString"},
        {"path": "date", "type": "datetime", "begin": "2019-01-01", "end": "2019-12-31", "format": "%yyyy-%mm-%dd"}]"#;
    let document =
        r#"{"zip":"SA34-EA","zip2":5,"phone":null,"card":"x","mail":"a@b.c","rating":null,"s":7,"date":"x"}"#;
    let text = value(&masked(rules, document));
    let found = |name: &str| Slice::new(&text).get(name).unwrap();
    let zip = found("zip").as_str().unwrap();
    let kinds: String = zip
        .chars()
        .map(|c| {
            if c.is_ascii_uppercase() {
                'A'
            } else if c.is_ascii_digit() {
                '9'
            } else {
                c
            }
        })
        .collect();
    assert_eq!(kinds, "AA99-AA");
    assert_eq!(found("zip2").as_str(), Some("none"));
    assert_eq!(found("phone").as_str(), Some("+1234567890"));
    let card = found("card").as_i64().unwrap().to_string();
    let luhn: u32 = card
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let digit = u32::from(digit - b'0') * if at % 2 == 1 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    assert!(card.len() == 16 && luhn.is_multiple_of(10), "{card}");
    let mail = found("mail").as_str().unwrap();
    assert!(mail.ends_with(".invalid") && mail.len() == 22, "{mail}");
    assert!(found("rating").as_f64().unwrap().abs() <= 0.3);
    assert_eq!(found("s").as_i64(), Some(7));
    let date = found("date").as_str().unwrap();
    assert!(date.starts_with("2019-") && date.len() == 10, "{date}");
}

#[test]
fn rules_without_effect_are_told() {
    let rules = r#"[{"path": "address", "type": "zip"}, {"path": ".zip", "type": "zip"}, {"path": "none", "type": "email"}]"#;
    let maskings =
        Maskings::parse(format!(r#"{{"c": {{"type": "masked", "maskings": {rules}}}}}"#).as_bytes()).unwrap();
    assert_eq!(maskings.failing(), Vec::<String>::new(), "no document was dumped");
    let mask = maskings.mask("c").unwrap();
    mask.lines(br#"{"address":{"zip":"12","city":"X"}}"#, &mut Vec::new()).unwrap();
    let failing = maskings.failing();
    assert_eq!(failing.len(), 2, "{failing:?}");
    assert!(
        failing[0].contains("rule 1: nothing was masked: the path \"address\" is that of an object"),
        "{failing:?}"
    );
    assert!(
        failing[1].contains("rule 3: nothing was masked: the path \"none\" is that of no value"),
        "{failing:?}"
    );
    let dates = |rule: &str| {
        let text = format!(
            r#"{{"c": {{"type": "masked", "maskings": [{{"path": "d", "type": "datetime"{rule}}}]}}}}"#
        );
        Maskings::parse(text.as_bytes()).unwrap().doubts()
    };
    assert_eq!(dates(r#", "format": "%yyyy""#), Vec::<String>::new());
    assert!(
        dates("")[0].contains("collection \"c\": rule 1: 'datetime' without 'format'"),
        "{:?}",
        dates("")
    );
    assert_eq!(dates(r#", "output": "%yyyy""#).len(), 1);
}
