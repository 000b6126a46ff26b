use errors::ErrorCode;

use super::*;

const MANIFEST: &str = r#"{"configuration": {
    "port": {"type": "int", "default": 80}, "ratio": {"type": "number", "required": false},
    "isOn": {"type": "bool"}, "title": {"description": "Shown above."},
    "rules": {"type": "json", "default": {"a": 1}}, "secretKey": {"type": "password"}}}"#;

fn manifest() -> Manifest {
    Manifest::parse(MANIFEST.as_bytes()).unwrap()
}

fn packed(text: &str) -> Vec<u8> {
    of_json(text).unwrap()
}

fn text(value: &[u8]) -> String {
    json::to_json_string(Slice::new(value), None)
}

/// Changes stored values, and returns the new ones and the names with warnings.
fn changed(stored: &str, given: &str, keeps: bool) -> (String, Vec<String>) {
    let (stored, given) = (packed(stored), packed(given));
    let changed = change(&manifest(), Slice::new(&stored), Slice::new(&given), keeps).unwrap();
    (text(&changed.values), changed.warnings.into_iter().map(|(name, _)| name).collect())
}

#[test]
fn values_of_each_type_are_taken_converted_or_refused() {
    for (given, stored) in [
        (r#"{"port": 8080}"#, Some(r#"{"port":8080}"#)),
        (r#"{"port": 8080.0}"#, Some(r#"{"port":8080}"#)),
        (r#"{"port": " -7 "}"#, Some(r#"{"port":-7}"#)),
        (r#"{"port": 18446744073709551615}"#, Some(r#"{"port":18446744073709551615}"#)),
        (r#"{"port": 1.5}"#, None),
        (r#"{"port": 1e300}"#, None),
        (r#"{"port": "1.5"}"#, None),
        (r#"{"port": true}"#, None),
        (r#"{"ratio": 1.5}"#, Some(r#"{"ratio":1.5}"#)),
        (r#"{"ratio": "1.5e1"}"#, Some(r#"{"ratio":15}"#)),
        (r#"{"ratio": "NaN"}"#, None),
        (r#"{"ratio": "true"}"#, None),
        (r#"{"isOn": false}"#, Some(r#"{"isOn":false}"#)),
        (r#"{"isOn": "TRUE"}"#, Some(r#"{"isOn":true}"#)),
        (r#"{"isOn": 1}"#, None),
        (r#"{"title": ""}"#, Some(r#"{"title":""}"#)),
        (r#"{"title": 5}"#, None),
        (r#"{"rules": "{\"b\": 2}"}"#, Some(r#"{"rules":"{\"b\": 2}"}"#)),
        (r#"{"rules": [1]}"#, Some(r#"{"rules":[1]}"#)),
        (r#"{"rules": "{"}"#, None),
        (r#"{"secretKey": "x"}"#, Some(r#"{"secretKey":"x"}"#)),
        (r#"{"secretKey": []}"#, None),
        (r#"{"unknown": 1}"#, None),
    ] {
        let (values, warnings) = changed("{}", given, true);
        assert_eq!(values, stored.unwrap_or("{}"), "{given}");
        assert_eq!(warnings.len(), usize::from(stored.is_none()), "{given}");
    }
}

#[test]
fn a_patch_keeps_what_a_replacement_removes() {
    let stored = r#"{"port":1,"title":"a","gone":1}"#;
    assert_eq!(changed(stored, r#"{"isOn":true}"#, true).0, r#"{"port":1,"isOn":true,"title":"a"}"#);
    assert_eq!(changed(stored, r#"{"isOn":true}"#, false).0, r#"{"isOn":true}"#);
    assert_eq!(changed(stored, r#"{"port":null}"#, true).0, r#"{"title":"a"}"#);
    assert_eq!(
        changed(stored, r#"{"port":"x"}"#, true),
        (r#"{"port":1,"title":"a"}"#.to_owned(), vec!["port".to_owned()])
    );
    assert_eq!(changed(stored, r#"{"port":"x"}"#, false).0, "{}");
    let wrong = change(&manifest(), Slice::EMPTY_OBJECT, Slice::EMPTY_ARRAY, true).unwrap_err();
    assert_eq!(wrong.code(), ErrorCode::InvalidServiceOptions);
}

#[test]
fn the_service_sees_defaults_and_parsed_json() {
    let stored = packed(r#"{"rules":"{\"b\": [2]}","isOn":true,"secretKey":"s"}"#);
    let values = values(&manifest(), Slice::new(&stored)).unwrap();
    assert_eq!(text(&values), r#"{"port":80,"isOn":true,"rules":{"b":[2]},"secretKey":"s"}"#);
}

#[test]
fn required_parameters_without_value_are_missing() {
    let missing = |stored: &str| missing(&manifest(), Slice::new(&packed(stored))).join("; ");
    assert_eq!(
        missing("{}"),
        "the configuration lacks 'isOn' (Is On); the configuration lacks 'title' (Title); \
         the configuration lacks 'secretKey' (Secret Key)"
    );
    assert_eq!(missing(r#"{"isOn":false,"title":"","secretKey":"x"}"#), "");
}

#[test]
fn no_reply_shows_a_password_and_the_mask_changes_nothing() {
    let stored = packed(r#"{"secretKey":"hidden","rules":"[1]"}"#);
    let changed =
        change(&manifest(), Slice::new(&stored), Slice::new(&packed(r#"{"port":1}"#)), true).unwrap();
    let replies = [
        describe(&manifest(), Slice::new(&stored), &[]).unwrap(),
        shown_values(&manifest(), Slice::new(&stored)).unwrap(),
        short_reply(&manifest(), &changed).unwrap(),
    ];
    for reply in replies.map(|reply| text(&reply)) {
        assert!(!reply.contains("hidden") && reply.contains(PASSWORD_MASK), "{reply}");
    }
    for keeps in [true, false] {
        let given = packed(r#"{"secretKey":"********"}"#);
        let changed = change(&manifest(), Slice::new(&stored), Slice::new(&given), keeps).unwrap();
        assert!(text(&changed.values).contains(r#""secretKey":"hidden""#));
    }
    assert_eq!(
        text(
            &change(
                &manifest(),
                Slice::EMPTY_OBJECT,
                Slice::new(&packed(r#"{"secretKey":"********"}"#)),
                true
            )
            .unwrap()
            .values
        ),
        "{}"
    );
}

#[test]
fn definitions_are_shown_with_titles_values_and_warnings() {
    let manifest = Manifest::parse(
        br#"{"configuration": {"rules": {"type": "json"}, "maxAge": {"default": "1", "required": false}}}"#,
    )
    .unwrap();
    let stored = packed(r#"{"rules":"[1]"}"#);
    let warnings = [("maxAge".to_owned(), "wrong".to_owned()), ("other".to_owned(), "unknown".to_owned())];
    assert_eq!(
        text(&describe(&manifest, Slice::new(&stored), &warnings).unwrap()),
        concat!(
            r#"{"rules":{"title":"Rules","type":"json","required":true,"current":[1],"currentRaw":"[1]"},"#,
            r#""maxAge":{"title":"Max Age","type":"string","default":"1","required":false,"#,
            r#""current":"1","currentRaw":"1","warning":"wrong"},"other":{"warning":"unknown"}}"#
        )
    );
    let changed = Changed { values: stored, warnings: warnings.to_vec() };
    assert_eq!(
        text(&short_reply(&manifest, &changed).unwrap()),
        r#"{"values":{"rules":"[1]","maxAge":"1"},"warnings":{"maxAge":"wrong","other":"unknown"}}"#
    );
}

#[test]
fn warnings_are_bounded() {
    let given: String = (0..500).map(|n| format!("{}\"x{n}\":1", if n > 0 { "," } else { "" })).collect();
    assert_eq!(changed("{}", &format!("{{{given}}}"), true).1.len(), 100);
}
