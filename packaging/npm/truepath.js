#!/usr/bin/env node
// Run truepath of this package's version, in a Python environment that the first run makes.
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const { version } = require("./package.json");
const isWindows = process.platform === "win32";
const data = process.env.XDG_DATA_HOME || path.join(os.homedir(), ".local", "share");
const folder = path.join(data, "truepath-npm", version);
const bin = path.join(folder, isWindows ? "Scripts" : "bin");
const wanted = process.env.TRUEPATH_PACKAGE || `truepath==${version}`;
const PYTHONS = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];
const IS_NEW = "import sys; sys.exit(sys.version_info < (3, 10))";

// A program of the user's, never one of the project: npx puts its folders first into PATH.
function find(name) {
  const here = fs.realpathSync(process.cwd());
  for (const place of (process.env.PATH || "").split(path.delimiter)) {
    const file = path.join(place, isWindows ? `${name}.exe` : name);
    if (!path.isAbsolute(place) || !fs.existsSync(file)) continue;
    const real = fs.realpathSync(place);
    const isProject = real === here || real.startsWith(here + path.sep);
    if (!isProject && !real.includes("node_modules")) return file;
  }
  return null;
}

function run(...words) {
  return spawnSync(words[0], words.slice(1), { stdio: ["ignore", "ignore", "inherit"] }).status === 0;
}

function make() {
  const uv = find("uv");
  if (uv) {
    const python = path.join(bin, "python");
    return run(uv, "venv", "--quiet", folder) && run(uv, "pip", "install", "--quiet", "--python", python, wanted);
  }
  for (const python of PYTHONS.map(find).filter(Boolean)) {
    if (run(python, "-c", IS_NEW)) {
      return run(python, "-m", "venv", folder)
        && run(path.join(bin, "python"), "-m", "pip", "install", "--quiet", wanted);
    }
  }
  console.error("truepath: needs Python 3.10 or newer, or uv (https://docs.astral.sh/uv/)");
  return false;
}

const program = path.join(bin, isWindows ? "truepath.exe" : "truepath");
if (!fs.existsSync(program) && !make()) {
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(2);
}
const done = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
process.exit(done.status === null ? 130 : done.status);
