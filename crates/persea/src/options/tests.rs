//! One definition feeds all sources, the stronger source wins, and mistakes are named.

use super::*;

fn read(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Options, String> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let lookup = |name: &str| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    match Options::read(&arguments, &lookup)? {
        Request::Run(options) => Ok(options),
        Request::Print(text) => Err(text),
    }
}

#[test]
fn values_come_from_the_command_line_in_all_its_forms() {
    let options =
        read(&["--server.authentication", "false", "--memory-limit=512MB", "--log.use-json-format"], &[])
            .unwrap();
    assert!(!options.flag("server.authentication") && options.flag("log.use-json-format"));
    assert_eq!(options.number("memory-limit"), 512_000_000);
    let options =
        read(&["--server.endpoint", "tcp://0.0.0.0:1", "--server.endpoint", "tcp://0.0.0.0:2"], &[]).unwrap();
    assert_eq!(options.all("server.endpoint"), ["tcp://0.0.0.0:1", "tcp://0.0.0.0:2"]);
}

#[test]
fn defaults_hold_where_nothing_is_said() {
    let options = read(&[], &[]).unwrap();
    assert_eq!(options.text("server.endpoint"), Some("tcp://127.0.0.1:8529"));
    assert!(options.flag("server.authentication"));
}

#[test]
fn the_command_line_beats_the_environment_which_beats_the_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "# c\nmemory-limit = 1GB\n[log]\nlevel = debug\nuse-json-format = true\n[server]\nendpoint=tcp://1.1.1.1:1\n").unwrap();
    let path = file.path().to_str().unwrap();
    let environment = [("PERSEA_LOG_LEVEL", "warning"), ("PERSEA_MEMORY_LIMIT", "2GB")];
    let options = read(&["--configuration", path, "--memory-limit", "3GB"], &environment).unwrap();
    assert_eq!(options.number("memory-limit"), 3_000_000_000);
    assert_eq!(options.text("log.level"), Some("warning"));
    assert!(options.flag("log.use-json-format"));
    assert_eq!(options.all("server.endpoint"), ["tcp://1.1.1.1:1"]);
}

#[test]
fn mistakes_are_named() {
    assert!(read(&["--server.endpiont", "x"], &[]).unwrap_err().contains("--server.endpoint"));
    assert!(read(&["--server.authentication", "perhaps"], &[]).unwrap_err().contains("true or false"));
    assert!(read(&["--memory-limit"], &[]).unwrap_err().contains("needs a value"));
    assert!(read(&["stray"], &[]).unwrap_err().contains("stray"));
    assert!(read(&["--configuration", "/nowhere/file"], &[]).unwrap_err().contains("/nowhere/file"));
}

#[test]
fn every_definition_has_a_valid_default_and_stands_in_the_help() {
    let text = help();
    for definition in DEFINITIONS {
        if !definition.default.is_empty() {
            assert!(definition.kind.check(definition.default).is_ok(), "{}", definition.name);
        }
        assert!(text.contains(&format!("--{}", definition.name)), "{}", definition.name);
    }
}
