//! Tests: one definition feeds all sources, the stronger source wins, and errors name the mistake.

use super::*;

section! {
    static CONFIGURATION: Opt<Maybe<Text>> = text("configuration", "", "file").optional();
    static DEFINE: Opt<List<Text>> = text("define", "", "names").list();
    static FILE: Opt<Maybe<Text>> = text("file", "", "what to read").optional();
    static FORCE: Opt<Flag> = flag("force", false, "do it anyway").letter('f');
    static OUTPUT: Opt<Maybe<Text>> = text("output", "", "where to").optional().letter('o');
    static PROGRESS: Opt<Flag> = flag("progress", true, "say how far it is");
    static BATCH_SIZE: Opt<Bytes> = bytes("batch-size", "4MiB", "bytes").uncommon();
    static PERCENTILE: Opt<List<Decimal>> = decimal("percentile", "50", "which").list();
    static COLOR: Opt<Choice<char>> = choice("color", &[("red", 'r'), ("blue", 'b')], "blue", "which");
    static ENDPOINT: Opt<List<Text>> = text("server.endpoint", "tcp://localhost", "where").list();
    static PASSWORD: Opt<Maybe<Text>> = text("server.password", "", "secret").optional().secret();
    static THREADS: Opt<Number> = number("server.threads", "8", "threads");
    static TIMEOUT: Opt<Seconds> = seconds("server.timeout", "0.5", "seconds");
}

mod more {
    use super::*;

    section! {
        pub(super) static VERBOSE: Opt<Flag> = flag("verbose", false, "say more");
    }
}

static PROGRAM: Program = Program {
    name: "tool",
    usage: "[FILE]",
    about: "Does things.",
    sections: &[ROWS, more::ROWS],
    configuration: &CONFIGURATION,
    define: &DEFINE,
    ignored: &[&[Unsupported { reason: "there is no cluster", names: &["number-of-shards"] }]],
    refused: &[&[Unsupported { reason: "files are not encrypted", names: &["encryption.keyfile"] }]],
    environment_prefix: "TOOL_",
    unnamed: Some(FILE.row()),
};

const VERSION: Version = Version { compatible: "3.12.0", own: "1", license: "L", commit: "" };

fn read(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Options, String> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let lookup = |name: &str| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    match Options::read(&PROGRAM, VERSION, &arguments, &lookup).map_err(|mistake| mistake.text)? {
        Request::Run(options) => Ok(options),
        Request::Print(text) => Err(text),
    }
}

#[test]
fn an_argument_without_a_name_may_stand_anywhere() {
    for arguments in [
        &["data", "--progress"][..],
        &["--progress", "data"],
        &["--server.threads", "2", "data", "--verbose", "false"],
        &["--file=data"],
    ] {
        let options = read(arguments, &[]).unwrap();
        assert_eq!(options.get(&FILE), Some("data"), "{arguments:?}");
        assert!(options.get(&PROGRESS) && !options.get(&more::VERBOSE), "{arguments:?}");
    }
    assert_eq!(read(&["-"], &[]).unwrap().get(&FILE), Some("-"));
    let two = read(&["data", "--verbose", "other"], &[]).unwrap_err();
    assert_eq!(two, "at most one value of --file is expected, got \"data\" and \"other\"");
}

#[test]
fn at_signs_name_variables_also_on_the_command_line() {
    let options = read(&["@HOME@/x", "--server.password", "a@@b@c"], &[("HOME", "/root")]).unwrap();
    assert_eq!(options.get(&FILE), Some("/root/x"));
    assert_eq!(options.get(&PASSWORD), Some("a@b@c"));
    assert!(read(&["@NOWHERE@"], &[]).unwrap_err().contains("@NOWHERE@"));
}

#[test]
fn some_options_have_a_letter() {
    for arguments in [&["-D", "X=a", "--file", "@X@"][..], &["--verbose", "-D", "X=a", "@X@"]] {
        assert_eq!(read(arguments, &[]).unwrap().get(&FILE), Some("a"), "{arguments:?}");
    }
    assert!(read(&["-h"], &[]).unwrap_err().starts_with("usage: tool"));
    assert!(read(&["--version=true"], &[]).unwrap_err().starts_with("3.12.0"));
    let other = read(&["-x"], &[]).unwrap_err();
    assert!(other.contains("unexpected argument \"-x\""), "{other}");
}

