import { createHash, generateKeyPair } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { ConfigurationError } from './configuration-error.ts';

const generate = promisify(generateKeyPair);
/** The length of the RSA key, for clients that know no Ed25519. */
const RSA_BITS = 3072;
const ATTEMPTS_MAX = 20;

/** What an sFTP server proves itself with. */
export interface HostKeys {
  /** Private keys, each in a form of PEM. */
  readonly keys: readonly string[];
  /** What clients see of them. */
  readonly fingerprints: readonly string[];
}

/**
 * The host keys from the environment, or else from a file, which is made where there is none, readable by its owner alone. Servers behind
 * one name must have the same: a client that meets another key takes it for an attack.
 */
export async function openHostKeys(file: string, fromEnvironment: string | undefined): Promise<HostKeys> {
  if (fromEnvironment !== undefined) return parse(fromEnvironment.replaceAll('\\n', '\n'), 'SFTP_HOST_KEYS');
  if (!existsSync(file)) await make(file);
  return parse(readFileSync(file, 'utf8'), file);
}

/** A new Ed25519 key. The library writes one in some hundreds so that nobody can read it, itself included; then it makes another. */
export function newHostKey(): string {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
  throw new Error('no host key could be made');
}

/** Two processes may start together: the file gets its name when it is whole, and the second one takes the first one's. */
async function make(file: string): Promise<void> {
  const rsa = await generate('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  mkdirSync(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}`;
  try {
    writeFileSync(part, `${newHostKey().trim()}\n${rsa.privateKey.trim()}\n`, { mode: 0o600 });
    chmodSync(part, 0o600);
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

function parse(text: string, source: string): HostKeys {
  const keys = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  const fingerprints = keys.map((key) => fingerprintOf(key, source));
  if (keys.length === 0)
    throw new ConfigurationError(`${source}: expected private keys for the sFTP server, as ssh-keygen writes them`);
  return { keys, fingerprints };
}

function fingerprintOf(key: string, source: string): string {
  const parsed = ssh2.utils.parseKey(key);
  if (parsed instanceof Error || !parsed.isPrivateKey())
    throw new ConfigurationError(`${source}: expected private keys without a passphrase; one of them cannot be read`);
  if (!['ssh-ed25519', 'ssh-rsa'].includes(parsed.type))
    throw new ConfigurationError(`${source}: expected Ed25519 or RSA keys, and one of them is ${parsed.type}`);
  return `SHA256:${createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
}
