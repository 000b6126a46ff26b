//! Tests of the options.

use options::{Options, Request, Version};
use velocypack::Builder;

use super::options::{Operation, PROGRAM, Settings};
use crate::Failure;

const VERSION: Version = Version { compatible: "3.12.0", own: "1", license: "L", commit: "" };

fn read(line: &str) -> Result<Settings, Failure> {
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match Options::read(&PROGRAM, VERSION, &arguments, &|_| None)? {
        Request::Run(options) => Settings::read(&options),
        Request::Print(text) => panic!("{text}"),
    }
}

#[test]
fn the_source_is_written_as_the_server_reads_it() {
    let line = "start --source.endpoint ssl://a:1 --source.username u --source.password p --source.database x \
                --source.database y --source.cafile /c";
    let settings = read(line).unwrap();
    let mut body = Builder::new();
    body.open_object().unwrap();
    settings.source.write(&mut body).unwrap();
    body.close().unwrap();
    let expected = r#"{"endpoint":"ssl://a:1","username":"u","password":"p","databases":["x","y"],"tls":{"caFile":"/c","verify":true}}"#;
    assert_eq!(body.as_slice().to_json_string(), expected);
    assert_eq!(settings.operation, Operation::Start);
    assert_eq!(read("").unwrap().operation, Operation::Status);
}

#[test]
fn a_missing_source_and_two_credentials_are_refused() {
    for operation in ["probe", "start", "compare"] {
        let failure = read(operation).unwrap_err();
        assert!(
            failure.exit_code() == 4 && failure.text().contains("--source.endpoint"),
            "{}",
            failure.text()
        );
    }
    for operation in ["status", "pause", "resume", "cut-over", "abort"] {
        assert!(read(operation).is_ok(), "{operation}");
    }
    let both = "probe --source.endpoint tcp://a --source.jwt-token t --source.password p";
    assert!(read(both).unwrap_err().text().contains("--source.jwt-token"));
    assert_eq!(read("cutover").unwrap_err().exit_code(), 4);
}
