//! Connections: who asks, and faults.

use std::io::BufReader;
use std::net::TcpStream;
use std::thread::sleep;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mock_http::{Reply, Request, read};
use serde_json::{Value, json};

use crate::route::{self, Asked, failure, success};
use crate::{Fault, Mock, State};

/// The beginning of the tokens that the server makes; the user's name follows.
const TOKEN: &str = "token-of-";

impl Mock {
    pub(crate) fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read(&mut reader) {
            let Some(reply) = self.reply(&request) else { break };
            if !reply.write(reader.get_mut()) {
                break;
            }
        }
    }

    /// Returns the reply; `None` where the connection is cut.
    fn reply(&self, request: &Request) -> Option<Reply> {
        let name = format!("{} {}", request.method, request.target);
        let fault = {
            let mut state = self.lock();
            state.requests.push(name.clone());
            if let Some(change) = state.faults.take_change(&name) {
                change(&mut state.model);
            }
            state.faults.take(&name)
        };
        match fault {
            Some(Fault::Cut) => return None,
            Some(Fault::Busy) => return Some(failure(503, 503, "service unavailable")),
            // Others are answered in the meantime.
            Some(Fault::Delay(time)) => sleep(time),
            Some(Fault::Half) | None => {}
        }
        let mut reply = answer(request, &mut self.lock());
        reply.is_head = request.method == "HEAD";
        reply.breaks = fault == Some(Fault::Half);
        Some(reply)
    }
}

fn answer(request: &Request, state: &mut State) -> Reply {
    let path = request.path();
    if path == "/_open/auth" {
        return sign_in(request, state);
    }
    let Some(user) = user(request, state) else {
        return failure(401, 11, "not authorized to execute this request");
    };
    let (database, path) = match path.strip_prefix("/_db/").and_then(|rest| rest.split_once('/')) {
        Some((database, rest)) => (database.to_owned(), format!("/{rest}")),
        None => ("_system".to_owned(), path),
    };
    if !state.model.databases.contains_key(&database) {
        return failure(404, 1228, "database not found");
    }
    let asked = Asked { request, database: &database, path: &path, user: &user };
    route::answer(&asked, &mut state.model, &mut state.readers)
}

/// Returns the user whose credentials the request has.
fn user(request: &Request, state: &State) -> Option<String> {
    let (scheme, value) = request.header("authorization")?.split_once(' ')?;
    let passwords = &state.model.passwords;
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" => {
            let user = value.strip_prefix(TOKEN)?;
            passwords.contains_key(user).then(|| user.to_owned())
        }
        "basic" => {
            let decoded = STANDARD.decode(value).ok()?;
            let text = String::from_utf8(decoded).ok()?;
            let (user, password) = text.split_once(':')?;
            (passwords.get(user)? == password).then(|| user.to_owned())
        }
        _ => None,
    }
}

fn sign_in(request: &Request, state: &State) -> Reply {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    match state.model.passwords.get(&text("username")) {
        Some(password) if *password == text("password") => {
            success(200, json!({"jwt": format!("{TOKEN}{}", text("username"))}))
        }
        _ => failure(401, 401, "Wrong credentials"),
    }
}
