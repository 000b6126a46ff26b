//! TLS of the program: certificates of clients, names of the server, and the checks of `doctor`.

use std::path::Path;
use std::process::{Command, Output};

use test_certificates::{Authority, Subject};

use crate::support::tool::{Said, said, write};
use crate::support::{PROGRAM, Server};

/// A server that maps certificates to users, with its files.
struct Setup {
    folder: tempfile::TempDir,
    authority: Authority,
    port: u16,
    server: Server,
}

impl Setup {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("authority").unwrap();
        let sign = |subject: &Subject| authority.sign(subject).unwrap();
        let path = |name: &str, text: String| write(folder.path(), name, text);
        let keyfile = path("server.pem", sign(&Subject::server(&["localhost", "127.0.0.1"])));
        let old = Subject { years: (2020, 2022), ..Subject::server(&["old.example.org"]) };
        let named = format!("old.example.org={}", path("old.pem", sign(&old)));
        let cafile = path("authority.pem", authority.pem());
        let log = format!("file://{}", folder.path().join("log").display());
        let port = harness::free_address().unwrap().port();
        let endpoint = format!("ssl://127.0.0.1:{port}");
        let options = [
            "--server.endpoint",
            &endpoint,
            "--ssl.keyfile",
            &keyfile,
            "--ssl.cafile",
            &cafile,
            "--ssl.client-certificate-user",
            "common-name",
            "--ssl.server-name-indication",
            &named,
            "--server.authentication",
            "true",
            "--server.password",
            "secret",
            "--log.output",
            &log,
            "--log.level",
            "audit-authentication=info",
            "--ssl.cipher-list",
            "ECDHE+AESGCM",
            "--ssl.ecdh-curve",
            "prime256v1",
        ];
        let server = Server::start(&folder.path().join("data"), &options);
        Setup { folder, authority, port, server }
    }

    /// Returns the file with a client's certificate and key.
    fn client(&self, name: &str) -> String {
        let pem = self.authority.sign(&Subject::named(name)).unwrap();
        write(self.folder.path(), format!("{name}.pem"), pem)
    }

    /// Returns the number of logins of a user by certificates in the log.
    fn logins(&self, user: &str) -> usize {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap();
        let is_login = |line: &&str| line.contains("logged in by a certificate") && line.contains(user);
        log.lines().filter(is_login).count()
    }

    /// Sends a request with curl, which verifies the server.
    fn curl(&self, name: &str, path: &str, arguments: &[&str]) -> Output {
        let to_server = format!("{name}:{}:127.0.0.1:{}", self.port, self.port);
        let address = format!("https://{name}:{}{path}", self.port);
        let authority = self.folder.path().join("authority.pem");
        let mut command = Command::new("curl");
        command.args(["-sS", "--max-time", "60", "--connect-to", &to_server, "--cacert"]).arg(authority);
        command.args(["-w", "\n%{http_code}"]).args(arguments).arg(address).output().unwrap()
    }

    /// Runs a tool that shows a certificate.
    fn run(&self, tool: &str, keyfile: &str, arguments: &[&str]) -> Said {
        let endpoint = format!("ssl://localhost:{}", self.port);
        let authority = self.folder.path().join("authority.pem");
        let mut command = Command::new(PROGRAM);
        command.args([tool, "--server.endpoint", &endpoint, "--ssl.client-keyfile", keyfile]);
        command.arg("--ssl.cafile").arg(authority).args(arguments);
        said(
            command
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap(),
        )
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn has_curl() -> bool {
    Command::new("curl").arg("--version").output().is_ok()
}

#[test]
fn a_certificate_signs_its_user_in() {
    let setup = Setup::start();
    let root = setup.client("root");
    let file = write(setup.folder.path(), "a.jsonl", "{\"x\":1}\n".repeat(1_000));
    let imported = setup.run("import", &root, &["--collection", "c", "--create-collection", &file]);
    assert_eq!(imported.success().count("created:"), 1_000);
    let nobody = setup.client("nobody");
    let refused = setup.run("import", &nobody, &["--collection", "c", &file]).failure();
    assert!(refused.contains("not authorized"), "{refused}");
    let wrong = ["--collection", "c", "--server.password", "wrong", &file];
    assert!(
        setup.run("import", &root, &wrong).failure().contains("not authorized"),
        "a name that is given counts"
    );
    if has_curl() {
        let count = "/_api/collection/c/count";
        let with = |keyfile: &str| text(&setup.curl("localhost", count, &["--cert", keyfile]));
        assert!(with(&root).contains("\"count\":1000") && with(&root).ends_with("\n200"), "{}", with(&root));
        assert!(with(&nobody).ends_with("\n401"), "{}", with(&nobody));
        let by_address = format!("https://localhost:{}{count}", setup.port);
        let by_password = setup.curl("localhost", count, &["-u", "root:secret"]);
        assert!(text(&by_password).ends_with("\n200"), "{}", text(&by_password));
        let entries = setup.logins("root");
        let twice = setup.curl("localhost", count, &["--cert", &root, &by_address]);
        assert_eq!(text(&twice).matches("\"count\":1000").count(), 2, "{}", text(&twice));
        assert_eq!(setup.logins("root"), entries + 1, "a connection has one entry");
        let older = setup.curl("localhost", count, &["--cert", &root, "--tls-max", "1.2"]);
        assert!(text(&older).ends_with("\n200"), "{}", text(&older));
        let ended = setup.curl("old.example.org", count, &["--cert", &root]);
        assert!(!ended.status.success() && text(&ended).contains("certificate"), "{}", text(&ended));
    }
    assert_eq!(setup.server.stop(), Some(0));
}

#[test]
fn doctor_names_certificates_that_have_ended() {
    let setup = Setup::start();
    let examined = setup.run("doctor", &setup.client("root"), &[]);
    let has = |line: &str| examined.stdout.lines().any(|found| found.starts_with(line));
    assert!(has("ok      certificate of the server for localhost"), "{examined:?}");
    assert!(has("ok      certificate of the authorities of clients for authority"), "{examined:?}");
    let ended =
        "BAD     certificate of the server's file for old.example.org for old.example.org: it has expired";
    assert!(has(ended), "{examined:?}");
}

#[test]
fn options_that_cannot_hold_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new("authority").unwrap();
    let good = authority.sign(&Subject::server(&["localhost"])).unwrap();
    let keyfile = write(folder.path(), "server.pem", good);
    let empty = write(folder.path(), "empty.pem", "");
    let refused = |arguments: &[&str], part: &str| {
        let output = start(folder.path(), &keyfile, arguments);
        let said = text(&output);
        assert!(!output.status.success() && said.contains(part), "{arguments:?}: {said}");
    };
    refused(&["--ssl.require-peer-certificate", "true"], "--ssl.require-peer-certificate needs --ssl.cafile");
    refused(&["--ssl.crl", &empty], "--ssl.crl needs --ssl.cafile");
    refused(&["--ssl.client-certificate-user", "dns"], "--ssl.client-certificate-user needs --ssl.cafile");
    refused(&["--ssl.cafile", &empty], "empty.pem for TLS has no certificate");
    refused(&["--ssl.server-name-indication", "a.org=/nowhere.pem"], "/nowhere.pem");
    refused(&["--ssl.server-name-indication", "a b=c"], "'a b' is not a DNS name");
    refused(&["--ssl.cipher-list", "AES256-SHA"], "there are TLS_AES_256_GCM_SHA384");
    refused(&["--ssl.ecdh-curve", "secp521r1"], "there is no curve 'secp521r1'");
    refused(&["--ssl.options", "262144"], "ALLOW_UNSAFE_LEGACY_RENEGOTIATION");
    let accepted = ["--ssl.options", "2147485776", "--ssl.session-cache", "false", "--ssl.ecdh-curve", ""];
    let output = start(folder.path(), &keyfile, &accepted);
    assert!(output.status.success(), "{}", text(&output));
}

/// Checks the options of a server with TLS.
fn start(folder: &Path, keyfile: &str, arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .args(["server", "--check-configuration", "--server.endpoint", "ssl://127.0.0.1:1"])
        .arg("--database.directory")
        .arg(folder.join("data"))
        .args(["--ssl.keyfile", keyfile])
        .args(arguments)
        .output()
        .unwrap()
}
