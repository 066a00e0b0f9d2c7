// SPDX-License-Identifier: MIT
// Decodes streams of meshopt with the npm package. Called by compressed.py with the folder of modules and the task;
// answers with the bytes in base64.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve } from "./_turns.mjs";

const { MeshoptDecoder } = await import(`${pathToFileURL(process.argv[2])}/meshoptimizer/index.js`);
await MeshoptDecoder.ready;
const tasks = JSON.parse(readFileSync(process.argv[3])).streams;
const streams = tasks.map((task) => new Uint8Array(Buffer.from(task.stream, "base64")));
const targets = tasks.map((task) => new Uint8Array(task.count * task.stride));
const all = () =>
  tasks.forEach((task, i) =>
    MeshoptDecoder.decodeGltfBuffer(targets[i], task.count, task.stride, streams[i], task.mode, task.filter),
  );
all();
await serve(targets.map((target) => Buffer.from(target).toString("base64")), { "": all });
