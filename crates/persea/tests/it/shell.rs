//! Runs the transcripts in `tests/shell`, whose README describes the format.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use harness::DEADLINE;

use crate::support::tool::{self, command};
use crate::support::{PROGRAM, Server, tests_folder};

#[test]
fn transcripts() {
    let wanted = std::env::var("PERSEA_TEST").unwrap_or_default();
    let mut files: Vec<_> =
        fs::read_dir(tests_folder().join("shell")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.retain(|path| path.to_string_lossy().contains(&wanted));
    files.sort();
    assert!(!files.is_empty(), "no transcripts");
    let failures: Vec<String> = files.iter().flat_map(|path| run(path)).collect();
    assert!(failures.is_empty(), "{} statements failed:\n\n{}", failures.len(), failures.join("\n\n"));
}

/// A statement, and the output that is expected.
struct Step {
    statement: String,
    expected: String,
}

fn run(path: &Path) -> Vec<String> {
    let transcript = fs::read_to_string(path).unwrap();
    let head = transcript.lines().take_while(|line| !line.starts_with("> "));
    let options = |name: &str| -> Vec<String> {
        let lines = head.clone().filter_map(|line| line.strip_prefix(name));
        lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    let (server_options, shell_options) = (options("# server:"), options("# shell:"));
    let steps = parse(&transcript);
    let folder = tempfile::tempdir().unwrap();
    let server_options: Vec<&str> = server_options.iter().map(String::as_str).collect();
    let server = Server::start(folder.path(), &server_options);
    let shell_options: Vec<&str> = shell_options.iter().map(String::as_str).collect();
    let outputs = outputs(&server, &shell_options, &steps);
    let mut failures = Vec::new();
    let mut updated = head.clone().fold(String::new(), |text, line| text + line + "\n");
    for (step, output) in steps.iter().zip(&outputs) {
        let is_right = matches(&step.expected, output);
        if !is_right {
            failures.push(format!(
                "{}: {}\nexpected:\n{}\nprinted:\n{output}",
                path.display(),
                step.statement,
                step.expected
            ));
        }
        write_step(&mut updated, &step.statement, if is_right { &step.expected } else { output });
    }
    if std::env::var_os("PERSEA_UPDATE_GOLDEN").is_some() {
        fs::write(path, updated).unwrap();
        return Vec::new();
    }
    failures
}

fn parse(transcript: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in transcript.lines() {
        if let Some(statement) = line.strip_prefix("> ") {
            steps.push(Step { statement: statement.to_owned(), expected: String::new() });
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix(". ").filter(|_| step.expected.is_empty()) {
                Some(more) => step.statement = format!("{}\n{more}", step.statement),
                None => step.expected = format!("{}{line}\n", step.expected),
            }
        }
    }
    steps
}

fn write_step(into: &mut String, statement: &str, output: &str) {
    writeln!(into, "> {}", statement.replace('\n', "\n. ")).unwrap();
    for line in output.lines() {
        writeln!(into, "{}", blurred(line)).unwrap();
    }
}

/// Puts `...` for the parts of a line that differ between runs.
fn blurred(line: &str) -> String {
    let mut line = line.to_owned();
    for (before, after) in [
        ("<statement ", ">"),
        ("_rev\" : \"", "\""),
        ("_oldRev\" : \"", "\""),
        ("revision\" : \"", "\""),
        ("\"_rev\":\"", "\""),
        ("[ArangoCollection ", ","),
        ("peak mem [b]: ", ","),
        ("/tmp/tmp-", "/"),
    ] {
        if let Some((head, rest)) = line.split_once(before)
            && let Some((_, tail)) = rest.split_once(after)
        {
            line = format!("{head}{before}...{after}{tail}");
        }
    }
    match line.split_once("exec time [s]: ") {
        Some((head, _)) => format!("{head}exec time [s]: ..."),
        None => line,
    }
}

/// Runs all statements in one shell, and returns the output of each.
fn outputs(server: &Server, options: &[&str], steps: &[Step]) -> Vec<String> {
    let mut input = String::new();
    for (number, step) in steps.iter().enumerate() {
        writeln!(input, "{}\nprint_plain('---- end of {number}')", step.statement).unwrap();
    }
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut shell = command(server, "shell", options);
    shell.stdin(Stdio::piped()).stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = shell.spawn().unwrap();
    // The command holds the writing end of the pipe, which must close before the reader ends.
    drop(shell);
    let mut stdin = child.stdin.take().unwrap();
    let typist = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    // A shell that ended early reads no more.
    let _ = typist.join().unwrap();
    let mut rest = text.as_str();
    let mut outputs = Vec::new();
    for number in 0..steps.len() {
        let (output, behind) = rest.split_once(&format!("---- end of {number}\n")).unwrap_or((rest, ""));
        outputs.push(output.to_owned());
        rest = behind;
    }
    outputs
}

/// Compares output with what is expected, in which `...` stands for any text within a line.
fn matches(expected: &str, output: &str) -> bool {
    let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (expected, output) = (lines(expected), lines(output));
    expected.len() == output.len()
        && expected.iter().zip(&output).all(|(line, found)| line_matches(line, found))
}

fn line_matches(expected: &str, found: &str) -> bool {
    let mut parts = expected.split("...");
    let Some(mut rest) = found.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        let at = if is_last {
            rest.len().checked_sub(part.len()).filter(|_| rest.ends_with(part))
        } else {
            rest.find(part)
        };
        let Some(at) = at else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.is_empty()
}

#[test]
fn files_texts_and_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    tool::write(folder.path(), "helper.js", "exports.twice = function (x) { return 2 * x; };");
    tool::write(folder.path(), "data.json", "{\"a\": [1, 2]}");
    let script = tool::write(
        folder.path(),
        "script.js",
        "#!/usr/bin/arangosh --javascript.execute \nconst helper = require('./helper');\n\
         print(helper.twice(21), require('./data').a.length, ARGUMENTS);\nvar kept = __dirname === require('path').dirname(__filename);\n",
    );
    let expected = "42 2 [ \n  \"x\", \n  \"y\" \n]\n";
    let said = tool::run(&server, "shell", &[&script, "x", "y"]).success();
    assert_eq!(said.stdout, expected);
    let with_text = ["--javascript.execute", &script, "--javascript.execute-string", "print(kept)", "x", "y"];
    let said = tool::run(&server, "shell", &with_text).success();
    assert_eq!(said.stdout, format!("{expected}true\n"));

    let options = tool::write(
        folder.path(),
        "options.js",
        "print(JSON.stringify(require('internal').parseArgv(ARGUMENTS, 0)), load('sum.js'))",
    );
    tool::write(folder.path(), "sum.js", "var one = 1;\none + 1\n");
    let mut command = tool::command(
        &server,
        "shell",
        &["--javascript.execute", &options, "--", "--opt", "v", "--no", "false"],
    );
    let said = tool::said(command.current_dir(folder.path()).spawn().unwrap());
    assert_eq!(said.success().stdout, "{\"opt\":\"v\",\"no\":false} 2\n");
    let elsewhere = tempfile::tempdir().unwrap();
    let finder = tool::write(elsewhere.path(), "finder.js", "print(require('./helper').twice(4))");
    let named = ["--javascript.module-directory", folder.path().to_str().unwrap(), &finder];
    assert_eq!(tool::run(&server, "shell", &named).success().stdout, "8\n");

    let broken = tool::write(
        folder.path(),
        "broken.js",
        "print('begun');\n\nfunction f() {\n  db._document('a/b');\n}\nf();\nprint('never');\n",
    );
    let said = tool::run(&server, "shell", &[&broken]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), "begun\n"));
    assert!(said.stderr.contains(&format!("JavaScript exception in file '{broken}' at 4,")), "{said:?}");
    assert!(
        said.stderr.contains("ArangoError 1203: ") && said.stderr.contains("!    db._document('a/b');"),
        "{said:?}"
    );

    let wrong = tool::write(folder.path(), "wrong.js", "var a = 1;\nvar = 2;\n");
    let said = tool::run(
        &server,
        "shell",
        &["--javascript.check-syntax", &wrong, "--javascript.check-syntax", &broken],
    );
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("wrong.js' at 2,") && said.stderr.contains("1 of 2 files"), "{said:?}");

    let said = tool::run(&server, "shell", &["--javascript.execute-string", "exit(7)"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(7), ""));
    let said = tool::run(
        &server,
        "shell",
        &["--javascript.execution-deadline", "1", "--javascript.execute-string", "for (;;);"],
    );
    assert!(said.code == Some(1) && said.stderr.contains("deadline"), "{said:?}");
    let alone = "try { db._version() } catch (e) { print(e.errorNum, arango.getEndpoint()) }";
    let connect = format!(
        "{alone} arango.reconnect('{}', '_system', 'root', ''); print(db._name())",
        server.endpoint()
    );
    let said = tool::said(
        tool::command_at("none", "shell", &["--javascript.execute-string", &connect]).spawn().unwrap(),
    );
    assert_eq!(said.success().stdout, "2001 none\n_system\n");
    let said = tool::run(&server, "shell", &["--javascript.unit-tests", "x"]);
    assert!(said.code != Some(0) && said.stderr.contains("refused"), "{said:?}");
}

