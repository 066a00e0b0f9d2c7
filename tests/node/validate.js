// SPDX-License-Identifier: MIT
// What Khronos' glTF-Validator says of GLB files. Usage: node validate.js FILE ... (or "-": names on stdin, a line each)
// Prints one JSON object: file -> issues, each with code, message, severity (0 error, 1 warning, 2 info, 3 hint), pointer.
import { readFileSync } from "node:fs";
import validator from "gltf-validator";

const names = process.argv[2] === "-" ? readFileSync(0, "utf8").split("\n").filter(Boolean) : process.argv.slice(2);
const reports = {};
for (const name of names) {
  const options = { format: "glb", maxIssues: 0, writeTimestamp: false };
  const report = await validator.validateBytes(new Uint8Array(readFileSync(name)), options);
  reports[name] = report.issues.messages;
}
console.log(JSON.stringify(reports));
