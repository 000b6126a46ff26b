//! The transport and the data of one simulated member.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::sleep;

use super::world::World;
use crate::error::{Error, Result};
use crate::host::{Host, Later};
use crate::member::{Member, Position};

/// One run of one member.
pub(super) struct SimulatedHost {
    /// The group.
    pub(super) world: Arc<World>,
    /// The id of the member.
    pub(super) own: u64,
    /// False after the run was killed.
    pub(super) alive: Arc<AtomicBool>,
}

impl SimulatedHost {
    fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Relaxed)
    }
}

/// Delivers one copy of a message after a while, and returns the reply.
async fn deliver(world: Arc<World>, from: u64, to: u64, message: Vec<u8>) -> Option<Vec<u8>> {
    sleep(world.delay()).await;
    if world.loses(from, to) {
        return None;
    }
    let reply = world.node(to)?.receive(&message).await.ok();
    world.check();
    if let Some(reply) = &reply {
        world.keep(&message, reply);
    }
    sleep(world.delay()).await;
    if world.loses(to, from) { None } else { reply }
}

impl Host for SimulatedHost {
    fn call(&self, to: Member, message: Vec<u8>, timeout: Duration) -> Later<'_, Result<Vec<u8>>> {
        Box::pin(async move {
            let unreachable = || Error::Unreachable { to: to.id, reason: String::from("lost") };
            if !self.is_alive() {
                return Err(unreachable());
            }
            self.world.count();
            // The message arrives even if its sender stops waiting for the reply.
            let (sender, receiver) = oneshot::channel();
            let first = deliver(Arc::clone(&self.world), self.own, to.id, message.clone());
            tokio::spawn(async move { sender.send(first.await) });
            if self.world.duplicates() {
                tokio::spawn(deliver(Arc::clone(&self.world), self.own, to.id, message));
            }
            match receiver.await {
                Ok(Some(reply)) if self.is_alive() => Ok(reply),
                _ => {
                    sleep(timeout).await;
                    Err(unreachable())
                }
            }
        })
    }

    fn position(&self) -> Later<'_, Option<Position>> {
        let data = self.world.data.lock().unwrap();
        let position = (!data.unable.contains(&self.own)).then(|| data.position(self.own));
        Box::pin(async move { position })
    }

    fn catch_up(&self, to: Position, timeout: Duration) -> Later<'_, Result<(), String>> {
        Box::pin(async move {
            sleep(Duration::from_millis(20)).await;
            let mut data = self.world.data.lock().unwrap();
            if data.lagging.contains(&self.own) {
                return Err(format!("it did not catch up in {timeout:?}"));
            }
            data.set(self.own, to);
            Ok(())
        })
    }

    fn stop_writes(&self, _timeout: Duration) -> Later<'_, Result<Position, String>> {
        let mut data = self.world.data.lock().unwrap();
        data.stopped.insert(self.own);
        let position = data.position(self.own);
        Box::pin(async move { Ok(position) })
    }

    fn resume_writes(&self) -> Later<'_, ()> {
        self.world.data.lock().unwrap().stopped.remove(&self.own);
        Box::pin(async {})
    }
}
