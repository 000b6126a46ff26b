//! One random schedule of failures.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::world::{Weather, World, group, run};

/// The number of failures of a schedule.
const STEPS: u32 = 16;

/// Runs the schedule of a seed, and returns the last epoch. Errors: what went wrong.
pub(super) fn schedule(seed: u64, waited: u32) -> Result<u64, String> {
    run(async {
        let ids: &[u64] = if seed.is_multiple_of(4) { &[1, 2, 3, 4, 5] } else { &[1, 2, 3] };
        let mut world = World::new(seed, ids);
        world.waited = waited;
        // The wait allows for clocks of which one runs a tenth faster than another.
        world.drift = 45;
        let world = group(world).await;
        for _ in 0..STEPS {
            step(&world).await;
            let pause = world.rng.lock().unwrap().u64(50..2500);
            sleep(Duration::from_millis(pause)).await;
            if let Some(violation) = world.violation() {
                return Err(format!("seed {seed}: {violation}"));
            }
        }
        recover(&world, seed).await
    })
}

/// Makes one thing fail, or work again.
async fn step(world: &Arc<World>) {
    let ids = world.ids();
    let (kind, id, other) = {
        let mut rng = world.rng.lock().unwrap();
        (rng.u32(0..12), *rng.choice(&ids).unwrap(), *rng.choice(&ids).unwrap())
    };
    match kind {
        0 => kill_or_start(world, world.writer().map_or(id, |(writer, _)| writer)).await,
        1 => kill_or_start(world, id).await,
        2 => part_at_random(world),
        3 => world.cut(id, other),
        4 | 5 => world.heal(),
        6 => isolate_writer(world),
        7 => {
            let mut rng = world.rng.lock().unwrap();
            let weather =
                Weather { loss: rng.u32(0..30), duplicates: rng.u32(0..30), delay: rng.u64(0..300) };
            *world.weather.lock().unwrap() = weather;
        }
        8 => *world.weather.lock().unwrap() = Weather::default(),
        9 => {
            let delay = Duration::from_millis(world.rng.lock().unwrap().u64(0..200));
            world.disk(id).slow_down(delay);
        }
        10 => {
            let mut data = world.data.lock().unwrap();
            if !data.unable.remove(&id) && data.unable.is_empty() {
                data.unable.insert(id);
            }
        }
        _ => {
            if let Some(node) = world.node(other) {
                tokio::spawn(async move { node.appoint(id, Duration::from_secs(2)).await });
            }
        }
    }
}

async fn kill_or_start(world: &Arc<World>, id: u64) {
    if world.node(id).is_some() {
        world.kill(id);
    } else {
        world.start(id).await.unwrap();
    }
}

fn part_at_random(world: &World) {
    let mut side = Vec::new();
    let mut rest = Vec::new();
    for id in world.ids() {
        let which = world.rng.lock().unwrap().bool();
        if which { side.push(id) } else { rest.push(id) }
    }
    world.part(&side, &rest);
}

fn isolate_writer(world: &World) {
    if let Some((writer, _)) = world.writer() {
        let rest: Vec<u64> = world.ids().into_iter().filter(|id| *id != writer).collect();
        world.part(&[writer], &rest);
    }
}

/// Ends all failures, and expects a leader on which all agree.
async fn recover(world: &Arc<World>, seed: u64) -> Result<u64, String> {
    world.heal();
    *world.weather.lock().unwrap() = Weather::default();
    world.data.lock().unwrap().unable.clear();
    for id in world.ids() {
        world.disk(id).slow_down(Duration::ZERO);
        if world.node(id).is_none() {
            world.start(id).await.map_err(|error| format!("seed {seed}: member {id}: {error}"))?;
        }
    }
    sleep(Duration::from_secs(4)).await;
    let writer = world.wait_for_writer(Duration::from_secs(10)).await;
    sleep(Duration::from_secs(1)).await;
    if let Some(violation) = world.violation() {
        return Err(format!("seed {seed}: {violation}"));
    }
    let known: Vec<_> =
        world.ids().iter().map(|id| (world.leadership(*id).epoch, world.leadership(*id).leader)).collect();
    let agree = known.iter().all(|one| *one == known[0]);
    let Some((_, epoch)) = writer.filter(|_| agree) else {
        return Err(format!(
            "seed {seed}: after all failures ended, {writer:?} writes, and {known:?} is known"
        ));
    };
    Ok(epoch)
}
