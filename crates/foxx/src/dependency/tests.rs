use velocypack::{Limits, json};

use super::*;

fn manifest() -> Manifest {
    let text = br#"{"dependencies": {"users": "@foxx/users:^1.0.0", "log": {"required": false},
                    "plugins": {"multiple": true, "name": "plugin"}}}"#;
    Manifest::parse(text).unwrap()
}

fn packed(text: &str) -> Vec<u8> {
    let mut value = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut value).unwrap();
    value.into_vec()
}

fn text(value: &[u8]) -> String {
    json::to_json_string(Slice::new(value), None)
}

fn changed(stored: &str, given: &str, keeps: bool) -> (String, usize) {
    let (stored, given) = (packed(stored), packed(given));
    let changed = change(&manifest(), Slice::new(&stored), Slice::new(&given), keeps).unwrap();
    (text(&changed.values), changed.warnings.len())
}

#[test]
fn mount_points_are_taken_and_other_values_refused() {
    for (given, stored, warnings) in [
        (r#"{"users": "/a"}"#, r#"{"users":"/a"}"#, 0),
        (r#"{"users": "/_api/foxx"}"#, r#"{"users":"/_api/foxx"}"#, 0),
        (r#"{"users": "a"}"#, "{}", 1),
        (r#"{"users": ["/a"]}"#, "{}", 1),
        (r#"{"users": 5}"#, "{}", 1),
        (r#"{"plugins": "/a"}"#, r#"{"plugins":["/a"]}"#, 0),
        (r#"{"plugins": ["/a", "/b"]}"#, r#"{"plugins":["/a","/b"]}"#, 0),
        (r#"{"plugins": ["/a", "/b/"]}"#, "{}", 1),
        (r#"{"plugins": ["/a", 1]}"#, "{}", 1),
        // Two of them are required.
        (r#"{"plugins": [], "users": "", "log": null}"#, "{}", 2),
        (r#"{"other": "/a"}"#, "{}", 1),
    ] {
        assert_eq!(changed("{}", given, true), (stored.to_owned(), warnings), "{given}");
    }
    let many = format!(r#"{{"plugins": [{}]}}"#, vec![r#""/a""#; MOUNTS_MAX + 1].join(","));
    assert_eq!(changed("{}", &many, true), ("{}".to_owned(), 1));
}

#[test]
fn a_patch_keeps_what_a_replacement_removes() {
    let stored = r#"{"users":"/a"}"#;
    assert_eq!(changed(stored, r#"{"log": "/l"}"#, true).0, r#"{"users":"/a","log":"/l"}"#);
    assert_eq!(changed(stored, r#"{"log": "/l"}"#, false).0, r#"{"log":"/l"}"#);
    assert_eq!(changed(stored, r#"{"users": null}"#, true).0, "{}");
    assert_eq!(changed(stored, r#"{"users": "x"}"#, true).0, stored);
}

#[test]
fn the_service_gets_a_mount_point_or_a_list_or_null() {
    let of = |stored: &str| text(&values(&manifest(), Slice::new(&packed(stored))).unwrap());
    assert_eq!(of("{}"), r#"{"users":null,"log":null,"plugins":[]}"#);
    let stored = r#"{"users":"/a","plugins":["/b","/c"]}"#;
    assert_eq!(of(stored), r#"{"users":"/a","log":null,"plugins":["/b","/c"]}"#);
}

#[test]
fn required_dependencies_without_mount_point_are_missing() {
    let missing = |stored: &str| missing(&manifest(), Slice::new(&packed(stored))).join("; ");
    let all = "the dependencies lack 'users' (Users); the dependencies lack 'plugins' (Plugins)";
    assert_eq!(missing("{}"), all);
    assert_eq!(missing(r#"{"users":"/a","plugins":["/b"]}"#), "");
}

#[test]
fn definitions_are_shown_with_titles_mount_points_and_warnings() {
    let stored = packed(r#"{"plugins":["/b"]}"#);
    let warnings = [("log".to_owned(), "wrong".to_owned())];
    assert_eq!(
        text(&describe(&manifest(), Slice::new(&stored), &warnings).unwrap()),
        concat!(
            r#"{"users":{"title":"Users","name":"@foxx/users","version":"^1.0.0","required":true,"multiple":false},"#,
            r#""log":{"title":"Log","name":"*","version":"*","required":false,"multiple":false,"warning":"wrong"},"#,
            r#""plugins":{"title":"Plugins","name":"plugin","version":"*","required":true,"multiple":true,"#,
            r#""current":["/b"]}}"#
        )
    );
    let changed = Changed { values: stored, warnings: warnings.to_vec() };
    assert_eq!(
        text(&short_reply(&manifest(), &changed).unwrap()),
        r#"{"values":{"plugins":["/b"]},"warnings":{"log":"wrong"}}"#
    );
}
