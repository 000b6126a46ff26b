//! Tests of the common part of all tools: options, exit codes, and the display of progress.

use std::time::Duration;

use ::options::{Options, Program, Request, Version};
use client::{ClientOptions, Credentials, TlsVersions};

use crate::connect;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};
use crate::progress::{State, Unit};
use crate::{Failure, TOOLS};

static PROGRAM: Program = Program {
    name: "persea test",
    usage: "[--OPTION VALUE ...]",
    about: "",
    sections: &[general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: None,
};

const VERSION: Version = Version { compatible: "3.12.0", own: "1", license: "L", commit: "" };

fn read(arguments: &[&str]) -> Result<Options, Failure> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    match Options::read(&PROGRAM, VERSION, &arguments, &|_| None)? {
        Request::Run(options) => Ok(options),
        Request::Print(text) => panic!("{text}"),
    }
}

/// Returns the options of the only endpoint.
fn client_options(options: &Options) -> Result<ClientOptions, Failure> {
    server::client_options(options).map(|mut ways| ways.remove(0))
}

#[test]
fn every_default_is_valid_and_no_option_has_two_meanings() {
    for program in TOOLS.iter().map(|tool| tool.program).chain([&PROGRAM]) {
        let mut names: Vec<&str> = program.definitions().map(|definition| definition.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}", program.name);
        for definition in program.definitions() {
            assert!(program.why_ignored(definition.name).is_none(), "{}", definition.name);
            if !definition.default.is_empty() {
                let argument = vec![format!("--{}={}", definition.name, definition.default)];
                let read = Options::read(program, VERSION, &argument, &|_| None);
                assert!(read.is_ok(), "{}: {}", program.name, read.unwrap_err());
            }
        }
    }
}

#[test]
fn the_way_to_the_server_is_as_the_options_say() {
    let client = client_options(&read(&[]).unwrap()).unwrap();
    assert_eq!(client.endpoint.to_string(), "http://127.0.0.1:8529");
    assert_eq!((client.database.as_str(), client.connection_timeout), ("_system", Duration::from_secs(5)));
    assert!(
        matches!(client.credentials, Credentials::Basic { user, password } if user == "root" && password.is_empty())
    );
    let options = [
        "--server.endpoint=ssl://db:1",
        "--server.database=d",
        "--server.authentication=false",
        "--server.request-timeout=0.5",
        "--server.connection-timeout=0",
        "--compress-transfer",
        "--compress-request-threshold=1KiB",
        "--ssl.protocol=6",
    ];
    let client = client_options(&read(&options).unwrap()).unwrap();
    assert_eq!(client.endpoint.to_string(), "https://db:1");
    assert_eq!(client.request_timeout, Duration::from_millis(500));
    assert!(client.connection_timeout > Duration::from_secs(1_000_000) && client.compressed_replies);
    assert_eq!(client.compress_requests_from_bytes, Some(1024));
    assert_eq!(client.tls.versions, TlsVersions::Tls13);
    assert!(matches!(client.credentials, Credentials::None));
}

#[test]
fn there_may_be_several_ways_to_the_server() {
    let line = ["--server.endpoint=tcp://a:1", "--server.endpoint=ssl://b:2", "--server.database=d"];
    let ways = server::client_options(&read(&line).unwrap()).unwrap();
    let ways: Vec<_> = ways.iter().map(|way| (way.endpoint.to_string(), way.database.as_str())).collect();
    assert_eq!(ways, [("http://a:1".to_owned(), "d"), ("https://b:2".to_owned(), "d")]);
}

