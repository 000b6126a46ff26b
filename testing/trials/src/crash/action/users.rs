//! Users and their rights.

use client::Request;
use serde_json::json;

use super::Maker;
use crate::crash::state::{State, User};

/// Creates, changes or removes a user, or grants a right.
pub(super) fn change(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let name = format!("{}-{}", maker.database, maker.rng.choice(["anna", "ben"])?);
    let request = |verb: fn(&str) -> Request| verb("/_api/user").segment(&name);
    let extra = json!({"n": maker.next()});
    let Some(user) = state.users.get_mut(&name) else {
        let body = json!({"user": name, "passwd": "", "active": true, "extra": extra}).to_string();
        let user = User { is_active: true, extra, grant: "none".to_owned() };
        state.users.insert(name, user);
        return Some(Request::post("/_api/user").json(body));
    };
    match maker.rng.u8(..4) {
        0 => {
            state.users.remove(&name);
            Some(request(Request::delete))
        }
        1 | 2 => {
            user.grant = maker.rng.choice(["rw", "ro", "none"])?.to_owned();
            let request = request(Request::put).segment("database").segment(&maker.database);
            Some(request.json(json!({"grant": user.grant}).to_string()))
        }
        _ => {
            user.is_active = maker.rng.bool();
            user.extra = extra;
            let body = json!({"active": user.is_active, "extra": user.extra});
            Some(request(Request::patch).json(body.to_string()))
        }
    }
}