/// The loop that the texts about cursors measure with, as they have it.
#[test]
fn the_loop_of_the_measurements_runs_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let script = "var time = require(\"internal\").time; function test(query, n) { var s = time(); \
                  for (var i = 0; i < n; ++i) { var c = db._query(query); while (c.hasNext()) c.next(); } return time() - s; }";
    let source =
        format!("{script} print(test(\"RETURN 1\", 100) < 60, test(\"FOR i IN 1..2500 RETURN i\", 3) < 60)");
    let said = tool::run(&server, "shell", &["--javascript.execute-string", &source]).success();
    assert_eq!(said.stdout, "true true\n");
}

/// A person at a terminal, which `script` makes: several lines, completion, Ctrl-C, history.
#[test]
fn a_prompt_on_a_terminal() {
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut terminal = Terminal::open(&server, folder.path(), &["--server.password="]);
    terminal.screen.wait_for("Persea shell");
    terminal.screen.wait_for("_system> ");
    for (typed, expected) in [
        ("var answer = [\r20,\r22].reduce((a, b) => a + b)\r", "_system> "),
        ("answer\r", "42"),
        ("db._create('orders').name()\r", "orders"),
        ("db.ord\t.count()\r", "0"),
        ("while (true) {}\r", "while (true) {}"),
        ("\x03", "interrupted"),
        ("db._query('RETURN SLEEP(60)')\r", "SLEEP(60)"),
        ("\x03", "interrupted"),
        ("db._createDatabase('shop'); db._useDatabase('shop')\r", "shop> "),
        ("nothing.x\r", "ReferenceError"),
        ("exit\r", "exit"),
    ] {
        terminal.type_until(typed, expected);
    }
    let Terminal { mut child, stdin, .. } = terminal;
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let history = fs::read_to_string(folder.path().join(".persea_history")).unwrap();
    assert!(history.contains("answer\n") && history.contains("20,"), "{history}");
}

