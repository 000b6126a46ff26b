//! The large work that the small client stands beside, in the order in which it is done.

use std::path::Path;
use std::time::Duration;

use harness::Server;

use crate::documents::{self, Progress};
use crate::http::{Connection, JSON, request};
use crate::servers::settle;
use crate::tools::tool;
use crate::{Failure, Setup};

/// The time of a measurement without large work.
const PAUSE: Duration = Duration::from_secs(10);

/// The server, its data, and the load of `docs`.
pub(super) struct Scene<'a> {
    pub(super) setup: &'a Setup,
    pub(super) server: &'a Server,
    pub(super) folder: &'a Path,
    pub(super) documents: u64,
    pub(super) progress: &'a Progress,
}

type Step = fn(&Scene<'_>) -> Result<(), Failure>;

/// The name of a work, its preparation, which is not measured, and the work.
pub(super) const WORKS: &[(&str, Step, Step)] = &[
    ("none", nothing, pause),
    ("load", nothing, load),
    ("none, right after the load", nothing, pause),
    ("index build", rest, index),
    ("none, right after the index build", nothing, pause),
    ("hot backup", rest, backup),
    ("dump", rest, dump),
    ("restore", rest, restore),
    ("none, right after the restore", nothing, pause),
    ("drop of the restored collection", rest, drop_restored),
    ("none, right after the drop", nothing, pause),
];

fn nothing(_: &Scene<'_>) -> Result<(), Failure> {
    Ok(())
}

fn rest(scene: &Scene<'_>) -> Result<(), Failure> {
    settle(scene.server);
    Ok(())
}

fn pause(_: &Scene<'_>) -> Result<(), Failure> {
    // Requests are measured over this time.
    std::thread::sleep(PAUSE);
    Ok(())
}

fn load(scene: &Scene<'_>) -> Result<(), Failure> {
    documents::load(scene.server, "docs", scene.documents, scene.progress)?;
    Ok(())
}

fn index(scene: &Scene<'_>) -> Result<(), Failure> {
    post(scene, "/_api/index?collection=docs", r#"{"type":"persistent","fields":["val"]}"#)
}

fn backup(scene: &Scene<'_>) -> Result<(), Failure> {
    post(scene, "/_admin/backup/create", r#"{"label":"bystander"}"#)
}

fn dump(scene: &Scene<'_>) -> Result<(), Failure> {
    let folder = dump_folder(scene)?;
    let options = ["--output-directory", &folder, "--collection", "docs", "--overwrite", "true"];
    tool(scene.setup, scene.server, "dump", &options)
}

fn restore(scene: &Scene<'_>) -> Result<(), Failure> {
    let folder = dump_folder(scene)?;
    tool(
        scene.setup,
        scene.server,
        "restore",
        &["--input-directory", &folder, "--server.database", "restored"],
    )
}

fn drop_restored(scene: &Scene<'_>) -> Result<(), Failure> {
    let drop = request("DELETE", "/_db/restored/_api/collection/docs", "", b"");
    Connection::open(scene.server.port())?.expect_success(&drop)?;
    // The server removes the data after its reply.
    std::thread::sleep(Duration::from_secs(1));
    Ok(())
}

fn dump_folder(scene: &Scene<'_>) -> Result<String, Failure> {
    let folder = scene.folder.join("dump");
    Ok(folder.to_str().ok_or("the folder for temporary files has a strange name")?.to_owned())
}

fn post(scene: &Scene<'_>, path: &str, body: &str) -> Result<(), Failure> {
    let mut connection = Connection::open(scene.server.port())?;
    connection.expect_success(&request("POST", path, JSON, body.as_bytes()))?;
    Ok(())
}
