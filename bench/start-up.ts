import { join } from 'node:path';
import { CONTESTANTS } from './contestants.ts';
import { type Bench, setStage } from './measure.ts';
import type { StartUp } from './results.ts';
import { freePort, ServerProcess } from './server-process.ts';
import { median } from './statistics.ts';

/** From spawn to the first 200: the service on its store, beside the smallest Bun.serve. */
export async function measureStartUp(bench: Bench): Promise<StartUp> {
  const store = await bench.stores.ample(bench.scale);
  const petstore: number[] = [];
  const helloWorld: number[] = [];
  for (let turn = 1; turn <= bench.scale.startUps; turn += 1) {
    bench.progress(`start-up, ${turn} of ${bench.scale.startUps}`);
    await using stage = await setStage(bench, CONTESTANTS.petstore, store);
    petstore.push(stage.server.startUp);
    helloWorld.push(await startHelloWorld(bench));
  }
  return { petstore: median(petstore), helloWorld: median(helloWorld) };
}

async function startHelloWorld(bench: Bench): Promise<number> {
  const port = await freePort();
  const script = join(import.meta.dir, 'peers/hello-world.mjs');
  await using server = await ServerProcess.start({
    command: [process.execPath, script, String(port)],
    port,
    readyPath: '/',
    log: join(bench.folder, 'hello-world.log'),
  });
  return server.startUp;
}
