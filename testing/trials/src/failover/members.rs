//! The members of a group in processes of their own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use client::{Client, Request};
use harness::requests::ask;
use harness::{Launch, Server, wait_within};
use serde_json::Value;

/// Maximum wait for a reply to a question about the group.
const LOOK_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum wait for a leader.
const LEADER_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum wait until all members have the same.
const LEVEL_TIMEOUT: Duration = Duration::from_secs(300);

/// The members, which are killed when this is dropped.
pub(crate) struct Members(Vec<Member>);

struct Member {
    launch: Launch,
    /// A client for questions about the group.
    client: Client,
    /// `None` while the member does not run.
    server: Option<Server>,
}

impl Members {
    /// Starts the members that found a group, each with a folder of its own in `folder`. Errors:
    /// text for the user.
    pub(crate) fn start(
        program: &Path,
        folder: &Path,
        count: usize,
        options: &[String],
    ) -> Result<Self, String> {
        let launch = |id: usize| {
            let folder = folder.join(id.to_string());
            std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            let launch = Launch::for_root(program, &folder, options)?;
            Ok(launch.with_options(["--group.own-id".to_owned(), id.to_string()]))
        };
        let launches = (1..=count).map(launch).collect::<Result<Vec<Launch>, String>>()?;
        let members = launches.iter().zip(1..).flat_map(|(launch, id)| {
            ["--group.member".to_owned(), format!("{id}=tcp://{}", launch.address())]
        });
        let members: Vec<String> = members.collect();
        let start = |launch: Launch| {
            let launch = launch.with_options(&members);
            let (client, server) = (launch.client(LOOK_TIMEOUT)?, Some(launch.start()?));
            Ok(Member { launch, client, server })
        };
        launches.into_iter().map(start).collect::<Result<_, _>>().map(Members)
    }

    /// Returns the number of members.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a client of each member. Errors: text for the user.
    pub(crate) fn clients(&self, timeout: Duration) -> Result<Vec<Client>, String> {
        self.0.iter().map(|member| member.launch.client(timeout)).collect()
    }

    /// Kills a member as a crash would.
    pub(crate) fn kill(&mut self, number: usize) {
        if let Some(mut server) = self.0.get_mut(number).and_then(|member| member.server.take()) {
            server.kill();
        }
    }

    /// Ends a member in an orderly way. Errors: text for the user.
    pub(crate) fn stop(&mut self, number: usize) -> Result<(), String> {
        match self.0.get_mut(number).and_then(|member| member.server.take()) {
            Some(mut server) => server.stop().map(drop),
            None => Ok(()),
        }
    }

    /// Stops a member as a virtual machine that is suspended, or lets it go on.
    pub(crate) fn pause(&self, number: usize, is_paused: bool) {
        if let Some(server) = self.0.get(number).and_then(|member| member.server.as_ref()) {
            match is_paused {
                true => server.process().pause(),
                false => server.process().resume(),
            }
        }
    }

    /// Starts the members that do not run. Errors: text for the user.
    pub(crate) fn begin(&mut self) -> Result<(), String> {
        for member in self.0.iter_mut().filter(|member| member.server.is_none()) {
            member.server = Some(member.launch.start()?);
        }
        Ok(())
    }

    /// Waits until one of the members leads, and returns it. Those in `except` are not asked.
    /// Errors: text for the user.
    pub(crate) fn wait_for_leader(&self, except: &[usize]) -> Result<usize, String> {
        let leads =
            |number: &usize| self.get(*number, "/_api/group").is_some_and(|view| view["leads"] == true);
        let asked = || (0..self.len()).filter(|number| !except.contains(number));
        wait_within(LEADER_TIMEOUT, "nobody leads", || asked().find(leads)).map_err(|error| {
            let seen: Vec<String> = (0..self.len()).map(|number| self.describe(number)).collect();
            format!("{error}: {}", seen.join("; "))
        })
    }

    /// Returns a member's view of the group, or the reason for which it has none.
    fn describe(&self, number: usize) -> String {
        let Some(member) = self.0.get(number).filter(|member| member.server.is_some()) else {
            return format!("{number} does not run");
        };
        match ask(&member.client, Request::get("/_api/group"), &Value::Null) {
            Ok(view) => format!("{number}: {view}"),
            Err(failure) => format!("{number}: {failure}"),
        }
    }

    /// Waits until all members have what the leader has, on which nobody writes. Errors: text for
    /// the user.
    pub(crate) fn wait_until_level(&self) -> Result<(), String> {
        let mut seen = Value::Null;
        let are_level = || {
            let leader = self.wait_for_leader(&[]).ok()?;
            let last = tick(&self.get(leader, "/_api/wal/lastTick")?["tick"]);
            let id = self.get(leader, "/_api/group")?["id"].clone();
            for number in (0..self.len()).filter(|number| *number != leader) {
                let follows = self.get(number, "/_api/group")?["leader"] == id;
                seen = self.get(number, "/_api/follow")?;
                let applied = tick(&seen["log"]["applied"]);
                if !follows || seen["phase"] != "following" || applied < last {
                    return None;
                }
            }
            Some(())
        };
        wait_within(LEVEL_TIMEOUT, "a member has not caught up", are_level)
            .map_err(|error| format!("{error}: {seen}"))
    }

    /// Returns the files in which former leaders have set aside what they alone had.
    pub(crate) fn files_set_aside(&self) -> Vec<PathBuf> {
        let folders = self.0.iter().map(|member| member.launch.data().join("group/set-aside"));
        let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok());
        files.flatten().flatten().map(|entry| entry.path()).collect()
    }

    /// Returns the beginnings of the logs' lines that name a panic.
    pub(crate) fn crashes(&self) -> Vec<String> {
        self.0.iter().flat_map(|member| member.launch.crashes()).collect()
    }

    /// Asks a member; `None` if it does not answer.
    fn get(&self, number: usize, path: &str) -> Option<Value> {
        let member = self.0.get(number).filter(|member| member.server.is_some())?;
        let request = Request::get(path).header("x-arango-allow-dirty-read", "true");
        ask(&member.client, request, &Value::Null).ok()
    }
}

fn tick(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}
