// SPDX-License-Identifier: MIT
// What takes seconds for heavy meshes, in a worker: the page answers meanwhile. Its script is made of the functions named
// here; a page's policy allows it by worker-src blob:. Where there is no worker, the page does the work itself.

const WORK = { dot, length, plus, coarseTriangles, colorOf, placeOf, hasGradients, leastOf, standIns, facesOf, islandsOf, edgesOf };
const TASKS = { coarse: coarseTriangles, edges: ({ triangles }) => edgesOf(triangles) };

// ask(task, argument, done): done(result) is called later, or at once where `isSync`. One question is worked on at a time;
// further ones are not taken, and ask() returns false.
function makeBackground(bundle, isSync) {
  const { positions, normals, colors, uvs, rows, triangles, info: { parts } } = bundle;
  const given = { positions, normals, colors, uvs, rows, triangles, info: { parts } };
  // Only whether there are pictures matters.
  for (const name of Object.keys(bundle)) if (name.startsWith("image.")) given[name] = true;
  let worker = null;
  let waiting = null;
  let isHere = isSync;

  function start() {
    const script = Object.entries(WORK).map(([name, made]) => `const ${name}=${made};`).join("\n");
    const tasks = Object.entries(TASKS).map(([name, made]) => `${name}:${made}`).join();
    const address = URL.createObjectURL(new Blob([
      `"use strict";${script}\nconst tasks={${tasks}};let given;
      onmessage=({data:[first,task,argument]})=>{given=first??given;postMessage(tasks[task](given,argument));};`,
    ], { type: "text/javascript" }));
    worker = new Worker(address);
    worker.onmessage = ({ data }) => {
      URL.revokeObjectURL(address);
      const { done } = waiting;
      waiting = null;
      done(data);
    };
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      instead();
    });
  }

  // Works here from now on.
  function instead() {
    worker?.terminate();
    isHere = true;
    const { task, argument, done } = waiting;
    waiting = null;
    setTimeout(() => done(TASKS[task](bundle, argument)));
  }

  return {
    ask(task, argument, done) {
      if (waiting) return false;
      if (isSync) {
        done(TASKS[task](bundle, argument));
        return true;
      }
      waiting = { task, argument, done };
      if (isHere) {
        instead();
        return true;
      }
      try {
        const isFirst = !worker;
        if (isFirst) start();
        worker.postMessage([isFirst ? given : null, task, argument]);
      } catch {
        instead();
      }
      return true;
    },

    stop() {
      worker?.terminate();
    },
  };
}