#[test]
fn lists_replace_their_default() {
    assert_eq!(read(&[], &[]).unwrap().get(&PERCENTILE), [50.0]);
    let options = read(&["--percentile", "1.5", "--percentile", "2"], &[]).unwrap();
    assert_eq!(options.get(&PERCENTILE), [1.5, 2.0]);
    assert!(options.is_given(&PERCENTILE) && !options.is_given(&BATCH_SIZE));
    assert!(read(&["--percentile", "x"], &[]).unwrap_err().contains("a number"));
}

#[test]
fn values_have_the_types_of_their_rows() {
    let options = read(&[], &[]).unwrap();
    assert_eq!((options.get(&COLOR), options.get(&THREADS), options.size(&BATCH_SIZE)), ('b', 8, 4 << 20));
    assert_eq!((options.get(&TIMEOUT), options.duration(&TIMEOUT).as_millis()), (0.5, 500));
    assert_eq!((options.get(&FILE), options.get(&PASSWORD)), (None, None));
    let options = read(&["--color=red", "--server.timeout", "1e30", "--file="], &[]).unwrap();
    assert_eq!((options.get(&COLOR), options.get(&FILE)), ('r', Some("")));
    assert_eq!(options.duration(&TIMEOUT), std::time::Duration::MAX);
    assert!(read(&["--color", "green"], &[]).unwrap_err().contains("one of red, blue"));
}

#[test]
fn what_is_ignored_or_refused_says_why() {
    let options = read(&["--number-of-shards", "3", "data"], &[]).unwrap();
    assert_eq!(options.ignored(), ["number-of-shards"]);
    assert_eq!(PROGRAM.why_ignored("number-of-shards"), Some("there is no cluster"));
    assert_eq!(options.get(&FILE), Some("data"));
    let refused = read(&["--encryption.keyfile", "x"], &[]).unwrap_err();
    assert!(refused.contains("files are not encrypted"), "{refused}");
}

#[test]
fn letters_stand_for_names() {
    for arguments in [&["-f", "-o", "x"][..], &["-fo", "x"], &["-f", "--output=x"]] {
        let options = read(arguments, &[]).unwrap();
        assert_eq!((options.get(&FORCE), options.get(&OUTPUT)), (true, Some("x")), "{arguments:?}");
    }
    let options = read(&["-f", "data"], &[]).unwrap();
    assert_eq!((options.get(&FORCE), options.get(&FILE)), (true, Some("data")));
    assert!(read(&["-of", "x"], &[]).unwrap_err().contains("--output must be the last one"));
    assert!(read(&["-fx"], &[]).unwrap_err().contains("unexpected argument \"-fx\""));
    assert!(read(&["-o"], &[]).unwrap_err().contains("--output needs a value"));
    assert!(read(&["--help"], &[]).unwrap_err().contains("  -f, --force <"));
}

#[test]
fn help_goes_by_section_and_leaves_out_what_is_uncommon() {
    let text = read(&["--help"], &[]).unwrap_err();
    assert!(text.starts_with("usage: tool [FILE]\n\nDoes things.\n"), "{text}");
    assert!(
        !text.contains("--batch-size") && text.contains("--verbose") && text.contains("TOOL_SERVER_ENDPOINT")
    );
    assert_eq!(text.matches("Section 'general'").count(), 1, "{text}");
    assert!(read(&["--help-all"], &[]).unwrap_err().contains("--batch-size"));
    let server = read(&["--help-server"], &[]).unwrap_err();
    assert!(server.contains("--server.threads") && !server.contains("--verbose"), "{server}");
    assert!(read(&["--help-general"], &[]).unwrap_err().contains("--batch-size"));
}

