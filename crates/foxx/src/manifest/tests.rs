use super::*;

fn parse(text: &str) -> Manifest {
    Manifest::parse(text.as_bytes()).unwrap()
}

fn json(manifest: &Manifest) -> String {
    velocypack::json::to_json_string(Slice::new(&manifest.to_velocypack().unwrap()), None)
}

#[test]
fn other_texts_than_objects_are_refused() {
    for (text, reason) in [
        ("", "at line 1"),
        ("{", "at line 1"),
        ("{\n 'a': 1}", "at line 2"),
        ("[]", "another value"),
        ("null", "another value"),
        ("{} {}", "at line 1"),
    ] {
        let error = Manifest::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::MalformedManifestFile, "{text}");
        assert!(error.message().contains(reason), "{error}");
    }
    assert!(Manifest::parse(b"{\"name\": \"\xFF\"}").is_err());
    assert!(Manifest::parse(&vec![b' '; MANIFEST_MAX_BYTES + 1]).is_err());
    assert!(Manifest::parse("[".repeat(1000).as_bytes()).is_err());
    assert!(Manifest::parse(b"\xEF\xBB\xBF{}").is_ok());
}

#[test]
fn each_wrong_member_is_named() {
    for (text, fault) in [
        (r#"{"name": 5}"#, "`name` is 5; it must be a text"),
        (r#"{"name": "1a"}"#, "`name` is '1a'; it must have letters"),
        (r#"{"name": "a/b"}"#, "`name` is 'a/b'"),
        (r#"{"version": "1.0"}"#, "`version` is '1.0'; it must be a semantic version"),
        (r#"{"author": 1}"#, "`author` is 1"),
        (r#"{"keywords": "x"}"#, "`keywords` is \"x\"; it must be a list of texts"),
        (r#"{"contributors": [1]}"#, "`contributors` is a list"),
        (r#"{"engines": {"arangodb": "three"}}"#, "`engines.arangodb` is 'three'"),
        (r#"{"engines": {"arangodb": 3}}"#, "`engines.arangodb` is 3"),
        (r#"{"engines": []}"#, "`engines` is a list; it must be an object"),
        (r#"{"lib": "../x"}"#, "`lib` is \"../x\"; it must be a relative path"),
        (r#"{"main": "/x.js"}"#, "`main` is \"/x.js\""),
        (r#"{"main": ""}"#, "`main` is \"\""),
        (r#"{"lib": "a", "main": "../../x.js"}"#, "`main`"),
        (r#"{"scripts": {"setup": "..\\x"}}"#, "`scripts.setup`"),
        (r#"{"scripts": {"": "x"}}"#, "`scripts` has a name of 0 bytes"),
        (r#"{"scripts": 1}"#, "`scripts` is 1; it must be an object"),
        (r#"{"tests": 1}"#, "`tests` is 1; it must be a text or a list"),
        (r#"{"tests": ["a", 1]}"#, "`tests` is a list"),
        (r#"{"tests": "a["}"#, "the pattern 'a[' in `tests` is no pattern"),
        (r#"{"files": {"/x": 1}}"#, "`files./x` is 1"),
        (r#"{"files": {"/x": {}}}"#, "`files./x` is an object"),
        (r#"{"files": {"/x": {"path": "a", "gzip": 1}}}"#, "`files./x.gzip` is 1"),
        (r#"{"files": {"/../x": "a"}}"#, "`files./../x` is no path of a URL"),
        (r#"{"files": {"/x": "a", "x/": "b"}}"#, "`files` has '/x' twice"),
        (r#"{"configuration": {"a b": {}}}"#, "`configuration` has the name 'a b'"),
        (r#"{"configuration": {"a": "x"}}"#, "`configuration.a` is \"x\"; it must be an object"),
        (r#"{"configuration": {"a": {"type": "date"}}}"#, "`configuration.a.type` is 'date'"),
        (r#"{"configuration": {"a": {"required": 1}}}"#, "`configuration.a.required` is 1"),
        (r#"{"dependencies": {"1a": "x"}}"#, "`dependencies` has the name '1a'"),
        (r#"{"dependencies": {"a": 1}}"#, "`dependencies.a` is 1"),
        (r#"{"dependencies": {"a": "x:y"}}"#, "`dependencies.a` has the version 'y'"),
        (r#"{"provides": {"a": "new"}}"#, "`provides.a` is 'new'"),
    ] {
        let error = Manifest::parse(text.as_bytes()).expect_err(text);
        assert_eq!(error.code(), ErrorCode::InvalidServiceManifest, "{text}");
        assert!(error.message().contains(fault), "{text}: {error}");
    }
}

#[test]
fn all_faults_are_in_one_message_and_their_number_is_bounded() {
    let error = Manifest::parse(br#"{"name": 1, "version": 2, "main": 3}"#).unwrap_err();
    assert!(["`name`", "`version`", "`main`"].iter().all(|name| error.message().contains(name)), "{error}");
    let many: String = (0..900).map(|n| format!("{}\"s{n}\": 1", if n > 0 { "," } else { "" })).collect();
    let error = Manifest::parse(format!("{{\"scripts\": {{{many}}}}}").as_bytes()).unwrap_err();
    assert!(error.message().contains("880 more faults") && error.message().len() < 5_000, "{error}");
}

#[test]
fn the_smallest_manifest_has_the_defaults() {
    let manifest = parse("{}");
    assert_eq!((manifest.lib(), manifest.main(), manifest.default_document()), (".", None, None));
    assert_eq!(
        json(&manifest),
        r#"{"lib":".","configuration":{},"dependencies":{},"provides":{},"scripts":{},"files":{},"tests":[]}"#
    );
}

#[test]
fn short_forms_become_long() {
    let manifest = parse(
        r#"{"name": "a", "lib": "./src/", "main": "index", "scripts": "setup.js", "tests": "test/**",
            "dependencies": {"s": "@foxx/sessions:^1.0.0", "t": "^2.0.0", "u": "users",
                             "v": {"multiple": true, "required": false}},
            "files": {"static/": "assets/", "/i.png": {"path": "./i.png", "type": "image/png", "gzip": true}},
            "configuration": {"key": {"type": "int", "default": {"a": [1]}}}, "extra": {"x": 1}}"#,
    );
    assert_eq!(
        json(&manifest),
        concat!(
            r#"{"name":"a","extra":{"x":1},"lib":"src","main":"index","#,
            r#""configuration":{"key":{"type":"int","default":{"a":[1]},"required":true}},"#,
            r#""dependencies":{"s":{"name":"@foxx/sessions","version":"^1.0.0","required":true,"multiple":false},"#,
            r#""t":{"name":"*","version":"^2.0.0","required":true,"multiple":false},"#,
            r#""u":{"name":"users","version":"*","required":true,"multiple":false},"#,
            r#""v":{"name":"*","version":"*","required":false,"multiple":true}},"provides":{},"#,
            r#""scripts":{"default":"setup.js"},"files":{"/static":{"path":"assets","gzip":false},"#,
            r#""/i.png":{"path":"i.png","type":"image/png","gzip":true}},"tests":["test/**"]}"#
        )
    );
    assert_eq!(manifest.path_in_lib("../x.js").as_deref(), Some("x.js"));
    assert_eq!(manifest.script("default"), Some("setup.js"));
    let again = Manifest::parse(json(&manifest).as_bytes()).unwrap();
    assert_eq!(json(&again), json(&manifest));
}

#[test]
fn members_without_effect_are_kept_and_reported() {
    let manifest = parse(r#"{"controllers": {"/": "app.js"}, "surprise": 1, "name": null}"#);
    let warnings = manifest.warnings().join("\n");
    assert!(
        warnings.contains("`controllers` is of ArangoDB 2.8") && warnings.contains("`surprise` is unknown")
    );
    assert!(json(&manifest).contains("surprise") && manifest.name().is_none());
}

#[test]
fn the_engine_decides_what_runs() {
    let server = Version::parse("3.12.9").unwrap();
    let check = |range: &str| {
        parse(&format!(r#"{{"engines": {{"arangodb": "{range}", "node": "x"}}}}"#)).check_engine(&server)
    };
    assert_eq!(check("^3.0.0").unwrap(), None);
    assert_eq!(parse("{}").check_engine(&server).unwrap(), None);
    assert!(check("^4.0.0").unwrap().unwrap().contains("excludes this server's version 3.12.9"));
    let error = check("^2.8.0").unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidServiceManifest);
    assert!(error.message().contains("services for ArangoDB 2.8 do not run here"));
}