/// A server that takes the empty password makes nobody type one.
#[test]
fn a_password_is_asked_for_after_a_refusal() {
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let authentication = ["--server.authentication", "true"];
    let secret = [authentication[0], "true", "--server.password", "secret"];
    let open = Server::start(&folder.path().join("open"), &authentication);
    let closed = Server::start(&folder.path().join("closed"), &secret);
    for (server, typed) in [(open, None), (closed, Some("secret\r"))] {
        let mut terminal = Terminal::open(&server, folder.path(), &[]);
        if let Some(typed) = typed {
            terminal.screen.wait_for("password of root: ");
            terminal.type_until(typed, "Persea shell, connected");
        } else {
            terminal.screen.wait_for("Persea shell, connected");
            assert!(!terminal.screen.passed.contains("password"), "{}", terminal.screen.passed);
        }
        terminal.child.kill().unwrap();
        terminal.child.wait().unwrap();
    }
}

/// The number of times that something is typed at most.
const ATTEMPTS: u32 = 4;

/// A shell at a terminal, which the program `script` makes.
struct Terminal {
    child: Child,
    stdin: ChildStdin,
    screen: Screen,
}

impl Terminal {
    fn open(server: &Server, home: &Path, options: &[&str]) -> Self {
        // Some system shells that stay between `script` and the tool die of its Ctrl-C.
        let shell = format!(
            "exec {} shell --server.endpoint {} --console.colors false --console.prompt '%d> ' {}",
            PROGRAM,
            server.endpoint(),
            options.join(" ")
        );
        let mut terminal = Command::new("script");
        terminal.args(["-qec", &shell, "/dev/null"]).env("HOME", home).env("TERM", "xterm");
        let mut child = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let screen = Screen::new(child.stdout.take().unwrap());
        Terminal { child, stdin, screen }
    }

    /// Types until a text appears, once or more.
    ///
    /// The terminal echoes a statement or a question a moment before it takes what is typed next.
    /// Nothing marks the end of that moment, and input that arrives in it may be lost.
    fn type_until(&mut self, typed: &str, expected: &str) {
        let shows = (0..ATTEMPTS).any(|_| {
            std::thread::sleep(Duration::from_millis(200));
            self.stdin.write_all(typed.as_bytes()).unwrap();
            self.stdin.flush().unwrap();
            self.screen.shows(expected, DEADLINE / ATTEMPTS)
        });
        assert!(shows, "{expected:?} does not appear: {}", self.screen.output);
    }
}

/// The output of a terminal, before and after the last text that somebody waited for.
struct Screen {
    output: String,
    passed: String,
    arriving: Receiver<Vec<u8>>,
}

impl Screen {
    fn new(mut stdout: ChildStdout) -> Self {
        let (sender, arriving) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Screen { output: String::new(), passed: String::new(), arriving }
    }

    /// Reads until a text appears.
    fn wait_for(&mut self, expected: &str) {
        assert!(self.shows(expected, DEADLINE), "{expected:?} does not appear: {}", self.output);
    }

    /// Reads until a text appears. Returns false if it does not in this time.
    fn shows(&mut self, expected: &str, time: Duration) -> bool {
        let begin = Instant::now();
        loop {
            if let Some(at) = self.output.find(expected) {
                self.passed.extend(self.output.drain(..at + expected.len()));
                return true;
            }
            match self.arriving.recv_timeout(time.saturating_sub(begin.elapsed())) {
                Ok(bytes) => self.output.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => return false,
            }
        }
    }
}