#[test]
fn files_have_sections_and_comments() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text =
        "# comment\nfile = a = b\n\n[server]\nendpoint = tcp://1\nendpoint = tcp://2\nnumber-of-shards = 1\n";
    std::fs::write(file.path(), text.replace("number-of-shards", "threads")).unwrap();
    let path = file.path().to_str().unwrap();
    let options = read(&["-c", path], &[("TOOL_SERVER_THREADS", "5")]).unwrap();
    assert_eq!(options.get(&FILE), Some("a = b"));
    assert_eq!(options.get(&ENDPOINT), ["tcp://1", "tcp://2"]);
    assert_eq!(options.get(&THREADS), 5);
    std::fs::write(file.path(), "[server]\nthreats = 1\n").unwrap();
    let mistake = read(&["-c", path], &[]).unwrap_err();
    assert!(mistake.contains(":2:") && mistake.contains("--server.threads"), "{mistake}");
    std::fs::write(file.path(), "threads\n").unwrap();
    assert!(read(&["-c", path], &[]).unwrap_err().contains(&format!("{path}:1:")));
    assert!(read(&["-c", "None"], &[]).is_ok());
}

#[test]
fn options_and_their_values_can_be_dumped() {
    let json: serde_json::Value = serde_json::from_str(&read(&["--dump-options"], &[]).unwrap_err()).unwrap();
    assert_eq!(json["batch-size"]["default"], 4 << 20);
    assert_eq!(json["percentile"]["type"], "double...");
    let options = read(&["--server.password", "p"], &[]).unwrap();
    let values: serde_json::Value =
        serde_json::from_str(&velocypack::Slice::new(&options.values().unwrap()).to_json_string()).unwrap();
    assert_eq!(values["percentile"], serde_json::json!([50]));
    assert_eq!(values.get("server.password"), None);
}

#[test]
fn mistakes_have_the_exit_codes_of_arangodb() {
    for (arguments, code) in [
        (&["--nothing", "1"][..], 3),
        (&["--server.threads", "x"], 4),
        (&["--server.threads"], 4),
        (&["-c", "/nowhere"], 6),
    ] {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let mistake = Options::read(&PROGRAM, VERSION, &arguments, &|_| None).unwrap_err();
        assert_eq!(mistake.exit_code(), code, "{mistake}");
    }
}

#[test]
fn the_manual_has_every_option_and_escapes_what_roff_reads() {
    let manual =
        Manual { program: &PROGRAM, summary: "does things", links: &["arangotool"], see_also: "persea" };
    let page = manual.page(VERSION);
    for definition in PROGRAM.definitions() {
        assert!(page.contains(&format!("\\-\\-{}", definition.name.replace('-', "\\-"))), "{page}");
    }
    assert!(page.starts_with(".TH TOOL 1 "), "{page}");
    assert!(page.contains(".BI \\-\\-color \" red|blue\"\nwhich\nDefault: blue.\n"), "{page}");
    assert!(overview(&[("tool", "does 'things'")], VERSION).contains(".B tool\ndoes 'things'"));
}

#[test]
fn completions_have_commands_options_and_values() {
    let commands = [Command { name: "tool", summary: "does", links: &["arangotool"], program: &PROGRAM }];
    for (shell, parts) in [
        (
            Shell::Bash,
            [
                "tool|arangotool)",
                "--color) values='red blue'",
                "complete -o filenames -F _persea persea arangotool",
            ],
        ),
        (
            Shell::Zsh,
            [
                "#compdef persea arangotool",
                "'--color[which]:value:(red blue)'",
                "'*--percentile[which]:value:_files'",
            ],
        ),
        (
            Shell::Fish,
            [
                "-a tool -d 'does'",
                "-l color -r -f -a 'red blue' -d 'which'",
                "complete -c arangotool -l server.endpoint",
            ],
        ),
    ] {
        let script = completion(shell, "persea", &commands);
        parts.iter().for_each(|part| assert!(script.contains(part), "{part} is not in\n{script}"));
    }
}

#[test]
fn the_parts_of_a_program_are_a_graph() {
    let graph = read(&["--dump-dependencies"], &[]).unwrap_err();
    assert!(graph.starts_with("digraph dependencies\n{\n") && graph.ends_with("}\n"), "{graph}");
    assert_eq!(graph.matches("-> \"server\";").count(), 1, "{graph}");
}
