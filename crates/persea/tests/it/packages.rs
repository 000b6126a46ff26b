//! The packages of `scripts/package`: their files, modes and scripts, the documents in them, and
//! the container's first start.
//!
//! A part is skipped where its program is not installed. The test installs the Debian package in an
//! overlay if it runs as root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{PROGRAM, tests_folder};

pub(crate) fn repository() -> PathBuf {
    tests_folder().join("..").canonicalize().unwrap()
}

pub(crate) fn has(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
    if !found.status.success() {
        println!("skipped: {program} is not installed");
    }
    found.status.success()
}

/// Runs a command that must succeed, and returns its standard output.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", everything(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn everything(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

/// Makes packages of the tested binary without compression.
fn package(kinds: &[&str], output: &Path) {
    let mut command = Command::new(repository().join("scripts/package"));
    command.args(kinds).env("PERSEA_PACKAGES", output).env("PERSEA_COMPRESSION", "none");
    run(command.env("PERSEA_PROGRAM", PROGRAM).env("SOURCE_DATE_EPOCH", "1800000000"));
}

fn only_file(folder: &Path, extension: &str) -> PathBuf {
    let mut paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.find(|path| path.extension().is_some_and(|found| found == extension)).unwrap()
}

/// Returns the expected files: a mode and a path a line.
fn expected_files() -> Vec<String> {
    let text = fs::read_to_string(tests_folder().join("packages/files.txt")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_debian_package_has_its_files_and_can_be_installed() {
    if !has("dpkg-deb") || !has("strip") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    package(&["deb"], folder.path());
    let deb = only_file(folder.path(), "deb");
    let listed = run(Command::new("dpkg-deb").arg("--contents").arg(&deb));
    let mut files: Vec<String> = Vec::new();
    for line in listed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [mode, owner, _, _, _, path @ ..] = words.as_slice() else { panic!("{line}") };
        assert_eq!(*owner, "root/root", "{line}");
        files.push(format!("{mode} {}", path.join(" ").trim_start_matches("./")));
    }
    files.retain(|file| file != "drwxr-xr-x ");
    files.sort_by_key(|file| file.split(' ').nth(1).unwrap_or_default().to_owned());
    assert_eq!(files.join("\n"), expected_files().join("\n"));
    let control = folder.path().join("control");
    run(Command::new("dpkg-deb").arg("--control").arg(&deb).arg(&control));
    assert_eq!(fs::read_to_string(control.join("conffiles")).unwrap(), "/etc/persea/persea.conf\n");
    for script in ["postinst", "prerm", "postrm"] {
        run(Command::new("sh").arg("-n").arg(control.join(script)));
    }
    let fields = fs::read_to_string(control.join("control")).unwrap();
    for field in ["Package: persea\n", "Version: 0.1.0\n", "Conflicts: arangodb3, arangodb3-client\n"] {
        assert!(fields.contains(field), "{fields}");
    }
    if rustix::process::geteuid().is_root() && has("setpriv") && has("debconf-set-selections") {
        println!("{}", run(Command::new(tests_folder().join("packages/install")).arg(&deb)));
    }
}

/// The newest versions of symbols of Ubuntu 22.04, the oldest system that the packages are for.
const NEWEST_SYMBOLS: &[(&str, &[u32])] =
    &[("GLIBC_", &[2, 35]), ("GLIBCXX_", &[3, 4, 30]), ("CXXABI_", &[1, 3, 13]), ("GCC_", &[12, 0, 0])];

#[test]
fn the_program_needs_no_newer_libraries_than_its_oldest_system_has() {
    if !has("objdump") {
        return;
    }
    let program = PROGRAM;
    let symbols = run(Command::new("objdump").args(["--dynamic-syms", program]));
    let mut checked = 0;
    for word in symbols.split_whitespace() {
        let word = word.trim_matches(['(', ')']);
        for (family, newest) in NEWEST_SYMBOLS {
            let Some(version) = word.strip_prefix(family) else { continue };
            let version: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
            assert!(version.as_slice() <= *newest, "{word}");
            checked += 1;
        }
    }
    assert!(checked > 0, "{symbols}");
    let headers = run(Command::new("objdump").args(["--private-headers", program]));
    let needed = headers.lines().filter_map(|line| line.trim().strip_prefix("NEEDED"));
    for library in needed.map(str::trim) {
        let known = ["libc.so.", "libm.so.", "libgcc_s.so.", "libstdc++.so.", "ld-linux"];
        assert!(known.iter().any(|name| library.starts_with(name)), "{library}");
    }
}

#[test]
fn the_rpm_has_its_files() {
    if !has("rpmbuild") || !has("strip") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    package(&["rpm"], folder.path());
    let rpm = only_file(folder.path(), "rpm");
    let form = r"[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]";
    let listed = run(Command::new("rpm").args(["--query", "--package", "--queryformat", form]).arg(&rpm));
    let mut files: Vec<String> = expected_files();
    files.retain(|file| !file.starts_with('d'));
    for file in &files {
        let (mode, path) = file.split_once(' ').unwrap();
        let path = path.split(" -> ").next().unwrap_or_default();
        assert!(listed.contains(&format!("{mode} root /{path}\n")), "{file}\n{listed}");
    }
    assert!(listed.contains("drwx------ persea /var/lib/persea\n"), "{listed}");
    assert_eq!(listed.lines().filter(|line| !line.starts_with('d')).count(), files.len(), "{listed}");
    let configuration = run(Command::new("rpm").args(["--query", "--package", "--configfiles"]).arg(&rpm));
    assert_eq!(configuration, "/etc/persea/persea.conf\n");
}

#[test]
fn the_documents_are_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    run(Command::new(PROGRAM).arg("documents").arg(folder.path()));
    let manuals = folder.path().join("man/man1");
    if has("mandoc") {
        let pages = fs::read_dir(&manuals).unwrap().map(|entry| entry.unwrap().path());
        let pages: Vec<PathBuf> = pages.filter(|page| fs::metadata(page).unwrap().len() > 100).collect();
        assert_eq!(pages.len(), 10);
        run(Command::new("mandoc").args(["-T", "lint", "-W", "error"]).args(&pages));
    }
    if has("man") {
        let page = run(Command::new("man").arg("-l").arg(manuals.join("persea-server.1")));
        assert!(page.contains("--database.directory"), "{page}");
    }
    for (shell, place) in [
        ("bash", "bash-completion/completions/persea"),
        ("zsh", "zsh/site-functions/_persea"),
        ("fish", "fish/vendor_completions.d/persea.fish"),
    ] {
        if has(shell) {
            run(Command::new(shell).arg("-n").arg(folder.path().join(place)));
        }
    }
    if has("bash") {
        let script = "COMP_WORDS=(persea server --database.dir) COMP_CWORD=2; source \"$1\"; _persea; echo \"${COMPREPLY[@]}\"";
        let completions = folder.path().join("bash-completion/completions/persea");
        let completed = run(Command::new("bash").args(["-c", script, "bash"]).arg(completions));
        assert_eq!(completed, "--database.directory\n");
    }
}

