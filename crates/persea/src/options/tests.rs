//! Each option has one definition for all sources, the stronger source wins, and errors name the
//! mistake.

use super::*;

fn read(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Options, String> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let lookup = |name: &str| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    match super::read(&arguments, &lookup).map_err(|mistake| mistake.text)? {
        Request::Run(options) => Ok(options),
        Request::Print(text) => Err(text),
    }
}

#[test]
fn values_come_from_the_command_line_in_all_its_forms() {
    let options =
        read(&["--server.authentication", "false", "--memory-limit=512MB", "--log.use-json-format"], &[])
            .unwrap();
    assert!(!options.get(&server::AUTHENTICATION) && options.get(&log::USE_JSON_FORMAT));
    assert_eq!(options.get(&general::MEMORY_LIMIT), Some(512_000_000));
    let options =
        read(&["--server.endpoint", "tcp://0.0.0.0:1", "--server.endpoint", "tcp://0.0.0.0:2"], &[]).unwrap();
    assert_eq!(options.get(&server::ENDPOINT), ["tcp://0.0.0.0:1", "tcp://0.0.0.0:2"]);
    let options = read(&["--log.use-json-format", "data", "--server.authentication", "false"], &[]).unwrap();
    assert_eq!(options.get(&database::DIRECTORY), "data");
}

#[test]
fn defaults_hold_where_nothing_is_said() {
    let options = read(&[], &[]).unwrap();
    assert_eq!(options.get(&server::ENDPOINT), ["tcp://127.0.0.1:8529"]);
    assert!(options.get(&server::AUTHENTICATION));
}

#[test]
fn the_command_line_beats_the_environment_which_beats_the_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "# c\nmemory-limit = 1GB\n[log]\nlevel = debug\nuse-json-format = true\n[server]\nendpoint=tcp://1.1.1.1:1\n").unwrap();
    let path = file.path().to_str().unwrap();
    let environment = [("PERSEA_LOG_LEVEL", "warning"), ("PERSEA_MEMORY_LIMIT", "2GB")];
    let options = read(&["--configuration", path, "--memory-limit", "3GB"], &environment).unwrap();
    assert_eq!(options.get(&general::MEMORY_LIMIT), Some(3_000_000_000));
    assert_eq!(options.get(&log::LEVEL), ["warning"]);
    assert!(options.get(&log::USE_JSON_FORMAT));
    assert_eq!(options.get(&server::ENDPOINT), ["tcp://1.1.1.1:1"]);
}

#[test]
fn mistakes_are_named() {
    assert!(read(&["--server.endpiont", "x"], &[]).unwrap_err().contains("--server.endpoint"));
    assert!(read(&["--server.authentication=perhaps"], &[]).unwrap_err().contains("true or false"));
    assert!(read(&["--memory-limit"], &[]).unwrap_err().contains("needs a value"));
    assert!(read(&["data", "stray"], &[]).unwrap_err().contains("stray"));
    assert!(read(&["--configuration", "/nowhere/file"], &[]).unwrap_err().contains("/nowhere/file"));
}

#[test]
fn every_definition_has_a_valid_default_and_stands_in_the_help() {
    let text = read(&["--help"], &[]).unwrap_err();
    for definition in SERVER.definitions() {
        if !definition.default.is_empty() {
            assert!(
                read(&[&format!("--{}={}", definition.name, definition.default)], &[]).is_ok(),
                "{}",
                definition.name
            );
        }
        assert!(text.contains(&format!("--{}", definition.name)), "{}", definition.name);
    }
}

#[test]
fn ignored_options_of_arangodb_are_accepted_and_noted() {
    let options = read(
        &[
            "--javascript.allow-port-testing",
            "true",
            "--foxx.store=false",
            "--server.authentication",
            "--query.max-parallelism",
            "5",
        ],
        &[],
    )
    .unwrap();
    assert_eq!(options.ignored(), ["javascript.allow-port-testing", "foxx.store", "query.max-parallelism"]);
    assert!(options.get(&server::AUTHENTICATION));
    assert!(read(&["--audit.output", "x"], &[]).unwrap_err().contains("--audit.output is refused"));
}

#[test]
fn the_folder_of_services_is_a_whole_path() {
    let folder = |arguments| {
        let options = read(arguments, &[]).unwrap();
        foxx::settings(&options, Some(std::path::Path::new("data"))).folder
    };
    let here = std::env::current_dir().unwrap();
    assert_eq!(folder(&[]), here.join("data/apps"));
    assert_eq!(folder(&["--javascript.app-path", "x"]), here.join("x"));
}

#[test]
fn a_file_may_have_names_that_stand_for_values() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[database]\ndirectory = @ROOT@/data@HOST@\n[temp]\npath = a@b\n").unwrap();
    let path = file.path().to_str().unwrap();
    let options = read(&["-c", path, "--define", "ROOT=/srv"], &[("HOST", "1")]).unwrap();
    assert_eq!(options.get(&database::DIRECTORY), "/srv/data1");
    assert_eq!(options.get(&temp::PATH), Some("a@b"));
    let missing = read(&["-c", path], &[("HOST", "1")]).unwrap_err();
    assert!(missing.contains("@ROOT@"), "{missing}");
}

#[test]
fn some_options_only_print() {
    assert!(read(&["--help-tcp"], &[]).unwrap_err().contains("--tcp.backlog-size"));
    assert!(!read(&["--help-tcp"], &[]).unwrap_err().contains("--log.level"));
    assert!(read(&["--version"], &[]).unwrap_err().starts_with("3.12."));
    let json: serde_json::Value = serde_json::from_str(&read(&["--version-json"], &[]).unwrap_err()).unwrap();
    assert!(json["persea-version"].is_string());
    let json: serde_json::Value = serde_json::from_str(&read(&["--dump-options"], &[]).unwrap_err()).unwrap();
    assert_eq!(json["http.max-connections"]["default"], 16_384);
    assert_eq!(json["http.max-connections"]["section"], "http");
}

#[test]
fn values_are_shown_with_their_types_and_without_secrets() {
    let options =
        read(&["--server.password", "p", "--log.level", "debug", "--http.keep-alive-timeout", "1.5"], &[])
            .unwrap();
    let json: serde_json::Value =
        serde_json::from_str(&velocypack::Slice::new(&options.values().unwrap()).to_json_string()).unwrap();
    assert_eq!(json["server.authentication"], true);
    assert_eq!(json["http.keep-alive-timeout"], 1.5);
    assert_eq!(json["http.max-body-size"], 1 << 30);
    assert_eq!(json["log.level"], serde_json::json!(["debug"]));
    assert_eq!(json.get("server.password"), None);
}

#[test]
fn tables_stay_open_as_memory_and_descriptors_allow() {
    let budget = storage::MemoryBudget::split(2 << 30);
    let open = |arguments: &[&str], descriptors| {
        rocksdb::max_open_files(&read(arguments, &[]).unwrap(), &budget, descriptors)
    };
    // A load of ten million documents leaves about 800 tables.
    assert_eq!(open(&[], 1 << 20), budget.block_cache_bytes / (256 << 10));
    assert!(open(&[], 1 << 20) > 1_500);
    assert_eq!((open(&[], 2_000), open(&[], 100)), (1_000, 512));
    assert_eq!(open(&["--rocksdb.max-open-files", "77"], 1 << 20), 77);
}
