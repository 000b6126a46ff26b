//! Bytes of the replicated state and its commands.

use super::reader::{Reader, Reason};
use super::writer::Writer;
use crate::member::Holder;
use crate::state::{Command, Outcome, Past, State};

const RENEW: u8 = 1;
const APPOINT: u8 = 2;
const HAND_OVER: u8 = 3;
const RESIGN: u8 = 4;

pub(crate) fn write_holder(to: &mut Writer, holder: Holder) {
    to.number(holder.member);
    to.number(holder.run);
}

pub(crate) fn read_holder(from: &mut Reader<'_>) -> Result<Holder, Reason> {
    Ok(Holder { member: from.number()?, run: from.random()? })
}

pub(crate) fn write_state(to: &mut Writer, state: &State) {
    to.number(state.epoch);
    to.number(state.revision);
    to.option(state.leader, write_holder);
    to.option(state.previous, |to, past| {
        to.number(past.leader);
        to.number(past.epoch);
    });
}

pub(crate) fn read_state(from: &mut Reader<'_>) -> Result<State, Reason> {
    Ok(State {
        epoch: from.number()?,
        revision: from.number()?,
        leader: from.option(read_holder)?,
        previous: from.option(|from| Ok(Past { leader: from.number()?, epoch: from.number()? }))?,
    })
}

pub(crate) fn write_command(to: &mut Writer, command: &Command) {
    match *command {
        Command::Renew { epoch, holder } => {
            to.byte(RENEW);
            to.number(epoch);
            write_holder(to, holder);
        }
        Command::Appoint { revision, to: leader } => {
            to.byte(APPOINT);
            to.number(revision);
            write_holder(to, leader);
        }
        Command::HandOver { epoch, from, to: leader } => {
            to.byte(HAND_OVER);
            to.number(epoch);
            write_holder(to, from);
            write_holder(to, leader);
        }
        Command::Resign { epoch, holder } => {
            to.byte(RESIGN);
            to.number(epoch);
            write_holder(to, holder);
        }
    }
}

pub(crate) fn read_command(from: &mut Reader<'_>) -> Result<Command, Reason> {
    Ok(match from.byte()? {
        RENEW => Command::Renew { epoch: from.number()?, holder: read_holder(from)? },
        APPOINT => Command::Appoint { revision: from.number()?, to: read_holder(from)? },
        HAND_OVER => {
            Command::HandOver { epoch: from.number()?, from: read_holder(from)?, to: read_holder(from)? }
        }
        RESIGN => Command::Resign { epoch: from.number()?, holder: read_holder(from)? },
        _ => return Err("a command is of an unknown kind"),
    })
}

pub(crate) fn write_outcome(to: &mut Writer, outcome: Outcome) {
    to.flag(outcome == Outcome::Accepted);
}

pub(crate) fn read_outcome(from: &mut Reader<'_>) -> Result<Outcome, Reason> {
    Ok(if from.flag()? { Outcome::Accepted } else { Outcome::Void })
}
