//! The change of the user, by the start of this program as that user.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;

use options::{Maybe, Opt, Options, Text};
use rustix::process::{getegid, geteuid};

use super::{same_program, same_program_at};
use crate::failure::Failure;
use crate::options::process;

/// The files that name users and groups.
const USERS: &str = "/etc/passwd";
const GROUPS: &str = "/etc/group";

/// Starts this program as the wanted user and group, unless it is theirs already.
///
/// Errors: an unknown name; the process may not change its user.
pub(super) fn change(options: &Options) -> Result<(), Failure> {
    let user = named(options, [&process::UID, &process::SERVER_UID], USERS)?;
    let group = named(options, [&process::GID, &process::SERVER_GID], GROUPS)?;
    let (uid, users_group) = user.map_or((None, None), |entry| (Some(entry.number), entry.group));
    let gid = group.map(|entry| entry.number).or(users_group);
    let is_other_user = uid.is_some_and(|uid| uid != geteuid().as_raw());
    let is_other_group = gid.is_some_and(|gid| gid != getegid().as_raw());
    if !is_other_user && !is_other_group {
        return Ok(());
    }
    let mut command = same_program();
    if let Some(gid) = gid {
        command.gid(gid);
    }
    if let Some(uid) = uid {
        // It also gives up the further groups of root.
        command.uid(uid);
    }
    let mut error = command.exec();
    let is_changed =
        uid.is_none_or(|uid| uid == geteuid().as_raw()) && gid.is_none_or(|gid| gid == getegid().as_raw());
    if is_changed && error.kind() == io::ErrorKind::PermissionDenied {
        // The user may run the program, but not enter its folder, such as one of root's. This link
        // needs no path.
        error = same_program_at("/proc/self/exe".into()).exec();
    }
    Err(format!("the process cannot change to the requested user and group: {error}").into())
}

/// An entry of a file of users or groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    number: u32,
    /// The group of a user.
    group: Option<u32>,
}

fn named(options: &Options, names: [&Opt<Maybe<Text>>; 2], file: &str) -> Result<Option<Entry>, Failure> {
    let Some(option) = names.into_iter().find(|option| options.non_empty(option).is_some()) else {
        return Ok(None);
    };
    let wanted = options.non_empty(option).unwrap_or_default();
    let text = fs::read_to_string(file).unwrap_or_default();
    match find(&text, wanted) {
        Some(entry) => Ok(Some(entry)),
        None => Err(format!("--{} is {wanted:?}, which {file} does not have", option.name).into()),
    }
}

/// Finds a name or number in lines `NAME:x:NUMBER:GROUP:...`. A number need not be there.
fn find(text: &str, wanted: &str) -> Option<Entry> {
    let number: Option<u32> = wanted.parse().ok();
    let entry = text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, found) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
        let is_wanted = name == wanted || number == Some(found);
        is_wanted.then(|| Entry { number: found, group: fields.next().and_then(|group| group.parse().ok()) })
    });
    entry.or(number.map(|number| Entry { number, group: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name_and_number() {
        let text = "root:x:0:0:root:/root:/bin/sh\n#broken\npersea:x:999:998::/var/lib/persea:/bin/false\n";
        let persea = Some(Entry { number: 999, group: Some(998) });
        assert_eq!((find(text, "persea"), find(text, "999")), (persea, persea));
        assert_eq!(find(text, "7"), Some(Entry { number: 7, group: None }));
        assert_eq!((find(text, "pers"), find(text, "-1"), find("", "x")), (None, None, None));
        assert_eq!(find("staff:x:50:\n", "staff"), Some(Entry { number: 50, group: None }));
    }
}