#[test]
fn the_unit_is_well_formed_and_hardened() {
    if !has("systemd-analyze") {
        return;
    }
    let unit = repository().join("packages/systemd/persea.service");
    let root = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(&unit).unwrap();
    // The program and the manual are not here; everything else is checked.
    let text =
        text.replace("/usr/bin/persea ", "/bin/true ").replace("Documentation=man:persea-server(1)\n", "");
    let checked = root.path().join("persea.service");
    fs::write(&checked, text).unwrap();
    let verified = Command::new("systemd-analyze").arg("verify").arg(&checked).output().unwrap();
    assert!(verified.status.success(), "{}", everything(&verified));
    let arguments = ["security", "--offline=true", "--threshold=20", "--no-pager"];
    let rated = Command::new("systemd-analyze").args(arguments).arg(&checked).output().unwrap();
    assert!(rated.status.success(), "{}", everything(&rated));
}

/// The container's programs, outside of a container.
struct Container {
    folder: tempfile::TempDir,
}

impl Container {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "init/dumps/shop"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["persea", "arangod", "arangosh"] {
            let target = PROGRAM;
            std::os::unix::fs::symlink(target, folder.path().join("bin").join(name)).unwrap();
        }
        Container { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the entry point with an environment. `arguments` replace the server.
    fn run(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut command = Command::new(repository().join("packages/container/entrypoint"));
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        command.args(arguments).env("PATH", path).stdin(Stdio::null());
        command
            .env("PERSEA_DATA_DIRECTORY", self.path("data"))
            .env("PERSEA_INIT_DIRECTORY", self.path("init"));
        command.envs(environment.iter().copied()).output().unwrap()
    }
}

#[test]
fn the_container_initializes_a_new_store_once() {
    if !has("bash") {
        return;
    }
    let container = Container::new();
    // The server ends after the check of its options, so only the initialization runs.
    let check = ["arangod", "--check-configuration", "true"];
    let refused = container.run(&[], &check);
    assert!(
        !refused.status.success() && everything(&refused).contains("ARANGO_ROOT_PASSWORD"),
        "{refused:?}"
    );
    let write = |name: &str, text: &str| fs::write(container.path("init").join(name), text).unwrap();
    write("1.js", "db._create('made'); db.made.insert({_key: 'by js'.replace(' ', '-')});");
    write("people.json", "[{\"_key\": \"a\"}, {\"_key\": \"b\"}]");
    write("notes.txt", "");
    let structure = r#"{"parameters":{"name":"goods","type":2},"indexes":[]}"#;
    write("dumps/shop/goods.structure.json", structure);
    write("dumps/shop/goods.data.json", "{\"_key\":\"x\"}\n{\"_key\":\"y\"}\n");
    let started = container.run(&[("ARANGO_ROOT_PASSWORD", "secret")], &check);
    assert!(started.status.success(), "{}", everything(&started));
    let again = container.run(&[("ARANGO_ROOT_PASSWORD", "other")], &check);
    assert!(again.status.success() && !everything(&again).contains("importing"), "{again:?}");
    let server = crate::support::Server::start(&container.path("data"), &["--server.authentication", "true"]);
    let mut client = server.connect();
    let user = [("authorization".to_owned(), "Basic cm9vdDpzZWNyZXQ=".to_owned())];
    for (path, count) in [
        ("/_api/collection/made/count", 1),
        ("/_api/collection/people/count", 2),
        ("/_db/shop/_api/collection/goods/count", 2),
    ] {
        let reply = client.send("GET", path, &user, b"");
        assert_eq!((reply.status, &reply.json()["count"]), (200, &serde_json::json!(count)), "{path}");
    }
    let check = repository().join("packages/container/healthcheck");
    let healthy = |port: u16| {
        let mut command = Command::new(&check);
        command.env("PERSEA_PORT", port.to_string()).output().unwrap().status.success()
    };
    let port = server.port();
    assert!(healthy(port));
    server.kill();
    assert!(!healthy(port));
}

#[test]
fn a_new_volume_is_made_by_the_engine_that_the_options_name() {
    if !has("bash") {
        return;
    }
    let root = [("ARANGO_ROOT_PASSWORD", "secret")];
    for (options, engine) in [
        (&["--server.storage-engine=mmfiles"][..], "persea mmfiles"),
        (&["--storage-engine", "rocksdb"], "persea rocksdb"),
        (&["-c", "server.conf"], "persea mmfiles"),
    ] {
        let container = Container::new();
        fs::remove_dir_all(container.path("init/dumps")).unwrap();
        let file = container.path("server.conf");
        let settings = "[server]\nstorage-engine = mmfiles\nendpoint = tcp://127.0.0.1:1\n";
        fs::write(&file, settings).unwrap();
        let rows = container.path("init/rows.csv");
        fs::write(&rows, "_key\na\nb\n").unwrap();
        run(Command::new("gzip").arg(&rows));
        fs::write(container.path("init/rows.csv.bz2"), "").unwrap();
        let options = options
            .iter()
            .map(|option| if *option == "server.conf" { file.to_str().unwrap() } else { option });
        let arguments: Vec<&str> =
            ["arangod"].into_iter().chain(options).chain(["--check-configuration"]).collect();
        for is_first in [true, false] {
            let started = container.run(&root, &arguments);
            let said = everything(&started);
            assert!(started.status.success(), "{arguments:?}: {said}");
            assert_eq!(said.contains("rows.csv.bz2 is not loaded"), is_first, "{said}");
        }
        let format = fs::read_to_string(container.path("data/FORMAT")).unwrap();
        assert!(format.starts_with(engine), "{arguments:?}: {format}");
        let server = crate::support::Server::start(&container.path("data"), &["--storage-engine", "auto"]);
        let count = server.connect().json("GET", "/_api/collection/rows/count", "").json()["count"].clone();
        assert_eq!(count, 2, "{arguments:?}");
    }
}

#[test]
fn the_first_server_of_a_volume_gets_the_options_of_its_cluster() {
    if !has("bash") {
        return;
    }
    let container = Container::new();
    // A program in place of the server keeps its arguments, and fails to reach a cluster.
    let program = container.path("bin/persea");
    fs::remove_file(&program).unwrap();
    fs::write(&program, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$PERSEA_DATA_DIRECTORY.arguments\"\nexit 1\n")
        .unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let wanted =
        ["--server.storage-engine=tikv", "--tikv.pd", "pd:2379", "--cluster.my-address=tcp://a:8529"];
    let others =
        ["--server.endpoint", "tcp://0.0.0.0:1", "--server.authentication=true", "--log.level=debug"];
    let started = container.run(&[("ARANGO_ROOT_PASSWORD", "secret")], &[&wanted[..], &others].concat());
    assert!(!started.status.success() && everything(&started).contains("did not start"), "{started:?}");
    let given = fs::read_to_string(container.path("data.arguments")).unwrap();
    let given: Vec<&str> = given.lines().collect();
    assert!(given.windows(wanted.len()).any(|part| part == wanted), "{given:?}");
    assert!(!given.contains(&"tcp://0.0.0.0:1") && !given.contains(&"--log.level=debug"), "{given:?}");
    assert_eq!(given.iter().filter(|option| option.starts_with("--server.authentication")).count(), 1);
}

#[test]
fn the_image_has_what_its_containerfile_copies() {
    if !has("strip") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    package(&["image"], folder.path());
    let root = folder.path().join("image/root");
    for path in
        ["usr/bin/persea", "usr/sbin/arangod", "usr/local/bin/entrypoint", "usr/local/bin/healthcheck"]
    {
        assert!(root.join(path).exists(), "{path}");
    }
    assert!(!root.join("etc").exists() && folder.path().join("image/Containerfile").exists());
}
