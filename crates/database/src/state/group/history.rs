//! The epochs in which this server has led, as they are stored.

use errors::{Error, Result};
use storage::Store;
use velocypack::{Builder, Limits, Slice, validate};

/// The setting that has the history.
const SETTING: &str = "group-history";
/// Maximum number of epochs that are kept: the last ones.
const EPOCHS_MAX: usize = 64;

/// The epochs in which this server has led, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    epochs: Vec<LedEpoch>,
}

/// An epoch in which this server has led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LedEpoch {
    pub(crate) epoch: u64,
    /// The last position in this server's log when the epoch began.
    pub(crate) began_at: u64,
    /// The leader before, if this server followed it.
    pub(crate) predecessor: Option<Predecessor>,
}

/// A leader whose log was followed until its epoch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Predecessor {
    /// The number of the server.
    pub(crate) server: String,
    /// The position in its log up to which this server had applied it.
    pub(crate) applied: u64,
}

impl History {
    /// Returns the history; an empty one if this server has never led.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub(crate) fn read(store: &Store) -> Result<Self> {
        let Some(bytes) = store.setting(SETTING)? else { return Ok(History::default()) };
        let value = validate(&bytes, &Limits::default()).map_err(|_| damaged())?;
        Ok(History { epochs: value.elements().map(LedEpoch::read).collect::<Result<_>>()? })
    }

    /// Forgets the history.
    ///
    /// Errors: those of the engine.
    pub(crate) fn remove(store: &Store) -> Result<()> {
        store.remove_setting(SETTING)
    }

    /// Returns the last epoch in which this server has led.
    pub(crate) fn last(&self) -> Option<&LedEpoch> {
        self.epochs.last()
    }

    /// Returns the last epoch that came after this server had followed another one.
    pub(crate) fn after(&self, server: &str) -> Option<(&LedEpoch, &Predecessor)> {
        let known = self.epochs.iter().rev().filter_map(|led| Some((led, led.predecessor.as_ref()?)));
        known.into_iter().find(|(_, predecessor)| predecessor.server == server)
    }

    /// Adds an epoch, and stores the history.
    ///
    /// Errors: those of the engine.
    pub(crate) fn add(&mut self, led: LedEpoch, store: &Store) -> Result<()> {
        self.epochs.retain(|known| known.epoch < led.epoch);
        self.epochs.push(led);
        let surplus = self.epochs.len().saturating_sub(EPOCHS_MAX);
        self.epochs.drain(..surplus);
        let mut out = Builder::new();
        out.open_array()?;
        self.epochs.iter().try_for_each(|led| led.print(&mut out))?;
        out.close()?;
        store.put_setting(SETTING, out.as_bytes())
    }
}

impl LedEpoch {
    fn read(value: Slice<'_>) -> Result<Self> {
        let number = |name: &str| value.get(name).and_then(Slice::as_u64);
        let server = value.get("server").and_then(Slice::as_str);
        Ok(LedEpoch {
            epoch: number("epoch").ok_or_else(damaged)?,
            began_at: number("beganAt").ok_or_else(damaged)?,
            predecessor: match server {
                None => None,
                Some(server) => Some(Predecessor {
                    server: server.to_owned(),
                    applied: number("applied").ok_or_else(damaged)?,
                }),
            },
        })
    }

    fn print(&self, out: &mut Builder) -> Result<()> {
        out.open_object()?;
        out.key("epoch")?;
        out.add_u64(self.epoch)?;
        out.key("beganAt")?;
        out.add_u64(self.began_at)?;
        if let Some(predecessor) = &self.predecessor {
            out.key("server")?;
            out.add_str(&predecessor.server)?;
            out.key("applied")?;
            out.add_u64(predecessor.applied)?;
        }
        Ok(out.close()?)
    }
}

fn damaged() -> Error {
    Error::corrupt("the stored history of the group is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_epochs_are_kept_with_their_predecessors() {
        let store = Store::open(kv::MemoryEngine::new(), storage::StoreOptions::default()).unwrap();
        assert_eq!(History::read(&store).unwrap(), History::default());
        let mut history = History::default();
        for epoch in 1..=70 {
            let followed = Predecessor { server: format!("{}", epoch % 3), applied: epoch * 10 };
            let predecessor = Some(followed).filter(|_| epoch % 2 == 0);
            history.add(LedEpoch { epoch, began_at: epoch, predecessor }, &store).unwrap();
        }
        let read = History::read(&store).unwrap();
        assert_eq!((read.epochs.len(), read.last().unwrap().epoch), (EPOCHS_MAX, 70));
        assert_eq!(read, history);
        let (led, predecessor) = read.after("2").unwrap();
        assert_eq!((led.epoch, predecessor.applied), (68, 680));
        assert_eq!(read.after("3"), None);
    }
}
