//! Services in JavaScript, as users install and call them.
//!
//! `life`: from the installation to the removal, and across restarts and dumps. `rights`: users,
//! strangers, and the bounds of a service. `queues`: jobs. `transactions`: those of services.
//! `public`: services that others have published. `tool`: `persea foxx`.

mod life;
mod public;
mod queues;
mod rights;
mod tool;
mod transactions;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Client, Reply};

/// Writes the files of a service into a folder, and returns the path.
pub(super) fn service(folder: &Path, name: &str, manifest: &Value, files: &[(&str, &str)]) -> String {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

/// Installs a folder, and returns the reply.
pub(super) fn install(client: &mut Client, mount: &str, source: &str) -> Reply {
    client.json("POST", &format!("/_api/foxx?mount={mount}"), &json!({"source": source}).to_string())
}

/// Installs one script, which must succeed.
#[track_caller]
pub(super) fn install_script(client: &mut Client, mount: &str, script: &str) {
    let headers = [("content-type".to_owned(), "application/javascript".to_owned())];
    let script = format!(
        "'use strict';\nconst router = require('@arangodb/foxx/router')();\nmodule.context.use(router);\n{script}"
    );
    let reply = client.send("POST", &format!("/_api/foxx?mount={mount}"), &headers, script.as_bytes());
    assert_eq!(reply.status, 201, "{}", reply.text());
}

/// Returns the status and the text of a reply to GET.
pub(super) fn get(client: &mut Client, path: &str) -> (u16, String) {
    let reply = client.send("GET", path, &[], b"");
    (reply.status, reply.text())
}
