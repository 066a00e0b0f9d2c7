// SPDX-License-Identifier: MIT
// Waits for turns of a benchmark: each line of the input asks for so many calls of one name, the seconds of which are
// printed: on the wall, or of the processor where that is less, as others may have it. Calls may be promises. They are
// warmed up before, so that none is timed in code that is not compiled yet.
import { createInterface } from "node:readline";

const WARM = 0.3; // seconds, after three calls

export async function serve(answer, calls) {
  for (const call of Object.values(calls)) {
    const begin = performance.now();
    for (let i = 0; i < 3 || performance.now() - begin < 1000 * WARM; ++i) await call();
  }
  console.log(JSON.stringify(answer));
  for await (const line of createInterface({ input: process.stdin })) {
    const { name, count } = JSON.parse(line);
    const call = calls[name];
    const used = process.cpuUsage();
    const begin = process.hrtime.bigint();
    for (let i = 0; i < count; ++i) {
      const result = call();
      if (result instanceof Promise) await result;
    }
    const wall = Number(process.hrtime.bigint() - begin) * 1e-9;
    const { user, system } = process.cpuUsage(used); // of all threads, those that collect garbage included
    console.log(wall < 0.001 ? wall : Math.min(wall, (user + system) * 1e-6));
  }
}
