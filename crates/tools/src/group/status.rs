//! The state of a group, as a member describes it, in lines for the operator.

use velocypack::Slice;

/// Returns the description of a group.
pub(super) fn lines(view: Slice<'_>) -> Vec<String> {
    let Some(members) = view.get("members") else {
        return vec!["this server is in no group".to_owned()];
    };
    let number = |name: &str| view.get(name).and_then(Slice::as_u64);
    let text = |value: Option<Slice<'_>>| value.and_then(Slice::as_str).unwrap_or("-").to_owned();
    let epoch = number("epoch").unwrap_or(0);
    let mut lines = vec![match number("leader") {
        Some(leader) => format!("member {leader} leads in epoch {epoch}"),
        None => format!("nobody leads after epoch {epoch}"),
    }];
    if view.get("synchronous").and_then(Slice::as_bool) == Some(true) {
        lines.push("a write is acknowledged once a majority has it".to_owned());
    }
    for member in members.elements() {
        let id = member.get("id").and_then(Slice::as_u64);
        let mut line = format!("  {}  {}", id.unwrap_or(0), text(member.get("endpoint")));
        if id == number("id") {
            line.push_str("  (this one)");
        }
        if member.get("leads").and_then(Slice::as_bool) == Some(true) {
            line.push_str("  leads");
        }
        if let Some(tick) = member.get("acknowledged").and_then(Slice::as_str) {
            line.push_str(&format!("  has everything up to {tick}"));
        }
        lines.push(line);
    }
    match view.get("position").filter(|position| position.is_object()) {
        Some(position) => {
            let epoch = position.get("epoch").and_then(Slice::as_u64).unwrap_or(0);
            lines.push(format!("this member is at {} of epoch {epoch}", text(position.get("tick"))));
        }
        None => lines.push("this member copies data, and cannot lead yet".to_owned()),
    }
    for file in view.get("setAside").into_iter().flat_map(Slice::elements) {
        lines.push(format!("writes that only this member had: {}", file.as_str().unwrap_or_default()));
    }
    lines
}

/// Returns the reason why the group, or this member, does not work.
pub(super) fn failure(view: Slice<'_>) -> Option<String> {
    view.get("members")?;
    if let Some(failure) = view.get("failure").and_then(Slice::as_str) {
        return Some(format!("the elections of this member do not run: {failure}"));
    }
    let leader = view.get("leader").and_then(Slice::as_u64);
    leader.is_none().then(|| "nobody leads".to_owned())
}