#[test]
fn a_new_database_is_for_who_asks() {
    let basic = Credentials::Basic { user: "u".to_owned(), password: "p".to_owned() };
    let of_user = r#"{"name":"d","users":[{"username":"u","passwd":"p"}]}"#;
    for (credentials, body) in [(basic, of_user), (Credentials::None, r#"{"name":"d"}"#)] {
        assert_eq!(connect::new_database("d", &credentials).unwrap(), body);
    }
}

#[test]
fn the_requester_is_named_in_one_way() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), " secret\n").unwrap();
    let keyfile = format!("--server.jwt-secret-keyfile={}", file.path().display());
    let client = client_options(&read(&[&keyfile]).unwrap()).unwrap();
    assert!(matches!(client.credentials, Credentials::JwtSecret(secret) if secret == b"secret"));
    let client = client_options(&read(&["--server.jwt-token", "t"]).unwrap()).unwrap();
    assert!(matches!(client.credentials, Credentials::Token(token) if token == "t"));
    let both = client_options(&read(&[&keyfile, "--server.username", "u"]).unwrap()).unwrap_err();
    assert!(both.text().contains("--server.username") && both.exit_code() == 4, "{}", both.text());
    std::fs::write(file.path(), "\n").unwrap();
    assert!(client_options(&read(&[&keyfile]).unwrap()).unwrap_err().text().contains("is empty"));
}

#[test]
fn mistakes_have_exit_codes() {
    assert_eq!(read(&["--server.endpiont", "x"]).unwrap_err().exit_code(), 3);
    assert_eq!(read(&["--server.request-timeout", "x"]).unwrap_err().exit_code(), 4);
    assert_eq!(read(&["--ssl.protocol", "4"]).unwrap_err().exit_code(), 4);
    let endpoint = client_options(&read(&["--server.endpoint", "vst://x"]).unwrap()).unwrap_err();
    assert!(endpoint.exit_code() == 4 && endpoint.text().contains("vst://x"));
    let refused = read(&["--encryption.keyfile", "x"]).unwrap_err();
    assert!(refused.exit_code() == 3 && refused.text().contains("does not encrypt"), "{}", refused.text());
}

#[test]
fn messages_are_as_the_options_say() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let file = format!("--log.output=file://{}", log.display());
    for (levels, shown) in [
        (&[][..], "we"),
        (&["--log.level=warn"], "w"),
        (&["--log.level", "test=ERROR"], ""),
        (&["--log.level=error,all=info"], "we"),
        (&["--log.level=error", "--log.level=requests=trace"], ""),
    ] {
        let options = read(&[&[file.as_str()], levels].concat()).unwrap();
        let console = log::open(&options).unwrap();
        console.warning("w");
        console.info("e");
        drop(console);
        let text = std::fs::read_to_string(&log).unwrap();
        let said: String = text.lines().filter_map(|line| line.chars().last()).collect();
        assert_eq!(said, shown, "{levels:?}");
        std::fs::remove_file(&log).unwrap();
    }
    let wrong = log::open(&read(&["--log.level", "test=loud"]).unwrap()).unwrap_err();
    assert!(wrong.exit_code() == 4 && wrong.text().contains("test=loud"), "{}", wrong.text());
    let console = log::open(&read(&[&file, "--log.use-json-format"]).unwrap()).unwrap();
    console.error("a \"b\"\n");
    let text = std::fs::read_to_string(&log).unwrap();
    let expected = "\"level\":\"ERROR\",\"message\":\"a \\\"b\\\"\\n\"}\n";
    assert!(text.starts_with("{\"time\":\"2") && text.ends_with(expected), "{text}");
}

#[test]
fn bars_fit_the_terminal() {
    let seconds = Duration::from_secs;
    let half = State { unit: Unit::Bytes, done: 50_000_000, total: Some(100_000_000), elapsed: seconds(10) };
    let bar = "import [===========            ]  50 % 50.0 MB of 100.0 MB, 5.0 MB/s, 0:10 left";
    assert_eq!(half.bar("import", 80), bar);
    for columns in [20, 40, 60, 200] {
        assert!(half.bar("import", columns).chars().count() < columns, "{columns}");
    }
    assert_eq!(half.line("import"), "import: 50 %, 50.0 MB of 100.0 MB, 5.0 MB/s, 0:10 left");
    let open = State { unit: Unit::Items("documents"), done: 1_234, total: None, elapsed: seconds(3723) };
    assert_eq!(open.line("export"), "export: 1234 documents, 0 documents/s");
    assert_eq!(open.bar("export", 80), "export 1234 documents, 0 documents/s, 1:02:03");
    let more = State { done: 3, total: Some(2), ..open };
    assert!(more.line("x").starts_with("x: 100 %"));
}
